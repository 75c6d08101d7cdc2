# The explicit schemes of a string on a grid with contacts (Ducceschi & Bilbao 2019, section III-C);
# the law is described in contact/energy_root.pxd.
#
# One step: move the string without contact, gather the rows near contact (near_contact.pxd),
# compute their slopes g, then their forces. Rows of a cluster are solved together
# (contact/energy_root.pxd). H contains psi^2 / 2 of each row, with psi at n - 1/2.
from libc.math cimport sqrt

from pysitar.kernels.contact.energy_root cimport (
    VARIANT_PAPER, VARIANT_RESET, VARIANT_TRACKING, clamped_psi, find_coupled_slopes,
    frozen_psi_slope, load_active_mobility, predicted_compression, psi_slope_limit,
    solve_psi_forces, tracking_psi_slope, update_psi,
)
from pysitar.kernels.contact.law cimport potential
from pysitar.kernels.contact.law_record cimport Law
from pysitar.kernels.contact.power_law cimport power_of
from pysitar.kernels.contact.problem cimport Problem
from pysitar.kernels.core.lanes cimport crdouble, rdouble
from pysitar.kernels.core.ledger cimport read_ledger
from pysitar.kernels.grid.call cimport (
    GridCall, add_grid_drive_work, close_grid_step, drive_grid, grid_should_sleep,
    next_energy_row, sample_grid_displacement,
)
from pysitar.kernels.grid.contacts cimport Cluster, GridRows, displacement_at_row
from pysitar.kernels.grid.near_contact cimport (
    NearContact, gather_between, gather_on_nodes, gather_psi_rows, record_failure,
)
from pysitar.kernels.grid.string cimport StringGrid, sample_grid_energy, step_free_grid


cdef inline void apply_damper(NearContact* x, const GridRows* r, Py_ssize_t i,
                              double power) noexcept nogil:
    """Set the damper's rate of a row, and reduce its free increment and mobility.

    power = p(n)^exponent.
    """
    cdef double damper_factor
    x.rate[i] = r.drag[x.row[i]] * power
    damper_factor = 1.0 / (1.0 + x.mobility[i] * x.rate[i])
    x.free_increment[i] *= damper_factor
    x.mobility[i] *= damper_factor


cdef inline void take_square_roots(rdouble psi_slope, crdouble p, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        psi_slope[i] = sqrt(psi_slope[i] / p[i])


cdef inline void compute_forces(rdouble force, rdouble step, crdouble psi_slope, crdouble psi,
                                crdouble free_increment, crdouble w, Py_ssize_t n) noexcept nogil:
    """Compute F = g (psi + g free_increment / 4) / (1 + W g^2 / 4), h = free_increment - W F."""
    cdef Py_ssize_t i
    for i in range(n):
        force[i] = (psi_slope[i] * (psi[i] + 0.25 * psi_slope[i] * free_increment[i])
                    / (1.0 + 0.25 * w[i] * psi_slope[i] * psi_slope[i]))
        step[i] = free_increment[i] - w[i] * force[i]


cdef inline void find_frozen_slopes(NearContact* x, GridRows* r) noexcept nogil:
    """Compute g of the gathered rows as the slope of psi at p(n); all have p > 0."""
    cdef Py_ssize_t i
    cdef const Law* law
    cdef double limit, power
    for i in range(x.row_count):
        law = &r.laws[x.row[i]]
        power = power_of(law, x.p[i])
        x.psi_slope[i] = 0.5 * (law.exponent + 1.0) * law.stiffness * power
        x.is_limited[i] = 0
        if r.drag[x.row[i]] > 0.0:
            apply_damper(x, r, i, power)
    take_square_roots(x.psi_slope, x.p, x.row_count)
    if x.variant == VARIANT_PAPER:
        return
    for i in range(x.row_count):
        limit = psi_slope_limit(x.free_increment[i], x.mobility[i], x.psi[x.row[i]])
        x.is_limited[i] = x.psi_slope[i] > limit
        x.psi_slope[i] = limit if x.is_limited[i] else x.psi_slope[i]


cdef inline void find_tracking_slopes(NearContact* x, GridRows* r) noexcept nogil:
    """Compute g of the gathered rows from the predicted p(n + 1).

    Store phi(p(n)) for the next step.
    """
    cdef Py_ssize_t i, k
    cdef const Law* law
    cdef double power, start_energy, energy_now, p_ahead
    cdef bint is_limited
    for i in range(x.row_count):
        k = x.row[i]
        law = &r.laws[k]
        energy_now = 0.0
        if x.p[i] > 0.0:
            power = power_of(law, x.p[i])
            energy_now = law.stiffness / (law.exponent + 1.0) * power * x.p[i]
            if r.drag[k] > 0.0:
                apply_damper(x, r, i, power)
        start_energy = r.energy_before[k] if x.p0[i] > 0.0 else 0.0
        p_ahead = predicted_compression(law, x.p0[i], x.p[i], start_energy, x.free_increment[i],
                                        x.mobility[i])
        x.psi_slope[i] = tracking_psi_slope(law, x.p0[i], x.p[i], start_energy, energy_now, p_ahead,
                                            x.free_increment[i], x.mobility[i], x.psi[k],
                                            &is_limited)
        x.is_limited[i] = is_limited
        r.energy_before[k] = energy_now


cdef inline double apply_row_forces(NearContact* x, StringGrid* s, GridRows* r,
                                    GridCall* call) noexcept nogil:
    """Add the forces of the gathered rows to q+, update psi; return the dissipated energy, J."""
    cdef Py_ssize_t i, k
    cdef double psi, force, psi_after
    cdef double heat = 0.0
    compute_forces(x.force, x.step, x.psi_slope, x.start_psi, x.free_increment, x.mobility,
                   x.row_count)
    for i in range(x.row_count):
        k = x.row[i]
        psi = x.start_psi[i]
        force = x.force[i] + x.rate[i] * x.step[i]
        psi_after = psi + 0.5 * x.psi_slope[i] * x.step[i]
        if force < 0.0 and not r.adhesive[k]:
            force = 0.0
            psi_after = clamped_psi(psi, x.psi_slope[i], x.undamped_increment[i])
            heat += 0.5 * (psi * psi - psi_after * psi_after)
        else:
            heat += 0.5 * x.rate[i] * x.step[i] * x.step[i]
            if x.variant != VARIANT_PAPER:
                psi_after = 0.0 if x.is_limited[i] or psi_after < 0.0 else psi_after
        if force != force:
            record_failure(r, call)
        x.psi[k] = psi_after
        r.force[k] = force
        s.next[r.node[k]] += r.left[k] * (s.mobility * force)
        if r.right[k] != 0.0:
            s.next[r.node[k] + 1] += r.right[k] * (s.mobility * force)
        if psi_after != 0.0:
            x.psi_rows[x.psi_count] = <int>k
            x.psi_count += 1
    return heat


cdef inline double collide_single_rows(NearContact* x, StringGrid* s, GridRows* r,
                                       GridCall* call) noexcept nogil:
    """Collide the single rows; return the dissipated energy, J."""
    cdef double heat = 0.0
    x.row_count = 0
    gather_on_nodes(x, s, r, call)
    gather_between(x, s, r)
    if x.variant != VARIANT_PAPER:
        heat = gather_psi_rows(x, s, r)
    if x.variant == VARIANT_TRACKING:
        find_tracking_slopes(x, r)
    else:
        find_frozen_slopes(x, r)
    return heat + apply_row_forces(x, s, r, call)


cdef inline double collect_cluster_rows(NearContact* x, StringGrid* s, GridRows* r,
                                        Cluster* c) noexcept nogil:
    """Collect the active rows of a cluster; return the energy (J) dissipated by resetting psi."""
    cdef Problem* g = &c.g
    cdef Py_ssize_t i, k, n
    cdef double u, p, free_increment
    cdef double heat = 0.0
    g.active_count = 0
    for i in range(g.rows):
        k = c.rows[i]
        u = displacement_at_row(r, k, s.u)
        p = r.offset[k] - u
        free_increment = -(displacement_at_row(r, k, s.q) + displacement_at_row(r, k, s.next))
        if x.variant == VARIANT_RESET and p <= 0.0:
            heat += 0.5 * x.psi[k] * x.psi[k]
            x.psi[k] = 0.0
        if (p <= 0.0 and (x.variant != VARIANT_TRACKING
                          or (x.psi[k] == 0.0
                              and r.offset[k] - (u + displacement_at_row(r, k, s.next)) <= 0.0))):
            r.energy_before[k] = 0.0
            continue
        n = g.active_count
        g.active_rows[n] = <int>i
        g.p0[n] = r.offset[k] - (u - displacement_at_row(r, k, s.q))
        g.e[n] = p
        g.u[n] = free_increment
        g.slope[n] = r.drag[k] * power_of(&r.laws[k], p) if r.drag[k] > 0.0 and p > 0.0 else 0.0
        g.delta_f[n] = x.psi[k]
        g.active_count += 1
    return heat


cdef inline void find_cluster_slopes(NearContact* x, GridRows* r, Cluster* c) noexcept nogil:
    cdef Problem* g = &c.g
    cdef Py_ssize_t i, k
    if x.variant != VARIANT_TRACKING:
        for i in range(g.active_count):
            g.law_force[i] = frozen_psi_slope(&g.laws[g.active_rows[i]], g.e[i])
        return
    for i in range(g.active_count):
        k = c.rows[g.active_rows[i]]
        g.s_start[i] = r.energy_before[k] if g.p0[i] > 0.0 else 0.0
        g.f_start[i] = potential(&r.laws[k], g.e[i])
        r.energy_before[k] = g.f_start[i]
    find_coupled_slopes(g)


cdef inline double collide_cluster(NearContact* x, StringGrid* s, GridRows* r, GridCall* call,
                                   Cluster* c) noexcept nogil:
    """Collide the rows of a cluster; return the dissipated energy, J."""
    cdef Problem* g = &c.g
    cdef Py_ssize_t i, k
    cdef double heat = collect_cluster_rows(x, s, r, c)
    if g.active_count == 0:
        return heat
    load_active_mobility(g)
    find_cluster_slopes(x, r, c)
    solve_psi_forces(g, x.variant != VARIANT_PAPER)
    heat += update_psi(g, x.variant == VARIANT_TRACKING)
    for i in range(g.active_count):
        k = c.rows[g.active_rows[i]]
        if g.f[i] != g.f[i]:
            record_failure(r, call)
        x.psi[k] = g.delta_f[i]
        r.active_rows[r.active_count] = <int>k
        r.active_count += 1
        r.is_active[k] = 1
        r.force[k] = g.f[i]
        s.next[r.node[k]] += r.left[k] * (s.mobility * g.f[i])
        s.next[r.node[k] + 1] += r.right[k] * (s.mobility * g.f[i])
    return heat


cdef inline void collide_explicit(NearContact* x, StringGrid* s, GridRows* r,
                                  GridCall* call) noexcept nogil:
    """Collide all rows: add their forces to q+ and the dissipated energy to the ledger."""
    cdef Py_ssize_t i, k
    cdef double heat
    cdef bint has_force = False
    cdef int* active_rows = r.last_active_rows
    cdef int* psi_rows = x.last_psi_rows
    if r.rows == 0:
        return
    r.last_active_rows, r.last_active_count = r.active_rows, r.active_count
    r.active_rows, r.active_count = active_rows, 0
    x.last_psi_rows, x.last_psi_count = x.psi_rows, x.psi_count
    x.psi_rows, x.psi_count = psi_rows, 0
    for i in range(r.last_active_count):
        r.is_active[r.last_active_rows[i]] = 0
    heat = collide_single_rows(x, s, r, call)
    for i in range(r.cluster_count):
        heat += collide_cluster(x, s, r, call, &r.clusters[i])
    for i in range(r.last_active_count):
        k = r.last_active_rows[i]
        if not r.is_active[k]:
            r.force[k] = 0.0
            r.energy_before[k] = 0.0
    for i in range(r.active_count):
        has_force = has_force or r.force[r.active_rows[i]] != 0.0
    call.ledger.recent_losses += heat
    call.run.contact_steps += has_force
    r.solves += r.active_count > 0


cdef inline void sample_explicit_energy(const NearContact* x, StringGrid* s, const GridRows* r,
                                        const GridCall* call, double* row) noexcept nogil:
    """Write kinetic, potential and contact energy, losses, work and sum of |work| at n - 1/2, J."""
    cdef Py_ssize_t k
    sample_grid_energy(s, row)
    row[2] = 0.0
    for k in range(r.rows):
        row[2] += 0.5 * x.psi[k] * x.psi[k]
    read_ledger(&call.ledger, row)


cdef inline bint check_sleep(const NearContact* x, StringGrid* s, const GridRows* r,
                             GridCall* call) noexcept nogil:
    """Record the energies before a step if due; return True if the string falls asleep."""
    cdef double* row = next_energy_row(call)
    if row == NULL:
        return False
    sample_explicit_energy(x, s, r, call, row)
    return grid_should_sleep(call, row)


cdef inline void take_explicit_steps(NearContact* x, StringGrid* s, GridRows* r,
                                     GridCall* call) noexcept nogil:
    """Compute the steps of a call; stop early if the string falls asleep."""
    cdef Py_ssize_t n, j
    cdef double* out
    for n in range(call.run.steps):
        out = call.run.out + n * call.run.outputs
        for j in range(call.run.outputs):
            out[j] = sample_grid_displacement(s, call, j)
        if check_sleep(x, s, r, call):
            return
        step_free_grid(s)
        drive_grid(s, call, n)
        collide_explicit(x, s, r, call)
        add_grid_drive_work(s, call, n)
        close_grid_step(s, r, call, out)
