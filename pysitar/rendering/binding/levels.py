"""How loud and where each instrument of a score is."""
from __future__ import annotations

from dataclasses import replace

from pysitar.errors import Problem, quoted
from pysitar.rendering.plan import Level
from pysitar.score.document import Score
from pysitar.score.elements import Mix
from pysitar.score.literals import Quantity, si_value
from pysitar.score.tokens import shift_place

LEVEL_UNITS = {"gain": "dB", "pan": ""}                 # of `mix`
LOUDEST_MIX, SOFTEST_MIX = 100.0, -200.0                # dB


def levels_of(score: Score, problems: list[Problem]) -> dict[str, Level]:
    """The level of each instrument; the last `mix` that gives its gain or pan holds."""
    levels = {use.name: Level() for use in score.uses}
    for mix in score.mixes:
        if len(mix.target) > 1:
            place = shift_place(mix.target_place, len(mix.target[0]) + 1)
            problems.append(Problem(place, f"mix works on whole instruments; expected {quoted('mix ' + mix.target[0])}"))
            continue
        given = _mixed(mix, problems)
        for name, level in levels.items():
            if mix.target[0] not in {"*", name}:
                continue
            if "gain" in given:
                level = replace(level, gain=given["gain"], mix=mix.target[0], place=mix.place)
            levels[name] = replace(level, pan=given.get("pan", level.pan))
    return levels


def _mixed(mix: Mix, problems: list[Problem]) -> dict[str, float]:
    """The levels that one `mix` gives; its names, units and pan were checked, and told, when it was read."""
    given: dict[str, float] = {}
    for name, argument in mix.arguments.items():
        if not isinstance(argument.value, Quantity) or name not in LEVEL_UNITS:
            continue
        try:
            value = si_value(argument.value, LEVEL_UNITS[name])
        except ValueError:
            continue
        if name == "gain" and not SOFTEST_MIX <= value <= LOUDEST_MIX:
            problems.append(Problem(argument.value_place, f"gain is {value:g} dB; expected {SOFTEST_MIX:g} to {LOUDEST_MIX:g} dB"))
        given[name] = value
    return given
