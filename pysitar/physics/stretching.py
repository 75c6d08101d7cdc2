"""A string that is drawn out: how far a force draws it, by what part that raises its tension, and whether the steps of a rate follow."""
from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pysitar.kernels.core import elementary

FOLLOWED = 40e3                 # Hz of the sample rate for each time its own that a tension rises: on two strings at three rates 1 % of
                                # the energy is then off after 50 ms, at twice that rise most of it


@dataclass(frozen=True, slots=True)
class Wire:
    """What carries a string's tension: tension (N), length (m), and stretching stiffness (N per strain)."""

    tension: float
    length: float
    stiffness: float


class Drawn(NamedTuple):          # made for every pluck
    """A string drawn out: how far, by a pluck's height or at most by its force (m), and by what part that would raise its tension."""

    height: float
    rise: float


def drawn_to(wire: Wire, position: float, height: float) -> Drawn:
    """A wire drawn to a triangle of a height (m) at a position (m).

    The triangle is longer than the string by h^2 / (2 x (L - x)) of it, to second order in the slopes.
    """
    arms = position * (wire.length - position)
    return Drawn(height, 0.5 * wire.stiffness * height * height / (arms * wire.tension))


def drawn_by(wire: Wire, position: float, force: float) -> Drawn:
    """A wire drawn by a force (N) at a position (m) to the triangle at which its tension at rest holds the force."""
    return drawn_to(wire, position, force * position * (wire.length - position) / (wire.tension * wire.length))


def tightened(found: Drawn) -> Drawn:
    """A string drawn out by a force that its rising tension holds back: h + r h^3 / h0^2 = h0, h0 and r without that."""
    part = 1.0 / max(1.0, elementary.pow(found.rise, 1.0 / 3.0))          # of h0; Newton from above, where part + rise part^3 is convex
    for _ in range(60):
        step = (part + found.rise * part * part * part - 1.0) / (1.0 + 3.0 * found.rise * part * part)
        part -= step
        if abs(step) <= 1e-12 * part:
            break
    return Drawn(found.height * part, found.rise * part * part)


def not_followed(rise: float, sample_rate: float) -> str:
    """What is wrong where a tension rises by a part of itself, at a sample rate (Hz) whose steps do not follow; "" where they do."""
    if rise <= sample_rate / FOLLOWED:
        return ""
    return (f"its tension rises by {100.0 * rise:.3g} %: the steps of {sample_rate / 1e3:g} kHz cannot follow more than "
            f"{100.0 * sample_rate / FOLLOWED:.3g} %, and the note would be too weak and too low, though its energy balances")
