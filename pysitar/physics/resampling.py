"""Resampling of impulse responses: a windowed sinc, added in a fixed order, with the same bits on
every machine."""
from __future__ import annotations

import math

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics.checks import FloatArray

ZERO_CROSSINGS = 48             # of the sinc on each side
MOST_PHASES = 2000              # rates such as 44100 and 48000 Hz have 160


def resample_response(response: FloatArray, rate: int, to: int) -> FloatArray:
    """Return an impulse response at another rate, so that what it does to a signal stays the same:
    its values are scaled by the ratio of the rates.

    The window has its first zeros at 1/48 of the lower rate beside the limit; all is later by 48
    samples of the lower rate, so that nothing before the first sample is lost.

    Parameters: response (n,); rate, its own, and to, the other (Hz).
    Errors: ParameterError, rates without a small common ratio.
    """
    if rate == to:
        return response
    common = math.gcd(rate, to)
    up, down = to // common, rate // common
    if up > MOST_PHASES:
        raise ParameterError("rate", f"{rate} Hz", f"its ratio to {to} Hz has no small numbers; "
                                                   f"expected {to} Hz, or such as 44100 or 48000")
    cut = min(1.0, to / rate)
    half = math.ceil(ZERO_CROSSINGS / cut)
    delay = half if cut < 1.0 else ZERO_CROSSINGS
    count = math.ceil((response.size + delay + half) * to / rate)
    numbers = np.arange(count, dtype=np.int64) * down
    phases, bases = numbers % up, numbers // up - delay
    padded = np.concatenate([np.zeros(delay + half), response, np.zeros(2 * half + 2 + delay)])
    kernel = np.array([[_kernel(phase / up - tap, cut, half) for tap in range(1 - half, half + 1)]
                       for phase in range(up)])
    total = np.zeros(count)
    for index, tap in enumerate(range(1 - half, half + 1)):
        places = bases + tap + delay + half
        inside = (places >= 0) & (places < padded.size)
        total += kernel[phases, index] * np.where(inside, padded[np.where(inside, places, 0)], 0.0)
    return total * (rate / to)


def blackman_window(time: float, half: int) -> float:
    """Return Blackman's window, 1 in the middle and 0 at `half` on each side, at a time."""
    angle = math.pi * time / half
    return 0.42 + 0.5 * elementary.cos(angle) + 0.08 * elementary.cos(2.0 * angle)


def _kernel(time: float, cut: float, half: int) -> float:
    """Return the windowed sinc at a time (samples): cut, its limit over half the rate; half, its
    length on each side (samples)."""
    if abs(time) >= half:
        return 0.0
    window = blackman_window(time, half)
    if time == 0.0:
        return cut * window
    return window * elementary.sin(math.pi * cut * time) / (math.pi * time)
