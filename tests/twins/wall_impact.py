"""A plain Python version of the wall impact: the schemes as in their equations, implicit ones
solved by bisection.

A mass m hits a wall with f = k x^a (1 + mu v) for a compression x > 0; gravity acts towards the
wall. Numbers in parentheses are equations of Papetti, Avanzini & Rocchesso 2009, with the printed
signs corrected. """
import math
from dataclasses import dataclass

import numpy as np

GAUSS = np.polynomial.legendre.leggauss(20)


@dataclass(kw_only=True)
class WallTwin:
    """A mass that starts at x = 0 with a velocity (m/s); `run` returns compression, velocity,
    force, energy (steps, 4)."""

    mass: float
    stiffness: float
    exponent: float
    hysteresis: float
    velocity: float
    time_step: float
    scheme: str
    corrected: bool = False
    gravity: float = 0.0

    def __post_init__(self):
        self.x, self.v, self.f = 0.0, self.velocity, 0.0
        self.bounds = None                      # (x_max, v_out) of the present impact

    def force(self, x, v):
        """(1)"""
        return self.stiffness * x**self.exponent * (1.0 + self.hysteresis * v) if x > 0.0 else 0.0

    def potential(self, x):
        """(13)"""
        return self.stiffness * max(x, 0.0) ** (self.exponent + 1.0) / (self.exponent + 1.0)

    def energy(self):
        return 0.5 * self.mass * self.v**2 + self.potential(
            self.x) - self.mass * self.gravity * self.x

    def run(self, steps):
        step = {"energy": self.balance}.get(self.scheme) or getattr(self, self.scheme)
        rows = []
        for _ in range(steps):
            x, v, f, energy = self.x, self.v, self.f, self.energy()
            step()
            if self.corrected:
                self.correct(x, v)
            if self.scheme in ("invariant", "energy"):
                f = self.f                      # over the step
            elif self.scheme == "rk4":
                f = self.force(x, v)
            rows.append((x, v, f, energy))
        return np.array(rows)

    def am1(self):
        """(20)"""
        h, m, g = self.time_step, self.mass, self.gravity
        x0 = self.x + h * self.v - h * h / (4.0 * m) * self.f + 0.5 * h * h * g
        v0 = self.v - h / (2.0 * m) * self.f + h * g

        def after(f):
            return x0 - h * h / (4.0 * m) * f, v0 - h / (2.0 * m) * f

        guess = self.force(x0, v0)
        # where the velocity is -1/mu the force is 0
        low = min(0.0, (v0 + 1.0 / self.hysteresis) * 2.0 * m / h) if guess < 0.0 else 0.0
        self.f = bisect(lambda f: f - self.force(*after(f)), low, max(guess, 0.0))
        self.x, self.v = after(self.f)

    def verlet(self):
        """(21)"""
        h, m, g = self.time_step, self.mass, self.gravity
        self.x += h * self.v + h * h / 2.0 * (g - self.f / m)
        half = self.v + h / 2.0 * (g - self.f / m)
        self.f = self.force(self.x, half)
        self.v = half + h / 2.0 * (g - self.f / m)

    def heun(self):
        """(22)"""
        h, m, g = self.time_step, self.mass, self.gravity
        euler = self.v + h * (g - self.f / m)
        x = self.x + h / 2.0 * (self.v + euler)
        f = self.force(x, euler)
        self.v += h * g - h / (2.0 * m) * (self.f + f)
        self.x, self.f = x, f

    def rk4(self):
        """(23)"""
        h, state = self.time_step, np.array([self.x, self.v])

        def rate(y):
            return np.array([y[1], self.gravity - self.force(y[0], y[1]) / self.mass])

        k1 = rate(state)
        k2 = rate(state + h / 2.0 * k1)
        k3 = rate(state + h / 2.0 * k2)
        k4 = rate(state + h * k3)
        self.x, self.v = (state + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)).tolist()

    def invariant(self):
        """The discrete gradient of V(x) + m phi(v) in x and u = ln(1 + mu v) / mu, between two half
        kicks of gravity."""
        h, m, mu = self.time_step, self.mass, self.hysteresis
        v = self.v + 0.5 * h * self.gravity
        u = math.log1p(mu * v) / mu if mu > 0.0 else v

        def velocity_at(u):
            return math.expm1(mu * u) / mu if mu > 0.0 else u

        def mean_velocity(du):
            if mu == 0.0:
                return u + 0.5 * du
            z = mu * du
            p = math.expm1(z) / z - 1.0 if abs(z) > 1e-2 else sum(
                z**n / math.factorial(n + 1) for n in range(1, 9))
            return (math.expm1(mu * u) * (1.0 + p) + p) / mu

        def residual(d):
            return d - h * mean_velocity(-h / m * self.mean_force(d))

        d = h * v
        if self.x > 0.0 or self.x + d > 0.0:
            reach = self.stiffness * max(self.x, self.x + max(d, 0.0)) ** self.exponent
            d = bisect(residual, h * mean_velocity(-h / m * reach), d)
        after = velocity_at(u - h / m * self.mean_force(d))
        self.f = m * (v - after) / h
        self.x += d
        self.v = after + 0.5 * h * self.gravity

    def balance(self):
        """Step by the discrete gradient of V(x) in x and v, damping by the mean velocity, force >=
        0."""
        h, m = self.time_step, self.mass
        free = h * self.v + 0.5 * h * h * self.gravity

        def force(d):
            return self.mean_force(d) * max(0.0, 1.0 + self.hysteresis * d / h)

        least = free - h * h / (2.0 * m) * force(free)
        d = bisect(lambda d: d - free + h * h / (2.0 * m) * force(d), least, free)
        self.f = force(d)
        self.x += d
        self.v += h * (self.gravity - self.f / m)

    def mean_force(self, d):
        """(V(x + d) - V(x)) / d, by 20 points of Gauss where that would cancel."""
        x, y = self.x, self.x + d
        if x > 0.0 and y > 0.0 and abs(d) < 0.3 * x:
            nodes, weights = GAUSS
            middle = (x + 0.5 * d * (1.0 + nodes)) ** self.exponent
            return float(0.5 * self.stiffness * (weights * middle).sum())
        return (self.potential(y) - self.potential(x)) / d if d else 0.0

    def correct(self, x, v):
        """Apply (24) to (26), with the greatest compression (4) and the fitted output velocity (7),
        (8).

        No correction if the weight alone compresses further than (4), which neglects gravity.
        """
        if self.bounds is None and x <= 0.0 and self.x > 0.0:
            bounds = self.bounds_of(math.sqrt(v * v - 2.0 * self.gravity * x))
            sinking = ((self.exponent + 1.0) * self.mass * self.gravity
                       / self.stiffness)**(1.0 / self.exponent)
            self.bounds = bounds if bounds[0] > sinking else None
        if self.bounds is not None:
            self.x = min(self.x, self.bounds[0])
            if self.x <= 0.0:
                self.v, self.f, self.bounds = self.bounds[1], 0.0, None

    def bounds_of(self, vin):
        m, k, a, mu = self.mass, self.stiffness, self.exponent, self.hysteresis
        y = mu * vin
        if y == 0.0:
            return (m * (a + 1.0) * vin * vin / (2.0 * k)) ** (1.0 / (a + 1.0)), -vin
        top = (m * (a + 1.0) / (k * mu * mu) * (y - math.log1p(y))) ** (1.0 / (a + 1.0))
        fit = sum(b * y**j for j, b in enumerate((1.0, 1.0, 2.0 / 3.0, 2.0 / 9.0, 14.0 / 135.0)))
        return top, -(1.0 - fit * math.exp(-2.0 * y)) / mu


def bisect(residual, low, high):
    """Return the root of an increasing function, to the last bit."""
    while True:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            return middle
        low, high = (low, middle) if residual(middle) > 0.0 else (middle, high)
