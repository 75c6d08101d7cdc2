# The linear law: K (p0 + p1)/2 + g (p1 - p0), a bilateral spring K (N/m) with a damper R = g dt
# (kg/s); K = 0 is a damper alone. Its static form is K p1.
from pysitar.kernels.contact.law_record cimport Law


cdef inline double linear_potential(const Law* law, double p) noexcept nogil:
    """Return the stored energy, J."""
    return 0.5 * law.stiffness * p * p


cdef inline double linear_force(const Law* law, double p0, double p1,
                                double* slope) noexcept nogil:
    slope[0] = 0.5 * law.stiffness + law.rate
    return 0.5 * law.stiffness * (p0 + p1) + law.rate * (p1 - p0)


cdef inline double static_linear_force(const Law* law, double p1, double* slope) noexcept nogil:
    slope[0] = law.stiffness
    return law.stiffness * p1


cdef inline double linear_heat(const Law* law, double h) noexcept nogil:
    """Return the energy (J) that the damper dissipates over an increment h (m)."""
    return law.rate * h * h


cdef inline double linear_step(const Law* law, double p0, double e, double w,
                               double* p1) noexcept nogil:
    """Return the force of p1 + w F(p0, p1) = e, and p1."""
    cdef double g = 0.5 * law.stiffness + law.rate
    cdef double x = (0.5 * law.stiffness - law.rate) * p0
    cdef double force = (g * e + x) / (1.0 + w * g)
    p1[0] = e - w * force
    return force


cdef inline double static_linear_step(const Law* law, double e, double w,
                                      double* p1) noexcept nogil:
    """Return the force of p1 + w K p1 = e, and p1."""
    p1[0] = e / (1.0 + w * law.stiffness)
    return law.stiffness * e / (1.0 + w * law.stiffness)
