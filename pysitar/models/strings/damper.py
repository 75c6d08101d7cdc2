"""A damping finger: how fast it can damp a string, and, of schemes without rows for it, how it
raises the decay rate of all modes (sigma0)."""
from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from pysitar.kernels.core import elementary
from pysitar.models.network.agenda import smooth_ramp
from pysitar.models.network.schemes.base import FINGER as FINGER_ROWS
from pysitar.models.network.schemes.base import Scheme
from pysitar.models.network.schemes.catalogue import DEFAULT_SCHEME
from pysitar.models.network.schemes.modal import MAX_RATE
from pysitar.physics.checks import FloatArray
from pysitar.physics.string import String

BLOCK = 64                      # steps between two changes while the finger comes down or lifts
DECAY = elementary.log(1000.0)        # decay rate = DECAY / T60
# times the string's impedance: a finger of more resistance reflects instead of damping
FINGER_MOST = 4.0
# resistance = FINGER_LOSS linear density length / t60, measured (Schroeder, -5 to -35 dB)
FINGER_LOSS = 110.0


@dataclass(frozen=True, slots=True)
class DampingRamp:
    """A row's damping (kg/s) from a step on, one value a step; the last one holds."""

    row: int
    start: int
    values: FloatArray

    @property
    def stop(self) -> int:
        return self.start + self.values.size


class DecayFinger:
    """A damping finger, off the string at the start.

    Parameters: add, a function that sets the decay rate (1/s) added to those of the string.
    """

    def __init__(self, add: Callable[[float], None]) -> None:
        self._add = add
        self._rate = 0.0                # 1/s, that it adds
        self._coming: deque[tuple[int, float]] = deque()

    @property
    def waiting(self) -> bool:
        """Whether the finger comes down or lifts."""
        return bool(self._coming)

    @property
    def lies(self) -> bool:
        """Whether the finger is on the string, comes down or lifts."""
        return self._rate > 0.0 or self.waiting

    def move(self, start: int, rate: float, steps: int) -> None:
        """Change the added decay rate (1/s) to a value over some steps from a step on, in changes
        64 steps apart."""
        now, parts = self._rate, smooth_ramp(-(-steps // BLOCK))
        self._coming = deque(
            (start + BLOCK * n, now + (rate - now) * part) for n, part in enumerate(parts))

    def next_change(self) -> list[int]:
        """The step of the next change, if there is one."""
        return [self._coming[0][0]] if self._coming else []

    def change(self, now: int) -> None:
        """Apply the change that is due at a step, if there is one."""
        if not self._coming or self._coming[0][0] > now:
            return
        self._rate = self._coming.popleft()[1]
        self._add(self._rate)


def decay_of(t60: float, string: String) -> float:
    """Return the decay rate (1/s) that a finger adds for a T60 (s), limited so that the lowest mode
    still oscillates."""
    return DECAY / max(t60, shortest_decay(string))


def shortest_decay(string: String) -> float:
    """Return the shortest T60 (s) of a finger on a string at its tension, about 1.2 of its
    periods."""
    most = MAX_RATE * elementary.hypot(string.angular_frequency(1),
                                       string.decay_rate(string.wave_number(1)))
    return DECAY / (most - string.decay_rate(string.wave_number(1)))


def shortest_t60(string: String, scheme: Scheme = DEFAULT_SCHEME) -> float:
    """Return the shortest T60 (s) of a finger on a string at its tension: 27.5 length / wave speed,
    some 14 of its periods.

    A scheme without rows for a finger damps all modes alike, in about 1.2 periods at best.
    """
    if FINGER_ROWS not in scheme.capabilities:
        return shortest_decay(string)
    return FINGER_LOSS * string.length * math.sqrt(
        string.linear_density / string.tension) / FINGER_MOST
