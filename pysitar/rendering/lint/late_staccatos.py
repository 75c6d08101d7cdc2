"""Staccato notes that end after the next note of their string has begun, and silence it, too."""
from __future__ import annotations

from collections.abc import Iterator, Set

from pysitar.errors import Place, Problem
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.physics.units import format_quantity
from pysitar.rendering.lint.table import CheckedScore
from pysitar.rendering.plan import VoicePlan


def late_staccatos(checked: CheckedScore) -> list[Problem]:
    """Return a warning for each staccato row whose damp silences a later note."""
    rows = {event.place for event in checked.timeline.events if "staccato" in event.arguments}
    found: dict[Place, str] = {}
    for voice in checked.voices:
        for place, message in _messages(voice, rows):
            found.setdefault(place, message)
    return [Problem(place, message) for place, message in found.items()]


def _messages(voice: VoicePlan, rows: Set[Place]) -> Iterator[tuple[Place, str]]:
    """Yield place and message of each such damp, which has the place of its row."""
    gestures = BY_MODEL[voice.spec.model]
    last: dict[str, float] = {}                     # the latest note of each string, and of a row
    begun: dict[tuple[str, Place], float] = {}
    for event in voice.events:
        row = event.part, event.place
        if gestures[event.verb].sounds:
            last[event.part] = begun[row] = event.time
        elif event.place in rows and row in begun and gestures[event.verb].stops_notes:
            begin = begun.pop(row)                  # a later damp of the row may mute for a chord
            after, later = event.time - begin, last[event.part] - begin
            if later > 0.0:
                yield event.place, (
                    f"the staccato of {format_quantity(after, 's', 4)} silences the next note "
                    f"of {voice.name}.{event.part}, which begins "
                    f"{format_quantity(later, 's', 4)} after this one; expected a shorter "
                    "staccato")
