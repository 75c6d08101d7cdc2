"""The impulse response of a blow that no ball gives: through it, the modes sound as recorded."""
from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pysitar.fitting.distance import compared_samples, log_spectral_distance
from pysitar.fitting.exponentials import ComplexArray, Exponentials, power_sums
from pysitar.physics.checks import FloatArray

LEAD = 5e-4                     # s of the response before the onset
AFTER = 0.005                   # s of the response after the moment from which modes ring freely
DURATIONS = (0.02, 0.035, 0.05, 0.08)         # s of longer responses that are tried
ORDERS = (0, 4)                 # of the filters that whiten the sound
FLATTENED = 0.65                # of the decay: as much weight for the end of a sound as this leaves
FALL = 5.76                     # nepers of the part that is compared, 50 dB
RESPONSE_RIDGE, WEIGHT_RIDGE = 1e-5, 1e-6       # of the diagonal
ROUNDS, CONVERGED = 20, 0.02    # at most; decrease of the residual that is not worth one more
MOST_STEPS, TOLERANCE = 400, 1e-16     # of conjugate gradients; of the squared residual
LEAST_EIGENVALUE = 1e-9         # of the preconditioner, of the largest one
ENOUGH = 0.3                    # dB: no longer response is tried
LESS = 0.8                      # of the distance of a shorter one: what a longer one must reach


@dataclass(frozen=True, slots=True, eq=False)
class BlowResponse:
    """The impulse response that follows the modes of a hard blow.

    Parameters: weights of the modes, (M,); values of the response at the rate of the sound, (n,),
    and their rate (Hz); distance (dB) of the sound that they give; order, of the filter that
    whitened the sound.
    """

    weights: FloatArray
    values: FloatArray
    rate: float
    distance: float
    order: int


def fit_blow_response(exponents: ComplexArray, response: ComplexArray, weights: FloatArray,
                      sound: FloatArray, *, rate: float, onset: float,
                      free: float) -> BlowResponse | None:
    """Return the impulse response, and the weights, with which modes are nearest to a recorded
    sound: the history of its force, over that of a hard blow; None where the sound is too short.

    Weights and response are fitted in turn by least squares; responses of several lengths are
    tried, and a longer one is taken if its log-spectral distance is a fifth less.

    Parameters: exponents of the modes (1/s) and their complex amplitudes after a hard blow at time
    0, (M,); weights, a first guess, (M,); sound (n,), a recording; rate (Hz); onset, and the time
    from which on the modes ring freely, free (s).
    """
    stroke = _stroke(sound, rate, onset)
    frames = compared_samples(stroke, rate)
    best: BlowResponse | None = None
    for duration in _durations(free - onset + LEAD + AFTER):
        taps = round(duration * rate)
        if stroke.size < 2 * taps:
            break
        found = [_fit(exponents / rate, response, weights, _Target(stroke, taps, frames, order),
                      rate) for order in ORDERS]
        trial = min(found, key=lambda fit: fit.distance)
        if best is None or trial.distance < LESS * best.distance:
            best = trial
        if best.distance < ENOUGH:
            break
    return best


def refit_blow_response(blow: BlowResponse, modes: FloatArray, sound: FloatArray, *,
                        onset: float) -> BlowResponse:
    """Return a response fitted to the sound of the modes as the instrument plays them.

    Parameters: modes (m,), that sound from the blow on, at the rate of the response; sound and
    onset, as in `fit_blow_response`.
    """
    stroke = _stroke(sound, blow.rate, onset)
    target = _Target(stroke, blow.values.size, compared_samples(stroke, blow.rate), blow.order)
    played = np.pad(modes, (0, max(0, target.size - modes.size)))[:target.size]
    values = target.plain(target.fit_response(played * target.growth))
    return replace(blow, values=values, distance=log_spectral_distance(
        target.sound, convolve(played, values), blow.rate))


def _stroke(sound: FloatArray, rate: float, onset: float) -> FloatArray:
    """Return a recording from the beginning of a response on."""
    return sound[max(0, round((onset - LEAD) * rate)):]


def _durations(shortest: float) -> Iterator[float]:
    """Yield the durations (s) of responses that are tried."""
    yield shortest
    yield from (duration for duration in DURATIONS if duration > shortest)


class _Target:
    """A recorded sound that modes are to have through a response.

    It is multiplied by a growing exponential, which a convolution keeps if all its parts are, so
    that its end counts too, and whitened.

    Parameters: stroke (n,), from the beginning of the response on; taps, of the response; frames,
    that the distance compares; order, of the filter.
    """

    def __init__(self, stroke: FloatArray, taps: int, frames: int, order: int) -> None:
        self.sound, self.taps, self.order = stroke[:max(frames, 3 * taps)], taps, order
        self.size = self.sound.size
        self.rate = FLATTENED * FALL / frames           # nepers a sample
        self.growth = np.exp(self.rate * np.arange(self.size))
        self.filter = _whitening_filter(self.sound * self.growth, order)
        self.white = self.whiten(self.sound * self.growth)
        self._transform = 1 << (2 * self.size).bit_length()
        self._spectrum = np.fft.rfft(self.white, self._transform)

    def whiten(self, sound: FloatArray) -> FloatArray:
        """Return a sound as the filter outputs it."""
        white: FloatArray = np.convolve(sound, self.filter)[:sound.size]
        return white

    def fit_response(self, modes: FloatArray) -> FloatArray:
        """Return the response with which the growing sound of modes (n,) is nearest to this one."""
        spectrum = np.fft.rfft(self.whiten(modes), self._transform)
        products = np.fft.irfft(np.abs(spectrum)**2, self._transform)[:self.taps]
        products[0] *= 1.0 + RESPONSE_RIDGE
        right = np.fft.irfft(self._spectrum * spectrum.conj(), self._transform)[:self.taps]
        return solve_toeplitz(products, right)

    def plain(self, response: FloatArray) -> FloatArray:
        """Return a response without the growth."""
        values: FloatArray = response / self.growth[:response.size]
        return values


def _fit(exponents: ComplexArray, response: ComplexArray, weights: FloatArray,
         target: _Target, rate: float) -> BlowResponse:
    """Return weights and response after all rounds.  Parameters: exponents, per sample."""
    weighing = _Weighing(exponents + target.rate, response, target)
    grown = Exponentials(exponents + target.rate, target.size)
    values, left = np.ones(1), math.inf
    for _ in range(ROUNDS):
        values = target.fit_response(grown.sound((weights * response).astype(np.complex128)))
        values = values / math.sqrt(float(values @ values))
        weights, now = weighing.fit_weights(values)
        if now > (1.0 - CONVERGED) * left:
            break
        left = now
    values = target.plain(values)
    modes = Exponentials(exponents, target.size).sound(
        (weights * response).astype(np.complex128))
    distance = log_spectral_distance(target.sound, convolve(modes, values), rate)
    return BlowResponse(weights, values, rate, distance, target.order)


class _Weighing:
    """The weights of modes whose sum a response follows.

    Parameters: exponents of the growing modes per sample and their amplitudes, (M,); target.
    """

    def __init__(self, exponents: ComplexArray, response: ComplexArray, target: _Target) -> None:
        self._exponents, self._response = exponents, response
        self._filter, self._sound = target.filter, target.white
        self._energy = float(self._sound @ self._sound)

    def fit_weights(self, values: FloatArray) -> tuple[FloatArray, float]:
        """Return the weights with which the modes, convolved with a response, are nearest to the
        sound, and the energy that is left."""
        whole = np.convolve(values, self._filter)
        direct, count = whole.size, self._sound.size
        start = Exponentials(self._exponents, direct)
        early = np.array([convolve(start_of, whole)[:direct] for start_of in start.columns(
            self._response)])
        # after the response has ended, modes ring with amplitudes of their own
        powers = np.exp(-self._exponents[:, None] * np.arange(direct))
        late = self._response * (powers @ whole) * np.exp(self._exponents * direct)
        plus = power_sums(np.exp(self._exponents[:, None] + self._exponents), count - direct)[0]
        minus = power_sums(np.exp(self._exponents[:, None] + self._exponents.conj()),
                           count - direct)[0]
        gram = early @ early.T + 0.5 * (late[:, None] * late * plus
                                        + late[:, None] * late.conj() * minus).real
        product, _ = Exponentials(self._exponents, count - direct).products(self._sound[direct:])
        right = early @ self._sound[:direct] + (late * product).real
        scale = 1.0 / np.sqrt(np.maximum(np.diag(gram), 1e-300))
        matrix = gram * scale[:, None] * scale + WEIGHT_RIDGE * np.eye(scale.size)
        weights = np.linalg.solve(matrix, right * scale) * scale
        left = self._energy - 2.0 * float(weights @ right) + float(weights @ gram @ weights)
        return weights, left


def _whitening_filter(sound: FloatArray, order: int) -> FloatArray:
    """Return the prediction error filter of a sound, (order + 1,)."""
    if not order:
        return np.ones(1)
    products = np.array([float(sound[:sound.size - lag] @ sound[lag:])
                         for lag in range(order + 1)])
    products[0] *= 1.0 + RESPONSE_RIDGE
    return np.concatenate([[1.0], -solve_toeplitz(products[:-1], products[1:])])


def convolve(sound: FloatArray, response: FloatArray) -> FloatArray:
    """Return the convolution of a sound and a response, as long as the sound."""
    size = 1 << (sound.size + response.size).bit_length()
    product = np.fft.rfft(sound, size) * np.fft.rfft(response, size)
    found: FloatArray = np.fft.irfft(product, size)[:sound.size]
    return found


def solve_toeplitz(column: FloatArray, right: FloatArray) -> FloatArray:
    """Return the solution of a positive definite symmetric Toeplitz system, by conjugate gradients
    with the nearest circulant matrix as preconditioner.

    Parameters: column, the first one of the matrix, and the right side, (n,).
    """
    count = right.size
    size = 1 << (2 * count - 1).bit_length()
    ring = np.zeros(size)
    ring[:count], ring[size - count + 1:] = column, column[:0:-1]
    eigenvalues = np.fft.rfft(ring).real
    lags = np.arange(1, count)
    nearest = column.copy()
    nearest[1:] = ((count - lags) * column[1:] + lags * column[:0:-1]) / count
    near = np.fft.rfft(nearest).real
    near = np.maximum(near, LEAST_EIGENVALUE * near.max())
    solution, rest = np.zeros(count), right.copy()
    direction, before = np.zeros(count), 1.0
    least = TOLERANCE * float(right @ right)
    for _ in range(MOST_STEPS):
        if float(rest @ rest) <= least:
            break
        scaled = np.fft.irfft(np.fft.rfft(rest) / near, count)
        now = float(scaled @ rest)
        direction = scaled + (now / before) * direction
        product = np.fft.irfft(eigenvalues * np.fft.rfft(direction, size), size)[:count]
        step = now / float(direction @ product)
        solution, rest, before = solution + step * direction, rest - step * product, now
    return solution
