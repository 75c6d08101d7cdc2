"""Events whose sound begins after the end of the score's sound, or never."""
from __future__ import annotations

import math

from pysitar.errors import Place, Problem
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.rendering.lint.table import CheckedVoice
from pysitar.rendering.plan import BoundEvent


def inaudible_events(checked: CheckedVoice) -> list[Problem]:
    """Return a warning for each row of a voice that begins to sound after the end of the sound;
    with tail=auto the sound lasts until all events have sounded."""
    voice, options, end = checked
    sound_end = math.inf if options.tail is None else end + options.tail
    specs = {part.name: part.spec for part in voice.parts}
    found: dict[tuple[str, Place], str] = {}
    for event in voice.events:
        gesture = BY_MODEL[voice.spec.model][event.verb]
        delay = gesture.sound_delay(event.values, specs[event.part])
        if delay is None:
            continue
        if event.time + delay + 1.0 / options.rate > sound_end or delay == math.inf:
            message = _message(f"{voice.name}.{event.part}", event, delay, sound_end,
                               gesture.begins)
            found.setdefault((event.part, event.place), message)
    return [Problem(place, message) for (_, place), message in found.items()]


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
