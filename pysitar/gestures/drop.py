"""Drop: a ball falls on an object and bounces."""
from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pysitar.gestures.balls import (
    CONTACT,
    DAMPING,
    GRAVITY,
    IRREGULARITY,
    LOSS_TIME,
    NAMES,
    POINTS,
    RADIUS,
    check_loss,
    check_point,
)
from pysitar.gestures.base import Gesture, Player, Row
from pysitar.gestures.felt import MEMORY, MEMORY_TIME
from pysitar.physics.parameters import Parameter, table

HIGHEST = 100.0  # m: from higher, rest cannot be distinguished from the top of a bounce
HEIGHT = Parameter(
    name="height", alias="h", unit="m", low=0.0, high=HIGHEST,
    meaning="the height over the object from which the ball falls at the event's time")


class Drop(Gesture):
    """A ball that falls from a height (m)."""

    name = "drop"
    model = "impact"
    parameters = table(*NAMES, HEIGHT, *CONTACT, DAMPING, LOSS_TIME, MEMORY, MEMORY_TIME,
                       RADIUS, IRREGULARITY)
    alternatives = POINTS
    defaults = "drop"
    strength = HEIGHT.name
    begins = "hits its object"

    def bind(self, row: Row) -> None:
        check_point(row)
        check_loss(row)

    def sound_delay(self, values: Mapping[str, float], spec: Any) -> float:
        return math.sqrt(2.0 * values[HEIGHT.name] / GRAVITY)

    def impact_speed(self, values: Mapping[str, float]) -> float:
        return math.sqrt(2.0 * GRAVITY * values[HEIGHT.name])

    def begin(self, player: Player, step: int, values: Mapping[str, float],
              curves: Mapping[str, Any]) -> None:
        player.schedule("fall", step, values)


DROP = Drop()
