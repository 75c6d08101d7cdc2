"""Gain and pan of each instrument of a score."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pysitar.errors import Problem, quoted, suggest_name
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.rendering.plan import Level, PartPlan
from pysitar.score.document import Score
from pysitar.score.elements import Mix
from pysitar.score.literals import Quantity, si_value
from pysitar.score.tokens import shift_place
from pysitar.score.vocabulary import matches_name

LEVEL_UNITS = {"gain": "dB", "pan": "", "spread": "", "loudness": "LUFS"}       # of `mix`
HIGHEST_GAIN, LOWEST_GAIN = 100.0, -200.0                # dB


def levels_of(score: Score, problems: list[Problem]) -> dict[str, Level]:
    """Return the level of each instrument: the last `mix` of its gain or loudness, and of its
    pan."""
    levels = {use.name: Level() for use in score.uses}
    for mix in score.mixes:
        values = _mix_values(mix, problems)
        if len(mix.target) > 1:          # of some parts: see part_levels
            continue
        for name, level in levels.items():
            if mix.target[0] not in {"*", name}:
                continue
            if "gain" in values or "loudness" in values:
                level = replace(level, gain=values.get("gain", 0.0),
                                loudness=values.get("loudness"), mix=mix.target[0],
                                place=mix.place)
            levels[name] = replace(level, pan=values.get("pan", level.pan))
    return levels


def part_levels(score: Score, name: str, spec: InstrumentSpec, parts: Sequence[PartPlan],
                level: Level, problems: list[Problem], *, every: Sequence[PartPlan]) -> Level:
    """Return the level of an instrument with those of its parts, where a `mix` sets them; add what
    is wrong to the problems.

    Parameters: name, of the instrument in the score; parts, in their order; every, the parts of its
    file, also those without a sound.
    """
    names = [part.name for part in parts]
    spread = spec.spread or None
    own: dict[str, dict[str, float]] = {}
    for mix in score.mixes:
        if mix.target[0] not in {"*", name}:
            continue
        values = _mix_values(mix, [])
        if len(mix.target) == 1 and "spread" not in values:
            continue
        if _report_target(mix, name, spec, names, problems):
            continue
        if len(mix.target) == 1:
            spread = values["spread"]
            continue
        for part in names:
            if matches_name(mix.target[1], part):
                own.setdefault(part, {}).update(values)
    if spread is None and not own:
        return level
    places = {part.name: index for index, part in enumerate(every)}
    last = max(1, len(places) - 1)
    found = []
    for part in names:
        offset = 0.0 if spread is None else spread * (2.0 * places.get(part, 0.5 * last) / last
                                                      - 1.0)
        pan = own.get(part, {}).get("pan", min(1.0, max(-1.0, level.pan + offset)))
        found.append((own.get(part, {}).get("gain", 0.0), pan))
    return replace(level, parts=tuple(found))


def _report_target(mix: Mix, name: str, spec: InstrumentSpec, names: Sequence[str],
                   problems: list[Problem]) -> bool:
    """Report the target of a `mix` of parts that an instrument cannot have; return whether it is
    so."""
    place = shift_place(mix.target_place, len(mix.target[0]) + 1)
    if len(mix.target) > 2:
        problems.append(Problem(place, f"mix has an instrument or one of its parts; expected "
                                       f"{quoted('mix ' + '.'.join(mix.target[:2]))}"))
        return True
    if len(mix.target) > 1 and not any(matches_name(mix.target[1], part) for part in names):
        if mix.target[0] == name:
            problems.append(Problem(place, f"{quoted(name)} has no part {quoted(mix.target[1])}; "
                                           f"{suggest_name(mix.target[1], names)}"))
        return True
    if spec.body is not None and spec.body.coupled:
        if mix.target[0] == name:
            problems.append(Problem(
                mix.target_place, f"the strings of {quoted(name)} sound through one coupled body; "
                                  f"expected {quoted(f'mix {name} gain=0 pan=0')}"))
        return True
    return False


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
