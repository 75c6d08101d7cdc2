"""The solver of a collision, and its response to a change of the free displacement, compiled once
for all kernels; solver.pxd describes them."""
from libc.math cimport fabs

from pysitar.kernels.contact.active_set cimport (
    MAX_ITERATIONS, solve_active_set, solve_factored, solve_symmetric,
)
from pysitar.kernels.contact.condensation cimport add_condensed_rows, condense_drift
from pysitar.kernels.contact.law cimport force_and_slope, is_friction, load_unit_law
from pysitar.kernels.contact.medium_system cimport MEDIUM_ROWS, solve_medium_system
from pysitar.kernels.contact.problem cimport active_rows_have_unit_exponents
from pysitar.kernels.contact.small_system cimport (
    SMALL_ROWS, SmallSystem, clear_small_system, solve_small_system,
)
from pysitar.kernels.core.lanes cimport (
    add_matrix_rows, all_nonpositive, clear, copy, max_abs, maximum, subtract,
)

cdef extern from "simd.h":
    """
    static PYSITAR_CLONES int pysitar_solve_collision(void* problem);
    static PYSITAR_CLONES double pysitar_find_response(void* problem, const double* drift_weights,
                                                       double* force_response);
    static PYSITAR_CLONES int pysitar_update_by_response(void* problem,
                                                         const double* force_response,
                                                         double change);
    """


cdef inline void load_small_system(Problem* g, SmallSystem* q) noexcept nogil:
    """Copy the problem of up to four active rows to a SmallSystem."""
    cdef Py_ssize_t i, j, k
    clear_small_system(q)
    q.rows = <int>g.active_count
    for i in range(g.active_count):
        k = g.active_rows[i]
        load_unit_law(&g.laws[k], &q.half[i], &q.rate[i], &q.spring[i], &q.drag[i], &q.clamp[i])
        q.mobility_root[i] = g.mobility_root[k]
        q.p0[i] = g.p_before[k]
        q.e[i] = g.p_free[k]
        q.u[i] = g.solved_drift[k]
        q.f[i] = g.force[k]
        for j in range(g.active_count):
            q.w[4 * i + j] = g.solved_mobility[k * g.stride + g.active_rows[j]]


cdef inline bint has_active_friction(const Problem* g) noexcept nogil:
    cdef Py_ssize_t i
    if g.has_friction:
        for i in range(g.active_count):
            if is_friction(&g.laws[g.active_rows[i]]):
                return True
    return False


cdef inline bint solve_up_to_four(Problem* g, double tolerance, int* iterations) noexcept nogil:
    """Solve for the active rows by a SmallSystem; return True if the stopping rule was reached."""
    cdef SmallSystem small
    cdef Py_ssize_t i
    load_small_system(g, &small)
    if not solve_small_system(&small, &g.laws[g.active_rows[0]], tolerance, iterations):
        return False
    for i in range(g.active_count):
        g.f[i] = small.f[i]
    return True


cdef inline bint solve_active_rows(Problem* g, double tolerance, int* iterations) noexcept nogil:
    """Solve for the active rows by the fastest method for their number and laws, or else by that
    for any; return True if the stopping rule was reached."""
    cdef int before = iterations[0]
    if (g.has_unit_exponents and g.active_count <= SMALL_ROWS
            and not has_active_friction(g)):
        if solve_up_to_four(g, tolerance, iterations):
            return True
    elif (g.active_count <= MEDIUM_ROWS and not g.has_friction and not g.has_attraction
          and (g.has_unit_exponents or active_rows_have_unit_exponents(g))):
        if solve_medium_system(g, tolerance, iterations):
            return True
    iterations[0] = before
    return solve_active_set(g, tolerance, iterations)


cdef inline int solve_problem(Problem* g) noexcept nogil:
    """Solve for f, s and p1 from u, p0, e and the guess f.

    Return the number of Newton iterations, -1 if the stopping rule was not reached.
    """
    cdef double tolerance
    cdef int iterations = 0
    cdef bint has_converged
    cdef Py_ssize_t i
    if g.is_condensed:
        condense_drift(g)
    # no active rows before: no guess
    if g.bilateral_count == g.condensed_count * g.is_condensed and g.active_count == 0:
        subtract(g.p_after, g.p_free, g.solved_drift, g.stride)
        if all_nonpositive(g.p_before, g.p_after, g.stride):
            copy(g.step, g.solved_drift, g.stride)
            return 0
    # the free step alone would compress many rows; with the guess only few become active
    add_matrix_rows(g.step, g.solved_drift, g.solved_mobility, g.stride, g.active_rows, g.force,
                    g.active_count)
    subtract(g.p_after, g.p_free, g.step, g.stride)
    g.active_count = 0
    clear(g.is_active, g.stride)
    if g.is_condensed:
        for i in range(g.condensed_count):      # they join once the others are solved
            g.is_active[g.condensed_rows[i]] = 1.0
    if not extend_active_set(g):
        return 0
    g.solves += 1
    tolerance = 1e-13 * max_abs(g.drift, g.stride) / g.mobility_norm
    while True:
        has_converged = solve_active_rows(g, tolerance, &iterations)
        scatter_forces(g)
        if not (extend_active_set(g) and iterations < MAX_ITERATIONS):
            break
    g.iterations += iterations
    if iterations > g.most_iterations:
        g.most_iterations = iterations
    if not has_converged:
        g.failures += 1
        return -1
    return iterations


cdef inline void activate_all(Problem* g) noexcept nogil:
    """Let all rows be active in the coming solve, whatever their compression."""
    cdef Py_ssize_t k
    for k in range(g.rows):
        g.active_rows[k] = <int>k
        g.force[k] = 1e-300
    g.active_count = g.rows
    g.failures -= 1


cdef int solve_cloned "pysitar_solve_collision"(void* problem) noexcept nogil:
    """Solve; with friction once more from another start if need be, where rows join at once."""
    cdef Problem* g = <Problem*>problem
    cdef int iterations
    cdef bint is_repeated = False
    while True:                         # a loop, so that the large function is inlined once
        iterations = solve_problem(g)
        if iterations >= 0 or is_repeated or not g.has_friction:
            if g.is_condensed:
                add_condensed_rows(g)
            return iterations
        is_repeated = True
        activate_all(g)


cdef inline double find_force_response(Problem* g, const double* drift_weights,
                                       double* force_response) noexcept nogil:
    """Linearise the solved forces about u: for u + drift_weights t, force_response is df/dt (K,),
    N/m.

    Return drift_weights . force_response, at most 0.
    """
    cdef Py_ssize_t i, j, k
    cdef Py_ssize_t m = 0
    cdef double sum = 0.0
    cdef double slope
    for i in range(g.active_count):
        j = g.active_rows[i]
        force_response[j] = 0.0
        force_and_slope(&g.laws[j], g.p_before[j], g.p_after[j], &slope)
        if slope > 0.0:
            g.compliance[m] = 1.0 / slope
            g.rhs[m] = -drift_weights[j]
            g.system_rows[m] = <int>i
            m += 1
    for i in range(m):
        k = g.active_rows[g.system_rows[i]]
        for j in range(i + 1):
            g.active_mobility[g.system_rows[i] * g.active_count + g.system_rows[j]] = (
                g.mobility[k * g.stride + g.active_rows[g.system_rows[j]]])
    g.system_size = m
    solve_symmetric(g, m)
    for i in range(m):
        j = g.active_rows[g.system_rows[i]]
        force_response[j] = g.rhs[i]
        sum += drift_weights[j] * g.rhs[i]
    return sum


cdef inline double largest_residual(Problem* g, double* force_scale) noexcept nogil:
    """Return max|f - F| and raise force_scale to max|f| of the active rows, N.

    F is left in law_force.
    """
    cdef Py_ssize_t i, k
    cdef double slope
    cdef double residual = 0.0
    for i in range(g.active_count):
        k = g.active_rows[i]
        g.law_force[i] = force_and_slope(&g.laws[k], g.p_before[k], g.p_after[k], &slope)
        residual = maximum(fabs(g.f[i] - g.law_force[i]), residual)
        force_scale[0] = maximum(fabs(g.f[i]), force_scale[0])
    return residual


cdef inline bint follow_response(Problem* g, const double* force_response,
                                 double change) noexcept nogil:
    """Update the forces after u has changed by drift_weights * change since `find_response`.

    Return False if they must be solved again: a row has become active or inactive, or its law is
    not linear enough over the change.
    """
    cdef Py_ssize_t i, k
    cdef double force_scale = 0.0
    for i in range(g.active_count):
        k = g.active_rows[i]
        g.f[i] = g.force[k] + force_response[k] * change
    scatter_forces(g)
    # one Newton step with the old slopes
    if largest_residual(g, &force_scale) > 1e-13 * force_scale:
        for i in range(g.system_size):
            k = g.system_rows[i]
            g.rhs[i] = (g.law_force[k] - g.f[k]) * g.compliance[i]
        solve_factored(g, g.system_size)
        for i in range(g.system_size):
            g.f[g.system_rows[i]] += g.rhs[i]
        scatter_forces(g)
        if not largest_residual(g, &force_scale) <= 1e-12 * force_scale:
            return False
    for k in range(g.rows):
        if g.is_active[k] == 0.0 and (g.p_before[k] > 0.0 or g.p_after[k] > 0.0):
            return False
    return True


cdef int solve_collision(Problem* g) noexcept nogil:
    return solve_cloned(g)


cdef double find_cloned_response "pysitar_find_response"(void* problem, const double* drift_weights,
                                                         double* force_response) noexcept nogil:
    return find_force_response(<Problem*>problem, drift_weights, force_response)


cdef double find_response(Problem* g, const double* drift_weights,
                          double* force_response) noexcept nogil:
    return find_cloned_response(g, drift_weights, force_response)


cdef bint update_cloned "pysitar_update_by_response"(void* problem, const double* force_response,
                                                     double change) noexcept nogil:
    return follow_response(<Problem*>problem, force_response, change)


cdef bint update_by_response(Problem* g, const double* force_response,
                             double change) noexcept nogil:
    return update_cloned(g, force_response, change)
