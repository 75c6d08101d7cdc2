"""Bows whose force is too small or too great for one slip in each period."""
from __future__ import annotations

from pysitar.errors import Problem
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.rendering.lint.table import CheckedVoice


def unsteady_bows(voice: CheckedVoice) -> list[Problem]:
    """Return a message for the first event of each part whose sound will not be steady."""
    plan = voice.plan
    gestures = BY_MODEL[plan.spec.model]
    strings = {part.name: part for part in plan.strings}
    found: dict[str, Problem] = {}
    pitches = {name: part.hz for name, part in strings.items()}
    for event in plan.events:
        part = strings.get(event.part)
        if part is None or event.part in found:
            continue
        hz = pitches[event.part] = event.hz or pitches[event.part]
        message = gestures[event.verb].steady_fault(event, part.spec, hz)
        if message:
            found[event.part] = Problem(event.place, message)
    return list(found.values())
