"""A plain NumPy version of the explicit scheme of modes, in the paper's own variables: q(n), q(n -
1) and psi(n - 1/2).

Equations: Ducceschi & Bilbao 2019, eqs. (53)-(62), forcing and contact on the right side, with the
losses and contact damping of NESS. """
import numpy as np
from twins.energy_root import EnergyRootContacts


class ModalExplicitTwin:
    """Modes (rad/s, 1/s, kg; (M,) each) with K power-law contacts; shapes (K, M) and laws (K,) as
    in the kernel.

    variant: "paper" or "reset". State: y and previous (m), of this step and the previous one.
    After a step: f, the forces (N). losses, work: J since the start.
    """

    def __init__(self, *, omega, sigma, mass, shapes, stiffness, exponent, damping, offset, dt,
                 variant):
        self.omega, self.sigma, self.mass = (np.array(v, dtype=float) for v in (omega, sigma, mass))
        self.shapes, self.offset, self.dt = np.array(shapes,
                                                     dtype=float), np.array(offset, dtype=float), dt
        self.y, self.previous = np.zeros(self.omega.size), np.zeros(self.omega.size)
        self.mobility = dt**2 / (self.mass * (1.0 + self.sigma * dt))
        self.contacts = EnergyRootContacts(stiffness, exponent, damping, dt,
                                           (self.shapes * self.mobility) @ self.shapes.T, variant)
        self.losses = self.work = 0.0

    def step(self, force=0.0):
        """Advance by dt under forces (N) on the modes."""
        k = self.dt
        free = ((2.0 - (self.omega * k)**2) * self.y -
                (1.0 - self.sigma * k) * self.previous) / (1.0 + self.sigma * k)
        free = free + self.mobility * force
        p0, p, e = (self.offset - self.shapes @ y for y in (self.previous, self.y, free))
        self.f, heat = self.contacts.step(p0, p, e)
        after = free + self.mobility * (self.shapes.T @ self.f)
        s = after - self.previous
        self.losses += heat + 0.5 * float(np.sum(self.mass * self.sigma / k * s**2))
        self.work += 0.5 * float(np.sum(force * s))
        self.y, self.previous = after, self.y

    def energies(self):
        """Return kinetic, potential and contact energy at n - 1/2, J."""
        kinetic = 0.5 * float(np.sum(self.mass * ((self.y - self.previous) / self.dt) ** 2))
        stored = 0.5 * float(np.sum(self.mass * self.omega**2 * self.y * self.previous))
        return kinetic, stored, 0.5 * float(np.sum(self.contacts.psi**2))
