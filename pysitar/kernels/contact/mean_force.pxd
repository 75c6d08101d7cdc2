# The mean of a power law over a step from a fixed start, (V(y) - V(x)) / (y - x) with V(x) = K/(a+1) max(x, 0)^(a+1), and its slope by y.
#
# What depends on the start alone is computed once. Nothing cancels: with n whole and S_n = y^n + y^(n-1) x + ... + x^n the mean is
# K/(a+1) S_n for a = n, and K/(a+1) (S_(n+1) + sqrt(x y) S_n) / (sqrt(x) + sqrt(y)) for a = n + 1/2; any other exponent is, near the
# start, a series about the middle. (law.pxd has the law of a row between any two places; this is the one of a single mass, whose
# solver asks for many ends of one start.)
from libc.math cimport fabs, sqrt

from pysitar.kernels.core.elementary_functions cimport pow

cdef enum:
    WHOLE = 8                   # exponents up to here by products
    SERIES = 8

cdef struct Chord:
    int order                   # n, or -1
    bint halves
    double stiffness            # N/m^a
    double exponent
    double share                # 1/(a+1)
    double over                 # K/(a+1)
    double start                # x, m
    double force                # K x^a, N
    double stored               # V(x), J
    double root                 # sqrt(x) for halves
    double powers[WHOLE + 2]    # x^j
    double series[SERIES]


cdef inline void shape_chord(Chord* c, double stiffness, double exponent) noexcept nogil:
    cdef int j
    c.stiffness = stiffness
    c.exponent = exponent
    c.share = 1.0 / (exponent + 1.0)
    c.over = stiffness / (exponent + 1.0)
    c.order = -1
    c.halves = False
    if exponent <= WHOLE and 2.0 * exponent == <int>(2.0 * exponent):
        c.halves = <int>(2.0 * exponent) & 1
        c.order = <int>exponent
    c.series[0] = 1.0
    for j in range(1, SERIES):
        c.series[j] = c.series[j - 1] * ((exponent - 2 * j + 2) * (exponent - 2 * j + 1) / (2.0 * j * (2 * j + 1)))
    start_chord(c, 0.0)


cdef inline double force_there(const Chord* c, double y) noexcept nogil:
    """K y^a for y > 0."""
    cdef double force = c.stiffness
    cdef int left = c.order
    if left < 0:
        return force * pow(y, c.exponent)
    while left > 0:
        force *= y
        left -= 1
    return force * sqrt(y) if c.halves else force


cdef inline void raise_start(Chord* c) noexcept nogil:
    cdef int j
    if c.order >= 0:
        c.powers[0] = 1.0
        for j in range(c.order + c.halves):
            c.powers[j + 1] = c.powers[j] * c.start
        if c.halves:
            c.root = sqrt(c.start)


cdef inline void start_chord(Chord* c, double x) noexcept nogil:
    c.start = x
    c.force = 0.0
    c.stored = 0.0
    if x > 0.0:
        c.force = force_there(c, x)
        c.stored = c.share * c.force * x
        raise_start(c)


cdef inline void move_chord(Chord* c, double y, double mean, double slope, double step) noexcept nogil:
    """`start_chord` at y + step, for a step whose square is nothing, from the mean and its slope at y: K y^a is their sum over the way."""
    cdef double force = mean + (y - c.start) * slope
    if y <= 0.0 or y + step <= 0.0:
        start_chord(c, y + step)
        return
    c.start = y + step
    c.force = force * (1.0 + c.exponent * (step / y))
    c.stored = c.share * c.force * c.start
    raise_start(c)


cdef inline double mean_by_products(const Chord* c, double y, double* slope) noexcept nogil:
    cdef double total = 1.0                 # S_n
    cdef double derivative = 0.0
    cdef double more, steeper, t, inverse
    cdef int j
    for j in range(c.order):
        derivative = derivative * y + total
        total = total * y + c.powers[j + 1]
    if not c.halves:
        slope[0] = c.over * derivative
        return c.over * total
    t = sqrt(y)
    inverse = 1.0 / (t * (t + c.root))
    steeper = t * (derivative * y + total) + c.root * (y * derivative + 0.5 * total)
    more = (total * y + c.powers[c.order + 1]) + t * c.root * total
    more *= t * inverse
    slope[0] = c.over * inverse * (steeper - 0.5 * more)
    return c.over * more


cdef inline double mean_by_power(const Chord* c, double y, double* slope) noexcept nogil:
    cdef double middle = 0.5 * (c.start + y)
    cdef double inverse = 0.5 / middle
    cdef double z = (y - c.start) * inverse
    cdef double total, derivative, w, base
    cdef int j
    if fabs(z) >= 0.1:                      # nearer, the 8th term of the series is 1e-16 of the first
        inverse = 1.0 / (y - c.start)
        base = c.stiffness * pow(y, c.exponent)
        total = c.share * (base * y - c.force * c.start) * inverse
        slope[0] = (base - total) * inverse
        return total
    w = z * z
    total = c.series[SERIES - 1]
    derivative = 0.0
    for j in range(SERIES - 2, -1, -1):
        derivative = derivative * w + total
        total = total * w + c.series[j]
    base = c.stiffness * pow(middle, c.exponent)
    slope[0] = base * inverse * (c.exponent * total + 2.0 * z * (1.0 - z) * derivative)
    return base * total


cdef inline double mean_force(const Chord* c, double y, double* slope) noexcept nogil:
    cdef double mean, force
    cdef double way = y - c.start
    if y > 0.0:
        if c.start > 0.0:
            return mean_by_products(c, y, slope) if c.order >= 0 else mean_by_power(c, y, slope)
        force = force_there(c, y)
        mean = c.share * force * y / way
        slope[0] = (force - mean) / way
        return mean
    if c.start <= 0.0:
        slope[0] = 0.0
        return 0.0
    mean = -c.stored / way
    slope[0] = -mean / way
    return mean
