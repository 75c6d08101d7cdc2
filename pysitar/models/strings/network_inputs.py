"""What the network of a string is called with."""
from __future__ import annotations

from dataclasses import dataclass

from pysitar.models.network.audited import IntArray, Motion
from pysitar.physics.checks import FloatArray


@dataclass(frozen=True, slots=True)
class NetworkInputs:
    """Arguments of a string's network for n steps: forces (n, E), N; rows and fields (Q,) of the
    controls (n, Q); motion, of the tension."""

    forces: FloatArray
    rows: IntArray
    fields: IntArray
    controls: FloatArray
    motion: Motion | None
