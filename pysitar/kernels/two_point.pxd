# The two-point scheme of a network: modes (string, body, free masses) and rows (van Walstijn & Bridges 2016, section III-A).
#
# Rows carry whole forces (N) and row stiffnesses (kb dx), so W = V diag(xi C) V^T is in m/N and modes of different mass mix.
# State per mode: y (m) and q = dt p / (2 m) (m). One step, with ubar the step without contact:
#   ubar = 2 C (q - A y) + xi C g   [printed without the factor 2]      s = ubar + xi C V^T f      y += s, q = s - q
#   H = sum (q^2 + A y^2)/xi + sum phi(p);  H+ - H = work - sum B s^2 / xi - heat of the rows                   eqs. (26)-(33)
from libc.math cimport cos, exp, expm1, fabs, sin, sqrt
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from pysitar.kernels.contact cimport dissipated, is_linear, potential, shape_law
from pysitar.kernels.lanes cimport add, add_scaled, clear, copy, crdouble, dot, dot_four, folded, greater, padded, rdouble
from pysitar.kernels.problem cimport ABSENT, Problem, aligned_alloc, allocate, carved, meet_laws, measure_mobility, release

cdef enum:
    FIELD_STIFFNESS = 0
    FIELD_DAMPING = 1
    FIELD_OFFSET = 2
    ENERGIES = 6                # kinetic, potential, contact, losses, work, sum of |work|
    BOOKING = 64
    NO_MEMORY = -2
    NOT_FOUND = -1

cdef struct Rest:                # when a network may stop: its energy and its first output stay near those at rest
    double energy               # at rest, J
    double output               # the first output at rest
    double energy_noise         # of H, and of the output, that rounding makes at rest
    double output_noise
    double energy_ratio         # of (H - rest) / (peak - rest) below which it may sleep
    double level                # of |output - rest|; 0: `output_ratio` times its peak
    double output_ratio
    long long patience          # steps that the output must have been low
    double peak_energy
    double peak_output
    double loudest              # since the last decision
    long long quiet             # steps, up to the last decision
    bint disturbed              # by a force or a change of a row since the last decision

cdef struct State:
    Problem g                   # rows; g.before is p
    Py_ssize_t modes
    Py_ssize_t stride           # modes, a multiple of LANES
    double time_step
    double* y
    double* q
    double* a                   # A
    double* twice_c             # 2 C
    double* mobility            # xi C, m/N
    double* loss                # B / xi, N/m
    double* inverse_xi          # 2 m / dt^2, N/m
    double* xi                  # dt^2 / (2 m), m/N
    double* decay               # R = exp(-alpha dt)
    double* decay_less_one      # R - 1
    double* squared             # damped angular frequency squared at the stored tension, rad^2/s^2
    double* slope               # its derivative by the tension, 1/(kg m)
    double tension              # over the stored tension, N, that the coefficients have
    double* drift               # ubar, then s
    double* push                # V^T f
    double* shapes              # V, rows x stride
    double* offset
    double* shift               # of the offset, over the coming step
    int* live                   # rows that may exert a force
    Py_ssize_t living
    double losses               # J, since the start but for the recent
    double work
    double recent_losses        # J, since the last multiple of BOOKING steps
    double recent_work
    double throughput           # sum of |work|, J
    double recent_throughput
    long long count             # steps since the start
    Rest rest
    double* arena

cdef struct Call:
    Py_ssize_t steps
    Py_ssize_t outputs
    double* out                 # steps x outputs
    double* out_y               # outputs x stride
    double* out_q
    double* out_f               # outputs x rows
    double* out_t               # outputs x stride, 1/m: of y times the tension over the stored one
    unsigned char* parts        # which of y 1, q 2, f 4, t 8 an output has
    Py_ssize_t inputs
    double* forces              # steps x inputs, N
    double* input_shapes        # inputs x stride
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


cdef inline bint allocate_state(State* s, Py_ssize_t modes, Py_ssize_t rows) noexcept nogil:
    """Room for a network, all zero; False without memory. `release_state` gives it back."""
    cdef Py_ssize_t n = padded(modes if modes else 1)
    cdef Py_ssize_t whole = 14 * n + rows * n + 2 * padded(rows)
    cdef double* next
    s.arena = <double*>aligned_alloc(64, whole * sizeof(double))
    s.live = <int*>calloc(rows + 1, sizeof(int))
    if s.arena == NULL or s.live == NULL or not allocate(&s.g, rows):
        return False
    memset(s.arena, 0, whole * sizeof(double))
    s.modes = modes
    s.stride = n
    next = s.arena
    s.y = carved(&next, n)
    s.q = carved(&next, n)
    s.a = carved(&next, n)
    s.twice_c = carved(&next, n)
    s.mobility = carved(&next, n)
    s.loss = carved(&next, n)
    s.inverse_xi = carved(&next, n)
    s.xi = carved(&next, n)
    s.decay = carved(&next, n)
    s.decay_less_one = carved(&next, n)
    s.squared = carved(&next, n)
    s.slope = carved(&next, n)
    s.drift = carved(&next, n)
    s.push = carved(&next, n)
    s.shapes = carved(&next, rows * n)
    s.offset = carved(&next, rows)
    s.shift = carved(&next, rows)
    return True


cdef inline void release_state(State* s) noexcept nogil:
    free(s.arena)
    free(s.live)
    s.arena = NULL
    s.live = NULL
    release(&s.g)


cdef inline void mode_coefficients(double omega, double r, double less_one, double dt, double* a, double* c) noexcept nogil:
    """A and C of eq. (21) from the damped angular frequency (rad/s), R = exp(-alpha dt) and R - 1, without cancellation."""
    cdef double half = sin(0.5 * omega * dt)
    cdef double den = 1.0 + 2.0 * r * cos(omega * dt) + r * r
    a[0] = (less_one * less_one + 4.0 * r * half * half) / den
    c[0] = 0.25 * den


cdef inline double omega_at(const State* s, Py_ssize_t i, double tension) noexcept nogil:
    """The damped angular frequency (rad/s) of a mode under a tension over the stored one (N); the root of a square is exact at 0."""
    return sqrt(s.squared[i] + s.slope[i] * tension)


cdef inline void set_mode(State* s, Py_ssize_t i) noexcept nogil:
    """A, C and what goes with them, of a mode at the present tension."""
    cdef double c
    mode_coefficients(omega_at(s, i, s.tension), s.decay[i], s.decay_less_one[i], s.time_step, &s.a[i], &c)
    s.twice_c[i] = 2.0 * c
    s.mobility[i] = s.xi[i] * c
    s.loss[i] = actual_loss(s.a[i], s.twice_c[i]) / s.xi[i]


cdef inline double actual_loss(double a, double twice_c) noexcept nogil:
    """B = 1/C - 1 - A of the rounded A and C: what the recursion really loses, else their rounding drifts in the balance."""
    return <double>(2.0 / <long double>twice_c - 1.0 - <long double>a)


cdef inline void add_energy(const State* state, double* row) noexcept nogil:
    """Kinetic, potential and contact energy, losses, work and the sum of |work| so far, J: eq. (31)."""
    cdef Py_ssize_t i, k
    cdef double kinetic = 0.0
    cdef double stored = 0.0
    cdef double contact = 0.0
    for i in range(state.modes):
        kinetic += state.inverse_xi[i] * state.q[i] * state.q[i]
        stored += state.inverse_xi[i] * state.a[i] * state.y[i] * state.y[i]
    for k in range(state.g.rows):
        if state.g.laws[k].present:
            contact += potential(&state.g.laws[k], state.g.before[k])
    row[0] = kinetic
    row[1] = stored
    row[2] = contact
    row[3] = state.losses + state.recent_losses
    row[4] = state.work + state.recent_work
    row[5] = state.throughput + state.recent_throughput


cdef inline double read_output(const State* state, const Call* call, Py_ssize_t j, double tension) noexcept nogil:
    """Output j, but for its part of the rows' forces, under a tension over the stored one (N)."""
    cdef double value = 0.0
    if call.parts[j] & 1:
        value = dot(call.out_y + j * state.stride, state.y, state.stride)
    if call.parts[j] & 2:
        value += dot(call.out_q + j * state.stride, state.q, state.stride)
    if call.parts[j] & 8 and tension != 0.0:
        value += tension * dot(call.out_t + j * state.stride, state.y, state.stride)
    return value


cdef inline void book_work(State* state, double work) noexcept nogil:
    state.recent_work += work
    state.recent_throughput += fabs(work)


cdef inline void close_books(State* state) noexcept nogil:
    """Adds the recent sums to the whole ones: short sums round less. Absent rows, carried along by W, go back to their place."""
    cdef Py_ssize_t k
    for k in range(state.g.rows):
        if not state.g.laws[k].present:
            state.g.before[k] = ABSENT
    state.losses += state.recent_losses
    state.work += state.recent_work
    state.throughput += state.recent_throughput
    state.recent_losses = 0.0
    state.recent_work = 0.0
    state.recent_throughput = 0.0


cdef inline void hear(Rest* rest, double output) noexcept nogil:
    cdef double size = fabs(output - rest.output)
    rest.loudest = size if size > rest.loudest else rest.loudest


cdef inline bint is_asleep(Rest* rest, double energy) noexcept nogil:
    """The decision of every BOOKING steps, from the energy (J) and what was heard since the last."""
    cdef double low
    rest.peak_energy = energy if energy > rest.peak_energy else rest.peak_energy
    rest.peak_output = rest.loudest if rest.loudest > rest.peak_output else rest.peak_output
    low = greater(rest.level if rest.level > 0.0 else rest.output_ratio * rest.peak_output, rest.output_noise)
    rest.quiet = rest.quiet + BOOKING if rest.loudest <= low and not rest.disturbed else 0
    rest.loudest = 0.0
    rest.disturbed = False
    return rest.quiet >= rest.patience and energy - rest.energy <= greater(
        rest.energy_ratio * (rest.peak_energy - rest.energy), rest.energy_noise)


cdef inline void find_living(State* state) noexcept nogil:
    cdef Py_ssize_t k
    state.living = 0
    for k in range(state.g.rows):
        if state.g.laws[k].present:
            state.live[state.living] = <int>k
            state.living += 1
        else:
            state.g.drift[k] = 0.0
            state.g.force[k] = 0.0
            state.g.before[k] = ABSENT
            state.shift[k] = 0.0
    meet_laws(&state.g)


cdef inline void free_step(crdouble y, crdouble q, crdouble a, crdouble twice_c, rdouble drift, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        drift[i] = twice_c[i] * (q[i] - a[i] * y[i])


cdef inline double finish_step(rdouble y, rdouble q, rdouble drift, crdouble mobility, crdouble push, crdouble loss,
                               Py_ssize_t n, bint pushed) noexcept nogil:
    """s = ubar + xi C V^T f, y += s, q = s - q; returns the modes' loss, J."""
    cdef double acc[8]
    cdef double s
    cdef Py_ssize_t i, j
    for j in range(8):
        acc[j] = 0.0
    if pushed:
        for i in range(n):
            drift[i] += mobility[i] * push[i]
    for i in range(0, n, 8):
        for j in range(8):
            s = drift[i + j]
            y[i + j] += s
            q[i + j] = s - q[i + j]
            acc[j] += loss[i + j] * s * s
    return folded(acc)


cdef inline void add_driven(rdouble drift, crdouble mobility, crdouble shape, double force, Py_ssize_t n) noexcept nogil:
    """drift += xi C g force."""
    cdef Py_ssize_t i
    for i in range(n):
        drift[i] += force * (mobility[i] * shape[i])


cdef inline void meet_row(State* s, Py_ssize_t k, Py_ssize_t others) noexcept nogil:
    """Row and column k of W = V diag(xi C) V^T, eq. (27), up to a number of rows."""
    cdef Py_ssize_t i, j
    cdef double* row = &s.shapes[k * s.stride]
    for i in range(s.stride):
        s.push[i] = s.mobility[i] * row[i]
    for j in range(others):
        s.g.mobility[k * s.g.stride + j] = dot(s.push, &s.shapes[j * s.stride], s.stride)
        s.g.mobility[j * s.g.stride + k] = s.g.mobility[k * s.g.stride + j]


cdef inline void change_tension(State* s, double tension) noexcept nogil:
    """New A, C and W under a tension over the stored one (N); (y, q) are kept, and the jump of the stored energy is work."""
    cdef Py_ssize_t i, k
    cdef double before
    cdef double work = 0.0
    if tension == s.tension:
        return
    s.tension = tension
    s.rest.disturbed = True
    for i in range(s.modes):
        before = s.a[i]
        set_mode(s, i)
        work += s.inverse_xi[i] * (s.a[i] - before) * s.y[i] * s.y[i]
    for k in range(s.g.rows):
        meet_row(s, k, k + 1)
    measure_mobility(&s.g)
    book_work(s, work)


cdef inline void change_row(State* state, Py_ssize_t k, int field, double value) noexcept nogil:
    """A row's stiffness, damping or offset from the coming step on; the jump of the stored energy is work."""
    cdef double rate, stiffness
    cdef double jump = 0.0
    cdef bint present
    present = state.g.laws[k].present
    if field == FIELD_OFFSET:
        if present and value != state.offset[k]:
            state.shift[k] += value - state.offset[k]
            state.rest.disturbed = True
        state.offset[k] = value
        return
    stiffness = value if field == FIELD_STIFFNESS else state.g.laws[k].stiffness
    rate = value / state.time_step if field == FIELD_DAMPING else state.g.laws[k].rate
    if stiffness == state.g.laws[k].stiffness and rate == state.g.laws[k].rate:
        return
    state.rest.disturbed = True
    if present:
        jump = -potential(&state.g.laws[k], state.g.before[k])
    else:
        # an absent row is not followed
        state.g.before[k] = state.offset[k] - dot(&state.shapes[k * state.stride], state.y, state.stride)
    shape_law(&state.g.laws[k], state.g.laws[k].kind, stiffness, state.g.laws[k].exponent, rate, state.g.laws[k].adhesive)
    if state.g.laws[k].present:
        jump += potential(&state.g.laws[k], state.g.before[k])
    book_work(state, jump)
    if state.g.laws[k].present != present:
        find_living(state)


cdef inline void see_drift(State* state) noexcept nogil:
    """u = V ubar and e = p + the offset's change, for the rows that live."""
    cdef Py_ssize_t i, k
    cdef Py_ssize_t n = state.stride
    cdef double* u = state.g.drift
    cdef double* v = state.shapes
    cdef int* r
    for i in range(0, state.living - 3, 4):
        r = state.live + i
        dot_four(v + r[0] * n, v + r[1] * n, v + r[2] * n, v + r[3] * n, state.drift, n, u + r[0], u + r[1], u + r[2], u + r[3])
    for i in range(state.living & ~3, state.living):
        k = state.live[i]
        u[k] = dot(v + k * n, state.drift, n)
    add(state.g.free, state.g.before, state.shift, state.g.stride)


cdef inline bint settle_rows(State* state, bint* touched) noexcept nogil:
    """After a step: books heat and work of the rows, moves p on, gathers V^T f; True if any row pushed."""
    cdef Py_ssize_t i, k
    cdef bint pushed = False
    for i in range(state.g.touching):
        k = state.g.touch[i]
        if state.g.force[k] != 0.0:
            if not pushed:
                clear(state.push, state.stride)
                pushed = True
            add_scaled(state.push, &state.shapes[k * state.stride], state.g.force[k], state.stride)
            book_work(state, state.g.force[k] * state.shift[k])
            touched[0] = touched[0] or not is_linear(&state.g.laws[k])
        state.recent_losses += dissipated(&state.g.laws[k], state.g.before[k], state.g.after[k])
    copy(state.g.before, state.g.after, state.g.stride)
    clear(state.shift, state.g.stride)
    return pushed


cdef inline void meet_modes(State* s) noexcept nogil:
    """p of the rows that exert forces, from y."""
    cdef Py_ssize_t k
    for k in range(s.g.rows):
        s.shift[k] = 0.0
        s.g.before[k] = s.offset[k] - dot(&s.shapes[k * s.stride], s.y, s.stride) if s.g.laws[k].present else ABSENT
