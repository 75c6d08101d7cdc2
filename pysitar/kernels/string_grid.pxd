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

from pysitar.kernels.lanes cimport LANES, crdouble, folded, padded, rdouble
from pysitar.kernels.problem cimport aligned_alloc

cdef enum:
    GRID_VECTORS = 6

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
    double pull                 # the numbers / (1 + sigma0 k)
    double bend
    double fade
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
    g.pull = g.tension_number / whole
    g.bend = g.bending_number / whole
    g.fade = g.loss_number / whole
    g.mobility = g.time_step * g.time_step / (g.node_mass * whole)


cdef inline bint allocate_grid(StringGrid* g, Py_ssize_t intervals) noexcept nogil:
    """Room for a string of M intervals, all zero; False without memory. `release_grid` gives it back."""
    cdef Py_ssize_t n = padded(intervals + 1)
    cdef Py_ssize_t whole = GRID_VECTORS * (n + 2 * LANES)
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
        vectors[k][0] = g.arena + k * (n + 2 * LANES) + LANES
    return True


cdef inline void release_grid(StringGrid* g) noexcept nogil:
    free(g.arena)
    g.arena = NULL


cdef inline void second_difference(rdouble to, crdouble a, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(1, m):
        to[i] = (a[i + 1] - a[i]) - (a[i] - a[i - 1])


cdef inline void step_plain(rdouble next, crdouble q, crdouble w, double keep, double pull, double bend, Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(1, m):
        next[i] = keep * q[i] + pull * w[i] - bend * ((w[i + 1] - w[i]) - (w[i] - w[i - 1]))


cdef inline void step_fading(rdouble next, crdouble q, crdouble w, double keep, double pull, double bend, double fade,
                             Py_ssize_t m) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(1, m):
        next[i] = (keep * q[i] + pull * w[i] - bend * ((w[i + 1] - w[i]) - (w[i] - w[i - 1]))
                   + fade * ((q[i + 1] - q[i]) - (q[i] - q[i - 1])))


cdef inline void free_grid_step(StringGrid* g) noexcept nogil:
    """q+ of a step without contact and input."""
    second_difference(g.curve, g.u, g.intervals)
    if g.loss_number == 0.0:
        step_plain(g.next, g.q, g.curve, g.keep, g.pull, g.bend, g.intervals)
    else:
        step_fading(g.next, g.q, g.curve, g.keep, g.pull, g.bend, g.fade, g.intervals)


cdef inline double moved(rdouble u, crdouble next, crdouble q, double even, double uneven, Py_ssize_t n) noexcept nogil:
    """u += q+; returns sum of even s^2 + uneven (D s)^2."""
    cdef double acc[8]
    cdef double s, d
    cdef Py_ssize_t i, j
    for j in range(8):
        acc[j] = 0.0
    for i in range(0, n, 8):
        for j in range(8):
            s = next[i + j] + q[i + j]
            d = (next[i + j + 1] + q[i + j + 1]) - s
            acc[j] += even * (s * s) + uneven * (d * d)
            u[i + j] += next[i + j]
    return folded(acc)


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


cdef inline double still(crdouble q, double fading, Py_ssize_t n) noexcept nogil:
    """sum q^2 - fading (D q)^2 / 2."""
    cdef double acc[8]
    cdef double d
    cdef Py_ssize_t i, j
    for j in range(8):
        acc[j] = 0.0
    for i in range(0, n, 8):
        for j in range(8):
            d = q[i + j + 1] - q[i + j]
            acc[j] += q[i + j] * q[i + j] - 0.5 * fading * (d * d)
    return folded(acc)


cdef inline double strained(crdouble u, crdouble q, crdouble w, crdouble v, double tension, double bending, Py_ssize_t n) noexcept nogil:
    """sum of tension D u D u- + bending d2 u d2 u-, with w = d2 u and v = d2 q."""
    cdef double acc[8]
    cdef double d
    cdef Py_ssize_t i, j
    for j in range(8):
        acc[j] = 0.0
    for i in range(0, n, 8):
        for j in range(8):
            d = u[i + j + 1] - u[i + j]
            acc[j] += tension * (d * (d - (q[i + j + 1] - q[i + j]))) + bending * (w[i + j] * (w[i + j] - v[i + j]))
    return folded(acc)


cdef inline void read_grid_energy(StringGrid* g, double* row) noexcept nogil:
    """Kinetic energy, with what sigma2 takes of it, and potential energy half a step ago, J."""
    cdef double scale = 0.5 * g.node_mass / (g.time_step * g.time_step)
    second_difference(g.curve, g.u, g.intervals)
    second_difference(g.scratch, g.q, g.intervals)
    row[0] = scale * still(g.q, g.loss_number, g.stride)
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
