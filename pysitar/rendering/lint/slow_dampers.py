"""Fingers that damp strings: T60 values shorter than a finger can reach."""
from __future__ import annotations

from pysitar.errors import Place, Problem
from pysitar.models.network.schemes.catalogue import STRING_SCHEMES
from pysitar.models.strings.damper import shortest_t60
from pysitar.physics.units import format_quantity
from pysitar.rendering.lint.table import CheckedVoice
from pysitar.rendering.plan import VoicePlan
from pysitar.score.vocabulary import long_name

T60_TOLERANCE = 4.0 / 3.0       # factor between the resulting T60 and that of the row, at best


def slow_dampers(checked: CheckedVoice) -> list[Problem]:
    """Return a warning for each string with a row whose T60 is too short for a finger."""
    voice = checked.plan
    found = []
    places = _t60_places(voice)
    for string in voice.strings:
        t60_places = places.get(string.name)
        if not t60_places:
            continue
        best = shortest_t60(string.spec.string(string.hz), STRING_SCHEMES[voice.spec.scheme])
        short = [(place, t60) for t60, place in t60_places.items() if best > T60_TOLERANCE * t60]
        found += [Problem(place, f"{voice.name}.{string.name} is damped in about "
                                 f"{format_quantity(best, 's', 2)} at best; t60 is "
                                 f"{format_quantity(t60, 's')}")
                  for place, t60 in short[:1]]
    return found


def _t60_places(voice: VoicePlan) -> dict[str, dict[float, Place]]:
    """Return, by string, each T60 (s) of a row and its first place."""
    places: dict[str, dict[float, Place]] = {}
    for event in voice.events:
        for argument in event.row.arguments.values():
            if long_name(argument.name) == "t60":
                places.setdefault(event.part, {}).setdefault(event.values["t60"],
                                                             argument.value_place)
    return places
