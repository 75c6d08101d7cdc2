"""The table of what plucks or strikes a string: its noise, and the tip of a plectrum in contact."""
from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Protocol

from pysitar.compared import Compared
from pysitar.errors import ParameterError
from pysitar.gestures.pluck import LONGEST_RELEASE
from pysitar.gestures.strike import (
    HAMMER_DAMPING,
    HAMMER_EXPONENT,
    HAMMER_MASS,
    HAMMER_STIFFNESS,
)
from pysitar.models.definitions.schema import Specification, TableFault, key, key_of
from pysitar.physics.parameters import STIFFEST_HAMMER, check_string_contact

ROWS = 1                        # of a string's network: the contact of the tip
# heavier or softer tips would not follow a ramp of some ms
HEAVIEST = 2e-3                 # kg
SOFTEST = 1e4                   # N/m^exponent
NONE = "none"                   # a pluck is a force


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tip(Compared):
    """The tip of a plectrum, a finger, a nail or a mizrab: a mass (kg) that a hand pushes, in
    contact with the string.

    Parameters: stiffness (N/m^exponent), exponent and damping (s/m) of the contact; edge, the
    radius (m) of the edge over which the string slips off. """

    mass: float
    stiffness: float
    exponent: float
    damping: float
    edge: float

    def slip_time(self, force: float) -> float:
        """Return the time (s) in which the force (N) of a pluck moves the tip over its edge."""
        return _slip_time(self.mass, self.edge, force)


@lru_cache(maxsize=1024)                # one number for all plucks of a force
def _slip_time(mass: float, edge: float, force: float) -> float:
    if force == 0.0:
        return 0.0
    return min(math.sqrt(2.0 * mass * edge / abs(force)), LONGEST_RELEASE)


# a thin plastic one; keratin on a fingertip; flesh; a wire of 1 mm on a fingertip: chosen
TIPS = MappingProxyType({
    "plectrum": Tip(mass=5e-5, stiffness=1e7, exponent=1.5, damping=0.1, edge=3e-4),
    "nail": Tip(mass=1e-4, stiffness=1e7, exponent=1.5, damping=0.3, edge=5e-4),
    "finger": Tip(mass=3e-4, stiffness=1e6, exponent=2.0, damping=2.0, edge=3e-3),
    "mizrab": Tip(mass=1e-4, stiffness=1e8, exponent=1.5, damping=0.1, edge=4e-4),
})
OWN = "; left out: as of its contact"
ABSENT = -1.0                   # of a value that is left out


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PickSpec(Specification):
    """What a plectrum, finger or mallet does beside its force: its noise, how it lets go, and the
    tip that touches the string."""

    noise: float = key(
        "the rms of the noise force at its start, over the greatest force of the pluck, or over 2 "
        "impedance velocity of a strike; it drives the body, or without one the string",
        low=0.0, high=100.0, default=0.0)
    noise_t60: float = key("the time in which the noise falls by 60 dB", unit="s", low=1e-3,
                           high=10.0, default=0.1)
    noise_from: float = key("the frequency above which the noise is white", unit="Hz", low=100.0,
                            high=20000.0, default=2000.0)
    noise_to: float = key("the frequency up to which it is; left out: to the highest", unit="Hz",
                          low=200.0, high=40000.0, absent=0.0)
    sharpening: float = key(
        "how a stronger pluck lets go faster: its release is the default one times (default force "
        "/ force) to this power, where a row does not give it", low=0.0, high=2.0, default=0.0)
    contact: str = key(
        "what touches the string in a pluck, with the values below: a tip that a hand pushes until "
        "the force of the contact is that of the pluck, and the string slips off; none: the pluck "
        "is a force, as it is in schemes without hammers. Where a row gives no release, that is "
        "the time in which the force moves the tip over its edge", kind="text",
        choices=(NONE, *TIPS), default=NONE)
    mass: float = key_of(replace(HAMMER_MASS, alias="", high=HEAVIEST,
                                 meaning="the mass of the tip" + OWN),
                         absent=ABSENT)
    stiffness: float = key_of(replace(HAMMER_STIFFNESS, alias="", low=SOFTEST,
                                      open_low=False, meaning=
                                      "the contact stiffness of the tip" + OWN), absent=ABSENT)
    exponent: float = key_of(replace(HAMMER_EXPONENT, alias="", high=3.0, meaning=
                                     "the power of the penetration in its force" + OWN),
                             absent=ABSENT)
    damping: float = key_of(replace(HAMMER_DAMPING, default=None, meaning=
                                    "the Hunt-Crossley damping of the contact" + OWN),
                            absent=ABSENT)
    edge: float = key("the radius of the edge over which the string slips off, in the release of "
                      "the pluck" + OWN, unit="m", low=0.0, high=0.1,
                      absent=ABSENT)

    @property
    def tip(self) -> Tip | None:
        """The tip; None where a pluck is a force."""
        if self.contact == NONE:
            return None
        tip = TIPS[self.contact]
        own = {name: getattr(self, name) for name in asdict(tip)}
        return replace(tip, **{name: value for name, value in own.items() if value != ABSENT})

    def faults(self, scheme: str) -> Iterator[TableFault]:
        """Yield noise without a band, and a tip that is too stiff for the energy balance."""
        if 0.0 < self.noise_to <= self.noise_from:
            yield ("noise_to",), (f"noise_to is {self.noise_to:g} Hz; expected above noise_from, "
                                  f"{self.noise_from:g} Hz")
        tip = self.tip
        if tip is None:
            return
        try:
            check_string_contact(STIFFEST_HAMMER, tip.stiffness, tip.exponent,
                                 HAMMER_STIFFNESS.unit)
        except ParameterError as error:
            yield ("stiffness",), str(error)


class HasPick(Protocol):
    """What may have the table."""

    @property
    def pick(self) -> PickSpec | None: ...


def tip_of(string: HasPick) -> Tip | None:
    """Return the tip that plucks a string; None where a pluck is a force."""
    return None if string.pick is None else string.pick.tip
