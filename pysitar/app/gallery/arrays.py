"""The arrays of an .npz file, read block by block: it is never in memory as a whole."""

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
from pysitar.system.reading import MEGABYTE, open_regular

LARGEST_DIRECTORY = 4 * MEGABYTE  # of the archive: some ten thousand names
LARGEST_UNPACKED = 256 * MEGABYTE  # of a file that is smaller than that
MOST_ARRAYS = 4096  # read together
ARRAY = ".npy"
METHODS = frozenset((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
ENCRYPTED = 1  # the bit of a zip entry's flags
# how an array begins: version 1.0, whose header is at most 64 kB, and real numbers row by row
MAGIC = b"\x93NUMPY\x01\x00"
HEADER = re.compile(
    rb"\{'descr': '([<>][fiu][48])', 'fortran_order': False, "
    rb"'shape': \(((?:[0-9]{1,15},? ?)*)\), ?\} *\n"
)
# what zipfile raises for a file that is damaged, or of a kind that they do not know
BROKEN = (
    OSError,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    EOFError,
    RuntimeError,
    OverflowError,
    MemoryError,
    struct.error,
    zlib.error,
    zipfile.BadZipFile,
)


class Array:
    """The rows of one array of real numbers, read in order.

    Attributes: shape, (n, ...), its first number how many rows there are.
    Errors: one of BROKEN.
    """

    def __init__(self, file: IO[bytes], size: int) -> None:
        start = file.read(len(MAGIC) + 2)
        header = HEADER.fullmatch(file.read(int.from_bytes(start[len(MAGIC) :], "little")))
        if not start.startswith(MAGIC) or header is None:
            raise ValueError("an array is not of real numbers, or not as NumPy writes it")
        dtype = np.dtype(header[1].decode())
        self.shape: tuple[int, ...] = tuple(map(int, header[2].replace(b",", b" ").split()))
        self._file, self._dtype = file, dtype
        self._row = math.prod(self.shape[1:]) * dtype.itemsize
        if not self.shape or self.shape[0] * self._row != size - file.tell():
            raise ValueError(f"an array of the shape {self.shape} has another number of bytes")

    def rows(self, count: int) -> FloatArray:
        """Return the next rows, (count, ...); fewer of them only at the end."""
        parts = []
        wanted = count * self._row
        while wanted and (part := self._file.read(wanted)):
            parts.append(part)
            wanted -= len(part)
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
            name.removesuffix(ARRAY) for name in archive.namelist() if name.endswith(ARRAY)
        )

    def open(self, name: str) -> Array:
        """Return an array, its header read."""
        info = self._archive.getinfo(name + ARRAY)
        if info.compress_type not in METHODS or info.flag_bits & ENCRYPTED:
            raise ValueError(
                f"an array is encrypted, or compressed by the method {info.compress_type}"
            )
        self._left -= info.file_size
        self._open += 1
        if self._left < 0:
            raise ValueError(f"it unpacks to over {LARGEST_UNPACKED // MEGABYTE} MB")
        if self._open > MOST_ARRAYS:
            raise ValueError(f"there are over {MOST_ARRAYS} arrays in it")
        return Array(self._stack.enter_context(self._archive.open(info)), info.file_size)


class _LimitedReader(io.BufferedReader):
    """A file whose single reads are at most as large as the largest directory."""

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(
            LARGEST_DIRECTORY + 1 if size is None or size < 0 else min(size, LARGEST_DIRECTORY + 1)
        )
        if len(data) > LARGEST_DIRECTORY:
            raise ValueError(f"its directory is over {LARGEST_DIRECTORY // MEGABYTE} MB")
        return data


@contextmanager
def open_arrays(path: Path) -> Iterator[Arrays]:
    """The arrays of an .npz file that is a regular one.  Errors: one of BROKEN."""
    with ExitStack() as stack:
        raw = io.FileIO(open_regular(path), "rb")
        size = raw.seek(0, io.SEEK_END)
        archive = stack.enter_context(zipfile.ZipFile(stack.enter_context(_LimitedReader(raw))))
        yield Arrays(archive, size, stack)
