# The energy root psi = sqrt(2 phi) of a contact. With the stored energy written as psi^2 / 2 a
# scheme is explicit (Ducceschi & Bilbao 2019, section III-C, signs of the printed equations
# corrected).
#
# Over a step p goes from p0 = p(n - 1) to p0 + h; free_increment is h without contact, so
# h = free_increment - W F. With a slope g >= 0,
#   F = g (psi + psi+) / 2 + r h,   psi+ = psi + g h / 2
# so F h = (psi+^2 - psi^2) / 2 + r h^2 for any g: the energy balance is exact and does not verify
# g. The damper r = damping K max(p(n), 0)^exponent / (2 dt) is that of NESS. The variants differ in
# g and in psi after a release:
#   paper     g = psi'(p(n)); psi is frozen while p(n) <= 0, so later contacts may pull
#   reset     as paper, but g at most the limit; if p(n) <= 0, psi := 0 and psi^2 / 2 is dissipated
#   tracking  g for which F is the discrete gradient between p0 and the p(n + 1) predicted by one
#             Newton step: second order, no dissipation
# The limit is the g with which psi+ = 0; above it the contact would pull later. With g at the limit
# psi+ is set to exactly 0, because a negative round-off residue would make the next limit negative.
# Coupled rows each have their own g; F solves one symmetric positive definite system, without
# iteration (`solve_psi_forces`). The limit is derived for a single row and does not hold for
# coupled rows: for rows that pull, g := 0 and psi is kept, and the others are solved again.
# `tracking` then sets a negative psi to 0 and counts psi^2 / 2 as dissipated (of third order).
from libc.math cimport INFINITY, fabs, sqrt

from pysitar.kernels.contact.active_set cimport solve_symmetric
from pysitar.kernels.contact.law cimport potential
from pysitar.kernels.contact.law_record cimport Law
from pysitar.kernels.contact.power_law cimport discrete_gradient, power_of, psi_slope_at
from pysitar.kernels.contact.problem cimport Problem

cdef enum Variant:
    VARIANT_PAPER = 0
    VARIANT_RESET = 1
    VARIANT_TRACKING = 2


cdef inline double psi_slope_limit(double free_increment, double w, double psi) noexcept nogil:
    """Return the g with which psi+ = 0 after a step with a free increment (m)."""
    cdef double hypotenuse
    if psi <= 0.0:
        return 0.0 if free_increment < 0.0 else INFINITY
    hypotenuse = sqrt(free_increment * free_increment + 4.0 * w * psi * psi)
    return ((free_increment + hypotenuse) / (w * psi) if free_increment > 0.0
            else 4.0 * psi / (hypotenuse - free_increment))


cdef inline double mean_force_from_energy(const Law* law, double p0, double start_energy, double p1,
                                          double* end_energy, double* slope) noexcept nogil:
    """Return (phi(p1) - phi(p0)) / (p1 - p0), N, its derivative by p1 and phi(p1).

    start_energy = phi(p0).
    """
    cdef double h = p1 - p0
    cdef double power = 0.0
    cdef double force, middle
    end_energy[0] = 0.0
    if p1 > 0.0:
        power = law.stiffness * power_of(law, p1)
        end_energy[0] = power * p1 / (law.exponent + 1.0)
    # the slope's quotient would cancel; below 1e-7 the force's too
    if fabs(h) <= 1e-4 * (fabs(p0) + fabs(p1)):
        middle = 0.5 * (p0 + p1)
        force = law.stiffness * power_of(law, middle) if middle > 0.0 else 0.0
        slope[0] = 0.5 * law.exponent * force / middle if middle > 0.0 else 0.0
        if fabs(h) <= 1e-7 * (fabs(p0) + fabs(p1)):
            return force
        return (end_energy[0] - start_energy) / h
    return discrete_gradient(end_energy[0] - start_energy, h, power, slope)


cdef inline double predicted_compression(const Law* law, double p0, double p, double start_energy,
                                         double free_increment, double w) noexcept nogil:
    """Return p(n + 1) after one Newton step from 2 p(n) - p(n - 1), m; start_energy = phi(p0)."""
    cdef double guess = 2.0 * p - p0
    cdef double unused_value, slope
    cdef double force = mean_force_from_energy(law, p0, start_energy, guess, &unused_value, &slope)
    return guess - (guess - (p0 + free_increment) + w * force) / (1.0 + w * slope)


cdef inline double tracking_psi_slope(const Law* law, double p0, double p, double start_energy,
                                      double energy_now, double p_ahead, double free_increment,
                                      double w, double psi, bint* is_limited) noexcept nogil:
    """Return g of `tracking` for a predicted p(n + 1) = p_ahead, and whether g is the limit."""
    cdef double energy_ahead, unused_value
    cdef double force = mean_force_from_energy(law, p0, start_energy, p_ahead, &energy_ahead,
                                               &unused_value)
    cdef double sum = sqrt(energy_now + energy_ahead) + psi
    cdef double psi_slope = 2.0 * force / sum if sum > 0.0 else 0.0
    cdef double limit = psi_slope_limit(free_increment, w, psi)
    is_limited[0] = psi_slope > limit or (p <= 0.0 and p_ahead <= 0.0 and free_increment < 0.0)
    return limit if is_limited[0] else psi_slope


cdef inline double clamped_psi(double psi, double psi_slope, double free_increment) noexcept nogil:
    """Return psi+ of a row whose force is clamped at 0; the decrease of psi^2 / 2 is dissipated."""
    cdef double psi_after = psi + 0.5 * psi_slope * free_increment
    psi_after = psi_after if psi_after > 0.0 else 0.0
    return psi_after if psi_after < fabs(psi) else fabs(psi)


# Coupled rows are the active rows of a Problem. The functions below, and their callers in
# grid/explicit.pxd and modal/explicit.pxd, use its vectors for other quantities than solver.pxd
# does:
#
#   vector      here                                                        in solver.pxd
#   p0          p(n - 1), m                                                 p0, m
#   e           p(n), m                                                     e, m
#   u           free_increment, m                                           u, m
#   slope       r, the damper's rate, N/m                                   D, N/m
#   f           F, N                                                        f, N
#   s           h, m                                                        s, m
#   delta_f     psi, then psi+, J^(1/2)                                     change of f, N
#   law_force   g, J^(1/2)/m; dF/dp1, N/m, in `predict_compressions`        F(s), N
#   s_start     phi(p0), J                                                  s before a search, m
#   f_start     phi(p(n)), J                                                f before a search, N
#   delta_s     predicted p(n + 1), m; from `solve_psi_forces` on:          change of s, m
#               g of a clamped row, -1 of the others

cdef inline void load_active_mobility(Problem* g) noexcept nogil:
    """Copy W of the active rows to active_mobility."""
    cdef Py_ssize_t i, j
    cdef Py_ssize_t n = g.active_count
    for i in range(n):
        for j in range(n):
            g.active_mobility[i * n + j] = g.mobility[g.active_rows[i] * g.stride
                                                      + g.active_rows[j]]


cdef inline double contact_displacement(const Problem* g, Py_ssize_t i) noexcept nogil:
    """Return the displacement (W F)_i of a row by the contact forces, m."""
    cdef Py_ssize_t j
    cdef double sum = 0.0
    for j in range(g.active_count):
        sum += g.active_mobility[i * g.active_count + j] * g.f[j]
    return sum


cdef inline void predict_compressions(Problem* g) noexcept nogil:
    """Predict p(n + 1) of all rows by one Newton step of the coupled system, and the forces f
    there."""
    cdef Py_ssize_t i
    cdef Py_ssize_t m = 0
    cdef Py_ssize_t n = g.active_count
    cdef double guess, slope, unused_value
    for i in range(n):
        guess = 2.0 * g.e[i] - g.p0[i]
        g.f[i] = (mean_force_from_energy(&g.laws[g.active_rows[i]], g.p0[i], g.s_start[i], guess,
                                         &unused_value, &slope) + g.slope[i] * (guess - g.p0[i]))
        g.law_force[i] = slope + g.slope[i]
        g.delta_s[i] = guess
    for i in range(n):
        g.s[i] = g.p0[i] + g.u[i] - g.delta_s[i] - contact_displacement(g, i)  # residual, m
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
        g.f[i] = (mean_force_from_energy(&g.laws[g.active_rows[i]], g.p0[i], g.s_start[i],
                                         g.delta_s[i], &unused_value, &slope)
                  + g.slope[i] * (g.delta_s[i] - g.p0[i]))


cdef inline void find_coupled_slopes(Problem* g) noexcept nogil:
    """Compute g of `tracking`.

    A row's free increment includes the predicted forces of the others.
    """
    cdef Py_ssize_t i
    cdef double w, damper_factor
    cdef bint unused_value
    predict_compressions(g)
    for i in range(g.active_count):
        w = g.active_mobility[i * g.active_count + i]
        damper_factor = 1.0 / (1.0 + w * g.slope[i])
        g.law_force[i] = tracking_psi_slope(&g.laws[g.active_rows[i]], g.p0[i], g.e[i],
                                            g.s_start[i], g.f_start[i], g.delta_s[i],
                                            damper_factor
                                            * (g.u[i] - (contact_displacement(g, i) - w * g.f[i])),
                                            damper_factor * w, g.delta_f[i], &unused_value)


cdef inline bint drop_pulling_rows(Problem* g, bint forbid_pull) noexcept nogil:
    """Set g = 0 for rows that pull (if forbid_pull) or are clamped.

    Return True if there are any.
    """
    cdef Py_ssize_t i
    cdef bint has_dropped = False
    for i in range(g.active_count):
        if not g.laws[g.active_rows[i]].adhesive and g.f[i] < 0.0:
            g.delta_s[i] = g.law_force[i]
            g.law_force[i] = g.slope[i] = 0.0
            has_dropped = True
        elif (forbid_pull and g.law_force[i] > 0.0
              and g.delta_f[i] + 0.25 * g.law_force[i] * g.s[i] < 0.0):
            g.law_force[i] = 0.0
            has_dropped = True
    return has_dropped


cdef inline void solve_psi_forces(Problem* g, bint forbid_pull) noexcept nogil:
    """Solve for F and h: (W + 1 / a) F = free_increment + g psi / a, a = g^2 / 4 + r.

    With forbid_pull, rows that pull are removed and the rest is solved again until none pulls.
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
    """Update psi (delta_f) to psi+ and return the dissipated energy, J.

    clip_psi: set a negative psi+, and one that is only round-off and would later be a divisor, to
    0.
    """
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
        # of a stiff row h is a small difference of large terms, F is not
        is_stiff = half * half * g.active_mobility[i * g.active_count + i] > 1.0
        psi_increment = ((g.f[i] - g.slope[i] * g.s[i]) / half - 2.0 * psi if is_stiff
                         else half * g.s[i])
        psi += psi_increment
        if clip_psi and psi < 1e-13 * (fabs(g.delta_f[i]) + fabs(psi_increment)):
            heat += 0.5 * psi * psi
            psi = 0.0
        g.delta_f[i] = psi
    return heat


cdef inline double frozen_psi_slope(const Law* law, double p) noexcept nogil:
    """Return g of `paper` and of `reset` below its limit."""
    return psi_slope_at(law, p) if p > 0.0 else 0.0


cdef inline double initial_psi(const Law* law, double p, double p0) noexcept nogil:
    """Return psi half a step before a state set by the caller, with compressions p and p0 (m)."""
    return sqrt(potential(law, p) + potential(law, p0))
