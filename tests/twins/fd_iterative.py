"""A plain NumPy version of the iterative scheme of a string on a grid, in the paper's own
variables: u(n) and u(n - 1), dense matrices.

Equations: Ducceschi & Bilbao 2019, eqs. (29), (41), (46), with the losses and the contact damping
of NESS (Edinburgh). """
import numpy as np


class Lattice:
    """Difference matrices on the M - 1 interior nodes of M intervals, both ends simply
    supported."""

    def __init__(self, intervals, spacing):
        n = intervals - 1
        self.d2 = (np.diag(np.full(n - 1, 1.0), 1) + np.diag(np.full(n - 1, 1.0), -1)
                   - 2.0 * np.eye(n)) / spacing**2
        self.d4 = self.d2 @ self.d2          # 5 on the first and last diagonal element, 6 between
        self.slope = np.diff(np.eye(n + 2), axis=0)[:, 1:-1] / spacing


class FdIterativeTwin:
    """A string (N, kg/m, N m^2, 1/s, m^2/s) on M intervals with K power-law contacts.

    points: (K, M - 1) node weights; law: arrays (K,) stiffness (N/m^exponent), exponent, damping
    (s/m), offset (m). State: u and previous (m), of this step and the previous one. After a step:
    f, the contact forces (N). losses, work: J since the start. """

    def __init__(self, *, length, tension, density, bending, sigma0, sigma2, intervals, dt, points,
                 stiffness, exponent, damping, offset):
        self.h, self.dt = length / intervals, dt
        self.density, self.tension, self.bending = density, tension, bending
        self.sigma0, self.sigma2 = sigma0, sigma2
        self.grid = Lattice(intervals, self.h)
        self.points = np.array(points, dtype=float).reshape(-1, intervals - 1)
        self.stiffness, self.exponent, self.damping, self.offset = (
            np.array(v, dtype=float) for v in (stiffness, exponent, damping, offset))
        self.u, self.previous = np.zeros(intervals - 1), np.zeros(intervals - 1)
        self.f = np.zeros(len(self.points))
        self.mobility = dt**2 / (density * self.h * (1.0 + sigma0 * dt))
        self.losses = self.work = 0.0

    def potential(self, p):
        return self.stiffness / (self.exponent + 1.0) * np.maximum(p, 0.0) ** (self.exponent + 1.0)

    def free(self, force):
        """Return u(n + 1) without contact, under forces (N) on the nodes."""
        k, g = self.dt, self.grid
        a = (self.tension * g.d2 - self.bending * g.d4
             ) @ self.u / self.density + 2.0 * self.sigma2 / k * (g.d2 @ (self.u - self.previous))
        right = 2.0 * self.u - (1.0 - self.sigma0 * k) * self.previous + k**2 * (
            a + force / (self.density * self.h))
        return right / (1.0 + self.sigma0 * k)

    def law(self, p0, p1, rate):
        """Return the force of each contact and its slope by p1."""
        h = p1 - p0
        near = np.abs(h) <= 1e-9 * (np.abs(p0) + np.abs(p1))
        middle = np.maximum(0.5 * (p0 + p1), 0.0)
        safe = np.where(near, 1.0, h)
        quotient = np.where(near, self.stiffness * middle**self.exponent,
                            (self.potential(p1) - self.potential(p0)) / safe)
        with np.errstate(divide="ignore"):
            steep = np.where(middle > 0.0,
                             0.5 * self.stiffness * self.exponent * middle**(self.exponent - 1.0),
                             0.0)
        slope = np.where(near, steep,
                         (self.stiffness * np.maximum(p1, 0.0)**self.exponent - quotient) / safe)
        return quotient + rate * h, slope + rate

    def collide(self, p0, e, rate):
        """Solve p1 + W F(p0, p1) = e for the forces by Newton; a step is halved until the residual
        falls."""
        w = self.mobility * (self.points @ self.points.T)
        p1 = e.copy()
        force, slope = self.law(p0, p1, rate)
        residual = p1 + w @ force - e
        for _ in range(200):
            if np.abs(residual).max() <= 1e-16 * (np.abs(e) + np.abs(p0)).max():
                break
            change = np.linalg.solve(np.eye(len(e)) + w * slope, -residual)
            for halvings in range(30):
                tried = p1 + change * 0.5**halvings
                force, slope = self.law(p0, tried, rate)
                worse = np.abs(tried + w @ force - e).max() >= np.abs(residual).max()
                if not worse:
                    break
            if worse:
                break                       # at the rounding floor
            p1, residual = tried, tried + w @ force - e
        return self.law(p0, p1, rate)[0], p1

    def step(self, force=0.0):
        """Advance by dt under forces (N) on the nodes."""
        k, g = self.dt, self.grid
        force = np.broadcast_to(np.asarray(force, dtype=float), self.u.shape)
        after = self.free(force)
        if len(self.points):
            p0, pn = (self.offset - self.points @ u for u in (self.previous, self.u))
            rate = self.damping / (2.0 * k) * self.stiffness * np.maximum(pn, 0.0) ** self.exponent
            self.f, p1 = self.collide(p0, self.offset - self.points @ after, rate)
            after = after + self.mobility * (self.points.T @ self.f)
            self.losses += 0.5 * float(rate @ (p1 - p0) ** 2)
        s = after - self.previous
        speed = s / (2.0 * k)
        self.losses += 2.0 * self.density * self.h * k * (self.sigma0 * float(
            speed @ speed) + self.sigma2 * float((g.slope @ speed) @ (g.slope @ speed)))
        self.work += 0.5 * float(force @ s)
        self.u, self.previous = after, self.u

    def energies(self):
        """Return kinetic (with the sigma2 term), potential and contact energy at n - 1/2, J."""
        g, h = self.grid, self.h
        speed = (self.u - self.previous) / self.dt
        kinetic = 0.5 * self.density * h * float(speed @ speed)
        kinetic -= 0.5 * self.density * self.sigma2 * self.dt * h * float(
            (g.slope @ speed) @ (g.slope @ speed))
        stored = self.tension * float((g.slope @ self.u) @ (g.slope @ self.previous))
        stored += self.bending * float((g.d2 @ self.u) @ (g.d2 @ self.previous))
        now, before = (self.potential(self.offset - self.points @ u)
                       for u in (self.u, self.previous))
        return kinetic, 0.5 * h * stored, 0.5 * float(np.sum(now + before))
