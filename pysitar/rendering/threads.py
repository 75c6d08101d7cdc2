"""Threads that compute the parts of a score in parallel: the kernels release the GIL."""
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
    """A pool of threads, each started when it is first needed; with one job, none.

    Parameters: jobs, 1 to 1024.
    """

    def __init__(self, jobs: int) -> None:
        self._pool = None if jobs == 1 else ThreadPoolExecutor(jobs, thread_name_prefix="pysitar")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)          # waits for at most the current block

    def start(self, advance: Advance, steps: int) -> Callable[[], FloatArray]:
        """Start to compute steps; return a function that waits for their samples (steps,), and
        raises their errors."""
        if self._pool is None:
            return partial(_compute, advance, steps)
        try:
            return self._pool.submit(_compute, advance, steps).result
        # the pool could not allocate the stack of a new thread
        except RuntimeError as error:
            raise MemoryShortageError("not enough memory for another thread; expected "
                                      "fewer jobs, or more memory") from error


def _compute(advance: Advance, steps: int) -> FloatArray:
    sound = np.empty(steps)
    advance(sound)
    return sound
