"""Bessel functions, Legendre's polynomials and eigenproblems against SciPy and closed forms."""
import itertools
import math

import numpy as np
import pytest
from scipy import linalg, special

from pysitar.kernels.core.eigen import factorise, solve_lower, solve_transposed, sum_products
from pysitar.physics.resonators import bessel
from pysitar.physics.resonators.eigenproblem import (
    generalised_eigen,
    generalised_eigenvalues,
    multiply,
    symmetric_eigen,
)
from pysitar.physics.resonators.legendre import gauss_legendre, legendre, mean_products
from pysitar.physics.resonators.line_elements import Element, number_unknowns

EPS = 2.0**-52
PLACES = (1e-8, 0.1, 1.0, 9.9, 33.3, 150.0, 400.0)


@pytest.mark.parametrize("order", [0, 1, 5, 20, 60])
def test_bessel_functions(order):
    for x in PLACES:
        # the scale is the largest value near x, at most 1; a few roundings of the sum
        assert bessel.bessel_j_pair(order, x) == pytest.approx(
            (special.jv(order, x), special.jv(order + 1, x)), abs=2e-14)
        scaled = special.ive(order, x), special.ive(order + 1, x)
        if scaled[1] > 1e-290:      # positive terms alone: relative, x roundings
            assert bessel.bessel_i_pair(order, x) == pytest.approx(scaled, rel=1e-12)
    x = np.array(PLACES[1:])
    assert bessel.bessel_j_array(order, x) == pytest.approx(special.jv(order, x), abs=2e-14)


def test_bessel_functions_at_zero():
    assert bessel.bessel_j_pair(0, 0.0) == (1.0, 0.0) == bessel.bessel_i_pair(0, 0.0)
    assert bessel.bessel_j_pair(3, 0.0) == (0.0, 0.0)
    for x in (1e-300, 1e-61, 1e-59, 1e-20):
        assert bessel.bessel_j_pair(0, x) == pytest.approx((1.0, 0.5 * x), rel=1e-15, abs=1e-59)
        assert bessel.bessel_i_pair(0, x) == pytest.approx((1.0, 0.5 * x), rel=1e-15, abs=1e-59)


@pytest.mark.parametrize("order", [0, 1, 7, 30])
def test_zeros_of_bessel_functions(order):
    zeros = list(itertools.islice(bessel.bessel_zeros(order), 30))
    # the last bits: the slope there is not small
    assert zeros == pytest.approx(special.jn_zeros(order, 30), rel=4 * EPS)


def test_a_root_at_the_end_of_a_step_is_found_once():
    found = list(bessel.roots(lambda x: x - 3.0, 1.0, 8.0))
    assert found == [3.0]


def test_legendre_polynomials():
    nodes, weights = gauss_legendre(20)
    reference = special.roots_legendre(20)
    # nodes are known to a rounding of 1, weights to some
    assert nodes == pytest.approx(reference[0], abs=4 * EPS)
    assert weights == pytest.approx(reference[1], rel=1e-13)
    values, slopes, curvatures = legendre(12, nodes)
    assert mean_products(values, values, 0.5 * weights) == pytest.approx(np.eye(12), abs=1e-14)
    for n in range(12):
        scaled = math.sqrt(2 * n + 1) * special.legendre(n)
        for table, order in ((slopes, 1), (curvatures, 2)):
            # of sizes up to n^4 sqrt(n)
            assert table[n] == pytest.approx(scaled.deriv(order)(nodes), rel=1e-11, abs=1e-9)


@pytest.mark.parametrize("size", [1, 2, 3, 40])
def test_symmetric_eigen(size):
    rng = np.random.default_rng(size)
    matrix = rng.normal(size=(size, size))
    matrix = matrix + matrix.T
    values, vectors = symmetric_eigen(matrix)
    bound = 20.0 * size * EPS * np.linalg.norm(matrix)          # a backward stable solver's
    assert np.abs(values - np.linalg.eigvalsh(matrix)).max() <= bound
    assert np.abs(vectors @ vectors.T - np.eye(size)).max() <= 20.0 * size * EPS
    assert np.abs(vectors @ matrix - values[:, None] * vectors).max() <= bound


def test_equal_eigenvalues_have_orthogonal_vectors():
    rng = np.random.default_rng(5)
    q = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    values, vectors = symmetric_eigen(q @ np.diag([1.0] * 6 + [2.0] * 6) @ q.T)
    assert values == pytest.approx([1.0] * 6 + [2.0] * 6, rel=1e-14)
    assert np.abs(vectors @ vectors.T - np.eye(12)).max() <= 12 * 20 * EPS


def test_eigenvalues_alone_have_the_same_bits():
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((2, 14, 14))
    stiffness, mass = a + a.T, b @ b.T + np.eye(14)
    assert generalised_eigenvalues(stiffness, mass).tobytes() == generalised_eigen(
        stiffness, mass)[0].tobytes()


def test_triangles_and_products_of_matrices():
    rng = np.random.default_rng(6)
    a, b, weights = rng.standard_normal((5, 9)), rng.standard_normal((4, 9)), rng.random(9)
    assert sum_products(a, b, weights) == pytest.approx((a * weights) @ b.T, abs=1e-14)
    mass = a @ a.T + np.eye(5)
    lower = mass.copy()
    assert factorise(lower) and lower @ lower.T == pytest.approx(mass, abs=1e-13)
    assert (np.triu(lower, 1) == 0.0).all()
    for solve, matrix in ((solve_lower, lower), (solve_transposed, lower.T)):
        right = rng.standard_normal((5, 3))
        found = right.copy()
        solve(lower, found)
        assert matrix @ found == pytest.approx(right, abs=1e-13)
        with pytest.raises(ValueError, match="expected three equal numbers"):
            solve(lower, np.zeros((4, 3)))
    assert not factorise(np.array([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(ValueError, match="expected a square one"):
        factorise(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="expected three equal numbers"):
        sum_products(a, b, weights[1:])


def test_generalised_eigen():
    rng = np.random.default_rng(2)
    stiffness, mass = rng.normal(size=(2, 25, 25))
    stiffness, mass = stiffness + stiffness.T, mass @ mass.T + 25.0 * np.eye(25)
    values, vectors = generalised_eigen(stiffness, mass)
    assert values == pytest.approx(linalg.eigh(stiffness, mass, eigvals_only=True), abs=1e-13)
    assert np.abs(vectors @ mass @ vectors.T - np.eye(25)).max() <= 1e-13


def test_a_mass_matrix_that_is_not_positive_is_refused():
    with pytest.raises(ArithmeticError, match="positive definite"):
        generalised_eigen(np.eye(2), np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_multiply_is_the_matrix_product():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(4, 6)), rng.normal(size=(6, 5))
    assert multiply(a, b) == pytest.approx(a @ b, abs=1e-14)


def test_elements_join_and_differentiate():
    left, right = Element(0.0, 0.3, 4), Element(0.3, 1.0, 5)
    # at the joint only the two straight functions are not 0
    assert left.at(0.3) == pytest.approx([0.0, 1.0, 0.0, 0.0, 0.0], abs=1e-15)
    assert right.at(0.3) == pytest.approx([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], abs=1e-15)
    s, step = np.array([0.21]), 1e-5
    difference = (right.functions(s + step)[0] - right.functions(s - step)[0]) / (2 * step * 0.35)
    # of second order: step^2 times third derivatives of some hundred
    assert right.functions(s)[1] == pytest.approx(difference, abs=1e-6)
    places, count = number_unknowns([left, right], 2, start=False, end=True)
    assert places == [[-1, 5, 2, 3, 4], [5, 10, 6, 7, 8, 9]] and count == 11
