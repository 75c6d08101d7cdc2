# Amplitude-dependent tension: the elongation of a string as a row of its network (re-derived from
# the SAV form).
#
# With the elongation e = sum c y^2 / 2, c = L b^2 / 2, a string stores EA (e - e0)^2 / (2 L), e0
# being e at equilibrium. This is a linear row of stiffness EA / L with compression p = e0 - e; the
# tension over the stored one is -EA p / L. Over a step e grows by sum c (y + s/2) s, so a row with
# the shape c (y + s/2) would follow e exactly. s depends on the forces of the rows, so it is
# predicted with their forces of the previous step. Any shape conserves energy; the accumulated
# difference between p and e0 - e is corrected in the next step by a term of the shape along
# inverse_xi s, the direction in which all modes keep their present motion.
from libc.math cimport fabs, sqrt

from pysitar.kernels.core.lanes cimport add_scaled, clear, crdouble, dot, rdouble, sum_lanes
from pysitar.kernels.modal.state cimport State

cdef struct ElongationStep:     # prediction of the coming step
    double elongation           # e before the step, m
    double inertial_work        # sum inverse_xi s^2, J
    double shape_mobility       # sum mobility (c (y + s/2))^2, m/N


cdef inline double elongation(const State* s) noexcept nogil:
    """Return the elongation e, m."""
    cdef Py_ssize_t i, j
    cdef double acc[8]
    for j in range(8):
        acc[j] = 0.0
    for i in range(0, s.stride, 8):
        for j in range(8):
            acc[j] += s.curvature[i + j] * s.y[i + j] * s.y[i + j]
    return 0.5 * sum_lanes(acc)


cdef inline double tension_rise(const State* s) noexcept nogil:
    """Return the tension over the stored one due to elongation, N."""
    return -s.g.laws[s.axial_row].stiffness * s.g.p_before[s.axial_row] if s.axial_row >= 0 else 0.0


cdef inline void predict_elongation(crdouble y, crdouble drift, crdouble mobility,
                                    crdouble modal_force, crdouble curvature, crdouble inverse_xi,
                                    rdouble shape, rdouble inertial_force, ElongationStep* f,
                                    Py_ssize_t n) noexcept nogil:
    """Predict s = drift + mobility modal_force.

    Set shape = c (y + s/2) and inertial_force = inverse_xi s.
    """
    cdef double e[8]
    cdef double inertial_work[8]
    cdef double shape_mobility[8]
    cdef double s
    cdef Py_ssize_t i, j
    for j in range(8):
        e[j] = inertial_work[j] = shape_mobility[j] = 0.0
    for i in range(0, n, 8):
        for j in range(8):
            s = drift[i + j] + mobility[i + j] * modal_force[i + j]
            shape[i + j] = curvature[i + j] * (y[i + j] + 0.5 * s)
            inertial_force[i + j] = inverse_xi[i + j] * s
            e[j] += curvature[i + j] * y[i + j] * y[i + j]
            inertial_work[j] += inertial_force[i + j] * s
            shape_mobility[j] += mobility[i + j] * (shape[i + j] * shape[i + j])
    f.elongation = 0.5 * sum_lanes(e)
    f.inertial_work = sum_lanes(inertial_work)
    f.shape_mobility = sum_lanes(shape_mobility)


cdef inline void update_axial_mobility(State* s) noexcept nogil:
    """Update row and column of W of the elongation's row, for the present rows."""
    cdef Py_ssize_t i, j
    cdef Py_ssize_t k = s.axial_row
    cdef double* shape = &s.shapes[k * s.stride]
    cdef double w
    cdef double sum = 0.0
    for i in range(s.stride):
        s.modal_force[i] = s.mobility[i] * shape[i]
    for i in range(s.present_count):
        j = s.present_rows[i]
        w = dot(s.modal_force, &s.shapes[j * s.stride], s.stride)
        s.g.mobility[k * s.g.stride + j] = w
        s.g.mobility[j * s.g.stride + k] = w
        sum += fabs(w)
    s.g.mobility_root[k] = sqrt(s.g.mobility[k * s.g.stride + k])
    if sum > s.g.mobility_norm:
        s.g.mobility_norm = sum


cdef inline void update_elongation_row(State* s) noexcept nogil:
    """Set the shape of the elongation's row for the coming step from its drift, and update W."""
    cdef ElongationStep f
    cdef Py_ssize_t i, j
    cdef double* shape = &s.shapes[s.axial_row * s.stride]
    cdef double elongation_error, max_correction
    clear(s.modal_force, s.stride)
    for i in range(s.g.active_count):
        j = s.g.active_rows[i]
        add_scaled(s.modal_force, &s.shapes[j * s.stride], s.g.force[j], s.stride)
    predict_elongation(s.y, s.drift, s.mobility, s.modal_force, s.curvature, s.inverse_xi, shape,
                       s.inertial_force, &f, s.stride)
    if f.inertial_work > 0.0:
        elongation_error = f.elongation - (s.offset[s.axial_row] - s.g.p_before[s.axial_row])
        # limited: a string that hardly moves cannot correct the error in one step
        max_correction = 0.1 * sqrt(f.shape_mobility * f.inertial_work)
        elongation_error = (-max_correction if elongation_error < -max_correction
                            else max_correction if elongation_error > max_correction
                            else elongation_error)
        add_scaled(shape, s.inertial_force, elongation_error / f.inertial_work, s.stride)
    update_axial_mobility(s)
