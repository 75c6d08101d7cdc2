"""Glides of a string that rings, so short that the step of its tension clicks."""
from __future__ import annotations

from collections.abc import Iterator

from pysitar.errors import Problem
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.gestures.pluck import GLIDE
from pysitar.rendering.lint.table import SHORTEST_GLIDE, CheckedVoice
from pysitar.score.vocabulary import long_name


def short_glides(checked: CheckedVoice) -> Iterator[Problem]:
    """Yield a warning for the first such glide of each string; a new stroke covers its own."""
    voice = checked.plan
    gestures = BY_MODEL[voice.spec.model]
    played: set[str] = set()
    found: set[str] = set()
    for event in voice.events:
        if gestures[event.verb].sounds:
            played.add(event.part)
        elif (event.part in played - found
              and event.values.get(GLIDE.name, SHORTEST_GLIDE) < SHORTEST_GLIDE):
            found.add(event.part)
            place = next((argument.value_place for argument in event.row.arguments.values()
                          if long_name(argument.name) == GLIDE.name), event.place)
            yield Problem(place, (
                f"{voice.name}.{event.part} jumps to another pitch in "
                f"{1e3 * event.values[GLIDE.name]:.2g} ms, and clicks if it rings; expected a "
                f"glide of {1e3 * SHORTEST_GLIDE:g} ms or more"))
