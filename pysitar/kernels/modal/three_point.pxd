# The three-point scheme of a network (van Walstijn & Bridges 2016, section III-B).
#
# State per mode: y and q, y less that of the step before (m), which keeps the energy of slow modes free of cancellation. With
# R = exp(-alpha dt), C = 1 + R^2, G = C - 2 R cos(omega dt), over a step s = y+ - y-:
#   s = C q - G y + xi C (V^T f + g)      q = s - q, y += q                                              eq. (38), A = C - G
#   H(n - 1/2) = sum (q^2 + U y y-)/(4 xi) + sum (phi(p) + phi(p-))/2,  U = 2 G / C                      U is k* dt^2 / m
#   H(n + 1/2) - H(n - 1/2) = work - sum L s^2 / (4 xi) - heat of the rows,  L = (1 - R^2) / C     eq. (42), where s is y+ - y-
# A force f (N) does f s / 2 of work in a step.
from libc.stdlib cimport free
from libc.string cimport memset

from pysitar.kernels.contact.problem cimport Problem, aligned_alloc, carved, measure_mobility, meet_laws
from pysitar.kernels.contact.solver cimport solve
from pysitar.kernels.core.elementary_functions cimport exp, expm1, sin
from pysitar.kernels.core.lanes cimport add_scaled, crdouble, dot, folded, rdouble
from pysitar.kernels.core.ledger cimport BOOKING, ENERGIES, book_work, read_books
from pysitar.kernels.modal.equilibrium cimport Equilibrium
from pysitar.kernels.modal.rows cimport meet_gaps, meet_mobility, rows_energy
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport (
    SPEED, Call, add_forces, book_drive, change_rows, close_all, collide, drive, falls_asleep, hear_first, read_place,
)

cdef struct ThreePointModes:       # of each mode; the state's mobility is xi C, its loss L / (4 xi)
    double* c                   # C
    double* pull                # G
    double* upsilon             # U
    double* arena


cdef inline bint allocate_modes(ThreePointModes* m, Py_ssize_t n) noexcept nogil:
    """Room for n modes, a multiple of LANES, all zero; False without memory."""
    cdef double* next
    m.arena = <double*>aligned_alloc(64, 3 * n * sizeof(double))
    if m.arena == NULL:
        return False
    memset(m.arena, 0, 3 * n * sizeof(double))
    next = m.arena
    m.c = carved(&next, n)
    m.pull = carved(&next, n)
    m.upsilon = carved(&next, n)
    return True


cdef inline void release_modes(ThreePointModes* m) noexcept nogil:
    free(m.arena)
    m.arena = NULL


cdef inline void set_mode(State* s, ThreePointModes* m, Py_ssize_t i, double omega, double alpha) noexcept nogil:
    """The coefficients of a mode from its damped angular frequency (rad/s) and decay rate (1/s), without cancellation.

    U and L are those of the rounded C and G, so that the recursion's balance has no drift; C is at most 2, so 2 - C is exact.
    """
    cdef double r = exp(-alpha * s.time_step)
    cdef double less_one = expm1(-alpha * s.time_step)
    cdef double half = sin(0.5 * omega * s.time_step)
    m.c[i] = 1.0 + r * r
    m.pull[i] = less_one * less_one + 4.0 * r * half * half
    m.upsilon[i] = 2.0 * m.pull[i] / m.c[i]
    s.mobility[i] = s.xi[i] * m.c[i]
    s.loss[i] = 0.25 * s.inverse_xi[i] * (2.0 - m.c[i]) / m.c[i]


cdef inline double static_compliance(const State* s, const ThreePointModes* m, Py_ssize_t i) noexcept nogil:
    """1/k* of a mode: k* = m U / dt^2, the scheme's own, so the scheme stays there."""
    return 2.0 / (m.upsilon[i] * s.inverse_xi[i]) if m.upsilon[i] > 0.0 else 0.0


cdef inline void add_energy(const State* s, const ThreePointModes* m, double* row) noexcept nogil:
    """Kinetic, potential and contact energy half a step ago, losses, work and the sum of |work| up to there, J."""
    cdef Py_ssize_t i
    cdef double kinetic = 0.0
    cdef double stored = 0.0
    for i in range(s.modes):
        kinetic += 0.25 * s.inverse_xi[i] * s.q[i] * s.q[i]
        stored += 0.25 * s.inverse_xi[i] * m.upsilon[i] * s.y[i] * (s.y[i] - s.q[i])
    row[0] = kinetic
    row[1] = stored
    row[2] = rows_energy(s)
    read_books(&s.books, row)


cdef inline void change_modes(State* s, ThreePointModes* m, const double* omega, const double* alpha) noexcept nogil:
    """Other frequencies (rad/s) and decay rates (1/s) from the coming step on; (y, y-) are kept, the jump of the stored energy is work."""
    cdef Py_ssize_t i
    cdef double before
    cdef double work = 0.0
    s.rest.disturbed = True
    for i in range(s.modes):
        before = m.upsilon[i]
        set_mode(s, m, i, omega[i], alpha[i])
        work += stiffening_work(s, m, i, before)
    meet_mobility(s)
    book_work(&s.books, work)


cdef inline double stiffening_work(const State* s, const ThreePointModes* m, Py_ssize_t i, double before) noexcept nogil:
    """By how much a mode's stored energy jumps where U was another before, J."""
    return 0.25 * s.inverse_xi[i] * (m.upsilon[i] - before) * s.y[i] * (s.y[i] - s.q[i])


cdef inline double free_speed(const State* s, const ThreePointModes* m, Py_ssize_t i) noexcept nogil:
    """dy/dt (m/s) at the present step if no force acts over it."""
    return (m.c[i] * s.q[i] - m.pull[i] * s.y[i]) * s.speed


cdef inline void put_modes(State* s, const ThreePointModes* m, const double[::1] displacement, const double[::1] velocity) noexcept nogil:
    """y (m), and dy/dt (m/s) as it is if no force acts; the rows' forces are forgotten."""
    cdef Py_ssize_t i, k
    for i in range(s.modes):
        s.y[i] = displacement[i]
        s.drift[i] = velocity[i] / s.speed
        s.q[i] = (s.drift[i] + m.pull[i] * s.y[i]) / m.c[i]
    for k in range(s.g.rows):
        s.g.force[k] = 0.0
    meet_gaps(s)


cdef inline bint lean_back(State* s, Equilibrium* at) noexcept nogil:
    """Moves the step before to where a two-point step back leads, the rows' forces in it; False if that collision was not solved.

    Without it a contact's first force would act in full on a state that has been set in it: an error of first order.
    """
    cdef Problem* g = &at.g
    cdef Py_ssize_t i, k
    for k in range(g.rows):
        g.laws[k] = s.g.laws[k]
        g.laws[k].rate *= 2.0
        g.before[k] = s.latest[k]
        g.free[k] = s.latest[k]
        g.drift[k] = -dot(&s.shapes[k * s.stride], s.q, s.stride) if g.laws[k].present else 0.0
        for i in range(g.rows):
            g.mobility[k * g.stride + i] = 0.5 * s.g.mobility[k * s.g.stride + i]
    meet_laws(g)
    measure_mobility(g)
    if solve(g) < 0:
        return False
    memset(at.push, 0, s.stride * sizeof(double))
    for k in range(g.rows):
        add_scaled(at.push, &s.shapes[k * s.stride], g.force[k], s.stride)
    for i in range(s.modes):
        s.q[i] -= 0.5 * s.mobility[i] * at.push[i]
    meet_gaps(s)
    return True


cdef inline void free_step(crdouble y, crdouble q, crdouble c, crdouble pull, rdouble drift, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        drift[i] = c[i] * q[i] - pull[i] * y[i]


cdef inline double finish_step(rdouble y, rdouble q, rdouble drift, crdouble mobility, crdouble push, crdouble loss,
                               Py_ssize_t n, bint pushed) noexcept nogil:
    """s += xi C V^T f, q = s - q, y += q; returns the modes' loss, J."""
    cdef double acc[8]
    cdef double s, step
    cdef Py_ssize_t i, j
    for j in range(8):
        acc[j] = 0.0
    if pushed:
        for i in range(n):
            drift[i] += mobility[i] * push[i]
    for i in range(0, n, 8):
        for j in range(8):
            s = drift[i + j]
            step = s - q[i + j]
            q[i + j] = step
            y[i + j] += step
            acc[j] += loss[i + j] * s * s
    return folded(acc)


cdef inline void add_speeds(const State* s, const Call* call, double* out) noexcept nogil:
    """The outputs' parts of dy/dt = s / (2 dt) at the step that s is about."""
    cdef Py_ssize_t j
    for j in range(call.outputs):
        if call.parts[j] & SPEED:
            out[j] += dot(call.out_q + j * s.stride, s.drift, s.stride)


cdef inline void open_step(State* s, const Call* call, double* out) noexcept nogil:
    """The outputs' places, before anything moves; the books closed where it is time."""
    cdef Py_ssize_t j
    for j in range(call.outputs):
        out[j] = read_place(s, call, j)
    if s.count % BOOKING == 0:
        close_all(s)


cdef inline void close_step(State* s, Call* call, Py_ssize_t n, double* out, bint pushed) noexcept nogil:
    """The modes moved, what the forces did booked, the outputs' speeds and forces."""
    s.books.recent_losses += finish_step(s.y, s.q, s.drift, s.mobility, s.push, s.loss, s.stride, pushed)
    book_drive(s, call, n)
    add_speeds(s, call, out)
    hear_first(s, call, out)
    add_forces(s, call, out)
    s.count += 1
    call.done += 1


cdef inline void take_steps(State* s, ThreePointModes* m, Call* call) noexcept nogil:
    """The steps that a call asks for, or fewer once the network sleeps."""
    cdef Py_ssize_t n
    cdef double* out
    cdef double* energies = call.energies
    for n in range(call.steps):
        out = call.out + n * call.outputs
        open_step(s, call, out)
        if call.every and s.count % call.every == 0:
            add_energy(s, m, energies)
            if falls_asleep(s, call, energies):
                return
            energies += ENERGIES
        change_rows(s, call, n)
        free_step(s.y, s.q, m.c, m.pull, s.drift, s.stride)
        drive(s, call, n)
        close_step(s, call, n, out, collide(s, call))
