# The rows of all strings on a bridge, solved together: one Newton method for their forces f and the
# force z = sum e f on the bridge (bridge.pxd). With the increment x = Y z of the bridge
# displacement a row has s = u + e x + W f, so all strings are one system whose mobility is that of
# each string and, between all rows, Y e e'. It is positive semidefinite, and the method is that of
# contact/solver.pxd; the term of rank one needs two right-hand sides for each string,
#   A r = F/D + s - u,  A t = e,  A = W + 1/D on rows with D > 0,
#   f' = r - t x',  x' = Y z',  z' = sum e r / (1 + Y sum e t),
# and a line search of each string; the bridge couples strings too weakly to need one of all. If the
# method fails all the same, bridge.pxd searches for z. Strings of up to eight active rows are
# solved in lanes (core/lane_systems.h), those of equal number side by side; larger ones by the
# functions of contact/active_set.pxd. Gauss-Seidel sweeps come first, as there.
from libc.math cimport INFINITY, fabs

from pysitar.kernels.contact.active_set cimport (
    MAX_ITERATIONS, SWEEPS, dot_difference, evaluate_residual, factor_symmetric, load_system,
    solve_factored, sweep_rows,
)
from pysitar.kernels.contact.law_record cimport LINEAR, Law
from pysitar.kernels.contact.problem cimport Problem, has_unit_exponent, should_stop
from pysitar.kernels.contact.small_system cimport MAX_TRIALS
from pysitar.kernels.contact.solver cimport extend_active_set
from pysitar.kernels.core.lanes cimport add_scaled, clear, copy, maximum, subtract
from pysitar.kernels.modal.link cimport LANE_ROWS, STRING_LANES, Bridge, LaneSystem, Link, Search

cdef extern from *:
    """
    #include "simd.h"
    static PYSITAR_SEPARATE_CLONES int pysitar_solve_jointly(void* bridge, double* force);
    """

cdef extern from "lane_systems.h" nogil:
    void clear_lane "pysitar_clear_lane"(LaneSystem* q, int lane, int first)
    double lane_bridge_force "pysitar_lane_bridge_force"(const LaneSystem* q)
    void displace_lanes "pysitar_displace_lanes"(LaneSystem* q, double increment)
    void sweep_lanes "pysitar_sweep_lanes"(LaneSystem* q, double x)
    void evaluate_lanes "pysitar_evaluate_lanes"(LaneSystem* q)
    double compress_rows "pysitar_compress_rows"(
        const double* free_drift, const double* weight, double x, const double* p_free,
        const double* mobility, const int* active_rows, Py_ssize_t active_count,
        const double* force, Py_ssize_t n, double* p_after)
    bint lanes_stop "pysitar_lanes_stop"(LaneSystem* q)
    bint lanes_converged "pysitar_lanes_converged"(const LaneSystem* q)
    void find_lane_forces "pysitar_find_lane_forces"(LaneSystem* q, double* force, double* response)
    void begin_lane_search "pysitar_begin_lane_search"(LaneSystem* q, double increment)
    void keep_lane_change "pysitar_keep_lane_change"(LaneSystem* q)
    bint shorten_lanes "pysitar_shorten_lanes"(LaneSystem* q)

cdef enum:
    MAX_JOINS = 20              # solves of a step, each with rows that have become active


cdef inline void update_law_flag(Link* link) noexcept nogil:
    """Update whether all present rows have exponent 1 or are linear, after laws have changed."""
    cdef Problem* g = &link.s.g
    cdef Py_ssize_t k
    link.has_unit_exponents = True
    for k in range(g.rows):
        if g.laws[k].is_present and not has_unit_exponent(&g.laws[k]):
            link.has_unit_exponents = False


cdef inline bint can_solve_jointly(const Bridge* b) noexcept nogil:
    """Return True if the joint method is on and serves the laws that are present."""
    cdef Py_ssize_t i
    if not b.is_joint:
        return False
    for i in range(b.count):
        if not b.links[i].has_unit_exponents or b.links[i].s.residual.is_on:
            return False
    return True


cdef inline double compress_link(Link* link, double increment) noexcept nogil:
    """Compute p1 of a string's rows for an increment (m) of the bridge displacement.

    The forces are those of the active rows. Return max|u|, m.
    """
    cdef Problem* g = &link.s.g
    return compress_rows(link.free_drift, link.bridge_weight, increment, g.p_free, g.mobility,
                         g.active_rows, g.active_count, g.force, g.stride, g.p_after)


cdef inline void predict_active_rows(Link* link, double increment) noexcept nogil:
    """Collect the rows that are active with the last forces and a predicted increment of the
    bridge displacement (m).

    Set the tolerance, that of `solve_problem`.
    """
    cdef Problem* g = &link.s.g
    link.force_tolerance = 1e-13 * compress_link(link, increment) / g.mobility_norm
    g.active_count = 0
    clear(g.is_active, g.stride)
    g.solves += extend_active_set(g)


cdef inline void load_lane(Link* link, LaneSystem* q, int lane) noexcept nogil:
    """Copy the problem of a string's active rows to a lane."""
    cdef Problem* g = &link.s.g
    cdef Py_ssize_t i, j, k
    cdef const Law* law
    cdef const double* w
    cdef double contact
    for i in range(g.active_count):
        k = g.active_rows[i]
        law = &g.laws[k]
        contact = 0.0 if law.kind == LINEAR else 1.0
        q.half[i][lane] = 0.5 * law.stiffness * contact
        q.rate[i][lane] = law.rate * contact
        q.spring[i][lane] = 0.5 * law.stiffness * (1.0 - contact)
        q.drag[i][lane] = law.rate * (1.0 - contact)
        q.clamp[i][lane] = 0.0 if law.adhesive else contact
        q.mobility_root[i][lane] = g.mobility_root[k]
        q.p0[i][lane] = g.p_before[k]
        q.e[i][lane] = g.p_free[k]
        q.u[i][lane] = link.free_drift[k]
        q.f[i][lane] = g.force[k]
        q.bridge_weight[i][lane] = link.bridge_weight[k]
        w = &g.mobility[k * g.stride]
        for j in range(g.active_count):
            q.w[i][j][lane] = w[g.active_rows[j]]
    clear_lane(q, lane, <int>g.active_count)


cdef inline void load_larger(Link* link) noexcept nogil:
    """Copy the problem of a string's active rows to its compact vectors."""
    cdef Problem* g = &link.s.g
    cdef Py_ssize_t i
    load_system(g)
    for i in range(g.active_count):
        g.u[i] = link.free_drift[g.active_rows[i]]


cdef inline void load_strings(Bridge* b) noexcept nogil:
    """Give a lane to each string of up to eight active rows, and list the larger ones."""
    cdef LaneSystem* q = NULL
    cdef Py_ssize_t i
    cdef Py_ssize_t n
    cdef int rows
    b.system_count = b.larger_count = 0
    for rows in range(LANE_ROWS, 0, -1):
        for i in range(b.count):
            if b.links[i].s.g.active_count != rows:
                continue
            if q == NULL or q.lanes == STRING_LANES:
                q = &b.systems[b.system_count]
                b.system_count += 1
                q.lanes, q.rows = 0, rows
            q.strings[q.lanes] = <int>i
            q.tolerance[q.lanes] = b.links[i].force_tolerance
            load_lane(&b.links[i], q, q.lanes)
            q.lanes += 1
    if q != NULL:
        for n in range(q.lanes, STRING_LANES):
            q.tolerance[n] = 0.0
            clear_lane(q, <int>n, 0)
    for i in range(b.count):
        if b.links[i].s.g.active_count > LANE_ROWS:
            b.searches[b.larger_count].tolerance = b.links[i].force_tolerance
            b.larger_strings[b.larger_count] = <int>i
            b.larger_count += 1
            load_larger(&b.links[i])


cdef inline double larger_bridge_force(const Link* link) noexcept nogil:
    """Return sum e f of a larger string's rows, N."""
    cdef const Problem* g = &link.s.g
    cdef double force = 0.0
    cdef Py_ssize_t i
    for i in range(g.active_count):
        force += link.bridge_weight[g.active_rows[i]] * g.f[i]
    return force


cdef inline double joint_bridge_force(Bridge* b) noexcept nogil:
    """Return z = sum e f of all strings, N."""
    cdef double force = 0.0
    cdef Py_ssize_t i
    for i in range(b.system_count):
        force += lane_bridge_force(&b.systems[i])
    for i in range(b.larger_count):
        force += larger_bridge_force(&b.links[b.larger_strings[i]])
    return force


cdef inline void displace_larger(Link* link, double increment) noexcept nogil:
    """Compute s = u + e x + W f of a larger string."""
    cdef Problem* g = &link.s.g
    cdef Py_ssize_t i
    cdef Py_ssize_t n = g.active_count
    for i in range(n):
        g.s[i] = g.u[i] + link.bridge_weight[g.active_rows[i]] * increment
    for i in range(n):
        if g.f[i] != 0.0:
            add_scaled(g.s, &g.active_mobility[i * n], g.f[i], n)


cdef inline void displace_strings(Bridge* b, double increment) noexcept nogil:
    """Compute s for the forces f and an increment x (m) of the bridge displacement."""
    cdef Py_ssize_t i
    for i in range(b.system_count):
        displace_lanes(&b.systems[i], increment)
    for i in range(b.larger_count):
        displace_larger(&b.links[b.larger_strings[i]], increment)


cdef inline void sweep_strings(Bridge* b, double increment) noexcept nogil:
    """Do sweeps of each string for a fixed increment x (m) of the bridge displacement."""
    cdef Py_ssize_t i
    for i in range(b.system_count):
        for _ in range(SWEEPS):
            sweep_lanes(&b.systems[i], increment)
    for i in range(b.larger_count):
        displace_larger(&b.links[b.larger_strings[i]], increment)
        for _ in range(SWEEPS):
            sweep_rows(&b.links[b.larger_strings[i]].s.g)


cdef inline void evaluate_strings(Bridge* b) noexcept nogil:
    """Evaluate F, D and residuals at s."""
    cdef Search* search
    cdef Py_ssize_t i
    for i in range(b.system_count):
        evaluate_lanes(&b.systems[i])
    for i in range(b.larger_count):
        search = &b.searches[i]
        search.residual = evaluate_residual(&b.links[b.larger_strings[i]].s.g,
                                            &search.residual_floor)


cdef inline bint strings_stop(Bridge* b) noexcept nogil:
    """Return True if no string needs another iteration.

    Each is at a residual to stop at, or was at one and is at its floor.
    """
    cdef Search* search
    cdef Py_ssize_t i
    cdef bint stop = True
    for i in range(b.system_count):
        stop = lanes_stop(&b.systems[i]) and stop
    for i in range(b.larger_count):
        search = &b.searches[i]
        search.is_solved = (
            should_stop(search.residual, search.residual_floor, search.tolerance,
                        search.last_residual)
            or (search.is_solved and search.residual <= search.residual_floor))
        stop = search.is_solved and stop
    return stop


cdef inline bint strings_converged(const Bridge* b) noexcept nogil:
    """Return True if all residuals are at their rounding floors or tolerances."""
    cdef Py_ssize_t i
    for i in range(b.system_count):
        if not lanes_converged(&b.systems[i]):
            return False
    for i in range(b.larger_count):
        if not (b.searches[i].residual <= b.searches[i].residual_floor
                or b.searches[i].residual <= b.searches[i].tolerance):
            return False
    return True


cdef inline void find_larger_forces(Link* link, double* force, double* response) noexcept nogil:
    """Compute r in delta_f and t in force_response of a larger string; add sum e r and sum e t."""
    cdef Problem* g = &link.s.g
    cdef double* t = link.force_response
    cdef Py_ssize_t i, k
    cdef Py_ssize_t m = 0
    for i in range(g.active_count):
        g.delta_f[i] = t[i] = 0.0
        if g.slope[i] > 0.0:
            g.compliance[m] = 1.0 / g.slope[i]
            g.rhs[m] = link.bridge_weight[g.active_rows[i]]
            g.system_rows[m] = <int>i
            m += 1
    factor_symmetric(g, m)
    solve_factored(g, m)
    for i in range(m):
        k = g.system_rows[i]
        t[k] = g.rhs[i]
        g.rhs[i] = g.law_force[k] * g.compliance[i] + (g.s[k] - g.u[k])
    solve_factored(g, m)
    for i in range(m):
        k = g.system_rows[i]
        g.delta_f[k] = g.rhs[i]
        force[0] += link.bridge_weight[g.active_rows[k]] * g.rhs[i]
        response[0] += link.bridge_weight[g.active_rows[k]] * t[k]


cdef inline void begin_larger_search(Link* link, double increment) noexcept nogil:
    """Begin a line search at f and s, and set f to Newton's."""
    cdef Problem* g = &link.s.g
    cdef Py_ssize_t i
    cdef double force
    copy(g.f_start, g.f, g.active_count)
    copy(g.s_start, g.s, g.active_count)
    for i in range(g.active_count):
        force = g.delta_f[i] - link.force_response[i] * increment
        g.delta_f[i] = force - g.f[i]
        g.f[i] = force


cdef inline void keep_larger_change(Problem* g, Search* search) noexcept nogil:
    """Keep the change of s in a Newton step, and the slope of the objective at its start."""
    subtract(g.delta_s, g.s, g.s_start, g.active_count)
    search.start_slope = dot_difference(g.delta_s, g.f_start, g.law_force, g.active_count)
    search.length = 1.0


cdef inline bint shorten_larger(Problem* g, Search* search) noexcept nogil:
    """Shorten the Newton step if the objective's slope has not halved; return True if so."""
    cdef double start = search.start_slope
    cdef double slope = dot_difference(g.delta_s, g.f, g.law_force, g.active_count)
    # at the rounding floor the sign of the slope is noise
    if (search.residual <= search.residual_floor or slope <= 0.5 * fabs(start) or slope != slope
            or slope == start):
        return False
    search.length = maximum(0.1 * search.length, search.length * start / (start - slope))
    copy(g.f, g.f_start, g.active_count)
    add_scaled(g.f, g.delta_f, search.length, g.active_count)
    copy(g.s, g.s_start, g.active_count)
    add_scaled(g.s, g.delta_s, search.length, g.active_count)
    return True


cdef inline bint shorten_steps(Bridge* b) noexcept nogil:
    """Shorten and evaluate the Newton steps that are too long; return True if there are any."""
    cdef Problem* g
    cdef Py_ssize_t i
    cdef bint any_long = False
    for i in range(b.system_count):
        if shorten_lanes(&b.systems[i]):
            evaluate_lanes(&b.systems[i])
            any_long = True
    for i in range(b.larger_count):
        g = &b.links[b.larger_strings[i]].s.g
        if shorten_larger(g, &b.searches[i]):
            b.searches[i].residual = evaluate_residual(g, &b.searches[i].residual_floor)
            any_long = True
    return any_long


cdef inline void take_newton_step(Bridge* b) noexcept nogil:
    """Take a Newton step, shortened for each string until the slope of its objective has halved."""
    cdef double force = 0.0
    cdef double response = 0.0
    cdef double increment
    cdef bint is_shorter = False
    cdef Py_ssize_t i
    for i in range(b.system_count):
        find_lane_forces(&b.systems[i], &force, &response)
    for i in range(b.larger_count):
        find_larger_forces(&b.links[b.larger_strings[i]], &force, &response)
    increment = b.mobility * (force / (1.0 + b.mobility * response))
    for i in range(b.system_count):
        begin_lane_search(&b.systems[i], increment)
    for i in range(b.larger_count):
        b.searches[i].last_residual = b.searches[i].residual
        begin_larger_search(&b.links[b.larger_strings[i]], increment)
    displace_strings(b, b.mobility * joint_bridge_force(b))
    for i in range(b.system_count):
        keep_lane_change(&b.systems[i])
    for i in range(b.larger_count):
        keep_larger_change(&b.links[b.larger_strings[i]].s.g, &b.searches[i])
    evaluate_strings(b)
    for _ in range(MAX_TRIALS):
        if not shorten_steps(b):
            break
        is_shorter = True
    if is_shorter:                              # z is that of steps of other lengths
        displace_strings(b, b.mobility * joint_bridge_force(b))
        evaluate_strings(b)


cdef inline bint find_joint_forces(Bridge* b, int* iterations) noexcept nogil:
    """Solve for f of the active rows from the guess in f; return True if it was found."""
    cdef Py_ssize_t i, j
    sweep_strings(b, b.mobility * joint_bridge_force(b))
    displace_strings(b, b.mobility * joint_bridge_force(b))
    evaluate_strings(b)
    for i in range(b.system_count):
        for j in range(STRING_LANES):
            b.systems[i].last_residual[j] = INFINITY
            b.systems[i].is_solved[j] = 0.0
    for i in range(b.larger_count):
        b.searches[i].last_residual = INFINITY
        b.searches[i].is_solved = False
    while iterations[0] < MAX_ITERATIONS and not strings_stop(b):
        take_newton_step(b)
        iterations[0] += 1
    return strings_converged(b)


cdef inline void store_forces(Bridge* b) noexcept nogil:
    """Copy the forces of the active rows to their problems."""
    cdef LaneSystem* q
    cdef Problem* g
    cdef Py_ssize_t i, j, lane
    for i in range(b.system_count):
        q = &b.systems[i]
        for lane in range(q.lanes):
            g = &b.links[q.strings[lane]].s.g
            for j in range(g.active_count):
                g.force[g.active_rows[j]] = q.f[j][lane]
    for i in range(b.larger_count):
        g = &b.links[b.larger_strings[i]].s.g
        for j in range(g.active_count):
            g.force[g.active_rows[j]] = g.f[j]


cdef inline bint solve_all_strings(Bridge* b, double* force) noexcept nogil:
    """Solve for the forces of all strings; see `solve_jointly`."""
    cdef Link* link
    cdef Py_ssize_t i
    cdef int iterations = 0
    cdef bint has_converged = True
    cdef bint has_new_rows = True
    cdef double increment = b.mobility * (2.0 * b.force - b.previous_force)
    for i in range(b.count):
        if b.links[i].s.present_count:
            predict_active_rows(&b.links[i], increment)
        else:
            b.links[i].s.g.active_count = 0
    for _ in range(MAX_JOINS):
        load_strings(b)
        has_converged = find_joint_forces(b, &iterations)
        if not has_converged:
            return False
        force[0] = joint_bridge_force(b)
        store_forces(b)
        has_new_rows = False
        for i in range(b.count):
            link = &b.links[i]
            if link.s.present_count:
                compress_link(link, b.mobility * force[0])
                has_new_rows = extend_active_set(&link.s.g) or has_new_rows
        if not has_new_rows:
            break
    b.assumed_force = force[0]
    for i in range(b.count):
        if b.links[i].s.g.active_count:
            b.links[i].s.g.iterations += iterations
            b.links[i].s.g.most_iterations = <int>maximum(b.links[i].s.g.most_iterations,
                                                          iterations)
    return not has_new_rows


cdef inline bint solve_separately "pysitar_solve_jointly"(void* bridge,
                                                          double* force) noexcept nogil:
    return solve_all_strings(<Bridge*>bridge, force)


cdef inline bint solve_jointly(Bridge* b, double* force) noexcept nogil:
    """Solve for the rows' forces, s and p1 of all strings from the guess f, and for z = sum e f, N.

    Return False if the stopping rule was not reached. A function that is compiled once for each
    clone.
    """
    return solve_separately(b, force)
