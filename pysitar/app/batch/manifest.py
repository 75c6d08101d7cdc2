"""The manifest of a batch: one row per item, as JSON lines and as CSV, made from the sidecars
alone.

The layout audiofolder adds a metadata.csv for its loader, webdataset a file for each row.
"""
from __future__ import annotations

import csv
import io
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from pysitar.app.batch.columns import FIRST, LAST
from pysitar.app.batch.documents import DocumentError, manifest_lines, parse_row
from pysitar.app.batch.items import Item, Plan
from pysitar.app.batch.layout import (
    AUDIOFOLDER,
    FLAT,
    SHARDED,
    SOUNDS,
    WEBDATASET,
    loaded_name,
    row_path,
)
from pysitar.app.batch.render_item import (
    finished_sidecar,
    item_failure,
    read_failure,
    sidecar_fault,
    sound_columns,
    valid_sidecar,
)
from pysitar.app.batch.schema import REQUIRED, STROKE_COLUMNS
from pysitar.errors import MAX_PROBLEMS
from pysitar.output.file_transaction import FileTransaction
from pysitar.output.files import write_atomically
from pysitar.system.files import local_name, portable_name

STEM = "manifest"
LINES, TABLE = ".jsonl", ".csv"
NOTE = ("pitch", "velocity", "instrument", "split")          # columns for the loader
METADATA = "metadata"          # the name that the loader expects
QUOTE = "'"
QUOTED = ("=", "+", "-", "@", "\t", "\r", QUOTE)  # beginnings that a spreadsheet interprets
MISSING = "not made yet"
NO_BYTE = "backslashreplace"    # bytes of a file name that are not UTF-8 become escapes


@dataclass(slots=True)
class Tally:
    """The state of the items of a plan.

    Parameters: finished, the number of finished items; others, rows of other scores that remain in
    the manifest; failed (errors) and missing, by name; ended, why the batch ended early ("": it did
    not); changed_samples, the names of sounds whose samples had changed; unreadable_lines of the
    manifest; faults, of the first rows that are left out; flags, the number of finished items with
    each flag.
    """

    finished: int = 0
    others: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    ended: str = ""
    changed_samples: list[str] = field(default_factory=list)
    unreadable_lines: int = 0
    faults: list[str] = field(default_factory=list)
    flags: Counter[str] = field(default_factory=Counter)

    def add_fault(self, fault: str) -> None:
        """Store the fault of a row that is left out, for the first 20."""
        if len(self.faults) < MAX_PROBLEMS:
            self.faults.append(fault)


def manifest_stem(plan: Plan) -> str:
    """Return the name of a plan's manifest, without an ending."""
    return STEM + _shard_suffix(plan)


def write_manifest(plan: Plan, folder: str | os.PathLike[str], failed: Mapping[str, str], *,
                   layout: str = FLAT, others: bool = True) -> Tally:
    """Write both files of a manifest, whole or not at all, from the sidecars of a folder.

    Memory grows with the failures alone.
    Parameters: failed, the errors of this run by item name (if the disk was full they have no
    file); layout, as in `BatchOptions`; others, whether existing rows of other
    scores remain.
    Errors: OSError.
    """
    tally = Tally()
    stem = Path(folder, manifest_stem(plan))
    names: dict[str, None] = {}
    with FileTransaction() as transaction:
        lines, table = transaction.place(f"{stem}{LINES}"), transaction.place(f"{stem}{TABLE}")
        with open(lines, "w", encoding="utf-8", errors=NO_BYTE) as file:
            own = _plan_rows(plan, folder, failed, tally)
            for row in _merge_rows(own, plan, folder, tally) if others else own:
                names.update(dict.fromkeys(row["parameters"]))
                file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
        with open(lines, encoding="utf-8") as file, _open_csv(table) as out:
            _write_table(file, out, list(names))
        if layout == AUDIOFOLDER:
            metadata = transaction.place(
                transaction.folder(Path(folder, SOUNDS))
                / f"{METADATA}{_shard_suffix(plan)}{TABLE}")
            with open(lines, encoding="utf-8") as file, _open_csv(metadata) as out:
                _write_metadata(file, out, list(names))
    if layout == WEBDATASET:
        _write_rows(Path(f"{stem}{LINES}"), folder)
    return tally


def manifest_row(item: Item, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a finished item.  Parameters: document, its sidecar."""
    known = {**dict.fromkeys(STROKE_COLUMNS), **sound_columns(document), "error": None}
    return {**_identity_columns(item), **{name: known[name] for name in LAST}}


def cell(value: object) -> str:
    """Return a value as a CSV cell, numbers in full precision.

    An apostrophe precedes a text that a spreadsheet would compute, or that starts with an
    apostrophe.
    """
    if value is None:
        return ""
    if isinstance(value, list):
        value = " ".join(map(str, value))
    if isinstance(value, str):
        return f"{QUOTE}{value}" if value.startswith(QUOTED) else value
    return json.dumps(value)


def _identity_columns(item: Item) -> dict[str, Any]:
    name, file, score = map(portable_name, (item.name, item.file, item.score))
    return {"name": name, "file": file, "score": score, "item": item.number, "seed": item.seed,
            "split": item.split, "parameters": dict(item.parameters)}


def _shard_suffix(plan: Plan) -> str:
    """Return the end of the names of a shard's files."""
    return "" if plan.shards == 1 else f"-{plan.shard}of{plan.shards}"


def _merge_rows(own: Iterator[dict[str, Any]], plan: Plan, folder: str | os.PathLike[str],
                tally: Tally) -> Iterator[dict[str, Any]]:
    """Yield the rows of a plan among those of other scores in the existing manifest.

    They replace the former rows of its scores, else they are at the end.
    """
    stems = {portable_name(series.stem) for series in plan.series}
    path = Path(folder, f"{manifest_stem(plan)}{LINES}")
    with suppress(FileNotFoundError):
        for number, line in manifest_lines(path):
            try:
                row = _parse_manifest_row(line)
            except DocumentError as error:
                tally.unreadable_lines += 1
                tally.add_fault(f"{path}:{number}: {error}; the row is left out")
                continue
            if row["name"].rpartition("-")[0] in stems:
                yield from own
            elif _is_current(row, folder):
                tally.others += 1
                yield row
            elif row["error"] is None and (fault := sidecar_fault(folder, local_name(row["file"]))):
                why = f"its sidecar is wrong ({fault})"
                tally.add_fault(f"{path}:{number}: {why}; the row is left out")
    yield from own


def _parse_manifest_row(line: bytes) -> dict[str, Any]:
    """Return a row of a manifest, with every column.  Errors: DocumentError."""
    row = parse_row(line, (*REQUIRED, "key"))
    first, last = ({name: row.get(name) for name in names} for names in (FIRST, LAST))
    return {**first, "parameters": row["parameters"], **last}


def _is_current(row: Mapping[str, Any], folder: str | os.PathLike[str]) -> bool:
    """Return whether a row of another score is still valid: its sound or its failure exists."""
    if row["key"] is None:
        return False
    if row["error"] is None:
        return valid_sidecar(folder, local_name(row["file"]), row["key"]) is not None
    return read_failure(folder, local_name(row["name"]), row["key"]) is not None


def _open_csv(path: Path) -> TextIO:
    """Open a CSV file for writing."""
    return open(path, "w", encoding="utf-8", errors=NO_BYTE, newline="")


def _plan_rows(plan: Plan, folder: str | os.PathLike[str], failed: Mapping[str, str],
               tally: Tally) -> Iterator[dict[str, Any]]:
    for item in plan.items():
        document = finished_sidecar(folder, item)
        if document is not None:
            tally.finished += 1
            row = manifest_row(item, document)
            tally.flags.update(row["flags"])
            yield row
            continue
        error = failed.get(item.name) or item_failure(folder, item)
        if error is None:
            tally.missing.append(item.name)
        else:
            tally.failed[item.name] = error
        yield {**_identity_columns(item), **dict.fromkeys(LAST), "flags": [],
               "error": error or MISSING, "key": item.key}


def _write_table(rows: Iterator[str], out: io.TextIOBase | Any, parameters: list[str]) -> None:
    """Write rows, JSON lines, as CSV (RFC 4180)."""
    table = csv.writer(out)
    table.writerow([cell(name) for name in (*FIRST, *parameters, *LAST)])
    for line in rows:
        row = json.loads(line)
        values = row["parameters"]
        table.writerow([
            *(cell(row[name]) for name in FIRST), *(cell(values.get(name)) for name in parameters),
            *(cell(row[name]) for name in LAST)])


def _write_metadata(rows: Iterator[str], out: io.TextIOBase | Any, parameters: list[str]) -> None:
    """Write the finished items, one per line, for the audiofolder loader of datasets."""
    table = csv.writer(out)
    table.writerow(["file_name", *(cell(name) for name in (*parameters, *NOTE))])
    for line in rows:
        row = json.loads(line)
        name = loaded_name(row["file"])
        if row["error"] is None and name is not None:
            table.writerow([name, *(cell(row["parameters"].get(name)) for name in parameters),
                            *(cell(row[name]) for name in NOTE)])


def _write_rows(lines: Path, folder: str | os.PathLike[str]) -> None:
    """Write the row of each finished item beside its sound, where it differs from what is there.

    The values of sweeps and draws become columns, as in the CSV.  Errors: OSError.
    """
    with open(lines, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            own, _, _ = row["file"].rpartition("/")
            if row["error"] is not None or own != SHARDED:
                continue
            first, last = ({name: row[name] for name in names} for names in (FIRST, LAST))
            text = json.dumps({**first, **row["parameters"], **last}, ensure_ascii=False,
                              allow_nan=False) + "\n"
            path = row_path(folder, local_name(row["file"]))
            if not path.is_file() or path.read_bytes() != text.encode(errors=NO_BYTE):
                write_atomically(path, text.encode(errors=NO_BYTE))
