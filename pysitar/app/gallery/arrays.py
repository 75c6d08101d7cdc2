"""Read the arrays of an .npz file block by block, never the whole file at once."""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from pysitar.physics.checks import FloatArray
from pysitar.system.files import MEGABYTE, open_regular

LARGEST_DIRECTORY = 4 * MEGABYTE        # of the archive: some ten thousand names
LARGEST_UNPACKED = 256 * MEGABYTE       # of all arrays, unless the file itself is larger
MOST_ARRAYS = 4096                      # open at once
ARRAY = ".npy"
METHODS = frozenset((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
ENCRYPTED = 1                           # bit of the flags of a zip entry
MAGIC = b"\x93NUMPY\x01\x00"           # version 1.0: a header of at most 64 kB
HEADER = re.compile(
    rb"\{'descr': '([<>][fiu][48])', 'fortran_order': False, "
    rb"'shape': \(((?:[0-9]{1,15},? ?)*)\), ?\} *\n")
BROKEN = (                              # errors of zipfile for damaged and unknown files
    OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, EOFError, RuntimeError,
    OverflowError, MemoryError, struct.error, zlib.error, zipfile.BadZipFile)


class Array:
    """The rows of one array of real numbers, read in order.

    Attributes: shape, (n, ...), with the number of rows first.
    Errors: one of BROKEN.
    """

    def __init__(self, file: IO[bytes], size: int) -> None:
        start = file.read(len(MAGIC) + 2)
        header = HEADER.fullmatch(file.read(int.from_bytes(start[len(MAGIC) :], "little")))
        if not start.startswith(MAGIC) or header is None:
            raise ValueError("an array is not in NumPy's format; expected real numbers in C order")
        dtype = np.dtype(header[1].decode())
        self.shape: tuple[int, ...] = tuple(map(int, header[2].replace(b",", b" ").split()))
        self._file, self._dtype = file, dtype
        self._row = math.prod(self.shape[1:]) * dtype.itemsize
        if not self.shape or self.shape[0] * self._row != size - file.tell():
            raise ValueError(f"the data of an array do not fit its shape {self.shape}; expected a "
                             "complete file")

    def rows(self, count: int) -> FloatArray:
        """Return the next rows, (count, ...); fewer of them only at the end."""
        parts = []
        missing = count * self._row
        while missing and (part := self._file.read(missing)):
            parts.append(part)
            missing -= len(part)
        values: npt.NDArray[np.generic] = np.frombuffer(b"".join(parts), dtype=self._dtype)
        with np.errstate(invalid="ignore"):
            return values.astype(np.float64).reshape(-1, *self.shape[1:])


class Arrays:
    """The arrays of an open .npz file, by their names.

    Errors: one of BROKEN.
    """

    def __init__(self, archive: zipfile.ZipFile, size: int, stack: ExitStack) -> None:
        self._archive, self._stack = archive, stack
        self._left = max(size, LARGEST_UNPACKED)
        self._open = 0
        self.names = tuple(
            name.removesuffix(ARRAY) for name in archive.namelist() if name.endswith(ARRAY))

    def open(self, name: str) -> Array:
        """Return an array; its header is read already."""
        info = self._archive.getinfo(name + ARRAY)
        if info.compress_type not in METHODS or info.flag_bits & ENCRYPTED:
            raise ValueError(
                f"an array is encrypted, or compressed by method {info.compress_type}; expected "
                "deflate or no compression")
        self._left -= info.file_size
        self._open += 1
        if self._left < 0:
            raise ValueError(f"it unpacks to over {LARGEST_UNPACKED // MEGABYTE} MB; expected less")
        if self._open > MOST_ARRAYS:
            raise ValueError(f"it holds over {MOST_ARRAYS} arrays; expected fewer")
        return Array(self._stack.enter_context(self._archive.open(info)), info.file_size)


class _LimitedReader(io.BufferedReader):
    """A file that refuses single reads larger than the largest directory."""

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(
            LARGEST_DIRECTORY + 1 if size is None or size < 0 else min(size, LARGEST_DIRECTORY + 1))
        if len(data) > LARGEST_DIRECTORY:
            raise ValueError(
                f"its directory is over {LARGEST_DIRECTORY // MEGABYTE} MB; expected less")
        return data


@contextmanager
def open_arrays(path: Path) -> Iterator[Arrays]:
    """Open the arrays of an .npz file; it must be a regular file.  Errors: one of BROKEN."""
    with ExitStack() as stack:
        raw = io.FileIO(open_regular(path), "rb")
        size = raw.seek(0, io.SEEK_END)
        archive = stack.enter_context(zipfile.ZipFile(stack.enter_context(_LimitedReader(raw))))
        yield Arrays(archive, size, stack)
