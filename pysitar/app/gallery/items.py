"""What a folder of sounds tells of them: a batch by its manifest, other sounds by their sidecars."""
from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import soundfile  # type: ignore[import-untyped]

from pysitar.app.batch.layout import sidecar_in
from pysitar.app.batch.making import BATCH, flags_of
from pysitar.app.batch.manifest import LINES, STEM
from pysitar.app.gallery.commands import SCORE, batch_command, render_command
from pysitar.app.measures import measures_of
from pysitar.errors import PysitarError, printable
from pysitar.output.sidecar import sidecar_path

SOUNDS = (".wav", ".flac")
PART = re.compile(re.escape(STEM) + r"-([0-9]{1,6})of([0-9]{1,6})" + re.escape(LINES))
CHOSEN = ("rate", "channels", "oversample", "seed")
MEASURES = ("seconds", "peak", "rms", "t60", "centroid", "dc", "clipped", "residual", "iterations", "failed_solves", *CHOSEN)
DESCRIBED = 2000                # characters of a score's opening comment
ENDS = (".", "!", "?")
LARGEST_NUMBER = 1e300
LARGEST = 64 * 1024 * 1024      # bytes of a sidecar


class GalleryError(PysitarError):
    """A folder cannot be shown."""


@dataclass(slots=True)
class Entry:
    """One sound of a gallery.

    Parameters: name, shown; path of its file; score, as the user named it; command that makes it; description; parameters, of its sweeps
    and draws; measures, by the names of MEASURES; flags; error, why there is no sound; samples, the SHA-256 of them, "" while not known.
    """

    name: str
    path: Path | None = None
    score: str = ""
    command: str | None = None
    description: str = ""
    parameters: dict[str, float | str] = field(default_factory=dict)
    measures: dict[str, float] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    error: str = ""
    samples: str = ""


def entries_of(folder: Path) -> tuple[list[Entry], list[str]]:
    """The sounds of a folder, in order, and what is doubtful in it.  Errors: GalleryError, OSError."""
    warnings: list[str] = []
    names = sorted(os.listdir(folder))
    manifests = [f"{STEM}{LINES}"] if f"{STEM}{LINES}" in names else [name for name in names if PART.fullmatch(name)]
    if manifests:
        found = {entry.name: entry for name in manifests for entry in _listed(folder, name, warnings)}          # shards of two divisions
        return list(found.values()), warnings
    files = [folder / name for name in names if name.lower().endswith(SOUNDS) and not name.startswith(".")]
    return [_alone(path, warnings) for path in files if path.is_file()], warnings


def measure(entry: Entry) -> None:
    """Put in the hash and the measures of a sound that has none yet.  A file that is no sound becomes the entry's error."""
    if entry.samples or entry.path is None:
        return
    try:
        found = measures_of(entry.path)
    except (soundfile.SoundFileError, OSError) as error:
        entry.error, entry.path = f"its file cannot be read ({getattr(error, 'error_string', error)})", None
        return
    told = {"seconds": found.frames / found.rate, "peak": found.peak, "rms": found.rms, "t60": found.t60, "centroid": found.centroid,
            "dc": found.dc, "rate": found.rate, "channels": found.channels}
    entry.measures |= _numbers(told)
    entry.samples = found.samples
    entry.flags = flags_of(found, {"clipped": 0, "residual": 0.0} | entry.measures)


def _listed(folder: Path, name: str, warnings: list[str]) -> list[Entry]:
    """The entries of a manifest."""
    part = PART.fullmatch(name)
    step = int(part[2]) if part else 1
    rows = [_row(line, f"{folder / name}:{number}") for number, line in enumerate((folder / name).read_bytes().splitlines(), 1)
            if line.strip()]
    most: dict[str, int] = {}
    for row in rows:
        most[row["score"]] = max(most.get(row["score"], 0), row["item"] + step - 1)
    return [_item(folder, row, most[row["score"]], warnings) for row in rows]


def _row(line: bytes, where: str) -> dict[str, Any]:
    """A line of a manifest.  Errors: GalleryError."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _broken(where, str(error)) from None
    if not isinstance(row, dict):
        raise _broken(where, "no object")
    kinds: dict[str, type | tuple[type, ...]] = {"name": str, "file": str, "score": str, "item": int, "parameters": dict}
    for key, kind in kinds.items():
        if not isinstance(row.get(key), kind) or isinstance(row[key], bool):
            raise _broken(where, f"{key} is missing or of another kind")
    return row


def _broken(where: str, why: str) -> GalleryError:
    return GalleryError(f"{printable(where, '?')}: no line of a manifest ({why}); pysitar batch ... --merge would make it anew")


def _item(folder: Path, row: dict[str, Any], most: int, warnings: list[str]) -> Entry:
    """The entry of a row."""
    entry = Entry(row["name"], score=row["score"], parameters=_values(row["parameters"]), measures=_numbers(row))
    flags = row.get("flags")
    entry.flags = [flag for flag in flags if isinstance(flag, str)] if isinstance(flags, list) else []
    entry.error = str(row.get("error") or "")
    path = folder / row["file"]
    if not path.resolve().is_relative_to(folder.resolve()):
        entry.error = entry.error or f"its file, {row['file']}, is outside the folder"
    elif not path.is_file():
        entry.error = entry.error or "its file is not there"
    if entry.error:
        return entry
    document = _sidecar(sidecar_in(folder, row["file"]), warnings)
    options, made = _part(document, "options"), _part(document, BATCH)
    entry.path = path
    entry.measures |= _numbers(options, CHOSEN)          # its peak is another thing
    if isinstance(row.get("samples"), str) and made.get("samples") == row["samples"] and made.get("bytes") == path.stat().st_size:
        entry.samples = row["samples"]          # the file is the one that was measured
    if most == 1 and not row["parameters"]:
        entry.name = Path(row["score"]).stem
        entry.command = render_command(row["score"], f"{entry.name}{path.suffix}", options)
    else:
        entry.command = batch_command(row["score"], row["item"], most, options)
    return entry


def _alone(path: Path, warnings: list[str]) -> Entry:
    """The entry of a sound that is in no manifest."""
    entry = Entry(path.name, path)
    document = _sidecar(sidecar_path(path), warnings)
    files = list(_part(document, "files"))
    entry.score = next((name for name in files if name == "-" or name.endswith(SCORE)), "")
    entry.measures = _numbers(document) | _numbers(_part(document, "options"), CHOSEN)
    entry.command = render_command(entry.score, path.name, _part(document, "options")) if entry.score else None
    beside = path.with_name(Path(entry.score).name) if entry.score else None
    if beside is not None and beside.suffix == SCORE and beside.is_file():
        entry.description = comment_of(beside)
    return entry


def comment_of(score: Path) -> str:
    """The comment that opens a score, without its marks; a line that does not end a sentence goes on in the next."""
    found: list[str] = []
    try:
        with open(score, encoding="utf-8-sig", errors="replace") as file:
            for line in file:
                if not line.startswith("#") or sum(map(len, found)) > DESCRIBED:
                    break
                found.append(line.lstrip("#").strip())
    except OSError:
        return ""
    return "".join(line + ("\n" if line.endswith(ENDS) or not line else " ") for line in found).strip()


def _sidecar(path: Path, warnings: list[str]) -> dict[str, Any]:
    """A sidecar; an empty one where there is none that can be read."""
    try:
        if not path.is_file():
            return {}
        document = json.loads(path.read_bytes() if path.stat().st_size <= LARGEST else b"")
    except (OSError, ValueError, RecursionError) as error:
        warnings.append(f"{path}: no sidecar that can be read ({error}); the sound is shown without what it tells")
        return {}
    return document if isinstance(document, dict) else {}


def _part(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    part = document.get(name)
    return part if isinstance(part, dict) else {}


def _values(parameters: dict[str, Any]) -> dict[str, float | str]:
    """Values that a page can show."""
    return {name: value for name, value in parameters.items() if isinstance(value, str) or _is_number(value)}


def _numbers(told: Mapping[str, Any], names: Sequence[str] = MEASURES) -> dict[str, float]:
    return {name: told[name] for name in names if _is_number(told.get(name))}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST_NUMBER          # False for NaN
