"""Schemes on a grid: a string as nodes, with the losses that a grid has."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.grid.network import GridNetwork
from pysitar.models.network.audited import AuditedNetwork
from pysitar.models.network.schemes.base import (
    GRID,
    NetworkOptions,
    StringScheme,
    checked_barriers,
)
from pysitar.physics.barrier import Barrier
from pysitar.physics.checks import FloatArray
from pysitar.physics.grid import StringGrid, string_grid
from pysitar.physics.modes import StringModes
from pysitar.physics.string import String

FITTED = 20.0                   # partials: the losses are fitted at the first and at this one
FITTED_UNDER = 0.2              # of the sample rate, where that is lower


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class GridScheme(StringScheme):
    """A scheme on a grid; network returns the kernel of a grid and barriers, with variant=... where
    the scheme has variants."""

    network: Callable[..., GridNetwork]
    space: str = GRID
    no_statics: str = "has nodes, whose static compliance is that of the string"

    def simulate(self, string: String, barriers: Sequence[Barrier], sample_rate: float,
                 options: NetworkOptions) -> StringOnGrid:
        """Return the string of a `StringSimulation`.  Errors: ParameterError."""
        self._check_no_modes(options)
        return self._on_grid(string, checked_barriers(barriers), sample_rate, options.variant)

    def play(self, string: String, hz: float, barriers: Sequence[Barrier],
             sample_rate: float) -> StringOnGrid:
        """Return the string of an instrument, at a pitch (Hz).  Errors: ParameterError."""
        return self._on_grid(grid_losses(string, hz, sample_rate), barriers, sample_rate, None)

    def _check_no_modes(self, options: NetworkOptions) -> None:
        """Raise a ParameterError for an argument that only schemes of modes have."""
        for name in ("max_frequency", "modes", "corrected", "frequencies", "decay_rates"):
            value = getattr(options, name)
            if value is not None and value is not False:
                raise ParameterError(
                    name, value,
                    f"the {self.name} scheme has nodes, not modes; expected a scheme of modes, or "
                    f"no {name}"
                )

    def _on_grid(self, string: String, barriers: Sequence[Barrier], sample_rate: float,
                 variant: str | None) -> StringOnGrid:
        """Return a string on its finest stable grid at a sample rate (Hz).

        Errors: ParameterError: a loss that grids do not know, a rate too low, a point outside the
        string, a variant that the scheme has not, more than 512 contacts that share nodes. """
        if variant is not None and variant not in self.variants:
            known = " or ".join(self.variants) or "None"
            raise ParameterError("variant", variant,
                                 f"expected {known} for the {self.name} scheme")
        grid = string_grid(string, sample_rate)
        try:
            kernel = (self.network(grid, barriers) if variant is None
                      else self.network(grid, barriers, variant=variant))
        except ParameterError:
            raise
        except ValueError as error:
            raise ParameterError("barriers", f"{len(barriers)} barriers", str(error)) from None
        return StringOnGrid(string, grid, kernel)


@dataclass(slots=True, eq=False)
class StringOnGrid:
    """A string on a grid: see `SchemeString`; string, with losses that grids know."""

    string: String
    space: StringGrid
    kernel: GridNetwork

    @property
    def width(self) -> int:
        return self.space.count

    @property
    def points(self) -> int:
        return self.kernel.rows

    @property
    def friction(self) -> None:
        return None

    def widen(self, weights: FloatArray, angle: float | None = None) -> FloatArray:
        if angle is not None:
            raise ParameterError("angle", angle, "a string on a grid moves in one direction; "
                                                 "expected no angle")
        return weights

    @property
    def modes(self) -> StringModes | None:
        return None

    @property
    def grid(self) -> StringGrid | None:
        return self.space

    def force_weights(self, position: float, width: float, spread: str | None) -> FloatArray:
        return self.space.spread(position, width, "nearest" if spread is None else spread)

    def pluck_weights(self, position: float, width: float) -> FloatArray:
        return self.space.spread(position, width, "linear")

    def sampled(self, shape: Callable[[float], float]) -> FloatArray:
        return self.space.sampled(shape)

    def triangle(self, position: float, height: float) -> FloatArray:
        return self.space.triangle(position, height)

    def set_displacement(self, displacement: FloatArray) -> None:
        self.kernel.set_state(displacement, np.zeros(displacement.size))

    def set_outputs(self, displacement: FloatArray, velocity: FloatArray, force: FloatArray,
                    tension: FloatArray) -> None:
        self.kernel.set_outputs(displacement, velocity, force)

    def add_decay(self, rate: float) -> None:
        self.kernel.set_sigma0(self.string.sigma0 + rate)

    def audited(self, *, name: str, sample_rate: float, floor: float, outputs: int,
                recorded: bool) -> AuditedNetwork[GridNetwork]:
        return AuditedNetwork(self.kernel, name=name, sample_rate=sample_rate, floor=floor,
                              outputs=outputs, recorded=recorded)


def grid_losses(string: String, hz: float, sample_rate: float) -> String:
    """Return a string with losses that a grid knows: its own, or sigma0 and sigma2 of the same
    decay at its first and 20th partial.

    Parameters: hz, its pitch (Hz); sample_rate (Hz), of which the upper one is at most a fifth.
    Errors: ParameterError when that needs a negative loss.
    """
    if string.sigma1 == 0.0 and string.sigma3 == 0.0:
        return string
    return string.grid_losses(hz, max(2.0 * hz, min(FITTED * hz, FITTED_UNDER * sample_rate)))
