"""Bows whose force is too small or too great for one slip in each period of a string, or too small
for an object to sound; balls that roll and make no sound."""
from __future__ import annotations

from pysitar.errors import Problem
from pysitar.gestures.base import Gesture
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.models.definitions.objects import ObjectSpec
from pysitar.rendering.lint.table import CheckedVoice
from pysitar.rendering.plan import BoundEvent, PartPlan
from pysitar.rendering.soundings import StringSoundings, follows, string_soundings


def unsteady_sounds(voice: CheckedVoice) -> list[Problem]:
    """Return a message for the first event of each part whose sound will not be steady."""
    plan = voice.plan
    gestures = BY_MODEL[plan.spec.model]
    parts = {part.name: part for part in plan.parts}
    soundings = string_soundings(plan.events, plan.parts, gestures)
    found: dict[str, Problem] = {}
    for event in plan.events:
        part, gesture = parts.get(event.part), gestures[event.verb]
        if part is None or event.part in found:
            continue
        message = _fault(event, gesture, part, soundings.get(event.part))
        if message:
            found[event.part] = Problem(event.place, message)
    return list(found.values())


def _fault(event: BoundEvent, gesture: Gesture, part: PartPlan,
           soundings: StringSoundings | None) -> str:
    """Return what keeps an event from a steady sound, at the first pitch where something does ("":
    nothing)."""
    if soundings is None:
        spec = part.spec
        if isinstance(spec, ObjectSpec) and event.hz is not None:
            spec = spec.at_pitch(event.hz)
        return gesture.steady_fault(event, spec, 0.0, 0.0)
    over = soundings.over(event.time, event.time + event.values.get("held", 0.0))
    if follows(event, gesture):             # as near to the limits at each of its pitches
        over = over[:1]
        event = event._replace(courses={name: curve for name, curve in event.courses.items()
                                        if name != gesture.follower})
    messages = (gesture.steady_fault(event, part.spec, sounding.hz, sounding.length)
                for sounding in over)
    return next(filter(None, messages), "")
