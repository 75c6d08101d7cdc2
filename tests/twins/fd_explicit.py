"""A plain NumPy version of the explicit schemes of a string on a grid, in the paper's own
variables: u(n), u(n - 1) and psi(n - 1/2).

Equations: Ducceschi & Bilbao 2019, eqs. (47)-(52) with corrected signs; the string without contact
is that of FdIterativeTwin. """
import numpy as np
from twins.energy_root import EnergyRootContacts
from twins.fd_iterative import FdIterativeTwin


class FdExplicitTwin(FdIterativeTwin):
    """String and contacts as FdIterativeTwin; variant: "paper", "reset" or "tracking"."""

    def __init__(self, *, variant, **arguments):
        super().__init__(**arguments)
        w = self.mobility * (self.points @ self.points.T)
        is_single = np.count_nonzero(w, axis=1) == 1
        self.contacts = EnergyRootContacts(self.stiffness, self.exponent, self.damping, self.dt, w,
                                           variant, is_single)

    def step(self, force=0.0):
        """Advance by dt under forces (N) on the nodes."""
        p0, p = (self.offset - self.points @ u for u in (self.previous, self.u))
        self.f, heat = self.contacts.step(
            p0, p, self.offset - self.points @ self.free(np.asarray(force, dtype=float)))
        self.losses += heat
        # the step of the iterative scheme with known contact forces
        points, self.points = self.points, self.points[:0]
        pushes = points.T @ self.f
        before = self.previous
        super().step(force + pushes)
        self.points = points
        self.work -= 0.5 * float(pushes @ (self.u - before))

    def energies(self):
        """Return kinetic (with the sigma2 term), potential and contact energy at n - 1/2, J."""
        kinetic, stored, _ = super().energies()
        return kinetic, stored, 0.5 * float(np.sum(self.contacts.psi**2))
