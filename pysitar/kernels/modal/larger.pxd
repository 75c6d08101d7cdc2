# Strings of a common bridge that are in no lane (joint.pxd): of more than sixteen active rows, or
# with one of another exponent, as of a plectrum. Each has a Newton step of its own, by the
# functions of contact/active_set.pxd, with the bridge's increment x as a second right-hand side.
from libc.math cimport fabs

from pysitar.kernels.contact.active_set cimport (
    dot_difference, evaluate_residual, factor_symmetric, load_system, solve_factored,
)
from pysitar.kernels.contact.problem cimport Problem
from pysitar.kernels.core.lanes cimport add_scaled, copy, maximum
from pysitar.kernels.modal.link cimport Link, Search


cdef extern from *:
    """
    #include "simd.h"
    static PYSITAR_SEPARATE_CLONES void pysitar_evaluate_larger(void* problem, void* search);
    """


cdef inline void evaluate_separately "pysitar_evaluate_larger"(void* problem,
                                                               void* search) noexcept nogil:
    (<Search*>search).residual = evaluate_residual(<Problem*>problem,
                                                   &(<Search*>search).residual_floor)


cdef inline void evaluate_larger(Problem* g, Search* search) noexcept nogil:
    """Compute F, D and residual of a larger string at s. A function that is compiled once for each
    clone."""
    evaluate_separately(g, search)


cdef inline void load_larger(Link* link, bint is_loaded) noexcept nogil:
    """Copy the problem of a string's active rows to its compact vectors.

    is_loaded: W is there already.
    """
    cdef Problem* g = &link.s.g
    cdef Py_ssize_t i, k
    if not is_loaded:
        load_system(g)
    for i in range(g.active_count):
        k = g.active_rows[i]
        g.p0[i] = g.p_before[k]
        g.e[i] = g.p_free[k]
        g.f[i] = g.force[k]
        g.u[i] = link.free_drift[k]


cdef inline double larger_bridge_force(const Link* link) noexcept nogil:
    """Return sum e f of a larger string's rows, N."""
    cdef const Problem* g = &link.s.g
    cdef double force = 0.0
    cdef Py_ssize_t i
    for i in range(g.active_count):
        force += link.bridge_weight[g.active_rows[i]] * g.f[i]
    return force


cdef inline void displace_larger(Link* link, Search* search, double increment) noexcept nogil:
    """Compute s = u + e x + W f of a larger string, and F, D and residual there."""
    cdef Problem* g = &link.s.g
    cdef Py_ssize_t i
    cdef Py_ssize_t n = g.active_count
    search.increment = increment
    for i in range(n):
        g.s[i] = g.u[i] + link.bridge_weight[g.active_rows[i]] * increment
    for i in range(n):
        if g.f[i] != 0.0:
            add_scaled(g.s, &g.active_mobility[i * n], g.f[i], n)
    evaluate_larger(g, search)


cdef inline bint larger_has_kink(const Problem* g) noexcept nogil:
    """Return True if a row is compressed only before or only after the step."""
    cdef Py_ssize_t i
    for i in range(g.active_count):
        if (g.p0[i] > 0.0) != (g.e[i] - g.s[i] > 0.0):
            return True
    return False


cdef inline void find_larger_forces(Link* link, Search* search) noexcept nogil:
    """Compute r in delta_f and t in force_response of a larger string; set sum e r and sum e t."""
    cdef Problem* g = &link.s.g
    cdef double* t = link.force_response
    cdef Py_ssize_t i, k
    cdef Py_ssize_t m = 0
    for i in range(g.active_count):
        g.delta_f[i] = t[i] = 0.0
        if g.slope[i] > 0.0:
            g.compliance[m] = 1.0 / g.slope[i]
            g.rhs[m] = link.bridge_weight[g.active_rows[i]]
            g.system_rows[m] = <int>i
            m += 1
    factor_symmetric(g, m)
    solve_factored(g, m)
    for i in range(m):
        k = g.system_rows[i]
        t[k] = g.rhs[i]
        g.rhs[i] = g.law_force[k] * g.compliance[i] + (g.s[k] - g.u[k])
    solve_factored(g, m)
    search.force = search.bridge_response = 0.0
    for i in range(m):
        k = g.system_rows[i]
        g.delta_f[k] = g.rhs[i]
        search.force += link.bridge_weight[g.active_rows[k]] * g.rhs[i]
        search.bridge_response += link.bridge_weight[g.active_rows[k]] * t[k]


cdef inline void step_larger(Link* link, Search* search, double increment) noexcept nogil:
    """Take a whole Newton step for an increment x (m), as `step_lanes`."""
    cdef Problem* g = &link.s.g
    cdef Py_ssize_t i
    cdef double force
    search.last_residual = search.residual
    copy(g.f_start, g.f, g.active_count)
    copy(g.s_start, g.s, g.active_count)
    search.start_slope = 0.0
    for i in range(g.active_count):
        force = g.delta_f[i] - link.force_response[i] * increment
        g.delta_f[i] = force - g.f[i]
        g.f[i] = force
        g.delta_s[i] = g.law_force[i]               # at the start
    displace_larger(link, search, increment)
    for i in range(g.active_count):
        force = g.f_start[i] - g.delta_s[i]
        g.delta_s[i] = g.s[i] - g.s_start[i]
        search.start_slope += g.delta_s[i] * force
    search.length = 1.0


cdef inline bint shorten_larger(Problem* g, Search* search) noexcept nogil:
    """Shorten the Newton step if the objective's slope has not halved, and evaluate there; return
    True if so."""
    cdef double start = search.start_slope
    cdef double slope = dot_difference(g.delta_s, g.f, g.law_force, g.active_count)
    # at the rounding floor the sign of the slope is noise
    if (search.residual <= search.residual_floor or slope <= 0.5 * fabs(start) or slope != slope
            or slope == start):
        return False
    search.length = maximum(0.1 * search.length, search.length * start / (start - slope))
    copy(g.f, g.f_start, g.active_count)
    add_scaled(g.f, g.delta_f, search.length, g.active_count)
    copy(g.s, g.s_start, g.active_count)
    add_scaled(g.s, g.delta_s, search.length, g.active_count)
    evaluate_larger(g, search)
    return True


cdef inline bint follow_larger(Link* link, Search* search, double increment) noexcept nogil:
    """Let the forces of a settled string follow the bridge to an increment (m); return True if they
    are still solved, to rounding."""
    cdef Problem* g = &link.s.g
    cdef Py_ssize_t i
    if search.increment != increment:
        for i in range(g.active_count):
            g.f[i] -= link.force_response[i] * (increment - search.increment)
        displace_larger(link, search, increment)
    search.is_settled = (search.residual <= search.residual_floor
                         or search.residual <= search.tolerance)
    return search.is_settled
