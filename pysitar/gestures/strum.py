"""Strum: plucks of all strings, or of those of a chord, one after the other."""
from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pysitar.gestures.base import Gesture
from pysitar.gestures.pluck import PLUCK
from pysitar.physics.parameters import Parameter, table

SPREAD = Parameter(name="spread", unit="s", low=0.0, high=10.0, default=0.06,
                   meaning="the time from the first string's pluck to the last one's")
DIRECTION = Parameter(
    name="dir", kind="text", choices=("down", "up"), default="down",
    meaning="down: from the first string of the file to the last; up: from the last to the first")


FRETS = "frets"
STOPPED_BY = Parameter(
    name="by", kind="text", choices=("tension", FRETS), default="tension",
    meaning="how the notes of a chord are stopped: by the tension of the strings, or by fingers "
            "that press them on their frets for the dur of the row")
PRESS_LEAD = 0.03               # s from the fingers' press to the strum


class Strum(Gesture):
    """A pluck of each string, at equal intervals; it has the parameters of a pluck too."""

    name = "strum"
    parameters = table(SPREAD, DIRECTION, STOPPED_BY)
    pitch = "may"
    expands_into = PLUCK.name
    whole_instrument = True

    def expand(self, values: Mapping[str, Any],
               parts: Sequence[str]) -> Iterator[tuple[float, str]]:
        last = max(1, len(parts) - 1)
        upwards = values[DIRECTION.name] == "up"
        for index, name in enumerate(reversed(parts) if upwards else parts):
            yield values[SPREAD.name] * index / last, name

    def loudness_name(self, written: Collection[str]) -> str:
        return PLUCK.loudness_name(written)


STRUM = Strum()
