"""Bessel functions of whole order, and roots of functions that oscillate like them, by the four
operations alone: the same bits on every machine."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from pysitar.kernels.core import elementary
from pysitar.kernels.core.bessel import recurrence_array, recurrence_pair
from pysitar.physics.checks import FloatArray

SCAN = 1.0                      # roots looked for here are over 2.4 apart
LARGE, SMALL = 1e100, 1e-100
TINY = 1e-60                    # below, orders above 0 are 0; a step multiplies by 2 n / x


def bessel_j(order: int, x: float) -> float:
    """Return J_order(x) for a whole order >= 0 and x >= 0."""
    return bessel_j_pair(order, x)[0]


def bessel_j_pair(order: int, x: float) -> tuple[float, float]:
    """Return J_order(x) and J_(order+1)(x), to 1e-14 of the largest value near x.

    Miller's recurrence from a high order down, scaled by J_0 + 2 (J_2 + J_4 + ...) = 1 (Abramowitz
    & Stegun 9.12, 9.1.46).
    """
    if x < TINY:
        return (1.0 if order == 0 else 0.0), 0.0
    return recurrence_pair(order, _start(order, x), x)


def bessel_j_array(order: int, x: FloatArray) -> FloatArray:
    """Return J_order at each x > 0, by the recurrence of `bessel_j_pair` for all at once."""
    found = recurrence_array(order, _start(order, float(np.max(x))), x.ravel())
    return found.reshape(x.shape)


def bessel_i_pair(order: int, x: float) -> tuple[float, float]:
    """Return exp(-x) I_order(x) and exp(-x) I_(order+1)(x), for x >= 0.

    As `bessel_j_pair`, scaled by I_0 + 2 (I_1 + I_2 + ...) = exp(x) (Abramowitz & Stegun 9.6.37).
    """
    if x < TINY:
        return (1.0 if order == 0 else 0.0), 0.0
    above, value, total, low, high = 0.0, SMALL, 0.0, 0.0, 0.0
    for n in range(_start(order, x), 0, -1):
        above, value = value, 2.0 * n / x * value + above
        if value > LARGE:
            above, value, total = above * SMALL, value * SMALL, total * SMALL
            low, high = low * SMALL, high * SMALL
        if n - 1 == order:
            low, high = value, above
        total += 2.0 * value if n > 1 else value
    return low / total, high / total


def bessel_zeros(order: int, end: float = math.inf) -> Iterator[float]:
    """Yield the zeros of J_order above 0, rising, each to two roundings, until an end is passed."""
    return roots(lambda x: bessel_j(order, x), max(1.0, float(order)), end)


def roots(function: Callable[[float], float], start: float,
          end: float = math.inf) -> Iterator[float]:
    """Yield the roots of a continuous function from a start on, rising, until the end is passed;
    two lie over `SCAN` apart."""
    left, at_left = start, function(start)
    while left < end:
        right = left + SCAN
        at_right = function(right)
        if at_right == 0.0 or (at_left < 0.0) != (at_right < 0.0):
            yield bracketed_root(function, left, right, at_left, at_right)
        left, at_left = right, at_right or -at_left


def bracketed_root(function: Callable[[float], float], left: float, right: float, at_left: float,
                   at_right: float) -> float:
    """Return the root between two places where a function has different signs, to the last bits.

    Secants with halved end values (the Illinois rule), and bisection where these are slow.
    """
    for step in range(200):
        if at_right == 0.0 or at_left == 0.0:
            return right if at_right == 0.0 else left
        middle = (left * at_right - right * at_left) / (at_right - at_left)
        if step % 4 == 3 or not min(left, right) < middle < max(left, right):
            middle = 0.5 * (left + right)
        if abs(right - left) <= 4e-16 * abs(right):
            return middle
        value = function(middle)
        if (value < 0.0) != (at_right < 0.0):
            left, at_left = right, at_right
        else:
            at_left *= 0.5
        right, at_right = middle, value
    return right


def _start(order: int, x: float) -> int:
    """An even order where J and I are below 1e-20 of their largest values."""
    top = max(float(order), x)
    return 2 * math.ceil(0.5 * (top + 14.0 + 11.0 * elementary.pow(top, 1.0 / 3.0)))
