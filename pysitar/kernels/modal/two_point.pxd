# The two-point scheme of a network (van Walstijn & Bridges 2016, section III-A, eqs. (26)-(33)).
#
# State per mode: y (m) and q = dt p / (2 m) (m), p the momentum. One step, with ubar the step
# without contact:
#   ubar = 2 C (q - A y) + xi C g       (printed without the factor 2)
#   s = ubar + xi C V^T f
#   y += s, q = s - q
# The energy and its balance:
#   H = sum (q^2 + A y^2) / xi + sum phi(p)
#   H+ - H = work - sum B s^2 / xi - energy dissipated by the rows
from libc.math cimport INFINITY, sqrt
from libc.stdlib cimport free

from pysitar.kernels.contact.law cimport is_friction
from pysitar.kernels.contact.problem cimport allocate_vectors
from pysitar.kernels.core.elementary_functions cimport cos, exp, expm1, sin
from pysitar.kernels.core.lanes cimport add_squares
from pysitar.kernels.core.ledger cimport BLOCK_STEPS, ENERGY_TERMS, add_work, read_ledger
from pysitar.kernels.modal.network cimport Network
from pysitar.kernels.modal.residual cimport residual_energy
from pysitar.kernels.modal.rows cimport row_energy, rows_energy, update_mobility
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.statics cimport retune_residual, stored_residual_energy
from pysitar.kernels.modal.stepping cimport (
    Call, Modes, add_drive_work, add_force_outputs, apply_controls, begin_modes, close_block,
    collide_rows, drive_modes, is_driven, modes_of, move_modes, sample_output, should_sleep,
    track_first_output,
)
from pysitar.kernels.modal.tension_ramp cimport (
    TensionRamp, load_end_mobility, move_ramp, plan_mobility, release_ramp,
)
from pysitar.kernels.modal.watch cimport Watch, ends_call

cdef struct TwoPointModes:      # per mode; in State, mobility is xi C and loss B / xi
    double* a                   # A
    double* twice_c             # 2 C
    double* decay               # R = exp(-alpha dt)
    double* decay_less_one      # R - 1
    double* omega_squared       # squared damped angular frequency at the stored tension, rad^2/s^2
    double* tension_slope       # derivative of omega_squared by the tension, 1/(kg m)
    TensionRamp ramp
    double highest              # damped angular frequency above which a mode is left out, rad/s
    double* arena


cdef inline bint allocate_modes(TwoPointModes* m, Py_ssize_t n) noexcept nogil:
    """Allocate n modes, a multiple of LANES, all zero; return False if memory is exhausted."""
    cdef double** vectors[6]
    m.highest = INFINITY
    vectors = [&m.a, &m.twice_c, &m.decay, &m.decay_less_one, &m.omega_squared,
               &m.tension_slope]
    m.arena = allocate_vectors(vectors, 6, n)
    return m.arena != NULL


cdef inline void release_modes(TwoPointModes* m) noexcept nogil:
    free(m.arena)
    m.arena = NULL
    release_ramp(&m.ramp)


cdef inline void load_mode(const State* s, TwoPointModes* m, Py_ssize_t i, double omega,
                           double alpha, double slope) noexcept nogil:
    """Store a mode's parameters.

    Parameters: omega, damped, rad/s; alpha, decay rate, 1/s; slope, d omega^2 / d tension, 1/(kg
    m).
    """
    m.decay[i] = exp(-alpha * s.time_step)
    m.decay_less_one[i] = expm1(-alpha * s.time_step)
    m.omega_squared[i] = omega * omega
    m.tension_slope[i] = slope


cdef inline void mode_coefficients(double omega, double r, double less_one, double dt, double* a,
                                   double* c) noexcept nogil:
    """Compute A and C of eq. (21) without cancellation.

    Parameters: omega, damped, rad/s; r, R = exp(-alpha dt); less_one, R - 1; dt, s.
    """
    cdef double half = sin(0.5 * omega * dt)
    cdef double den = 1.0 + 2.0 * r * cos(omega * dt) + r * r
    a[0] = (less_one * less_one + 4.0 * r * half * half) / den
    c[0] = 0.25 * den


cdef inline double omega_at(const TwoPointModes* m, Py_ssize_t i, double tension) noexcept nogil:
    """Return the damped angular frequency (rad/s) of a mode for a tension (N) over the stored one.

    The result is exact for tension 0: the square root of a rounded square is the original number.
    """
    return sqrt(m.omega_squared[i] + m.tension_slope[i] * tension)


cdef inline void find_coefficients(const State* s, const TwoPointModes* m, Py_ssize_t i,
                                   double tension, double* a, double* twice_c, double* mobility,
                                   double* loss) noexcept nogil:
    """Compute A, 2 C, mobility and loss of a mode for a tension (N) over the stored one: all 0
    above the limit."""
    cdef double c
    cdef double omega = omega_at(m, i, tension)
    if omega > m.highest:
        a[0] = twice_c[0] = mobility[0] = loss[0] = 0.0
        return
    mode_coefficients(omega, m.decay[i], m.decay_less_one[i], s.time_step, a, &c)
    twice_c[0] = 2.0 * c
    mobility[0] = s.xi[i] * c
    loss[0] = loss_coefficient(a[0], twice_c[0]) / s.xi[i]


cdef inline void update_mode(State* s, TwoPointModes* m, Py_ssize_t i) noexcept nogil:
    """Compute the coefficients of a mode at the present tension."""
    find_coefficients(s, m, i, s.tension, &m.a[i], &m.twice_c[i], &s.mobility[i], &s.loss[i])


cdef inline double loss_coefficient(double a, double twice_c) noexcept nogil:
    """Return B = 1/C - 1 - A of the rounded A and C.

    This is the loss of the recursion as computed; B of the exact coefficients would make the energy
    balance drift.
    """
    return <double>(2.0 / <long double>twice_c - 1.0 - <long double>a)


cdef inline double static_compliance(const State* s, const TwoPointModes* m, Py_ssize_t i,
                                     double tension) noexcept nogil:
    """Return 1/k* of a mode (m/N) for a tension (N) over the stored one, k* = 4 m A / dt^2.

    With this k* the equilibrium is stationary for the scheme.
    """
    cdef double a, c
    cdef double omega = omega_at(m, i, tension)
    if omega > m.highest:
        return 1e-200               # left out: it stays at 0, where 0 would keep a free mass
    mode_coefficients(omega, m.decay[i], m.decay_less_one[i], s.time_step, &a, &c)
    return 1.0 / (2.0 * a * s.inverse_xi[i]) if a > 0.0 else 0.0


cdef inline void fill_modal_compliance(State* s, const TwoPointModes* m) noexcept nogil:
    """Compute 1/k* of the modes, of their rounded A, for the residual compliance."""
    cdef Py_ssize_t i
    s.residual.tension_change = s.tension
    for i in range(s.modes):
        s.residual.modal_compliance[i] = (1.0 / (2.0 * m.a[i] * s.inverse_xi[i])
                                          if m.a[i] > 0.0 else 0.0)


cdef inline void sample_energy(const State* s, const TwoPointModes* m, double* row) noexcept nogil:
    """Write kinetic, potential and contact energy, losses, work and sum of |work|, J: eq. (31)."""
    cdef double potential_energy
    add_squares(s.inverse_xi, s.q, m.a, s.y, s.stride, row, &potential_energy)
    row[1] = potential_energy + (row_energy(s, s.axial_row) if s.axial_row >= 0 else 0.0)
    if s.residual.is_on:
        row[1] += residual_energy(&s.residual)
    row[2] = rows_energy(s)
    read_ledger(&s.ledger, row)


cdef inline double switch_mode(State* s, TwoPointModes* m, Py_ssize_t i,
                               double a_before) noexcept nogil:
    """Remove a mode that has passed the limit of frequencies, or let it start at rest where the
    residual forces hold it; return the jump of its energy, J, but that of a change of A at its y.

    The residual compliance takes over its static displacement, so the rows hardly move.
    """
    cdef Py_ssize_t j, k
    cdef double y = 0.0
    cdef double work = 0.0
    if a_before > 0.0:
        work = -s.inverse_xi[i] * (s.q[i] * s.q[i] + a_before * s.y[i] * s.y[i])
    elif s.residual.is_loaded:
        for k in range(s.g.rows):
            y += s.shapes[k * s.stride + i] * s.residual.force[k]
        y /= 2.0 * m.a[i] * s.inverse_xi[i]
    for j in range(s.present_count):
        k = s.present_rows[j]
        # a bristle keeps its deflection, and the elongation is no linear function of y
        if k != s.axial_row and not is_friction(&s.g.laws[k]):
            s.g.p_before[k] += s.shapes[k * s.stride + i] * (s.y[i] - y)
    if s.axial_row >= 0:
        work -= row_energy(s, s.axial_row)
        s.g.p_before[s.axial_row] += 0.5 * s.curvature[i] * (s.y[i] * s.y[i] - y * y)
        work += row_energy(s, s.axial_row)
    s.y[i], s.q[i] = y, 0.0
    return work


cdef inline void change_tension(State* s, TwoPointModes* m, double tension) noexcept nogil:
    """Recompute A, C and W, and R, for a tension (N) over the stored one.

    (y, q) and g are kept, except of modes that pass the limit of frequencies; the jump of the
    stored energy is counted as work.
    """
    cdef Py_ssize_t i
    cdef double a_before
    cdef double work = 0.0
    if tension == s.tension and not m.ramp.left:
        return
    m.ramp.left, m.ramp.has_w = 0, False
    s.tension = tension
    s.sleep.is_disturbed = True
    if s.residual.is_on:
        work -= stored_residual_energy(s)
    for i in range(s.modes):
        a_before = m.a[i]
        update_mode(s, m, i)
        if (m.a[i] == 0.0) != (a_before == 0.0):
            work += switch_mode(s, m, i, a_before)
        work += s.inverse_xi[i] * (m.a[i] - a_before) * s.y[i] * s.y[i]
    if s.residual.is_on:
        fill_modal_compliance(s, m)
        retune_residual(s)
        work += stored_residual_energy(s)
    update_mobility(s)
    add_work(&s.ledger, work)


cdef inline void find_end_coefficients(const State* s, TwoPointModes* m,
                                       double tension) noexcept nogil:
    """Compute the coefficients of all modes at the end of a ramp, at a tension (N) over the stored
    one."""
    cdef TensionRamp* ramp = &m.ramp
    cdef Py_ssize_t i
    for i in range(s.modes):
        find_coefficients(s, m, i, tension, &ramp.end_a[i], &ramp.end_twice_c[i],
                          &ramp.end_mobility[i], &ramp.end_loss[i])
        ramp.half_product[i] = 0.5 * (1.0 + m.decay[i] * m.decay[i])


cdef inline void begin_ramp(State* s, TwoPointModes* m, double tension,
                            Py_ssize_t steps) noexcept nogil:
    """Begin a block of steps at the end of which the tension is another one (N over the stored
    one). Modes that the other tension leaves out are left out from here."""
    cdef TensionRamp* ramp = &m.ramp
    cdef Py_ssize_t i
    cdef double a_before
    cdef double work = 0.0
    cdef bint is_switched = False
    if tension == s.tension:
        return
    find_end_coefficients(s, m, tension)
    if s.residual.is_on:
        work -= stored_residual_energy(s)
    for i in range(s.modes):
        a_before = m.a[i]
        if ramp.end_twice_c[i] == 0.0 and m.twice_c[i] != 0.0:
            m.a[i] = m.twice_c[i] = s.mobility[i] = s.loss[i] = 0.0
            work += switch_mode(s, m, i, a_before)
            is_switched = True
        ramp.twice_c_step[i] = ((ramp.end_twice_c[i] - m.twice_c[i]) / steps
                                if m.twice_c[i] != 0.0 else 0.0)
    if is_switched and s.residual.is_on:
        fill_modal_compliance(s, m)
        retune_residual(s)
    if s.residual.is_on:
        work += stored_residual_energy(s)
    if is_switched:
        update_mobility(s)
        add_work(&s.ledger, work)
    ramp.has_w = ramp.has_w and not (is_switched or s.has_new_shapes)
    s.has_new_shapes = False
    plan_mobility(s, ramp, steps)
    ramp.left, ramp.end, ramp.tension_step = steps, tension, (tension - s.tension) / steps
    move_ramp(s, ramp, m.a, m.twice_c, 0.5)


cdef inline void end_ramp(State* s, TwoPointModes* m) noexcept nogil:
    """Set all coefficients to those of the tension at the end of a block."""
    cdef TensionRamp* ramp = &m.ramp
    cdef Py_ssize_t i
    cdef double a_before
    cdef double work = 0.0
    cdef bint is_switched = False
    s.tension = ramp.end
    s.sleep.is_disturbed = True
    if s.residual.is_on:
        work -= stored_residual_energy(s)
    for i in range(s.modes):
        a_before = m.a[i]
        is_switched = is_switched or (m.twice_c[i] == 0.0) != (ramp.end_twice_c[i] == 0.0)
        m.a[i], m.twice_c[i] = ramp.end_a[i], ramp.end_twice_c[i]
        s.mobility[i], s.loss[i] = ramp.end_mobility[i], ramp.end_loss[i]
        if (m.a[i] == 0.0) != (a_before == 0.0):
            work += switch_mode(s, m, i, a_before)
        work += s.inverse_xi[i] * (m.a[i] - a_before) * s.y[i] * s.y[i]
    if s.residual.is_on:
        fill_modal_compliance(s, m)
        retune_residual(s)
        work += stored_residual_energy(s)
    if is_switched or s.has_new_shapes:
        ramp.has_w = False
        update_mobility(s)
    else:
        load_end_mobility(s, ramp)
    add_work(&s.ledger, work)


cdef inline bint tension_changes(const State* s, const TwoPointModes* m,
                                 const Call* call) noexcept nogil:
    """Return True if the tension changes at this step."""
    return m.ramp.left > 0 or (call.block_tensions != NULL and s.count % call.block_steps == 0)


cdef inline void step_tension(State* s, TwoPointModes* m, const Call* call,
                              double** block_tensions) noexcept nogil:
    """Change the tension at this step: that of a ramp, or by the next of the blocks' tensions."""
    if m.ramp.left:
        if s.has_new_shapes and m.ramp.left > 1:
            s.has_new_shapes, m.ramp.has_w = False, False
            plan_mobility(s, &m.ramp, m.ramp.left - 0.5)
        m.ramp.left -= 1
        if m.ramp.left:
            move_ramp(s, &m.ramp, m.a, m.twice_c, 1.0)
        else:
            end_ramp(s, m)
    if block_tensions[0] == NULL or s.count % call.block_steps:
        return
    if call.has_ramps:
        begin_ramp(s, m, block_tensions[0][0], call.block_steps)
    else:
        change_tension(s, m, block_tensions[0][0])
    block_tensions[0] += 1


cdef inline void take_steps(State* s, TwoPointModes* m, Call* call, Watch* watch) noexcept nogil:
    """Compute the steps of a call; stop early if the network falls asleep, or at a watched row."""
    cdef Py_ssize_t n, j
    cdef double* out
    cdef double* energies = call.run.energies
    cdef double* block_tensions = call.block_tensions
    cdef Modes modes = modes_of(s, m.a, m.twice_c, NULL)
    cdef bint has_drift = False         # of the coming step
    watch.has_ended = False
    for n in range(call.run.steps):
        if watch.count and ends_call(s, m.a, m.twice_c, watch, n):
            return
        out = call.run.out + n * call.run.outputs
        for j in range(call.run.outputs):
            out[j] = sample_output(s, call, j,
                                   s.tension if call.tensions == NULL else call.tensions[n])
        if s.count % BLOCK_STEPS == 0:
            close_block(s)
        if tension_changes(s, m, call):
            step_tension(s, m, call, &block_tensions)
            has_drift = False
        if call.run.every and s.count % call.run.every == 0:
            sample_energy(s, m, energies)
            if should_sleep(s, call, energies):
                return
            energies += ENERGY_TERMS
        track_first_output(s, call, out)
        apply_controls(s, call, n)
        if not has_drift:
            begin_modes(&modes, 2, False, s.stride)
        drive_modes(s, call, n)
        collide_rows(s, call)
        # work is counted by the drift, which holds s until then
        has_drift = not is_driven(s, call, n)
        s.ledger.recent_losses += move_modes(&modes, s.pushing.count, s.pushing.shapes,
                                             s.pushing.forces, 2, has_drift, s.stride)
        add_drive_work(s, call, n)
        add_force_outputs(s, call, out)
        s.count += 1
        call.run.steps_done += 1


cdef class TwoPoint(Network):
    cdef TwoPointModes m
    cdef Watch watch
    cdef object watch_buffer    # owns what `watch.compressions` points into
