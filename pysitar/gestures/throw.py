"""Throw: a mass flies against its barrier."""
from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pysitar.errors import ParameterError
from pysitar.gestures.base import Gesture, Player
from pysitar.kernels.core import elementary
from pysitar.physics.lossless_contact import FARTHEST, FASTEST, oscillator_orbit
from pysitar.physics.parameters import Parameter, table

VELOCITY = Parameter(name="velocity", alias="v", unit="m/s", low=0.0, high=FASTEST,
                     meaning="the speed of the throw towards the barrier")
GAP = Parameter(name="gap", unit="m", low=0.0, high=FARTHEST, default=0.0,
                meaning="the distance to the barrier at the throw")


class Throw(Gesture):
    """A mass at a distance (m) from its barrier, at a speed (m/s) towards it."""

    name = "throw"
    model = "lumped"
    parameters = table(VELOCITY, GAP)
    defaults = "throw"
    strength = VELOCITY.name
    begins = "hits its barrier"

    def sound_delay(self, values: Mapping[str, float], spec: Any) -> float:
        """Return the time (s) until the mass first reaches its barrier."""
        velocity, gap = values[VELOCITY.name], values[GAP.name]
        if spec.frequency == 0.0:
            return gap / velocity if velocity > 0.0 else math.inf
        omega = 2.0 * math.pi * spec.frequency
        position = spec.barrier - gap
        try:
            orbit = oscillator_orbit(
                mass=spec.mass, stiffness=spec.stiffness, exponent=spec.exponent,
                frequency=spec.frequency, position=position, velocity=velocity,
                barrier=spec.barrier)
        except ParameterError:      # a spring that presses the mass on a barrier below its rest
            return 0.0 if spec.barrier < 0.0 else math.inf
        phase = (-elementary.atan2(orbit.impact_speed / omega, spec.barrier)
                 - elementary.atan2(-velocity / omega, position))
        return float(phase % (2.0 * math.pi) / omega)

    def replaces_earlier(self, values: Mapping[str, float], spec: Any) -> bool:
        return True

    def impact_speed(self, values: Mapping[str, float]) -> float:
        return values[VELOCITY.name]

    def begin(self, player: Player, step: int, values: Mapping[str, float],
              curves: Mapping[str, Any]) -> None:
        player.schedule("fly", step, values)


THROW = Throw()
