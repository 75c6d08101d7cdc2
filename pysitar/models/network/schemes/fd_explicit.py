"""The explicit scheme of strings on a grid."""
from __future__ import annotations

from collections.abc import Sequence

from pysitar.kernels.grid.explicit import PAPER, RESET, TRACKING, FdExplicit
from pysitar.models.network.schemes.grid import GridScheme
from pysitar.physics.barrier import Barrier
from pysitar.physics.grid import StringGrid, grid_rows

VARIANTS = {"tracking": TRACKING, "reset": RESET, "paper": PAPER}


def explicit_network(grid: StringGrid, barriers: Sequence[Barrier],
                     variant: str = "tracking") -> FdExplicit:
    """Return the explicit kernel of a grid and barriers; variant, of VARIANTS.

    Errors: ParameterError, ValueError.
    """
    return FdExplicit(**grid.coefficients, **grid_rows(grid, barriers), variant=VARIANTS[variant])


FD_EXPLICIT = GridScheme(
    name="fd-explicit",
    doc="a grid; contact forces of explicit steps",
    variants=tuple(VARIANTS),
    network=explicit_network,
)
