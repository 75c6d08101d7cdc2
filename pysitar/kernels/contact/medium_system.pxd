# The collision of up to sixteen active rows whose laws have exponent 1 or are linear, with rows in
# the lanes of vectors: the method of solver.pxd on arrays of fixed length. The sweeps only find
# where Newton's method starts, so they neglect damping, and the first Newton step is taken from the
# compressions of the solved rows. Newton's steps are whole at first: a line search shortens many
# that need no shortening, and takes more iterations. It guards what does not converge without it.
from libc.math cimport INFINITY, fabs

from pysitar.kernels.contact.active_set cimport MAX_ITERATIONS
from pysitar.kernels.contact.law cimport load_unit_law, single_unit_force
from pysitar.kernels.contact.problem cimport (
    Problem, force_limit, has_run_away, rounding_floor, should_stop,
)
from pysitar.kernels.contact.small_system cimport MAX_TRIALS, WHOLE_STEPS
from pysitar.kernels.core.lanes cimport maximum

cdef extern from "row_systems.h" nogil:
    enum:
        MEDIUM_ROWS "PYSITAR_MEDIUM_ROWS"
    ctypedef struct MediumSystem "PysitarMediumSystem":
        double w[16][16]
        double mobility_root[16]
        double p0[16]
        double e[16]
        double u[16]
        double s[16]
        double f[16]
        double law_force[16]
        double half[16]
        double rate[16]
        double spring[16]
        double drag[16]
        double clamp[16]
        double own[16]
        double delta_f[16]
        double f_start[16]
        double delta_s[16]
        int rows
        int width
    void clear_lanes "pysitar_clear_medium_lanes"(MediumSystem* q, int first)
    void gather_mobility "pysitar_gather_mobility"(MediumSystem* q, const double* mobility,
                                                   Py_ssize_t stride, const int* rows)
    void prepare_sweeps "pysitar_prepare_sweeps"(MediumSystem* q)
    void sweep_rows "pysitar_sweep_medium_rows"(MediumSystem* q)
    void start_newton "pysitar_start_medium"(MediumSystem* q)
    void step_rows "pysitar_step_medium"(MediumSystem* q)
    void displace_rows "pysitar_displace_medium_rows"(MediumSystem* q)
    double evaluate_rows "pysitar_evaluate_medium"(MediumSystem* q, double* stiffness_term,
                                                   double* force_term)
    void find_newton_change "pysitar_find_medium_change"(MediumSystem* q)
    void set_forces "pysitar_set_medium_forces"(MediumSystem* q, double length)
    double objective_slope "pysitar_medium_slope"(MediumSystem* q, const double* f)

cdef enum:
    MEDIUM_SWEEPS = 2


cdef inline void load_medium_system(const Problem* g, MediumSystem* q) noexcept nogil:
    """Copy the problem of the active rows to a MediumSystem."""
    cdef Py_ssize_t i, k
    q.rows = <int>g.active_count
    q.width = (q.rows + 3) & ~3
    gather_mobility(q, g.solved_mobility, g.stride, g.active_rows)
    for i in range(g.active_count):
        k = g.active_rows[i]
        load_unit_law(&g.laws[k], &q.half[i], &q.rate[i], &q.spring[i], &q.drag[i], &q.clamp[i])
        q.mobility_root[i] = g.mobility_root[k]
        q.p0[i] = g.p_before[k]
        q.e[i] = g.p_free[k]
        q.u[i] = g.solved_drift[k]
        q.f[i] = g.force[k]
        q.own[i] = g.solved_mobility[k * g.stride + k]
    clear_lanes(q, q.rows)


cdef inline double evaluate_medium_residual(Problem* g, MediumSystem* q,
                                            double* residual_floor) noexcept nogil:
    """Evaluate F and D at s; return max|f - F| (N; NaN if any is NaN).

    Parameters: residual_floor, is set to its rounding floor, N. """
    cdef double stiffness_term, force_term
    cdef double residual = evaluate_rows(q, &stiffness_term, &force_term)
    g.greatest_force = force_term
    residual_floor[0] = rounding_floor(stiffness_term, force_term)
    return residual


cdef inline void solve_single_row(const Problem* g, MediumSystem* q) noexcept nogil:
    """Solve the equation of the only row."""
    q.f[0] = single_unit_force(&g.laws[g.active_rows[0]], q.p0[0], q.e[0] - q.u[0], q.own[0])
    q.s[0] = q.u[0] + q.own[0] * q.f[0]


cdef inline void start_rows(MediumSystem* q) noexcept nogil:
    """Take the sweeps, from the guess f, and evaluate F and D where Newton's method starts."""
    cdef double stiffness_term, force_term
    displace_rows(q)
    prepare_sweeps(q)
    for _ in range(MEDIUM_SWEEPS):
        sweep_rows(q)
    start_newton(q)
    evaluate_rows(q, &stiffness_term, &force_term)


cdef inline double search_medium_line(Problem* g, MediumSystem* q,
                                      double* residual_floor) noexcept nogil:
    """Take a step along delta_f, shortened until the slope of the objective has halved.

    Return max|f - F|, N.
    """
    cdef int i
    cdef double start_slope, trial_value, residual
    cdef double length = 1.0
    for i in range(q.width):
        q.f_start[i] = q.f[i]
        q.delta_s[i] = q.s[i]
    set_forces(q, 1.0)
    displace_rows(q)
    for i in range(q.width):
        q.delta_s[i] = q.s[i] - q.delta_s[i]
    start_slope = objective_slope(q, q.f_start)
    for _ in range(MAX_TRIALS):
        residual = evaluate_medium_residual(g, q, residual_floor)
        if residual <= residual_floor[0]:
            break  # at the rounding floor the sign of the slope is noise
        trial_value = objective_slope(q, q.f)
        if trial_value <= 0.5 * fabs(start_slope) or trial_value == start_slope:
            break
        trial_value = maximum(0.1 * length, length * start_slope / (start_slope - trial_value))
        set_forces(q, trial_value)
        for i in range(q.width):
            q.s[i] += (trial_value - length) * q.delta_s[i]
        length = trial_value
    return residual


cdef inline bint solve_medium_system(Problem* g, double tolerance, int* iterations) noexcept nogil:
    """Solve for the active rows from the guess f; return True if the stopping rule was reached.

    If not, `solve_active_set` may: whole steps can run away where W is singular and damping large.
    """
    cdef MediumSystem q
    cdef Py_ssize_t i
    cdef double residual_floor = 0.0
    cdef double last_residual = INFINITY
    cdef double residual = INFINITY
    cdef int steps = 0
    load_medium_system(g, &q)
    if q.rows == 1:
        solve_single_row(g, &q)
        residual = evaluate_medium_residual(g, &q, &residual_floor)
    else:
        start_rows(&q)
    while (iterations[0] < MAX_ITERATIONS
           and not should_stop(residual, residual_floor, force_limit(g, tolerance),
                               last_residual)):
        last_residual = residual
        find_newton_change(&q)
        if steps < WHOLE_STEPS:
            step_rows(&q)
            residual = evaluate_medium_residual(g, &q, &residual_floor)
        else:
            residual = search_medium_line(g, &q, &residual_floor)
        steps += 1
        iterations[0] += 1
    for i in range(g.active_count):
        g.f[i] = q.f[i]
    return ((residual <= residual_floor or residual <= tolerance)
            and not has_run_away(q.s, q.u, q.p0, q.e, q.rows))
