"""`CoupledTwin` with dry friction on its rows, solved by Newton's method on dense matrices."""
import numpy as np
from twins.coupled import CoupledTwin
from twins.friction import Rub, contact_force
from twins.two_point import Linear


def law_force(law, p0, p1, bound, dt):
    """The mean force of a row over a step, and its slope by p1 of either side."""
    if isinstance(law, Rub):
        d = 0.5 * law.stiffness + law.damping / dt
        force = law.stiffness * p0 + d * (p1 - p0)
        return (force, d) if abs(force) <= bound else (np.copysign(bound, force), 0.0)
    if isinstance(law, Linear):
        d = 0.5 * law.stiffness + law.resistance / dt
        return law.stiffness * p0 + d * (p1 - p0), d
    step = 1e-9 * max(abs(p0), abs(p1), 1e-9)
    force = contact_force(law, p0, p1, dt)
    return force, max((contact_force(law, p0, p1 + step, dt) - force) / step, 0.0)


def solve(w, free, before, laws, bounds, dt, start):
    """The forces (K,) of a step, from a guess: f = F(p0, p0 + free - W f)."""
    f = start.copy()
    best, least = f, np.inf
    for _ in range(60):
        pairs = [law_force(law, p, p + h, bound, dt)
                 for law, p, h, bound in zip(laws, before, free - w @ f, bounds, strict=True)]
        force, slope = (np.array(values) for values in zip(*pairs, strict=True))
        residual = np.abs(f - force).max()
        if residual < least:
            best, least = f, residual
        elif least <= 1e-11 * np.abs(best).max():   # of rounding alone
            break
        f = f + np.linalg.solve(np.eye(len(f)) + slope[:, None] * w, force - f)
    assert least <= 1e-10 * max(np.abs(best).max(), 1e-3)
    return best


class CoupledFrictionTwin(CoupledTwin):
    """As CoupledTwin, with laws of Rub, whose `link` counts the rows of all strings; passes, the
    solutions of a step."""

    def __init__(self, *, parts, passes, **values):
        self.all_laws = [law for part in parts for law in part["laws"]]
        self.rubs = np.array([isinstance(law, Rub) for law in self.all_laws])
        plain = [{**part, "laws": [Linear() if isinstance(law, Rub) else law
                                   for law in part["laws"]]} for part in parts]
        super().__init__(parts=plain, **values)
        self.passes, self.f, self.heat = passes, np.zeros(len(self.rubs)), 0.0
        self.p[self.rubs] = 0.0

    def step(self, outer=None):
        free = self.inverse @ (2.0 * self.mass @ self.v - self.dt * self.k * self.y)
        u = self.shapes @ free
        for _ in range(self.passes):
            bounds = [law.mu(0.0) * max(self.f[law.link], 0.0) if rub else 0.0
                      for law, rub in zip(self.all_laws, self.rubs, strict=True)]
            self.f = solve(self.W, -u, self.p, self.all_laws, bounds, self.dt, self.f)
        step = free + self.dt * self.inverse @ (self.shapes.T @ self.f)
        h = -(self.shapes @ step)
        dz = np.array([(f - law.stiffness * p) / (0.5 * law.stiffness + law.damping / self.dt)
                       if rub else 0.0
                       for law, rub, f, p in zip(self.all_laws, self.rubs, self.f, self.p,
                                                 strict=True)])
        rate = np.array([law.damping / self.dt if rub else 0.0
                         for law, rub in zip(self.all_laws, self.rubs, strict=True)])
        self.heat += float(rate @ (dz * dz) + np.where(self.rubs, self.f * (h - dz), 0.0).sum())
        self.y = self.y + step
        self.v = 2.0 / self.dt * step - self.v
        self.p = np.where(self.rubs, self.p + dz, self.offset - self.shapes @ self.y)
