"""The decay rates of the partials of a string, and conversions of decay rate, T60 and quality
factor."""
from __future__ import annotations

import math

from pysitar.kernels.core import elementary
from pysitar.physics.ranges import Range
from pysitar.physics.string import SIGMAS, WAVE_NUMBER, decay_law

T60 = Range(unit="s", low=1e-9, high=1e9)
RATE = Range(unit="1/s", low=1e-9, high=1e9)
FREQUENCY = Range(unit="Hz", low=0.0, high=1e9)
QUALITY = Range(low=1e-9, high=1e12)
DECAYS_IN_T60 = 3.0 * elementary.log(10.0)  # 60 dB in amplitude is a factor 1000 = exp(3 ln 10)


def decay_rate(wave_number: float, *, sigma0: float = 0.0, sigma1: float = 0.0, sigma2: float = 0.0,
               sigma3: float = 0.0) -> float:
    """Return the decay rate at a wave number: sigma0 + sigma1 b + sigma2 b^2 + sigma3 b^3.

    Parameters: wave_number b, 0 to 1e10 (1/m); sigma0 (1/s), sigma1 (m/s), sigma2 (m^2/s), sigma3
    (m^3/s), each 0 to 1e5.
    Returns: the decay rate (1/s); the amplitude of a free vibration falls as exp(-rate t).
    Errors: ParameterError.
    Source: van Walstijn & Bridges 2016, eqs. (5), (8); sigma2 is the frequency-dependent loss of
    Ducceschi et al. 2021. """
    b = WAVE_NUMBER.number("wave_number", wave_number)
    losses = {"sigma0": sigma0, "sigma1": sigma1, "sigma2": sigma2, "sigma3": sigma3}
    s0, s1, s2, s3 = (within.number(name, losses[name]) for name, within in SIGMAS.items())
    return decay_law(b, s0, s1, s2, s3)


def decay_rate_from_t60(t60: float) -> float:
    """Return the decay rate, 3 ln 10 / t60 (1/s), of a partial that falls by 60 dB in t60.

    Parameters: t60, 1e-9 to 1e9 (s).
    Errors: ParameterError.
    """
    return DECAYS_IN_T60 / T60.number("t60", t60)


def t60_from_decay_rate(rate: float) -> float:
    """Return the time, 3 ln 10 / rate (s), in which a partial falls by 60 dB.

    Parameters: rate, of decay, 1e-9 to 1e9 (1/s).
    Errors: ParameterError.
    """
    return DECAYS_IN_T60 / RATE.number("rate", rate)


def decay_rate_from_quality(frequency: float, q: float) -> float:
    """Return the decay rate, pi frequency / q (1/s), of a mode.

    Parameters: frequency, 0 to 1e9 (Hz); q, quality factor, 1e-9 to 1e12.
    Errors: ParameterError.
    """
    return math.pi * FREQUENCY.number("frequency", frequency) / QUALITY.number("q", q)
