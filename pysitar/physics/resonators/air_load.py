"""The air that a disc moves: the mass that it adds to a mode, and the sound that damps it.

The disc lies in an infinite rigid baffle with free air on one side or on both, and each mode moves
alone: the air's coupling of modes of one order is left out. The pressure is then a sum of plane
waves: those longer than the sound's radiate, the others carry mass (Morse & Ingard, Theoretical
Acoustics, section 7.4; of timpani, without a baffle and with a kettle, Christian et al., J. Acoust.
Soc. Am. 76, 1336, 1984). Without a baffle low modes radiate less, and a kettle stiffens those of
order 0.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics.checks import FloatArray
from pysitar.physics.resonators.bessel import bessel_j_array, bracketed_root
from pysitar.physics.resonators.legendre import gauss_legendre
from pysitar.physics.resonators.losses import AIR_DENSITY, SPEED_OF_SOUND

NODES = 8                       # of quadrature over one half wave of the transform
ITERATIONS = 60
FASTEST = 100.0                 # of omega radius over the speed of sound
CLOSE = 1e-11                   # of a frequency
Transform = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class BesselSum:
    """A radial shape as a sum of J_n(z r) / J_(n+1)(z) over zeros z of J_n, 0 <= r <= 1.

    Parameters: order n; zeros z; weights. """

    order: int
    zeros: Sequence[float]
    weights: Sequence[float]

    def transform(self, x: FloatArray) -> FloatArray:
        """Return the integral of shape(r) J_n(x r) r over r from 0 to 1, for each x > 0."""
        total = np.zeros(x.shape)
        for z, weight in zip(self.zeros, self.weights, strict=True):
            # at a zero itself the quotient would be 0 / 0
            x = np.where(np.abs(x - z) < 1e-8 * z, z * (1.0 + 1e-8), x)
            total += weight * z / ((z - x) * (z + x))
        return total * bessel_j_array(self.order, x)

    @property
    def reach(self) -> float:
        """A wave number above which the transform is small."""
        return 2.0 * self.zeros[0] + 40.0


def loaded_mode(omega: float, *, mass: float, radius: float, sides: int, order: int,
                transform: Transform, reach: float) -> tuple[float, float, float]:
    """Return angular frequency (rad/s), decay rate (1/s) and mass (kg) of a mode with its air.

    Parameters: omega in a vacuum (rad/s); mass (kg), of a shape whose mean square is 1; radius (m);
    sides, 1 or 2; order n; the transform of the radial shape, and the wave number, times radius, up
    to which it counts.
    """
    if omega * radius > FASTEST * SPEED_OF_SOUND:
        raise ParameterError(
            "air_sides", sides, f"a mode at {omega / (2.0 * math.pi):g} Hz is far faster than "
            "sound along the membrane; expected 0, less tension or a higher surface_density")

    def total_mass(frequency: float) -> float:
        return mass + sides * added_mass(frequency, radius=radius, order=order,
                                         transform=transform, reach=reach)

    loaded = omega
    for _ in range(ITERATIONS):
        total = total_mass(loaded)
        before, loaded = loaded, omega * math.sqrt(mass / total)
        if abs(loaded - before) <= CLOSE * omega:
            break
    else:                       # a light head: the iteration goes to and fro
        def excess(frequency: float) -> float:
            return frequency - omega * math.sqrt(mass / total_mass(frequency))

        loaded = bracketed_root(excess, 0.0, omega, excess(0.0), excess(omega))
        total = total_mass(loaded)
    resistance = sides * radiation_resistance(loaded, radius=radius, order=order,
                                              transform=transform)
    return loaded, 0.5 * resistance / total, total


def added_mass(omega: float, *, radius: float, order: int, transform: Transform,
               reach: float) -> float:
    """Return the mass (kg) of the air on one side that moves with a mode of angular frequency omega
    (rad/s)."""
    sound = omega * radius / SPEED_OF_SOUND
    nodes, weights = _pieces(reach)
    values = transform(np.sqrt(sound * sound + nodes * nodes))
    total = math.fsum((weights * (values * values)).tolist())
    # beyond, the square falls as 1 / x^5 for a shape that is 0 at the edge
    last = values[-2 * NODES:]
    mean = math.fsum((last * last).tolist()) / last.size
    total += 0.25 * reach * mean
    return _factor(order) * radius * radius * radius * total


def radiation_resistance(omega: float, *, radius: float, order: int,
                         transform: Transform) -> float:
    """Return the resistance (kg/s) of the sound that a mode radiates to one side."""
    sound = omega * radius / SPEED_OF_SOUND
    count = 16 + 2 * math.ceil(sound)
    nodes, weights = gauss_legendre(count)
    angles = [0.25 * math.pi * (1.0 + s) for s in nodes.tolist()]
    sines = np.array([elementary.sin(angle) for angle in angles])
    values = transform(sound * sines)
    total = 0.25 * math.pi * math.fsum((weights * (values * values * sines)).tolist())
    return _factor(order) * omega * radius * radius * radius * sound * total


def _factor(order: int) -> float:
    return (2.0 if order == 0 else 1.0) * math.pi * AIR_DENSITY


def _pieces(reach: float) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of quadrature from 0 to a reach, in pieces of about half a wave."""
    count = math.ceil(reach / math.pi)
    width = reach / count
    nodes, weights = gauss_legendre(NODES)
    starts = np.arange(count, dtype=np.float64)[:, None]
    return (np.ravel((starts + 0.5 * (1.0 + nodes)) * width),
            np.ravel(np.zeros((count, 1)) + weights * (0.5 * width)))
