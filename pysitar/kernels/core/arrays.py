"""The kernels' arrays: their sizes, which C code cannot see, and their padding."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


class StringCall(NamedTuple):
    """What `advance` of a network takes, for one of several that go together: out (steps, N), forces (steps, E), control_rows and
    control_fields (Q,), controls (steps, Q), tensions (steps,), block_tensions; energies, where its own are wanted."""

    out: Floats
    forces: Floats
    control_rows: Ints | None = None
    control_fields: Ints | None = None
    controls: Floats | None = None
    tensions: Floats | None = None
    block_tensions: Floats | None = None
    energies: Floats | None = None


def check_lengths(what: str, n: int, arrays: Iterable[Any]) -> None:
    """Raises ValueError unless every array has n values."""
    for array in arrays:
        if array is None or array.shape[0] != n:
            raise ValueError(f"an array has {0 if array is None else array.shape[0]} values; expected {n} {what}")


def check_shape(name: str, array: Any, n: int, width: int) -> None:
    """Raises ValueError unless the array is n x width."""
    if array is None or array.shape[0] != n or array.shape[1] != width:
        shape = "missing" if array is None else f"{array.shape[0]} x {array.shape[1]}"
        raise ValueError(f"{name} is {shape}; expected {n} x {width}")


def count_multiples(start: int, steps: int, every: int) -> int:
    """How many whole multiples of `every` lie among `steps` steps from a step on."""
    return (start + steps + every - 1) // every - (start + every - 1) // every


def output_weights(
    displacement: Any, velocity: Any, force: Any, tension: Any, modes: int, stride: int, rows: int, speed: float,
) -> tuple[Floats, Floats, Floats, Floats, npt.NDArray[np.uint8]]:
    """Weights of y and dy/dt (N, modes), of f (N, rows) and of y times a tension (N, modes), all but the first or None.

    Parameters: speed, dy/dt by what the scheme reads it from (1/s).
    Returns: as the kernel reads them, of y and of that (N, stride), of f (N, rows), of y times a tension (N, stride), and which of them
    (1, 2, 4, 8) each output has (N,).
    Errors: ValueError.
    """
    n = displacement.shape[0]
    check_shape("displacement", displacement, n, modes)
    y, q, f, t = np.zeros((n, stride)), np.zeros((n, stride)), np.zeros((n, rows)), np.zeros((n, stride))
    y[:, :modes] = displacement
    if tension is not None:
        check_shape("tension", tension, n, modes)
        t[:, :modes] = tension
    if velocity is not None:
        check_shape("velocity", velocity, n, modes)
        q[:, :modes] = np.asarray(velocity) * speed
    if force is not None:
        check_shape("force", force, n, rows)
        f[:, :] = force
    terms = y.any(axis=1) * 1 + q.any(axis=1) * 2 + f.any(axis=1) * 4 + t.any(axis=1) * 8
    return y, q, f, t, terms.astype(np.uint8)
