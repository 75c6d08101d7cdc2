"""Two ways of doing the same, timed in turn: the ratio of their minima, which a noisy machine moves
least."""
from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass

ROUNDS = 15


@dataclass(frozen=True)
class Ratio:
    """Minima of two callables in s, and how many times longer the first took."""

    first: float
    second: float

    @property
    def value(self) -> float:
        return self.first / self.second


def ratio(
    first: Callable[[], object],
    second: Callable[[], object],
    rounds: int = ROUNDS,
    *,
    clock: Callable[[], float] = time.thread_time,
) -> Ratio:
    """Run two callables in turn, `rounds` times after one warm-up each, and return their minima by
    a clock (s)."""
    best = [float("inf"), float("inf")]
    ways = (first, second)
    for way in ways:
        way()
    gc.disable()
    try:
        for _ in range(max(rounds, ROUNDS)):
            for i, way in enumerate(ways):
                start = clock()
                way()
                best[i] = min(best[i], clock() - start)
    finally:
        gc.enable()
    return Ratio(*best)
