"""The strength of an event, from its gain, accents and humanise: a factor of what sets how loud it
is."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pysitar.errors import ParameterError
from pysitar.gestures.base import Gesture, Verb
from pysitar.models.network.curve import ValueCurve
from pysitar.physics.parameters import check_value
from pysitar.rendering.plan import ReportProblem
from pysitar.score.timeline import Event
from pysitar.score.vocabulary import long_name


def scaled_name(event: Event, gesture: Gesture) -> str:
    """Return the name of the value that the strength of an event multiplies ("": none)."""
    if event.strength == 1.0:
        return ""
    return gesture.strength_of([long_name(name) for name in event.arguments])


def scale_value(event: Event, verb: Verb, values: dict[str, float], report: ReportProblem) -> None:
    """Multiply one of the values of an event by its strength; report a value out of range."""
    name = scaled_name(event, verb.gesture)
    if name not in values:
        return
    try:
        values[name] = check_value(verb.parameters[name], values[name] * event.strength)
    except ParameterError as error:
        report(event.place, f"with its gain and the accents and humanise of its section, {error}")


def scale_courses(event: Event, gesture: Gesture,
                  courses: Mapping[str, ValueCurve]) -> dict[str, ValueCurve]:
    """Return the curves of an event, that of its strength multiplied."""
    name = scaled_name(event, gesture)
    return {other: curve if other != name else ValueCurve(tuple(
        replace(point, value=point.value * event.strength) for point in curve.points))
        for other, curve in courses.items()}
