# The conservative iterative scheme of a string on a grid with contacts (Ducceschi & Bilbao 2019,
# section III).
#
# The compression of a row goes from p0 = p(n - 1) to p1 = p(n + 1) = e - W F, with e its value
# without contact. The force over step n is
#   F = (phi(p1) - phi(p0)) / (p1 - p0) + r (p1 - p0),   r = damping K max(p(n), 0)^exponent / (2 k)
# (the damping of NESS: linear in the unknown, always dissipative). With h = p1 - p0 and the damper
# on the left side,
#   h + W' Fc(p0, p0 + h) = (e - p0) / (1 + W r),   W' = W / (1 + W r)
# is monotone in h and has one root. W is a number for a single row; for a cluster it is a matrix,
# and r is part of the laws. H contains (phi(p(n)) + phi(p(n - 1))) / 2 of each row; r h^2 / 2 is
# dissipated in a step.
from pysitar.kernels.contact.law cimport closed_form_step, dissipated_energy, potential
from pysitar.kernels.contact.law_record cimport Law
from pysitar.kernels.contact.power_law cimport elastic_force, force_from_guess, power_of
from pysitar.kernels.contact.problem cimport Problem, update_laws
from pysitar.kernels.contact.solver cimport solve_collision
from pysitar.kernels.core.ledger cimport read_ledger
from pysitar.kernels.grid.call cimport (
    GridCall, add_grid_drive_work, close_grid_step, drive_grid, grid_should_sleep,
    next_energy_row, sample_grid_displacement,
)
from pysitar.kernels.grid.contacts cimport (
    NODE_BLOCK, Cluster, GridRows, displacement_at_row, grid_row_energy,
)
from pysitar.kernels.grid.string cimport StringGrid, sample_grid_energy, step_free_grid

cdef extern from * nogil:
    """
    #include "simd.h"

    /* True if a block of 32 nodes is at or above the heights at steps n - 1 and n and, without
       contact, at n + 1; a NaN gives false. */
    static inline int pysitar_all_above(const double *u, const double *q, const double *x,
                                        const double *height)
    {
        pysitar_m4 above = {-1, -1, -1, -1};
        for (int i = 0; i < 32; i += 4) {
            const pysitar_v4 h = PYSITAR_LOAD(height + i), u0 = PYSITAR_LOAD(u + i);
            above &= (u0 >= h) & (u0 - PYSITAR_LOAD(q + i) >= h) & (u0 + PYSITAR_LOAD(x + i) >= h);
        }
        return ((above[0] & above[1]) & (above[2] & above[3])) != 0;
    }
    """
    bint all_above "pysitar_all_above"(const double* u, const double* q, const double* x,
                                       const double* height)


cdef inline void activate_row(GridRows* r, Py_ssize_t k) noexcept nogil:
    r.active_rows[r.active_count] = <int>k
    r.active_count += 1
    r.is_active[k] = 1


cdef inline void add_row_force(StringGrid* s, const GridRows* r, Py_ssize_t k,
                               double force) noexcept nogil:
    s.next[r.node[k]] += r.left[k] * (s.mobility * force)
    s.next[r.node[k] + 1] += r.right[k] * (s.mobility * force)


cdef inline void update_row_energy(GridRows* r, Py_ssize_t k, double p1) noexcept nogil:
    r.energy_before[k] = r.energy_now[k]
    r.energy_now[k] = potential(&r.laws[k], p1)


cdef inline void count_iterations(GridRows* r, long long iterations) noexcept nogil:
    r.iterations += iterations
    if iterations > r.most_iterations:
        r.most_iterations = <int>iterations


cdef inline double collide_single_row(StringGrid* s, GridRows* r, GridCall* call, Py_ssize_t k,
                                      double p0, double pn, double e) noexcept nogil:
    """Collide a single row: add its force to q+; return the dissipated energy, J."""
    cdef const Law* law = &r.laws[k]
    cdef double w = s.mobility * r.weight_square[k]
    cdef double rate = r.drag[k] * power_of(law, pn) if r.drag[k] > 0.0 and pn > 0.0 else 0.0
    cdef double damper_factor = 1.0 / (1.0 + w * rate)
    cdef double free_increment = (e - p0) * damper_factor
    cdef double force, p1, heat, unused_slope
    cdef bint has_closed_form
    cdef long long evaluations = 0
    activate_row(r, k)
    if law.twice_exponent == 2:
        force = closed_form_step(law, p0, p0 + free_increment, w * damper_factor, &has_closed_form,
                                 &p1)
    else:
        force = force_from_guess(law, p0, free_increment, w * damper_factor,
                                 r.energy_before[k] if p0 > 0.0 else 0.0,
                                 p0 + free_increment - w * damper_factor * r.force[k], &p1,
                                 &evaluations)
    count_iterations(r, evaluations)
    if not force >= 0.0:                        # not converged, or NaN
        r.failures += 1
        call.run.failed_at = call.count if call.run.failed_at < 0 else call.run.failed_at
    heat = 0.0
    if rate > 0.0:
        heat = 0.5 * rate * (p1 - p0) * (p1 - p0)
        force += rate * (p1 - p0)
        if force < 0.0 and not r.adhesive[k]:
            p1 = e
            force = 0.0
            heat = -0.5 * elastic_force(law, p0, e, &unused_slope) * (e - p0)
    r.force[k] = force
    if force != 0.0:
        add_row_force(s, r, k, force)
    update_row_energy(r, k, p1)
    return heat


cdef inline double collide_on_nodes(StringGrid* s, GridRows* r, GridCall* call) noexcept nogil:
    """Collide the single rows on nodes, found by blocks of nodes.

    Return the dissipated energy, J.
    """
    cdef Py_ssize_t i, j
    cdef int k
    cdef double heat = 0.0
    cdef double h
    for i in range(r.first_node, r.last_node, 32):
        if all_above(s.u + i, s.q + i, s.next + i, r.height + i):
            continue
        for j in range(i, i + NODE_BLOCK):
            h = r.height[j]
            if (s.u[j] >= h) & (s.u[j] - s.q[j] >= h) & (s.u[j] + s.next[j] >= h):
                continue
            k = r.row_at[j]
            if k < 0:                           # u is NaN
                call.run.failed_at = call.count if call.run.failed_at < 0 else call.run.failed_at
                continue
            heat += collide_single_row(s, r, call, k, h - (s.u[j] - s.q[j]), h - s.u[j],
                                       h - (s.u[j] + s.next[j]))
    return heat


cdef inline double collide_between(StringGrid* s, GridRows* r, GridCall* call) noexcept nogil:
    """Collide the single rows between nodes; return the dissipated energy, J."""
    cdef Py_ssize_t i, k
    cdef double heat = 0.0
    cdef double u, p0, pn, e
    for i in range(r.between_count):
        k = r.between_rows[i]
        u = displacement_at_row(r, k, s.u)
        pn = r.offset[k] - u
        p0 = r.offset[k] - (u - displacement_at_row(r, k, s.q))
        e = r.offset[k] - (u + displacement_at_row(r, k, s.next))
        if not ((p0 <= 0.0) & (pn <= 0.0) & (e <= 0.0)):
            heat += collide_single_row(s, r, call, k, p0, pn, e)
    return heat


cdef inline double collide_cluster(StringGrid* s, GridRows* r, GridCall* call,
                                   Cluster* c) noexcept nogil:
    """Solve the rows of a cluster together; return the dissipated energy, J."""
    cdef Problem* g = &c.g
    cdef Py_ssize_t i, k
    cdef int iterations
    cdef bint is_open = True
    cdef double u, pn, e
    cdef double heat = 0.0
    for i in range(g.rows):
        k = c.rows[i]
        u = displacement_at_row(r, k, s.u)
        pn = r.offset[k] - u
        g.p_before[i] = r.offset[k] - (u - displacement_at_row(r, k, s.q))
        e = r.offset[k] - (u + displacement_at_row(r, k, s.next))
        g.p_free[i] = g.p_before[i]
        g.drift[i] = g.p_before[i] - e          # displacement of the string without contact, m
        if r.drag[k] > 0.0:
            g.laws[i].rate = r.drag[k] * power_of(&r.laws[k], pn) if pn > 0.0 else 0.0
        is_open = is_open and (g.p_before[i] <= 0.0) & (pn <= 0.0) & (e <= 0.0)
    if is_open and g.active_count == 0:
        return 0.0
    if c.has_damping:
        update_laws(g)
    iterations = solve_collision(g)
    if iterations < 0:
        r.failures += 1
        call.run.failed_at = call.count if call.run.failed_at < 0 else call.run.failed_at
    else:
        count_iterations(r, iterations)
    for i in range(g.rows):
        k = c.rows[i]
        activate_row(r, k)
        r.force[k] = g.force[i]
        if g.force[i] != 0.0:
            add_row_force(s, r, k, g.force[i])
        heat += 0.5 * dissipated_energy(&g.laws[i], g.p_before[i], g.p_after[i])
        update_row_energy(r, k, g.p_after[i])
    return heat


cdef inline void collide_grid(StringGrid* s, GridRows* r, GridCall* call) noexcept nogil:
    """Collide all rows: add their forces to q+ and the dissipated energy to the ledger."""
    cdef Py_ssize_t i
    cdef double heat
    cdef bint has_force = False
    cdef int* active_rows = r.last_active_rows
    if r.rows == 0:
        return
    r.last_active_rows = r.active_rows
    r.last_active_count = r.active_count
    r.active_rows = active_rows
    r.active_count = 0
    for i in range(r.last_active_count):
        r.is_active[r.last_active_rows[i]] = 0
    heat = collide_on_nodes(s, r, call) + collide_between(s, r, call)
    for i in range(r.cluster_count):
        heat += collide_cluster(s, r, call, &r.clusters[i])
    for i in range(r.last_active_count):
        if not r.is_active[r.last_active_rows[i]]:
            r.force[r.last_active_rows[i]] = 0.0
    for i in range(r.active_count):
        has_force = has_force or r.force[r.active_rows[i]] != 0.0
    call.ledger.recent_losses += heat
    call.run.contact_steps += has_force
    r.solves += r.active_count > 0


cdef inline void sample_total_energy(StringGrid* s, const GridRows* r, const GridCall* call,
                                     double* row) noexcept nogil:
    """Write kinetic, potential and contact energy, losses, work and sum of |work| at n - 1/2, J."""
    sample_grid_energy(s, row)
    row[2] = grid_row_energy(r)
    read_ledger(&call.ledger, row)


cdef inline bint check_sleep(StringGrid* s, const GridRows* r, GridCall* call) noexcept nogil:
    """Record the energies before a step if due; return True if the string falls asleep."""
    cdef double* row = next_energy_row(call)
    if row == NULL:
        return False
    sample_total_energy(s, r, call, row)
    return grid_should_sleep(call, row)


cdef inline void take_grid_steps(StringGrid* s, GridRows* r, GridCall* call) noexcept nogil:
    """Compute the steps of a call; stop early if the string falls asleep."""
    cdef Py_ssize_t n, j
    cdef double* out
    for n in range(call.run.steps):
        out = call.run.out + n * call.run.outputs
        for j in range(call.run.outputs):
            out[j] = sample_grid_displacement(s, call, j)
        if check_sleep(s, r, call):
            return
        step_free_grid(s)
        drive_grid(s, call, n)
        collide_grid(s, r, call)
        add_grid_drive_work(s, call, n)
        close_grid_step(s, r, call, out)
