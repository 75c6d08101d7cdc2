"""The collision of a mass with a wall in Chatziioannou & van Walstijn 2017, and the duration of its
contact."""
from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import pysitar
from pysitar.papers.finding import Numbers
from pysitar.papers.style import BLUE, VERMILION
from pysitar.physics.checks import FloatArray

PAPER = "Chatziioannou & van Walstijn 2017"
MASS, SPEED, START, RATE = 1.0, 1.0, -1e-4, 50e3          # kg, m/s, m, Hz: section 2.1
SOFT, HARD, HARDER = 1e9, 1e10, 1e11                      # N/m: figures 3 and 4
# least compression over the starting distance: with the values of the paper a sample lies on the
# wall, apart from rounding
TOUCHING = 1e-12
SCHEMES = ("two-point", "three-point")
LINES: dict[str, dict[str, Any]] = {
    "two-point": {"color": BLUE, "linestyle": "-"},
    "three-point": {"color": VERMILION, "linestyle": "--"}
}
US = 1e6                        # microseconds in a second
# instants within a step at which a contact begins, of a verdict that one instant could change
TRIED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Collision:
    """One collision.  Parameters: stiffness (N/m^exponent); exponent; mass (kg); speed (m/s);
    start, below 0 (m); rate (Hz)."""

    stiffness: float
    exponent: float = 1.0
    mass: float = MASS
    speed: float = SPEED
    start: float = START
    rate: float = RATE

    @property
    def duration(self) -> float:
        """The exact duration of the contact (s)."""
        return pysitar.analytic.lossless_contact_time(mass=self.mass, stiffness=self.stiffness,
                                                      exponent=self.exponent, velocity=self.speed)

    def positions(self, scheme: str, *, corrected: bool = False) -> FloatArray:
        """Return the positions (m) of a scheme, one per step, until the mass is far from the
        wall."""
        steps = 12 + math.ceil(self.rate *
                               (2.0 * abs(self.start) / self.speed + 1.5 * self.duration))
        run = pysitar.mass_barrier(mass=self.mass, stiffness=self.stiffness, exponent=self.exponent,
                                   sample_rate=self.rate, steps=steps, position=self.start,
                                   velocity=self.speed, scheme=scheme, corrected=corrected)
        return run.position

    def samples_inside(self, positions: FloatArray) -> int:
        """Return the number of positions inside the wall."""
        return int(np.count_nonzero(positions > TOUCHING * abs(self.start)))

    def delay(self, positions: FloatArray) -> float:
        """Return the duration of the contact (s): the time between the two straight lines of the
        flight before and after it, which is exact for the exact motion."""
        last = float(positions[-1])
        return ((positions.size - 1) / self.rate + last / self.output_speed(positions)
                + self.start / self.speed)

    def output_speed(self, positions: FloatArray) -> float:
        """Return the speed (m/s) of the mass after the contact."""
        return float(positions[-2] - positions[-1]) * self.rate

    def exact(self, times: FloatArray) -> FloatArray:
        """Return the exact positions (m) at times (s), for exponent 1."""
        return pysitar.analytic.lossless_motion(times, mass=self.mass, stiffness=self.stiffness,
                                                position=self.start, velocity=self.speed)[0]


def phases(collision: Collision, count: int) -> list[Collision]:
    """Return a collision that begins at `count` instants within a step, three to four steps before
    the wall."""
    step_length = collision.speed / collision.rate
    return [
        replace(collision, start=-(3.0 + (index + 0.5) / count) * step_length)
        for index in range(count)
    ]


def try_entries(collision: Collision, scheme: str) -> Numbers:
    """Return the least and the greatest duration (us) and number of samples inside the wall, over
    TRIED instants within a step at which the contact can begin."""
    runs = [(one, one.positions(scheme)) for one in phases(collision, TRIED)]
    durations = [US * one.delay(positions) for one, positions in runs]
    inside = [one.samples_inside(positions) for one, positions in runs]
    return {
        "least_us": min(durations), "greatest_us": max(durations), "fewest_inside": min(inside),
        "most_inside": max(inside)
    }


def greatest_error(collision: Collision, scheme: str) -> float:
    """Return the greatest relative error of the corrected duration, over the instants within a step
    at which the contact can begin."""
    return max(
        abs(one.delay(one.positions(scheme, corrected=True)) / one.duration - 1.0)
        for one in phases(collision, 256))
