# The collision of up to four active rows whose laws have exponent 1 or are linear: the method of
# solver.pxd on arrays of fixed length, which the compiler keeps in registers. Most steps of a
# string on its bridge are of this kind; they take half the time of the general form.
from libc.math cimport INFINITY, fabs

from pysitar.kernels.contact.law cimport closed_form_force, newton_force
from pysitar.kernels.contact.law_record cimport Law
from pysitar.kernels.contact.problem cimport has_run_away, rounding_floor, should_stop
from pysitar.kernels.core.lanes cimport maximum

cdef extern from "simd.h" nogil:
    void displace_four "pysitar_displace_four"(const double* w, const double* u, const double* f,
                                               double* s)
    void evaluate_four "pysitar_evaluate_four"(const double* half, const double* rate,
                                               const double* spring, const double* drag,
                                               const double* clamp, const double* before,
                                               const double* e, const double* s, double* force,
                                               double* slope)
cdef extern from "undamped_rows.h" nogil:
    void sweep_four "pysitar_sweep_four"(const double* w, const double* half, const double* spring,
                                         const double* drag, const double* p0, const double* e,
                                         const double* u, int rows, double* f)

cdef enum:
    SMALL_ROWS = 4
    MAX_TRIALS = 40
    WHOLE_STEPS = 6             # Newton steps before the line search guards them

cdef struct SmallSystem:
    double w[16]                # W, m/N
    double mobility_root[4]     # square roots of the diagonal of W, (m/N)^(1/2)
    double p0[4]                # m
    double e[4]                 # m
    double u[4]                 # m
    double f[4]                 # N
    double s[4]                 # m
    double law_force[4]         # F(s), N
    double slope[4]             # D, N/m
    double half_stiffness[4]  # K/2 of contact rows, N/m; this and the next four for `evaluate_four`
    double rate[4]              # damping rate of contact rows, 1/m
    double spring[4]            # K/2 of linear rows, N/m
    double drag[4]              # damping rate of linear rows, N/m
    double clamp[4]             # 1: contact that is not adhesive
    const Law* law[4]
    int rows                    # rows in use; the others have no force


cdef inline void clear_small_system(SmallSystem* q) noexcept nogil:
    cdef int i
    for i in range(16):
        q.w[i] = 0.0
    for i in range(4):
        q.p0[i] = -1.0
        q.e[i] = -1.0
        q.mobility_root[i] = q.u[i] = q.f[i] = q.s[i] = 0.0
        q.half_stiffness[i] = q.rate[i] = q.spring[i] = q.drag[i] = q.clamp[i] = 0.0


cdef inline void set_row_law(SmallSystem* q, int i, const Law* law,
                             double bilateral) noexcept nogil:
    """Set the law of row i; bilateral is 1 for a linear law, else 0."""
    cdef double contact = 1.0 - bilateral
    q.law[i] = law
    q.half_stiffness[i] = 0.5 * law.stiffness * contact
    q.rate[i] = law.rate * contact
    q.spring[i] = 0.5 * law.stiffness * bilateral
    q.drag[i] = law.rate * bilateral
    q.clamp[i] = 0.0 if law.adhesive else contact


cdef inline double evaluate_small_residual(SmallSystem* q, double* residual_floor) noexcept nogil:
    """Evaluate F and D at s; return max|f - F| (N; NaN if any is NaN) and its rounding floor (N).

    This is `evaluate_residual` of active_set.pxd for up to four rows.
    """
    cdef int i
    cdef double residual = 0.0
    cdef double stiffness_term = 0.0
    cdef double force_term = 0.0
    cdef double total = 0.0
    cdef double displacement_bound = 0.0
    cdef double value
    evaluate_four(q.half_stiffness, q.rate, q.spring, q.drag, q.clamp, q.p0, q.e, q.s, q.law_force,
                  q.slope)
    for i in range(4):
        displacement_bound += q.mobility_root[i] * fabs(q.f[i])
    for i in range(4):
        value = fabs(q.f[i] - q.law_force[i])
        total += value                          # a maximum loses a NaN, a sum keeps it
        residual = maximum(value, residual)
        stiffness_term = maximum(q.slope[i] * (fabs(q.p0[i]) + fabs(q.s[i])
                                               + q.mobility_root[i] * displacement_bound),
                                 stiffness_term)
        force_term = maximum(fabs(q.law_force[i]), force_term)
    residual_floor[0] = rounding_floor(stiffness_term, force_term)
    return residual if total == total else total


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
    displace_four(q.w, q.u, q.f, q.s)
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


cdef inline void solve_single_row(SmallSystem* q) noexcept nogil:
    """Solve the equation of the only row."""
    cdef bint has_closed_form
    cdef double e = q.e[0] - q.u[0]
    q.f[0] = closed_form_force(q.law[0], q.p0[0], e, q.w[0], &has_closed_form)
    if not has_closed_form:
        q.f[0] = newton_force(q.law[0], q.p0[0], e, q.w[0], True)


cdef inline double take_newton_step(SmallSystem* q, double* residual_floor) noexcept nogil:
    """Take a whole Newton step; return max|f - F|, N."""
    cdef double z[4]
    cdef int i
    find_newton_forces(q, z)
    for i in range(4):
        q.f[i] = z[i]
    displace_four(q.w, q.u, q.f, q.s)
    return evaluate_small_residual(q, residual_floor)


cdef inline bint solve_small_system(SmallSystem* q, double tolerance,
                                    int max_iterations, int* iterations) noexcept nogil:
    """Solve for f from the guess in f; return True if the stopping rule was reached.

    If not, `solve_active_set` may: whole steps can run away where W is singular and damping large.
    """
    cdef double residual_floor = 0.0
    cdef double last_residual = INFINITY
    cdef double residual
    cdef int steps = 0
    if q.rows == 1:
        solve_single_row(q)
    else:
        sweep_four(q.w, q.half_stiffness, q.spring, q.drag, q.p0, q.e, q.u, q.rows, q.f)
    displace_four(q.w, q.u, q.f, q.s)
    residual = evaluate_small_residual(q, &residual_floor)
    while (iterations[0] < max_iterations and not should_stop(residual, residual_floor, tolerance,
                                                              last_residual)):
        last_residual = residual
        residual = (take_newton_step(q, &residual_floor) if steps < WHOLE_STEPS
                    else search_small_line(q, &residual_floor))
        steps += 1
        iterations[0] += 1
    return ((residual <= residual_floor or residual <= tolerance)
            and not has_run_away(q.s, q.u, q.p0, q.e, q.rows))
