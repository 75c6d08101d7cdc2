"""Fret: the string is tuned to another pitch."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pysitar.gestures.base import Gesture
from pysitar.gestures.pluck import GLIDE
from pysitar.physics.parameters import table


class Fret(Gesture):
    """A glide to a pitch, without a new stroke."""

    name = "fret"
    parameters = table(GLIDE)
    needs = frozenset(("pitch",))
    pitch = "must"
    number_hint = "expected a pitch, such as fret ga or fret +{number}st; press has fret={number}"
    sounds = False

    def sound_delay(self, values: Mapping[str, float], spec: Any) -> None:
        """Return None: its glide comes before it."""


FRET = Fret()
