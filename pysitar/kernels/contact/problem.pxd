# The problem that the collision solver works on: the rows of a network and vectors over them.
from libc.math cimport fabs, sqrt
from libc.stdlib cimport free
from libc.string cimport memset

from pysitar.kernels.contact.law cimport has_memory, is_bilateral, is_friction
from pysitar.kernels.contact.law_record cimport CONTACT, LINEAR, VISCOUS, Law
from pysitar.kernels.core.lanes cimport LANES, maximum, padded_length

cdef extern from "<stdlib.h>" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

cdef enum:
    VECTOR_COUNT = 28           # vectors of a problem, one value per row
    ABSENT = -1                 # compression of an absent row, m: never in contact
    MOST_DISPLACED = 100        # times the greatest length of a problem: beyond, it is not solved
    MOST_CONDENSED = 8          # linear rows that are eliminated beforehand

cdef struct Problem:
    Py_ssize_t rows             # K
    Py_ssize_t stride  # padded K, a multiple of LANES: length of W's rows and of the vectors
    double* mobility            # W, m/N, symmetric, K rows of `stride`
    double* mobility_root       # square roots of the diagonal of W, (m/N)^(1/2)
    double mobility_norm        # greatest row sum of |W|, m/N
    double force_tolerance      # greatest |f - F| / max|F| of solved forces; 0: no such limit
    int extra_sweeps            # of Gauss-Seidel before Newton's method: 0 or more
    bint has_near_guess         # the guess solves nearly the same problem: no sweeps
    double greatest_force       # max|F| of the last residual of `solve_active_set`, N
    Law* laws
    double* bilateral           # 1 for a linear law that is present, else 0
    Py_ssize_t bilateral_count  # number of such rows
    double* spring_stiffness    # K of a present contact row of exponent 1, else 0, N/m
    double* spring_rate         # damping rate of such a row, else 0, 1/m
    double* spring_clamp        # 1 for such a row that is not adhesive, else 0
    bint has_damped_springs     # any rate is not 0
    Py_ssize_t other_laws       # number of present rows that are no such contact
    bint has_unit_exponents     # every law has exponent 1 or is linear, or is absent friction
    Py_ssize_t memory_count     # laws with a memory
    bint has_attraction         # a mean force of any law may fall with p1
    bint has_friction           # a law may have a force that does not change with p1
    bint has_bridge_friction    # friction rows are pressed by contact rows, and often absent
    double* p_before  # compression p0 at the start of the span, m; ABSENT for an absent law
    double* p_free              # e = p0 + change of the offset, m: p1 = e - s
    double* p_after             # compression p1 at the end of the span, m
    double* drift               # displacement u over the span without row forces, m
    double* step                # displacement s over the span, m
    double* force               # f, N; on entry of the solver the guess
    double* is_active           # 1 for an active row, else 0

    Py_ssize_t active_count  # n active rows, those that may have a force; vectors below are of them
    int* active_rows            # their indices
    double* active_mobility     # their W, n x n, m/N
    double* p0
    double* e
    double* u
    double* s
    double* f
    double* law_force           # F(s), N
    double* slope               # D, N/m
    double* delta_f             # change of f in a Newton step, N
    double* delta_s             # change of s, W delta_f, m
    double* f_start             # f at the start of a line search, N
    double* s_start             # s at the start of a line search, m
    double* factor              # L of W + 1/D, n x n
    double* pivot
    double* inverse_pivot       # 1 / pivot, N/m
    double* compliance          # 1/D, m/N
    double* rhs
    double* column              # of L, while it is computed
    int* system_rows            # indices into the active rows of those with D > 0
    Py_ssize_t system_size      # their number in the last `find_response`

    long long iterations
    long long solves            # steps with active rows
    long long failures          # steps that did not reach the stopping rule
    int most_iterations         # greatest number of iterations in a step
    double* arena

    # the problem that is solved: without its linear rows (condensation.pxd), or the whole one
    double* solved_mobility     # W' or W, m/N
    double* solved_drift        # u' or u, m
    bint is_condensed
    bint has_condensation       # the arrays below are those of the present W and laws
    Py_ssize_t condensed_count  # linear rows
    int condensed_rows[MOST_CONDENSED]
    double condensed_inverse[MOST_CONDENSED * MOST_CONDENSED]       # G, N/m
    double condensed_force[MOST_CONDENSED]      # f_L0, N
    double* condensed_mobility  # W', m/N, K rows of `stride`
    double* condensed_response  # P, condensed_count rows of `stride`
    double* condensed_drift     # u', m
    double* condensed_arena     # NULL: linear rows are solved with the others


cdef inline double rounding_floor(double stiffness_term, double force_term) noexcept nogil:
    """Return the rounding floor of |f - F|, N.

    Parameters: stiffness_term, max D (|p0| + |s| + |W||f|), N; force_term, max|F|, N.
    """
    return 4.0 * (8e-16 * stiffness_term + 4e-16 * force_term)


cdef inline bint should_stop(double residual, double residual_floor, double tolerance,
                             double last_residual) noexcept nogil:
    """Return True to end the iteration.

    The residual max|f - F| (N) is well below its rounding floor or the tolerance, is NaN, or is
    near the floor and no longer decreases.
    """
    if residual <= residual_floor / 16.0 or residual <= tolerance or residual != residual:
        return True
    return residual <= residual_floor and residual > 0.25 * last_residual


cdef inline bint has_run_away(const double* s, const double* u, const double* p0, const double* e,
                              Py_ssize_t n) noexcept nogil:
    """Return True if one of n rows is displaced far beyond all lengths of the problem, as by whole
    Newton steps: the rounding floor is so high there that the stopping rule says nothing."""
    cdef Py_ssize_t i
    cdef double most = 0.0
    cdef double bound = 0.0
    for i in range(n):
        most = maximum(most, fabs(s[i]))
        bound = maximum(bound, maximum(fabs(u[i]), maximum(fabs(p0[i]), fabs(e[i]))))
    return most > MOST_DISPLACED * bound


cdef inline double force_limit(const Problem* g, double tolerance) noexcept nogil:
    """Return the greatest |f - F| (N) to end at: the tolerance (N), or less for soft contacts.

    The tolerance is that of a displacement; for small forces it may be as large as they are.
    """
    cdef double limit = g.force_tolerance * g.greatest_force
    return limit if g.force_tolerance > 0.0 and limit < tolerance else tolerance


cdef inline double* take_vector(double** next, Py_ssize_t n) noexcept nogil:
    cdef double* start = next[0]
    next[0] += padded_length(n)
    return start


cdef inline double* allocate_vectors(double*** vectors, int count, Py_ssize_t n) noexcept nogil:
    """Allocate vectors of n values, all zero; return what to free, NULL if memory is exhausted."""
    cdef Py_ssize_t size = count * padded_length(n if n else 1)
    cdef double* arena = <double*>aligned_alloc(64, size * sizeof(double))
    cdef double* next = arena
    cdef int k
    if arena == NULL:
        return NULL
    memset(arena, 0, size * sizeof(double))
    for k in range(count):
        vectors[k][0] = take_vector(&next, n)
    return arena


cdef inline bint allocate_problem(Problem* g, Py_ssize_t rows) noexcept nogil:
    """Allocate a problem of `rows` rows, all zero; return False if memory is exhausted.

    Call once per problem and free with `release_problem`.
    """
    cdef Py_ssize_t n = padded_length(rows)
    cdef Py_ssize_t laws = ((rows * <Py_ssize_t>sizeof(Law) + <Py_ssize_t>sizeof(double) - 1)
                            // <Py_ssize_t>sizeof(double))
    cdef Py_ssize_t size = (rows * n + 2 * padded_length(rows * rows) + padded_length(laws)
                            + (VECTOR_COUNT + 2) * n + LANES)
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
    vectors = [&g.mobility_root, &g.bilateral, &g.spring_stiffness, &g.spring_rate, &g.spring_clamp,
               &g.p_before, &g.p_free, &g.p_after, &g.drift, &g.step, &g.force, &g.is_active, &g.p0,
               &g.e, &g.u, &g.s, &g.f, &g.law_force, &g.slope, &g.delta_f, &g.delta_s, &g.f_start,
               &g.s_start, &g.pivot, &g.inverse_pivot, &g.compliance, &g.rhs, &g.column]
    for k in range(VECTOR_COUNT):
        vectors[k][0] = take_vector(&next, rows)
    g.active_rows = <int*>take_vector(&next, rows + LANES)
    g.system_rows = <int*>take_vector(&next, rows)
    g.solved_mobility, g.solved_drift = g.mobility, g.drift
    for k in range(n):
        g.p_before[k] = ABSENT
    return True


cdef inline void release_problem(Problem* g) noexcept nogil:
    free(g.arena)
    free(g.condensed_arena)
    g.arena = NULL
    g.condensed_arena = NULL


cdef inline bint has_unit_exponent(const Law* law) noexcept nogil:
    """Return True if the law has exponent 1 or is linear."""
    return law.kind == LINEAR or (law.kind == CONTACT and law.twice_exponent == 2)


cdef inline bint active_rows_have_unit_exponents(const Problem* g) noexcept nogil:
    """Return True if the laws of all active rows have exponent 1 or are linear, whatever rows that
    do not touch have: a plectrum, a hammer."""
    cdef Py_ssize_t i
    for i in range(g.active_count):
        if not has_unit_exponent(&g.laws[g.active_rows[i]]):
            return False
    return True


cdef inline bint is_spring(const Law* law) noexcept nogil:
    """Return True if the law is a present contact of exponent 1."""
    return law.is_present and law.kind == CONTACT and law.twice_exponent == 2


cdef inline void update_springs(Problem* g) noexcept nogil:
    """Update the vectors of the contact rows of exponent 1, after a law has changed."""
    cdef Py_ssize_t k
    cdef const Law* law
    g.other_laws = 0
    g.has_damped_springs = False
    for k in range(g.rows):
        law = &g.laws[k]
        g.spring_stiffness[k] = g.spring_rate[k] = g.spring_clamp[k] = 0.0
        if is_spring(law):
            g.spring_stiffness[k] = law.stiffness
            g.spring_rate[k] = law.rate
            g.spring_clamp[k] = 0.0 if law.adhesive else 1.0
            g.has_damped_springs = g.has_damped_springs or law.rate != 0.0
        else:
            g.other_laws += law.is_present


cdef inline void update_laws(Problem* g) noexcept nogil:
    """Update the fields derived from the laws, after a law has changed."""
    cdef Py_ssize_t k
    g.has_condensation = False
    g.bilateral_count = 0
    g.has_unit_exponents = True
    g.memory_count = 0
    g.has_attraction = False
    g.has_friction = False
    update_springs(g)
    for k in range(g.rows):
        g.memory_count += has_memory(&g.laws[k])
        g.has_attraction = g.has_attraction or (g.laws[k].kind > VISCOUS
                                                and g.laws[k].steepest_fall > 0.0)
        g.has_friction = g.has_friction or (g.laws[k].is_present and is_friction(&g.laws[k]))
        g.has_unit_exponents = (g.has_unit_exponents
                                and (has_unit_exponent(&g.laws[k])
                                     or (g.has_bridge_friction and is_friction(&g.laws[k]))))
        g.bilateral[k] = 1.0 if g.laws[k].is_present and is_bilateral(&g.laws[k]) else 0.0
        g.bilateral_count += g.bilateral[k] > 0.0


cdef inline void update_mobility_norm(Problem* g) noexcept nogil:
    """Update the norm and diagonal roots of W, for the stopping rule, after W has changed."""
    cdef Py_ssize_t k, j
    cdef double sum
    g.has_condensation = False
    g.mobility_norm = 0.0
    for k in range(g.rows):
        sum = 0.0
        g.mobility_root[k] = sqrt(g.mobility[k * g.stride + k])
        for j in range(g.rows):
            sum += fabs(g.mobility[k * g.stride + j])
        if sum > g.mobility_norm:
            g.mobility_norm = sum
