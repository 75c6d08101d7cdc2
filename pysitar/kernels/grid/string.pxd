# A string on a grid: its step without contact, its energy and its losses (Ducceschi & Bilbao 2019, eq. (29) with losses).
#
# M intervals, nodes 0 .. M, both ends at 0 and simply supported: d2 u = 0 there. State: u and q = u(n) - u(n - 1), which keeps small
# differences free of the rounding of large sums. With l = tension_number, m = bending_number, z = loss_number, k the time step:
#   (1 + sigma0 k) q+ = (1 - sigma0 k) q + l d2 u - m d2 d2 u + z d2 q + k^2 f / node_mass         u += q+
#   H(n - 1/2) = node_mass / (2 k^2) sum (q^2 - z (D q)^2 / 2 + l D u D u- + m d2 u d2 u-),  u- = u - q, D the difference of neighbours
#   H(n + 1/2) - H(n - 1/2) = work - node_mass / (4 k^2) sum (2 sigma0 k s^2 + z (D s)^2),  s = q+ + q
# A force f (N) on a node does f s / 2 of work in a step.
from libc.stdlib cimport free
from libc.string cimport memset

from pysitar.kernels.contact.problem cimport aligned_alloc
from pysitar.kernels.core.lanes cimport LANES, crdouble, padded, rdouble

# Sums of differences in eight fixed accumulators, written in vectors because the compiler does not find them in loops; n is a multiple of
# 8, and there is a 0 at n.
cdef extern from * nogil:
    """
    #include "simd.h"

    /* u += x; sum of even s^2 + uneven (D s)^2, s = x + q */
    static inline double pysitar_moved(double *u, const double *x, const double *q, double even, double uneven, ptrdiff_t n)
    {
        pysitar_v4 a = {0}, b = {0};
        for (ptrdiff_t i = 0; i < n; i += 8) {
            const pysitar_v4 x0 = PYSITAR_LOAD(x + i), x1 = PYSITAR_LOAD(x + i + 4);
            const pysitar_v4 s0 = x0 + PYSITAR_LOAD(q + i), s1 = x1 + PYSITAR_LOAD(q + i + 4);
            const pysitar_v4 d0 = (PYSITAR_LOAD(x + i + 1) + PYSITAR_LOAD(q + i + 1)) - s0;
            const pysitar_v4 d1 = (PYSITAR_LOAD(x + i + 5) + PYSITAR_LOAD(q + i + 5)) - s1;
            a += even * (s0 * s0) + uneven * (d0 * d0);
            b += even * (s1 * s1) + uneven * (d1 * d1);
            *(pysitar_v4 *)(u + i) += x0;
            *(pysitar_v4 *)(u + i + 4) += x1;
        }
        a += b;
        return PYSITAR_FOLD(a);
    }

    /* sum of q^2 - half_fading (D q)^2 */
    static inline double pysitar_still(const double *q, double half_fading, ptrdiff_t n)
    {
        pysitar_v4 a = {0}, b = {0};
        for (ptrdiff_t i = 0; i < n; i += 8) {
            const pysitar_v4 q0 = PYSITAR_LOAD(q + i), q1 = PYSITAR_LOAD(q + i + 4);
            const pysitar_v4 d0 = PYSITAR_LOAD(q + i + 1) - q0, d1 = PYSITAR_LOAD(q + i + 5) - q1;
            a += q0 * q0 - half_fading * (d0 * d0);
            b += q1 * q1 - half_fading * (d1 * d1);
        }
        a += b;
        return PYSITAR_FOLD(a);
    }

    /* sum of tension D u D (u - q) + bending w (w - v) */
    static inline double pysitar_strained(const double *u, const double *q, const double *w, const double *v, double tension,
                                          double bending, ptrdiff_t n)
    {
        pysitar_v4 a = {0}, b = {0};
        for (ptrdiff_t i = 0; i < n; i += 8) {
            const pysitar_v4 w0 = PYSITAR_LOAD(w + i), w1 = PYSITAR_LOAD(w + i + 4);
            const pysitar_v4 d0 = PYSITAR_LOAD(u + i + 1) - PYSITAR_LOAD(u + i), d1 = PYSITAR_LOAD(u + i + 5) - PYSITAR_LOAD(u + i + 4);
            const pysitar_v4 e0 = PYSITAR_LOAD(q + i + 1) - PYSITAR_LOAD(q + i), e1 = PYSITAR_LOAD(q + i + 5) - PYSITAR_LOAD(q + i + 4);
            a += tension * (d0 * (d0 - e0)) + bending * (w0 * (w0 - PYSITAR_LOAD(v + i)));
            b += tension * (d1 * (d1 - e1)) + bending * (w1 * (w1 - PYSITAR_LOAD(v + i + 4)));
        }
        a += b;
        return PYSITAR_FOLD(a);
    }
    """
    double moved "pysitar_moved"(double* u, const double* x, const double* q, double even, double uneven, Py_ssize_t n)
    double still "pysitar_still"(const double* q, double half_fading, Py_ssize_t n)
    double strained "pysitar_strained"(const double* u, const double* q, const double* w, const double* v, double tension,
                                       double bending, Py_ssize_t n)

cdef enum:
    GRID_VECTORS = 6
    TAIL = 32                   # values past a vector, which blocks of nodes may read

cdef struct StringGrid:
    Py_ssize_t intervals        # M
    Py_ssize_t stride           # of the vectors, at least M + 1, a multiple of LANES; past it they have room, all 0
    double time_step
    double node_mass
    double sigma0
    double tension_number
    double bending_number
    double loss_number
    double keep                 # (1 - sigma0 k) / (1 + sigma0 k)
    double drag                 # sigma0 k
    double own                  # of d2 u on the node: (tension_number + 2 bending_number) / (1 + sigma0 k)
    double bend                 # on the nodes beside it: bending_number / (1 + sigma0 k)
    double fade                 # loss_number / (1 + sigma0 k)
    double mobility             # of q+ by a force on the node, m/N
    double* u                   # m
    double* q                   # m
    double* next                # q+
    double* curve               # d2 u, and scratch
    double* scratch
    double* more
    double* arena


cdef inline void damp_grid(StringGrid* g, double sigma0) noexcept nogil:
    """Another sigma0 (1/s) from the coming step on: it stores nothing."""
    cdef double whole
    g.sigma0 = sigma0
    g.keep = (1.0 - sigma0 * g.time_step) / (1.0 + sigma0 * g.time_step)
    # what follows is of the rounded value, so that the books of a slow decay have no drift
    g.drag = (1.0 - g.keep) / (1.0 + g.keep)
    whole = 2.0 / (1.0 + g.keep)
    g.own = (g.tension_number + 2.0 * g.bending_number) / whole
    g.bend = g.bending_number / whole
    g.fade = g.loss_number / whole
    g.mobility = g.time_step * g.time_step / (g.node_mass * whole)


cdef inline bint allocate_grid(StringGrid* g, Py_ssize_t intervals) noexcept nogil:
    """Room for a string of M intervals, all zero; False without memory. `release_grid` gives it back."""
    cdef Py_ssize_t n = padded(intervals + 1)
    cdef Py_ssize_t whole = GRID_VECTORS * (n + LANES + TAIL)
    cdef double** vectors[GRID_VECTORS]
    cdef Py_ssize_t k
    memset(g, 0, sizeof(StringGrid))
    g.arena = <double*>aligned_alloc(64, whole * sizeof(double))
    if g.arena == NULL:
        return False
    memset(g.arena, 0, whole * sizeof(double))
    g.intervals = intervals
    g.stride = n
    vectors = [&g.u, &g.q, &g.next, &g.curve, &g.scratch, &g.more]
    for k in range(GRID_VECTORS):
        vectors[k][0] = g.arena + k * (n + LANES + TAIL) + LANES
    return True


cdef inline void release_grid(StringGrid* g) noexcept nogil:
    free(g.arena)
    g.arena = NULL


cdef inline void second_difference(rdouble to, crdouble a, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(1, m):
        to[i] = (a[i + 1] - a[i]) - (a[i] - a[i - 1])


cdef inline void step_plain(rdouble next, crdouble q, crdouble w, double keep, double own, double bend, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(1, m):
        next[i] = keep * q[i] + (own * w[i] - bend * (w[i - 1] + w[i + 1]))


cdef inline void step_fading(rdouble next, crdouble q, crdouble w, double keep, double own, double bend, double fade,
                             Py_ssize_t m) noexcept nogil:
    # the difference of q as such: what rounding does to it in a sum of coefficients would add up to a loss that is in no book
    cdef Py_ssize_t i
    for i in range(1, m):
        next[i] = (keep * q[i] + fade * ((q[i + 1] - q[i]) - (q[i] - q[i - 1]))) + (own * w[i] - bend * (w[i - 1] + w[i + 1]))


cdef inline void free_grid_step(StringGrid* g) noexcept nogil:
    """q+ of a step without contact and input."""
    second_difference(g.curve, g.u, g.intervals)
    if g.loss_number == 0.0:
        step_plain(g.next, g.q, g.curve, g.keep, g.own, g.bend, g.intervals)
    else:
        step_fading(g.next, g.q, g.curve, g.keep, g.own, g.bend, g.fade, g.intervals)


cdef inline void moved_without_loss(rdouble u, crdouble next, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        u[i] += next[i]


cdef inline double finish_grid_step(StringGrid* g) noexcept nogil:
    """Goes to u(n + 1), once contact and input are in q+; returns the string's loss, J."""
    cdef double loss = 0.0
    cdef double scale = 0.25 * g.node_mass / (g.time_step * g.time_step)
    cdef double* q = g.q
    if g.sigma0 == 0.0 and g.loss_number == 0.0:
        moved_without_loss(g.u, g.next, g.stride)
    else:
        loss = moved(g.u, g.next, g.q, 2.0 * g.drag * scale, g.loss_number * scale, g.stride)
    g.q = g.next
    g.next = q
    return loss


cdef inline void read_grid_energy(StringGrid* g, double* row) noexcept nogil:
    """Kinetic energy, with what sigma2 takes of it, and potential energy half a step ago, J."""
    cdef double scale = 0.5 * g.node_mass / (g.time_step * g.time_step)
    second_difference(g.curve, g.u, g.intervals)
    second_difference(g.scratch, g.q, g.intervals)
    row[0] = scale * still(g.q, 0.5 * g.loss_number, g.stride)
    row[1] = scale * strained(g.u, g.q, g.curve, g.scratch, g.tension_number, g.bending_number, g.stride)


cdef inline void start_grid(StringGrid* g, const double* displacement, const double* velocity) noexcept nogil:
    """u and (u+ - u-) / (2 k) of a step without contact and input, each of the M - 1 interior nodes.

    (2 + z d2) q = (1 + sigma0 k) s - l d2 u + m d2 d2 u with s = 2 k velocity; the matrix is diagonally dominant, as z <= 1/2.
    """
    cdef Py_ssize_t i
    cdef Py_ssize_t m = g.intervals
    cdef double* w = g.curve
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
