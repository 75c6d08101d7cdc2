"""Yardsticks of the lumped schemes: the oscillator's recurrence without contact, and libm's pow,
each result needed by the next."""
import math

import numba


@numba.njit(fastmath=False, cache=False)
def free_oscillator(position, u, d, k):
    """Two multiply-adds a step and one value written: d -= k u, u += d."""
    for n in range(position.size):
        position[n] = u
        d -= k * u
        u += d
    return u


@numba.njit(fastmath=False, cache=False)
def powers(steps, exponent):
    """As many powers of numbers near 1/2."""
    x = 0.5
    for _ in range(steps):
        x = math.pow(0.3 + 0.5 * x, exponent)
    return x
