"""The iterative scheme of strings on a grid."""
from __future__ import annotations

from collections.abc import Sequence

from pysitar.kernels.grid.iterative import FdIterative
from pysitar.models.network.schemes.grid import GridScheme
from pysitar.physics.barrier import Barrier
from pysitar.physics.grid import StringGrid, grid_rows


def iterative_network(grid: StringGrid, barriers: Sequence[Barrier]) -> FdIterative:
    """Return the iterative kernel of a grid and barriers.  Errors: ParameterError, ValueError."""
    return FdIterative(**grid.coefficients, **grid_rows(grid, barriers))


FD_ITERATIVE = GridScheme(
    name="fd-iterative",
    doc="a grid; contact forces by Newton's method",
    network=iterative_network,
)
