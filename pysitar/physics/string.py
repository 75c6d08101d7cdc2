"""A stiff, lossy string between two simple supports: material, wave numbers, decay rates and
partials."""
from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypeVar

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray, check_numbers, number, whole
from pysitar.physics.ranges import Range

WaveNumbers = TypeVar("WaveNumbers", float, FloatArray)

LAST_MODE = 1_000_000
LOWER = "; expected lower losses"
CLOSEST = 1.001  # least ratio of the two frequencies at which losses are fitted
ROUNDING = 1e-12                # relative rounding error of a difference of two decay rates
SIGMAS = {
    "sigma0": ranges.SIGMA0, "sigma1": ranges.SIGMA1, "sigma2": ranges.SIGMA2,
    "sigma3": ranges.SIGMA3
}
WAVE_NUMBER = Range(unit="1/m", low=0.0, high=1e10)
RANGES = {
    "length": ranges.LENGTH, "tension": ranges.TENSION, "linear_density": ranges.LINEAR_DENSITY,
    "bending_stiffness": ranges.BENDING_STIFFNESS, "axial_stiffness": ranges.AXIAL_STIFFNESS,
    **SIGMAS
}


@dataclass(frozen=True, kw_only=True, slots=True)
class String:
    """A stiff string under tension between two simple supports at x = 0 and x = length.

    The decay rate of a mode of wave number b is sigma0 + sigma1 b + sigma2 b^2 + sigma3 b^3.

    Parameters
    ----------
    length : float
        1e-3 to 1000 (m).
    tension : float
        1e-12 to 1e9 (N).
    linear_density : float
        Mass per length rho A, 1e-9 to 100 (kg/m).
    bending_stiffness : float, default 0.0
        EI, 0 to 1e6 (N m^2).
    sigma0, sigma1, sigma2, sigma3 : float, default 0.0
        Losses, each 0 to 1e5 (1/s, m/s, m^2/s, m^3/s).
    axial_stiffness : float, default 0.0
        EA, the force at a strain of 1, 0 to 1e9 (N); for `tension_modulation` of `StringSimulation`
        alone, 0 where it is not known.

    Raises
    ------
    ParameterError
        For a value out of its range.

    References
    ----------
    van Walstijn & Bridges 2016, eqs. (1), (5); the loss term of (1) re-derived (its printed sign is
    a gain).

    Examples
    --------
    >>> import pysitar
    >>> string = pysitar.String(length=0.5, tension=100.0, linear_density=0.01)
    >>> string.frequency(1)
    100.0
    """

    length: float
    tension: float
    linear_density: float
    bending_stiffness: float = 0.0
    sigma0: float = 0.0
    sigma1: float = 0.0
    sigma2: float = 0.0
    sigma3: float = 0.0
    axial_stiffness: float = 0.0

    def __post_init__(self) -> None:
        check_numbers(self, RANGES)

    @classmethod
    def from_material(
        cls, *, length: float, radius: float, density: float, youngs_modulus: float,
        tension: float | None = None, pitch: float | None = None,
        sigma0: float = 0.0, sigma1: float = 0.0, sigma2: float = 0.0, sigma3: float = 0.0,
    ) -> String:
        """Return a plain round wire: rho A = density pi r^2, EI = E pi r^4 / 4, EA = E pi r^2.

        Parameters
        ----------
        length : float
            1e-3 to 1000 (m).
        radius : float
            r, 1e-6 to 1 (m).
        density : float
            1e-3 to 1e5 (kg/m^3).
        youngs_modulus : float
            E, 0 to 1e13 (Pa).
        tension : float, optional
            1e-12 to 1e9 (N); either this or `pitch`.
        pitch : float, optional
            Frequency of the first damped partial, above 0 to 1e9 (Hz).
        sigma0, sigma1, sigma2, sigma3 : float, default 0.0
            Losses, as in `String`.

        Returns
        -------
        String

        Raises
        ------
        ParameterError
            For a value out of its range, neither or both of tension and pitch, or a pitch that
            `with_pitch` refuses.

        Examples
        --------
        >>> import pysitar
        >>> wire = pysitar.String.from_material(length=0.65, radius=1.25e-4, density=7850.0,
        ...                                     youngs_modulus=2e11, pitch=330.0)
        >>> round(wire.tension, 2)
        70.92
        """
        r = ranges.RADIUS.number("radius", radius)
        area = math.pi * r * r
        axial_stiffness = ranges.YOUNGS_MODULUS.number("youngs_modulus", youngs_modulus) * area
        string = cls(
            length=length,
            tension=1.0 if tension is None else tension,
            linear_density=ranges.DENSITY.number("density", density) * area,
            bending_stiffness=axial_stiffness * r * r / 4.0,
            sigma0=sigma0,
            sigma1=sigma1,
            sigma2=sigma2,
            sigma3=sigma3,
            axial_stiffness=axial_stiffness,
        )
        if (tension is None) == (pitch is None):
            raise ParameterError("tension, pitch", (tension, pitch),
                                 "expected exactly one of tension (N) and pitch (Hz)")
        return string if pitch is None else string.with_pitch(pitch)

    def wave_number(self, i: int) -> float:
        """Return the wave number of a mode, i pi / length.

        Parameters
        ----------
        i : int
            Number of the mode, 1 to 1000000.

        Returns
        -------
        float
            In 1/m.

        Raises
        ------
        ParameterError
            For a number out of its range.
        """
        return whole("mode", i, at_least=1, at_most=LAST_MODE) * math.pi / self.length

    def decay_rate(self, b: float) -> float:
        """Return the decay rate at a wave number, sigma0 + sigma1 b + sigma2 b^2 + sigma3 b^3.

        Parameters
        ----------
        b : float
            Wave number, 0 to 1e10 (1/m).

        Returns
        -------
        float
            In 1/s.

        Raises
        ------
        ParameterError
            For a wave number out of its range.

        References
        ----------
        van Walstijn & Bridges 2016, eqs. (5), (8).
        """
        return decay_law(WAVE_NUMBER.number("wave number", b), self.sigma0, self.sigma1,
                         self.sigma2, self.sigma3)

    def angular_frequency(self, i: int) -> float:
        """Return the damped angular frequency of a mode.

        Parameters
        ----------
        i : int
            Number of the mode, 1 to 1000000.

        Returns
        -------
        float
            In rad/s.

        Raises
        ------
        ParameterError
            For a number out of its range, or a mode so damped that it does not oscillate.

        References
        ----------
        van Walstijn & Bridges 2016, eq. (8).
        """
        b = self.wave_number(i)
        return damped_angular_frequency(self, i, b, self.decay_rate(b))

    def frequency(self, i: int) -> float:
        """Return the damped frequency of a mode.

        Parameters
        ----------
        i : int
            Number of the mode, 1 to 1000000.

        Returns
        -------
        float
            In Hz.

        Raises
        ------
        ParameterError
            For a number out of its range, or a mode so damped that it does not oscillate.

        References
        ----------
        van Walstijn & Bridges 2016, eq. (8).
        """
        return self.angular_frequency(i) / (2.0 * math.pi)

    def with_pitch(self, hz: float) -> String:
        """Return this string with the tension that gives its first damped partial a frequency.

        Parameters
        ----------
        hz : float
            The frequency, above 0 to 1e9 (Hz).

        Returns
        -------
        String

        Raises
        ------
        ParameterError
            For a frequency out of its range or below that of the bending stiffness alone, a tension
            out of its range, or a first partial whose decay rate is above its angular frequency.

        References
        ----------
        van Walstijn & Bridges 2016, eqs. (7), (8), solved for T.

        Examples
        --------
        >>> import pysitar
        >>> string = pysitar.String(length=0.5, tension=100.0, linear_density=0.01)
        >>> round(string.with_pitch(200.0).tension, 9)
        400.0
        """
        omega = 2.0 * math.pi * ranges.PITCH.number("pitch", hz)
        b = self.wave_number(1)
        alpha = self.decay_rate(b)
        if not alpha <= omega:
            name = largest_loss(self, 1)
            raise ParameterError(name, getattr(self, name), (
                f"at {hz:.6g} Hz the first partial would decay at {alpha:.6g} 1/s, and a string "
                f"whose partial decays faster than 2 pi f = {omega:.6g} 1/s has no pitch{LOWER}"))
        stiffness = self.bending_stiffness * b * b
        tension = self.linear_density * (omega * omega + alpha * alpha) / (b * b) - stiffness
        if not tension > 0.0:
            lowest = math.sqrt(max(
                0.0, stiffness * b * b / self.linear_density - alpha * alpha)) / (2.0 * math.pi)
            raise ParameterError(
                "pitch", hz,
                f"expected above {lowest:.6g} Hz, the pitch of the bending stiffness alone")
        within = ranges.TENSION
        if not within.smallest <= tension <= within.high:
            raise ParameterError(
                "pitch", hz,
                f"the tension would be {tension:.3g} N; expected {within.smallest:g} to "
                f"{within.high:g} N"
            )
        return replace(self, tension=tension)

    def grid_losses(self, f1: float, f2: float) -> String:
        """Return this string with sigma0 and sigma2 alone, fitted at two frequencies.

        The schemes on a grid have only these two losses.

        Parameters
        ----------
        f1 : float
            The lower frequency, above 0 to 1e9 (Hz).
        f2 : float
            The higher frequency, 1.001 f1 to 1e9 (Hz).

        Returns
        -------
        String
            With sigma1 = sigma3 = 0.

        Raises
        ------
        ParameterError
            For a frequency out of its range, or a fit with a negative loss.
        """
        low = ranges.PITCH.number("f1", f1)
        high = number("f2", f2, "Hz", at_least=CLOSEST * low, at_most=ranges.PITCH.high)
        b1, b2 = self._wave_number_at(low), self._wave_number_at(high)
        a1, a2 = self.decay_rate(b1), self.decay_rate(b2)
        sigma2 = (a2 - a1) / (b2 * b2 - b1 * b1)
        sigma0 = a1 - sigma2 * b1 * b1
        if abs(sigma0) < ROUNDING * a1:
            sigma0 = 0.0
        if sigma0 < 0.0:
            raise ParameterError(
                "f1, f2", (f1, f2),
                "sigma0 + sigma2 b^2 through both decay rates has sigma0 < 0; expected a higher "
                "f1 or a lower f2"
            )
        return replace(self, sigma0=sigma0, sigma1=0.0, sigma2=sigma2, sigma3=0.0)

    def _wave_number_at(self, hz: float) -> float:
        omega = 2.0 * math.pi * hz
        inertia = self.linear_density * omega * omega
        # the root of EI b^4 + T b^2 = rho A omega^2 in the form that does not cancel when EI is
        # small
        return math.sqrt(
            2.0 * inertia /
            (self.tension
             + math.sqrt(self.tension * self.tension + 4.0 * self.bending_stiffness * inertia)))


def decay_law(b: WaveNumbers, s0: float, s1: float, s2: float, s3: float) -> WaveNumbers:
    """Return the decay rate (1/s) at a wave number b (1/m) or at several, for parameters that are
    checked."""
    return s0 + b * (s1 + b * (s2 + b * s3))          # eq. (8)


def lossless_square(string: String, b: WaveNumbers) -> WaveNumbers:
    """Return the squared angular frequency (rad^2/s^2) without losses at a wave number b (1/m) or
    at several."""
    return (b * b * (string.tension + string.bending_stiffness * b * b)
            / string.linear_density)            # eq. (7)


def damped_angular_frequency(string: String, i: int, b: float, alpha: float, *,
                             measured: bool = False) -> float:
    """Return the angular frequency (rad/s) of mode i at its wave number b (1/m) and a decay rate
    alpha (1/s), the string's own rate or a measured rate.

    Errors: ParameterError if the mode is overdamped.
    """
    k_over_m = lossless_square(string, b)
    squared = k_over_m - alpha * alpha          # eq. (8)
    if squared > 0.0:
        return math.sqrt(squared)
    if measured:
        raise ParameterError(
            f"the decay rate of mode {i}", alpha,
            "the mode is overdamped (it does not oscillate); expected a lower decay rate")
    name = largest_loss(string, i)
    raise ParameterError(name, getattr(string, name), (
        f"mode {i} would be overdamped (it would not oscillate): it would decay at {alpha:.6g} "
        f"1/s, and its angular frequency without losses is {math.sqrt(k_over_m):.6g} rad/s{LOWER}"))


def largest_loss(string: String, i: int) -> str:
    """Return the name of the largest part of the decay rate of mode i: sigma0, sigma1, sigma2 or
    sigma3."""
    b = string.wave_number(i)
    parts = {
        name: getattr(string, name) * elementary.pow(b, float(power))
        for power, name in enumerate(SIGMAS)
    }
    return max(parts, key=lambda name: parts[name])
