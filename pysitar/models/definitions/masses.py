"""The tables of a mass before a barrier."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from pysitar.errors import quoted
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.gestures.throw import GAP, VELOCITY
from pysitar.models.definitions.schema import Specification, TableFault, inner, key, key_of
from pysitar.models.network.schemes.base import SPRING
from pysitar.models.network.schemes.catalogue import (
    MASS_SCHEMES,
    names_with,
    names_with_variants,
)
from pysitar.physics.contact import HIGHEST_EXPONENT, STIFFEST
from pysitar.physics.lossless_contact import (
    FARTHEST,
    FASTEST_RATE,
    HEAVIEST,
    LIGHTEST,
    SOFTEST,
)

MODEL = "lumped"
WITH_VARIANTS = " or ".join(names_with_variants(MODEL))
VARIANTS = tuple(variant for scheme in MASS_SCHEMES.values() for variant in scheme.variants)
DEFAULT_VARIANTS = " or ".join(scheme.kernel for scheme in MASS_SCHEMES.values() if scheme.variants)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThrowSpec(Specification):
    """Default values of a throw."""

    velocity: float = key_of(VELOCITY)
    gap: float = key_of(GAP)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MassSpec(Specification):
    """One mass."""

    name: str
    mass: float = key("the mass", unit="kg", low=LIGHTEST, high=HEAVIEST)
    stiffness: float = key("the contact stiffness of the barrier", unit="N/m^exponent",
                           low=SOFTEST, high=STIFFEST)
    exponent: float = key("the power of the penetration in the force", low=1.0,
                          high=HIGHEST_EXPONENT, default=1.0)
    frequency: float = key(
        "the frequency of the mass on a spring with equilibrium at 0; 0 is a free mass",
        unit="Hz", low=0.0, high=FASTEST_RATE, default=0.0)
    barrier: float = key("the position of the barrier, above the mass", unit="m", low=-FARTHEST,
                         high=FARTHEST, default=0.0)
    variant: str = key(
        f"the treatment of the auxiliary variable of the {WITH_VARIANTS} scheme; the default is "
        f"{DEFAULT_VARIANTS}", kind="text", choices=VARIANTS, absent="")
    corrected: bool = key(
        "whether the stiffness is corrected so that each contact has its exact duration",
        kind="flag", default=False)
    throw: ThrowSpec = inner(ThrowSpec, required=True)

    def default_values(self, verb: str) -> dict[str, float]:
        """Return the default values of a verb's parameters, by name."""
        gesture = BY_MODEL["lumped"].get(verb)
        return asdict(getattr(self, gesture.defaults)) if gesture and gesture.defaults else {}

    def faults(self, scheme: str) -> Iterator[TableFault]:
        """Yield what the scheme does not have."""
        found = MASS_SCHEMES.get(scheme)
        if self.frequency > 0.0 and (found is None or SPRING not in found.capabilities):
            yield ("frequency",), (f"frequency is {self.frequency:g} Hz, and the {scheme} scheme "
                                   f"has no spring; expected 0 Hz, or scheme "
                                   f"{' or '.join(names_with(MODEL, SPRING))}")
        if self.variant and (found is None or not found.variants):
            yield ("variant",), (f"variant is {quoted(self.variant)}, and the {scheme} scheme has "
                                 f"none; expected no variant, or scheme "
                                 f"{' or '.join(names_with_variants(MODEL))}")
        if self.corrected and found is not None and not found.corrects(self.variant):
            known = " or ".join(found.corrected_variants)
            yield ("corrected",), (f"of the {scheme} variants only {known} can be corrected; "
                                   f"expected false, or variant {known}")
