# The collision of any number of touching rows under any laws: sweeps, Newton, line search (solver.pxd tells the whole).
from libc.math cimport INFINITY, fabs

from pysitar.kernels.contact.law cimport Law, closed_force, force_and_slope, lone_force
from pysitar.kernels.contact.problem cimport Problem, rounding_floor, stops
from pysitar.kernels.core.lanes cimport add_scaled, copy, crdouble, greater, subtract

cdef enum:
    SWEEPS = 2
    ITERATIONS = 200
    MANY = 512                  # rows


cdef inline void gather_step(Problem* g) noexcept nogil:
    """s = u + W f of the touching rows, eq. (26), anew: carried on, the rounding of large forces on the way would stay in s."""
    cdef Py_ssize_t i
    cdef Py_ssize_t n = g.touching
    copy(g.s, g.u, n)
    for i in range(n):
        if g.f[i] != 0.0:
            add_scaled(g.s, &g.small[i * n], g.f[i], n)


cdef inline void pose(Problem* g) noexcept nogil:
    """The problem of the touching rows alone."""
    cdef Py_ssize_t i, j, k
    cdef Py_ssize_t n = g.touching
    for i in range(n):
        k = g.touch[i]
        g.p0[i] = g.before[k]
        g.e[i] = g.free[k]
        g.u[i] = g.drift[k]
        g.f[i] = g.force[k]
        for j in range(n):
            g.small[i * n + j] = g.mobility[k * g.stride + g.touch[j]]
    gather_step(g)


cdef inline double judge(Problem* g, double* floor_scale) noexcept nogil:
    """F and D at s; returns max|f - F|, NaN if any is, and the rounding floor of it, N.

    The floor is 4 (8e-16 max D (|p0| + |s| + |W||f|) + 4e-16 max|F|): s came from sums as large as |W||f|, which W's being
    semidefinite bounds by the square roots of its diagonal. The rounding of sums of over MANY terms is larger.
    """
    cdef Py_ssize_t i
    cdef double gap = 0.0
    cdef double whole = 0.0
    cdef double steep = 0.0
    cdef double large = 0.0
    cdef double pushed = 0.0
    cdef double value
    for i in range(g.touching):
        pushed += g.reach[g.touch[i]] * fabs(g.f[i])
    for i in range(g.touching):
        g.evaluated[i] = force_and_slope(&g.laws[g.touch[i]], g.p0[i], g.e[i] - g.s[i], &g.slope[i])
        value = fabs(g.f[i] - g.evaluated[i])
        gap = greater(value, gap)
        whole += value                          # a comparison forgets a NaN, a sum does not
        steep = greater(g.slope[i] * (fabs(g.p0[i]) + fabs(g.s[i]) + g.reach[g.touch[i]] * pushed), steep)
        large = greater(fabs(g.evaluated[i]), large)
    floor_scale[0] = rounding_floor(steep, large) * (1 + g.touching // MANY)
    return gap if whole == whole else whole


cdef inline void sweep_rows(Problem* g) noexcept nogil:
    """One Gauss-Seidel sweep: each touching row's own equation solved exactly, the others held."""
    cdef Py_ssize_t i
    cdef Py_ssize_t n = g.touching
    cdef const Law* law
    cdef double w, e, force
    cdef bint known = True
    for i in range(n):
        law = &g.laws[g.touch[i]]
        w = g.small[i * n + i]
        e = g.e[i] - g.s[i] + w * g.f[i]
        force = closed_force(law, g.p0[i], e, w, &known)
        if not known:
            if law.halves != 2 and n > 1:
                continue                        # powers are dear: Newton on all rows does it in fewer
            force = lone_force(law, g.p0[i], e, w)
        add_scaled(g.s, &g.small[i * n], force - g.f[i], n)
        g.f[i] = force


cdef inline void factor_symmetric(Problem* g, Py_ssize_t m) noexcept nogil:
    """L D L^T of W + 1/D on the m active rows."""
    cdef Py_ssize_t i, j, k
    cdef double value, pivot
    cdef double* lower = g.factor
    cdef double* row
    for i in range(m):
        row = &g.small[g.active[i] * g.touching]
        pivot = row[g.active[i]] + g.bound[i]
        for j in range(i):
            value = row[g.active[j]]
            for k in range(j):
                value -= lower[i * m + k] * lower[j * m + k] * g.pivot[k]
            value *= g.inverse[j]
            lower[i * m + j] = value
            pivot -= value * value * g.pivot[j]
        # W is semidefinite, so a pivot is at least 1/D but for rounding
        g.pivot[i] = greater(pivot, g.bound[i])
        g.inverse[i] = 1.0 / g.pivot[i]


cdef inline void solve_factored(Problem* g, Py_ssize_t m) noexcept nogil:
    """(W + 1/D) f = right on the m active rows, once factored; f replaces right."""
    cdef Py_ssize_t i, k
    cdef double* lower = g.factor
    for i in range(m):
        for k in range(i):
            g.right[i] -= lower[i * m + k] * g.right[k]
    for i in range(m - 1, -1, -1):
        g.right[i] *= g.inverse[i]
        for k in range(i + 1, m):
            g.right[i] -= lower[k * m + i] * g.right[k]


cdef inline void solve_symmetric(Problem* g, Py_ssize_t m) noexcept nogil:
    """As `solve_factored`, from W and D."""
    factor_symmetric(g, m)
    solve_factored(g, m)


cdef inline void find_change(Problem* g) noexcept nogil:
    """The Newton change of f on the rows with a slope, eqs. (29), (30) in a symmetric form; the others go to 0."""
    cdef Py_ssize_t i
    cdef Py_ssize_t m = 0
    for i in range(g.touching):
        g.change[i] = -g.f[i]
        if g.slope[i] > 0.0:
            g.bound[m] = 1.0 / g.slope[i]
            g.right[m] = g.evaluated[i] * g.bound[m] + (g.s[i] - g.u[i])
            g.active[m] = <int>i
            m += 1
    solve_symmetric(g, m)
    for i in range(m):
        g.change[g.active[i]] += g.right[i]


cdef inline double dot_gap(crdouble x, crdouble a, crdouble b, Py_ssize_t n) noexcept nogil:
    """x . (a - b)."""
    cdef double sum = 0.0
    cdef Py_ssize_t i
    for i in range(n):
        sum += x[i] * (a[i] - b[i])
    return sum


cdef inline double search_line(Problem* g, double* floor_scale) noexcept nogil:
    """Goes along the change until the objective's slope has halved; returns max|f - F| there."""
    cdef Py_ssize_t n = g.touching
    cdef double start, here, worst
    cdef double length = 1.0
    copy(g.kept, g.f, n)
    add_scaled(g.f, g.change, 1.0, n)
    copy(g.held, g.s, n)
    gather_step(g)
    subtract(g.motion, g.s, g.held, n)
    start = dot_gap(g.motion, g.kept, g.evaluated, n)
    for _ in range(40):
        worst = judge(g, floor_scale)
        if worst <= floor_scale[0]:
            break                               # at the rounding floor the sign of the slope is noise
        # the objective's derivative along the change, motion . (f - F(s)), J
        here = dot_gap(g.motion, g.f, g.evaluated, n)
        if here <= 0.5 * fabs(start) or here == start:
            break
        here = greater(0.1 * length, length * start / (start - here))
        copy(g.f, g.kept, n)
        add_scaled(g.f, g.change, here, n)
        add_scaled(g.s, g.motion, here - length, n)
        length = here
    return worst


cdef inline bint solve_touching(Problem* g, double near, int* iterations) noexcept nogil:
    """Solves the problem of the touching rows, from the guess f; True if the stopping rule was reached."""
    cdef double floor_scale = 0.0
    cdef double last = INFINITY
    cdef double worst
    pose(g)
    for _ in range(SWEEPS if g.touching > 1 else 1):
        sweep_rows(g)
    worst = judge(g, &floor_scale)
    while iterations[0] < ITERATIONS and not stops(worst, floor_scale, near, last):
        last = worst
        find_change(g)
        worst = search_line(g, &floor_scale)
        iterations[0] += 1
    return worst <= floor_scale or worst <= near
