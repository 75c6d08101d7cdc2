# What the solver works on: the rows of a network and the vectors over them.
from libc.math cimport fabs, sqrt
from libc.stdlib cimport free
from libc.string cimport memset

from pysitar.kernels.contact.law cimport CONTACT, LINEAR, Law, is_bilateral
from pysitar.kernels.core.lanes cimport LANES, padded

cdef extern from "<stdlib.h>" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

cdef enum:
    VECTORS = 24                # of a problem, as long as its rows
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
    bint plain                  # all laws are of exponent 1 or linear
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
    Py_ssize_t sloping          # how many, of the last `respond`

    long long iterations
    long long solves            # steps with a force
    long long failures          # steps that did not reach the stopping rule
    int most                    # greatest number of iterations in a step
    double* arena


cdef inline double rounding_floor(double steep, double large) noexcept nogil:
    """What rounding leaves of |f - F|, N: steep is max D (|p0| + |s| + |W||f|), large max|F|."""
    return 4.0 * (8e-16 * steep + 4e-16 * large)


cdef inline bint stops(double worst, double floor_scale, double near, double last) noexcept nogil:
    """Whether to iterate no more: max|f - F| well under its rounding floor or near enough, not a number, or stopped by rounding."""
    if worst <= floor_scale / 16.0 or worst <= near or worst != worst:
        return True
    return worst <= floor_scale and worst > 0.25 * last


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
    g.plain = True
    for k in range(g.rows):
        g.plain = g.plain and (g.laws[k].kind == LINEAR or (g.laws[k].kind == CONTACT and g.laws[k].halves == 2))
        g.bilateral[k] = 1.0 if g.laws[k].present and is_bilateral(&g.laws[k]) else 0.0
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
