"""A string drawn to a triangle: its height, the rise of its tension, and whether a sample rate is
high enough for that rise."""
from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pysitar.kernels.core import elementary

# Hz of the sample rate per relative rise of the tension: measured on two strings at three rates, 1
# % of the energy is lost after 50 ms at this rate, most of it at half the rate
RATE_PER_RISE = 40e3


@dataclass(frozen=True, slots=True)
class Wire:
    """The wire of a string: tension (N), length (m), and axial stiffness (N per strain)."""

    tension: float
    length: float
    stiffness: float


class Stretch(NamedTuple):          # made for every pluck
    """A string drawn to a triangle: height (m), and rise of its tension, relative to the
    tension."""

    height: float
    rise: float


def stretch_to_height(wire: Wire, position: float, height: float) -> Stretch:
    """Return the stretch of a wire by a triangle of a height (m) at a position (m).

    The strain is h^2 / (2 x (L - x)), to second order in the slopes.
    """
    arms = position * (wire.length - position)
    return Stretch(height, 0.5 * wire.stiffness * height * height / (arms * wire.tension))


def stretch_by_force(wire: Wire, position: float, force: float) -> Stretch:
    """Return the stretch of a wire by a force (N) at a position (m), in balance with the tension at
    rest."""
    return stretch_to_height(
        wire, position,
        force * position * (wire.length - position) / (wire.tension * wire.length))


def with_rising_tension(found: Stretch) -> Stretch:
    """Return the stretch by the same force in balance with the risen tension: h + r h^3 / h0^2 =
    h0, with h0 and r of `found`."""
    # of h0; Newton from above, where part + rise part^3 is convex
    part = 1.0 / max(1.0, elementary.pow(found.rise, 1.0 / 3.0))
    for _ in range(60):
        step = (part + found.rise * part * part * part - 1.0) / (1.0
                                                                 + 3.0 * found.rise * part * part)
        part -= step
        if abs(step) <= 1e-12 * part:
            break
    return Stretch(found.height * part, found.rise * part * part)


def tension_rise_fault(rise: float, sample_rate: float) -> str:
    """Return the message for a relative rise of the tension too large for a sample rate (Hz); "" if
    it is not."""
    if rise <= sample_rate / RATE_PER_RISE:
        return ""
    return (
        f"its tension rises by {100.0 * rise:.3g} %: the steps of {sample_rate / 1e3:g} kHz "
        f"cannot follow more than "
        f"{100.0 * sample_rate / RATE_PER_RISE:.3g} %, and the note would be too weak and too "
        f"low, though its energy balances"
    )
