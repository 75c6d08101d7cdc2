# What every scheme's loop over the steps is made of: the whole of it is inlined into each clone of the loop.
from pysitar.kernels.contact.solver cimport solve
from pysitar.kernels.core.lanes cimport crdouble, dot, rdouble
from pysitar.kernels.core.ledger cimport BOOKING, book_work, close_books
from pysitar.kernels.core.sleep cimport hear, is_asleep
from pysitar.kernels.modal.elongation cimport lengthen, risen
from pysitar.kernels.modal.rows cimport change_row, enter, see_drift, send_back, settle_rows
from pysitar.kernels.modal.state cimport State

cdef enum:                      # what an output has a part of
    PLACE = 1
    SPEED = 2
    FORCE = 4
    TENSION = 8

cdef struct Call:
    Py_ssize_t steps
    Py_ssize_t outputs
    Py_ssize_t inputs
    double* out                 # steps x outputs
    double* out_y               # outputs x stride
    double* out_q               # outputs x stride: weights of what dy/dt is read from
    double* out_f               # outputs x rows
    double* out_t               # outputs x stride: of y times the tension over the stored one
    unsigned char* parts        # which an output has
    double* forces              # steps x inputs, N
    double* input_shapes        # inputs x stride
    double* input_levers        # inputs: of what a force does to a bridge that moves
    double* tensions            # steps, N over the stored one, for the outputs; NULL: as it is
    double* block_tensions      # of each block of BOOKING steps that begins; NULL: as it is
    Py_ssize_t controls
    double* values              # steps x controls
    int* control_rows
    int* control_fields
    double* energies            # rows of ENERGIES
    Py_ssize_t every            # 0: no energies
    bint may_sleep
    Py_ssize_t done             # steps done: fewer than asked for once asleep
    long long pushed            # steps in which a contact row exerted a force
    long long failed_at         # step count of the first failed solve, -1


cdef inline double read_place(const State* s, const Call* call, Py_ssize_t j) noexcept nogil:
    """The part of output j that y has."""
    return dot(call.out_y + j * s.stride, s.y, s.stride) if call.parts[j] & PLACE else 0.0


cdef inline double read_output(const State* s, const Call* call, Py_ssize_t j, double tension) noexcept nogil:
    """Output j, but for its part of the rows' forces, under a tension over the stored one (N), to which elongation adds; of 3 points, dy/dt
    is that of the last step."""
    cdef double value = read_place(s, call, j)
    if call.parts[j] & SPEED:
        value += dot(call.out_q + j * s.stride, s.q if s.points == 2 else s.drift, s.stride)
    if call.parts[j] & TENSION:
        tension += risen(s)
        if tension != 0.0:
            value += tension * dot(call.out_t + j * s.stride, s.y, s.stride)
    return value


cdef inline double read_force(const State* s, const Call* call, Py_ssize_t j) noexcept nogil:
    """The part of output j that the rows' forces have."""
    cdef Py_ssize_t k
    cdef double value = 0.0
    for k in range(s.g.rows):
        value += call.out_f[j * s.g.rows + k] * s.g.force[k]
    return value


cdef inline void close_all(State* s) noexcept nogil:
    close_books(&s.books)
    send_back(s)


cdef inline double fallen(const State* s) noexcept nogil:
    """The work that the weight has done from y = 0, J: where a scheme has 3 points, up to where its energies are, half a step ago."""
    cdef double work
    if not s.heavy:
        return 0.0
    work = dot(s.weight, s.y, s.stride)
    return work if s.points == 2 else work - 0.5 * dot(s.weight, s.q, s.stride)


cdef inline bint falls_asleep(State* s, const Call* call, const double* energies) noexcept nogil:
    """The decision after a reading of the energies, where there is one to be made."""
    return s.count % BOOKING == 0 and is_asleep(&s.rest, energies[0] + energies[1] + energies[2] - fallen(s)) and call.may_sleep


cdef inline void change_rows(State* s, const Call* call, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(call.controls):
        change_row(s, call.control_rows[j], call.control_fields[j], call.values[n * call.controls + j])


cdef inline void add_driven(rdouble drift, crdouble mobility, crdouble shape, double force, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        drift[i] += force * (mobility[i] * shape[i])


cdef inline void drive(State* s, const Call* call, Py_ssize_t n) noexcept nogil:
    """The weight and the outer forces of step n move the modes; the weight alone lets the network fall asleep."""
    cdef Py_ssize_t j
    cdef double value
    if s.heavy:
        add_driven(s.drift, s.mobility, s.weight, 1.0, s.stride)
    for j in range(call.inputs):
        value = call.forces[n * call.inputs + j]
        if value != 0.0:
            s.rest.disturbed = True
            add_driven(s.drift, s.mobility, call.input_shapes + j * s.stride, value, s.stride)


cdef inline void book_drive(State* s, const Call* call, Py_ssize_t n) noexcept nogil:
    """The work of the weight and the outer forces of step n, once s is known."""
    cdef Py_ssize_t j
    cdef double value
    if s.heavy:
        book_work(&s.books, s.share * dot(s.weight, s.drift, s.stride))
    for j in range(call.inputs):
        value = call.forces[n * call.inputs + j]
        if value != 0.0:
            book_work(&s.books, s.share * (value * dot(call.input_shapes + j * s.stride, s.drift, s.stride)))


cdef inline bint collide(State* s, Call* call) noexcept nogil:
    """The rows answer to the step without contact; True if any row pushed."""
    cdef bint pushed
    cdef bint touched = False
    cdef bint again = False
    cdef int found
    if not s.living:
        return False
    if s.axial >= 0:
        lengthen(s)
    see_drift(s)
    if s.corrected >= 0:
        enter(s)
    while True:                                 # one place for `solve`, which is large and inlined
        found = solve(&s.g)
        if s.axial < 0 or again or found < 0:
            break
        again = True                            # with the forces that the foreseen shape has brought
        lengthen(s)
        s.g.drift[s.axial] = dot(&s.shapes[s.axial * s.stride], s.drift, s.stride)
    if found < 0 and call.failed_at < 0:
        call.failed_at = s.count
    pushed = settle_rows(s, &touched)
    call.pushed += touched
    return pushed


cdef inline void add_forces(const State* s, const Call* call, double* out) noexcept nogil:
    """The outputs' parts of the forces over the step."""
    cdef Py_ssize_t j, k
    for j in range(call.outputs):
        if call.parts[j] & FORCE:
            for k in range(s.g.rows):
                out[j] += call.out_f[j * s.g.rows + k] * s.g.force[k]


cdef inline void hear_first(State* s, const Call* call, const double* out) noexcept nogil:
    if call.outputs:
        hear(&s.rest, out[0])
