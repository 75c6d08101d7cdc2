"""Gestures expanded into events of other verbs, such as a strum into plucks of all strings."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from pysitar.errors import ParameterError, quoted, suggest_name
from pysitar.gestures.base import Gesture, Verb
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.physics.parameters import Parameter, check_value
from pysitar.rendering.binding.bends import ORNAMENT_PARAMETERS
from pysitar.rendering.conversion import convert_literal
from pysitar.rendering.plan import ReportProblem
from pysitar.score.literals import Argument
from pysitar.score.memory import watch_memory
from pysitar.score.timeline import Event
from pysitar.score.vocabulary import ORNAMENTS, long_name, matches_name

# of an instrument: the names of its parts, its model, and the verbs of its scheme
Parts: TypeAlias = tuple[Sequence[str], str, Mapping[str, Verb]]


def expand_gestures(
    events: tuple[Event, ...], voices: Mapping[str, Parts], report: ReportProblem,
) -> tuple[Event, ...]:
    """Return events in order of time, each event of a gesture that expands replaced by its own.

    Parameters: events, in order of time; voices, the parts of each instrument;
    report, called with the place and message of each problem.
    An event of an instrument without the other verb is kept: the binder reports it. The pitches of
    a strum belong to the strings in the order of the file, in both directions; each new event has
    the duration of the old one.
    """
    expanded: list[Event] = []
    for event in watch_memory(events, "events"):
        names, model, verbs = voices.get(event.target[0], ((), "string", {}))
        gesture = BY_MODEL[model].get(event.verb)
        other = None if gesture is None else verbs.get(gesture.expands_into)
        if gesture is None or other is None:
            expanded.append(event)
            continue
        if not gesture.whole_instrument:
            names = [name for name in names if matches_name(event.target[-1], name)]
        expanded.extend(_events(event, gesture, other, names, report))
    return tuple(sorted(expanded, key=lambda event: event.time))


def _events(event: Event, gesture: Gesture, other: Verb, names: Sequence[str],
            report: ReportProblem) -> Iterator[Event]:
    """Yield the events of one event, in order of time."""
    arguments = _passed_arguments(event, gesture, other, report)
    values = {name: _value(event, parameter, report)
              for name, parameter in gesture.parameters.items()}
    if gesture.whole_instrument:
        _check_pitches(event, names, report)
    pitches = dict(zip(names, event.pitches, strict=False))
    for later, name in gesture.expand(values, names):
        pitch = pitches.get(name) if gesture.whole_instrument else event.pitch
        yield event._replace(
            time=event.time + later, target=(event.target[0], name), verb=other.name, pitch=pitch,
            pitches=() if pitch is None else (pitch,),
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
        report(place, f"this {event.verb} has {pitch_count} {pitch_noun}, and "
                      f"{quoted(event.target[0])} has {string_count} {string_noun}; "
                      "expected none, or one for each string")


def _passed_arguments(event: Event, gesture: Gesture, other: Verb,
                      report: ReportProblem) -> dict[str, Argument]:
    """Return the arguments that are those of the other verb; report names that neither has."""
    passed = {}
    others = other.gesture.parameters
    for name, argument in event.arguments.items():
        if long_name(name) in gesture.parameters:
            continue
        if long_name(name) in others or name in ORNAMENTS or name in ORNAMENT_PARAMETERS:
            passed[name] = argument
        else:
            words = [word for parameter in {**gesture.parameters, **others}.values()
                     for word in (parameter.name, parameter.alias) if word]
            report(
                argument.name_place,
                f"{gesture.name} has no {quoted(argument.name)}; "
                f"{suggest_name(argument.name, words)}"
            )
    return passed


def _value(event: Event, parameter: Parameter, report: ReportProblem) -> object:
    """Return the value of an own parameter of a gesture: its default where the row has none, or a
    wrong one, which is reported."""
    argument = next((argument for name, argument in event.arguments.items()
                     if long_name(name) == parameter.name), None)
    if argument is None:
        return parameter.default
    try:
        value = convert_literal(parameter, argument.value)
        if parameter.kind != "text":
            return check_value(parameter, value)
        if value not in parameter.choices:
            raise ValueError(f"{parameter.name} is {quoted(str(value))}; "
                             f"expected {' or '.join(parameter.choices)}")
    except (ParameterError, ValueError) as error:
        report(argument.value_place, str(error))
        return parameter.default
    return value
