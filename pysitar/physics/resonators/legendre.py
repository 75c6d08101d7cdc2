"""Legendre polynomials over [-1, 1], scaled to a mean product of 1 or 0 with each other: the
functions of Ritz's method for free edges, and the quadrature that is exact for them."""
from __future__ import annotations

import math
from functools import cache

import numpy as np

from pysitar.kernels.core import elementary
from pysitar.kernels.core.eigen import sum_products
from pysitar.physics.checks import FloatArray, array_of

NEWTON = 20


@cache
def gauss_legendre(count: int) -> tuple[FloatArray, FloatArray]:
    """Return the nodes, rising, and weights over [-1, 1] that are exact up to degree 2 count - 1.
    """
    nodes, weights = [0.0] * count, [0.0] * count
    for k in range((count + 1) // 2):
        x = elementary.cos(math.pi * (k + 0.75) / (count + 0.5))
        for _ in range(NEWTON):
            value, slope = _value_and_slope(count, x)
            x -= value / slope
            if abs(value / slope) < 1e-15:
                break
        slope = _value_and_slope(count, x)[1]
        nodes[k], nodes[-1 - k] = -x, x
        weights[k] = weights[-1 - k] = 2.0 / ((1.0 - x) * (1.0 + x) * slope * slope)
    if count % 2:
        nodes[count // 2] = 0.0
    return array_of(nodes), array_of(weights)


def legendre(count: int, s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the first `count` polynomials and their first and second derivatives at places s, each
    of shape (count, size of s); the mean of the square of each over [-1, 1] is 1.
    """
    values, slopes, curvatures = (np.zeros((count, s.size)) for _ in range(3))
    for n in range(count):
        if n < 2:
            values[n] = s if n else 1.0
            slopes[n] = float(n)
            continue
        values[n] = ((2 * n - 1) * s * values[n - 1] - (n - 1) * values[n - 2]) / n
        slopes[n] = slopes[n - 2] + (2 * n - 1) * values[n - 1]
        curvatures[n] = curvatures[n - 2] + (2 * n - 1) * slopes[n - 1]
    for n in range(count):
        scale = math.sqrt(2.0 * n + 1.0)
        for table in (values, slopes, curvatures):
            table[n] *= scale
    return values, slopes, curvatures


def mean_products(a: FloatArray, b: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weighted sums of all products of rows of a with rows of b: (rows of a, rows of b).
    """
    return sum_products(*map(np.ascontiguousarray, (a, b, weights)))


def _value_and_slope(n: int, x: float) -> tuple[float, float]:
    before, value = 1.0, x
    for k in range(2, n + 1):
        before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
    if n == 1:
        return x, 1.0
    return value, n * (before - x * value) / ((1.0 - x) * (1.0 + x))
