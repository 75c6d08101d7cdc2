# Dry friction with a bristle: F = clip(K z + D h, -b, b) over a step, D = K/2 + g.
#
# z (m) is the deflection of the bristle, K (N/m) its stiffness, g = damping / time step; h (m) is
# the sliding and deflection of the step, positive where the rubbing surface is ahead. The row's
# compression is z: p0 = z, p1 = z + h. After the step z moves by dz = (F - K z) / D, and the rest
# h - dz is plastic slip. The slip is 0 within the bound, and has the sign of F at it, so that
#   F h = K (z+^2 - z^2) / 2 + g dz^2 + F (h - dz)
# and the heat, the last two terms, is at least 0 for any bound b >= 0 (N), also one that changes
# from step to step. K z^2 / 2 is stored; as a function of p1 the law is monotone.
from libc.math cimport fabs

from pysitar.kernels.contact.law_record cimport Law

cdef enum:
    FRICTION = 7                # parameters: K (N/m), 1; state: b (N), slip speed (m/s)


cdef inline double clamp_force(double force, double bound) noexcept nogil:
    return bound if force > bound else -bound if force < -bound else force


cdef inline double friction_stored(const Law* law, double p) noexcept nogil:
    return 0.5 * law.stiffness * p * p


cdef inline double friction_mean(const Law* law, double p0, double p1,
                                 double* slope) noexcept nogil:
    cdef double stiffness = 0.5 * law.stiffness + law.rate
    cdef double force = law.stiffness * p0 + stiffness * (p1 - p0)
    slope[0] = 0.0 if fabs(force) > law.state[0] else stiffness
    return clamp_force(force, law.state[0])


cdef inline double friction_at_rest(const Law* law, double p0, double p1,
                                    double* slope) noexcept nogil:
    """Return 0: a string is settled without friction."""
    slope[0] = 0.0
    return 0.0


cdef inline double friction_step(const Law* law, double p0, double e, double w,
                                 double* p1) noexcept nogil:
    """Return the force of p1 + w F(p0, p1) = e, and p1."""
    cdef double stiffness = 0.5 * law.stiffness + law.rate
    cdef double force = clamp_force((law.stiffness * p0 + stiffness * (e - p0))
                                    / (1.0 + w * stiffness), law.state[0])
    p1[0] = e - w * force
    return force


cdef inline bint set_friction_law(Law* law) noexcept nogil:
    law.stored, law.mean, law.mean_at_rest = friction_stored, friction_mean, friction_at_rest
    law.relax = NULL            # modal/friction.pxd moves the bristle, once the step is known
    law.reaches_apart, law.steepest_fall = True, 0.0
    return True
