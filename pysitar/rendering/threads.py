"""Threads that compute the parts of a score in parallel: the kernels release the GIL."""
from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

from pysitar.physics.checks import FloatArray
from pysitar.rendering.voice import Advance, compute_steps
from pysitar.score.memory import MemoryShortageError


class Threads:
    """A pool of threads, each started when it is first needed.

    Parameters: jobs, 2 to 1024.
    """

    def __init__(self, jobs: int) -> None:
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="pysitar")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._pool.shutdown(cancel_futures=True)          # waits for at most the current block

    def start(self, advance: Advance, steps: int) -> Callable[[], FloatArray]:
        """Start to compute steps; return a function that waits for their samples (steps,), and
        raises their errors."""
        try:
            return self._pool.submit(compute_steps, advance, steps).result
        # the pool could not allocate the stack of a new thread
        except RuntimeError as error:
            raise MemoryShortageError("not enough memory for another thread; expected "
                                      "fewer jobs, or more memory") from error
