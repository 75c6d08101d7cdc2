"""A string of 200 nodes near its rest, for the schemes on a grid."""
import math

import numpy as np

from benchmarks.cases import KernelCase
from pysitar.kernels.grid.iterative import FdIterative
from pysitar.physics.barrier import Barrier
from pysitar.physics.contact import ContactLaw
from pysitar.physics.grid import grid_rows, string_grid
from pysitar.physics.string import String

EXACT = 5e-12  # what every benchmark's energy balance must keep, or it timed something else
RATE, NODES, STEPS = 44100.0, 200, 64 * 100
STRING = String(length=1.0, tension=500.0, linear_density=0.063,
                bending_stiffness=2e11 * math.pi * 5e-4**4 / 4.0, sigma0=1.0, sigma2=2e-3)
LAW = ContactLaw(stiffness=5e6, exponent=1.4)
# a convex hump that a string at rest wraps along a tenth, one far below, none
BARRIERS = {
    "tenth": [
        Barrier(profile=lambda x: 0.4e-3 - 0.05 * (x - 0.5)**2, start=0.0, end=1.0, points=2,
                law=LAW)
    ],
    "none": [Barrier(profile=lambda x: -1.0, start=0.0, end=1.0, points=2, law=LAW)],
    "alone": [],
}


class GridCase(KernelCase):
    """A run of some steps of a string near its rest."""

    def __init__(self, name, kernel=FdIterative, *, steps=STEPS, **more) -> None:
        self.grid = string_grid(STRING, RATE, NODES)
        self.rows = grid_rows(self.grid, BARRIERS[name])
        kernel = kernel(**self.grid.coefficients, **self.rows, **more)
        kernel.set_outputs(self.grid.shape(0.9).reshape(1, -1))
        kernel.set_equilibrium()
        self.pressed = np.count_nonzero(kernel.force())
        wave = 1e-6 * np.sin(np.pi * self.grid.nodes[1:-1])
        start = (kernel.displacement() + wave, np.zeros(self.grid.count))
        super().__init__(kernel, start, steps)
