"""Fingers that press a string behind its frets: a force downwards, and the resistance of the finger
under it."""
from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pysitar.kernels.core import elementary
from pysitar.models.network.curve import ValueCurve
from pysitar.physics.checks import FloatArray, array_of

FINGERS = 4                     # of a hand, on one string
RAMP = 0.02                     # s in which a finger comes down or lifts
RESISTANCE = 2.0                # kg/s of a finger, all its rows together
# positions of its rows, in widths, so that no mode has nodes at all of them
ROWS = (-0.35, 0.0, 0.35)
BEHIND = 0.012                  # m from a fret to the finger, towards the nut
ROOM = 0.6                      # fraction of the distance to the next fret, if that is less


def finger_position(fret: int, length: float) -> float:
    """Return the position (m from the bridge end) of a finger behind a fret, on a string of a
    length (m)."""
    own, next_one = fret_position(fret, length), fret_position(fret - 1, length)
    return own + min(BEHIND, ROOM * (next_one - own))


def fret_position(fret: int, length: float) -> float:
    """Return the position (m from the bridge end) of a fret on a string of a length (m); fret 0 is
    the nut."""
    return length * elementary.pow(2.0, -fret / 12.0)


def press_steps(held: float, sample_rate: float) -> int:
    """Return the number of steps at a rate (Hz) of a press of a duration (s)."""
    return max(2, round(held * sample_rate))


def fingers_at_once(spans: Iterable[tuple[int, int]]) -> int:
    """Return the largest number of overlapping spans of steps (begin, end), the end not
    included."""
    steps = sorted(
        (time, change) for begin, end in spans for time, change in ((begin, 1), (end, -1)))
    most = count = 0
    for _, change in steps:
        count += change
        most = max(most, count)
    return most


@dataclass(frozen=True, slots=True)
class PressForce:
    """The force of a pressing finger, with its weights on modes (M,).

    Parameters: curve of the force downwards (N), times in s from the start; stop, the step after
    its last; rise, the number of steps in which it comes down and lifts, if the curve does not
    begin or end with 0; sample_rate (Hz); bridge_shape, the weight on a compliant bridge. """

    shape: FloatArray
    start: int
    stop: int
    curve: ValueCurve
    rise: int
    sample_rate: float
    bridge_shape: float = 0.0

    def over(self, now: int, steps: int) -> FloatArray:
        """Return the upward force (N) at the middle of some of its steps (steps,)."""
        first, last = now - self.start, now - self.start + steps
        points = self.curve.points
        length = self.stop - self.start
        if len(points) == 1 and self.rise <= first and last <= length - self.rise:
            return np.full(steps, -points[0].value)
        times = [n + 0.5 for n in range(first, last)]
        values = self.curve.at(time / self.sample_rate for time in times)
        up, down = points[0].value != 0.0, points[-1].value != 0.0
        return array_of([
            -value * (_rise(time / self.rise) if up else 1.0) * (_rise(
                (length - time) / self.rise) if down else 1.0)
            for time, value in zip(times, values, strict=True)
        ])


def _rise(x: float) -> float:
    """Return a raised cosine from 0 at x = 0 to 1 at x = 1, and 1 beyond."""
    return 0.5 * (1.0 - elementary.cos(math.pi * x)) if x < 1.0 else 1.0
