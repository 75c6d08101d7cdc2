"""The bow of a played string."""
from __future__ import annotations

from collections.abc import Sequence

from pysitar.kernels.modal.network import Network
from pysitar.models.definitions.bows import BowSpec
from pysitar.models.network.bowing import Bowing, Stroke
from pysitar.models.network.friction import MoreModes, bow_rows
from pysitar.models.network.network import Row
from pysitar.physics.bow import hair_places


class StringBowing(Bowing):
    """The bow of a string, whose place is a distance from the bridge.

    Parameters: spec; more, the modes of the string; first and sample_rate, as of Bowing.
    """

    def __init__(self, spec: BowSpec, more: MoreModes, *, first: int, sample_rate: float) -> None:
        super().__init__(spec.hair, first=first, sample_rate=sample_rate)
        self._spec, self._more = spec, more

    @property
    def rows(self) -> list[Row]:
        """The rows, with the shapes of all modes, without stiffness until a stroke."""
        return bow_rows(self._more, self._places(self._spec.position), self.lifted_law)

    def put_rows(self, kernel: Network, indices: Sequence[int], stroke: Stroke,
                 time: float) -> None:
        """Put the rows where a stroke is at a time (s) after its start."""
        x = stroke.values["position"] + stroke.shift.at([time])[0]
        length = self._more.modes.string.length
        for row, place in zip(indices, self._places(x), strict=True):
            kernel.set_row_shape(row, self._more.surface(place), 1.0 - place / length)

    def _places(self, position: float) -> list[float]:
        return hair_places(position, self._spec.width, self._spec.hairs)
