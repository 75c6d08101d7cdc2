"""A rectangular plate by Kirchhoff's theory, supported at its edges or free."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

import numpy as np

from pysitar.errors import ParameterError, suggest_name
from pysitar.kernels.core import elementary
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.resonators.eigenproblem import symmetric_eigen
from pysitar.physics.resonators.legendre import gauss_legendre, legendre, mean_products
from pysitar.physics.resonators.material import Material
from pysitar.physics.resonators.plate import SIZE, Sheet
from pysitar.physics.resonators.resonator import (
    MAX_MODES,
    ModalSum,
    fraction,
    lowest_modes,
    mode_limits,
    pair,
)

EDGES = ("supported", "free")
MAX_FREE = 300                  # modes with free edges: the matrices grow as their number
LONGEST = 20.0                  # length over width, or width over length, with free edges


@dataclass(frozen=True, kw_only=True, eq=False)
class RectangularPlate(ModalSum):
    """A rectangular plate of even thickness, thin enough that shear does not count.

    Supported edges have the closed form; free ones are solved by Ritz's method with Legendre
    polynomials, to 1e-6 of each frequency. The three motions of a free plate as a rigid body are
    left out.

    Parameters
    ----------
    length, width : float
        Along x and y, 1e-3 to 100 (m); of a free plate at most 20 to 1.
    thickness : float
        1e-6 to 1 (m), at most a fifth of the shorter side.
    material : Material
        Density, Young's modulus, Poisson ratio and loss factor.
    edges : str, default "free"
        "free", or "supported": held in place, free to turn.
    modes : int, optional
        The number of modes, 1 to 1024, of free edges to 300.
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
    Leissa, Vibration of Plates (NASA SP-160, 1969), chapter 4.

    Examples
    --------
    >>> import pysitar
    >>> plate = pysitar.RectangularPlate(length=0.3, width=0.3, thickness=0.002,
    ...                                  material=pysitar.material("steel"), modes=3)
    >>> (plate.frequencies / plate.frequencies[0]).round(3).tolist()
    [1.0, 1.456, 1.818]
    """

    length: float
    width: float
    thickness: float
    material: Material
    edges: str = "free"
    modes: int | None = None
    max_frequency: float | None = None
    in_air: bool = True
    support_decay: float = 0.0
    _shapes: _Shapes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        length, width = SIZE.number("length", self.length), SIZE.number("width", self.width)
        sheet = Sheet(thickness=self.thickness, material=self.material, in_air=self.in_air,
                      support_decay=self.support_decay, shortest=min(length, width))
        if self.edges not in EDGES:
            raise ParameterError("edges", self.edges, suggest_name(str(self.edges), EDGES))
        aspect, scale = length / width, sheet.speed / (length * length)
        solve, at_most = (_free, MAX_FREE) if self.edges == "free" else (_supported, MAX_MODES)
        if self.edges == "free" and not 1.0 / LONGEST <= aspect <= LONGEST:
            raise ParameterError("length", length, f"expected at most {LONGEST:g} times the width "
                                 f"of {width:g} m, and at least a twentieth")
        modes, limit = mode_limits(self.modes, self.max_frequency, at_most)
        values, shapes = solve(aspect, self.material.poisson_ratio, modes, limit / scale)
        omegas = [scale * value for value in values]
        rates = sheet.decay_rates(omegas, area=length * width, perimeter=2.0 * (length + width))
        self._set_modes(omegas, rates, [sheet.surface_density * length * width] * len(omegas))
        object.__setattr__(self, "_shapes", shapes)

    def shape(self, position: tuple[float, float]) -> FloatArray:
        """Return the value of each mode shape at a position.

        Parameters
        ----------
        position : tuple of float
            (x, y), as fractions of length and width, 0 to 1.

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
        >>> plate = pysitar.RectangularPlate(length=0.4, width=0.3, thickness=0.002, modes=2,
        ...     material=pysitar.material("steel"), edges="supported")
        >>> plate.shape((0.25, 0.5)).round(3).tolist()
        [1.414, 2.0]
        """
        x, y = pair("position", position, "x, y")
        return self._shapes.at(fraction("x", x), fraction("y", y))


class _Shapes(Protocol):
    def at(self, x: float, y: float) -> FloatArray: ...


@dataclass(frozen=True, slots=True)
class _Sines:
    """The shapes 2 sin(m pi x) sin(n pi y) of pairs (m, n)."""

    pairs: list[tuple[float, float]]

    def at(self, x: float, y: float) -> FloatArray:
        return array_of([2.0 * elementary.sin(math.pi * m * x) * elementary.sin(math.pi * n * y)
                         for m, n in self.pairs])


@dataclass(frozen=True, slots=True)
class _Polynomials:
    """Sums of products of Legendre polynomials of degrees along x and along y."""

    coefficients: FloatArray        # (modes, products)
    along_x: list[int]
    along_y: list[int]

    def at(self, x: float, y: float) -> FloatArray:
        place = np.array([2.0 * x - 1.0, 2.0 * y - 1.0])
        values = legendre(max(self.along_x + self.along_y) + 1, place)[0].tolist()
        total = np.zeros(self.coefficients.shape[0])
        for k, (m, n) in enumerate(zip(self.along_x, self.along_y, strict=True)):
            total += self.coefficients[:, k] * (values[m][0] * values[n][1])
        return array_of(total.tolist())


def _supported(aspect: float, poisson_ratio: float, modes: int | None,
               limit: float) -> tuple[list[float], _Sines]:
    """omega length^2 sqrt(rho h / D) of the modes, and their shapes; the Poisson ratio has no
    effect."""

    def modes_below(top: float) -> list[tuple[float, float, float]]:
        square = top / (math.pi * math.pi)
        across = math.floor(math.sqrt(square) / aspect)
        along = math.floor(math.sqrt(max(square - aspect * aspect, 0.0)))
        if across * along > 4 * MAX_MODES:
            raise ParameterError("max_frequency", f"above more than {MAX_MODES} modes",
                                 "expected a lower one")
        return [(math.pi * math.pi * total, float(m), float(n))
                for m in range(1, along + 1) for n in range(1, across + 1)
                if (total := m * m + aspect * n * (aspect * n)) < square]

    found = lowest_modes(modes_below, count=modes, limit=limit, at_most=MAX_MODES,
                         value_of=lambda count: _weyl(aspect, count))
    return [value for value, _, _ in found], _Sines([(m, n) for _, m, n in found])


def _free(aspect: float, poisson_ratio: float, modes: int | None,
          limit: float) -> tuple[list[float], _Polynomials]:
    """The same with free edges."""
    top = limit if modes is None else _weyl(aspect, modes)
    half_waves = math.sqrt(top) / math.pi
    sizes = tuple(8 + math.ceil(1.5 * waves) for waves in (half_waves, half_waves / aspect))
    if sizes[0] * sizes[1] > 12 * MAX_FREE:
        raise ParameterError("max_frequency", f"above more than {MAX_FREE} modes",
                             "expected a lower one")
    values, shapes = _free_modes(aspect, poisson_ratio, *sizes)
    if modes is None:
        modes = len([value for value in values if value < limit])
        if not modes:
            raise ParameterError("max_frequency", "below the first mode", "expected a higher one")
        if modes > MAX_FREE:
            raise ParameterError("max_frequency", f"above more than {MAX_FREE} modes",
                                 "expected a lower one")
    return list(values[:modes]), _Polynomials(shapes.coefficients[:modes], shapes.along_x,
                                              shapes.along_y)


def _weyl(aspect: float, count: int) -> float:
    """About the value omega length^2 sqrt(rho h / D) below which so many modes lie."""
    return 4.0 * math.pi * aspect * (count + 4.0)


@lru_cache(maxsize=16)
def _free_modes(aspect: float, poisson_ratio: float, size_x: int,
                size_y: int) -> tuple[tuple[float, ...], _Polynomials]:
    """All modes of Ritz's method with polynomials of degrees below two sizes.

    Twice the strain energy over D, of w(s, t) on a square of side 2, with r = length / width:
    16 / length^4 times the integral of w_ss^2 + r^4 w_tt^2 + 2 nu r^2 w_ss w_tt + 2 (1 - nu) r^2
    w_st^2.
    """
    size = max(size_x, size_y)
    nodes, weights = gauss_legendre(size)
    p, slope, curve = legendre(size, nodes)
    weights = 0.5 * weights
    twice, once = mean_products(curve, curve, weights), mean_products(slope, slope, weights)
    mixed = mean_products(p, curve, weights)
    identity = mean_products(p, p, weights)
    found: list[tuple[float, FloatArray, list[int]]] = []
    products = [(m, n) for m in range(size_x) for n in range(size_y)
                if m + n > 1 or m * n == 1]
    products = [(m, n) for m, n in products
                if (m / size_x) * (m / size_x) + (n / size_y) * (n / size_y) < 1.0]
    products.sort(key=lambda product: (product[0] / size_x + product[1] / size_y, product))
    r2 = aspect * aspect
    for parity in ((0, 0), (0, 1), (1, 0), (1, 1)):
        members = [k for k, (m, n) in enumerate(products) if (m % 2, n % 2) == parity]
        m = np.array([products[k][0] for k in members])
        n = np.array([products[k][1] for k in members])
        mm, nn = (m[:, None], m[None, :]), (n[:, None], n[None, :])
        rows_m, columns_m, rows_n, columns_n = *mm, *nn
        matrix = (twice[mm] * identity[nn] + r2 * r2 * (identity[mm] * twice[nn])
                  + poisson_ratio * r2 * (mixed[mm] * mixed[columns_n, rows_n]
                                          + mixed[columns_m, rows_m] * mixed[nn])
                  + 2.0 * (1.0 - poisson_ratio) * r2 * (once[mm] * once[nn]))
        values, vectors = symmetric_eigen(matrix)
        found += [(4.0 * math.sqrt(value), vector, members)
                  for value, vector in zip(values.tolist(), vectors, strict=True)]
    found.sort(key=lambda mode: mode[0])
    coefficients = np.zeros((len(found), len(products)))
    for row, (_, vector, members) in zip(coefficients, found, strict=True):
        row[members] = vector
    return tuple(value for value, _, _ in found), _Polynomials(
        coefficients, [m for m, _ in products], [n for _, n in products])
