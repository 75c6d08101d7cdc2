"""One item made: its sound file, and beside it the sidecar that holds its row of the manifest. The same for every kind of worker."""
from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pysitar.api.render_file import Files, stream
from pysitar.api.request import Asked, opened
from pysitar.app.analysis.measures import Measures, hash_samples, measure_file
from pysitar.app.analysis.sound_files import SoundFileError
from pysitar.app.batch.documents import DocumentError, list_faults, read_document, read_sidecar
from pysitar.app.batch.items import Item, Plan, Wanted, item_score
from pysitar.app.batch.keys import common_key, item_key
from pysitar.app.batch.layout import sidecar_in
from pysitar.app.batch.schema import FAILURE as FAILURE_FIELDS
from pysitar.app.batch.schema import SOUND_COLUMNS, faults, sidecar_faults
from pysitar.errors import RenderError
from pysitar.output.files import keep_permissions, write_whole
from pysitar.output.sidecar import sidecar_text
from pysitar.rendering.engine import Engine
from pysitar.score.document import Score
from pysitar.system.names import portable_name
from pysitar.system.reading import reason_of

MAKE = "pysitar.app.batch.render_item:make"
BATCH = "batch"                 # the key of the sidecar
FAILURE = ".error.json"         # at the end of the name of an item that failed
SILENT = 1e-4                   # full scale: -80 dB
LARGEST_DC = 1e-3               # full scale: -60 dB
LARGEST_RESIDUAL = 1e-10        # of the energy balance: a tenth of what ends a render
SHORTEST = 0.1                  # s


@dataclass(frozen=True, slots=True)
class Setup:
    """What is the same for all items.

    Parameters: scores, of each series, without sweeps and draws; folder; wanted.
    """

    scores: tuple[Score, ...]
    folder: str
    wanted: Wanted

    @staticmethod
    def of(plan: Plan, folder: str, wanted: Wanted) -> Setup:
        """The setup of a plan."""
        return Setup(tuple(series.score for series in plan.series), folder, wanted)


class Watch(Protocol):
    """What looks on while an item is made."""

    def opened(self, score: Score, asked: Asked) -> Engine:
        """Return the engine that makes it."""

    def block(self, done: int, expected: int) -> None:
        """Look at what was computed since the last call: `Progress`."""

    def end(self, path: Path) -> None:
        """Finish, before the sound takes its place at a path."""


def make(setup: Setup, item: Item, watch: Watch | None = None) -> None:
    """Make an item: its sound and its sidecar, both whole, or neither.

    Errors: ScoreError, RenderError (also when a file that the score uses was edited since the batch began), OSError.
    """
    wanted = setup.wanted
    engine = (opened if watch is None else watch.opened)(item_score(setup.scores[item.series], item), wanted.asked)
    common = common_key(item.digest, engine.bound.sources, engine.options, kind=f"{wanted.form} {wanted.subtype}")
    if item_key(common, item.settings) != item.key:
        raise RenderError(item.name, 0.0, "a file that the score uses has changed since the batch began; the same command again would "
                                          "make the new sounds")
    path, sidecar = Path(setup.folder, item.file), sidecar_in(setup.folder, item.file)

    def more(sound: Path, report: dict[str, Any]) -> dict[str, Any]:
        made = batch_part(item, measure_file(sound), report, size=sound.stat().st_size)
        if watch is not None:
            watch.end(path)
        # the sidecar takes its place first: killed between the two, an older sound must not stand beside it
        keep_permissions(sound, path if path.exists() else sidecar)
        Path(os.path.realpath(path)).unlink(missing_ok=True)
        return {BATCH: made}

    stream(engine, wanted.asked, Files(path=path, subtype=wanted.subtype, sidecar_at=sidecar), more=more,
           progress=None if watch is None else watch.block)
    with suppress(OSError):
        failure_path(setup.folder, item).unlink(missing_ok=True)


def batch_part(item: Item, measures: Measures, report: dict[str, Any], *, size: int) -> dict[str, Any]:
    """What a sidecar tells of an item.  Parameters: measures, of its file; report, of its render; size, of the file in bytes."""
    return {
        "key": item.key, "bytes": size, **_identity(item), **measures.as_dict(),
        "flags": flags_of(measures, report),
    }


def flags_of(measures: Measures, report: dict[str, Any]) -> list[str]:
    """What may be wrong with a sound: silent (peak under -80 dB), clipped, dc (over -60 dB), residual (over 1e-10), short (under 0.1 s)."""
    found = {
        "silent": measures.peak < SILENT, "clipped": report["clipped"] > 0, "dc": abs(measures.dc) > LARGEST_DC,
        "residual": report["residual"] > LARGEST_RESIDUAL, "short": measures.frames < SHORTEST * measures.rate,
    }
    return [name for name, is_so in found.items() if is_so]


def failure_path(folder: str | os.PathLike[str], item: Item) -> Path:
    """Where it is told why an item failed."""
    return Path(folder, item.name + FAILURE)


def tell_failure(folder: str | os.PathLike[str], item: Item, error: str) -> None:
    """Write why an item failed beside where it would stand.  Errors: OSError."""
    document = {"key": item.key, **_identity(item), "error": error}
    write_whole(failure_path(folder, item), sidecar_text(document))


def _identity(item: Item) -> dict[str, Any]:
    """What a sidecar has of an item."""
    return {"name": portable_name(item.name), "score": portable_name(item.score),
            "item": item.number, "parameters": dict(item.parameters)}


def complete(folder: str | os.PathLike[str], item: Item) -> dict[str, Any] | None:
    """The sidecar of an item that is there, whole and of its key; None when it is to be made."""
    return whole(folder, item.file, item.key)


def whole(folder: str | os.PathLike[str], file: str, key: str) -> dict[str, Any] | None:
    """The sidecar of a sound that is there, whole and of a key; None when it is not, or when the sidecar tells no row of a manifest."""
    try:
        document = read_sidecar(sidecar_in(folder, file))
        part = document.get(BATCH)
        if not isinstance(part, dict) or part.get("key") != key or any(sidecar_faults(document)):
            return None
        if any(faults(measured(document), SOUND_COLUMNS, needed=SOUND_COLUMNS)):
            return None
        state = os.stat(Path(folder, file))
    except (OSError, DocumentError):
        return None
    return document if stat.S_ISREG(state.st_mode) and state.st_size == part.get("bytes") else None


def sidecar_fault(folder: str | os.PathLike[str], file: str) -> str:
    """What is wrong with the sidecar of a sound; "" for a right one, and where there is none."""
    beside = sidecar_in(folder, file)
    try:
        found = list(sidecar_faults(read_sidecar(beside)))
    except FileNotFoundError:
        return ""
    except (OSError, DocumentError) as error:
        found = [reason_of(error) if isinstance(error, OSError) else str(error)]
    return f"{beside}: {list_faults(found)}" if found else ""


def measured(document: Mapping[str, Any]) -> dict[str, Any]:
    """What a sidecar has of the columns of what is made."""
    part, options, timing = (document.get(name) for name in (BATCH, "options", "timing"))
    known = dict(document)
    for inner in (part, timing):
        known |= inner if isinstance(inner, dict) else {}
    for name in ("rate", "channels"):
        known.pop(name, None)
        if isinstance(options, dict) and name in options:
            known[name] = options[name]
    return {name: known[name] for name in SOUND_COLUMNS if name in known}


def as_made(folder: str | os.PathLike[str], item: Item, document: dict[str, Any]) -> bool:
    """Whether the samples of an item are those that were made.  Parameters: document, its sidecar.  Errors: OSError."""
    try:
        samples, rate, channels = hash_samples(Path(folder, item.file))
    except SoundFileError:
        return False
    options = document.get("options")
    told = options if isinstance(options, dict) else {}
    return samples == document[BATCH].get("samples") and (rate, channels) == (told.get("rate"), told.get("channels"))


def failure_of(folder: str | os.PathLike[str], item: Item) -> str | None:
    """Why an item failed when it was last tried; None when that is not known."""
    return failure_at(folder, item.name, item.key)


def failure_at(folder: str | os.PathLike[str], name: str, key: str) -> str | None:
    """Why the item of a name and a key failed when it was last tried; None when that is not known."""
    try:
        document = read_document(Path(folder, name + FAILURE))
    except (OSError, DocumentError):
        return None
    if any(faults(document, FAILURE_FIELDS, needed=("key", "error"))) or document["key"] != key:
        return None
    return str(document["error"])


def anything_there(folder: str | os.PathLike[str], items: Iterable[Item]) -> bool:
    """Whether any of these items is made, or known to have failed."""
    return any(complete(folder, item) is not None or failure_of(folder, item) is not None for item in items)


def names_of(items: Sequence[str], most: int = 20) -> str:
    """Names in a line: the first ones, and how many more."""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more
