# The three-point scheme of a network (van Walstijn & Bridges 2016, section III-B).
#
# State per mode: y and q = y(n) - y(n - 1) (m); storing q keeps the energy of slow modes free of
# cancellation. With R = exp(-alpha dt), C = 1 + R^2, G = C - 2 R cos(omega dt), a step
# s = y+ - y- is, by eq. (38) with A = C - G,
#   s = C q - G y + xi C (V^T f + g)
#   q = s - q, y += q
# The energy and its balance, with U = 2 G / C, which is k* dt^2 / m:
#   H(n - 1/2) = sum (q^2 + U y y-) / (4 xi) + sum (phi(p) + phi(p-)) / 2
#   H(n + 1/2) - H(n - 1/2) = work - sum L s^2 / (4 xi) - energy dissipated by the rows
# with L = (1 - R^2) / C by eq. (42). A force f (N) does the work f s / 2 in a step.
from libc.stdlib cimport free
from libc.string cimport memset

from pysitar.kernels.contact.problem cimport (
    Problem, allocate_vectors, update_laws, update_mobility_norm,
)
from pysitar.kernels.contact.solver cimport solve_collision
from pysitar.kernels.core.elementary_functions cimport exp, expm1, sin
from pysitar.kernels.core.lanes cimport add_scaled, dot
from pysitar.kernels.core.ledger cimport BLOCK_STEPS, ENERGY_TERMS, read_ledger
from pysitar.kernels.modal.equilibrium cimport Equilibrium
from pysitar.kernels.modal.network cimport Network
from pysitar.kernels.modal.rows cimport clear_modes, rows_energy, update_compressions
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport (
    VELOCITY_TERM, Call, Modes, add_drive_work, add_force_outputs, apply_controls, begin_modes,
    close_block, collide_rows, drive_modes, is_driven, modes_of, move_modes, sample_displacement,
    should_sleep, track_first_output,
)

cdef struct ThreePointModes:    # per mode; in State, mobility is xi C and loss L / (4 xi)
    double* c                   # C
    double* restoring_factor    # G
    double* upsilon             # U
    double* arena


cdef inline bint allocate_modes(ThreePointModes* m, Py_ssize_t n) noexcept nogil:
    """Allocate n modes, a multiple of LANES, all zero; return False if memory is exhausted."""
    cdef double** vectors[3]
    vectors = [&m.c, &m.restoring_factor, &m.upsilon]
    m.arena = allocate_vectors(vectors, 3, n)
    return m.arena != NULL


cdef inline void release_modes(ThreePointModes* m) noexcept nogil:
    free(m.arena)
    m.arena = NULL


cdef inline void update_mode(State* s, ThreePointModes* m, Py_ssize_t i, double omega,
                             double alpha) noexcept nogil:
    """Compute the coefficients of a mode from its damped angular frequency (rad/s) and decay rate
    (1/s).

    The formulas are free of cancellation. U and L follow from the rounded C and G, so the energy
    balance of the recursion has no drift; C is at most 2, so 2 - C is exact.
    """
    cdef double r = exp(-alpha * s.time_step)
    cdef double less_one = expm1(-alpha * s.time_step)
    cdef double half = sin(0.5 * omega * s.time_step)
    m.c[i] = 1.0 + r * r
    m.restoring_factor[i] = less_one * less_one + 4.0 * r * half * half
    m.upsilon[i] = 2.0 * m.restoring_factor[i] / m.c[i]
    s.mobility[i] = s.xi[i] * m.c[i]
    s.loss[i] = 0.25 * s.inverse_xi[i] * (2.0 - m.c[i]) / m.c[i]


cdef inline double static_compliance(const State* s, const ThreePointModes* m,
                                     Py_ssize_t i) noexcept nogil:
    """Return 1/k* of a mode (m/N), k* = m U / dt^2: the equilibrium is stationary for the
    scheme."""
    return 2.0 / (m.upsilon[i] * s.inverse_xi[i]) if m.upsilon[i] > 0.0 else 0.0


cdef inline void sample_energy(const State* s, const ThreePointModes* m,
                               double* row) noexcept nogil:
    """Write kinetic, potential and contact energy, losses, work and sum of |work| at n - 1/2, J."""
    cdef Py_ssize_t i
    cdef double kinetic_energy = 0.0
    cdef double potential_energy = 0.0
    for i in range(s.modes):
        kinetic_energy += 0.25 * s.inverse_xi[i] * s.q[i] * s.q[i]
        potential_energy += 0.25 * s.inverse_xi[i] * m.upsilon[i] * s.y[i] * (s.y[i] - s.q[i])
    row[0] = kinetic_energy
    row[1] = potential_energy
    row[2] = rows_energy(s)
    read_ledger(&s.ledger, row)


cdef inline double stiffening_work(const State* s, const ThreePointModes* m, Py_ssize_t i,
                                   double upsilon_before) noexcept nogil:
    """Return the jump of a mode's stored energy by a change of U, J."""
    return 0.25 * s.inverse_xi[i] * (m.upsilon[i] - upsilon_before) * s.y[i] * (s.y[i] - s.q[i])


cdef inline double free_velocity(const State* s, const ThreePointModes* m,
                                 Py_ssize_t i) noexcept nogil:
    """Return dy/dt (m/s) at the present step without forces."""
    return (m.c[i] * s.q[i] - m.restoring_factor[i] * s.y[i]) * s.velocity_factor


cdef inline void set_modal_state(State* s, const ThreePointModes* m, const double[::1] displacement,
                                 const double[::1] velocity) noexcept nogil:
    """Set y (m) and dy/dt (m/s) of a step without forces; reset the rows' forces to 0."""
    cdef Py_ssize_t i, k
    clear_modes(s)
    for i in range(s.modes):
        s.y[i] = displacement[i]
        s.drift[i] = velocity[i] / s.velocity_factor
        s.q[i] = (s.drift[i] + m.restoring_factor[i] * s.y[i]) / m.c[i]
    for k in range(s.g.rows):
        s.g.force[k] = 0.0
    update_compressions(s)


cdef inline bint correct_previous_step(State* s, Equilibrium* at) noexcept nogil:
    """Recompute y(n - 1) by a two-point step back that includes the rows' forces.

    Return False if that collision was not solved. Without this correction a state set in contact
    has an error of first order, because y(n - 1) would be that of a step without forces.
    """
    cdef Problem* g = &at.g
    cdef Py_ssize_t i, k
    for k in range(g.rows):
        g.laws[k] = s.g.laws[k]
        g.laws[k].rate *= 2.0
        g.p_before[k] = s.p_now[k]
        g.p_free[k] = s.p_now[k]
        g.drift[k] = -dot(&s.shapes[k * s.stride], s.q, s.stride) if g.laws[k].is_present else 0.0
        for i in range(g.rows):
            g.mobility[k * g.stride + i] = 0.5 * s.g.mobility[k * s.g.stride + i]
    update_laws(g)
    update_mobility_norm(g)
    if solve_collision(g) < 0:
        return False
    memset(at.modal_force, 0, s.stride * sizeof(double))
    for k in range(g.rows):
        add_scaled(at.modal_force, &s.shapes[k * s.stride], g.force[k], s.stride)
    for i in range(s.modes):
        s.q[i] -= 0.5 * s.mobility[i] * at.modal_force[i]
    update_compressions(s)
    return True


cdef inline void add_velocity_outputs(const State* s, const Call* call, double* out) noexcept nogil:
    """Add the velocity terms, with dy/dt = s / (2 dt) at the middle of the span, to the outputs."""
    cdef Py_ssize_t j
    for j in range(call.run.outputs):
        if call.output_terms[j] & VELOCITY_TERM:
            out[j] += dot(call.out_q + j * s.stride, s.drift, s.stride)


cdef inline void open_step(State* s, const Call* call, double* out) noexcept nogil:
    """Write the outputs' displacement terms before the step; close the ledger at block ends."""
    cdef Py_ssize_t j
    for j in range(call.run.outputs):
        out[j] = sample_displacement(s, call, j)
    if s.count % BLOCK_STEPS == 0:
        close_block(s)


cdef inline bint needs_displacements(const State* s, const Call* call, Py_ssize_t n) noexcept nogil:
    """Return True if the displacements over the span are needed once step n of a call is done, for
    work or velocities."""
    cdef Py_ssize_t j
    # an output may be set after the call, which ends with its steps or in sleep at a block end
    if n + 1 == call.run.steps or (s.count + 1) % BLOCK_STEPS == 0 or is_driven(s, call, n):
        return True
    for j in range(call.run.outputs):
        if call.output_terms[j] & VELOCITY_TERM:
            return True
    return False


cdef inline bint close_step(State* s, const Modes* modes, Call* call, Py_ssize_t n,
                            double* out) noexcept nogil:
    """Finish the step: move the modes, add the work of forces, add velocity and force terms of
    outputs. Return True if the drift is that of the next step, which has begun."""
    cdef bint begins = not needs_displacements(s, call, n)
    s.ledger.recent_losses += move_modes(modes, s.pushing.count, s.pushing.shapes,
                                         s.pushing.forces, 3, begins, s.stride)
    add_drive_work(s, call, n)
    add_velocity_outputs(s, call, out)
    track_first_output(s, call, out)
    add_force_outputs(s, call, out)
    s.count += 1
    call.run.steps_done += 1
    return begins


cdef inline void take_steps(State* s, ThreePointModes* m, Call* call) noexcept nogil:
    """Compute the steps of a call; stop early if the network falls asleep."""
    cdef Py_ssize_t n
    cdef double* out
    cdef double* energies = call.run.energies
    cdef Modes modes = modes_of(s, m.restoring_factor, m.c, NULL)
    cdef bint has_drift = False         # of the coming step
    for n in range(call.run.steps):
        out = call.run.out + n * call.run.outputs
        open_step(s, call, out)
        if call.run.every and s.count % call.run.every == 0:
            sample_energy(s, m, energies)
            if should_sleep(s, call, energies):
                return
            energies += ENERGY_TERMS
        apply_controls(s, call, n)
        if not has_drift:
            begin_modes(&modes, 3, False, s.stride)
        drive_modes(s, call, n)
        collide_rows(s, call)
        has_drift = close_step(s, &modes, call, n, out)


cdef class ThreePointNetwork(Network):  # base class of ThreePoint and ModalExplicit
    cdef ThreePointModes m

    cdef int _load_modes(self, dict network) except -1

    # of each scheme: coefficients of a mode
    cdef void _update_mode(self, Py_ssize_t i, double omega, double alpha) noexcept
