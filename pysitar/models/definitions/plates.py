"""The table of a rectangular plate."""
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pysitar.models.definitions.resonators import SolidTable, computed
from pysitar.models.definitions.schema import key
from pysitar.models.definitions.surfaces import SizedResonator
from pysitar.physics.resonators.plate import SIZE, THICKNESS
from pysitar.physics.resonators.rectangular_plate import RectangularPlate


@dataclass(frozen=True, slots=True, kw_only=True)
class PlateTable(SolidTable):
    """A rectangular plate."""

    coordinates: ClassVar[tuple[str, ...]] = ("position", "y")

    kind: str = key("a rectangular plate", kind="text", choices=("plate",))
    length: float = key("the length", SIZE)
    width: float = key("the width", SIZE)
    thickness: float = key("the thickness, at most a fifth of the shorter side", THICKNESS)
    support: str = key("how its edges are held", kind="text", choices=("free", "supported"),
                       default="free")
    x: float = key("where it is played by default, along its length", low=0.0, high=1.0,
                   default=0.3)
    y: float = key("and along its width", low=0.0, high=1.0, default=0.4)

    def point(self) -> tuple[float, ...]:
        """Return where rows play that name no point."""
        return self.x, self.y

    def resonator(self) -> SizedResonator:
        """Return its modes and shapes.  Errors: ParameterError."""
        return computed(RectangularPlate, length=self.length, width=self.width,
                        thickness=self.thickness, material=self.solid(), edges=self.support,
                        in_air=self.in_air, support_decay=self.support_decay, **self.limits())
