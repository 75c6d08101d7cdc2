"""A mass or an oscillator below a power-law barrier, in plain Python: each scheme in the variables
of its paper.

y is the compression, y > 0 inside.  All three implicit schemes are r - c + beta (G(a + r) - G(a)) /
r = 0 with G(y) = max(y, 0)^p, p = exponent + 1: Chatziioannou & van Walstijn 2017, eqs. (7), (8);
Ducceschi & Bilbao 2019, eq. (23).  The explicit ones are eqs. (24)-(28) as printed, divided by A.
The exact motion of the oscillator is its free arc and, in contact, DOP853. """
import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq


def difference_quotient(a, r, p):
    """(G(a + r) - G(a)) / r without cancellation."""
    if a <= 0.0:
        return 0.0 if a + r <= 0.0 else (a + r) ** p / r
    if a + r <= 0.0:
        return -(a**p) / r
    x = r / a
    if x == 0.0:
        return p * a ** (p - 1.0)
    if -0.5 < x < 1.0:
        return a ** (p - 1.0) * math.expm1(p * math.log1p(x)) / x
    return ((a + r) ** p - a**p) / r


def root(a, c, beta, p):
    """r of r - c + beta DD(a, a + r) = 0: increasing, so bracketed by [c - beta DD(a, a + c),
    c]."""
    if a <= 0.0 and a + c <= 0.0:
        return c
    low = c - beta * difference_quotient(a, c, p) if c != 0.0 else -math.sqrt(
        beta * max(a, 0.0)**p) - beta * p * max(a, 0.0)**(p - 1.0)

    def residual(r):
        return r - c + beta * difference_quotient(a, r, p)

    if residual(c) == 0.0:
        return c
    return brentq(residual, low, c, xtol=1e-300, rtol=9e-16, maxiter=500)


def stored(stiffness, y, p):
    return stiffness / p * max(y, 0.0) ** p


def two_point(steps, *, mass, stiffness, exponent, time_step, y, v, factor=None):
    """Return rows (y^n, v^n, H^n); factor(speed) multiplies the stiffness from an entry on."""
    p = exponent + 1.0
    q = 0.5 * v * time_step
    k = stiffness
    rows = []
    for _ in range(steps):
        rows.append((y, 2.0 * q / time_step, 2.0 * mass * (q / time_step) ** 2 + stored(k, y, p)))
        if factor and y <= 0.0 < y + 2.0 * q:
            k = stiffness * factor(2.0 * q / time_step)
        r = root(y, 2.0 * q, 0.5 * k * time_step**2 / (mass * p), p)
        y, q = y + r, r - q
    return np.array(rows)


def three_point(steps, *, mass, stiffness, exponent, time_step, y, v, omega=0.0, barrier=0.0,
                factor=None):
    """Rows (y^n, (y^n - y^(n-1)) / dt, H^(n-1/2)) from a start out of contact; position is y +
    barrier."""
    p = exponent + 1.0
    k = stiffness
    u = y + barrier
    d = time_step * v + 0.5 * (omega * time_step) ** 2 * u
    before = y - d
    rows = []
    for _ in range(steps):
        u = y + barrier
        energy = 0.5 * mass * ((d / time_step)**2 + omega**2 * u *
                               (u - d)) + 0.5 * (stored(k, y, p) + stored(k, before, p))
        rows.append((y, d / time_step, energy))
        c = 2.0 * d - (omega * time_step) ** 2 * u
        if factor and before <= 0.0 and y <= 0.0 < before + c:
            k = stiffness * factor(speed_at_barrier(y, c, time_step, omega, barrier))
        r = root(before, c, k * time_step**2 / (mass * p), p)
        y, before, d = before + r, y, r - d
    return np.array(rows)


def speed_at_barrier(y, c, time_step, omega, barrier):
    """Return the speed at the barrier from the centred velocity at y, by energy of the free
    oscillator."""
    return math.sqrt((0.5 * c / time_step) ** 2 + omega**2 * ((y + barrier) ** 2 - barrier**2))


def explicit(steps, variant, *, mass, stiffness, exponent, time_step, y, v, omega=0.0, barrier=0.0,
             factor=None):
    """Rows (y^n, (y^n - y^(n-1)) / dt, H^(n-1/2), psi^(n-1/2)) from a start out of contact: paper,
    sign, release or midpoint."""
    p = exponent + 1.0
    k = stiffness
    m = mass / time_step**2
    u = y + barrier
    before = u - time_step * v - 0.5 * (omega * time_step) ** 2 * u
    psi = 0.0
    rows = []
    for _ in range(steps):
        y = u - barrier
        energy = 0.5 * m * (u - before) ** 2 + 0.5 * mass * omega**2 * u * before + 0.5 * psi**2
        rows.append((y, (u - before) / time_step, energy, psi))
        free = 2.0 * u - before - (omega * time_step) ** 2 * u  # u^(n+1) without the barrier
        if factor and y > 0.0 and psi == 0.0 and before <= barrier:
            k = stiffness * factor(speed_at_barrier(y, free - before, time_step, omega, barrier))
        if y <= 0.0 and psi != 0.0 and variant in ("release", "midpoint"):
            x = free - before
            increment = 0.5 * (
                x + math.copysign(math.sqrt(x * x + 4.0 * psi * psi / m), x if x != 0.0 else -1.0))
            u, before, psi = before + increment, u, 0.0
            continue
        g = 0.0
        if y > 0.0:
            g = math.sqrt(0.5 * k * p) * y ** (0.5 * (exponent - 1.0))
            if psi < 0.0 and variant != "paper":
                g = -g
            if variant == "midpoint":
                g = midpoint_slope(g, psi, m, k, p, u, before, free, barrier)
        elif variant == "sign" and free != before:
            g = -2.0 * psi / (free - before)
        after = explicit_displacement(g, psi, m, before, free)
        psi += 0.5 * g * (after - before)
        u, before = after, u
    return np.array(rows)


def explicit_displacement(g, psi, m, before, free):
    """Return u^(n+1) = v / A, eq. (28)."""
    return (m * free + 0.25 * g * g * before - psi * g) / (m + 0.25 * g * g)


def midpoint_slope(analytic, psi, m, k, p, u, before, free, barrier):
    g = analytic
    for _ in range(2):
        after = explicit_displacement(g, psi, m, before, free)
        target = math.sqrt(2.0 * stored(k, 0.5 * (u + after) - barrier, p))
        if after == before:
            break
        better = math.copysign(1.0, analytic) * 2.0 * (target - abs(psi)) / (after - before)
        if not 0.25 < better / analytic < 1.75:
            break
        g = better
    return g


class ExactOrbit:
    """The oscillator's exact motion, periodic: free arc in closed form, contact by DOP853; time 0
    is the start (u, v), out of contact."""

    def __init__(self, *, mass, stiffness, exponent, omega, barrier, u, v):
        self.omega, self.barrier = omega, barrier
        self.amplitude = math.hypot(u, v / omega)
        self.speed = omega * math.sqrt(self.amplitude**2 - barrier**2)
        self.phase = math.atan2(v / omega, u)                  # u = A cos(omega t - phase)
        self.first = ((self.phase - math.acos(barrier / self.amplitude)) % (2.0 * math.pi)) / omega
        self.free_time = 2.0 * (math.pi - math.acos(barrier / self.amplitude)) / omega

        def left(_, state):
            return state[0] - barrier if state[1] < 0.0 else 1.0

        left.terminal = True

        def motion(_, state):
            return state[1], -(omega**2) * state[0] - stiffness / mass * max(
                state[0] - barrier, 0.0)**exponent

        arc = solve_ivp(motion, (0.0, 1.0), (barrier, self.speed), method="DOP853", rtol=1e-13,
                        atol=1e-16, events=left, dense_output=True, first_step=1e-7)
        self.contact_time = arc.t[-1]
        self.arc = arc.sol
        self.period = self.free_time + self.contact_time

    def position(self, t):
        """u at times t (s), shape (n,)."""
        later = np.mod(t - self.first, self.period)             # since the last entry
        inside = later < self.contact_time
        u = self.amplitude * np.cos(self.omega * (later - self.contact_time)
                                    + math.acos(self.barrier / self.amplitude))
        if inside.any():
            u[inside] = self.arc(later[inside])[0]
        return u
