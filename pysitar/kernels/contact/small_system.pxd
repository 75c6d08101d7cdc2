# The collision of up to four touching rows whose laws are of exponent 1 or linear: the solver's steps (solver.pxd tells them) on
# arrays of a known length, which the compiler keeps in registers. Most steps of a string on its bridge are of this kind, and
# they take half the time of the general form.
from libc.math cimport INFINITY, fabs

from pysitar.kernels.contact.law cimport Law, closed_force, lone_force
from pysitar.kernels.contact.problem cimport rounding_floor, stops
from pysitar.kernels.core.lanes cimport greater

cdef extern from "simd.h" nogil:
    void reach_four "pysitar_reach_four"(const double* w, const double* u, const double* f, double* s)
    void plain_four "pysitar_plain_four"(const double* half, const double* rate, const double* spring, const double* drag,
                                         const double* clamp, const double* before, const double* e, const double* s, double* force,
                                         double* slope)

cdef enum:
    FEW = 4
    MOST_TRIALS = 40

cdef struct Few:
    double w[16]
    double far[4]               # square roots of W's diagonal
    double p0[4]
    double e[4]
    double u[4]
    double f[4]
    double s[4]
    double evaluated[4]
    double slope[4]
    double half[4]              # the laws, as `plain_four` takes them
    double rate[4]
    double spring[4]
    double drag[4]
    double clamp[4]
    const Law* law[4]
    int rows                    # the others are touched by nothing


cdef inline void clear_few(Few* q) noexcept nogil:
    cdef int i
    for i in range(16):
        q.w[i] = 0.0
    for i in range(4):
        q.p0[i] = -1.0
        q.e[i] = -1.0
        q.far[i] = q.u[i] = q.f[i] = q.s[i] = q.half[i] = q.rate[i] = q.spring[i] = q.drag[i] = q.clamp[i] = 0.0


cdef inline void take_law(Few* q, int i, const Law* law, double bilateral) noexcept nogil:
    """Row i's law; bilateral is 1 for a linear one."""
    cdef double contact = 1.0 - bilateral
    q.law[i] = law
    q.half[i] = 0.5 * law.stiffness * contact
    q.rate[i] = law.rate * contact
    q.spring[i] = 0.5 * law.stiffness * bilateral
    q.drag[i] = law.rate * bilateral
    q.clamp[i] = 0.0 if law.adhesive else contact


cdef inline double reach_one(const Few* q, int i) noexcept nogil:
    """s = u + W f of a row, eq. (26)."""
    cdef const double* w = &q.w[4 * i]
    return q.u[i] + ((w[0] * q.f[0] + w[2] * q.f[2]) + (w[1] * q.f[1] + w[3] * q.f[3]))


cdef inline double judge_few(Few* q, double* floor_scale) noexcept nogil:
    """F and D at s; returns max|f - F|, NaN if any is, and its rounding floor, N: as `judge` of active_set.pxd."""
    cdef int i
    cdef double gap = 0.0
    cdef double steep = 0.0
    cdef double large = 0.0
    cdef double whole = 0.0
    cdef double pushed = 0.0
    cdef double value
    plain_four(q.half, q.rate, q.spring, q.drag, q.clamp, q.p0, q.e, q.s, q.evaluated, q.slope)
    for i in range(4):
        pushed += q.far[i] * fabs(q.f[i])
    for i in range(4):
        value = fabs(q.f[i] - q.evaluated[i])
        whole += value                          # a comparison forgets a NaN, a sum does not
        gap = greater(value, gap)
        steep = greater(q.slope[i] * (fabs(q.p0[i]) + fabs(q.s[i]) + q.far[i] * pushed), steep)
        large = greater(fabs(q.evaluated[i]), large)
    floor_scale[0] = rounding_floor(steep, large)
    return gap if whole == whole else whole


cdef inline void newton_few(const Few* q, double* z) noexcept nogil:
    """The Newton forces z, (W + 1/D) z = F/D + s - u on the rows with a slope, 0 elsewhere: L D L^T, as eqs. (29), (30)."""
    cdef double b[4]
    cdef double r[4]
    cdef double a[4]
    cdef double m10, m20, m30, c21, c31, c32, l10, l20, l30, l21, l31, l32, i0, i1, i2, i3
    cdef int i
    for i in range(4):
        a[i] = 1.0 if q.slope[i] > 0.0 else 0.0
        b[i] = 1.0 / (q.slope[i] if q.slope[i] > 0.0 else 1.0)
        r[i] = (q.evaluated[i] * b[i] + (q.s[i] - q.u[i])) * a[i]
    z[2] = z[3] = 0.0
    m10 = q.w[4] * (a[0] * a[1])
    i0 = 1.0 / (q.w[0] * a[0] + b[0])
    l10 = m10 * i0
    # W is semidefinite, so a pivot is at least 1/D but for rounding
    i1 = 1.0 / greater(q.w[5] * a[1] + b[1] - l10 * m10, b[1])
    r[1] -= l10 * r[0]
    z[1] = r[1] * i1
    z[0] = r[0] * i0
    if q.rows > 2:
        m20 = q.w[8] * (a[0] * a[2])
        l20 = m20 * i0
        c21 = q.w[9] * (a[1] * a[2]) - l20 * m10
        l21 = c21 * i1
        i2 = 1.0 / greater(q.w[10] * a[2] + b[2] - l20 * m20 - l21 * c21, b[2])
        r[2] -= l20 * r[0] + l21 * r[1]
        z[2] = r[2] * i2
        if q.rows > 3:
            m30 = q.w[12] * (a[0] * a[3])
            l30 = m30 * i0
            c31 = q.w[13] * (a[1] * a[3]) - l30 * m10
            l31 = c31 * i1
            c32 = q.w[14] * (a[2] * a[3]) - l30 * m20 - l31 * c21
            l32 = c32 * i2
            i3 = 1.0 / greater(q.w[15] * a[3] + b[3] - l30 * m30 - l31 * c31 - l32 * c32, b[3])
            r[3] -= l30 * r[0] + l31 * r[1] + l32 * r[2]
            z[3] = r[3] * i3
            z[2] -= l32 * z[3]
            z[1] -= l21 * z[2] + l31 * z[3]
            z[0] -= l10 * z[1] + l20 * z[2] + l30 * z[3]
        else:
            z[1] -= l21 * z[2]
            z[0] -= l10 * z[1] + l20 * z[2]
    else:
        z[0] -= l10 * z[1]


cdef inline double search_few(Few* q, double* floor_scale) noexcept nogil:
    """A Newton step, shortened until the objective's slope has halved; returns max|f - F| there."""
    cdef double kept[4]
    cdef double change[4]
    cdef double motion[4]
    cdef double start = 0.0
    cdef double length = 1.0
    cdef double here, worst
    cdef int i
    newton_few(q, change)
    for i in range(4):
        kept[i] = q.f[i]
        q.f[i] = change[i]
        change[i] -= kept[i]
    for i in range(4):
        motion[i] = q.s[i]
    reach_four(q.w, q.u, q.f, q.s)
    for i in range(4):
        motion[i] = q.s[i] - motion[i]
    for i in range(4):
        start += motion[i] * (kept[i] - q.evaluated[i])
    worst = judge_few(q, floor_scale)
    for _ in range(MOST_TRIALS):
        here = 0.0
        for i in range(4):
            here += motion[i] * (q.f[i] - q.evaluated[i])
        # at the rounding floor the sign of the slope is noise
        if worst <= floor_scale[0] or here <= 0.5 * fabs(start) or worst != worst or here == start:
            break
        here = greater(0.1 * length, length * start / (start - here))
        for i in range(4):
            q.f[i] = kept[i] + here * change[i]
            q.s[i] += (here - length) * motion[i]
        length = here
        worst = judge_few(q, floor_scale)
    return worst


cdef inline void sweep_few(Few* q) noexcept nogil:
    """One Gauss-Seidel sweep: each row's own equation solved exactly, the others held."""
    cdef int i
    cdef double w, e
    cdef bint known = True
    for i in range(q.rows):
        w = q.w[5 * i]
        e = q.e[i] - reach_one(q, i) + w * q.f[i]
        q.f[i] = closed_force(q.law[i], q.p0[i], e, w, &known)
        if not known:
            q.f[i] = lone_force(q.law[i], q.p0[i], e, w)


cdef inline bint solve_few(Few* q, double near, int sweeps, int most, int* iterations) noexcept nogil:
    """Finds f from the guess f; True if the stopping rule was reached."""
    cdef double floor_scale = 0.0
    cdef double last = INFINITY
    cdef double worst
    for _ in range(sweeps):
        sweep_few(q)
    reach_four(q.w, q.u, q.f, q.s)
    worst = judge_few(q, &floor_scale)
    while iterations[0] < most and not stops(worst, floor_scale, near, last):
        last = worst
        worst = search_few(q, &floor_scale)
        iterations[0] += 1
    return worst <= floor_scale or worst <= near
