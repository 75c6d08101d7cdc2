# Correction of the contact stiffness: with K s a scheme gives a contact its exact duration. The
# factor s follows from the speed at the start of the contact.
#
# s = s_lin^c(alpha), s_lin = beta*/beta of exponent 1 at Omega = pi dt / duration (Chatziioannou &
# van Walstijn 2017, eqs. (15), (16); other exponents derived). H has no jump, because s changes
# only where phi is 0.
from libc.math cimport INFINITY, M_PI

from pysitar.kernels.core.elementary_functions cimport cos, pow, sin, tan

cdef enum:
    # least compression of a corrected contact: free increment over this
    PENETRATION_DIVISOR = 10000

cdef struct Correction:
    int time_points             # points of time in the law: 2 or 3
    double w                    # mobility of the row over the span of the law, m/N
    double time_step            # s
    double stiffness            # K, N/m^exponent
    double exponent             # alpha
    double duration             # of a contact at 1 m/s with stiffness K, s; 0: no correction
    double duration_power       # duration ~ speed^-duration_power
    double excess               # exponent c(alpha) of s_lin


cdef inline Correction make_correction(int time_points, double w, double time_step,
                                       double stiffness, double exponent, double duration,
                                       double excess) noexcept nogil:
    cdef Correction c
    c.time_points, c.w, c.time_step = time_points, w, time_step
    c.stiffness, c.exponent = stiffness, exponent
    c.duration, c.duration_power, c.excess = duration, (exponent - 1.0) / (exponent + 1.0), excess
    return c


cdef inline double correction_factor(const Correction* c, double speed) noexcept nogil:
    """Return s for an entry speed (m/s, above 0), limited to the shortest contact the scheme
    resolves."""
    cdef double omega = M_PI * c.time_step / c.duration * pow(speed, c.duration_power)
    cdef double reference_beta = omega * omega * (0.25 if c.time_points == 2 else 0.5)
    cdef double beta = INFINITY
    cdef double free_increment, limit
    if c.time_points == 2 and omega < M_PI:
        beta = tan(0.5 * omega) * tan(0.5 * omega)                              # eq. (15)
    elif c.time_points == 3 and omega < 0.5 * M_PI:
        beta = 2.0 * sin(0.5 * omega) * sin(0.5 * omega) / cos(omega)           # eq. (16)
    if not reference_beta > 1e-20:  # s differs from 1 by less than round-off
        return 1.0
    # limit: w phi(free_increment / PENETRATION_DIVISOR) = free_increment^2
    free_increment = speed * c.time_step
    limit = ((c.exponent + 1.0) / (c.w * c.stiffness) * pow(PENETRATION_DIVISOR, c.exponent + 1.0)
             / pow(free_increment, c.exponent - 1.0))
    beta = pow(beta / reference_beta, c.excess)
    if beta > limit:
        beta = limit
    return beta if beta > 1.0 else 1.0
