# Newton's method for an increasing function, guarded by a bracket: the step that all scalar solvers
# share. Each has a stopping rule of its own.
from libc.math cimport INFINITY, fabs

cdef struct Bracket:
    double low                  # the root lies between low and high
    double high
    double last_residual        # |residual| of the last guess


cdef inline void open_bracket(Bracket* b, double low, double high) noexcept nogil:
    b.low = low
    b.high = high
    b.last_residual = INFINITY


cdef inline double next_guess(Bracket* b, double guess, double residual, double step,
                              bint must_halve) noexcept nogil:
    """Return the next guess: the Newton step, or the middle of the bracket if the step leaves it.

    must_halve: also the middle if |residual| has not halved since the last guess.
    """
    cdef double next = guess + step
    if residual > 0.0:
        b.high = guess
    else:
        b.low = guess
    if not b.low < next < b.high or (must_halve and fabs(residual) > 0.5 * b.last_residual):
        next = 0.5 * (b.low + b.high)
    b.last_residual = fabs(residual)
    return next
