"""Fit a string to the recording of a pluck: pitch, stiffness, losses and where it was plucked."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np

from pysitar.errors import ParameterError
from pysitar.fitting.double_decay import DoubleDecay, measure_double_decay
from pysitar.fitting.modes import NEPERS_60
from pysitar.fitting.partials import (
    BandEnvelopes,
    Decay,
    Series,
    find_peaks,
    find_series,
    measure_decay,
)
from pysitar.fitting.recording import check_recording, find_onset, noise_floor
from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray, Numbers, array_of, number

LENGTH = 0.65                   # m
LONGEST = 20.0                  # s of a pluck that are fitted
WIDEST = 60.0                   # Hz: half width of the band of a partial
LEAST_DECAYS = 4
LEAST_ERROR = 0.02              # relative, of a T60 that is fitted
FAR = 2.5                       # median deviations beyond which a decay counts less
PLACES = np.arange(0.01, 0.5001, 0.0005)        # fractions of the length that are tried
COMB_FLOOR = 0.02               # of |sin(k pi x)|: no notch of a comb is deeper
COMB_ORDERS = 40                # partials of the comb
RELEASES = np.geomspace(5e-5, 5e-3, 120)        # s
POWERS = (0, 1, 3)              # of the wave number in the losses that are fitted
TWO_DECAYS = ("early_t60s", "early_t60_errors", "late_t60s", "late_t60_errors", "late_levels",
              "late_level_errors", "detunings", "detuning_errors")
# number of a partial, its decay, and the two decays that explain it better
PartialDecays: TypeAlias = tuple[int, Decay, DoubleDecay | None]


@dataclass(frozen=True, slots=True, eq=False)
class StringFit:
    """A string fitted to the recording of a pluck.

    Partial k has the frequency k f0 sqrt(1 + B k^2) and the decay rate sigma0 + sigma1 b + sigma3
    b^3 at the wave number b = k pi / length.

    Attributes
    ----------
    f0, f0_error : float
        Pitch without stiffness, and its standard error (Hz).
    b, b_error : float
        Inharmonicity B, and its standard error.
    length : float
        The length for which the losses and `position` hold (m).
    sigma0, sigma1, sigma3 : float
        Losses (1/s, m/s, m^3/s).
    position : float
        Where the string was plucked, from either end, at most half the length (m).
    release : float
        Duration of the release of a pluck with that spectrum (s).
    orders : ndarray
        Shape (N,), numbers of the partials.
    frequencies : ndarray
        Shape (N,), (Hz).
    levels : ndarray
        Shape (N,), at the onset (dB of full scale).
    t60s, t60_errors : ndarray
        Shape (N,), T60 of the partials and their standard errors (s).
    late_over_early : ndarray
        Shape (N,), the T60 of the later half of each decay over that of the earlier half: about 1,
        above 1 where there are two decays, NaN where a decay is too short to compare.
    early_t60s, early_t60_errors, late_t60s, late_t60_errors : ndarray
        Shape (N,), the T60s of the two decays of a partial and their standard errors (s); NaN where
        one decay explains it as well.
    late_levels, late_level_errors : ndarray
        Shape (N,), level of the late decay at the onset over that of the early one (dB); or NaN.
    detunings, detuning_errors : ndarray
        Shape (N,), frequency of the late decay less that of the early one (Hz); or NaN.
    onset : float
        Time of the onset in the recording (s).
    """

    f0: float
    f0_error: float
    b: float
    b_error: float
    length: float
    sigma0: float
    sigma1: float
    sigma3: float
    position: float
    release: float
    orders: FloatArray
    frequencies: FloatArray
    levels: FloatArray
    t60s: FloatArray
    t60_errors: FloatArray
    late_over_early: FloatArray
    early_t60s: FloatArray
    early_t60_errors: FloatArray
    late_t60s: FloatArray
    late_t60_errors: FloatArray
    late_levels: FloatArray
    late_level_errors: FloatArray
    detunings: FloatArray
    detuning_errors: FloatArray
    onset: float

    def t60(self, frequency: float) -> float:
        """Return the T60 of the fitted losses at a frequency.

        Parameters
        ----------
        frequency : float
            Above 0 to 1e9 (Hz).

        Returns
        -------
        float
            In s; infinite without losses.

        Raises
        ------
        ParameterError
            For a frequency out of its range.
        """
        hz = ranges.PITCH.number("frequency", frequency)
        ratio = (hz / self.f0)**2
        squared = ratio if self.b * ratio < 1e-9 else (
            (math.sqrt(1.0 + 4.0 * self.b * ratio) - 1.0) / (2.0 * self.b))
        wave = math.sqrt(squared) * math.pi / self.length
        rate = self.sigma0 + self.sigma1 * wave + self.sigma3 * wave**3
        return NEPERS_60 / rate if rate > 0.0 else math.inf


def fit_string(
    audio: Numbers,
    rate: float,
    *,
    length: float = LENGTH,
    pitch: float | None = None,
    step: Callable[[], None] | None = None,
) -> StringFit:
    """Fit a string to the recording of one pluck.

    The partials are found by their series, each decay by a line through the level of its band, two
    decays where two damped exponentials explain the band better than one, the losses by least
    squares without negative ones, and the place of the pluck by the comb in the levels at the
    onset, beside a smooth slope.

    Parameters
    ----------
    audio : array_like
        Shape (n,), floating-point, full scale 1; 0.1 s to 60 s. One channel.
    rate : float
        Sample rate, 16000 to 768000 (Hz).
    length : float, default 0.65
        Length of the string, 1e-3 to 1000 (m); a sound does not show it.
    pitch : float, optional
        Approximate pitch, within a semitone, above 0 to 1e9 (Hz). Default: found.
    step : callable, optional
        Called after each partial.

    Returns
    -------
    StringFit

    Raises
    ------
    ParameterError
        For a wrong argument, a recording that cannot be fitted, and one without the partials of a
        string.

    Examples
    --------
    >>> import numpy, pysitar
    >>> string = pysitar.String(length=0.65, tension=70.0, linear_density=4e-4,
    ...                         bending_stiffness=1e-4, sigma0=0.7, sigma1=0.01, sigma3=1e-6)
    >>> simulation = pysitar.StringSimulation(string=string, sample_rate=48000.0)
    >>> simulation.pluck(position=0.12, force=1.0, ramp=0.01, release=0.0003)
    >>> fit = pysitar.fit_string(0.01 * simulation.run(96000).outputs[:, 0], 48000.0)
    >>> round(fit.f0, 1), round(fit.position, 2), 7.5 < fit.t60(1000.0) < 8.7
    (321.8, 0.12, True)
    """
    sound, rate = check_recording(audio, rate)
    length = ranges.LENGTH.number("length", length)
    if pitch is not None:
        pitch = ranges.PITCH.number("pitch", pitch)
    onset = find_onset(sound, rate)
    stroke = sound[onset:onset + round(LONGEST * rate)]
    floor = noise_floor(sound, rate, onset)
    series = find_series(find_peaks(stroke, rate, floor), near_hz=pitch)
    if series is None:
        raise ParameterError(
            "audio", "without a series of partials",
            "expected the pluck of one string, with five partials or more over the noise"
            + (", or its pitch: a body may move low partials" if pitch is None else ""))
    bands = BandEnvelopes(stroke, rate)
    half_width = min(0.5 * series.f0, WIDEST)
    found: list[PartialDecays] = []
    for order, hz in zip(series.orders, series.frequencies, strict=True):
        decay = measure_decay(bands, hz, half_width, floor)
        if decay is not None:
            found.append((order, decay, measure_double_decay(bands, hz, half_width, floor)))
        if step is not None:
            step()
    if len(found) < LEAST_DECAYS:
        raise ParameterError("audio", f"with {len(found)} decays over its noise",
                             f"expected {LEAST_DECAYS} partials or more that fall by 6 dB")
    return _string_fit(series, found, length, onset / rate)


def _string_fit(series: Series, found: list[PartialDecays], length: float,
                onset: float) -> StringFit:
    """Return the string of a series with decays."""
    orders = np.array([float(order) for order, *_ in found])
    levels = np.array([decay.level for _, decay, _ in found])
    t60s = np.array([decay.t60 for _, decay, _ in found])
    errors = np.array([decay.error for _, decay, _ in found])
    ratios = [math.nan if decay.ratio is None else decay.ratio for _, decay, _ in found]
    two = np.array([(math.nan,) * 8 if double is None else (
        double.early, double.early_error, double.late, double.late_error,
        double.late_level - double.early_level, double.level_error, double.detuning,
        double.detuning_error) for *_, double in found]).T
    sigmas = fit_losses(orders * math.pi / length, NEPERS_60 / t60s, errors / t60s)
    place = fit_place(orders, levels)
    return StringFit(
        f0=series.f0, f0_error=series.f0_error, b=series.b, b_error=series.b_error, length=length,
        sigma0=sigmas[0], sigma1=sigmas[1], sigma3=sigmas[2], position=place * length,
        release=fit_release(orders, levels, place, series.f0), orders=array_of(orders.tolist()),
        frequencies=array_of([decay.frequency for _, decay, _ in found]),
        levels=array_of(levels.tolist()), t60s=array_of(t60s.tolist()),
        t60_errors=array_of(errors.tolist()), late_over_early=array_of(ratios),
        **{name: array_of(values) for name, values in zip(TWO_DECAYS, two.tolist(), strict=True)},
        onset=onset)


def fit_losses(waves: FloatArray, rates: FloatArray,
               errors: FloatArray) -> tuple[float, float, float]:
    """Return sigma0, sigma1 and sigma3, none negative, by least squares of relative deviations.

    Parameters: waves, wave numbers (1/m), rates of decay (1/s) and their relative errors, (N,).
    Decays far from the law count less in a second pass.
    """
    columns = np.stack([waves**power for power in POWERS], axis=1)
    weights = 1.0 / np.hypot(errors, LEAST_ERROR)
    solution = np.zeros(len(POWERS))
    for _ in range(3):
        solution = _least_squares(columns / rates[:, None] * weights[:, None], weights)
        deviations = np.abs(columns @ solution / rates - 1.0)
        spread = max(float(np.median(deviations)), 1e-6)
        weights = 1.0 / np.hypot(errors, LEAST_ERROR) * np.minimum(
            1.0, FAR * spread / np.maximum(deviations, 1e-12))
    return float(solution[0]), float(solution[1]), float(solution[2])


def _least_squares(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """Return the least-squares solution without negative values, the best over all sets of columns
    that are not 0."""
    count = matrix.shape[1]
    best, least = np.zeros(count), math.inf
    for size in range(1, count + 1):
        for chosen in combinations(range(count), size):
            part = np.zeros(count)
            scale = np.linalg.norm(matrix[:, chosen], axis=0)
            solved, *_ = np.linalg.lstsq(matrix[:, chosen] / scale, right, rcond=None)
            part[list(chosen)] = solved / scale
            left = float(np.sum((matrix @ part - right)**2))
            if np.all(part >= 0.0) and left < least:
                best, least = part, left
    return best


def fit_place(orders: FloatArray, levels: FloatArray) -> float:
    """Return where a string was plucked, as a fraction of its length up to 0.5: the comb that with
    a smooth slope explains the levels (dB) of its partials best."""
    used = orders <= COMB_ORDERS
    k, target = orders[used], levels[used]
    log = np.log(k)
    smooth = np.stack((np.ones(k.size), log, log**2), axis=1)[:, :max(1, min(3, k.size - 2))]
    basis, _ = np.linalg.qr(smooth)
    combs = comb_levels(k, PLACES[:, None])
    rest = target - combs
    rest = rest - (rest @ basis) @ basis.T
    # the mean of absolute deviations: a body's resonance is far from any slope
    return float(PLACES[np.abs(rest).mean(axis=1).argmin()])


def comb_levels(orders: FloatArray, place: float | FloatArray) -> FloatArray:
    """Return the levels (dB) of partials by the comb of a pluck at a fraction of the length."""
    levels: FloatArray = 10.0 * np.log10(np.sin(np.pi * place * orders)**2 + COMB_FLOOR**2)
    return levels


def release_levels(cycles: FloatArray) -> FloatArray:
    """Return the levels (dB) by the low pass of a release.  Parameters: cycles, its duration times
    the frequency."""
    with np.errstate(divide="ignore", invalid="ignore"):
        response = np.abs(np.cos(np.pi * cycles) / (1.0 - 4.0 * cycles * cycles))
    response = np.where(np.abs(2.0 * cycles - 1.0) < 1e-6, math.pi / 4.0, response)
    levels: FloatArray = 20.0 * np.log10(response + 1e-3)
    return levels


def fit_release(orders: FloatArray, levels: FloatArray, place: float, f0: float) -> float:
    """Return the duration (s) of the release whose low pass explains the levels of the partials of
    a force at the support best, beside the comb and 1/k."""
    rest = levels - comb_levels(orders, place) + 20.0 * np.log10(orders)
    left = rest - release_levels(np.outer(RELEASES, orders * f0))
    left = left - np.median(left, axis=1)[:, None]
    return number("release", float(RELEASES[np.abs(left).mean(axis=1).argmin()]), "s", above=0.0)
