# The explicit scheme of a string's modes against its contacts (Ducceschi & Bilbao 2019, eqs. (53)-(62), the printed signs of (53), (57)
# and (59) mended); contact/energy_root.pxd tells the law.
#
# Per mode, with q = y - y-, s the decay rate and w the undamped angular frequency, over a step y+ - y-:
#   (1 + s dt)(y+ - y-) = 2 q - w^2 dt^2 y + dt^2 / m V^T f
# which is the three-point scheme (three_point.pxd) with C = 2 / (1 + s dt), G = w^2 dt^2 / (1 + s dt): its step, its books and its rest are
# that scheme's. U = w^2 dt^2 and L = s dt; it is stable for w dt < 2, and a mode sounds at 2 asin(w dt / 2) / dt.
# All rows move each other by W = V diag(dt^2 / (m (1 + s dt))) V^T, a constant; each step solves for those in contact alone.
from pysitar.kernels.contact.energy_root cimport BY_PAPER, begun_psi, frozen_root, pose_roots, settle_roots, solve_roots
from pysitar.kernels.contact.law cimport raised
from pysitar.kernels.contact.problem cimport Problem
from pysitar.kernels.contact.solver cimport spread_force
from pysitar.kernels.core.lanes cimport add_scaled, clear, copy
from pysitar.kernels.core.ledger cimport ENERGIES
from pysitar.kernels.modal.rows cimport see_drift
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport Call, drive, falls_asleep
from pysitar.kernels.modal.three_point cimport ThreePointModes, add_energy, close_step, free_step, open_step


cdef inline void set_explicit_mode(State* s, ThreePointModes* m, Py_ssize_t i, double omega, double alpha) noexcept nogil:
    """The coefficients of a mode from its undamped frequency (rad/s) and decay rate (1/s); U and L are those of the rounded C, G."""
    cdef double number = omega * s.time_step
    m.c[i] = 2.0 / (1.0 + alpha * s.time_step)
    m.pull[i] = 0.5 * m.c[i] * (number * number)
    m.upsilon[i] = 2.0 * m.pull[i] / m.c[i]
    s.mobility[i] = s.xi[i] * m.c[i]
    s.loss[i] = 0.25 * s.inverse_xi[i] * (2.0 - m.c[i]) / m.c[i]


cdef inline void meet_modal(const State* s, double* psi) noexcept nogil:
    """psi of modes that were put somewhere."""
    cdef Py_ssize_t k
    for k in range(s.g.rows):
        psi[k] = begun_psi(&s.g.laws[k], s.latest[k], s.g.before[k]) if s.g.laws[k].present else 0.0


cdef inline double take_rows(State* s, double* psi, int variant) noexcept nogil:
    """The rows in contact, as touching ones; returns the heat of those that give up their psi, J."""
    cdef Problem* g = &s.g
    cdef Py_ssize_t i, k, n
    cdef double heat = 0.0
    g.touching = 0
    for i in range(s.living):
        k = s.live[i]
        if s.latest[k] <= 0.0:
            if variant != BY_PAPER and psi[k] != 0.0:
                heat += 0.5 * psi[k] * psi[k]
                psi[k] = 0.0
            continue
        n = g.touching
        g.touch[n] = <int>k
        g.u[n] = -g.drift[k]
        g.slope[n] = g.laws[k].rate * g.laws[k].stiffness * raised(&g.laws[k], s.latest[k]) if g.laws[k].rate > 0.0 else 0.0
        g.evaluated[n] = frozen_root(&g.laws[k], s.latest[k])
        g.change[n] = psi[k]
        g.touching += 1
    return heat


cdef inline bint collide_modes(State* s, Call* call, double* psi, int variant) noexcept nogil:
    """The rows answer to the step without contact; True if any row pushed."""
    cdef Problem* g = &s.g
    cdef Py_ssize_t i, k
    cdef bint pushed = False
    if not s.living:
        return False
    see_drift(s)
    s.books.recent_losses += take_rows(s, psi, variant)
    if g.touching:
        g.solves += 1
        pose_roots(g)
        solve_roots(g, variant != BY_PAPER)
        s.books.recent_losses += settle_roots(g, False)
    spread_force(g)
    for i in range(g.touching):
        k = g.touch[i]
        psi[k] = g.change[i]
        if g.f[i] != g.f[i]:
            g.failures += 1
            call.failed_at = s.count if call.failed_at < 0 else call.failed_at
        if g.f[i] != 0.0:
            if not pushed:
                clear(s.push, s.stride)
                pushed = True
            add_scaled(s.push, &s.shapes[k * s.stride], g.f[i], s.stride)
    call.pushed += pushed
    copy(g.before, s.latest, g.stride)
    copy(s.latest, g.after, g.stride)
    return pushed


cdef inline void read_modal_energy(const State* s, const ThreePointModes* m, const double* psi, double* row) noexcept nogil:
    """Kinetic, potential and contact energy half a step ago, losses, work and the sum of |work| up to there, J."""
    cdef Py_ssize_t k
    add_energy(s, m, row)
    row[2] = 0.0
    for k in range(s.g.rows):
        row[2] += 0.5 * psi[k] * psi[k]


cdef inline void take_modal_steps(State* s, ThreePointModes* m, double* psi, int variant, Call* call) noexcept nogil:
    """The steps that a call asks for, or fewer once the network sleeps."""
    cdef Py_ssize_t n
    cdef double* out
    cdef double* energies = call.energies
    for n in range(call.steps):
        out = call.out + n * call.outputs
        open_step(s, call, out)
        if call.every and s.count % call.every == 0:
            read_modal_energy(s, m, psi, energies)
            if falls_asleep(s, call, energies):
                return
            energies += ENERGIES
        free_step(s.y, s.q, m.c, m.pull, s.drift, s.stride)
        drive(s, call, n)
        close_step(s, call, n, out, collide_modes(s, call, psi, variant))
