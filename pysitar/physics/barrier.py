"""A barrier under the string: where its points are, how high, how much length each stands for, and its contact law."""
from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np

from pysitar.errors import ParameterError
from pysitar.physics.checks import FloatArray, Numbers, array_of, number, series, whole
from pysitar.physics.contact import ContactLaw
from pysitar.physics.string import String

__all__ = ["Barrier", "ContactLaw", "check_on_string", "parabola"]
MOST_POINTS = 65536


class Barrier:
    """A rigid barrier below the string, spread over [start, end] and met at the midpoints of `points` equal cells.

    Parameters: profile, a function of x (m) that gives the height (m, up positive, 0 = the string at rest);
    0 <= start < end (m); points, 1 or more; law, whose stiffness is per metre (N/m^(1+exponent)).
    Attributes: arrays of shape (points,): positions (m), heights (m), weights (m; the width of a cell), row_stiffness
    (stiffness * weights, N/m^exponent); law; lumped; profile, start, end, points (profile is None unless given).
    Errors: ParameterError.
    Source: van Walstijn & Bridges 2016, eq. (10), section IV-B (x_k = start + (k - 1/2) dx).
    """

    __slots__ = ("end", "heights", "law", "lumped", "points", "positions", "profile", "start", "weights")

    law: ContactLaw
    lumped: bool
    positions: FloatArray
    heights: FloatArray
    weights: FloatArray
    profile: Callable[[float], float] | None
    start: float
    end: float
    points: int

    def __init__(self, *, profile: Callable[[float], float], start: float, end: float, points: int, law: ContactLaw) -> None:
        start = number("start", start, "m", at_least=0.0)
        end = number("end", end, "m", above=start)
        points = whole("points", points, at_least=1, at_most=MOST_POINTS)
        width = (end - start) / points
        positions = [start + (k + 0.5) * width for k in range(points)]
        heights = [number(f"profile({x:.6g} m)", profile(x), "m") for x in positions]
        self._fill(positions, heights, [width] * points, law)
        for name, value in (("profile", profile), ("start", start), ("end", end)):
            object.__setattr__(self, name, value)

    @classmethod
    def at(cls, *, positions: Numbers, heights: Numbers, weights: Numbers, law: ContactLaw) -> Barrier:
        """Return a barrier of given points.

        Parameters: arrays of shape (K,): positions > 0 (m), heights (m), weights > 0 (m; the length each stands for);
        law, whose stiffness is per metre (N/m^(1+exponent)).
        Returns: a Barrier.  Errors: ParameterError.
        """
        x = series("positions", positions, "m", above=0.0)
        y = series("heights", heights, "m", size=x.size)
        w = series("weights", weights, "m", size=x.size, above=0.0)
        barrier = cls.__new__(cls)
        barrier._fill(x.tolist(), y.tolist(), w.tolist(), law)
        return barrier

    @classmethod
    def point(cls, *, position: float, height: float, law: ContactLaw) -> Barrier:
        """Return a barrier that is one point.

        Parameters: position > 0 (m); height (m); law, whose stiffness is that of the point (N/m^exponent).
        Returns: a Barrier with `lumped` true and weight 1.  Errors: ParameterError.
        """
        barrier = cls.__new__(cls)
        barrier._fill([number("position", position, "m", above=0.0)], [number("height", height, "m")], [1.0], law)
        object.__setattr__(barrier, "lumped", True)
        return barrier

    @property
    def row_stiffness(self) -> FloatArray:
        """The stiffness of each point, stiffness * weights, shape (points,), N/m^exponent."""
        return array_of([self.law.stiffness * weight for weight in self.weights.tolist()])

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Barrier is frozen: {name} cannot be set")

    def __repr__(self) -> str:
        return f"Barrier({self.points} points from {self.start:g} to {self.end:g} m, lumped={self.lumped}, {self.law})"

    def _fill(self, positions: list[float], heights: list[float], weights: list[float], law: ContactLaw) -> None:
        if not isinstance(law, ContactLaw):
            raise ParameterError("law", law, "it must be a ContactLaw")
        arrays = {"positions": array_of(positions), "heights": array_of(heights), "weights": array_of(weights)}
        span = {"start": min(positions), "end": max(positions), "points": len(positions)}
        values: dict[str, object] = {"law": law, "lumped": False, "profile": None, **arrays, **span}
        for name, value in values.items():
            object.__setattr__(self, name, value)


def parabola(*, start: float, extent: float, height: float) -> Callable[[float], float]:
    """Return the profile 4 height (x - start)(start + extent - x) / extent^2: 0 at both ends, `height` in the middle.

    Parameters: start >= 0 (m); extent > 0 (m); height (m, of either sign).
    Returns: a function of x (m) -> m.  Errors: ParameterError.
    """
    x0 = number("start", start, "m", at_least=0.0)
    span = number("extent", extent, "m", above=0.0)
    top = number("height", height, "m")

    def profile(x: float) -> float:
        return 4.0 * top * (x - x0) * (x0 + span - x) / (span * span)

    return profile


def check_on_string(barrier: Barrier, string: String) -> None:
    """Raise a ParameterError unless every point of the barrier lies strictly inside the string, 0 < x < length."""
    if not isinstance(barrier, Barrier):
        raise ParameterError("barrier", barrier, "it must be a Barrier")
    outside = np.flatnonzero(~((barrier.positions > 0.0) & (barrier.positions < string.length)))
    if outside.size:
        k = int(outside[0])
        expected = f"it must lie inside the string, between 0 and {string.length:g} m"
        raise ParameterError(f"barrier position[{k}]", float(barrier.positions[k]), expected)
