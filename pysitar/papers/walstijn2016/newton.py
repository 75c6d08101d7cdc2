"""The schemes of van Walstijn & Bridges 2016 with Newton's method as in the paper, plain or damped,
to show where this method fails."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pysitar.physics.barrier import Barrier
    from pysitar.physics.checks import FloatArray
    from pysitar.physics.modes import StringModes

TOLERANCE = 1e-15  # m, of the change of s: machine precision for displacements of millimetres
MOST = 60                       # iterations after which a step counts as failed
HALVINGS = 40                   # most halvings of a damped step
LARGEST = 1e3                   # m: a greater displacement counts as diverged


@dataclass(frozen=True, slots=True, kw_only=True)
class NewtonRun:
    """A run with Newton's method.

    Parameters: iterations of each step; touching, whether each step had a contact force; failed,
    the number of steps without a solution; energy after each step (J).
    """

    iterations: tuple[int, ...]
    touching: tuple[bool, ...]
    failed: int
    energy: FloatArray

    @property
    def most(self) -> int:
        """The most iterations in one step."""
        return max(self.iterations)

    @property
    def mean(self) -> float:
        """The mean number of iterations of the steps with contact."""
        taken = [
            count for count, touching in zip(self.iterations, self.touching, strict=True)
            if touching
        ]
        return sum(taken) / len(taken) if taken else 0.0


class NewtonString:
    """A string above a barrier of exponent 1, by a scheme of the paper whose equation (28) or (39)
    is solved by Newton's method.

    Parameters: modes; barrier; rate (Hz); three_point, whether the scheme is the three-point one;
    damped, whether a step of Newton's method is halved until the residual decreases;
    missing_factor, whether u is C(q - Ay) as printed, not twice that (two-point).
    """

    def __init__(
        self,
        modes: StringModes,
        barrier: Barrier,
        rate: float,
        *,
        three_point: bool = False,
        damped: bool = False,
        missing_factor: bool = False,
    ) -> None:
        dt = 1.0 / rate
        r = np.exp(-modes.decay_rates * dt)
        cosine = np.cos(modes.angular_frequencies * dt)
        self.three_point, self.damped = three_point, damped
        self.xi = dt * dt / (2.0 * float(modes.masses[0]))
        if three_point:
            self.a, self.c = 2.0 * r * cosine, 1.0 + r * r
        else:
            den = 1.0 + 2.0 * r * cosine + r * r
            self.a, self.c = (1.0 - 2.0 * r * cosine + r * r) / den, den / 4.0
        self.factor = 1.0 if missing_factor else 2.0
        self.v = np.sin(np.outer(barrier.positions, modes.wave_numbers))
        self.heights, self.stiffness, self.width = barrier.heights, barrier.law.stiffness, float(
            barrier.weights[0])
        self.w = self.xi * self.width * (self.v * self.c) @ self.v.T
        self.y = np.zeros(modes.count)
        self.other = np.zeros(modes.count)          # q, or y of the step before
        self.s = np.zeros(barrier.points)
        self.touching = False
        self.identity = np.eye(barrier.points)

    def begin(self, modal: FloatArray) -> None:
        """Set the displacements of the modes (m), with velocity 0."""
        self.y = modal.copy()
        self.other = self.a / self.c * modal if self.three_point else np.zeros_like(modal)

    def step(self) -> tuple[int, bool]:
        """Compute a step; return the number of iterations, and whether they found a solution."""
        if self.three_point:
            free = self.a * self.y - self.c * self.other
        else:
            free = self.factor * self.c * (self.other - self.a * self.y)
        before = self.heights - self.v @ (self.other if self.three_point else self.y)
        u = self.v @ free
        s, count, solved = self._solve(self.s, u, before)
        self.s = s
        force = self.force(before, before - s)[0]
        self.touching = bool(np.any(force))
        change = free + self.xi * self.width * self.c * (self.v.T @ force)
        if self.three_point:
            self.y, self.other = self.other + change, self.y
        else:
            self.y, self.other = self.y + change, change - self.other
        return count, solved

    def energy(self) -> float:
        """Return H (J) at the present step, or half a step earlier (three-point)."""
        p = np.maximum(self.heights - self.v @ self.y, 0.0)
        stored = self.width * 0.5 * self.stiffness * float(p @ p)
        if not self.three_point:
            return float(self.other @ self.other + self.y @ (self.a * self.y)) / self.xi + stored
        d = self.y - self.other
        last = np.maximum(self.heights - self.v @ self.other, 0.0)
        upsilon = 2.0 - 2.0 * self.a / self.c
        return (float(d @ d + self.y @ (upsilon * self.other)) / (4.0 * self.xi)
                + 0.5 * (stored + self.width * 0.5 * self.stiffness * float(last @ last)))

    def run(self, steps: int, *, to_failure: bool = False) -> NewtonRun:
        """Compute steps; end early if the solution diverges.

        Parameters: to_failure, whether the run also ends at the first step without a solution.
        """
        counts, touching, failed, energies = [], [], 0, []
        with np.errstate(all="ignore"):
            for _ in range(steps):
                count, solved = self.step()
                counts.append(count)
                touching.append(self.touching)
                failed += not solved
                energies.append(self.energy())
                if not np.abs(self.y).max() < LARGEST or (failed and to_failure):
                    break
        return NewtonRun(iterations=tuple(counts), touching=tuple(touching), failed=failed,
                       energy=np.array(energies))

    def force(self, p0: FloatArray, p1: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the force density (N/m) of (17) for exponent 1, and its derivative by p1, both
        without cancellation."""
        a, b, h = np.maximum(p0, 0.0), np.maximum(p1, 0.0), p1 - p0
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where((p0 > 0.0) & (p1 > 0.0), 1.0, np.where(h == 0.0, 0.0, (b - a) / h))
        half = 0.5 * self.stiffness
        return half * (a + b) * ratio, half * np.where(p1 > 0.0, ratio *
                                                       (2.0 - ratio), ratio * ratio)

    def _solve(self, s: FloatArray, u: FloatArray, p0: FloatArray) -> tuple[FloatArray, int, bool]:
        """Return the root of (28) or (39), the number of iterations, and whether they converged.

        The iterations begin at the last root, and include the one that confirms the result.
        """
        force, slope = self.force(p0, p0 - s)
        residual = s - u - self.w @ force
        for count in range(1, MOST + 1):
            step = np.linalg.solve(self.identity + self.w * slope, -residual)
            size = float(np.abs(residual).max()) if self.damped else 0.0
            for halving in range(HALVINGS if self.damped else 1):
                tried = s + step * 0.5**halving
                force, slope = self.force(p0, p0 - tried)
                residual = tried - u - self.w @ force
                if not self.damped or float(np.abs(residual).max()) < size or float(
                        np.abs(step).max()) <= TOLERANCE:
                    break
            change = float(np.abs(tried - s).max())
            s = tried
            if change <= TOLERANCE:
                return s, count, True
        return s, MOST, False
