"""Damp: a finger is laid on the string."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pysitar.gestures.base import Gesture, Player
from pysitar.physics.parameters import Parameter, table

T60 = Parameter(
    name="t60", unit="s", low=0.0, high=100.0, open_low=True, smallest=1e-9, default=0.2, meaning=
    "how fast the finger damps the sound: 60 dB in this time, extrapolated from its decay between "
    "-5 and -35 dB; the "
    "string's own decay adds to a long one, and no finger damps faster than in about 14 periods "
    "of the open string "
    "(0.07 s at 200 Hz, 0.33 s on a bass)")
# by schemes without rows for a finger
DECAY = table(
    replace(
        T60, meaning=
        "how fast the finger damps the sound, all partials alike: 60 dB in this time; the "
        "string's own decay adds to it, and no string is damped in less than about 1.2 of its "
        "periods"))


class Damp(Gesture):
    """A finger that damps the string until the next stroke."""

    name = "damp"
    parameters = table(T60)
    sounds = False
    keeps_hz = False
    stops_notes = True

    def parameters_by(self, capabilities: frozenset[str]) -> Mapping[str, Parameter]:
        return self.parameters if "finger" in capabilities else DECAY

    def begin(self, player: Player, step: int, values: Mapping[str, float],
              curves: Mapping[str, Any]) -> None:
        player.schedule("lay", step, values)


DAMP = Damp()
