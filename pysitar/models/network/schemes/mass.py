"""The schemes of one mass against a barrier."""
from __future__ import annotations

from dataclasses import dataclass, replace

from pysitar.kernels.lumped.mass_barrier import SCHEMES as KERNELS
from pysitar.models.network.schemes.base import CORRECTION, POINT, SPRING, Scheme


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class MassScheme(Scheme):
    """A scheme of masses.

    Parameters: kernel, the scheme of the kernel, also that of the default variant;
    corrected_variants, those whose contacts can be corrected; freezing_variants, those that keep
    their auxiliary variable after a contact, without a force.
    """

    kernel: str
    model: str = "lumped"
    space: str = POINT
    corrected_variants: tuple[str, ...] = ()
    freezing_variants: tuple[str, ...] = ()

    def kernel_index(self, variant: str | None) -> int:
        """Return the index of the kernel's scheme; variant (None, "": the default one)."""
        return KERNELS.index(variant or self.kernel)

    def corrects(self, variant: str | None) -> bool:
        """Return whether contacts of a variant (None: the default one) can be corrected."""
        if not self.variants:
            return CORRECTION in self.capabilities
        return (variant or self.kernel) in self.corrected_variants


MASS_TWO_POINT = MassScheme(
    name="two-point",
    doc="a free mass, the contact force between two steps",
    kernel="two-point",
    capabilities=frozenset((CORRECTION,)),
    force_time_offset=0.5,
    shortest_contact=1.0,
    closed_form="two-point",
)
MASS_THREE_POINT = MassScheme(
    name="three-point",
    doc="a free mass, the contact force centred on a step",
    kernel="three-point",
    capabilities=frozenset((CORRECTION,)),
    shortest_contact=2.0,
    closed_form="three-point",
)
ITERATIVE = replace(MASS_THREE_POINT, name="iterative",
                    doc="the three-point scheme, for a mass on a spring as well",
                    capabilities=frozenset((CORRECTION, SPRING)))
EXPLICIT = MassScheme(
    name="explicit",
    doc="a mass, free or on a spring, the contact force of an explicit step",
    kernel="release",
    capabilities=frozenset((SPRING,)),
    variants=("paper", "sign", "release", "midpoint"),
    corrected_variants=("midpoint",),
    freezing_variants=("paper",),
)
