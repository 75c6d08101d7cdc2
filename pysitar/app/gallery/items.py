"""List the sounds of a folder: those of a batch from its manifest, others from their sidecars."""
from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pysitar.app.analysis.measures import measure_file
from pysitar.app.analysis.sound_files import LOUDEST, Header, SoundFileError, read_file_header
from pysitar.app.batch.documents import (
    DocumentError,
    list_faults,
    manifest_lines,
    parse_row,
    read_sidecar,
)
from pysitar.app.batch.layout import sidecar_location
from pysitar.app.batch.manifest import LINES, STEM
from pysitar.app.batch.render_item import BATCH, flags_of
from pysitar.app.batch.schema import sidecar_faults
from pysitar.app.gallery.commands import SCORE, batch_command, render_command
from pysitar.errors import PysitarError, printable
from pysitar.output.sidecar import sidecar_path
from pysitar.system.files import (
    NotRegularError,
    TooLargeError,
    decode_bytes,
    error_reason,
    is_regular,
    local_name,
    real_path,
    regular_file,
)

SOUNDS = (".wav", ".flac")
PART = re.compile(re.escape(STEM) + r"-([0-9]{1,6})of([0-9]{1,6})" + re.escape(LINES))
OPTION_MEASURES = ("rate", "channels", "oversample", "seed")
MEASURES = ("seconds", "peak", "rms", "t60", "centroid", "dc", "clipped", "residual", "iterations",
            "failed_solves", *OPTION_MEASURES)
REQUIRED = ("peak", "rms", "dc", "clipped")  # in a row; if one is missing, the sound is measured
LONGEST_DESCRIPTION = 2000                # characters of a score's opening comment
BEGINNING = 65536               # bytes of a score that are searched for its opening comment
SENTENCE_ENDS = (".", "!", "?")
LONGEST = 24 * 3600.0           # s of a sound: measuring takes some bytes per 2 ms
HIGHEST = 10_000_000            # Hz, sample rate: measuring stores one second of the sound
MOST_FAULTS = 1000              # wrong rows; with more the file is not accepted as a manifest


class GalleryError(PysitarError):
    """A folder cannot be shown."""


@dataclass(slots=True)
class Entry:
    """One sound of a gallery.

    Parameters: name, as shown; path of the file; score, as the user named it; command that renders
    the sound; description; parameters, of its sweeps and draws; measures, by the names of MEASURES;
    flags; error, why there is no sound; samples, their SHA-256 ("": unknown); header, rate (Hz),
    channels and frames as in its row.
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
    header: tuple[int | None, ...] = ()


class Listing(NamedTuple):
    """The sounds of a folder, in order; warnings; the faults of rows that are left out."""

    entries: list[Entry]
    warnings: list[str]
    faults: list[str]


def read_entries(folder: Path) -> Listing:
    """Return the sounds of a folder.  Errors: GalleryError, OSError."""
    listing = Listing([], [], [])
    names = sorted(os.listdir(folder))
    whole = f"{STEM}{LINES}"
    manifests = [whole] if whole in names else list(filter(PART.fullmatch, names))
    if manifests:
        # manifests of different divisions into shards may list the same sounds
        rows = (entry for name in manifests for entry in _manifest_entries(folder, name, listing))
        listing.entries.extend({entry.name: entry for entry in rows}.values())
        return listing
    files = [
        folder / name for name in names
        if name.lower().endswith(SOUNDS) and not name.startswith(".")]
    listing.entries.extend(
        _sound_entry(path, listing.warnings) for path in files if is_regular(path))
    return listing


def measure(entry: Entry) -> None:
    """Read the header of a sound, and measure the sound if its row does not fit it.

    A file that is not a sound becomes the entry's error.
    """
    if entry.path is None:
        return
    try:
        header = read_file_header(entry.path)
        _check_size(entry.path, header)
        known = entry.samples and entry.header == header and {*REQUIRED} <= set(entry.measures)
        found = None if known else measure_file(entry.path, loudest=LOUDEST)
    except SoundFileError as error:
        entry.error, entry.path = str(error), None
        return
    values: dict[str, float | None] = {
        "seconds": header.seconds, "rate": header.rate, "channels": header.channels,
    }
    if found is not None:
        values |= {name: getattr(found, name) for name in ("peak", "rms", "t60", "centroid", "dc")}
        entry.samples = found.samples
    kept = {name: value for name, value in entry.measures.items() if name not in values}
    entry.measures = kept | {name: value for name, value in values.items() if value is not None}
    if found is not None:
        entry.flags = flags_of(found, {"clipped": 0, "residual": 0.0} | entry.measures)


def _check_size(path: Path, header: Header) -> None:
    """Raise a SoundFileError if a sound is too long to be measured, or its rate too high."""
    shown = printable(str(path), "?")
    if header.seconds > LONGEST:
        hours = f"{header.seconds / 3600.0:.3g} h; expected at most {LONGEST / 3600.0:g} h"
        raise SoundFileError(f"{shown}: it lasts {hours}")
    if header.rate > HIGHEST:
        raise SoundFileError(
            f"{shown}: its rate is {header.rate} Hz; expected at most {HIGHEST} Hz")


def _manifest_entries(folder: Path, name: str, listing: Listing) -> list[Entry]:
    """Return the entries of a manifest; a wrong row is left out and listed as a fault.

    Errors: GalleryError, OSError.
    """
    part = PART.fullmatch(name)
    step = int(part[2]) if part else 1
    path = folder / name
    shown = printable(str(path), "?")
    rows = []
    try:
        for number, line in manifest_lines(path):
            try:
                rows.append(parse_row(line))
            except DocumentError as error:
                listing.faults.append(f"{shown}:{number}: {error}; the row is left out")
            if len(listing.faults) > MOST_FAULTS:
                raise GalleryError(
                    f"{shown}: over {MOST_FAULTS} of its rows are wrong, such as "
                    f"{listing.faults[0]}; expected a manifest of pysitar batch")
    except (NotRegularError, TooLargeError) as error:
        raise GalleryError(f"{shown}: it is {error.strerror}") from None
    most: dict[str, int] = {}
    for row in rows:
        most[row["score"]] = max(most.get(row["score"], 0), row["item"] + step - 1)
    return [_row_entry(folder, row, most[row["score"]], listing.warnings) for row in rows]


def _row_entry(folder: Path, row: dict[str, Any], most: int, warnings: list[str]) -> Entry:
    """Return the entry of a row."""
    values = {name: value for name, value in row["parameters"].items() if value is not None}
    entry = Entry(row["name"], score=row["score"], parameters=values, measures=_numbers(row),
                  flags=list(row.get("flags") or ()))
    entry.error = row.get("error") or ""
    path = folder / local_name(row["file"])
    if not Path(real_path(path)).is_relative_to(real_path(folder)):
        entry.error = entry.error or f"its file, {row['file']}, is outside the folder"
    elif not is_regular(path):
        why = "is not a regular file" if os.path.lexists(path) else "does not exist"
        entry.error = entry.error or f"its file {why}"
    if entry.error:
        return entry
    document = _sidecar(sidecar_location(folder, local_name(row["file"])), warnings)
    options, batch = _part(document, "options"), _part(document, BATCH)
    entry.path = path
    entry.measures |= _numbers(options, OPTION_MEASURES)    # not `peak`: there, the requested level
    samples = row.get("samples")
    if samples and batch.get("samples") == samples and batch.get("bytes") == path.stat().st_size:
        entry.samples = samples          # the file is unchanged since it was measured
        entry.header = tuple(map(row.get, Header._fields))
    if most == 1 and not row["parameters"]:
        entry.name = Path(row["score"]).stem or row["name"]
        entry.command = render_command(row["score"], f"{entry.name}{path.suffix}", options)
    else:
        entry.command = batch_command(row["score"], row["item"], most, options)
    return entry


def _sound_entry(path: Path, warnings: list[str]) -> Entry:
    """Return the entry of a sound that is in no manifest."""
    entry = Entry(decode_bytes(path.name), path)
    document = _sidecar(sidecar_path(path), warnings)
    files = list(_part(document, "files"))
    entry.score = next((name for name in files if name == "-" or name.endswith(SCORE)), "")
    entry.measures = _numbers(document) | _numbers(_part(document, "options"), OPTION_MEASURES)
    if entry.score:
        entry.command = render_command(entry.score, entry.name, _part(document, "options"))
        beside = path.with_name(local_name(Path(entry.score).name))
        entry.description = opening_comment(beside) if beside.suffix == SCORE else ""
    return entry


def opening_comment(score: Path) -> str:
    """Return the opening comment of a score, without its marks; lines that do not end a sentence
    are joined."""
    found: list[str] = []
    try:
        with regular_file(score) as file:
            text = file.read(BEGINNING).decode("utf-8-sig", errors="replace")
    except OSError:
        return ""
    for line in text.replace("\r\n", "\n").split("\n"):
        if not line.startswith("#") or sum(map(len, found)) > LONGEST_DESCRIPTION:
            break
        found.append(line.lstrip("#").strip())
    return "".join(line + ("\n" if line.endswith(SENTENCE_ENDS) or not line else " ")
                   for line in found).strip()


def _sidecar(path: Path, warnings: list[str]) -> dict[str, Any]:
    """Return a sidecar; an empty one if it is missing or invalid."""
    try:
        document = read_sidecar(path)
        if found := list(sidecar_faults(document)):
            raise DocumentError(list_faults(found))
    except FileNotFoundError:
        return {}
    except (OSError, DocumentError) as error:
        why = error_reason(error) if isinstance(error, OSError) else error
        warnings.append(f"{path}: cannot be read as a sidecar ({why}); the sound is shown without "
                        "it")
        return {}
    return document


def _part(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    part = document.get(name)
    return part if isinstance(part, dict) else {}


def _numbers(values: Mapping[str, Any], names: Sequence[str] = MEASURES) -> dict[str, float]:
    return {name: values[name] for name in names if values.get(name) is not None}
