"""A value that changes during an event: a curve through points."""
from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pysitar.kernels.core import elementary
from pysitar.physics.checks import FloatArray, array_of


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of a curve.

    Parameters: time from the event's start (s); value; shape of the segment that ends at it: lin,
    cos, exp, step or pow; exponent, of pow. """

    time: float
    value: float
    shape: str = "lin"
    exponent: float = 1.0


@dataclass(frozen=True, slots=True)
class ValueCurve:
    """Points in order of time; two at the same time are a jump; the first and last values hold
    outside.

    Parameters: points, one or more; the values on both sides of an exp are of one sign.
    """

    points: tuple[CurvePoint, ...]

    def at(self, times: Iterable[float]) -> list[float]:
        """The values at times (s)."""
        starts = [point.time for point in self.points]
        first, last = self.points[0], self.points[-1]
        values = []
        for time in times:
            after = bisect_right(starts, time)
            if 0 < after < len(starts):
                begin = starts[after - 1]
                values.append(
                    _between(self.points[after - 1].value, self.points[after], (time - begin) /
                             (starts[after] - begin)))
            else:
                values.append(last.value if after else first.value)
        return values

    def sample(self, times: FloatArray) -> FloatArray:
        """The values at times (n,), s, in order."""
        if len(self.points) == 1:
            return np.full(times.size, self.points[0].value)
        return array_of(self.at(times.tolist()))

    @property
    def zero_from(self) -> float:
        """The time (s) from which the value stays 0; infinite without one."""
        time = math.inf
        for point in reversed(self.points):
            if point.value != 0.0:
                return time
            time = point.time
        return 0.0


def progress_at(x: float, shape: str, exponent: float = 1.0) -> float:
    """Return the progress, 0 to 1, of a segment at a fraction x of its time, by its shape: lin,
    cos, step or pow."""
    if shape == "lin":
        return x
    if shape == "step":
        return 0.0
    if shape == "cos":
        return 0.5 * (1.0 - elementary.cos(math.pi * x))
    return elementary.pow(x, exponent)


def _between(value: float, point: CurvePoint, x: float) -> float:
    """Return the value at a fraction x, 0 to 1, of the segment that ends at a point."""
    if point.shape == "step":
        return value
    if point.shape == "exp":
        return value * elementary.pow(point.value / value, x)
    return value + (point.value - value) * progress_at(x, point.shape, point.exponent)
