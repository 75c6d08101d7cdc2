"""Glides of a string that rings, so short that the step of its tension clicks."""
from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from pysitar.errors import Problem
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.gestures.pluck import GLIDE
from pysitar.physics.units import format_quantity
from pysitar.rendering.lint.table import SHORTEST_GLIDE, CheckedVoice
from pysitar.rendering.plan import PITCH, BoundEvent
from pysitar.score.vocabulary import long_name

LEAST_RATIO = 1.0145            # of frequencies, 25 cents: a smaller step clicks by little


def short_glides(checked: CheckedVoice) -> Iterator[Problem]:
    """Yield a warning for the first such glide of each string; a new stroke covers its own, but not
    those of its curve."""
    voice = checked.plan
    gestures = BY_MODEL[voice.spec.model]
    limit = f"{format_quantity(SHORTEST_GLIDE, 's')} or more"
    played: set[str] = set()
    found: set[str] = set()
    for event in voice.events:
        sounds = gestures[event.verb].sounds
        if sounds:
            played.add(event.part)
        if event.part not in played - found:
            continue
        glide = event.values.get(GLIDE.name, SHORTEST_GLIDE)
        if not sounds and glide < SHORTEST_GLIDE:
            place = next((argument.value_place for argument in event.row.arguments.values()
                          if long_name(argument.name) == GLIDE.name), event.place)
            expected = f"a glide of {limit}"
        else:
            glide, place = _shortest_segment(event), event.row.pitch_place
            expected = f"{limit} between two points, or both at one time"
        if glide < SHORTEST_GLIDE:
            found.add(event.part)
            yield Problem(place, (
                f"{voice.name}.{event.part} jumps to another pitch in "
                f"{format_quantity(glide, 's', 2)}, and clicks if it rings; expected {expected}"))


def _shortest_segment(event: BoundEvent) -> float:
    """Return the time (s) of the shortest segment of an event's pitch curve that leads to another
    pitch; jumps have a time of their own."""
    course = event.courses.get(PITCH)
    if course is None:
        return SHORTEST_GLIDE
    times = [point.time - before.time for before, point in pairwise(course.points)
             if point.shape != "step" and point.time > before.time
             and max(point.value / before.value, before.value / point.value) > LEAST_RATIO]
    return min(times, default=SHORTEST_GLIDE)
