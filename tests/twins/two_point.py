"""A plain NumPy version of the two-point network: dense matrices, a damped Newton solver run to
round-off.

A network has M degrees of freedom (modes of frequency omega, decay rate alpha and mass m; a free
mass is a mode of omega = alpha = 0) and K rows.  The penetration of a row is p = offset - shape .
y; its force acts along its shape. Equations: van Walstijn & Bridges 2016, section II, with the
printed errors corrected. """
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

EPSILON = np.finfo(float).eps
GAUSS_X, GAUSS_W = np.polynomial.legendre.leggauss(12)


@dataclass(frozen=True, kw_only=True)
class Contact:
    """A one-sided law: stiffness (N/m^exponent) penetration^exponent (1 + damping (s/m) speed)."""

    stiffness: float
    exponent: float = 1.0
    damping: float = 0.0
    adhesive: bool = True          # False: the force never pulls


@dataclass(frozen=True, kw_only=True)
class Linear:
    """A two-sided law: a spring (N/m) and a damper (kg/s); either may be 0."""

    stiffness: float = 0.0
    resistance: float = 0.0


class Laws:
    """The laws of all rows, as arrays."""

    def __init__(self, laws):
        self.laws = tuple(laws)
        self.contact = np.array([isinstance(law, Contact) for law in self.laws], dtype=bool)
        self.k = np.array([law.stiffness for law in self.laws], dtype=float)
        self.chi = np.array([getattr(law, "exponent", 1.0) for law in self.laws], dtype=float)
        self.damping = np.array([getattr(law, "damping", 0.0) for law in self.laws], dtype=float)
        self.resistance = np.array([getattr(law, "resistance", 0.0) for law in self.laws],
                                   dtype=float)
        self.adhesive = np.array([getattr(law, "adhesive", True) for law in self.laws], dtype=bool)
        self.one_sided = bool(self.contact.all())

    def static_force(self, p):
        """The force of a penetration that does not move (N)."""
        return self.k * np.where(self.contact, np.maximum(p, 0.0) ** self.chi, p)

    def slope(self, p):
        """Its derivative (N/m)."""
        squeezed = np.maximum(p, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            contact = np.where(squeezed > 0.0, self.chi * squeezed ** (self.chi - 1.0), 0.0)
        return self.k * np.where(self.contact, contact, 1.0)

    def potential(self, p):
        """Return the energy stored in each row (J), eqs. (3), (4)."""
        return self.k * np.where(self.contact,
                                 np.maximum(p, 0.0)**(self.chi + 1.0) /
                                 (self.chi + 1.0), 0.5 * p * p)

    def conservative(self, p0, p1):
        """The discrete gradient (potential(p1) - potential(p0)) / (p1 - p0), eq. (17): the mean
        static force between p0 and p1."""
        # the interval in contact
        a, b = np.maximum(np.minimum(p0, p1), 0.0), np.maximum(np.maximum(p0, p1), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            fraction = np.where((a > 0.0) | (p0 == p1), 1.0, (b - a) / np.abs(p1 - p0))
            far = (b ** (self.chi + 1.0) - a ** (self.chi + 1.0)) / ((self.chi + 1.0) * (b - a))
        # where the quotient would cancel, the mean by quadrature: exact to round-off over so short
        # an interval
        points = 0.5 * (a + b) + 0.5 * (b - a) * GAUSS_X[:, None]
        near = 0.5 * (GAUSS_W[:, None] * points**self.chi).sum(axis=0)
        mean = np.where(b - a > 0.1 * b, far, near)
        return self.k * np.where(self.contact, fraction * mean, 0.5 * (p0 + p1))

    def force(self, p0, p1, dt):
        """The conservative force, the whole force (N) and its derivative by p1 (N/m), as p goes
        from p0 to p1 in a step."""
        if self.one_sided and not ((p0 > 0.0) | (p1 > 0.0)).any():
            return np.zeros((3, len(self.laws)))                # nothing touches
        s = p0 - p1
        conservative = self.conservative(p0, p1)
        force = conservative * (1.0 - self.damping * s / dt) - self.resistance * s / dt
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(np.abs(s) > 1e-6 * np.maximum(np.abs(p0), np.abs(p1)),
                             (self.static_force(p1) - conservative) / -s,
                             0.5 * self.slope(0.5 * (p0 + p1)))
        # conservative * s = potential(p0) - potential(p1), whose derivative by p1 is
        # -static_force(p1)
        slope = np.maximum(slope,
                           0.0) + self.damping / dt * self.static_force(p1) + self.resistance / dt
        clamped = ~self.adhesive & (force <= 0.0)
        return conservative, np.where(clamped, 0.0, force), np.where(clamped, 0.0, slope)


def newton(u, w, law, start, size):
    """Return s with s = u + w F(s), and the iterations spent; law(s) -> (F, D = -dF/ds >= 0), each
    F non-increasing in its s.

    size: magnitude of the penetrations from which F is computed (K,); it sets the rounding floor.
    """
    def at(s):
        force, d = law(s)
        return s, force, d, s - u - w @ force

    def solve(s):
        s, force, d, g = at(s)
        for iteration in range(1, 200):
            floor = 4.0 * EPSILON * np.max(
                np.abs(u) + np.abs(s) + np.abs(w) @ (np.abs(force) + d * (size + np.abs(s))))
            small = np.max(np.abs(g)) <= floor
            step = np.linalg.solve(np.eye(len(s)) + w * d, -g)          # J = I + W D
            t = 1.0
            trial = at(s + step)
            size_of_g = np.linalg.norm(g)
            while np.linalg.norm(trial[-1]) >= size_of_g and t > 1e-8 and not small:
                t *= 0.5
                trial = at(s + t * step)
            if np.linalg.norm(trial[-1]) < size_of_g:
                s, force, d, g = trial
            elif not small:
                return s, iteration, False
            if small:          # one more step than the floor asks for
                return s, iteration, True
        return s, iteration, False

    s, spent, converged = solve(np.array(start, dtype=float))
    sweeps = 0
    while not converged and sweeps < 50:  # Gauss-Seidel converges from anywhere; Newton finishes
        s = gauss_seidel(u, w, law, s, 20)
        s, options, converged = solve(s)
        spent, sweeps = spent + options, sweeps + 1
    if not converged:
        raise ArithmeticError(f"no solution: residual {np.max(np.abs(at(s)[-1]))}")
    return s, spent


def gauss_seidel(u, w, law, s, sweeps):
    """Improve s by solving one row after another for its force."""
    force = law(s)[0].copy()
    for _ in range(sweeps):
        for k in range(len(u)):
            rest = u[k] + w[k] @ force - w[k, k] * force[k]

            def row(x, k=k, rest=rest):
                trial = s.copy()
                trial[k] = x
                return x - rest - w[k, k] * law(trial)[0][k]          # increasing in x

            low, high = rest - 1e-12, rest + 1e-12
            while row(low) > 0.0:
                low -= 2.0 * (high - low)
            while row(high) < 0.0:
                high += 2.0 * (high - low)
            s[k] = brentq(row, low, high, xtol=1e-300, rtol=4.0 * EPSILON)
            force[k] = law(s)[0][k]
    return u + w @ force


class TwoPointTwin:
    """A network with time step dt (s).

    omega (rad/s, damped), alpha (1/s), mass (kg): (M,).  shapes: (K, M).  laws: K of Contact or
    Linear.  offset: (K,) (m). State: y (m) and q = dt p / (2 m) (m), (M,).  After a step: f, the
    row forces (N); p, the penetrations (m); iterations. losses, work: J since the start, work being
    that of outer forces, moving offsets and changed parameters. """

    def __init__(self, *, omega, alpha, mass, shapes, laws, offset, dt, y=None, q=None):
        self.dt = float(dt)
        self.mass = np.array(mass, dtype=float)
        self.shapes = np.array(shapes, dtype=float).reshape(-1, len(self.mass))
        self.laws = Laws(laws)
        self.offset = np.array(offset, dtype=float)
        self.xi = self.dt**2 / (2.0 * self.mass)
        self.y = np.zeros(len(self.mass)) if y is None else np.array(y, dtype=float)
        self.q = np.zeros(len(self.mass)) if q is None else np.array(q, dtype=float)
        self._set_coefficients(omega, alpha)
        self.p = self.offset - self.shapes @ self.y
        self.f = np.zeros(len(self.shapes))
        self.s = np.zeros(len(self.shapes))
        self.losses, self.work, self.throughput, self.iterations = 0.0, 0.0, 0.0, 0

    def _set_coefficients(self, omega, alpha):
        r = np.exp(-np.asarray(alpha, dtype=float) * self.dt)
        cosine = np.cos(np.asarray(omega, dtype=float) * self.dt)
        den = 1.0 + 2.0 * r * cosine + r * r
        self.A = (1.0 - 2.0 * r * cosine + r * r) / den          # eq. (21)
        self.B = 2.0 * (1.0 - r * r) / den
        self.C = den / 4.0          # 1 / (1 + A + B)
        # xi included: s = u + W F, eq. (27)
        self.W = self.shapes @ np.diag(self.xi * self.C) @ self.shapes.T

    def step(self, force_shape=None, force=0.0, offset=None):
        """Advance by dt under outer forces (N; shape (M,) or (n, M)) and with the offsets (m) that
        hold at the end of the step."""
        after = self.offset if offset is None else np.array(offset, dtype=float)
        moved = after - self.offset
        outer = np.zeros((1, len(self.y))) if force_shape is None else np.atleast_2d(
            np.asarray(force_shape, dtype=float))
        values = np.broadcast_to(np.atleast_1d(np.asarray(force, dtype=float)), (len(outer),))
        # the factor 2 re-derived
        ubar = 2.0 * self.C * (self.q - self.A * self.y) + self.xi * self.C * (values @ outer)
        u = self.shapes @ ubar

        def law(s):
            return self.laws.force(self.p, self.p + moved - s, self.dt)[1:]

        s, self.iterations = newton(u, self.W, law, self.s, np.abs(self.p)) if len(u) else (u, 0)
        conservative, self.f, _ = self.laws.force(self.p, self.p + moved - s, self.dt)
        sbar = ubar + self.xi * self.C * (self.shapes.T @ self.f)          # eq. (26)
        self.s = self.shapes @ sbar
        self.losses += float(sbar @ (self.B / self.xi * sbar)
                             + (conservative - self.f) @ (self.s - moved))
        self._add_work(float(values @ (outer @ sbar) + self.f @ moved))
        self.y = self.y + sbar
        self.q = sbar - self.q
        self.offset = after
        self.p = self.offset - self.shapes @ self.y

    def set_laws(self, laws):
        """Change the rows' laws between two steps; the jump of the stored energy is work."""
        before = self.energy()
        self.laws = Laws(laws)
        self._add_work(self.energy() - before)

    def set_shape(self, row, shape):
        """Move a row's point between two steps; the jump of its gap is work."""
        before = self.energy()
        self.shapes[row] = shape
        self.W = self.shapes @ np.diag(self.xi * self.C) @ self.shapes.T
        self.p = self.offset - self.shapes @ self.y
        self._add_work(self.energy() - before)

    def set_modes(self, omega, alpha):
        """Change frequencies and decay rates between two steps, y and momentum kept: work 1/2 sum
        (k*new - k*old) y^2."""
        before = self.energy()
        self._set_coefficients(omega, alpha)
        self._add_work(self.energy() - before)

    def energy(self):
        """The stored energy H (J), eqs. (31)-(33)."""
        return float(np.sum((self.q**2 + self.A * self.y**2) / self.xi)
                     + np.sum(self.laws.potential(self.p)))

    def settle(self):
        """Put the network at rest in its static equilibrium: y = V^T F / k*, k* = 2 A / xi (no free
        masses)."""
        compliance = self.xi / (2.0 * self.A)
        w = self.shapes @ np.diag(compliance) @ self.shapes.T

        def law(s):
            return self.laws.static_force(self.offset - s), self.laws.slope(self.offset - s)

        s, self.iterations = newton(np.zeros(len(w)), w, law, np.zeros(len(w)), np.abs(self.offset))
        self.f = self.laws.static_force(self.offset - s)
        self.y = compliance * (self.shapes.T @ self.f)
        self.q = np.zeros_like(self.y)
        self.p = self.offset - self.shapes @ self.y
        self.s = np.zeros_like(self.p)

    def _add_work(self, work):
        self.work += work
        self.throughput += abs(work)


def string_parameters(*, length, tension, linear_density, stiffness=0.0, losses=(0.0, 0.0, 0.0),
                      limit=20e3):
    """The modes of a string below a limit (Hz): wave numbers, damped omega, alpha, mass; losses are
    sigma0, sigma1, sigma3."""
    b = np.arange(1, 4097) * np.pi / length
    alpha = losses[0] + (losses[1] + losses[2] * b**2) * b
    omega_squared = (stiffness * b**4 + tension * b**2) / linear_density - alpha**2  # eq. (8)
    keep = (omega_squared < (2.0 * np.pi * limit) ** 2).cumprod().astype(bool)
    b, alpha, omega = b[keep], alpha[keep], np.sqrt(omega_squared[keep])
    return b, omega, alpha, np.full(len(b), linear_density * length / 2.0)


def sitar(*, rate=44100.0, kb=1e9, exponent=1.0, damping=0.0, adhesive=True, height=None):
    """The sitar string of section IV-B (60 modes, 10 points), drawn to 3 mm at 0.35 m; returns the
    twin and the wave numbers."""
    b, omega, alpha, mass = string_parameters(length=0.5, tension=50.0, linear_density=5.55e-4,
                                              stiffness=7.95e-5, losses=(0.6, 6.5e-3, 5e-6))
    x = (np.arange(1, 11) - 0.5) * 3e-3
    y = 2.0 * 3e-3 * np.sin(b * 0.35) / (b**2 * 0.35 * 0.15)
    law = Contact(stiffness=kb * 3e-3, exponent=exponent, damping=damping, adhesive=adhesive)
    barrier = -x * (x - 0.03) / 4.0 if height is None else np.full(10, height)
    twin = TwoPointTwin(omega=omega, alpha=alpha, mass=mass, shapes=np.sin(np.outer(x, b)),
                        laws=[law] * 10, offset=barrier, dt=1.0 / rate, y=y)
    return twin, b


def ideal(*, points, limit=20e3, kb=1e9, amplitude=1e-3):
    """The ideal string of section IV-A over a flat barrier at minus half its amplitude; returns the
    twin and the wave numbers."""
    b, omega, alpha, mass = string_parameters(length=0.5, tension=64.0, linear_density=5e-4,
                                              limit=limit)
    x = np.arange(1, points + 1) * 0.5 / (points + 1)
    y = np.zeros(len(b))
    y[0] = amplitude
    law = Contact(stiffness=kb * 0.5 / (points + 1))
    twin = TwoPointTwin(omega=omega, alpha=alpha, mass=mass, shapes=np.sin(np.outer(x, b)),
                        laws=[law] * points, offset=np.full(points, -0.5 * amplitude),
                        dt=1.0 / 44100.0, y=y)
    return twin, b
