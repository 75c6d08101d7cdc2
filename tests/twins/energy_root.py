"""Contacts with energy root, stored energy psi^2 / 2, in plain NumPy: coupled rows, dense
matrices."""
import numpy as np


class EnergyRootContacts:
    """K contacts of stiffness (N/m^exponent), exponent, damping (s/m), (K,) each, with W (K, K),
    m/N.

    variant: "paper", "reset" or "tracking". is_single: (K,) bool, uncoupled rows, whose g is
    limited. State: psi (K,) at n - 1/2, J^(1/2). """

    def __init__(self, stiffness, exponent, damping, dt, w, variant, is_single=None):
        self.stiffness, self.exponent, self.damping = (np.array(v, dtype=float)
                                                       for v in (stiffness, exponent, damping))
        self.dt, self.w, self.variant = dt, w, variant
        self.is_single = np.zeros(self.stiffness.size,
                                  dtype=bool) if is_single is None else is_single
        self.psi = np.zeros(self.stiffness.size)

    def potential(self, p):
        return self.stiffness / (self.exponent + 1.0) * np.maximum(p, 0.0) ** (self.exponent + 1.0)

    def start(self, p, p0):
        self.psi = np.sqrt(self.potential(p) + self.potential(p0))

    def mean_force(self, p0, p1):
        """Return (phi(p1) - phi(p0)) / (p1 - p0) and its derivative by p1."""
        h, size = p1 - p0, np.abs(p0) + np.abs(p1)
        nearest, near = np.abs(h) <= 1e-7 * size, np.abs(h) <= 1e-4 * size
        middle = np.maximum(0.5 * (p0 + p1), 0.0)
        safe = np.where(nearest, 1.0, h)
        force = np.where(nearest, self.stiffness * middle**self.exponent,
                         (self.potential(p1) - self.potential(p0)) / safe)
        steep = 0.5 * self.stiffness * self.exponent * np.where(
            middle > 0.0, middle, 1.0)**(self.exponent - 1.0) * (middle > 0.0)
        return force, np.where(near, steep,
                               (self.stiffness * np.maximum(p1, 0.0)**self.exponent - force) / safe)

    def limit(self, increment, w):
        """Return the g with which psi+ = 0."""
        psi = self.psi
        size = np.sqrt(increment**2 + 4.0 * w * psi**2)
        with np.errstate(divide="ignore", invalid="ignore"):
            g = np.where(increment > 0.0, (increment + size) / (w * psi), 4.0 * psi /
                         (size - increment))
        return np.where(psi > 0.0, g, np.where(increment < 0.0, 0.0, np.inf))

    def frozen(self, p):
        """Return psi'(p)."""
        inside = np.where(p > 0.0, p, 1.0)
        return np.where(
            p > 0.0,
            np.sqrt(0.5 * self.stiffness *
                    (self.exponent + 1.0)) * inside**(0.5 * (self.exponent - 1.0)), 0.0)

    def tracking(self, p0, p, e, rate):
        """Return g by one Newton step of all rows to p(n + 1), and for which rows g is the
        limit."""
        # others: inactive
        predicted = np.where((p > 0.0) | (e > 0.0) | (self.psi > 0.0), 2.0 * p - p0,
                             np.minimum(p0, 0.0))
        force, slope = self.mean_force(p0, predicted)
        force, slope = force + rate * (predicted - p0), slope + rate
        predicted = predicted - np.linalg.solve(
            np.eye(p.size) + self.w * slope, predicted - e + self.w @ force)
        force = self.mean_force(p0, predicted)[0]
        own = np.diag(self.w)
        total = force + rate * (predicted - p0)
        part = 1.0 / (1.0 + own * rate)
        increment = part * (e - p0 - (self.w @ total - own * total))
        limit = self.limit(increment, part * own)
        sums = np.sqrt(self.potential(p) + self.potential(predicted)) + self.psi
        g = np.where(sums > 0.0, 2.0 * force / np.where(sums > 0.0, sums, 1.0), 0.0)
        is_limited = (g > limit) | ((p <= 0.0) & (predicted <= 0.0) & (increment < 0.0))
        return np.where(is_limited, limit, g), is_limited

    def step(self, p0, p, e):
        """Return forces (N) and dissipated energy (J) of a step from p(n - 1), p(n) to e without
        contact."""
        rate = self.damping / (2.0 * self.dt) * self.stiffness * np.maximum(p, 0.0) ** self.exponent
        heat = 0.0
        is_limited = np.zeros(p.size, dtype=bool)
        if self.variant == "reset":
            heat = 0.5 * float(np.sum(self.psi[p <= 0.0] ** 2))
            self.psi = np.where(p <= 0.0, 0.0, self.psi)
        if self.variant == "tracking":
            g, is_limited = self.tracking(p0, p, e, rate)
        else:
            g = self.frozen(p)
        if self.variant == "reset":
            part = 1.0 / (1.0 + np.diag(self.w) * rate)
            limit = np.where(self.is_single, self.limit(part * (e - p0), part * np.diag(self.w)),
                             np.inf)
            is_limited = g > limit
            g = np.minimum(g, limit)
        while True:
            a = 0.25 * g**2 + rate
            f = np.linalg.solve(np.eye(p.size) + a[:, None] * self.w, g * self.psi + a * (e - p0))
            h = e - p0 - self.w @ f
            pulls = (g > 0.0) & (self.psi + 0.25 * g * h < 0.0)
            if self.variant == "paper" or not pulls.any():
                break
            g = np.where(pulls, 0.0, g)
        heat += 0.5 * float(rate @ h**2)
        psi = self.psi + 0.5 * g * h
        if self.variant == "tracking":
            heat += 0.5 * float(np.sum(np.where((psi < 0.0) & ~self.is_single, psi, 0.0) ** 2))
            psi = np.maximum(psi, 0.0)
        if self.variant == "reset":
            psi = np.where(self.is_single, np.maximum(psi, 0.0), psi)
        self.psi = np.where(is_limited & self.is_single, 0.0, psi)
        return f, heat
