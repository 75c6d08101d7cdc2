"""Events whose sound begins after the end of the score's sound, or never."""
from __future__ import annotations

import math

from pysitar.errors import ParameterError, Place, Problem
from pysitar.kernels.core import elementary
from pysitar.models.definitions.masses import MassSpec
from pysitar.models.objects.rolling_path import GRAVITY
from pysitar.physics.lossless_contact import oscillator_orbit
from pysitar.rendering.lint.table import CheckedVoice
from pysitar.rendering.plan import BoundEvent

# verbs whose sound begins later than the event, and the moment when it begins
DELAYED_SOUNDS = {"pluck": "is released", "throw": "hits its barrier", "drop": "hits its object"}


def inaudible_events(checked: CheckedVoice) -> list[Problem]:
    """Return a warning for each row of a voice that begins to sound after the end of the sound;
    with tail=auto the sound lasts until all events have sounded."""
    voice, options, end = checked
    sound_end = math.inf if options.tail is None else end + options.tail
    masses = {part.name: part.spec for part in voice.parts if isinstance(part.spec, MassSpec)}
    found: dict[tuple[str, Place], str] = {}
    for event in voice.events:
        if event.verb == "fret":          # its glide comes before it
            continue
        delay = sound_delay(event, masses.get(event.part))
        if event.time + delay + 1.0 / options.rate > sound_end or delay == math.inf:
            message = _message(f"{voice.name}.{event.part}", event, delay, sound_end)
            found.setdefault((event.part, event.place), message)
    return [Problem(place, message) for (_, place), message in found.items()]


def sound_delay(event: BoundEvent, mass: MassSpec | None = None) -> float:
    """Return the time (s) from the start of an event to its first sound; inf for a mass that never
    reaches its barrier."""
    if event.verb == "pluck":
        return event.values.get("ramp", 0.0)
    if event.verb == "drop":
        return math.sqrt(2.0 * event.values["height"] / GRAVITY)
    return 0.0 if mass is None else _flight_time(mass, event.values["velocity"],
                                                 event.values["gap"])


def _flight_time(mass: MassSpec, velocity: float, gap: float) -> float:
    """Return the time (s) until a mass first reaches its barrier.

    Parameters: velocity (m/s); gap (m), between the mass and its barrier at the start.
    """
    if mass.frequency == 0.0:
        return gap / velocity if velocity > 0.0 else math.inf
    omega = 2.0 * math.pi * mass.frequency
    position = mass.barrier - gap
    try:
        orbit = oscillator_orbit(
            mass=mass.mass, stiffness=mass.stiffness, exponent=mass.exponent,
            frequency=mass.frequency, position=position, velocity=velocity, barrier=mass.barrier)
    except ParameterError:          # a spring that presses the mass on a barrier below its rest
        return 0.0 if mass.barrier < 0.0 else math.inf
    phase = (-elementary.atan2(orbit.impact_speed / omega, mass.barrier)
             - elementary.atan2(-velocity / omega, position))
    return phase % (2.0 * math.pi) / omega


def _message(name: str, event: BoundEvent, delay: float, sound_end: float) -> str:
    if delay == math.inf:
        return f"{name} never reaches its barrier and is inaudible; expected a higher velocity"
    if delay == 0.0:
        return (f"{name}: {event.verb} begins at {event.time:g} s, after the end of the sound, and "
                "is inaudible; expected a longer tail")
    return (f"{name} {DELAYED_SOUNDS[event.verb]} at {event.time + delay:.6g} s, after the end of "
            f"the sound ({sound_end:.6g} s), and is inaudible; expected a longer tail")
