"""What plates of every outline share: ranges, thinness, and how their modes decay."""
from __future__ import annotations

import math
from dataclasses import dataclass

from pysitar.errors import ParameterError
from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray, flag
from pysitar.physics.ranges import Range
from pysitar.physics.resonators.losses import (
    checked_decay_rates,
    decay_by_material,
    decay_of_plate_in_air,
)
from pysitar.physics.resonators.material import Material, checked_material

SIZE = Range(unit="m", low=1e-3, high=100.0)
THICKNESS = Range(unit="m", low=1e-6, high=1.0)
THICKEST = 0.2                  # of the shortest side or radius: there shear counts


@dataclass(frozen=True, kw_only=True, slots=True)
class Sheet:
    """A plate's material and thickness, and what takes its energy.

    Parameters: thickness (m); material; in_air, whether it radiates; support_decay (1/s), of every
    mode; shortest (m), its shortest side or radius. Errors: ParameterError. """

    thickness: float
    material: Material
    in_air: bool
    support_decay: float
    shortest: float

    def __post_init__(self) -> None:
        thickness = THICKNESS.number("thickness", self.thickness)
        if thickness > THICKEST * self.shortest:
            raise ParameterError("thickness", thickness, (
                f"expected at most {THICKEST * self.shortest:g} m, a fifth of the shortest side "
                f"or radius: thicker plates also shear"))
        checked_material(self.material)
        flag("in_air", self.in_air)
        ranges.RATE_OF_DECAY.number("support_decay", self.support_decay)

    @property
    def surface_density(self) -> float:
        """Density times thickness, kg/m^2."""
        return self.material.density * self.thickness

    @property
    def speed(self) -> float:
        """sqrt(D / (rho h)), m^2/s: the angular frequency is this times the wave number squared."""
        return math.sqrt(self.material.plate_stiffness(self.thickness) / self.surface_density)

    def decay_rates(self, omegas: list[float], *, area: float, perimeter: float) -> FloatArray:
        """Return the decay rates (1/s) of modes of angular frequencies omegas (rad/s).  Errors:
        ParameterError: one does not oscillate."""
        stiffness = self.material.plate_stiffness(self.thickness)
        rates = []
        for omega in omegas:
            rate = self.support_decay + decay_by_material(self.material.loss_factor, omega)
            if self.in_air:
                rate += decay_of_plate_in_air(omega, surface_density=self.surface_density,
                                              stiffness=stiffness, area=area, perimeter=perimeter)
            rates.append(rate)
        return checked_decay_rates(rates, omegas)
