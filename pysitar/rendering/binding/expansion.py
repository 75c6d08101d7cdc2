"""Gestures expanded into events of other verbs, such as a strum into plucks of all strings, and
staccato notes into their strokes and damps."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pysitar.errors import ParameterError, quoted, suggest_name
from pysitar.gestures.base import Gesture, Verb
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.gestures.strum import FRETS, STOPPED_BY
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.physics.parameters import Parameter, check_value
from pysitar.rendering.binding.bends import ORNAMENT_PARAMETERS
from pysitar.rendering.binding.strummed_chords import (
    chord_frets,
    finger_events,
    fret_pitch,
    muting_events,
)
from pysitar.rendering.conversion import convert_literal
from pysitar.rendering.plan import PartPlan, ReportProblem
from pysitar.score.literals import TIME_UNITS, Argument, Quantity, quoted_literal, si_value
from pysitar.score.memory import watch_memory
from pysitar.score.timeline import Event
from pysitar.score.vocabulary import ORNAMENTS, long_name, matches_name

CHORD, STACCATO = "chord", "staccato"


class Strings(NamedTuple):
    """What an instrument of a score has: its parts, its file, and the verbs of its scheme."""

    parts: Sequence[PartPlan]
    spec: InstrumentSpec
    verbs: Mapping[str, Verb]


def expand_gestures(
    events: tuple[Event, ...], voices: Mapping[str, Strings], report: ReportProblem,
) -> tuple[Event, ...]:
    """Return events in order of time, each event of a gesture that expands replaced by its own, and
    each staccato one followed by its damp.

    Parameters: events, in order of time; voices, by name; report, called with the place and
    message of each problem.
    An event of an instrument without the other verb is kept: the binder reports it. The pitches of
    a strum belong to the strings in the order of the file, in both directions; each new event has
    the duration of the old one.
    """
    expanded: list[Event] = []
    for event in watch_memory(events, "events"):
        voice = voices.get(event.target[0])
        if voice is not None and STACCATO in event.arguments:
            event, damp = _split_staccato(event, voice, report)
            expanded.extend(damp)
        gesture = None if voice is None else BY_MODEL[voice.spec.model].get(event.verb)
        other = None if gesture is None or voice is None else voice.verbs.get(gesture.expands_into)
        if voice is None or gesture is None or other is None:
            expanded.append(event)
            continue
        parts = [part for part in voice.parts
                 if len(event.target) == 1 or matches_name(event.target[-1], part.name)]
        if not parts:          # the binder reports the target
            expanded.append(event._replace(verb=other.name, pitch=None, arguments={}))
            continue
        expanded.extend(_events(event, gesture, other, parts, voice, report))
    return tuple(sorted(expanded, key=lambda event: event.time))


def _events(event: Event, gesture: Gesture, other: Verb, parts: Sequence[PartPlan],
            voice: Strings, report: ReportProblem) -> Iterator[Event]:
    """Yield the events of one event."""
    arguments = _passed_arguments(event, gesture, other, report)
    values = {name: _value(event, parameter, report)
              for name, parameter in gesture.parameters.items()}
    names = [part.name for part in parts]
    pitches = dict(zip(names, event.pitches, strict=False))
    if gesture.whole_instrument and CHORD in event.arguments:
        on_frets = values.get(STOPPED_BY.name) == FRETS
        frets = _chord_frets(event, parts, voice, on_frets, report)
        if on_frets:
            yield from finger_events(event, frets)
        yield from muting_events(event, frets, voice.verbs)
        names = [name for name in names if frets.get(name) is not None]
        pitches = {name: fret_pitch(0 if on_frets else fret, event.arguments[CHORD])
                   for name, fret in frets.items() if fret is not None}
    elif gesture.whole_instrument:
        _check_pitches(event, names, report)
        if values.get(STOPPED_BY.name) == FRETS:
            report(event.place, f"{event.verb} by={FRETS} has no chord; expected chord=Am7")
    for later, name in gesture.expand(values, names):
        pitch = pitches.get(name) if gesture.whole_instrument else event.pitch
        yield event._replace(
            time=event.time + later, target=(event.target[0], name), verb=other.name, pitch=pitch,
            pitches=() if pitch is None else (pitch,),
            pitch_place=event.pitch_place if pitch is None else pitch.place, arguments=arguments)


def _chord_frets(event: Event, parts: Sequence[PartPlan], voice: Strings, on_frets: bool,
                 report: ReportProblem) -> dict[str, int | None]:
    """Return the fret of each string of a chord; a problem is reported, and the chord is then
    that of the open strings."""
    argument = event.arguments[CHORD]
    if event.pitches:
        report(event.pitches[0].place, "a pitch and a chord in one row; expected one of the two")
    if on_frets and event.transpose:
        report(event.place, f"a chord by={FRETS} is not transposed; expected by=tension")
    try:
        return chord_frets(argument, parts, voice.spec)
    except ValueError as error:
        report(argument.value_place, str(error))
    return {part.name: 0 for part in parts}


def _split_staccato(event: Event, voice: Strings,
                    report: ReportProblem) -> tuple[Event, list[Event]]:
    """Return an event without its staccato, and its damp, if its string can be damped."""
    gestures = BY_MODEL[voice.spec.model].values()
    verb = next((gesture.name for gesture in gestures if gesture.stops_notes), "")
    stroke = BY_MODEL[voice.spec.model].get(event.verb)
    if stroke is None or not stroke.sounds or verb not in voice.verbs:
        return event, []          # the binder reports that the verb has no staccato
    argument = event.arguments[STACCATO]
    rest = {name: one for name, one in event.arguments.items() if name != STACCATO}
    event = event._replace(arguments=rest)
    try:
        after = _staccato_time(argument, event.duration)
    except ValueError as error:
        report(argument.value_place, str(error))
        return event, []
    target = event.target if len(event.target) > 1 else (event.target[0], "*")
    return event, [event._replace(time=event.time + after, duration=0.0, target=target, verb=verb,
                                  pitch=None, pitches=(), curve=None, arguments={}, strength=1.0)]


def _staccato_time(argument: Argument, duration: float) -> float:
    """Return the time (s) from the stroke to the damp.  Errors: ValueError."""
    value, shown = argument.value, quoted_literal(argument.value)
    expected = "expected a part of the dur, 1% to 100%, or a time, 120ms"
    if not isinstance(value, Quantity):
        raise ValueError(f"staccato is {shown}; {expected}")
    if value.unit in TIME_UNITS:
        time = si_value(value, "s")
        if not 0.0 < time <= 100.0:
            raise ValueError(f"staccato is {shown}; {expected}")
        return time
    part = si_value(value, "") if value.unit in {None, "%"} else 0.0
    if not 0.01 <= part <= 1.0:
        raise ValueError(f"staccato is {shown}; {expected}")
    return part * duration


def _check_pitches(event: Event, names: Sequence[str], report: ReportProblem) -> None:
    """Report a number of pitches other than none or one per string, at the first surplus pitch or
    at the end of the row."""
    pitch_count, string_count = len(event.pitches), len(names)
    if pitch_count not in (0, string_count):
        surplus = pitch_count > string_count
        place = event.pitches[string_count].place if surplus else event.end_place
        pitch_noun = "pitch" if pitch_count == 1 else "pitches"
        string_noun = "string" if string_count == 1 else "strings"
        target = quoted(".".join(event.target))
        report(place, f"this {event.verb} has {pitch_count} {pitch_noun}, and "
                      f"{target} has {string_count} {string_noun}; "
                      "expected none, or one for each string")


def _passed_arguments(event: Event, gesture: Gesture, other: Verb,
                      report: ReportProblem) -> dict[str, Argument]:
    """Return the arguments that are those of the other verb; report names that neither has."""
    passed = {}
    others = other.gesture.parameters
    for name, argument in event.arguments.items():
        if long_name(name) in gesture.parameters or name == CHORD:
            continue
        if long_name(name) in others or name in ORNAMENTS or name in ORNAMENT_PARAMETERS:
            passed[name] = argument
        else:
            words = [word for parameter in {**gesture.parameters, **others}.values()
                     for word in (parameter.name, parameter.alias) if word]
            report(
                argument.name_place,
                f"{gesture.name} has no {quoted(argument.name)}; "
                f"{suggest_name(argument.name, [*words, CHORD, STACCATO])}"
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
