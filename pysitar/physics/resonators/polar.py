"""Modes of a disc: a radial shape times cos(n angle), and for n above 0 also times sin(n angle)."""
from __future__ import annotations

from collections.abc import Callable, Sequence

from pysitar.kernels.core import elementary
from pysitar.physics.checks import FloatArray, array_of, number
from pysitar.physics.resonators.resonator import fraction, pair

MOST_RADIANS = 1e6
PolarMode = tuple[float, int, int]      # value, order n, 0 for cos and 1 for sin


def modes_of_orders(values_below: Callable[[int, float], list[float]],
                    top: float) -> list[PolarMode]:
    """Return the modes of all orders below a limit, two for each value of an order above 0.

    Parameters: values_below, returns the values of an order below a limit; from order 2 on the
    lowest value rises with the order. """
    found: list[PolarMode] = []
    order = 0
    while True:
        values = values_below(order, top)
        if not values and order > 1:
            return found
        found += [(value, order, part) for value in values for part in range(min(order, 1) + 1)]
        order += 1


def polar_shapes(position: tuple[float, float], modes: Sequence[PolarMode],
                 radial: Callable[[float], Sequence[float]]) -> FloatArray:
    """Return the shapes (M,) at (r, angle).

    Parameters: position, r from 0 to 1 and an angle (rad); modes; radial, returns the radial shapes
    (M,) at r. Errors: ParameterError. """
    r, angle = pair("position", position, "r, angle")
    r = fraction("r", r)
    angle = number("angle", angle, "rad", at_least=-MOST_RADIANS, at_most=MOST_RADIANS)
    return array_of([value * (elementary.sin if part else elementary.cos)(order * angle)
                     for value, (_, order, part) in zip(radial(r), modes, strict=True)])
