"""Eigenvalues and eigenvectors of a symmetric matrix, with the same bits on every machine.

LAPACK's sums depend on the CPU; here arrays are only added and multiplied element by element, and
each sum has its own fixed order; so have those of kernels/core/eigen.pyx.
"""
from __future__ import annotations

import math

import numpy as np

from pysitar.kernels.core.eigen import eigen
from pysitar.physics.checks import FloatArray


def symmetric_eigen(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the eigenvalues, rising, and the eigenvectors as rows, each of length 1.

    Householder's reduction and QL with implicit shifts (Golub & Van Loan, Matrix Computations,
    chapter 8). Where entries differ by orders of magnitude, the small ones belong at the start.

    Parameters: matrix, symmetric, (n, n). Errors: ArithmeticError, if QL does not converge.
    """
    values, vectors = eigen(np.array(matrix, dtype=np.float64))
    order = np.argsort(values, kind="stable")
    return values[order], vectors[order]


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
