"""A free bar of even thickness, by Euler and Bernoulli's theory."""
from __future__ import annotations

import math
from dataclasses import dataclass, field

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray, array_of, flag
from pysitar.physics.resonators.bessel import bracketed_root
from pysitar.physics.resonators.losses import (
    checked_decay_rates,
    decay_by_material,
    decay_of_bar_in_air,
)
from pysitar.physics.resonators.material import Material, checked_material
from pysitar.physics.resonators.plate import SIZE, THICKNESS
from pysitar.physics.resonators.resonator import MAX_MODES, ModalSum, fraction, mode_limits

THICKEST = 0.25                 # thickness over length


@dataclass(frozen=True, kw_only=True, eq=False)
class Bar(ModalSum):
    """A bar of even thickness with free ends, thin enough that shear does not count.

    Only bending across its thickness; its motions as a rigid body are left out. `UndercutBar`
    counts shear, and has a depth of 0 too.

    Parameters
    ----------
    length : float
        1e-3 to 100 (m).
    width : float
        1e-3 to 100 (m); it has an effect on mass and radiation alone.
    thickness : float
        1e-6 to 1 (m), at most a quarter of the length.
    material : Material
        Density, Young's modulus and loss factor.
    modes : int, optional
        The number of modes, 1 to 1024.
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
        Shape (M,), 1/s and kg. Each mode has the mass of the bar: the mean square of its shape is
        1.

    Raises
    ------
    ParameterError
        For a value out of its range, a thick bar, no mode or too many.

    References
    ----------
    Rayleigh, The Theory of Sound, sections 170 to 174.

    Examples
    --------
    >>> import pysitar
    >>> bar = pysitar.Bar(length=0.2, width=0.03, thickness=0.008, modes=4,
    ...                   material=pysitar.material("steel"))
    >>> (bar.frequencies / bar.frequencies[0]).round(4).tolist()
    [1.0, 2.7565, 5.4039, 8.933]
    """

    length: float
    width: float
    thickness: float
    material: Material
    modes: int | None = None
    max_frequency: float | None = None
    in_air: bool = True
    support_decay: float = 0.0
    _halves: list[float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_bar(self.length, self.width, self.thickness)
        checked_material(self.material)
        modes, limit = mode_limits(self.modes, self.max_frequency, MAX_MODES)
        # sqrt(E I / (rho A)) / length^2
        scale = self.thickness * math.sqrt(
            self.material.youngs_modulus / (12.0 * self.material.density)) / (
                self.length * self.length)
        halves: list[float] = []
        while modes is None or len(halves) < modes:
            half = half_phase(len(halves) + 1)
            if not 4.0 * scale * half * half < limit:
                break
            if len(halves) == MAX_MODES:
                raise ParameterError("max_frequency", self.max_frequency,
                                     f"expected one above at most {MAX_MODES} modes")
            halves.append(half)
        if not halves:
            raise ParameterError("max_frequency", self.max_frequency,
                                 "no mode of the bar lies below it; expected a higher one")
        omegas = [4.0 * scale * half * half for half in halves]
        rates = bar_decay_rates(omegas, width=self.width, thickness=self.thickness,
                                material=self.material, in_air=self.in_air,
                                support_decay=self.support_decay)
        mass = self.material.density * self.length * self.width * self.thickness
        self._set_modes(omegas, rates, [mass] * len(omegas))
        object.__setattr__(self, "_halves", halves)

    def shape(self, position: float) -> FloatArray:
        """Return the value of each mode shape at a position.

        Parameters
        ----------
        position : float
            Fraction of the length, 0 to 1.

        Returns
        -------
        ndarray
            Shape (M,), of mean square 1 over the bar: 2 at its start.

        Raises
        ------
        ParameterError
            For a position outside the bar.

        Examples
        --------
        >>> import pysitar
        >>> bar = pysitar.Bar(length=0.2, width=0.03, thickness=0.008, modes=2,
        ...                   material=pysitar.material("steel"))
        >>> bar.shape(0.5).round(3).tolist()
        [-1.216, 0.0]
        """
        u = 1.0 - 2.0 * fraction("position", position)
        return array_of([_shape(i, half, u) for i, half in enumerate(self._halves, start=1)])


def half_phase(i: int) -> float:
    """Return half the wave number times length of mode i, from 1: cos x cosh x = 1 for twice it."""
    sign = 1.0 if i % 2 else -1.0

    def residual(q: float) -> float:
        decayed = elementary.exp(-2.0 * q)
        return elementary.sin(q) + sign * elementary.cos(q) * (1.0 - decayed) / (1.0 + decayed)

    middle = (2 * i + 1) * math.pi / 4.0
    left, right = middle - 0.1, middle + 0.1
    return bracketed_root(residual, left, right, residual(left), residual(right))


def _shape(i: int, q: float, u: float) -> float:
    """The shape at u from the middle (0) to the start (1), even for odd i."""
    grown, decayed = elementary.exp(q * (abs(u) - 1.0)), elementary.exp(-q * (abs(u) + 1.0))
    end = elementary.exp(-2.0 * q)
    if i % 2:
        return elementary.cos(q * u) / elementary.cos(q) + (grown + decayed) / (1.0 + end)
    return elementary.sin(q * u) / elementary.sin(q) + math.copysign(
        (grown - decayed) / (1.0 - end), u)


def check_bar(length: object, width: object, thickness: object) -> None:
    """Raise a ParameterError unless these are the sizes (m) of a bar."""
    span = SIZE.number("length", length)
    SIZE.number("width", width)
    if THICKNESS.number("thickness", thickness) > THICKEST * span:
        raise ParameterError("thickness", thickness,
                             f"expected at most a quarter of the length, {THICKEST * span:g} m")


def bar_decay_rates(omegas: list[float], *, width: float, thickness: float, material: Material,
                    in_air: bool, support_decay: float) -> FloatArray:
    """Return the decay rates (1/s) of modes of angular frequencies omegas (rad/s).  Errors:
    ParameterError: a bad value, or a mode does not oscillate."""
    flag("in_air", in_air)
    support = ranges.RATE_OF_DECAY.number("support_decay", support_decay)
    rates = []
    for omega in omegas:
        rate = support + decay_by_material(material.loss_factor, omega)
        if in_air:
            rate += decay_of_bar_in_air(omega, width=width, thickness=thickness,
                                        density=material.density)
        rates.append(rate)
    return checked_decay_rates(rates, omegas)
