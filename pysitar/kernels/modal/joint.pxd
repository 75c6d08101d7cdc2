# The rows of all strings on a bridge, solved together: one Newton method for their forces f and the
# force z = sum e f on the bridge (bridge.pxd). With the increment x = Y z of the bridge
# displacement a row has s = u + e x + W f, so all strings are one system whose mobility is that of
# each string and, between all rows, Y e e'. It is positive semidefinite, and the method is that of
# contact/solver.pxd; the term of rank one needs two right-hand sides for each string,
#   A r = F/D + s - u,  A t = e,  A = W + 1/D on rows with D > 0,
#   f' = r - t x',  x' = Y z',  z' = sum e r / (1 + Y sum e t),
# and a line search of each string; the bridge couples strings too weakly to need one of all. In
# lanes the first steps are whole: a search shortens many that need no shortening. If the method
# fails all the same, or has run away, bridge.pxd searches for z.
#
# Strings of up to sixteen active rows of exponent 1 are solved in lanes (core/lane_systems.h), four
# in each system; the others one by one (larger.pxd). Systems and strings that are solved take no
# part in further iterations but by their linearised force on the bridge, sum e f = F - H x, until
# all are solved; then they follow the bridge by f -= t dx, and iterate again if that does not solve
# them. So one string in hard contact does not cost iterations of all.
# Where a row joins or is released, Gauss-Seidel sweeps come first; in lanes the first Newton step
# is then linear about the compressions with which they leave stiff rows.
from libc.math cimport INFINITY

from pysitar.kernels.contact.active_set cimport MAX_ITERATIONS, SWEEPS, sweep_rows
from pysitar.kernels.contact.law cimport dissipated_energy, load_unit_law
from pysitar.kernels.contact.problem cimport (
    Problem, force_limit, has_unit_exponent, should_stop,
)
from pysitar.kernels.contact.small_system cimport MAX_TRIALS
from pysitar.kernels.core.lanes cimport maximum
from pysitar.kernels.modal.larger cimport (
    displace_larger, find_larger_forces, follow_larger, larger_bridge_force, larger_has_kink,
    load_larger, shorten_larger, step_larger,
)
from pysitar.kernels.modal.link cimport (
    LANE_ROWS, MOST_JOINT_ROWS, STRING_LANES, UNKNOWN_ROWS, Bridge, LaneSystem, Link, Search,
)
from pysitar.kernels.modal.slots cimport assign_slots

cdef extern from *:
    """
    #include "simd.h"
    static PYSITAR_SEPARATE_CLONES int pysitar_solve_jointly(void* bridge, double* force);
    """

cdef extern from "lane_systems.h" nogil:
    void clear_lane "pysitar_clear_lane"(LaneSystem* q, int lane, int count)
    void set_lane "pysitar_set_lane"(LaneSystem* q, int lane, const int* active_rows,
                                     const double* p_before, const double* p_free,
                                     const double* free_drift, const double* force)
    double lane_bridge_force "pysitar_lane_bridge_force"(const LaneSystem* q)
    bint displace_lanes "pysitar_displace_lanes"(LaneSystem* q, double increment)
    void start_lanes "pysitar_start_lanes"(LaneSystem* q, double increment)
    void sweep_lanes "pysitar_sweep_lanes"(LaneSystem* q, double x)
    unsigned long long compress_rows "pysitar_compress_rows"(
        const double* free_drift, const double* weight, double x, const double* p_free,
        const double* mobility, const int* active_rows, Py_ssize_t active_count,
        const double* force, Py_ssize_t n, Py_ssize_t stride, double* p_after, double* pushed)
    unsigned long long predict_rows "pysitar_predict_rows"(
        const double* free_drift, const double* pushed, const double* p_before,
        const double* p_free, const double* bilateral, const double* force, Py_ssize_t n,
        double* most)
    bint find_lane_heat "pysitar_find_lane_heat"(LaneSystem* q)
    int loop_rows "pysitar_loop_rows"(int rows)
    int take_lowest_bit "pysitar_take_lowest_bit"(unsigned long long* bits)
    bint lanes_stop "pysitar_lanes_stop"(LaneSystem* q)
    bint lanes_converged "pysitar_lanes_converged"(const LaneSystem* q)
    void find_lane_forces "pysitar_find_lane_forces"(LaneSystem* q)
    void step_lanes "pysitar_step_lanes"(LaneSystem* q, double increment)
    void follow_bridge "pysitar_follow_bridge"(LaneSystem* q, double change)
    bint shorten_lanes "pysitar_shorten_lanes"(LaneSystem* q)

cdef enum:
    FEW_ROWS = 3                # of a system: a second sweep costs more than it saves iterations
    WHOLE_STEPS = 6             # Newton steps before the line search guards them
    MAX_JOINS = 20              # solves of a step, each with rows that have become active


cdef inline void mark_new_rows(Bridge* b) noexcept nogil:
    """Let W, laws and active rows of all strings be read again in the coming step."""
    cdef Py_ssize_t i
    for i in range(b.count):
        b.links[i].has_new_rows = True
        b.links[i].active = UNKNOWN_ROWS


cdef inline bint can_solve_jointly(const Bridge* b) noexcept nogil:
    """Return True if the joint method is on and serves the laws that are present."""
    cdef Py_ssize_t i
    if not b.is_joint:
        return False
    for i in range(b.count):
        if b.links[i].s.g.has_friction or b.links[i].s.g.rows > MOST_JOINT_ROWS:
            return False
    return True


cdef inline unsigned long long row_bits(const Link* link) noexcept nogil:
    """Return the bits of all rows of a string."""
    return (<unsigned long long>1 << link.s.g.rows) - 1


cdef inline unsigned long long compress_link(Link* link, double increment) noexcept nogil:
    """Compute p1 of a string's rows for an increment (m) of the bridge displacement.

    The forces are those of the active rows. Return the bits of the rows that are compressed.
    """
    cdef Problem* g = &link.s.g
    return row_bits(link) & compress_rows(
        link.free_drift, link.bridge_weight, increment, g.p_free, g.mobility, g.active_rows,
        g.active_count, g.force, (g.rows + 3) & ~3, g.stride, g.p_after, link.pushed)


cdef inline void set_active_rows(Link* link, unsigned long long active) noexcept nogil:
    cdef Problem* g = &link.s.g
    cdef Py_ssize_t n = 0
    if active == link.active:
        return
    link.active = active
    while active:
        g.active_rows[n] = take_lowest_bit(&active)
        n += 1
    g.active_count = n


cdef inline void predict_active_rows(Link* link, double* tolerance) noexcept nogil:
    """Collect the rows that are active if forces and bridge displace them as in the last step.

    Set the tolerance (N), that of `solve_problem`.
    """
    cdef Problem* g = &link.s.g
    cdef double most = 0.0
    set_active_rows(link, row_bits(link) & predict_rows(
        link.free_drift, link.pushed, g.p_before, g.p_free, g.bilateral, g.force,
        (g.rows + 3) & ~3, &most))
    tolerance[0] = 1e-13 * most / g.mobility_norm
    g.solves += g.active_count > 0


cdef inline LaneSystem* string_system(const Bridge* b, Py_ssize_t i) noexcept nogil:
    return &b.systems[b.slots[i] // STRING_LANES]


cdef inline bint fits_lane(const Link* link) noexcept nogil:
    cdef const Problem* g = &link.s.g
    cdef Py_ssize_t i
    if g.active_count > LANE_ROWS:
        return False
    if not g.has_unit_exponents:
        for i in range(g.active_count):
            if not has_unit_exponent(&g.laws[g.active_rows[i]]):
                return False
    return True


cdef inline void load_lane(Link* link, LaneSystem* q, int lane) noexcept nogil:
    """Copy W, laws and weights of a string's active rows to its lane."""
    cdef Problem* g = &link.s.g
    cdef Py_ssize_t i, j, k
    cdef const double* w
    for i in range(g.active_count):
        k = g.active_rows[i]
        load_unit_law(&g.laws[k], &q.half[i][lane], &q.rate[i][lane], &q.spring[i][lane],
                      &q.drag[i][lane], &q.clamp[i][lane])
        q.mobility_root[i][lane] = g.mobility_root[k]
        q.bridge_weight[i][lane] = link.bridge_weight[k]
        w = &g.mobility[k * g.stride]
        for j in range(g.active_count):
            q.w[i][j][lane] = w[g.active_rows[j]]
    clear_lane(q, lane, <int>g.active_count)


cdef inline void load_string(Bridge* b, Py_ssize_t i) noexcept nogil:
    """Give the problem of a string's active rows to its lane, or list it as larger."""
    cdef Link* link = &b.links[i]
    cdef Problem* g = &link.s.g
    cdef LaneSystem* q = string_system(b, i)
    cdef Search* search = &b.searches[i]
    cdef int lane = b.slots[i] % STRING_LANES
    if link.has_new_rows:
        link.has_new_rows = False
        search.active = q.active[lane] = UNKNOWN_ROWS
    if q.active[lane] != link.active and not fits_lane(link):
        load_larger(link, search.active == link.active)
        search.active = link.active
        b.larger_strings[b.larger_count] = <int>i
        b.larger_count += 1
        clear_lane(q, lane, 0)
        q.tolerance[lane] = 0.0
        q.active[lane] = UNKNOWN_ROWS           # not of rows that fit
        return
    if q.active[lane] != link.active:
        load_lane(link, q, lane)
        q.active[lane] = link.active
    q.tolerance[lane] = search.tolerance if g.active_count else 0.0
    set_lane(q, lane, g.active_rows, g.p_before, g.p_free, link.free_drift, g.force)


cdef inline void count_lane_rows(Bridge* b) noexcept nogil:
    """Update the greatest number of rows of each system's lanes."""
    cdef LaneSystem* q
    cdef Py_ssize_t i, lane
    for i in range(b.system_count):
        q = &b.systems[i]
        q.rows = 0
        for lane in range(STRING_LANES):
            q.rows = max(q.rows, q.lane_rows[lane])
        q.rows = loop_rows(q.rows)
        if q.rows == 0:
            q.is_settled = True
            q.force = q.bridge_response = 0.0


cdef inline double joint_bridge_force(Bridge* b) noexcept nogil:
    """Return z = sum e f of all strings, N."""
    cdef double force = 0.0
    cdef Py_ssize_t i
    for i in range(b.system_count):
        force += lane_bridge_force(&b.systems[i])
    for i in range(b.larger_count):
        force += larger_bridge_force(&b.links[b.larger_strings[i]])
    return force


cdef inline void start_strings(Bridge* b, double increment) noexcept nogil:
    """Evaluate the strings that are not settled at their guess f and an increment x (m) of the
    bridge displacement, after sweeps where rows join or are released."""
    cdef LaneSystem* q
    cdef Search* search
    cdef Link* link
    cdef Py_ssize_t i, j
    for i in range(b.system_count):
        q = &b.systems[i]
        if q.is_settled:
            continue
        if displace_lanes(q, increment):
            for _ in range(SWEEPS if q.rows > FEW_ROWS else 1):
                sweep_lanes(q, increment)
            start_lanes(q, increment)
        for j in range(STRING_LANES):
            q.last_residual[j] = INFINITY
            q.is_solved[j] = 0.0
    for i in range(b.larger_count):
        search, link = &b.searches[b.larger_strings[i]], &b.links[b.larger_strings[i]]
        if search.is_settled:
            continue
        displace_larger(link, search, increment)
        if larger_has_kink(&link.s.g):
            for _ in range(SWEEPS):
                sweep_rows(&link.s.g)
            displace_larger(link, search, increment)
        search.last_residual = INFINITY
        search.is_solved = False


cdef inline bint shorten_steps(Bridge* b, bint has_guard) noexcept nogil:
    """Shorten the Newton steps that are too long, those of strings in lanes only with a guard;
    return True if there are any."""
    cdef Py_ssize_t i, k
    cdef bint any_long = False
    for i in range(b.system_count if has_guard else 0):
        if not b.systems[i].is_settled and shorten_lanes(&b.systems[i]):
            any_long = True
    for i in range(b.larger_count):
        k = b.larger_strings[i]
        if not b.searches[k].is_settled and shorten_larger(&b.links[k].s.g, &b.searches[k]):
            any_long = True
    return any_long


cdef inline double shared_increment(Bridge* b) noexcept nogil:
    """Return the increment x = Y sum e f (m) of the bridge displacement, for the f of strings that
    are not settled; the others follow it."""
    cdef double force = 0.0
    cdef double response = 0.0
    cdef Py_ssize_t i, k
    for i in range(b.system_count):
        if b.systems[i].is_settled:
            force += b.systems[i].force
            response += b.systems[i].bridge_response
        else:
            force += lane_bridge_force(&b.systems[i])
    for i in range(b.larger_count):
        k = b.larger_strings[i]
        if b.searches[k].is_settled:
            force += b.searches[k].force
            response += b.searches[k].bridge_response
        else:
            force += larger_bridge_force(&b.links[k])
    return b.mobility * (force / (1.0 + b.mobility * response))


cdef inline void displace_strings(Bridge* b, double increment) noexcept nogil:
    """Evaluate the strings that are not settled for an increment x (m)."""
    cdef Py_ssize_t i, k
    for i in range(b.system_count):
        if not b.systems[i].is_settled:
            displace_lanes(&b.systems[i], increment)
    for i in range(b.larger_count):
        k = b.larger_strings[i]
        if not b.searches[k].is_settled:
            displace_larger(&b.links[k], &b.searches[k], increment)


cdef inline double take_newton_step(Bridge* b, bint has_guard) noexcept nogil:
    """Take a Newton step of the strings that are not settled; return the increment x (m) of the
    bridge displacement.

    The step of a string in no lane, and with a guard that of any, is shortened until the slope of
    its objective has halved.
    """
    cdef double force = 0.0
    cdef double response = 0.0
    cdef double increment
    cdef bint is_shorter = False
    cdef Py_ssize_t i, k
    for i in range(b.system_count):
        if not b.systems[i].is_settled:
            find_lane_forces(&b.systems[i])
        force += b.systems[i].force
        response += b.systems[i].bridge_response
    for i in range(b.larger_count):
        k = b.larger_strings[i]
        if not b.searches[k].is_settled:
            find_larger_forces(&b.links[k], &b.searches[k])
        force += b.searches[k].force
        response += b.searches[k].bridge_response
    increment = b.mobility * (force / (1.0 + b.mobility * response))
    for i in range(b.system_count):
        if not b.systems[i].is_settled:
            step_lanes(&b.systems[i], increment)
    for i in range(b.larger_count):
        k = b.larger_strings[i]
        if not b.searches[k].is_settled:
            step_larger(&b.links[k], &b.searches[k], increment)
    for _ in range(MAX_TRIALS):
        if not shorten_steps(b, has_guard):
            break
        is_shorter = True
    if is_shorter:                              # z is that of steps of other lengths
        increment = shared_increment(b)
        displace_strings(b, increment)
    return increment


cdef inline bint settle_strings(Bridge* b) noexcept nogil:
    """Settle the strings that need no other iteration; return True if all are settled.

    Each is at a residual to stop at, or was at one and is at its floor.
    """
    cdef Search* search
    cdef LaneSystem* q
    cdef Py_ssize_t i, k
    cdef bint all_settled = True
    for i in range(b.system_count):
        q = &b.systems[i]
        if q.is_settled:
            continue
        q.is_settled = lanes_stop(q)
        if q.is_settled:
            q.force = lane_bridge_force(q) + q.bridge_response * q.increment
        else:
            all_settled = False
    for i in range(b.larger_count):
        k = b.larger_strings[i]
        search = &b.searches[k]
        if search.is_settled:
            continue
        search.is_solved = search.is_settled = (
            should_stop(search.residual, search.residual_floor,
                        force_limit(&b.links[k].s.g, search.tolerance), search.last_residual)
            or (search.is_solved and search.residual <= search.residual_floor))
        if search.is_settled:
            search.force = (larger_bridge_force(&b.links[k])
                            + search.bridge_response * search.increment)
        else:
            all_settled = False
    return all_settled


cdef inline bint follow_bridge_to(Bridge* b, double increment) noexcept nogil:
    """Let the settled strings follow the bridge to an increment (m) of its displacement; return
    True if all are still solved, to rounding or their tolerances. Those that are not iterate on."""
    cdef LaneSystem* q
    cdef Py_ssize_t i, k
    cdef bint all_solved = True
    for i in range(b.system_count):
        q = &b.systems[i]
        if q.rows == 0:
            continue
        if q.increment != increment:
            follow_bridge(q, increment - q.increment)
            displace_lanes(q, increment)
        q.is_settled = lanes_converged(q)
        all_solved = q.is_settled and all_solved
    for i in range(b.larger_count):
        k = b.larger_strings[i]
        all_solved = follow_larger(&b.links[k], &b.searches[k], increment) and all_solved
    return all_solved


cdef inline bint find_joint_forces(Bridge* b, double* increment, int* iterations) noexcept nogil:
    """Solve for f of the active rows from the guess in f and an increment (m) of the bridge
    displacement, which becomes the solved one; return True if it was found."""
    cdef int steps = 0
    start_strings(b, increment[0])
    while iterations[0] < MAX_ITERATIONS:
        increment[0] = take_newton_step(b, steps >= WHOLE_STEPS)
        steps += 1
        iterations[0] += 1
        if settle_strings(b):
            if follow_bridge_to(b, increment[0]):
                return True
    return False


cdef inline void store_forces(Bridge* b) noexcept nogil:
    """Copy the forces of the active rows to their problems."""
    cdef LaneSystem* q
    cdef Problem* g
    cdef Py_ssize_t i, j, lane
    for i in range(b.count):
        q, lane = string_system(b, i), b.slots[i] % STRING_LANES
        g = &b.links[i].s.g
        for j in range(q.lane_rows[lane]):
            g.force[g.active_rows[j]] = q.f[j][lane]
    for i in range(b.larger_count):
        g = &b.links[b.larger_strings[i]].s.g
        for j in range(g.active_count):
            g.force[g.active_rows[j]] = g.f[j]


cdef inline bint find_heat(Bridge* b) noexcept nogil:
    """Compute the energy that the rows of each string dissipate in the solved step, J.

    Return False if whole Newton steps have run away, as where W is singular and damping large.
    """
    cdef bint is_far = False
    cdef Link* link
    cdef Problem* g
    cdef Py_ssize_t i, j, k
    for i in range(b.system_count):
        is_far = find_lane_heat(&b.systems[i]) or is_far
    for i in range(b.count):
        b.links[i].heat = string_system(b, i).heat[b.slots[i] % STRING_LANES]
        b.links[i].has_heat = True
    for i in range(b.larger_count):
        link = &b.links[b.larger_strings[i]]
        g = &link.s.g
        link.heat = 0.0
        for j in range(g.active_count):
            k = g.active_rows[j]
            link.heat += dissipated_energy(&g.laws[k], g.p_before[k], g.p_after[k])
    return not is_far


cdef inline bint join_rows(Bridge* b, double increment) noexcept nogil:
    """Compute p1 of all rows, and add those that have become compressed to the active ones; return
    True if there are any. Their strings are not settled then."""
    cdef Link* link
    cdef Py_ssize_t i
    cdef unsigned long long active
    cdef bint has_new_rows = False
    for i in range(b.count):
        link = &b.links[i]
        if link.s.present_count:
            active = compress_link(link, increment) | link.active
            if active != link.active:
                set_active_rows(link, active)
                string_system(b, i).is_settled = False
                b.searches[i].is_settled = False
                has_new_rows = True
    return has_new_rows


cdef inline void load_strings(Bridge* b) noexcept nogil:
    cdef Py_ssize_t i
    b.larger_count = 0
    for i in range(b.count):
        load_string(b, i)
    count_lane_rows(b)


cdef inline bint solve_all_strings(Bridge* b, double* force) noexcept nogil:
    """Solve for the forces of all strings; see `solve_jointly`."""
    cdef Link* link
    cdef Py_ssize_t i
    cdef int iterations = 0
    cdef bint has_new_rows = True
    cdef double increment = b.mobility * (2.0 * b.force - b.previous_force)
    for i in range(b.count):
        link = &b.links[i]
        if link.s.present_count:
            predict_active_rows(link, &b.searches[i].tolerance)
        else:
            set_active_rows(link, 0)
        b.searches[i].is_settled = False
        b.string_rows[i] = <int>link.s.g.active_count if fits_lane(link) else 0
    assign_slots(b)
    for i in range(b.system_count):
        b.systems[i].is_settled = False
    for _ in range(MAX_JOINS):
        load_strings(b)
        if not find_joint_forces(b, &increment, &iterations):
            break
        force[0] = joint_bridge_force(b)
        store_forces(b)
        has_new_rows = join_rows(b, b.mobility * force[0])
        if not has_new_rows:
            break
    if has_new_rows:
        return False
    if not find_heat(b):
        return False
    b.assumed_force = force[0]
    for i in range(b.count):
        if b.links[i].s.g.active_count:
            b.links[i].s.g.iterations += iterations
            b.links[i].s.g.most_iterations = <int>maximum(b.links[i].s.g.most_iterations,
                                                          iterations)
    return True


cdef inline bint solve_separately "pysitar_solve_jointly"(void* bridge,
                                                          double* force) noexcept nogil:
    return solve_all_strings(<Bridge*>bridge, force)


cdef inline bint solve_jointly(Bridge* b, double* force) noexcept nogil:
    """Solve for the rows' forces, s and p1 of all strings from the guess f, and for z = sum e f, N.

    Return False if the stopping rule was not reached. A function that is compiled once for each
    clone.
    """
    return solve_separately(b, force)
