"""Mix voices into channels: the fade at the end, gain (dB), constant-power panning, peak level."""
from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pysitar.kernels.core import elementary
from pysitar.physics.checks import FloatArray


def channel_gains(*, gain_db: float, pan: float, channels: int) -> tuple[float, ...]:
    """Return the factor of a voice in each channel.

    Parameters: gain_db (dB); pan, -1 (left) to 1 (right), of constant power: 0.7071 in both
    channels at 0; channels, 1 (pan has no effect) or 2. """
    gain = elementary.pow(10.0, gain_db / 20.0)
    if channels == 1:
        return (gain,)
    angle = (pan + 1.0) * math.pi / 4.0
    return (gain * elementary.cos(angle), gain * elementary.sin(angle))


def stem(voice: FloatArray, gains: Sequence[float]) -> FloatArray:
    """Return a mono voice, (frames,), times its channel gains: (frames, channels)."""
    frames = np.empty((voice.size, len(gains)))
    for channel, factor in enumerate(gains):
        frames[:, channel] = factor * voice
    return frames


def join_streams(streams: Sequence[FloatArray], gain: float) -> FloatArray:
    """Return the streams of a voice, one (frames,) for each channel, times a gain: (frames,
    channels)."""
    frames = np.empty((streams[0].size, len(streams)))
    for channel, stream in enumerate(streams):
        frames[:, channel] = gain * stream
    return frames


def sum_stems(stems: Sequence[FloatArray], *, frames: int, channels: int) -> FloatArray:
    """Return the sum of stems, (frames, channels) each, in their order; silence when there are
    none."""
    total = np.zeros((frames, channels))
    for part in stems:
        total += part
    return total


def level_factor(peak: float, target_db: float) -> float:
    """Return the factor from a peak to a level; 1 for a peak of 0.

    Peak times the factor never exceeds 10^(target_db / 20), not even by the last bit.
    Parameters: peak, the greatest |sample|; target_db (dB re full scale).
    """
    if peak == 0.0:
        return 1.0
    level = elementary.pow(10.0, target_db / 20.0)
    factor = level / peak
    while factor * peak > level:
        factor = math.nextafter(factor, 0.0)
    return factor


def decibels(factor: float) -> float:
    """Return an amplitude factor, above 0, in dB."""
    return 20.0 * elementary.log10(factor)


LARGEST_PART = 4                # the fade is at most one of so many equal parts of the sound


class EndFade:
    """The fade at the end of a sound, whose length may be found only at its end.

    Parameters: longest, frames of the longest fade, 0 for none; voices, their number. """

    def __init__(self, longest: int, voices: int) -> None:
        self.longest = longest
        self._position = 0                      # first waiting frame
        self._waiting: list[FloatArray] = [np.zeros(0)] * voices

    def frames(self, total: int) -> int:
        """Return the frames that fade in a sound of `total` frames."""
        return min(self.longest, total // LARGEST_PART)

    def push(self, voices: Sequence[FloatArray], total: int | None) -> list[FloatArray]:
        """Add the next frames of each voice, (n,), and return those whose value is decided, (m,)
        each, in their order.

        Parameters: total, frames of the whole sound; None while it is unknown, but it is at least
        the number of frames added so far.
        """
        if not voices:
            return []
        joined = [np.concatenate(pair) if pair[0].size else pair[1]
                  for pair in zip(self._waiting, voices, strict=True)]
        count = joined[0].size
        if total is None:
            count = max(0, count - self.longest)
        self._waiting = [voice[count:].copy() for voice in joined]
        begin, self._position = self._position, self._position + count
        ready = [voice[:count] for voice in joined]
        if total is None or not self.frames(total):
            return ready
        length = self.frames(total)
        low = max(begin, total - length)
        if low >= begin + count:
            return ready
        window = fade_window(low - total + length, begin + count - total + length, length)
        return [np.concatenate([voice[:low - begin], window * voice[low - begin:]])
                for voice in ready]


def fade_window(begin: int, end: int, length: int) -> FloatArray:
    """Return the factors of frames `begin` to `end` of a fade of `length` frames: a raised cosine
    that would be 1 one frame before the fade and is 0 at its last frame and after it.

    >>> fade_window(0, 4, 3).round(3).tolist()
    [0.75, 0.25, 0.0, 0.0]
    """
    angles = np.minimum(np.arange(begin + 1, end + 1), length) * math.pi / length
    return np.asarray(0.5 + 0.5 * elementary.cosines(angles))
