"""Loudspeaker cabinets: a cone on its suspension and the air of its box, and where the cone breaks
up."""
from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from pysitar.physics.filters import Section, high_pass, low_pass

# the keys of an instrument for what is behind its pickups
CIRCUIT = ("pickup_resonance", "pickup_q", "tone", "cabinet")
# q of the second filter of the upper limit: with it alone there would be no hill
STEADY = 0.7071067811865476


@dataclass(frozen=True, slots=True, kw_only=True)
class Cabinet:
    """Loudspeakers in a box.

    Below its resonance a closed box falls by 12 dB an octave, as a filter of second order (Small
    1972); the cone moves as one piece up to its break-up, a hill above which the sound falls by
    24 dB an octave. Parameters: resonance and breakup (Hz), their q. """

    resonance: float
    resonance_q: float
    breakup: float
    breakup_q: float

    def sections(self, rate: float) -> list[Section]:
        """Return its filters at a sample rate (Hz), over twice the break-up."""
        return [high_pass(self.resonance, self.resonance_q, rate),
                low_pass(self.breakup, self.breakup_q, rate),
                low_pass(self.breakup, STEADY, rate)]


# four cones of 10 in in a closed box; one of 12 in: typical values, chosen
CABINETS = MappingProxyType({
    "bass": Cabinet(resonance=65.0, resonance_q=0.9, breakup=2500.0, breakup_q=2.0),
    "guitar": Cabinet(resonance=105.0, resonance_q=1.2, breakup=3200.0, breakup_q=3.0),
})
