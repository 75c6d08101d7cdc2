"""Checks of array sizes, which compiled code cannot see, and padding of arrays for the kernels."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Laws = npt.NDArray[np.void]      # structured, of the type physics.contact.LAW


class StringCall(NamedTuple):
    """The arguments of `Network.advance` for one string of a Coupled network.

    Fields: out (steps, N); forces (steps, E), N; control_rows and control_fields (Q,), controls
    (steps, Q); tensions (steps,) and block_tensions, N over the stored tension, with block_steps
    and ramps; energies (n, 6), J, of this string alone (None: not recorded).
    """

    out: Floats
    forces: Floats
    control_rows: Ints | None = None
    control_fields: Ints | None = None
    controls: Floats | None = None
    tensions: Floats | None = None
    block_tensions: Floats | None = None
    block_steps: int = 64
    ramps: bool = False
    energies: Floats | None = None


def check_lengths(what: str, n: int, arrays: Iterable[Any]) -> None:
    """Raise ValueError unless every array has n values."""
    for array in arrays:
        if array is None or array.shape[0] != n:
            raise ValueError(
                f"an array has {0 if array is None else array.shape[0]} values; expected {n} "
                f"{what}"
            )


def check_shape(name: str, array: Any, n: int, width: int) -> None:
    """Raise ValueError unless the array is n x width."""
    if array is None or array.shape[0] != n or array.shape[1] != width:
        shape = "missing" if array is None else f"{array.shape[0]} x {array.shape[1]}"
        raise ValueError(f"{name} is {shape}; expected {n} x {width}")


def count_multiples(start: int, steps: int, every: int) -> int:
    """Return how many multiples of `every` lie in [start, start + steps)."""
    return (start + steps + every - 1) // every - (start + every - 1) // every


def output_weights(
    displacement: Any,
    velocity: Any,
    force: Any,
    tension: Any,
    modes: int,
    stride: int,
    rows: int,
    speed: float,
) -> tuple[Floats, Floats, Floats, Floats, npt.NDArray[np.uint8]]:
    """Return the weights of N outputs in the kernel's layout.

    Parameters: displacement, velocity (N, modes), weights of y and dy/dt; force (N, rows), weights
    of f; tension (N, modes), weights of y times the tension; all but the first may be None; speed,
    1/s, the ratio of dy/dt to the variable from which the scheme computes it.
    Returns: weights of y and of that variable (N, stride), of f (N, rows), of y times the tension
    (N, stride), and a bit mask of the terms of each output (N,): 1 y, 2 dy/dt, 4 f, 8 tension.
    Errors: ValueError.
    """
    n = displacement.shape[0]
    check_shape("displacement", displacement, n, modes)
    y, q, f, t = np.zeros((n, stride)), np.zeros((n, stride)), np.zeros((n, rows)), np.zeros(
        (n, stride))
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
