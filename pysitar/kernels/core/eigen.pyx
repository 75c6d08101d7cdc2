# Matrices with the same bits on every machine: products of functions, Cholesky's factors, and
# Householder's reduction and the QL sweeps of a symmetric matrix. Every sum has a fixed order and
# there is no LAPACK, whose sums depend on the CPU.
from libc.math cimport copysign, fabs, sqrt

from math import fsum

import numpy as np

from pysitar.kernels.core.elementary_functions cimport hypot

cdef enum:
    MAX_ITERATIONS = 60             # of QL for one eigenvalue; two are usual

cdef double ROUNDING = 1.1e-16      # half the distance of 1 to the next float


cdef void add_halves(double* terms, Py_ssize_t count, Py_ssize_t width) noexcept nogil:
    """Sum `count` rows of `width` values into the first: halves are added until one is left."""
    cdef Py_ssize_t half, k
    while count > 1:
        half = (count + 1) // 2
        for k in range((count - half) * width):
            terms[k] += terms[half * width + k]
        count = half


cdef double exact_sum(const double* a, const double* b, Py_ssize_t n, double scale):
    """The sum of (a / scale) (b / scale), rounded once."""
    return fsum([(a[k] / scale) * (b[k] / scale) for k in range(n)])


cdef bint reduce_row(double[:, ::1] a, Py_ssize_t i, double* off, double* beta, double* p,
                     double* terms) except -1:
    """Turn row i of the leading block into one entry beside the diagonal; the reflection's vector
    replaces the row. Returns whether there is a reflection."""
    cdef double* u = &a[i, 0]
    cdef double scale = 0.0, norm, along
    cdef Py_ssize_t j, k
    for k in range(i - 1):
        scale = max(scale, fabs(u[k]))
    if scale == 0.0:
        off[0] = u[i - 1]
        return False
    norm = scale * sqrt(exact_sum(u, u, i, scale))
    off[0] = -copysign(norm, u[i - 1])
    beta[0] = 1.0 / (norm * (norm + fabs(u[i - 1])))
    u[i - 1] -= off[0]
    for j in range(i):
        for k in range(i):
            terms[j * i + k] = a[j, k] * u[j]
    add_halves(terms, i, i)
    for k in range(i):
        p[k] = beta[0] * terms[k]
    along = 0.5 * beta[0] * exact_sum(p, u, i, 1.0)
    for k in range(i):
        p[k] -= along * u[k]
    for j in range(i):
        for k in range(i):
            a[j, k] -= p[j] * u[k] + u[j] * p[k]
    return True


cdef void reflect(double[:, ::1] vectors, const double* u, double beta, Py_ssize_t i,
                  double* terms) noexcept nogil:
    """Apply a reflection to the leading block; the other rows and columns are the identity's."""
    cdef Py_ssize_t j, k
    cdef double w
    for j in range(i):
        for k in range(i):
            terms[k] = vectors[j, k] * u[k]
        add_halves(terms, i, 1)
        w = beta * terms[0]
        for k in range(i):
            vectors[j, k] -= w * u[k]


cdef void sweep(double* d, double* e, Py_ssize_t low, Py_ssize_t end,
                double[:, ::1] vectors) noexcept nogil:
    """One implicit QL step on the entries from low to end (Golub & Van Loan, algorithm 8.3.2, from
    the other end)."""
    cdef double g = (d[low + 1] - d[low]) / (2.0 * e[low]), r = hypot(g, 1.0)
    cdef double s = 1.0, c = 1.0, p = 0.0, f, b, x
    cdef Py_ssize_t i, k, n = vectors.shape[1]
    cdef double* upper
    cdef double* lower
    g = d[end] - d[low] + e[low] / (g + copysign(r, g))
    for i in range(end - 1, low - 1, -1):
        f = s * e[i]
        b = c * e[i]
        r = hypot(f, g)
        e[i + 1] = r
        if r == 0.0:
            d[i + 1] -= p
            e[end] = 0.0
            return
        s = f / r
        c = g / r
        g = d[i + 1] - p
        r = (d[i] - g) * s + 2.0 * c * b
        p = s * r
        d[i + 1] = g + p
        g = c * r - b
        upper = &vectors[i + 1, 0]
        lower = &vectors[i, 0]
        for k in range(n):
            x = upper[k]
            upper[k] = s * lower[k] + c * x
            lower[k] = lower[k] * c - s * x
    d[low] -= p
    e[low] = g
    e[end] = 0.0


cdef Py_ssize_t find_eigenvalues(double* d, double* e, Py_ssize_t n,
                                 double[:, ::1] vectors) noexcept nogil:
    """Replace the diagonal d by the eigenvalues and turn the vectors. Returns the index of one that
    does not converge, or n."""
    cdef Py_ssize_t low, end
    cdef int _iteration
    for low in range(n):
        for _iteration in range(MAX_ITERATIONS):
            end = low
            while end < n - 1 and fabs(e[end]) > ROUNDING * (fabs(d[end]) + fabs(d[end + 1])):
                end += 1
            if end == low:
                break
            sweep(d, e, low, end, vectors)
        else:
            return low
    return n


cdef int check_square(const double[:, ::1] a) except -1:
    if a.shape[0] != a.shape[1]:
        raise ValueError(
            f"matrix of {a.shape[0]} rows and {a.shape[1]} columns; expected a square one")
    return 0


cdef int check_triangle(const double[:, ::1] lower, const double[:, ::1] right) except -1:
    if not lower.shape[0] == lower.shape[1] == right.shape[0]:
        raise ValueError(f"triangle of {lower.shape[0]} rows and {lower.shape[1]} columns and "
                         f"{right.shape[0]} right sides; expected three equal numbers")
    return 0


def eigen(double[:, ::1] a not None, *, bint values_only=False):
    """Return the eigenvalues of a symmetric matrix, unsorted, and the eigenvectors as rows.

    Parameters: a, symmetric, (n, n), which is overwritten; values_only, without the vectors.
    Errors: ArithmeticError, if QL does not converge.
    """
    cdef Py_ssize_t n = a.shape[0], i, failed
    check_square(a)
    # without vectors, a column of zeros is turned
    values, turned = np.zeros(n), np.zeros((n, 1)) if values_only else np.eye(n)
    if n == 0:
        return values, turned
    cdef double[::1] d = values, e = np.zeros(n), beta = np.zeros(n), p = np.zeros(n)
    cdef double[::1] terms = np.zeros(n * n)
    cdef double[:, ::1] vectors = turned
    # the last rows are reduced first, so the large entries of a graded matrix go first
    for i in range(n - 1, 1, -1):
        if not reduce_row(a, i, &e[i - 1], &beta[i], &p[0], &terms[0]):
            beta[i] = 0.0
    if n > 1:
        e[0] = a[1, 0]              # e[i] stands between i and i + 1
    with nogil:
        for i in range(n):
            d[i] = a[i, i]
        for i in range(2, n):
            if not values_only and beta[i] != 0.0:
                reflect(vectors, &a[i, 0], beta[i], i, &terms[0])
        failed = find_eigenvalues(&d[0], &e[0], n, vectors)
    if failed < n:
        raise ArithmeticError(
            f"eigenvalue {failed + 1} of {n} took over {MAX_ITERATIONS} iterations")
    return values, turned


def factorise(double[:, ::1] a not None):
    """Replace a symmetric matrix (n, n) by its lower Cholesky factor; return whether it is positive
    definite. If it is not, it is left half done."""
    cdef Py_ssize_t n = a.shape[0], i, j, k
    cdef double root
    cdef bint positive = True
    check_square(a)
    with nogil:
        for j in range(n):
            if not a[j, j] > 0.0:
                positive = False
                break
            root = sqrt(a[j, j])
            for i in range(j, n):
                a[i, j] /= root
            for i in range(j + 1, n):
                for k in range(j + 1, i + 1):
                    a[i, k] -= a[i, j] * a[k, j]
            for k in range(j + 1, n):
                a[j, k] = 0.0
    return positive


def solve_lower(const double[:, ::1] lower not None, double[:, ::1] right not None):
    """Replace `right` (n, m) by the solution x of lower x = right, with a lower triangle (n, n)."""
    cdef Py_ssize_t n = lower.shape[0], m = right.shape[1], i, j, k
    check_triangle(lower, right)
    with nogil:
        for i in range(n):
            for k in range(m):
                right[i, k] /= lower[i, i]
            for j in range(i + 1, n):
                for k in range(m):
                    right[j, k] -= lower[j, i] * right[i, k]


def solve_transposed(const double[:, ::1] lower not None, double[:, ::1] right not None):
    """Replace `right` (n, m) by the solution x of lower' x = right, as `solve_lower`."""
    cdef Py_ssize_t n = lower.shape[0], m = right.shape[1], i, j, k
    check_triangle(lower, right)
    with nogil:
        for i in range(n - 1, -1, -1):
            for k in range(m):
                right[i, k] /= lower[i, i]
            for j in range(i):
                for k in range(m):
                    right[j, k] -= lower[i, j] * right[i, k]


def sum_products(const double[:, ::1] a not None, const double[:, ::1] b not None,
                 const double[::1] weights not None):
    """Return the weighted sums of all products of rows of a (n, K) with rows of b (m, K): (n, m),
    each summed in the order of the K weights."""
    cdef Py_ssize_t n = a.shape[0], m = b.shape[0], count = weights.shape[0], i, j, k
    cdef double weighted
    if a.shape[1] != count or b.shape[1] != count:
        raise ValueError(f"{a.shape[1]} and {b.shape[1]} columns and {count} weights; expected "
                         "three equal numbers")
    total = np.zeros((n, m))
    columns = np.ascontiguousarray(np.asarray(b).T)
    cdef double[:, ::1] sums = total
    cdef const double[:, ::1] by_weight = columns
    with nogil:
        for k in range(count):
            for i in range(n):
                weighted = weights[k] * a[i, k]
                for j in range(m):
                    sums[i, j] += weighted * by_weight[k, j]
    return total
