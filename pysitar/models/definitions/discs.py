"""The table of a circular plate."""
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pysitar.models.definitions.resonators import SolidTable, computed
from pysitar.models.definitions.schema import key
from pysitar.models.definitions.surfaces import SizedResonator
from pysitar.physics.resonators.circular_plate import CircularPlate
from pysitar.physics.resonators.plate import SIZE, THICKNESS


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscTable(SolidTable):
    """A circular plate."""

    coordinates: ClassVar[tuple[str, ...]] = ("r", "angle")

    kind: str = key("a circular plate", kind="text", choices=("disc",))
    radius: float = key("the radius", SIZE)
    thickness: float = key("the thickness, at most a fifth of the radius", THICKNESS)
    support: str = key("how its edge is held", kind="text",
                       choices=("free", "supported", "clamped"), default="free")
    r: float = key("where it is played by default, from the middle, in radii", low=0.0, high=1.0,
                   default=0.6)
    angle: float = key("and in which direction", unit="deg", low=-360.0, high=360.0, default=0.0)

    def point(self) -> tuple[float, ...]:
        """Return where rows play that name no point."""
        return self.r, self.angle

    def resonator(self) -> SizedResonator:
        """Return its modes and shapes.  Errors: ParameterError."""
        return computed(CircularPlate, radius=self.radius, thickness=self.thickness,
                        material=self.solid(), edge=self.support, in_air=self.in_air,
                        support_decay=self.support_decay, **self.limits())
