"""Events whose sound begins after the end of the score's sound, or never."""
from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping

from pysitar.errors import Place, Problem
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.models.definitions.spec import PartSpec
from pysitar.rendering.lint.table import CheckedVoice
from pysitar.rendering.plan import BoundEvent, VoicePlan


def inaudible_events(checked: CheckedVoice) -> list[Problem]:
    """Return a warning for each row of a voice that begins to sound after the end of the sound;
    with tail=auto the sound lasts until all events have sounded."""
    voice, options, end = checked
    sound_end = math.inf if options.tail is None else end + options.tail
    specs = {part.name: part.spec for part in voice.parts}
    gestures = BY_MODEL[voice.spec.model]
    late: list[tuple[BoundEvent, float]] = []
    for event in voice.events:
        delay = gestures[event.verb].sound_delay(event.values, specs[event.part])
        if delay is not None and (event.time + delay + 1.0 / options.rate > sound_end
                                  or delay == math.inf):
            late.append((event, delay))
    times = _replacement_times(voice, specs) if late else {}
    found: dict[tuple[str, Place], str] = {}
    for event, delay in late:
        own = times.get((event.part, event.verb), [])
        following = bisect_right(own, event.time)
        if (delay < math.inf and following < len(own)
                and own[following] < min(event.time + delay, sound_end)):
            continue                # it sounds then, or never
        message = _message(f"{voice.name}.{event.part}", event, delay, sound_end,
                           gestures[event.verb].begins)
        found.setdefault((event.part, event.place), message)
    return [Problem(place, message) for (_, place), message in found.items()]


def _replacement_times(voice: VoicePlan,
                       specs: Mapping[str, PartSpec]) -> dict[tuple[str, str], list[float]]:
    """Return the times (s), rising, of the events that end an earlier one of their verb on their
    part, by part and verb."""
    found: dict[tuple[str, str], list[float]] = {}
    for event in voice.events:
        gesture = BY_MODEL[voice.spec.model][event.verb]
        if gesture.replaces_earlier(event.values, specs[event.part]):
            found.setdefault((event.part, event.verb), []).append(event.time)
    return {key: sorted(times) for key, times in found.items()}


def _message(name: str, event: BoundEvent, delay: float, sound_end: float,
             begins: str) -> str:
    """Return the warning; begins, what its first sound is called."""
    if delay == math.inf:
        return f"{name} never reaches its barrier and is inaudible; expected a higher velocity"
    if delay == 0.0:
        return (f"{name}: {event.verb} begins at {event.time:g} s, after the end of the sound, and "
                "is inaudible; expected a longer tail")
    return (f"{name} {begins or 'sounds'} at {event.time + delay:.6g} s, after the end of "
            f"the sound ({sound_end:.6g} s), and is inaudible; expected a longer tail")
