"""The string of Ducceschi & Bilbao 2019, section III, its barriers and its pluck, for tests of the
grid kernels."""
import math
from dataclasses import replace

import numpy as np

from pysitar.kernels.grid.explicit import FdExplicit
from pysitar.kernels.grid.iterative import FdIterative
from pysitar.physics.barrier import Barrier
from pysitar.physics.contact import ContactLaw
from pysitar.physics.grid import grid_rows, string_grid
from pysitar.physics.string import String

STRING = String(length=1.0, tension=500.0, linear_density=0.063,
                bending_stiffness=2e11 * math.pi * 5e-4**4 / 4.0)
LOSSY = replace(STRING, sigma0=1.0, sigma2=2e-3)
STIFFNESS, EXPONENT = 5e6, 1.4
PAPER, RESET, TRACKING, ITERATIVE = 0, 1, 2, None
NAMES = {ITERATIVE: "iterative", PAPER: "paper", RESET: "reset", TRACKING: "tracking"}


def law(stiffness=STIFFNESS, exponent=EXPONENT, **options):
    return ContactLaw(stiffness=stiffness, exponent=exponent, **options)


def lumped(grid, stiffness=STIFFNESS):
    """Return a point barrier 0.1 mm below the node nearest to the midpoint."""
    return [Barrier.point(position=float(grid.nodes[math.floor(0.5 / grid.spacing + 0.5)]),
                          height=-1e-4, law=law(stiffness))]


def dense(grid):
    """Return the same with a stiffness density times the node spacing."""
    return lumped(grid, STIFFNESS * grid.spacing)


def height(x):
    return -1e-4 - 1e-4 * x - 1e-3 * x * x


def distributed(grid):
    return [Barrier(profile=height, start=0.0, end=1.0, points=2, law=law())]


def rail(grid, **options):
    """Return a board on nodes, frets between nodes beside it, two in one interval, one on a node,
    one apart."""
    h = grid.spacing
    board = Barrier(profile=lambda x: -2e-4, start=10.2 * h, end=24.8 * h, points=2,
                    law=law(4e6, 1.3, **options))
    frets = [Barrier.point(position=x * h, height=-1.6e-4, law=law(k, a, **options)) for x, k,
             a in [(12.4, 1e6, 1.3), (17.2, 1e6, 1.0), (17.7, 3e6, 2.0), (20.0, 2e6, 1.5),
                   (30.6, 1e6, 1.3), (0.9, 1e6, 1.3)]]
    points = Barrier.at(positions=[x * h for x in (33.3, 34.1, 34.9)], heights=[-1e-4] * 3,
                        weights=[h] * 3, law=law(5e7, 1.3, **options))
    return [board, *frets, points]


def cosine(rate, steps, force=10.0, seconds=1e-3):
    """Return a raised cosine force from step 0, (steps, 1), N."""
    values = [0.5 * force * (1.0 - math.cos(2.0 * math.pi * n / rate / seconds))
              if n / rate < seconds else 0.0 for n in range(steps)]
    return np.array(values).reshape(-1, 1)


def kernel_of(grid, barriers, variant):
    rows = grid_rows(grid, barriers)
    if variant is ITERATIVE:
        return FdIterative(**grid.coefficients, **rows)
    return FdExplicit(**grid.coefficients, **rows, variant=variant)


def record_pluck(string, rate, make, variant, *, intervals=None, seconds=0.04, place=0.3,
                 forces=None):
    """Pluck with 10 N (or forces) at a place; return kernel, u (m) at 0.9 m, row forces (N) and
    ledger of each step."""
    grid = string_grid(string, rate, intervals)
    kernel = kernel_of(grid, make(grid), variant)
    steps = round(seconds * rate) + 1
    kernel.set_inputs(grid.spread(place).reshape(1, -1))
    weights = np.zeros((1 + kernel.rows, grid.count))
    weights[0] = grid.shape(0.9)
    kernel.set_outputs(weights, None, np.vstack([np.zeros(kernel.rows), np.eye(kernel.rows)]))
    out, ledger = np.empty((steps, 1 + kernel.rows)), np.empty((steps, 6))
    kernel.advance(steps, out, forces=cosine(rate, steps) if forces is None else forces,
                   energies=ledger, every=1)
    assert kernel.failed_at == -1
    return kernel, out[:, 0], out[:, 1:], ledger


def imbalance(ledger):
    """Return the greatest error of the energy balance over the greatest energy."""
    energy = ledger[:, :3].sum(axis=1)
    return np.abs(energy + ledger[:, 3] - ledger[:, 4]).max() / energy.max()


def error(found, truth):
    return float(np.linalg.norm(found - truth) / np.linalg.norm(truth))
