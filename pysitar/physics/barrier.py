"""A barrier under the string: positions, heights and lengths of its points, and its contact law."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from pysitar.errors import ParameterError
from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray, Numbers, array_of, function, number, whole
from pysitar.physics.contact import ContactLaw
from pysitar.physics.string import String

__all__ = ["Barrier", "ContactLaw", "Parabola", "check_on_string", "parabola"]
MOST_POINTS = 65536
SHORTEST = ranges.BARRIER_EXTENT.low


class Barrier:
    """A rigid barrier below the string, with contact points at the midpoints of equal cells.

    Parameters
    ----------
    profile : callable
        Function of x (m) that returns the height (m, up positive, 0 = the string at rest),
        -1000 to 1000.
    start, end : float
        Ends of the barrier (m): start 0 to 1000, end at least 1e-6 beyond it, at most 1000.
    points : int
        Number of equal cells over [start, end], 1 to 65536.
    law : ContactLaw
        Its stiffness is per metre (N/m^(1+exponent)).

    Attributes
    ----------
    positions, heights, weights : numpy.ndarray
        Shape (points,), m; a weight is the width of a cell.
    row_stiffness : numpy.ndarray
        stiffness * weights, shape (points,), N/m^exponent.
    law, lumped, profile, start, end, points
        profile is None unless the barrier was built from one; lumped is True for `Barrier.point`.

    Raises
    ------
    ParameterError
        For a wrong argument, or a height out of its range.

    References
    ----------
    van Walstijn & Bridges 2016, eq. (10), section IV-B (x_k = start + (k - 1/2) dx).

    Examples
    --------
    >>> import pysitar
    >>> law = pysitar.ContactLaw(stiffness=1e8)
    >>> barrier = pysitar.Barrier(profile=lambda x: 0.0, start=0.0, end=0.5, points=2, law=law)
    >>> barrier.positions.tolist()
    [0.125, 0.375]
    """

    __slots__ = ("end", "heights", "law", "lumped", "points", "positions", "profile", "start",
                 "weights")

    law: ContactLaw
    lumped: bool
    positions: FloatArray
    heights: FloatArray
    weights: FloatArray
    profile: Callable[[float], float] | None
    start: float
    end: float
    points: int

    def __init__(self, *, profile: Callable[[float], float], start: float, end: float, points: int,
                 law: ContactLaw) -> None:
        function("profile", profile, "the height (m)")
        start = ranges.BARRIER_START.number("start", start)
        end = number("end", end, "m", at_least=max(start + SHORTEST,
                                                   math.nextafter(start, math.inf)),
                     at_most=ranges.LENGTH.high)
        points = whole("points", points, at_least=1, at_most=MOST_POINTS)
        width = (end - start) / points
        positions = [start + (k + 0.5) * width for k in range(points)]
        heights = ranges.DISPLACEMENT.at("profile", profile, positions)
        self._fill(positions, heights, [width] * points, law)
        for name, value in (("profile", profile), ("start", start), ("end", end)):
            object.__setattr__(self, name, value)

    @classmethod
    def at(cls, *, positions: Numbers, heights: Numbers, weights: Numbers,
           law: ContactLaw) -> Barrier:
        """Return a barrier with the listed points.

        Parameters
        ----------
        positions : array_like
            Shape (K,), above 0 to 1000 (m).
        heights : array_like
            Shape (K,), -1000 to 1000 (m).
        weights : array_like
            Shape (K,), 1e-12 to 1000 (m): the length that each point stands for.
        law : ContactLaw
            Its stiffness is per metre (N/m^(1+exponent)).

        Returns
        -------
        Barrier

        Raises
        ------
        ParameterError
            For a value out of its range, or arrays of different sizes.

        Examples
        --------
        >>> import pysitar
        >>> law = pysitar.ContactLaw(stiffness=1e8)
        >>> pysitar.Barrier.at(positions=[0.1], heights=[0.0], weights=[0.1], law=law).points
        1
        """
        x = ranges.BARRIER_POSITION.series("positions", positions)
        y = ranges.DISPLACEMENT.series("heights", heights, size=x.size)
        w = ranges.BARRIER_WEIGHT.series("weights", weights, size=x.size)
        barrier = cls.__new__(cls)
        barrier._fill(x.tolist(), y.tolist(), w.tolist(), law)
        return barrier

    @classmethod
    def point(cls, *, position: float, height: float, law: ContactLaw) -> Barrier:
        """Return a barrier that is one point.

        Parameters
        ----------
        position : float
            Above 0 to 1000 (m).
        height : float
            -1000 to 1000 (m).
        law : ContactLaw
            Its stiffness is that of the point (N/m^exponent).

        Returns
        -------
        Barrier
            With `lumped` true and weight 1.

        Raises
        ------
        ParameterError
            For a value out of its range.

        Examples
        --------
        >>> import pysitar
        >>> law = pysitar.ContactLaw(stiffness=1e5)
        >>> pysitar.Barrier.point(position=0.3, height=0.0, law=law).lumped
        True
        """
        barrier = cls.__new__(cls)
        barrier._fill([ranges.BARRIER_POSITION.number("position", position)],
                      [ranges.DISPLACEMENT.number("height", height)], [1.0], law)
        object.__setattr__(barrier, "lumped", True)
        return barrier

    @property
    def row_stiffness(self) -> FloatArray:
        """The stiffness of each point, stiffness * weights.

        Returns
        -------
        numpy.ndarray
            Shape (points,), N/m^exponent.
        """
        return array_of([self.law.stiffness * weight for weight in self.weights.tolist()])

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Barrier is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Barrier is frozen: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        return self._values() == other._values() if isinstance(other, Barrier) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._values())

    def __copy__(self) -> Barrier:
        return self

    def __deepcopy__(self, memo: object) -> Barrier:
        return self

    def __getstate__(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}

    def __setstate__(self, state: dict[str, object]) -> None:
        for name, value in state.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)         # a pickle forgets it
            object.__setattr__(self, name, value)

    def _values(self) -> tuple[object, ...]:
        """Return the values by which two barriers are compared."""
        arrays = (tuple(array.tolist()) for array in (self.positions, self.heights, self.weights))
        return (self.law, self.lumped, self.profile, self.start, self.end, *arrays)

    def __repr__(self) -> str:
        return (f"Barrier({self.points} points from {self.start:g} to {self.end:g} m, "
                f"lumped={self.lumped}, {self.law})")

    def _fill(self, positions: list[float], heights: list[float], weights: list[float],
              law: ContactLaw) -> None:
        if not isinstance(law, ContactLaw):
            raise ParameterError("law", law, "expected a ContactLaw")
        arrays = {
            "positions": array_of(positions), "heights": array_of(heights),
            "weights": array_of(weights)
        }
        span = {"start": min(positions), "end": max(positions), "points": len(positions)}
        values: dict[str, object] = {"law": law, "lumped": False, "profile": None, **arrays, **span}
        for name, value in values.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Parabola:
    """The profile 4 height (x - start)(start + extent - x) / extent^2 (m) as a function of x (m).

    It is 0 at both ends and `height` in the middle.

    Parameters: start, 0 to 1000 (m); extent, 1e-6 to 1000 (m); height, -1000 to 1000 (m).
    Errors: ParameterError.
    """

    start: float
    extent: float
    height: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", ranges.BARRIER_START.number("start", self.start))
        object.__setattr__(self, "extent", ranges.BARRIER_EXTENT.number("extent", self.extent))
        object.__setattr__(self, "height", ranges.DISPLACEMENT.number("height", self.height))

    def __call__(self, x: float) -> float:
        return 4.0 * self.height * (x - self.start) * (self.start + self.extent
                                                       - x) / (self.extent * self.extent)


def parabola(*, start: float, extent: float, height: float) -> Parabola:
    """Return the profile 4 height (x - start)(start + extent - x) / extent^2, a function of x (m).

    Parameters
    ----------
    start : float
        0 to 1000 (m).
    extent : float
        Length of the parabola, 1e-6 to 1000 (m).
    height : float
        Height in the middle, -1000 to 1000 (m); both ends are at 0.

    Returns
    -------
    Parabola
        A function of x (m) that returns the height (m), for `Barrier`.

    Raises
    ------
    ParameterError
        For a value out of its range.

    Examples
    --------
    >>> import pysitar
    >>> pysitar.parabola(start=0.0, extent=1.0, height=0.25)(0.5)
    0.25
    """
    return Parabola(start=start, extent=extent, height=height)


def check_on_string(barrier: Barrier, string: String) -> None:
    """Raise a ParameterError unless every point of the barrier lies strictly inside the string, 0 <
    x < length."""
    if not isinstance(barrier, Barrier):
        raise ParameterError("barrier", barrier, "expected a Barrier")
    outside = np.flatnonzero(~((barrier.positions > 0.0) & (barrier.positions < string.length)))
    if outside.size:
        k = int(outside[0])
        expected = f"expected a point on the string, between 0 and {string.length:g} m"
        raise ParameterError(f"barrier position[{k}]", float(barrier.positions[k]), expected)
