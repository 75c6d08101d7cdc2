# The explicit scheme of a string's modes with contacts (Ducceschi & Bilbao 2019, eqs. (53)-(62),
# the printed signs of (53), (57) and (59) corrected); the law is described in
# contact/energy_root.pxd.
#
# Per mode, with q = y - y-, s the decay rate and w the undamped angular frequency, over a step
# y+ - y-:
#   (1 + s dt)(y+ - y-) = 2 q - w^2 dt^2 y + dt^2 / m V^T f
# which is the three-point scheme (three_point.pxd) with C = 2 / (1 + s dt) and
# G = w^2 dt^2 / (1 + s dt); step, ledger and equilibrium are those of that scheme. U = w^2 dt^2 and
# L = s dt; the scheme is stable for w dt < 2, and a mode oscillates at 2 asin(w dt / 2) / dt. The
# rows are coupled by the constant W = V diag(dt^2 / (m (1 + s dt))) V^T; each step solves for the
# rows in contact only.
from pysitar.kernels.contact.energy_root cimport (
    VARIANT_PAPER, frozen_psi_slope, initial_psi, load_active_mobility, solve_psi_forces,
    update_psi,
)
from pysitar.kernels.contact.power_law cimport power_of
from pysitar.kernels.contact.problem cimport Problem
from pysitar.kernels.contact.solver cimport scatter_forces
from pysitar.kernels.core.lanes cimport copy
from pysitar.kernels.core.ledger cimport ENERGY_TERMS
from pysitar.kernels.modal.rows cimport project_drift, push_modes
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport (
    Call, Modes, begin_modes, drive_modes, modes_of, should_sleep,
)
from pysitar.kernels.modal.three_point cimport (
    ThreePointModes, close_step, open_step, sample_energy,
)


cdef inline void update_explicit_mode(State* s, ThreePointModes* m, Py_ssize_t i, double omega,
                                      double alpha) noexcept nogil:
    """Compute the coefficients of a mode from its undamped frequency (rad/s) and decay rate (1/s).

    U and L follow from the rounded C and G.
    """
    cdef double phase_step = omega * s.time_step
    m.c[i] = 2.0 / (1.0 + alpha * s.time_step)
    m.restoring_factor[i] = 0.5 * m.c[i] * (phase_step * phase_step)
    m.upsilon[i] = 2.0 * m.restoring_factor[i] / m.c[i]
    s.mobility[i] = s.xi[i] * m.c[i]
    s.loss[i] = 0.25 * s.inverse_xi[i] * (2.0 - m.c[i]) / m.c[i]


cdef inline void init_psi(const State* s, double* psi) noexcept nogil:
    """Set psi after a change of the modes' state."""
    cdef Py_ssize_t k
    for k in range(s.g.rows):
        psi[k] = (initial_psi(&s.g.laws[k], s.p_now[k], s.g.p_before[k]) if s.g.laws[k].is_present
                  else 0.0)


cdef inline double collect_active_rows(State* s, double* psi, int variant) noexcept nogil:
    """Collect active rows; return the energy (J) dissipated by resetting psi."""
    cdef Problem* g = &s.g
    cdef Py_ssize_t i, k, n
    cdef double heat = 0.0
    g.active_count = 0
    for i in range(s.present_count):
        k = s.present_rows[i]
        if s.p_now[k] <= 0.0:
            if variant != VARIANT_PAPER and psi[k] != 0.0:
                heat += 0.5 * psi[k] * psi[k]
                psi[k] = 0.0
            continue
        n = g.active_count
        g.active_rows[n] = <int>k
        g.u[n] = -g.drift[k]
        g.slope[n] = (g.laws[k].rate * g.laws[k].stiffness * power_of(&g.laws[k], s.p_now[k])
                      if g.laws[k].rate > 0.0 else 0.0)
        g.law_force[n] = frozen_psi_slope(&g.laws[k], s.p_now[k])
        g.delta_f[n] = psi[k]
        g.active_count += 1
    return heat


cdef inline void collide_active_rows(State* s, Call* call, double* psi, int variant) noexcept nogil:
    """Compute the forces of the active rows, which push the modes."""
    cdef Problem* g = &s.g
    cdef Py_ssize_t i, k
    s.pushing.count = 0
    if not s.present_count:
        return
    project_drift(s, True)
    s.ledger.recent_losses += collect_active_rows(s, psi, variant)
    if g.active_count:
        g.solves += 1
        load_active_mobility(g)
        solve_psi_forces(g, variant != VARIANT_PAPER)
        s.ledger.recent_losses += update_psi(g, False)
    scatter_forces(g)
    for i in range(g.active_count):
        k = g.active_rows[i]
        psi[k] = g.delta_f[i]
        if g.f[i] != g.f[i]:
            g.failures += 1
            call.run.failed_at = s.count if call.run.failed_at < 0 else call.run.failed_at
        if g.f[i] != 0.0:
            push_modes(s, k)
    call.run.contact_steps += s.pushing.count > 0
    copy(g.p_before, s.p_now, g.stride)
    copy(s.p_now, g.p_after, g.stride)


cdef inline void sample_modal_energy(const State* s, const ThreePointModes* m, const double* psi,
                                     double* row) noexcept nogil:
    """Write kinetic, potential and contact energy, losses, work and sum of |work| at n - 1/2, J."""
    cdef Py_ssize_t k
    sample_energy(s, m, row)
    row[2] = 0.0
    for k in range(s.g.rows):
        row[2] += 0.5 * psi[k] * psi[k]


cdef inline void take_modal_steps(State* s, ThreePointModes* m, double* psi, int variant,
                                  Call* call) noexcept nogil:
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
            sample_modal_energy(s, m, psi, energies)
            if should_sleep(s, call, energies):
                return
            energies += ENERGY_TERMS
        if not has_drift:
            begin_modes(&modes, 3, False, s.stride)
        drive_modes(s, call, n)
        collide_active_rows(s, call, psi, variant)
        has_drift = close_step(s, &modes, call, n, out)
