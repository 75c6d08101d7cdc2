"""Integrals of a smooth function times (1 - s^2)^p over [-1, 1] and over [s, 1], by Gauss-Jacobi
quadrature.

R_n is the Jacobi polynomial P_n^(p,p) divided by its value at 1. The variable u = 1 - |s| keeps the
precision near the ends, where the weight is infinite.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from pysitar.kernels.core import elementary

NEWTON = 30
SMALLEST = 1e-16                # relative to the greatest coefficient: smaller ones are left out


@lru_cache(maxsize=64)                  # of the exponents of contacts, few occur
def gauss_jacobi(nodes: int, power: float) -> tuple[tuple[float, float, tuple[float, ...]], ...]:
    """Return (1 - s, weight, (R_0(s), ..., R_(nodes-1)(s))) for each positive node s of an even
    rule; the sum of all weights, also of the negative nodes, is 1.

    Parameters: nodes, even; power p of the weight (1 - s^2)^p, -1 < p <= -1/2.
    """
    sizes = _sizes(nodes, power)
    rule = []
    for k in range(1, nodes // 2 + 1):
        angle = (k - 0.25 + 0.5 * power) * math.pi / (nodes + power + 0.5)
        sine = elementary.sin(0.5 * angle)
        u = 2.0 * sine * sine
        for _ in range(NEWTON):
            values, difference = _polynomials(nodes, power, u)
            step = values[nodes] * u * (2.0 - u) / (nodes * (u * values[nodes] - difference))
            u += step
            if abs(step) <= 4e-16 * u:
                break
        values = _polynomials(nodes, power, u)[0][:nodes]
        rule.append((u, 1.0 / math.fsum(r * r / size
                                        for r, size in zip(values, sizes, strict=True)),
                     tuple(values)))
    return tuple(rule)


@dataclass(frozen=True, slots=True)
class Expansion:
    """A smooth function g as a sum of the R_n, with the integrals of g(s) (1 - s^2)^p.

    Parameters: power p; half_weight, the integral of (1 - s^2)^p over [0, 1]; coefficients of R_0,
    R_1, ...
    """

    power: float
    half_weight: float
    coefficients: tuple[float, ...]

    @property
    def whole(self) -> float:
        """The integral over [-1, 1]."""
        return 2.0 * self.half_weight * self.coefficients[0]

    def beyond(self, s: float, rest: float, side: float) -> float:
        """Return the integral over [s, 1] (side 1) or [-1, -s] (side -1).

        Parameters: s, 0 to 1; rest, 1 - s^2 computed without cancellation; side, 1 or -1.
        """
        power = self.power
        # the integral of R_n over [s, 1] is (1 - s^2)^(p+1) / (2 (p+1)) times R_(n-1) of p + 1
        previous, value, total, sign = 0.0, 1.0, 0.0, side
        for n, c in enumerate(self.coefficients[1:]):
            total += sign * c * value
            sign *= side
            previous, value = value, (2.0 * (n + power + 1.5) * s * value
                                      - n * previous) / (n + 2.0 * power + 3.0)
        return self.coefficients[0] * self._weight_beyond(s, rest) + elementary.pow(
            rest, power + 1.0) / (2.0 * (power + 1.0)) * total

    def _weight_beyond(self, s: float, rest: float) -> float:
        """Return the integral of the weight over [s, 1], by the one of two series that converges
        fast: each term is at most half the term before it."""
        near = rest <= 0.5
        ratio, first = (rest, 0.5) if near else (s * s, -self.power)
        term, total, k = 1.0, 0.0, 0
        while True:
            part = term / (self.power + 1.0 + k if near else 2 * k + 1)
            total += part
            if part <= 1e-17 * total:
                break
            term *= ratio * (first + k) / (k + 1)
            k += 1
        return 0.5 * elementary.pow(rest, self.power
                                    + 1.0) * total if near else self.half_weight - s * total


def expansion(g: Callable[[float], float], *, power: float, nodes: int) -> Expansion:
    """Return the expansion of a function that is analytic on [-1, 1].

    Parameters: g; power p, -1 < p <= -1/2; nodes, even.
    """
    sums = [0.0] * nodes
    for u, weight, values in gauss_jacobi(nodes, power):
        right, left = g(1.0 - u), g(u - 1.0)
        for n in range(0, nodes, 2):
            sums[n] += weight * (right + left) * values[n]
            sums[n + 1] += weight * (right - left) * values[n + 1]
    coefficients = [total / size for total, size in zip(sums, _sizes(nodes, power), strict=True)]
    least = SMALLEST * max(abs(c) for c in coefficients)
    while abs(coefficients[-1]) <= least:
        coefficients.pop()
    half_weight = 0.5 * math.sqrt(
        math.pi) * elementary.gamma(power + 1.0) / elementary.gamma(power + 1.5)
    return Expansion(power, half_weight, tuple(coefficients))


def _polynomials(count: int, power: float, u: float) -> tuple[list[float], float]:
    """Return R_0 to R_count at s = 1 - u, and R_count - R_(count-1)."""
    values, difference = [1.0, 1.0 - u], -u
    for n in range(1, count):
        difference = (n * difference -
                      (2.0 * n + 2.0 * power + 1.0) * u * values[n]) / (n + 2.0 * power + 1.0)
        values.append(values[n] + difference)
    return values, difference


def _sizes(count: int, power: float) -> list[float]:
    """Return the integrals of R_n^2 (1 - s^2)^p for n below count, divided by the integral of the
    weight."""
    order = power + 0.5
    sizes = [1.0, 0.5 / (1.0 + order)]
    for n in range(1, count - 1):
        sizes.append(sizes[n] * (n + 1.0) * (n + order) / ((n + 2.0 * order) * (n + 1.0 + order)))
    return sizes
