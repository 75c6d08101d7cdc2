"""Checks of the kernels' arrays: their sizes, which C code cannot see."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def same_lengths(what: str, n: int, arrays: Iterable[Any]) -> None:
    """Raises ValueError unless every array has n values."""
    for array in arrays:
        if array is None or array.shape[0] != n:
            raise ValueError(f"an array has {0 if array is None else array.shape[0]} values; {n} {what} would be right")


def fits(name: str, array: Any, n: int, width: int) -> None:
    """Raises ValueError unless the array is n x width."""
    if array is None or array.shape[0] != n or array.shape[1] != width:
        shape = "missing" if array is None else f"{array.shape[0]} x {array.shape[1]}"
        raise ValueError(f"{name} is {shape}; {n} x {width} would be right")
