"""Decay rates of a resonator's modes: by its material, and by the sound that it radiates.

Air at 20 degrees Celsius. The laws of radiation are for single plates and bars in the open; they
hold to a factor of 2, and say how decay grows with frequency, thickness and density.
"""
from __future__ import annotations

import math

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics.checks import FloatArray, array_of

AIR_DENSITY = 1.204             # kg/m^3
SPEED_OF_SOUND = 343.2          # m/s


def decay_by_material(loss_factor: float, omega: float) -> float:
    """Return the decay rate (1/s) of a mode of angular frequency omega (rad/s) by a loss factor."""
    return 0.5 * loss_factor * omega


def decay_of_plate_in_air(omega: float, *, surface_density: float, stiffness: float, area: float,
                          perimeter: float) -> float:
    """Return the decay rate (1/s) by what both faces of a plate radiate: rho c efficiency / (rho_p
    h).

    Parameters: omega (rad/s); surface_density (kg/m^2); stiffness D (N m); area (m^2); perimeter
    (m).
    """
    efficiency = radiation_efficiency(omega, surface_density=surface_density, stiffness=stiffness,
                                      area=area, perimeter=perimeter)
    return AIR_DENSITY * SPEED_OF_SOUND * efficiency / surface_density


def radiation_efficiency(omega: float, *, surface_density: float, stiffness: float, area: float,
                         perimeter: float) -> float:
    """Return the power that a plate's bending waves radiate over that of a piston of the same area
    and mean square velocity.

    Above the critical frequency that of an infinite plate, below it the mean over the modes of a
    plate in a baffle (Leppington, Broadbent & Heron 1982), both at most the latter's value at the
    critical frequency. Without a baffle it is less, at low frequencies by far.
    """
    critical = SPEED_OF_SOUND * SPEED_OF_SOUND * math.sqrt(surface_density / stiffness)
    wave_number = omega / SPEED_OF_SOUND
    highest = 0.35 * math.sqrt(wave_number * math.sqrt(area))
    ratio = omega / critical
    if ratio == 1.0:
        return highest
    if ratio > 1.0:
        return min(1.0 / math.sqrt(1.0 - 1.0 / ratio), max(highest, 1.0))
    mu = math.sqrt(1.0 / ratio)
    excess = mu * mu - 1.0
    # ln((mu + 1) / (mu - 1)) without cancellation for a large mu
    logarithm = elementary.log1p(2.0 / (mu - 1.0))
    return min(highest, perimeter / (2.0 * math.pi * wave_number * area * mu * math.sqrt(excess))
               * (logarithm + 2.0 * mu / excess))


def decay_of_bar_in_air(omega: float, *, width: float, thickness: float, density: float) -> float:
    """Return the decay rate (1/s) by what a bar radiates as a line of dipoles.

    The power per length of a strip at low frequency, with the dipole of its added and its displaced
    mass (for a cylinder Morse & Ingard, Theoretical Acoustics, section 7.3, is this), beside that
    of two pistons at high frequency. Below the bar's critical frequency, where neighbouring waves
    cancel, it is too much.

    Parameters: omega (rad/s); width and thickness (m); density (kg/m^3).
    """
    half = 0.5 * width
    section = math.pi * half * half + width * thickness
    low = AIR_DENSITY * omega * omega * omega * section * section / (
        8.0 * SPEED_OF_SOUND * SPEED_OF_SOUND)
    high = 2.0 * AIR_DENSITY * SPEED_OF_SOUND * width
    return 0.5 * low * high / ((low + high) * density * width * thickness)


def checked_decay_rates(rates: list[float], omegas: list[float]) -> FloatArray:
    """Return decay rates (1/s) as an array, if every mode oscillates.  Errors: ParameterError."""
    for i, (rate, omega) in enumerate(zip(rates, omegas, strict=True), start=1):
        if not rate < omega:
            raise ParameterError("decay rate", rate, (
                f"mode {i} at {omega / (2.0 * math.pi):.6g} Hz would not oscillate; expected less "
                f"loss, or a denser or thicker resonator"))
    return array_of(rates)
