"""Friction of a string's simulation: checks of its options, values of a bow, outputs."""
from __future__ import annotations

from typing import Any

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.grid.network import GridNetwork
from pysitar.kernels.modal.network import NORMAL_FORCE, SPEED, Network
from pysitar.models.network.friction import FrictionRows
from pysitar.models.network.schemes.base import (
    FRICTION,
    NetworkOptions,
    SchemeString,
    StringScheme,
)
from pysitar.models.network.schemes.catalogue import names_with
from pysitar.physics.bow import Bow, BridgeFriction
from pysitar.physics.checks import FloatArray


def check_friction(scheme: StringScheme, options: NetworkOptions) -> None:
    """Raise a ParameterError for a bow or friction that the scheme does not have, or that do not go
    with other options."""
    for name, value, kind in (("bow", options.bow, Bow),
                              ("friction", options.friction, BridgeFriction)):
        if value is None:
            continue
        if not isinstance(value, kind):
            raise ParameterError(name, value, f"expected a {kind.__name__}, or None")
        if FRICTION not in scheme.capabilities:
            raise ParameterError(name, value,
                                 f"the {scheme.name} scheme has no friction; expected "
                                 f"{' or '.join(names_with(scheme.model, FRICTION))}, or None")
        if options.corrected:
            raise ParameterError("corrected", True, f"expected False with {name}, or no {name}")


def side_weights(string: SchemeString, weights: FloatArray) -> FloatArray:
    """Return weights (..., M) of the second direction, which the string has, as those of the
    kernel."""
    assert string.friction is not None
    return string.friction.more.extend_side(weights)


def bow_weights(string: SchemeString, rows: int) -> FloatArray | None:
    """Return the weights (rows,) of the force of all hairs; None without a bow."""
    found = string.friction
    if found is None or not found.hairs:
        return None
    weights = np.zeros(rows)
    weights[_hair_rows(found)] = 1.0
    return weights


def surface_weights(string: SchemeString) -> FloatArray:
    """Return the weights of the mean motion of the string's surface under the hairs of its bow, as
    those of the kernel."""
    assert string.friction is not None
    found = string.friction
    first, *others = (row.shape for row in found.rows[_hair_rows(found)])
    total = np.array(first, dtype=np.float64)
    for shape in others:                # in this order on every machine
        total += shape
    return total / found.hairs


class BowControls:
    """Speed and force of a bow, step by step.

    Parameters: kernel; found, the rows of its network; bow.
    """

    def __init__(self, kernel: Network | GridNetwork, found: FrictionRows, bow: Bow) -> None:
        assert isinstance(kernel, Network)
        self._bow = bow
        rows = range(*_hair_rows(found).indices(kernel.rows))
        self._rows = np.array([row for row in rows for _ in (0, 1)], dtype=np.int32)
        self._fields = np.array([SPEED, NORMAL_FORCE] * found.hairs, dtype=np.int32)
        for row in rows:                    # for bows that never change
            kernel.set_row(row, SPEED, float(np.asarray(bow.speed)[0]))
            kernel.set_row(row, NORMAL_FORCE, float(np.asarray(bow.force)[0]) / found.hairs)

    def values(self, start: int, steps: int) -> dict[str, Any]:
        """Return the controls of the kernel for some steps; none for constant values."""
        speed, force = np.asarray(self._bow.speed), np.asarray(self._bow.force)
        if speed.size == force.size == 1:
            return {}
        at = np.arange(start, start + steps)
        pair = np.stack([speed[np.minimum(at, speed.size - 1)],
                         force[np.minimum(at, force.size - 1)] / self._bow.hairs], axis=1)
        return {"control_rows": self._rows, "control_fields": self._fields,
                "controls": np.ascontiguousarray(np.tile(pair, (1, self._bow.hairs)))}


def _hair_rows(found: FrictionRows) -> slice:
    return slice(len(found.rows) - found.hairs, len(found.rows))
