"""The log-spectral distance of two sounds."""
from __future__ import annotations

import numpy as np

from pysitar.physics.checks import FloatArray

BANDS = 60
FRAME = 0.023                   # s
LOWEST, HIGHEST = 50.0, 16000.0         # Hz
QUIETEST_FRAME = -50.0          # dB of the loudest frame: the last frame compared
FLOOR = -60.0                   # dB of the strongest band: all below counts as equal


def log_spectral_distance(reference: FloatArray, other: FloatArray, rate: float) -> float:
    """Return the root mean square difference (dB) of two sounds in 60 bands and frames of 23 ms.

    Parameters: reference and other, (n,), from their onsets on; rate (Hz). Frames up to the last
    one that is within 50 dB of the reference's loudest are compared; bands lie between 50 Hz and 16
    kHz, and all that is 60 dB under the reference's strongest band counts as that.
    """
    size = max(reference.size, other.size)
    levels = [_band_powers(np.pad(sound, (0, size - sound.size)), rate)
              for sound in (reference, other)]
    last = _compared_frames(levels[0])
    floor = max(float(levels[0].max()) * 10.0 ** (FLOOR / 10.0), 1e-300)
    decibels = [10.0 * np.log10(np.maximum(part[:last], floor)) for part in levels]
    return float(np.sqrt(np.mean((decibels[0] - decibels[1])**2)))


def compared_samples(sound: FloatArray, rate: float) -> int:
    """Return the number of samples of a sound, from its onset on, that a distance compares."""
    return min(sound.size, (_compared_frames(_band_powers(sound, rate)) + 1)
               * (round(FRAME * rate) // 2))


def _compared_frames(powers: FloatArray) -> int:
    """Return the number of frames up to the last one within 50 dB of the loudest."""
    energies = powers.sum(axis=1)
    loud = np.flatnonzero(energies >= energies.max() * 10.0 ** (QUIETEST_FRAME / 10.0))
    return int(loud[-1]) + 1 if loud.size else 1


def _band_powers(sound: FloatArray, rate: float) -> FloatArray:
    """Return the power in each frame and band, (frames, bands)."""
    size = round(FRAME * rate)
    count = max(1, 2 * (sound.size // size) - 1)
    padded = np.pad(sound, (0, max(0, (count + 1) * size - sound.size)))
    starts = np.arange(count) * (size // 2)
    window = np.hanning(size + 2)[1:-1]
    frames = padded[starts[:, None] + np.arange(size)[None, :]] * window
    transform = 1 << (2 * size).bit_length()        # narrow bands have a bin of their own
    power = np.abs(np.fft.rfft(frames, transform, axis=1))**2
    edges = np.geomspace(LOWEST, min(HIGHEST, 0.5 * rate), BANDS + 1)
    bins = np.clip(np.rint(edges * transform / rate).astype(np.int64), 1, power.shape[1] - 1)
    sums = np.concatenate((np.zeros((count, 1)), np.cumsum(power, axis=1)), axis=1)
    ends = np.maximum(bins[1:], bins[:-1] + 1)
    result: FloatArray = sums[:, ends] - sums[:, bins[:-1]]
    return result
