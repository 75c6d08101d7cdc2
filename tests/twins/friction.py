"""A plain NumPy version of a two-point network with friction rows, solved by Gauss-Seidel sweeps.

A row of exact Coulomb friction has no bristle (stiffness inf); one that is alone is solved in
closed form. Contacts have exponent 1.
"""
from dataclasses import dataclass

import numpy as np
from twins.two_point import Linear, string_parameters

ROSIN = (0.35, 0.4, 0.01, 0.45, 0.1)    # mu0, mu1, v1, mu2, v2: a falling curve


@dataclass(frozen=True, kw_only=True)
class Rub:
    """Friction with a bristle: stiffness (N/m), damping (kg/s), coefficients of mu(v), and the
    contact row that presses it (None: the normal force of the step)."""

    stiffness: float
    damping: float = 0.0
    curve: tuple = (1.0, 0.0, 1.0, 0.0, 1.0)
    link: int | None = None

    def mu(self, v):
        mu0, mu1, v1, mu2, v2 = self.curve
        return mu0 + mu1 * np.exp(-v / v1) + mu2 * np.exp(-v / v2)


def contact_force(law, p0, p1, dt):
    """The mean of K max(p, 0) over a step, times its damping."""
    a, b = max(p0, 0.0), max(p1, 0.0)
    if p0 == p1:
        mean = a
    else:
        mean = 0.5 * (b * b - a * a) / (p1 - p0)
    force = law.stiffness * mean * (1.0 + law.damping / dt * (p1 - p0))
    return force if law.adhesive else max(force, 0.0)


def row_force(law, p0, e, w, bound, dt):
    """The force f of one row with f = F(p0, e - w f)."""
    if isinstance(law, Rub):
        if law.stiffness == np.inf:
            force = (e - p0) / w
        else:
            d = 0.5 * law.stiffness + law.damping / dt
            force = (law.stiffness * p0 + d * (e - p0)) / (1.0 + w * d)
        return min(max(force, -bound), bound)
    if isinstance(law, Linear):
        d = 0.5 * law.stiffness + law.resistance / dt
        return (law.stiffness * p0 + d * (e - p0)) / (1.0 + w * d)
    low, high = sorted((0.0, contact_force(law, p0, e, dt)))
    for _ in range(200):                # f - F(e - w f) rises with f
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if middle < contact_force(law, p0, e - w * middle, dt):
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def solve(w, free, before, laws, bounds, dt, start=None, sweeps=20000):
    """The forces (K,) of a step: row k goes from before[k] to before[k] + free[k] - (w f)[k]."""
    f = np.zeros(len(laws)) if start is None else start.copy()
    for _ in range(sweeps):
        last = f.copy()
        for k, law in enumerate(laws):
            e = before[k] + free[k] - (w[k] @ f - w[k, k] * f[k])
            f[k] = row_force(law, before[k], e, w[k, k], bounds[k], dt)
        if np.max(np.abs(f - last), initial=0.0) <= 1e-16 * np.max(np.abs(f), initial=0.0):
            break
    return f


class FrictionTwin:
    """Modes (M,), rows of Contact, Linear and Rub. p: penetrations, of Rub the deflection."""

    def __init__(self, *, omega, alpha, mass, shapes, laws, offset, dt, y, passes=1):
        self.dt, self.laws, self.passes = dt, laws, passes
        self.shapes, self.offset = np.atleast_2d(np.array(shapes, dtype=float)), offset
        xi = dt * dt / (2.0 * np.array(mass, dtype=float))
        r = np.exp(-np.asarray(alpha, dtype=float) * dt)
        cosine = np.cos(np.asarray(omega, dtype=float) * dt)
        den = 1.0 + 2.0 * r * cosine + r * r
        less = np.expm1(-np.asarray(alpha, dtype=float) * dt)       # A without cancellation
        half = np.sin(0.5 * np.asarray(omega, dtype=float) * dt)
        self.A, self.C, self.xi = (less * less + 4.0 * r * half * half) / den, den / 4.0, xi
        self.B = 2.0 * (1.0 - r * r) / den
        self.W = self.shapes @ np.diag(xi * self.C) @ self.shapes.T
        self.y, self.q = np.array(y, dtype=float), np.zeros(len(y))
        self.rubs = np.array([isinstance(law, Rub) for law in laws])
        self.p = np.where(self.rubs, 0.0, np.asarray(offset) - self.shapes @ self.y)
        self.f, self.v = np.zeros(len(laws)), np.zeros(len(laws))
        self.heat = self.work = self.losses = 0.0

    def step(self, speed=0.0, normal=0.0):
        ubar = 2.0 * self.C * (self.q - self.A * self.y)
        moved = np.where(self.rubs, speed * self.dt, 0.0)
        free = moved - self.shapes @ ubar
        last_bounds = None
        for _ in range(self.passes):
            bounds = np.array([law.mu(v) * (normal if law.link is None
                                            else max(self.f[law.link], 0.0)) if rub else 0.0
                               for law, v, rub in zip(self.laws, self.v, self.rubs, strict=True)])
            if last_bounds is not None and np.allclose(bounds, last_bounds, rtol=1e-13, atol=0.0):
                break
            last_bounds = bounds
            self.f = solve(self.W, free, self.p, self.laws, bounds, self.dt, self.f)
            h = free - self.W @ self.f
            dz = np.array([self._bristle(k) for k in range(len(self.f))])
            self.v = np.abs(h - dz) / self.dt
        slip = np.where(self.rubs, h - dz, 0.0)
        damping = np.array([getattr(law, "damping", 0.0) if rub else 0.0
                            for law, rub in zip(self.laws, self.rubs, strict=True)])
        self.heat += float(damping / self.dt @ (dz * dz) + self.f @ slip)
        self.work += float(self.f @ moved)
        s = ubar + self.xi * self.C * (self.shapes.T @ self.f)
        self.losses += float(self.B / self.xi @ (s * s))
        self.y, self.q = self.y + s, s - self.q
        self.p = np.where(self.rubs, self.p + dz, np.asarray(self.offset) - self.shapes @ self.y)

    def _bristle(self, k):
        law = self.laws[k]
        if not self.rubs[k] or law.stiffness == np.inf:
            return 0.0
        return (self.f[k] - law.stiffness * self.p[k]) / (0.5 * law.stiffness
                                                          + law.damping / self.dt)

    def energy(self):
        stored = sum(0.5 * law.stiffness * p * p if isinstance(law, Linear)
                     or (rub and law.stiffness < np.inf)
                     else 0.0 if rub else 0.5 * law.stiffness * max(p, 0.0) ** 2
                     for law, p, rub in zip(self.laws, self.p, self.rubs, strict=True))
        return float(np.sum((self.q ** 2 + self.A * self.y ** 2) / self.xi) + stored)


def bristle(stiffness, dt, **values):
    """Friction with the bristle that neither rings nor lags: damping K dt / 2."""
    return Rub(stiffness=stiffness, damping=0.5 * stiffness * dt, **values)


def violin_string():
    """Wave numbers, damped omega, alpha, mass (M,) of a G string and its torsion, and the number of
    its own modes: 0.325 m, 196 Hz, 45 N."""
    density = 45.0 / (2.0 * 0.325 * 196.0) ** 2
    b, omega, alpha, mass = string_parameters(length=0.325, tension=45.0, linear_density=density,
                                              stiffness=4e-5, losses=(1.2, 0.06, 3e-6))
    n = np.arange(1, 20)
    twist = 2.0 * np.pi * n * 5.2 * 196.0
    return (np.concatenate([b, n * np.pi / 0.325]), np.concatenate([omega, twist]),
            np.concatenate([alpha, twist / (2.0 * 30.0)]),
            np.concatenate([mass, np.full(19, density * 0.325 / 4.0)]), len(b))
