"""Events that begin to sound only when the piece is over, or never."""
from __future__ import annotations

import math

from pysitar.errors import ParameterError, Place, Problem
from pysitar.kernels.core import elementary
from pysitar.models.definitions.masses import MassSpec
from pysitar.models.objects.rolling_path import GRAVITY
from pysitar.physics.lossless_contact import oscillator_orbit
from pysitar.rendering.options import Options
from pysitar.rendering.plan import BoundEvent, VoicePlan

DELAYED_SOUNDS = {"pluck": "is let go", "throw": "meets its barrier", "drop": "meets its object"}          # later than it begins


def inaudible_events(voice: VoicePlan, options: Options, end: float) -> list[Problem]:
    """A warning for each row of a voice that is not heard before the sound is over; end, the latest start + duration of all events (s).

    With tail=auto the sound waits for what is still to come.
    """
    end_of_sound = math.inf if options.tail is None else end + options.tail
    masses = {part.name: part.spec for part in voice.parts if isinstance(part.spec, MassSpec)}
    found: dict[tuple[str, Place], str] = {}
    for event in voice.events:
        if event.verb == "fret":          # its glide comes before it
            continue
        delay = sound_delay(event, masses.get(event.part))
        if event.time + delay + 1.0 / options.rate > end_of_sound or delay == math.inf:
            found.setdefault((event.part, event.place), _message(f"{voice.name}.{event.part}", event, delay, end_of_sound))
    return [Problem(place, message) for (_, place), message in found.items()]


def sound_delay(event: BoundEvent, mass: MassSpec | None = None) -> float:
    """How long (s) after its start an event is heard first; inf for a mass that never meets its barrier."""
    if event.verb == "pluck":
        return event.values.get("ramp", 0.0)
    if event.verb == "drop":
        return math.sqrt(2.0 * event.values["height"] / GRAVITY)
    return 0.0 if mass is None else _flight_time(mass, event.values["velocity"], event.values["gap"])


def _flight_time(mass: MassSpec, velocity: float, gap: float) -> float:
    """How long (s) a mass flies before it meets its barrier first."""
    if mass.frequency == 0.0:
        return gap / velocity if velocity > 0.0 else math.inf
    omega = 2.0 * math.pi * mass.frequency
    position = mass.barrier - gap
    try:
        orbit = oscillator_orbit(mass=mass.mass, stiffness=mass.stiffness, exponent=mass.exponent, frequency=mass.frequency,
                                 position=position, velocity=velocity, barrier=mass.barrier)
    except ParameterError:          # one whose spring presses it on a barrier below its rest is there from the start
        return 0.0 if mass.barrier < 0.0 else math.inf
    phase = -elementary.atan2(orbit.impact_speed / omega, mass.barrier) - elementary.atan2(-velocity / omega, position)
    return phase % (2.0 * math.pi) / omega


def _message(name: str, event: BoundEvent, delay: float, end_of_sound: float) -> str:
    if delay == math.inf:
        return f"{name} never meets its barrier and is not heard; expected a higher velocity"
    if delay == 0.0:
        return f"{name}: {event.verb} begins at {event.time:g} s, when the sound is over, and is not heard; expected a longer tail"
    return (f"{name} {DELAYED_SOUNDS[event.verb]} at {event.time + delay:.6g} s, when the sound is "
            f"over ({end_of_sound:.6g} s), and is not heard; a longer tail would be right")
