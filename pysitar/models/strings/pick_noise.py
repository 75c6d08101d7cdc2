"""The noise of plectra, fingers and mallets: a burst of force on the body, or on the string of an
instrument without one."""
from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from pysitar.models.definitions.picks import PickSpec
from pysitar.models.network.agenda import Push
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.excitation import noise_burst
from pysitar.physics.string import String


class PickNoise:
    """The bursts of noise of one string.

    Parameters: spec, with noise; width (m), of the instrument's own pluck: the noise of one w times
    as wide is 1/w; string; sample_rate, internal (Hz); seed, of the score; name, of the voice and
    string: each burst is drawn from the seed, the name and its step; in_string, whether it acts on
    the string instead of the body. """

    def __init__(self, spec: PickSpec, *, width: float, string: String, sample_rate: float,
                 seed: int, name: str, in_string: bool) -> None:
        self._spec, self._sample_rate, self._in_string = spec, sample_rate, in_string
        self._width = width
        self._seed, self._name = seed, name
        # the force for a speed of 1 m/s of a string that is struck, N s/m
        self._impedance = 2.0 * math.sqrt(string.tension * string.linear_density)
        self._bursts: list[Push] = []

    def start(self, values: Mapping[str, float], step: int, delay: int,
              force: FloatArray) -> FloatArray:
        """Start the noise of a pluck or strike; return the force on the string, with the noise if
        that acts on it.

        Parameters: values, of the event; step, at which the force on the string (N) begins; delay,
        steps from there to the noise.
        """
        burst = self._burst(values, step + delay)
        if self._in_string:
            return _add_noise(force, burst, delay)
        if burst.size:
            self._bursts.append(Push(array_of([]), step + delay, burst))
        return force

    def _burst(self, values: Mapping[str, float], start: int) -> FloatArray:
        """Return the noise force (N) of a pluck, from its release on, or of a strike."""
        spec = self._spec
        force = values.get("force")
        if force is None:
            force = self._impedance * values["velocity"] if "velocity" in values else 0.0
        elif self._width > 0.0:
            force *= self._width / max(values["width"], self._width)
        return noise_burst(level=spec.noise * abs(force), t60=spec.noise_t60,
                           lowest=spec.noise_from, highest=spec.noise_to,
                           sample_rate=self._sample_rate, seed=self._seed,
                           name=f"pick:{self._name}:{start}")

    @property
    def waiting(self) -> bool:
        """Whether a burst is not over."""
        return bool(self._bursts)

    def add_to(self, force: FloatArray, now: int, weight: float) -> None:
        """Add the bursts, times a weight, to a force (n,), N, whose first step is `now`."""
        stop = now + force.size
        for burst in self._bursts:
            begin, end = max(burst.start, now), min(burst.stop, stop)
            if begin < end:
                force[begin - now:end - now] += weight * burst.over(begin, end - begin)

    def drop_before(self, step: int) -> None:
        """Drop the bursts that end before a step."""
        self._bursts = [burst for burst in self._bursts if burst.stop > step]


def _add_noise(force: FloatArray, noise: FloatArray, start: int) -> FloatArray:
    """Return a force with a noise that begins at its step `start`."""
    total = np.zeros(max(force.size, start + noise.size) if noise.size else force.size)
    total[:force.size] += force
    total[start:start + noise.size] += noise
    return total
