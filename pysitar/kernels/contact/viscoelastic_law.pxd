# Viscoelastic contact (Kuwabara & Kono 1987): F = K (p^a + A d(p^a)/dt), F >= 0; of a sphere on a
# plane, a = 3/2, the law of an elastic solid whose stress has a part in proportion to the rate of
# strain. A blow loses a part of its energy that grows with the speed to the power (a - 1)/(a + 1),
# 1/5 of a sphere, whereas Hunt & Crossley's part grows with the speed itself.
#
# The step: F = mean of K x^a + (K A/dt)(x1^a - x0^a), x = max(p, 0), which rises with p1. Its heat,
# (K A/dt)(x1^a - x0^a)(p1 - p0), is at least 0; where F would be negative it is 0, and what the
# spring releases is heat.
from pysitar.kernels.contact.law_record cimport Law
from pysitar.kernels.contact.power_law cimport (
    elastic_force, power_of, power_potential, static_power_force,
)

cdef enum:
    VISCOELASTIC = 8            # parameters: K, a; damping: A (s)


cdef inline double viscous_part(const Law* law, double p0, double p1) noexcept nogil:
    """Return (K A/dt)(x1^a - x0^a), N."""
    cdef double q0 = power_of(law, p0) if p0 > 0.0 else 0.0
    cdef double q1 = power_of(law, p1) if p1 > 0.0 else 0.0
    return law.rate * law.stiffness * (q1 - q0)


cdef inline double viscoelastic_mean(const Law* law, double p0, double p1,
                                     double* slope) noexcept nogil:
    cdef double force = elastic_force(law, p0, p1, slope) + viscous_part(law, p0, p1)
    if force <= 0.0:
        slope[0] = 0.0
        return 0.0
    if p1 > 0.0:
        slope[0] += law.rate * law.stiffness * law.exponent * power_of(law, p1) / p1
    return force


cdef inline double viscoelastic_heat(const Law* law, double p0, double p1) noexcept nogil:
    cdef double unused_slope
    cdef double elastic = elastic_force(law, p0, p1, &unused_slope)
    cdef double viscous = viscous_part(law, p0, p1)
    return (viscous if elastic + viscous > 0.0 else -elastic) * (p1 - p0)


cdef inline double viscoelastic_at_rest(const Law* law, double p0, double p1,
                                        double* slope) noexcept nogil:
    return static_power_force(law, p1, slope)


cdef inline bint set_viscoelastic_law(Law* law) noexcept nogil:
    law.stored, law.mean = power_potential, viscoelastic_mean
    law.mean_at_rest = viscoelastic_at_rest
    law.heat = viscoelastic_heat
    law.relax = NULL
    law.reaches_apart, law.steepest_fall = False, 0.0
    return True
