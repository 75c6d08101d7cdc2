# The state of a network, common to all schemes: modes (string, body, free masses), rows, ledger.
#
# Rows have forces in N and the stiffness of a row (kb dx), so W = V diag(mobility) V^T is in m/N
# and modes of different mass can be combined. A scheme has 2 or 3 points of time. With 2, a law
# spans one step; with 3, it spans from the previous step to the next, so a row stores two
# compressions, and half of the law's work and dissipation belongs to each step (`step_fraction`).
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from pysitar.kernels.contact.correction cimport Correction
from pysitar.kernels.contact.problem cimport (
    Problem, aligned_alloc, allocate_problem, release_problem, take_vector,
)
from pysitar.kernels.core.lanes cimport padded_length
from pysitar.kernels.core.ledger cimport Ledger
from pysitar.kernels.core.sleep cimport SleepState
from pysitar.kernels.modal.friction cimport Friction, release_friction
from pysitar.kernels.modal.residual cimport Residual, release_residual

cdef struct PushingRows:        # that have a force in the solved step
    int count                   # up to four; of more, the first is the sum of some
    double forces[4]            # N
    const double* shapes[4]

cdef struct State:
    Problem g                   # rows; g.p_before is p at the start of the span
    int time_points             # of the scheme: 2 or 3
    Py_ssize_t modes            # M
    Py_ssize_t stride           # padded M, a multiple of LANES
    double time_step            # dt, s
    double span                 # of a law, s: one time step, or two with 3 points
    double step_fraction        # part of a law's work that belongs to one step: 1, or 1/2
    double velocity_factor      # dy/dt over q (2 points) or over s (3 points), 1/s
    double tension              # of the present coefficients, over the stored tension, N
    double* y                   # displacement, m
    double* q                   # 2 points: dt momentum / (2 m); 3 points: y(n) - y(n - 1); m
    double* drift               # s without row forces, then s: displacement over the span, m
    double* modal_force         # V^T f, N, where it is summed
    PushingRows pushing
    double* mobility            # of s for a force on the mode, m/N
    double* loss                # dissipated energy of a step over s^2, N/m
    double* xi                  # dt^2 / (2 m), m/N
    double* inverse_xi          # 1 / xi, N/m
    double* weight              # constant force on each mode, N
    bint has_weight             # any weight is not 0
    double* rest_compliance     # of a free mass that rests on rows at equilibrium, m/N; 0: fixed
    double* shapes              # V, rows x stride
    bint has_new_shapes         # since a ramp of the tension has read them
    Py_ssize_t axial_row        # row of the elongation, -1: none
    double* curvature           # c of the elongation e = sum c y^2 / 2, 1/m
    double* inertial_force      # inverse_xi s, with s predicted for the coming step, N
    double* bridge_shape        # of each row: its displacement per bridge displacement
    double bridge_displacement  # m; 0 for a rigid bridge
    double* offset              # at the end of the coming step, m
    double* span_shift          # change of the offset over the coming span, m
    double* p_now               # p at the present step, m; 2 points: the same array as g.p_before
    double* step_shift          # change of the offset over the coming step, m; 2 points: span_shift
    Residual residual           # compliance at the rows that the modes lack
    Friction friction           # rows of dry friction
    Correction correction       # of `corrected_row`, the only contact row
    Py_ssize_t corrected_row    # -1: none
    int* present_rows           # rows whose law is present
    Py_ssize_t present_count
    int* first_mode             # of each row, and the end: its shape is 0 outside; multiples of
    int* end_mode               # LANES
    int* group_first            # of each four present rows: the range of all
    int* group_end
    Ledger ledger
    SleepState sleep
    long long count             # steps since the start
    double* arena


cdef inline bint allocate_state(State* s, int time_points, Py_ssize_t modes,
                                Py_ssize_t rows) noexcept nogil:
    """Allocate a network, all zero.

    Return False if memory is exhausted. Free with `release_state`.
    """
    cdef Py_ssize_t n = padded_length(modes if modes else 1)
    cdef Py_ssize_t size = 12 * n + rows * n + 5 * padded_length(rows)
    cdef double* next
    s.arena = <double*>aligned_alloc(64, size * sizeof(double))
    s.present_rows = <int*>calloc(rows + 1, sizeof(int))
    s.first_mode = <int*>calloc(4 * (rows + 1), sizeof(int))
    if (s.arena == NULL or s.present_rows == NULL or s.first_mode == NULL
            or not allocate_problem(&s.g, rows)):
        return False
    memset(s.arena, 0, size * sizeof(double))
    s.end_mode = s.first_mode + rows + 1
    s.group_first = s.first_mode + 2 * (rows + 1)
    s.group_end = s.first_mode + 3 * (rows + 1)
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
    s.rest_compliance = take_vector(&next, n)
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
    free(s.first_mode)
    s.present_rows = NULL
    s.first_mode = NULL
    release_residual(&s.residual)
    release_friction(&s.friction)
    release_problem(&s.g)
