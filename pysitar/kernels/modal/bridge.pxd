# Strings that share a bridge, which gives: two-point networks coupled by inertia (the whole is re-derived, energy and all).
#
# A string over a bridge that moves by w is y(x) = sum sin(b x) y_i + (1 - x/L) w, and w = sum phi_j B_j of the body's modes. Then
#   T = sum m v_i^2 / 2 + w' sum a_i v_i + mu w'^2 / 2,  a_i = rhoA / b_i,  mu = sum rhoA L / 3 over the strings,
# positive definite; nothing in the potential couples (T w^2 / 2L belongs to the body). With q = dt v / 2 as before, Q = phi . q and
# X = phi . s the bridge's way in a step, every mode has the step of its own network and an answer to Z = 2 Q - X:
#   string   s_i = u_i + (C a / m)_i Z + xi C V^T f             body   s_j = u_j + (C phi / m)_j (sum a (2 q - s) + mu Z)
# so G = sum a (2 q - u), h = sum C a^2 / m, gw = sum C phi^2 / m give Z = (2 Q - phi . u - gw G) / den, den = 1 + gw (mu - h), in O(M).
# A row sees V y + c w, c its lever: (1 - x/L) where the neck or a hand holds it, -x/L on the bridge. Its force f puts e f on the bridge,
# e = c - V . (C a / m), and all rows together move it by Y z, z = sum e f, Y = dt^2 gw / (2 den): a row of any string has
#   s = u - e Z + 2 c Q + W f + e Y z,
# W of its own string. z is one number, and z - (what the rows answer to z) grows with z at least as fast: a bracketed Newton finds it. Most
# rows are linear in what little it changes, so their forces follow it without being solved again.
from libc.math cimport INFINITY, fabs

from pysitar.kernels.contact.solver cimport follow, respond, solve
from pysitar.kernels.core.lanes cimport add_scaled, crdouble, dot, folded, greater
from pysitar.kernels.core.ledger cimport BOOKING, ENERGIES, book_work
from pysitar.kernels.core.sleep cimport is_asleep
from pysitar.kernels.modal.elongation cimport lengthen
from pysitar.kernels.modal.rows cimport see_drift, settle_rows
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.stepping cimport Call, add_forces, change_rows, close_all, drive, fallen, hear_first, read_output
from pysitar.kernels.modal.two_point cimport TwoPointModes, add_energy, change_tension, finish_step, free_step

cdef enum:
    ROUNDS = 60                 # of the search for z


cdef struct Link:               # a string's part
    State* s
    TwoPointModes* m
    Call* call
    double* inertia             # a, kg
    double* answer              # C a / m
    double* share               # e, of each row
    double* response            # how each row's force follows z, N/m
    double* free                # u of the rows without z, m
    double* energies            # rows of ENERGIES, of the string alone; NULL: not wanted
    double held                 # sum C a^2 / m, kg
    bint pushed

cdef struct Bridge:
    Link* links
    Py_ssize_t count
    State* s                    # of the body, which has no rows
    TwoPointModes* m
    Call* call
    double* shape               # phi
    double* answer              # C phi / m, 1/kg
    double carried              # mu, kg
    double slack                # mu - h, kg
    double give                 # gw, 1/kg
    double over                 # 1 / den
    double mobility             # Y, m/N
    double force                # z of the last step, N
    double last_force           # and of the one before
    double seen                 # z that the rows were told
    double* energies            # rows of ENERGIES, of all
    long long failures


cdef inline void meet_row_share(Link* link, Py_ssize_t k) noexcept nogil:
    cdef State* s = link.s
    link.share[k] = s.lever[k] - dot(&s.shapes[k * s.stride], link.answer, s.stride)


cdef inline void meet_rows_share(Link* link) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(link.s.g.rows):
        meet_row_share(link, k)


cdef inline void meet_link(Link* link) noexcept nogil:
    """What of a string's answer depends on its tension."""
    cdef State* s = link.s
    cdef Py_ssize_t i
    for i in range(s.stride):
        link.answer[i] = 2.0 / (s.time_step * s.time_step) * s.mobility[i] * link.inertia[i]
    link.held = dot(link.inertia, link.answer, s.stride)
    meet_rows_share(link)


cdef inline void meet_body(Bridge* b) noexcept nogil:
    """What the body is to the bridge, whatever the strings."""
    cdef State* s = b.s
    cdef Py_ssize_t i
    for i in range(s.stride):
        b.answer[i] = 2.0 / (s.time_step * s.time_step) * s.mobility[i] * b.shape[i]
    b.give = dot(b.shape, b.answer, s.stride)


cdef inline void meet_bridge(Bridge* b) noexcept nogil:
    """What all strings together are to the bridge, once the body is met."""
    cdef State* s = b.s
    cdef Py_ssize_t i
    b.slack = b.carried
    for i in range(b.count):
        b.slack -= b.links[i].held
    b.over = 1.0 / (1.0 + b.give * b.slack)
    b.mobility = 0.5 * s.time_step * s.time_step * b.give * b.over


cdef inline void place_bridge(Bridge* b) noexcept nogil:
    """Tells the strings where the bridge is."""
    cdef double w = dot(b.shape, b.s.y, b.s.stride)
    cdef Py_ssize_t i
    for i in range(b.count):
        b.links[i].s.bridge = w


cdef inline double unmoved(crdouble a, crdouble q, crdouble u, Py_ssize_t n) noexcept nogil:
    """sum a (2 q - u)."""
    cdef double acc[8]
    cdef Py_ssize_t i, j
    for j in range(8):
        acc[j] = 0.0
    for i in range(0, n, 8):
        for j in range(8):
            acc[j] += a[i + j] * (2.0 * q[i + j] - u[i + j])
    return folded(acc)


cdef inline void add_bridge_energy(const Bridge* b, double* row) noexcept nogil:
    """The energies of strings and body, and what their motion has together, J."""
    cdef const Link* link
    cdef double way = dot(b.shape, b.s.q, b.s.stride)
    cdef double momentum = 0.0
    cdef double part[ENERGIES]
    cdef Py_ssize_t i, j
    add_energy(b.s, b.m, row)
    for i in range(b.count):
        link = &b.links[i]
        add_energy(link.s, link.m, part)
        for j in range(ENERGIES):
            row[j] += part[j]
        momentum += dot(link.inertia, link.s.q, link.s.stride)
    row[0] += 4.0 / (b.s.time_step * b.s.time_step) * way * (momentum + 0.5 * b.carried * way)


cdef inline bint bridge_sleeps(Bridge* b, const double* row) noexcept nogil:
    """The decision of every BOOKING steps, for the whole."""
    cdef double energy = row[0] + row[1] + row[2] - fallen(b.s)
    cdef Py_ssize_t i
    if b.s.count % BOOKING:
        return False
    for i in range(b.count):
        energy -= fallen(b.links[i].s)
        b.s.rest.disturbed = b.s.rest.disturbed or b.links[i].s.rest.disturbed
        b.links[i].s.rest.disturbed = False
    return is_asleep(&b.s.rest, energy) and b.call.may_sleep


cdef inline double put_on_bridge(const Link* link, double* scale) noexcept nogil:
    """What the rows of a string put on the bridge, N; adds the parts of it, without their signs, to scale."""
    cdef Py_ssize_t j, k
    cdef double force = 0.0
    for j in range(link.s.g.touching):
        k = link.s.g.touch[j]
        force += link.share[k] * link.s.g.force[k]
        scale[0] += fabs(link.share[k] * link.s.g.force[k])
    return force


cdef inline void tell_rows(Link* link, double way) noexcept nogil:
    """u of a string's rows, where the rows bring the bridge a way, m."""
    cdef State* s = link.s
    cdef Py_ssize_t j, k
    for j in range(s.living):
        k = s.live[j]
        s.g.drift[k] = link.free[k] + link.share[k] * way


cdef inline double answer_rows(Bridge* b, double z, double last, bint solved, double* scale) noexcept nogil:
    """What the rows of all strings put on the bridge, N, where they see that it has z; scale is how much of it cancels.

    Solved with `last`, and their response to it known, what is linear follows, and what is not is solved again.
    """
    cdef Link* link
    cdef Py_ssize_t i
    cdef double force = 0.0
    cdef double way = b.mobility * z
    scale[0] = 0.0
    for i in range(b.count):
        link = &b.links[i]
        if not link.s.living:
            continue
        tell_rows(link, way)
        if not (solved and follow(&link.s.g, link.response, b.mobility * (z - last))) and solve(&link.s.g) < 0 and link.call.failed_at < 0:
            link.call.failed_at = link.s.count
        force += put_on_bridge(link, scale)
    return force


cdef inline double respond_rows(Bridge* b) noexcept nogil:
    """How what the rows put on the bridge changes with z: at most 0."""
    cdef Py_ssize_t i
    cdef double change = 0.0
    for i in range(b.count):
        if b.links[i].s.living:
            change += respond(&b.links[i].s.g, b.links[i].share, b.links[i].response)
    return change * b.mobility


cdef inline double collide_all(Bridge* b) noexcept nogil:
    """Finds the rows' forces and what they put on the bridge, N; `seen` is what they were told of it.

    The root lies between z and the rows' answer to it. What is left of their difference d moves the rows by Y d after they were solved,
    some 1e-17 m: `correct_rows` tells them.
    """
    cdef double z = 2.0 * b.force - b.last_force
    cdef double low = -INFINITY
    cdef double high = INFINITY
    cdef double scale = 0.0
    cdef double last_gap = INFINITY
    cdef double answer = answer_rows(b, z, z, False, &scale)
    cdef double gap, last
    for _ in range(ROUNDS):
        b.seen = z
        gap = z - answer
        # rows are solved up to rounding, which is all that is left where the gap does not fall any more
        if fabs(gap) <= 1e-9 * scale or (fabs(gap) <= 1e-7 * scale and fabs(gap) > 0.5 * last_gap):
            return answer
        if gap > 0.0:
            low, high = greater(low, answer), z
        else:
            low, high = z, -greater(-high, -answer)
        last, last_gap = z, fabs(gap)
        z -= gap / (1.0 - respond_rows(b))
        if not low <= z <= high:
            z = 0.5 * (low + high)
        if z == last:
            return answer
        answer = answer_rows(b, z, last, True, &scale)
    b.seen = z
    b.failures += 1
    return answer


cdef inline void correct_rows(Link* link, double way) noexcept nogil:
    """The last of the bridge's way, of which the rows were not told."""
    cdef Py_ssize_t j, k
    for j in range(link.s.living):
        k = link.s.live[j]
        link.s.g.after[k] -= link.share[k] * way


cdef inline void open_link(Link* link, Py_ssize_t n, double* pull, double* momentum) noexcept nogil:
    """A string's step without bridge and rows; adds what outer forces put on the bridge, N, and sum a (2 q - u)."""
    cdef State* s = link.s
    cdef Py_ssize_t j
    change_rows(s, link.call, n)
    free_step(s.y, s.q, link.m.a, link.m.twice_c, s.drift, s.stride)
    drive(s, link.call, n)
    for j in range(link.call.inputs):
        pull[0] += link.call.input_levers[j] * link.call.forces[n * link.call.inputs + j]
    momentum[0] += unmoved(link.inertia, s.q, s.drift, s.stride)


cdef inline void lengthen_link(Link* link) noexcept nogil:
    """A string whose tension follows its elongation: the shape of that row, and what goes with it."""
    lengthen(link.s)
    meet_row_share(link, link.s.axial)


cdef inline void see_bridge(Link* link, double z, double twice_way, double way) noexcept nogil:
    """u of a string's rows, but for what rows put on the bridge, which is foreseen to bring it `way`."""
    cdef State* s = link.s
    cdef Py_ssize_t j, k
    if not s.living:
        return
    if s.axial >= 0:
        lengthen_link(link)
    see_drift(s)
    for j in range(s.living):
        k = s.live[j]
        link.free[k] = s.g.drift[k] - link.share[k] * z + s.lever[k] * twice_way
    if s.axial >= 0:
        tell_rows(link, way)
        if solve(&s.g) >= 0:                    # once more, with the forces that the foreseen shape has brought
            lengthen_link(link)
            link.free[s.axial] = dot(&s.shapes[s.axial * s.stride], s.drift, s.stride) - link.share[s.axial] * z


cdef inline void close_link(Link* link, Py_ssize_t n, double z, double way, double untold, double* out) noexcept nogil:
    """A string's step: Z, how far the bridge has gone, and what of that its rows were not told, are known."""
    cdef State* s = link.s
    cdef Call* call = link.call
    cdef Py_ssize_t j
    cdef double value
    cdef bint touched = False
    cdef bint pushed = False
    if s.living:
        correct_rows(link, untold)
        pushed = settle_rows(s, &touched)
        call.pushed += touched
    add_scaled(s.drift, link.answer, z, s.stride)
    s.books.recent_losses += finish_step(s.y, s.q, s.drift, s.mobility, s.push, s.loss, s.stride, pushed)
    if s.heavy:
        book_work(&s.books, dot(s.weight, s.drift, s.stride))
    for j in range(call.inputs):
        value = call.forces[n * call.inputs + j]
        if value != 0.0:
            book_work(&s.books, value * (dot(call.input_shapes + j * s.stride, s.drift, s.stride) + call.input_levers[j] * way))
    add_forces(s, call, out)
    s.count += 1


cdef inline void step_all(Bridge* b, Py_ssize_t n) noexcept nogil:
    cdef State* s = b.s
    cdef Link* link
    cdef Py_ssize_t i
    cdef double half = 0.5 * s.time_step * s.time_step
    cdef double pull = 0.0
    cdef double momentum = 0.0
    cdef double twice_way = 2.0 * dot(b.shape, s.q, s.stride)
    cdef double z, force, untold
    for i in range(b.count):
        open_link(&b.links[i], n, &pull, &momentum)
    free_step(s.y, s.q, b.m.a, b.m.twice_c, s.drift, s.stride)
    add_scaled(s.drift, b.answer, half * pull, s.stride)
    z = (twice_way - dot(b.shape, s.drift, s.stride) - b.give * momentum) * b.over
    for i in range(b.count):
        see_bridge(&b.links[i], z, twice_way, b.mobility * b.force)
    force = collide_all(b)
    add_scaled(s.drift, b.answer, momentum + b.slack * z + half * b.over * force, s.stride)
    z -= b.mobility * force
    untold = b.mobility * (force - b.seen)
    b.last_force, b.force = b.force, force
    for i in range(b.count):
        link = &b.links[i]
        close_link(link, n, z, twice_way - z, untold, link.call.out + n * link.call.outputs)
    s.books.recent_losses += finish_step(s.y, s.q, s.drift, s.mobility, s.push, s.loss, s.stride, False)
    s.count += 1
    place_bridge(b)


cdef inline void begin_block(Bridge* b) noexcept nogil:
    """What every BOOKING steps brings: closed books, new tensions."""
    cdef Py_ssize_t i
    cdef Link* link
    cdef double before
    cdef bint changed = False
    close_all(b.s)
    for i in range(b.count):
        link = &b.links[i]
        close_all(link.s)
        if link.call.block_tensions != NULL:
            before = link.s.tension
            change_tension(link.s, link.m, link.call.block_tensions[0])
            link.call.block_tensions += 1
            if link.s.tension != before:
                meet_link(link)
                changed = True
    if changed:
        meet_bridge(b)


cdef inline bint read_energies(Bridge* b) noexcept nogil:
    """The energies of all, and of the strings that are asked; True if the whole sleeps."""
    cdef Link* link
    cdef Py_ssize_t i
    add_bridge_energy(b, b.energies)
    for i in range(b.count):
        link = &b.links[i]
        if link.energies != NULL:
            add_energy(link.s, link.m, link.energies)
    if bridge_sleeps(b, b.energies):
        return True
    b.energies += ENERGIES
    for i in range(b.count):
        if b.links[i].energies != NULL:
            b.links[i].energies += ENERGIES
    return False


cdef inline void take_coupled_steps(Bridge* b) noexcept nogil:
    """The steps that the body's call asks for, or fewer once the whole sleeps."""
    cdef Call* call = b.call
    cdef Link* link
    cdef double* out
    cdef Py_ssize_t i, j, n
    for n in range(call.steps):
        out = call.out + n * call.outputs
        for j in range(call.outputs):
            out[j] = read_output(b.s, call, j, 0.0)
        for i in range(b.count):
            link = &b.links[i]
            for j in range(link.call.outputs):
                link.call.out[n * link.call.outputs + j] = read_output(
                    link.s, link.call, j, link.s.tension if link.call.tensions == NULL else link.call.tensions[n])
        if b.s.count % BOOKING == 0:
            begin_block(b)
        if call.every and b.s.count % call.every == 0 and read_energies(b):
            return
        hear_first(b.s, call, out)
        step_all(b, n)
        call.done += 1
