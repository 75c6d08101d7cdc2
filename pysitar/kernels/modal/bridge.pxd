# Strings on a common compliant bridge: two-point networks with inertial coupling (scheme and energy
# are re-derived).
#
# A string on a bridge with displacement w is y(x) = sum sin(b x) y_i + (1 - x/L) w, with
# w = sum phi_j B_j of the body's modes. The kinetic energy is
#   T = sum m v_i^2 / 2 + w' sum a_i v_i + mu w'^2 / 2,
# with a_i = rhoA / b_i and mu = sum rhoA L / 3 over the strings. T is positive definite; the
# potential has no coupling (the term w^2 tension / (2 L) belongs to the body). With q = dt v / 2 as
# in two_point.pxd, Q = phi . q, and X = phi . s the increment of the bridge displacement in a step,
# every mode has the step of its own network plus a response to Z = 2 Q - X:
#   string   s_i = u_i + (C a / m)_i Z + xi C V^T f
#   body     s_j = u_j + (C phi / m)_j (sum a (2 q - s) + mu Z)
# so G = sum a (2 q - u), h = sum C a^2 / m, gw = sum C phi^2 / m give
#   Z = (2 Q - phi . u - gw G) / den,  den = 1 + gw (mu - h),  in O(M).
# The displacement at a row is V y + c w with its bridge shape c: (1 - x/L) if the neck or a hand
# holds the row, -x/L on the bridge. Its force f acts on the bridge with e f, e = c - V . (C a / m),
# and all rows together displace the bridge by Y z, z = sum e f, Y = dt^2 gw / (2 den). A row of any
# string has
#   s = u - e Z + 2 c Q + W f + e Y z,
# with W of its own string. z is a scalar: z - (the sum of e f for an assumed z) has a derivative of
# at least 1, so a bracketed Newton search finds its root. Most rows are linear over the small
# change of z, and their forces are updated without another solve.
from libc.math cimport INFINITY, fabs

from pysitar.kernels.contact.law cimport dissipated_energy, is_linear
from pysitar.kernels.contact.problem cimport Problem
from pysitar.kernels.contact.solver cimport find_response, solve_collision, update_by_response
from pysitar.kernels.core.lanes cimport (
    add_scaled, clear, crdouble, dot, maximum, sum_lanes,
)
from pysitar.kernels.core.ledger cimport BLOCK_STEPS, ENERGY_TERMS, add_work
from pysitar.kernels.core.sleep cimport decide_sleep
from pysitar.kernels.modal.elongation cimport update_elongation_row
from pysitar.kernels.modal.friction cimport renew_bounds
from pysitar.kernels.modal.joint cimport can_solve_jointly, mark_new_rows, solve_jointly
from pysitar.kernels.modal.link cimport (
    UNKNOWN_ROWS, Bridge, Link, force_on_bridge, set_row_drift,
)
from pysitar.kernels.modal.residual cimport move_residual
from pysitar.kernels.modal.rows cimport finish_rows, project_rows, push_modes
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport (
    Call, Modes, add_force_outputs, apply_controls, begin_modes, close_block, drive_modes, modes_of,
    move_modes, release_unused_residual, sample_output, start_friction, track_first_output,
    weight_work,
)
from pysitar.kernels.modal.two_point cimport sample_energy, step_tension, tension_changes

cdef extern from "mode_passes.h" nogil:
    double move_coupled_modes "pysitar_move_coupled_modes"(
        const Modes* m, int count, const double* const* v, const double* f, double z, bint begins,
        double* momentum, Py_ssize_t n)

cdef extern from "link_passes.h" nogil:
    void begin_rows "pysitar_begin_rows"(
        const double* drift, const double* weight, double z, const double* shape,
        double twice_bridge_q, const double* p_before, const double* shift, double* free_drift,
        double* p_free, Py_ssize_t n)
    void end_rows "pysitar_end_rows"(double* p_before, const double* p_after, double* shift,
                                     Py_ssize_t n)

cdef extern from *:
    """
    #include "simd.h"
    static PYSITAR_SEPARATE_CLONES double pysitar_collide_strings(void* bridge);
    static PYSITAR_SEPARATE_CLONES void pysitar_begin_block(void* bridge);
    static PYSITAR_SEPARATE_CLONES void pysitar_change_tensions(void* bridge);
    static PYSITAR_SEPARATE_CLONES int pysitar_sample_energies(void* bridge);
    """

cdef enum:
    MAX_ROUNDS = 60             # iterations of the search for z


cdef inline void update_bridge_weight(Link* link, Py_ssize_t k) noexcept nogil:
    cdef State* s = link.s
    link.bridge_weight[k] = (s.bridge_shape[k]
                             - dot(&s.shapes[k * s.stride], link.mode_response, s.stride))


cdef inline void update_bridge_weights(Link* link) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(link.s.g.rows):
        update_bridge_weight(link, k)


cdef inline void update_link(Link* link) noexcept nogil:
    """Recompute the string's response coefficients after a tension change."""
    cdef State* s = link.s
    cdef Py_ssize_t i
    for i in range(s.stride):
        link.mode_response[i] = 2.0 / (s.time_step * s.time_step) * s.mobility[i] * link.inertia[i]
    link.coupled_mass = dot(link.inertia, link.mode_response, s.stride)
    update_bridge_weights(link)


cdef inline void update_body(Bridge* b) noexcept nogil:
    """Compute the body's response coefficients, which do not depend on the strings."""
    cdef State* s = b.s
    cdef Py_ssize_t i
    for i in range(s.stride):
        b.mode_response[i] = 2.0 / (s.time_step * s.time_step) * s.mobility[i] * b.shape[i]
    b.inverse_mass = dot(b.shape, b.mode_response, s.stride)


cdef inline void update_bridge(Bridge* b) noexcept nogil:
    """Compute the bridge's coefficients from those of all strings and of the body."""
    cdef State* s = b.s
    cdef Py_ssize_t i
    b.residual_mass = b.string_mass
    for i in range(b.count):
        b.residual_mass -= b.links[i].coupled_mass
    b.coupling_factor = 1.0 / (1.0 + b.inverse_mass * b.residual_mass)
    b.mobility = 0.5 * s.time_step * s.time_step * b.inverse_mass * b.coupling_factor


cdef inline void update_bridge_displacement(Bridge* b) noexcept nogil:
    """Copy the bridge displacement to the strings."""
    cdef double w = dot(b.shape, b.s.y, b.s.stride)
    cdef Py_ssize_t i
    for i in range(b.count):
        b.links[i].s.bridge_displacement = w


cdef inline double free_momentum(crdouble a, crdouble q, crdouble u, Py_ssize_t n) noexcept nogil:
    """Return sum a (2 q - u), kg m."""
    cdef double acc[8]
    cdef Py_ssize_t i, j
    for j in range(8):
        acc[j] = 0.0
    for i in range(0, n, 8):
        for j in range(8):
            acc[j] += a[i + j] * (2.0 * q[i + j] - u[i + j])
    return sum_lanes(acc)


cdef inline void sample_bridge_energy(const Bridge* b, double* row) noexcept nogil:
    """Write the energies of strings and body, including the coupling terms of T, J."""
    cdef const Link* link
    cdef double bridge_q = dot(b.shape, b.s.q, b.s.stride)
    cdef double momentum = 0.0
    cdef double part[ENERGY_TERMS]
    cdef Py_ssize_t i, j
    sample_energy(b.s, b.m, row)
    for i in range(b.count):
        link = &b.links[i]
        sample_energy(link.s, link.m, part)
        for j in range(ENERGY_TERMS):
            row[j] += part[j]
        momentum += dot(link.inertia, link.s.q, link.s.stride)
    row[0] += (4.0 / (b.s.time_step * b.s.time_step) * bridge_q
               * (momentum + 0.5 * b.string_mass * bridge_q))


cdef inline bint bridge_should_sleep(Bridge* b, const double* row) noexcept nogil:
    """Return True if strings and body may sleep; decides every BLOCK_STEPS steps."""
    cdef double energy = row[0] + row[1] + row[2] - weight_work(b.s)
    cdef Py_ssize_t i
    cdef bint may_be_held = False
    if b.s.count % BLOCK_STEPS:
        return False
    for i in range(b.count):
        may_be_held = may_be_held or b.links[i].s.friction.present_count > 0
        energy -= weight_work(b.links[i].s)
        b.s.sleep.is_disturbed = b.s.sleep.is_disturbed or b.links[i].s.sleep.is_disturbed
        b.links[i].s.sleep.is_disturbed = False
    return decide_sleep(&b.s.sleep, energy, row[0], may_be_held) and b.call.run.may_sleep


cdef inline double solve_rows(Bridge* b, double z, double previous_z, bint is_solved,
                              double* force_scale) noexcept nogil:
    """Solve the rows of all strings for an assumed z; return sum e f (N), and sum |e f| in
    force_scale.

    If is_solved, the rows have been solved for previous_z and linearised there: those that stay
    linear are updated, the others solved again.
    """
    cdef Link* link
    cdef Py_ssize_t i
    cdef double force = 0.0
    cdef double bridge_increment = b.mobility * z
    force_scale[0] = 0.0
    for i in range(b.count):
        link = &b.links[i]
        if not link.s.present_count:
            continue
        set_row_drift(link, bridge_increment)
        if is_solved and update_by_response(&link.s.g, link.force_response,
                                            b.mobility * (z - previous_z)):
            pass                                # the linearised forces are still valid
        elif solve_collision(&link.s.g) < 0 and link.call.run.failed_at < 0:
            link.call.run.failed_at = link.s.count
        force += force_on_bridge(link, force_scale)
    return force


cdef inline double find_row_response(Bridge* b) noexcept nogil:
    """Return the derivative of sum e f by the assumed z, at most 0."""
    cdef Py_ssize_t i
    cdef double change = 0.0
    for i in range(b.count):
        if b.links[i].s.present_count:
            change += find_response(&b.links[i].s.g, b.links[i].bridge_weight,
                                    b.links[i].force_response)
    return change * b.mobility


cdef inline double collide_strings(Bridge* b) noexcept nogil:
    """Solve for the rows' forces and return z = sum e f, N; `assumed_force` is the z they were
    solved for.

    The root lies between the assumed z and the resulting sum. The remaining difference d between
    the two, mostly round-off, displaces the rows by e Y d after the solve; `correct_compressions`
    adds it. Their forces stay, so that a greater d costs energy where contacts are damped.
    """
    cdef double z = 2.0 * b.force - b.previous_force
    cdef double low = -INFINITY
    cdef double high = INFINITY
    cdef double force_scale = 0.0
    cdef double last_residual = INFINITY
    cdef double row_force = solve_rows(b, z, z, False, &force_scale)
    cdef double residual, previous_z
    for _ in range(MAX_ROUNDS):
        b.assumed_force = z
        residual = z - row_force
        # the rows are solved to round-off, so a residual that no longer decreases is round-off
        if (fabs(residual) <= 1e-13 * force_scale
                or (fabs(residual) <= 1e-7 * force_scale and fabs(residual) > 0.5 * last_residual)):
            return row_force
        if residual > 0.0:
            low, high = maximum(low, row_force), z
        else:
            low, high = z, -maximum(-high, -row_force)
        previous_z, last_residual = z, fabs(residual)
        z -= residual / (1.0 - find_row_response(b))
        if not low <= z <= high:
            z = 0.5 * (low + high)
        if z == previous_z:
            return row_force
        row_force = solve_rows(b, z, previous_z, True, &force_scale)
    b.assumed_force = z
    b.failures += 1
    return row_force


cdef inline double collide_separately "pysitar_collide_strings"(void* bridge) noexcept nogil:
    return collide_strings(<Bridge*>bridge)


cdef inline double collide_with_friction(Bridge* b) noexcept nogil:
    """Return z as `collide_strings`, solved again with the bounds of friction of its own solution,
    up to the greatest number of passes of a string."""
    cdef double force = collide_separately(b)
    cdef Py_ssize_t i
    cdef int passes = 1
    cdef bint has_moved
    for i in range(b.count):
        if b.links[i].s.g.has_friction and b.links[i].s.friction.passes > passes:
            passes = b.links[i].s.friction.passes
    for _ in range(1, passes):
        has_moved = False
        for i in range(b.count):
            if (b.links[i].s.g.has_friction
                    and renew_bounds(&b.links[i].s.friction, &b.links[i].s.g,
                                     b.links[i].s.span_shift, b.s.time_step)):
                has_moved = True
        if not has_moved:
            break
        force = collide_separately(b)
    return force


cdef inline void correct_compressions(Link* link, double bridge_increment) noexcept nogil:
    """Add the difference (m) between the bridge's actual and assumed increment to the
    compressions."""
    cdef Py_ssize_t j, k
    for j in range(link.s.present_count):
        k = link.s.present_rows[j]
        link.s.g.p_after[k] -= link.bridge_weight[k] * bridge_increment


cdef inline void begin_link_step(Link* link, Py_ssize_t n, double* outer_force,
                                 double* momentum) noexcept nogil:
    """Compute a string's step without bridge and rows.

    Add its input forces on the bridge to outer_force (N), and sum a (2 q - u) to momentum (kg m).
    """
    cdef State* s = link.s
    cdef Py_ssize_t j
    cdef bint has_drive = s.has_weight
    cdef double value
    apply_controls(s, link.call, n)
    if link.call.controls or s.axial_row >= 0:
        link.has_new_rows = True
    if not link.has_drift:
        link.momentum = begin_modes(&link.modes, 2, True, s.stride)
        link.has_projection = False
    link.has_drift = False
    for j in range(link.call.run.inputs):
        value = link.call.run.forces[n * link.call.run.inputs + j]
        has_drive = has_drive or value != 0.0
        outer_force[0] += link.call.input_bridge_shapes[j] * value
    if has_drive:
        drive_modes(s, link.call, n)
        link.momentum = free_momentum(link.inertia, s.q, s.drift, s.stride)
    momentum[0] += link.momentum


cdef inline void update_link_elongation(Link* link) noexcept nogil:
    """Update the shape of the elongation's row and its bridge weight."""
    update_elongation_row(link.s)
    update_bridge_weight(link, link.s.axial_row)


cdef inline void finish_plain_rows(Link* link, bint* in_contact) noexcept nogil:
    """As `finish_rows`, for rows without friction or memory."""
    cdef State* s = link.s
    cdef Problem* g = &s.g
    cdef Py_ssize_t i, k
    if link.has_heat:
        s.ledger.recent_losses += link.heat
    for i in range(g.active_count):
        k = g.active_rows[i]
        if not link.has_heat:
            s.ledger.recent_losses += dissipated_energy(&g.laws[k], g.p_before[k], g.p_after[k])
        if g.force[k] == 0.0:
            continue
        push_modes(s, k)
        if s.span_shift[k] != 0.0:
            add_work(&s.ledger, g.force[k] * s.span_shift[k])
        in_contact[0] = in_contact[0] or not is_linear(&g.laws[k])
    if s.residual.is_on:
        move_residual(&s.residual, g.force, &s.ledger)
    end_rows(g.p_before, g.p_after, s.span_shift, (g.rows + 3) & ~3)


cdef inline void project_link_drift(Link* link, double z, double twice_bridge_q,
                                    double bridge_increment) noexcept nogil:
    """Compute the drift u of a string's rows for z = 0.

    bridge_increment (m) is the predicted increment of the bridge displacement by row forces; only
    the elongation's row uses it, for its shape.
    """
    cdef State* s = link.s
    if not s.present_count:
        return
    if s.axial_row >= 0:
        update_link_elongation(link)
    if s.g.has_friction:
        start_friction(s)
    if not link.has_projection:
        project_rows(s, True)
    link.has_projection = False
    begin_rows(s.g.drift, link.bridge_weight, z, s.bridge_shape, twice_bridge_q, s.g.p_before,
               s.span_shift, link.free_drift, s.g.p_free, (s.g.rows + 3) & ~3)
    if s.axial_row >= 0:
        set_row_drift(link, bridge_increment)
        link.active = UNKNOWN_ROWS
        if solve_collision(&s.g) >= 0:          # repeat with the forces for the predicted shape
            update_link_elongation(link)
            link.free_drift[s.axial_row] = (dot(&s.shapes[s.axial_row * s.stride], s.drift,
                                                s.stride) - link.bridge_weight[s.axial_row] * z)


cdef inline void finish_link_step(Link* link, Py_ssize_t n, double z, double bridge_increment,
                                  double increment_error, double* out) noexcept nogil:
    """Finish a string's step, given Z, the increment X of the bridge and its error for the rows
    (m); begin the next one, if no force and no new tension comes in between."""
    cdef State* s = link.s
    cdef Call* call = link.call
    cdef Py_ssize_t j
    cdef double value
    cdef bint in_contact = False
    s.pushing.count = 0
    if not s.present_count:
        release_unused_residual(s)
    else:
        if increment_error != 0.0:
            correct_compressions(link, increment_error)
        if s.g.has_friction or s.g.memory_count or s.friction.partners != NULL:
            finish_rows(s, &in_contact)
        else:
            finish_plain_rows(link, &in_contact)
        call.run.contact_steps += in_contact
    # work is counted by the drift, which holds s until then
    link.has_drift = not (s.has_weight or call.run.inputs)
    s.ledger.recent_losses += move_coupled_modes(
        &link.modes, s.pushing.count, s.pushing.shapes, s.pushing.forces,
        z * (2.0 / (s.time_step * s.time_step)), link.has_drift, &link.momentum, s.stride)
    # now, while the drift is in the first cache
    link.has_projection = link.has_drift and not (call.controls or s.g.has_friction
                                                  or s.axial_row >= 0)
    if link.has_projection:
        project_rows(s, True)
    if s.has_weight:
        add_work(&s.ledger, dot(s.weight, s.drift, s.stride))
    for j in range(call.run.inputs):
        value = call.run.forces[n * call.run.inputs + j]
        if value != 0.0:
            add_work(&s.ledger, value * (dot(call.input_shapes + j * s.stride, s.drift, s.stride)
                                         + call.input_bridge_shapes[j] * bridge_increment))
    add_force_outputs(s, call, out)
    s.count += 1


cdef inline void step_coupled(Bridge* b, Py_ssize_t n) noexcept nogil:
    cdef State* s = b.s
    cdef Link* link
    cdef Py_ssize_t i
    cdef double half_square = 0.5 * s.time_step * s.time_step
    cdef double outer_force = 0.0
    cdef double momentum = 0.0
    cdef double twice_bridge_q = 2.0 * dot(b.shape, s.q, s.stride)
    cdef double z, force, increment_error
    cdef Modes body = modes_of(s, b.m.a, b.m.twice_c, NULL)
    for i in range(b.count):
        begin_link_step(&b.links[i], n, &outer_force, &momentum)
    begin_modes(&body, 2, False, s.stride)
    add_scaled(s.drift, b.mode_response, half_square * outer_force, s.stride)
    z = ((twice_bridge_q - dot(b.shape, s.drift, s.stride) - b.inverse_mass * momentum)
         * b.coupling_factor)
    for i in range(b.count):
        project_link_drift(&b.links[i], z, twice_bridge_q, b.mobility * b.force)
    if not (can_solve_jointly(b) and solve_jointly(b, &force)):
        force = collide_with_friction(b)
        mark_new_rows(b)                    # those that are active are in another order
        for i in range(b.count):
            b.links[i].has_heat = False
    add_scaled(s.drift, b.mode_response, momentum + b.residual_mass * z
               + half_square * b.coupling_factor * force, s.stride)
    z -= b.mobility * force
    increment_error = b.mobility * (force - b.assumed_force)
    b.previous_force, b.force = b.force, force
    for i in range(b.count):
        link = &b.links[i]
        finish_link_step(link, n, z, twice_bridge_q - z, increment_error,
                         link.call.run.out + n * link.call.run.outputs)
    s.ledger.recent_losses += move_modes(&body, 0, NULL, NULL, 2, False, s.stride)
    s.count += 1
    update_bridge_displacement(b)


cdef inline void begin_block(Bridge* b) noexcept nogil:
    """Begin a block of BLOCK_STEPS steps: close the ledgers."""
    cdef Py_ssize_t i
    close_block(b.s)
    for i in range(b.count):
        close_block(b.links[i].s)


cdef inline bint has_tension_due(const Bridge* b) noexcept nogil:
    """Return True if the tension of a string changes at this step."""
    cdef Py_ssize_t i
    for i in range(b.count):
        if tension_changes(b.links[i].s, b.links[i].m, b.links[i].call):
            return True
    return False


cdef inline void change_tensions(Bridge* b) noexcept nogil:
    """Change the tensions of strings that change at this step."""
    cdef Py_ssize_t i
    cdef Link* link
    cdef double tension_before
    cdef double momentum = 0.0              # of modes that are left out at the new tensions
    cdef bint has_new_tension = False
    for i in range(b.count):
        link = &b.links[i]
        if tension_changes(link.s, link.m, link.call):
            link.has_drift = False
            tension_before = link.s.tension
            momentum -= dot(link.inertia, link.s.q, link.s.stride)
            step_tension(link.s, link.m, link.call, &link.call.block_tensions)
            momentum += dot(link.inertia, link.s.q, link.s.stride)
            if link.s.tension != tension_before:
                update_link(link)
                link.has_new_rows, link.active = True, UNKNOWN_ROWS
                has_new_tension = True
    if has_new_tension:
        update_bridge(b)
    if momentum != 0.0:
        add_work(&b.s.ledger, 4.0 / (b.s.time_step * b.s.time_step) * momentum
                 * dot(b.shape, b.s.q, b.s.stride))


cdef inline bint sample_energies(Bridge* b) noexcept nogil:
    """Record the energies of strings and body, and of single strings.

    Return True if they fall asleep.
    """
    cdef Link* link
    cdef Py_ssize_t i
    sample_bridge_energy(b, b.energies)
    for i in range(b.count):
        link = &b.links[i]
        if link.energies != NULL:
            sample_energy(link.s, link.m, link.energies)
    if bridge_should_sleep(b, b.energies):
        return True
    b.energies += ENERGY_TERMS
    for i in range(b.count):
        if b.links[i].energies != NULL:
            b.links[i].energies += ENERGY_TERMS
    return False


cdef inline void begin_separate_block "pysitar_begin_block"(void* bridge) noexcept nogil:
    begin_block(<Bridge*>bridge)


cdef inline void change_separate_tensions "pysitar_change_tensions"(void* bridge) noexcept nogil:
    change_tensions(<Bridge*>bridge)


cdef inline bint sample_separately "pysitar_sample_energies"(void* bridge) noexcept nogil:
    return sample_energies(<Bridge*>bridge)


cdef inline void take_coupled_steps(Bridge* b) noexcept nogil:
    """Compute the steps of the body's call; stop early if strings and body fall asleep."""
    cdef Call* call = b.call
    cdef Link* link
    cdef double* out
    cdef Py_ssize_t i, j, n
    mark_new_rows(b)
    for i in range(b.count):
        b.links[i].has_drift = False
    for n in range(call.run.steps):
        out = call.run.out + n * call.run.outputs
        for j in range(call.run.outputs):
            out[j] = sample_output(b.s, call, j, 0.0)
        for i in range(b.count):
            link = &b.links[i]
            for j in range(link.call.run.outputs):
                link.call.run.out[n * link.call.run.outputs
                                  + j] = (sample_output(link.s, link.call, j,
                                                        link.s.tension if link.call.tensions == NULL
                                                        else link.call.tensions[n]))
        if b.s.count % BLOCK_STEPS == 0:
            begin_separate_block(b)
        if has_tension_due(b):
            change_separate_tensions(b)
        if call.run.every and b.s.count % call.run.every == 0 and sample_separately(b):
            return
        track_first_output(b.s, call, out)
        step_coupled(b, n)
        call.run.steps_done += 1
