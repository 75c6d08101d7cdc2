"""The courses of pitch that rows ask of strings: curves after bend, and ornaments of a pluck or a bend."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pysitar.errors import ParameterError, nearest, quoted
from pysitar.kernels.core import elementary
from pysitar.models.definitions.parameters import BEND, PLUCK, check_value
from pysitar.models.network.curve import CurvePoint, ValueCurve
from pysitar.rendering.binding.ornaments import ORNAMENTS_TOLD, Ornament, notes_of, ornament_course
from pysitar.rendering.binding.pitches import AskedPitches
from pysitar.rendering.conversion import converted
from pysitar.rendering.plan import PITCH, BoundEvent, Tell
from pysitar.score.literals import Argument, Curve, Pitch
from pysitar.score.timeline import Event
from pysitar.score.vocabulary import ORNAMENTS

ORNAMENTED = frozenset((PLUCK.name, BEND.name))
PARAMETERS = frozenset(name for ornament in ORNAMENTS_TOLD.values() for name in ornament.parameters)


@dataclass(frozen=True, slots=True)
class Ornamented:
    """The ornament of a row: itself, what it is given in the row, its notes, and the values of its parameters."""

    ornament: Ornament
    argument: Argument
    notes: tuple[Pitch, ...]
    values: Mapping[str, float]


def without_ornament(event: Event, tell: Tell) -> tuple[Event, Ornamented | None]:
    """A row's event without its ornament and what belongs to it, and the ornament; what is wrong with that is told."""
    given = {name: argument for name, argument in event.arguments.items() if name in ORNAMENTS}
    if not given:
        return event, None
    first, *others = given.values()
    for argument in others:
        tell(argument.name_place, f"{quoted(first.name)} and {quoted(argument.name)} in one row; one, and the other in a bend after it, "
                                  "would be right")
    ornament = ORNAMENTS_TOLD[first.name]
    values = {name: parameter.default for name, parameter in ornament.parameters.items() if isinstance(parameter.default, float)}
    for name in PARAMETERS & event.arguments.keys():
        argument, parameter = event.arguments[name], ornament.parameters.get(name)
        if parameter is None:
            tell(argument.name_place, f"{ornament.name} has no {quoted(name)}; {nearest(name, ornament.parameters)}")
            continue
        try:
            values[name] = check_value(parameter, converted(parameter, argument.value))
        except (ParameterError, ValueError) as error:
            tell(argument.value_place, str(error))
    notes: tuple[Pitch, ...] = ()
    try:
        notes = tuple(notes_of(ornament, first.value))
    except ValueError as error:
        tell(first.value_place, str(error))
    rest = {name: argument for name, argument in event.arguments.items() if name not in given and name not in PARAMETERS}
    if event.curve is not None:
        tell(first.name_place, f"{quoted(first.name)} and a curve of pitches in one bend; expected one of the two")
    elif event.duration == 0.0:
        tell(first.name_place, f"{quoted(first.name)} takes the dur of its row, which is 0; expected dur=1")
    return event._replace(arguments=rest), Ornamented(ornament, first, notes, values)


def check_bend(event: Event, tell: Tell) -> None:
    """Tell a bend without an ornament that has no curve."""
    if event.curve is None and event.pitch is None:
        tell(event.end_place, "bend needs where it goes; expected a curve, bend (0:sa 1:ga), or an ornament, bend meend=ga")
    elif event.curve is None:
        tell(event.pitch_place, "a bend to one note has no way to go; a curve, bend (0:sa 1:ga), or fret ga, for the note alone, would "
                                "be right")


def curve_course(curve: Curve, transpose: float, asked: AskedPitches, tell: Tell) -> ValueCurve | None:
    """What a curve of pitches asks of a string; None, and told, where it cannot have one of them."""
    points = []
    wrong = False
    for point in curve.points:
        assert isinstance(point.value, Pitch)
        try:
            hz = asked.ask(point.value, transpose, point.value.place)
            points.append(CurvePoint(point.time, hz, point.shape, point.exponent))
        except ValueError as error:
            tell(point.value.place, str(error))
            wrong = True
    return None if wrong else ValueCurve(tuple(points))


def ornamented_course(asks: Ornamented, event: Event, hz: float, asked: AskedPitches) -> ValueCurve:
    """What an ornament asks of a string whose note is hz (Hz).  Errors: ValueError."""
    place = asks.argument.value_place
    notes = [asked.ask(note, event.transpose, place) for note in asks.notes]
    course = ornament_course(asks.ornament.name, hz=hz, notes=notes, duration=event.duration, values=asks.values)
    for value in dict.fromkeys(point.value for point in course.points):
        asked.hold(value, place, f"the {asks.ornament.name} goes to a pitch that")
    return course


def bent(made: BoundEvent, asks: Ornamented | None, asked: AskedPitches | None, before: BoundEvent | None, tell: Tell) -> list[BoundEvent]:
    """An event with what its curve or its ornament asks of its string, as one event or, of a pluck, as itself and a bend.

    Parameters: asks, its ornament; asked, of its string (None: it is to be left as it is); before, the last event of the string with a
    pitch; tell, of what is wrong.
    """
    row = made.row
    if asked is None or (row.curve is None and (asks is None or not asks.notes)):
        return [made]
    course = None
    if row.curve is not None:
        course = curve_course(row.curve, row.transpose, asked, tell)
    elif asks is not None:
        try:
            hz = pitch_at(before, row.time, asked.plan.hz) if made.hz is None else made.hz
            course = ornamented_course(asks, row, hz, asked)
        except ValueError as error:
            tell(asks.argument.value_place, str(error))
    if course is None:
        return [made]
    own = made._replace(hz=course.points[0].value, row=row._replace(pitch=None))
    if made.verb == BEND.name:
        return [own._replace(courses={PITCH: course})]
    bend = own._replace(verb=BEND.name, values={}, courses={PITCH: course},
                        row=row._replace(verb=BEND.name, pitch=None, arguments={}, force_factor=1.0))
    return [own, bend]


def check_pitch(made: BoundEvent, before: BoundEvent | None, tell: Tell) -> None:
    """Tell an event of a string that is given another pitch at the same time; before, the last event of the string with a pitch."""
    if before is None or before.time != made.time:
        return
    name = f"{made.row.target[0]}.{made.part}"
    if before.hz != made.hz:
        tell(made.row.pitch_place, f"{name} is given {before.hz:g} Hz at the same time, at {before.place}; one pitch of a string at a time "
                                   "would be right")
    elif before.courses:
        tell(made.row.pitch_place, f"{name} is bent at the same time, at {before.place}; expected one bend, written after the pluck")


def pitch_at(before: BoundEvent | None, time: float, open_hz: float) -> float:
    """The pitch (Hz) at a time (s) of a string whose last event with a pitch is `before`."""
    if before is None or before.hz is None:
        return open_hz
    course = before.courses.get(PITCH)
    if course is None:
        return before.hz
    level = ValueCurve(tuple(replace(point, value=elementary.log2(point.value), shape="lin" if point.shape == "exp" else point.shape)
                         for point in course.points))
    last = course.points[-1]
    return last.value if time - before.time >= last.time else elementary.pow(2.0, level.at([time - before.time])[0])
