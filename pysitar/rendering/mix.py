"""Mix voices into channels: gain (dB), constant-power panning, and peak level."""
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
