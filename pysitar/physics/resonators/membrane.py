"""A circular membrane of even density, with the air that it moves, if requested."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile

from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray, array_of, whole
from pysitar.physics.ranges import Range
from pysitar.physics.resonators.air_load import BesselSum, loaded_mode
from pysitar.physics.resonators.bessel import bessel_j, bessel_j_pair, bessel_zeros
from pysitar.physics.resonators.losses import checked_decay_rates, decay_by_material
from pysitar.physics.resonators.material import LOSS_FACTOR
from pysitar.physics.resonators.plate import SIZE
from pysitar.physics.resonators.polar import PolarMode, modes_of_orders, polar_shapes
from pysitar.physics.resonators.resonator import (
    MAX_MODES,
    ModalSum,
    lowest_modes,
    mode_limits,
    values_on_a_disc,
)

TENSION = Range(unit="N/m", low=1e-3, high=1e8)
SURFACE_DENSITY = Range(unit="kg/m^2", low=1e-6, high=1e3)


@dataclass(frozen=True, kw_only=True, eq=False)
class Membrane(ModalSum):
    """A circular membrane without stiffness, fixed at its edge.

    Its modes are J_n(z r) times cos(n angle) and sin(n angle), z a zero of J_n: two of one
    frequency for each n above 0. With air on its sides a rigid baffle around it is assumed: the
    frequencies fall, the lowest most, and each mode radiates (`pysitar.physics.resonators.air_load`
    has the model and its limits).

    Parameters
    ----------
    radius : float
        1e-3 to 100 (m).
    tension : float
        Force per length of the edge, 1e-3 to 1e8 (N/m).
    surface_density : float
        1e-6 to 1e3 (kg/m^2).
    loss_factor : float, default 0.0
        Share of the energy that the film loses in one radian, 0 to 0.5. Tension loses nothing, so
        it is less than the film's own.
    air_sides : int, default 0
        Sides with free air that moves along: 0 (a vacuum), 1 or 2.
    modes : int, optional
        The number of modes, 1 to 1024.
    max_frequency : float, optional
        Instead of modes: all whose frequency in a vacuum is below it (Hz).
    support_decay : float, default 0.0
        Decay rate of every mode by what holds the membrane, 0 to 1e9 (1/s).

    Attributes
    ----------
    frequencies : ndarray
        Undamped, shape (M,), Hz, in the order of those in a vacuum.
    decay_rates, masses : ndarray
        Shape (M,), 1/s and kg. The mean square of each shape is 1: each mode has the mass of the
        membrane and of its air.

    Raises
    ------
    ParameterError
        For a value out of its range, no mode or too many.

    References
    ----------
    Rayleigh, The Theory of Sound, section 201; Morse & Ingard, Theoretical Acoustics, section 7.4.

    Examples
    --------
    >>> import pysitar
    >>> head = pysitar.Membrane(radius=0.16, tension=2000.0, surface_density=0.26, modes=4)
    >>> (head.frequencies / head.frequencies[0]).round(4).tolist()
    [1.0, 1.5933, 1.5933, 2.1355]
    """

    radius: float
    tension: float
    surface_density: float
    loss_factor: float = 0.0
    air_sides: int = 0
    modes: int | None = None
    max_frequency: float | None = None
    support_decay: float = 0.0
    _modes: list[PolarMode] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        radius = SIZE.number("radius", self.radius)
        density = SURFACE_DENSITY.number("surface_density", self.surface_density)
        tension = TENSION.number("tension", self.tension)
        loss = LOSS_FACTOR.number("loss_factor", self.loss_factor)
        sides = whole("air_sides", self.air_sides, at_least=0, at_most=2)
        support = ranges.RATE_OF_DECAY.number("support_decay", self.support_decay)
        modes, limit = mode_limits(self.modes, self.max_frequency, MAX_MODES)
        scale = math.sqrt(tension / density) / radius
        found = lowest_modes(lambda top: modes_of_orders(zeros_below, top), count=modes,
                             limit=limit / scale, value_of=values_on_a_disc, at_most=MAX_MODES)
        mass = density * math.pi * radius * radius
        omegas, rates, masses = [], [], []
        known: dict[tuple[float, int], tuple[float, float, float]] = {}
        for zero, order, _ in found:
            if (zero, order) not in known:
                known[zero, order] = (scale * zero, 0.0, mass) if sides == 0 else loaded_mode(
                    scale * zero, mass=mass, radius=radius, sides=sides, order=order,
                    transform=BesselSum(order, [zero], [norm(order)]).transform,
                    reach=2.0 * zero + 40.0)
            omega, rate, total = known[zero, order]
            omegas.append(omega)
            rates.append(rate + support + decay_by_material(loss, omega))
            masses.append(total)
        self._set_modes(omegas, checked_decay_rates(rates, omegas), masses)
        object.__setattr__(self, "_modes", found)

    def shape(self, position: tuple[float, float]) -> FloatArray:
        """Return the value of each mode shape at a position.

        Parameters
        ----------
        position : tuple of float
            (r, angle): r as a fraction of the radius, 0 to 1; the angle in radians.

        Returns
        -------
        ndarray
            Shape (M,), of mean square 1 over the membrane.

        Raises
        ------
        ParameterError
            For a position outside the membrane.

        Examples
        --------
        >>> import pysitar
        >>> head = pysitar.Membrane(radius=0.16, tension=2000.0, surface_density=0.26, modes=3)
        >>> head.shape((0.0, 0.0)).round(4).tolist()
        [1.9262, 0.0, 0.0]
        """
        return polar_shapes(position, self._modes, self._radial)

    def volumes(self) -> FloatArray:
        """Return the volume that each mode displaces: its shape's integral over the membrane.

        Returns
        -------
        ndarray
            Shape (M,), m^3 per m; 0 for modes of order above 0.

        Examples
        --------
        >>> import pysitar
        >>> head = pysitar.Membrane(radius=1.0, tension=2000.0, surface_density=0.26, modes=2)
        >>> head.volumes().round(4).tolist()
        [2.6127, 0.0]
        """
        area = math.pi * self.radius * self.radius          # 2 |J_1(z)| / z of it is displaced
        return array_of([0.0 if order else math.copysign(
            2.0 * area / zero, bessel_j_pair(order, zero)[1]) for zero, order, _ in self._modes])

    @property
    def tension_shares(self) -> FloatArray:
        """The share of each mode's stiffness that is the tension's: all of it.

        Returns
        -------
        ndarray
            Shape (M,), 1.
        """
        return array_of([1.0] * self.count)

    def _radial(self, r: float) -> list[float]:
        return [radial_shape(order, zero, r) for zero, order, _ in self._modes]


@lru_cache(maxsize=1024)
def first_zeros(order: int, top: int) -> tuple[float, ...]:
    """Return the zeros of J_order below a whole number."""
    return tuple(takewhile(lambda zero: zero < top, bessel_zeros(order, float(top))))


def zeros_below(order: int, top: float) -> list[float]:
    """Return the zeros of J_order below a limit, rising."""
    return [zero for zero in first_zeros(order, math.ceil(top)) if zero < top]


def norm(order: int) -> float:
    """Return J_(order+1)(z) times the factor with which J_order(z r) has the mean square 1 over a
    disc, with its cosine."""
    return 1.0 if order == 0 else math.sqrt(2.0)


def radial_shape(order: int, zero: float, r: float) -> float:
    """Return the radial shape of a mode at r, 0 to 1."""
    if r == 1.0:
        return 0.0
    return norm(order) * bessel_j(order, zero * r) / abs(bessel_j_pair(order, zero)[1])
