"""Lumped masses: against a barrier, and in contact with a wall."""
import math

import numpy as np

from pysitar.kernels.lumped.mass_barrier import SCHEMES, MassBarrier
from pysitar.kernels.lumped.wall_impact import SCHEMES as WALL_SCHEMES
from pysitar.kernels.lumped.wall_impact import WallImpact

STEPS = 44100
EXACT = 1e-12  # what every benchmark's energy must keep, or it timed something else
# never leaves; bounces; bounces with 3 to 4 samples inside; goes in slowly
PRESSED = {
    "mass": 0.01, "stiffness": 5e3, "frequency": 100.0, "barrier": -0.2, "position": -0.1,
    "velocity": 0.0
}
BOUNCING = {
    "mass": 0.01, "stiffness": 5e4, "frequency": 100.0, "barrier": -0.002, "position": -0.005,
    "velocity": 1.0
}
HARD = BOUNCING | {"stiffness": 5e8}
HEAVY = {
    "mass": 1e3, "stiffness": 1e2, "frequency": 0.0, "barrier": 0.0, "position": 0.1,
    "velocity": 0.0
}
# of the wall
RATE = 44100.0
WALL_STEPS = 20000
GRAVITY = 9.81
MASS = 1e-2
SOFT = 27  # samples a contact in figure 4 of Papetti et al. 2009; the hard ones have 8 and 6


class BarrierCase:
    """A run of STEPS steps from the start, anew at each call."""

    def __init__(self, scheme, exponent, *, frequency, **given) -> None:
        self.given = {
            "scheme": SCHEMES.index(scheme), "exponent": exponent,
            "angular_frequency": 2.0 * math.pi * frequency, "time_step": 1.0 / 44100.0
        } | given
        self.rows = np.empty((3, STEPS))
        self()
        self.inside = float((self.rows[0] > given["barrier"]).mean())
        assert np.ptp(self.rows[2]) <= EXACT * self.rows[2, 0]

    def __call__(self) -> None:
        self.kernel = MassBarrier(**self.given)
        self.kernel.advance(*self.rows)


class WallCase:
    """A mass that swings in its contact under its weight, all but elastically and never off the
    wall: WALL_STEPS steps, anew at each call.

    Parameters: exponent; samples of half a swing.
    """

    def __init__(self, exponent, samples=SOFT, scheme="invariant"):
        self.rest = exponent * GRAVITY / (math.pi * RATE / samples) ** 2
        stiffness = MASS * GRAVITY / math.pow(self.rest, exponent)
        self.kernel = WallImpact(mass=MASS, stiffness=stiffness, exponent=exponent, hysteresis=1e-3,
                                 velocity=0.0, time_step=1.0 / RATE, scheme=WALL_SCHEMES[scheme],
                                 gravity=GRAVITY)
        self.rows = np.empty((4, WALL_STEPS))

    def __call__(self):
        self.kernel.set_state(0.02 * self.rest, 0.0)
        self.kernel.advance(*self.rows)

    def check(self):
        """What was timed is contact, at every step, in the whole range from near 0 to twice the
        rest."""
        x, energy = self.rows[0], self.rows[3]
        assert x.min() > 0.0 and x[:1000].min() < 0.1 * self.rest and x[:1000].max(
        ) > 1.5 * self.rest
        assert np.isfinite(energy).all() and np.diff(energy).max() <= 1e-6 * np.abs(energy).max()
