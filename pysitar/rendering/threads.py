"""Threads in which the parts of a score compute their steps side by side: the kernels hold no lock while they do."""
from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import Self, TypeAlias

import numpy as np

from pysitar.physics.checks import FloatArray
from pysitar.score.memory import MemoryShortageError

MOST_JOBS = 1024
Advance: TypeAlias = Callable[[FloatArray], None]
Start: TypeAlias = Callable[[Advance, int], Callable[[], FloatArray]]


class Threads:
    """A number of threads, each begun when it is first needed; with one job all is computed where it is asked for.

    Parameters: jobs, 1 to 1024.
    """

    def __init__(self, jobs: int) -> None:
        self._pool = None if jobs == 1 else ThreadPoolExecutor(jobs, thread_name_prefix="pysitar")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)          # waits for what is being computed, a block at most

    def start(self, advance: Advance, steps: int) -> Callable[[], FloatArray]:
        """Has steps computed; returns what waits for them (steps,), and raises what they raised."""
        if self._pool is None:
            return partial(_compute, advance, steps)
        try:
            return self._pool.submit(_compute, advance, steps).result
        # of the pool: a thread could not be started, for its stack found no memory
        except RuntimeError as error:
            raise MemoryShortageError("another thread needs more memory than there is; expected "
                                      "fewer jobs, or more memory") from error


def _compute(advance: Advance, steps: int) -> FloatArray:
    sound = np.empty(steps)
    advance(sound)
    return sound
