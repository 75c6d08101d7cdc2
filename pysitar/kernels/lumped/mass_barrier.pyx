# A mass, or an oscillator, against a one-sided power-law barrier above it: every scheme that the papers compare there.
#
# State: compression p = y - barrier (m), increment d = y^n - y^(n-1) (m), carried because it keeps the energy to rounding.
# Each scheme is h + w F(p0, p0 + h) = c, with contact/law.pxd's F; k = (omega dt)^2:
#   two-point     w = dt^2/(2 m)  p0 = p^n      c = d = dt v^n                      v^(n+1) from d - 2 w F
#                 H^n = d^2/(4 w) + phi(p^n)          Chatziioannou & van Walstijn 2017, eq. (8)
#   three-point   w = dt^2/m      p0 = p^(n-1)  c = 2 d - k y^n                     d -> c - w F - d
#                 H^(n-1/2) = (d^2 + k y^n y^(n-1))/(2 w) + (phi(p^n) + phi(p^(n-1)))/2       eq. (7); with k it is
#                 Ducceschi & Bilbao 2019, eq. (23), a = u^(n-1) - b (printed b - u^(n-1))
#   explicit      F = g (psi^(n-1/2) + psi^(n+1/2))/2, psi^(n+1/2) = psi^(n-1/2) + g h/2: eqs. (24)-(28), h + w F = c solved by division
#                 H^(n-1/2) = (d^2 + k y^n y^(n-1))/(2 w) + psi^2/2, whatever g is. What g is outside of contact, where (26) is 0/0:
#                 paper     0; psi stays at what the exit left
#                 sign      the g that nearly undoes psi in one step; in contact the sign of psi
#                 release   none: psi goes into motion in one step, exactly
#                 midpoint  as release; in contact g leads psi to sqrt(2 phi) of the middle of the coming step, in two fixed passes
# With a correction (contact/correction.pxd) the stiffness is K s while a contact lasts.
from pysitar.kernels.core.arrays import same_lengths

from libc.math cimport fabs, isfinite, sqrt

from pysitar.kernels.contact.correction cimport Correction, correction_factor, corrects
from pysitar.kernels.contact.law cimport CONTACT, Law, closed_step, potential, root_slope, shape_law, warm_step

cdef enum Scheme:
    TWO_POINT_SCHEME = 0
    THREE_POINT_SCHEME = 1
    PAPER_SCHEME = 2
    SIGN_SCHEME = 3
    RELEASE_SCHEME = 4
    MIDPOINT_SCHEME = 5

SCHEMES = ("two-point", "three-point", "paper", "sign", "release", "midpoint")

cdef double LEAST_PSI = 1e-150          # smaller ones are on their way to denormals
cdef double HIGHEST_SLOPE = 1e100       # of psi: past it w g^2 could overflow, and every g keeps the energy

cdef struct State:
    Law law                     # with the stiffness of this contact
    Scheme scheme
    double w                    # m/N
    double k                    # (omega dt)^2
    double time_step
    double barrier
    double y                    # in contact barrier + p; in flight p is y - barrier
    double p
    double before               # p^(n-1)
    double d
    double stored               # phi(p)
    double stored_before        # phi(p^(n-1))
    double psi
    double force[4]             # of the last steps in contact, the newest first
    bint corrected
    Correction correction
    double factor               # s of the last contact
    double entry_speed          # of the last contact, m/s
    long long contacts
    long long evaluations
    long long failures


cdef void enter(State* s, double p, double way) noexcept nogil:
    """A contact begins: the stiffness that it will have, from the speed at the barrier; way is dt times that at p, in free motion."""
    cdef double squared = way * way + s.k * p * (p + 2.0 * s.barrier)
    cdef double speed = (sqrt(squared) if squared > 0.0 else way) / s.time_step
    s.entry_speed = speed
    s.factor = correction_factor(&s.correction, speed)
    s.law.stiffness = s.factor * s.correction.stiffness


cdef inline double place(double barrier, double y, double d, double p0, double h, double c, double* p) noexcept nogil:
    """y after an increment d in contact, from the solver's compression p, or from the way h where all that made it is small beside p.

    The solver's p has its own rounding at every step, in one direction; h has that of c. And y or p is kept, whichever is smaller.
    """
    cdef double depth = fabs(p[0])
    if 2.0 * (fabs(h) + fabs(c)) < depth:
        if 2.0 * (fabs(y) + fabs(d)) < depth:
            p[0] = y + d - barrier
            return y + d
        p[0] = p0 + h
    return barrier + p[0]


cdef inline double exert(State* s, double p0, double c, double stored, double* p1) noexcept nogil:
    """F of h + w F(p0, p0 + h) = c, and p1 = p0 + h; the last forces lead to the first guess."""
    cdef bint known
    cdef double guess
    cdef double force = closed_step(&s.law, p0, p0 + c, s.w, &known, p1)
    if not known:
        guess = p0 + c - s.w * (4.0 * (s.force[0] + s.force[2]) - 6.0 * s.force[1] - s.force[3])
        force = warm_step(&s.law, p0, c, s.w, stored, guess, p1, &s.evaluations)
        if force < 0.0:
            s.failures += 1
            force = 0.0
        s.force[3] = s.force[2]
        s.force[2] = s.force[1]
        s.force[1] = s.force[0]
        s.force[0] = force
    return force


cdef void two_point(State* s, double* position, double* velocity, double* energy, Py_ssize_t steps) noexcept nogil:
    cdef double y = s.y
    cdef double p = s.p
    cdef double d = s.d
    cdef double stored = s.stored
    cdef double w = s.w
    cdef double quarter = 0.25 / w
    cdef double rate = 1.0 / s.time_step
    cdef double before, c, h
    cdef Py_ssize_t n
    for n in range(steps):
        position[n] = y
        velocity[n] = d * rate
        energy[n] = quarter * d * d + stored
        if p > 0.0 or p + d > 0.0:
            if p <= 0.0:
                s.contacts += 1
                if s.corrected:
                    enter(s, p, d)
            c = d
            before = p
            h = c - w * exert(s, p, c, stored, &p)
            d = h + h - c
            y = place(s.barrier, y, h, before, h, c, &p)
            stored = potential(&s.law, p)
        else:
            y += d
            p = y - s.barrier
    s.y = y
    s.p = p
    s.d = d
    s.stored = stored


cdef void three_point(State* s, double* position, double* velocity, double* energy, Py_ssize_t steps) noexcept nogil:
    cdef double y = s.y
    cdef double p = s.p
    cdef double before = s.before
    cdef double d = s.d
    cdef double stored = s.stored
    cdef double stored_before = s.stored_before
    cdef double w = s.w
    cdef double half = 0.5 / w
    cdef double rate = 1.0 / s.time_step
    cdef double k = s.k
    cdef double c, free, h, p1
    cdef Py_ssize_t n
    for n in range(steps):
        position[n] = y
        velocity[n] = d * rate
        energy[n] = half * (d * d + k * y * (y - d)) + 0.5 * (stored + stored_before)
        free = d - k * y
        c = d + free
        if before > 0.0 or before + c > 0.0:
            if s.corrected and before <= 0.0 and p <= 0.0:
                enter(s, p, 0.5 * c)
            h = w * exert(s, before, c, stored_before, &p1)
            d = free - h
            y = place(s.barrier, y, d, before, c - h, c, &p1)
            s.contacts += p <= 0.0 and p1 > 0.0
            before = p
            p = p1
            stored_before = stored
            stored = potential(&s.law, p)
        else:
            d = free
            before = p
            y += d
            p = y - s.barrier
            stored_before = stored
            stored = 0.0
    s.y = y
    s.p = p
    s.before = before
    s.d = d
    s.stored = stored
    s.stored_before = stored_before


cdef inline double steered(const State* s, double p, double d, double c, double size, double analytic) noexcept nogil:
    """The |g| that leads |psi| = size to sqrt(2 phi) in the middle of the coming step: two passes, each kept if it stays within reason."""
    cdef double w = s.w
    cdef double g = analytic
    cdef double h, better
    cdef int _pass
    for _pass in range(2):
        h = (c - w * g * size) / (1.0 + 0.25 * w * g * g)
        if h == 0.0:
            break
        better = 2.0 * (sqrt(2.0 * potential(&s.law, p + 0.5 * (h - d))) - size) / h
        if not 0.25 * analytic < better < 1.75 * analytic:
            break
        g = better
    return g


cdef inline double released(const State* s, double c, double psi) noexcept nogil:
    """The h that takes up all of psi^2 / 2, where it would be c without it."""
    cdef double root = sqrt(c * c + 4.0 * s.w * psi * psi)
    return 0.5 * (c + root) if c > 0.0 else 0.5 * (c - root)


cdef inline double slope_of_psi(const State* s, double p, double d, double c, double psi) noexcept nogil:
    """g, by the variant; out of contact those that release psi have none."""
    cdef double g
    if p <= 0.0:
        return -2.0 * psi / c if s.scheme == SIGN_SCHEME and c != 0.0 else 0.0
    g = root_slope(&s.law, p)
    if g > HIGHEST_SLOPE:
        g = HIGHEST_SLOPE
    if s.scheme == MIDPOINT_SCHEME:
        g = steered(s, p, d, c, fabs(psi), g)
    return -g if psi < 0.0 and s.scheme != PAPER_SCHEME else g


cdef void explicit(State* s, double* position, double* velocity, double* energy, Py_ssize_t steps) noexcept nogil:
    cdef double y = s.y
    cdef double p = s.p
    cdef double before = s.before
    cdef double d = s.d
    cdef double psi = s.psi
    cdef double w = s.w
    cdef double half = 0.5 / w
    cdef double rate = 1.0 / s.time_step
    cdef double c, g, h
    cdef Py_ssize_t n
    for n in range(steps):
        position[n] = y
        velocity[n] = d * rate
        energy[n] = half * (d * d + s.k * y * (y - d)) + 0.5 * psi * psi
        if p > 0.0 or psi != 0.0:
            c = 2.0 * d - s.k * y
            if p > 0.0 and before <= 0.0:
                s.contacts += 1
                if s.corrected and psi == 0.0:
                    enter(s, p, 0.5 * c)
            if p > 0.0 or s.scheme <= SIGN_SCHEME:
                g = slope_of_psi(s, p, d, c, psi)
                h = (c - w * g * psi) / (1.0 + 0.25 * w * g * g)
                psi += 0.5 * g * h
                if fabs(psi) < LEAST_PSI:
                    psi = 0.0
            else:
                h = released(s, c, psi)
                psi = 0.0
            d = h - d
        else:
            d -= s.k * y
        before = p
        y += d
        p = y - s.barrier
    s.y = y
    s.p = p
    s.before = before
    s.d = d
    s.psi = psi


cdef class MassBarrier:
    """A mass or an oscillator below a barrier, resumable at any step.

    Parameters: scheme, an index into SCHEMES (the iterative scheme is the three-point one); mass, kg; angular_frequency of its
    spring, rad/s (0: none; the two-point scheme has none); time_step, s; stiffness, N/m^exponent; exponent; barrier, position, m;
    velocity, m/s; duration, of a contact at 1 m/s, s, and excess, c(alpha): with them the stiffness is corrected (None: it is not).
    A start in contact keeps the plain stiffness until the mass has left: its energy is the given one.
    """

    cdef State state

    def __cinit__(self, *, int scheme, double mass, double angular_frequency, double time_step, double stiffness, double exponent,
                  double barrier, double position, double velocity, duration=None, double excess=1.0):
        cdef State* s = &self.state
        if not 0 <= scheme < len(SCHEMES):
            raise ValueError(f"scheme is {scheme}; 0 to {len(SCHEMES) - 1} would be right")
        for name, value in (("mass", mass), ("time step", time_step), ("stiffness", stiffness)):
            if not (value > 0.0 and isfinite(value)):
                raise ValueError(f"{name} is {value}; above 0 would be right")
        if not (exponent >= 1.0 and isfinite(exponent + barrier + position + velocity)):
            raise ValueError("an exponent of at least 1, and finite positions and velocity would be right")
        if not 0.0 <= angular_frequency * time_step < 2.0 or (scheme == TWO_POINT_SCHEME and angular_frequency != 0.0):
            raise ValueError(f"angular frequency is {angular_frequency} rad/s; below 2 / time step would be right, 0 in two-point")
        shape_law(&s.law, CONTACT, stiffness, exponent, 0.0, True)
        s.scheme = <Scheme>scheme
        s.time_step = time_step
        s.barrier = barrier
        s.factor = 1.0
        s.k = angular_frequency * time_step * (angular_frequency * time_step)
        s.y = position
        s.p = position - barrier
        s.stored = potential(&s.law, s.p)
        s.corrected = duration is not None
        s.w = 0.5 * time_step * time_step / mass
        s.d = time_step * velocity
        if scheme != TWO_POINT_SCHEME:
            self._begin(position)
        if s.corrected:
            # the midpoint variant stretches a contact as two points do, although its law spans two steps
            points = 2 if scheme == TWO_POINT_SCHEME or scheme == MIDPOINT_SCHEME else 3
            s.correction = corrects(points, s.w, time_step, stiffness, exponent, duration, excess)

    cdef void _begin(self, double position) noexcept:
        """y^(-1) such that free flight has y^1 = y^0 + dt v - k y^0 / 2; from within the barrier by a two-point step back, passive."""
        cdef State* s = &self.state
        cdef double way = -s.d - 0.5 * s.k * position
        cdef double onward = s.d - 0.5 * s.k * position
        if s.p > 0.0:
            way -= s.w * exert(s, s.p, way, s.stored, &s.before)
            s.stored_before = potential(&s.law, s.before)
            s.psi = sqrt(s.stored + s.stored_before)
            if s.scheme == MIDPOINT_SCHEME:
                s.psi = sqrt(2.0 * potential(&s.law, 0.5 * (s.p + s.before)))
        else:
            s.before = s.p + way
            if s.before > 0.0 and s.p + onward <= 0.0:      # a start below the barrier, away from it, was not in contact
                s.before = 0.0
            s.stored_before = potential(&s.law, s.before)
        s.d = -way
        s.w *= 2.0

    @property
    def psi(self):
        """psi^(n-1/2) of the explicit schemes, J^(1/2)."""
        return self.state.psi

    @property
    def statistics(self):
        """Contacts begun, evaluations of the law by the solver, failed solves; of the last corrected contact its factor and speed."""
        cdef State* s = &self.state
        return {"contacts": s.contacts, "evaluations": s.evaluations, "failures": s.failures, "factor": s.factor,
                "entry_speed": s.entry_speed}

    def advance(self, double[::1] position not None, double[::1] velocity not None, double[::1] energy not None):
        """Computes as many steps as the arrays have room for; any division into calls gives the same bits.

        Filled, before each step n: position y^n (m); velocity at n, in all but the two-point scheme at n - 1/2, (y^n - y^(n-1)) / dt
        (m/s); energy H^n or H^(n-1/2) (J).
        """
        cdef Py_ssize_t steps = position.shape[0]
        cdef State* s = &self.state
        same_lengths("steps", steps, (velocity, energy))
        if steps == 0:
            return
        with nogil:
            if s.scheme == TWO_POINT_SCHEME:
                two_point(s, &position[0], &velocity[0], &energy[0], steps)
            elif s.scheme == THREE_POINT_SCHEME:
                three_point(s, &position[0], &velocity[0], &energy[0], steps)
            else:
                explicit(s, &position[0], &velocity[0], &energy[0], steps)
