"""The pitch of a string in time, changed by its tension: glides from note to note, and bends along
curves."""
from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from pysitar.kernels.core import elementary
from pysitar.models.network.audited import Motion
from pysitar.models.network.curve import progress_at
from pysitar.physics.checks import array_of
from pysitar.physics.string import String

# of a squared frequency: a smaller reduction by losses shifts a note an octave down by under 0.1 c
NEGLIGIBLE = 1e-5
# steps between two knots of a tension, counted from step 0; with 64 a change of two semitones in
# 7 ms clicks at -90 dB, with 32 at -108, with 16 at -112, where all that is left is the string's
BLOCK = 16


@dataclass(frozen=True, slots=True)
class Note:
    """A pitch of a string: semitones over the open string; energy (J) and output at equilibrium."""

    semitones: float
    energy: float
    output: float


@dataclass(frozen=True, slots=True)
class BendPoint:
    """A point of a bend: steps after its event; semitones over the open string; shape of the
    segment that ends at it: lin, cos, step or pow; exponent, of pow."""

    steps: int
    semitones: float
    shape: str = "lin"
    exponent: float = 1.0


@dataclass(slots=True)
class Glide:
    """A change of pitch from one note to another, from step `start` to step `complete_at`; the
    pitch then holds until step `stop`, which a later glide may bring forward.

    Parameters: shape, and exponent, of pow; level, the number of steps at each end over which a
    glide that is no cosine is smoothed to slope 0; base, the glide that it replaces and from whose
    moving pitch it starts (None: it starts from a constant pitch). """

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
        """Return the progress, 0 to 1, at a step or between two."""
        if step >= self.complete_at:
            return 1.0
        if step <= self.start:
            return 0.0
        length = self.complete_at - self.start
        x = (step - self.start) / length
        return progress_at(x, "cos") if self.shape == "cos" else _smooth_power(
            x, self.exponent, min(0.5, self.level / length))

    def progress_values(self, first: int, last: int) -> list[float]:
        """Return `progress` for the steps first to last - 1: the same values, computed faster."""
        start, length = self.start, self.complete_at - self.start
        begin, end = max(first, min(last, start + 1)), max(first, min(last, self.complete_at))
        places = [(step - start) / length for step in range(begin, end)]
        if self.shape == "cos":
            pi, cosine = math.pi, elementary.cos
            moving = [0.5 * (1.0 - cosine(pi * x)) for x in places]
        else:
            exponent, level = self.exponent, min(0.5, self.level / length) if places else 0.0
            moving = [
                _smooth_power(x, exponent, level)
                if x < level or x > 1.0 - level else elementary.pow(x, exponent) for x in places
            ]
        return [0.0] * (min(begin, end)
                        - first) + moving + [1.0] * (last - max(first, min(last, self.complete_at)))

    def semitones(self, step: float) -> float:
        """Return the pitch (semitones over the open string) at a step or between two."""
        low = self.low.semitones if self.base is None else self.base.semitones(step)
        return low + self.progress(step) * (self.high.semitones - low)

    def pitches(self, first: int, parts: Sequence[float]) -> list[float]:
        """Return the pitches (semitones) at steps from `first` on, from the progress at each."""
        if self.base is not None:
            return [self.semitones(first + n) for n in range(len(parts))]
        low = self.low.semitones
        rise = self.high.semitones - low
        return [low + part * rise for part in parts]

    @property
    def begin(self) -> int:
        """The first step of the first block with a changed tension."""
        return self.start // BLOCK * BLOCK

    @property
    def end(self) -> int:
        """The second step of the first block with the final tension throughout."""
        return -(-self.stop // BLOCK) * BLOCK + 1


def _smooth_power(x: float, exponent: float, end: float) -> float:
    """Return x^exponent, x in [0, 1], with slope 0 at both ends: a cubic replaces it over a
    fraction `end` at each, as a corner would click."""
    if end <= x <= 1.0 - end:
        return elementary.pow(x, exponent)
    rising = x < end
    u, at = (x / end, end) if rising else ((1.0 - x) / end, 1.0 - end)
    far = elementary.pow(at, exponent)
    slope = exponent * far / at * end
    part = u * u * ((far if rising else 1.0 - far) * (3.0 - 2.0 * u) + slope * (u - 1.0))
    return part if rising else 1.0 - part


class Glides:
    """The glides and bends of one string, in order of time.

    Parameters: string, open, at its stored tension; equilibrium, energy (J) and output of the open
    string at equilibrium; equilibrium_at, a function that returns both under an additional tension
    (N) and may raise ArithmeticError when it finds no equilibrium. """

    def __init__(self, string: String, *, equilibrium: tuple[float, float],
                 equilibrium_at: Callable[[float], tuple[float, float]]) -> None:
        b = string.wave_number(1)
        self._stored_tension = string.tension
        self._bending_tension = string.bending_stiffness * b * b
        alpha = string.decay_rate(b)
        # N: the tension that makes up for the lowering of the first partial by losses
        lost = string.linear_density * alpha * alpha / (b * b)
        self._loss_tension = lost if lost > NEGLIGIBLE * (self._stored_tension
                                                          + self._bending_tension) else 0.0
        self._equilibrium_at = equilibrium_at
        self._notes = {0.0: Note(0.0, *equilibrium)}
        self._last = self._current = Glide(0, 0, self._notes[0.0], self._notes[0.0], 0)
        self._queue: deque[Glide] = deque()
        self._bend_step: int | None = None          # the step of the last event if it is a bend
        self._base: Glide | None = None       # the glide that the next one replaces

    @property
    def waiting(self) -> bool:
        """Whether a glide is still to come or to end."""
        return bool(self._queue)

    def add(self, semitones: float, *, step: int, steps: int, now: int) -> Glide:
        """Add a glide of some steps that ends at a step, and return it.

        It begins later, and is shorter, if it would begin before the present step or before the end
        of the last glide; it replaces a bend that is not finished, from its pitch at that step. """
        begin = max(step - steps, now)
        if self._bend_step is not None:
            self._cut(max(begin, self._bend_step))
            self._bend_step = None
        note = self._note(semitones, self._last.high)
        # two notes at the same step: the later one counts
        if self._base is None and self._queue and step <= self._last.stop:
            self._last.high = note
            return self._last
        start = max(begin, self._last.stop)
        return self._append(start, max(step, start), note)

    def bend(self, points: Sequence[BendPoint], *, step: int, steps: int, jump: int, level: int,
             now: int) -> list[Glide]:
        """Add a bend that starts at a step, and return its glides. The first glide lasts `steps`
        steps, ends at `step` and leads to the bend's first point; the others lead from point to
        point.

        A glide of no length, or of shape step, takes `jump` steps before its point, or, where fewer
        steps are left, takes the missing steps after the point; the next glide begins at its end.
        Glides other than cosines are smoothed over `level` steps at each end. """
        first = self.add(points[0].semitones, step=step, steps=steps, now=now)
        for before, point in pairwise(points):
            note, end = self._note(point.semitones, self._last.high), step + point.steps
            start = max(step + before.steps, self._last.stop)
            if point.shape == "step" or end <= start:
                # of two points at one time
                if (point.steps == before.steps and self._last.stop == end
                        and self._last is not first):
                    self._cut(max(end - jump, self._last.start))
                start = max(end - jump, self._last.stop)
                self._append(start, max(end, start + jump), note)
            elif note.semitones != self._last.high.semitones:
                self._append(start, end, note, point.shape, point.exponent, level)
        self._bend_step = step
        return list(takewhile(lambda glide: glide.start >= first.start,
                              reversed(self._queue)))[::-1]

    def take_finished(self, now: int) -> list[Glide]:
        """Remove the glides that end before a step, and return them."""
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
        return [self._queue[0].end if self.moving(now) else self._queue[0].begin
                ] if self._queue else []

    def motion(self, now: int, steps: int) -> Motion:
        """Return the tension over some steps and at the end of each block that begins in them."""
        tensions: list[float] = []
        equilibrium: list[float] = []
        for glide, first, last in self._segments(now, now + steps):
            parts = glide.progress_values(first, last)
            tensions += map(self._tension, glide.pitches(first, parts))
            low, rise = glide.low.output, glide.high.output - glide.low.output
            equilibrium += [low + part * rise for part in parts]
        ends = range((-(-now // BLOCK) + 1) * BLOCK, now + steps + BLOCK, BLOCK)
        blocks = [self._tension(self._at(end).semitones(end)) for end in ends]
        return Motion(array_of(tensions), array_of(blocks), array_of(equilibrium), BLOCK, True)

    def _append(self, start: int, stop: int, note: Note, shape: str = "cos", exponent: float = 1.0,
                level: int = 0) -> Glide:
        """Append a glide that starts from the end of the last one."""
        low = self._last.high if self._base is None else self._note(self._base.semitones(start),
                                                                    self._last.high)
        self._last = Glide(start, stop, low, note, stop, shape, exponent, level, self._base)
        self._queue.append(self._last)
        self._base = None
        return self._last

    def _cut(self, at: int) -> None:
        """Remove the glides that begin at a step or later, and let the next glide replace the one
        that is active there."""
        while self._queue and self._queue[-1].start >= at and self._queue[-1].stop > at:
            self._queue.pop()
        self._last = self._queue[-1] if self._queue else self._current
        if self._last.stop > at:
            self._last.stop = at
            self._base = replace(self._last, base=None)

    def _segments(self, now: int, end: int) -> Iterator[tuple[Glide, int, int]]:
        """Yield the glides active in some steps, each with its first of them and the step after its
        last."""
        starts = [glide for glide in self._queue if now < glide.start < end]
        found = self._at(now)
        for glide in starts:
            yield found, now, glide.start
            found, now = glide, glide.start
        yield found, now, end

    def _at(self, step: int) -> Glide:
        """Return the glide active at a step, or the last one before it."""
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
            except ArithmeticError:  # the string then sleeps later or never, and no sound is lost
                equilibrium = before.energy, before.output
            self._notes[semitones] = Note(semitones, *equilibrium)
        return self._notes[semitones]

    def _tension(self, semitones: float) -> float:
        """Return the tension over the stored one (N) that raises the first damped partial by some
        semitones."""
        c = elementary.pow(2.0, semitones / 12.0)
        return (c * c - 1.0) * (self._stored_tension + self._bending_tension - self._loss_tension)
