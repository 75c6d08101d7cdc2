"""Fingers that press a string behind its frets: a force downwards, and the resistance of the finger under it."""
from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pysitar.kernels.core import elementary
from pysitar.models.network.curve import ValueCurve
from pysitar.physics.checks import FloatArray, array_of

FINGERS = 4                     # of a hand, on one string
RAMP = 0.02                     # s in which a finger comes down, or lifts
RESISTANCE = 2.0                # kg/s of a finger, all its rows together
ROWS = (-0.35, 0.0, 0.35)       # of its width: where its rows lie, so that no mode has all of them in nodes
BEHIND = 0.012                  # m that a finger lies behind its fret, on the side of the nut
ROOM = 0.6                      # of the way to the next fret, where that is less


def finger_position(fret: int, length: float) -> float:
    """Where (m from the bridge end) a finger lies that presses a string of a length (m) behind a fret."""
    own, next_one = fret_position(fret, length), fret_position(fret - 1, length)
    return own + min(BEHIND, ROOM * (next_one - own))


def fret_position(fret: int, length: float) -> float:
    """Where (m from the bridge end) a fret is on a string of a length (m); 0 is the nut."""
    return length * elementary.pow(2.0, -fret / 12.0)


def press_steps(held: float, sample_rate: float) -> int:
    """How many steps at a rate (Hz) a finger lies that is held for a time (s)."""
    return max(2, round(held * sample_rate))


def fingers_at_once(spans: Iterable[tuple[int, int]]) -> int:
    """How many of some spans of steps, each (begin, end), there are at one time at most; one that ends makes room for one that begins."""
    steps = sorted((time, change) for begin, end in spans for time, change in ((begin, 1), (end, -1)))
    most = count = 0
    for _, change in steps:
        count += change
        most = max(most, count)
    return most


@dataclass(frozen=True, slots=True)
class PressForce:
    """The force of a finger from a step on, on the shares of it that modes have (M,).

    Parameters: curve of the force downwards (N), times in s from the start; stop, the step after its last; rise, in how many steps
    it comes down and lifts, where the curve does not begin or end with 0; sample_rate (Hz); bridge_shape, of a bridge that gives.
    """

    shape: FloatArray
    start: int
    stop: int
    curve: ValueCurve
    rise: int
    sample_rate: float
    bridge_shape: float = 0.0

    def over(self, now: int, steps: int) -> FloatArray:
        """The force upwards (N) at the middle of some of its steps (steps,)."""
        first, last = now - self.start, now - self.start + steps
        points = self.curve.points
        length = self.stop - self.start
        if len(points) == 1 and self.rise <= first and last <= length - self.rise:
            return np.full(steps, -points[0].value)
        times = [n + 0.5 for n in range(first, last)]
        values = self.curve.at(time / self.sample_rate for time in times)
        up, down = points[0].value != 0.0, points[-1].value != 0.0
        return array_of([-value * (_rise(time / self.rise) if up else 1.0) * (_rise((length - time) / self.rise) if down else 1.0)
                         for time, value in zip(times, values, strict=True)])


def _rise(x: float) -> float:
    """A raised cosine from 0 at 0 to 1 at 1, which holds."""
    return 0.5 * (1.0 - elementary.cos(math.pi * x)) if x < 1.0 else 1.0
