"""How the notes of a section lie between the beats and differ from each other: swing, accents and
humanise."""
from __future__ import annotations

import math
from dataclasses import dataclass

from pysitar.compared import Compared
from pysitar.physics.draws import uniforms

SMALL = 1e-9                    # beats; the round-off of the place of a row
DRAWN = 4                       # uniform numbers in one variation


@dataclass(frozen=True, slots=True, eq=False)
class Swing(Compared):
    """Unequal halves of each pair of notes.

    Parameters: ratio, the part of a pair that its first half takes, 0.1 to 0.9 (0.5: straight);
    pair, its length (beats, above 0). Between, time runs evenly in each half.
    """

    ratio: float
    pair: float = 1.0

    def warp(self, beats: float) -> float:
        """Return the beat, of even time, at which a written beat lies."""
        if self.ratio == 0.5:
            return beats
        count = math.floor(beats / self.pair)
        inside = beats / self.pair - count
        if inside < 0.5:
            inside = 2.0 * self.ratio * inside
        else:
            inside = self.ratio + (2.0 - 2.0 * self.ratio) * (inside - 0.5)
        return self.pair * (count + inside)

    def unwarp(self, beats: float) -> float:
        """Return the written beat of a beat of even time."""
        if self.ratio == 0.5:
            return beats
        count = math.floor(beats / self.pair)
        inside = beats / self.pair - count
        if inside < self.ratio:
            inside = 0.5 * inside / self.ratio
        else:
            inside = 0.5 + 0.5 * (inside - self.ratio) / (1.0 - self.ratio)
        return self.pair * (count + inside)


@dataclass(frozen=True, slots=True, eq=False)
class Accents(Compared):
    """A pattern of strengths that is repeated from the start of a section.

    Parameters: factors, of the force or speed of the rows in each unit, above 0; unit (beats, above
    0).
    """

    factors: tuple[float, ...]
    unit: float = 1.0

    def factor(self, beats: float) -> float:
        """Return the factor of a row at a beat."""
        return self.factors[math.floor((beats + SMALL) / self.unit) % len(self.factors)]


@dataclass(frozen=True, slots=True, eq=False)
class Humanise(Compared):
    """Variations from row to row, by the seed, the target and the time of the row alone.

    Parameters: time (s), force (a fraction) and pitch (cents), the standard deviations of the
    variations, whose distribution is that of a sum of four uniform numbers: at most 3.47 times as
    large; seed (None: that of the render).
    """

    time: float = 0.0
    force: float = 0.0
    pitch: float = 0.0
    seed: int | None = None

    def variation(self, what: str, target: str, start: float, seed: int) -> float:
        """Return the variation, of deviation 1, of a row at a time (s); seed, of the render."""
        numbers = uniforms(seed=seed if self.seed is None else self.seed,
                           name=f"humanise {what} {target} {start!r}", count=DRAWN)
        return math.sqrt(12.0 / DRAWN) * (math.fsum(numbers) - 0.5 * DRAWN)


@dataclass(frozen=True, slots=True, eq=False)
class Feel(Compared):
    """The swing, accents and humanise of a section itself (None: those of its caller)."""

    swing: Swing | None = None
    accents: Accents | None = None
    humanise: Humanise | None = None


PLAIN = Feel()
