# The rows of a network: their compressions and mobility, changes of their laws, and their update
# after a step.
from pysitar.kernels.contact.correction cimport correction_factor
from pysitar.kernels.contact.law cimport (
    dissipated_energy, has_memory, is_friction, is_linear, potential, set_law,
)
from pysitar.kernels.contact.problem cimport (
    ABSENT, Problem, is_spring, update_laws, update_mobility_norm, update_springs,
)
from pysitar.kernels.core.lanes cimport (
    LANES, add, add_four, add_scaled, clear, copy, dot, dot_four, dot_two, move_apart,
    padded_length, spring_energy, spring_heat,
)
from pysitar.kernels.core.ledger cimport add_work
from pysitar.kernels.modal.elongation cimport elongation
from pysitar.kernels.modal.friction cimport (
    NO_LINK, Friction, FrictionRow, Partner, finish_friction, is_idle,
)
from pysitar.kernels.modal.residual cimport add_residual_drift, move_residual
from pysitar.kernels.modal.state cimport PushingRows, State

cdef enum:
    FIELD_STIFFNESS = 0
    FIELD_DAMPING = 1
    FIELD_OFFSET = 2
    FIELD_SPEED = 3             # of the surface that rubs at a friction row, m/s
    FIELD_NORMAL_FORCE = 4      # that presses it, N


cdef inline double row_energy(const State* s, Py_ssize_t k) noexcept nogil:
    """Return the stored energy of a row, J.

    In three-point schemes the mean of its last two values.
    """
    if not s.g.laws[k].is_present:
        return 0.0
    if s.time_points == 2:
        return potential(&s.g.laws[k], s.g.p_before[k])
    return 0.5 * (potential(&s.g.laws[k], s.g.p_before[k]) + potential(&s.g.laws[k], s.p_now[k]))


cdef inline double rows_energy(const State* s) noexcept nogil:
    """Return the stored energy of all rows, J, without the elongation's row, which is potential
    energy."""
    cdef Py_ssize_t k
    cdef double energy = 0.0
    if s.g.other_laws == 0 and s.corrected_row < 0 and s.time_points == 2:
        return spring_energy(s.g.spring_stiffness, s.g.p_before, s.g.stride)
    for k in range(s.g.rows):
        if s.g.laws[k].is_present and k != s.axial_row:
            energy += row_energy(s, k)
    return energy


cdef inline void update_compression(State* s, Py_ssize_t k) noexcept nogil:
    """Compute p of a row from y; that of a friction row is the deflection of its bristle, and
    stays."""
    cdef double* shape = &s.shapes[k * s.stride]
    if is_friction(&s.g.laws[k]):
        s.p_now[k] = 0.0 if s.p_now[k] == ABSENT else s.p_now[k]
        return
    if k == s.axial_row:
        s.p_now[k] = s.offset[k] - elongation(s)
        return
    s.p_now[k] = (s.offset[k] - s.step_shift[k] - dot(shape, s.y, s.stride)
                  - s.bridge_shape[k] * s.bridge_displacement)
    if s.residual.is_on:
        s.p_now[k] -= s.residual.displacement[k]
    if s.time_points == 3:
        s.g.p_before[k] = (s.p_now[k] - (s.span_shift[k] - s.step_shift[k])
                           + dot(shape, s.q, s.stride))


cdef inline void mark_absent(State* s, Py_ssize_t k) noexcept nogil:
    """Give an absent row a compression that is never in contact."""
    s.g.p_before[k] = ABSENT
    s.p_now[k] = ABSENT


cdef inline void update_compressions(State* s) noexcept nogil:
    """Compute p of the present rows from y, as if at rest.

    Reset a corrected row to its own stiffness.
    """
    cdef Py_ssize_t k
    if s.corrected_row >= 0:
        s.g.laws[s.corrected_row].stiffness = s.correction.stiffness
    for k in range(s.g.rows):
        s.span_shift[k] = 0.0
        s.step_shift[k] = 0.0
        if s.g.laws[k].is_present:
            update_compression(s, k)
        else:
            mark_absent(s, k)
    for k in range(s.g.rows, s.g.stride):       # padding, which a NaN may have reached
        mark_absent(s, k)


cdef inline void clear_modes(State* s) noexcept nogil:
    """Set all modes to 0 at rest, with the padding, which a NaN may have reached."""
    clear(s.y, s.stride)
    clear(s.q, s.stride)
    clear(s.drift, s.stride)


cdef inline void update_mobility_row(State* s, Py_ssize_t k, Py_ssize_t row_count) noexcept nogil:
    """Compute row and column k of W = V diag(mobility) V^T, eq.

    (27), for the first row_count rows; with residual compliance W + R / theta.
    """
    cdef Py_ssize_t i, j
    cdef double* row = &s.shapes[k * s.stride]
    for i in range(s.stride):
        s.modal_force[i] = s.mobility[i] * row[i]
    for j in range(row_count):
        s.g.mobility[k * s.g.stride + j] = dot(s.modal_force, &s.shapes[j * s.stride], s.stride)
        if s.residual.is_on:
            s.g.mobility[k * s.g.stride + j] += (s.residual.compliance[k * s.residual.stride + j]
                                                 * s.residual.inverse_theta)
        s.g.mobility[j * s.g.stride + k] = s.g.mobility[k * s.g.stride + j]


cdef inline void update_mobility(State* s) noexcept nogil:
    """Compute W from the mobility of the modes."""
    cdef Py_ssize_t k
    for k in range(s.g.rows):
        update_mobility_row(s, k, k + 1)
    update_mobility_norm(&s.g)


cdef inline void find_mode_range(State* s, Py_ssize_t k) noexcept nogil:
    """Find the modes that a row's shape has; those of the elongation's row change at each step."""
    cdef const double* shape = &s.shapes[k * s.stride]
    cdef Py_ssize_t first = 0
    cdef Py_ssize_t end = s.stride
    if k != s.axial_row:
        while first < end and shape[first] == 0.0:
            first += 1
        while end > first and shape[end - 1] == 0.0:
            end -= 1
    s.first_mode[k] = <int>(first // LANES * LANES)
    s.end_mode[k] = <int>padded_length(end)


cdef inline void update_mode_ranges(State* s) noexcept nogil:
    """Find the modes that the present rows have, and those of each four."""
    cdef Py_ssize_t i, k
    for i in range(s.present_count):
        k = s.present_rows[i]
        find_mode_range(s, k)
        if i % 4 == 0 or s.first_mode[k] < s.group_first[i // 4]:
            s.group_first[i // 4] = s.first_mode[k]
        if i % 4 == 0 or s.end_mode[k] > s.group_end[i // 4]:
            s.group_end[i // 4] = s.end_mode[k]


cdef inline void put_bridge_friction_last(State* s) noexcept nogil:
    """Order the present rows: friction rows of a bridge are the last."""
    cdef Py_ssize_t i, j, m
    cdef int k
    s.friction.present_count = 0
    for i in range(s.friction.count):
        if s.friction.rows[i].link == NO_LINK:
            continue
        for j in range(s.present_count):
            k = s.present_rows[j]
            if k == s.friction.rows[i].row:
                for m in range(j, s.present_count - 1):
                    s.present_rows[m] = s.present_rows[m + 1]
                s.present_rows[s.present_count - 1] = k
                s.friction.present_count += 1
                break


cdef inline void update_present_rows(State* s) noexcept nogil:
    cdef Py_ssize_t k
    s.present_count = 0
    for k in range(s.g.rows):
        if s.g.laws[k].is_present:
            s.present_rows[s.present_count] = <int>k
            s.present_count += 1
        else:
            s.g.drift[k] = 0.0
            s.g.force[k] = 0.0
            s.span_shift[k] = 0.0
            s.step_shift[k] = 0.0
            mark_absent(s, k)
    put_bridge_friction_last(s)
    update_laws(&s.g)
    update_mode_ranges(s)


cdef inline void reset_absent_rows(State* s) noexcept nogil:
    """Reset the compressions of absent rows, which the solver has changed through W."""
    cdef Py_ssize_t k
    for k in range(s.g.rows):
        if not s.g.laws[k].is_present:
            mark_absent(s, k)


cdef inline void change_surface(Friction* r, Py_ssize_t k, int field, double value) noexcept nogil:
    """Set speed or normal force of a friction row."""
    cdef Py_ssize_t i
    for i in range(r.count):
        if r.rows[i].row == k:
            if field == FIELD_SPEED:
                r.rows[i].speed = value
            else:
                r.rows[i].normal_force = value


cdef inline void change_row(State* s, Py_ssize_t k, int field, double value) noexcept nogil:
    """Set stiffness, damping or offset of a row, or speed or normal force of a friction row.

    The jump of the stored energy is counted as work.
    """
    cdef double rate, stiffness
    cdef double energy_jump = 0.0
    cdef bint present
    if field > FIELD_OFFSET:
        change_surface(&s.friction, k, field, value)
        return
    present = s.g.laws[k].is_present
    if field == FIELD_OFFSET:
        if present and value != s.offset[k]:
            s.span_shift[k] += value - s.offset[k]
            if s.time_points == 3:
                s.step_shift[k] += value - s.offset[k]
            s.sleep.is_disturbed = True
        s.offset[k] = value
        return
    stiffness = value if field == FIELD_STIFFNESS else s.g.laws[k].stiffness
    rate = value / s.span if field == FIELD_DAMPING else s.g.laws[k].rate
    if stiffness == s.g.laws[k].stiffness and rate == s.g.laws[k].rate:
        return
    s.sleep.is_disturbed = True
    if present:
        energy_jump = -row_energy(s, k)
    else:
        update_compression(s, k)                # p of an absent row is not up to date
        s.g.laws[k].state[0] = s.g.laws[k].state[1] = 0.0
    set_law(&s.g.laws[k], s.g.laws[k].kind, stiffness, s.g.laws[k].exponent, rate,
            s.g.laws[k].adhesive)
    s.g.has_condensation = False
    update_springs(&s.g)
    energy_jump += row_energy(s, k)
    add_work(&s.ledger, energy_jump)
    if s.g.laws[k].is_present != present:
        update_present_rows(s)


cdef inline double project_row(const State* s, Py_ssize_t k) noexcept nogil:
    """Return V drift of a row, m."""
    return dot(&s.shapes[k * s.stride + s.first_mode[k]], s.drift + s.first_mode[k],
               s.end_mode[k] - s.first_mode[k])


cdef inline void project_friction_rows(State* s, bint all_rows) noexcept nogil:
    """Compute u of the friction rows of a bridge, 0 of idle ones unless of all rows."""
    cdef Py_ssize_t i
    cdef FrictionRow* row
    for i in range(s.friction.count):
        row = &s.friction.rows[i]
        if row.link != NO_LINK and s.g.laws[row.row].is_present:
            s.g.drift[row.row] = (project_row(s, row.row) if all_rows or not is_idle(row, &s.g)
                                  else 0.0)


cdef inline void project_pressed_rows(State* s) noexcept nogil:
    """Compute u of the idle friction rows that are pressed in the solved step."""
    cdef Py_ssize_t i
    cdef FrictionRow* row
    for i in range(s.friction.count):
        row = &s.friction.rows[i]
        if (row.link != NO_LINK and s.g.force[row.link] > 0.0 and is_idle(row, &s.g)
                and s.g.laws[row.row].is_present):
            s.g.drift[row.row] = project_row(s, row.row)
            if s.residual.is_loaded:
                s.g.drift[row.row] -= s.residual.displacement[row.row] * s.residual.inverse_theta


cdef inline void project_rows(State* s, bint all_rows) noexcept nogil:
    """Compute u = V drift of the present rows; of the idle friction rows only if of all rows."""
    cdef Py_ssize_t i, size
    cdef Py_ssize_t n = s.stride
    cdef Py_ssize_t count = s.present_count - s.friction.present_count
    cdef double* u = s.g.drift
    cdef double* v
    cdef double* drift
    cdef int* r
    for i in range(0, count - 3, 4):
        r = s.present_rows + i
        v, drift = s.shapes + s.group_first[i // 4], s.drift + s.group_first[i // 4]
        size = s.group_end[i // 4] - s.group_first[i // 4]
        dot_four(v + r[0] * n, v + r[1] * n, v + r[2] * n, v + r[3] * n, drift, size, u + r[0],
                 u + r[1], u + r[2], u + r[3])
    i = count & ~3
    r = s.present_rows + i
    if i < count:
        v, drift = s.shapes + s.group_first[i // 4], s.drift + s.group_first[i // 4]
        size = s.group_end[i // 4] - s.group_first[i // 4]
    if i < count - 1:
        dot_two(v + r[0] * n, v + r[1] * n, drift, size, u + r[0], u + r[1])
        i += 2
        r += 2
    if i < count:
        u[r[0]] = dot(v + r[0] * n, drift, size)
    if s.friction.present_count:
        project_friction_rows(s, all_rows)
    if s.residual.is_on:
        add_residual_drift(&s.residual, s.present_rows, s.present_count, u)


cdef inline bint pass_apart(State* s) noexcept nogil:
    """Finish the rows' step if all rows are contacts that are apart and stay so: no force, no heat;
    return False otherwise.

    Most rows of a string that does not touch need no more than this.
    """
    if (s.g.active_count or s.g.bilateral_count or s.g.memory_count or s.g.has_friction
            or s.residual.is_loaded or s.corrected_row >= 0 or s.time_points == 3
            or not move_apart(s.g.p_before, s.span_shift, s.g.drift, s.g.p_after, s.g.stride)):
        return False
    copy(s.g.p_before, s.g.p_after, s.g.stride)
    clear(s.span_shift, s.g.stride)
    return True


cdef inline void find_free_compressions(State* s) noexcept nogil:
    """Compute e = p + change of the offset."""
    add(s.g.p_free, s.g.p_before, s.span_shift, s.g.stride)


cdef inline void project_drift(State* s, bint all_rows) noexcept nogil:
    """Compute u, as `project_rows`, and e."""
    project_rows(s, all_rows)
    find_free_compressions(s)


cdef inline void correct_entry(State* s) noexcept nogil:
    """Set the stiffness of the corrected row for a whole contact, if a contact begins in this
    step."""
    cdef Py_ssize_t k = s.corrected_row
    cdef double free_increment = s.span_shift[k] - s.g.drift[k]  # over the span, without contact
    if (s.g.laws[k].is_present and s.g.p_before[k] <= 0.0 and s.p_now[k] <= 0.0
            and s.g.p_before[k] + free_increment > 0.0):
        s.g.laws[k].stiffness = (s.correction.stiffness
                                 * correction_factor(&s.correction, free_increment / s.span))


cdef inline void relax_rows(State* s) noexcept nogil:
    """Advance the memories of the present rows by a step at p1; add the heat to the ledger."""
    cdef Py_ssize_t i, k
    for i in range(s.present_count):
        k = s.present_rows[i]
        if has_memory(&s.g.laws[k]):
            s.ledger.recent_losses += s.g.laws[k].relax(&s.g.laws[k], s.g.p_after[k],
                                                        s.g.laws[k].time_step)


cdef inline void sum_pushing_rows(State* s) noexcept nogil:
    """Let the modal force, the sum of V^T f, push the modes in the place of four rows."""
    cdef PushingRows* r = &s.pushing
    if r.shapes[0] == s.modal_force:            # the sum of those before
        add_four(s.modal_force, r.shapes[1], r.shapes[2], r.shapes[3], r.shapes[0], r.forces[1],
                 r.forces[2], r.forces[3], 0.0, s.stride)
    else:
        clear(s.modal_force, s.stride)
        add_four(s.modal_force, r.shapes[0], r.shapes[1], r.shapes[2], r.shapes[3], r.forces[0],
                 r.forces[1], r.forces[2], r.forces[3], s.stride)
    r.count, r.shapes[0], r.forces[0] = 1, s.modal_force, 1.0


cdef inline void push_modes(State* s, Py_ssize_t k) noexcept nogil:
    """Let the force of a row push the modes, after those before."""
    cdef PushingRows* r = &s.pushing
    if r.count == 4:
        sum_pushing_rows(s)
    r.shapes[r.count], r.forces[r.count] = &s.shapes[k * s.stride], s.g.force[k]
    r.count += 1


cdef inline void push_half(State* s, Py_ssize_t k) noexcept nogil:
    """As `push_modes`, of rows in pairs: where a row's partner has a force, only by its half."""
    cdef Py_ssize_t first = s.first_mode[k]
    cdef Py_ssize_t end = s.end_mode[k]
    cdef double force = s.g.force[k]
    cdef const Partner* partner
    if s.friction.partners != NULL and s.friction.partners[k].row >= 0:
        partner = &s.friction.partners[k]
        if s.g.force[partner.row] != 0.0:
            force += partner.slope * s.g.force[partner.row]
            first = first if first > partner.first else partner.first
            end = end if end < partner.end else partner.end
    if s.pushing.count == 0:
        clear(s.modal_force, s.stride)
        s.pushing.count, s.pushing.shapes[0], s.pushing.forces[0] = 1, s.modal_force, 1.0
    add_scaled(s.modal_force + first, &s.shapes[k * s.stride + first], force, end - first)


cdef inline double rows_heat(const State* s) noexcept nogil:
    """Return the energy that the rows dissipate in the solved span, J, without friction."""
    cdef const Problem* g = &s.g
    cdef bint has_springs = s.corrected_row < 0     # else a law is not that of the vectors
    cdef Py_ssize_t i, k
    cdef double heat = 0.0
    if has_springs and g.has_damped_springs:
        heat = spring_heat(g.spring_stiffness, g.spring_rate, g.spring_clamp, g.p_before,
                           g.p_after, g.stride)
    if has_springs and g.other_laws == 0:
        return heat
    for i in range(g.active_count):
        k = g.active_rows[i]
        if not (has_springs and is_spring(&g.laws[k])):
            heat += dissipated_energy(&g.laws[k], g.p_before[k], g.p_after[k])
    return heat


cdef inline void finish_rows(State* s, bint* in_contact) noexcept nogil:
    """Finish the rows' step: add their dissipated energy and work to the ledger, update p, let
    their forces push the modes, which none has pushed so far."""
    cdef Py_ssize_t i, k
    for i in range(s.g.active_count):
        k = s.g.active_rows[i]
        if s.g.force[k] != 0.0:
            if s.friction.partners != NULL:
                push_half(s, k)
            else:
                push_modes(s, k)
            if s.span_shift[k] != 0.0:
                add_work(&s.ledger, s.step_fraction * (s.g.force[k] * s.span_shift[k]))
            in_contact[0] = in_contact[0] or not (is_linear(&s.g.laws[k])
                                                  or is_friction(&s.g.laws[k]))
    s.ledger.recent_losses += s.step_fraction * rows_heat(s)
    if s.g.memory_count:
        relax_rows(s)
    if s.g.has_friction:
        s.ledger.recent_losses += finish_friction(&s.friction, &s.g, s.span_shift, s.time_step)
    if s.residual.is_on:
        move_residual(&s.residual, s.g.force, &s.ledger)
    if s.time_points == 2:
        copy(s.g.p_before, s.g.p_after, s.g.stride)
        clear(s.span_shift, s.g.stride)
    else:
        copy(s.g.p_before, s.p_now, s.g.stride)
        copy(s.p_now, s.g.p_after, s.g.stride)
        copy(s.span_shift, s.step_shift, s.g.stride)
        clear(s.step_shift, s.g.stride)
