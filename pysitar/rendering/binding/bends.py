"""Pitch curves of strings: curves after bend, and ornaments of a pluck or a bend."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pysitar.errors import ParameterError, quoted, suggest_name
from pysitar.gestures.catalogue import find_gesture
from pysitar.kernels.core import elementary
from pysitar.models.network.curve import CurvePoint, ValueCurve
from pysitar.physics.parameters import check_value
from pysitar.rendering.binding.ornaments import (
    ORNAMENT_TABLE,
    Ornament,
    notes_of,
    ornament_course,
)
from pysitar.rendering.binding.pitches import RequestedPitches
from pysitar.rendering.conversion import convert_literal
from pysitar.rendering.plan import PITCH, BoundEvent, ReportProblem
from pysitar.score.literals import Argument, Curve, Pitch
from pysitar.score.timeline import Event
from pysitar.score.vocabulary import ORNAMENTS

ORNAMENT_PARAMETERS = frozenset(name for ornament in ORNAMENT_TABLE.values()
                                for name in ornament.parameters)


@dataclass(frozen=True, slots=True, eq=False)
class OrnamentRequest:
    """The ornament of a row.

    Parameters: ornament; argument, of the row; notes; values, of the ornament's parameters.
    """

    ornament: Ornament
    argument: Argument
    notes: tuple[Pitch, ...]
    values: Mapping[str, float]


def split_ornament(event: Event, report: ReportProblem) -> tuple[Event, OrnamentRequest | None]:
    """Return the event of a row without its ornament and the ornament's parameters, and the
    ornament (None: the row has no ornament); report what is wrong with the ornament."""
    ornaments = {name: argument for name, argument in event.arguments.items() if name in ORNAMENTS}
    if not ornaments:
        return event, None
    first, *others = ornaments.values()
    for argument in others:
        report(argument.name_place, f"{quoted(first.name)} and {quoted(argument.name)} in one "
                                    f"row; "
                                    "expected one, and the other in a bend after it")
    ornament = ORNAMENT_TABLE[first.name]
    values = {name: parameter.default for name, parameter in ornament.parameters.items()
              if isinstance(parameter.default, float)}
    for name in ORNAMENT_PARAMETERS & event.arguments.keys():
        argument, parameter = event.arguments[name], ornament.parameters.get(name)
        if parameter is None:
            report(
                argument.name_place,
                f"{ornament.name} has no {quoted(name)}; {suggest_name(name, ornament.parameters)}")
            continue
        try:
            values[name] = check_value(parameter, convert_literal(parameter, argument.value))
        except (ParameterError, ValueError) as error:
            report(argument.value_place, str(error))
    notes: tuple[Pitch, ...] = ()
    try:
        notes = tuple(notes_of(ornament, first.value))
    except ValueError as error:
        report(first.value_place, str(error))
    rest = {name: argument for name, argument in event.arguments.items()
            if name not in ornaments and name not in ORNAMENT_PARAMETERS}
    if event.curve is not None:
        report(first.name_place, f"{quoted(first.name)} and a curve of pitches in one bend; "
                                 "expected one of the two")
    elif event.duration == 0.0:
        report(first.name_place, f"{quoted(first.name)} lasts for the dur of its row, which is "
                                 "0 s; expected dur=1")
    return event._replace(arguments=rest), OrnamentRequest(ornament, first, notes, values)


def curve_course(
    curve: Curve, transpose: float, pitches: RequestedPitches, report: ReportProblem,
) -> ValueCurve | None:
    """Return a curve of pitches in Hz on one string; None if the string cannot have one of the
    pitches, which is reported."""
    points = []
    wrong = False
    for point in curve.points:
        assert isinstance(point.value, Pitch)
        try:
            hz = pitches.add_pitch(point.value, transpose, point.value.place)
            points.append(CurvePoint(point.time, hz, point.shape, point.exponent))
        except ValueError as error:
            report(point.value.place, str(error))
            wrong = True
    return None if wrong else ValueCurve(tuple(points))


def requested_ornament_course(
    request: OrnamentRequest, event: Event, hz: float, pitches: RequestedPitches,
) -> ValueCurve:
    """Return the pitch curve of an ornament on a string whose note is hz (Hz).

    Errors: ValueError.
    """
    place = request.argument.value_place
    notes = [pitches.add_pitch(note, event.transpose, place) for note in request.notes]
    course = ornament_course(request.ornament.name, hz=hz, notes=notes, duration=event.duration,
                             values=request.values)
    for value in dict.fromkeys(point.value for point in course.points):
        pitches.add_frequency(value, place, f"the {request.ornament.name} goes to a pitch that")
    return course


def apply_pitch_curve(
    event: BoundEvent, request: OrnamentRequest | None, pitches: RequestedPitches | None,
    before: BoundEvent | None, report: ReportProblem,
) -> list[BoundEvent]:
    """Return an event with the curve of its row or of its ornament; a pluck becomes a pluck and a
    bend.

    Parameters: request, its ornament; pitches, of its string (None: the string's own pitch is
    wrong, and the event is returned unchanged); before, the last event of the string with a pitch.
    """
    row = event.row
    if pitches is None or (row.curve is None and (request is None or not request.notes)):
        return [event]
    course = None
    if row.curve is not None:
        course = curve_course(row.curve, row.transpose, pitches, report)
    elif request is not None:
        try:
            hz = pitch_at(before, row.time, pitches.plan.hz) if event.hz is None else event.hz
            course = requested_ornament_course(request, row, hz, pitches)
        except ValueError as error:
            report(request.argument.value_place, str(error))
    if course is None:
        return [event]
    first = event._replace(hz=course.points[0].value, row=row._replace(pitch=None))
    verb = find_gesture("string", lambda gesture: gesture.takes_curve).name
    if event.verb == verb:
        return [first._replace(courses={PITCH: course})]
    bend = first._replace(verb=verb, values={}, courses={PITCH: course},
                          row=row._replace(verb=verb, pitch=None, arguments={},
                                           force_factor=1.0))
    return [first, bend]


def check_pitch(event: BoundEvent, before: BoundEvent | None, report: ReportProblem) -> None:
    """Report a second pitch of a string at the same time.

    Parameters: before, the last event of the string with a pitch.
    """
    if before is None or before.time != event.time:
        return
    name = f"{event.row.target[0]}.{event.part}"
    if before.hz != event.hz:
        report(event.row.pitch_place, f"{name} is given {before.hz:g} Hz at the same time, at "
                                      f"{before.place}; expected one pitch of a string at a time")
    elif PITCH in before.courses:
        report(event.row.pitch_place, f"{name} is bent at the same time, at {before.place}; "
                                      "expected one bend, written after the pluck")


def pitch_at(before: BoundEvent | None, time: float, open_hz: float) -> float:
    """Return the pitch (Hz) at a time (s) of a string whose last event with a pitch is `before`."""
    if before is None or before.hz is None:
        return open_hz
    course = before.courses.get(PITCH)
    if course is None:
        return before.hz
    level = ValueCurve(tuple(replace(point, value=elementary.log2(point.value),
                                 shape="lin" if point.shape == "exp" else point.shape)
                         for point in course.points))
    last = course.points[-1]
    if time - before.time >= last.time:
        return last.value
    return elementary.pow(2.0, level.at([time - before.time])[0])
