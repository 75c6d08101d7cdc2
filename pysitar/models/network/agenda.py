"""What is still to be done to a string or an object, the forces that are being put on a string, and how a finger moves."""
from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from pysitar.physics.checks import FloatArray

FINGER_TIME = 0.004             # s that a finger takes to lie down or to lift


def force_time_offset(scheme: str) -> float:
    """Where in a step a scheme's forces act: between its two points of time, or, of three points, at the one in the middle."""
    return 0.5 if scheme == "two-point" else 0.0


@dataclass(frozen=True, slots=True, order=True)
class Action:
    """What begins at a step, by its kind; order keeps ties in that of play."""

    start: int
    order: int
    kind: str
    values: Mapping[str, float]


class Agenda:
    """The actions that are still to begin."""

    def __init__(self) -> None:
        self._queue: list[Action] = []
        self._orders = 0

    def __bool__(self) -> bool:
        return bool(self._queue)

    def put(self, kind: str, start: int, values: Mapping[str, float]) -> None:
        """Puts in an action that begins at a step."""
        self._orders += 1
        heapq.heappush(self._queue, Action(start, self._orders, kind, values))

    def due(self, now: int) -> Iterator[Action]:
        """Takes out the actions that have begun by a step, in their order."""
        while self._queue and self._queue[0].start <= now:
            yield heapq.heappop(self._queue)

    @property
    def next_start(self) -> list[int]:
        """The step of the next one, if there is one."""
        return [action.start for action in self._queue[:1]]


@dataclass(frozen=True, slots=True)
class Push:
    """A force (N) from a step on, one value a step, on the shares of it that modes or nodes have (M,), and a bridge that gives."""

    shape: FloatArray
    start: int
    values: FloatArray
    bridge_shape: float = 0.0

    @property
    def stop(self) -> int:
        return self.start + self.values.size

    def over(self, now: int, steps: int) -> FloatArray:
        """The forces (N) of some of its steps (steps,)."""
        return self.values[now - self.start:now - self.start + steps]


class AppliedForce(Protocol):
    """A force that is being put on: see Push."""

    @property
    def shape(self) -> FloatArray: ...
    @property
    def bridge_shape(self) -> float: ...
    @property
    def stop(self) -> int: ...
    def over(self, now: int, steps: int) -> FloatArray: ...


def forces_of(pushes: Sequence[AppliedForce], now: int, steps: int, count: int) -> tuple[FloatArray, FloatArray]:
    """The shares (n, count) of pushes, none of which begins or ends within these steps, and their forces (steps, n), N."""
    forces = np.zeros((steps, len(pushes)))
    for j, push in enumerate(pushes):
        forces[:, j] = push.over(now, steps)
    return np.array([push.shape for push in pushes]).reshape(len(pushes), count), forces


def finger_steps(sample_rate: float) -> int:
    """How many steps at a rate (Hz) a finger takes to lie down or to lift."""
    return max(1, round(FINGER_TIME * sample_rate))


def smooth(x: float) -> float:
    """Return the smoothstep 3 x^2 - 2 x^3 of x in [0, 1]."""
    return x * x * (3.0 - 2.0 * x)


@lru_cache(maxsize=16)
def smooth_ramp(steps: int) -> tuple[float, ...]:
    """Return the smoothstep at the ends of `steps` equal steps, the last one 1."""
    return tuple(smooth((n + 1.0) / steps) for n in range(steps))
