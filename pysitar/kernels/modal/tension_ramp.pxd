# A tension that changes at every step: from one knot to the next, C of each mode, and so W, change
# in equal steps; step k = 0, 1, ... of a block of n has C0 + (k + 1/2) / n (C1 - C0). By
# (1 + A) 2 C = 1 + R^2 (eq. (21) of van Walstijn & Bridges 2016) A and B follow with a division;
# the knots, where all are exactly those of the tension, take a root, a sine and a cosine.
#
# (y, q) and g are kept in each change, and the jump sum (A' - A) y^2 / xi of the stored energy is
# counted as work. R keeps the value of the last knot.
from libc.stdlib cimport free
from libc.string cimport memset

from pysitar.kernels.contact.problem cimport aligned_alloc, take_vector, update_mobility_norm
from pysitar.kernels.core.lanes cimport (
    add_scaled, copy, crdouble, dot, dot_four, padded_length, rdouble, sum_lanes,
)
from pysitar.kernels.core.ledger cimport add_work
from pysitar.kernels.modal.residual cimport Residual
from pysitar.kernels.modal.state cimport State

cdef struct TensionRamp:
    Py_ssize_t left             # steps up to the next knot; 0: the tension is constant
    double end                  # tension at the next knot, over the stored one, N
    double tension_step         # N
    double* twice_c_step        # change of 2 C in a step; 0 of modes that stay as they are
    double* half_product        # (1 + R^2) / 2
    double* end_a               # A, 2 C, mobility and loss at the next knot
    double* end_twice_c
    double* end_mobility
    double* end_loss
    double* mobility            # at the next knot, of modes that take part, m/N
    double* w                   # V diag(mobility) V^T at the last knot, K rows of g.stride, m/N
    double* end_w               # at the next knot
    double* w_step              # change in a step
    bint has_w                  # `end_w` of the last block is that of the present mobility
    double* arena


cdef inline bint allocate_ramp(TensionRamp* ramp, const State* s) noexcept nogil:
    """Allocate what a ramp needs, all zero, once; return False if memory is exhausted."""
    cdef Py_ssize_t matrix = padded_length(s.g.rows * s.g.stride)
    cdef Py_ssize_t size = (7 * s.stride + 3 * matrix) * <Py_ssize_t>sizeof(double)
    cdef double* next
    if ramp.arena != NULL:
        return True
    ramp.arena = <double*>aligned_alloc(64, size)
    if ramp.arena == NULL:
        return False
    memset(ramp.arena, 0, size)
    next = ramp.arena
    ramp.twice_c_step = take_vector(&next, s.stride)
    ramp.half_product = take_vector(&next, s.stride)
    ramp.end_a = take_vector(&next, s.stride)
    ramp.end_twice_c = take_vector(&next, s.stride)
    ramp.end_mobility = take_vector(&next, s.stride)
    ramp.end_loss = take_vector(&next, s.stride)
    ramp.mobility = take_vector(&next, s.stride)
    ramp.w = take_vector(&next, matrix)
    ramp.end_w = take_vector(&next, matrix)
    ramp.w_step = take_vector(&next, matrix)
    return True


cdef inline void release_ramp(TensionRamp* ramp) noexcept nogil:
    free(ramp.arena)
    ramp.arena = NULL


cdef inline void find_modal_mobility(State* s, const double* mobility, double* w) noexcept nogil:
    """Compute V diag(mobility) V^T with the bits of `update_mobility`."""
    cdef Py_ssize_t i, j, k
    cdef Py_ssize_t n = s.g.stride
    cdef double* row
    for k in range(s.g.rows):
        row = &s.shapes[k * s.stride]
        for i in range(s.stride):
            s.modal_force[i] = mobility[i] * row[i]
        j = 0
        while j + 4 <= k + 1:
            row = &s.shapes[j * s.stride]
            dot_four(row, row + s.stride, row + 2 * s.stride, row + 3 * s.stride, s.modal_force,
                     s.stride, &w[k * n + j], &w[k * n + j + 1], &w[k * n + j + 2],
                     &w[k * n + j + 3])
            j += 4
        while j <= k:
            w[k * n + j] = dot(s.modal_force, &s.shapes[j * s.stride], s.stride)
            j += 1
        for j in range(k):
            w[j * n + k] = w[k * n + j]


cdef inline void plan_mobility(State* s, TensionRamp* ramp, double steps) noexcept nogil:
    """Find the change of W in each of the steps that are left of a block."""
    cdef Py_ssize_t i
    cdef double* w = ramp.w
    if ramp.has_w:
        ramp.w, ramp.end_w = ramp.end_w, w
    else:
        find_modal_mobility(s, s.mobility, ramp.w)
    for i in range(s.stride):       # modes that begin at the next knot have none before it
        ramp.mobility[i] = ramp.end_mobility[i] if s.mobility[i] != 0.0 else 0.0
    find_modal_mobility(s, ramp.mobility, ramp.end_w)
    ramp.has_w = True
    for i in range(s.g.rows * s.g.stride):
        ramp.w_step[i] = (ramp.end_w[i] - ramp.w[i]) / steps


cdef inline double move_modes(rdouble a, rdouble twice_c, rdouble mobility, rdouble loss,
                              crdouble twice_c_step, crdouble half_product, crdouble xi,
                              crdouble inverse_xi, crdouble y, double part,
                              Py_ssize_t n) noexcept nogil:
    """Change A, 2 C, mobility and loss by a part of a step; return the jump of the energy, J."""
    cdef double acc[8]
    cdef double value, inverse, stiffness
    cdef Py_ssize_t i, j
    for j in range(8):
        acc[j] = 0.0
    for i in range(0, n, 8):
        for j in range(8):
            value = twice_c[i + j] + part * twice_c_step[i + j]
            inverse = 2.0 / value
            stiffness = half_product[i + j] * inverse - 1.0
            stiffness = stiffness if twice_c_step[i + j] != 0.0 else a[i + j]
            acc[j] += inverse_xi[i + j] * (stiffness - a[i + j]) * y[i + j] * y[i + j]
            loss[i + j] = ((inverse - 1.0 - stiffness) * inverse_xi[i + j]
                           if twice_c_step[i + j] != 0.0 else loss[i + j])
            a[i + j] = stiffness
            twice_c[i + j] = value
            mobility[i + j] = xi[i + j] * (0.5 * value)
    return sum_lanes(acc)


cdef inline void move_ramp(State* s, TensionRamp* ramp, double* a, double* twice_c,
                           double part) noexcept nogil:
    """Change the coefficients by a part of a step."""
    s.tension += part * ramp.tension_step
    s.sleep.is_disturbed = True
    add_work(&s.ledger, move_modes(a, twice_c, s.mobility, s.loss, ramp.twice_c_step,
                                   ramp.half_product, s.xi, s.inverse_xi, s.y, part, s.stride))
    add_scaled(s.g.mobility, ramp.w_step, part, s.g.rows * s.g.stride)
    s.g.has_condensation = False


cdef inline void load_end_mobility(State* s, TensionRamp* ramp) noexcept nogil:
    """Set W to that of the knot, with R."""
    cdef const Residual* r = &s.residual
    cdef Py_ssize_t j, k
    for k in range(s.g.rows):
        copy(&s.g.mobility[k * s.g.stride], &ramp.end_w[k * s.g.stride], s.g.rows)
        if r.is_on:
            for j in range(s.g.rows):
                s.g.mobility[k * s.g.stride + j] += (r.compliance[k * r.stride + j]
                                                     * r.inverse_theta)
    update_mobility_norm(&s.g)
