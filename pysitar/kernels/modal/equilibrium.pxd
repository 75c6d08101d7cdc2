# Static equilibrium of a network with its rows: the collision solver applied to the static
# compliance.
from libc.math cimport INFINITY, fabs
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from pysitar.kernels.contact.law cimport has_memory, is_friction, make_static, potential_at_rest
from pysitar.kernels.contact.problem cimport (
    ABSENT, Problem, allocate_problem, release_problem, update_laws, update_mobility_norm,
)
from pysitar.kernels.contact.solver cimport solve_collision
from pysitar.kernels.core.lanes cimport add_scaled, clear, dot
from pysitar.kernels.modal.elongation cimport elongation
from pysitar.kernels.modal.residual cimport (
    StaticKind, has_place, row_compliance, static_response,
)
from pysitar.kernels.modal.rows cimport update_compressions
from pysitar.kernels.modal.state cimport State
from pysitar.kernels.modal.statics cimport load_residual
from pysitar.kernels.modal.stepping cimport DISPLACEMENT_TERM, TENSION_TERM, Call

cdef enum:
    MAX_PASSES = 200


cdef struct Equilibrium:
    Problem g                   # static problem; g.force are the forces of the rows, N
    double tension              # over the stored one, N
    double* compliance          # 1/k* of each mode, k* of the scheme, m/N; 0 for a free mass: fixed
    double* y                   # displacement of each mode, m
    double* modal_force         # on each mode, N
    double* centre              # of the spring that stands for the rows of a resting mass, m
    double* residual            # z of each row, m; 0 without residual compliance
    double* arena


cdef inline bint allocate_equilibrium(const State* s, Equilibrium* at) noexcept nogil:
    """Allocate a search; return False if memory is exhausted.

    Free with `release_equilibrium` in any case.
    """
    memset(at, 0, sizeof(Equilibrium))
    at.arena = <double*>calloc(4 * s.stride + s.g.rows, sizeof(double))
    if at.arena == NULL or not allocate_problem(&at.g, s.g.rows):
        return False
    at.compliance = at.arena
    at.y = at.arena + s.stride
    at.modal_force = at.arena + 2 * s.stride
    at.centre = at.arena + 3 * s.stride
    at.residual = at.arena + 4 * s.stride
    return True


cdef inline void release_equilibrium(Equilibrium* at) noexcept nogil:
    free(at.arena)
    at.arena = NULL
    release_problem(&at.g)


cdef inline double bridge_offset(const State* s, Py_ssize_t k) noexcept nogil:
    """Return the offset of a row less the displacement of the bridge there, m."""
    return s.offset[k] - s.bridge_shape[k] * s.bridge_displacement


cdef inline double rest_compliance(const State* s, const Equilibrium* at,
                                   Py_ssize_t row) noexcept nogil:
    """Return the displacement of a row by the resting masses (m) for modal_force as the
    displacement of the modes."""
    cdef double displacement = 0.0
    cdef Py_ssize_t i
    for i in range(s.modes):
        if s.rest_compliance[i] > 0.0:
            displacement += at.modal_force[i] * s.shapes[row * s.stride + i]
    return displacement


cdef inline void load_static_problem(const State* s, Equilibrium* at) noexcept nogil:
    """Load the static problem: static laws, offsets that include the free masses, and
    W = V diag(1/k*) V^T, or G = W + R with residual compliance."""
    cdef Problem* g = &at.g
    cdef Py_ssize_t i, j, k
    for k in range(g.rows):
        g.laws[k] = s.g.laws[k]
        if k == s.corrected_row:
            g.laws[k].stiffness = s.correction.stiffness
        make_static(&g.laws[k])
        g.laws[k].is_present = g.laws[k].is_present and k != s.axial_row
        g.p_before[k] = (bridge_offset(s, k) - dot(&s.shapes[k * s.stride], at.y, s.stride)
                         if g.laws[k].is_present else ABSENT)
        g.p_free[k] = g.p_before[k]
        for i in range(s.modes):
            at.modal_force[i] = s.shapes[k * s.stride + i] * at.compliance[i]
        for j in range(g.rows):
            g.mobility[j * g.stride + k] = (
                row_compliance(&s.residual, j, k, at.tension) + rest_compliance(s, at, j)
                if s.residual.is_on else dot(at.modal_force, &s.shapes[j * s.stride], s.stride))
    g.force_tolerance = s.g.force_tolerance
    update_laws(g)
    update_mobility_norm(g)


cdef inline void find_static_residual(const State* s, Equilibrium* at) noexcept nogil:
    """Compute z = G f - V y of the rows; modal_force has the displacement of the modes by f."""
    cdef Py_ssize_t j, k
    for k in range(at.g.rows):
        at.residual[k] = 0.0
        if has_place(&s.residual, k):
            for j in range(at.g.rows):
                at.residual[k] += at.g.mobility[k * at.g.stride + j] * at.g.force[j]
            at.residual[k] -= dot(at.modal_force, &s.shapes[k * s.stride], s.stride)


cdef inline bint find_equilibrium(const State* s, Equilibrium* at) noexcept nogil:
    """Find the equilibrium for the compliance set by the caller; return False if there is none.

    A resting mass has a soft spring, which is without force where it ends: each pass begins where
    the last one put the mass, and its error falls by the stiffness of the spring over that of rows
    and string.
    """
    cdef Py_ssize_t i
    cdef int _pass
    cdef double change
    for i in range(s.modes):
        at.centre[i] = 0.0 if at.compliance[i] > 0.0 else s.y[i]
        if s.rest_compliance[i] > 0.0:
            at.compliance[i], at.centre[i] = s.rest_compliance[i], s.y[i]
    for _pass in range(MAX_PASSES):
        if not solve_static_problem(s, at):
            return False
        change = 0.0
        for i in range(s.modes):
            if s.rest_compliance[i] > 0.0:
                change = max(change, fabs(at.y[i] - at.centre[i]))
                at.centre[i] = at.y[i]
        if change <= 1e-16:     # m: of a contact of 1e10 N/m the force is then found to 1 uN
            return True
    return False


cdef inline bint solve_static_problem(const State* s, Equilibrium* at) noexcept nogil:
    """Find the equilibrium of modes whose springs have no force at their centres; return False if
    there is none."""
    cdef Py_ssize_t i, k
    for i in range(s.modes):
        at.y[i] = at.centre[i] + s.weight[i] * at.compliance[i]
    load_static_problem(s, at)
    if solve_collision(&at.g) < 0:
        return False
    memset(at.modal_force, 0, s.stride * sizeof(double))
    for k in range(at.g.rows):
        add_scaled(at.modal_force, &s.shapes[k * s.stride], at.g.force[k], s.stride)
    for i in range(s.modes):
        at.modal_force[i] *= at.compliance[i]
        at.y[i] += at.modal_force[i]
    if s.residual.is_on:
        find_static_residual(s, at)
    return True


cdef inline double equilibrium_energy(const State* s, const Equilibrium* at) noexcept nogil:
    """Return the energy of modes and rows at equilibrium less the work of the weight from y = 0,
    J."""
    cdef Py_ssize_t i, k
    cdef double energy = -dot(s.weight, at.y, s.stride) if s.has_weight else 0.0
    for i in range(s.modes):
        if at.compliance[i] > 0.0 and s.rest_compliance[i] == 0.0:
            energy += 0.5 * at.y[i] * at.y[i] / at.compliance[i]
    for k in range(at.g.rows):
        if at.g.laws[k].is_present:
            energy += potential_at_rest(&at.g.laws[k], bridge_offset(s, k)
                                        - dot(&s.shapes[k * s.stride], at.y, s.stride)
                                        - at.residual[k])
        energy += 0.5 * at.g.force[k] * at.residual[k]
    return energy


cdef inline double equilibrium_output(const State* s, const Call* call, const Equilibrium* at,
                                      double tension) noexcept nogil:
    """Return the first output at equilibrium."""
    cdef Py_ssize_t k
    cdef double value = 0.0
    if call.run.outputs and call.output_terms[0] & DISPLACEMENT_TERM:
        value = dot(call.out_y, at.y, s.stride)
    if call.run.outputs and call.output_terms[0] & TENSION_TERM:
        value += tension * dot(call.out_t, at.y, s.stride)
    if s.residual.outputs and s.residual.output_kinds[0]:
        value -= dot(call.out_y, at.modal_force, s.stride)
        if tension != 0.0:
            value -= tension * dot(call.out_t, at.modal_force, s.stride)
        for k in range(at.g.rows):
            if at.g.force[k] != 0.0:
                value += at.g.force[k] * static_response(
                    &s.residual, <StaticKind>s.residual.output_kinds[0],
                    s.residual.output_positions[0], k, tension)
    return value


cdef inline void load_equilibrium(State* s, const Equilibrium* at) noexcept nogil:
    """Set the modes to the equilibrium, at rest."""
    cdef Py_ssize_t i, k
    for k in range(at.g.rows):
        s.g.force[k] = at.g.force[k]
    for i in range(s.modes):
        s.y[i] = at.y[i]
    clear(s.q, s.stride)
    clear(s.drift, s.stride)
    if s.residual.is_on:
        load_residual(s, at.g.force)
    if s.axial_row >= 0:                        # the stored tension is that at equilibrium
        s.offset[s.axial_row] = elongation(s)
    for k in range(s.g.rows):
        if is_friction(&s.g.laws[k]):
            s.p_now[k] = ABSENT                 # the bristle starts without deflection
    update_compressions(s)
    for k in range(s.g.rows):
        if s.g.laws[k].is_present and has_memory(&s.g.laws[k]):
            s.g.laws[k].relax(&s.g.laws[k], s.p_now[k], INFINITY)
