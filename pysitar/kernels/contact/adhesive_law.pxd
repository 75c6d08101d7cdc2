# Adhesion: a power law that attracts before contact, F = K max(p, 0)^a - 4 A z (1 - z) with
# z = (p + d) / d from 0 to 1: the attraction begins at a gap d, is greatest, A (N), at d/2, and is
# 0 again at contact. Its energy is 4 A d (1/6 - z^2/2 + z^3/3), from 2 A d/3 apart to 0 in contact.
#
# Its force falls with p in the first half of the gap, by at most 4 A/d; the mean force over a step
# by at most half of that, 2 A/d, since the start of a step is fixed.
from pysitar.kernels.contact.law_record cimport Law
from pysitar.kernels.contact.power_law cimport elastic_force, power_potential, static_power_force

cdef enum:
    ADHESIVE = 6                # parameters: K, a, A (N), d (m)


cdef inline double gap_fraction(const Law* law, double p) noexcept nogil:
    """Return z, limited to 0 to 1."""
    cdef double z = (p + law.parameters[3]) / law.parameters[3]
    return 0.0 if z <= 0.0 else 1.0 if z >= 1.0 else z


cdef inline double adhesive_stored(const Law* law, double p) noexcept nogil:
    cdef double y = 1.0 - gap_fraction(law, p)
    # 1/6 - z^2/2 + z^3/3 = y^2 (1/2 - y/3)
    return (4.0 * law.parameters[2] * law.parameters[3] * (y * y * (0.5 - y / 3.0))
            + power_potential(law, p))


cdef inline double attraction_at(const Law* law, double p, double* slope) noexcept nogil:
    """Return 4 A z (1 - z), N, and its derivative by p, N/m."""
    cdef double z = gap_fraction(law, p)
    slope[0] = (4.0 * law.parameters[2] * (1.0 - 2.0 * z) / law.parameters[3]
                if 0.0 < z < 1.0 else 0.0)
    return 4.0 * law.parameters[2] * z * (1.0 - z)


cdef inline double adhesive_mean(const Law* law, double p0, double p1,
                                 double* slope) noexcept nogil:
    cdef double z0 = gap_fraction(law, p0)
    cdef double z1 = gap_fraction(law, p1)
    cdef double force = elastic_force(law, p0, p1, slope)
    cdef double scale = 4.0 * law.parameters[2]
    # of z (1 - z) over [z0, z1], without cancellation, and its derivative by z1
    cdef double mean = 0.5 * (z0 + z1) - (z0 * z0 + z0 * z1 + z1 * z1) / 3.0
    cdef double mean_slope = 0.5 - (z0 + 2.0 * z1) / 3.0
    cdef double inside = 1.0 if 0.0 < z1 < 1.0 else 0.0
    cdef double h, part
    if z0 == z1:                        # on one side of the gap, or p0 = p1 within it
        if inside == 0.0:
            return force
        part = 1.0
        h = 1.0
    else:
        h = (p1 - p0) / law.parameters[3]
        part = (z1 - z0) / h            # of the increment that lies within the gap
        if 0.0 < z0 < 1.0 and inside == 1.0:
            part = 1.0
    slope[0] -= scale / law.parameters[3] * (mean_slope * inside * part
                                             + mean * (inside - part) / h)
    return force - scale * mean * part


cdef inline double adhesive_at_rest(const Law* law, double p0, double p1,
                                    double* slope) noexcept nogil:
    cdef double attraction_slope
    cdef double attraction = attraction_at(law, p1, &attraction_slope)
    cdef double force = static_power_force(law, p1, slope)
    slope[0] -= attraction_slope
    return force - attraction


cdef inline bint set_adhesive_law(Law* law) noexcept nogil:
    law.stored, law.mean, law.mean_at_rest = adhesive_stored, adhesive_mean, adhesive_at_rest
    law.relax = NULL
    law.reaches_apart = True
    law.steepest_fall = 2.0 * law.parameters[2] / law.parameters[3]
    return True
