# What a call of a grid's `advance` reads and writes: outputs, inputs, books.
from libc.math cimport fabs

from pysitar.kernels.core.lanes cimport crdouble, rdouble
from pysitar.kernels.core.ledger cimport BOOKING, ENERGIES, Books, book_work, close_books
from pysitar.kernels.core.sleep cimport Rest, hear, is_asleep
from pysitar.kernels.grid.contacts cimport GridRows
from pysitar.kernels.grid.string cimport StringGrid, finish_grid_step

cdef struct GridCall:
    Py_ssize_t steps
    Py_ssize_t outputs
    Py_ssize_t inputs
    double* out                 # steps x outputs
    int* place_starts           # outputs + 1: where an output's nodes begin
    int* place_nodes
    double* place_weights
    int* speed_starts
    int* speed_nodes
    double* speed_weights       # of s = q+ + q
    double* out_f               # outputs x rows
    unsigned char* pressed      # whether an output has a part of the forces
    Py_ssize_t rows
    double* forces              # steps x inputs, N
    int* input_first            # the nodes that an input acts on, first to last
    int* input_last
    double* input_shares        # inputs x stride
    double* energies            # rows of ENERGIES
    Py_ssize_t every            # 0: no energies
    bint may_sleep
    Py_ssize_t done
    long long count             # steps since the start
    long long pushed            # steps with a contact force
    long long failed_at
    Books books
    Rest rest


cdef inline double tapped(const double* values, const int* nodes, const double* weights, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    cdef Py_ssize_t i
    cdef double sum = 0.0
    for i in range(first, last):
        sum += weights[i] * values[nodes[i]]
    return sum


cdef inline double read_grid_place(const StringGrid* g, const GridCall* call, Py_ssize_t j) noexcept nogil:
    """The part of output j that u has."""
    return tapped(g.u, call.place_nodes, call.place_weights, call.place_starts[j], call.place_starts[j + 1])


cdef inline double read_grid_speed(const double* before, const double* after, const GridCall* call, Py_ssize_t j) noexcept nogil:
    """The part of output j that du/dt has, from q and q+."""
    cdef Py_ssize_t first = call.speed_starts[j]
    cdef Py_ssize_t last = call.speed_starts[j + 1]
    if first == last:
        return 0.0
    return (tapped(before, call.speed_nodes, call.speed_weights, first, last)
            + tapped(after, call.speed_nodes, call.speed_weights, first, last))


cdef inline void add_share(rdouble next, crdouble shares, double push, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(first, last + 1):
        next[i] += push * shares[i]


cdef inline void drive_grid(StringGrid* g, GridCall* call, Py_ssize_t n) noexcept nogil:
    """The outer forces of step n in q+."""
    cdef Py_ssize_t j
    cdef double value
    for j in range(call.inputs):
        value = call.forces[n * call.inputs + j]
        if value != 0.0:
            call.rest.disturbed = True
            add_share(g.next, call.input_shares + j * g.stride, value * g.mobility, call.input_first[j], call.input_last[j])


cdef inline void book_grid_drive(const StringGrid* g, GridCall* call, Py_ssize_t n) noexcept nogil:
    """The work of the outer forces of step n, once q+ is whole."""
    cdef Py_ssize_t i, j
    cdef double value, way
    cdef double* shares
    for j in range(call.inputs):
        value = call.forces[n * call.inputs + j]
        if value != 0.0:
            shares = call.input_shares + j * g.stride
            way = 0.0
            for i in range(call.input_first[j], call.input_last[j] + 1):
                way += shares[i] * (g.next[i] + g.q[i])
            book_work(&call.books, 0.5 * value * way)


cdef inline double* due_reading(GridCall* call) noexcept nogil:
    """Where the energies go that are to be read before this step, NULL if none are; the books closed where it is time."""
    cdef double* row = call.energies
    if call.count % BOOKING == 0:
        close_books(&call.books)
    if not call.every or call.count % call.every:
        return NULL
    call.energies += ENERGIES
    return row


cdef inline bint falls_silent(GridCall* call, const double* row) noexcept nogil:
    """The decision after a reading of the energies, where there is one to be made."""
    return call.count % BOOKING == 0 and is_asleep(&call.rest, row[0] + row[1] + row[2]) and call.may_sleep


cdef inline void close_grid_step(StringGrid* s, const GridRows* r, GridCall* call, double* out) noexcept nogil:
    """The outputs' speeds and forces, and the string moved."""
    cdef Py_ssize_t i, j
    for j in range(call.outputs):
        out[j] += read_grid_speed(s.q, s.next, call, j)
        if call.pressed[j]:
            for i in range(r.touching):
                out[j] += call.out_f[j * call.rows + r.touched[i]] * r.force[r.touched[i]]
    if call.outputs:
        hear(&call.rest, out[0])
    call.books.recent_losses += finish_grid_step(s)
    call.count += 1
    call.done += 1
