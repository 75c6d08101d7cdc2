# The explicit schemes of a string on a grid against its contacts (Ducceschi & Bilbao 2019, section III-C); contact/energy_root.pxd tells
# the law.
#
# A step: the string without contact; the rows near a contact gathered (near_contact.pxd); their powers; their forces. Rows that share nodes
# are looked at together (contact/energy_root.pxd). H has psi^2 / 2 of each row, psi of half a step ago.
from libc.math cimport sqrt

from pysitar.kernels.contact.energy_root cimport (
    BY_PAPER, BY_RESET, BY_TRACKING, clamped_psi, foreseen, frozen_root, pose_roots, root_limit, settle_roots, solve_roots, track_together,
    tracking_root,
)
from pysitar.kernels.contact.law cimport Law, potential, raised
from pysitar.kernels.contact.problem cimport Problem
from pysitar.kernels.core.lanes cimport crdouble, rdouble
from pysitar.kernels.core.ledger cimport read_books
from pysitar.kernels.grid.call cimport GridCall, book_grid_drive, close_grid_step, drive_grid, due_reading, falls_silent, read_grid_place
from pysitar.kernels.grid.contacts cimport Cluster, GridRows, row_place
from pysitar.kernels.grid.near_contact cimport Explicit, fails, gather_between, gather_loaded, gather_on_nodes
from pysitar.kernels.grid.string cimport StringGrid, free_grid_step, read_grid_energy


cdef inline void damp(Explicit* x, const GridRows* r, Py_ssize_t i, double power) noexcept nogil:
    """What the damper does to a row, power = p(n)^exponent."""
    cdef double part
    x.rate[i] = r.drag[x.row[i]] * power
    part = 1.0 / (1.0 + x.mobility[i] * x.rate[i])
    x.way[i] *= part
    x.mobility[i] *= part


cdef inline void take_roots(rdouble root, crdouble p, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        root[i] = sqrt(root[i] / p[i])


cdef inline void answer_roots(rdouble force, rdouble step, crdouble root, crdouble psi, crdouble way, crdouble w,
                              Py_ssize_t n) noexcept nogil:
    """F = g (psi + g way / 4) / (1 + W g^2 / 4), h = way - W F."""
    cdef Py_ssize_t i
    for i in range(n):
        force[i] = root[i] * (psi[i] + 0.25 * root[i] * way[i]) / (1.0 + 0.25 * w[i] * root[i] * root[i])
        step[i] = way[i] - w[i] * force[i]


cdef inline void find_frozen_roots(Explicit* x, GridRows* r) noexcept nogil:
    """g of the gathered rows by the slope of psi: p > 0 in all."""
    cdef Py_ssize_t i
    cdef const Law* law
    cdef double limit, power
    for i in range(x.gathered):
        law = &r.laws[x.row[i]]
        power = raised(law, x.p[i])
        x.root[i] = 0.5 * (law.exponent + 1.0) * law.stiffness * power
        x.limited[i] = 0
        if r.drag[x.row[i]] > 0.0:
            damp(x, r, i, power)
    take_roots(x.root, x.p, x.gathered)
    if x.variant == BY_PAPER:
        return
    for i in range(x.gathered):
        limit = root_limit(x.way[i], x.mobility[i], x.psi[x.row[i]])
        x.limited[i] = x.root[i] > limit
        x.root[i] = limit if x.limited[i] else x.root[i]


cdef inline void find_tracking_roots(Explicit* x, GridRows* r) noexcept nogil:
    """g of the gathered rows by their foreseen way; moves phi(p) on."""
    cdef Py_ssize_t i, k
    cdef const Law* law
    cdef double power, stored, now, ahead
    cdef bint limited
    for i in range(x.gathered):
        k = x.row[i]
        law = &r.laws[k]
        now = 0.0
        if x.p[i] > 0.0:
            power = raised(law, x.p[i])
            now = law.stiffness / (law.exponent + 1.0) * power * x.p[i]
            if r.drag[k] > 0.0:
                damp(x, r, i, power)
        stored = r.before[k] if x.p0[i] > 0.0 else 0.0
        ahead = foreseen(law, x.p0[i], x.p[i], stored, x.way[i], x.mobility[i])
        x.root[i] = tracking_root(law, x.p0[i], x.p[i], stored, now, ahead, x.way[i], x.mobility[i], x.psi[k], &limited)
        x.limited[i] = limited
        r.before[k] = now


cdef inline double push_gathered(Explicit* x, StringGrid* s, GridRows* r, GridCall* call) noexcept nogil:
    """The forces of the gathered rows in q+, and psi+; returns the heat, J."""
    cdef Py_ssize_t i, k
    cdef double psi, force, after
    cdef double heat = 0.0
    answer_roots(x.force, x.step, x.root, x.held, x.way, x.mobility, x.gathered)
    for i in range(x.gathered):
        k = x.row[i]
        psi = x.held[i]
        force = x.force[i] + x.rate[i] * x.step[i]
        after = psi + 0.5 * x.root[i] * x.step[i]
        if force < 0.0 and not r.adhesive[k]:
            force = 0.0
            after = clamped_psi(psi, x.root[i], x.free[i])
            heat += 0.5 * (psi * psi - after * after)
        else:
            heat += 0.5 * x.rate[i] * x.step[i] * x.step[i]
            if x.variant != BY_PAPER:
                after = 0.0 if x.limited[i] or after < 0.0 else after
        if force != force:
            fails(r, call)
        x.psi[k] = after
        r.force[k] = force
        s.next[r.node[k]] += r.left[k] * (s.mobility * force)
        if r.right[k] != 0.0:
            s.next[r.node[k] + 1] += r.right[k] * (s.mobility * force)
        if after != 0.0:
            x.loaded[x.loads] = <int>k
            x.loads += 1
    return heat


cdef inline double collide_alone(Explicit* x, StringGrid* s, GridRows* r, GridCall* call) noexcept nogil:
    """The rows that share no node; returns the heat, J."""
    cdef double heat = 0.0
    x.gathered = 0
    gather_on_nodes(x, s, r, call)
    gather_between(x, s, r)
    if x.variant != BY_PAPER:
        heat = gather_loaded(x, s, r)
    if x.variant == BY_TRACKING:
        find_tracking_roots(x, r)
    else:
        find_frozen_roots(x, r)
    return heat + push_gathered(x, s, r, call)


cdef inline double take_in(Explicit* x, StringGrid* s, GridRows* r, Cluster* c) noexcept nogil:
    """The rows of a cluster that may have a force in this step, as touching ones; returns the heat of those that give up their psi, J."""
    cdef Problem* g = &c.g
    cdef Py_ssize_t i, k, n
    cdef double u, p, way
    cdef double heat = 0.0
    g.touching = 0
    for i in range(g.rows):
        k = c.rows[i]
        u = row_place(r, k, s.u)
        p = r.offset[k] - u
        way = -(row_place(r, k, s.q) + row_place(r, k, s.next))
        if x.variant == BY_RESET and p <= 0.0:
            heat += 0.5 * x.psi[k] * x.psi[k]
            x.psi[k] = 0.0
        if p <= 0.0 and (x.variant != BY_TRACKING or (x.psi[k] == 0.0 and r.offset[k] - (u + row_place(r, k, s.next)) <= 0.0)):
            r.before[k] = 0.0
            continue
        n = g.touching
        g.touch[n] = <int>i
        g.p0[n] = r.offset[k] - (u - row_place(r, k, s.q))
        g.e[n] = p
        g.u[n] = way
        g.slope[n] = r.drag[k] * raised(&r.laws[k], p) if r.drag[k] > 0.0 and p > 0.0 else 0.0
        g.change[n] = x.psi[k]
        g.touching += 1
    return heat


cdef inline void find_shared_roots(Explicit* x, GridRows* r, Cluster* c) noexcept nogil:
    cdef Problem* g = &c.g
    cdef Py_ssize_t i, k
    if x.variant != BY_TRACKING:
        for i in range(g.touching):
            g.evaluated[i] = frozen_root(&g.laws[g.touch[i]], g.e[i])
        return
    for i in range(g.touching):
        k = c.rows[g.touch[i]]
        g.held[i] = r.before[k] if g.p0[i] > 0.0 else 0.0
        g.kept[i] = potential(&r.laws[k], g.e[i])
        r.before[k] = g.kept[i]
    track_together(g)


cdef inline double collide_shared(Explicit* x, StringGrid* s, GridRows* r, GridCall* call, Cluster* c) noexcept nogil:
    """Rows that share nodes; returns the heat, J."""
    cdef Problem* g = &c.g
    cdef Py_ssize_t i, k
    cdef double heat = take_in(x, s, r, c)
    if g.touching == 0:
        return heat
    pose_roots(g)
    find_shared_roots(x, r, c)
    solve_roots(g, x.variant != BY_PAPER)
    heat += settle_roots(g, x.variant == BY_TRACKING)
    for i in range(g.touching):
        k = c.rows[g.touch[i]]
        if g.f[i] != g.f[i]:
            fails(r, call)
        x.psi[k] = g.change[i]
        r.touched[r.touching] = <int>k
        r.touching += 1
        r.fresh[k] = 1
        r.force[k] = g.f[i]
        s.next[r.node[k]] += r.left[k] * (s.mobility * g.f[i])
        s.next[r.node[k] + 1] += r.right[k] * (s.mobility * g.f[i])
    return heat


cdef inline void collide_explicit(Explicit* x, StringGrid* s, GridRows* r, GridCall* call) noexcept nogil:
    """All contacts of a step: their forces in q+, their heat in the books."""
    cdef Py_ssize_t i, k
    cdef double heat
    cdef bint pushed = False
    cdef int* before = r.touched_before
    cdef int* loaded = x.loaded_before
    if r.rows == 0:
        return
    r.touched_before, r.touching_before = r.touched, r.touching
    r.touched, r.touching = before, 0
    x.loaded_before, x.loads_before = x.loaded, x.loads
    x.loaded, x.loads = loaded, 0
    for i in range(r.touching_before):
        r.fresh[r.touched_before[i]] = 0
    heat = collide_alone(x, s, r, call)
    for i in range(r.cluster_count):
        heat += collide_shared(x, s, r, call, &r.clusters[i])
    for i in range(r.touching_before):
        k = r.touched_before[i]
        if not r.fresh[k]:
            r.force[k] = 0.0
            r.before[k] = 0.0
    for i in range(r.touching):
        pushed = pushed or r.force[r.touched[i]] != 0.0
    call.books.recent_losses += heat
    call.pushed += pushed
    r.solves += r.touching > 0


cdef inline void read_explicit_energy(const Explicit* x, StringGrid* s, const GridRows* r, const GridCall* call,
                                      double* row) noexcept nogil:
    """Kinetic, potential and contact energy half a step ago, losses, work and the sum of |work| up to there, J."""
    cdef Py_ssize_t k
    read_grid_energy(s, row)
    row[2] = 0.0
    for k in range(r.rows):
        row[2] += 0.5 * x.psi[k] * x.psi[k]
    read_books(&call.books, row)


cdef inline bint stops_sounding(const Explicit* x, StringGrid* s, const GridRows* r, GridCall* call) noexcept nogil:
    """The books before a step, where they are asked for; True if the string falls asleep."""
    cdef double* row = due_reading(call)
    if row == NULL:
        return False
    read_explicit_energy(x, s, r, call, row)
    return falls_silent(call, row)


cdef inline void take_explicit_steps(Explicit* x, StringGrid* s, GridRows* r, GridCall* call) noexcept nogil:
    """The steps that a call asks for, or fewer once the string sleeps."""
    cdef Py_ssize_t n, j
    cdef double* out
    for n in range(call.steps):
        out = call.out + n * call.outputs
        for j in range(call.outputs):
            out[j] = read_grid_place(s, call, j)
        if stops_sounding(x, s, r, call):
            return
        free_grid_step(s)
        drive_grid(s, call, n)
        collide_explicit(x, s, r, call)
        book_grid_drive(s, call, n)
        close_grid_step(s, r, call, out)
