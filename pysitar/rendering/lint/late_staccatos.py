"""Staccato notes that end after the next note of their string has begun, and silence it, too."""
from __future__ import annotations

from pysitar.errors import Place, Problem
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.rendering.lint.table import CheckedVoice


def late_staccatos(checked: CheckedVoice) -> list[Problem]:
    """Return a warning for each staccato row of a voice whose damp silences a later note."""
    voice, gestures = checked.plan, BY_MODEL[checked.plan.spec.model]
    last: dict[str, float] = {}                     # the latest note of each string, and of a row
    begun: dict[tuple[str, Place], float] = {}
    found: dict[Place, str] = {}
    for event in voice.events:
        row = event.part, event.place
        if gestures[event.verb].sounds:
            last[event.part] = begun[row] = event.time
        elif gestures[event.verb].stops_notes and row in begun:       # its damp has a row's place
            after, later = event.time - begun[row], last[event.part] - begun[row]
            if later > 0.0:
                found.setdefault(event.place, (
                    f"the staccato of {1e3 * after:.4g} ms silences the next note of "
                    f"{voice.name}.{event.part}, which begins {1e3 * later:.4g} ms after this one; "
                    "expected a shorter staccato"))
    return [Problem(place, message) for place, message in found.items()]
