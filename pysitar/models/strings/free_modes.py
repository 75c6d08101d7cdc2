"""Modes of free masses beside those of a string, in one network."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pysitar.models.definitions.picks import tip_of
from pysitar.models.definitions.spec import StringSpec
from pysitar.models.definitions.strings import HANDS
from pysitar.models.network.network import Row
from pysitar.models.network.schemes.modal import Kernel
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.modes import StringModes


@dataclass(frozen=True, slots=True, eq=False)
class FreeModes:
    """The modes of a string, and after them a mode of frequency 0 for each free mass.

    Parameters: modes, M of the string; masses (kg), one or more. """

    modes: StringModes
    masses: tuple[float, ...]

    def extend(self, weights: FloatArray) -> FloatArray:
        """Return weights of the string's modes (..., M) as those of all modes, 0 for the free
        masses."""
        count = weights.shape[-1]
        extended = np.zeros((*weights.shape[:-1], count + len(self.masses)))
        extended[..., :count] = weights
        return extended

    def network(self, rows: Sequence[Row], build: Callable[..., Kernel],
                sample_rate: float) -> Kernel:
        """Return the kernel of the string and the masses.

        Parameters: rows, all of them, with the shapes of the string's modes only; build, which
        returns a kernel as `network.network` does; sample_rate (Hz). Errors: ParameterError. """
        modes = self.modes
        return build(
            angular_frequencies=self.extend(modes.angular_frequencies),
            decay_rates=self.extend(modes.decay_rates),
            masses=np.concatenate([modes.masses, array_of(list(self.masses))]),
            rows=[replace(row, shape=self.extend(row.shape)) for row in rows],
            sample_rate=sample_rate,
            slopes=self.extend(modes.wave_numbers * modes.wave_numbers
                               / modes.string.linear_density))


def free_masses(spec: StringSpec, *, has_hammers: bool, has_tip: bool) -> tuple[float, ...]:
    """Return the masses (kg) of a string's hammers, of the tip of its plectrum, and of a body on
    it, in this order."""
    masses: list[float] = []
    if has_hammers:
        masses += [1.0 if spec.strike is None else spec.strike.mass] * HANDS
    tip = tip_of(spec)
    if has_tip and tip is not None:
        masses.append(tip.mass)
    if spec.rattle is not None:
        masses.append(spec.rattle.mass)
    return tuple(masses)
