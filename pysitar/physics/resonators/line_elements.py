"""Finite elements of high degree along a line: polynomials in each element, continuous where two of
them join."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pysitar.physics.checks import FloatArray
from pysitar.physics.resonators.legendre import gauss_legendre, legendre


@dataclass(frozen=True, slots=True)
class Element:
    """A span of the line and the degree of its polynomials.

    Its functions are the two straight ones that are 1 at one end, then the integrals of Legendre's
    polynomials from degree 1 on, which vanish at both ends: degree + 1 in all. """

    start: float
    end: float
    degree: int

    def quadrature(self, extra: int = 4) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return places along the line, their weights, and the same places as -1 to 1: exact for
        products of two functions with a polynomial of degree 2 extra - 1."""
        nodes, weights = gauss_legendre(self.degree + extra)
        half = 0.5 * (self.end - self.start)
        return self.start + half * (1.0 + nodes), half * weights, nodes

    def functions(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return values and derivatives along the line at places -1 to 1, (degree + 1, places)."""
        values, slopes = _functions(self.degree, s)
        return values, slopes * (2.0 / (self.end - self.start))

    def functions_at_nodes(self, extra: int = 4) -> tuple[FloatArray, FloatArray]:
        """Return values, read-only, and derivatives along the line at the places of `quadrature`.
        """
        values, slopes = _functions_at_nodes(self.degree, extra)
        return values, slopes * (2.0 / (self.end - self.start))

    def at(self, x: float) -> list[float]:
        """Return the functions at one place of the line."""
        s = (2.0 * x - self.start - self.end) / (self.end - self.start)
        return list(self.functions(np.array([s]))[0][:, 0].tolist())


def _functions(degree: int, s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the functions of an element and their derivatives by s at places s, -1 to 1."""
    polynomials = legendre(degree + 1, s)[0]
    values, slopes = np.zeros((degree + 1, s.size)), np.zeros((degree + 1, s.size))
    values[0], values[1] = 0.5 * (1.0 - s), 0.5 * (1.0 + s)
    slopes[0], slopes[1] = -0.5, 0.5
    for k in range(1, degree):
        below = polynomials[k - 1] / math.sqrt(2.0 * k - 1.0)
        above = polynomials[k + 1] / math.sqrt(2.0 * k + 3.0)
        values[k + 1] = (above - below) / math.sqrt(2.0 * k + 1.0)
        slopes[k + 1] = polynomials[k]
    return values, slopes


@lru_cache(maxsize=64)                  # the degrees of one bar while it is tuned
def _functions_at_nodes(degree: int, extra: int) -> tuple[FloatArray, FloatArray]:
    found = _functions(degree, gauss_legendre(degree + extra)[0])
    for array in found:
        array.flags.writeable = False
    return found


def number_unknowns(elements: Sequence[Element], first: int, *, start: bool,
                    end: bool) -> tuple[list[list[int]], int]:
    """Return the unknown of each function of each element, -1 for those that are 0, and the number
    after the last.

    Parameters: elements, from left to right; first, the first number; start, end: whether the line
    is free to move at its start and at its end. """
    join, used = (first, first + 1) if start else (-1, first)
    places = []
    for i, element in enumerate(elements):
        inner = list(range(used, used + element.degree - 1))
        used += element.degree - 1
        right = used if end or i + 1 < len(elements) else -1
        used += right >= 0
        places.append([join, right, *inner])
        join = right
    return places, used


def add_block(matrix: FloatArray, block: FloatArray, rows: list[int], columns: list[int]) -> None:
    """Add an element's matrix to that of the line, at the unknowns of its rows and columns."""
    i = np.array([k for k, at in enumerate(rows) if at >= 0])
    j = np.array([k for k, at in enumerate(columns) if at >= 0])
    matrix[np.array(rows)[i][:, None], np.array(columns)[j][None, :]] += block[i[:, None],
                                                                              j[None, :]]


def coefficients(vector: FloatArray, places: list[int]) -> list[float]:
    """Return the coefficients of an element's functions."""
    return [float(vector[at]) if at >= 0 else 0.0 for at in places]
