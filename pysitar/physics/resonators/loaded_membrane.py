"""A circular membrane whose density changes along its radius, such as the head of a tabla."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from pysitar.errors import ParameterError
from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray, array_of, number, whole
from pysitar.physics.ranges import Range
from pysitar.physics.resonators.air_load import BesselSum, loaded_mode
from pysitar.physics.resonators.bessel import bessel_j_array, bessel_j_pair
from pysitar.physics.resonators.eigenproblem import generalised_eigen, multiply
from pysitar.physics.resonators.legendre import mean_products
from pysitar.physics.resonators.line_elements import (
    Element,
    add_block,
    coefficients,
    number_unknowns,
)
from pysitar.physics.resonators.losses import (
    AIR_DENSITY,
    SPEED_OF_SOUND,
    checked_decay_rates,
    decay_by_material,
)
from pysitar.physics.resonators.material import LOSS_FACTOR
from pysitar.physics.resonators.membrane import SURFACE_DENSITY, TENSION, first_zeros
from pysitar.physics.resonators.plate import SIZE
from pysitar.physics.resonators.polar import PolarMode, modes_of_orders, polar_shapes
from pysitar.physics.resonators.resonator import (
    ModalSum,
    lowest_modes,
    mode_limits,
    values_on_a_disc,
)

MAX_LOADED = 300                # modes
MOST_PIECES = 12                # of the load
NARROWEST = 1e-3                # piece, of the radius: narrower ones lose digits of the frequencies
VOLUME = Range(unit="m^3", low=1e-9, high=1e3)
LOAD = Range(unit="kg/m^2", low=0.0, high=SURFACE_DENSITY.high)


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadedMembrane(ModalSum):
    """A circular membrane without stiffness, fixed at its edge, with a load around its centre.

    Along the radius it is solved by Ritz's method with polynomials between the corners of the load,
    to 1e-8 of each frequency.

    Parameters
    ----------
    radius : float
        1e-3 to 100 (m).
    tension : float
        Force per length of the edge, 1e-3 to 1e8 (N/m).
    surface_density : float
        Of the skin alone, 1e-6 to 1e3 (kg/m^2).
    load : sequence of (float, float), default ()
        Corners (r, density) of what lies on the skin: r as a fraction of the radius, rising from 0
        to at most 1, the density 0 to 1e3 (kg/m^2), straight between two corners, 0 after the last.
        Two corners at one r are a step; others lie at least 1e-3 apart, and from 1. At most 13.
    cavity : float, optional
        Volume of the closed shell, 1e-9 to 1e3 (m^3), whose air stiffens the modes of order 0; for
        frequencies whose wavelength is far over the shell.
    loss_factor : float, default 0.0
        Share of the energy that the film loses in one radian, 0 to 0.5.
    air_sides : int, default 0
        Sides with free air that moves along, as in `Membrane`: 0, 1 or 2.
    modes : int, optional
        The number of modes, 1 to 300.
    max_frequency : float, optional
        Instead of modes: all whose frequency without free air is below it (Hz).
    support_decay : float, default 0.0
        Decay rate of every mode by what holds the membrane, 0 to 1e9 (1/s).

    Attributes
    ----------
    frequencies : ndarray
        Undamped, shape (M,), Hz, in the order of those without free air.
    decay_rates, masses : ndarray
        Shape (M,), 1/s and kg. The mean square of each shape, weighted by density, is 1: each mode
        has the mass of the membrane with its load, and of its air.

    Raises
    ------
    ParameterError
        For a value out of its range, a load whose corners do not rise, no mode or too many.

    References
    ----------
    Raman, Proc. Indian Acad. Sci. A1, 179 (1934), who measured 1:2:3:4:5; Ramakrishna & Sondhi, J.
    Acoust. Soc. Am. 26, 523 (1954): a step of the density.

    Examples
    --------
    A step to nearly ten times the density, at 0.4 of the radius, is Ramakrishna and Sondhi's tabla:

    >>> import pysitar
    >>> head = pysitar.LoadedMembrane(radius=0.07, tension=1500.0, surface_density=0.3, modes=9,
    ...                               load=[(0.0, 2.63), (0.4, 2.63)])
    >>> (2.0 * head.frequencies / head.frequencies[1]).round(2).tolist()
    [1.03, 2.0, 2.0, 3.04, 3.04, 3.15, 4.1, 4.1, 4.23]
    """

    radius: float
    tension: float
    surface_density: float
    load: Sequence[tuple[float, float]] = ()
    cavity: float | None = None
    loss_factor: float = 0.0
    air_sides: int = 0
    modes: int | None = None
    max_frequency: float | None = None
    support_decay: float = 0.0
    _modes: list[PolarMode] = field(init=False, repr=False)
    _head: _Head = field(init=False, repr=False)

    def __post_init__(self) -> None:
        radius = SIZE.number("radius", self.radius)
        tension = TENSION.number("tension", self.tension)
        density = SURFACE_DENSITY.number("surface_density", self.surface_density)
        loss = LOSS_FACTOR.number("loss_factor", self.loss_factor)
        sides = whole("air_sides", self.air_sides, at_least=0, at_most=2)
        support = ranges.RATE_OF_DECAY.number("support_decay", self.support_decay)
        stiffness = 0.0
        if self.cavity is not None:
            # rho c^2 (pi a^2)^2 / V times the mean of the shape squared, over 2 pi T
            square = radius * radius
            stiffness = (2.0 * math.pi * AIR_DENSITY * SPEED_OF_SOUND * SPEED_OF_SOUND * square
                         * square / (VOLUME.number("cavity", self.cavity) * tension))
        modes, limit = mode_limits(self.modes, self.max_frequency, MAX_LOADED)
        corners = [(r, load / density) for r, load in checked_load(self.load)]
        scale = math.sqrt(tension / density) / radius
        head = _Head(corners, stiffness, modes, limit / scale)
        found = lowest_modes(lambda top: modes_of_orders(head.values_below, top), count=modes,
                             limit=limit / scale, value_of=head.value_of, at_most=MAX_LOADED)
        mass = density * math.pi * radius * radius * head.mean_density
        omegas, rates, masses = [], [], []
        known: dict[tuple[float, int], tuple[float, float, float]] = {}
        for value, order, _ in found:
            if (value, order) not in known:
                known[value, order] = (scale * value, 0.0, mass) if sides == 0 else head.with_air(
                    scale * value, value, order, mass=mass, radius=radius, sides=sides)
            omega, rate, total = known[value, order]
            omegas.append(omega)
            rates.append(rate + support + decay_by_material(loss, omega))
            masses.append(total)
        self._set_modes(omegas, checked_decay_rates(rates, omegas), masses)
        object.__setattr__(self, "_modes", found)
        object.__setattr__(self, "_head", head)

    def shape(self, position: tuple[float, float]) -> FloatArray:
        """Return the value of each mode shape at a position.

        Parameters
        ----------
        position : tuple of float
            (r, angle): r as a fraction of the radius, 0 to 1; the angle in radians.

        Returns
        -------
        ndarray
            Shape (M,), of mean square 1, weighted by density.

        Raises
        ------
        ParameterError
            For a position outside the membrane.

        Examples
        --------
        >>> import pysitar
        >>> head = pysitar.LoadedMembrane(radius=0.07, tension=1500.0, surface_density=0.3, modes=3)
        >>> head.shape((1.0, 0.0)).tolist()
        [0.0, 0.0, 0.0]
        """
        return polar_shapes(position, self._modes, self._radial)

    @property
    def tension_shares(self) -> FloatArray:
        """The share of each mode's stiffness that is the tension's; the rest is the cavity's.

        Returns
        -------
        ndarray
            Shape (M,), 0 to 1; 1 for modes of order above 0.
        """
        return array_of([1.0 - self._head.cavity_share(value, order)
                         for value, order, _ in self._modes])

    def _radial(self, r: float) -> list[float]:
        return self._head.shapes(self._modes, r)


def checked_load(load: object) -> list[tuple[float, float]]:
    """Return the corners of a load.  Errors: ParameterError."""
    if not isinstance(load, Sequence) or isinstance(load, str) or len(load) > MOST_PIECES + 1:
        raise ParameterError("load", load,
                             f"expected at most {MOST_PIECES + 1} corners (r, density)")
    corners: list[tuple[float, float]] = []
    for i, corner in enumerate(load):
        if not isinstance(corner, Sequence) or len(corner) != 2:
            raise ParameterError(f"load[{i}]", corner, "expected a pair (r, density)")
        r = number(f"load[{i}] r", corner[0], "", at_least=0.0, at_most=1.0)
        if (i == 0 and r != 0.0) or (corners and r < corners[-1][0]):
            raise ParameterError(f"load[{i}] r", r, "expected 0 first, then rising values")
        apart = min(r - corners[-1][0] if corners else 1.0, 1.0 - r)
        if 0.0 < apart < NARROWEST:
            raise ParameterError(f"load[{i}] r", r, f"{apart:.3g} from the corner before or the "
                                 f"edge; expected at least {NARROWEST:g}, or 0 for a step")
        corners.append((r, LOAD.number(f"load[{i}] density", corner[1])))
    return corners


class _Head:
    """The radial problem: twice the potential energy is the integral of (u'^2 + n^2 u^2 / r^2) r,
    twice the kinetic one that of density u^2 r times value^2, over r from 0 to 1; the skin's
    density is 1.

    Parameters: corners of the load; cavity, the factor of the squared integral of u r; modes, or a
    limit of the values. """

    def __init__(self, corners: list[tuple[float, float]], cavity: float, modes: int | None,
                 limit: float) -> None:
        self._cavity = cavity
        edges = sorted({0.0, 1.0, *(r for r, _ in corners)})
        spans = list(pairwise(edges))
        self._densities = [_densities(corners, start, end) for start, end in spans]
        self.mean_density = math.fsum(
            (end - start) * ((2.0 * start + end) * p + (start + 2.0 * end) * q) / 3.0
            for (start, end), (p, q) in zip(spans, self._densities, strict=True))
        self._highest = min(limit, self.value_of(modes or 2 * MAX_LOADED))
        # at most 55, since a heavy part also lowers the mean density's limit
        self._elements = [
            Element(start, end, 10 + math.ceil(self._highest * math.sqrt(max(pq)) * (end - start)))
            for (start, end), pq in zip(spans, self._densities, strict=True)]
        self._solved: dict[int, tuple[list[float], list[FloatArray]]] = {}
        self._cavity_shares: list[float] = []          # of the modes of order 0
        self._projections: dict[int, tuple[tuple[float, ...], FloatArray]] = {}

    def value_of(self, count: int) -> float:
        """Return a value below which about so many modes lie, by Weyl's law, and some over."""
        return 1.3 * values_on_a_disc(count) / math.sqrt(self.mean_density)

    def values_below(self, order: int, top: float) -> list[float]:
        """Return omega a sqrt(density / tension) of all modes of an order below a limit."""
        if order not in self._solved:
            self._solved[order] = self._solve(order)
        return [value for value in self._solved[order][0] if value < top]

    def shapes(self, modes: Sequence[PolarMode], r: float) -> list[float]:
        """Return the radial shapes of modes at r."""
        k = next(k for k, element in enumerate(self._elements) if r <= element.end)
        functions = self._elements[k].at(r)
        return [math.fsum(c * f for c, f in zip(
            coefficients(self._vector(value, order), self._places(order)[k]), functions,
            strict=True)) for value, order, _ in modes]

    def cavity_share(self, value: float, order: int) -> float:
        """Return the share of a mode's stiffness that is the cavity's."""
        return 0.0 if order else self._cavity_shares[self._solved[0][0].index(value)]

    def with_air(self, omega: float, value: float, order: int, *, mass: float, radius: float,
                 sides: int) -> tuple[float, float, float]:
        """Return angular frequency (rad/s), decay rate (1/s) and mass (kg) of a mode with air."""
        if order not in self._projections:
            self._projections[order] = self._project(order)
        zeros, projection = self._projections[order]
        weights = multiply(np.array([self._vector(value, order)]), projection)[0]
        series = BesselSum(order, zeros, weights.tolist())
        return loaded_mode(omega, mass=mass, radius=radius, sides=sides, order=order,
                           transform=series.transform, reach=2.0 * value + 60.0)

    def _project(self, order: int) -> tuple[tuple[float, ...], FloatArray]:
        """Zeros z of J_n, and the weights of J_n(z r) / J_(n+1)(z) in each unknown's function."""
        places = self._places(order)
        # where the density has a step, the weights fall as the zeros to the power -7/2
        zeros = first_zeros(order, math.ceil(2.0 * self._highest + order + 50.0))
        slopes = np.array([bessel_j_pair(order, zero)[1] for zero in zeros])
        result = np.zeros((1 + max(max(place) for place in places), len(zeros)))
        for element, place in zip(self._elements, places, strict=True):
            r, weights, s = element.quadrature(24)
            waves = bessel_j_array(order, np.array(zeros)[:, None] * r)
            block = mean_products(element.functions(s)[0], waves, 2.0 * weights * r) / slopes
            add_block(result, block, place, list(range(len(zeros))))
        return zeros, result

    def _vector(self, value: float, order: int) -> FloatArray:
        values, vectors = self._solved[order]
        return vectors[values.index(value)]

    def _places(self, order: int) -> list[list[int]]:
        return number_unknowns(self._elements, 0, start=order == 0, end=False)[0]

    def _solve(self, order: int) -> tuple[list[float], list[FloatArray]]:
        places = self._places(order)
        size = 1 + max(max(place) for place in places)
        stiffness, mass = np.zeros((size, size)), np.zeros((size, size))
        volume = np.zeros((size, 1))
        for element, (p, q), place in zip(self._elements, self._densities, places, strict=True):
            r, weights, s = element.quadrature(8)
            values, slopes = element.functions(s)
            density = 0.5 * (p * (1.0 - s) + q * (1.0 + s))
            block = mean_products(slopes, slopes, weights * r)
            if order:
                block += order * order * mean_products(values, values, weights / r)
            add_block(stiffness, block, place, place)
            add_block(mass, mean_products(values, values, weights * density * r), place, place)
            add_block(volume, mean_products(values, np.full((1, r.size), 1.0), weights * r), place,
                      [0])
        if order == 0:
            stiffness += self._cavity * (volume * volume[:, 0])
        squares, vectors = generalised_eigen(stiffness, mass)
        if order == 0:          # of a vector of mass 1, whose stiffness is the square
            volumes = [math.fsum((vector * volume[:, 0]).tolist()) for vector in vectors]
            self._cavity_shares = [self._cavity * v * v / square for v, square in zip(
                volumes, squares.tolist(), strict=True)]
        scale = math.sqrt(self.mean_density * (0.5 if order == 0 else 1.0))
        slope = self._elements[-1].functions(np.array([1.0]))[1][:, 0].tolist()
        shapes = []
        for vector in vectors:  # positive inside the edge, whatever sign the solver found
            at_edge = math.fsum(c * f for c, f in zip(coefficients(vector, places[-1]), slope,
                                                      strict=True))
            shapes.append(vector * (-math.copysign(scale, at_edge)))
        return [math.sqrt(square) for square in squares.tolist()], shapes


def _densities(corners: list[tuple[float, float]], start: float, end: float) -> tuple[float, float]:
    """The densities, over that of the skin, at the inner sides of both ends of a span without a
    corner inside."""
    for (r0, load0), (r1, load1) in pairwise(corners):
        if r0 <= start and end <= r1:
            slope = (load1 - load0) / (r1 - r0)
            return 1.0 + load0 + slope * (start - r0), 1.0 + load0 + slope * (end - r0)
    return 1.0, 1.0
