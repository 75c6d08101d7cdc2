# The collision of one step: s = u + W f, f = F(p0, e - s), for K coupled rows.
#
# W (m/N) is positive semidefinite and the laws are monotone, so f minimises a convex objective.
# Newton's method on the rows with D > 0, started by Gauss-Seidel sweeps and safeguarded by a line
# search, converges from any guess (van Walstijn & Bridges 2016, eqs. (28)-(30); the globalisation
# is re-derived). A single row is solved without iteration if its law has a closed form. Only the
# active rows are iterated; once they are solved, the other rows are checked and join the active set
# if they are compressed.
from pysitar.kernels.contact.problem cimport Problem
from pysitar.kernels.core.lanes cimport add_matrix_rows, clear, subtract

cdef extern from "simd.h" nogil:
    unsigned joining_rows "pysitar_joining_rows"(const double* before, const double* after,
                                                 const double* bilateral, const double* force,
                                                 const double* is_active)
    int lowest_bit "pysitar_lowest_bit"(unsigned bits)

# Compiled once, in solver.pyx, and called by all kernels. The first solves for f, s and p1 from u,
# p0, e and the guess f; it returns the number of Newton iterations, -1 if the stopping rule was not
# reached.
cdef int solve_collision(Problem* g) noexcept nogil
cdef double find_response(Problem* g, const double* drift_weights,
                          double* force_response) noexcept nogil
cdef bint update_by_response(Problem* g, const double* force_response, double change) noexcept nogil


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
    cdef Py_ssize_t i
    clear(g.force, g.stride)
    for i in range(g.active_count):
        g.force[g.active_rows[i]] = g.f[i]
    add_matrix_rows(g.step, g.solved_drift, g.solved_mobility, g.stride, g.active_rows, g.force,
                    g.active_count)
    subtract(g.p_after, g.p_free, g.step, g.stride)
