"""The table of a body that lies on a string."""
from __future__ import annotations

from dataclasses import dataclass, replace

from pysitar.gestures.strike import (
    HAMMER_DAMPING,
    HAMMER_EXPONENT,
    HAMMER_MASS,
    HAMMER_STIFFNESS,
    STRUCK,
)
from pysitar.models.definitions.schema import Specification, key, key_of

ROWS = 2                                # of its network
FARTHEST = 1.0                          # m


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RattleSpec(Specification):
    """A nut, a ring or a screw on the string, which lies there and hops when the string moves."""

    position: float = key_of(replace(STRUCK, alias="", meaning="where it lies, from the bridge"))
    mass: float = key_of(replace(HAMMER_MASS, alias="", meaning="its mass"))
    travel: float = key(
        "how far it can rise from the string until its lower side touches the string: the play of "
        "a ring around it, or far for a body that only lies on it", unit="m", low=0.0,
        high=FARTHEST, smallest=1e-6, default=2e-3)
    stiffness: float = key_of(replace(HAMMER_STIFFNESS, alias="", default=1e7,
                                      meaning="the contact stiffness between it and the string"))
    exponent: float = key_of(replace(HAMMER_EXPONENT, alias="", default=1.5, meaning=
                                     "the power of the penetration in its force"))
    damping: float = key_of(replace(HAMMER_DAMPING, meaning=
                                    "the Hunt-Crossley damping of the contact: higher values end "
                                    "its hops sooner"))
