"""The tables of a drum's snare wires and of its second head."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pysitar.errors import ParameterError
from pysitar.models.definitions.schema import Specification, TableFault, key, keys_of
from pysitar.physics import ranges
from pysitar.physics.parameters import (
    MOST_STRING_CONTACT_DAMPING,
    STIFFEST_STRING_CONTACT,
    check_string_contact,
)
from pysitar.physics.resonators.loaded_membrane import VOLUME
from pysitar.physics.resonators.material import LOSS_FACTOR
from pysitar.physics.resonators.membrane import SURFACE_DENSITY, TENSION
from pysitar.physics.resonators.plate import SIZE
from pysitar.physics.resonators.snare_drum import (
    BAND,
    MOST_POINTS,
    MOST_WIRE_MODES,
    MOST_WIRES,
    SHIFT,
    SNARE_GAP,
    SPREAD,
    WIRE_DENSITY,
    WIRE_TENSION,
    SnareWires,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SnaresSpec(Specification):
    """Snare wires under a head."""

    count: int = key("the number of wires; 0 takes them off", kind="whole", low=0, high=MOST_WIRES)
    length: float = key("the length of each", SIZE)
    tension: float = key("the tension of each", WIRE_TENSION)
    linear_density: float = key("the mass per length of each", WIRE_DENSITY)
    stiffness: float = key("the contact stiffness per metre of a wire", ranges.CONTACT_STIFFNESS,
                           unit="N/m^(1+exponent)")
    exponent: float = key("the power of the compression in the contact's force; 1 is computed "
                          "fastest", ranges.EXPONENT, default=1.0)
    damping: float = key("the Hunt-Crossley damping of the contact", ranges.CONTACT_DAMPING,
                         high=MOST_STRING_CONTACT_DAMPING, default=0.0)
    gap: float = key("from the head at rest to the wires; below 0 they press on it", SNARE_GAP,
                     default=0.0)
    width: float = key("the width of the band of wires, across them", BAND, default=0.0)
    shift: float = key("the middle of the wires from that of the head, along them", SHIFT,
                       default=0.0)
    spread: float = key("how far the tensions differ: across the band they rise from 1 - spread to "
                        "1 + spread times tension", SPREAD, default=0.0)
    decay: float = key("the decay rate of every wave on a wire", ranges.SIGMA0, default=0.0)
    modes: int = key("the modes of each wire", kind="whole", low=1, high=MOST_WIRE_MODES,
                     default=12)
    points: int = key("the points of each wire at which it may touch the head", kind="whole",
                      low=1, high=MOST_POINTS, default=8)

    def wires(self) -> SnareWires:
        """Return the wires of physics.  Errors: ParameterError."""
        return SnareWires(count=self.count, length=self.length, tension=self.tension,
                          linear_density=self.linear_density, stiffness=self.stiffness,
                          exponent=self.exponent, damping=self.damping, gap=self.gap,
                          width=self.width, shift=self.shift, spread=self.spread,
                          decay=self.decay, modes=self.modes, points=self.points)

    def faults_on(self, radius: float) -> Iterator[TableFault]:
        """Yield too stiff a contact, more contact points than there may be, and wires beyond a head
        of a radius (m)."""
        try:
            check_string_contact(STIFFEST_STRING_CONTACT, self.stiffness, self.exponent,
                                 keys_of(SnaresSpec)["stiffness"].unit)
            self.wires().check_on_head(radius)
        except ParameterError as error:
            yield (error.name,), str(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResonantHeadSpec(Specification):
    """The second head of a drum, of the same radius."""

    surface_density: float = key("the mass of the skin per area", SURFACE_DENSITY)
    tension: float = key("the tension: force per length of the edge", TENSION)
    cavity: float = key("the volume of the air between the heads, which couples them", VOLUME)
    loss_factor: float = key("the share of the energy that the skin loses in one radian",
                             LOSS_FACTOR, default=0.0)
    support_decay: float = key("the part of every mode's decay rate that the edge causes",
                               ranges.RATE_OF_DECAY, default=0.0)
    modes: int = key("how many modes it has, from the lowest on", kind="whole", low=1, high=300)
