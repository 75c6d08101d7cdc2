"""A stiff, lossy string between two simple supports: its material, wave numbers, decay rates and
partials."""
from __future__ import annotations

import math
from dataclasses import dataclass, replace

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics import ranges
from pysitar.physics.checks import number, whole
from pysitar.physics.ranges import Range

LAST_MODE = 1_000_000
LOWER = "; expected lower losses"
CLOSEST = 1.001  # times one frequency: the nearest other one at which losses are fitted
ROUNDING = 1e-12                # of a difference of two decay rates
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
    """A string of stiffness EI under tension T between x = 0 and x = length, both ends simply
    supported.

    Parameters: length, 1e-3 to 1000 (m); tension, 1e-12 to 1e9 (N); linear_density rho A, 1e-9 to
    100 (kg/m); bending_stiffness EI, 0 to 1e6 (N m^2); sigma0 (1/s), sigma1 (m/s), sigma2 (m^2/s),
    sigma3 (m^3/s), each 0 to 1e5: the decay rate at wave number b is sigma0 + sigma1 b + sigma2 b^2
    + sigma3 b^3; axial_stiffness EA, 0 to 1e9 (N), the force that a strain of 1 would take, for
    `tension_modulation` alone (0: not known). Errors: ParameterError. Source: van Walstijn &
    Bridges 2016, eqs. (1), (5); the loss term of (1) re-derived (its printed sign is a gain). """

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
        for name, within in RANGES.items():
            object.__setattr__(self, name, within.number(name, getattr(self, name)))

    @classmethod
    def from_material(
        cls, *, length: float, radius: float, density: float, youngs_modulus: float,
        tension: float | None = None, pitch: float | None = None,
        sigma0: float = 0.0, sigma1: float = 0.0, sigma2: float = 0.0, sigma3: float = 0.0,
    ) -> String:
        """Return the string that is a plain round wire: rho A = density pi r^2, EI = E pi r^4 / 4,
        EA = E pi r^2.

        Parameters: length (m); radius, 1e-6 to 1 (m); density, 1e-3 to 1e5 (kg/m^3);
        youngs_modulus, 0 to 1e13 (Pa); either tension (N) or pitch (Hz), the frequency of the first
        damped partial; losses as in `String`.
        Returns: a String.
        Errors: ParameterError.
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
        """Return the wave number i pi / length (1/m) of mode i = 1, 2, ...  Errors:
        ParameterError."""
        return whole("mode", i, at_least=1, at_most=LAST_MODE) * math.pi / self.length

    def decay_rate(self, b: float) -> float:
        """Return the decay rate (1/s) at a wave number b >= 0 (1/m): sigma0 + sigma1 b + sigma2 b^2
        + sigma3 b^3.

        Errors: ParameterError.  Source: van Walstijn & Bridges 2016, eqs. (5), (8).
        """
        return decay_law(WAVE_NUMBER.number("wave number", b), self.sigma0, self.sigma1,
                         self.sigma2, self.sigma3)

    def angular_frequency(self, i: int) -> float:
        """Return the damped angular frequency (rad/s) of mode i = 1, 2, ...

        Errors: ParameterError, also for a mode so damped that it does not oscillate.
        Source: van Walstijn & Bridges 2016, eq. (8).
        """
        b = self.wave_number(i)
        return damped_angular_frequency(self, i, b, self.decay_rate(b))

    def frequency(self, i: int) -> float:
        """Return the frequency (Hz) of the damped partial i = 1, 2, ...  Errors: as
        `angular_frequency`."""
        return self.angular_frequency(i) / (2.0 * math.pi)

    def with_pitch(self, hz: float) -> String:
        """Return this string with the tension that gives its first damped partial a frequency.

        Parameters: hz > 0 (Hz).
        Returns: a String.
        Errors: ParameterError, also when the stiffness alone makes the string higher than hz, when
        the tension would be out of range, and when the partial would decay by more than 1 in a
        radian of its motion: such a string has no pitch. Source: van Walstijn & Bridges 2016, eqs.
        (7), (8) solved for T. """
        omega = 2.0 * math.pi * ranges.PITCH.number("pitch", hz)
        b = self.wave_number(1)
        alpha = self.decay_rate(b)
        if not alpha <= omega:
            name = largest_loss(self, 1)
            raise ParameterError(name, getattr(self, name), (
                f"at {hz:.6g} Hz the first partial would decay at {alpha:.6g} 1/s, and a string "
                f"whose partial decays faster than "
                f"2 pi f = {omega:.6g} 1/s has no pitch{LOWER}"))
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
        """Return this string with sigma0 and sigma2 alone, equal to its decay rates at two
        frequencies: all that grid schemes know.

        Parameters: f1 > 0 and f2, at least 1.001 f1 (Hz).
        Returns: a String with sigma1 = sigma3 = 0.
        Errors: ParameterError, also when the fit needs a negative loss.
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


def decay_law(b: float, s0: float, s1: float, s2: float, s3: float) -> float:
    """Return the decay rate (1/s) at a wave number b (1/m) for parameters that are checked."""
    return s0 + b * (s1 + b * (s2 + b * s3))          # eq. (8)


def damped_angular_frequency(string: String, i: int, b: float, alpha: float, *,
                             measured: bool = False) -> float:
    """Return the angular frequency (rad/s) of mode i at its wave number b (1/m) and a decay rate
    alpha (1/s), the string's own or a measured one.

    Errors: ParameterError if it is overdamped.
    """
    # eq. (7)
    k_over_m = b * b * (string.tension + string.bending_stiffness * b * b) / string.linear_density
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
        f"1/s, and its angular frequency without "
        f"losses is {math.sqrt(k_over_m):.6g} rad/s{LOWER}"))


def largest_loss(string: String, i: int) -> str:
    """The name of the largest part of the decay rate of mode i: sigma0, sigma1, sigma2 or
    sigma3."""
    b = string.wave_number(i)
    parts = {
        name: getattr(string, name) * elementary.pow(b, float(power))
        for power, name in enumerate(SIGMAS)
    }
    return max(parts, key=lambda name: parts[name])
