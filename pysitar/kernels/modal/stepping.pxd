# What every scheme's loop over the steps is made of: the whole of it is inlined into each clone of the loop.
from pysitar.kernels.contact.solver cimport solve_collision
from pysitar.kernels.core.lanes cimport crdouble, dot, rdouble
from pysitar.kernels.core.ledger cimport BLOCK_STEPS, add_work, close_ledger
from pysitar.kernels.core.sleep cimport decide_sleep, track_output
from pysitar.kernels.modal.elongation cimport tension_rise, update_elongation_row
from pysitar.kernels.modal.rows cimport change_row, correct_entry, finish_rows, project_drift, reset_absent_rows
from pysitar.kernels.modal.state cimport State

cdef enum:                      # what an output has a part of
    DISPLACEMENT_TERM = 1
    VELOCITY_TERM = 2
    FORCE_TERM = 4
    TENSION_TERM = 8

cdef struct Call:
    Py_ssize_t steps
    Py_ssize_t outputs
    Py_ssize_t inputs
    double* out                 # steps x outputs
    double* out_y               # outputs x stride
    double* out_q               # outputs x stride: weights of what dy/dt is read from
    double* out_f               # outputs x rows
    double* out_t               # outputs x stride: of y times the tension over the stored one
    unsigned char* output_terms  # which an output has
    double* forces              # steps x inputs, N
    double* input_shapes        # inputs x stride
    double* input_bridge_shapes  # inputs: of what a force does to a bridge that moves
    double* tensions            # steps, N over the stored one, for the outputs; NULL: as it is
    double* block_tensions      # of each block of BLOCK_STEPS steps that begins; NULL: as it is
    Py_ssize_t controls
    double* control_values      # steps x controls
    int* control_rows
    int* control_fields
    double* energies            # rows of ENERGY_TERMS
    Py_ssize_t every            # 0: no energies
    bint may_sleep
    Py_ssize_t steps_done       # steps done: fewer than asked for once asleep
    long long contact_steps     # steps in which a contact row exerted a force
    long long failed_at         # step count of the first failed solve, -1


cdef inline double sample_displacement(const State* s, const Call* call, Py_ssize_t j) noexcept nogil:
    """The part of output j that y has."""
    return dot(call.out_y + j * s.stride, s.y, s.stride) if call.output_terms[j] & DISPLACEMENT_TERM else 0.0


cdef inline double sample_output(const State* s, const Call* call, Py_ssize_t j, double tension) noexcept nogil:
    """Output j, but for its part of the rows' forces, under a tension over the stored one (N), to which elongation adds; of 3 points, dy/dt
    is that of the last step."""
    cdef double value = sample_displacement(s, call, j)
    if call.output_terms[j] & VELOCITY_TERM:
        value += dot(call.out_q + j * s.stride, s.q if s.time_points == 2 else s.drift, s.stride)
    if call.output_terms[j] & TENSION_TERM:
        tension += tension_rise(s)
        if tension != 0.0:
            value += tension * dot(call.out_t + j * s.stride, s.y, s.stride)
    return value


cdef inline double sample_force(const State* s, const Call* call, Py_ssize_t j) noexcept nogil:
    """The part of output j that the rows' forces have."""
    cdef Py_ssize_t k
    cdef double value = 0.0
    for k in range(s.g.rows):
        value += call.out_f[j * s.g.rows + k] * s.g.force[k]
    return value


cdef inline void close_block(State* s) noexcept nogil:
    close_ledger(&s.ledger)
    reset_absent_rows(s)


cdef inline double weight_work(const State* s) noexcept nogil:
    """The work that the weight has done from y = 0, J: where a scheme has 3 points, up to where its energies are, half a step ago."""
    cdef double work
    if not s.has_weight:
        return 0.0
    work = dot(s.weight, s.y, s.stride)
    return work if s.time_points == 2 else work - 0.5 * dot(s.weight, s.q, s.stride)


cdef inline bint should_sleep(State* s, const Call* call, const double* energies) noexcept nogil:
    """The decision after a reading of the energies, where there is one to be made."""
    return (s.count % BLOCK_STEPS == 0 and decide_sleep(&s.sleep, energies[0] + energies[1] + energies[2] - weight_work(s))
            and call.may_sleep)


cdef inline void apply_controls(State* s, const Call* call, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(call.controls):
        change_row(s, call.control_rows[j], call.control_fields[j], call.control_values[n * call.controls + j])


cdef inline void add_modal_force(rdouble drift, crdouble mobility, crdouble shape, double force, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        drift[i] += force * (mobility[i] * shape[i])


cdef inline void drive_modes(State* s, const Call* call, Py_ssize_t n) noexcept nogil:
    """The weight and the outer forces of step n move the modes; the weight alone lets the network fall asleep."""
    cdef Py_ssize_t j
    cdef double value
    if s.has_weight:
        add_modal_force(s.drift, s.mobility, s.weight, 1.0, s.stride)
    for j in range(call.inputs):
        value = call.forces[n * call.inputs + j]
        if value != 0.0:
            s.sleep.is_disturbed = True
            add_modal_force(s.drift, s.mobility, call.input_shapes + j * s.stride, value, s.stride)


cdef inline void add_drive_work(State* s, const Call* call, Py_ssize_t n) noexcept nogil:
    """The work of the weight and the outer forces of step n, once s is known."""
    cdef Py_ssize_t j
    cdef double value
    if s.has_weight:
        add_work(&s.ledger, s.step_fraction * dot(s.weight, s.drift, s.stride))
    for j in range(call.inputs):
        value = call.forces[n * call.inputs + j]
        if value != 0.0:
            add_work(&s.ledger, s.step_fraction * (value * dot(call.input_shapes + j * s.stride, s.drift, s.stride)))


cdef inline bint collide_rows(State* s, Call* call) noexcept nogil:
    """The rows answer to the step without contact; True if any row pushed."""
    cdef bint has_force
    cdef bint in_contact = False
    cdef bint is_second_pass = False
    cdef int iterations
    if not s.present_count:
        return False
    if s.axial_row >= 0:
        update_elongation_row(s)
    project_drift(s)
    if s.corrected_row >= 0:
        correct_entry(s)
    while True:                                 # one place for `solve_collision`, which is large and inlined
        iterations = solve_collision(&s.g)
        if s.axial_row < 0 or is_second_pass or iterations < 0:
            break
        is_second_pass = True                   # with the forces that the foreseen shape has brought
        update_elongation_row(s)
        s.g.drift[s.axial_row] = dot(&s.shapes[s.axial_row * s.stride], s.drift, s.stride)
    if iterations < 0 and call.failed_at < 0:
        call.failed_at = s.count
    has_force = finish_rows(s, &in_contact)
    call.contact_steps += in_contact
    return has_force


cdef inline void add_force_outputs(const State* s, const Call* call, double* out) noexcept nogil:
    """The outputs' parts of the forces over the step."""
    cdef Py_ssize_t j, k
    for j in range(call.outputs):
        if call.output_terms[j] & FORCE_TERM:
            for k in range(s.g.rows):
                out[j] += call.out_f[j * s.g.rows + k] * s.g.force[k]


cdef inline void track_first_output(State* s, const Call* call, const double* out) noexcept nogil:
    if call.outputs:
        track_output(&s.sleep, out[0])
