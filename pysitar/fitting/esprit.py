"""Poles of the damped sinusoids in the bands of a sound: ESPRIT on heterodyned, decimated bands."""
from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from pysitar.fitting.exponentials import ComplexArray
from pysitar.fitting.recording import NoiseFloor
from pysitar.physics.checks import FloatArray

PRODUCT = 100.0                 # width of a band (Hz) times the duration of the part (s)
STOPBAND = 100.0                # dB, of the filter of a band
PASS, STOP = 0.55, 0.95         # its edges, fractions of the width from the middle
MARGIN = 0.53                   # fraction of the width from the middle to where poles count
PENCIL = 0.34                   # rows of the Hankel matrix, fraction of the samples
ACTIVE = 15.0                   # ratio of a band's greatest power to that of noise
OVER_NOISE = 6.0                # of an eigenvalue that counts: the largest of noise is about 4
RANGE = 1e-11                   # of an eigenvalue to the largest one
MOST_ORDER = 24                 # of a band
FURTHER = 2                     # orders beyond the chosen one in which a pole must be found again
FASTEST = 30.0                  # nepers within the part: a faster pole is left to a shorter part


class BandPoles:
    """The poles in the bands of the first part of a sound.

    Parameters: sound (n,); rate (Hz); duration of the part (s); lowest and highest frequency (Hz).
    """

    def __init__(self, sound: FloatArray, rate: float, *, duration: float, lowest: float,
                 highest: float) -> None:
        self.rate, self.duration = rate, duration
        self.width = PRODUCT / duration
        taps = self._taps()
        part = sound[:round(duration * rate) + taps.size]
        self._outputs = max(1, part.size - taps.size)       # at the full rate
        size = 1 << (part.size + taps.size).bit_length()
        self._step = rate / size
        self._half = math.ceil(STOP * self.width / self._step)
        self._spectrum = np.fft.rfft(part, size)
        response = np.fft.rfft(taps, size)
        side = response[:self._half + 1]
        # a correlation: each output is of the samples from its own time on, none before the onset
        self._response = np.concatenate((side[:0:-1], side.conj()))
        self._power = float(taps @ taps)
        count = max(1, math.ceil((highest - lowest) / self.width))
        self._centres = lowest + (np.arange(count) + 0.5) * (highest - lowest) / count
        self._size = size

    def _taps(self) -> FloatArray:
        """Return the low pass of a band, a Kaiser window's, of gain 1."""
        transition = (STOP - PASS) * self.width / self.rate         # of the rate
        length = math.ceil((STOPBAND - 8.0) / (2.285 * 2.0 * math.pi * transition)) | 1
        beta = 0.1102 * (STOPBAND - 8.7)
        places = np.arange(length) - (length - 1) / 2
        cutoff = (STOP + PASS) * self.width / self.rate
        taps = np.sinc(cutoff * places) * np.kaiser(length, beta)
        normalised: FloatArray = taps / taps.sum()
        return normalised

    def poles(self, floor: NoiseFloor) -> Iterator[tuple[float, float]]:
        """Yield frequency (Hz) and decay rate (1/s) of the poles, band by band.

        Parameters: floor, the noise in this part.
        """
        for centre in self._centres.tolist():
            band, rate, middle = self._band(centre)
            if band.size < 12:
                continue
            noise = max(float(floor.at(middle)) * 0.5 * self.rate * self._power, 1e-300)
            taper = np.hanning(band.size + 2)[1:-1]      # else every onset is active in all bands
            power = np.max(np.abs(np.fft.fft(band * taper))**2)
            if power < ACTIVE * noise * float(taper @ taper):
                continue
            for z in stable_poles(band, noise):
                hz = middle + np.angle(z) * rate / (2.0 * math.pi)
                alpha = -math.log(max(abs(z), 1e-9)) * rate
                if abs(hz - centre) <= MARGIN * self.width and (
                        alpha * self.duration <= FASTEST):
                    yield float(hz), max(alpha, 0.0)

    def _band(self, centre: float) -> tuple[ComplexArray, float, float]:
        """Return a band about its middle as complex samples, their rate, and the middle (Hz), on a
        bin."""
        bin_ = round(centre / self._step)
        places = bin_ + np.arange(-self._half, self._half + 1)
        mirrored = np.abs(places)
        inside = mirrored < self._spectrum.size
        values = np.where(inside, self._spectrum[np.minimum(mirrored, self._spectrum.size - 1)], 0)
        values = np.where(places < 0, values.conj(), values)
        size = 2 * self._half + 2
        band = np.zeros(size, dtype=complex)
        band[np.arange(-self._half, self._half + 1) % size] = values * self._response
        rate = self._step * size
        samples: ComplexArray = (np.fft.ifft(band) * (size / self._size)).astype(np.complex128)
        return samples[:int(self._outputs * rate / self.rate)], rate, bin_ * self._step


def stable_poles(band: ComplexArray, noise: float) -> list[complex]:
    """Return the poles of complex samples that two orders agree on.

    Parameters: noise, the variance of the noise in them.
    """
    rows = max(4, int(PENCIL * band.size))
    hankel = np.lib.stride_tricks.sliding_window_view(band, rows).T
    columns = hankel.shape[1]
    values, vectors = np.linalg.eigh(hankel @ hankel.conj().T)
    values, vectors = values[::-1], vectors[:, ::-1]
    least = max(OVER_NOISE * noise * columns, RANGE * float(values[0]))
    order = min(int(np.count_nonzero(values > least)), MOST_ORDER, rows // 2)
    if order == 0:
        return []
    poles = _poles(vectors[:, :order])
    others = _poles(vectors[:, :min(order + FURTHER, rows // 2)])
    kept = []
    for z in poles:
        distance = np.min(np.abs(others - z))
        if distance <= max(0.5 * abs(1.0 - abs(z)), 1.0 / band.size):
            kept.append(complex(z))
    return kept


def _poles(space: ComplexArray) -> ComplexArray:
    """Return the poles of a signal space (rows, order), by its invariance under a shift of one
    row."""
    shift, *_ = np.linalg.lstsq(space[:-1], space[1:], rcond=None)
    poles: ComplexArray = np.linalg.eigvals(shift).astype(np.complex128)
    return poles
