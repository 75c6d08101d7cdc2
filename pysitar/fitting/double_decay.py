"""Two decays of one partial: of two polarisations, or of a string coupled to a body."""
from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from pysitar.fitting.exponentials import ComplexArray
from pysitar.fitting.modes import NEPERS_60
from pysitar.fitting.partials import MOST_DROP, BandEnvelopes
from pysitar.fitting.recording import NoiseFloor
from pysitar.physics.checks import FloatArray

OVER_FLOOR = 3.0                # dB over the noise at the end of the part that is fitted
SAMPLES = 500                   # of a band, at least, in which exponentials are fitted
POINTS = 160                    # of the mean values from which the first poles come
CONVERGED = 1e-3                # decrease of a step over the noise's variance in a sample
MOST_DAMPING = 1e3
DECIBELS = 20.0 / math.log(10.0)        # of a neper
RIDGE = 1e-13                   # of the diagonal
STEPS = 40                      # of Levenberg and Marquardt
ENOUGH = 64                     # samples of a band
TWO_DECAYS = 40.0               # decrease of the residual over the noise's variance
LEAST_RATIO = 1.3               # of the two T60s
CERTAIN = 3.0                   # standard errors of the difference of the decay rates
MOST_ERROR = 0.3                # of either decay rate
FAINTEST = -40.0                # dB: level at the onset of one decay below the other
MIDDLE = 0.3                    # of the half width: where both frequencies are
NOISE_WIDTH = 0.75              # of the half width, of noise in a Hann window


@dataclass(frozen=True, slots=True)
class DoubleDecay:
    """The two decays of a partial.

    Parameters: early and late, T60 (s), the shorter one first, early_error and late_error, their
    standard errors; early_level and late_level, at the onset (dB of full scale), and level_error of
    their difference; detuning, the frequency of the late one less that of the
    early one, and detuning_error (Hz).
    """

    early: float
    early_error: float
    late: float
    late_error: float
    early_level: float
    late_level: float
    level_error: float
    detuning: float
    detuning_error: float


def measure_double_decay(bands: BandEnvelopes, frequency: float, half_width: float,
                         floor: NoiseFloor) -> DoubleDecay | None:
    """Return the two decays of a partial, or None where one explains its band as well.

    One and two damped complex exponentials are fitted to the samples of the band by least squares;
    the noise is what two leave.

    Parameters: half_width (Hz), at most half the distance to the nearest other partial.
    """
    band, rate, _ = bands.samples(frequency, half_width)
    start = math.ceil(rate / half_width)        # the window's response to the onset
    noise = float(floor.at(frequency)) * NOISE_WIDTH * half_width * 2.0
    power = np.convolve(np.abs(band)**2, np.ones(8) / 8.0, "same")
    limit = max(noise * 10.0 ** (OVER_FLOOR / 10.0),
                float(power[start:].max(initial=0.0)) * 10.0 ** (-MOST_DROP / 10.0))
    low = np.flatnonzero(power[start:] < limit)
    stop = start + int(low[0]) if low.size else band.size - start
    if stop - start < ENOUGH:
        return None
    size = max(1, (stop - start) // SAMPLES)
    part, rate, after = means(band[start:stop], size), rate / size, start / rate
    one = _refine(part, first_exponents(part, 1))
    two = _refine(part, first_exponents(part, 2))
    if one is None or two is None:
        return None
    # samples may be closer than independent ones, by the rate over the width of the noise
    variance = two.energy / (2.0 * part.size) * max(1.0, rate / (NOISE_WIDTH * half_width))
    if one.energy - two.energy < TWO_DECAYS * variance:
        return None
    fine = two.exponents[:, None] / size * np.arange(size)
    two = replace(two, amplitudes=two.amplitudes / np.exp(fine).mean(axis=1))
    return _double_decay(two, variance, after, rate, MIDDLE * half_width)


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """A sum of c exp(s n).  Parameters: exponents s, (K,), per sample; amplitudes c at the first
    sample, (K,); energy of the residual; frames, their number."""

    exponents: ComplexArray
    amplitudes: ComplexArray
    energy: float
    frames: int

    def normal_equations(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the derivatives, (2 frames, 4K), their products scaled to a diagonal of 1, and the
        scale, (4K,): of real and imaginary parts of the exponents, then of the amplitudes."""
        derivatives = _derivatives(self.exponents, self.amplitudes, self.frames)
        stacked = np.concatenate((derivatives.real, derivatives.imag))
        scale = 1.0 / np.maximum(np.linalg.norm(stacked, axis=0), 1e-300)
        return stacked, (stacked.T @ stacked) * scale[:, None] * scale, scale

    def covariance(self) -> FloatArray:
        """Return the inverse of the normal equations, (4K, 4K): real and imaginary parts of the
        exponents, then of the amplitudes."""
        _, gram, scale = self.normal_equations()
        found: FloatArray = np.linalg.pinv(gram, hermitian=True) * scale[:, None] * scale
        return found


def _double_decay(fit: _Fit, variance: float, after: float, rate: float,
                  widest: float) -> DoubleDecay | None:
    """Return the decays of a fit of two exponentials; None where they are one, or uncertain.

    Parameters: variance of the noise in each part of a sample; after, the time (s) from the onset
    to the first sample; rate, of the samples (Hz); widest, offset from the middle of the band (Hz).
    """
    alphas, omegas = -fit.exponents.real * rate, fit.exponents.imag * rate
    # a decay within the window's response is the onset
    if alphas.min() <= 0.0 or alphas.max() * after > 1.0 or (
            np.abs(omegas).max() > 2.0 * math.pi * widest):
        return None
    first, last = (1, 0) if alphas[1] > alphas[0] else (0, 1)
    covariance = fit.covariance() * variance

    def spread(weights: dict[int, float]) -> float:
        """Return the standard error of a weighted sum of parameters."""
        index, factors = list(weights), np.array(list(weights.values()))
        return math.sqrt(max(float(factors @ covariance[np.ix_(index, index)] @ factors), 0.0))

    decay_errors = [spread({k: rate}) for k in (0, 1)]
    difference = alphas[first] - alphas[last]
    if (difference < CERTAIN * spread({first: rate, last: -rate})
            or alphas[first] < LEAST_RATIO * alphas[last]
            or max(decay_errors[k] / alphas[k] for k in (0, 1)) > MOST_ERROR):
        return None
    sizes = np.abs(fit.amplitudes)
    # at the onset: the logarithm of amplitude exp(alpha start)
    levels = DECIBELS * (np.log(sizes) + alphas * after)
    weights: dict[int, float] = {}
    for k, sign in ((first, -1.0), (last, 1.0)):
        weights |= {4 + k: sign * float(fit.amplitudes[k].real) / sizes[k]**2,
                    6 + k: sign * float(fit.amplitudes[k].imag) / sizes[k]**2,
                    k: -sign * after * rate}
    if levels.min() - levels.max() < FAINTEST:
        return None
    t60s = NEPERS_60 / alphas
    errors = [t60s[k] * decay_errors[k] / alphas[k] for k in (0, 1)]
    return DoubleDecay(
        early=float(t60s[first]), early_error=float(errors[first]), late=float(t60s[last]),
        late_error=float(errors[last]), early_level=float(levels[first]),
        late_level=float(levels[last]), level_error=DECIBELS * spread(weights),
        detuning=float(omegas[last] - omegas[first]) / (2.0 * math.pi),
        detuning_error=spread({2 + last: rate, 2 + first: -rate}) / (2.0 * math.pi))


def first_exponents(part: ComplexArray, order: int) -> ComplexArray:
    """Return exponents per sample of a band by ESPRIT of means over some samples, (order,)."""
    size = max(1, part.size // POINTS)
    short = means(part, size)
    hankel = np.lib.stride_tricks.sliding_window_view(short, max(order + 2, short.size // 3)).T
    _, vectors = np.linalg.eigh(hankel @ hankel.conj().T)
    space = vectors[:, ::-1][:, :order]
    shift, *_ = np.linalg.lstsq(space[:-1], space[1:], rcond=None)
    poles = np.linalg.eigvals(shift).astype(np.complex128)
    return (np.log(poles) / size).astype(np.complex128)


def means(part: ComplexArray, size: int) -> ComplexArray:
    """Return the means of a whole number of samples each."""
    found: ComplexArray = part[:part.size // size * size].reshape(-1, size).mean(axis=1)
    return found


def _functions(exponents: ComplexArray, frames: int) -> ComplexArray:
    """Return exp(s n), (frames, K)."""
    found: ComplexArray = np.exp(np.arange(frames)[:, None] * exponents)
    return found


def _derivatives(exponents: ComplexArray, amplitudes: ComplexArray, frames: int) -> ComplexArray:
    """Return the derivatives of the sum by real and imaginary parts of exponents, then of
    amplitudes, (frames, 4K)."""
    functions = _functions(exponents, frames)
    slopes = functions * np.arange(frames)[:, None] * amplitudes
    found: ComplexArray = np.concatenate(
        (slopes, 1j * slopes, functions, 1j * functions), axis=1)
    return found


def _refine(part: ComplexArray, exponents: ComplexArray) -> _Fit | None:
    """Return the least-squares fit near some exponents, by steps of Levenberg and Marquardt; None
    where it has no finite values."""
    frames = part.size
    fit = _amplitudes(part, exponents)
    damping = 1e-3
    for _ in range(STEPS):
        if fit is None:
            return None
        stacked, gram, scale = fit.normal_equations()
        residual = part - _functions(fit.exponents, frames) @ fit.amplitudes
        right = stacked.T @ np.concatenate((residual.real, residual.imag))
        count = exponents.size
        decrease = 0.0
        while damping < MOST_DAMPING:
            step = np.linalg.solve(gram + damping * np.eye(4 * count), right * scale) * scale
            trial = _amplitudes(part, fit.exponents + step[:count] + 1j * step[count:2 * count])
            decrease = 0.0 if trial is None else fit.energy - trial.energy
            if trial is not None and decrease > 0.0:
                fit, damping = trial, max(damping * 0.1, 1e-9)
                break
            damping *= 10.0
        if decrease <= CONVERGED * fit.energy / frames:
            break
    return fit


def _amplitudes(part: ComplexArray, exponents: ComplexArray) -> _Fit | None:
    """Return the fit of least-squares amplitudes; None for exponents that grow without bound."""
    if not np.isfinite(exponents).all() or exponents.real.max() * part.size > 5.0:
        return None
    functions = _functions(exponents, part.size)
    gram = functions.conj().T @ functions
    scale = 1.0 / np.sqrt(gram.real.diagonal())
    ridge = RIDGE * np.eye(exponents.size)
    amplitudes = scale * np.linalg.solve(gram * scale[:, None] * scale + ridge,
                                         scale * (functions.conj().T @ part))
    left = part - functions @ amplitudes
    return _Fit(exponents, amplitudes.astype(np.complex128),
                float(np.sum(left.real**2 + left.imag**2)), part.size)
