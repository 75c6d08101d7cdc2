"""Gain and pan of each instrument of a score."""
from __future__ import annotations

from dataclasses import replace

from pysitar.errors import Problem, quoted
from pysitar.rendering.plan import Level
from pysitar.score.document import Score
from pysitar.score.elements import Mix
from pysitar.score.literals import Quantity, si_value
from pysitar.score.tokens import shift_place

LEVEL_UNITS = {"gain": "dB", "pan": ""}                 # of `mix`
HIGHEST_GAIN, LOWEST_GAIN = 100.0, -200.0                # dB


def levels_of(score: Score, problems: list[Problem]) -> dict[str, Level]:
    """Return the level of each instrument: the last `mix` of its gain, and of its pan."""
    levels = {use.name: Level() for use in score.uses}
    for mix in score.mixes:
        if len(mix.target) > 1:
            place = shift_place(mix.target_place, len(mix.target[0]) + 1)
            problems.append(
                Problem(
                    place,
                    f"mix applies to whole instruments; expected {quoted('mix ' + mix.target[0])}"))
            continue
        values = _mix_values(mix, problems)
        for name, level in levels.items():
            if mix.target[0] not in {"*", name}:
                continue
            if "gain" in values:
                level = replace(level, gain=values["gain"], mix=mix.target[0], place=mix.place)
            levels[name] = replace(level, pan=values.get("pan", level.pan))
    return levels


def _mix_values(mix: Mix, problems: list[Problem]) -> dict[str, float]:
    """Return the levels of one `mix`; the parser has checked and reported its names, units and
    pan."""
    values: dict[str, float] = {}
    for name, argument in mix.arguments.items():
        if not isinstance(argument.value, Quantity) or name not in LEVEL_UNITS:
            continue
        try:
            value = si_value(argument.value, LEVEL_UNITS[name])
        except ValueError:
            continue
        if name == "gain" and not LOWEST_GAIN <= value <= HIGHEST_GAIN:
            problems.append(
                Problem(argument.value_place,
                        f"gain is {value:g} dB; expected {LOWEST_GAIN:g} to {HIGHEST_GAIN:g} dB"))
        values[name] = value
    return values
