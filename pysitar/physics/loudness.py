"""Loudness and true peak of a sound, read block by block (ITU-R BS.1770-5)."""
from __future__ import annotations

import math

import numpy as np

from pysitar.physics.checks import FloatArray

# the two stages of K weighting as analogue filters, which the bilinear transform brings to any
# rate: frequency (Hz), Q, gain of the shelf (dB), and the exponent of its middle
SHELF_HZ, SHELF_Q, SHELF_DB, SHELF_MIDDLE = 1681.974450955533, 0.7071752369554196, 3.99984385397, (
    0.4996667741545416)
PASS_HZ, PASS_Q = 38.13547087602444, 0.5003270373238773
CALIBRATION = 997.0             # Hz
OFFSET = -0.691                 # dB: a sine of 997 Hz and full scale in one channel is -3.01 LUFS
RESPONSE = 0.2                  # s of the filters' impulse response: the rest is below -400 dB
HOP, HOPS = 0.1, 4              # s between momentary blocks; hops in a block of 0.4 s
ABSOLUTE_GATE, RELATIVE_GATE = -70.0, -10.0         # LUFS; LU
SURROUND = {5: (1.0, 1.0, 1.0, 1.41, 1.41), 6: (1.0, 1.0, 1.0, 0.0, 1.41, 1.41)}
HALF_TAPS = 24                  # samples on each side of an interpolated one
TAPER = 8.0                     # Kaiser beta of the interpolation


def k_weighting(rate: float) -> tuple[tuple[FloatArray, FloatArray], ...]:
    """Return the two stages of K weighting, each as its coefficients b and a, (3,), at a sample
    rate (Hz), before the gain of `_impulse_response`."""
    k = math.tan(math.pi * SHELF_HZ / rate)
    high = 10.0 ** (SHELF_DB / 20.0)
    middle = high**SHELF_MIDDLE
    a0 = 1.0 + k / SHELF_Q + k * k
    shelf = (np.array([high + middle * k / SHELF_Q + k * k, 2.0 * (k * k - high),
                       high - middle * k / SHELF_Q + k * k]) / a0,
             np.array([1.0, 2.0 * (k * k - 1.0) / a0, (1.0 - k / SHELF_Q + k * k) / a0]))
    k = math.tan(math.pi * PASS_HZ / rate)
    a0 = 1.0 + k / PASS_Q + k * k
    high_pass = (np.array([1.0, -2.0, 1.0]),
                 np.array([1.0, 2.0 * (k * k - 1.0) / a0, (1.0 - k / PASS_Q + k * k) / a0]))
    return shelf, high_pass


def _impulse_response(rate: float) -> FloatArray:
    """Return the impulse response of K weighting, as long as it matters; its gain at 997 Hz is
    that at 48 kHz, for which the standard has coefficients."""
    response = np.zeros(max(2, math.ceil(RESPONSE * rate)))
    response[0] = 1.0
    for b, a in k_weighting(rate):
        b0, b1, b2 = map(float, b)
        _, a1, a2 = map(float, a)
        y: list[float] = []
        x1 = x2 = y1 = y2 = 0.0
        for x in response.tolist():
            value = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
            x1, x2, y1, y2 = x, x1, value, y1
            y.append(value)
        response = np.array(y)
    scaled: FloatArray = response * (_gain(48000.0) / _gain(rate))
    return scaled


def _gain(rate: float) -> float:
    """Return the gain of both stages at the frequency of calibration."""
    z = np.exp(-2j * math.pi * CALIBRATION / rate * np.arange(3))
    return math.prod(float(abs((b @ z) / (a @ z))) for b, a in k_weighting(rate))


class Loudness:
    """The loudness of a sound whose frames are added block by block; memory: some bytes per 0.1 s.

    Parameters: rate (Hz), 8000 or more; channels: each has weight 1, with 5 or 6 those of BS.1770.
    """

    def __init__(self, rate: float, channels: int) -> None:
        self._response = _impulse_response(rate)
        self._tail = np.zeros((self._response.size - 1, channels))
        self._weights = np.array(SURROUND.get(channels, (1.0,) * channels))
        self._hop = max(1, math.floor(HOP * rate + 0.5))
        self._rest = np.zeros(0)                # powers of frames whose hop is not full
        self._hops: list[FloatArray] = []
        self._frames = 0

    def add(self, frames: FloatArray) -> None:
        """Add the next frames, (n, channels), full scale 1."""
        if not len(frames):
            return
        size = 1 << (len(frames) + self._response.size - 2).bit_length()
        spectrum = np.fft.rfft(self._response, size)[:, None]
        long = np.fft.irfft(np.fft.rfft(frames, size, axis=0) * spectrum, size, axis=0)
        long = long[:len(frames) + self._response.size - 1]
        long[:len(self._tail)] += self._tail
        self._tail = long[len(frames):].copy()
        power = (long[:len(frames)]**2) @ self._weights
        joined = np.concatenate((self._rest, power))
        full = joined.size // self._hop * self._hop
        self._hops.append(joined[:full].reshape(-1, self._hop).mean(axis=1))
        self._rest = joined[full:].copy()
        self._frames += len(frames)

    def momentary(self) -> FloatArray:
        """Return the loudness of each block of 0.4 s, 0.1 s apart (LUFS); a sound shorter than that
        is followed by silence."""
        hops = np.concatenate(self._hops) if self._hops else np.zeros(0)
        if hops.size < HOPS:
            hops = np.append(hops, self._rest.sum() / self._hop)
            hops = np.pad(hops, (0, max(0, HOPS - hops.size)))
        blocks = np.lib.stride_tricks.sliding_window_view(hops, HOPS).mean(axis=1)
        with np.errstate(divide="ignore"):
            levels: FloatArray = OFFSET + 10.0 * np.log10(blocks)
        return levels

    @property
    def greatest(self) -> float | None:
        """The greatest momentary loudness (LUFS); None below the absolute gate."""
        level = float(self.momentary().max())
        return level if level > ABSOLUTE_GATE else None

    def gain_to(self, target: float) -> float | None:
        """Return the gain (dB) that gives the sound an integrated loudness; None where it is
        silent.

        The blocks over the absolute gate are those of the sound after the gain: from the least gain
        with any, each next one has as many or more, so that the search ends.
        Parameters: target (LUFS), over the absolute gate. """
        levels = self.momentary()
        greatest = float(levels.max())
        if greatest == -math.inf:
            return None
        gain, count = target - greatest, 0
        while (passed := levels[levels > ABSOLUTE_GATE - gain]).size > count:
            count = passed.size
            gain = target - _gated_level(passed)
        return gain

    @property
    def integrated(self) -> float | None:
        """The gated loudness of all (LUFS); None where no block passes the gate."""
        levels = self.momentary()
        levels = levels[levels > ABSOLUTE_GATE]
        if not levels.size:
            return None
        return _gated_level(levels)


def _gated_level(levels: FloatArray) -> float:
    """Return the loudness of the blocks over the relative gate."""
    return _mean_level(levels[levels > _mean_level(levels) + RELATIVE_GATE])


def _mean_level(levels: FloatArray) -> float:
    """Return the loudness of the mean power of some blocks."""
    powers = 10.0 ** ((levels - OFFSET) / 10.0)
    return OFFSET + 10.0 * math.log10(float(powers.mean()))


class TruePeak:
    """The greatest |value| of a sound between its samples too, by 4-fold interpolation (2-fold from
    96 kHz, none from 192 kHz).

    Parameters: rate (Hz); channels.  Attributes: peak, so far.
    """

    def __init__(self, rate: float, channels: int) -> None:
        factor = 4 if rate < 96000 else 2 if rate < 192000 else 1
        places = np.arange(-HALF_TAPS, HALF_TAPS)
        self._filters = []
        for step in range(1, factor):
            distance = places + step / factor
            taper = np.i0(TAPER * np.sqrt(np.maximum(0.0, 1.0 - (distance / HALF_TAPS)**2)))
            taps = np.sinc(distance) * taper
            self._filters.append(taps / taps.sum())
        self._last = np.zeros((2 * HALF_TAPS - 1, channels))
        self.peak = 0.0

    def add(self, frames: FloatArray) -> None:
        """Add the next frames, (n, channels)."""
        if not len(frames):
            return
        joined = np.concatenate((self._last, frames))
        self._last = joined[1 - 2 * HALF_TAPS:].copy()
        self.peak = max(self.peak, float(np.abs(frames).max()))
        for channel in joined.T:
            for taps in self._filters:
                values = np.convolve(channel, taps, "valid")
                self.peak = max(self.peak, float(np.abs(values).max()))
