"""A free bar that is thinner in its middle, such as those of marimbas and xylophones."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.ranges import Range
from pysitar.physics.resonators.bar import bar_decay_rates, check_bar, shear_factor
from pysitar.physics.resonators.eigenproblem import generalised_eigen, generalised_eigenvalues
from pysitar.physics.resonators.legendre import mean_products
from pysitar.physics.resonators.line_elements import (
    Element,
    add_block,
    coefficients,
    number_unknowns,
)
from pysitar.physics.resonators.material import Material, checked_material
from pysitar.physics.resonators.resonator import ModalSum, fraction, mode_limits, pair

MAX_UNDERCUT = 40               # modes
THINNEST = 1000.0               # length over thickness: beyond, rounding shows
DEPTH = Range(low=0.0, high=0.95)
CUT = Range(low=0.05, high=0.98)
TUNED = Range(unit="Hz", low=1.0, high=20000.0)
RATIO = Range(low=1.0, high=100.0, open_low=True)
START = (2.7, 0.56, 0.42)       # of Newton's method: ln(slenderness), depth, cut
FLAT_START = (2.9, 0.24, 0.5)
BOUNDS = ((1.4, 6.9), (DEPTH.low, DEPTH.high), (CUT.low, CUT.high))
NEWTON = 40
DIFFERENCE = 1e-6
CLOSE = 1e-10


@dataclass(frozen=True, kw_only=True, eq=False)
class UndercutBar(ModalSum):
    """A bar with free ends whose underside is cut away in the middle.

    Over the cut the thickness is thickness (1 - depth (1 - u^4)), u from -1 to 1. Timoshenko's
    theory (with shear and rotation) is solved by finite elements of high degree, to 1e-6 of each
    frequency; the shear factor is Cowper's. Only bending across the thickness; the motions as a
    rigid body are left out.

    Parameters
    ----------
    length, width : float
        1e-3 to 100 (m).
    thickness : float
        Of the ends, 1e-6 to 1 (m), at most a quarter of the length, at least a thousandth.
    material : Material
        Density, Young's and shear modulus, Poisson ratio and loss factor.
    depth : float, default 0.0
        What is cut away in the middle, as a fraction of the thickness, 0 to 0.95.
    cut : float, default 0.5
        Length of the cut as a fraction of the bar's, 0.05 to 0.98.
    modes : int, optional
        The number of modes, 1 to 40.
    max_frequency : float, optional
        Instead of modes: all below it (Hz).
    in_air : bool, default True
        Whether sound takes energy away.
    support_decay : float, default 0.0
        Decay rate of every mode by what holds the bar, 0 to 1e9 (1/s).

    Attributes
    ----------
    frequencies : ndarray
        Undamped, shape (M,), Hz.
    decay_rates, masses : ndarray
        Shape (M,), 1/s and kg. Each mode has the mass of the bar: the mean square of its shape,
        weighted by thickness and with its rotation, is 1.

    Raises
    ------
    ParameterError
        For a value out of its range, a thick bar, no mode or too many.

    References
    ----------
    Timoshenko, Phil. Mag. 41, 744 (1921); Cowper, J. Appl. Mech. 33, 335 (1966); Bork et al.,
    Acustica 85, 451 (1999), on tuning by the shape of the cut.

    Examples
    --------
    >>> import pysitar
    >>> bar = pysitar.UndercutBar(length=0.35, width=0.06, thickness=0.022, depth=0.573, cut=0.4,
    ...                           material=pysitar.material("rosewood"), modes=3)
    >>> (bar.frequencies / bar.frequencies[0]).round(2).tolist()
    [1.0, 4.0, 9.51]
    """

    length: float
    width: float
    thickness: float
    material: Material
    depth: float = 0.0
    cut: float = 0.5
    modes: int | None = None
    max_frequency: float | None = None
    in_air: bool = True
    support_decay: float = 0.0
    _beam: _Beam = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_bar(self.length, self.width, self.thickness)
        material = checked_material(self.material)
        depth, cut = DEPTH.number("depth", self.depth), CUT.number("cut", self.cut)
        modes, limit = mode_limits(self.modes, self.max_frequency, MAX_UNDERCUT)
        slenderness = self.length / self.thickness
        if slenderness > THINNEST:
            raise ParameterError("thickness", self.thickness, (
                f"expected at least a thousandth of the length, {self.length / THINNEST:g} m"))
        scale = math.sqrt(material.youngs_modulus / (12.0 * material.density)) / (
            slenderness * self.length)
        beam = _Beam(slenderness, material, depth, cut, modes or MAX_UNDERCUT)
        values = [value for value in beam.values if scale * value < limit][:modes]
        if not values or (modes is None and len(values) > MAX_UNDERCUT):
            raise ParameterError("max_frequency", self.max_frequency,
                                 f"expected one above 1 to {MAX_UNDERCUT} modes")
        omegas = [scale * value for value in values]
        rates = bar_decay_rates(omegas, width=self.width, thickness=self.thickness * beam.mean,
                                material=material, in_air=self.in_air,
                                support_decay=self.support_decay)
        mass = material.density * self.length * self.width * self.thickness * beam.mean
        self._set_modes(omegas, rates, [mass] * len(omegas))
        object.__setattr__(self, "_beam", beam)

    def shape(self, position: float) -> FloatArray:
        """Return the value of each mode shape at a position.

        Parameters
        ----------
        position : float
            Fraction of the length, 0 to 1.

        Returns
        -------
        ndarray
            Shape (M,), positive at the start of the bar.

        Raises
        ------
        ParameterError
            For a position outside the bar.

        Examples
        --------
        >>> import pysitar
        >>> bar = pysitar.UndercutBar(length=0.2, width=0.03, thickness=0.002, modes=2,
        ...                           material=pysitar.material("steel"))
        >>> bar.shape(0.0).round(2).tolist()
        [2.0, 2.0]
        """
        return self._beam.shapes(fraction("position", position), self.count)


def tuned_bar(*, frequency: float, ratios: tuple[float, float], width: float, thickness: float,
              material: Material, modes: int | None = None, max_frequency: float | None = None,
              in_air: bool = True, support_decay: float = 0.0) -> UndercutBar:
    """Return the bar whose first three modes have a frequency and its multiples.

    Length, depth and cut are found by Newton's method.

    Parameters
    ----------
    frequency : float
        Of the first mode, 1 to 20000 (Hz).
    ratios : tuple of float
        Frequencies of the second and third mode over the first: (3.0, 5.8) to (3.0, 6.0) for
        xylophones, (4.0, 9.5) to (4.0, 10.0) for marimbas.
    width, thickness, material, modes, max_frequency, in_air, support_decay
        As in `UndercutBar`.

    Returns
    -------
    UndercutBar
        Its first three frequencies are those to 1e-9.

    Raises
    ------
    ParameterError
        If no such bar was found.

    Examples
    --------
    >>> import pysitar
    >>> bar = pysitar.tuned_bar(frequency=262.0, ratios=(4.0, 9.5), width=0.06, thickness=0.022,
    ...                         material=pysitar.material("rosewood"), modes=4)
    >>> (bar.frequencies / 262.0).round(4).tolist()[:3]
    [1.0, 4.0, 9.5]
    """
    frequency = TUNED.number("frequency", frequency)
    first, second = (RATIO.number("ratios", ratio) for ratio in pair("ratios", ratios, "f2 / f1, "
                                                                    "f3 / f1"))
    targets = [frequency, first * frequency, second * frequency]
    check_bar(1.0, width, thickness)
    checked_material(material)

    def errors(unknowns: list[float]) -> list[float]:
        """ln of the frequencies of a bar of ln(slenderness), depth and cut, over the targets."""
        slenderness, (depth, cut) = elementary.exp(unknowns[0]), unknowns[1:]
        beam = _Beam(slenderness, material, depth, cut, 3, shaped=False)
        scale = math.sqrt(material.youngs_modulus / (12.0 * material.density)) / (
            slenderness * slenderness * thickness * 2.0 * math.pi)
        return [elementary.log(scale * value / target)
                for value, target in zip(beam.values, targets, strict=False)]

    unknowns = _newton(errors, list(START if first > 3.4 else FLAT_START))
    length = elementary.exp(unknowns[0]) * thickness
    return UndercutBar(length=length, width=width, thickness=thickness, material=material,
                       depth=unknowns[1], cut=unknowns[2], modes=modes, in_air=in_air,
                       max_frequency=max_frequency, support_decay=support_decay)


def _newton(errors: Callable[[list[float]], list[float]], unknowns: list[float]) -> list[float]:
    """The zero of three errors of ln(slenderness), depth and cut. The derivatives, by differences,
    are found again where a step did not make the errors ten times smaller, and a step is cut to
    what stays a bar.  Errors: ParameterError."""
    values = errors(unknowns)
    columns: list[list[float]] = []
    for _ in range(NEWTON):
        if max(map(abs, values)) < CLOSE:
            return unknowns
        fresh = not columns
        for k in range(3 if fresh else 0):
            near = list(unknowns)
            near[k] += DIFFERENCE
            columns.append([(b - a) / DIFFERENCE
                            for a, b in zip(values, errors(near), strict=True)])
        step = _solve_three(columns, values)
        size = 1.0
        while size > 1e-3:
            moved = [x - size * dx for x, dx in zip(unknowns, step, strict=True)]
            if all(low < x < high for x, (low, high) in zip(moved, BOUNDS, strict=True)):
                following = errors(moved)
                if max(map(abs, following)) < max(map(abs, values)):
                    break
            size *= 0.5
        else:
            if fresh:
                break
            columns = []
            continue
        if max(map(abs, following)) > 0.1 * max(map(abs, values)):
            columns = []
        unknowns, values = moved, following
    raise ParameterError("ratios", "of the first three modes", (
        "no undercut gives them at this thickness; expected such as (3.0, 5.8), (4.0, 9.5), or "
        "another thickness"))


def _solve_three(columns: list[list[float]], right: list[float]) -> list[float]:
    """The solution of three equations by Cramer's rule."""

    def determinant(a: list[float], b: list[float], c: list[float]) -> float:
        return (a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1])
                + c[0] * (a[1] * b[2] - a[2] * b[1]))

    a, b, c = columns
    whole = determinant(a, b, c)
    return [determinant(right, b, c) / whole, determinant(a, right, c) / whole,
            determinant(a, b, right) / whole]


class _Beam:
    """Half of a symmetric Timoshenko beam, from its start (0) to its middle (1/2), for even and odd
    modes.

    With displacement length v and angle psi, over E I / length of the full thickness: twice the
    potential energy is the integral of g^3 psi'^2 + b g (v' - psi)^2, twice the kinetic one value^2
    times that of g v^2 + e g^3 psi^2; g is the thickness over that of the ends.

    Parameters: shaped, whether shapes are needed, and not the values alone. """

    def __init__(self, slenderness: float, material: Material, depth: float, cut: float,
                 modes: int, *, shaped: bool = True) -> None:
        self._shear = 12.0 * shear_factor(material) * slenderness * slenderness * (
            material.stiffness_in_shear / material.youngs_modulus)
        self._rotation = 1.0 / (12.0 * slenderness * slenderness)
        self._depth, self._cut = depth, cut
        self.mean = 1.0 - 0.8 * depth * cut
        edge = 0.5 - 0.5 * cut
        # a half wave of the thin part is shorter; a polynomial needs pi / 2 degrees for each
        waves = (modes + 2.0) / math.sqrt(1.0 - depth)
        self._elements = [Element(start, end, 8 + math.ceil(1.6 * waves * (end - start)))
                          for start, end in ((0.0, edge), (edge, 0.5))]
        parts = [self._matrices(element) for element in self._elements]
        self._modes: list[tuple[float, FloatArray, bool]] = []
        if not shaped:
            # the first of each is the motion as a rigid body
            self.values = sorted(math.sqrt(max(square, 0.0)) for even in (True, False)
                                 for square in generalised_eigenvalues(
                                     *self._assemble(even, parts)).tolist()[1:])
            return
        for even in (True, False):
            self._modes += self._solve(even, parts)
        self._modes.sort(key=lambda mode: mode[0])
        self.values = [value for value, _, _ in self._modes]

    def shapes(self, x: float, count: int) -> FloatArray:
        """Return the first shapes at a fraction of the length."""
        half = min(x, 1.0 - x)
        k = 0 if half <= self._elements[0].end else 1
        functions = self._elements[k].at(half)
        values = []
        for _, vector, even in self._modes[:count]:
            places = self._places(even)[0][k]
            value = math.fsum(c * f for c, f in zip(coefficients(vector, places), functions,
                                                    strict=True))
            values.append(value if even or x <= 0.5 else -value)
        return array_of(values)

    def _places(self, even: bool) -> tuple[list[list[int]], list[list[int]], int]:
        moves, used = number_unknowns(self._elements, 0, start=True, end=even)
        turns, used = number_unknowns(self._elements, used, start=True, end=not even)
        return moves, turns, used

    def _thickness(self, x: FloatArray) -> FloatArray:
        """g at places of the half."""
        u = (1.0 - 2.0 * x) / self._cut
        square = u * u
        return np.where(square < 1.0, 1.0 - self._depth * (1.0 - square * square), 1.0)

    def _matrices(self, element: Element) -> tuple[FloatArray, ...]:
        """Return an element's stiffness of motion, of motion with turn and of turn, and its masses
        of motion and of turn: those of even and of odd modes."""
        x, weights, _ = element.quadrature(9)
        p, slope = element.functions_at_nodes(9)
        g = self._thickness(x)
        shear, bend = weights * self._shear * g, weights * g * g * g
        return (mean_products(slope, slope, shear), mean_products(slope, p, -shear),
                mean_products(p, p, shear) + mean_products(slope, slope, bend),
                mean_products(p, p, weights * g),
                mean_products(p, p, weights * self._rotation * g * g * g))

    def _assemble(self, even: bool,
                  parts: list[tuple[FloatArray, ...]]) -> tuple[FloatArray, FloatArray]:
        """Return the stiffness and the mass of the half, for even or odd modes."""
        moves, turns, size = self._places(even)
        stiffness, mass = np.zeros((size, size)), np.zeros((size, size))
        for (moved, cross, turned, inertia, rotation), at, turn in zip(parts, moves, turns,
                                                                       strict=True):
            add_block(stiffness, moved, at, at)
            add_block(stiffness, cross, at, turn)
            add_block(stiffness, cross.T.copy(), turn, at)
            add_block(stiffness, turned, turn, turn)
            add_block(mass, inertia, at, at)
            add_block(mass, rotation, turn, turn)
        return stiffness, mass

    def _solve(self, even: bool, parts: list[tuple[FloatArray, ...]]
               ) -> list[tuple[float, FloatArray, bool]]:
        moves = self._places(even)[0]
        squares, vectors = generalised_eigen(*self._assemble(even, parts))
        scale = math.sqrt(0.5 * self.mean)
        found = []
        # the first is the motion as a rigid body; functions[0] is 1 at the start
        for square, vector in list(zip(squares.tolist(), vectors, strict=True))[1:]:
            sign = math.copysign(scale, float(vector[moves[0][0]]))
            found.append((math.sqrt(max(square, 0.0)), vector * sign, even))
        return found
