# Miller's recurrence for Bessel functions of whole order (Abramowitz & Stegun 9.12), by the four
# operations alone: the same bits on every machine.
from libc.math cimport fabs

import numpy as np

cdef double LARGE = 1e100, SMALL = 1e-100


cdef void recur(int order, int start, double x, double* low, double* high) noexcept nogil:
    """Compute J_order(x) and J_(order+1)(x), x > 0, from `start`, a high even order, down; scaled
    by J_0 + 2 (J_2 + J_4 + ...) = 1 (9.1.46)."""
    cdef double above = 0.0, value = SMALL, total = 0.0, following
    cdef int n
    low[0] = high[0] = 0.0
    for n in range(start, 0, -1):
        following = 2.0 * n / x * value - above
        above = value
        value = following
        if fabs(value) > LARGE:
            above *= SMALL
            value *= SMALL
            total *= SMALL
            low[0] *= SMALL
            high[0] *= SMALL
        if n - 1 == order:
            low[0] = value
            high[0] = above
        if n % 2 == 1 and n > 1:
            total += 2.0 * value
    total += value
    low[0] /= total
    high[0] /= total


def recurrence_pair(int order, int start, double x):
    """Return J_order(x) and J_(order+1)(x), for x > 0, by the recurrence from an even order
    `start`."""
    cdef double low, high
    recur(order, start, x, &low, &high)
    return low, high


def recurrence_array(int order, int start, const double[::1] x not None):
    """Return J_order at each x > 0, by the recurrence from an even order `start`."""
    result = np.empty(x.shape[0])
    cdef double[::1] found = result
    cdef double high
    cdef Py_ssize_t k
    for k in range(x.shape[0]):
        recur(order, start, x[k], &found[k], &high)
    return result
