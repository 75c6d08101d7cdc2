"""Closed forms of a contact, by name: what a scheme can be compared with."""
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

__all__ = [
    "Trajectory", "contact_time", "fitted_output_velocity", "hysteresis", "max_compression", "output_velocity", "restitution", "trajectory",
]
