"""Contacts of masses and balls that are too short for the rate of the simulation."""
from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from pysitar.errors import ParameterError, Place, Problem
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.kernels.core import elementary
from pysitar.models.definitions.masses import MassSpec
from pysitar.models.network.schemes.base import Scheme
from pysitar.models.network.schemes.catalogue import SCHEMES_OF
from pysitar.physics.hunt_crossley import SLOWEST, SOFTEST, compression_time, contact_time
from pysitar.physics.lossless_contact import (
    lossless_contact_time,
    oscillator_orbit,
    scheme_contact_time,
)
from pysitar.physics.units import format_quantity
from pysitar.rendering.lint.table import CheckedVoice
from pysitar.rendering.options import HIGHEST_INTERNAL_RATE, Options
from pysitar.rendering.plan import BoundEvent

SHORTEST = 2.0                  # steps: a shorter contact is reported
DAMPED = 2.0  # damping times speed above which the lossless duration does not apply
# damping times speed above which compression takes less than a quarter of the contact; the rest of
# the contact is slow creep
CREEP_THRESHOLD = 5.0
# steps: a shorter compression of a creeping contact is reported; at CREEP_THRESHOLD such a contact
# lasts 2 steps
SHORTEST_COMPRESSION = 0.5
NO_OVERSAMPLE = f"with no oversample up to {HIGHEST_INTERNAL_RATE / 1e6:g} MHz"


@dataclass(frozen=True, slots=True)
class Contact:
    """A predicted contact.

    Parameters: duration, exact (s); exponent; speed, at its start (m/s); corrected, whether its
    stiffness is corrected for the step; relative_damping, damping times speed; compression, its
    duration (s) where damping is so heavy that the contact ends in slow creep (None: the damping is
    lighter).
    """

    duration: float
    exponent: float
    speed: float
    corrected: bool = False
    relative_damping: float = 0.0
    compression: float | None = None


def short_contacts(checked: CheckedVoice) -> list[Problem]:
    """Return a warning for the first contact of each kind that lasts less than two internal steps.

    Parameters: checked, a voice of masses or objects: a string moves under a hammer, and its
    contact is longer. """
    voice, options, _ = checked
    specs = {part.name: part.spec for part in voice.parts}
    scheme = SCHEMES_OF[voice.spec.model][voice.spec.scheme]
    messages: dict[tuple[object, ...], str] = {}
    found: dict[str, Place] = {}          # the first place of each message
    for event in voice.events:
        speed = BY_MODEL[voice.spec.model][event.verb].impact_speed(event.values)
        if speed is None:
            continue
        key = (event.part, event.verb, *event.values.items())
        if key not in messages:
            spec = specs[event.part]
            contact = (mass_contact(spec, event) if isinstance(spec, MassSpec)
                       else ball_contact(event.values, speed))
            messages[key] = "" if contact is None else _message(f"{voice.name}.{event.part}",
                                                                scheme, contact, options)
        if messages[key]:
            found.setdefault(messages[key], event.place)
    return [Problem(place, message) for message, place in found.items()]


def mass_contact(mass: MassSpec, event: BoundEvent) -> Contact | None:
    """Return the contact of a thrown mass; None when it reaches no barrier."""
    velocity, gap = event.values["velocity"], event.values["gap"]
    try:
        if mass.frequency > 0.0:
            orbit = oscillator_orbit(mass=mass.mass, stiffness=mass.stiffness,
                                     exponent=mass.exponent, frequency=mass.frequency,
                                     position=mass.barrier - gap, velocity=velocity,
                                     barrier=mass.barrier)
            return Contact(orbit.contact_time, mass.exponent, orbit.impact_speed, mass.corrected)
        duration = lossless_contact_time(mass=mass.mass, stiffness=mass.stiffness,
                                         exponent=mass.exponent, velocity=velocity)
    except ParameterError:
        return None
    return Contact(duration, mass.exponent, velocity, mass.corrected)


def ball_contact(values: Mapping[str, float], speed: float) -> Contact | None:
    """Return the contact of a ball of a speed (m/s) with its object, taken as a rigid wall; None at
    speed 0, or if the contact is too soft for the closed form.

    At constant damping times speed, the duration is proportional to speed^((1 - a) / (1 + a)), with
    a the exponent. """
    exponent, stiffness = values["exponent"], values["stiffness"]
    if speed == 0.0 or stiffness < SOFTEST:
        return None
    speed_ratio, relative_damping = min(1.0, speed / SLOWEST), values["damping"] * speed
    law = {
        "mass": values["mass"], "stiffness": stiffness, "exponent": exponent,
        "hysteresis": values["damping"] * speed_ratio, "velocity": max(SLOWEST, speed)
    }
    scale = elementary.pow(speed_ratio, (1.0 - exponent) / (1.0 + exponent))
    compression = scale * compression_time(**law) if relative_damping >= CREEP_THRESHOLD else None
    return Contact(scale * contact_time(**law), exponent, speed, relative_damping=relative_damping,
                   compression=compression)


def _message(name: str, scheme: Scheme, contact: Contact, options: Options) -> str:
    """Return the warning about a contact ("": none)."""
    if contact.compression is not None:
        return _creep_message(name, scheme, contact, contact.compression, options)
    rate, closed_form = options.internal_rate, scheme.closed_form
    steps = contact.duration * rate
    shortest = scheme.shortest_contact if closed_form and contact.corrected else SHORTEST
    if not steps < shortest:
        return ""
    predicted = (closed_form != "" and not contact.corrected
                 and contact.relative_damping < DAMPED)
    if not closed_form:
        effect = f"is off by a step or more ({format_quantity(1.0 / rate, 's')}), longer or shorter"
    elif contact.corrected:
        effect = f"has no contact under {_steps_text(scheme.shortest_contact)}, corrected or not"
    else:
        off = f"is off by up to a step ({format_quantity(1.0 / rate, 's')}), longer or shorter"
        effect = (f"has it last about {_duration_text(closed_form, contact, rate)}" if predicted
                  else off)
    needed = _oversample(contact.duration, shortest, options)
    remedy = f"{NO_OVERSAMPLE} it has {_steps_text(shortest)}; expected a softer contact"
    if needed is not None:
        remedy = f"with oversample={needed} it has {_steps_text(shortest)}"
        if predicted:
            remedy += f", and {_duration_text(closed_form, contact, needed * options.rate)}"
    return (f"{name} at {contact.speed:.3g} m/s is in contact for "
            f"{format_quantity(contact.duration, 's')}, {steps:.2g} internal steps; the "
            f"{scheme.name} scheme {effect}; {remedy}")


def _creep_message(
    name: str, scheme: Scheme, contact: Contact, compression: float, options: Options,
) -> str:
    """Return the warning about a contact with a compression (s) and slow creep ("": none)."""
    rate = options.internal_rate
    if not compression * rate < SHORTEST_COMPRESSION:
        return ""
    needed = _oversample(compression, SHORTEST_COMPRESSION, options)
    remedy = (f"{NO_OVERSAMPLE} it has {SHORTEST_COMPRESSION:g} steps; expected a softer contact, "
              "or less damping" if needed is None
              else f"with oversample={needed} it has {SHORTEST_COMPRESSION:g} steps")
    return (
        f"{name} at {contact.speed:.3g} m/s is in contact for "
        f"{format_quantity(contact.duration, 's')}, and compressed for "
        f"{format_quantity(compression, 's')} of that, {compression * rate:.2g} internal steps; "
        f"the {scheme.name} scheme needs at least a step ({format_quantity(1.0 / rate, 's')}); "
        f"{remedy}"
    )


def _duration_text(closed_form: str, contact: Contact, rate: float) -> str:
    """Return the duration of a contact under a scheme, with its error (%), as text."""
    lasting = scheme_contact_time(scheme=closed_form, contact_time=contact.duration,
                                  exponent=contact.exponent, sample_rate=rate)
    return f"{format_quantity(lasting, 's')} ({100.0 * (lasting / contact.duration - 1.0):+.0f} %)"


def _steps_text(count: float) -> str:
    return f"{count:g} step{'' if count == 1.0 else 's'}"


def _oversample(duration: float, steps: float, options: Options) -> int | None:
    """Return the least oversample at which a time (s) has a number of steps; None: it is too
    high."""
    if duration * (options.rate * options.highest_oversample) < steps:
        return None
    needed = math.ceil(steps / (duration * options.rate))
    return needed if duration * (options.rate * needed) >= steps else needed + 1          # rounding
