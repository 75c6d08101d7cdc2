"""What a grid's kernel is given, checked and sorted: C code cannot see sizes."""
from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np

from pysitar.kernels.core.arrays import Floats, Ints, check_shape


def check_grid(
    intervals: int, time_step: float, node_mass: float, sigma0: float, tension_number: float, bending_number: float, loss_number: float,
) -> None:
    """Raises ValueError unless a string of these is stable."""
    if intervals < 4:
        raise ValueError(f"{intervals} intervals; expected at least 4")
    for name, value in (("time_step", time_step), ("node_mass", node_mass), ("tension_number", tension_number)):
        if not (value > 0.0 and isfinite(value)):
            raise ValueError(f"{name} is {value}; expected above 0")
    for name, value in (("sigma0", sigma0), ("bending_number", bending_number), ("loss_number", loss_number)):
        if not (value >= 0.0 and isfinite(value)):
            raise ValueError(f"{name} is {value}; expected at least 0")
    if tension_number + 4.0 * bending_number + 2.0 * loss_number > 1.0 + 1e-12:
        raise ValueError(f"tension {tension_number} + 4 bending {bending_number} + 2 loss {loss_number} is over 1: the grid is too fine to "
                         "be stable")


def group_rows(node: Sequence[int], left: Sequence[float], right: Sequence[float]) -> list[list[int]]:
    """Rows that share nodes, directly or through others, by their left nodes and the weights of both nodes: each group, in order."""
    group = list(range(len(node)))
    at_node: dict[int, int] = {}

    def root(i: int) -> int:
        while group[i] != i:
            i = group[i]
        return i

    for k, (first, weights) in enumerate(zip(node, zip(left, right, strict=True), strict=True)):
        for i, weight in enumerate(weights, start=first):
            if weight == 0.0:
                continue
            if i in at_node:
                group[root(k)] = root(at_node[i])
            at_node[i] = k
    members: dict[int, list[int]] = {}
    for k in range(len(node)):
        members.setdefault(root(k), []).append(k)
    return list(members.values())


def sparse_weights(weights: Floats) -> tuple[Ints, Ints, Floats]:
    """Rows of weights (N, nodes) without the zeros: where each row's nodes begin (N + 1,), the nodes, counted from 1, and their weights."""
    rows, columns = np.nonzero(weights)
    starts = np.searchsorted(rows, np.arange(weights.shape[0] + 1)).astype(np.int32)
    return starts, np.append(columns + 1, 0).astype(np.int32), np.append(weights[rows, columns], 0.0)


def grid_outputs(displacement: Floats, velocity: Floats | None, force: Floats | None, nodes: int, rows: int,
                 speed: float) -> tuple[tuple[Ints, Ints, Floats], tuple[Ints, Ints, Floats], Floats, Floats]:
    """Weights of u and du/dt (N, nodes) and of f (N, rows), the last two or None, as a kernel reads them.

    Parameters: speed, du/dt by what the scheme reads it from (1/s).
    Returns: sparse_weights of u and of that, weights of f in a row, and which outputs have any; the last two with a value to spare.
    Errors: ValueError.
    """
    n = displacement.shape[0]
    displacements = np.array(displacement, dtype=np.float64)
    check_shape("displacement", displacements, n, nodes)
    velocities, forces = np.zeros((n, nodes)), np.zeros((n, rows))
    if velocity is not None:
        check_shape("velocity", velocity, n, nodes)
        velocities += np.asarray(velocity) * speed
    if force is not None:
        check_shape("force", force, n, rows)
        forces += np.asarray(force)
    return sparse_weights(displacements), sparse_weights(velocities), np.append(forces.ravel(), 0.0), np.append(forces.any(axis=1),
                                                                                                                False).astype(np.uint8)


def grid_inputs(shapes: Floats, nodes: int, stride: int) -> tuple[Floats, Ints, Ints]:
    """Each node's share (E, nodes) of the inputs' forces as a kernel reads them: rows of `stride`, the first and last node of each."""
    n = shapes.shape[0]
    check_shape("shapes", shapes, n, nodes)
    weights = np.zeros((n + 1, stride))
    weights[:n, 1:nodes + 1] = shapes
    input_nodes = [np.flatnonzero(row) for row in weights[:n]]
    first = np.array([*(int(i[0]) if i.size else 1 for i in input_nodes), 0], dtype=np.int32)
    return weights.ravel(), first, np.array([*(int(i[-1]) if i.size else 0 for i in input_nodes), 0], dtype=np.int32)
