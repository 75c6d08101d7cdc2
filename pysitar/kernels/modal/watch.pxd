# Rows that end a call of `advance` early: before a step in which a row apart may touch, or in touch
# may part. The check is on the safe side: what it lets pass has not happened; whether it has
# happened at the step where the call ends is for the caller to decide.
from libc.math cimport fabs

from pysitar.kernels.core.lanes cimport crdouble
from pysitar.kernels.core.ledger cimport BLOCK_STEPS
from pysitar.kernels.modal.state cimport State

cdef enum:
    ROW_TOUCH = 0               # p > 0 after a free step
    ROW_PARTING = 1             # p <= 0 and not growing
    ROW_PARTING_BY_BLOCKS = 2   # the same, at the first step of a block alone
    MAX_WATCHES = 512

cdef struct Watch:
    Py_ssize_t count
    int rows[MAX_WATCHES]
    int kinds[MAX_WATCHES]
    double shifts[MAX_WATCHES]  # of ROW_TOUCH: further displacement of the row in a free step, m
    double* compressions        # p of the first row before each step, m; NULL: not recorded
    Py_ssize_t room             # of `compressions`
    bint has_ended              # the last call ended early


cdef inline bint may_part(crdouble shape, crdouble q, double p, Py_ssize_t n) noexcept nogil:
    """Return False if p is above 0, or certainly grows."""
    cdef double speed = 0.0
    cdef double magnitude = 0.0
    cdef Py_ssize_t i
    if p > 0.0:
        return False
    for i in range(n):
        speed -= shape[i] * q[i]
        magnitude += fabs(shape[i] * q[i])
    return not speed > 1e-12 * magnitude


cdef inline bint may_touch(const State* s, const double* a, const double* twice_c, Py_ssize_t k,
                           double shift) noexcept nogil:
    """Return False if row k is certainly apart after the next step without row forces."""
    cdef const double* shape = &s.shapes[k * s.stride]
    cdef double moved = shift
    cdef double magnitude = fabs(shift) + fabs(s.g.p_before[k])
    cdef double factor
    cdef Py_ssize_t i
    for i in range(s.modes):
        factor = shape[i] * twice_c[i]
        moved += factor * (s.q[i] - a[i] * s.y[i])
        magnitude += fabs(factor * s.q[i]) + fabs(factor * a[i] * s.y[i])
    return not s.g.p_before[k] - moved < -1e-12 * magnitude


cdef inline bint ends_call(const State* s, const double* a, const double* twice_c, Watch* watch,
                           Py_ssize_t n) noexcept nogil:
    """Return True if a call of `advance` must end before its step n; the first is always taken.

    Record the compression.
    """
    cdef Py_ssize_t j, k
    if n:
        for j in range(watch.count):
            k = watch.rows[j]
            if watch.kinds[j] == ROW_PARTING_BY_BLOCKS and s.count % BLOCK_STEPS:
                continue
            if (may_touch(s, a, twice_c, k, watch.shifts[j]) if watch.kinds[j] == ROW_TOUCH
                    else may_part(&s.shapes[k * s.stride], s.q, s.g.p_before[k], s.modes)):
                watch.has_ended = True
                return True
    if n < watch.room:
        watch.compressions[n] = s.g.p_before[watch.rows[0]]
    return False
