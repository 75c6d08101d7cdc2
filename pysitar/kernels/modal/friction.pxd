# Friction rows of a network: their bounds, their bristles after a step, heat and work.
#
# The bound of a row is b = mu(v) N. N (N) is the force of a linked contact row, or one that is set;
# mu(v) = mu0 + mu1 exp(-v / v1) + mu2 exp(-v / v2) of the slip speed v (m/s). A step is solved with
# the last v and N, then again with those of its own solution, up to `passes` times in all. The heat
# is at least 0 for any bound (contact/friction_law.pxd), so passes matter for accuracy alone. With
# a falling mu they converge to the nearest state, sticking or sliding: the rule of McIntyre &
# Woodhouse (1979) for an ambiguous step.
from libc.math cimport fabs
from libc.stdlib cimport free

from pysitar.kernels.contact.friction_law cimport FRICTION
from pysitar.kernels.contact.law_record cimport Law
from pysitar.kernels.contact.problem cimport ABSENT, Problem
from pysitar.kernels.core.elementary_functions cimport exp
from pysitar.kernels.core.lanes cimport maximum

cdef enum:
    NO_LINK = -1

cdef struct FrictionRow:
    int row                     # index among the rows of the network
    int link                    # contact row whose force presses it; NO_LINK: `normal_force`
    double normal_force         # N, at least 0
    double speed                # of the rubbing surface in the row's direction, m/s
    double mu0                  # coefficients of friction
    double mu1
    double v1                   # m/s, above 0
    double mu2
    double v2

# A contact row and its friction row at one place of a string that moves in two directions have the
# shapes (c, t b) and (-t c, b), c of the modes of the first direction and b of those of the second.
# So V^T f of both is (f - t g) c and (g + t f) b of their forces f and g: half of either shape.
cdef struct Partner:
    int row                     # -1: none
    double slope                # t of a friction row, -t of a contact row
    Py_ssize_t first            # modes of the row's own half
    Py_ssize_t end

cdef struct Friction:
    FrictionRow* rows           # NULL: none
    Partner* partners           # of each row of the network; NULL: none
    Py_ssize_t count
    Py_ssize_t present_count    # of rows of a bridge that are present
    int passes                  # solutions of a step, at least 1
    double heat                 # dissipated by the rows since the start, J
    double work                 # done by moving surfaces since the start, J


cdef inline void release_friction(Friction* r) noexcept nogil:
    free(r.rows)
    free(r.partners)
    r.rows = NULL
    r.partners = NULL


cdef inline void find_partners(Friction* r, const double* shapes, Py_ssize_t stride) noexcept nogil:
    """Find which friction rows and contact rows at bridges have halves of shapes in common, up to
    round-off."""
    cdef Py_ssize_t i, m, first
    cdef const double* a
    cdef const double* b
    cdef double slope, rounding
    for i in range(r.count):
        if r.rows[i].link == NO_LINK:
            continue
        a, b = shapes + r.rows[i].link * stride, shapes + r.rows[i].row * stride
        r.partners[r.rows[i].link].row = r.partners[r.rows[i].row].row = -1
        slope = -b[0] / a[0] if a[0] != 0.0 else 1.0
        rounding = 0.0
        for m in range(stride):
            rounding = maximum(rounding, 1e-15 * maximum(fabs(a[m]), fabs(b[m])))
        first = 0
        while first < stride and fabs(b[first] + slope * a[first]) <= rounding:
            first += 1
        m = first
        while m < stride and fabs(a[m] - slope * b[m]) <= rounding:
            m += 1
        if m == stride and fabs(slope) < 1.0:
            r.partners[r.rows[i].link] = Partner(r.rows[i].row, -slope, 0, first)
            r.partners[r.rows[i].row] = Partner(r.rows[i].link, slope, first, stride)


cdef inline double friction_coefficient(const FrictionRow* row, double speed) noexcept nogil:
    cdef double mu = row.mu0
    if row.mu1 != 0.0:
        mu += row.mu1 * exp(-speed / row.v1)
    if row.mu2 != 0.0:
        mu += row.mu2 * exp(-speed / row.v2)
    return mu


cdef inline bint is_idle(const FrictionRow* row, const Problem* g) noexcept nogil:
    """Return True for a row without bristle at a bridge: its slip speed does not matter, so that it
    needs no drift before it is pressed."""
    return (row.link != NO_LINK and g.p_before[row.row] == ABSENT and row.mu1 == 0.0
            and row.mu2 == 0.0)


cdef inline double friction_bound(const FrictionRow* row, const Problem* g,
                                  double speed) noexcept nogil:
    """Return b (N) for a slip speed (m/s) and the present force of the linked row."""
    cdef double normal_force = row.normal_force
    if row.link != NO_LINK:
        # a contact that pulls does not press
        normal_force = g.force[row.link] if g.force[row.link] > 0.0 else 0.0
    return friction_coefficient(row, speed) * normal_force if normal_force > 0.0 else 0.0


cdef inline double bristle_increment(const Law* law, double z, double force) noexcept nogil:
    """Return dz (m) of a step for its force (N)."""
    return (force - law.stiffness * z) / (0.5 * law.stiffness + law.rate)


cdef inline double slip_increment(const Problem* g, Py_ssize_t k,
                                  double span_shift) noexcept nogil:
    """Return the plastic slip (m) of a row in the solved step."""
    if g.p_before[k] == ABSENT:
        return span_shift - g.step[k]
    return ((g.p_after[k] - g.p_before[k])
            - bristle_increment(&g.laws[k], g.p_before[k], g.force[k]))


cdef inline void set_bound(Problem* g, Py_ssize_t k, double span_shift,
                           double bound) noexcept nogil:
    """Set b (N) of a row. A row without bound and deflection takes no part in the step."""
    cdef bint takes_part = bound > 0.0 or (g.p_before[k] != 0.0 and g.p_before[k] != ABSENT)
    g.laws[k].state[0] = bound
    if takes_part and g.p_before[k] == ABSENT:
        g.p_before[k] = 0.0
        g.p_free[k] = span_shift
    elif not takes_part:
        g.p_before[k] = ABSENT
    if takes_part != (g.bilateral[k] != 0.0):
        g.bilateral[k] = 1.0 if takes_part else 0.0
        g.bilateral_count += 1 if takes_part else -1


cdef inline bint begin_friction(Friction* r, Problem* g, double* span_shift,
                                double time_step) noexcept nogil:
    """Set the bounds and the motions of the surfaces for the coming step; return True if a surface
    moves, or is pressed on the string by a force that was set."""
    cdef Py_ssize_t i
    cdef FrictionRow* row
    cdef Law* law
    cdef bint is_played = False
    for i in range(r.count):
        row, law = &r.rows[i], &g.laws[r.rows[i].row]
        if law.is_present:
            span_shift[row.row] = row.speed * time_step
            set_bound(g, row.row, span_shift[row.row], friction_bound(row, g, law.state[1]))
            is_played = (is_played or row.speed != 0.0
                         or (row.link == NO_LINK and row.normal_force > 0.0))
    return is_played


cdef inline bint renew_bounds(Friction* r, Problem* g, const double* span_shift,
                              double time_step) noexcept nogil:
    """Set the bounds by the solved step; return True if any has moved."""
    cdef Py_ssize_t i
    cdef FrictionRow* row
    cdef Law* law
    cdef double bound
    cdef bint has_moved = False
    for i in range(r.count):
        row, law = &r.rows[i], &g.laws[r.rows[i].row]
        if law.is_present:
            bound = friction_bound(row, g, fabs(slip_increment(
                g, row.row, span_shift[row.row])) / time_step)
            if fabs(bound - law.state[0]) > 1e-13 * bound:
                has_moved = True
                set_bound(g, row.row, span_shift[row.row], bound)
    return has_moved


cdef inline double finish_friction(Friction* r, Problem* g, const double* span_shift,
                                   double time_step) noexcept nogil:
    """Move the bristles, whose deflections become p1; return the heat of the step, J."""
    cdef Py_ssize_t i, k
    cdef Law* law
    cdef double dz, slip
    cdef double heat = 0.0
    for i in range(r.count):
        k = r.rows[i].row
        law = &g.laws[k]
        if not law.is_present:
            continue
        slip = slip_increment(g, k, span_shift[k])
        law.state[1] = fabs(slip) / time_step
        if g.p_before[k] == ABSENT:
            g.p_after[k] = 0.0
            continue
        dz = bristle_increment(law, g.p_before[k], g.force[k])
        heat += law.rate * dz * dz + g.force[k] * slip
        r.work += g.force[k] * span_shift[k]
        g.p_after[k] = g.p_before[k] + dz
    r.heat += heat
    return heat
