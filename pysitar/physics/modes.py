"""The modes of a string: frequencies, decay rates, masses, and their weights at a point and at the
ends."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray, Numbers, array_of, number, whole
from pysitar.physics.ranges import Range
from pysitar.physics.string import (
    String,
    damped_angular_frequency,
    decay_law,
    lossless_square,
)

MAX_MODES = 4096
# of a squared decay rate: a mode whose squared angular frequency is less counts as overdamped
NEARLY = 2e-3
WAVE_NUMBER = Range(unit="1/m", low=0.0, high=1e10, open_low=True)
ANGULAR_FREQUENCY = Range(unit="rad/s", low=0.0, high=1e10, open_low=True)
MASS = Range(unit="kg", low=0.0, high=1e6, open_low=True, smallest=1e-15)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class StringModes:
    """The first M modes of a string; mode i has the shape sin(b_i x).

    Parameters: string; arrays of shape (M,): wave_numbers, above 0 to 1e10 (1/m),
    angular_frequencies, above 0 to 1e10 (damped, rad/s), decay_rates, 0 to 1e9 (1/s), masses, above
    0 to 1e6 (kg).  The arrays are copied and read-only.
    Errors: ParameterError.
    Source: van Walstijn & Bridges 2016, eqs. (7), (8).
    """

    string: String
    wave_numbers: FloatArray
    angular_frequencies: FloatArray
    decay_rates: FloatArray
    masses: FloatArray

    def __post_init__(self) -> None:
        b = WAVE_NUMBER.series("wave_numbers", self.wave_numbers)
        object.__setattr__(self, "wave_numbers", b)
        for name, within in (("angular_frequencies", ANGULAR_FREQUENCY), ("masses", MASS),
                             ("decay_rates", ranges.RATE_OF_DECAY)):
            object.__setattr__(self, name, within.series(name, getattr(self, name), size=b.size))

    @property
    def count(self) -> int:
        """The number of modes, M."""
        return int(self.wave_numbers.size)

    @property
    def frequencies(self) -> FloatArray:
        """The damped frequencies, shape (M,), Hz."""
        return array_of([omega / (2.0 * math.pi) for omega in self.angular_frequencies.tolist()])

    @property
    def undamped_frequencies(self) -> FloatArray:
        """The angular frequencies of the modes without losses, shape (M,), rad/s."""
        pairs = zip(self.angular_frequencies.tolist(), self.decay_rates.tolist(), strict=True)
        return array_of([math.sqrt(omega * omega + alpha * alpha) for omega, alpha in pairs])

    def shape(self, x: float) -> FloatArray:
        """Return sin(b_i x), shape (M,), at a point 0 <= x <= length (m).  Errors:
        ParameterError."""
        x = number("position", x, "m", at_least=0.0, at_most=self.string.length)
        return array_of([elementary.sin(b * x) for b in self.wave_numbers.tolist()])

    def spread(self, x: float, width: float) -> FloatArray:
        """Return the mean of each mode shape over a width: sin(b_i x) sin(b_i w/2) / (b_i w/2);
        width 0 is `shape`.

        Parameters: the centre x and the width w >= 0 (m), the whole of it on the string.
        Returns: weights, shape (M,).
        Errors: ParameterError.
        """
        half = 0.5 * number("width", width, "m", at_least=0.0, at_most=self.string.length,
                            smallest=ranges.NARROWEST)
        if half == 0.0:
            return self.shape(x)
        x = number("position", x, "m", at_least=half, at_most=self.string.length - half)
        return array_of([
            elementary.sin(b * x) * elementary.sin(b * half) / (b * half)
            for b in self.wave_numbers.tolist()
        ])

    def slope_force_end(self) -> FloatArray:
        """Return the weights w, shape (M,), N/m, of the upward force on the support at x = length:
        F_L = sum w_i y_i.

        Source: van Walstijn & Bridges 2016, section IV-B: w_i = (-1)^(i+1) (T b_i + EI b_i^3).
        """
        force = self._slope_force()
        return array_of([f if i % 2 == 0 else -f for i, f in enumerate(force)])

    def slope_end(self) -> FloatArray:
        """Return the weights, shape (M,), 1/m, of -dy/dx at x = length: the derivative of
        `slope_force_end` by the tension."""
        return array_of([b if i % 2 == 0 else -b for i, b in enumerate(self.wave_numbers.tolist())])

    def slope_force_start(self) -> FloatArray:
        """Return the weights w, shape (M,), N/m, of the upward force on the support at x = 0: F_0 =
        sum w_i y_i."""
        return array_of(self._slope_force())

    def angular_frequencies_at(self, tension: float) -> FloatArray:
        """Return the damped angular frequencies, shape (M,), rad/s, at another tension > 0 (N) and
        the same decay rates.

        Errors: ParameterError, also when a mode is overdamped or nearly overdamped.
        """
        change = (ranges.TENSION.number("tension", tension)
                  - self.string.tension) / self.string.linear_density
        result = []
        modes = zip(self.angular_frequencies.tolist(), self.wave_numbers.tolist(),
                    self.decay_rates.tolist(), strict=True)
        for i, (omega, b, alpha) in enumerate(modes, start=1):
            squared = omega * omega + change * b * b
            if not squared > NEARLY * alpha * alpha:
                raise ParameterError("tension", tension,
                                     f"mode {i} would be overdamped (it would not oscillate)")
            result.append(math.sqrt(squared))
        return array_of(result)

    def _slope_force(self) -> list[float]:
        t, stiffness = self.string.tension, self.string.bending_stiffness
        return [b * (t + stiffness * b * b) for b in self.wave_numbers.tolist()]


def string_modes(
    string: String, *, max_frequency: float | None = None, count: int | None = None,
    frequencies: Numbers | None = None, decay_rates: Numbers | None = None,
) -> StringModes:
    """Return the modes of a string: the first `count`, or all whose damped frequency is below
    `max_frequency`.

    Parameters: string; either max_frequency > 0 (Hz) or count, 1 to 4096; frequencies (damped, Hz,
    rising) and decay_rates (1/s), shape (N,), measured values that replace those of the string.
    With a measured array both limits may be left out: the result has N modes then.
    Returns: StringModes with masses rho A L / 2.
    Errors: ParameterError: no mode, more than 4096 modes, an overdamped mode, a measured array that
    is too short.
    Source: van Walstijn & Bridges 2016, eqs. (7), (8).
    """
    measured_f = None if frequencies is None else ranges.MEASURED_FREQUENCY.series(
        "frequencies", frequencies)
    measured_a = None if decay_rates is None else ranges.RATE_OF_DECAY.series(
        "decay_rates", decay_rates)
    if measured_f is not None and not bool(np.all(measured_f[1:] > measured_f[:-1])):
        raise ParameterError("frequencies", frequencies,
                             "expected rising frequencies: value i is that of mode i")
    sizes = [array.size for array in (measured_f, measured_a) if array is not None]
    if (max_frequency is None) == (count is None) and (count is not None or not sizes):
        raise ParameterError("max_frequency, count", (max_frequency, count),
                             "expected exactly one of max_frequency (Hz) and count")
    if sizes and max(sizes) != min(sizes):
        raise ParameterError("decay_rates", f"of {sizes[1]} values",
                             f"expected one for each of the {sizes[0]} measured frequencies")
    requested = count if max_frequency is not None or count is not None else sizes[0]
    limit = math.inf if max_frequency is None else ranges.PITCH.number(
        "max_frequency", max_frequency)
    if requested is not None:
        requested = whole("count", requested, at_least=1, at_most=MAX_MODES)
        if sizes and requested > sizes[0]:
            raise ParameterError("count", requested,
                                 f"expected at most {sizes[0]}, the number of measured modes")
    b, omega, alpha = _compute_modes(string, limit, requested, measured_f, measured_a)
    mass = 0.5 * string.linear_density * string.length          # eq. (7)
    return StringModes(
        string=string,
        wave_numbers=array_of(b),
        angular_frequencies=array_of(omega),
        decay_rates=array_of(alpha),
        masses=array_of([mass] * len(b)),
    )


def _compute_modes(string: String, limit: float, requested: int | None,
                   frequencies: FloatArray | None, decay_rates: FloatArray | None,
                   ) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return wave numbers, damped angular frequencies and decay rates of the modes below a limit
    (Hz); of the first `requested` modes unless None.

    Parameters: frequencies and decay_rates, measured, in place of those of the string, or None.
    """
    measured = None if decay_rates is None else decay_rates.size
    most = MAX_MODES + 1 if frequencies is None else frequencies.size
    number = np.arange(1.0, (most if requested is None else requested) + 1.0)
    with np.errstate(over="ignore", invalid="ignore"):          # beyond the limit
        b = number * math.pi / string.length
        alpha = decay_law(b, string.sigma0, string.sigma1, string.sigma2, string.sigma3)
        if decay_rates is not None:
            alpha[:measured] = decay_rates[:number.size]
        if frequencies is not None:
            squared, omega = np.ones(b.size), 2.0 * math.pi * frequencies[:number.size]
        else:
            squared = lossless_square(string, b) - alpha * alpha         # eq. (8)
            omega = np.sqrt(np.maximum(squared, 0.0))
        inside = (squared > 0.0) & (omega / (2.0 * math.pi) < limit)
    count = number.size if inside.all() else int(inside.argmin())
    overdamped = count < number.size and not squared[count] > 0.0
    if measured is not None and count + overdamped > measured:
        raise ParameterError("decay_rates", f"of {measured} values",
                             "expected one for every mode below max_frequency")
    if overdamped:
        damped_angular_frequency(string, count + 1, float(b[count]), float(alpha[count]),
                                 measured=measured is not None)
    _check_count(count, limit)
    return b[:count], omega[:count], alpha[:count]


def _check_count(count: int, limit: float) -> None:
    if count > MAX_MODES:
        raise ParameterError("max_frequency", limit,
                             f"more than {MAX_MODES} modes lie below this frequency (Hz); "
                             "expected a lower frequency")
    if count == 0:
        raise ParameterError("max_frequency", limit,
                             "no mode of the string lies below this frequency (Hz); "
                             "expected a higher frequency")
