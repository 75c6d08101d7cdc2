"""The manifest as a Parquet file, for data frames and query engines (extra `parquet`)."""
from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pysitar.app.batch.columns import FIRST, LAST
from pysitar.app.batch.schema import ROW
from pysitar.output.file_transaction import FileTransaction

PARQUET = ".parquet"
TEXTS = ("flags",)              # columns whose values are lists of texts


def check_pyarrow() -> str:
    """Return why pyarrow cannot be imported ("": it can)."""
    try:
        import pyarrow.parquet  # noqa: F401  checked first
    except ImportError as error:
        return str(error)
    return ""


def write_parquet(folder: str | os.PathLike[str], stem: str) -> None:
    """Write the manifest `stem`.jsonl of a folder as `stem`.parquet, whole or not at all.

    A column of a sweep or draw whose values are not all numbers is one of texts.
    Errors: OSError.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    source = Path(folder, f"{stem}.jsonl")
    with open(source, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    varied = dict.fromkeys(name for row in rows for name in row["parameters"])
    arrays = [_fixed(pa, name, [row[name] for row in rows]) for name in FIRST]
    arrays += [_varied(pa, [row["parameters"].get(name) for row in rows]) for name in varied]
    arrays += [_fixed(pa, name, [row[name] for row in rows]) for name in LAST]
    table = pa.Table.from_arrays(arrays, names=[*FIRST, *varied, *LAST])
    with FileTransaction() as transaction:
        pq.write_table(table, transaction.place(source.with_suffix(PARQUET)))


def _fixed(pa: Any, name: str, values: Sequence[Any]) -> Any:
    """Return a fixed column, whose type does not depend on its values."""
    if name in TEXTS:
        return pa.array(values, type=pa.list_(pa.string()))
    fits = ROW[name].fits
    if fits("text"):
        kind = pa.string()
    elif fits(True):
        kind = pa.bool_()
    elif fits(1.5):
        kind = pa.float64()
    else:
        kind = pa.int64() if not fits("0" * 64) else pa.string()
    return pa.array(values, type=kind)


def _varied(pa: Any, values: Sequence[Any]) -> Any:
    """Return the column of a sweep or draw."""
    if all(value is None or isinstance(value, int | float) for value in values):
        return pa.array([None if value is None else float(value) for value in values],
                             type=pa.float64())
    texts = [None if value is None else str(value) for value in values]
    return pa.array(texts, type=pa.string())
