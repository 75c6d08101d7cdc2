"""Where objects of a size are played: points of a bar, a plate or a membrane, and the mode shapes
there."""
from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pysitar.models.definitions.schema import Specification
from pysitar.physics.checks import FloatArray
from pysitar.physics.resonators.resonator import Resonator

DEGREE = math.pi / 180.0


class SizedResonator(Resonator[Any], Protocol):
    """A resonator with the undamped frequencies of its modes."""

    @property
    def frequencies(self) -> FloatArray:
        """Shape (M,), Hz."""


class ResonatorSource(Protocol):
    """A table that describes a resonator."""

    @property
    def written(self) -> Specification:
        """The table of the file."""

    def resonator(self) -> SizedResonator:
        """Return its modes and shapes, computed once.  Errors: ParameterError."""

    def at_pitch(self, hz: float) -> Any:
        """Return the object of another size whose first mode has a frequency (Hz).  Errors:
        ParameterError."""


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """The points of a resonator, by the values of rows.

    Parameters: table, that describes the object; coordinates, the parameters of a row that name a
    point; point, where rows play that name none.
    """

    table: ResonatorSource
    coordinates: tuple[str, ...]
    point: tuple[float, ...]

    @property
    def resonator(self) -> SizedResonator:
        """Its modes and shapes, computed once.  Errors: ParameterError."""
        return self.table.resonator()

    def point_of(self, values: Mapping[str, float]) -> tuple[float, ...]:
        """Return the point that the values of a row name."""
        return tuple(values.get(name, own)
                     for name, own in zip(self.coordinates, self.point, strict=True))

    def shapes(self, point: tuple[float, ...]) -> FloatArray:
        """Return the value of each mode shape at a point, (M,).  Errors: ParameterError."""
        if len(point) == 1:
            return self.resonator.shape(point[0])
        first, second = point
        if "angle" in self.coordinates:
            second *= DEGREE
        return self.resonator.shape((first, second))
