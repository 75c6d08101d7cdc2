# The collision of one step: s = u + W f, f = F(p0, e - s), for K rows that share the degrees of freedom.
#
# W (m/N) is positive semidefinite and the laws are monotone, so f minimises a convex objective; Newton on the rows with a
# slope, started by Gauss-Seidel sweeps and held by a line search, converges from anywhere (van Walstijn & Bridges 2016,
# eqs. (28)-(30); the globalisation is re-derived). One row alone is solved without iteration where its law allows it.
# All iterating is done on the few rows that touch; the others are looked at when these are solved, and join if they must.
from libc.math cimport fabs

from pysitar.kernels.contact.active_set cimport ITERATIONS, SWEEPS, solve_factored, solve_symmetric, solve_touching
from pysitar.kernels.contact.law cimport force_and_slope
from pysitar.kernels.contact.problem cimport Problem
from pysitar.kernels.contact.small_system cimport FEW, Few, clear_few, solve_few, take_law
from pysitar.kernels.core.lanes cimport add_scaled, clear, copy, greater, greatest_size, none_above_zero, subtract

cdef extern from "simd.h" nogil:
    int any_joins "pysitar_any_joins"(const double* before, const double* after, const double* bilateral, const double* force,
                                      const double* inside)


cdef inline bint join_touching(Problem* g) noexcept nogil:
    """Takes in the rows that push, or would at the present p1; True if there are new ones."""
    cdef Py_ssize_t k, j
    cdef Py_ssize_t n = g.touching
    for k in range(0, g.stride, 8):
        if not any_joins(g.before + k, g.after + k, g.bilateral + k, g.force + k, g.inside + k):
            continue
        for j in range(k, k + 8):
            g.touch[n] = <int>j                 # kept if n goes on: no branch that a processor could guess wrong
            n += (g.inside[j] == 0.0) & (1 - ((g.before[j] <= 0.0) & (g.after[j] <= 0.0) & (g.bilateral[j] == 0.0)
                                              & (g.force[j] == 0.0)))
    for k in range(g.touching, n):
        g.inside[g.touch[k]] = 1.0
    k = g.touching
    g.touching = n
    return n > k


cdef inline void spread_force(Problem* g) noexcept nogil:
    """f, s and p1 of all rows from the f of those that touch."""
    cdef Py_ssize_t i, k
    copy(g.step, g.drift, g.stride)
    clear(g.force, g.stride)
    for i in range(g.touching):
        k = g.touch[i]
        g.force[k] = g.f[i]
        if g.f[i] != 0.0:
            add_scaled(g.step, &g.mobility[k * g.stride], g.f[i], g.stride)
    subtract(g.after, g.free, g.step, g.stride)


cdef inline void pose_few(Problem* g, Few* q) noexcept nogil:
    """The problem of up to four touching rows."""
    cdef Py_ssize_t i, j, k
    clear_few(q)
    q.rows = <int>g.touching
    for i in range(g.touching):
        k = g.touch[i]
        take_law(q, <int>i, &g.laws[k], g.bilateral[k])
        q.far[i] = g.reach[k]
        q.p0[i] = g.before[k]
        q.e[i] = g.free[k]
        q.u[i] = g.drift[k]
        q.f[i] = g.force[k]
        for j in range(g.touching):
            q.w[4 * i + j] = g.mobility[k * g.stride + g.touch[j]]


cdef inline int solve(Problem* g) noexcept nogil:
    """Finds f, s and p1 from u, p0, e and the guess f; returns the Newton iterations, -1 if the stopping rule was not reached."""
    cdef double near
    cdef int iterations = 0
    cdef bint found
    cdef Few few
    cdef Py_ssize_t i
    copy(g.step, g.drift, g.stride)
    if g.linear == 0 and g.touching == 0:           # nothing touched before: no guess
        subtract(g.after, g.free, g.step, g.stride)
        if none_above_zero(g.before, g.after, g.stride):
            return 0
    # with the guess few rows touch, where the free step alone would press many
    for i in range(g.touching):
        if g.force[g.touch[i]] != 0.0:
            add_scaled(g.step, &g.mobility[g.touch[i] * g.stride], g.force[g.touch[i]], g.stride)
    subtract(g.after, g.free, g.step, g.stride)
    g.touching = 0
    clear(g.inside, g.stride)
    if not join_touching(g):
        return 0
    g.solves += 1
    near = 1e-13 * greatest_size(g.drift, g.stride) / g.widest
    while True:
        if g.plain and g.touching <= FEW:
            pose_few(g, &few)
            found = solve_few(&few, near, SWEEPS if g.touching > 1 else 1, ITERATIONS, &iterations)
            for i in range(g.touching):
                g.f[i] = few.f[i]
        else:
            found = solve_touching(g, near, &iterations)
        spread_force(g)
        if not (join_touching(g) and iterations < ITERATIONS):
            break
    g.iterations += iterations
    if iterations > g.most:
        g.most = iterations
    if not found:
        g.failures += 1
        return -1
    return iterations


cdef inline double respond(Problem* g, const double* share, double* response) noexcept nogil:
    """How the forces of the rows that touch follow u, once solved: their change (K,) by t, where u changes by share t; returns
    share . change, at most 0."""
    cdef Py_ssize_t i, j
    cdef Py_ssize_t m = 0
    cdef double sum = 0.0
    cdef double slope
    for i in range(g.touching):
        j = g.touch[i]
        response[j] = 0.0
        force_and_slope(&g.laws[j], g.before[j], g.after[j], &slope)
        if slope > 0.0:
            g.bound[m] = 1.0 / slope
            g.right[m] = -share[j]
            g.active[m] = <int>i
            m += 1
    for i in range(m):
        for j in range(i + 1):
            g.small[g.active[i] * g.touching + g.active[j]] = g.mobility[g.touch[g.active[i]] * g.stride + g.touch[g.active[j]]]
    g.sloping = m
    solve_symmetric(g, m)
    for i in range(m):
        j = g.touch[g.active[i]]
        response[j] = g.right[i]
        sum += share[j] * g.right[i]
    return sum


cdef inline double unmet(Problem* g, double* large) noexcept nogil:
    """max|f - F| and max|f| of the rows that touch, whose F is then in `evaluated`, N."""
    cdef Py_ssize_t i, k
    cdef double slope
    cdef double gap = 0.0
    for i in range(g.touching):
        k = g.touch[i]
        g.evaluated[i] = force_and_slope(&g.laws[k], g.before[k], g.after[k], &slope)
        gap = greater(fabs(g.f[i] - g.evaluated[i]), gap)
        large[0] = greater(fabs(g.f[i]), large[0])
    return gap


cdef inline bint follow(Problem* g, const double* response, double change) noexcept nogil:
    """Lets the forces follow u, which has changed by share `change` since `respond`; False if they must be solved again: a row that
    comes, goes or is bent there."""
    cdef Py_ssize_t i, k
    cdef double large = 0.0
    for i in range(g.touching):
        k = g.touch[i]
        g.f[i] = g.force[k] + response[k] * change
    spread_force(g)
    if unmet(g, &large) > 1e-13 * large:                # what is bent a little, by the slopes that were
        for i in range(g.sloping):
            k = g.active[i]
            g.right[i] = (g.evaluated[k] - g.f[k]) * g.bound[i]
        solve_factored(g, g.sloping)
        for i in range(g.sloping):
            g.f[g.active[i]] += g.right[i]
        spread_force(g)
        if not unmet(g, &large) <= 1e-12 * large:
            return False
    for k in range(g.rows):
        if g.inside[k] == 0.0 and (g.before[k] > 0.0 or g.after[k] > 0.0):
            return False
    return True
