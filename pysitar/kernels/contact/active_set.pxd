# The collision of any number of active rows under any laws: Gauss-Seidel sweeps, Newton steps, line
# search. The method is described in solver.pxd.
from libc.math cimport INFINITY, fabs

from pysitar.kernels.contact.law cimport closed_form_force, force_and_slope, newton_force
from pysitar.kernels.contact.law_record cimport VISCOUS, Law
from pysitar.kernels.contact.problem cimport Problem, force_limit, rounding_floor, should_stop
from pysitar.kernels.core.lanes cimport (
    add_scaled, copy, crdouble, maximum, minimum, rdouble, subtract,
)

cdef enum:
    SWEEPS = 2
    MAX_ITERATIONS = 200
    MANY = 512                  # rows per unit of the rounding floor's factor


cdef inline void update_displacement(Problem* g) noexcept nogil:
    """Compute s = u + W f of the active rows from scratch, eq. (26).

    An incremental update would keep the round-off of the large forces of earlier iterations in s.
    """
    cdef Py_ssize_t i
    cdef Py_ssize_t n = g.active_count
    copy(g.s, g.u, n)
    for i in range(n):
        if g.f[i] != 0.0:
            add_scaled(g.s, &g.active_mobility[i * n], g.f[i], n)


cdef inline void load_system(Problem* g) noexcept nogil:
    """Copy the problem of the active rows to the compact vectors."""
    cdef Py_ssize_t i, j, k
    cdef Py_ssize_t n = g.active_count
    for i in range(n):
        k = g.active_rows[i]
        g.p0[i] = g.p_before[k]
        g.e[i] = g.p_free[k]
        g.u[i] = g.solved_drift[k]
        g.f[i] = g.force[k]
        for j in range(n):
            g.active_mobility[i * n + j] = g.solved_mobility[k * g.stride + g.active_rows[j]]
    update_displacement(g)


cdef inline double evaluate_residual(Problem* g, double* residual_floor) noexcept nogil:
    """Evaluate F and D at s; return max|f - F| (N; NaN if any is NaN) and its rounding floor (N).

    The floor is 4 (8e-16 max D (|p0| + |s| + |W||f|) + 4e-16 max|F|): s is a sum whose terms are as
    large as |W||f|, bounded by the square roots of the diagonal because W is semidefinite. Sums of
    more than MANY terms have more round-off, so the floor grows with the number of rows.
    """
    cdef Py_ssize_t i
    cdef double residual = 0.0
    cdef double total = 0.0
    cdef double stiffness_term = 0.0
    cdef double force_term = 0.0
    cdef double displacement_bound = 0.0
    cdef double value
    for i in range(g.active_count):
        displacement_bound += g.mobility_root[g.active_rows[i]] * fabs(g.f[i])
    for i in range(g.active_count):
        g.law_force[i] = force_and_slope(&g.laws[g.active_rows[i]], g.p0[i], g.e[i] - g.s[i],
                                         &g.slope[i])
        value = fabs(g.f[i] - g.law_force[i])
        residual = maximum(value, residual)
        total += value                          # a maximum loses a NaN, a sum keeps it
        stiffness_term = maximum(fabs(g.slope[i]) * (fabs(g.p0[i]) + fabs(g.s[i])
                                                     + g.mobility_root[g.active_rows[i]]
                                                     * displacement_bound), stiffness_term)
        force_term = maximum(fabs(g.law_force[i]), force_term)
    g.greatest_force = force_term
    residual_floor[0] = rounding_floor(stiffness_term, force_term) * (1 + g.active_count // MANY)
    return residual if total == total else total


cdef inline void sweep_rows(Problem* g) noexcept nogil:
    """Do one Gauss-Seidel sweep: solve each active row's equation with the other forces fixed."""
    cdef Py_ssize_t i
    cdef Py_ssize_t n = g.active_count
    cdef const Law* law
    cdef double w, e, force
    cdef bint has_closed_form = True
    for i in range(n):
        law = &g.laws[g.active_rows[i]]
        if g.has_attraction and law.kind > VISCOUS:     # no bracket of its root is known
            continue
        w = g.active_mobility[i * n + i]
        e = g.e[i] - g.s[i] + w * g.f[i]
        force = closed_form_force(law, g.p0[i], e, w, &has_closed_form)
        if not has_closed_form:
            if law.twice_exponent != 2 and n > 1:
                continue                        # Newton on all rows needs fewer costly powers
            force = newton_force(law, g.p0[i], e, w, False)
        add_scaled(g.s, &g.active_mobility[i * n], force - g.f[i], n)
        g.f[i] = force


cdef inline void subtract_outer_product(rdouble row, crdouble column, double factor, double pivot,
                                        Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(n):
        row[j] -= factor * column[j] * pivot


cdef inline void factor_symmetric(Problem* g, Py_ssize_t m) noexcept nogil:
    """Factor W + 1/D on the m rows of `system_rows` as L D L^T, a column at a time.

    Columns are skipped in the rows where they are 0: the two directions of a string cost no more
    than each alone.
    """
    cdef Py_ssize_t i, j, k
    cdef double* lower = g.factor
    cdef double* column = g.column
    cdef double* row
    for i in range(m):
        row = &g.active_mobility[g.system_rows[i] * g.active_count]
        for j in range(i + 1):
            lower[i * m + j] = row[g.system_rows[j]]
        lower[i * m + i] += g.compliance[i]
    for k in range(m):
        # W is semidefinite, so apart from round-off a pivot is at least 1/D
        g.pivot[k] = maximum(lower[k * m + k], g.compliance[k])
        g.inverse_pivot[k] = 1.0 / g.pivot[k]
        for i in range(k + 1, m):
            column[i] = lower[i * m + k] * g.inverse_pivot[k]
            lower[i * m + k] = column[i]
        for i in range(k + 1, m):
            if column[i] != 0.0:
                subtract_outer_product(&lower[i * m + k + 1], &column[k + 1], column[i],
                                       g.pivot[k], i - k)


cdef inline void solve_factored(Problem* g, Py_ssize_t m) noexcept nogil:
    """Solve (W + 1/D) f = rhs on the factored m rows of `system_rows`; f overwrites rhs."""
    cdef Py_ssize_t i, k
    cdef double* lower = g.factor
    for i in range(m):
        for k in range(i):
            g.rhs[i] -= lower[i * m + k] * g.rhs[k]
    for i in range(m - 1, -1, -1):
        g.rhs[i] *= g.inverse_pivot[i]
        for k in range(i + 1, m):
            g.rhs[i] -= lower[k * m + i] * g.rhs[k]


cdef inline void solve_symmetric(Problem* g, Py_ssize_t m) noexcept nogil:
    """Factor W + 1/D, then solve as `solve_factored`."""
    factor_symmetric(g, m)
    solve_factored(g, m)


cdef inline void find_general_change(Problem* g) noexcept nogil:
    """Compute the Newton change of f where a slope may be negative: (1 + D W) f = F + D (s - u), by
    elimination with pivots.

    While 1 + W D is positive the objective stays convex and the change descends, so the line search
    guards it as it does the others.
    """
    cdef Py_ssize_t i, j, k, best
    cdef Py_ssize_t n = g.active_count
    cdef double* a = g.factor
    cdef double factor
    for i in range(n):
        for j in range(n):
            a[i * n + j] = g.slope[i] * g.active_mobility[i * n + j] + (1.0 if i == j else 0.0)
        g.rhs[i] = g.law_force[i] + g.slope[i] * (g.s[i] - g.u[i])
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if fabs(a[i * n + k]) > fabs(a[best * n + k]):
                best = i
        for j in range(n):
            factor = a[k * n + j]
            a[k * n + j], a[best * n + j] = a[best * n + j], factor
        factor = g.rhs[k]
        g.rhs[k], g.rhs[best] = g.rhs[best], factor
        for i in range(k + 1, n):
            factor = a[i * n + k] / a[k * n + k]
            for j in range(k, n):
                a[i * n + j] -= factor * a[k * n + j]
            g.rhs[i] -= factor * g.rhs[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            g.rhs[k] -= a[k * n + j] * g.rhs[j]
        g.rhs[k] /= a[k * n + k]
        g.delta_f[k] = g.rhs[k] - g.f[k]


cdef inline void find_newton_change(Problem* g) noexcept nogil:
    """Compute the Newton change of f, eqs. (29), (30) in symmetric form.

    Rows with D = 0 get f = F, which is 0 but for friction.
    """
    cdef Py_ssize_t i, j
    cdef Py_ssize_t m = 0
    if g.has_attraction:
        find_general_change(g)
        return
    for i in range(g.active_count):
        g.delta_f[i] = -g.f[i]
        if g.slope[i] > 0.0:
            g.compliance[m] = 1.0 / g.slope[i]
            g.rhs[m] = g.law_force[i] * g.compliance[m] + (g.s[i] - g.u[i])
            g.system_rows[m] = <int>i
            m += 1
    if g.has_friction:
        for j in range(g.active_count):
            if not g.slope[j] > 0.0 and g.law_force[j] != 0.0:
                g.delta_f[j] += g.law_force[j]
                for i in range(m):
                    g.rhs[i] -= (g.active_mobility[g.system_rows[i] * g.active_count + j]
                                 * g.law_force[j])
    solve_symmetric(g, m)
    for i in range(m):
        g.delta_f[g.system_rows[i]] += g.rhs[i]


cdef inline double dot_difference(crdouble x, crdouble a, crdouble b, Py_ssize_t n) noexcept nogil:
    """Return x . (a - b)."""
    cdef double sum = 0.0
    cdef Py_ssize_t i
    for i in range(n):
        sum += x[i] * (a[i] - b[i])
    return sum


cdef inline double search_line(Problem* g, double* residual_floor) noexcept nogil:
    """Step along delta_f until the slope of the objective has halved.

    With friction, whose forces jump in slope where they reach the bound, it must not be steeper
    downwards either: the length is then bracketed. Return max|f - F| (N) there.
    """
    cdef Py_ssize_t n = g.active_count
    cdef double start_slope, trial_value, residual
    cdef double length = 1.0
    cdef double low = 0.0
    cdef double low_slope, high, high_slope
    copy(g.f_start, g.f, n)
    add_scaled(g.f, g.delta_f, 1.0, n)
    copy(g.s_start, g.s, n)
    update_displacement(g)
    subtract(g.delta_s, g.s, g.s_start, n)
    start_slope = dot_difference(g.delta_s, g.f_start, g.law_force, n)
    low_slope, high, high_slope = start_slope, 1.0, 0.0
    for _ in range(40):
        residual = evaluate_residual(g, residual_floor)
        if residual <= residual_floor[0]:
            break  # at the rounding floor the sign of the slope is noise
        # the objective's derivative along the change, delta_s . (f - F(s)), J
        trial_value = dot_difference(g.delta_s, g.f, g.law_force, n)
        if ((trial_value <= 0.5 * fabs(start_slope)
             and not (g.has_friction and length < 1.0 and trial_value < 0.5 * start_slope))
                or trial_value == start_slope):
            break
        if g.has_friction:
            if trial_value > 0.0:
                high, high_slope = length, trial_value
            else:
                low, low_slope = length, trial_value
            trial_value = low + (high - low) * maximum(
                0.1, minimum(0.9, low_slope / (low_slope - high_slope)))
        else:
            trial_value = maximum(0.1 * length, length * start_slope / (start_slope - trial_value))
        copy(g.f, g.f_start, n)
        add_scaled(g.f, g.delta_f, trial_value, n)
        add_scaled(g.s, g.delta_s, trial_value - length, n)
        length = trial_value
    return residual


cdef inline bint solve_active_set(Problem* g, double tolerance, int* iterations) noexcept nogil:
    """Solve for the active rows from the guess f; return True if the stopping rule was reached."""
    cdef double residual_floor = 0.0
    cdef double last_residual = INFINITY
    cdef double residual
    load_system(g)
    if not g.has_near_guess:
        for _ in range(SWEEPS + g.extra_sweeps if g.active_count > 1 else 1):
            sweep_rows(g)
    residual = evaluate_residual(g, &residual_floor)
    while (iterations[0] < MAX_ITERATIONS
           and not should_stop(residual, residual_floor, force_limit(g, tolerance),
                               last_residual)):
        last_residual = residual
        find_newton_change(g)
        residual = search_line(g, &residual_floor)
        iterations[0] += 1
    return residual <= residual_floor or residual <= tolerance
