"""Bows whose force is too small or too great for one slip in each period of a string, or too small
for an object to sound."""
from __future__ import annotations

from pysitar.errors import Problem
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.models.definitions.objects import ObjectSpec
from pysitar.rendering.lint.table import CheckedVoice


def unsteady_bows(voice: CheckedVoice) -> list[Problem]:
    """Return a message for the first event of each part whose sound will not be steady."""
    plan = voice.plan
    gestures = BY_MODEL[plan.spec.model]
    parts = {part.name: part for part in plan.parts}
    found: dict[str, Problem] = {}
    pitches = {part.name: part.hz for part in plan.strings}
    for event in plan.events:
        part = parts.get(event.part)
        if part is None or event.part in found:
            continue
        hz = pitches[event.part] = event.hz or pitches.get(event.part, 0.0)
        spec = part.spec
        if isinstance(spec, ObjectSpec) and event.hz is not None:
            spec = spec.at_pitch(event.hz)
        message = gestures[event.verb].steady_fault(event, spec, hz)
        if message:
            found[event.part] = Problem(event.place, message)
    return list(found.values())
