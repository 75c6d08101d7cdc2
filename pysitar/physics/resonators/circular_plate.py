"""A circular plate by Kirchhoff's theory, clamped, supported or free at its edge."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import takewhile

from pysitar.errors import ParameterError, suggest_name
from pysitar.kernels.core import elementary
from pysitar.physics.checks import FloatArray
from pysitar.physics.resonators.bessel import bessel_i_pair, bessel_j_pair, roots
from pysitar.physics.resonators.material import Material
from pysitar.physics.resonators.plate import SIZE, Sheet
from pysitar.physics.resonators.polar import PolarMode, modes_of_orders, polar_shapes
from pysitar.physics.resonators.resonator import (
    MAX_MODES,
    ModalSum,
    lowest_modes,
    mode_limits,
    values_on_a_disc,
)

EDGES = ("free", "supported", "clamped")


@dataclass(frozen=True, kw_only=True, eq=False)
class CircularPlate(ModalSum):
    """A circular plate of even thickness, thin enough that shear does not count.

    Its modes are J_n(k r) + c I_n(k r) along the radius, times cos(n angle) and sin(n angle): two
    of one frequency for each n above 0. The three motions of a free plate as a rigid body are left
    out.

    Parameters
    ----------
    radius : float
        1e-3 to 100 (m).
    thickness : float
        1e-6 to 1 (m), at most a fifth of the radius.
    material : Material
        Density, Young's modulus, Poisson ratio and loss factor.
    edge : str, default "free"
        "free", "supported" (held in place, free to turn) or "clamped".
    modes : int, optional
        The number of modes, 1 to 1024.
    max_frequency : float, optional
        Instead of modes: all below it (Hz).
    in_air : bool, default True
        Whether sound takes energy away, as from a plate in the open.
    support_decay : float, default 0.0
        Decay rate of every mode by what holds the plate, 0 to 1e9 (1/s).

    Attributes
    ----------
    frequencies : ndarray
        Undamped, shape (M,), Hz.
    decay_rates, masses : ndarray
        Shape (M,), 1/s and kg. Each mode has the mass of the plate: the mean square of its shape is
        1.

    Raises
    ------
    ParameterError
        For a value out of its range, a thick plate, no mode or too many.

    References
    ----------
    Leissa, Vibration of Plates (NASA SP-160, 1969), chapter 2.

    Examples
    --------
    >>> import pysitar
    >>> plate = pysitar.CircularPlate(radius=0.15, thickness=0.001, edge="free", modes=4,
    ...                               material=pysitar.material("bronze"))
    >>> (plate.frequencies / plate.frequencies[0]).round(3).tolist()
    [1.0, 1.0, 1.738, 2.329]
    """

    radius: float
    thickness: float
    material: Material
    edge: str = "free"
    modes: int | None = None
    max_frequency: float | None = None
    in_air: bool = True
    support_decay: float = 0.0
    _modes: list[PolarMode] = field(init=False, repr=False)
    _radial: list[Callable[[float], float]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        radius = SIZE.number("radius", self.radius)
        sheet = Sheet(thickness=self.thickness, material=self.material, in_air=self.in_air,
                      support_decay=self.support_decay, shortest=radius)
        if self.edge not in EDGES:
            raise ParameterError("edge", self.edge, suggest_name(str(self.edge), EDGES))
        modes, limit = mode_limits(self.modes, self.max_frequency, MAX_MODES)
        scale = sheet.speed / (radius * radius)
        characteristic = _Edge(self.edge, self.material.poisson_ratio)
        found = lowest_modes(
            lambda top: modes_of_orders(characteristic.wave_numbers, top), count=modes,
            limit=math.sqrt(limit / scale), value_of=values_on_a_disc, at_most=MAX_MODES)
        omegas = [scale * mode[0] * mode[0] for mode in found]
        area = math.pi * radius * radius
        rates = sheet.decay_rates(omegas, area=area, perimeter=2.0 * math.pi * radius)
        self._set_modes(omegas, rates, [sheet.surface_density * area] * len(omegas))
        object.__setattr__(self, "_modes", found)
        object.__setattr__(self, "_radial", [characteristic.radial(value, order)
                                             for value, order, _ in found])

    def shape(self, position: tuple[float, float]) -> FloatArray:
        """Return the value of each mode shape at a position.

        Parameters
        ----------
        position : tuple of float
            (r, angle): r as a fraction of the radius, 0 to 1; the angle in radians.

        Returns
        -------
        ndarray
            Shape (M,), of mean square 1 over the plate.

        Raises
        ------
        ParameterError
            For a position outside the plate.

        Examples
        --------
        >>> import pysitar
        >>> plate = pysitar.CircularPlate(radius=0.15, thickness=0.001, modes=3,
        ...                               material=pysitar.material("bronze"))
        >>> plate.shape((0.0, 0.0)).round(3).tolist()
        [0.0, 0.0, 2.015]
        """
        return polar_shapes(position, self._modes, lambda r: [f(r) for f in self._radial])


@dataclass(frozen=True, slots=True)
class _Edge:
    """The conditions of an edge for J_n(x r) + c I_n(x r) at r = 1: the wave numbers x, and c.

    Bending moment m and Kirchhoff's shear v are those of Leissa (1969), chapter 1, over -D; I and
    what is linear in it is scaled by exp(-x).
    """

    edge: str
    poisson_ratio: float

    def wave_numbers(self, order: int, top: float) -> list[float]:
        """All wave numbers, over the radius, below a limit."""
        return list(takewhile(
            lambda x: x < top,
            roots(lambda x: self._residual(x, order), max(1.0, 0.9 * order), top)))

    def radial(self, x: float, order: int) -> Callable[[float], float]:
        """The radial shape, of mean square 1 over the disc times the mean square of cos(n angle).
        """
        (j, j1), (i, i1) = bessel_j_pair(order, x), bessel_i_pair(order, x)
        jx, ix = order * j - x * j1, order * i + x * i1
        if self.edge == "free":
            (moment_j, _), (moment_i, _) = self._free(x, order, j, jx, -1.0), self._free(
                x, order, i, ix, 1.0)
            c = -moment_j / moment_i
        else:
            c = -j / i
        # integrals of J^2, J I, I^2 times r: Abramowitz & Stegun 11.4.2, 11.3.29
        n2 = float(order * order)
        square = 0.5 * ((1.0 - n2 / (x * x)) * j * j + jx * jx / (x * x))
        square += 2.0 * c * (j * ix - jx * i) / (2.0 * x * x)
        square += c * c * 0.5 * ((1.0 + n2 / (x * x)) * i * i - ix * ix / (x * x))
        scale = 1.0 / math.sqrt(square * (2.0 if order == 0 else 1.0))

        def value(r: float) -> float:
            grown = elementary.exp(x * (r - 1.0)) * bessel_i_pair(order, x * r)[0]
            return scale * (bessel_j_pair(order, x * r)[0] + c * grown)

        return value

    def _residual(self, x: float, order: int) -> float:
        (j, j1), (i, i1) = bessel_j_pair(order, x), bessel_i_pair(order, x)
        clamped = j * i1 + i * j1
        if self.edge == "clamped":
            return clamped
        if self.edge == "supported":
            return 2.0 * x * j * i - (1.0 - self.poisson_ratio) * clamped
        moment_j, shear_j = self._free(x, order, j, order * j - x * j1, -1.0)
        moment_i, shear_i = self._free(x, order, i, order * i + x * i1, 1.0)
        return (moment_j * shear_i - moment_i * shear_j) / (x * x * x * x)

    def _free(self, x: float, order: int, value: float, slope: float,
              sign: float) -> tuple[float, float]:
        """Moment and shear of a function whose Laplacian is sign x^2 times itself."""
        softness, n2 = 1.0 - self.poisson_ratio, float(order * order)
        return (sign * x * x * value - softness * (slope - n2 * value),
                sign * x * x * slope - softness * n2 * (slope - value))
