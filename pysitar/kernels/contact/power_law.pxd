# The power law: phi(p) = K/(a+1) max(p, 0)^(a+1), with Hunt-Crossley damping (van Walstijn &
# Bridges 2016, eq. (17)): F = Fc (1 + g (p1 - p0)), Fc = (phi(p1) - phi(p0)) / (p1 - p0),
# g = damping / dt; F >= 0 unless adhesive. Its static form is K p1^a.
from libc.math cimport fabs, sqrt

from pysitar.kernels.contact.law_record cimport SERIES_TERMS, Law
from pysitar.kernels.core.elementary_functions cimport pow
from pysitar.kernels.core.newton cimport Bracket, next_guess, open_bracket

cdef enum:
    MAX_TWICE_EXPONENT = 16     # exponents n/2 up to 8 are evaluated by products and a square root
    MAX_BISECTIONS = 200
    NEWTON_STEPS = 4            # steps from a guess before the root is bracketed


cdef inline void fill_mean_series(double* series, int terms, double exponent) noexcept nogil:
    """Compute the coefficients of the mean of x^exponent, after the leading 1, by the squared
    relative half width."""
    cdef double coefficient = 1.0
    cdef int j
    for j in range(1, terms + 1):
        coefficient *= (exponent - 2 * j + 2) * (exponent - 2 * j + 1) / (2.0 * j * (2 * j + 1))
        series[j - 1] = coefficient


cdef inline double discrete_gradient(double energy_change, double increment, double end_force,
                                     double* slope) noexcept nogil:
    """Return the mean force (phi(p1) - phi(p0)) / (p1 - p0), N, and its derivative by p1, N/m.

    The quotient of every kernel; near p0 = p1, where it would cancel, each has a form of its own.
    Parameters: energy_change, J; increment p1 - p0, m; end_force, dphi/dp at p1, N.
    """
    cdef double mean = energy_change / increment
    slope[0] = (end_force - mean) / increment
    return mean


cdef inline double power_of(const Law* law, double p) noexcept nogil:
    """Return p^exponent for p > 0."""
    cdef int n = law.twice_exponent >> 1
    cdef double x = p
    cdef double value
    if law.twice_exponent == 2:
        return p
    if law.twice_exponent < 0:
        return pow(p, law.exponent)
    value = sqrt(p) if law.twice_exponent & 1 else 1.0
    while n:
        if n & 1:
            value *= x
        x *= x
        n >>= 1
    return value


cdef inline void set_power_law(Law* law) noexcept nogil:
    cdef double twice_exponent = 2.0 * law.exponent
    law.twice_exponent = (<int>twice_exponent
                          if twice_exponent <= MAX_TWICE_EXPONENT
                          and twice_exponent == <int>twice_exponent else -1)
    if law.twice_exponent != 2:
        fill_mean_series(law.series, SERIES_TERMS, law.exponent)


cdef inline double power_potential(const Law* law, double p) noexcept nogil:
    """Return the stored energy phi(p), J."""
    if p <= 0.0:
        return 0.0
    if law.twice_exponent == 2:                 # the same bits, without a division
        return 0.5 * law.stiffness * p * p
    return law.stiffness / (law.exponent + 1.0) * power_of(law, p) * p


cdef inline double psi_slope_at(const Law* law, double p) noexcept nogil:
    """Return d sqrt(2 phi)/dp = K p^a / sqrt(2 phi(p)) for p > 0: Ducceschi & Bilbao 2019, eq.

    (26).
    """
    return sqrt(0.5 * (law.exponent + 1.0) * law.stiffness * (power_of(law, p) / p))


cdef inline double mean_force_and_slope(const Law* law, double a, double b,
                                        double* slope) noexcept nogil:
    """Return the mean of K x^exponent over [a, b] (N) and its derivative by b (N/m), for a, b > 0.

    The formula is free of cancellation.
    """
    cdef double c = 0.5 * (a + b)
    cdef double e = 0.5 * (b - a)
    cdef double z = e / c
    cdef double coefficient
    cdef double z2j = 1.0           # z^(2j)
    cdef double mean = 1.0
    cdef double derivative = law.exponent
    cdef double fa, fb, base
    cdef int j
    if fabs(z) >= 0.12:
        fa = power_of(law, a)
        fb = power_of(law, b)
        return discrete_gradient(law.stiffness / (law.exponent + 1.0) * (fb * b - fa * a), b - a,
                                 law.stiffness * fb, slope)
    for j in range(1, SERIES_TERMS + 1):
        coefficient = law.series[j - 1]
        if coefficient == 0.0 or z2j < 1e-22:           # further terms are below the last bit
            break
        derivative += coefficient * 2.0 * j * z2j * z
        z2j *= z * z
        mean += coefficient * z2j
        derivative += coefficient * (law.exponent - 2 * j) * z2j
    base = law.stiffness * power_of(law, c)
    slope[0] = 0.5 * base / c * derivative
    return base * mean


cdef inline double unit_exponent_force(double half, double p0, double p1,
                                       double* slope) noexcept nogil:
    """Return Fc and dFc/dp1 for exponent 1 and half = K/2, eq. (17).

    Branch-free, as p's sign is unpredictable.
    """
    cdef double a = p0 if p0 > 0.0 else 0.0
    cdef double b = p1 if p1 > 0.0 else 0.0
    cdef double h = p1 - p0
    cdef double r = (b - a) / (h if h != 0.0 else 1.0)
    r = 1.0 if (p0 > 0.0) & (p1 > 0.0) else r
    slope[0] = half * (r * (2.0 - r) if p1 > 0.0 else r * r)
    return half * (a + b) * r


cdef inline double elastic_force(const Law* law, double p0, double p1,
                                 double* slope) noexcept nogil:
    """Return Fc (N) and dFc/dp1 (N/m) of a contact row, eq. (17)."""
    if p0 <= 0.0 and p1 <= 0.0:
        slope[0] = 0.0
        return 0.0
    if law.twice_exponent == 2:
        return unit_exponent_force(0.5 * law.stiffness, p0, p1, slope)
    if p0 > 0.0 and p1 > 0.0:
        return mean_force_and_slope(law, p0, p1, slope)
    if p1 > 0.0:
        return discrete_gradient(power_potential(law, p1), p1 - p0,
                                 law.stiffness * power_of(law, p1), slope)
    return discrete_gradient(-power_potential(law, p0), p1 - p0, 0.0, slope)


cdef inline double elastic_force_from_energy(const Law* law, double p0, double start_energy,
                                             double p1, double* slope) noexcept nogil:
    """Return `elastic_force` for p1 > 0 and known start_energy = phi(p0), with a single power."""
    cdef double h = p1 - p0
    cdef double fb
    if p0 > 0.0 and fabs(h) < 0.12 * (p0 + p1):
        return mean_force_and_slope(law, p0, p1, slope)
    fb = law.stiffness * power_of(law, p1)
    return discrete_gradient(fb * p1 / (law.exponent + 1.0) - start_energy, h, fb, slope)


cdef inline double force_from_guess(const Law* law, double p0, double c, double w,
                                    double start_energy, double guess, double* p1,
                                    long long* evaluations) noexcept nogil:
    """Return the force of an undamped contact, h + w F(p0, p0 + h) = c, and p1 = p0 + h; -1 on
    failure.

    start_energy = phi(p0). Newton's method starts at a guess of p1 and stops when, by
    F'' <= exponent F' / p near p, another step would change nothing. The last step also updates the
    force to first order, which saves an evaluation.
    """
    cdef double e = p0 + c
    cdef Bracket bracket
    cdef double force, slope, gain, r, h, p, next_p, relative_step
    cdef int trial
    p1[0] = e
    if p0 > 0.0 and start_energy < 1e-300:          # phi underflows
        p0 = start_energy = 0.0
    if p0 <= 0.0 and e <= 0.0:
        return 0.0
    if p0 > 0.0 and (e <= 0.0 or w * start_energy > e * p0):    # p1 < 0: F = -phi(p0) / h
        r = 4.0 * w * start_energy
        h = sqrt(c * c + r)
        h = -0.5 * r / (c + h) if c > 0.0 else 0.5 * (c - h)
        p1[0] = p0 + h
        return -start_energy / h
    p = guess if 0.0 < guess < e else e
    open_bracket(&bracket, 0.0, e)
    for trial in range(MAX_BISECTIONS):
        if trial == NEWTON_STEPS:  # w (phi(p1) - phi(p0)) = (e - p1) (p1 - p0) <= c^2 / 4
            r = pow((law.exponent + 1.0) / law.stiffness * (start_energy + 0.25 * c * c / w),
                    1.0 / (law.exponent + 1.0))
            if 0.0 < r < p:
                p = bracket.high = r
        force = elastic_force_from_energy(law, p0, start_energy, p, &slope)
        evaluations[0] += 1
        gain = w * slope
        r = p - e + w * force
        h = -r / (1.0 + gain)
        next_p = p + h
        if next_p > 0.0:
            relative_step = h / (next_p if next_p > p0 else p0)
            if (fabs(relative_step) < 0.01 and law.exponent * gain * relative_step * relative_step
                    <= 1e-16 * (1.0 + gain)):
                p1[0] = next_p
                return force + slope * h
        p = next_guess(&bracket, p, r, h, False)
        if bracket.high - bracket.low <= 4e-16 * bracket.high:
            p1[0] = p
            return elastic_force_from_energy(law, p0, start_energy, p, &slope)
    return -1.0


cdef inline double static_power_force(const Law* law, double p1, double* slope) noexcept nogil:
    cdef double force
    if p1 <= 0.0:
        slope[0] = 0.0
        return 0.0
    force = law.stiffness * power_of(law, p1)
    slope[0] = law.exponent * force / p1
    return force


cdef inline double damped_force(const Law* law, double p0, double p1,
                                double* slope) noexcept nogil:
    """Return F and dF/dp1 of a contact with Hunt-Crossley damping."""
    cdef double force = elastic_force(law, p0, p1, slope)
    if law.rate > 0.0:
        force *= 1.0 + law.rate * (p1 - p0)
        if p1 > 0.0:
            slope[0] += law.rate * law.stiffness * power_of(law, p1)
        if force < 0.0 and not law.adhesive:
            slope[0] = 0.0
            return 0.0
    return force


cdef inline double damped_unit_force(const Law* law, double p0, double p1,
                                     double* slope) noexcept nogil:
    """Return `damped_force` of a law of exponent 1, with the same bits."""
    cdef double force = unit_exponent_force(0.5 * law.stiffness, p0, p1, slope)
    if law.rate > 0.0:
        force *= 1.0 + law.rate * (p1 - p0)
        if p1 > 0.0:
            slope[0] += law.rate * law.stiffness * p1
        if force < 0.0 and not law.adhesive:
            slope[0] = 0.0
            return 0.0
    return force


cdef inline double damped_heat(const Law* law, double p0, double p1) noexcept nogil:
    """Return the energy (J) that a damped contact dissipates as p goes from p0 to p1."""
    cdef double h = p1 - p0
    cdef double unused_slope
    cdef double force = elastic_force(law, p0, p1, &unused_slope)
    if not law.adhesive and 1.0 + law.rate * h < 0.0:
        return -force * h           # clamped at 0: the energy released by the spring is dissipated
    return force * law.rate * h * h


cdef inline double entering_force(const Law* law, double p0, double e, double w,
                                  double* p1) noexcept nogil:
    """Return the force of p1 + w F(p0, p1) = e for exponent 1 without damping, p0 <= 0 and e > 0,
    and p1."""
    cdef double half = 0.5 * law.stiffness
    cdef double wh = w * half
    cdef double x = e + p0
    cdef double g = 4.0 * (1.0 + wh) * e * -p0
    cdef double h = sqrt(x * x + g)
    p1[0] = (x + h) / (2.0 * (1.0 + wh)) if x >= 0.0 else g / (2.0 * (1.0 + wh) * (h - x))
    h = p1[0] - p0
    return half * p1[0] * p1[0] / (h if h > 1e-300 else 1.0)


cdef inline double unit_exponent_step(const Law* law, double p0, double e, double w,
                                      bint* has_closed_form, double* p1) noexcept nogil:
    """Return the force of p1 + w F(p0, p1) = e for exponent 1, and p1 = e on entry.

    A damped contact that begins in this step has no closed form. An increment h below 1e-300 means
    that p0^2 underflows; the force is then 0.
    """
    cdef double half, wh, x, h, g, force
    half = 0.5 * law.stiffness
    wh = w * half
    g = law.rate
    if p0 > 0.0:
        x = wh * p0 * (1.0 - g * p0) - e
        if x < 0.0:                                 # p1 > 0
            p1[0] = (-x / (1.0 + wh) if g == 0.0
                     else -2.0 * x / (1.0 + wh + sqrt((1.0 + wh) * (1.0 + wh) - 4.0 * wh * g * x)))
            force = half * (p0 + p1[0]) * (1.0 + g * (p1[0] - p0))
        else:
            x = p0 - e - wh * g * p0 * p0
            h = sqrt(x * x + 4.0 * wh * p0 * p0)
            h = 0.5 * (x + h) if x >= 0.0 else 2.0 * wh * p0 * p0 / (h - x)
            p1[0] = p0 - h
            force = half * p0 * p0 * ((1.0 / h if h > 1e-300 else 0.0) - g)
        if law.adhesive or force > 0.0:
            return force
        p1[0] = e
        return 0.0
    if e <= 0.0:
        return 0.0
    if g != 0.0:
        has_closed_form[0] = False
        return 0.0
    return entering_force(law, p0, e, w, p1)
