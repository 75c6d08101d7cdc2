"""Scheduled actions on a string or an object, forces on a string, and the motion of a finger."""
from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeVar

import numpy as np

from pysitar.physics.checks import FloatArray

Number = TypeVar("Number", float, FloatArray)
FINGER_TIME = 0.004             # s in which a finger comes down or lifts


@dataclass(frozen=True, slots=True, order=True)
class Action:
    """An action that begins at a step; `order` sorts those of the same step by the order of
    play."""

    start: int
    order: int
    kind: str
    values: Mapping[str, float]


class Agenda:
    """The scheduled actions."""

    def __init__(self) -> None:
        self._queue: list[Action] = []
        self._orders = 0

    def __bool__(self) -> bool:
        return bool(self._queue)

    def put(self, kind: str, start: int, values: Mapping[str, float]) -> None:
        """Schedule an action at a step."""
        self._orders += 1
        heapq.heappush(self._queue, Action(start, self._orders, kind, values))

    def due(self, now: int) -> Iterator[Action]:
        """Yield and remove the actions due by a step, in order."""
        while self._queue and self._queue[0].start <= now:
            yield heapq.heappop(self._queue)

    @property
    def next_start(self) -> list[int]:
        """The step of the next action; empty without one."""
        return [action.start for action in self._queue[:1]]


@dataclass(frozen=True, slots=True, eq=False)
class Push:
    """A force (N), one value per step, with its weights on modes or nodes (M,) and on a compliant
    bridge."""

    shape: FloatArray
    start: int
    values: FloatArray
    bridge_shape: float = 0.0

    @property
    def stop(self) -> int:
        return self.start + self.values.size

    def over(self, now: int, steps: int) -> FloatArray:
        """Return the forces (N) of some of its steps (steps,)."""
        return self.values[now - self.start:now - self.start + steps]


class AppliedForce(Protocol):
    """A force on a string: see Push."""

    @property
    def shape(self) -> FloatArray: ...
    @property
    def bridge_shape(self) -> float: ...
    @property
    def stop(self) -> int: ...
    def over(self, now: int, steps: int) -> FloatArray: ...


def forces_of(pushes: Sequence[AppliedForce], now: int, steps: int,
              count: int) -> tuple[FloatArray, FloatArray]:
    """Return the weights (n, count) and the values (steps, n), N, of forces that neither begin nor
    end within these steps."""
    forces = np.zeros((steps, len(pushes)))
    for j, push in enumerate(pushes):
        forces[:, j] = push.over(now, steps)
    return np.array([push.shape for push in pushes]).reshape(len(pushes), count), forces


def finger_steps(sample_rate: float) -> int:
    """Return the number of steps at a rate (Hz) in which a finger comes down or lifts."""
    return max(1, round(FINGER_TIME * sample_rate))


def smooth(x: Number) -> Number:
    """Return the smoothstep 3 x^2 - 2 x^3 of x in [0, 1]."""
    return x * x * (3.0 - 2.0 * x)


@lru_cache(maxsize=16)
def smooth_ramp(steps: int) -> tuple[float, ...]:
    """Return the smoothstep at the ends of `steps` equal steps, the last one 1."""
    return tuple(smooth((n + 1.0) / steps) for n in range(steps))
