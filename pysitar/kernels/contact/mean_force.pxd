# The mean force of a power law over a step from a fixed start x,
#   (V(y) - V(x)) / (y - x),  V(x) = K/(a+1) max(x, 0)^(a+1),
# and its derivative by y, without cancellation.
#
# Terms of x alone are computed once. With an integer n and S_n = y^n + y^(n-1) x + ... + x^n the
# mean is K/(a+1) S_n for a = n, and K/(a+1) (S_(n+1) + sqrt(x y) S_n) / (sqrt(x) + sqrt(y)) for a =
# n + 1/2; for any other exponent, near x, it is a series about the midpoint. power_law.pxd has that
# of a row between any two compressions; this form is for a single mass, whose solver evaluates many
# y for one x.
from libc.math cimport fabs, sqrt

from pysitar.kernels.contact.law_record cimport SERIES_TERMS
from pysitar.kernels.contact.power_law cimport discrete_gradient, fill_mean_series
from pysitar.kernels.core.elementary_functions cimport pow

cdef enum:
    MAX_PRODUCTS = 8            # exponents up to this are evaluated by products

cdef struct MeanForce:
    int order                   # n; -1 if the exponent is neither n nor n + 1/2
    bint has_half               # the exponent is n + 1/2
    double stiffness            # N/m^a
    double exponent             # a
    double integral_factor      # 1/(a+1)
    double potential_factor     # K/(a+1), N/m^a
    double start                # x, m
    double start_force          # K x^a, N
    double start_energy         # V(x), J
    double start_root           # sqrt(x), for has_half
    double powers[MAX_PRODUCTS + 2]  # x^j
    double series[SERIES_TERMS]  # coefficients


cdef inline void set_mean_force(MeanForce* c, double stiffness, double exponent) noexcept nogil:
    c.stiffness = stiffness
    c.exponent = exponent
    c.integral_factor = 1.0 / (exponent + 1.0)
    c.potential_factor = stiffness / (exponent + 1.0)
    c.order = -1
    c.has_half = False
    if exponent <= MAX_PRODUCTS and 2.0 * exponent == <int>(2.0 * exponent):
        c.has_half = <int>(2.0 * exponent) & 1
        c.order = <int>exponent
    c.series[0] = 1.0
    fill_mean_series(&c.series[1], SERIES_TERMS - 1, exponent)
    set_start(c, 0.0)


cdef inline double force_at(const MeanForce* c, double y) noexcept nogil:
    """Return K y^a (N) for y > 0."""
    cdef double force = c.stiffness
    cdef int factor_count = c.order
    if factor_count < 0:
        return force * pow(y, c.exponent)
    while factor_count > 0:
        force *= y
        factor_count -= 1
    return force * sqrt(y) if c.has_half else force


cdef inline void update_start_powers(MeanForce* c) noexcept nogil:
    cdef int j
    if c.order >= 0:
        c.powers[0] = 1.0
        for j in range(c.order + c.has_half):
            c.powers[j + 1] = c.powers[j] * c.start
        if c.has_half:
            c.start_root = sqrt(c.start)


cdef inline void set_start(MeanForce* c, double x) noexcept nogil:
    c.start = x
    c.start_force = 0.0
    c.start_energy = 0.0
    if x > 0.0:
        c.start_force = force_at(c, x)
        c.start_energy = c.integral_factor * c.start_force * x
        update_start_powers(c)


cdef inline void advance_start(MeanForce* c, double y, double mean, double slope,
                               double step) noexcept nogil:
    """Set the start to y + step, for a step (m) whose square is negligible.

    K y^a follows from the mean (N) over [x, y] and its slope (N/m) at y, without a power.
    """
    cdef double force = mean + (y - c.start) * slope
    if y <= 0.0 or y + step <= 0.0:
        set_start(c, y + step)
        return
    c.start = y + step
    c.start_force = force * (1.0 + c.exponent * (step / y))
    c.start_energy = c.integral_factor * c.start_force * c.start
    update_start_powers(c)


cdef inline double mean_by_products(const MeanForce* c, double y, double* slope) noexcept nogil:
    cdef double total = 1.0                 # S_n
    cdef double derivative = 0.0
    cdef double numerator, numerator_slope, t, inverse
    cdef int j
    for j in range(c.order):
        derivative = derivative * y + total
        total = total * y + c.powers[j + 1]
    if not c.has_half:
        slope[0] = c.potential_factor * derivative
        return c.potential_factor * total
    t = sqrt(y)
    inverse = 1.0 / (t * (t + c.start_root))
    numerator_slope = t * (derivative * y + total) + c.start_root * (y * derivative + 0.5 * total)
    numerator = (total * y + c.powers[c.order + 1]) + t * c.start_root * total
    numerator *= t * inverse
    slope[0] = c.potential_factor * inverse * (numerator_slope - 0.5 * numerator)
    return c.potential_factor * numerator


cdef inline double mean_by_power(const MeanForce* c, double y, double* slope) noexcept nogil:
    cdef double middle = 0.5 * (c.start + y)
    cdef double inverse = 0.5 / middle
    cdef double z = (y - c.start) * inverse
    cdef double total, derivative, w, base
    cdef int j
    if fabs(z) >= 0.1:  # below, the 8th term of the series is 1e-16 of the first
        inverse = 1.0 / (y - c.start)
        base = c.stiffness * pow(y, c.exponent)
        total = c.integral_factor * (base * y - c.start_force * c.start) * inverse
        slope[0] = (base - total) * inverse
        return total
    w = z * z
    total = c.series[SERIES_TERMS - 1]
    derivative = 0.0
    for j in range(SERIES_TERMS - 2, -1, -1):
        derivative = derivative * w + total
        total = total * w + c.series[j]
    base = c.stiffness * pow(middle, c.exponent)
    slope[0] = base * inverse * (c.exponent * total + 2.0 * z * (1.0 - z) * derivative)
    return base * total


cdef inline double mean_force(const MeanForce* c, double y, double* slope) noexcept nogil:
    cdef double force
    cdef double increment = y - c.start
    if y > 0.0:
        if c.start > 0.0:
            return mean_by_products(c, y, slope) if c.order >= 0 else mean_by_power(c, y, slope)
        force = force_at(c, y)
        return discrete_gradient(c.integral_factor * force * y, increment, force, slope)
    if c.start <= 0.0:
        slope[0] = 0.0
        return 0.0
    return discrete_gradient(-c.start_energy, increment, 0.0, slope)
