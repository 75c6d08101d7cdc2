"""Contacts of masses and balls that are too short for the rate of the simulation."""
from __future__ import annotations

import math
from dataclasses import dataclass

from pysitar.errors import ParameterError, Place, Problem
from pysitar.models.mass import MassSpec
from pysitar.models.rolled_track import GRAVITY
from pysitar.physics.hunt_crossley import contact_time
from pysitar.physics.lossless_contact import lossless_contact_time, oscillator_orbit, scheme_contact_time
from pysitar.rendering.options import HIGHEST_INTERNAL_RATE, Options
from pysitar.rendering.plan import BoundEvent, StringPlan, VoicePlan

BLOWS = frozenset(("throw", "strike", "drop"))
SHORTEST = 2.0                  # steps: a shorter contact is told
LEAST = {"two-point": 1.0, "three-point": 2.0}          # steps, of the shortest contact that a scheme can make
KERNELS = {"two-point": "two-point", "iterative": "three-point", "three-point": "three-point"}          # whose error has a closed form


@dataclass(frozen=True, slots=True)
class Contact:
    """A contact to come: how long it lasts exactly (s); exponent; speed at which it begins (m/s); corrected, that its stiffness is."""

    duration: float
    exponent: float
    speed: float
    corrected: bool = False


def short_contacts(voice: VoicePlan, options: Options) -> list[Problem]:
    """A warning where a mass or a ball of a voice is first in such a contact of less than two steps of the simulation."""
    strings = {part.name for part in voice.parts if isinstance(part, StringPlan)}
    specs = {part.name: part.spec for part in voice.parts}
    told: dict[tuple[object, ...], str] = {}
    found: dict[str, Place] = {}          # each message where it is true first
    for event in voice.events:
        # a string gives way in waves: a hammer's contact with it is longer, and no such time
        if event.verb not in BLOWS or event.part in strings:
            continue
        key = (event.part, event.verb, *event.values.items())
        if key not in told:
            spec = specs[event.part]
            contact = thrown(spec, event) if isinstance(spec, MassSpec) else struck(event)
            told[key] = "" if contact is None else _message(f"{voice.name}.{event.part}", voice.spec.scheme, contact, options)
        if told[key]:
            found.setdefault(told[key], event.place)
    return [Problem(place, message) for message, place in found.items()]


def thrown(mass: MassSpec, event: BoundEvent) -> Contact | None:
    """The contact of a mass that is thrown; None when it never comes to one."""
    velocity, gap = event.values["velocity"], event.values["gap"]
    try:
        if mass.frequency > 0.0:
            orbit = oscillator_orbit(mass=mass.mass, stiffness=mass.stiffness, exponent=mass.exponent, frequency=mass.frequency,
                                     position=mass.barrier - gap, velocity=velocity, barrier=mass.barrier)
            return Contact(orbit.contact_time, mass.exponent, orbit.impact_speed, mass.corrected)
        duration = lossless_contact_time(mass=mass.mass, stiffness=mass.stiffness, exponent=mass.exponent, velocity=velocity)
    except ParameterError:
        return None
    return Contact(duration, mass.exponent, velocity, mass.corrected)


def struck(event: BoundEvent) -> Contact | None:
    """The contact of a ball with its object, as if this were a rigid wall; None beyond the closed form."""
    values = event.values
    speed = values["velocity"] if event.verb == "strike" else math.sqrt(2.0 * GRAVITY * values["height"])
    try:
        duration = contact_time(mass=values["mass"], stiffness=values["stiffness"], exponent=values["exponent"],
                                hysteresis=values["damping"], velocity=speed)
    except ParameterError:
        return None
    return Contact(duration, values["exponent"], speed)


def _message(name: str, scheme: str, contact: Contact, options: Options) -> str:
    """What is to be told of a contact ("": nothing)."""
    rate = options.internal_rate
    kernel = KERNELS.get(scheme)
    steps = contact.duration * rate
    shortest = SHORTEST if kernel is None or not contact.corrected else LEAST[kernel]
    if not steps < shortest:
        return ""
    made = f"the {scheme} scheme "
    if kernel is None:
        made += f"is off by a step or more ({1e6 / rate:.3g} us), either way"
    elif contact.corrected:
        made += f"makes none under {LEAST[kernel]:g}, corrected or not"
    else:
        made += f"makes it about {_made(kernel, contact, rate)}"
    return (f"{name} at {contact.speed:.3g} m/s is in contact for {1e6 * contact.duration:.3g} us, {steps:.2g} steps of the simulation; "
            f"{made}; {_cure(kernel, contact, options, shortest)}")


def _made(kernel: str, contact: Contact, rate: float) -> str:
    """How long a scheme makes a contact."""
    lasting = scheme_contact_time(scheme=kernel, contact_time=contact.duration, exponent=contact.exponent, sample_rate=rate)
    return f"{1e6 * lasting:.3g} us ({100.0 * (lasting / contact.duration - 1.0):+.0f} %)"


def _cure(kernel: str | None, contact: Contact, options: Options, steps: float) -> str:
    """What would give a contact so many steps."""
    needed = math.ceil(steps / (contact.duration * options.rate))
    if not contact.duration * (options.rate * needed) >= steps:          # rounding
        needed += 1
    rate = needed * options.rate
    if needed > options.most_oversample:
        return f"no oversample up to {HIGHEST_INTERNAL_RATE / 1e6:g} MHz gives it {steps:g}; a softer contact would be right"
    gives = f"oversample={needed} gives it {steps:g}"
    if kernel is None or contact.corrected:
        return gives
    return f"{gives}, and {_made(kernel, contact, rate)}"
