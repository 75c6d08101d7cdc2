# Static displacement of a stiff string by a force at a point, between two simple supports.
#
# With kappa = sqrt(T / EI), S(z) = sinh(kappa z) / kappa, a = min(x, x'), c = L - max(x, x'):
#   G = (a c / L - S(a) S(c) / S(L)) / T,  the solution of T y'' - EI y'''' = -delta
# It is computed without overflow, and for kappa L < 1, where the difference would cancel, as
#   G = a c (L^2 h(L) - a^2 h(a) - c^2 h(c) - kappa^2 a^2 c^2 h(a) h(c) / 6) / (6 EI S(L)),
# with h(z) = 6 (S(z) - z) / (kappa^2 z^3), a series in (kappa z)^2. T = 0 is a bar.
from libc.math cimport sqrt

from pysitar.kernels.core.elementary_functions cimport exp, expm1

cdef enum:
    SINH_TERMS = 8              # of h for kappa z < 1: the next term is below 1e-17


cdef inline double sinh_series(double square) noexcept nogil:
    """Return h = 6 sum square^j / (2 j + 3)!, 1 for square = (kappa z)^2 = 0."""
    cdef double h = 0.0
    cdef int j
    for j in range(SINH_TERMS, 0, -1):
        h = (h + 1.0) * square / ((2 * j + 2) * (2 * j + 3))
    return h + 1.0


cdef inline double string_compliance(double length, double tension, double bending_stiffness,
                                     double x, double at) noexcept nogil:
    """Return the static displacement at x per force at a point `at`, m/N.

    Parameters: length (m); tension, at least 0 (N), and bending_stiffness, at least 0 (N m^2), not
    both 0; x and at, 0 to length (m).
    """
    cdef double a = x if x < at else at
    cdef double c = length - (at if x < at else x)
    cdef double kappa, square, total, h_a, h_c
    if a <= 0.0 or c <= 0.0:
        return 0.0
    if bending_stiffness == 0.0:
        return a * c / (length * tension)
    kappa = sqrt(tension / bending_stiffness)
    if kappa * length >= 1.0:
        return (a * c / length
                - (exp(-kappa * (length - c - a)) * expm1(-2.0 * kappa * a)
                   * expm1(-2.0 * kappa * c)
                   / (-2.0 * kappa * expm1(-2.0 * kappa * length)))) / tension
    square = kappa * kappa
    h_a, h_c = sinh_series(square * a * a), sinh_series(square * c * c)
    total = (length * length * sinh_series(square * length * length) - a * a * h_a - c * c * h_c
             - square * a * a * c * c * h_a * h_c / 6.0)
    return a * c * total / (6.0 * bending_stiffness * length
                            * (1.0 + square * length * length / 6.0
                               * sinh_series(square * length * length)))
