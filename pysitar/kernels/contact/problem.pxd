# What the solver works on: the rows of a network and the vectors over them.
from libc.math cimport fabs, sqrt
from libc.stdlib cimport free
from libc.string cimport memset

from pysitar.kernels.contact.law cimport CONTACT, LINEAR, Law, is_bilateral
from pysitar.kernels.core.lanes cimport LANES, padded_length

cdef extern from "<stdlib.h>" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

cdef enum:
    VECTOR_COUNT = 24           # of a problem, as long as its rows
    ABSENT = -1                 # m: no contact there, whatever the step

cdef struct Problem:
    Py_ssize_t rows
    Py_ssize_t stride           # of W's rows, a multiple of LANES; the vectors of the first group are as long
    double* mobility            # W, m/N, symmetric
    double* mobility_root       # square roots of W's diagonal
    double mobility_norm        # greatest sum of |W| over a row, m/N
    Law* laws
    double* bilateral           # 1 where the law is linear and present
    Py_ssize_t bilateral_count  # number of these
    bint has_unit_exponents     # all laws are of exponent 1 or linear
    double* p_before            # p0, m; ABSENT where the law is not present
    double* p_free              # e = p0 + the offset's change, m: p1 = e - s
    double* p_after             # p1, m
    double* drift               # u, m
    double* step                # s, m
    double* force               # f, N; also the guess
    double* is_active           # 1 where a row is among those that touch

    Py_ssize_t active_count     # n, the rows that may have a force; all that follows is of them alone
    int* active_rows            # which
    double* active_mobility     # their W, n x n
    double* p0
    double* e
    double* u
    double* s
    double* f
    double* law_force           # F(s), N
    double* slope               # D, N/m
    double* delta_f             # of f
    double* delta_s             # W change
    double* f_start             # f at the start of a line search
    double* s_start             # s there
    double* factor              # L, n x n
    double* pivot
    double* inverse_pivot       # of the pivots
    double* compliance          # 1/D
    double* rhs
    int* system_rows            # the rows with a slope
    Py_ssize_t system_size      # how many, of the last `find_response`

    long long iterations
    long long solves            # steps with a force
    long long failures          # steps that did not reach the stopping rule
    int most_iterations         # greatest number of iterations in a step
    double* arena


cdef inline double rounding_floor(double stiffness_term, double force_term) noexcept nogil:
    """What rounding leaves of |f - F|, N: stiffness_term is max D (|p0| + |s| + |W||f|), force_term max|F|."""
    return 4.0 * (8e-16 * stiffness_term + 4e-16 * force_term)


cdef inline bint should_stop(double residual, double residual_floor, double tolerance, double last_residual) noexcept nogil:
    """Whether to iterate no more: max|f - F| well under its rounding floor or near enough, not a number, or stopped by rounding."""
    if residual <= residual_floor / 16.0 or residual <= tolerance or residual != residual:
        return True
    return residual <= residual_floor and residual > 0.25 * last_residual


cdef inline double* take_vector(double** next, Py_ssize_t n) noexcept nogil:
    cdef double* start = next[0]
    next[0] += padded_length(n)
    return start


cdef inline bint allocate_problem(Problem* g, Py_ssize_t rows) noexcept nogil:
    """Room for a problem of `rows` rows, all zero; False without memory. Once for a problem: `release_problem` gives it back."""
    cdef Py_ssize_t n = padded_length(rows)
    cdef Py_ssize_t laws = (rows * <Py_ssize_t>sizeof(Law) + <Py_ssize_t>sizeof(double) - 1) // <Py_ssize_t>sizeof(double)
    cdef Py_ssize_t size = rows * n + 2 * padded_length(rows * rows) + padded_length(laws) + (VECTOR_COUNT + 2) * n + LANES
    cdef double* next
    cdef double** vectors[VECTOR_COUNT]
    cdef Py_ssize_t k
    memset(g, 0, sizeof(Problem))
    g.arena = <double*>aligned_alloc(64, (size if size > 0 else LANES) * sizeof(double))
    if g.arena == NULL:
        return False
    memset(g.arena, 0, size * sizeof(double))
    next = g.arena
    g.rows = rows
    g.stride = n
    g.mobility = take_vector(&next, rows * n)
    g.active_mobility = take_vector(&next, rows * rows)
    g.factor = take_vector(&next, rows * rows)
    g.laws = <Law*>take_vector(&next, laws)
    vectors = [&g.mobility_root, &g.bilateral, &g.p_before, &g.p_free, &g.p_after, &g.drift, &g.step, &g.force, &g.is_active, &g.p0, &g.e,
               &g.u, &g.s, &g.f, &g.law_force, &g.slope, &g.delta_f, &g.delta_s, &g.f_start, &g.s_start, &g.pivot, &g.inverse_pivot,
               &g.compliance, &g.rhs]
    for k in range(VECTOR_COUNT):
        vectors[k][0] = take_vector(&next, rows)
    g.active_rows = <int*>take_vector(&next, rows + LANES)
    g.system_rows = <int*>take_vector(&next, rows)
    for k in range(n):
        g.p_before[k] = ABSENT
    return True


cdef inline void release_problem(Problem* g) noexcept nogil:
    free(g.arena)
    g.arena = NULL


cdef inline void update_laws(Problem* g) noexcept nogil:
    """What the solver knows of the laws, after one has changed."""
    cdef Py_ssize_t k
    g.bilateral_count = 0
    g.has_unit_exponents = True
    for k in range(g.rows):
        g.has_unit_exponents = (g.has_unit_exponents
                                and (g.laws[k].kind == LINEAR or (g.laws[k].kind == CONTACT and g.laws[k].twice_exponent == 2)))
        g.bilateral[k] = 1.0 if g.laws[k].is_present and is_bilateral(&g.laws[k]) else 0.0
        g.bilateral_count += g.bilateral[k] > 0.0


cdef inline void update_mobility_norm(Problem* g) noexcept nogil:
    """What the stopping rule knows of W, after W has changed."""
    cdef Py_ssize_t k, j
    cdef double sum
    g.mobility_norm = 0.0
    for k in range(g.rows):
        sum = 0.0
        g.mobility_root[k] = sqrt(g.mobility[k * g.stride + k])
        for j in range(g.rows):
            sum += fabs(g.mobility[k * g.stride + j])
        if sum > g.mobility_norm:
            g.mobility_norm = sum
