"""Checks and layout of the arrays of a grid's kernel; compiled code cannot see array sizes."""
from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np

from pysitar.kernels.core.arrays import Floats, Ints, check_shape


def check_grid(
    intervals: int,
    time_step: float,
    node_mass: float,
    sigma0: float,
    tension_number: float,
    bending_number: float,
    loss_number: float,
) -> None:
    """Raise ValueError unless a string with these coefficients is stable.

    Parameters: intervals, at least 4; time_step, s; node_mass, kg; sigma0, 1/s; tension_number,
    bending_number, loss_number, as in string.pxd.
    """
    if intervals < 4:
        raise ValueError(f"{intervals} intervals; expected at least 4")
    for name, value in (("time_step", time_step), ("node_mass", node_mass), ("tension_number",
                                                                             tension_number)):
        if not (value > 0.0 and isfinite(value)):
            raise ValueError(f"{name} is {value}; expected above 0")
    for name, value in (("sigma0", sigma0), ("bending_number", bending_number), ("loss_number",
                                                                                 loss_number)):
        if not (value >= 0.0 and isfinite(value)):
            raise ValueError(f"{name} is {value}; expected at least 0")
    if tension_number + 4.0 * bending_number + 2.0 * loss_number > 1.0 + 1e-12:
        raise ValueError(
            f"tension number {tension_number} + 4 bending number {bending_number} + 2 loss number "
            f"{loss_number} is above 1, "
            "the grid is too fine to be stable; expected at most 1")


def group_rows(node: Sequence[int], left: Sequence[float],
               right: Sequence[float]) -> list[list[int]]:
    """Group the rows that share nodes, directly or through other rows; return the groups in order.

    Parameters: node, left node of each row; left, right, weights of its left and right node.
    """
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
    """Return weights (N, nodes) in compressed-row form.

    Returns: start of each row (N + 1,); node numbers, counted from 1, and weights of the nonzeros,
    both with a 0 appended so that they are never empty.
    """
    rows, columns = np.nonzero(weights)
    starts = np.searchsorted(rows, np.arange(weights.shape[0] + 1)).astype(np.int32)
    return starts, np.append(columns + 1,
                             0).astype(np.int32), np.append(weights[rows, columns], 0.0)


def grid_outputs(
        displacement: Floats, velocity: Floats | None, force: Floats | None, nodes: int, rows: int,
        speed: float
) -> tuple[tuple[Ints, Ints, Floats], tuple[Ints, Ints, Floats], Floats, Floats]:
    """Return the weights of N outputs in the kernel's layout.

    Parameters: displacement, velocity (N, nodes), weights of u and du/dt; force (N, rows), weights
    of f; velocity and force may be None; speed, 1/s, the ratio of du/dt to the variable from which
    the scheme computes it.
    Returns: sparse_weights of u and of that variable; weights of f (N rows,) and whether an output
    has any (N,), both with a 0 appended.
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
    return sparse_weights(displacements), sparse_weights(velocities), np.append(
        forces.ravel(), 0.0), np.append(forces.any(axis=1), False).astype(np.uint8)


def grid_inputs(shapes: Floats, nodes: int, stride: int) -> tuple[Floats, Ints, Ints]:
    """Return the node weights of E inputs in the kernel's layout.

    Parameters: shapes (E, nodes), weight of each node in an input's force.
    Returns: weights in rows of `stride`, first and last node of each input; each with one value
    more than needed. Errors: ValueError. """
    n = shapes.shape[0]
    check_shape("shapes", shapes, n, nodes)
    weights = np.zeros((n + 1, stride))
    weights[:n, 1:nodes + 1] = shapes
    input_nodes = [np.flatnonzero(row) for row in weights[:n]]
    first = np.array([*(int(i[0]) if i.size else 1 for i in input_nodes), 0], dtype=np.int32)
    return weights.ravel(), first, np.array(
        [*(int(i[-1]) if i.size else 0 for i in input_nodes), 0], dtype=np.int32)
