"""A free bar of even thickness, by Timoshenko's theory or by Euler and Bernoulli's."""
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
LENGTHS = 100                   # at most, that are tried for a frequency
STRAIGHT = 1e-6                 # a / c of waves whose cosh and sinh are a straight line to rounding


@dataclass(frozen=True, kw_only=True, eq=False)
class Bar(ModalSum):
    """A bar of even thickness with free ends.

    Only bending across its thickness, with shear and rotation by Timoshenko's theory; the shear
    factor is Cowper's. Its motions as a rigid body are left out. The theory ends where shear
    oscillates across the thickness, at sqrt(12 kappa G / rho) / (2 pi thickness): 180 kHz of steel
    9 mm thick. Modes from there on are left out.

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
    shear : bool, default True
        Whether shear and rotation count; without them, the bar is Euler and Bernoulli's.

    Attributes
    ----------
    frequencies : ndarray
        Undamped, shape (M,), Hz.
    decay_rates, masses : ndarray
        Shape (M,), 1/s and kg. Each mode has the mass of the bar: the mean square of its shape,
        with its rotation, is 1.

    Raises
    ------
    ParameterError
        For a value out of its range, a thick bar, no mode or too many.

    References
    ----------
    Timoshenko, Phil. Mag. 41, 744 (1921); Cowper, J. Appl. Mech. 33, 335 (1966); Rayleigh, The
    Theory of Sound, sections 170 to 174, on the bar without shear.

    Examples
    --------
    >>> import pysitar
    >>> bar = pysitar.Bar(length=0.24, width=0.03, thickness=0.009, modes=4,
    ...                   material=pysitar.material("steel"))
    >>> (bar.frequencies / bar.frequencies[0]).round(2).tolist()
    [1.0, 2.73, 5.28, 8.58]
    >>> thin = pysitar.Bar(length=0.24, width=0.03, thickness=0.009, modes=4, shear=False,
    ...                    material=pysitar.material("steel"))
    >>> (thin.frequencies / thin.frequencies[0]).round(4).tolist()
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
    shear: bool = True
    _waves: list[_Wave] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_bar(self.length, self.width, self.thickness)
        material = checked_material(self.material)
        shear = flag("shear", self.shear)
        modes, limit = mode_limits(self.modes, self.max_frequency, MAX_MODES)
        # sqrt(E I / (rho A)) / length^2
        scale = self.thickness * math.sqrt(material.youngs_modulus / (12.0 * material.density)) / (
            self.length * self.length)
        section = _Section.of(self.thickness / self.length, material) if shear else EULER
        waves: list[_Wave] = []
        while modes is None or len(waves) < modes:
            wave = section.wave(len(waves) + 1)
            if wave is None or not scale * wave.value < limit:
                break
            if len(waves) == MAX_MODES:
                raise ParameterError("max_frequency", self.max_frequency,
                                     f"expected one with at most {MAX_MODES} modes below it")
            waves.append(wave)
        if modes is not None and len(waves) < modes:
            raise ParameterError("modes", modes, (
                f"expected at most {len(waves)}: from there on, shear oscillates across the "
                f"thickness, and the theory ends"))
        if not waves:
            raise ParameterError("max_frequency", self.max_frequency,
                                 "no mode of the bar lies below it; expected a higher one")
        omegas = [scale * wave.value for wave in waves]
        rates = bar_decay_rates(omegas, width=self.width, thickness=self.thickness,
                                material=material, in_air=self.in_air,
                                support_decay=self.support_decay)
        mass = material.density * self.length * self.width * self.thickness
        self._set_modes(omegas, rates, [mass] * len(omegas))
        object.__setattr__(self, "_waves", waves)

    def shape(self, position: float) -> FloatArray:
        """Return the value of each mode shape at a position.

        Parameters
        ----------
        position : float
            Fraction of the length, 0 to 1.

        Returns
        -------
        ndarray
            Shape (M,), positive at the start of the bar: 2 there, less where shear counts.

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
        [-1.212, 0.0]
        """
        u = 1.0 - 2.0 * fraction("position", position)
        return array_of([wave.shape(u) for wave in self._waves])


def bar_length(frequency: float, *, thickness: float, material: Material) -> float:
    """Return the length (m) of the even bar whose first mode has a frequency (Hz).  Errors:
    ParameterError, of a frequency that no bar of this thickness (m) has."""
    speed = thickness * math.sqrt(material.youngs_modulus / (12.0 * material.density))
    shortest = thickness / THICKEST
    thickest = speed * _first(_Section.of(THICKEST, material)) / (shortest * shortest)
    highest = thickest / (2.0 * math.pi)
    if frequency > highest:
        raise ParameterError("frequency", frequency, (
            f"expected at most {highest:.5g} Hz with a thickness of {thickness:g} m, which is at "
            "most a quarter of the length"))
    omega = 2.0 * math.pi * frequency
    length = math.sqrt(speed * _first(EULER) / omega)
    for _ in range(LENGTHS):
        length = max(length, shortest)
        found = speed * _first(_Section.of(thickness / length, material)) / (length * length)
        length *= math.sqrt(found / omega)
        if abs(found - omega) < 1e-15 * omega:
            break
    if length > SIZE.high:
        raise ParameterError("frequency", frequency, (
            f"a bar {thickness:g} m thick would be {length:.4g} m long; expected a higher one, of "
            f"at most {SIZE.high:g} m"))
    return length


@dataclass(frozen=True)
class _Section:
    """A section of a bar: r2, the square of its radius of gyration over that of the length, and s2,
    r2 E / (kappa G); 0 where rotation and shear do not count."""

    r2: float
    s2: float

    @classmethod
    def of(cls, thickness: float, material: Material) -> _Section:
        """Return that of a rectangle, of a thickness over the length."""
        r2 = thickness * thickness / 12.0
        return cls(r2, r2 * material.youngs_modulus / (
            shear_factor(material) * material.stiffness_in_shear))

    def wave(self, i: int) -> _Wave | None:
        """Return mode i, from 1; None where shear oscillates across the thickness."""
        left, right = 0.5 * math.pi * i, 0.5 * math.pi * (i + 1)
        if self.r2 > 0.0:
            right = min(right, 0.5 * math.sqrt(1.0 / self.r2 + 1.0 / self.s2))
        if right <= left:
            return None

        def residual(half: float) -> float:
            return _Wave.at(i, half, self).residual()

        at_left, at_right = residual(left), residual(right)
        if (at_left < 0.0) == (at_right < 0.0):
            return None
        return _Wave.at(i, bracketed_root(residual, left, right, at_left, at_right), self)


EULER = _Section(0.0, 0.0)


def _first(section: _Section) -> float:
    wave = section.wave(1)
    assert wave is not None             # of bars over four times as long as thick
    return wave.value


@dataclass(frozen=True)
class _Wave:
    """Mode i of a bar of length 1, even about its middle for odd i: the sum of cos or sin of c x
    and cosh or sinh of a x, x from the middle.

    With the angle psi of the section, psi = v'' + b s2 v integrated, and free ends, psi' = 0 and
    v' = psi. half is c / 2, value the square root of b = rho A length^4 omega^2 / (E I), which
    solves c^4 - b (r2 + s2) c^2 = b (1 - b r2 s2); a^2 = c^2 - b (r2 + s2).
    """

    i: int
    half: float
    value: float
    ratio: float                # a / c
    tanh: float                 # of a / 2
    bend: float                 # (c^2 - b r2) / c^2: 1 without shear and rotation
    turn: float                 # (a^2 + b r2) / c^2, likewise
    r2: float

    @classmethod
    def at(cls, i: int, half: float, section: _Section) -> _Wave:
        """Return the wave of a half phase: a mode where its residual is 0."""
        r2, s2 = section.r2, section.s2
        square = 4.0 * half * half
        middle = 1.0 + (r2 + s2) * square
        root = math.sqrt(1.0 + 2.0 * (r2 + s2) * square + (r2 - s2) * (r2 - s2) * square * square)
        b = 2.0 * square * square / (middle + root)
        # a^2 / c^2 without a difference, but at the end of the theory
        ratio = math.sqrt(max(b * (1.0 - b * r2 * s2), 0.0)) / square
        decayed = elementary.exp(-2.0 * ratio * half)
        return cls(i, half, math.sqrt(b), ratio, (1.0 - decayed) / (1.0 + decayed),
                   1.0 - b * r2 / square, ratio * ratio + b * r2 / square, r2)

    def residual(self) -> float:
        """What is 0 at a mode with free ends, and nowhere else."""
        sine, cosine = elementary.sin(self.half), elementary.cos(self.half)
        if self.i % 2:
            # over a / c, which is 0 at the end of the theory
            steep = self.tanh / self.ratio if self.ratio > STRAIGHT else self.half
            return self.bend * sine + self.turn * steep * cosine
        return self.turn * sine - self.bend * self.ratio * self.tanh * cosine

    def shape(self, u: float) -> float:
        """Return the value at u from the middle (0) to the start (1)."""
        grown, waved = self._parts
        fall = self.half * self.ratio
        rising, falling = elementary.exp(fall * (abs(u) - 1.0)), elementary.exp(
            -fall * (abs(u) + 1.0))
        end = elementary.exp(-2.0 * fall)
        if self.i % 2:
            return waved * elementary.cos(self.half * u) + grown * (rising + falling) / (1.0 + end)
        return waved * elementary.sin(self.half * u) + math.copysign(
            grown * (rising - falling) / (1.0 - end), u)

    @property
    def _parts(self) -> tuple[float, float]:
        """The factor of cosh or sinh, over its value at the start, and that of cos or sin: of a
        shape of mean square 1, with rotation, and positive at the start."""
        sine, cosine = elementary.sin(self.half), elementary.cos(self.half)
        c, t, w = 2.0 * self.half, self.tanh, self.ratio
        a, span = w * c, c * c * (1.0 + w * w)
        fade = 1.0 - t * t
        if self.i % 2:
            p, q, end = -w * sine, t, t * cosine
            squares = (0.25 * fade + 0.5 * t / a, 0.25 + 0.5 * sine * cosine / c,
                       (a * t * cosine + c * sine) / span)
            turned = (0.5 * t / a - 0.25 * fade, 0.25 - 0.5 * sine * cosine / c,
                      (a * sine - c * t * cosine) / span)
            slopes = c * self.bend / w, -c * self.turn
        else:
            p, q, end = w * t * cosine, 1.0, sine
            squares = (0.5 / (a * t) - 0.25 * fade / (t * t), 0.25 - 0.5 * sine * cosine / c,
                       (a * sine / t - c * cosine) / span)
            turned = (0.5 / (a * t) + 0.25 * fade / (t * t), 0.25 + 0.5 * sine * cosine / c,
                      (a * cosine + c * sine / t) / span)
            slopes = c * self.bend / w, c * self.turn
        total = 0.0
        for weight, first, second, (of_p, of_q, of_both) in (
                (2.0, p, q, squares),
                (2.0 * self.r2, p * slopes[0], q * slopes[1], turned)):
            total += weight * (first * first * of_p + second * second * of_q
                               + 2.0 * first * second * of_both)
        scale = math.copysign(1.0 / math.sqrt(total), p + end)
        return scale * p, scale * q


def shear_factor(material: Material) -> float:
    """Return Cowper's factor of the shear of a rectangle."""
    nu = material.poisson_ratio
    return 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu)


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
