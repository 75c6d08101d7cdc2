"""Felt with memory on a hammer or ball: its parameters."""
from __future__ import annotations

from pysitar.errors import ParameterError
from pysitar.physics import ranges
from pysitar.physics.parameters import ranged

MEMORY = ranged("memory", ranges.MEMORY, default=0.0, meaning=
                "the part of the force that its felt loses while it stays compressed; "
                "0 has no memory, and any other takes the place of damping")
MEMORY_TIME = ranged("memory_time", ranges.MEMORY_TIME, default=1e-4, meaning=
                     "the time in which the felt loses that part, and recovers")


def check_losses(memory: float, damping: float, loss_time: float = 0.0) -> None:
    """Raise a ParameterError for a head or ball that has two of memory, damping (s/m) and loss
    time (s)."""
    for name, value, other in (("memory", memory, damping), ("loss_time", loss_time, damping)):
        if value > 0.0 and other > 0.0:
            raise ParameterError(name, value, f"damping is {other:g} s/m beside it; expected "
                                 f"either {name} or damping to be 0")
    if memory > 0.0 and loss_time > 0.0:
        raise ParameterError("loss_time", loss_time, f"memory is {memory:g} beside it; expected "
                             "either loss_time or memory to be 0")
