"""Instruments that a `mix` brings to a loudness and that have no events."""
from __future__ import annotations

from pysitar.errors import Problem, quoted
from pysitar.rendering.lint.table import CheckedScore


def silent_instruments(checked: CheckedScore) -> list[Problem]:
    """Return a warning for each such `mix` of one instrument."""
    silent = {voice.name for voice in checked.voices if not voice.events}
    return [Problem(mix.place, f"{quoted(mix.target[0])} has no events, and silence no loudness; "
                               "expected a row of it, or no loudness")
            for mix in checked.score.mixes
            if "loudness" in mix.arguments and mix.target[0] in silent]
