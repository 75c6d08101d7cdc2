# Residual compliance in a network: R and the outputs' weights of g, and their changes while the
# tension changes or a row moves. residual.pxd describes the method.
from pysitar.kernels.contact.law cimport is_friction
from pysitar.kernels.core.lanes cimport clear, copy, dot
from pysitar.kernels.core.ledger cimport add_work
from pysitar.kernels.modal.residual cimport (
    Residual, StaticKind, displace, has_place, residual_energy, row_compliance, static_response,
)
from pysitar.kernels.modal.rows cimport rows_energy
from pysitar.kernels.modal.state cimport State


cdef inline void scale_shape(const State* s, const double* compliance, Py_ssize_t k,
                             double* scaled) noexcept nogil:
    """Compute V_k diag(1/k*), m/N."""
    cdef Py_ssize_t i
    for i in range(s.stride):
        scaled[i] = s.shapes[k * s.stride + i] * compliance[i]


cdef inline void update_residual_row(State* s, Py_ssize_t k, Py_ssize_t row_count) noexcept nogil:
    """Compute row and column k of R for the first row_count rows."""
    cdef Residual* r = &s.residual
    cdef Py_ssize_t j
    cdef double value
    if has_place(r, k):
        scale_shape(s, r.modal_compliance, k, r.scaled_shape)
    for j in range(row_count):
        value = 0.0
        if has_place(r, j) and has_place(r, k):
            value = (row_compliance(r, k, j, r.tension_change)
                     - dot(r.scaled_shape, &s.shapes[j * s.stride], s.stride))
        r.compliance[k * r.stride + j] = value
        r.compliance[j * r.stride + k] = value


cdef inline double output_weight(const State* s, Py_ssize_t j, Py_ssize_t k,
                                 double tension) noexcept nogil:
    """Return the weight of g of row k in output j; scaled_shape is that of the row."""
    cdef const Residual* r = &s.residual
    return (static_response(r, <StaticKind>r.output_kinds[j], r.output_positions[j], k, tension)
            - dot(r.out_y + j * s.stride, r.scaled_shape, s.stride)
            - tension * dot(r.out_t + j * s.stride, r.scaled_shape, s.stride))


cdef inline void update_output_weights(State* s, Py_ssize_t k) noexcept nogil:
    """Compute the outputs' weights of g of row k."""
    cdef Residual* r = &s.residual
    cdef Py_ssize_t j
    if r.outputs and has_place(r, k):
        scale_shape(s, r.modal_compliance, k, r.scaled_shape)
    for j in range(r.outputs):
        r.output_weights[j * r.stride + k] = (
            output_weight(s, j, k, r.tension_change)
            if has_place(r, k) and r.output_kinds[j] else 0.0)


cdef inline void update_residual(State* s) noexcept nogil:
    """Compute R and the outputs' weights of g from 1/k* of the modes; g is kept."""
    cdef Py_ssize_t k
    for k in range(s.residual.rows):
        update_residual_row(s, k, k + 1)
        update_output_weights(s, k)
    displace(&s.residual, s.residual.force, s.residual.displacement)


cdef inline double stored_residual_energy(const State* s) noexcept nogil:
    """Return the energy that depends on z, J: of the residual compliance and of the rows."""
    return residual_energy(&s.residual) + rows_energy(s)


cdef inline void move_compressions(State* s, const double* z_before) noexcept nogil:
    """Change p of the present rows by the change of z; bristles keep their deflection."""
    cdef Py_ssize_t i, k
    for i in range(s.present_count):
        k = s.present_rows[i]
        if not is_friction(&s.g.laws[k]):
            s.g.p_before[k] -= s.residual.displacement[k] - z_before[k]


cdef inline void retune_residual(State* s) noexcept nogil:
    """Update R for new 1/k* and a new tension, and the compressions."""
    cdef Residual* r = &s.residual
    copy(r.next_displacement, r.displacement, r.stride)
    update_residual(s)
    move_compressions(s, r.next_displacement)


cdef inline void unload_row(State* s, Py_ssize_t k) noexcept nogil:
    """Set g of a row to 0 before it moves; the jump of the stored energy is counted as work."""
    cdef Residual* r = &s.residual
    cdef double energy_before
    if r.force[k] == 0.0:
        return
    energy_before = stored_residual_energy(s)
    copy(r.next_displacement, r.displacement, r.stride)
    r.force[k] = 0.0
    displace(r, r.force, r.displacement)
    move_compressions(s, r.next_displacement)
    add_work(&s.ledger, stored_residual_energy(s) - energy_before)


cdef inline void place_row(State* s, Py_ssize_t k, double position, double weight,
                           double side_weight) noexcept nogil:
    """Set place (m) and weights of a row whose shape has been set, and update R."""
    s.residual.position[k], s.residual.weight[k] = position, weight
    s.residual.side_weight[k] = side_weight
    update_residual_row(s, k, s.residual.rows)
    update_output_weights(s, k)
    displace(&s.residual, s.residual.force, s.residual.displacement)


cdef inline void load_residual(State* s, const double* force) noexcept nogil:
    """Set g to forces at rest (N), z = R g."""
    cdef Residual* r = &s.residual
    cdef Py_ssize_t k
    r.is_loaded = False
    for k in range(r.rows):
        r.force[k] = force[k]
        r.is_loaded = r.is_loaded or force[k] != 0.0
    displace(r, r.force, r.displacement)


cdef inline void clear_residual(State* s) noexcept nogil:
    """Set g and z to 0."""
    clear(s.residual.force, s.residual.stride)
    clear(s.residual.displacement, s.residual.stride)
    s.residual.is_loaded = False
