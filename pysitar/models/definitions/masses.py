"""Specification of a mass before a barrier: keys of instrument files, and default values of a
throw."""
from __future__ import annotations

from dataclasses import asdict, dataclass

from pysitar.models.definitions.parameters import Parameter, Verb, table
from pysitar.physics.contact import HIGHEST_EXPONENT, STIFFEST
from pysitar.physics.lossless_contact import (
    FARTHEST,
    FASTEST,
    FASTEST_RATE,
    HEAVIEST,
    LIGHTEST,
    SOFTEST,
)

VARIANTS = ("paper", "sign", "release", "midpoint")          # of the explicit scheme
CORRECTED_VARIANT = "midpoint"                               # the only one with a correction
ON_A_SPRING = ("iterative", "explicit")                      # schemes

MASS = table(
    Parameter(name="mass", unit="kg", low=LIGHTEST, high=HEAVIEST, meaning="the mass"),
    Parameter(name="stiffness", unit="N/m^exponent", low=SOFTEST, high=STIFFEST,
              meaning="the contact stiffness of the barrier"),
    Parameter(name="exponent", low=1.0, high=HIGHEST_EXPONENT, default=1.0,
              meaning="the power of the penetration in the force"),
    Parameter(
        name="frequency", unit="Hz", low=0.0, high=FASTEST_RATE, default=0.0,
        meaning="the frequency of the mass on a spring with equilibrium at 0; 0 is a free mass"),
    Parameter(name="barrier", unit="m", low=-FARTHEST, high=FARTHEST, default=0.0,
              meaning="the position of the barrier, above the mass"),
    Parameter(
        name="variant", kind="text", choices=VARIANTS, meaning=
        "the treatment of the auxiliary variable of the explicit scheme; the default is release"),
    Parameter(
        name="corrected", kind="flag", default=False,
        meaning="whether the stiffness is corrected so that each contact has its exact duration"),
)
VELOCITY = Parameter(name="velocity", alias="v", unit="m/s", low=0.0, high=FASTEST,
                     meaning="the speed of the throw towards the barrier")
GAP = Parameter(name="gap", unit="m", low=0.0, high=FARTHEST, default=0.0,
                meaning="the distance to the barrier at the throw")
THROW = Verb("throw", table(VELOCITY, GAP))
MASS_TABLES = {"throw": THROW.parameters}


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowSpec:
    """Default values of a throw: velocity towards the barrier (m/s), and gap, the distance to it
    (m)."""

    velocity: float
    gap: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MassSpec:
    """One mass.

    Parameters: name; mass (kg); stiffness (N/m^exponent) and exponent of the barrier; frequency of
    its spring (Hz, 0: none); barrier, its position (m); variant of the explicit scheme ("":
    release); corrected, whether the stiffness is; throw. """

    name: str
    mass: float
    stiffness: float
    exponent: float
    frequency: float
    barrier: float
    variant: str
    corrected: bool
    throw: ThrowSpec

    def default_values(self, verb: str) -> dict[str, float]:
        """Return the default values of a verb's parameters, by name."""
        return asdict(self.throw) if verb == "throw" else {}
