# The collision of one step: s = u + W f, f = F(p0, e - s), for K rows that share the degrees of freedom.
#
# W (m/N) is positive semidefinite and the laws are monotone, so f minimises a convex objective; Newton on the rows with a
# slope, started by Gauss-Seidel sweeps and held by a line search, converges from anywhere (van Walstijn & Bridges 2016,
# eqs. (28)-(30); the globalisation is re-derived). One row alone is solved without iteration where its law allows it.
from libc.math cimport INFINITY, fabs, sqrt
from libc.stdlib cimport free
from libc.string cimport memset

from pysitar.kernels.contact cimport CONTACT, LINEAR, Law, closed_force, force_and_slope, is_linear, unit_laws
from pysitar.kernels.lanes cimport (
    LANES, add, add_scaled, clear, copy, crdouble, dot_gap, dot_size, greatest_gap, greatest_lane, greatest_size, none_above_zero,
    padded, subtract,
)

cdef extern from "<stdlib.h>" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

cdef enum:
    SWEEPS = 2
    ITERATIONS = 200
    BISECTIONS = 200

cdef enum:
    ABSENT = -1                 # m: no contact there, whatever the step

cdef struct Problem:
    Py_ssize_t rows
    Py_ssize_t stride           # of W's rows, a multiple of LANES; the vectors below are as long
    double* mobility            # W, m/N, symmetric
    double* reach               # square roots of W's diagonal
    double widest               # greatest sum of |W| over a row, m/N
    Law* laws
    double* before              # p0, m; ABSENT where the law is not present
    double* free                # e = p0 + the offset's change, m: p1 = e - s
    double* after               # p1, m
    double* drift               # u, m
    double* step                # s, m
    double* force               # f, N; also the guess
    double* evaluated           # F(s), N
    double* slope               # D, N/m
    double* change              # of f
    double* motion              # W change
    double* kept                # f at the start of a line search
    double* held                # s there
    double* matrix              # the factor L, rows x rows
    double* pivot
    double* inverse             # of the pivots
    double* bound               # 1/D
    double* right
    double* bilateral           # 1 where the law is linear and present
    bint plain                  # all laws are of exponent 1 or linear: these hold them
    double* half
    double* rate
    double* spring
    double* drag
    double* clamp
    Py_ssize_t linear           # number of linear rows present
    Py_ssize_t touching         # number of rows that may have a force at s; the others' f, F, D are 0
    int* touch                  # which
    int* active                 # of them those with a slope
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
    cdef Py_ssize_t whole = rows * n + padded(rows * rows) + padded(laws) + 25 * n
    cdef double* next
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
    g.matrix = carved(&next, rows * rows)
    g.reach = carved(&next, rows)
    g.laws = <Law*>carved(&next, laws)
    g.before = carved(&next, rows)
    g.free = carved(&next, rows)
    g.after = carved(&next, rows)
    g.drift = carved(&next, rows)
    g.step = carved(&next, rows)
    g.force = carved(&next, rows)
    g.evaluated = carved(&next, rows)
    g.slope = carved(&next, rows)
    g.change = carved(&next, rows)
    g.motion = carved(&next, rows)
    g.kept = carved(&next, rows)
    g.held = carved(&next, rows)
    g.pivot = carved(&next, rows)
    g.inverse = carved(&next, rows)
    g.bound = carved(&next, rows)
    g.bilateral = carved(&next, rows)
    g.half = carved(&next, rows)
    g.rate = carved(&next, rows)
    g.spring = carved(&next, rows)
    g.drag = carved(&next, rows)
    g.clamp = carved(&next, rows)
    g.right = carved(&next, rows)
    g.active = <int*>carved(&next, rows)
    g.touch = g.active + padded(rows)           # two ints to a double
    for k in range(n):
        g.before[k] = ABSENT
    return True


cdef inline void release(Problem* g) noexcept nogil:
    free(g.arena)
    g.arena = NULL


cdef inline void meet_laws(Problem* g) noexcept nogil:
    """What the solver knows of the laws, after one has changed."""
    cdef Py_ssize_t k
    cdef const Law* law
    cdef bint linear
    g.linear = 0
    g.plain = True
    for k in range(g.rows):
        law = &g.laws[k]
        linear = is_linear(law)
        g.bilateral[k] = 1.0 if law.present and linear else 0.0
        g.linear += law.present and linear
        g.plain = g.plain and (law.kind == LINEAR or (law.kind == CONTACT and law.halves == 2))
        g.half[k] = 0.0 if linear or not law.present else 0.5 * law.stiffness
        g.rate[k] = 0.0 if linear else law.rate
        g.spring[k] = 0.5 * law.stiffness if linear else 0.0
        g.drag[k] = law.rate if linear else 0.0
        g.clamp[k] = 0.0 if linear or law.adhesive else 1.0


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


cdef inline void gather_step(Problem* g) noexcept nogil:
    """s = u + W f, eq. (26), anew: carried on, the rounding of large forces on the way would stay in s."""
    cdef Py_ssize_t i, k
    copy(g.step, g.drift, g.stride)
    for i in range(g.touching):
        k = g.touch[i]
        if g.force[k] != 0.0:
            add_scaled(g.step, &g.mobility[k * g.stride], g.force[k], g.stride)


cdef inline void find_touching(Problem* g) noexcept nogil:
    """p1, and the rows that may push there; the others' forces are 0."""
    cdef Py_ssize_t k
    cdef Py_ssize_t n = 0
    subtract(g.after, g.free, g.step, g.stride)
    for k in range(g.rows):
        g.touch[n] = <int>k                     # kept if n goes on: no branch that a processor could guess wrong
        n += 1 - ((g.before[k] <= 0.0) & (g.after[k] <= 0.0) & (g.force[k] == 0.0) & (g.bilateral[k] == 0.0))
    g.touching = n


cdef inline double steepest_reach(crdouble slope, crdouble before, crdouble step, crdouble reach, double pushed,
                                  Py_ssize_t n) noexcept nogil:
    """max D (|p0| + |s| + |W||f|), N; W's being semidefinite bounds |W||f| by its diagonal."""
    cdef double acc[8]
    cdef double value
    cdef Py_ssize_t i, j
    for j in range(8):
        acc[j] = 0.0
    for i in range(0, n, 8):
        for j in range(8):
            value = slope[i + j] * (fabs(before[i + j]) + fabs(step[i + j]) + reach[i + j] * pushed)
            acc[j] = value if value > acc[j] else acc[j]
    return greatest_lane(acc)


cdef inline double apply_laws(Problem* g, double* floor_scale) noexcept nogil:
    """F and D at s, 0 for rows that do not touch; returns max|f - F| and the rounding floor of that difference."""
    cdef Py_ssize_t i, k
    cdef double steepest
    find_touching(g)
    if g.plain:
        unit_laws(g.before, g.after, g.half, g.rate, g.spring, g.drag, g.clamp, g.evaluated, g.slope, g.stride)
    else:
        clear(g.evaluated, g.stride)
        clear(g.slope, g.stride)
        for i in range(g.touching):
            k = g.touch[i]
            g.evaluated[k] = force_and_slope(&g.laws[k], g.before[k], g.after[k], &g.slope[k])
    # s came from sums as large as |W||f|
    steepest = steepest_reach(g.slope, g.before, g.step, g.reach, dot_size(g.reach, g.force, g.stride), g.stride)
    floor_scale[0] = 4.0 * (8e-16 * steepest + 4e-16 * greatest_size(g.evaluated, g.stride))
    return greatest_gap(g.force, g.evaluated, g.stride)


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
    cdef Py_ssize_t i, k
    cdef double w, e, force
    cdef bint known = True
    for i in range(g.touching):
        k = g.touch[i]
        w = g.mobility[k * g.stride + k]
        e = g.free[k] - g.step[k] + w * g.force[k]
        force = closed_force(&g.laws[k], g.before[k], e, w, &known)
        if not known:
            if g.laws[k].halves != 2 and g.touching > 1:
                continue                        # powers are dear: Newton on all rows does it in fewer
            force = lone_force(&g.laws[k], g.before[k], e, w)
        if force != g.force[k]:
            add_scaled(g.step, &g.mobility[k * g.stride], force - g.force[k], g.stride)
            g.force[k] = force


cdef inline void solve_symmetric(Problem* g, Py_ssize_t n) noexcept nogil:
    """(W + 1/D) f = right on the active rows by L D L^T; f replaces right."""
    cdef Py_ssize_t i, j, m
    cdef double value, pivot
    cdef double* lower = g.matrix
    cdef double* row
    for i in range(n):
        row = &g.mobility[g.active[i] * g.stride]
        pivot = row[g.active[i]] + g.bound[i]
        for j in range(i):
            value = row[g.active[j]]
            for m in range(j):
                value -= lower[i * n + m] * lower[j * n + m] * g.pivot[m]
            value *= g.inverse[j]
            lower[i * n + j] = value
            pivot -= value * value * g.pivot[j]
        # W is semidefinite, so a pivot is at least 1/D but for rounding
        g.pivot[i] = pivot if pivot > g.bound[i] else g.bound[i]
        g.inverse[i] = 1.0 / g.pivot[i]
    for i in range(n):
        for m in range(i):
            g.right[i] -= lower[i * n + m] * g.right[m]
    for i in range(n - 1, -1, -1):
        g.right[i] *= g.inverse[i]
        for m in range(i + 1, n):
            g.right[i] -= lower[m * n + i] * g.right[m]


cdef inline void find_change(Problem* g) noexcept nogil:
    """The Newton change of f on the rows with a slope, eqs. (29), (30) in a symmetric form; the others go to 0."""
    cdef Py_ssize_t i, k
    cdef Py_ssize_t n = 0
    for k in range(g.stride):
        g.change[k] = -g.force[k]
    for i in range(g.touching):
        k = g.touch[i]
        if g.slope[k] > 0.0:
            g.bound[n] = 1.0 / g.slope[k]
            g.right[n] = g.evaluated[k] * g.bound[n] + (g.step[k] - g.drift[k])
            g.active[n] = <int>k
            n += 1
    solve_symmetric(g, n)
    for i in range(n):
        g.change[g.active[i]] += g.right[i]


cdef inline double search_line(Problem* g, double* floor_scale) noexcept nogil:
    """Goes along the change until the objective's slope has halved; returns max|f - F| there."""
    cdef double start, here, worst
    cdef double length = 1.0
    copy(g.kept, g.force, g.stride)
    add(g.force, g.kept, g.change, g.stride)
    copy(g.held, g.step, g.stride)
    gather_step(g)
    subtract(g.motion, g.step, g.held, g.stride)
    start = dot_gap(g.motion, g.kept, g.evaluated, g.stride)
    for _ in range(40):
        worst = apply_laws(g, floor_scale)
        if worst <= floor_scale[0]:
            break                               # at the rounding floor the sign of the slope is noise
        # the objective's derivative along the change, motion . (f - F(s)), J
        here = dot_gap(g.motion, g.force, g.evaluated, g.stride)
        if here <= 0.5 * fabs(start):
            break
        here = max(0.1 * length, length * start / (start - here))
        copy(g.force, g.kept, g.stride)
        add_scaled(g.force, g.change, here, g.stride)
        add_scaled(g.step, g.motion, here - length, g.stride)
        length = here
    return worst


cdef inline int solve(Problem* g) noexcept nogil:
    """Finds f, s and p1 from u, p0, e and the guess f; returns the Newton iterations, -1 if the stopping rule was not reached."""
    cdef Py_ssize_t k
    cdef double worst, near, last
    cdef double floor_scale = 0.0
    cdef int i
    copy(g.step, g.drift, g.stride)
    subtract(g.after, g.free, g.step, g.stride)
    if g.linear == 0 and none_above_zero(g.before, g.after, g.stride):
        clear(g.force, g.stride)
        g.touching = 0
        return 0
    # rows that push unless others push them away; a guess elsewhere is dropped
    for k in range(g.rows):
        if g.before[k] <= 0.0 and g.free[k] - g.drift[k] <= 0.0 and g.bilateral[k] == 0.0:
            g.force[k] = 0.0
    find_touching(g)
    g.solves += 1
    gather_step(g)
    for _ in range(SWEEPS if g.touching > 1 else 1):
        sweep_rows(g)
    worst = apply_laws(g, &floor_scale)
    near = 1e-13 * greatest_size(g.drift, g.stride) / g.widest
    last = INFINITY
    i = 0
    while i < ITERATIONS:
        if worst <= floor_scale / 16.0 or worst <= near or worst != worst:
            break
        if worst <= floor_scale and worst > 0.25 * last:
            break                               # rounding has stopped the descent
        last = worst
        find_change(g)
        worst = search_line(g, &floor_scale)
        i += 1
    g.iterations += i
    if i > g.most:
        g.most = i
    if not (worst <= floor_scale or worst <= near):
        g.failures += 1
        return -1
    return i
