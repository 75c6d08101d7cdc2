"""The partials of a sound: its peaks, its series where it is a string, and their decays."""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pysitar.fitting.exponentials import ComplexArray
from pysitar.fitting.recording import NoiseFloor
from pysitar.physics.checks import FloatArray

WINDOW = 1.5                    # s of the spectrum in which peaks are searched
SKIP = 0.02                     # s after the onset that it leaves out
OVER_NOISE = 15.0               # dB: a peak
OVER_VALLEY = 9.0               # dB of a peak over the least level on both sides of it
BELOW_LOUDEST = 75.0            # dB
WEIGHED = 50.0                  # dB below the loudest peak: a fainter one says nothing of a series
LOWEST = 25.0                   # Hz
MOST_PEAKS = 200
MOST_ORDER = 120                # of a partial of a string
LEAST_PARTIALS = 5              # of a string
MOST_B = 0.02                   # of a string
ORDERS_TRIED = 6                # orders that each of the strongest peaks may have
TIES_TRIED = 10                 # strongest peaks
NEAR = 0.02                     # of f0: how far from its place a partial may be, and
NEAR_PARTIAL = 0.004            # of its own frequency
LEAST_DROP = 6.0                # dB over which a decay must extend to be measured
MOST_DROP = 50.0                # dB: below that a band holds what leaks of its neighbours
OVER_FLOOR = 10.0               # dB over the noise at the end of a decay
LONGEST_T60 = 200.0             # s
DOUBLE = 20.0                   # dB: the least drop of a decay whose two ends are compared


@dataclass(frozen=True, slots=True)
class Peak:
    """A peak of a spectrum: frequency (Hz), level (dB of full scale, of a sine's amplitude)."""

    frequency: float
    level: float


@dataclass(frozen=True, slots=True)
class Decay:
    """The decay of one partial.

    Parameters: frequency (Hz); level at the onset (dB of full scale); t60 and its standard error
    (s); ratio, the T60 of the later half of the decay over that of the earlier one (None: too
    short); residual, rms of the level from a straight line (dB).
    """

    frequency: float
    level: float
    t60: float
    error: float
    ratio: float | None
    residual: float


@dataclass(frozen=True, slots=True)
class Series:
    """The partials of a stiff string, f_k = k f0 sqrt(1 + B k^2).

    Parameters: f0 (Hz) and b, with standard errors; orders and frequencies (Hz) of the partials
    found.
    """

    f0: float
    f0_error: float
    b: float
    b_error: float
    orders: tuple[int, ...]
    frequencies: tuple[float, ...]

    def partial(self, order: int) -> float:
        """Return the frequency of a partial (Hz)."""
        return order * self.f0 * math.sqrt(1.0 + self.b * order * order)


def find_peaks(sound: FloatArray, rate: float, floor: NoiseFloor, *,
               longest: float = WINDOW) -> list[Peak]:
    """Return the peaks of a sound that begins at its onset, the lowest frequency first.

    Parameters: floor, 15 dB over which a peak must be; longest (s), of the part that is used.
    """
    first = min(round(SKIP * rate), sound.size // 4)
    part = sound[first:first + round(longest * rate)]
    window = np.blackman(part.size + 2)[1:-1]
    size = 1 << (4 * part.size - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(part * window, size)) * (2.0 / window.sum())
    frequencies = np.arange(spectrum.size) * (rate / size)
    # the level of noise in a bin of this window
    noise = np.sqrt(floor.at(frequencies) * rate * 2.0 * (window**2).sum()) / window.sum()
    least = np.maximum(noise * 10.0 ** (OVER_NOISE / 20.0),
                       spectrum.max() * 10.0 ** (-BELOW_LOUDEST / 20.0))
    tops = 1 + np.flatnonzero((spectrum[1:-1] > spectrum[:-2]) & (spectrum[1:-1] >= spectrum[2:])
                              & (spectrum[1:-1] > least[1:-1]) & (frequencies[1:-1] > LOWEST))
    reach = max(4, round(8.0 * size / part.size))           # the main lobe is 6 bins wide
    peaks = []
    for top in tops.tolist():
        left, right = spectrum[max(0, top - reach):top], spectrum[top + 1:top + 1 + reach]
        if right.size == 0 or spectrum[top] < max(left.max(), right.max()):
            continue
        valley = max(float(left.min()), float(right.min()))
        if spectrum[top] < valley * 10.0 ** (OVER_VALLEY / 20.0):
            continue
        a, b, c = np.log(np.maximum(spectrum[top - 1:top + 2], 1e-300)).tolist()
        curve = a - 2.0 * b + c
        shift = 0.5 * (a - c) / curve if curve < 0.0 else 0.0
        level = 20.0 / math.log(10.0) * (b - 0.25 * (a - c) * shift)
        peaks.append(Peak((top + shift) * rate / size, level))
    strongest = sorted(peaks, key=lambda peak: -peak.level)[:MOST_PEAKS]
    return sorted(strongest, key=lambda peak: peak.frequency)


def find_series(peaks: list[Peak], *, near_hz: float | None = None) -> Series | None:
    """Return the series of a string that explains most of the peaks, or None where there is none.

    Parameters: near_hz, a pitch (Hz) within a semitone of which f0 must be.
    """
    if len(peaks) < LEAST_PARTIALS:
        return None
    strongest = sorted(peaks, key=lambda peak: -peak.level)[:TIES_TRIED]
    best: tuple[float, Series] | None = None
    for peak in strongest:
        for order in range(1, ORDERS_TRIED + 1):
            f0 = peak.frequency / order
            if f0 < LOWEST or (near_hz and abs(math.log2(f0 / near_hz)) > 1.0 / 12.0):
                continue
            found = _follow_series(peaks, f0)
            if found is not None:
                score = _score(found, peaks)
                if best is None or score > best[0]:
                    best = score, found
    # where the pitch is given, fewer partials need to lie on the series: a body moves low ones
    if best is None or best[0] < (0.25 if near_hz else 0.5):
        return None
    return best[1]


def _score(series: Series, peaks: list[Peak]) -> float:
    """Return how well a series explains peaks: the part of their levels, as far as they are within
    50 dB of the loudest, that it holds, times the part of its places that are filled up to the
    last."""
    least = max(peak.level for peak in peaks) - WEIGHED
    weights = {peak.frequency: max(0.0, peak.level - least) for peak in peaks}
    held = sum(weights[f] for f in series.frequencies) / sum(weights.values())
    return held * math.sqrt(len(series.orders) / series.orders[-1])


def _follow_series(peaks: list[Peak], f0: float) -> Series | None:
    """Return the series from a first guess of f0, followed upwards partial by partial."""
    frequencies = np.array([peak.frequency for peak in peaks])
    levels = np.array([peak.level for peak in peaks])
    b, orders, places = 0.0, [], []
    missing = 0
    for order in range(1, MOST_ORDER + 1):
        expected = order * f0 * math.sqrt(1.0 + b * order * order)
        if expected > frequencies[-1] * 1.01 or missing > 6:
            break
        reach = min(max(NEAR * f0, NEAR_PARTIAL * expected), 0.3 * f0)
        near = np.flatnonzero(np.abs(frequencies - expected) < reach)
        if not near.size:
            missing += 1
            continue
        missing = 0
        at = int(near[levels[near].argmax()])
        orders.append(order)
        places.append(float(frequencies[at]))
        if len(orders) >= 2:
            f0, b = _fit_series(np.array(orders), np.array(places))[:2]
    if len(orders) < LEAST_PARTIALS or orders[0] > 3:
        return None
    return _series(np.array(orders), np.array(places))


def _series(orders: FloatArray, places: FloatArray) -> Series | None:
    """Return the series through partials; those far from it are left out."""
    kept = np.ones(orders.size, dtype=bool)
    for _ in range(4):
        f0, b, f0_error, b_error = _fit_series(orders[kept], places[kept])
        far = np.abs(places / (orders * f0 * np.sqrt(1.0 + b * orders**2)) - 1.0)
        spread = 1.5 * float(np.median(far[kept])) * 3.0
        new = far <= max(spread, 2e-4)
        if np.array_equal(new, kept) or np.count_nonzero(new) < LEAST_PARTIALS:
            break
        kept = new
    if np.count_nonzero(kept) < LEAST_PARTIALS or not b < MOST_B:
        return None
    f0, b, f0_error, b_error = _fit_series(orders[kept], places[kept])
    return Series(f0, f0_error, b, b_error, tuple(int(order) for order in orders[kept]),
                  tuple(places[kept].tolist()))


def _fit_series(orders: FloatArray, places: FloatArray) -> tuple[float, float, float, float]:
    """Return f0, B and their standard errors by least squares of (f_k/k)^2 over k^2, B at least
    0."""
    k2, y = orders.astype(float)**2, (places / orders)**2
    weights = 1.0 / y                    # of equal relative errors of f_k, times k: of f_k itself
    weights = weights * orders
    if orders.size < 3:
        return math.sqrt(float(np.average(y, weights=weights**2))), 0.0, math.inf, math.inf
    design = np.stack((np.ones(k2.size), k2), axis=1) * weights[:, None]
    solution, *_ = np.linalg.lstsq(design, y * weights, rcond=None)
    inverse = np.linalg.inv(design.T @ design)
    if solution[1] < 0.0:
        solution = np.array([np.average(y, weights=weights**2), 0.0])
    rest = (y * weights - design @ solution)
    variance = float(rest @ rest) / max(1, orders.size - 2)
    f0, b = math.sqrt(float(solution[0])), float(solution[1] / solution[0])
    errors = np.sqrt(variance * np.diag(inverse))
    return f0, b, float(errors[0]) / (2.0 * f0), float(errors[1] / solution[0])


class BandEnvelopes:
    """The envelopes of narrow bands of a sound, by one transform of all of it.

    Parameters: sound (n,), from its onset on; rate (Hz).
    """

    def __init__(self, sound: FloatArray, rate: float) -> None:
        self.rate, self.frames = rate, sound.size
        self._size = 1 << (sound.size + sound.size // 8).bit_length()
        self._spectrum = np.fft.rfft(sound, self._size)

    def envelope(self, frequency: float, half_width: float) -> tuple[FloatArray, float]:
        """Return the amplitude of a band over time, and its rate (Hz); see `samples`."""
        band, rate, _ = self.samples(frequency, half_width)
        amplitude: FloatArray = np.abs(band)
        return amplitude, rate

    def samples(self, frequency: float,
                half_width: float) -> tuple[ComplexArray, float, float]:
        """Return the complex samples of a band over time, their rate, about 4 half widths, and the
        frequency (Hz) that is 0 in them; a sine's amplitude is theirs.

        Parameters: frequency, of its middle, and half_width (Hz), where its Hann window ends.
        """
        step = self.rate / self._size
        half = max(2, round(half_width / step))
        centre = round(frequency / step)
        size = 1 << (2 * half + 1).bit_length()
        bins = np.arange(-half, half + 1)
        places = centre + bins
        inside = (places >= 0) & (places < self._spectrum.size)
        taper = 0.5 + 0.5 * np.cos(np.pi * bins / (half + 1))
        values = np.where(inside, self._spectrum[np.clip(places, 0, self._spectrum.size - 1)], 0.0)
        band = np.zeros(size, dtype=complex)
        band[bins % size] = values * taper
        rate = self.rate * size / self._size
        count = max(1, int(self.frames / self._size * size))
        found: ComplexArray = np.fft.ifft(band)[:count] * (2.0 * size / self._size)
        return found, rate, centre * step


def measure_decay(bands: BandEnvelopes, frequency: float, half_width: float,
                  floor: NoiseFloor) -> Decay | None:
    """Return the decay of a partial by regression on the level of its band, or None where less than
    6 dB of it is over the noise.

    Parameters: half_width (Hz), at most the distance to the nearest other partial.
    """
    envelope, rate = bands.envelope(frequency, half_width)
    skip = math.ceil(rate / half_width)  # the window's response to the onset
    power = envelope**2
    # of the Hann window: its equivalent width is 0.75 half widths; 2 for an amplitude squared
    noise = float(floor.at(frequency)) * 0.75 * half_width * 2.0
    smooth = np.convolve(power, np.ones(4) / 4.0, "same")
    limit = max(noise * 10.0 ** (OVER_FLOOR / 10.0),
                float(smooth[skip:].max(initial=0.0)) * 10.0 ** (-MOST_DROP / 10.0))
    loudest = int(smooth[:max(skip + 1, smooth.size // 3)].argmax())
    start = max(skip, loudest)
    low = np.flatnonzero(smooth[start:] < limit)
    stop = start + int(low[0]) if low.size else smooth.size - skip
    if stop - start < 8:
        return None
    times = np.arange(start, stop) / rate
    levels = 10.0 * np.log10(np.maximum(power[start:stop] - noise, 1e-3 * power[start:stop]
                                        + 1e-300))
    slope, error, level, residual = _regress(times, levels, rate / half_width)
    if slope >= 0.0 or -slope * (times[-1] - times[0]) < LEAST_DROP:
        return None
    t60 = -60.0 / slope
    if t60 > LONGEST_T60:
        return None
    ratio = None
    if -slope * (times[-1] - times[0]) >= DOUBLE:
        early, late = np.array_split(np.arange(times.size), 2)
        slopes = [_regress(times[part], levels[part], 2.0)[0] for part in (early, late)]
        ratio = slopes[0] / slopes[1] if min(slopes) < 0.0 and slopes[1] < 0.0 else None
    return Decay(frequency, level, t60, t60 * error / -slope, ratio, residual)


def _regress(times: FloatArray, levels: FloatArray,
             together: float) -> tuple[float, float, float, float]:
    """Return slope (dB/s), its standard error, level at time 0 and rms of the residual (dB) of a
    line.

    Parameters: together, how many neighbouring samples count as one; the residual's own correlation
    may make it more.
    """
    middle = times.mean()
    centred = times - middle
    spread = float(centred @ centred)
    slope = float(centred @ levels) / spread
    line = levels.mean() + slope * centred
    rest = levels - line
    variance = float(rest @ rest) / max(1, times.size - 2)
    if variance > 0.0 and times.size > 4:
        lag = float(rest[1:] @ rest[:-1]) / float(rest @ rest)
        if 0.0 < lag < 1.0:
            together = max(together, (1.0 + lag) / (1.0 - lag))
    error = math.sqrt(variance * together / spread)
    return slope, error, float(levels.mean() - slope * middle), math.sqrt(variance)
