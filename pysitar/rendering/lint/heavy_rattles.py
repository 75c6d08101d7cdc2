"""Rattles whose weight draws their string out so far that it would raise the tension."""
from __future__ import annotations

import math

from pysitar.errors import Problem
from pysitar.gestures.balls import GRAVITY
from pysitar.physics.stretching import stretch_by_force
from pysitar.physics.units import format_quantity
from pysitar.rendering.lint.large_plucks import wire
from pysitar.rendering.lint.table import FROM_HEIGHT, CheckedVoice


def heavy_rattles(checked: CheckedVoice) -> list[Problem]:
    """Return a warning at the first event of each string on which a body of too much weight
    lies."""
    voice, found = checked.plan, []
    places = {event.part: event.place for event in reversed(voice.events)}
    for part in voice.strings:
        rattle = part.spec.rattle
        if rattle is None or part.name not in places:
            continue
        shape = stretch_by_force(wire(part, part.hz), rattle.position, rattle.mass * GRAVITY)
        if shape.rise > FROM_HEIGHT:
            most = rattle.mass * math.sqrt(FROM_HEIGHT / shape.rise)
            found.append(Problem(
                places[part.name],
                f"{voice.name}.{part.name} sags {format_quantity(shape.height, 'm')} under its "
                f"rattle of {format_quantity(rattle.mass, 'kg')}, which would raise its tension by "
                f"{100.0 * shape.rise:.3g} %; expected at most {format_quantity(most, 'kg', 2)}"))
    return found
