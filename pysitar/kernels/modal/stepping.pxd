# Common parts of the schemes' loops over the steps; they are inlined into each clone of a loop.
from pysitar.kernels.contact.condensation cimport begin_condensation, end_condensation
from pysitar.kernels.contact.solver cimport solve_collision
from pysitar.kernels.core.lanes cimport crdouble, dot, rdouble
from pysitar.kernels.core.ledger cimport BLOCK_STEPS, add_work, close_ledger
from pysitar.kernels.core.run cimport Run
from pysitar.kernels.core.sleep cimport decide_sleep, track_output
from pysitar.kernels.modal.elongation cimport tension_rise, update_elongation_row
from pysitar.kernels.modal.friction cimport begin_friction, renew_bounds
from pysitar.kernels.modal.residual cimport move_residual
from pysitar.kernels.modal.rows cimport (
    change_row, correct_entry, find_free_compressions, finish_rows, pass_apart,
    project_pressed_rows, project_rows, reset_absent_rows,
)
from pysitar.kernels.modal.state cimport State

cdef enum:                      # bit mask of the terms of an output
    DISPLACEMENT_TERM = 1
    VELOCITY_TERM = 2
    FORCE_TERM = 4
    TENSION_TERM = 8

cdef extern from "mode_passes.h" nogil:
    ctypedef struct Modes "PysitarModes":
        const double* restoring
        const double* factor
        const double* inertia
        const double* mobility
        const double* loss
        double* y
        double* q
        double* drift
    double move_modes "pysitar_move_modes"(const Modes* m, int count, const double* const* v,
                                           const double* f, int points, bint begins, Py_ssize_t n)
    double begin_modes "pysitar_begin_modes"(const Modes* m, int points, bint coupled, Py_ssize_t n)

cdef struct Call:
    Run run
    double* out_y               # weights of y, outputs x stride
    double* out_q  # weights of q (2 points) or s (3 points) for dy/dt, outputs x stride
    double* out_f               # weights of f, outputs x rows
    double* out_t  # weights of y times the tension over the stored tension, outputs x stride
    unsigned char* output_terms  # bit mask of each output
    double* input_shapes        # mode shapes, inputs x stride
    double* input_bridge_shapes  # weight of each input force on a compliant bridge
    # N over the stored tension; NULL: unchanged
    double* tensions            # of each step, for outputs
    double* block_tensions      # of each block of block_steps steps
    Py_ssize_t block_steps
    bint has_ramps              # a tension is that at the end of its block
    Py_ssize_t controls
    double* control_values      # steps x controls
    int* control_rows
    int* control_fields


cdef inline Modes modes_of(State* s, const double* restoring, const double* factor,
                           const double* inertia) noexcept nogil:
    """Return the vectors of the modes: A and 2 C of two points of time, G and C of three.
    inertia, that couples them to a bridge, kg; may be NULL."""
    return Modes(restoring, factor, inertia, s.mobility, s.loss, s.y, s.q, s.drift)


cdef inline double sample_displacement(const State* s, const Call* call,
                                       Py_ssize_t j) noexcept nogil:
    """Return the displacement term of output j."""
    return (dot(call.out_y + j * s.stride, s.y, s.stride)
            if call.output_terms[j] & DISPLACEMENT_TERM else 0.0)


cdef inline double sample_output(const State* s, const Call* call, Py_ssize_t j,
                                 double tension) noexcept nogil:
    """Return output j without its force term.

    tension: N over the stored one; that due to elongation is added. In three-point schemes dy/dt is
    that of the last step.
    """
    cdef double value = sample_displacement(s, call, j)
    if call.output_terms[j] & VELOCITY_TERM:
        value += dot(call.out_q + j * s.stride, s.q if s.time_points == 2 else s.drift, s.stride)
    if call.output_terms[j] & TENSION_TERM:
        tension += tension_rise(s)
        if tension != 0.0:
            value += tension * dot(call.out_t + j * s.stride, s.y, s.stride)
    if s.residual.is_loaded and j < s.residual.outputs:
        value += dot(s.residual.output_weights + j * s.residual.stride, s.residual.force,
                     s.residual.stride)
    return value


cdef inline double sample_force(const State* s, const Call* call, Py_ssize_t j) noexcept nogil:
    """Return the force term of output j."""
    cdef Py_ssize_t k
    cdef double value = 0.0
    for k in range(s.g.rows):
        value += call.out_f[j * s.g.rows + k] * s.g.force[k]
    return value


cdef inline void close_block(State* s) noexcept nogil:
    close_ledger(&s.ledger)
    reset_absent_rows(s)


cdef inline double weight_work(const State* s) noexcept nogil:
    """Return the work of the weight from y = 0, J.

    In three-point schemes this is the work up to n - 1/2, like the energies.
    """
    cdef double work
    if not s.has_weight:
        return 0.0
    work = dot(s.weight, s.y, s.stride)
    return work if s.time_points == 2 else work - 0.5 * dot(s.weight, s.q, s.stride)


cdef inline bint should_sleep(State* s, const Call* call, const double* energies) noexcept nogil:
    """Return True if the network may sleep, given the energies of this step.

    The decision is made at block ends only.
    """
    return (s.count % BLOCK_STEPS == 0
            and decide_sleep(&s.sleep, energies[0] + energies[1] + energies[2] - weight_work(s),
                             energies[0], s.friction.present_count > 0)
            and call.run.may_sleep)


cdef inline void apply_controls(State* s, const Call* call, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(call.controls):
        change_row(s, call.control_rows[j], call.control_fields[j],
                   call.control_values[n * call.controls + j])


cdef inline void add_modal_force(rdouble drift, crdouble mobility, crdouble shape, double force,
                                 Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        drift[i] += force * (mobility[i] * shape[i])


cdef inline void drive_modes(State* s, const Call* call, Py_ssize_t n) noexcept nogil:
    """Add weight and input forces of step n to the drift; only input forces prevent sleep."""
    cdef Py_ssize_t j
    cdef double value
    if s.has_weight:
        add_modal_force(s.drift, s.mobility, s.weight, 1.0, s.stride)
    for j in range(call.run.inputs):
        value = call.run.forces[n * call.run.inputs + j]
        if value != 0.0:
            s.sleep.is_disturbed = True
            add_modal_force(s.drift, s.mobility, call.input_shapes + j * s.stride, value, s.stride)


cdef inline bint is_driven(const State* s, const Call* call, Py_ssize_t n) noexcept nogil:
    """Return True if weight or an input force does work in step n."""
    cdef Py_ssize_t j
    for j in range(call.run.inputs):
        if call.run.forces[n * call.run.inputs + j] != 0.0:
            return True
    return s.has_weight


cdef inline void add_drive_work(State* s, const Call* call, Py_ssize_t n) noexcept nogil:
    """Add the work of weight and input forces of step n to the ledger, once s is known."""
    cdef Py_ssize_t j
    cdef double value
    if s.has_weight:
        add_work(&s.ledger, s.step_fraction * dot(s.weight, s.drift, s.stride))
    for j in range(call.run.inputs):
        value = call.run.forces[n * call.run.inputs + j]
        if value != 0.0:
            add_work(&s.ledger, s.step_fraction
                     * (value * dot(call.input_shapes + j * s.stride, s.drift, s.stride)))


cdef inline void release_unused_residual(State* s) noexcept nogil:
    """Let the residual forces decay in a step without rows."""
    if s.residual.is_loaded:
        move_residual(&s.residual, s.g.force, &s.ledger)


cdef inline void start_friction(State* s) noexcept nogil:
    """Set the bounds of friction rows for the coming step; a network that is bowed stays awake."""
    if begin_friction(&s.friction, &s.g, s.span_shift, s.time_step):
        s.sleep.is_disturbed = True


cdef inline int solve_friction(State* s, int iterations) noexcept nogil:
    """Solve the step again with the bounds of its own solution, up to the number of passes; return
    the iterations of the last solution, -1 if that was not reached."""
    s.g.has_near_guess = s.g.has_bridge_friction
    for _ in range(1, s.friction.passes):
        if iterations < 0:
            break
        project_pressed_rows(s)
        if not renew_bounds(&s.friction, &s.g, s.span_shift, s.time_step):
            break
        iterations = solve_collision(&s.g)
    s.g.has_near_guess = False
    return iterations


cdef inline void collide_rows(State* s, Call* call) noexcept nogil:
    """Solve for the rows' forces in this step, which push the modes."""
    cdef bint in_contact = False
    cdef bint is_second_pass = False
    cdef int iterations
    s.pushing.count = 0
    if not s.present_count:
        release_unused_residual(s)
        return
    if s.axial_row >= 0:
        update_elongation_row(s)
    if s.g.has_friction:
        start_friction(s)
    project_rows(s, False)
    if pass_apart(s):
        return
    find_free_compressions(s)
    if s.corrected_row >= 0:
        correct_entry(s)
    if s.g.condensed_arena != NULL and s.axial_row < 0:
        begin_condensation(&s.g)
    while True:  # a loop, so that the large `solve_collision` is inlined only once
        iterations = solve_collision(&s.g)
        if s.axial_row < 0 or is_second_pass or iterations < 0:
            break
        is_second_pass = True                   # repeat with the forces for the predicted shape
        update_elongation_row(s)
        s.g.drift[s.axial_row] = dot(&s.shapes[s.axial_row * s.stride], s.drift, s.stride)
    if s.g.has_friction:
        iterations = solve_friction(s, iterations)
        end_condensation(&s.g)
    if iterations < 0 and call.run.failed_at < 0:
        call.run.failed_at = s.count
    finish_rows(s, &in_contact)
    call.run.contact_steps += in_contact


cdef inline void add_force_outputs(const State* s, const Call* call, double* out) noexcept nogil:
    """Add the force terms over the step to the outputs."""
    cdef Py_ssize_t j, k
    for j in range(call.run.outputs):
        if call.output_terms[j] & FORCE_TERM:
            for k in range(s.g.rows):
                out[j] += call.out_f[j * s.g.rows + k] * s.g.force[k]


cdef inline void track_first_output(State* s, const Call* call, const double* out) noexcept nogil:
    if call.run.outputs:
        track_output(&s.sleep, out[0])
