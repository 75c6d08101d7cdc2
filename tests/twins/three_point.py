"""A plain NumPy version of the three-point network in the paper's variables: displacements at two
steps.

Equations: van Walstijn & Bridges 2016, section III-B, with the printed error of (42) corrected;
laws and solver as in two_point.py. """
import numpy as np
from twins.two_point import Laws, newton


class ThreePointTwin:
    """A network with time step dt (s).

    omega (rad/s, damped), alpha (1/s), mass (kg): (M,).  shapes: (K, M).  laws: K of Contact or
    Linear.  offset: (K,) (m). State: y and previous (m), (M,), at this step and the previous one
    (None: released at rest without rows). After a step: f, the row forces (N); s = y(n+1) - y(n-1)
    of the modes (m). losses, work: J since the start, work being that of outer forces, moving
    offsets and changed parameters. """

    def __init__(self, *, omega, alpha, mass, shapes, laws, offset, dt, y=None, previous=None):
        self.dt = float(dt)
        self.mass = np.array(mass, dtype=float)
        self.shapes = np.array(shapes, dtype=float).reshape(-1, len(self.mass))
        self.laws = Laws(laws)
        self.offset = np.array(offset, dtype=float)
        self.offset_previous = self.offset.copy()
        self.xi = self.dt**2 / (2.0 * self.mass)
        self._set_coefficients(omega, alpha)
        self.y = np.zeros(len(self.mass)) if y is None else np.array(y, dtype=float)
        self.previous = self.A / self.C * self.y if previous is None else np.array(
            previous, dtype=float)
        self.f = np.zeros(len(self.shapes))
        self.s = np.zeros(len(self.mass))
        self.losses, self.work, self.throughput = 0.0, 0.0, 0.0

    def _set_coefficients(self, omega, alpha):
        r = np.exp(-np.asarray(alpha, dtype=float) * self.dt)
        cosine = np.cos(np.asarray(omega, dtype=float) * self.dt)
        self.A, self.C = 2.0 * r * cosine, 1.0 + r * r          # eq. (38)
        self.upsilon = 2.0 - 4.0 * r * cosine / (1.0 + r * r)          # k* dt^2 / m
        self.lam = (1.0 - r * r) / (1.0 + r * r)          # r* dt / (2 m)
        self.W = self.shapes @ np.diag(self.xi * self.C) @ self.shapes.T

    def compressions(self):
        """Return the compressions at this step and the previous one, (K,) each, m."""
        return (self.offset - self.shapes @ self.y,
                self.offset_previous - self.shapes @ self.previous)

    def step(self, force_shape=None, force=0.0, offset=None):
        """Advance by dt under outer forces (N; shape (M,) or (n, M)) and with the offsets (m) that
        hold at the end of the step."""
        after = self.offset if offset is None else np.array(offset, dtype=float)
        moved = after - self.offset_previous
        outer = np.zeros((1, len(self.y))) if force_shape is None else np.atleast_2d(
            np.asarray(force_shape, dtype=float))
        values = np.broadcast_to(np.atleast_1d(np.asarray(force, dtype=float)), (len(outer),))
        free = self.A * self.y - self.C * self.previous + self.xi * self.C * (values @ outer)
        p = self.compressions()[1]

        def law(s):
            return self.laws.force(p, p + moved - s, 2.0 * self.dt)[1:]

        u = self.shapes @ free
        s = newton(u, self.W, law, u + self.W @ self.f, np.abs(p))[0] if len(u) else u
        conservative, self.f, _ = self.laws.force(p, p + moved - s, 2.0 * self.dt)
        self.s = free + self.xi * self.C * (self.shapes.T @ self.f)
        s = self.shapes @ self.s
        # half of the work over the two steps
        self.losses += float(self.s @ (self.lam / self.xi * self.s) / 4.0
                             + (conservative - self.f) @ (s - moved) / 2.0)
        self._add_work(float(values @ (outer @ self.s) + self.f @ moved) / 2.0)
        self.y, self.previous = self.previous + self.s, self.y
        self.offset, self.offset_previous = after, self.offset

    def energy(self):
        """Return the stored energy H(n - 1/2), J."""
        modes = (self.y - self.previous) ** 2 + self.upsilon * self.y * self.previous
        now, before = self.compressions()
        return float(np.sum(modes / (4.0 * self.xi))
                     + np.sum(self.laws.potential(now) + self.laws.potential(before)) / 2.0)

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
        self._add_work(self.energy() - before)

    def set_modes(self, omega, alpha):
        """Change frequencies and decay rates between two steps, both displacements kept; the jump
        of the energy is work."""
        before = self.energy()
        self._set_coefficients(omega, alpha)
        self._add_work(self.energy() - before)

    def settle(self):
        """Put the network at rest in its static equilibrium: y = V^T F / k*, k* = Upsilon / (2 xi)
        (no free masses)."""
        compliance = 2.0 * self.xi / self.upsilon
        w = self.shapes @ np.diag(compliance) @ self.shapes.T

        def law(s):
            return self.laws.static_force(self.offset - s), self.laws.slope(self.offset - s)

        s, _ = newton(np.zeros(len(w)), w, law, np.zeros(len(w)), np.abs(self.offset))
        self.f = self.laws.static_force(self.offset - s)
        self.y = compliance * (self.shapes.T @ self.f)
        self.previous = self.y.copy()
        self.offset_previous = self.offset.copy()

    def _add_work(self, work):
        self.work += work
        self.throughput += abs(work)
