"""The contacts of a string as rows of its network, and the weights of its output."""
from __future__ import annotations

from pysitar.models.definitions.spec import StringSpec
from pysitar.models.network.network import LINEAR, Row, barrier_rows, bridge_shape_at
from pysitar.physics.barrier import Barrier
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.grid import StringGrid
from pysitar.physics.modes import StringModes


def contact_rows(modes: StringModes, spec: StringSpec) -> list[Row]:
    """Return the rows of the string's barrier, thread, frets and fretboard, in this order, where it
    has them.

    Parameters: modes, M of the string; spec, whose lengths are that string's.
    Errors: ParameterError, a point outside the string.
    """
    rows = [] if spec.barrier is None else barrier_rows(modes, spec.barrier.barrier(),
                                                        on_bridge=True)
    if spec.thread is not None:
        thread = spec.thread
        rows.append(
            Row(shape=modes.shape(thread.position), kind=LINEAR, stiffness=thread.stiffness,
                damping=thread.resistance, offset=thread.height,
                bridge_shape=bridge_shape_at(thread.position, spec.length, on_bridge=True)))
    return rows + [row for barrier in _under(spec) for row in barrier_rows(modes, barrier)]


def barriers(spec: StringSpec) -> list[Barrier]:
    """Return the string's barrier, frets and fretboard, in this order, where it has them."""
    return ([] if spec.barrier is None else [spec.barrier.barrier()]) + _under(spec)


def _under(spec: StringSpec) -> list[Barrier]:
    """Return the barriers of frets and fretboard."""
    return [part.barrier(spec.length) for part in (spec.frets, spec.fretboard) if part is not None]


def output_weights(modes: StringModes | StringGrid, spec: StringSpec, *,
                   at_bridge: bool = False) -> tuple[FloatArray, FloatArray]:
    """Return the weights of the displacements and velocities of modes or nodes, each (M,), whose
    sum is the output of the string.

    Returns: those of the upward force on the support at the far end, or of modes at the bridge end
    (N/m; 0), or, with a pickup, of the velocity above it (0; 1). """
    silent = array_of([0.0] * modes.count)
    if spec.pickup is None and at_bridge and isinstance(modes, StringModes):
        return modes.slope_force_start(), silent
    if spec.pickup is None:
        return modes.slope_force_end(), silent
    return silent, modes.shape(spec.pickup.position)
