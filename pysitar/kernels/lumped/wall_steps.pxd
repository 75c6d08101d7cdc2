# One step of a mass against a rigid wall, by six schemes. x is the compression (m), v its rate
# (m/s), positive towards the wall; the force is k x^a (1 + mu v) for x > 0, and gravity g acts
# towards the wall.
#
# invariant: with u = ln(1 + mu v)/mu the motion is u' = -V'(x)/m, x' = (e^(mu u) - 1)/mu, a
#   separable Hamiltonian system. Its discrete gradient conserves
#     I = V(x) + m (mu v - ln(1 + mu v))/mu^2,
#   so the mass leaves with the exact velocity, never exceeds the exact greatest compression and
#   never gains energy. The step solves
#     D = h E(u, du), du = -(h/m) G(x, D),
#   with E the mean of x' over [u, u + du] and G the mean force: the difference of the two sides is
#   an increasing function of D with one root for all parameters. Gravity is applied as two half
#   kicks (exact in flight).
# energy: a discrete gradient in x and v: the force G(x, D) max(0, 1 + mu D/h) dissipates
#   h mu G (D/h)^2 exactly.
# am1, verlet, heun, rk4: Papetti, Avanzini & Rocchesso 2009, eqs. (20) to (23), signs of the
#   printed equations corrected; the predicted force is kept for the next step. `corrected` adds
#   their eqs. (24) to (26).
from libc.math cimport INFINITY, fabs, sqrt

from pysitar.kernels.contact.law cimport (
    closed_form_force, force_and_slope, newton_force, potential,
)
from pysitar.kernels.contact.law_record cimport Law
from pysitar.kernels.contact.mean_force cimport MeanForce, advance_start, mean_force, set_start
from pysitar.kernels.contact.power_law cimport power_of
from pysitar.kernels.core.elementary_functions cimport exp, expm1, log1p, pow
from pysitar.kernels.core.newton cimport Bracket, next_guess, open_bracket

cdef enum Scheme:
    INVARIANT = 0
    ENERGY = 1
    AM1 = 2
    VERLET = 3
    HEUN = 4
    RK4 = 5

cdef enum:
    MAX_ITERATIONS = 200        # of a solve

cdef struct Wall:
    Scheme scheme
    bint has_correction         # eqs. (24) to (26) are applied
    Law law
    MeanForce mean_force
    double mass                 # kg
    double hysteresis           # mu, s/m
    double gravity              # m/s^2
    double time_step            # h, s
    double step_per_mass        # h/m, s/kg
    double x                    # compression, m
    double v                    # its rate, m/s
    double force  # over the last step (invariant, energy), else at the present time, N
    bint is_correcting          # the present impact is being corrected
    double max_compression      # its x_max, m
    double exit_velocity        # its v_out, m/s
    double weight_compression   # greatest compression by the weight alone, released at x = 0, m
    long long solves
    long long iterations        # of all solves
    int most_iterations         # of one solve
    long long failures          # solves that did not converge


cdef inline double wall_force(const Wall* s, double x, double v) noexcept nogil:
    return s.law.stiffness * power_of(&s.law, x) * (1.0 + s.hysteresis * v) if x > 0.0 else 0.0


cdef inline double wall_energy(const Wall* s) noexcept nogil:
    """Return the sum of kinetic, elastic and gravitational energy, J."""
    cdef double elastic_energy = (s.mean_force.start_energy if s.scheme == INVARIANT
                                  else potential(&s.law, s.x))
    return 0.5 * s.mass * s.v * s.v + elastic_energy - s.mass * s.gravity * s.x


cdef inline double second_phi(double z, double* first, double* slope) noexcept nogil:
    """Return (e^z - 1 - z)/z^2 for z <= 0; first is (e^z - 1)/z, slope its derivative."""
    cdef double z2, z4, z8, power, phi
    if z < -0.5:
        power = exp(z)
        first[0] = (power - 1.0) / z
        slope[0] = (power - first[0]) / z
        return (first[0] - 1.0) / z
    z2 = z * z
    z4 = z2 * z2
    z8 = z4 * z4
    phi = (((1.0 / 2.0 + z * (1.0 / 6.0)) + z2 * (1.0 / 24.0 + z * (1.0 / 120.0)))
           + z4 * ((1.0 / 720.0 + z * (1.0 / 5040.0)) + z2 * (1.0 / 40320.0 + z * (1.0 / 362880.0)))
           + z8 * ((1.0 / 3628800.0 + z * (1.0 / 39916800.0))
                   + z2 * (1.0 / 479001600.0 + z * (1.0 / 6227020800.0)))
           + z8 * z4 * (1.0 / 87178291200.0 + z * (1.0 / 1307674368000.0)))
    first[0] = 1.0 + z * phi
    slope[0] = 1.0 + (z - 1.0) * phi
    return phi


cdef inline void count_solve(Wall* s, int iterations) noexcept nogil:
    s.solves += 1
    s.iterations += iterations
    s.most_iterations = iterations if iterations > s.most_iterations else s.most_iterations
    s.failures += iterations >= MAX_ITERATIONS


cdef inline double first_guess(const Wall* s, double v, double c) noexcept nogil:
    """Return a guess of x after the step; in contact it is of third order in the time step."""
    cdef double increment = s.time_step * v
    cdef double x = s.x
    cdef double du, push
    if x <= 0.0:
        return x + increment
    du = s.step_per_mass * s.mean_force.start_force
    push = s.time_step * c * du
    if push > x:
        return 0.0
    if fabs(increment) > x:
        return x + increment - 0.5 * push
    return (x + increment - push * ((0.5 - s.hysteresis * du * (1.0 / 6.0))
                                    + 0.25 * s.mean_force.exponent * (increment / x)))


cdef inline void step_invariant(Wall* s) noexcept nogil:
    cdef double h = s.time_step
    cdef double mu = s.hysteresis
    cdef double x = s.x
    cdef double half_kick = 0.5 * h * s.gravity
    cdef double v = s.v + half_kick
    cdef double c = 1.0 + mu * v
    cdef double order_squared = (s.mean_force.exponent + 1.0) * (s.mean_force.exponent + 1.0)
    cdef double y, mean, mean_slope, du, z, phi, first, slope, r, residual_slope, step, guess, scale
    cdef Bracket bracket
    cdef int iterations = 0
    if x <= 0.0 and x + h * v <= 0.0:
        s.x = x + h * v
        s.v = v + half_kick
        s.force = 0.0
        set_start(&s.mean_force, s.x)
        return
    c = c if c > 0.0 else 0.0
    y = first_guess(s, v, c)
    open_bracket(&bracket, -INFINITY, INFINITY)
    while iterations < MAX_ITERATIONS:
        iterations += 1
        mean = mean_force(&s.mean_force, y, &mean_slope)
        du = -s.step_per_mass * mean
        z = mu * du
        phi = second_phi(z, &first, &slope)
        r = (y - x) - h * (v + (c * du) * phi)
        residual_slope = 1.0 + (h * c * s.step_per_mass * mean_slope) * slope
        step = -r / residual_slope
        scale = y if y > x else x
        # the error after a Newton step is of second order: here below 1e-17 of the compression
        if (order_squared * residual_slope * step * step <= 1e-17 * scale * scale
                or fabs(r) <= 4e-16 * (fabs(y - x) + h * fabs(v))):
            break
        # r grows at least as fast as y
        if r > 0.0:
            bracket.low = y - r if y - r > bracket.low else bracket.low
        else:
            bracket.high = y - r if y - r < bracket.high else bracket.high
        guess = next_guess(&bracket, y, r, step, True)
        if not bracket.low < guess < bracket.high:
            step = 0.0
            break
        y = guess
    count_solve(s, iterations)
    # the last Newton step without another evaluation
    advance_start(&s.mean_force, y, mean, mean_slope, step)
    mean_slope *= s.step_per_mass * step
    first -= mu * slope * mean_slope
    du -= mean_slope
    s.x = s.mean_force.start
    s.v = v + c * du * first + half_kick
    s.force = -c * du * first / s.step_per_mass


cdef inline void step_energy(Wall* s) noexcept nogil:
    cdef double h = s.time_step
    cdef double x = s.x
    cdef double free_x = x + (h * s.v + 0.5 * h * h * s.gravity)
    cdef double mobility = 0.5 * h * h / s.mass
    cdef double force_error, slope
    cdef bint has_closed_form
    s.force = 0.0
    s.x = free_x
    if x > 0.0 or free_x > 0.0:
        s.force = closed_form_force(&s.law, x, free_x, mobility, &has_closed_form)
        if not has_closed_form:
            s.force = newton_force(&s.law, x, free_x, mobility, False)
        count_solve(s, 1)
        s.x = free_x - mobility * s.force
        if 0.0 < s.x < 0.01 * free_x:
            # far too stiff for the time step: x from the law has less round-off than the difference
            force_error = force_and_slope(&s.law, x, s.x, &slope) - s.force
            if slope * mobility > 1.0:
                s.x -= force_error / slope
    s.v += h * (s.gravity - s.force / s.mass)


cdef inline void step_am1(Wall* s) noexcept nogil:
    """Eq. (20), the K-method: f = force(x0 - h^2/(4m) f, v0 - h/(2m) f) by bracketed Newton."""
    cdef double h = s.time_step
    cdef double to_v = 0.5 * h / s.mass
    cdef double to_x = 0.5 * h * to_v
    cdef double x0 = s.x + h * s.v - to_x * s.force + 0.5 * h * h * s.gravity
    cdef double v0 = s.v - to_v * s.force + h * s.gravity
    cdef double f = wall_force(s, x0, v0)
    cdef double x, v, r, elastic_part, damping_factor, residual_slope, guess
    cdef Bracket bracket
    cdef int iterations = 0
    # the force is 0 where v = -1/mu
    open_bracket(&bracket, (v0 + 1.0 / s.hysteresis) / to_v if f < 0.0 else 0.0,
                 f if f > 0.0 else 0.0)
    if f != 0.0:
        while iterations < MAX_ITERATIONS:
            iterations += 1
            x = x0 - to_x * f
            v = v0 - to_v * f
            elastic_part = s.law.stiffness * power_of(&s.law, x) if x > 0.0 else 0.0
            damping_factor = 1.0 + s.hysteresis * v
            r = f - elastic_part * damping_factor
            if fabs(r) <= 4e-16 * fabs(f):
                break
            residual_slope = (1.0 + elastic_part * s.hysteresis * to_v
                              + (elastic_part * s.law.exponent / x * damping_factor * to_x
                                 if x > 0.0 else 0.0))
            guess = next_guess(&bracket, f, r, -r / residual_slope, True)
            if not bracket.low < guess < bracket.high:
                break
            f = guess
        count_solve(s, iterations)
    s.x = x0 - to_x * f
    s.v = v0 - to_v * f
    s.force = f


cdef inline void step_verlet(Wall* s) noexcept nogil:
    """Eq. (21)."""
    cdef double h = s.time_step
    cdef double half = s.v + 0.5 * h * (s.gravity - s.force / s.mass)
    s.x += h * half
    s.force = wall_force(s, s.x, half)
    s.v = half + 0.5 * h * (s.gravity - s.force / s.mass)


cdef inline void step_heun(Wall* s) noexcept nogil:
    """Eq. (22); unlike in the textbook scheme, the force uses the corrected x."""
    cdef double h = s.time_step
    cdef double euler = s.v + h * (s.gravity - s.force / s.mass)
    cdef double force_before = s.force
    s.x += 0.5 * h * (s.v + euler)
    s.force = wall_force(s, s.x, euler)
    s.v += h * (s.gravity - 0.5 * (force_before + s.force) / s.mass)


cdef inline void step_rk4(Wall* s) noexcept nogil:
    """Eq. (23)."""
    cdef double h = s.time_step
    cdef double g = h * s.gravity
    cdef double l1 = h * s.v
    cdef double k1 = g - s.step_per_mass * s.force
    cdef double l2 = h * (s.v + 0.5 * k1)
    cdef double k2 = g - s.step_per_mass * wall_force(s, s.x + 0.5 * l1, s.v + 0.5 * k1)
    cdef double l3 = h * (s.v + 0.5 * k2)
    cdef double k3 = g - s.step_per_mass * wall_force(s, s.x + 0.5 * l2, s.v + 0.5 * k2)
    cdef double l4 = h * (s.v + k3)
    cdef double k4 = g - s.step_per_mass * wall_force(s, s.x + l3, s.v + k3)
    s.x += (l1 + 2.0 * (l2 + l3) + l4) / 6.0
    s.v += (k1 + 2.0 * (k2 + k3) + k4) / 6.0


cdef inline void predict_impact(Wall* s, double velocity) noexcept nogil:
    """Compute x_max, eq. (4), and the fitted v_out, eqs. (7), (8), for an impact velocity (m/s).

    The formulas are free of cancellation.
    """
    cdef double a = s.hysteresis * velocity
    cdef double r = a / (2.0 + a)
    cdef double curvature = 0.0
    cdef double decay_series = a * (1.0 + a * (2.0 / 3.0 + a * (2.0 / 9.0 + a * (14.0 / 135.0))))
    cdef int k
    if a >= 0.35:
        curvature = 2.0 * (1.0 - log1p(a) / a) / a
    else:
        for k in range(15, -1, -1):
            curvature = curvature * r * r + 1.0 / (2 * k + 3)
        curvature = 2.0 * (1.0 - 2.0 * r * curvature / (2.0 + a)) / (2.0 + a)
    s.max_compression = pow(0.5 * (s.law.exponent + 1.0) * s.mass / s.law.stiffness * velocity
                            * velocity * curvature, 1.0 / (s.law.exponent + 1.0))
    s.exit_velocity = (velocity * (expm1(-2.0 * a) + decay_series * exp(-2.0 * a)) / a if a > 0.0
                       else -velocity)


cdef inline void apply_correction(Wall* s, double x, double v) noexcept nogil:
    """Apply the corrections of section 4.2 after a step from (x, v): x <= x_max, v_out at the first
    x <= 0.

    x_max neglects gravity: if the weight alone compresses further, limiting x would hold the mass
    at the wall for ever, so no correction is applied.
    """
    if not s.is_correcting and x <= 0.0 and s.x > 0.0:
        predict_impact(s, sqrt(v * v - 2.0 * s.gravity * x))
        s.is_correcting = s.max_compression > s.weight_compression
    if not s.is_correcting:
        return
    s.x = s.x if s.x < s.max_compression else s.max_compression
    if s.x <= 0.0:
        s.v = s.exit_velocity
        s.is_correcting = False


cdef inline void take_step(Wall* s) noexcept nogil:
    cdef double x = s.x
    cdef double v = s.v
    if s.scheme == INVARIANT:
        step_invariant(s)
    elif s.scheme == ENERGY:
        step_energy(s)
    elif s.scheme == AM1:
        step_am1(s)
    elif s.scheme == VERLET:
        step_verlet(s)
    elif s.scheme == HEUN:
        step_heun(s)
    else:
        step_rk4(s)
    if s.has_correction:
        apply_correction(s, x, v)
    if s.scheme == RK4:
        s.force = wall_force(s, s.x, s.v)
