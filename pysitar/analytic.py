"""Closed-form solutions of a contact, to compare a scheme with: duration, compression, restitution,
and the motion of a mass or an oscillator against a barrier; the static displacement of a string.
"""
from pysitar.physics.hunt_crossley import (
    Trajectory,
    contact_time,
    fitted_output_velocity,
    hysteresis,
    max_compression,
    output_velocity,
    restitution,
    trajectory,
)
from pysitar.physics.lossless_contact import (
    OscillatorOrbit,
    corrected_beta,
    duration_excess,
    lossless_contact_time,
    lossless_max_compression,
    lossless_motion,
    oscillator_orbit,
    stiffness_correction,
)
from pysitar.physics.string_compliance import string_compliance

__all__ = [
    "OscillatorOrbit",
    "Trajectory",
    "contact_time",
    "corrected_beta",
    "duration_excess",
    "fitted_output_velocity",
    "hysteresis",
    "lossless_contact_time",
    "lossless_max_compression",
    "lossless_motion",
    "max_compression",
    "oscillator_orbit",
    "output_velocity",
    "restitution",
    "stiffness_correction",
    "string_compliance",
    "trajectory",
]
