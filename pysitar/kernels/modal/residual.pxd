# Residual compliance of a string at its rows: what its modes lack of the static displacement.
#
# A force at a row displaces a string by G (string_compliance.pxd). The modes of the two-point
# scheme give V diag(1/k*) V^T of it: high modes are left out, and k* = 4 m A / dt^2 is above the
# stiffness k of those kept. The rest is that of massless springs at the rows (MacNeal 1971),
#   R = G - V diag(1/k*) V^T, positive semidefinite where k* >= k,
# each in parallel with a damper, by theta > 1/2 (tau = (theta - 1/2) dt). State: g (N), a force for
# each row, with the displacement z = R g beside V y. A step has, with W of the modes alone,
#   s = V ubar - z / theta + (W + R / theta) f,  g += (f - g) / theta
# so the solver sees another u and another W. With f = theta g+ + (1 - theta) g:
#   H = ... + g . z / 2,  H+ - H = ... - (theta - 1/2) (g+ - g) . (z+ - z)    exactly, for any law.
# R of rows at a support, or of two rows at one place, is singular; it is never inverted.
#
# In a string that moves in two directions a row has the displacement a y + b z of the string at its
# place, (a, b) its weights, so that G of two rows is (a a' + b b' c) G of the string: the second
# direction is c times as soft, c = 1 / (1 - detuning)^2, because all its modes are lower by the
# detuning. R = G - V diag(1/k*) V^T has the modes of both directions and is semidefinite as before.
#
# A string on a compliant bridge has the displacement V y + c w + z at a row: z is measured from the
# chord between the bridge and the far support. z has no inertia, so it appears in no term of the
# kinetic energy, and the bridge receives c f from a row as before; the coupled scheme of bridge.pxd
# needs nothing but this u and this W of each string. At rest its rows have
# G + c c' sum phi^2 / k of the body: the compliance of a continuous string on that body.
from libc.stdlib cimport free
from libc.string cimport memset

from pysitar.kernels.contact.problem cimport aligned_alloc, allocate_vectors
from pysitar.kernels.core.lanes cimport (
    add_matrix_rows, clear, copy, dot, padded_length, relax_forces,
)
from pysitar.kernels.core.ledger cimport Ledger
from pysitar.kernels.core.string_compliance cimport string_compliance

cdef enum StaticKind:           # static response of an output to a force at a row
    NO_RESPONSE = 0
    DISPLACEMENT = 1            # of the string at a place
    FORCE_START = 2             # on the support at x = 0
    FORCE_END = 3               # on the support at x = length
    SIDE_DISPLACEMENT = 4       # of the string in its second direction
    SIDE_FORCE_END = 5

cdef struct Residual:
    bint is_on
    bint is_loaded              # any g is not 0
    Py_ssize_t rows             # K
    Py_ssize_t stride           # padded K
    Py_ssize_t modes            # padded M
    double theta                # above 1/2; 1: g is the force of the last step
    double inverse_theta
    double length               # m
    double tension              # stored, N
    double bending_stiffness    # EI, N m^2
    double losses               # energy dissipated by the dampers since the start, J
    double* position            # of each row, m
    double side_softness        # c, compliance of the second direction over that of the first
    double* weight              # a: displacement of the row per string displacement, 1, -1; 0: none
    double* side_weight         # b: likewise in the second direction
    double* force               # g, N
    double* displacement        # z = R g, m
    double* next_force          # g+, N
    double* next_displacement   # z+, m
    double* modal_compliance    # 1/k* of each mode, m/N; 0 for a free mass
    double tension_change       # of modal_compliance and R, over the stored tension, N
    double* scaled_shape        # of a row, times modal_compliance, m/N
    double* compliance          # R, K rows of `stride`, m/N
    Py_ssize_t outputs
    int* output_kinds
    double* output_positions    # m, of DISPLACEMENT
    double* output_weights      # of g, outputs x stride
    const double* out_y         # the outputs' weights of y, and of y times the tension
    const double* out_t
    double* arena
    double* matrix


cdef inline bint allocate_residual(Residual* r, Py_ssize_t rows, Py_ssize_t modes) noexcept nogil:
    """Allocate R of `rows` rows and a padded number of modes, all zero; False: no memory."""
    cdef Py_ssize_t n = padded_length(rows if rows else 1)
    cdef double** vectors[9]
    vectors = [&r.position, &r.weight, &r.side_weight, &r.force, &r.displacement, &r.next_force,
               &r.next_displacement, &r.modal_compliance, &r.scaled_shape]
    r.rows, r.stride, r.modes = rows, n, modes
    r.arena = allocate_vectors(vectors, 9, n if n > modes else modes)
    r.matrix = <double*>aligned_alloc(64, n * n * sizeof(double))
    if r.arena == NULL or r.matrix == NULL:
        return False
    memset(r.matrix, 0, n * n * sizeof(double))
    r.compliance = r.matrix
    return True


cdef inline void release_residual(Residual* r) noexcept nogil:
    free(r.arena)
    free(r.matrix)
    r.arena = NULL
    r.matrix = NULL


cdef inline bint has_place(const Residual* r, Py_ssize_t k) noexcept nogil:
    """Return True if a row is at a place of the string."""
    return r.weight[k] != 0.0 or r.side_weight[k] != 0.0


cdef inline double static_response(const Residual* r, StaticKind kind, double position,
                                   Py_ssize_t k, double tension) noexcept nogil:
    """Return the static response (m/N, or 1) of an output to a force of a row; tension, over the
    stored one (N)."""
    if kind == DISPLACEMENT:
        return r.weight[k] * string_compliance(r.length, r.tension + tension, r.bending_stiffness,
                                               position, r.position[k])
    if kind == FORCE_START:
        return r.weight[k] * (1.0 - r.position[k] / r.length)
    if kind == FORCE_END:
        return r.weight[k] * (r.position[k] / r.length)
    if kind == SIDE_DISPLACEMENT:
        return r.side_weight[k] * r.side_softness * string_compliance(
            r.length, r.tension + tension, r.bending_stiffness, position, r.position[k])
    if kind == SIDE_FORCE_END:
        return r.side_weight[k] * (r.position[k] / r.length)
    return 0.0


cdef inline double row_compliance(const Residual* r, Py_ssize_t j, Py_ssize_t k,
                                  double tension) noexcept nogil:
    """Return G of two rows, m/N; tension, over the stored one (N)."""
    cdef double weight = (r.weight[j] * r.weight[k]
                          + r.side_weight[j] * r.side_weight[k] * r.side_softness)
    if weight == 0.0:
        return 0.0
    return weight * string_compliance(r.length, r.tension + tension, r.bending_stiffness,
                                      r.position[j], r.position[k])


cdef inline void displace(const Residual* r, const double* force, double* z) noexcept nogil:
    """Compute z = R g of some forces."""
    clear(z, r.stride)
    add_matrix_rows(z, z, r.compliance, r.stride, NULL, force, r.rows)


cdef inline double residual_energy(const Residual* r) noexcept nogil:
    """Return g . z / 2, J."""
    return 0.5 * dot(r.force, r.displacement, r.stride) if r.is_loaded else 0.0


cdef inline void add_residual_drift(const Residual* r, const int* present_rows,
                                    Py_ssize_t present_count, double* drift) noexcept nogil:
    """Subtract z / theta from the drift of the present rows."""
    cdef Py_ssize_t i, k
    if not r.is_loaded:
        return
    for i in range(present_count):
        k = present_rows[i]
        drift[k] -= r.displacement[k] * r.inverse_theta


cdef inline void move_residual(Residual* r, const double* force, Ledger* ledger) noexcept nogil:
    """Do g += (f - g) / theta, z = R g; add the energy dissipated by the dampers to the ledger."""
    cdef Py_ssize_t k
    cdef double* next = r.next_force
    cdef double* losses = r.scaled_shape        # unused between changes of R
    cdef double loss = 0.0
    cdef bint is_loaded = False
    if not r.is_loaded:
        for k in range(r.rows):
            is_loaded = is_loaded or force[k] != 0.0
        if not is_loaded:
            return
    r.is_loaded = relax_forces(force, r.force, r.inverse_theta, next, r.stride)
    displace(r, next, r.next_displacement)
    for k in range(r.stride):
        # (theta - 1/2) (g+ - g), and the energy of a g set to 0
        losses[k] = ((force[k] - 0.5 * (next[k] + r.force[k]))
                     * (r.next_displacement[k] - r.displacement[k]))
    for k in range(r.rows):
        loss += losses[k]
    copy(r.force, next, r.stride)
    copy(r.displacement, r.next_displacement, r.stride)
    r.losses += loss
    ledger.recent_losses += loss
