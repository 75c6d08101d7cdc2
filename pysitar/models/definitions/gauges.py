"""A string by its gauge: the mass and the stiffness of a wire, plain or wound, of a material."""
from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from pysitar.compared import Compared
from pysitar.physics.resonators.material import MATERIALS

STEEL = "steel"                         # the material of a wire that names none
NONE = "none"                           # in place of the material of a winding
WINDINGS = (NONE, *MATERIALS)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wire(Compared):
    """A round wire, or a core with one layer of a round winding, turn by turn.

    Parameters: gauge, the outer diameter (m); material, of the wire or core; core_diameter (m; of a
    plain wire 0 or the gauge); winding, its material. """

    gauge: float
    material: str
    core_diameter: float
    winding: str

    @property
    def core(self) -> float:
        """The diameter (m) of what carries the tension."""
        return self.gauge if self.winding == NONE else self.core_diameter

    @property
    def linear_density(self) -> float:
        """The mass per length (kg/m): that of the core, and of a wire of the winding's diameter w
        whose turns, w apart, are pi (core + w) long."""
        mass = MATERIALS[self.material].density * 0.25 * math.pi * self.core * self.core
        if self.winding == NONE:
            return mass
        w = 0.5 * (self.gauge - self.core)
        return mass + (MATERIALS[self.winding].density * 0.25 * math.pi * math.pi * w
                       * (self.core + w))

    @property
    def bending_stiffness(self) -> float:
        """The bending stiffness (N m^2) of the core: the turns of a winding do not bend with it."""
        d = self.core
        return MATERIALS[self.material].youngs_modulus * math.pi / 64.0 * d * d * d * d

    def faults(self, linear_density: float) -> Iterator[tuple[str, str]]:
        """Yield the key and the message of what is wrong; linear_density (kg/m), of the file."""
        if self.gauge == 0.0:
            if linear_density == 0.0:
                yield "linear_density", ("is missing; expected the mass per length (kg/m), or "
                                         'gauge, such as "0.010in", with a material')
            if self.winding != NONE:
                yield "winding", "a winding needs the outer diameter; expected a gauge"
            elif self.material != STEEL:
                yield "material", (f"{self.material} has no effect without the outer diameter; "
                                   "expected a gauge")
            return
        if linear_density != 0.0:
            yield "linear_density", ("the gauge and its material set it; expected either gauge or "
                                     "linear_density")
        if self.winding != NONE and not 0.0 < self.core_diameter < self.gauge:
            yield "core_diameter", (f"core_diameter is {self.core_diameter:g} m; expected that of "
                                    f"the core in the winding, above 0 and below {self.gauge:g} m")
        if self.winding == NONE and self.core_diameter not in {0.0, self.gauge}:
            yield "core_diameter", (f"core_diameter is {self.core_diameter:g} m in a wire of "
                                    f"{self.gauge:g} m without a winding; expected winding, such "
                                    'as "bronze", or no core_diameter')
