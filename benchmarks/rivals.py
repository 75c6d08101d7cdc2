"""The sitar string of benchmarks/cases.py by numba."""
import math

import numpy as np
from twins.numba_two_point import contact_steps, free_steps

from benchmarks.cases import (
    AUDIT,
    MODES,
    POINTS,
    RATE,
    SHAPES,
    STEPS,
    balance,
    bridge,
    far_below,
    network,
)


class NumbaCase:
    """The same run by a numba twin, with the same output and audit."""

    def __init__(self, *, contact: bool) -> None:
        self.contact = contact
        kernel = network(bridge if contact else far_below)
        a, b, c = kernel.coefficients
        xi = 1.0 / (RATE * RATE * 2.0 * SHAPES.masses)
        x = [0.003 * (k + 0.5) for k in range(POINTS)]
        self.shapes = np.array([[math.sin(beta * point) for beta in SHAPES.wave_numbers.tolist()]
                                for point in x])
        self.heights = np.array([bridge(point) if contact else far_below(point) for point in x])
        self.start = kernel.displacement()
        self.loss, self.inverse_xi = b / xi, 1.0 / xi
        self.a, self.twice_c, self.drive = a, 2.0 * c, xi * c
        self.mobility = kernel.mobility
        self.stiffness = np.full(POINTS, 1e9 * 0.003)
        self.weights = SHAPES.slope_force_end()
        self.out = np.empty(STEPS)
        self.ledger = np.zeros((STEPS // AUDIT, 6))

    def __call__(self) -> None:
        y = self.start.copy()
        q = np.zeros(MODES)
        p = self.heights - self.shapes @ y
        if self.contact:
            contact_steps(y, q, self.a, self.twice_c, self.drive, self.loss, self.inverse_xi,
                          self.shapes, self.mobility, p, self.stiffness, self.weights, self.out,
                          self.ledger)
        else:
            free_steps(y, q, self.a, self.twice_c, self.loss, self.inverse_xi, self.shapes, p,
                       self.weights, self.out, self.ledger)

    @property
    def residual(self) -> float:
        return balance(self.ledger)
