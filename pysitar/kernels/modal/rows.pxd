# The rows of a network: what they see of the modes, how they change, and what a step leaves in them.
from pysitar.kernels.contact.correction cimport correction_factor
from pysitar.kernels.contact.law cimport dissipated, is_linear, potential, shape_law
from pysitar.kernels.contact.problem cimport ABSENT, measure_mobility, meet_laws
from pysitar.kernels.core.lanes cimport add, add_scaled, clear, copy, dot, dot_four
from pysitar.kernels.core.ledger cimport book_work
from pysitar.kernels.modal.elongation cimport elongation
from pysitar.kernels.modal.state cimport State

cdef enum:
    FIELD_STIFFNESS = 0
    FIELD_DAMPING = 1
    FIELD_OFFSET = 2


cdef inline double row_energy(const State* s, Py_ssize_t k) noexcept nogil:
    """What a row stores, J: of 3 points, the mean of the last two compressions'."""
    if not s.g.laws[k].present:
        return 0.0
    if s.points == 2:
        return potential(&s.g.laws[k], s.g.before[k])
    return 0.5 * (potential(&s.g.laws[k], s.g.before[k]) + potential(&s.g.laws[k], s.latest[k]))


cdef inline double rows_energy(const State* s) noexcept nogil:
    """What all rows store, J, but for that of the elongation, which is the string's."""
    cdef Py_ssize_t k
    cdef double energy = 0.0
    for k in range(s.g.rows):
        if s.g.laws[k].present and k != s.axial:
            energy += row_energy(s, k)
    return energy


cdef inline void meet_gap(State* s, Py_ssize_t k) noexcept nogil:
    """p of a row, from y."""
    cdef double* shape = &s.shapes[k * s.stride]
    if k == s.axial:
        s.latest[k] = s.offset[k] - elongation(s)
        return
    s.latest[k] = s.offset[k] - s.moved[k] - dot(shape, s.y, s.stride) - s.lever[k] * s.bridge
    if s.points == 3:
        s.g.before[k] = s.latest[k] - (s.shift[k] - s.moved[k]) + dot(shape, s.q, s.stride)


cdef inline void leave(State* s, Py_ssize_t k) noexcept nogil:
    """A row that is not there touches nothing."""
    s.g.before[k] = ABSENT
    s.latest[k] = ABSENT


cdef inline void meet_gaps(State* s) noexcept nogil:
    """p of the rows that exert forces, from y, nothing having moved; a corrected one begins with its plain stiffness."""
    cdef Py_ssize_t k
    if s.corrected >= 0:
        s.g.laws[s.corrected].stiffness = s.correction.stiffness
    for k in range(s.g.rows):
        s.shift[k] = 0.0
        s.moved[k] = 0.0
        if s.g.laws[k].present:
            meet_gap(s, k)
        else:
            leave(s, k)


cdef inline void meet_row(State* s, Py_ssize_t k, Py_ssize_t others) noexcept nogil:
    """Row and column k of W = V diag(mobility) V^T, eq. (27), up to a number of rows."""
    cdef Py_ssize_t i, j
    cdef double* row = &s.shapes[k * s.stride]
    for i in range(s.stride):
        s.push[i] = s.mobility[i] * row[i]
    for j in range(others):
        s.g.mobility[k * s.g.stride + j] = dot(s.push, &s.shapes[j * s.stride], s.stride)
        s.g.mobility[j * s.g.stride + k] = s.g.mobility[k * s.g.stride + j]


cdef inline void meet_mobility(State* s) noexcept nogil:
    """W, from the modes' mobility."""
    cdef Py_ssize_t k
    for k in range(s.g.rows):
        meet_row(s, k, k + 1)
    measure_mobility(&s.g)


cdef inline void find_living(State* s) noexcept nogil:
    cdef Py_ssize_t k
    s.living = 0
    for k in range(s.g.rows):
        if s.g.laws[k].present:
            s.live[s.living] = <int>k
            s.living += 1
        else:
            s.g.drift[k] = 0.0
            s.g.force[k] = 0.0
            s.shift[k] = 0.0
            s.moved[k] = 0.0
            leave(s, k)
    meet_laws(&s.g)


cdef inline void send_back(State* s) noexcept nogil:
    """Absent rows, carried along by W, go back to their place."""
    cdef Py_ssize_t k
    for k in range(s.g.rows):
        if not s.g.laws[k].present:
            leave(s, k)


cdef inline void change_row(State* s, Py_ssize_t k, int field, double value) noexcept nogil:
    """A row's stiffness, damping or offset from the coming step on; the jump of the stored energy is work."""
    cdef double rate, stiffness
    cdef double jump = 0.0
    cdef bint present
    present = s.g.laws[k].present
    if field == FIELD_OFFSET:
        if present and value != s.offset[k]:
            s.shift[k] += value - s.offset[k]
            if s.points == 3:
                s.moved[k] += value - s.offset[k]
            s.rest.disturbed = True
        s.offset[k] = value
        return
    stiffness = value if field == FIELD_STIFFNESS else s.g.laws[k].stiffness
    rate = value / s.span if field == FIELD_DAMPING else s.g.laws[k].rate
    if stiffness == s.g.laws[k].stiffness and rate == s.g.laws[k].rate:
        return
    s.rest.disturbed = True
    if present:
        jump = -row_energy(s, k)
    else:
        meet_gap(s, k)                          # an absent row is not followed
    shape_law(&s.g.laws[k], s.g.laws[k].kind, stiffness, s.g.laws[k].exponent, rate, s.g.laws[k].adhesive)
    jump += row_energy(s, k)
    book_work(&s.books, jump)
    if s.g.laws[k].present != present:
        find_living(s)


cdef inline void see_drift(State* s) noexcept nogil:
    """u = V drift and e = p + the offset's change, for the rows that live."""
    cdef Py_ssize_t i, k
    cdef Py_ssize_t n = s.stride
    cdef double* u = s.g.drift
    cdef double* v = s.shapes
    cdef int* r
    for i in range(0, s.living - 3, 4):
        r = s.live + i
        dot_four(v + r[0] * n, v + r[1] * n, v + r[2] * n, v + r[3] * n, s.drift, n, u + r[0], u + r[1], u + r[2], u + r[3])
    for i in range(s.living & ~3, s.living):
        k = s.live[i]
        u[k] = dot(v + k * n, s.drift, n)
    add(s.g.free, s.g.before, s.shift, s.g.stride)


cdef inline void enter(State* s) noexcept nogil:
    """Gives the corrected row, where it comes into contact in this step, the stiffness that it keeps until it has left."""
    cdef Py_ssize_t k = s.corrected
    cdef double way = s.shift[k] - s.g.drift[k]             # over the span, without contact
    if s.g.laws[k].present and s.g.before[k] <= 0.0 and s.latest[k] <= 0.0 and s.g.before[k] + way > 0.0:
        s.g.laws[k].stiffness = s.correction.stiffness * correction_factor(&s.correction, way / s.span)


cdef inline bint settle_rows(State* s, bint* touched) noexcept nogil:
    """After a step: books heat and work of the rows, moves p on, gathers V^T f; True if any row pushed."""
    cdef Py_ssize_t i, k
    cdef bint pushed = False
    for i in range(s.g.touching):
        k = s.g.touch[i]
        if s.g.force[k] != 0.0:
            if not pushed:
                clear(s.push, s.stride)
                pushed = True
            add_scaled(s.push, &s.shapes[k * s.stride], s.g.force[k], s.stride)
            book_work(&s.books, s.share * (s.g.force[k] * s.shift[k]))
            touched[0] = touched[0] or not is_linear(&s.g.laws[k])
        s.books.recent_losses += s.share * dissipated(&s.g.laws[k], s.g.before[k], s.g.after[k])
    if s.points == 2:
        copy(s.g.before, s.g.after, s.g.stride)
        clear(s.shift, s.g.stride)
    else:
        copy(s.g.before, s.latest, s.g.stride)
        copy(s.latest, s.g.after, s.g.stride)
        copy(s.shift, s.moved, s.g.stride)
        clear(s.moved, s.g.stride)
    return pushed
