"""Felt with memory, evaluated plainly: force of a step, relaxation and energy."""
import math


class FeltTwin:
    """K, exponent a, memory e, memory time tau (s), time step dt (s); m, the memory."""

    def __init__(self, stiffness, exponent, memory, memory_time, dt):
        self.k, self.a, self.e = stiffness, exponent, memory
        self.left, self.m = math.exp(-dt / memory_time), 0.0

    def energy(self, p):
        x = max(p, (self.e * self.m) ** (1.0 / self.a))
        return self.k * (x ** (self.a + 1.0) / (self.a + 1.0) - self.e * self.m * x
                         + self.e * self.a / (self.a + 1.0) * self.m ** (1.0 + 1.0 / self.a))

    def force(self, p0, p1):
        return (self.energy(p1) - self.energy(p0)) / (p1 - p0)

    def relax(self, p):
        """Advance the memory at p; return the heat (J)."""
        before, target = self.energy(p), max(p, 0.0) ** self.a
        self.m = target + (self.m - target) * self.left
        return before - self.energy(p)
