# A contact's stored energy as half a square, psi^2 / 2 with psi = sqrt(2 phi): what makes a scheme explicit (Ducceschi & Bilbao 2019,
# section III-C, with the printed signs mended).
#
# Over a step p goes from p0 = p(n - 1) to p0 + h; way is h without contact, so h = way - W F. With a root g >= 0,
#   F = g (psi + psi+) / 2 + r h,   psi+ = psi + g h / 2
# so F h = (psi+^2 - psi^2) / 2 + r h^2 for whatever g: the balance is exact, and proves nothing about g.
# The damper r = damping K max(p(n), 0)^exponent / (2 dt) is that of NESS. Variants choose g, and what becomes of psi after a release:
#   paper     g = psi'(p(n)); psi is frozen while p(n) <= 0, so later contacts may pull
#   reset     the same, g at most the limit; where p(n) <= 0, psi := 0, and psi^2 / 2 is booked as heat
#   tracking  g such that F is the discrete gradient up to p(n + 1) as one Newton step predicts it: second order, no heat
# The limit is the g with which psi+ = 0: over it the contact would pull later. A root set to it or held by it leaves psi+ = 0 exactly: a
# rounding residue under 0 would turn the next limit negative.
# Rows that move each other have each its own g; then F is one symmetric positive definite system, without iteration (`solve_roots`). The
# limit is pointwise and holds for none of them: rows that pull lose their g, keep their psi, and the others are solved again; `tracking`
# then takes a psi under 0 to 0 and books it as heat (of third order).
from libc.math cimport INFINITY, fabs, sqrt

from pysitar.kernels.contact.active_set cimport solve_symmetric
from pysitar.kernels.contact.law cimport Law, potential, raised, root_slope
from pysitar.kernels.contact.problem cimport Problem

cdef enum Variant:
    BY_PAPER = 0
    BY_RESET = 1
    BY_TRACKING = 2


cdef inline double root_limit(double way, double w, double psi) noexcept nogil:
    """The g with which psi+ = 0 after a step whose h is way without contact."""
    cdef double size
    if psi <= 0.0:
        return 0.0 if way < 0.0 else INFINITY
    size = sqrt(way * way + 4.0 * w * psi * psi)
    return (way + size) / (w * psi) if way > 0.0 else 4.0 * psi / (size - way)


cdef inline double chord(const Law* law, double p0, double stored, double p1, double* stored_there, double* slope) noexcept nogil:
    """(phi(p1) - phi(p0)) / (p1 - p0), its derivative by p1, and phi(p1); stored = phi(p0)."""
    cdef double h = p1 - p0
    cdef double power = 0.0
    cdef double force, middle
    cdef bint near
    stored_there[0] = 0.0
    if p1 > 0.0:
        power = law.stiffness * raised(law, p1)
        stored_there[0] = power * p1 / (law.exponent + 1.0)
    near = fabs(h) <= 1e-4 * (fabs(p0) + fabs(p1))
    if near:                                    # there rounding spoils the slope's quotient, and under 1e-7 the force's
        middle = 0.5 * (p0 + p1)
        force = law.stiffness * raised(law, middle) if middle > 0.0 else 0.0
        slope[0] = 0.5 * law.exponent * force / middle if middle > 0.0 else 0.0
        if fabs(h) <= 1e-7 * (fabs(p0) + fabs(p1)):
            return force
    force = (stored_there[0] - stored) / h
    if not near:
        slope[0] = (power - force) / h
    return force


cdef inline double foreseen(const Law* law, double p0, double p, double stored, double way, double w) noexcept nogil:
    """p(n + 1) by one Newton step from 2 p(n) - p(n - 1); stored = phi(p0)."""
    cdef double guess = 2.0 * p - p0
    cdef double ignored, slope
    cdef double force = chord(law, p0, stored, guess, &ignored, &slope)
    return guess - (guess - (p0 + way) + w * force) / (1.0 + w * slope)


cdef inline double tracking_root(const Law* law, double p0, double p, double stored, double stored_now, double ahead, double way,
                                 double w, double psi, bint* limited) noexcept nogil:
    """g of `tracking`, p(n + 1) being foreseen as ahead, and whether the limit has set or held it."""
    cdef double stored_ahead, ignored
    cdef double force = chord(law, p0, stored, ahead, &stored_ahead, &ignored)
    cdef double sum = sqrt(stored_now + stored_ahead) + psi
    cdef double root = 2.0 * force / sum if sum > 0.0 else 0.0
    cdef double limit = root_limit(way, w, psi)
    limited[0] = root > limit or (p <= 0.0 and ahead <= 0.0 and way < 0.0)
    return limit if limited[0] else root


cdef inline double clamped_psi(double psi, double root, double way) noexcept nogil:
    """psi+ of a row whose force is clamped at 0: what it then gives up is heat."""
    cdef double after = psi + 0.5 * root * way
    after = after if after > 0.0 else 0.0
    return after if after < fabs(psi) else fabs(psi)


# Of rows that move each other. They are a Problem's touching ones; its vectors hold p0, e: p(n), u: way, slope: r, change: psi,
# held: phi(p0), kept: phi(p(n)), evaluated: g, f: F, s: h, motion: p(n + 1) foreseen, then the g of a clamped row, -1 of the others.

cdef inline void pose_roots(Problem* g) noexcept nogil:
    """W of the touching rows."""
    cdef Py_ssize_t i, j
    cdef Py_ssize_t n = g.touching
    for i in range(n):
        for j in range(n):
            g.small[i * n + j] = g.mobility[g.touch[i] * g.stride + g.touch[j]]


cdef inline double pushed(const Problem* g, Py_ssize_t i) noexcept nogil:
    """W F of a row."""
    cdef Py_ssize_t j
    cdef double sum = 0.0
    for j in range(g.touching):
        sum += g.small[i * g.touching + j] * g.f[j]
    return sum


cdef inline void foresee_together(Problem* g) noexcept nogil:
    """p(n + 1) of all rows by one Newton step of the whole system, and the forces there in f."""
    cdef Py_ssize_t i
    cdef Py_ssize_t m = 0
    cdef Py_ssize_t n = g.touching
    cdef double guess, slope, ignored
    for i in range(n):
        guess = 2.0 * g.e[i] - g.p0[i]
        g.f[i] = chord(&g.laws[g.touch[i]], g.p0[i], g.held[i], guess, &ignored, &slope) + g.slope[i] * (guess - g.p0[i])
        g.evaluated[i] = slope + g.slope[i]
        g.motion[i] = guess
    for i in range(n):
        g.s[i] = g.p0[i] + g.u[i] - g.motion[i] - pushed(g, i)          # what is missing
    for i in range(n):
        g.f[i] = 0.0
        if g.evaluated[i] > 1e-250:
            g.bound[m] = 1.0 / g.evaluated[i]
            g.right[m] = g.s[i]
            g.active[m] = <int>i
            m += 1
    solve_symmetric(g, m)
    for i in range(m):
        g.f[g.active[i]] = g.right[i]
    for i in range(n):
        g.motion[i] += g.s[i] - pushed(g, i)
    for i in range(n):
        g.f[i] = (chord(&g.laws[g.touch[i]], g.p0[i], g.held[i], g.motion[i], &ignored, &slope)
                  + g.slope[i] * (g.motion[i] - g.p0[i]))


cdef inline void track_together(Problem* g) noexcept nogil:
    """g of `tracking`, each by the way that the foreseen forces of the others leave it."""
    cdef Py_ssize_t i
    cdef double w, part
    cdef bint ignored
    foresee_together(g)
    for i in range(g.touching):
        w = g.small[i * g.touching + i]
        part = 1.0 / (1.0 + w * g.slope[i])
        g.evaluated[i] = tracking_root(&g.laws[g.touch[i]], g.p0[i], g.e[i], g.held[i], g.kept[i], g.motion[i],
                                       part * (g.u[i] - (pushed(g, i) - w * g.f[i])), part * w, g.change[i], &ignored)


cdef inline bint drop_pulling(Problem* g, bint repels) noexcept nogil:
    """Takes g from the rows that pull (repels) or are clamped; True if there are any."""
    cdef Py_ssize_t i
    cdef bint any = False
    for i in range(g.touching):
        if not g.laws[g.touch[i]].adhesive and g.f[i] < 0.0:
            g.motion[i] = g.evaluated[i]
            g.evaluated[i] = g.slope[i] = 0.0
            any = True
        elif repels and g.evaluated[i] > 0.0 and g.change[i] + 0.25 * g.evaluated[i] * g.s[i] < 0.0:
            g.evaluated[i] = 0.0
            any = True
    return any


cdef inline void solve_roots(Problem* g, bint repels) noexcept nogil:
    """F and h from g: (W + 1 / a) F = way + g psi / a, a = g^2 / 4 + r; rows that pull are left out until there are none (repels)."""
    cdef Py_ssize_t i, m
    cdef double a
    for i in range(g.touching):
        g.motion[i] = -1.0
    while True:
        m = 0
        for i in range(g.touching):
            g.f[i] = 0.0
            a = 0.25 * g.evaluated[i] * g.evaluated[i] + g.slope[i]
            if a > 1e-250:
                g.bound[m] = 1.0 / a
                g.right[m] = g.u[i] + g.evaluated[i] * g.change[i] / a
                g.active[m] = <int>i
                m += 1
            else:
                g.evaluated[i] = 0.0
        solve_symmetric(g, m)
        for i in range(m):
            g.f[g.active[i]] = g.right[i]
        for i in range(g.touching):
            g.s[i] = g.u[i] - pushed(g, i)
        if not drop_pulling(g, repels):
            return


cdef inline double settle_roots(Problem* g, bint clip) noexcept nogil:
    """psi+ in change; clip: none under 0, nor what rounding alone has left, which would be divided by. Returns the heat, J."""
    cdef Py_ssize_t i
    cdef double psi, way, half
    cdef bint stiff
    cdef double heat = 0.0
    for i in range(g.touching):
        psi = g.change[i]
        if g.motion[i] >= 0.0:
            g.change[i] = clamped_psi(psi, g.motion[i], g.s[i])
            heat += 0.5 * (psi * psi - g.change[i] * g.change[i])
            continue
        heat += 0.5 * g.slope[i] * g.s[i] * g.s[i]
        half = 0.5 * g.evaluated[i]
        # a stiff row's h is a small difference of large ones, its force is not
        stiff = half * half * g.small[i * g.touching + i] > 1.0
        way = (g.f[i] - g.slope[i] * g.s[i]) / half - 2.0 * psi if stiff else half * g.s[i]
        psi += way
        if clip and psi < 1e-13 * (fabs(g.change[i]) + fabs(way)):
            heat += 0.5 * psi * psi
            psi = 0.0
        g.change[i] = psi
    return heat


cdef inline double frozen_root(const Law* law, double p) noexcept nogil:
    """g of `paper` and `reset`."""
    return root_slope(law, p) if p > 0.0 else 0.0


cdef inline double begun_psi(const Law* law, double p, double p0) noexcept nogil:
    """psi half a step ago of a row that was put somewhere."""
    return sqrt(potential(law, p) + potential(law, p0))
