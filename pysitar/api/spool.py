"""Frames stored on disk until all are computed."""
from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from pysitar.physics.checks import FloatArray

CHUNK_FRAMES = 16384           # frames per read


class Spool:
    """Frames of float64 in an unnamed file, which the system removes however the program ends.

    Parameters: beside, a path in the folder of the file; columns, values per frame; shown, the file
    name in error messages.
    Errors: OSError.
    """

    def __init__(self, beside: Path, *, columns: int, shown: str) -> None:
        self.columns, self.shown = columns, shown
        with self._described_errors():
            # closed by __exit__
            self._file = tempfile.TemporaryFile(dir=beside.parent)  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        with suppress(OSError):             # its unwritten data is not needed
            self._file.close()

    def add(self, frames: FloatArray) -> None:
        """Append frames, (n, columns)."""
        with self._described_errors():
            self._file.write(np.ascontiguousarray(frames).tobytes())

    def frames(self) -> Iterator[FloatArray]:
        """Yield all frames from the first one, (n, columns)."""
        with self._described_errors():
            self._file.seek(0)
        while data := self._file.read(8 * CHUNK_FRAMES * self.columns):
            yield np.frombuffer(data, dtype=np.float64).reshape(-1, self.columns)

    @contextmanager
    def _described_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = f"the sound cannot be stored on disk until its peak is known: {error.strerror}"
            raise OSError(error.errno, reason, self.shown) from error
