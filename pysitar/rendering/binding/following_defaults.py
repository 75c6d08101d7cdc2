"""Default values that follow the pitch: where a row does not give them."""
from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pysitar.errors import ParameterError
from pysitar.gestures.base import Gesture
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.models.definitions.objects import ObjectSpec
from pysitar.models.network.curve import CurvePoint, ValueCurve
from pysitar.physics.parameters import check_value
from pysitar.rendering.plan import BoundEvent, PartPlan, ReportProblem, StringPlan
from pysitar.rendering.soundings import StringSoundings, follows, string_soundings


def follow_pitch(events: Sequence[BoundEvent], parts: Sequence[PartPlan], model: str,
                 report: ReportProblem) -> list[BoundEvent]:
    """Return the events of a voice of a model, in order of time, the default values that follow the
    pitch multiplied; report those out of range."""
    gestures = BY_MODEL[model]
    plans = {part.name: part for part in parts}
    soundings = string_soundings(events, parts, gestures)
    return [event if not follows(event, gestures[event.verb]) else
            _follow(event, gestures[event.verb], plans[event.part], soundings.get(event.part),
                    report)
            for event in events]


def _follow(event: BoundEvent, gesture: Gesture, part: PartPlan,
            soundings: StringSoundings | None, report: ReportProblem) -> BoundEvent:
    """Return an event, its following value multiplied, a curve where the pitch changes."""
    name = gesture.follower
    factors: list[tuple[float, float, str, float]] = []          # the points of a curve
    if isinstance(part.spec, ObjectSpec) and event.hz is not None:
        factors.append((0.0, gesture.follow_factor(part.spec, part.spec.pitch, event.hz, 0.0),
                        "lin", 1.0))
    elif soundings is not None and isinstance(part, StringPlan):
        factors += [(time, gesture.follow_factor(part.spec, part.hz, hz, length), shape, exponent)
                    for time, hz, length, shape, exponent in soundings.over(
                        event.time, event.time + event.values["held"])]
    own = event.values[name]
    points = [CurvePoint(time, own * factor, shape, exponent)
              for time, factor, shape, exponent in factors]
    if all(point.value == own for point in points):
        return event
    try:
        parameter = gesture.parameters[name]
        for point in points:
            check_value(parameter, point.value)
    except ParameterError as error:
        report(event.place, f"at this pitch the default {name} is {error.value:.6g}; "
                            f"{error.expected}, or a {name} in the row")
        return event
    courses = event.courses
    if any(one.value != other.value for one, other in pairwise(points)):
        courses = {**courses, name: ValueCurve(tuple(points))}
    return event._replace(values={**event.values, name: points[0].value}, courses=courses)
