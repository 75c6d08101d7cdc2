"""A plain NumPy version of the explicit schemes of a string on a grid, in the paper's own variables: u(n), u(n - 1) and psi(n - 1/2).

Equations: Ducceschi & Bilbao 2019, eqs. (47)-(52) with the signs mended; the string without contact is the iterative scheme's twin's.
"""
import numpy as np
from twins.fd_iterative import FdIterativeTwin
from twins.quadratised import Quadratised


class FdExplicitTwin(FdIterativeTwin):
    """The string and contacts of an FdIterativeTwin; variant: "paper", "reset" or "tracking"."""

    def __init__(self, *, variant, **given):
        super().__init__(**given)
        w = self.mobility * (self.points @ self.points.T)
        lone = np.count_nonzero(w, axis=1) == 1
        self.contacts = Quadratised(self.stiffness, self.exponent, self.damping, self.dt, w, variant, lone)

    def step(self, force=0.0):
        """Advance by dt under forces (N) on the nodes."""
        p0, p = (self.offset - self.points @ u for u in (self.previous, self.u))
        self.f, heat = self.contacts.step(p0, p, self.offset - self.points @ self.free(np.asarray(force, dtype=float)))
        self.losses += heat
        # the other scheme's step, its contacts' forces being known
        points, self.points = self.points, self.points[:0]
        pushes = points.T @ self.f
        before = self.previous
        super().step(force + pushes)
        self.points = points
        self.work -= 0.5 * float(pushes @ (self.u - before))

    def energies(self):
        """Kinetic (with what sigma2 takes of it), potential and contact energy half a step ago (J)."""
        kinetic, stored, _ = super().energies()
        return kinetic, stored, 0.5 * float(np.sum(self.contacts.psi**2))
