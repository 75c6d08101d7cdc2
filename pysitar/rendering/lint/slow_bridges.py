"""Strings on bridges at an internal rate at which they are out of tune."""
from __future__ import annotations

from pysitar.errors import Problem
from pysitar.rendering.lint.table import LOWEST_BRIDGE_RATE, CheckedVoice


def slow_bridges(checked: CheckedVoice) -> list[Problem]:
    """Return the warning about the internal rate, at the instrument's `use`."""
    voice, options, _ = checked
    return [Problem(voice.parts[0].place, (
        f"{voice.name} has strings on bridges; at an internal rate of {options.internal_rate} Hz "
        "they sound sharper (at 16000 Hz by 11 cents) and duller; expected "
        f"{LOWEST_BRIDGE_RATE} Hz or more, rate x oversample"))]
