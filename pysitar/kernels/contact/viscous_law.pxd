# The viscous law: Fc + g (p1 - p0), with Fc of the power law; F >= 0 unless adhesive. It is the
# damper of the three-point schemes, which set g (N/m) at every step.
from pysitar.kernels.contact.law_record cimport Law
from pysitar.kernels.contact.power_law cimport elastic_force


cdef inline double viscous_force(const Law* law, double p0, double p1,
                                 double* slope) noexcept nogil:
    cdef double force = elastic_force(law, p0, p1, slope)
    if law.rate > 0.0:
        force += law.rate * (p1 - p0)
        slope[0] += law.rate
        if force < 0.0 and not law.adhesive:
            slope[0] = 0.0
            return 0.0
    return force


cdef inline double viscous_heat(const Law* law, double p0, double p1) noexcept nogil:
    """Return the energy (J) that the damper dissipates as p goes from p0 to p1."""
    cdef double h = p1 - p0
    cdef double unused_slope
    cdef double force = elastic_force(law, p0, p1, &unused_slope)
    if not law.adhesive and force + law.rate * h < 0.0:
        return -force * h           # clamped at 0: the energy released by the spring is dissipated
    return law.rate * h * h
