"""What a score asks of the fingers that damp its strings, and what they cannot do."""
from __future__ import annotations

from collections.abc import Iterable, Mapping

from pysitar.errors import Place, Problem
from pysitar.models.strings.played import shortest_t60
from pysitar.rendering.plan import StringPlan

T60_TOLERANCE = 4.0 / 3.0              # a T60 comes out this near to the one asked for, at best


def slow_dampers(name: str, scheme: str, strings: Iterable[StringPlan], t60_places: Mapping[str, Mapping[float, Place]]) -> list[Problem]:
    """A warning for each string of which a score asks a T60 that no finger gives it.

    Parameters: name and scheme, the instrument's; t60_places, by the names of the strings, each T60 (s) and where it is asked for first.
    """
    found = []
    for string in strings:
        times = t60_places.get(string.name, {})
        best = shortest_t60(string.spec.string(string.hz), scheme) if times else 0.0
        short = [(place, t60) for t60, place in times.items() if best > T60_TOLERANCE * t60][:1]
        found += [Problem(place, f"{name}.{string.name} is damped in about {best:.2g} s at best; t60 is {1e3 * t60:g} ms")
                  for place, t60 in short]
    return found
