"""The pitch bend of a channel during a note, simplified to a curve of few points."""
from __future__ import annotations

import bisect
import math
from collections.abc import Sequence

TOLERANCE = 0.01  # semitones: largest deviation of the curve from the values of the file
HOLD_TIME = 0.05                     # s without a new value: the pitch is held, and then jumps


def bends_between(bends: Sequence[tuple[int, float]], start: int,
                  end: int | None) -> list[tuple[int, float]]:
    """Return the bends (tick, semitones) of a note, at its start and before its end (None: all)."""
    after = bisect.bisect_right(bends, start, key=lambda bend: bend[0])
    last = len(bends) if end is None else bisect.bisect_left(bends, end, lo=after,
                                                             key=lambda bend: bend[0])
    return [(start, bends[after - 1][1] if after else 0.0), *bends[after:last]]


def simplify_curve(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return few points whose connecting lines stay within a cent of all points.

    Parameters: points, (s, semitones), from the start of the note, ordered by time; a value that
    lasts longer than 50 ms is held, and the next one is a jump.
    """
    held: list[tuple[float, float]] = []
    for time, value in points:
        if held and time - held[-1][0] > HOLD_TIME:
            held.append((time, held[-1][1]))
        held.append((time, value))
    kept = [held[0]]
    # slopes of lines from the last kept point that pass within TOLERANCE of all later ones
    low, high = -math.inf, math.inf
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
