# A mass or an oscillator below a one-sided power-law barrier, by every scheme that the papers
# compare.
#
# State: compression p = y - barrier (m) and increment d = y^n - y^(n-1) (m); storing d keeps the
# energy to round-off. Each scheme is h + w F(p0, p0 + h) = c, with F of contact/law.pxd and
# k = (omega dt)^2:
#   two-point (Chatziioannou & van Walstijn 2017, eq. (8))
#             w = dt^2/(2 m), p0 = p^n, c = d = dt v^n; then v^(n+1) from d - 2 w F
#             H^n = d^2/(4 w) + phi(p^n)
#   three-point (eq. (7) there; with k it is Ducceschi & Bilbao 2019, eq. (23), a = u^(n-1) - b,
#             printed b - u^(n-1))
#             w = dt^2/m, p0 = p^(n-1), c = 2 d - k y^n; then d becomes c - w F - d
#             H^(n-1/2) = (d^2 + k y^n y^(n-1))/(2 w) + (phi(p^n) + phi(p^(n-1)))/2
#   explicit (Ducceschi & Bilbao 2019, eqs. (24)-(28))
#             F = g (psi^(n-1/2) + psi^(n+1/2))/2, psi^(n+1/2) = psi^(n-1/2) + g h/2;
#             h + w F = c is solved by division
#             H^(n-1/2) = (d^2 + k y^n y^(n-1))/(2 w) + psi^2/2 for any g
# The variants of the explicit scheme differ in g outside of contact, where eq. (26) is 0/0:
#   paper     g = 0: psi keeps its value at the end of the contact
#   sign      the g that nearly cancels psi in one step; in contact g has the sign of psi
#   release   no g: psi^2/2 is converted into motion in one step, exactly
#   midpoint  as release; in contact g makes psi equal sqrt(2 phi) at the middle of the coming
#             step, by two fixed-point passes
# With a correction (contact/correction.pxd) the stiffness is K s during a contact.
from pysitar.kernels.core.arrays import check_lengths

from libc.math cimport fabs, isfinite, sqrt

from pysitar.kernels.contact.correction cimport Correction, correction_factor, make_correction
from pysitar.kernels.contact.law cimport closed_form_step, potential, set_law
from pysitar.kernels.contact.law_record cimport CONTACT, Law
from pysitar.kernels.contact.power_law cimport force_from_guess, psi_slope_at

cdef enum Scheme:
    TWO_POINT_SCHEME = 0
    THREE_POINT_SCHEME = 1
    PAPER_SCHEME = 2
    SIGN_SCHEME = 3
    RELEASE_SCHEME = 4
    MIDPOINT_SCHEME = 5

SCHEMES = ("two-point", "three-point", "paper", "sign", "release", "midpoint")

cdef double MIN_PSI = 1e-150  # smaller values decay to denormals and are set to 0, J^(1/2)
cdef double MAX_PSI_SLOPE = 1e100  # limit of g: w g^2 must not overflow, and any g keeps the energy

cdef struct Motion:             # what changes in every step
    double y                    # position, m: barrier + p in contact; in flight p = y - barrier
    double p                    # compression p^n, m
    double p_before             # p^(n-1), m
    double d                    # y^n - y^(n-1), m
    double contact_energy       # phi(p), J
    double contact_energy_before  # phi(p^(n-1)), J
    double psi                  # psi^(n-1/2), J^(1/2)

cdef struct State:
    Law law                     # with the stiffness of the present contact
    Scheme scheme
    double w                    # mobility, m/N
    double k                    # (omega dt)^2
    double time_step            # s
    double barrier              # position of the barrier, m
    double kinetic_factor       # kinetic energy over d^2, N/m
    Motion motion
    double force[4]             # of the last steps in contact, newest first, N
    bint has_correction
    Correction correction
    double stiffness_factor     # s of the last contact
    double entry_speed          # of the last contact, m/s
    long long contacts          # contacts begun
    long long evaluations       # evaluations of the law
    long long failures          # failed solves


cdef void correct_entry(State* s, double p, double increment) noexcept nogil:
    """Set the stiffness of a contact that begins, from the speed at the barrier.

    increment: time step times the speed at p in free motion, m.
    """
    cdef double speed_squared = increment * increment + s.k * p * (p + 2.0 * s.barrier)
    cdef double speed = (sqrt(speed_squared) if speed_squared > 0.0 else increment) / s.time_step
    s.entry_speed = speed
    s.stiffness_factor = correction_factor(&s.correction, speed)
    s.law.stiffness = s.stiffness_factor * s.correction.stiffness


cdef inline double update_position(double barrier, double y, double d, double p0, double h,
                                   double c, double* p) noexcept nogil:
    """Return y (m) after an increment d in contact, and update p.

    The round-off of the solver's p has a bias that accumulates; h has only the round-off of c. So p
    is taken from the solver only if h and c are not small beside it, else from h, or from y if y is
    the smaller of the two.
    """
    cdef double p_size = fabs(p[0])
    if 2.0 * (fabs(h) + fabs(c)) < p_size:
        if 2.0 * (fabs(y) + fabs(d)) < p_size:
            p[0] = y + d - barrier
            return y + d
        p[0] = p0 + h
    return barrier + p[0]


cdef inline double solve_force(State* s, double p0, double c, double contact_energy,
                               double* p1) noexcept nogil:
    """Return F of h + w F(p0, p0 + h) = c (N), and p1 = p0 + h.

    The guess extrapolates the last forces.
    """
    cdef bint has_closed_form
    cdef double guess
    cdef double force = closed_form_step(&s.law, p0, p0 + c, s.w, &has_closed_form, p1)
    if not has_closed_form:
        guess = p0 + c - s.w * (4.0 * (s.force[0] + s.force[2]) - 6.0 * s.force[1] - s.force[3])
        force = force_from_guess(&s.law, p0, c, s.w, contact_energy, guess, p1, &s.evaluations)
        if force < 0.0:
            s.failures += 1
            force = 0.0
        s.force[3] = s.force[2]
        s.force[2] = s.force[1]
        s.force[1] = s.force[0]
        s.force[0] = force
    return force


cdef inline void step_two_point(State* s, Motion* m) noexcept nogil:
    cdef double c, h, p
    if m.p > 0.0 or m.p + m.d > 0.0:
        if m.p <= 0.0:
            s.contacts += 1
            if s.has_correction:
                correct_entry(s, m.p, m.d)
        c = m.d
        h = c - s.w * solve_force(s, m.p, c, m.contact_energy, &p)
        m.d = h + h - c
        m.y = update_position(s.barrier, m.y, h, m.p, h, c, &p)
        m.p = p
        m.contact_energy = potential(&s.law, p)
    else:
        m.y += m.d
        m.p = m.y - s.barrier


cdef inline void step_three_point(State* s, Motion* m) noexcept nogil:
    cdef double free_increment = m.d - s.k * m.y
    cdef double c = m.d + free_increment
    cdef double h, p1
    m.d = free_increment
    if m.p_before > 0.0 or m.p_before + c > 0.0:
        if s.has_correction and m.p_before <= 0.0 and m.p <= 0.0:
            correct_entry(s, m.p, 0.5 * c)
        h = s.w * solve_force(s, m.p_before, c, m.contact_energy_before, &p1)
        m.d -= h
        m.y = update_position(s.barrier, m.y, m.d, m.p_before, c - h, c, &p1)
        s.contacts += m.p <= 0.0 and p1 > 0.0
        m.contact_energy_before = m.contact_energy
        m.contact_energy = potential(&s.law, p1)
    else:
        m.y += m.d
        p1 = m.y - s.barrier
        m.contact_energy_before = m.contact_energy
        m.contact_energy = 0.0
    m.p_before = m.p
    m.p = p1


cdef inline double midpoint_psi_slope(const State* s, double p, double d, double c, double psi_size,
                                      double analytic) noexcept nogil:
    """Return the |g| that brings |psi| = psi_size to sqrt(2 phi) at the middle of the coming step.

    Two fixed-point passes; a result outside 0.25 to 1.75 times the analytic slope is discarded.
    """
    cdef double w = s.w
    cdef double g = analytic
    cdef double h, next_slope
    cdef int _pass
    for _pass in range(2):
        h = (c - w * g * psi_size) / (1.0 + 0.25 * w * g * g)
        if h == 0.0:
            break
        next_slope = 2.0 * (sqrt(2.0 * potential(&s.law, p + 0.5 * (h - d))) - psi_size) / h
        if not 0.25 * analytic < next_slope < 1.75 * analytic:
            break
        g = next_slope
    return g


cdef inline double release_increment(const State* s, double c, double psi) noexcept nogil:
    """Return the increment h (m) that converts all of psi^2 / 2 into motion; it is c if psi = 0."""
    cdef double hypotenuse = sqrt(c * c + 4.0 * s.w * psi * psi)
    return 0.5 * (c + hypotenuse) if c > 0.0 else 0.5 * (c - hypotenuse)


cdef inline double choose_psi_slope(const State* s, double p, double d, double c,
                                    double psi) noexcept nogil:
    """Return g of the variant; out of contact it is 0 for all but `sign`."""
    cdef double g
    if p <= 0.0:
        return -2.0 * psi / c if s.scheme == SIGN_SCHEME and c != 0.0 else 0.0
    g = psi_slope_at(&s.law, p)
    if g > MAX_PSI_SLOPE:
        g = MAX_PSI_SLOPE
    if s.scheme == MIDPOINT_SCHEME:
        g = midpoint_psi_slope(s, p, d, c, fabs(psi), g)
    return -g if psi < 0.0 and s.scheme != PAPER_SCHEME else g


cdef inline void step_explicit(State* s, Motion* m) noexcept nogil:
    cdef double c, g, h
    if m.p > 0.0 or m.psi != 0.0:
        c = 2.0 * m.d - s.k * m.y
        if m.p > 0.0 and m.p_before <= 0.0:
            s.contacts += 1
            if s.has_correction and m.psi == 0.0:
                correct_entry(s, m.p, 0.5 * c)
        if m.p > 0.0 or s.scheme <= SIGN_SCHEME:
            g = choose_psi_slope(s, m.p, m.d, c, m.psi)
            h = (c - s.w * g * m.psi) / (1.0 + 0.25 * s.w * g * g)
            m.psi += 0.5 * g * h
            if fabs(m.psi) < MIN_PSI:
                m.psi = 0.0
        else:
            h = release_increment(s, c, m.psi)
            m.psi = 0.0
        m.d = h - m.d
    else:
        m.d -= s.k * m.y
    m.p_before = m.p
    m.y += m.d
    m.p = m.y - s.barrier


cdef inline double stored_energy(const State* s, const Motion* m, int scheme) noexcept nogil:
    """Return H^n of the two-point scheme, H^(n-1/2) of the others, J."""
    if scheme == TWO_POINT_SCHEME:
        return s.kinetic_factor * m.d * m.d + m.contact_energy
    return (s.kinetic_factor * (m.d * m.d + s.k * m.y * (m.y - m.d))
            + (0.5 * (m.contact_energy + m.contact_energy_before) if scheme == THREE_POINT_SCHEME
               else 0.5 * m.psi * m.psi))


cdef inline void take_steps(State* s, int scheme, double* position, double* velocity,
                            double* energy, Py_ssize_t steps) noexcept nogil:
    """Compute steps; scheme is a constant of the call, so that each scheme has its own loop."""
    cdef Motion m = s.motion
    cdef double rate = 1.0 / s.time_step
    cdef Py_ssize_t n
    for n in range(steps):
        position[n] = m.y
        velocity[n] = m.d * rate
        energy[n] = stored_energy(s, &m, scheme)
        if scheme == TWO_POINT_SCHEME:
            step_two_point(s, &m)
        elif scheme == THREE_POINT_SCHEME:
            step_three_point(s, &m)
        else:
            step_explicit(s, &m)
    s.motion = m


cdef class MassBarrier:
    """A mass or an oscillator below a barrier, resumable at any step.

    Parameters: scheme, an index into SCHEMES (the iterative scheme is the three-point one); mass,
    kg, above 0; angular_frequency of the oscillator, rad/s, below 2 / time_step (0: no spring; must
    be 0 in the two-point scheme); time_step, s; stiffness, N/m^exponent; exponent, at least 1;
    barrier, position, m; velocity, m/s; duration of a contact at 1 m/s, s, and excess, c(alpha),
    for the correction of the stiffness (None: no correction). A first contact that the mass starts
    in is not corrected, so its energy is that of the stiffness.
    Errors: ValueError.
    """

    cdef State state

    def __cinit__(self, *, int scheme, double mass, double angular_frequency, double time_step,
                  double stiffness, double exponent, double barrier, double position,
                  double velocity, duration=None, double excess=1.0):
        cdef State* s = &self.state
        cdef Motion* m = &self.state.motion
        if not 0 <= scheme < len(SCHEMES):
            raise ValueError(f"scheme is {scheme}; expected 0 to {len(SCHEMES) - 1}")
        for name, value in (("mass", mass), ("time step", time_step), ("stiffness", stiffness)):
            if not (value > 0.0 and isfinite(value)):
                raise ValueError(f"{name} is {value}; expected above 0")
        if not (exponent >= 1.0 and isfinite(exponent + barrier + position + velocity)):
            raise ValueError(f"exponent is {exponent}, barrier {barrier} m, position {position} m, "
                             f"velocity {velocity} m/s; "
                             "expected an exponent of at least 1, and finite values")
        if (not 0.0 <= angular_frequency * time_step < 2.0
                or (scheme == TWO_POINT_SCHEME and angular_frequency != 0.0)):
            raise ValueError(f"angular frequency is {angular_frequency} rad/s; "
                             "expected at least 0 and below 2 / time step; 0 in the two-point "
                             "scheme")
        set_law(&s.law, CONTACT, stiffness, exponent, 0.0, True)
        s.scheme = <Scheme>scheme
        s.time_step = time_step
        s.barrier = barrier
        s.stiffness_factor = 1.0
        s.k = angular_frequency * time_step * (angular_frequency * time_step)
        m.y = position
        m.p = position - barrier
        m.contact_energy = potential(&s.law, m.p)
        s.has_correction = duration is not None
        s.w = 0.5 * time_step * time_step / mass
        m.d = time_step * velocity
        if scheme != TWO_POINT_SCHEME:
            self._set_previous_step(position)
        s.kinetic_factor = (0.25 if scheme == TWO_POINT_SCHEME else 0.5) / s.w
        if s.has_correction:
            # the midpoint variant lengthens a contact as two points do, although its law spans two
            # steps
            time_points = 2 if scheme == TWO_POINT_SCHEME or scheme == MIDPOINT_SCHEME else 3
            s.correction = make_correction(time_points, s.w, time_step, stiffness, exponent,
                                           duration, excess)

    cdef void _set_previous_step(self, double position) noexcept:
        """Set y^(-1) for y^1 = y^0 + dt v - k y^0 / 2 in free flight.

        In contact, y^(-1) comes from a passive two-point step back.
        """
        cdef State* s = &self.state
        cdef Motion* m = &self.state.motion
        cdef double increment = -m.d - 0.5 * s.k * position
        cdef double next_increment = m.d - 0.5 * s.k * position
        if m.p > 0.0:
            increment -= s.w * solve_force(s, m.p, increment, m.contact_energy, &m.p_before)
            m.contact_energy_before = potential(&s.law, m.p_before)
            m.psi = sqrt(m.contact_energy + m.contact_energy_before)
            if s.scheme == MIDPOINT_SCHEME:
                m.psi = sqrt(2.0 * potential(&s.law, 0.5 * (m.p + m.p_before)))
        else:
            m.p_before = m.p + increment
            # below the barrier and moving away
            if m.p_before > 0.0 and m.p + next_increment <= 0.0:
                m.p_before = 0.0
            m.contact_energy_before = potential(&s.law, m.p_before)
        m.d = -increment
        s.w *= 2.0

    @property
    def psi(self):
        """The energy root psi^(n-1/2) of the explicit schemes, J^(1/2)."""
        return self.state.motion.psi

    @property
    def statistics(self):
        """Number of contacts, law evaluations and failed solves.

        Factor and entry speed (m/s) of the last correction.
        """
        cdef State* s = &self.state
        return {"contacts": s.contacts, "evaluations": s.evaluations, "failures": s.failures,
                "factor": s.stiffness_factor, "entry_speed": s.entry_speed}

    def advance(self, double[::1] position not None, double[::1] velocity not None,
                double[::1] energy not None):
        """Compute as many steps as the arrays have values; any division into calls gives the same
        bits.

        The arrays receive, before each step n: position y^n (m); velocity (m/s) at n in the
        two-point scheme, else at n - 1/2, (y^n - y^(n-1)) / dt; energy H^n or H^(n-1/2) (J).
        """
        cdef Py_ssize_t steps = position.shape[0]
        cdef State* s = &self.state
        check_lengths("steps", steps, (velocity, energy))
        if steps == 0:
            return
        with nogil:
            if s.scheme == TWO_POINT_SCHEME:
                take_steps(s, TWO_POINT_SCHEME, &position[0], &velocity[0], &energy[0], steps)
            elif s.scheme == THREE_POINT_SCHEME:
                take_steps(s, THREE_POINT_SCHEME, &position[0], &velocity[0], &energy[0], steps)
            else:
                take_steps(s, PAPER_SCHEME, &position[0], &velocity[0], &energy[0], steps)
