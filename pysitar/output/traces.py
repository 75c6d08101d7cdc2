"""Arrays that are written to an .npz file while they grow, with constant memory and reproducible
bytes."""
from __future__ import annotations

import math
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import numpy as np
import numpy.typing as npt

from pysitar.errors import ParameterError, RenderError
from pysitar.output.files import atomic_replacement, check_target

ENDING = ".npz"
MAX_NAME_LENGTH = 255               # characters of an array name
CHUNK_BYTES = 2**20               # bytes per copy
EPOCH = (1980, 1, 1, 0, 0, 0)           # the date of every entry: the earliest of the zip format
FLOAT = np.dtype("<f8")


@dataclass(slots=True, eq=False)
class _Spool:
    """The rows of one array so far, in an unnamed file, which the system removes when the program
    ends for any reason."""

    file: IO[bytes]
    shape: tuple[int, ...]
    rows: int = field(default=0)


class TraceWriter:
    """Write named arrays of float64, row by row, and texts to an .npz file, whole or not at all.

    Parameters: path, ending in .npz, a new or a regular file. During the writing the folder of the
    file contains every array once, and at the end briefly twice. Errors: ParameterError, or OSError
    as in check_target. """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if os.path.splitext(os.fspath(path))[1].lower() != ENDING:
            raise ParameterError("traces file", os.fspath(path),
                                 f"expected a name that ends in {ENDING}")
        self._folder = check_target(path).parent
        self.path = Path(path)
        self._arrays: dict[str, _Spool] = {}
        self._texts: dict[str, str] = {}
        self._descriptor = -1
        self._files: ExitStack | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(_described_errors(self.path))
            self._descriptor = stack.enter_context(atomic_replacement(self.path))
            self._files = stack.enter_context(ExitStack())
            stack.push(self._finish)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._stack.__exit__(kind, error, trace)

    def add(self, name: str, block: npt.ArrayLike, *, time: float = 0.0) -> None:
        """Append rows to an array.

        Parameters: name, of a new or an existing array; block, real numbers of shape (n, ...),
        where n may be 0 and the rest is the shape of the array's first block; time (s), of the
        block, for errors. Errors: ParameterError; RenderError, with the array's name as voice, for
        NaN or infinity. """
        files = self._open_files()
        rows = _as_rows(name, block)
        spool = self._arrays.get(name)
        if spool is not None and rows.shape[1:] != spool.shape:
            raise ParameterError(name, f"of shape {rows.shape}",
                                 f"expected shape (n, ...) with {spool.shape} for the rest")
        if not np.isfinite(rows).all():
            raise RenderError(name, time, "the trace is not finite (NaN or infinity)")
        if spool is None:
            self._check_new(name)
            file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115  (closed with the rest)
            spool = self._arrays[name] = _Spool(files.enter_context(file), rows.shape[1:])
        with _described_errors(self.path):
            spool.file.write(rows.tobytes())
        spool.rows += len(rows)

    def add_text(self, name: str, text: str) -> None:
        """Add a text, such as the unit of an array; `str(numpy.load(path)[name])` reads it.

        Parameters: name, not used in the file yet; text, without NUL.
        Errors: ParameterError.
        """
        self._open_files()
        if not isinstance(text, str) or "\0" in text:
            raise ParameterError(name, text, "expected text without NUL")
        self._check_new(name)
        self._texts[name] = text

    def _open_files(self) -> ExitStack:
        if self._files is None:
            raise ValueError("a TraceWriter writes inside its with block")
        return self._files

    def _check_new(self, name: str) -> None:
        if not isinstance(name, str) or not 0 < len(
                name) <= MAX_NAME_LENGTH or not name.isprintable() or set(name) & set("/\\"):
            raise ParameterError(
                "trace", name,
                f"expected a name of 1 to {MAX_NAME_LENGTH} printable characters without / and \\")
        if name in self._arrays or name in self._texts:
            raise ParameterError(
                "trace", name, "the file has that name already; expected another name")

    def _finish(self, kind: type[BaseException] | None, error: BaseException | None,
                trace: TracebackType | None) -> None:
        self._files = None
        if kind is not None:
            return
        with (
            open(self._descriptor, "r+b", closefd=False) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive,
        ):
            for name, spool in self._arrays.items():
                with _open_entry(archive, name,
                                 FLOAT.itemsize * spool.rows * math.prod(spool.shape)) as entry:
                    shape = (spool.rows, *spool.shape)
                    np.lib.format.write_array_header_1_0(
                        entry, {"descr": FLOAT.str, "fortran_order": False, "shape": shape})
                    spool.file.seek(0)
                    shutil.copyfileobj(spool.file, entry, CHUNK_BYTES)
                spool.file.close()
            for name, text in self._texts.items():
                with _open_entry(archive, name, 4 * len(text)) as entry:
                    np.lib.format.write_array(entry, np.array(text, dtype=f"<U{max(1, len(text))}"),
                                              allow_pickle=False)


@contextmanager
def _described_errors(path: Path) -> Iterator[None]:
    """Add the file name to an OSError that has none."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno, f"the traces cannot be written: {error.strerror}",
                      str(path)) from error


def _open_entry(archive: zipfile.ZipFile, name: str, size: int) -> IO[bytes]:
    """Open a new entry of the archive for about `size` bytes."""
    entry = zipfile.ZipInfo(f"{name}.npy", EPOCH)
    entry.create_system, entry.external_attr = 3, 0o644 << 16           # Unix, on every system
    return archive.open(entry, "w", force_zip64=size > zipfile.ZIP64_LIMIT - CHUNK_BYTES)


def _as_rows(name: str, block: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return a block as float64, in C order.  Errors: ParameterError."""
    try:
        array = np.asarray(block)
    except ValueError:                      # rows of different lengths
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "fiu" or array.ndim == 0:
        raise ParameterError(name, f"of shape {array.shape} and {array.dtype} values",
                             "expected real numbers of shape (n, ...)")
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, dtype=FLOAT)
