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


def check_memory(memory: float, damping: float) -> None:
    """Raise a ParameterError for a head that has both memory and damping (s/m)."""
    if memory > 0.0 and damping > 0.0:
        raise ParameterError("memory", memory, f"damping is {damping:g} s/m beside it; expected "
                             "either memory or damping to be 0")
