# The loop over the steps of a two-point network: the whole of it is inlined into each clone of two_point_steps.
from pysitar.kernels.lanes cimport dot
from pysitar.kernels.solver cimport solve
from pysitar.kernels.two_point cimport (
    BOOKING, ENERGIES, Call, State, add_driven, add_energy, book_work, change_row, change_tension, close_books, finish_step, free_step,
    hear, is_asleep, read_output, see_drift, settle_rows,
)


cdef inline void take_steps(State* state, Call* call) noexcept nogil:
    """The steps that a call asks for, or fewer once the network sleeps."""
    cdef Py_ssize_t n, j, k
    cdef Py_ssize_t width = state.stride
    cdef double* out
    cdef double* energies = call.energies
    cdef double* block_tensions = call.block_tensions
    cdef double value
    cdef bint pushed, touched
    for n in range(call.steps):
        out = call.out + n * call.outputs
        for j in range(call.outputs):
            out[j] = read_output(state, call, j, state.tension if call.tensions == NULL else call.tensions[n])
        if state.count % BOOKING == 0:
            close_books(state)
            if block_tensions != NULL:
                change_tension(state, block_tensions[0])
                block_tensions += 1
        if call.every and state.count % call.every == 0:
            add_energy(state, energies)
            value = energies[0] + energies[1] + energies[2]
            if state.count % BOOKING == 0 and is_asleep(&state.rest, value) and call.may_sleep:
                return
            energies += ENERGIES
        if call.outputs:
            hear(&state.rest, out[0])
        for j in range(call.controls):
            change_row(state, call.control_rows[j], call.control_fields[j], call.values[n * call.controls + j])
        free_step(state.y, state.q, state.a, state.twice_c, state.drift, width)
        for j in range(call.inputs):
            value = call.forces[n * call.inputs + j]
            if value != 0.0:
                state.rest.disturbed = True
                add_driven(state.drift, state.mobility, call.input_shapes + j * width, value, width)
        pushed = False
        if state.living:
            see_drift(state)
            if solve(&state.g) < 0 and call.failed_at < 0:
                call.failed_at = state.count
            touched = False
            pushed = settle_rows(state, &touched)
            call.pushed += touched
        state.recent_losses += finish_step(state.y, state.q, state.drift, state.mobility, state.push, state.loss, width, pushed)
        for j in range(call.inputs):
            value = call.forces[n * call.inputs + j]
            if value != 0.0:
                book_work(state, value * dot(call.input_shapes + j * width, state.drift, width))
        for j in range(call.outputs):
            if call.parts[j] & 4:
                for k in range(state.g.rows):
                    out[j] += call.out_f[j * state.g.rows + k] * state.g.force[k]
        state.count += 1
        call.done += 1
