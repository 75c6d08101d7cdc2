# Tension that follows the amplitude: how much longer a string is than straight, as a row of its network (re-derived from the SAV form).
#
# A string that is longer by e = sum c y^2 / 2, c = L b^2 / 2, than straight stores EA (e - e0)^2 / (2 L), e0 its e at rest: a linear row of
# stiffness EA / L whose compression is p = e0 - e, its tension over the stored one -EA p / L. Over a step e grows by sum c (y + s/2) s, so
# with the shape c (y + s/2) the row would see it exactly. s is not known before the rows have answered; it is foreseen from their forces of
# the step before. Any shape keeps the balance, and what p has missed of e so far goes into the next: a part along inverse_xi s, which is
# how all modes go on as they do.
from libc.math cimport fabs, sqrt

from pysitar.kernels.core.lanes cimport add_scaled, clear, crdouble, dot, folded, rdouble
from pysitar.kernels.modal.state cimport State

cdef struct Foreseen:           # over the coming step
    double elongation           # e before it, m
    double way                  # sum inverse_xi s^2, J
    double give                 # sum mobility (c (y + s/2))^2, m/N


cdef inline double elongation(const State* s) noexcept nogil:
    """e, m."""
    cdef Py_ssize_t i, j
    cdef double acc[8]
    for j in range(8):
        acc[j] = 0.0
    for i in range(0, s.stride, 8):
        for j in range(8):
            acc[j] += s.curvature[i + j] * s.y[i + j] * s.y[i + j]
    return 0.5 * folded(acc)


cdef inline double risen(const State* s) noexcept nogil:
    """The tension over the stored one by elongation, N."""
    return -s.g.laws[s.axial].stiffness * s.g.before[s.axial] if s.axial >= 0 else 0.0


cdef inline void foresee(crdouble y, crdouble drift, crdouble mobility, crdouble push, crdouble curvature, crdouble inverse_xi,
                         rdouble shape, rdouble along, Foreseen* f, Py_ssize_t n) noexcept nogil:
    """c (y + s/2) to shape, and inverse_xi s to along, of s = drift + mobility push."""
    cdef double e[8]
    cdef double way[8]
    cdef double give[8]
    cdef double s
    cdef Py_ssize_t i, j
    for j in range(8):
        e[j] = way[j] = give[j] = 0.0
    for i in range(0, n, 8):
        for j in range(8):
            s = drift[i + j] + mobility[i + j] * push[i + j]
            shape[i + j] = curvature[i + j] * (y[i + j] + 0.5 * s)
            along[i + j] = inverse_xi[i + j] * s
            e[j] += curvature[i + j] * y[i + j] * y[i + j]
            way[j] += along[i + j] * s
            give[j] += mobility[i + j] * (shape[i + j] * shape[i + j])
    f.elongation = 0.5 * folded(e)
    f.way = folded(way)
    f.give = folded(give)


cdef inline void meet_axial_row(State* s) noexcept nogil:
    """Row and column of W of the elongation, for the rows that live."""
    cdef Py_ssize_t i, j
    cdef Py_ssize_t k = s.axial
    cdef double* shape = &s.shapes[k * s.stride]
    cdef double w
    cdef double sum = 0.0
    for i in range(s.stride):
        s.push[i] = s.mobility[i] * shape[i]
    for i in range(s.living):
        j = s.live[i]
        w = dot(s.push, &s.shapes[j * s.stride], s.stride)
        s.g.mobility[k * s.g.stride + j] = w
        s.g.mobility[j * s.g.stride + k] = w
        sum += fabs(w)
    s.g.reach[k] = sqrt(s.g.mobility[k * s.g.stride + k])
    if sum > s.g.widest:
        s.g.widest = sum


cdef inline void lengthen(State* s) noexcept nogil:
    """Gives the elongation's row its shape over the coming step, whose drift is known, and W what goes with it."""
    cdef Foreseen f
    cdef Py_ssize_t i, j
    cdef double* shape = &s.shapes[s.axial * s.stride]
    cdef double missed, most
    clear(s.push, s.stride)
    for i in range(s.g.touching):
        j = s.g.touch[i]
        add_scaled(s.push, &s.shapes[j * s.stride], s.g.force[j], s.stride)
    foresee(s.y, s.drift, s.mobility, s.push, s.curvature, s.inverse_xi, shape, s.along, &f, s.stride)
    if f.way > 0.0:
        missed = f.elongation - (s.offset[s.axial] - s.g.before[s.axial])
        most = 0.1 * sqrt(f.give * f.way)       # a string that hardly moves cannot make it up: its shape stays its own
        missed = -most if missed < -most else most if missed > most else missed
        add_scaled(shape, s.along, missed / f.way, s.stride)
    meet_axial_row(s)
