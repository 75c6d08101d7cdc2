"""A plain NumPy version of strings on a common bridge: a dense mass matrix, all rows in one dense
Newton solve.

y(x) = sum sin(b x) y_i + (1 - x/L) w with w = phi . B of the body's modes B, so the kinetic energy
is v . M v / 2 with M = [diag m, a phi^T; phi a^T, diag m_B + mu phi phi^T], a = rhoA / b, mu = sum
rhoA L / 3 (positive definite). """
import numpy as np
from twins.two_point import Laws, newton


class CoupledTwin:
    """Parts: dicts of omega, alpha, mass, inertia (M,), shapes (K, M), bridge_shapes (K,), laws,
    offset (K,); body: omega, alpha, mass, shape.
    """

    def __init__(self, *, parts, body, string_mass, dt):
        sizes = [len(part["mass"]) for part in parts]
        rows = [len(part["laws"]) for part in parts]
        self.dt, self.ends, self.row_ends = dt, np.cumsum([0, *sizes]), np.cumsum([0, *rows])
        total = self.ends[-1] + len(body["mass"])
        self.body = slice(self.ends[-1], total)
        phi = np.asarray(body["shape"], dtype=float)
        self.lift = np.zeros(total)
        self.lift[self.body] = phi
        self.mass = np.diag(
            np.concatenate([*[part["mass"] for part in parts], body["mass"]]).astype(float))
        self.mass[self.body, self.body] += string_mass * np.outer(phi, phi)
        self.shapes = np.zeros((self.row_ends[-1], total))
        for i, part in enumerate(parts):
            own = slice(self.ends[i], self.ends[i + 1])
            self.mass[own, self.body] = np.outer(part["inertia"], phi)
            self.mass[self.body, own] = self.mass[own, self.body].T
            self.shapes[self.row_ends[i]:self.row_ends[i + 1], own] = part["shapes"]
            self.shapes[self.row_ends[i]:self.row_ends[i + 1],
                        self.body] = np.outer(part["bridge_shapes"], phi)
        self.laws = Laws([law for part in parts for law in part["laws"]])
        self.offset = np.concatenate([np.asarray(part["offset"], dtype=float) for part in parts])
        self.omega = np.concatenate([*[part["omega"] for part in parts],
                                     body["omega"]]).astype(float)
        self.alpha = np.concatenate([*[part["alpha"] for part in parts],
                                     body["alpha"]]).astype(float)
        self.m = np.concatenate([*[part["mass"] for part in parts], body["mass"]]).astype(float)
        self._coefficients()
        self.y, self.v = np.zeros(total), np.zeros(total)
        self.p = self.offset - self.shapes @ self.y
        self.s = np.zeros(len(self.offset))
        self.losses = self.work = 0.0

    def _coefficients(self):
        """Compute k* and r* of each uncoupled mode, and S of S s = 2 M v - dt k* y + dt f."""
        r, cosine = np.exp(-self.alpha * self.dt), np.cos(self.omega * self.dt)
        den = 1.0 + 2.0 * r * cosine + r * r
        self.k = 4.0 * self.m / self.dt**2 * (1.0 - 2.0 * r * cosine + r * r) / den
        self.r = 2.0 * self.m / self.dt * 2.0 * (1.0 - r * r) / den
        self.inverse = np.linalg.inv(2.0 / self.dt * self.mass
                                     + np.diag(0.5 * self.dt * self.k + self.r))
        self.W = self.dt * self.shapes @ self.inverse @ self.shapes.T

    def tune(self, part, omega):
        """Set the frequencies of a string; the change of the stored energy is work."""
        before = self.energy()
        self.omega[self.ends[part]:self.ends[part + 1]] = omega
        self._coefficients()
        self.work += self.energy() - before

    def step(self, outer=None):
        """Advance by dt under outer forces on all degrees of freedom (N)."""
        outer = np.zeros(len(self.y)) if outer is None else outer
        free = self.inverse @ (2.0 * self.mass @ self.v - self.dt * self.k * self.y
                               + self.dt * outer)
        u = self.shapes @ free
        self.s, _ = newton(u, self.W, lambda s: self.laws.force(self.p, self.p - s, self.dt)[1:],
                           self.s, np.abs(self.p))
        conservative, self.f, _ = self.laws.force(self.p, self.p - self.s, self.dt)
        step = free + self.dt * self.inverse @ (self.shapes.T @ self.f)
        s = self.shapes @ step
        self.losses += float(step @ (self.r / self.dt * step) + (conservative - self.f) @ s)
        self.work += float(outer @ step)
        self.y = self.y + step
        self.v = 2.0 / self.dt * step - self.v
        self.p = self.offset - self.shapes @ self.y

    def energy(self):
        """Return H = v . M v / 2 + y . k* y / 2 + stored energy of the rows, J."""
        return float(0.5 * self.v @ self.mass @ self.v + 0.5 * self.y @ (self.k * self.y)
                     + np.sum(self.laws.potential(self.p)))
