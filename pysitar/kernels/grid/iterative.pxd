# The conservative iterative scheme of a string on a grid against its contacts (Ducceschi & Bilbao 2019, section III).
#
# A row's compression goes from p0 = p(n - 1) to p1 = p(n + 1) = e - W F, e without contact. Its force over step n is
#   F = (phi(p1) - phi(p0)) / (p1 - p0) + r (p1 - p0),   r = damping K max(p(n), 0)^exponent / (2 k)
# (the damping of NESS: linear in the unknown, always dissipative). With h = p1 - p0 and r moved to the left side,
#   h + W' Fc(p0, p0 + h) = (e - p0) / (1 + W r),   W' = W / (1 + W r)
# is monotone in h and has one root. A row alone has a number W, a cluster of rows a matrix, its r in the laws.
# H has (phi(p(n)) + phi(p(n - 1))) / 2 of each row; half of r h^2 becomes heat in a step.
from pysitar.kernels.contact.law cimport Law, closed_step, dissipated, elastic, potential, raised, warm_step
from pysitar.kernels.contact.problem cimport Problem, meet_laws
from pysitar.kernels.contact.solver cimport solve
from pysitar.kernels.core.ledger cimport read_books
from pysitar.kernels.grid.call cimport GridCall, book_grid_drive, close_grid_step, drive_grid, due_reading, falls_silent, read_grid_place
from pysitar.kernels.grid.contacts cimport BLOCK, Cluster, GridRows, row_place, rows_grid_energy
from pysitar.kernels.grid.string cimport StringGrid, free_grid_step, read_grid_energy

cdef extern from * nogil:
    """
    #include "simd.h"

    /* Whether a block of 32 nodes is on or above the heights at steps n - 1 and n, and without contact at n + 1; a NaN is not. */
    static inline int pysitar_none_under(const double *u, const double *q, const double *x, const double *height)
    {
        pysitar_m4 above = {-1, -1, -1, -1};
        for (int i = 0; i < 32; i += 4) {
            const pysitar_v4 h = PYSITAR_LOAD(height + i), u0 = PYSITAR_LOAD(u + i);
            above &= (u0 >= h) & (u0 - PYSITAR_LOAD(q + i) >= h) & (u0 + PYSITAR_LOAD(x + i) >= h);
        }
        return ((above[0] & above[1]) & (above[2] & above[3])) != 0;
    }
    """
    bint none_under "pysitar_none_under"(const double* u, const double* q, const double* x, const double* height)


cdef inline void touch(GridRows* r, Py_ssize_t k) noexcept nogil:
    r.touched[r.touching] = <int>k
    r.touching += 1
    r.fresh[k] = 1


cdef inline void push_back(StringGrid* s, const GridRows* r, Py_ssize_t k, double force) noexcept nogil:
    s.next[r.node[k]] += r.left[k] * (s.mobility * force)
    s.next[r.node[k] + 1] += r.right[k] * (s.mobility * force)


cdef inline void remember(GridRows* r, Py_ssize_t k, double p1) noexcept nogil:
    r.before[k] = r.now[k]
    r.now[k] = potential(&r.laws[k], p1)


cdef inline void count(GridRows* r, long long iterations) noexcept nogil:
    r.iterations += iterations
    if iterations > r.most:
        r.most = <int>iterations


cdef inline double lone_row(StringGrid* s, GridRows* r, GridCall* call, Py_ssize_t k, double p0, double pn, double e) noexcept nogil:
    """The collision of a row that shares no node: its force in q+; returns the heat, J."""
    cdef const Law* law = &r.laws[k]
    cdef double w = s.mobility * r.reach[k]
    cdef double rate = r.drag[k] * raised(law, pn) if r.drag[k] > 0.0 and pn > 0.0 else 0.0
    cdef double part = 1.0 / (1.0 + w * rate)
    cdef double way = (e - p0) * part
    cdef double force, p1, heat, ignored
    cdef bint known
    cdef long long evaluations = 0
    touch(r, k)
    if law.halves == 2:
        force = closed_step(law, p0, p0 + way, w * part, &known, &p1)
    else:
        force = warm_step(law, p0, way, w * part, r.before[k] if p0 > 0.0 else 0.0, p0 + way - w * part * r.force[k], &p1, &evaluations)
    count(r, evaluations)
    if not force >= 0.0:                        # not found, or not a number
        r.failures += 1
        call.failed_at = call.count if call.failed_at < 0 else call.failed_at
    heat = 0.0
    if rate > 0.0:
        heat = 0.5 * rate * (p1 - p0) * (p1 - p0)
        force += rate * (p1 - p0)
        if force < 0.0 and not r.adhesive[k]:
            p1 = e
            force = 0.0
            heat = -0.5 * elastic(law, p0, e, &ignored) * (e - p0)
    r.force[k] = force
    if force != 0.0:
        push_back(s, r, k, force)
    remember(r, k, p1)
    return heat


cdef inline double collide_on_nodes(StringGrid* s, GridRows* r, GridCall* call) noexcept nogil:
    """The rows alone on nodes, looked for in blocks; returns the heat, J."""
    cdef Py_ssize_t i, j
    cdef int k
    cdef double heat = 0.0
    cdef double h
    for i in range(r.first, r.last, 32):
        if none_under(s.u + i, s.q + i, s.next + i, r.height + i):
            continue
        for j in range(i, i + BLOCK):
            h = r.height[j]
            if (s.u[j] >= h) & (s.u[j] - s.q[j] >= h) & (s.u[j] + s.next[j] >= h):
                continue
            k = r.row_at[j]
            if k < 0:                           # not a number
                call.failed_at = call.count if call.failed_at < 0 else call.failed_at
                continue
            heat += lone_row(s, r, call, k, h - (s.u[j] - s.q[j]), h - s.u[j], h - (s.u[j] + s.next[j]))
    return heat


cdef inline double collide_between(StringGrid* s, GridRows* r, GridCall* call) noexcept nogil:
    """The rows alone between nodes; returns the heat, J."""
    cdef Py_ssize_t i, k
    cdef double heat = 0.0
    cdef double u, p0, pn, e
    for i in range(r.betweens):
        k = r.between[i]
        u = row_place(r, k, s.u)
        pn = r.offset[k] - u
        p0 = r.offset[k] - (u - row_place(r, k, s.q))
        e = r.offset[k] - (u + row_place(r, k, s.next))
        if not ((p0 <= 0.0) & (pn <= 0.0) & (e <= 0.0)):
            heat += lone_row(s, r, call, k, p0, pn, e)
    return heat


cdef inline double collide_cluster(StringGrid* s, GridRows* r, GridCall* call, Cluster* c) noexcept nogil:
    """Rows that share nodes, solved together; returns the heat, J."""
    cdef Problem* g = &c.g
    cdef Py_ssize_t i, k
    cdef int found
    cdef bint apart = True
    cdef double u, pn, e
    cdef double heat = 0.0
    for i in range(g.rows):
        k = c.rows[i]
        u = row_place(r, k, s.u)
        pn = r.offset[k] - u
        g.before[i] = r.offset[k] - (u - row_place(r, k, s.q))
        e = r.offset[k] - (u + row_place(r, k, s.next))
        g.free[i] = g.before[i]
        g.drift[i] = g.before[i] - e            # how far the string goes without contact, up positive
        if r.drag[k] > 0.0:
            g.laws[i].rate = r.drag[k] * raised(&r.laws[k], pn) if pn > 0.0 else 0.0
        apart = apart and (g.before[i] <= 0.0) & (pn <= 0.0) & (e <= 0.0)
    if apart and g.touching == 0:
        return 0.0
    if c.damped:
        meet_laws(g)
    found = solve(g)
    if found < 0:
        r.failures += 1
        call.failed_at = call.count if call.failed_at < 0 else call.failed_at
    else:
        count(r, found)
    for i in range(g.rows):
        k = c.rows[i]
        touch(r, k)
        r.force[k] = g.force[i]
        if g.force[i] != 0.0:
            push_back(s, r, k, g.force[i])
        heat += 0.5 * dissipated(&g.laws[i], g.before[i], g.after[i])
        remember(r, k, g.after[i])
    return heat


cdef inline void collide_grid(StringGrid* s, GridRows* r, GridCall* call) noexcept nogil:
    """All contacts of a step: their forces in q+, their heat in the books."""
    cdef Py_ssize_t i
    cdef double heat
    cdef bint pushed = False
    cdef int* before = r.touched_before
    if r.rows == 0:
        return
    r.touched_before = r.touched
    r.touching_before = r.touching
    r.touched = before
    r.touching = 0
    for i in range(r.touching_before):
        r.fresh[r.touched_before[i]] = 0
    heat = collide_on_nodes(s, r, call) + collide_between(s, r, call)
    for i in range(r.cluster_count):
        heat += collide_cluster(s, r, call, &r.clusters[i])
    for i in range(r.touching_before):
        if not r.fresh[r.touched_before[i]]:
            r.force[r.touched_before[i]] = 0.0
    for i in range(r.touching):
        pushed = pushed or r.force[r.touched[i]] != 0.0
    call.books.recent_losses += heat
    call.pushed += pushed
    r.solves += r.touching > 0


cdef inline void read_whole_energy(StringGrid* s, const GridRows* r, const GridCall* call, double* row) noexcept nogil:
    """Kinetic, potential and contact energy half a step ago, losses, work and the sum of |work| up to there, J."""
    read_grid_energy(s, row)
    row[2] = rows_grid_energy(r)
    read_books(&call.books, row)


cdef inline bint stops_sounding(StringGrid* s, const GridRows* r, GridCall* call) noexcept nogil:
    """The books before a step, where they are asked for; True if the string falls asleep."""
    cdef double* row = due_reading(call)
    if row == NULL:
        return False
    read_whole_energy(s, r, call, row)
    return falls_silent(call, row)


cdef inline void take_grid_steps(StringGrid* s, GridRows* r, GridCall* call) noexcept nogil:
    """The steps that a call asks for, or fewer once the string sleeps."""
    cdef Py_ssize_t n, j
    cdef double* out
    for n in range(call.steps):
        out = call.out + n * call.outputs
        for j in range(call.outputs):
            out[j] = read_grid_place(s, call, j)
        if stops_sounding(s, r, call):
            return
        free_grid_step(s)
        drive_grid(s, call, n)
        collide_grid(s, r, call)
        book_grid_drive(s, call, n)
        close_grid_step(s, r, call, out)
