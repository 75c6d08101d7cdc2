"""How fast a partial dies: the decay-rate law of a string, and decay rate <-> T60 <-> quality factor."""
from __future__ import annotations

import math

from pysitar.kernels.core import elementary
from pysitar.physics.checks import number

DECAYS_IN_T60 = 3.0 * elementary.log(10.0)          # 60 dB in amplitude is a factor 1000 = exp(3 ln 10)


def decay_rate(wave_number: float, *, sigma0: float = 0.0, sigma1: float = 0.0, sigma2: float = 0.0, sigma3: float = 0.0) -> float:
    """Return the decay rate at a wave number: sigma0 + sigma1 b + sigma2 b^2 + sigma3 b^3.

    Parameters: wave_number b >= 0 (1/m); sigma0 (1/s), sigma1 (m/s), sigma2 (m^2/s), sigma3 (m^3/s), each >= 0.
    Returns: the decay rate (1/s); a free vibration falls as exp(-rate t).
    Errors: ParameterError.
    Source: van Walstijn & Bridges 2016, eqs. (5), (8); sigma2 is the frequency-dependent loss of Ducceschi et al. 2021.
    """
    b = number("wave_number", wave_number, "1/m", at_least=0.0)
    s0 = number("sigma0", sigma0, "1/s", at_least=0.0)
    s1 = number("sigma1", sigma1, "m/s", at_least=0.0)
    s2 = number("sigma2", sigma2, "m^2/s", at_least=0.0)
    s3 = number("sigma3", sigma3, "m^3/s", at_least=0.0)
    return law(b, s0, s1, s2, s3)


def law(b: float, s0: float, s1: float, s2: float, s3: float) -> float:
    """Return the decay rate (1/s) of `decay_rate` for parameters that are checked already."""
    return s0 + b * (s1 + b * (s2 + b * s3))          # eq. (8)


def decay_rate_from_t60(t60: float) -> float:
    """Return the decay rate (1/s) of a partial that falls by 60 dB in t60 > 0 (s): 3 ln 10 / t60.  Errors: ParameterError."""
    return DECAYS_IN_T60 / number("t60", t60, "s", above=0.0)


def t60_from_decay_rate(rate: float) -> float:
    """Return the time (s) in which a partial of decay rate > 0 (1/s) falls by 60 dB: 3 ln 10 / rate.  Errors: ParameterError."""
    return DECAYS_IN_T60 / number("rate", rate, "1/s", above=0.0)


def decay_rate_from_quality(frequency: float, q: float) -> float:
    """Return the decay rate (1/s) of a mode of a frequency >= 0 (Hz) and quality factor q > 0: pi f / q.  Errors: ParameterError."""
    return math.pi * number("frequency", frequency, "Hz", at_least=0.0) / number("q", q, "", above=0.0)
