# The collision of one step: s = u + W f, f = F(p0, e - s), for K coupled rows.
#
# W (m/N) is positive semidefinite and the laws are monotone, so f minimises a convex objective.
# Newton's method on the rows with D > 0, started by Gauss-Seidel sweeps and safeguarded by a line
# search, converges from any guess (van Walstijn & Bridges 2016, eqs. (28)-(30); the globalisation
# is re-derived). A single row is solved without iteration if its law has a closed form. Only the
# active rows are iterated; once they are solved, the other rows are checked and join the active set
# if they are compressed.
from libc.math cimport fabs

from pysitar.kernels.contact.active_set cimport solve_factored, solve_symmetric
from pysitar.kernels.contact.law cimport force_and_slope
from pysitar.kernels.contact.problem cimport Problem
from pysitar.kernels.core.lanes cimport add_scaled, clear, copy, maximum, subtract

cdef extern from "simd.h" nogil:
    unsigned joining_rows "pysitar_joining_rows"(const double* before, const double* after,
                                                 const double* bilateral, const double* force,
                                                 const double* is_active)
    int lowest_bit "pysitar_lowest_bit"(unsigned bits)

# Solves for f, s and p1 from u, p0, e and the guess f; returns the number of Newton iterations, -1
# if the stopping rule was not reached. Compiled once, in solver.pyx, and called by all kernels.
cdef int solve_collision(Problem* g) noexcept nogil


cdef inline bint extend_active_set(Problem* g) noexcept nogil:
    """Add rows with a force, or compressed at p0 or p1, to the active set.

    Return True if any is new.
    """
    cdef Py_ssize_t k, j
    cdef Py_ssize_t n = g.active_count
    cdef unsigned bits
    for k in range(0, g.stride, 8):
        bits = joining_rows(g.p_before + k, g.p_after + k, g.bilateral + k, g.force + k,
                            g.is_active + k)
        if k + 8 > g.rows:                      # padding is no row, also where it holds a NaN
            bits &= (1 << (g.rows - k)) - 1
        while bits:
            j = k + lowest_bit(bits)
            g.active_rows[n] = <int>j
            g.is_active[j] = 1.0
            n += 1
            bits &= bits - 1
    k = g.active_count
    g.active_count = n
    return n > k


cdef inline void scatter_forces(Problem* g) noexcept nogil:
    """Compute f, s and p1 of all rows from the f of the active rows."""
    cdef Py_ssize_t i, k
    copy(g.step, g.solved_drift, g.stride)
    clear(g.force, g.stride)
    for i in range(g.active_count):
        k = g.active_rows[i]
        g.force[k] = g.f[i]
        if g.f[i] != 0.0:
            add_scaled(g.step, &g.solved_mobility[k * g.stride], g.f[i], g.stride)
    subtract(g.p_after, g.p_free, g.step, g.stride)


cdef inline double find_response(Problem* g, const double* drift_weights,
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


cdef inline bint update_by_response(Problem* g, const double* force_response,
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
