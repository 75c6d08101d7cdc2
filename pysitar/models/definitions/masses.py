"""A mass before a barrier as an instrument's file describes it: its keys, and what it takes of a throw that a row leaves open."""
from __future__ import annotations

from dataclasses import asdict, dataclass

from pysitar.models.definitions.parameters import Parameter, Verb, table
from pysitar.physics.contact import HIGHEST_EXPONENT, STIFFEST
from pysitar.physics.lossless_contact import FARTHEST, FASTEST, FASTEST_RATE, HEAVIEST, LIGHTEST, SOFTEST

VARIANTS = ("paper", "sign", "release", "midpoint")          # of the explicit scheme
CORRECTED_VARIANT = "midpoint"                               # the one that gains by a correction
ON_A_SPRING = ("iterative", "explicit")                      # schemes

MASS = table(
    Parameter(name="mass", unit="kg", low=LIGHTEST, high=HEAVIEST, meaning="the mass"),
    Parameter(name="stiffness", unit="N/m^exponent", low=SOFTEST, high=STIFFEST, meaning="the contact stiffness of the barrier"),
    Parameter(name="exponent", low=1.0, high=HIGHEST_EXPONENT, default=1.0, meaning="the power of the penetration in the force"),
    Parameter(name="frequency", unit="Hz", low=0.0, high=FASTEST_RATE, default=0.0,
              meaning="of the mass on a spring that pulls it to 0; 0 is a free mass"),
    Parameter(name="barrier", unit="m", low=-FARTHEST, high=FARTHEST, default=0.0, meaning="where the barrier is, above the mass"),
    Parameter(name="variant", kind="text", choices=VARIANTS,
              meaning="what the explicit scheme does with its auxiliary variable; without this key: release"),
    Parameter(name="corrected", kind="flag", default=False,
              meaning="whether the stiffness of each contact is the one that gives it its exact duration"),
)
VELOCITY = Parameter(name="velocity", alias="v", unit="m/s", low=0.0, high=FASTEST,
                     meaning="how fast the mass is thrown towards the barrier")
GAP = Parameter(name="gap", unit="m", low=0.0, high=FARTHEST, default=0.0,
                meaning="how far before the barrier it is when it is thrown")
THROW = Verb("throw", table(VELOCITY, GAP))
MASS_TABLES = {"throw": THROW.parameters}


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowSpec:
    """How a mass is thrown unless a row says otherwise: velocity towards the barrier (m/s), and gap, how far before it (m)."""

    velocity: float
    gap: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MassSpec:
    """One mass.

    Parameters: name; mass (kg); stiffness (N/m^exponent) and exponent of the barrier; frequency of its spring (Hz, 0: none); barrier,
    where it is (m); variant of the explicit scheme ("": release); corrected, whether the stiffness is; throw.
    """

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
        """What the mass takes where a row does not give a value of a verb, by the names of a row's parameters."""
        return asdict(self.throw) if verb == "throw" else {}
