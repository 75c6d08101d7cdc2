"""Contacts of masses and balls that are too short for the rate of the simulation."""
from __future__ import annotations

import math
from dataclasses import dataclass

from pysitar.errors import ParameterError, Place, Problem
from pysitar.kernels.core import elementary
from pysitar.models.definitions.masses import MassSpec
from pysitar.models.objects.rolling_path import GRAVITY
from pysitar.physics.hunt_crossley import SLOWEST, SOFTEST, compression_time, contact_time
from pysitar.physics.lossless_contact import lossless_contact_time, oscillator_orbit, scheme_contact_time
from pysitar.rendering.options import HIGHEST_INTERNAL_RATE, Options
from pysitar.rendering.plan import BoundEvent, StringPlan, VoicePlan

IMPACT_VERBS = frozenset(("throw", "strike", "drop"))
SHORTEST = 2.0                  # steps: a shorter contact is reported
DAMPED = 2.0                    # damping times speed, from which the lossless scheme's duration says nothing of the damped one's
CREEP_THRESHOLD = 5.0                  # the same, from which a contact is pressed in for under a quarter of its time and then creeps out
SHORTEST_COMPRESSION = 0.5                # steps: a shorter compression of such a contact is reported; at 5 the contact then lasts 2 steps
SHORTEST_POSSIBLE = {"two-point": 1.0, "three-point": 2.0}          # steps, of the shortest contact that a scheme can make
NO_OVERSAMPLE = f"no oversample up to {HIGHEST_INTERNAL_RATE / 1e6:g} MHz"
ANALYTIC_KERNELS = {"two-point": "two-point", "iterative": "three-point", "three-point": "three-point"}          # whose error has a closed form


@dataclass(frozen=True, slots=True)
class Contact:
    """A contact to come.

    Parameters: duration, exact (s); exponent; speed at which it begins (m/s); corrected, that its stiffness is; damping_ratio, its damping times
    speed; compression, how long it is compressed for (s), where it is damped so heavily that it creeps out.
    """

    duration: float
    exponent: float
    speed: float
    corrected: bool = False
    damping_ratio: float = 0.0
    compression: float | None = None


def short_contacts(voice: VoicePlan, options: Options) -> list[Problem]:
    """A warning where a mass or a ball of a voice is first in such a contact of less than two steps of the simulation."""
    strings = {part.name for part in voice.parts if isinstance(part, StringPlan)}
    specs = {part.name: part.spec for part in voice.parts}
    messages: dict[tuple[object, ...], str] = {}
    found: dict[str, Place] = {}          # each message where it is true first
    for event in voice.events:
        # a string gives way in waves: a hammer's contact with it is longer, and no such time
        if event.verb not in IMPACT_VERBS or event.part in strings:
            continue
        key = (event.part, event.verb, *event.values.items())
        if key not in messages:
            spec = specs[event.part]
            contact = mass_contact(spec, event) if isinstance(spec, MassSpec) else ball_contact(event)
            messages[key] = "" if contact is None else _message(f"{voice.name}.{event.part}", voice.spec.scheme, contact, options)
        if messages[key]:
            found.setdefault(messages[key], event.place)
    return [Problem(place, message) for message, place in found.items()]


def mass_contact(mass: MassSpec, event: BoundEvent) -> Contact | None:
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


def ball_contact(event: BoundEvent) -> Contact | None:
    """The contact of a ball with its object, as if this were a rigid wall; None where it has no speed, or is soft beyond the closed form.

    The time goes with the speed as speed^((1 - a) / (1 + a)), a the exponent, at the same damping times speed.
    """
    values = event.values
    exponent, stiffness = values["exponent"], values["stiffness"]
    speed = values["velocity"] if event.verb == "strike" else math.sqrt(2.0 * GRAVITY * values["height"])
    if speed == 0.0 or stiffness < SOFTEST:
        return None
    speed_ratio, damping_ratio = min(1.0, speed / SLOWEST), values["damping"] * speed
    law = {"mass": values["mass"], "stiffness": stiffness, "exponent": exponent, "hysteresis": values["damping"] * speed_ratio,
           "velocity": max(SLOWEST, speed)}
    scale = elementary.pow(speed_ratio, (1.0 - exponent) / (1.0 + exponent))
    compression = scale * compression_time(**law) if damping_ratio >= CREEP_THRESHOLD else None
    return Contact(scale * contact_time(**law), exponent, speed, damping_ratio=damping_ratio, compression=compression)


def _message(name: str, scheme: str, contact: Contact, options: Options) -> str:
    """What is to be reported of a contact ("": nothing)."""
    if contact.compression is not None:
        return _creep_message(name, scheme, contact, contact.compression, options)
    rate, kernel = options.internal_rate, ANALYTIC_KERNELS.get(scheme)
    steps = contact.duration * rate
    shortest = SHORTEST if kernel is None or not contact.corrected else SHORTEST_POSSIBLE[kernel]
    if not steps < shortest:
        return ""
    predicted = kernel is not None and not contact.corrected and contact.damping_ratio < DAMPED
    if kernel is None:
        effect = f"is off by a step or more ({1e6 / rate:.3g} us), either way"
    elif contact.corrected:
        effect = f"makes none under {SHORTEST_POSSIBLE[kernel]:g}, corrected or not"
    else:
        off = f"is off by up to a step ({1e6 / rate:.3g} us), either way"
        effect = f"makes it about {_duration_text(kernel, contact, rate)}" if predicted else off
    needed = _oversample(contact.duration, shortest, options)
    remedy = f"{NO_OVERSAMPLE} gives it {shortest:g}; expected a softer contact"
    if needed is not None:
        remedy = f"oversample={needed} gives it {shortest:g}"
        remedy += f", and {_duration_text(kernel, contact, needed * options.rate)}" if kernel is not None and predicted else ""
    return (f"{name} at {contact.speed:.3g} m/s is in contact for {1e6 * contact.duration:.3g} us, {steps:.2g} steps of the simulation; "
            f"the {scheme} scheme {effect}; {remedy}")


def _creep_message(name: str, scheme: str, contact: Contact, compression: float, options: Options) -> str:
    """As `_message`, of a contact that is compressed for some time (s) and then creeps out."""
    rate = options.internal_rate
    if not compression * rate < SHORTEST_COMPRESSION:
        return ""
    needed = _oversample(compression, SHORTEST_COMPRESSION, options)
    remedy = (f"{NO_OVERSAMPLE} gives it {SHORTEST_COMPRESSION:g}; expected a softer contact, or less damping" if needed is None
            else f"oversample={needed} gives it {SHORTEST_COMPRESSION:g}")
    return (f"{name} at {contact.speed:.3g} m/s is in contact for {1e6 * contact.duration:.3g} us, and compressed for "
            f"{1e6 * compression:.3g} us of it, {compression * rate:.2g} steps of the simulation; the {scheme} scheme takes a step at "
            f"least ({1e6 / rate:.3g} us) for that; {remedy}")


def _duration_text(kernel: str, contact: Contact, rate: float) -> str:
    """How long a scheme makes a contact."""
    lasting = scheme_contact_time(scheme=kernel, contact_time=contact.duration, exponent=contact.exponent, sample_rate=rate)
    return f"{1e6 * lasting:.3g} us ({100.0 * (lasting / contact.duration - 1.0):+.0f} %)"


def _oversample(duration: float, steps: float, options: Options) -> int | None:
    """The least oversample that gives a time (s) so many steps; None where no possible one does."""
    if duration * (options.rate * options.highest_oversample) < steps:
        return None
    needed = math.ceil(steps / (duration * options.rate))
    return needed if duration * (options.rate * needed) >= steps else needed + 1          # rounding
