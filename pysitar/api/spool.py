"""Frames kept on a disk until all of them are known."""
from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from pysitar.physics.checks import FloatArray

CHUNK_FRAMES = 16384           # frames read at once


class Spool:
    """Frames of float64 in a file without a name, which the system takes away however the program ends.

    Parameters: beside, a path in whose folder the file is; columns, values of a frame; shown, the name that an error tells.
    Errors: OSError.
    """

    def __init__(self, beside: Path, *, columns: int, shown: str) -> None:
        self.columns, self.shown = columns, shown
        with self._described_errors():
            self._file = tempfile.TemporaryFile(dir=beside.parent)  # noqa: SIM115  (closed by __exit__)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with suppress(OSError):             # what is still to be written to it is not missed
            self._file.close()

    def add(self, frames: FloatArray) -> None:
        """Keep the next frames, (n, columns)."""
        with self._described_errors():
            self._file.write(np.ascontiguousarray(frames).tobytes())

    def frames(self) -> Iterator[FloatArray]:
        """Yield all frames from the first one on, (n, columns)."""
        with self._described_errors():
            self._file.seek(0)
        while data := self._file.read(8 * CHUNK_FRAMES * self.columns):
            yield np.frombuffer(data, dtype=np.float64).reshape(-1, self.columns)

    @contextmanager
    def _described_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = f"the sound cannot be kept until its peak is known: {error.strerror}"
            raise OSError(error.errno, reason, self.shown) from error
