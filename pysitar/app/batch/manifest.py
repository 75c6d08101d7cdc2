"""The manifest of a batch: a row for each item, as JSON lines and as CSV, made from the sidecars alone; and a loader's."""
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
from pysitar.app.batch.layout import SOUNDS, loaded_name
from pysitar.app.batch.render_item import (
    complete,
    failure_at,
    failure_of,
    measured,
    sidecar_fault,
    whole,
)
from pysitar.app.batch.schema import REQUIRED
from pysitar.errors import MAX_PROBLEMS
from pysitar.output.file_transaction import Together
from pysitar.system.names import local_name, portable_name

STEM = "manifest"
LINES, TABLE = ".jsonl", ".csv"
METADATA = "metadata"          # its name is the loader's
QUOTE = "'"
QUOTED = ("=", "+", "-", "@", "\t", "\r", QUOTE)          # what a spreadsheet would compute, and the quote: one taken off is the text again
MISSING = "not made yet"
NO_BYTE = "backslashreplace"    # a byte of a file name that is not UTF-8 becomes an escape


@dataclass(slots=True)
class Tally:
    """How the items of a plan are.

    Parameters: made, how many are; others, how many rows of other scores stay in the manifest;
    failed and missing, by name; ended, why the batch ended early ("": it did not); spoiled,
    the names of those whose samples were not as they had been made; torn, how many lines of the
    manifest could not be read; faults, of the first rows that are left out; flags, how many made
    have each.
    """

    made: int = 0
    others: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    ended: str = ""
    spoiled: list[str] = field(default_factory=list)
    torn: int = 0
    faults: list[str] = field(default_factory=list)
    flags: Counter[str] = field(default_factory=Counter)

    def add_fault(self, fault: str) -> None:
        """Keep what is wrong with a row that is left out, the first 20."""
        if len(self.faults) < MAX_PROBLEMS:
            self.faults.append(fault)


def manifest_stem(plan: Plan) -> str:
    """The name of a plan's manifest, without an ending."""
    return STEM + _part(plan)


def write_manifest(plan: Plan, folder: str | os.PathLike[str], failed: Mapping[str, str], *, audiofolder: bool = False,
                   others: bool = True) -> Tally:
    """Write both files of a manifest, whole or not at all, from what is in a folder; memory grows with the failures alone.

    Parameters: failed, the errors of this run by the names of items: a disk that was full has none; audiofolder, that metadata.csv is
    written with them; others, whether the rows of other scores that are there stay.
    Errors: OSError.
    """
    tally = Tally()
    stem = Path(folder, manifest_stem(plan))
    names: dict[str, None] = {}
    with Together() as together:
        lines, table = together.place(f"{stem}{LINES}"), together.place(f"{stem}{TABLE}")
        with open(lines, "w", encoding="utf-8", errors=NO_BYTE) as file:
            own = _rows(plan, folder, failed, tally)
            for row in _among_others(own, plan, folder, tally) if others else own:
                names.update(dict.fromkeys(row["parameters"]))
                file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
        with open(lines, encoding="utf-8") as file, _table(table) as out:
            _write_table(file, out, list(names))
        if audiofolder:
            metadata = together.place(together.folder(Path(folder, SOUNDS)) / f"{METADATA}{_part(plan)}{TABLE}")
            with open(lines, encoding="utf-8") as file, _table(metadata) as out:
                _write_metadata(file, out, list(names))
    return tally


def row_of(item: Item, document: Mapping[str, Any]) -> dict[str, Any]:
    """The row of an item that is made.  Parameters: document, its sidecar."""
    known = {**measured(document), "error": None}
    return {**_head(item), **{name: known[name] for name in LAST}}


def cell(value: object) -> str:
    """A value as a cell of a table: a number in full precision, a text that a spreadsheet would compute, or that begins with an
    apostrophe, behind one."""
    if value is None:
        return ""
    if isinstance(value, list):
        value = " ".join(map(str, value))
    if isinstance(value, str):
        return f"{QUOTE}{value}" if value.startswith(QUOTED) else value
    return json.dumps(value)


def _head(item: Item) -> dict[str, Any]:
    name, file, score = map(portable_name, (item.name, item.file, item.score))
    return {"name": name, "file": file, "score": score, "item": item.number, "seed": item.seed,
            "parameters": dict(item.parameters)}


def _part(plan: Plan) -> str:
    """What the names of a shard's files end in."""
    return "" if plan.shards == 1 else f"-{plan.shard}of{plan.shards}"


def _among_others(own: Iterator[dict[str, Any]], plan: Plan, folder: str | os.PathLike[str], tally: Tally) -> Iterator[dict[str, Any]]:
    """The rows of a plan where its scores had theirs in the manifest that is there, else at its end, among those of other scores."""
    stems = {portable_name(series.stem) for series in plan.series}
    path = Path(folder, f"{manifest_stem(plan)}{LINES}")
    with suppress(FileNotFoundError):
        for number, line in manifest_lines(path):
            try:
                row = _row(line)
            except DocumentError as error:
                tally.torn += 1
                tally.add_fault(f"{path}:{number}: {error}; the row is left out")
                continue
            if row["name"].rpartition("-")[0] in stems:
                yield from own
            elif _stays(row, folder):
                tally.others += 1
                yield row
            elif row["error"] is None and (fault := sidecar_fault(folder, local_name(row["file"]))):
                why = f"its sidecar is wrong ({fault})"
                tally.add_fault(f"{path}:{number}: {why}; the row is left out")
    yield from own


def _row(line: bytes) -> dict[str, Any]:
    """A row of a manifest, with every column.  Errors: DocumentError."""
    row = parse_row(line, (*REQUIRED, "key"))
    return {**{name: row.get(name) for name in FIRST}, "parameters": row["parameters"], **{name: row.get(name) for name in LAST}}


def _stays(row: Mapping[str, Any], folder: str | os.PathLike[str]) -> bool:
    """Whether a row of another score is still true: its sound is there, or it is known why it failed."""
    if row["key"] is None:
        return False
    if row["error"] is None:
        return whole(folder, local_name(row["file"]), row["key"]) is not None
    return failure_at(folder, local_name(row["name"]), row["key"]) is not None


def _table(path: Path) -> TextIO:
    """A CSV file, open for writing."""
    return open(path, "w", encoding="utf-8", errors=NO_BYTE, newline="")


def _rows(plan: Plan, folder: str | os.PathLike[str], failed: Mapping[str, str], tally: Tally) -> Iterator[dict[str, Any]]:
    for item in plan.items():
        document = complete(folder, item)
        if document is not None:
            tally.made += 1
            row = row_of(item, document)
            tally.flags.update(row["flags"])
            yield row
            continue
        error = failed.get(item.name) or failure_of(folder, item)
        if error is None:
            tally.missing.append(item.name)
        else:
            tally.failed[item.name] = error
        yield {**_head(item), **dict.fromkeys(LAST), "flags": [], "error": error or MISSING, "key": item.key}


def _write_table(rows: Iterator[str], out: io.TextIOBase | Any, parameters: list[str]) -> None:
    """Write rows, JSON lines, as CSV (RFC 4180)."""
    table = csv.writer(out)
    table.writerow([cell(name) for name in (*FIRST, *parameters, *LAST)])
    for line in rows:
        row = json.loads(line)
        values = row["parameters"]
        table.writerow([*(cell(row[name]) for name in FIRST), *(cell(values.get(name)) for name in parameters),
                        *(cell(row[name]) for name in LAST)])


def _write_metadata(rows: Iterator[str], out: io.TextIOBase | Any, parameters: list[str]) -> None:
    """Write what is made, a file and its values a line, as the loader audiofolder of the package datasets reads it."""
    table = csv.writer(out)
    table.writerow(["file_name", *(cell(name) for name in parameters)])
    for line in rows:
        row = json.loads(line)
        name = loaded_name(row["file"])
        if row["error"] is None and name is not None:
            table.writerow([name, *(cell(row["parameters"].get(name)) for name in parameters)])
