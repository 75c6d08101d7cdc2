"""Voices into channels: gains in dB, and panning of constant power."""
from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pysitar.physics.checks import FloatArray


def channel_gains(*, gain_db: float, pan: float, channels: int) -> tuple[float, ...]:
    """Return what a voice is multiplied with in each channel.

    Parameters: gain_db; pan, -1 (left) to 1 (right), of constant power: 0.7071 in both channels at 0; channels, 1 (pan is not heard) or 2.
    """
    gain = math.pow(10.0, gain_db / 20.0)
    if channels == 1:
        return (gain,)
    angle = (pan + 1.0) * math.pi / 4.0
    return (gain * math.cos(angle), gain * math.sin(angle))


def mixed(voices: Sequence[FloatArray], gains: Sequence[tuple[float, ...]], channels: int) -> FloatArray:
    """Return the sum, (frames, channels), of mono voices, each (frames,), times their channel gains, in the order of the voices."""
    frames = voices[0].size if voices else 0
    total = np.zeros((frames, channels))
    for voice, factors in zip(voices, gains, strict=True):
        for channel, factor in enumerate(factors):
            total[:, channel] += factor * voice
    return total
