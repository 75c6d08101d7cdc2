"""Two ways of doing the same, timed in turn: the median of the quotients of neighbours, which a
machine that does other things as well moves least: what disturbs one disturbs the other."""
from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

ROUNDS = 15


@dataclass(frozen=True)
class Ratio:
    """Minima of two callables in s, and how many times longer the first takes."""

    first: float
    second: float
    value: float


def ratio(
    first: Callable[[], object],
    second: Callable[[], object],
    rounds: int = ROUNDS,
    *,
    clock: Callable[[], float] = time.thread_time,
) -> Ratio:
    """Run two callables in turn, `rounds` times after one warm-up each, by a clock (s)."""
    times: tuple[list[float], list[float]] = [], []
    ways = (first, second)
    for way in ways:
        way()
    gc.disable()
    try:
        for _ in range(max(rounds, ROUNDS)):
            for i, way in enumerate(ways):
                start = clock()
                way()
                times[i].append(clock() - start)
    finally:
        gc.enable()
    return Ratio(min(times[0]), min(times[1]), median(a / b for a, b in zip(*times, strict=True)))
