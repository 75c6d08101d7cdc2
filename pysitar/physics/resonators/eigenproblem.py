"""Eigenvalues and eigenvectors of a symmetric matrix, with the same bits on every machine.

LAPACK's sums depend on the CPU; here arrays are only added and multiplied element by element, and
each sum has its own fixed order.
"""
from __future__ import annotations

import math

import numpy as np

from pysitar.kernels.core import elementary
from pysitar.physics.checks import FloatArray

MAX_ITERATIONS = 60             # of QL for one eigenvalue; two are usual
ROUNDING = 1.1e-16              # half the distance of 1 to the next float


def symmetric_eigen(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvalues, rising, and the eigenvectors as rows, each of length 1.

    Householder's reduction and QL with implicit shifts (Golub & Van Loan, Matrix Computations,
    chapter 8). Where entries differ by orders of magnitude, the small ones belong at the start.

    Parameters: matrix, symmetric, (n, n). Errors: ArithmeticError, if QL does not converge.
    """
    diagonal, off, vectors = _tridiagonal(np.array(matrix, dtype=np.float64))
    _apply_ql(diagonal, off, vectors)
    order = sorted(range(len(diagonal)), key=diagonal.__getitem__)
    return np.array([diagonal[i] for i in order]), vectors[order]


def generalised_eigen(stiffness: FloatArray, mass: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvalues, rising, of stiffness v = value mass v, and the vectors as rows, with
    v mass v = 1.

    Parameters: stiffness, symmetric; mass, symmetric and positive definite, both (n, n). Errors:
    ArithmeticError, if mass is not positive definite or QL does not converge.
    """
    lower = _cholesky(np.array(mass, dtype=np.float64))
    half = _solve_lower(lower, np.array(stiffness, dtype=np.float64))
    values, vectors = symmetric_eigen(_solve_lower(lower, half.T.copy()))
    columns = vectors.T.copy()
    for i in range(lower.shape[0] - 1, -1, -1):
        columns[i] /= lower[i, i]
        columns[:i] -= lower[i, :i, None] * columns[i]
    return values, columns.T.copy()


def multiply(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the product of a matrix (n, k) with a matrix (k, m), summed over k in rising order."""
    total = np.zeros((a.shape[0], b.shape[1]))
    for k in range(a.shape[1]):
        total += a[:, k, None] * b[k]
    return total


def _cholesky(a: FloatArray) -> FloatArray:
    for j in range(a.shape[0]):
        if not a[j, j] > 0.0:
            raise ArithmeticError(f"mass matrix of {a.shape[0]} functions is not positive definite")
        a[j:, j] /= math.sqrt(a[j, j])
        column = a[j + 1:, j]
        a[j + 1:, j + 1:] -= column[:, None] * column
        a[j, j + 1:] = 0.0
    return a


def _solve_lower(lower: FloatArray, right: FloatArray) -> FloatArray:
    """The solution of lower x = right, in the place of `right`."""
    for i in range(lower.shape[0]):
        right[i] /= lower[i, i]
        right[i + 1:] -= lower[i + 1:, i, None] * right[i]
    return right


def _tridiagonal(a: FloatArray) -> tuple[list[float], list[float], FloatArray]:
    """Diagonal, entries beside it, and the transformation as rows; the last rows are reduced first,
    so the large entries of a graded matrix go first."""
    n = a.shape[0]
    off = [0.0] * n             # off[i] stands between i and i + 1
    reflections: list[tuple[int, FloatArray, float]] = []
    for i in range(n - 1, 1, -1):
        u = a[i, :i].copy()
        scale = float(np.max(np.abs(u[:-1])))
        if scale == 0.0:
            off[i - 1] = float(u[-1])
            continue
        norm = scale * math.sqrt(math.fsum((u / scale * (u / scale)).tolist()))
        alpha = -math.copysign(norm, float(u[-1]))
        off[i - 1] = alpha
        beta = 1.0 / (norm * (norm + abs(float(u[-1]))))
        u[-1] -= alpha
        block = a[:i, :i]
        p = beta * _sum_rows(block * u[:, None])
        p -= (0.5 * beta * math.fsum((p * u).tolist())) * u
        block -= p[:, None] * u + u[:, None] * p
        reflections.append((i, u, beta))
    if n > 1:
        off[0] = float(a[1, 0])
    vectors = np.zeros((n, n))
    for i in range(n):
        vectors[i, i] = 1.0
    for i, u, beta in reversed(reflections):
        # columns from i + 1 on are not touched, nor are rows: those of the identity
        w = beta * _sum_rows(vectors[:i, :i].T * u[:, None])
        vectors[:i, :i] -= w[:, None] * u
    return a.diagonal().tolist(), off, vectors


def _sum_rows(terms: FloatArray) -> FloatArray:
    """The sum of the rows of an array, in its place: halves are added until one row is left."""
    count = terms.shape[0]
    while count > 1:
        half = (count + 1) // 2
        terms[:count - half] += terms[half:count]
        count = half
    total: FloatArray = terms[0]
    return total


def _apply_ql(d: list[float], e: list[float], vectors: FloatArray) -> None:
    """Replace the diagonal d of a tridiagonal matrix by its eigenvalues, and turn the vectors."""
    n = len(d)
    for low in range(n):
        for _ in range(MAX_ITERATIONS):
            end = low
            while end < n - 1 and abs(e[end]) > ROUNDING * (abs(d[end]) + abs(d[end + 1])):
                end += 1
            if end == low:
                break
            _ql_sweep(d, e, low, end, vectors)
        else:
            raise ArithmeticError(
                f"eigenvalue {low + 1} of {n} took over {MAX_ITERATIONS} iterations")


def _ql_sweep(d: list[float], e: list[float], low: int, end: int, vectors: FloatArray) -> None:
    g = (d[low + 1] - d[low]) / (2.0 * e[low])
    r = elementary.hypot(g, 1.0)
    g = d[end] - d[low] + e[low] / (g + math.copysign(r, g))
    s = c = 1.0
    p = 0.0
    for i in range(end - 1, low - 1, -1):
        f, b = s * e[i], c * e[i]
        r = elementary.hypot(f, g)
        e[i + 1] = r
        if r == 0.0:
            d[i + 1] -= p
            e[end] = 0.0
            return
        s, c = f / r, g / r
        g = d[i + 1] - p
        r = (d[i] - g) * s + 2.0 * c * b
        p = s * r
        d[i + 1] = g + p
        g = c * r - b
        upper, lower = vectors[i + 1].copy(), vectors[i]
        vectors[i + 1] = s * lower + c * upper
        lower *= c
        lower -= s * upper
    d[low] -= p
    e[low] = g
    e[end] = 0.0
