"""The height of a string pulled to a triangle, the rise of its tension, and the sample rate that
this rise needs."""
from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pysitar.kernels.core import elementary

# sample rate (Hz) per relative rise of the tension: measured on two strings at three rates, 1 % of
# the energy is lost after 50 ms at this rate, and most of it at half the rate
RATE_PER_RISE = 40e3


@dataclass(frozen=True, slots=True)
class Wire:
    """The tension (N), length (m) and axial stiffness (N per strain) of a string."""

    tension: float
    length: float
    stiffness: float


class Stretch(NamedTuple):          # a named tuple: one is created for each pluck
    """The height (m) of a string pulled to a triangle, and the relative rise of its tension."""

    height: float
    rise: float


def stretch_to_height(wire: Wire, position: float, height: float) -> Stretch:
    """Return the stretch of a wire that is pulled to a height (m) at a position (m).

    The strain is h^2 / (2 x (L - x)), to second order in the slopes.
    """
    arms = position * (wire.length - position)
    return Stretch(height, 0.5 * wire.stiffness * height * height / (arms * wire.tension))


def stretch_by_force(wire: Wire, position: float, force: float) -> Stretch:
    """Return the stretch of a wire by a force (N) at a position (m), without the rise of its
    tension."""
    return stretch_to_height(
        wire, position,
        force * position * (wire.length - position) / (wire.tension * wire.length))


def with_rising_tension(stretch: Stretch) -> Stretch:
    """Return the stretch by the same force in equilibrium with the tension that rises.

    The height h solves h + r h^3 / h0^2 = h0, with the height h0 and rise r of `stretch`.
    """
    rise = stretch.rise
    # part = h / h0; Newton from above, where part + rise part^3 is convex
    part = 1.0 / max(1.0, elementary.pow(rise, 1.0 / 3.0))
    for _ in range(60):
        step = (part + rise * part * part * part - 1.0) / (1.0 + 3.0 * rise * part * part)
        part -= step
        if abs(step) <= 1e-12 * part:
            break
    return Stretch(stretch.height * part, rise * part * part)


def tension_rise_fault(rise: float, sample_rate: float) -> str:
    """Return the message for a relative rise of the tension that a sample rate (Hz) cannot follow;
    "" for a smaller rise."""
    if rise <= sample_rate / RATE_PER_RISE:
        return ""
    return (
        f"its tension rises by {100.0 * rise:.3g} %: the steps of {sample_rate / 1e3:g} kHz "
        f"cannot follow more than {100.0 * sample_rate / RATE_PER_RISE:.3g} %, and the note "
        f"would be too weak and too low, though its energy balances"
    )
