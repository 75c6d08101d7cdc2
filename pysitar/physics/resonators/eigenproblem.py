"""Eigenvalues and eigenvectors of a symmetric matrix, with the same bits on every machine.

LAPACK's sums depend on the CPU; here arrays are only added and multiplied element by element, and
each sum has its own fixed order; so have those of kernels/core/eigen.pyx.
"""
from __future__ import annotations

import numpy as np

from pysitar.kernels.core.eigen import eigen, factorise, solve_lower, solve_transposed
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
    lower, reduced = _reduce(stiffness, mass)
    values, vectors = symmetric_eigen(reduced)
    columns = vectors.T.copy()
    solve_transposed(lower, columns)
    return values, columns.T.copy()


def generalised_eigenvalues(stiffness: FloatArray, mass: FloatArray) -> FloatArray:
    """Return the eigenvalues alone, as `generalised_eigen`, in half of its time."""
    return np.sort(eigen(_reduce(stiffness, mass)[1], values_only=True)[0], kind="stable")


def _reduce(stiffness: FloatArray, mass: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the lower factor of the mass, and the matrix with the same eigenvalues beside a mass
    of 1."""
    lower, half = (np.array(matrix, dtype=np.float64) for matrix in (mass, stiffness))
    if not factorise(lower):
        raise ArithmeticError(f"mass matrix of {len(lower)} functions is not positive definite")
    solve_lower(lower, half)
    reduced = half.T.copy()
    solve_lower(lower, reduced)
    return lower, reduced


def multiply(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the product of a matrix (n, k) with a matrix (k, m), summed over k in rising order."""
    total = np.zeros((a.shape[0], b.shape[1]))
    for k in range(a.shape[1]):
        total += a[:, k, None] * b[k]
    return total
