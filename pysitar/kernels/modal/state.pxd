# The state of a network, whatever its scheme: modes (string, body, free masses), rows, ledger.
#
# Rows carry whole forces (N) and row stiffnesses (kb dx), so W = V diag(mobility) V^T is in m/N and modes of different mass mix. A
# scheme knows 2 or 3 points of time. Of 2, a law acts from one to the next; of 3, from the step before to the step after, so a row
# remembers two compressions, and half of what the law does there belongs to each step (`step_fraction`).
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from pysitar.kernels.contact.correction cimport Correction
from pysitar.kernels.contact.problem cimport Problem, aligned_alloc, allocate_problem, release_problem, take_vector
from pysitar.kernels.core.lanes cimport padded_length
from pysitar.kernels.core.ledger cimport Ledger
from pysitar.kernels.core.sleep cimport SleepState

cdef struct State:
    Problem g                   # rows; g.p_before is p where a law starts from
    int time_points             # of time that the scheme knows
    Py_ssize_t modes
    Py_ssize_t stride           # modes, a multiple of LANES
    double time_step
    double span                 # that a law acts over, s: a time step, or two
    double step_fraction        # of what a law does over its span, that belongs to a step: 1, or 1/2
    double velocity_factor      # dy/dt by what it is read from (q; of 3 points: s), 1/s
    double tension              # over the stored one, N, that the coefficients have
    double* y                   # m
    double* q                   # m; 2 points: dt p / (2 m); 3 points: y less that of the step before
    double* drift               # s without contact, then s: how far y goes over the span, m
    double* modal_force         # V^T f
    double* mobility            # of s by a force on the mode, m/N
    double* loss                # of energy a step by s^2, N/m
    double* xi                  # dt^2 / (2 m), m/N
    double* inverse_xi
    double* weight              # a constant force on each mode, N
    bint has_weight             # any of it is not 0
    double* shapes              # V, rows x stride
    Py_ssize_t axial_row        # the row that sees how much longer the string is, -1: none
    double* curvature           # c of its e = sum c y^2 / 2, 1/m
    double* inertial_force      # of the coming step, as far as it is foreseen, J/m
    double* bridge_shape        # of a bridge that moves by `bridge_displacement`, how much of that a row sees
    double bridge_displacement  # m; 0 where it is rigid
    double* offset              # m, at the end of the coming step
    double* span_shift          # of the offset, over the coming span
    double* p_now               # p now; 2 points: g.p_before itself
    double* step_shift          # of the offset, over the coming step; 2 points: shift itself
    Correction correction       # of the only contact row, `corrected_row`
    Py_ssize_t corrected_row    # -1: none
    int* present_rows           # rows that may exert a force
    Py_ssize_t present_count
    Ledger ledger
    SleepState sleep
    long long count             # steps since the start
    double* arena


cdef inline bint allocate_state(State* s, int time_points, Py_ssize_t modes, Py_ssize_t rows) noexcept nogil:
    """Room for a network, all zero; False without memory. `release_state` gives it back."""
    cdef Py_ssize_t n = padded_length(modes if modes else 1)
    cdef Py_ssize_t size = 11 * n + rows * n + 5 * padded_length(rows)
    cdef double* next
    s.arena = <double*>aligned_alloc(64, size * sizeof(double))
    s.present_rows = <int*>calloc(rows + 1, sizeof(int))
    if s.arena == NULL or s.present_rows == NULL or not allocate_problem(&s.g, rows):
        return False
    memset(s.arena, 0, size * sizeof(double))
    s.time_points = time_points
    s.corrected_row = -1
    s.axial_row = -1
    s.modes = modes
    s.stride = n
    next = s.arena
    s.y = take_vector(&next, n)
    s.q = take_vector(&next, n)
    s.drift = take_vector(&next, n)
    s.modal_force = take_vector(&next, n)
    s.mobility = take_vector(&next, n)
    s.loss = take_vector(&next, n)
    s.xi = take_vector(&next, n)
    s.inverse_xi = take_vector(&next, n)
    s.weight = take_vector(&next, n)
    s.curvature = take_vector(&next, n)
    s.inertial_force = take_vector(&next, n)
    s.shapes = take_vector(&next, rows * n)
    s.bridge_shape = take_vector(&next, rows)
    s.offset = take_vector(&next, rows)
    s.span_shift = take_vector(&next, rows)
    s.p_now = take_vector(&next, rows) if time_points == 3 else s.g.p_before
    s.step_shift = take_vector(&next, rows) if time_points == 3 else s.span_shift
    return True


cdef inline void release_state(State* s) noexcept nogil:
    free(s.arena)
    free(s.present_rows)
    s.arena = NULL
    s.present_rows = NULL
    release_problem(&s.g)
