"""Rendering of one item: its sound file, and the sidecar with its row of the manifest, for every
kind of worker."""
from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pysitar.api.render_file import Files, stream
from pysitar.api.request import Request, prepare_engine
from pysitar.app.analysis.measures import Measures, hash_samples, measure_file
from pysitar.app.analysis.sound_files import SoundFileError
from pysitar.app.batch.documents import DocumentError, list_faults, read_document, read_sidecar
from pysitar.app.batch.first_stroke import first_stroke
from pysitar.app.batch.items import BatchOptions, Item, Plan, item_score
from pysitar.app.batch.keys import common_key, item_key
from pysitar.app.batch.layout import sidecar_location
from pysitar.app.batch.schema import FAILURE as FAILURE_FIELDS
from pysitar.app.batch.schema import SOUND_COLUMNS, STROKE_COLUMNS, faults, sidecar_faults
from pysitar.errors import RenderError
from pysitar.output.files import copy_permissions, write_atomically
from pysitar.output.sidecar import sidecar_text
from pysitar.rendering.engine import Engine
from pysitar.score.document import Score
from pysitar.system.files import error_reason, portable_name

MAKE = "pysitar.app.batch.render_item:make"
BATCH = "batch"                 # the key of the sidecar
FAILURE = ".error.json"         # ending of the file of a failed item
SILENT = 1e-4                   # full scale: -80 dB
LARGEST_DC = 1e-3               # full scale: -60 dB
LARGEST_RESIDUAL = 1e-10        # of the energy balance: a tenth of the limit that ends a render
SHORTEST = 0.1                  # s


@dataclass(frozen=True, slots=True)
class Setup:
    """The data that all items have in common.

    Parameters: scores, of each series, without sweeps and draws; folder; batch_options.
    """

    scores: tuple[Score, ...]
    folder: str
    batch_options: BatchOptions

    @staticmethod
    def of(plan: Plan, folder: str, batch_options: BatchOptions) -> Setup:
        """Return the setup of a plan."""
        return Setup(tuple(series.score for series in plan.series), folder, batch_options)


class RenderObserver(Protocol):
    """An observer of the rendering of an item."""

    def prepare_engine(self, score: Score, request: Request) -> Engine:
        """Return the engine that renders it."""

    def block(self, done: int, expected: int) -> None:
        """Process the samples computed since the last call: `Progress`."""

    def end(self, path: Path) -> None:
        """Finish, before the sound is moved to its path."""


def make(setup: Setup, item: Item, observer: RenderObserver | None = None) -> None:
    """Render an item: its sound and its sidecar, both whole, or neither.

    Errors: ScoreError, RenderError (also if a file of the score was edited since the batch began),
    OSError.
    """
    batch_options = setup.batch_options
    prepare = prepare_engine if observer is None else observer.prepare_engine
    engine = prepare(item_score(setup.scores[item.series], item), batch_options.request)
    common = common_key(item.digest, engine.bound.sources, engine.options,
                        kind=f"{batch_options.form} {batch_options.subtype}")
    if item_key(common, item.settings) != item.key:
        raise RenderError(
            item.name, 0.0,
            "a file that the score uses has changed since the batch began; the same command "
            "renders what has changed")
    path, sidecar = Path(setup.folder, item.file), sidecar_location(setup.folder, item.file)

    def extra(sound: Path, report: dict[str, Any]) -> dict[str, Any]:
        fields = batch_fields(item, measure_file(sound), report, size=sound.stat().st_size)
        fields |= first_stroke(engine.bound)
        if observer is not None:
            observer.end(path)
        # the sidecar is moved first: a kill between the two must not leave an older sound beside it
        copy_permissions(sound, path if path.exists() else sidecar)
        Path(os.path.realpath(path)).unlink(missing_ok=True)
        return {BATCH: fields}

    stream(engine, batch_options.request,
           Files(path=path, subtype=batch_options.subtype, sidecar_at=sidecar), extra=extra,
           progress=None if observer is None else observer.block)
    with suppress(OSError):
        failure_path(setup.folder, item).unlink(missing_ok=True)


def batch_fields(item: Item, measures: Measures, report: dict[str, Any], *,
                 size: int) -> dict[str, Any]:
    """Return the fields of an item in its sidecar.

    Parameters: measures, of its file; report, of its render; size, of the file in bytes.
    """
    return {
        "key": item.key, "bytes": size, **_identity(item), **measures.as_dict(),
        "flags": flags_of(measures, report),
    }


def flags_of(measures: Measures, report: dict[str, Any]) -> list[str]:
    """Return the possible faults of a sound.

    silent: peak under -80 dB; clipped; dc: over -60 dB; residual: over 1e-10; short: under 0.1 s.
    """
    conditions = {
        "silent": measures.peak < SILENT,
        "clipped": report["clipped"] > 0,
        "dc": abs(measures.dc) > LARGEST_DC,
        "residual": report["residual"] > LARGEST_RESIDUAL,
        "short": measures.frames < SHORTEST * measures.rate,
    }
    return [name for name, holds in conditions.items() if holds]


def failure_path(folder: str | os.PathLike[str], item: Item) -> Path:
    """Return the path of the file with the error of an item."""
    return Path(folder, item.name + FAILURE)


def write_failure(folder: str | os.PathLike[str], item: Item, error: str) -> None:
    """Write the error of an item beside its path.  Errors: OSError."""
    document = {"key": item.key, **_identity(item), "error": error}
    write_atomically(failure_path(folder, item), sidecar_text(document))


def _identity(item: Item) -> dict[str, Any]:
    """Return the fields that identify an item in a sidecar."""
    return {"name": portable_name(item.name), "score": portable_name(item.score),
            "item": item.number, "parameters": dict(item.parameters)}


def finished_sidecar(folder: str | os.PathLike[str], item: Item) -> dict[str, Any] | None:
    """Return the sidecar of an item that exists, whole and with its key; else None."""
    return valid_sidecar(folder, item.file, item.key)


def valid_sidecar(folder: str | os.PathLike[str], file: str, key: str) -> dict[str, Any] | None:
    """Return the sidecar of a complete sound with a key; None if any of it is missing or wrong."""
    try:
        document = read_sidecar(sidecar_location(folder, file))
        part = document.get(BATCH)
        if not isinstance(part, dict) or part.get("key") != key or any(sidecar_faults(document)):
            return None
        if any(faults(sound_columns(document), SOUND_COLUMNS, needed=SOUND_COLUMNS)):
            return None
        state = os.stat(Path(folder, file))
    except (OSError, DocumentError):
        return None
    return document if stat.S_ISREG(state.st_mode) and state.st_size == part.get("bytes") else None


def sidecar_fault(folder: str | os.PathLike[str], file: str) -> str:
    """Return the faults of the sidecar of a sound; "" for a valid or a missing one."""
    beside = sidecar_location(folder, file)
    try:
        wrong = list(sidecar_faults(read_sidecar(beside)))
    except FileNotFoundError:
        return ""
    except (OSError, DocumentError) as error:
        wrong = [error_reason(error) if isinstance(error, OSError) else str(error)]
    return f"{beside}: {list_faults(wrong)}" if wrong else ""


def sound_columns(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a finished sound that a sidecar contains."""
    part, options, timing = (document.get(name) for name in (BATCH, "options", "timing"))
    known = dict(document)
    for inner in (part, timing):
        known |= inner if isinstance(inner, dict) else {}
    for name in ("rate", "channels"):
        known.pop(name, None)
        if isinstance(options, dict) and name in options:
            known[name] = options[name]
    return {name: known[name] for name in (*SOUND_COLUMNS, *STROKE_COLUMNS) if name in known}


def samples_match(folder: str | os.PathLike[str], item: Item, document: dict[str, Any]) -> bool:
    """Return whether the samples of an item are unchanged.

    Parameters: document, its sidecar.
    Errors: OSError.
    """
    try:
        samples, rate, channels = hash_samples(Path(folder, item.file))
    except SoundFileError:
        return False
    options = document.get("options")
    stored = options if isinstance(options, dict) else {}
    form = stored.get("rate"), stored.get("channels")
    return samples == document[BATCH].get("samples") and (rate, channels) == form


def item_failure(folder: str | os.PathLike[str], item: Item) -> str | None:
    """Return the error of the last attempt at an item; None if unknown."""
    return read_failure(folder, item.name, item.key)


def read_failure(folder: str | os.PathLike[str], name: str, key: str) -> str | None:
    """Return the error of the last attempt at the item with a name and a key; None if unknown."""
    try:
        document = read_document(Path(folder, name + FAILURE))
    except (OSError, DocumentError):
        return None
    if any(faults(document, FAILURE_FIELDS, needed=("key", "error"))) or document["key"] != key:
        return None
    return str(document["error"])


def any_item_known(folder: str | os.PathLike[str], items: Iterable[Item]) -> bool:
    """Return whether any of these items is finished, or has failed."""
    return any(
        finished_sidecar(folder, item) is not None or item_failure(folder, item) is not None
        for item in items)
