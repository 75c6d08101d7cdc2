# Linear rows eliminated before the contacts of a step are solved: a thread, a spring at the nut.
#
# A linear row has F = c - D s with c = K p0 + D (e - p0), D = K/2 + rate. Let u and W be those of a
# problem, L its linear rows and C the others, G = (1/D + W_LL)^-1 and P = G W_L:
#   f_L = f_L0 - P f_C,  f_L0 = G (c / D - u_L)
#   s = u' + W' f_C,  u' = u + W_:L f_L0,  W' = W - W_:L P
# holds for all rows, those of L as well. W' is positive semidefinite. The contacts of a string then
# are the only rows of the search, and the sweeps converge faster without the stiff thread between.
from libc.math cimport sqrt
from libc.stdlib cimport free

from pysitar.kernels.contact.law_record cimport LINEAR
from pysitar.kernels.contact.problem cimport MOST_CONDENSED, Problem, allocate_vectors
from pysitar.kernels.core.lanes cimport add_scaled, copy


cdef inline bint allocate_condensation(Problem* g) noexcept nogil:
    """Allocate W', P and u' of a problem, once; return False if memory is exhausted."""
    cdef double** vectors[3]
    cdef Py_ssize_t rows = MOST_CONDENSED if g.rows < MOST_CONDENSED else g.rows
    vectors = [&g.condensed_mobility, &g.condensed_response, &g.condensed_drift]
    free(g.condensed_arena)
    g.condensed_arena = allocate_vectors(vectors, 3, rows * g.stride)
    return g.condensed_arena != NULL


cdef inline bint invert_linear_rows(Problem* g) noexcept nogil:
    """Compute G by Cholesky; return False if it is not positive, by round-off."""
    cdef double lower[MOST_CONDENSED * MOST_CONDENSED]
    cdef double column[MOST_CONDENSED]
    cdef Py_ssize_t i, j, k
    cdef Py_ssize_t m = g.condensed_count
    cdef double value
    for i in range(m):
        for j in range(i + 1):
            value = g.mobility[g.condensed_rows[i] * g.stride + g.condensed_rows[j]]
            if i == j:
                value += 1.0 / (0.5 * g.laws[g.condensed_rows[i]].stiffness
                                + g.laws[g.condensed_rows[i]].rate)
            for k in range(j):
                value -= lower[i * m + k] * lower[j * m + k]
            if i == j:
                if not value > 0.0:
                    return False
                lower[i * m + i] = sqrt(value)
            else:
                lower[i * m + j] = value / lower[j * m + j]
    for j in range(m):
        for i in range(m):
            value = 1.0 if i == j else 0.0
            for k in range(i):
                value -= lower[i * m + k] * column[k]
            column[i] = value / lower[i * m + i]
        for i in range(m - 1, -1, -1):
            value = column[i]
            for k in range(i + 1, m):
                value -= lower[k * m + i] * column[k]
            column[i] = value / lower[i * m + i]
            g.condensed_inverse[i * m + j] = column[i]
    return True


cdef inline void update_condensation(Problem* g) noexcept nogil:
    """Compute G, P and W' of the linear rows that are present; none are condensed if there are too
    many of them."""
    cdef Py_ssize_t i, j, k
    cdef Py_ssize_t m = 0
    g.has_condensation = True
    g.condensed_count = 0
    for k in range(g.rows):
        if g.laws[k].is_present and g.laws[k].kind == LINEAR:
            if m == MOST_CONDENSED:
                return
            g.condensed_rows[m] = <int>k
            m += 1
    g.condensed_count = m
    if not invert_linear_rows(g):
        g.condensed_count = 0
        return
    for i in range(m):
        for j in range(g.stride):
            g.condensed_response[i * g.stride + j] = 0.0
        for k in range(m):
            add_scaled(&g.condensed_response[i * g.stride],
                       &g.mobility[g.condensed_rows[k] * g.stride], g.condensed_inverse[i * m + k],
                       g.stride)
    for k in range(g.rows):
        copy(&g.condensed_mobility[k * g.stride], &g.mobility[k * g.stride], g.stride)
        for i in range(m):
            add_scaled(&g.condensed_mobility[k * g.stride], &g.condensed_response[i * g.stride],
                       -g.mobility[k * g.stride + g.condensed_rows[i]], g.stride)


cdef inline void begin_condensation(Problem* g) noexcept nogil:
    """Let the coming solutions be those of the condensed problem, if it has linear rows."""
    if not g.has_condensation:
        update_condensation(g)
    g.is_condensed = g.condensed_count > 0
    if g.is_condensed:
        g.solved_mobility, g.solved_drift = g.condensed_mobility, g.condensed_drift


cdef inline void end_condensation(Problem* g) noexcept nogil:
    """Let solutions be those of the whole problem again."""
    g.is_condensed = False
    g.solved_mobility, g.solved_drift = g.mobility, g.drift


cdef inline void condense_drift(Problem* g) noexcept nogil:
    """Compute f_L0 and u', and take the linear rows out of the guess."""
    cdef Py_ssize_t i, j, k
    cdef Py_ssize_t m = g.condensed_count
    cdef Py_ssize_t n = 0
    cdef double free_force[MOST_CONDENSED]
    cdef double stiffness, force
    for i in range(m):
        k = g.condensed_rows[i]
        stiffness = 0.5 * g.laws[k].stiffness + g.laws[k].rate
        free_force[i] = (g.laws[k].stiffness * g.p_before[k] / stiffness
                         + ((g.p_free[k] - g.p_before[k]) - g.drift[k]))
        g.force[k] = 0.0
    for i in range(g.active_count):
        if g.laws[g.active_rows[i]].kind != LINEAR:
            g.active_rows[n] = g.active_rows[i]
            n += 1
    g.active_count = n
    copy(g.condensed_drift, g.drift, g.stride)
    for i in range(m):
        force = 0.0
        for j in range(m):
            force += g.condensed_inverse[i * m + j] * free_force[j]
        g.condensed_force[i] = force
        add_scaled(g.condensed_drift, &g.mobility[g.condensed_rows[i] * g.stride], force, g.stride)


cdef inline void add_condensed_rows(Problem* g) noexcept nogil:
    """Compute the forces of the linear rows from those of the active ones, which they join."""
    cdef Py_ssize_t i, j, k
    cdef Py_ssize_t n = g.active_count
    cdef double force
    for i in range(g.condensed_count):
        k = g.condensed_rows[i]
        force = g.condensed_force[i]
        for j in range(n):
            force -= (g.condensed_response[i * g.stride + g.active_rows[j]]
                      * g.force[g.active_rows[j]])
        g.force[k] = force
        g.active_rows[g.active_count] = <int>k
        g.active_count += 1
