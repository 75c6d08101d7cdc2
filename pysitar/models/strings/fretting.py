"""Fingers that press a string behind its frets: a force downwards, and the resistance of the finger
under it."""
from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pysitar.kernels.core import elementary
from pysitar.models.network.curve import ValueCurve
from pysitar.physics.checks import FloatArray
from pysitar.physics.excitation import ramp_release

RESISTANCE = 2.0                # kg/s of a finger, all its rows together
# positions of its rows, in widths, so that no mode has nodes at all of them
ROWS = (-0.35, 0.0, 0.35)
PULL_RELEASE = 0.001            # s in which the string slips off a fingertip


@dataclass(frozen=True, slots=True)
class PressForce:
    """The force of a pressing finger, with its weights on modes (M,).

    Parameters: curve of the force downwards (N), times in s from the start; stop, the step after
    its last; rise, the number of steps in which it comes down and lifts, if the curve does not
    begin or end with 0; sample_rate (Hz); bridge_shape, the weight on a compliant bridge. """

    shape: FloatArray
    start: int
    stop: int
    curve: ValueCurve
    rise: int
    sample_rate: float
    bridge_shape: float = 0.0

    def over(self, now: int, steps: int) -> FloatArray:
        """Return the upward force (N) at the middle of some of its steps (steps,)."""
        first, last = now - self.start, now - self.start + steps
        points = self.curve.points
        length = self.stop - self.start
        if len(points) == 1 and self.rise <= first and last <= length - self.rise:
            return np.full(steps, -points[0].value)
        times = np.arange(first, last, dtype=np.float64) + 0.5
        force = -self.curve.sample(times / self.sample_rate)
        if points[0].value != 0.0:
            force *= _rise(times / self.rise)
        if points[-1].value != 0.0:
            force *= _rise((length - times) / self.rise)
        return force


def pull_off_force(values: Mapping[str, float], sample_rate: float, at: float) -> FloatArray:
    """Return the upward force (N) of a finger that draws the string along as it lifts, until the
    string slips off, (n,); `at` is the fraction of a step at which it is sampled."""
    time_step = 1.0 / sample_rate
    return ramp_release(force=values["pull"], ramp=values["rise"] * time_step,
                        release=PULL_RELEASE, time_step=time_step, at=at)


def _rise(x: FloatArray) -> FloatArray:
    """Return a raised cosine from 0 at x = 0 to 1 at x = 1, and 1 beyond, (n,)."""
    value = 0.5 * (1.0 - elementary.cosines(math.pi * np.minimum(x, 1.0)))
    value[x >= 1.0] = 1.0
    return value
