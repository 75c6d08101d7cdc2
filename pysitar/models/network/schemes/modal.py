"""Schemes of modes: a string as modes and contact rows."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.modal.network import Network
from pysitar.models.network.audited import AuditedNetwork
from pysitar.models.network.friction import FrictionRows, Rub, friction_rows
from pysitar.models.network.network import (
    HIGHEST,
    Row,
    axial_row,
    barrier_rows,
    correct,
    curvature,
    highest_frequency,
)
from pysitar.models.network.schemes.base import (
    MODES,
    NetworkOptions,
    StringScheme,
    checked_barriers,
)
from pysitar.physics.barrier import Barrier
from pysitar.physics.checks import FloatArray, whole
from pysitar.physics.excitation import project, triangle
from pysitar.physics.grid import StringGrid
from pysitar.physics.modes import MAX_MODES, StringModes, string_modes
from pysitar.physics.string import String

MAX_RATE = 0.9  # of a mode's angular frequency: a decay rate at 1 would not oscillate
FORCE_TOLERANCE = 1e-11         # of the greatest contact force of a step of a simulation
Kernel = TypeVar("Kernel", bound=Network)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ModalScheme(StringScheme, Generic[Kernel]):
    """A scheme of modes.

    Parameters: network, which returns the kernel of modes, rows and a sample rate (Hz), with
    variant=... where the scheme has variants; played_modes, which returns the modes of a string
    without rows for hands, at a sample rate (None: those under `highest`); added_decay, which
    returns a function that adds a decay rate (1/s) to all modes of a kernel (None: a damping finger
    has rows); correct_state, called after a displacement was set; set_axial_row, which makes a row
    that of the elongation; set_statics, which adds residual compliance: see `statics.set_statics`;
    hammer_network, which returns the kernel of a string with more modes, such as hammers: see
    `network.network`; set_friction, which sets what presses the friction rows.
    """

    network: Callable[..., Kernel]
    space: str = MODES
    highest: float = HIGHEST
    played_modes: Callable[[String, float], StringModes] | None = None
    added_decay: Callable[[Kernel, StringModes], Callable[[float], None]] | None = None
    correct_state: Callable[[Kernel], None] | None = None
    set_axial_row: Callable[[Kernel, int, FloatArray], None] | None = None
    set_statics: Callable[..., None] | None = None
    hammer_network: Callable[..., Kernel] | None = None
    set_friction: Callable[[Kernel, int, Sequence[Rub], int], None] | None = None

    def simulate(self, string: String, barriers: Sequence[Barrier], sample_rate: float,
                 options: NetworkOptions) -> StringInModes[Kernel]:
        """Return the string of a `StringSimulation`.  Errors: ParameterError."""
        modes = self._select_modes(string, sample_rate, options)
        points = checked_barriers(barriers)
        rows = [row for barrier in points for row in barrier_rows(modes, barrier)]
        variant = self._check_variant(options.variant)
        modulated = options.tension_modulation
        found = None
        if options.bow is not None or options.friction is not None:
            found = friction_rows(modes, rows, sample_rate, options.bow, options.friction)
            rows = list(found.rows)
        if modulated:
            axial = axial_row(modes)
            rows.append(axial if found is None
                        else replace(axial, shape=found.more.extend(axial.shape)))
        kernel = (self.network(modes, rows, sample_rate, **variant) if found is None
                  else self._friction_network(found, rows, sample_rate))
        if self.solves_together:        # so that soft contacts have exact forces as well
            kernel.set_force_tolerance(FORCE_TOLERANCE)
        if options.theta is not None:
            assert self.set_statics is not None
            detuning = None if found is None else found.more.detuning
            self.set_statics(kernel, modes, rows, options.theta, detuning=detuning or 0.0)
        if modulated and self.set_axial_row is not None:
            bend = curvature(modes)
            self.set_axial_row(kernel, len(rows) - 1, bend if found is None
                               else found.more.extend_both(bend))
        if options.corrected:
            correct(kernel, modes, rows)
        return StringInModes(self, modes, kernel, found)

    def _friction_network(self, found: FrictionRows, rows: Sequence[Row],
                          sample_rate: float) -> Kernel:
        assert self.hammer_network is not None and self.set_friction is not None
        kernel = self.hammer_network(rows=rows, sample_rate=sample_rate, **found.more.arrays)
        self.set_friction(kernel, len(found.rows) - len(found.rubs), found.rubs, found.passes)
        return kernel

    def play(self, string: String, hz: float, barriers: Sequence[Barrier],
             sample_rate: float) -> StringInModes[Kernel]:
        """Return the string of an instrument, at a pitch (Hz).  Errors: ParameterError."""
        modes = (string_modes(string, max_frequency=highest_frequency(sample_rate, self.highest))
                 if self.played_modes is None else self.played_modes(string, sample_rate))
        rows = [row for barrier in barriers for row in barrier_rows(modes, barrier)]
        return StringInModes(self, modes, self.network(modes, rows, sample_rate))

    def _check_variant(self, variant: str | None) -> dict[str, Any]:
        """Return the argument of `network` for a variant.  Errors: ParameterError."""
        if variant is None:
            return {}
        if not self.variants:
            raise ParameterError("variant", variant,
                                 f"the {self.name} scheme has no variants; expected None")
        if variant not in self.variants:
            raise ParameterError(
                "variant", variant,
                f"expected {' or '.join(self.variants)} for the {self.name} scheme")
        return {"variant": variant}

    def _select_modes(self, string: String, sample_rate: float,
                      options: NetworkOptions) -> StringModes:
        """Return the modes that the arguments of a `StringSimulation` select.

        Errors: ParameterError, also for both max_frequency (Hz) and modes, their number.
        """
        max_frequency, count = options.max_frequency, options.modes
        frequencies, decay_rates = options.frequencies, options.decay_rates
        if max_frequency is not None and count is not None:
            raise ParameterError("max_frequency, modes", (max_frequency, count),
                                 "expected at most one of max_frequency (Hz) and modes")
        if count is not None:
            count = whole("modes", count, at_least=1, at_most=MAX_MODES)
        if max_frequency is None and count is None and frequencies is None and decay_rates is None:
            max_frequency = highest_frequency(sample_rate, self.highest)
        try:
            return string_modes(string, max_frequency=max_frequency, count=count,
                                frequencies=frequencies, decay_rates=decay_rates)
        except ParameterError as error:
            name = "modes" if error.name == "count" else error.name
            raise ParameterError(name, error.value, error.expected) from None


@dataclass(slots=True, eq=False)
class StringInModes(Generic[Kernel]):
    """A string as modes: see `SchemeString`."""

    scheme: ModalScheme[Kernel]
    space: StringModes
    kernel: Kernel
    friction: FrictionRows | None = None
    _added: Callable[[float], None] | None = field(default=None, init=False)

    @property
    def width(self) -> int:
        return self.kernel.modes

    @property
    def points(self) -> int:
        return self.kernel.rows if self.friction is None else self.friction.contacts

    @property
    def modes(self) -> StringModes | None:
        return self.space

    def widen(self, weights: FloatArray, angle: float | None = None) -> FloatArray:
        if angle is not None and (self.friction is None or not self.friction.more.side_count):
            raise ParameterError("angle", angle, "the string moves in one direction; expected "
                                                 "friction=BridgeFriction(), or no angle")
        if self.friction is None:
            return weights
        if angle is None:
            return self.friction.more.extend(weights)
        return self.friction.more.turn(weights, angle * math.pi / 180.0)

    @property
    def grid(self) -> StringGrid | None:
        return None

    def force_weights(self, position: float, width: float, spread: str | None) -> FloatArray:
        if spread is not None:
            raise ParameterError(
                "spread", spread,
                "a scheme of modes has no nodes to spread a force over; expected None")
        return self.space.spread(position, width)

    def pluck_weights(self, position: float, width: float) -> FloatArray:
        return self.space.spread(position, width)

    def sampled(self, shape: Callable[[float], float]) -> FloatArray:
        return project(self.space, shape)

    def triangle(self, position: float, height: float) -> FloatArray:
        return triangle(self.space, position=position, height=height)

    def set_displacement(self, displacement: FloatArray) -> None:
        self.kernel.set_state(displacement, np.zeros(displacement.size))
        if self.scheme.correct_state is not None:
            self.scheme.correct_state(self.kernel)

    def set_outputs(self, displacement: FloatArray, velocity: FloatArray, force: FloatArray,
                    tension: FloatArray) -> None:
        self.kernel.set_outputs(displacement, velocity, force, tension)

    def add_decay(self, rate: float) -> None:
        if self._added is None:
            assert self.scheme.added_decay is not None
            self._added = self.scheme.added_decay(self.kernel, self.space)
        self._added(rate)

    def audited(self, *, name: str, sample_rate: float, floor: float, outputs: int,
                recorded: bool) -> AuditedNetwork[Network]:
        return AuditedNetwork[Network](self.kernel, name=name, sample_rate=sample_rate,
                                       floor=floor, outputs=outputs, recorded=recorded)
