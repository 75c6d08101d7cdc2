# Felt with memory (Stulov 1995): F = K (p^a - e m), F >= 0, 0 <= e < 1, with the memory
#   m(t) = 1/tau int exp(-(t - s)/tau) max(p(s), 0)^a ds.
#
# The energy is not in the paper. With m' = (max(p, 0)^a - m) / tau,
#   V(p, m) = K [x^(a+1)/(a+1) - e m x + e a/(a+1) m^(1+1/a)],  x = max(p, r),  r = (e m)^(1/a)
# has dV/dp = F: r is the compression of the felt that exerts no force. V is at least
# K (1 - e) x^(a+1)/(a+1) by Young's inequality. Its slope by m, K e (m^(1/a) - x), is at most 0 up
# to m = p^a and at least 0 from there, so m relaxes to a lower V at any fixed p.
#
# A step has two parts, each with an exact balance:
#   motion      with m fixed, F = (V(p1, m) - V(p0, m)) / (p1 - p0), monotone in p1
#   relaxation  with p fixed, m goes to p^a + (m - p^a) exp(-dt/tau); the heat V before - V after
#               is at least 0 for any dt and tau
# Half a relaxation before and half after each motion are one between two motions (Strang's
# splitting): the scheme is of second order, and m is ahead of p by half a step.
from libc.math cimport INFINITY

from pysitar.kernels.contact.law_record cimport SERIES_TERMS, Law
from pysitar.kernels.contact.power_law cimport (
    discrete_gradient, fill_mean_series, mean_force_and_slope, power_of,
)
from pysitar.kernels.core.elementary_functions cimport expm1, pow

cdef enum:
    FELT = 5                    # parameters: K, a, e, tau (s); state: m, r


cdef inline double felt_load(const Law* law) noexcept nogil:
    """Return K e m (N), by which the memory lowers the force."""
    return law.stiffness * (law.parameters[2] * law.state[0])


cdef inline double felt_lift(const Law* law, double p) noexcept nogil:
    """Return V(p, m) - V(r, m), J, for p above r."""
    cdef double r = law.state[1]
    cdef double unused_slope
    if r <= 0.0:
        return law.stiffness / (law.exponent + 1.0) * power_of(law, p) * p
    return (mean_force_and_slope(law, r, p, &unused_slope) - felt_load(law)) * (p - r)


cdef inline double felt_stored(const Law* law, double p) noexcept nogil:
    """Return V(p, m), J."""
    cdef double r = law.state[1]
    # V(r, m) = K e m r (e^(-1/a) - 1) a/(a+1), with e^(-1/a) = m^(1/a) / r
    cdef double kept = (felt_load(law) * (pow(law.state[0], 1.0 / law.exponent) - r)
                        * (law.exponent / (law.exponent + 1.0))) if r > 0.0 else 0.0
    return kept + felt_lift(law, p) if p > r else kept


cdef inline double felt_mean(const Law* law, double p0, double p1, double* slope) noexcept nogil:
    cdef double r = law.state[1]
    if p0 <= r and p1 <= r:
        slope[0] = 0.0
        return 0.0
    if p0 > r and p1 > r:
        return mean_force_and_slope(law, p0, p1, slope) - felt_load(law)
    if p1 > r:
        return discrete_gradient(felt_lift(law, p1), p1 - p0,
                                 law.stiffness * power_of(law, p1) - felt_load(law), slope)
    return discrete_gradient(-felt_lift(law, p0), p1 - p0, 0.0, slope)


cdef inline double felt_at_rest(const Law* law, double p0, double p1,
                                double* slope) noexcept nogil:
    """Return K (1 - e) p1^a: at rest m = p^a."""
    cdef double force
    if p1 <= 0.0:
        slope[0] = 0.0
        return 0.0
    force = law.stiffness * (1.0 - law.parameters[2]) * power_of(law, p1)
    slope[0] = law.exponent * force / p1
    return force


cdef inline double relax_felt(Law* law, double p, double time) noexcept nogil:
    cdef double e = law.parameters[2]
    cdef double target = power_of(law, p) if p > 0.0 else 0.0
    cdef double energy
    if e <= 0.0 or (target == 0.0 and law.state[0] == 0.0):
        return 0.0
    energy = felt_stored(law, p)
    if time == INFINITY:
        law.state[0] = target
    else:
        law.state[0] -= (law.state[0] - target) * -expm1(-time / law.parameters[3])
    if target == 0.0 and law.state[0] < 1e-200:         # before it underflows
        law.state[0] = 0.0
    law.state[1] = pow(e * law.state[0], 1.0 / law.exponent) if law.state[0] > 0.0 else 0.0
    return energy - felt_stored(law, p)


cdef inline bint set_felt_law(Law* law) noexcept nogil:
    fill_mean_series(law.series, SERIES_TERMS, law.exponent)
    law.stored, law.mean, law.mean_at_rest = felt_stored, felt_mean, felt_at_rest
    law.relax = relax_felt
    law.reaches_apart, law.steepest_fall = False, 0.0
    return True
