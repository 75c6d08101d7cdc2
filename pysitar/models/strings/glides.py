"""The pitch of a string in time: glides from note to note and bends along curves, by its tension, its length kept."""
from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from pysitar.kernels.core import elementary
from pysitar.models.network.audited import AUDIT, Motion
from pysitar.models.network.curve import progress_at
from pysitar.physics.checks import array_of
from pysitar.physics.string import String

NEGLIGIBLE = 1e-5               # part of a squared frequency that losses take: less shifts no note by a cent
BLOCK = AUDIT                   # steps between two renewals of a network's coefficients, counted from step 0


@dataclass(frozen=True, slots=True)
class Note:
    """A pitch that a string has: semitones over the open string; the energy (J) and the output at rest there."""

    semitones: float
    energy: float
    output: float


@dataclass(frozen=True, slots=True)
class BendPoint:
    """A point of a bend: steps after its event; semitones over the open string; shape of the way to it: lin, cos, step or pow; exponent, of
    pow."""

    steps: int
    semitones: float
    shape: str = "lin"
    exponent: float = 1.0


@dataclass(slots=True)
class Glide:
    """A change of pitch from one note to another, from step `start` to step `complete_at`; the pitch then holds
    until step `stop`, which a later glide may bring forward.

    Parameters: shape of the way, and exponent, of pow; level, how many steps at each end make it begin and end level, where it is no
    cosine; base, the way that it takes over from and that goes on under it (None: it begins from a note that holds).
    """

    start: int
    stop: int
    low: Note
    high: Note
    complete_at: int
    shape: str = "cos"
    exponent: float = 1.0
    level: int = 0
    base: Glide | None = None

    def progress(self, step: float) -> float:
        """How much of the way is done at a step, or between two: 0 to 1."""
        if step >= self.complete_at:
            return 1.0
        if step <= self.start:
            return 0.0
        length = self.complete_at - self.start
        x = (step - self.start) / length
        return progress_at(x, "cos") if self.shape == "cos" else _smooth_power(x, self.exponent, min(0.5, self.level / length))

    def progress_values(self, first: int, last: int) -> list[float]:
        """What `progress` returns for the steps from one on to before another: the same, sooner."""
        start, length = self.start, self.complete_at - self.start
        begin, end = max(first, min(last, start + 1)), max(first, min(last, self.complete_at))
        places = [(step - start) / length for step in range(begin, end)]
        if self.shape == "cos":
            pi, cosine = math.pi, elementary.cos
            moving = [0.5 * (1.0 - cosine(pi * x)) for x in places]
        else:
            exponent, level = self.exponent, min(0.5, self.level / length) if places else 0.0
            moving = [_smooth_power(x, exponent, level) if x < level or x > 1.0 - level else elementary.pow(x, exponent) for x in places]
        return [0.0] * (min(begin, end) - first) + moving + [1.0] * (last - max(first, min(last, self.complete_at)))

    def semitones(self, step: float) -> float:
        """The pitch at a step, or between two, over the open string's."""
        low = self.low.semitones if self.base is None else self.base.semitones(step)
        return low + self.progress(step) * (self.high.semitones - low)

    def pitches(self, first: int, parts: Sequence[float]) -> list[float]:
        """The pitches at some steps from a first one on, from how much of the way is done at each."""
        if self.base is not None:
            return [self.semitones(first + n) for n in range(len(parts))]
        low = self.low.semitones
        rise = self.high.semitones - low
        return [low + part * rise for part in parts]

    @property
    def begin(self) -> int:
        """The first step of the first block that it changes."""
        return self.start // BLOCK * BLOCK

    @property
    def end(self) -> int:
        """The step after the first one of the first block that has its last tension complete_at."""
        return -(-self.stop // BLOCK) * BLOCK + 1


def _smooth_power(x: float, exponent: float, end: float) -> float:
    """A power of x in [0, 1] whose slope is 0 at both ends: over a part `end` at each a cubic that meets it; a corner would click."""
    if end <= x <= 1.0 - end:
        return elementary.pow(x, exponent)
    rising = x < end
    u, at = (x / end, end) if rising else ((1.0 - x) / end, 1.0 - end)
    far = elementary.pow(at, exponent)
    slope = exponent * far / at * end
    part = u * u * ((far if rising else 1.0 - far) * (3.0 - 2.0 * u) + slope * (u - 1.0))
    return part if rising else 1.0 - part


class Glides:
    """All glides and bends of one string, in the order of time.

    Parameters: string, open, at its stored tension; equilibrium, energy (J) and output of the open string at
    equilibrium; equilibrium_at, a function that returns the same under an additional tension (N) and may
    raise ArithmeticError when it finds no equilibrium.
    """

    def __init__(self, string: String, *, equilibrium: tuple[float, float], equilibrium_at: Callable[[float], tuple[float, float]]) -> None:
        b = string.wave_number(1)
        self._stored_tension = string.tension
        self._bending_tension = string.bending_stiffness * b * b
        alpha = string.decay_rate(b)
        lost = string.linear_density * alpha * alpha / (b * b)          # N: what the losses lower the first partial by
        self._loss_tension = lost if lost > NEGLIGIBLE * (self._stored_tension + self._bending_tension) else 0.0
        self._equilibrium_at = equilibrium_at
        self._notes = {0.0: Note(0.0, *equilibrium)}
        self._last = self._current = Glide(0, 0, self._notes[0.0], self._notes[0.0], 0)
        self._queue: deque[Glide] = deque()
        self._bend_step: int | None = None          # the step of the last event, if that is a bend
        self._base: Glide | None = None       # what the next way takes over

    @property
    def waiting(self) -> bool:
        """Whether a glide is still to come or to end."""
        return bool(self._queue)

    def add(self, semitones: float, *, step: int, steps: int, now: int) -> Glide:
        """Put in a glide of some steps that ends at a step, and returns it.

        It begins later, and is shorter, where it would begin before the present step or before the last glide's end; a bend that is still
        on its way it takes over, from where the pitch is.
        """
        begin = max(step - steps, now)
        if self._bend_step is not None:
            self._cut(max(begin, self._bend_step))
            self._bend_step = None
        note = self._note(semitones, self._last.high)
        if self._base is None and self._queue and step <= self._last.stop:          # two notes at once: the later one counts
            self._last.high = note
            return self._last
        start = max(begin, self._last.stop)
        return self._append(start, max(step, start), note)

    def bend(self, points: Sequence[BendPoint], *, step: int, steps: int, jump: int, level: int, now: int) -> list[Glide]:
        """Put in a bend, and returns its glides: one of some steps that ends at a step, to its first point, then the ways to the others.

        A way of no length, or of shape step, takes `jump` steps: those before its point, or where there are less, as many as are missing
        after it. What follows begins when it ends. Ways that are no cosines begin and end level, over `level` steps.
        """
        first = self.add(points[0].semitones, step=step, steps=steps, now=now)
        for before, point in pairwise(points):
            note, end = self._note(point.semitones, self._last.high), step + point.steps
            start = max(step + before.steps, self._last.stop)
            if point.shape == "step" or end <= start:
                if point.steps == before.steps and self._last.stop == end and self._last is not first:          # of two points at one time
                    self._cut(max(end - jump, self._last.start))
                start = max(end - jump, self._last.stop)
                self._append(start, max(end, start + jump), note)
            elif note.semitones != self._last.high.semitones:
                self._append(start, end, note, point.shape, point.exponent, level)
        self._bend_step = step
        return list(takewhile(lambda glide: glide.start >= first.start, reversed(self._queue)))[::-1]

    def take_finished(self, now: int) -> list[Glide]:
        """Take out the glides that are over before a step, and returns them."""
        over = []
        while self._queue and self._queue[0].end <= now:
            self._current = self._queue.popleft()
            over.append(self._current)
        return over

    def moving(self, now: int) -> bool:
        """Whether the tension changes in the block of a step."""
        return bool(self._queue) and self._queue[0].begin <= now

    def next_change(self, now: int) -> list[int]:
        """The step after `now` at which `moving` may change, if there is one."""
        return [self._queue[0].end if self.moving(now) else self._queue[0].begin] if self._queue else []

    def motion(self, now: int, steps: int) -> Motion:
        """The tension over some steps, and at the centre of each block that begins in them, where f1 lags the least."""
        tensions: list[float] = []
        equilibrium: list[float] = []
        for glide, first, last in self._segments(now, now + steps):
            parts = glide.progress_values(first, last)
            tensions += map(self._tension, glide.pitches(first, parts))
            low, rise = glide.low.output, glide.high.output - glide.low.output
            equilibrium += [low + part * rise for part in parts]
        centres = range(-(-now // BLOCK) * BLOCK + BLOCK // 2, now + steps + BLOCK // 2, BLOCK)
        blocks = [self._tension(self._at(centre).semitones(centre)) for centre in centres]
        return Motion(array_of(tensions), array_of(blocks), array_of(equilibrium))

    def _append(self, start: int, stop: int, note: Note, shape: str = "cos", exponent: float = 1.0, level: int = 0) -> Glide:
        """Put a way in after all others, from where they end."""
        low = self._last.high if self._base is None else self._note(self._base.semitones(start), self._last.high)
        self._last = Glide(start, stop, low, note, stop, shape, exponent, level, self._base)
        self._queue.append(self._last)
        self._base = None
        return self._last

    def _cut(self, at: int) -> None:
        """Take out what begins at a step or later, and lets the next way take over what goes on there."""
        while self._queue and self._queue[-1].start >= at and self._queue[-1].stop > at:
            self._queue.pop()
        self._last = self._queue[-1] if self._queue else self._current
        if self._last.stop > at:
            self._last.stop = at
            self._base = replace(self._last, base=None)

    def _segments(self, now: int, end: int) -> Iterator[tuple[Glide, int, int]]:
        """The glides that hold at some steps, each with its first of them and the one after its last."""
        starts = [glide for glide in self._queue if now < glide.start < end]
        found = self._at(now)
        for glide in starts:
            yield found, now, glide.start
            found, now = glide, glide.start
        yield found, now, end

    def _at(self, step: int) -> Glide:
        """The glide that holds at a step, or held last before it."""
        found = self._current
        for glide in self._queue:
            if glide.start > step:
                break
            found = glide
        return found

    def _note(self, semitones: float, before: Note) -> Note:
        if semitones not in self._notes:
            try:
                equilibrium = self._equilibrium_at(self._tension(semitones))
            except ArithmeticError:          # the string sleeps later, or not at all: no sound is lost
                equilibrium = before.energy, before.output
            self._notes[semitones] = Note(semitones, *equilibrium)
        return self._notes[semitones]

    def _tension(self, semitones: float) -> float:
        """The tension over the stored one (N) for a first damped partial of 2^(semitones / 12) times the stored one's."""
        c = elementary.pow(2.0, semitones / 12.0)
        return (c * c - 1.0) * (self._stored_tension + self._bending_tension - self._loss_tension)
