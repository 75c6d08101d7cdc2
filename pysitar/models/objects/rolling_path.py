"""The path of a rolling ball in a score: its position on a rough surface, and the height there, at
each step."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate

import numpy as np

from pysitar.errors import RenderError
from pysitar.gestures.balls import GRAVITY
from pysitar.kernels.core import elementary
from pysitar.models.network.curve import ValueCurve
from pysitar.models.objects.rolling import SLOWING, Speed
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.draws import uniforms
from pysitar.physics.surface import Surface

TRACK = 2.0                     # m, the largest period of a surface
MOST_WAVES = 2**14              # in a period


class RollingPath:
    """The path of one ball.

    Parameters: values of a roll, SI; speed, its course in m/s (None: from values, slowed down);
    start, the step at which it begins; sample_rate (Hz); seed; surface, the name from which the
    random surface is drawn; draw_name, the name from which the initial place on the track is drawn.
    """

    def __init__(
        self,
        values: Mapping[str, float],
        *,
        speed: ValueCurve | None,
        start: int,
        sample_rate: float,
        seed: int,
        surface: str,
        draw_name: str,
    ) -> None:
        self._start, self._rate = start, sample_rate
        self._velocity, self._slowing = values["velocity"], SLOWING * values["resistance"] * GRAVITY
        self._speed_curve = speed
        self._speed = Speed(self._velocity, self._slowing)
        self._surface: Surface | None = None
        self._place = 0.0
        self._brake: tuple[int, int] | None = None          # first step, and their number
        if values["roughness"] > 0.0:
            self._surface = followed_surface(values["roughness"], values["shortest"],
                                             values["longest"], values["beta"], values["radius"],
                                             seed, surface)
            draw, = uniforms(seed=seed, name=draw_name, count=1)
            self._place = math.floor(draw * self._surface.heights.size) * self._surface.spacing

    @property
    def is_flat(self) -> bool:
        """Whether the surface has no roughness."""
        return self._surface is None

    @property
    def height(self) -> float:
        """The height of the surface at the ball, m."""
        return float(self._heights(array_of([self._place]))[0])

    @property
    def stands_at(self) -> float:
        """The step from which the ball stands; infinite if nothing slows it."""
        if self._speed_curve is not None:
            time = self._speed_curve.zero_from
            return self._start + math.ceil(time * self._rate) if time < math.inf else math.inf
        if self._velocity == 0.0:
            return self._start
        return self._start + math.ceil(self._velocity / self._slowing
                                       * self._rate) if self._slowing > 0.0 else math.inf

    def heights(self, step: int, steps: int) -> FloatArray:
        """Advance the ball from a step, the one after the last call, and return the height (m) at
        the end of each step (steps,)."""
        if self._speed_curve is None:
            speeds = self._speed.middles(step - self._start, steps, self._rate)
        else:
            speeds = self._speed_curve.at([(step - self._start + n + 0.5) / self._rate
                                           for n in range(steps)])
        speeds = self._slowed(step, speeds)
        dt = 1.0 / self._rate
        places = list(accumulate([dt * v for v in speeds], initial=self._place))
        self._place = places[-1]
        return self._heights(array_of(places[1:]))

    def brake(self, step: int, steps: int) -> None:
        """Let the ball stand some steps after a step."""
        self._brake = step, steps

    def _slowed(self, step: int, speeds: list[float]) -> list[float]:
        """Return the speeds (m/s) of the steps from a step on, with those of the brake."""
        if self._brake is None:
            return speeds
        begin, length = self._brake
        return [0.5 * speed * (1.0 + elementary.cos(math.pi * min(max((step + n + 0.5 - begin)
                                                                       / length, 0.0), 1.0)))
                for n, speed in enumerate(speeds)]

    def _heights(self, places: FloatArray) -> FloatArray:
        return np.zeros(places.size) if self._surface is None else self._surface.at(places)


@lru_cache(maxsize=8)
def followed_surface(rms: float, shortest: float, longest: float, beta: float, radius: float,
                     seed: int, name: str) -> Surface:
    """Return the envelope of the rough surface of a name for a ball of a radius (m); the rest as in
    `Surface.rough`."""
    repeats = 1
    while 2 * repeats * longest <= TRACK and 2 * repeats * longest <= MOST_WAVES * shortest:
        repeats *= 2
    return Surface.rough(rms=rms, shortest=shortest, longest=longest, beta=beta,
                         length=repeats * longest, seed=seed, name=name).followed(radius)


def explain_balance(error: RenderError, paths: Sequence[RollingPath]) -> RenderError:
    """Return the error of an energy balance; it says so where a ball rolls on a flat surface."""
    if not any(path.is_flat for path in paths):
        return error
    return RenderError(error.voice, error.time,
                       f"a ball rolls on a flat surface, and all motion is rounding: "
                       f"{error.reason}; expected a roughness, roughness=5um")
