# A contact's stored energy as half a square, psi^2 / 2 with psi = sqrt(2 phi): what makes a scheme explicit (Ducceschi & Bilbao 2019,
# section III-C, with the printed signs mended).
#
# Over a step p goes from p0 = p(n - 1) to p0 + h; free_increment is h without contact, so h = free_increment - W F. With a root g >= 0,
#   F = g (psi + psi+) / 2 + r h,   psi+ = psi + g h / 2
# so F h = (psi+^2 - psi^2) / 2 + r h^2 for whatever g: the balance is exact, and proves nothing about g.
# The damper r = damping K max(p(n), 0)^exponent / (2 dt) is that of NESS. Variants choose g, and what becomes of psi after a release:
#   paper     g = psi'(p(n)); psi is frozen while p(n) <= 0, so later contacts may pull
#   reset     the same, g at most the limit; where p(n) <= 0, psi := 0, and psi^2 / 2 is counted as heat
#   tracking  g such that F is the discrete gradient up to p(n + 1) as one Newton step predicts it: second order, no heat
# The limit is the g with which psi+ = 0: over it the contact would pull later. A root set to it or held by it leaves psi+ = 0 exactly: a
# rounding residue under 0 would turn the next limit negative.
# Rows that move each other have each its own g; then F is one symmetric positive definite system, without iteration (`solve_psi_forces`).
# The limit is pointwise and holds for none of them: rows that pull lose their g, keep their psi, and the others are solved again;
# `tracking` then takes a psi under 0 to 0 and counts it as heat (of third order).
from libc.math cimport INFINITY, fabs, sqrt

from pysitar.kernels.contact.active_set cimport solve_symmetric
from pysitar.kernels.contact.law cimport Law, potential, power_of, psi_slope_at
from pysitar.kernels.contact.problem cimport Problem

cdef enum Variant:
    VARIANT_PAPER = 0
    VARIANT_RESET = 1
    VARIANT_TRACKING = 2


cdef inline double psi_slope_limit(double free_increment, double w, double psi) noexcept nogil:
    """The g with which psi+ = 0 after a step whose h is free_increment without contact."""
    cdef double hypotenuse
    if psi <= 0.0:
        return 0.0 if free_increment < 0.0 else INFINITY
    hypotenuse = sqrt(free_increment * free_increment + 4.0 * w * psi * psi)
    return (free_increment + hypotenuse) / (w * psi) if free_increment > 0.0 else 4.0 * psi / (hypotenuse - free_increment)


cdef inline double mean_force_from_energy(const Law* law, double p0, double start_energy, double p1, double* end_energy,
                                          double* slope) noexcept nogil:
    """(phi(p1) - phi(p0)) / (p1 - p0), its derivative by p1, and phi(p1); start_energy = phi(p0)."""
    cdef double h = p1 - p0
    cdef double power = 0.0
    cdef double force, middle
    cdef bint is_near
    end_energy[0] = 0.0
    if p1 > 0.0:
        power = law.stiffness * power_of(law, p1)
        end_energy[0] = power * p1 / (law.exponent + 1.0)
    is_near = fabs(h) <= 1e-4 * (fabs(p0) + fabs(p1))
    if is_near:                                 # there rounding spoils the slope's quotient, and under 1e-7 the force's
        middle = 0.5 * (p0 + p1)
        force = law.stiffness * power_of(law, middle) if middle > 0.0 else 0.0
        slope[0] = 0.5 * law.exponent * force / middle if middle > 0.0 else 0.0
        if fabs(h) <= 1e-7 * (fabs(p0) + fabs(p1)):
            return force
    force = (end_energy[0] - start_energy) / h
    if not is_near:
        slope[0] = (power - force) / h
    return force


cdef inline double predicted_compression(const Law* law, double p0, double p, double start_energy, double free_increment,
                                         double w) noexcept nogil:
    """p(n + 1) by one Newton step from 2 p(n) - p(n - 1); start_energy = phi(p0)."""
    cdef double guess = 2.0 * p - p0
    cdef double unused_value, slope
    cdef double force = mean_force_from_energy(law, p0, start_energy, guess, &unused_value, &slope)
    return guess - (guess - (p0 + free_increment) + w * force) / (1.0 + w * slope)


cdef inline double tracking_psi_slope(const Law* law, double p0, double p, double start_energy, double energy_now, double p_ahead,
                                      double free_increment, double w, double psi, bint* is_limited) noexcept nogil:
    """g of `tracking`, p(n + 1) being foreseen as ahead, and whether the limit has set or held it."""
    cdef double energy_ahead, unused_value
    cdef double force = mean_force_from_energy(law, p0, start_energy, p_ahead, &energy_ahead, &unused_value)
    cdef double sum = sqrt(energy_now + energy_ahead) + psi
    cdef double psi_slope = 2.0 * force / sum if sum > 0.0 else 0.0
    cdef double limit = psi_slope_limit(free_increment, w, psi)
    is_limited[0] = psi_slope > limit or (p <= 0.0 and p_ahead <= 0.0 and free_increment < 0.0)
    return limit if is_limited[0] else psi_slope


cdef inline double clamped_psi(double psi, double psi_slope, double free_increment) noexcept nogil:
    """psi+ of a row whose force is clamped at 0: what it then gives up is heat."""
    cdef double psi_after = psi + 0.5 * psi_slope * free_increment
    psi_after = psi_after if psi_after > 0.0 else 0.0
    return psi_after if psi_after < fabs(psi) else fabs(psi)


# Of rows that move each other. They are a Problem's touching ones; its vectors hold p0, e: p(n), u: free_increment, slope: r, delta_f: psi,
# s_start: phi(p0), f_start: phi(p(n)), law_force: g, f: F, s: h, delta_s: p(n + 1) predicted, then the g of a clamped row, -1 of the
# others.

cdef inline void load_active_mobility(Problem* g) noexcept nogil:
    """W of the touching rows."""
    cdef Py_ssize_t i, j
    cdef Py_ssize_t n = g.active_count
    for i in range(n):
        for j in range(n):
            g.active_mobility[i * n + j] = g.mobility[g.active_rows[i] * g.stride + g.active_rows[j]]


cdef inline double contact_displacement(const Problem* g, Py_ssize_t i) noexcept nogil:
    """W F of a row."""
    cdef Py_ssize_t j
    cdef double sum = 0.0
    for j in range(g.active_count):
        sum += g.active_mobility[i * g.active_count + j] * g.f[j]
    return sum


cdef inline void predict_compressions(Problem* g) noexcept nogil:
    """p(n + 1) of all rows by one Newton step of the whole system, and the forces there in f."""
    cdef Py_ssize_t i
    cdef Py_ssize_t m = 0
    cdef Py_ssize_t n = g.active_count
    cdef double guess, slope, unused_value
    for i in range(n):
        guess = 2.0 * g.e[i] - g.p0[i]
        g.f[i] = mean_force_from_energy(&g.laws[g.active_rows[i]], g.p0[i], g.s_start[i], guess, &unused_value,
                                        &slope) + g.slope[i] * (guess - g.p0[i])
        g.law_force[i] = slope + g.slope[i]
        g.delta_s[i] = guess
    for i in range(n):
        g.s[i] = g.p0[i] + g.u[i] - g.delta_s[i] - contact_displacement(g, i)  # what is missing
    for i in range(n):
        g.f[i] = 0.0
        if g.law_force[i] > 1e-250:
            g.compliance[m] = 1.0 / g.law_force[i]
            g.rhs[m] = g.s[i]
            g.system_rows[m] = <int>i
            m += 1
    solve_symmetric(g, m)
    for i in range(m):
        g.f[g.system_rows[i]] = g.rhs[i]
    for i in range(n):
        g.delta_s[i] += g.s[i] - contact_displacement(g, i)
    for i in range(n):
        g.f[i] = (mean_force_from_energy(&g.laws[g.active_rows[i]], g.p0[i], g.s_start[i], g.delta_s[i], &unused_value, &slope)
                  + g.slope[i] * (g.delta_s[i] - g.p0[i]))


cdef inline void find_coupled_slopes(Problem* g) noexcept nogil:
    """g of `tracking`, each by the free_increment that the foreseen forces of the others leave it."""
    cdef Py_ssize_t i
    cdef double w, damper_factor
    cdef bint unused_value
    predict_compressions(g)
    for i in range(g.active_count):
        w = g.active_mobility[i * g.active_count + i]
        damper_factor = 1.0 / (1.0 + w * g.slope[i])
        g.law_force[i] = tracking_psi_slope(&g.laws[g.active_rows[i]], g.p0[i], g.e[i], g.s_start[i], g.f_start[i], g.delta_s[i],
                                            damper_factor * (g.u[i] - (contact_displacement(g, i) - w * g.f[i])), damper_factor * w,
                                            g.delta_f[i], &unused_value)


cdef inline bint drop_pulling_rows(Problem* g, bint forbid_pull) noexcept nogil:
    """Takes g from the rows that pull (forbid_pull) or are clamped; True if there are any."""
    cdef Py_ssize_t i
    cdef bint has_dropped = False
    for i in range(g.active_count):
        if not g.laws[g.active_rows[i]].adhesive and g.f[i] < 0.0:
            g.delta_s[i] = g.law_force[i]
            g.law_force[i] = g.slope[i] = 0.0
            has_dropped = True
        elif forbid_pull and g.law_force[i] > 0.0 and g.delta_f[i] + 0.25 * g.law_force[i] * g.s[i] < 0.0:
            g.law_force[i] = 0.0
            has_dropped = True
    return has_dropped


cdef inline void solve_psi_forces(Problem* g, bint forbid_pull) noexcept nogil:
    """F and h from g: (W + 1 / a) F = free_increment + g psi / a, a = g^2 / 4 + r;
    rows that pull are left out until there are none (forbid_pull).
    """
    cdef Py_ssize_t i, m
    cdef double a
    for i in range(g.active_count):
        g.delta_s[i] = -1.0
    while True:
        m = 0
        for i in range(g.active_count):
            g.f[i] = 0.0
            a = 0.25 * g.law_force[i] * g.law_force[i] + g.slope[i]
            if a > 1e-250:
                g.compliance[m] = 1.0 / a
                g.rhs[m] = g.u[i] + g.law_force[i] * g.delta_f[i] / a
                g.system_rows[m] = <int>i
                m += 1
            else:
                g.law_force[i] = 0.0
        solve_symmetric(g, m)
        for i in range(m):
            g.f[g.system_rows[i]] = g.rhs[i]
        for i in range(g.active_count):
            g.s[i] = g.u[i] - contact_displacement(g, i)
        if not drop_pulling_rows(g, forbid_pull):
            return


cdef inline double update_psi(Problem* g, bint clip_psi) noexcept nogil:
    """psi+ in change; clip: none under 0, nor what rounding alone has left, which would be divided by. Returns the heat, J."""
    cdef Py_ssize_t i
    cdef double psi, psi_increment, half
    cdef bint is_stiff
    cdef double heat = 0.0
    for i in range(g.active_count):
        psi = g.delta_f[i]
        if g.delta_s[i] >= 0.0:
            g.delta_f[i] = clamped_psi(psi, g.delta_s[i], g.s[i])
            heat += 0.5 * (psi * psi - g.delta_f[i] * g.delta_f[i])
            continue
        heat += 0.5 * g.slope[i] * g.s[i] * g.s[i]
        half = 0.5 * g.law_force[i]
        # a stiff row's h is a small difference of large ones, its force is not
        is_stiff = half * half * g.active_mobility[i * g.active_count + i] > 1.0
        psi_increment = (g.f[i] - g.slope[i] * g.s[i]) / half - 2.0 * psi if is_stiff else half * g.s[i]
        psi += psi_increment
        if clip_psi and psi < 1e-13 * (fabs(g.delta_f[i]) + fabs(psi_increment)):
            heat += 0.5 * psi * psi
            psi = 0.0
        g.delta_f[i] = psi
    return heat


cdef inline double frozen_psi_slope(const Law* law, double p) noexcept nogil:
    """g of `paper` and `reset`."""
    return psi_slope_at(law, p) if p > 0.0 else 0.0


cdef inline double initial_psi(const Law* law, double p, double p0) noexcept nogil:
    """psi half a step ago of a row that was put somewhere."""
    return sqrt(potential(law, p) + potential(law, p0))
