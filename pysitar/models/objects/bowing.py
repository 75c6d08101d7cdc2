"""The bow of a played object."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pysitar.kernels.modal.network import Network
from pysitar.kernels.modal.two_point import TwoPoint
from pysitar.models.definitions.bows import ObjectBowSpec
from pysitar.models.network.bowing import Bowing, Stroke
from pysitar.models.network.friction import set_friction
from pysitar.models.network.network import Row
from pysitar.physics.checks import FloatArray


class ObjectBowing(Bowing):
    """The bow of an object, the last row of its network.

    Parameters: spec; shapes_at, which returns the shapes of the object's modes where the values of
    an event play; sample_rate (Hz).
    """

    def __init__(self, spec: ObjectBowSpec, shapes_at: Callable[[Mapping[str, float]], FloatArray],
                 *, sample_rate: float) -> None:
        super().__init__(spec.hair, first=0, sample_rate=sample_rate)
        self._passes, self._shapes_at = spec.passes, shapes_at

    def rows(self, modes: int) -> list[Row]:
        """Return the row, of a network with a number of modes, at no place until a stroke."""
        return [Row(shape=np.zeros(modes), law=self.lifted_law)]

    def join(self, kernel: TwoPoint) -> None:
        """Set the friction of the row in a new network, and continue there."""
        first = kernel.rows - 1
        set_friction(kernel, first, self.rubs, self._passes)
        self.move_to(kernel, first)

    def put_rows(self, kernel: Network, indices: Sequence[int], stroke: Stroke,
                 time: float) -> None:
        """Put the row where a stroke is."""
        shapes = self._shapes_at(stroke.values)
        row, = indices
        kernel.set_row_shape(row, np.concatenate([np.zeros(kernel.modes - shapes.size), shapes]))

    def _delay(self, stroke: Stroke) -> int:
        """Return the step of a stroke from which its speed rises: once it presses with its whole
        force, since at low speeds friction falls most and the sound grows fastest."""
        return stroke.rise
