"""Grid kernels of a string by scheme, and checks of arguments that only modal schemes have."""
from __future__ import annotations

from collections.abc import Callable, Sequence

from pysitar.errors import ParameterError
from pysitar.kernels.grid.explicit import PAPER, RESET, TRACKING, FdExplicit
from pysitar.kernels.grid.iterative import FdIterative
from pysitar.kernels.grid.network import GridNetwork
from pysitar.physics.barrier import Barrier
from pysitar.physics.checks import FloatArray
from pysitar.physics.grid import StringGrid, grid_rows, string_grid
from pysitar.physics.string import String

MOST_SHARING = 512              # contacts of a kernel that share nodes


def _iterative(grid: StringGrid, barriers: Sequence[Barrier], variant: str | None) -> GridNetwork:
    return FdIterative(**grid.coefficients, **grid_rows(grid, barriers))


VARIANTS = {"tracking": TRACKING, "reset": RESET, "paper": PAPER}


def _explicit(grid: StringGrid, barriers: Sequence[Barrier], variant: str | None) -> GridNetwork:
    return FdExplicit(**grid.coefficients, **grid_rows(grid, barriers),
                      variant=VARIANTS[variant or "tracking"])


# each scheme's kernel, and its variants, the default first
GRID_SCHEMES: dict[str, tuple[Callable[[StringGrid, Sequence[Barrier], str | None], GridNetwork],
                              tuple[str, ...]]] = {
                                  "fd-iterative": (_iterative, ()),
                                  "fd-explicit": (_explicit, tuple(VARIANTS)),
                              }


def grid_network(
    string: String,
    barriers: Sequence[Barrier],
    sample_rate: float,
    scheme: str,
    variant: str | None = None,
) -> tuple[StringGrid, GridNetwork]:
    """Return the finest stable grid of a string at a sample rate (Hz), and the kernel of a scheme
    on it.

    Errors: ParameterError: a loss that grids do not know, a rate too low, a point outside the
    string, a variant that the scheme has not, more than 512 contacts that share nodes. """
    build, variants = GRID_SCHEMES[scheme]
    if variant is not None and variant not in variants:
        raise ParameterError(
            "variant", variant,
            f"expected {' or '.join(variants) if variants else 'None'} for the {scheme} scheme")
    grid = string_grid(string, sample_rate)
    try:
        return grid, build(grid, barriers, variant)
    except ParameterError:
        raise
    except ValueError as error:
        raise ParameterError("barriers", f"{len(barriers)} barriers", str(error)) from None


def check_no_modes(scheme: str, given: dict[str, object]) -> None:
    """Raise a ParameterError for an argument that only modal schemes have."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise ParameterError(
                name, value,
                f"the {scheme} scheme has nodes, not modes; expected a scheme of modes, or no "
                f"{name}"
            )


def grid_displacement(
    grid: StringGrid, shape: Callable[[float], float] | None, triangle: tuple[float, float] | None,
) -> FloatArray:
    """Return the displacements (nodes,), m, of a shape, a function of x (m) -> m, or of a triangle
    (position in m, height in m).

    Errors: ParameterError.
    """
    if triangle is None:
        assert shape is not None
        return grid.sampled(shape)
    try:
        position, height = triangle
    except (TypeError, ValueError):
        raise ParameterError("triangle", triangle,
                             "expected a pair (position in m, height in m)") from None
    return grid.triangle(position, height)
