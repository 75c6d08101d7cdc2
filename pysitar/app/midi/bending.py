"""A channel's pitch bend while a note sounds, as a curve of few points."""
from __future__ import annotations

import bisect
import math
from collections.abc import Sequence

TOLERANCE = 0.01                     # semitones: how far the curve may be from the file's values
HOLD_TIME = 0.05                     # s without a new value: the pitch stood still, and then jumped


def bends_between(bends: Sequence[tuple[int, float]], start: int, end: int | None) -> list[tuple[int, float]]:
    """The bend (tick, semitones) that holds at a note's start, and those that come before its end (None: all that come)."""
    after = bisect.bisect_right(bends, start, key=lambda bend: bend[0])
    last = len(bends) if end is None else bisect.bisect_left(bends, end, lo=after, key=lambda bend: bend[0])
    return [(start, bends[after - 1][1] if after else 0.0), *bends[after:last]]


def simplify_curve(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points between which straight lines stay within a cent of all that are given.

    Parameters: points, (s, semitones), from the note's start, in order of time; values that stand for longer than 50 ms are held, and
    the next one is a jump.
    """
    held: list[tuple[float, float]] = []
    for time, value in points:
        if held and time - held[-1][0] > HOLD_TIME:
            held.append((time, held[-1][1]))
        held.append((time, value))
    kept = [held[0]]
    low, high = -math.inf, math.inf             # slopes of the lines from the last point kept that pass near all points since
    before = held[0]
    for time, value in held[1:]:
        width, rise = time - kept[-1][0], value - kept[-1][1]
        if width <= 0.0 or not low <= rise / width <= high:
            if before != kept[-1]:
                kept.append(before)
            low, high = -math.inf, math.inf
            width, rise = time - kept[-1][0], value - kept[-1][1]
        if width <= 0.0:                        # a jump
            kept.append((time, value))
        else:
            low, high = max(low, (rise - TOLERANCE) / width), min(high, (rise + TOLERANCE) / width)
        before = (time, value)
    if before != kept[-1]:
        kept.append(before)
    return kept
