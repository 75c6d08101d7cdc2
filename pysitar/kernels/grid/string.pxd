# A string on a grid: step without contact, energy and losses (Ducceschi & Bilbao 2019, eq. (29)
# with losses).
#
# M intervals, nodes 0 .. M, both ends simply supported: u = 0 and d2 u = 0. State: u and
# q = u(n) - u(n - 1); storing q keeps small differences free of the round-off of large sums. With
# l = tension_number, m = bending_number, z = loss_number and k the time step, one step is
#   (1 + sigma0 k) q+ = (1 - sigma0 k) q + l d2 u - m d2 d2 u + z d2 q + k^2 f / node_mass
#   u += q+
# The energy and its balance, with u- = u - q, s = q+ + q and D the difference of neighbours:
#   H(n - 1/2) = node_mass / (2 k^2) sum (q^2 - z (D q)^2 / 2 + l D u D u- + m d2 u d2 u-)
#   H(n + 1/2) - H(n - 1/2) = work - node_mass / (4 k^2) sum (2 sigma0 k s^2 + z (D s)^2)
# A force f (N) on a node does the work f s / 2 in a step.
from libc.stdlib cimport free
from libc.string cimport memset

from pysitar.kernels.contact.problem cimport aligned_alloc
from pysitar.kernels.core.lanes cimport LANES, crdouble, padded_length, rdouble

# Sums of differences in eight fixed accumulators. Explicit vectors, because the compiler does not
# vectorise the loops. n is a multiple of 8, and the value at n is 0.
cdef extern from * nogil:
    """
    #include "simd.h"

    /* u += x; sum of node_loss s^2 + slope_loss (D s)^2, s = x + q */
    static inline double pysitar_move_lossy(double *u, const double *x, const double *q,
                                            double node_loss, double slope_loss, ptrdiff_t n)
    {
        pysitar_v4 a = {0}, b = {0};
        for (ptrdiff_t i = 0; i < n; i += 8) {
            const pysitar_v4 x0 = PYSITAR_LOAD(x + i), x1 = PYSITAR_LOAD(x + i + 4);
            const pysitar_v4 s0 = x0 + PYSITAR_LOAD(q + i), s1 = x1 + PYSITAR_LOAD(q + i + 4);
            const pysitar_v4 d0 = (PYSITAR_LOAD(x + i + 1) + PYSITAR_LOAD(q + i + 1)) - s0;
            const pysitar_v4 d1 = (PYSITAR_LOAD(x + i + 5) + PYSITAR_LOAD(q + i + 5)) - s1;
            a += node_loss * (s0 * s0) + slope_loss * (d0 * d0);
            b += node_loss * (s1 * s1) + slope_loss * (d1 * d1);
            *(pysitar_v4 *)(u + i) += x0;
            *(pysitar_v4 *)(u + i + 4) += x1;
        }
        a += b;
        return PYSITAR_FOLD(a);
    }

    /* sum of q^2 - half_loss (D q)^2 */
    static inline double pysitar_kinetic_sum(const double *q, double half_loss, ptrdiff_t n)
    {
        pysitar_v4 a = {0}, b = {0};
        for (ptrdiff_t i = 0; i < n; i += 8) {
            const pysitar_v4 q0 = PYSITAR_LOAD(q + i), q1 = PYSITAR_LOAD(q + i + 4);
            const pysitar_v4 d0 = PYSITAR_LOAD(q + i + 1) - q0, d1 = PYSITAR_LOAD(q + i + 5) - q1;
            a += q0 * q0 - half_loss * (d0 * d0);
            b += q1 * q1 - half_loss * (d1 * d1);
        }
        a += b;
        return PYSITAR_FOLD(a);
    }

    /* sum of tension D u D (u - q) + bending w (w - v) */
    static inline double pysitar_potential_sum(const double *u, const double *q, const double *w,
                                               const double *v, double tension,
                                          double bending, ptrdiff_t n)
    {
        pysitar_v4 a = {0}, b = {0};
        for (ptrdiff_t i = 0; i < n; i += 8) {
            const pysitar_v4 w0 = PYSITAR_LOAD(w + i), w1 = PYSITAR_LOAD(w + i + 4);
            const pysitar_v4 d0 = PYSITAR_LOAD(u + i + 1) - PYSITAR_LOAD(u + i);
            const pysitar_v4 d1 = PYSITAR_LOAD(u + i + 5) - PYSITAR_LOAD(u + i + 4);
            const pysitar_v4 e0 = PYSITAR_LOAD(q + i + 1) - PYSITAR_LOAD(q + i);
            const pysitar_v4 e1 = PYSITAR_LOAD(q + i + 5) - PYSITAR_LOAD(q + i + 4);
            a += tension * (d0 * (d0 - e0)) + bending * (w0 * (w0 - PYSITAR_LOAD(v + i)));
            b += tension * (d1 * (d1 - e1)) + bending * (w1 * (w1 - PYSITAR_LOAD(v + i + 4)));
        }
        a += b;
        return PYSITAR_FOLD(a);
    }
    """
    double move_with_loss "pysitar_move_lossy"(double* u, const double* x, const double* q,
                                               double node_loss, double slope_loss, Py_ssize_t n)
    double kinetic_sum "pysitar_kinetic_sum"(const double* q, double half_loss, Py_ssize_t n)
    double potential_sum "pysitar_potential_sum"(const double* u, const double* q, const double* w,
                                                 const double* v, double tension, double bending,
                                                 Py_ssize_t n)

cdef enum:
    GRID_VECTORS = 5
    VECTOR_MARGIN = 32          # zeros after a vector, which blocks of nodes may read

cdef struct StringGrid:
    Py_ssize_t intervals        # M
    Py_ssize_t stride           # vector length, at least M + 1, a multiple of LANES; zeros follow
    double time_step            # k, s
    double node_mass            # kg
    double sigma0               # frequency-independent decay rate, 1/s
    double tension_number       # l
    double bending_number       # m
    double loss_number          # z
    double decay_factor         # (1 - sigma0 k) / (1 + sigma0 k)
    double drag                 # sigma0 k
    double center_weight        # of d2 u at the node: (l + 2 m) / (1 + sigma0 k)
    double neighbour_weight     # of d2 u at its neighbours: m / (1 + sigma0 k)
    double loss_weight          # z / (1 + sigma0 k)
    double mobility             # of q+ for a force on the node, m/N
    double* u                   # displacement, m
    double* q                   # u(n) - u(n - 1), m
    double* next                # q+, m
    double* curvature           # d2 u, m; also scratch
    double* scratch
    double* arena


cdef inline void set_grid_damping(StringGrid* g, double sigma0) noexcept nogil:
    """Set sigma0 (1/s) from the coming step on; the stored energy does not depend on it."""
    cdef double denominator
    g.sigma0 = sigma0
    g.decay_factor = (1.0 - sigma0 * g.time_step) / (1.0 + sigma0 * g.time_step)
    # the other coefficients follow from the rounded decay factor, so a slow decay has no energy
    # drift
    g.drag = (1.0 - g.decay_factor) / (1.0 + g.decay_factor)
    denominator = 2.0 / (1.0 + g.decay_factor)
    g.center_weight = (g.tension_number + 2.0 * g.bending_number) / denominator
    g.neighbour_weight = g.bending_number / denominator
    g.loss_weight = g.loss_number / denominator
    g.mobility = g.time_step * g.time_step / (g.node_mass * denominator)


cdef inline bint allocate_grid(StringGrid* g, Py_ssize_t intervals) noexcept nogil:
    """Allocate a string of M intervals, all zero.

    Return False if memory is exhausted. Free with `release_grid`.
    """
    cdef Py_ssize_t n = padded_length(intervals + 1)
    cdef Py_ssize_t size = GRID_VECTORS * (n + LANES + VECTOR_MARGIN)
    cdef double** vectors[GRID_VECTORS]
    cdef Py_ssize_t k
    memset(g, 0, sizeof(StringGrid))
    g.arena = <double*>aligned_alloc(64, size * sizeof(double))
    if g.arena == NULL:
        return False
    memset(g.arena, 0, size * sizeof(double))
    g.intervals = intervals
    g.stride = n
    vectors = [&g.u, &g.q, &g.next, &g.curvature, &g.scratch]
    for k in range(GRID_VECTORS):
        vectors[k][0] = g.arena + k * (n + LANES + VECTOR_MARGIN) + LANES
    return True


cdef inline void release_grid(StringGrid* g) noexcept nogil:
    free(g.arena)
    g.arena = NULL


cdef inline void second_difference(rdouble to, crdouble a, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(1, m):
        to[i] = (a[i + 1] - a[i]) - (a[i] - a[i - 1])


cdef inline void step_without_loss(rdouble next, crdouble q, crdouble w, double decay_factor,
                                   double center_weight, double neighbour_weight,
                                   Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(1, m):
        next[i] = (decay_factor * q[i] + (center_weight * w[i]
                                          - neighbour_weight * (w[i - 1] + w[i + 1])))


cdef inline void step_with_loss(rdouble next, crdouble q, crdouble w, double decay_factor,
                                double center_weight, double neighbour_weight, double loss_weight,
                                Py_ssize_t m) noexcept nogil:
    # d2 q from differences: expanded into coefficients, its round-off would be a loss not in the
    # ledger
    cdef Py_ssize_t i
    for i in range(1, m):
        next[i] = ((decay_factor * q[i] + loss_weight * ((q[i + 1] - q[i]) - (q[i] - q[i - 1])))
                   + (center_weight * w[i] - neighbour_weight * (w[i - 1] + w[i + 1])))


cdef inline void step_free_grid(StringGrid* g) noexcept nogil:
    """Compute q+ of a step without contact and input."""
    second_difference(g.curvature, g.u, g.intervals)
    if g.loss_number == 0.0:
        step_without_loss(g.next, g.q, g.curvature, g.decay_factor, g.center_weight,
                          g.neighbour_weight, g.intervals)
    else:
        step_with_loss(g.next, g.q, g.curvature, g.decay_factor, g.center_weight,
                       g.neighbour_weight, g.loss_weight, g.intervals)


cdef inline void move_without_loss(rdouble u, crdouble next, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        u[i] += next[i]


cdef inline double finish_grid_step(StringGrid* g) noexcept nogil:
    """Move to u(n + 1) by the complete q+; return the energy dissipated by the string, J."""
    cdef double loss = 0.0
    cdef double scale = 0.25 * g.node_mass / (g.time_step * g.time_step)
    cdef double* q = g.q
    if g.sigma0 == 0.0 and g.loss_number == 0.0:
        move_without_loss(g.u, g.next, g.stride)
    else:
        loss = move_with_loss(g.u, g.next, g.q, 2.0 * g.drag * scale, g.loss_number * scale,
                              g.stride)
    g.q = g.next
    g.next = q
    return loss


cdef inline void sample_grid_energy(StringGrid* g, double* row) noexcept nogil:
    """Write kinetic energy, including the negative sigma2 term of H, and potential energy at n -
    1/2, J."""
    cdef double scale = 0.5 * g.node_mass / (g.time_step * g.time_step)
    second_difference(g.curvature, g.u, g.intervals)
    second_difference(g.scratch, g.q, g.intervals)
    row[0] = scale * kinetic_sum(g.q, 0.5 * g.loss_number, g.stride)
    row[1] = (scale * potential_sum(g.u, g.q, g.curvature, g.scratch, g.tension_number,
                                    g.bending_number, g.stride))


cdef inline void set_grid_state(StringGrid* g, const double* displacement,
                                const double* velocity) noexcept nogil:
    """Set u (m) and (u+ - u-) / (2 k) (m/s) of a step without contact and input, M - 1 values each.

    (2 + z d2) q = (1 + sigma0 k) s - l d2 u + m d2 d2 u with s = 2 k velocity; the matrix is
    diagonally dominant because z <= 1/2.
    """
    cdef Py_ssize_t i
    cdef Py_ssize_t m = g.intervals
    cdef double* w = g.curvature
    cdef double* ratio = g.scratch
    cdef double pivot
    cdef double z = g.loss_number
    for i in range(1, m):
        g.u[i] = displacement[i - 1]
    second_difference(w, g.u, m)
    for i in range(1, m):
        g.q[i] = (2.0 * (1.0 + g.drag) * g.time_step * velocity[i - 1] - g.tension_number * w[i]
                  + g.bending_number * ((w[i + 1] - w[i]) - (w[i] - w[i - 1])))
    ratio[0] = 0.0
    for i in range(1, m):
        pivot = 2.0 - 2.0 * z - z * ratio[i - 1]
        ratio[i] = z / pivot
        g.q[i] = (g.q[i] - z * g.q[i - 1]) / pivot
    for i in range(m - 2, 0, -1):
        g.q[i] -= ratio[i] * g.q[i + 1]
