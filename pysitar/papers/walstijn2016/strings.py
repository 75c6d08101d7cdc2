"""The two strings of van Walstijn & Bridges 2016: an ideal string above a straight barrier, and a
sitar string above a parabola."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

import pysitar
from pysitar.physics.checks import FloatArray

PAPER = "van Walstijn & Bridges 2016"
RATE, OVERSAMPLED = 44100, 705600           # Hz
CUT = 20e3                                  # Hz, the highest mode
STIFFNESS = 1e9                             # N/m^2
# m, of the ideal string: the paper gives none; with exponent 1 all results are proportional to it
AMPLITUDE = 1e-3
# m: height and position of the triangle from which the sitar string starts; the paper gives none
HEIGHT, PLUCKED = 3e-3, 0.35
MS = 1e3                                    # milliseconds in a second
IDEAL = pysitar.String(length=0.5, tension=64.0, linear_density=5e-4)
SITAR = pysitar.String(length=0.5, tension=50.0, linear_density=5.55e-4, bending_stiffness=7.95e-5,
                       sigma0=0.6, sigma1=6.5e-3, sigma3=5e-6)
BRIDGE = pysitar.parabola(start=0.0, extent=0.03, height=56.25e-6)          # -x (x - 0.03) / 4


def bridge(stiffness: float = STIFFNESS) -> pysitar.Barrier:
    """Return the barrier of the sitar, with ten points.  Parameters: stiffness (N/m^2)."""
    return pysitar.Barrier(profile=BRIDGE, start=0.0, end=0.03, points=10,
                           law=pysitar.ContactLaw(stiffness=stiffness))


def sitar(scheme: str = "two-point", *, rate: float = RATE, stiffness: float = STIFFNESS,
          scale: float = 1.0, plucked: float = PLUCKED) -> pysitar.StringSimulation:
    """Return the simulation of the sitar string, released from its triangle.

    Parameters: scale, factor of the height of the triangle; plucked, its position (m).
    """
    sim = pysitar.StringSimulation(string=SITAR, barriers=[bridge(stiffness)], sample_rate=rate,
                                   scheme=scheme, max_frequency=CUT)
    sim.set_displacement(triangle=(plucked, HEIGHT * scale))
    return sim


def triangle(wave_numbers: FloatArray, plucked: float = PLUCKED) -> FloatArray:
    """Return the modal displacements (m) of the triangle of the sitar string.

    Parameters: plucked, its position (m).
    """
    b, rest = wave_numbers, SITAR.length - plucked
    return np.asarray(2.0 * HEIGHT * np.sin(b * plucked) / (b * b * plucked * rest))


def straight(points: int, stiffness: float = STIFFNESS) -> pysitar.Barrier:
    """Return the barrier of the ideal string, half an amplitude below it, of equally spaced
    points."""
    spacing = IDEAL.length / (points + 1)
    return pysitar.Barrier.at(positions=[(k + 1) * spacing for k in range(points)],
                              heights=[-0.5 * AMPLITUDE] * points, weights=[spacing] * points,
                              law=pysitar.ContactLaw(stiffness=stiffness))


def ideal(
    scheme: str = "two-point",
    *,
    rate: float = RATE,
    stiffness: float = STIFFNESS,
    cut: float | None = None,
) -> pysitar.StringSimulation:
    """Return the simulation of the ideal string, released from its first mode, with as many points
    as modes.

    Parameters: cut, the limit of the modes (Hz; None: rate / 2).
    """
    first = IDEAL.angular_frequency(1) / (2.0 * math.pi)
    modes = math.ceil((0.5 * rate if cut is None else cut) / first) - 1
    options: dict[str,
                  Any] = {"string": IDEAL, "sample_rate": rate, "scheme": scheme, "modes": modes}
    sim = pysitar.StringSimulation(barriers=[straight(modes, stiffness)], **options)
    sim.set_displacement(modal=[AMPLITUDE] + [0.0] * (modes - 1))
    return sim


def period_ratio(mode: FloatArray, period: float, *, around: float = 1.5) -> float:
    """Return the time of a maximum of the first mode, over the free period.

    The displacement at the middle has another maximum at 0.75 of the period.
    Parameters: mode, its displacement at each step; period, of the free string (steps); around, the
    expected time of the maximum (periods).
    """
    first, last = math.ceil((around - 0.2 * around / 1.5) * period), math.floor(
        (around + 0.2 * around / 1.5) * period)
    at = first + int(np.argmax(mode[first:last + 1]))
    before, here, after = mode[at - 1:at + 2].tolist()
    return float(at + 0.5 * (before - after) / (before - 2.0 * here + after)) / period


def roughness(signal: FloatArray) -> float:
    """Return the root mean square of the second difference."""
    return float(np.sqrt(np.mean(np.square(np.diff(signal, 2)))))
