# The data of one call of `GridNetwork.advance`: outputs, inputs, energies, ledger.
from libc.math cimport fabs

from pysitar.kernels.core.lanes cimport crdouble, rdouble
from pysitar.kernels.core.ledger cimport BLOCK_STEPS, ENERGY_TERMS, Ledger, add_work, close_ledger
from pysitar.kernels.core.run cimport Run
from pysitar.kernels.core.sleep cimport SleepState, decide_sleep, track_output
from pysitar.kernels.grid.contacts cimport GridRows
from pysitar.kernels.grid.string cimport StringGrid, finish_grid_step

cdef struct GridCall:
    Run run
    int* displacement_starts    # outputs + 1: index of the first node of an output
    int* displacement_nodes     # node numbers
    double* displacement_weights  # weights of u
    int* velocity_starts        # the same for du/dt
    int* velocity_nodes
    double* velocity_weights    # weights of s = q+ + q
    double* out_f               # weights of the contact forces, outputs x rows
    unsigned char* has_force_output  # whether any of an output's weights in out_f is not 0
    Py_ssize_t rows
    int* input_first            # first node that an input acts on
    int* input_last             # last node
    double* input_weights       # node weights, inputs x stride
    long long count             # steps since the start
    Ledger ledger
    SleepState sleep


cdef inline double weighted_sum(const double* values, const int* nodes, const double* weights,
                                Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    cdef Py_ssize_t i
    cdef double sum = 0.0
    for i in range(first, last):
        sum += weights[i] * values[nodes[i]]
    return sum


cdef inline double sample_grid_displacement(const StringGrid* g, const GridCall* call,
                                            Py_ssize_t j) noexcept nogil:
    """Return the displacement term of output j."""
    return weighted_sum(g.u, call.displacement_nodes, call.displacement_weights,
                        call.displacement_starts[j], call.displacement_starts[j + 1])


cdef inline double sample_grid_velocity(const double* before, const double* after,
                                        const GridCall* call, Py_ssize_t j) noexcept nogil:
    """Return the velocity term of output j, from q and q+."""
    cdef Py_ssize_t first = call.velocity_starts[j]
    cdef Py_ssize_t last = call.velocity_starts[j + 1]
    if first == last:
        return 0.0
    return (weighted_sum(before, call.velocity_nodes, call.velocity_weights, first, last)
            + weighted_sum(after, call.velocity_nodes, call.velocity_weights, first, last))


cdef inline void add_weighted(rdouble next, crdouble weights, double push, Py_ssize_t first,
                              Py_ssize_t last) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(first, last + 1):
        next[i] += push * weights[i]


cdef inline void drive_grid(StringGrid* g, GridCall* call, Py_ssize_t n) noexcept nogil:
    """Add the input forces of step n to q+."""
    cdef Py_ssize_t j
    cdef double value
    for j in range(call.run.inputs):
        value = call.run.forces[n * call.run.inputs + j]
        if value != 0.0:
            call.sleep.is_disturbed = True
            add_weighted(g.next, call.input_weights + j * g.stride, value * g.mobility,
                         call.input_first[j], call.input_last[j])


cdef inline void add_grid_drive_work(const StringGrid* g, GridCall* call,
                                     Py_ssize_t n) noexcept nogil:
    """Add the work of the input forces of step n to the ledger, once q+ is complete."""
    cdef Py_ssize_t i, j
    cdef double value, displacement
    cdef double* weights
    for j in range(call.run.inputs):
        value = call.run.forces[n * call.run.inputs + j]
        if value != 0.0:
            weights = call.input_weights + j * g.stride
            displacement = 0.0
            for i in range(call.input_first[j], call.input_last[j] + 1):
                displacement += weights[i] * (g.next[i] + g.q[i])
            add_work(&call.ledger, 0.5 * value * displacement)


cdef inline double* next_energy_row(GridCall* call) noexcept nogil:
    """Return the row for the energies before this step, NULL if none are due.

    Close the ledger if due.
    """
    cdef double* row = call.run.energies
    if call.count % BLOCK_STEPS == 0:
        close_ledger(&call.ledger)
    if not call.run.every or call.count % call.run.every:
        return NULL
    call.run.energies += ENERGY_TERMS
    return row


cdef inline bint grid_should_sleep(GridCall* call, const double* row) noexcept nogil:
    """Return True if the string may sleep, given the energies of this step.

    The decision is made at block ends only.
    """
    return (call.count % BLOCK_STEPS == 0
            and decide_sleep(&call.sleep, row[0] + row[1] + row[2], row[0], False)
            and call.run.may_sleep)


cdef inline void close_grid_step(StringGrid* s, const GridRows* r, GridCall* call,
                                 double* out) noexcept nogil:
    """Finish the step: add the velocity and force terms of the outputs and move the string."""
    cdef Py_ssize_t i, j
    for j in range(call.run.outputs):
        out[j] += sample_grid_velocity(s.q, s.next, call, j)
        if call.has_force_output[j]:
            for i in range(r.active_count):
                out[j] += call.out_f[j * call.rows + r.active_rows[i]] * r.force[r.active_rows[i]]
    if call.run.outputs:
        track_output(&call.sleep, out[0])
    call.ledger.recent_losses += finish_grid_step(s)
    call.count += 1
    call.run.steps_done += 1
