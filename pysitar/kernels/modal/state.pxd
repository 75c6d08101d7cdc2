# The state of a network, whatever its scheme: modes (string, body, free masses), rows, books.
#
# Rows carry whole forces (N) and row stiffnesses (kb dx), so W = V diag(mobility) V^T is in m/N and modes of different mass mix. A
# scheme knows 2 or 3 points of time. Of 2, a law acts from one to the next; of 3, from the step before to the step after, so a row
# remembers two compressions, and half of what the law does there belongs to each step (`share`).
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from pysitar.kernels.contact.correction cimport Correction
from pysitar.kernels.contact.problem cimport Problem, aligned_alloc, allocate, carved, release
from pysitar.kernels.core.lanes cimport padded
from pysitar.kernels.core.ledger cimport Books
from pysitar.kernels.core.sleep cimport Rest

cdef struct State:
    Problem g                   # rows; g.before is p where a law starts from
    int points                  # of time that the scheme knows
    Py_ssize_t modes
    Py_ssize_t stride           # modes, a multiple of LANES
    double time_step
    double span                 # that a law acts over, s: a time step, or two
    double share                # of what a law does over its span, that belongs to a step: 1, or 1/2
    double speed                # dy/dt by what it is read from (q; of 3 points: s), 1/s
    double tension              # over the stored one, N, that the coefficients have
    double* y                   # m
    double* q                   # m; 2 points: dt p / (2 m); 3 points: y less that of the step before
    double* drift               # s without contact, then s: how far y goes over the span, m
    double* push                # V^T f
    double* mobility            # of s by a force on the mode, m/N
    double* loss                # of energy a step by s^2, N/m
    double* xi                  # dt^2 / (2 m), m/N
    double* inverse_xi
    double* weight              # a constant force on each mode, N
    bint heavy                  # any of it is not 0
    double* shapes              # V, rows x stride
    Py_ssize_t axial            # the row that sees how much longer the string is, -1: none
    double* curvature           # c of its e = sum c y^2 / 2, 1/m
    double* along               # of the coming step, as far as it is foreseen, J/m
    double* lever               # of a bridge that moves by `bridge`, how much of that a row sees
    double bridge               # m; 0 where it is rigid
    double* offset              # m, at the end of the coming step
    double* shift               # of the offset, over the coming span
    double* latest              # p now; 2 points: g.before itself
    double* moved               # of the offset, over the coming step; 2 points: shift itself
    Correction correction       # of the only contact row, `corrected`
    Py_ssize_t corrected        # -1: none
    int* live                   # rows that may exert a force
    Py_ssize_t living
    Books books
    Rest rest
    long long count             # steps since the start
    double* arena


cdef inline bint allocate_state(State* s, int points, Py_ssize_t modes, Py_ssize_t rows) noexcept nogil:
    """Room for a network, all zero; False without memory. `release_state` gives it back."""
    cdef Py_ssize_t n = padded(modes if modes else 1)
    cdef Py_ssize_t whole = 11 * n + rows * n + 5 * padded(rows)
    cdef double* next
    s.arena = <double*>aligned_alloc(64, whole * sizeof(double))
    s.live = <int*>calloc(rows + 1, sizeof(int))
    if s.arena == NULL or s.live == NULL or not allocate(&s.g, rows):
        return False
    memset(s.arena, 0, whole * sizeof(double))
    s.points = points
    s.corrected = -1
    s.axial = -1
    s.modes = modes
    s.stride = n
    next = s.arena
    s.y = carved(&next, n)
    s.q = carved(&next, n)
    s.drift = carved(&next, n)
    s.push = carved(&next, n)
    s.mobility = carved(&next, n)
    s.loss = carved(&next, n)
    s.xi = carved(&next, n)
    s.inverse_xi = carved(&next, n)
    s.weight = carved(&next, n)
    s.curvature = carved(&next, n)
    s.along = carved(&next, n)
    s.shapes = carved(&next, rows * n)
    s.lever = carved(&next, rows)
    s.offset = carved(&next, rows)
    s.shift = carved(&next, rows)
    s.latest = carved(&next, rows) if points == 3 else s.g.before
    s.moved = carved(&next, rows) if points == 3 else s.shift
    return True


cdef inline void release_state(State* s) noexcept nogil:
    free(s.arena)
    free(s.live)
    s.arena = NULL
    s.live = NULL
    release(&s.g)
