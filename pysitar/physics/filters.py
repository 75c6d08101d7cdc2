"""Filters of first and second order, given as analogue ones, at a sample rate."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pysitar.kernels.core import elementary
from pysitar.physics.checks import FloatArray

REST = 18.42                    # nepers: a response is cut off 160 dB down


class Section(NamedTuple):
    """A filter b0 + b1 z^-1 + b2 z^-2 over 1 + a1 z^-1 + a2 z^-2; decay, of its slower pole
    (1/s)."""

    b: tuple[float, float, float]
    a: tuple[float, float]
    decay: float


def low_pass(frequency: float, q: float, rate: float) -> Section:
    """Return w0^2 / (s^2 + s w0 / q + w0^2): poles, gain at 0 Hz and gain q at w0 are those of the
    analogue filter.  Parameters: as of `_poles`."""
    a, decay = _poles(frequency, q, rate)
    sine = _sine_squared(frequency, rate)
    at_zero, square = _denominator(a, sine)
    start = math.sqrt(at_zero)
    # |B|^2 = B0 cos^2(w/2) + B1 sin^2(w/2) has no term in b0 b2, since b2 = 0
    other = math.sqrt(max(0.0, (square * q * q - at_zero * (1.0 - sine)) / sine))
    return Section((0.5 * (start + other), 0.5 * (start - other), 0.0), a, decay)


def high_pass(frequency: float, q: float, rate: float) -> Section:
    """Return s^2 / (s^2 + s w0 / q + w0^2): poles, both zeros at 0 Hz and gain q at w0 are those of
    the analogue filter.  Parameters: as of `_poles`."""
    a, decay = _poles(frequency, q, rate)
    sine = _sine_squared(frequency, rate)
    b = math.sqrt(_denominator(a, sine)[1]) * q / (4.0 * sine)
    return Section((b, -2.0 * b, b), a, decay)


def one_pole(frequency: float, rate: float) -> Section:
    """Return w0 / (s + w0): the pole, and the gains at 0 Hz and at half the rate, are those of the
    analogue filter.  Parameters: frequency w0 / (2 pi) and rate (Hz)."""
    omega = 2.0 * math.pi * frequency
    pole = elementary.exp(-omega / rate)
    ratio = 0.5 * rate / frequency
    limit = (1.0 + pole) / math.sqrt(1.0 + ratio * ratio)
    return Section((0.5 * (1.0 - pole + limit), 0.5 * (1.0 - pole - limit), 0.0), (-pole, 0.0),
                   omega)


def impulse_response(sections: Sequence[Section], rate: float) -> FloatArray:
    """Return the response of filters in a row, until 160 dB down.

    Parameters: sections, one at least; rate (Hz).
    """
    count = math.ceil(REST * rate / min(section.decay for section in sections)) + 3
    values = [1.0] + [0.0] * (count - 1)
    for (b0, b1, b2), (a1, a2), _ in sections:
        x1 = x2 = y1 = y2 = 0.0
        for index, x in enumerate(values):
            y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
            x1, x2, y1, y2 = x, x1, y, y1
            values[index] = y
    return np.array(values)


def _poles(frequency: float, q: float, rate: float) -> tuple[tuple[float, float], float]:
    """Return the denominator whose poles are exp(s / rate), and the decay of the slower one (1/s).

    Parameters: frequency (Hz), under half the rate; q, 0.5 or more; rate (Hz).
    """
    omega = 2.0 * math.pi * frequency
    decay = 0.5 * omega / q
    ringing = math.sqrt(max(0.0, omega * omega - decay * decay))
    radius = elementary.exp(-decay / rate)
    return (-2.0 * radius * elementary.cos(ringing / rate), radius * radius), decay


def _sine_squared(frequency: float, rate: float) -> float:
    sine = elementary.sin(math.pi * frequency / rate)
    return sine * sine


def _denominator(a: tuple[float, float], sine: float) -> tuple[float, float]:
    """Return |1 + a1 z^-1 + a2 z^-2|^2 at 0 Hz, and at a frequency by its `_sine_squared`."""
    a1, a2 = a
    zero, limit = 1.0 + a1 + a2, 1.0 - a1 + a2
    at_zero = zero * zero
    return at_zero, (at_zero * (1.0 - sine) + limit * limit * sine
                     - 16.0 * a2 * sine * (1.0 - sine))
