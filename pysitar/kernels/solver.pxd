# The collision of one step: s = u + W f, f = F(p0, e - s), for K rows that share the degrees of freedom.
#
# W (m/N) is positive semidefinite and the laws are monotone, so f minimises a convex objective; Newton on the rows with a
# slope, started by Gauss-Seidel sweeps and held by a line search, converges from anywhere (van Walstijn & Bridges 2016,
# eqs. (28)-(30); the globalisation is re-derived). One row alone is solved without iteration where its law allows it.
# All iterating is done on the few rows that touch; the others are looked at when these are solved, and join if they must.
from libc.math cimport INFINITY, fabs, sqrt
from libc.stdlib cimport free
from libc.string cimport memset

from pysitar.kernels.contact cimport Law, closed_force, force_and_slope, is_linear
from pysitar.kernels.lanes cimport (
    LANES, add_scaled, clear, copy, crdouble, greater, greatest_size, none_above_zero, padded, subtract,
)

cdef extern from "<stdlib.h>" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

cdef extern from "simd.h" nogil:
    int any_joins "pysitar_any_joins"(const double* before, const double* after, const double* bilateral, const double* inside)

cdef enum:
    SWEEPS = 2
    ITERATIONS = 200
    BISECTIONS = 200
    VECTORS = 24                # of a problem, as long as its rows

cdef enum:
    ABSENT = -1                 # m: no contact there, whatever the step

cdef struct Problem:
    Py_ssize_t rows
    Py_ssize_t stride           # of W's rows, a multiple of LANES; the vectors of the first group are as long
    double* mobility            # W, m/N, symmetric
    double* reach               # square roots of W's diagonal
    double widest               # greatest sum of |W| over a row, m/N
    Law* laws
    double* bilateral           # 1 where the law is linear and present
    Py_ssize_t linear           # number of these
    double* before              # p0, m; ABSENT where the law is not present
    double* free                # e = p0 + the offset's change, m: p1 = e - s
    double* after               # p1, m
    double* drift               # u, m
    double* step                # s, m
    double* force               # f, N; also the guess
    double* inside              # 1 where a row is among those that touch

    Py_ssize_t touching         # n, the rows that may have a force; all that follows is of them alone
    int* touch                  # which
    double* small               # their W, n x n
    double* p0
    double* e
    double* u
    double* s
    double* f
    double* evaluated           # F(s), N
    double* slope               # D, N/m
    double* change              # of f
    double* motion              # W change
    double* kept                # f at the start of a line search
    double* held                # s there
    double* factor              # L, n x n
    double* pivot
    double* inverse             # of the pivots
    double* bound               # 1/D
    double* right
    int* active                 # the rows with a slope

    long long iterations
    long long solves            # steps with a force
    long long failures          # steps that did not reach the stopping rule
    int most                    # greatest number of iterations in a step
    double* arena


cdef inline double* carved(double** next, Py_ssize_t n) noexcept nogil:
    cdef double* start = next[0]
    next[0] += padded(n)
    return start


cdef inline bint allocate(Problem* g, Py_ssize_t rows) noexcept nogil:
    """Room for a problem of `rows` rows, all zero; False without memory. Once for a problem: `release` gives it back."""
    cdef Py_ssize_t n = padded(rows)
    cdef Py_ssize_t laws = (rows * <Py_ssize_t>sizeof(Law) + <Py_ssize_t>sizeof(double) - 1) // <Py_ssize_t>sizeof(double)
    cdef Py_ssize_t whole = rows * n + 2 * padded(rows * rows) + padded(laws) + (VECTORS + 2) * n + LANES
    cdef double* next
    cdef double** vectors[VECTORS]
    cdef Py_ssize_t k
    memset(g, 0, sizeof(Problem))
    g.arena = <double*>aligned_alloc(64, (whole if whole > 0 else LANES) * sizeof(double))
    if g.arena == NULL:
        return False
    memset(g.arena, 0, whole * sizeof(double))
    next = g.arena
    g.rows = rows
    g.stride = n
    g.mobility = carved(&next, rows * n)
    g.small = carved(&next, rows * rows)
    g.factor = carved(&next, rows * rows)
    g.laws = <Law*>carved(&next, laws)
    vectors = [&g.reach, &g.bilateral, &g.before, &g.free, &g.after, &g.drift, &g.step, &g.force, &g.inside, &g.p0, &g.e, &g.u, &g.s,
               &g.f, &g.evaluated, &g.slope, &g.change, &g.motion, &g.kept, &g.held, &g.pivot, &g.inverse, &g.bound, &g.right]
    for k in range(VECTORS):
        vectors[k][0] = carved(&next, rows)
    g.touch = <int*>carved(&next, rows + LANES)
    g.active = <int*>carved(&next, rows)
    for k in range(n):
        g.before[k] = ABSENT
    return True


cdef inline void release(Problem* g) noexcept nogil:
    free(g.arena)
    g.arena = NULL


cdef inline void meet_laws(Problem* g) noexcept nogil:
    """What the solver knows of the laws, after one has changed."""
    cdef Py_ssize_t k
    g.linear = 0
    for k in range(g.rows):
        g.bilateral[k] = 1.0 if g.laws[k].present and is_linear(&g.laws[k]) else 0.0
        g.linear += g.bilateral[k] > 0.0


cdef inline void measure_mobility(Problem* g) noexcept nogil:
    """What the stopping rule knows of W, after W has changed."""
    cdef Py_ssize_t k, j
    cdef double sum
    g.widest = 0.0
    for k in range(g.rows):
        sum = 0.0
        g.reach[k] = sqrt(g.mobility[k * g.stride + k])
        for j in range(g.rows):
            sum += fabs(g.mobility[k * g.stride + j])
        if sum > g.widest:
            g.widest = sum


cdef inline bint join_touching(Problem* g) noexcept nogil:
    """Takes in the rows that push, or would, at the present p1; True if there are new ones."""
    cdef Py_ssize_t k, j
    cdef Py_ssize_t n = g.touching
    for k in range(0, g.stride, 8):
        if not any_joins(g.before + k, g.after + k, g.bilateral + k, g.inside + k):
            continue
        for j in range(k, k + 8):
            g.touch[n] = <int>j                 # kept if n goes on: no branch that a processor could guess wrong
            n += (g.inside[j] == 0.0) & (1 - ((g.before[j] <= 0.0) & (g.after[j] <= 0.0) & (g.bilateral[j] == 0.0)))
    for k in range(g.touching, n):
        g.inside[g.touch[k]] = 1.0
    k = g.touching
    g.touching = n
    return n > k


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
    semidefinite bounds by the square roots of its diagonal.
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
    floor_scale[0] = 4.0 * (8e-16 * steep + 4e-16 * large)
    return gap if whole == whole else whole


cdef inline double lone_force(const Law* law, double p0, double e, double w) noexcept nogil:
    """The root of p1 + w F(p0, p1) = e by bracketed Newton, for a law without closed form."""
    cdef double slope
    cdef double p1 = e
    cdef double force = force_and_slope(law, p0, e, &slope)
    cdef double low = e - w * force if force > 0.0 else e
    cdef double high = e if force > 0.0 else e - w * force
    cdef double r = w * force
    cdef double last = 0.0
    cdef int i
    for i in range(BISECTIONS):
        if fabs(r) <= 4e-16 * (fabs(e) + fabs(p1) + w * fabs(force)):
            break
        if r > 0.0:
            high = p1
        else:
            low = p1
        p1 -= r / (1.0 + w * slope)
        if not (low < p1 < high) or (i > 0 and fabs(r) > 0.5 * last):
            p1 = 0.5 * (low + high)
        last = fabs(r)
        force = force_and_slope(law, p0, p1, &slope)
        r = p1 + w * force - e
        if high - low <= 4e-16 * (fabs(low) + fabs(high)):
            break
    return force


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


cdef inline void solve_symmetric(Problem* g, Py_ssize_t m) noexcept nogil:
    """(W + 1/D) f = right on the m active rows by L D L^T; f replaces right."""
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
    for i in range(m):
        for k in range(i):
            g.right[i] -= lower[i * m + k] * g.right[k]
    for i in range(m - 1, -1, -1):
        g.right[i] *= g.inverse[i]
        for k in range(i + 1, m):
            g.right[i] -= lower[k * m + i] * g.right[k]


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
        if here <= 0.5 * fabs(start):
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
    while iterations[0] < ITERATIONS:
        if worst <= floor_scale / 16.0 or worst <= near or worst != worst:
            break
        if worst <= floor_scale and worst > 0.25 * last:
            break                               # rounding has stopped the descent
        last = worst
        find_change(g)
        worst = search_line(g, &floor_scale)
        iterations[0] += 1
    return worst <= floor_scale or worst <= near


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


cdef inline int solve(Problem* g) noexcept nogil:
    """Finds f, s and p1 from u, p0, e and the guess f; returns the Newton iterations, -1 if the stopping rule was not reached."""
    cdef double near
    cdef int iterations = 0
    cdef bint found
    copy(g.step, g.drift, g.stride)
    subtract(g.after, g.free, g.step, g.stride)
    g.touching = 0
    if g.linear == 0 and none_above_zero(g.before, g.after, g.stride):
        clear(g.force, g.stride)
        return 0
    g.solves += 1
    near = 1e-13 * greatest_size(g.drift, g.stride) / g.widest
    clear(g.inside, g.stride)
    join_touching(g)
    while True:
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
