"""The rows of a network for the forces between parts of an object."""
from __future__ import annotations

import numpy as np

from pysitar.errors import ParameterError
from pysitar.kernels.modal.two_point import TwoPoint
from pysitar.models.network.network import Row
from pysitar.physics.contact import LINEAR, LawValues
from pysitar.physics.modal_object import ModalObject


def internal_rows(body: ModalObject | None, first: int) -> list[Row]:
    """Return a row for each internal force of an object whose modes follow those of what strikes
    it; first, the number of these."""
    rows = []
    for force in () if body is None else body.internal_forces:
        shape = np.concatenate([np.zeros(first), force.shape])
        if force.is_spring:
            law = LawValues(kind=LINEAR, stiffness=force.stiffness)
        else:
            law = LawValues(stiffness=force.stiffness, exponent=force.exponent,
                            damping=force.damping, adhesive=False)
        rows.append(Row(shape=shape, law=law, offset=-force.gap))
    return rows


def settle(kernel: TwoPoint, body: ModalObject) -> None:
    """Set an object to the equilibrium of its internal forces, the balls as they are.

    Errors: ParameterError, none is found.
    """
    if not body.internal_forces:
        return
    try:
        kernel.set_equilibrium()
    except ArithmeticError:
        raise ParameterError(
            "internal_forces", f"of {len(body.internal_forces)} rows",
            "no equilibrium was found; expected a lower stiffness, or a larger gap") from None


def check_without_forces(name: str, body: ModalObject | None) -> None:
    """Raise a ParameterError if an object has internal forces."""
    if body is not None and body.internal_forces:
        raise ParameterError(name, "a ModalObject", (
            f"it has {len(body.internal_forces)} internal forces; expected an object without them, "
            f"or a strike"))
