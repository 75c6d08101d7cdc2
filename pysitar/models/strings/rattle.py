"""A body that lies on a string and hops: a free mass with its weight, and a row for each side."""
from __future__ import annotations

import math
from collections.abc import Sequence

from pysitar.gestures.balls import GRAVITY
from pysitar.kernels.modal.network import Network
from pysitar.models.definitions.rattles import RattleSpec
from pysitar.models.network.network import Row, bridge_shape_at
from pysitar.models.strings.free_modes import FreeModes
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.contact import LawValues
from pysitar.physics.modes import StringModes

SOFTER = 100.0      # the compliance with which the search for its rest begins, over the string's


class Rattle:
    """A nut or a ring around a string: its height z (m) is a mode of frequency 0.

    The string carries its upper side: the compression there is y - z, and z - y - travel at its
    lower side. At the start it lies on the string under its weight.

    Parameters: spec; modes, M of the string; first, the index of its first row. Attributes: rows,
    whose shapes are set by `attach`. """

    def __init__(self, spec: RattleSpec, modes: StringModes, *, first: int) -> None:
        self._spec, self._modes, self._first = spec, modes, first
        string = modes.string
        self._shape = modes.shape(spec.position)
        self._bridge_shape = bridge_shape_at(spec.position, string.length)
        law = LawValues(stiffness=spec.stiffness, exponent=spec.exponent, damping=spec.damping,
                        adhesive=False)
        still = array_of([0.0] * modes.count)
        self.rows: Sequence[Row] = [
            Row(shape=still, law=law, bridge_shape=-self._bridge_shape),
            Row(shape=still, law=law, offset=-spec.travel, bridge_shape=self._bridge_shape)]
        self._weight = array_of([])

    @property
    def mass(self) -> float:
        """Its mass (kg)."""
        return self._spec.mass

    @property
    def weight(self) -> float:
        """The force on it (N), upwards."""
        return -self._spec.mass * GRAVITY

    def attach(self, kernel: Network, free: FreeModes, mode: int) -> None:
        """Connect string and body by the rows, and let its weight act.

        Parameters: kernel, of the string and its free masses; free, their modes; mode, the index of
        its own. """
        x, string = self._spec.position, self._modes.string
        above, below = free.extend(-self._shape), free.extend(self._shape)
        above[mode], below[mode] = 1.0, -1.0
        kernel.set_row_shape(self._first, above, -self._bridge_shape, position=x, weight=-1.0)
        kernel.set_row_shape(self._first + 1, below, self._bridge_shape, position=x, weight=1.0)
        compliance, self._weight = (free.extend(array_of([0.0] * self._modes.count))
                                    for _ in range(2))
        compliance[mode] = SOFTER * x * (string.length - x) / (string.tension * string.length)
        self._weight[mode] = self.weight
        kernel.set_weight(self._weight)
        kernel.set_rests(compliance)

    def weight_work(self, kernel: Network) -> float:
        """Return the work (J) of its weight from z = 0 to where it is."""
        return math.fsum(force * z for force, z in zip(self._weight.tolist(),
                                                       kernel.displacement().tolist(),
                                                       strict=True))

    def carry(self, displacement: FloatArray) -> FloatArray:
        """Return a change of the displacement of all modes with that of the body, which moves with
        the string."""
        moved = displacement.copy()
        moved[self._weight != 0.0] += math.fsum(
            g * y for g, y in zip(self._shape.tolist(), displacement.tolist(), strict=False))
        return moved
