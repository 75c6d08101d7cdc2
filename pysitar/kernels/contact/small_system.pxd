# The collision of up to four active rows whose laws have exponent 1 or are linear: the method of
# solver.pxd on arrays of fixed length, which the compiler keeps in registers. Most steps of a
# string on its bridge are of this kind; they take half the time of the general form.
from libc.math cimport INFINITY, fabs

from pysitar.kernels.contact.active_set cimport MAX_ITERATIONS
from pysitar.kernels.contact.law cimport single_unit_force
from pysitar.kernels.contact.law_record cimport Law
from pysitar.kernels.contact.problem cimport has_run_away, rounding_floor, should_stop
from pysitar.kernels.core.lanes cimport maximum

cdef extern from "small_systems.h" nogil:
    ctypedef struct SmallSystem "PysitarSmallSystem":
        double w[16]
        double mobility_root[4]
        double p0[4]
        double e[4]
        double u[4]
        double s[4]
        double f[4]
        double law_force[4]
        double slope[4]
        double half[4]
        double rate[4]
        double spring[4]
        double drag[4]
        double clamp[4]
        int rows
    void displace_rows "pysitar_displace_small"(SmallSystem* q)
    double evaluate_rows "pysitar_evaluate_small"(SmallSystem* q, double* stiffness_term,
                                                  double* force_term)
    void sweep_rows "pysitar_sweep_small"(SmallSystem* q)

cdef enum:
    SMALL_ROWS = 4
    MAX_TRIALS = 40
    WHOLE_STEPS = 6             # Newton steps before the line search guards them


cdef inline void clear_small_system(SmallSystem* q) noexcept nogil:
    cdef int i
    for i in range(16):
        q.w[i] = 0.0
    for i in range(4):
        q.p0[i] = -1.0
        q.e[i] = -1.0
        q.mobility_root[i] = q.u[i] = q.f[i] = q.s[i] = 0.0
        q.half[i] = q.rate[i] = q.spring[i] = q.drag[i] = q.clamp[i] = 0.0


cdef inline double evaluate_small_residual(SmallSystem* q, double* residual_floor) noexcept nogil:
    """Evaluate F and D at s; return max|f - F| (N; NaN if any is NaN).

    Parameters: residual_floor, is set to its rounding floor, N.
    """
    cdef double stiffness_term, force_term
    cdef double residual = evaluate_rows(q, &stiffness_term, &force_term)
    residual_floor[0] = rounding_floor(stiffness_term, force_term)
    return residual


cdef inline void find_newton_forces(const SmallSystem* q, double* z) noexcept nogil:
    """Compute the Newton forces z: (W + 1/D) z = F/D + s - u on rows with D > 0, else 0; eqs. (29),
    (30).

    The system is solved by L D L^T.
    """
    cdef double b[4]
    cdef double r[4]
    cdef double a[4]
    cdef double m10, m20, m30, c21, c31, c32, l10, l20, l30, l21, l31, l32, i0, i1, i2, i3
    cdef int i
    for i in range(4):
        a[i] = 1.0 if q.slope[i] > 0.0 else 0.0
        b[i] = 1.0 / (q.slope[i] if q.slope[i] > 0.0 else 1.0)
        r[i] = (q.law_force[i] * b[i] + (q.s[i] - q.u[i])) * a[i]
    z[2] = z[3] = 0.0
    m10 = q.w[4] * (a[0] * a[1])
    i0 = 1.0 / (q.w[0] * a[0] + b[0])
    l10 = m10 * i0
    # W is semidefinite, so apart from round-off a pivot is at least 1/D
    i1 = 1.0 / maximum(q.w[5] * a[1] + b[1] - l10 * m10, b[1])
    r[1] -= l10 * r[0]
    z[1] = r[1] * i1
    z[0] = r[0] * i0
    if q.rows > 2:
        m20 = q.w[8] * (a[0] * a[2])
        l20 = m20 * i0
        c21 = q.w[9] * (a[1] * a[2]) - l20 * m10
        l21 = c21 * i1
        i2 = 1.0 / maximum(q.w[10] * a[2] + b[2] - l20 * m20 - l21 * c21, b[2])
        r[2] -= l20 * r[0] + l21 * r[1]
        z[2] = r[2] * i2
        if q.rows > 3:
            m30 = q.w[12] * (a[0] * a[3])
            l30 = m30 * i0
            c31 = q.w[13] * (a[1] * a[3]) - l30 * m10
            l31 = c31 * i1
            c32 = q.w[14] * (a[2] * a[3]) - l30 * m20 - l31 * c21
            l32 = c32 * i2
            i3 = 1.0 / maximum(q.w[15] * a[3] + b[3] - l30 * m30 - l31 * c31 - l32 * c32, b[3])
            r[3] -= l30 * r[0] + l31 * r[1] + l32 * r[2]
            z[3] = r[3] * i3
            z[2] -= l32 * z[3]
            z[1] -= l21 * z[2] + l31 * z[3]
            z[0] -= l10 * z[1] + l20 * z[2] + l30 * z[3]
        else:
            z[1] -= l21 * z[2]
            z[0] -= l10 * z[1] + l20 * z[2]
    else:
        z[0] -= l10 * z[1]


cdef inline double search_small_line(SmallSystem* q, double* residual_floor) noexcept nogil:
    """Take a Newton step, shortened until the slope of the objective has halved.

    Return max|f - F|, N.
    """
    cdef double f_start[4]
    cdef double delta_f[4]
    cdef double delta_s[4]
    cdef double start_slope = 0.0
    cdef double length = 1.0
    cdef double trial_value, residual
    cdef int i
    find_newton_forces(q, delta_f)
    for i in range(4):
        f_start[i] = q.f[i]
        q.f[i] = delta_f[i]
        delta_f[i] -= f_start[i]
    for i in range(4):
        delta_s[i] = q.s[i]
    displace_rows(q)
    for i in range(4):
        delta_s[i] = q.s[i] - delta_s[i]
    for i in range(4):
        start_slope += delta_s[i] * (f_start[i] - q.law_force[i])
    residual = evaluate_small_residual(q, residual_floor)
    for _ in range(MAX_TRIALS):
        trial_value = 0.0
        for i in range(4):
            trial_value += delta_s[i] * (q.f[i] - q.law_force[i])
        # at the rounding floor the sign of the slope is noise
        if (residual <= residual_floor[0] or trial_value <= 0.5 * fabs(start_slope)
                or residual != residual or trial_value == start_slope):
            break
        trial_value = maximum(0.1 * length, length * start_slope / (start_slope - trial_value))
        for i in range(4):
            q.f[i] = f_start[i] + trial_value * delta_f[i]
            q.s[i] += (trial_value - length) * delta_s[i]
        length = trial_value
        residual = evaluate_small_residual(q, residual_floor)
    return residual


cdef inline double take_newton_step(SmallSystem* q, double* residual_floor) noexcept nogil:
    """Take a whole Newton step; return max|f - F|, N."""
    cdef double z[4]
    cdef int i
    find_newton_forces(q, z)
    for i in range(4):
        q.f[i] = z[i]
    displace_rows(q)
    return evaluate_small_residual(q, residual_floor)


cdef inline bint solve_small_system(SmallSystem* q, const Law* law, double tolerance,
                                    int* iterations) noexcept nogil:
    """Solve for f from the guess in f, `law` that of the first row; return True if the stopping
    rule was reached.

    If not, `solve_active_set` may: whole steps can run away where W is singular and damping large.
    """
    cdef double residual_floor = 0.0
    cdef double last_residual = INFINITY
    cdef double residual
    cdef int steps = 0
    if q.rows == 1:
        q.f[0] = single_unit_force(law, q.p0[0], q.e[0] - q.u[0], q.w[0])
    else:
        sweep_rows(q)
    displace_rows(q)
    residual = evaluate_small_residual(q, &residual_floor)
    while (iterations[0] < MAX_ITERATIONS and not should_stop(residual, residual_floor, tolerance,
                                                              last_residual)):
        last_residual = residual
        residual = (take_newton_step(q, &residual_floor) if steps < WHOLE_STEPS
                    else search_small_line(q, &residual_floor))
        steps += 1
        iterations[0] += 1
    return ((residual <= residual_floor or residual <= tolerance)
            and not has_run_away(q.s, q.u, q.p0, q.e, q.rows))
