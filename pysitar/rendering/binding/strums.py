"""Strums expanded into plucks: one of each string, at equal intervals."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pysitar.errors import ParameterError, quoted, suggest_name
from pysitar.models.definitions.parameters import DIRECTION, PLUCK, SPREAD, STRUM, check_value
from pysitar.rendering.binding.bends import ORNAMENT_PARAMETERS
from pysitar.rendering.conversion import convert_literal
from pysitar.rendering.plan import ReportProblem
from pysitar.score.literals import Argument
from pysitar.score.memory import watch_memory
from pysitar.score.timeline import Event
from pysitar.score.vocabulary import ORNAMENTS, long_name


def expand_strums(
    events: tuple[Event, ...], strings: Mapping[str, Sequence[str]], report: ReportProblem,
) -> tuple[Event, ...]:
    """Return events in order of time, each strum replaced by its plucks.

    Parameters: events, in order of time; strings, the names of the strings of each instrument that
    can be plucked; report, called with the place and message of each problem.
    A strum of an instrument that is not in `strings` is kept: the binder reports it. The pitches of
    a strum belong to the strings in the order of the file, in both directions; each pluck has the
    duration of the strum.
    """
    if not any(event.verb == STRUM.name for event in events):
        return events
    expanded: list[Event] = []
    for event in watch_memory(events, "events"):
        names = strings.get(event.target[0]) if event.verb == STRUM.name else None
        expanded.extend([event] if names is None else _plucks(event, names, report))
    return tuple(sorted(expanded, key=lambda event: event.time))


def _plucks(event: Event, names: Sequence[str], report: ReportProblem) -> Iterator[Event]:
    """Yield the plucks of one strum, in order of time."""
    arguments = _pluck_arguments(event, report)
    spread = _strum_value(event, SPREAD.name, report)
    upwards = _strum_value(event, DIRECTION.name, report) == "up"
    assert isinstance(spread, float)
    _check_pitches(event, names, report)
    pitches = dict(zip(names, event.pitches, strict=False))
    last = max(1, len(names) - 1)
    for index, name in enumerate(reversed(names) if upwards else names):
        pitch = pitches.get(name)
        yield event._replace(
            time=event.time + spread * index / last, target=(event.target[0], name),
            verb=PLUCK.name, pitch=pitch, pitches=() if pitch is None else (pitch,),
            pitch_place=event.pitch_place if pitch is None else pitch.place, arguments=arguments)


def _check_pitches(event: Event, names: Sequence[str], report: ReportProblem) -> None:
    """Report a number of pitches other than none or one per string, at the first surplus pitch or
    at the end of the row."""
    pitch_count, string_count = len(event.pitches), len(names)
    if pitch_count not in (0, string_count):
        surplus = pitch_count > string_count
        place = event.pitches[string_count].place if surplus else event.end_place
        pitch_noun = "pitch" if pitch_count == 1 else "pitches"
        string_noun = "string" if string_count == 1 else "strings"
        report(place, f"this strum has {pitch_count} {pitch_noun}, and {quoted(event.target[0])} "
                      f"has {string_count} {string_noun}; expected none, or one for each string")


def _pluck_arguments(event: Event, report: ReportProblem) -> dict[str, Argument]:
    """Return the arguments that a strum passes to its plucks; report names that neither verb
    has."""
    pluck_arguments = {}
    known = {**STRUM.parameters, **PLUCK.parameters}
    for name, argument in event.arguments.items():
        if long_name(name) in PLUCK.parameters or name in ORNAMENTS or name in ORNAMENT_PARAMETERS:
            pluck_arguments[name] = argument
        elif name not in STRUM.parameters:
            words = [word for parameter in known.values()
                     for word in (parameter.name, parameter.alias) if word]
            report(
                argument.name_place,
                f"{STRUM.name} has no {quoted(argument.name)}; "
                f"{suggest_name(argument.name, words)}"
            )
    return pluck_arguments


def _strum_value(event: Event, name: str, report: ReportProblem) -> object:
    """Return the value of a strum's own parameter: its default if the row has no value, or a wrong
    value, which is reported."""
    parameter, argument = STRUM.parameters[name], event.arguments.get(name)
    if argument is None:
        return parameter.default
    try:
        value = convert_literal(parameter, argument.value)
        if parameter.kind != "text":
            return check_value(parameter, value)
        if value not in parameter.choices:
            raise ValueError(f"{name} is {quoted(str(value))}; "
                             f"expected {' or '.join(parameter.choices)}")
    except (ParameterError, ValueError) as error:
        report(argument.value_place, str(error))
        return parameter.default
    return value
