# The laws of a row, each once: every kernel evaluates them here.
#
# A row sees the compression p = offset - V . y (m, positive in contact). Over a step p goes from p0 to p1, and the law
# gives the force F (N) that pushes the row apart, a discrete gradient, and its slope D = dF/dp1 >= 0:
#   contact   Fc (1 + g (p1 - p0)), Fc = (phi(p1) - phi(p0)) / (p1 - p0), phi(p) = K/(a+1) max(p,0)^(a+1)
#             (van Walstijn & Bridges 2016, eq. (17); Hunt-Crossley damping r = g dt; unless adhesive clamped at 0)
#   linear    K (p0 + p1)/2 + g (p1 - p0), a bilateral spring K (N/m) with a damper R = g dt (kg/s); K = 0 is a damper
#   viscous   Fc + g (p1 - p0), unless adhesive clamped at 0: the damper of a scheme of three points, which sets g (N/m) at every step
# The static kinds have the same rest (p0 = p1) and serve to find an equilibrium.
from libc.math cimport fabs, sqrt

from pysitar.kernels.core.elementary_functions cimport pow

cdef enum Kind:
    CONTACT = 0
    LINEAR = 1
    STATIC_CONTACT = 2
    STATIC_LINEAR = 3
    VISCOUS = 4

cdef enum:
    MAX_TWICE_EXPONENT = 16     # exponents n/2 up to 8 by products and one square root
    SERIES_TERMS = 8            # of the mean's series
    MAX_BISECTIONS = 200
    NEWTON_STEPS = 4            # steps from a guess before a bound is looked for

cdef struct Law:
    Kind kind
    bint adhesive
    bint is_present             # a linear row without stiffness and damping exerts nothing
    int twice_exponent          # twice the exponent where that is a whole number up to MAX_TWICE_EXPONENT, else -1
    double stiffness            # N/m^exponent
    double exponent
    double rate                 # damping / time step: 1/m (contact), N/m (linear, viscous)
    double series[SERIES_TERMS]  # of the mean of x^exponent, by the square of the relative half width; of contacts of exponent over 1


cdef inline void set_law(Law* law, Kind kind, double stiffness, double exponent, double rate, bint adhesive) noexcept nogil:
    cdef double twice_exponent = 2.0 * exponent
    cdef double coefficient = 1.0
    cdef int j
    law.kind = kind
    law.adhesive = adhesive
    law.stiffness = stiffness
    law.exponent = exponent
    law.rate = rate
    law.twice_exponent = <int>twice_exponent if twice_exponent <= MAX_TWICE_EXPONENT and twice_exponent == <int>twice_exponent else -1
    law.is_present = stiffness > 0.0 or (kind == LINEAR and rate > 0.0)
    if law.twice_exponent == 2 or kind == LINEAR or kind == STATIC_LINEAR:
        return
    for j in range(1, SERIES_TERMS + 1):
        coefficient *= (exponent - 2 * j + 2) * (exponent - 2 * j + 1) / (2.0 * j * (2 * j + 1))
        law.series[j - 1] = coefficient


cdef inline double power_of(const Law* law, double p) noexcept nogil:
    """p^exponent for p > 0."""
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


cdef inline bint is_linear(const Law* law) noexcept nogil:
    return law.kind == LINEAR or law.kind == STATIC_LINEAR


cdef inline bint is_bilateral(const Law* law) noexcept nogil:
    """Whether the law may push where it is not compressed."""
    return is_linear(law) or (law.kind == VISCOUS and law.rate > 0.0)


cdef inline double potential(const Law* law, double p) noexcept nogil:
    """Stored energy, J."""
    if is_linear(law):
        return 0.5 * law.stiffness * p * p
    if p <= 0.0:
        return 0.0
    return law.stiffness / (law.exponent + 1.0) * power_of(law, p) * p


cdef inline double psi_slope_at(const Law* law, double p) noexcept nogil:
    """Derivative of sqrt(2 phi) by p, K p^a / sqrt(2 phi(p)), at p > 0: Ducceschi & Bilbao 2019, eq. (26)."""
    return sqrt(0.5 * (law.exponent + 1.0) * law.stiffness * (power_of(law, p) / p))


cdef inline double mean_force_and_slope(const Law* law, double a, double b, double* slope) noexcept nogil:
    """Mean of K x^exponent over [a, b] and its derivative by b, for a, b > 0, without cancellation."""
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
        mean = law.stiffness / (law.exponent + 1.0) * (fb * b - fa * a) / (b - a)
        slope[0] = (law.stiffness * fb - mean) / (b - a)
        return mean
    for j in range(1, SERIES_TERMS + 1):
        coefficient = law.series[j - 1]
        if coefficient == 0.0 or z2j < 1e-22:           # what follows is under the last bit
            break
        derivative += coefficient * 2.0 * j * z2j * z
        z2j *= z * z
        mean += coefficient * z2j
        derivative += coefficient * (law.exponent - 2 * j) * z2j
    base = law.stiffness * power_of(law, c)
    slope[0] = 0.5 * base / c * derivative
    return base * mean


cdef inline double unit_exponent_force(double half, double p0, double p1, double* slope) noexcept nogil:
    """Fc and dFc/dp1 for exponent 1 and half = K/2, eq. (17), without a branch that a processor could guess wrong."""
    cdef double a = p0 if p0 > 0.0 else 0.0
    cdef double b = p1 if p1 > 0.0 else 0.0
    cdef double h = p1 - p0
    cdef double r = (b - a) / (h if h != 0.0 else 1.0)
    r = 1.0 if (p0 > 0.0) & (p1 > 0.0) else r
    slope[0] = half * (r * (2.0 - r) if p1 > 0.0 else r * r)
    return half * (a + b) * r


cdef inline double elastic_force(const Law* law, double p0, double p1, double* slope) noexcept nogil:
    """Fc and dFc/dp1 of a contact row, eq. (17)."""
    cdef double h, force
    if p0 <= 0.0 and p1 <= 0.0:
        slope[0] = 0.0
        return 0.0
    if law.twice_exponent == 2:
        return unit_exponent_force(0.5 * law.stiffness, p0, p1, slope)
    h = p1 - p0
    if p0 > 0.0 and p1 > 0.0:
        return mean_force_and_slope(law, p0, p1, slope)
    if p1 > 0.0:
        force = potential(law, p1) / h
        slope[0] = (law.stiffness * power_of(law, p1) - force) / h
        return force
    force = -potential(law, p0) / h
    slope[0] = -force / h
    return force


cdef inline double force_and_slope(const Law* law, double p0, double p1, double* slope) noexcept nogil:
    cdef double force, h
    if law.kind == LINEAR:
        slope[0] = 0.5 * law.stiffness + law.rate
        return 0.5 * law.stiffness * (p0 + p1) + law.rate * (p1 - p0)
    if law.kind == STATIC_LINEAR:
        slope[0] = law.stiffness
        return law.stiffness * p1
    if law.kind == STATIC_CONTACT:
        if p1 <= 0.0:
            slope[0] = 0.0
            return 0.0
        force = law.stiffness * power_of(law, p1)
        slope[0] = law.exponent * force / p1
        return force
    force = elastic_force(law, p0, p1, slope)
    if law.rate > 0.0:
        h = p1 - p0
        if law.kind == VISCOUS:
            force += law.rate * h
            slope[0] += law.rate
        else:
            force *= 1.0 + law.rate * h
            if p1 > 0.0:
                slope[0] += law.rate * law.stiffness * power_of(law, p1)
        if force < 0.0 and not law.adhesive:
            slope[0] = 0.0
            return 0.0
    return force


cdef inline double dissipated_energy(const Law* law, double p0, double p1) noexcept nogil:
    """Energy that the row turns into heat as p goes from p0 to p1, J (>= 0)."""
    cdef double h = p1 - p0
    cdef double unused_slope, force
    if is_linear(law):
        return law.rate * h * h
    if law.rate == 0.0:
        return 0.0
    force = elastic_force(law, p0, p1, &unused_slope)
    if not law.adhesive and (force + law.rate * h if law.kind == VISCOUS else 1.0 + law.rate * h) < 0.0:
        return -force * h           # clamped: what the spring gives back is lost
    return law.rate * h * h if law.kind == VISCOUS else force * law.rate * h * h


cdef inline double closed_form_step(const Law* law, double p0, double e, double w, bint* has_closed_form, double* p1) noexcept nogil:
    """The force of one row alone, p1 + w F(p0, p1) = e, and p1, where they have a closed form (exponent 1, linear).

    A way h under 1e-300 comes of p0^2 that underflows: the force is none.
    """
    cdef double half, wh, x, h, g, force
    has_closed_form[0] = True
    p1[0] = e
    if law.kind == LINEAR:
        g = 0.5 * law.stiffness + law.rate
        x = (0.5 * law.stiffness - law.rate) * p0
        force = (g * e + x) / (1.0 + w * g)
        p1[0] -= w * force
        return force
    if law.kind == STATIC_LINEAR:
        p1[0] /= 1.0 + w * law.stiffness
        return law.stiffness * e / (1.0 + w * law.stiffness)
    if law.twice_exponent != 2 or law.kind == VISCOUS:
        has_closed_form[0] = False
        return 0.0
    if law.kind == STATIC_CONTACT:
        if e <= 0.0:
            return 0.0
        p1[0] /= 1.0 + w * law.stiffness
        return law.stiffness * e / (1.0 + w * law.stiffness)
    half = 0.5 * law.stiffness
    wh = w * half
    g = law.rate
    if p0 > 0.0:
        x = wh * p0 * (1.0 - g * p0) - e
        if x < 0.0:                                 # p1 > 0
            p1[0] = -x / (1.0 + wh) if g == 0.0 else -2.0 * x / (1.0 + wh + sqrt((1.0 + wh) * (1.0 + wh) - 4.0 * wh * g * x))
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
    x = e + p0
    g = 4.0 * (1.0 + wh) * e * -p0
    h = sqrt(x * x + g)
    p1[0] = (x + h) / (2.0 * (1.0 + wh)) if x >= 0.0 else g / (2.0 * (1.0 + wh) * (h - x))
    h = p1[0] - p0
    return half * p1[0] * p1[0] / (h if h > 1e-300 else 1.0)


cdef inline double closed_form_force(const Law* law, double p0, double e, double w, bint* has_closed_form) noexcept nogil:
    """The force of `closed_form_step` alone."""
    cdef double p1
    return closed_form_step(law, p0, e, w, has_closed_form, &p1)


cdef inline double newton_force(const Law* law, double p0, double e, double w) noexcept nogil:
    """The root of p1 + w F(p0, p1) = e by bracketed Newton, for a law without closed form."""
    cdef double slope
    cdef double p1 = e
    cdef double force = force_and_slope(law, p0, e, &slope)
    cdef double low = e - w * force if force > 0.0 else e
    cdef double high = e if force > 0.0 else e - w * force
    cdef double r = w * force
    cdef double last_residual = 0.0
    cdef int i
    for i in range(MAX_BISECTIONS):
        if fabs(r) <= 4e-16 * (fabs(e) + fabs(p1) + w * fabs(force)):
            break
        if r > 0.0:
            high = p1
        else:
            low = p1
        p1 -= r / (1.0 + w * slope)
        if not (low < p1 < high) or (i > 0 and fabs(r) > 0.5 * last_residual):
            p1 = 0.5 * (low + high)
        last_residual = fabs(r)
        force = force_and_slope(law, p0, p1, &slope)
        r = p1 + w * force - e
        if high - low <= 4e-16 * (fabs(low) + fabs(high)):
            break
    return force


cdef inline double elastic_force_from_energy(const Law* law, double p0, double start_energy, double p1, double* slope) noexcept nogil:
    """`elastic_force` for p1 > 0 where start_energy = phi(p0) is known: one power."""
    cdef double h = p1 - p0
    cdef double fb, force
    if p0 > 0.0 and fabs(h) < 0.12 * (p0 + p1):
        return mean_force_and_slope(law, p0, p1, slope)
    fb = law.stiffness * power_of(law, p1)
    force = (fb * p1 / (law.exponent + 1.0) - start_energy) / h
    slope[0] = (fb - force) / h
    return force


cdef inline double force_from_guess(const Law* law, double p0, double c, double w, double start_energy, double guess, double* p1,
                                    long long* evaluations) noexcept nogil:
    """The force of a contact without damping, h + w F(p0, p0 + h) = c, and p1 = p0 + h; -1 if it was not found.

    start_energy = phi(p0). Newton starts at a guess of p1, and stops where another step would change nothing, by F'' <= exponent F' / p
    near p. The last step is carried through to the force, so that it need not be evaluated again.
    """
    cdef double e = p0 + c
    cdef double low = 0.0
    cdef double high = e
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
    for trial in range(MAX_BISECTIONS):
        if trial == NEWTON_STEPS:                   # w (phi(p1) - phi(p0)) = (e - p1) (p1 - p0) <= c^2 / 4
            r = pow((law.exponent + 1.0) / law.stiffness * (start_energy + 0.25 * c * c / w), 1.0 / (law.exponent + 1.0))
            if 0.0 < r < p:
                p = high = r
        force = elastic_force_from_energy(law, p0, start_energy, p, &slope)
        evaluations[0] += 1
        gain = w * slope
        r = p - e + w * force
        h = -r / (1.0 + gain)
        next_p = p + h
        if next_p > 0.0:
            relative_step = h / (next_p if next_p > p0 else p0)
            if fabs(relative_step) < 0.01 and law.exponent * gain * relative_step * relative_step <= 1e-16 * (1.0 + gain):
                p1[0] = next_p
                return force + slope * h
        if r > 0.0:
            high = p
        else:
            low = p
        p = next_p if low < next_p < high else 0.5 * (low + high)
        if high - low <= 4e-16 * high:
            p1[0] = p
            return elastic_force_from_energy(law, p0, start_energy, p, &slope)
    return -1.0
