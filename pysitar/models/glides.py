"""The pitch of a string in time: glides from note to note by its tension, its length kept."""
from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from pysitar.models.sounding import AUDIT, Motion
from pysitar.physics.checks import array_of
from pysitar.physics.string import String

BLOCK = AUDIT                   # steps between two renewals of a network's coefficients, counted from step 0


@dataclass(frozen=True, slots=True)
class Note:
    """A pitch that a string has: semitones over the open string; the energy (J) and the output at rest there."""

    semitones: float
    energy: float
    output: float


@dataclass(slots=True)
class Glide:
    """A raised cosine, in semitones, from a note to a note and from step `start` to step `stop`."""

    start: int
    stop: int
    low: Note
    high: Note

    def part(self, step: float) -> float:
        """How much of the way is done at a step, or between two: 0 to 1."""
        if step >= self.stop:
            return 1.0
        return 0.5 * (1.0 - math.cos(math.pi * (step - self.start) / (self.stop - self.start))) if step > self.start else 0.0

    @property
    def begin(self) -> int:
        """The first step of the first block that it changes."""
        return self.start // BLOCK * BLOCK

    @property
    def end(self) -> int:
        """The step after the first one of the first block that has its last tension whole."""
        return -(-self.stop // BLOCK) * BLOCK + 1


class Glides:
    """All glides of one string, in the order of time.

    Parameters: string, open, at its stored tension; rest, the energy (J) and the output of the open string at rest; rest_at, the same
    under a tension over the stored one (N), which may raise ArithmeticError when no such rest is found.
    """

    def __init__(self, string: String, *, rest: tuple[float, float], rest_at: Callable[[float], tuple[float, float]]) -> None:
        b = string.wave_number(1)
        self._stored = string.tension
        self._bending = string.bending_stiffness * b * b
        self._rest_at = rest_at
        self._notes = {0.0: Note(0.0, *rest)}
        self._last = self._held = Glide(0, 0, self._notes[0.0], self._notes[0.0])
        self._coming: deque[Glide] = deque()

    @property
    def waiting(self) -> bool:
        """Whether a glide is still to come or to end."""
        return bool(self._coming)

    def add(self, semitones: float, *, step: int, steps: int, now: int) -> Glide:
        """Puts in a glide of some steps that ends at a step, and returns it.

        It begins later, and is shorter, where it would begin before the present step or before the last glide's end.
        """
        note = self._note(semitones, self._last.high)
        if self._coming and step <= self._last.stop:          # two notes at once: the later one counts
            self._last.high = note
            return self._last
        start = max(step - steps, self._last.stop, now)
        self._last = Glide(start, max(step, start), self._last.high, note)
        self._coming.append(self._last)
        return self._last

    def passed(self, now: int) -> list[Glide]:
        """Takes out the glides that are over before a step, and returns them."""
        over = []
        while self._coming and self._coming[0].end <= now:
            self._held = self._coming.popleft()
            over.append(self._held)
        return over

    def moving(self, now: int) -> bool:
        """Whether the tension changes in the block of a step."""
        return bool(self._coming) and self._coming[0].begin <= now

    def next_change(self, now: int) -> list[int]:
        """The step after `now` at which `moving` may change, if there is one."""
        return [self._coming[0].end if self.moving(now) else self._coming[0].begin] if self._coming else []

    def motion(self, now: int, steps: int) -> Motion:
        """The tension over some steps, and at the centre of each block that begins in them, where f1 lags the least."""
        tensions, rest = [], []
        for step in range(now, now + steps):
            glide = self._at(step)
            part = glide.part(step)
            tensions.append(self._tension(glide.low.semitones + part * (glide.high.semitones - glide.low.semitones)))
            rest.append(glide.low.output + part * (glide.high.output - glide.low.output))
        blocks = []
        for first in range(-(-now // BLOCK) * BLOCK, now + steps, BLOCK):
            centre = first + BLOCK // 2
            glide = self._at(centre)
            blocks.append(self._tension(glide.low.semitones + glide.part(centre) * (glide.high.semitones - glide.low.semitones)))
        return Motion(array_of(tensions), array_of(blocks), array_of(rest))

    def _at(self, step: int) -> Glide:
        """The glide that holds at a step, or held last before it."""
        found = self._held
        for glide in self._coming:
            if glide.start > step:
                break
            found = glide
        return found

    def _note(self, semitones: float, before: Note) -> Note:
        if semitones not in self._notes:
            try:
                rest = self._rest_at(self._tension(semitones))
            except ArithmeticError:          # the string sleeps later, or not at all: no sound is lost
                rest = before.energy, before.output
            self._notes[semitones] = Note(semitones, *rest)
        return self._notes[semitones]

    def _tension(self, semitones: float) -> float:
        """The tension over the stored one (N) for a first partial of 2^(semitones / 12) times the stored one's: exact with bending."""
        c = math.pow(2.0, semitones / 12.0)
        return (c * c - 1.0) * (self._stored + self._bending)
