"""Beats, exact where a score has fractions, and tempo: from beats to seconds and back."""
from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from pysitar.errors import Place, Problem, quoted
from pysitar.kernels.core import elementary
from pysitar.score.literals import NOWHERE, number_text
from pysitar.score.tokens import score_error

Beats: TypeAlias = float | Fraction
FRACTION = re.compile(r"(?:([0-9]+)\+)?([0-9]+)/([0-9]+)")
MAX_DIGITS = 9
# the denominator up to which sums stay exact: beyond it their digits would grow without bound
MAX_DENOMINATOR = 10**15


def is_fraction(text: str) -> bool:
    """Return whether a text without its sign has the form of a fraction, right or wrong."""
    return "/" in text and text[:1].isdigit() and not text.endswith("/s")


def parse_fraction(text: str, place: Place) -> Fraction:
    """Return a number of beats such as 1/3, or 2+1/3.

    Errors: ScoreError at its place.
    """
    match = FRACTION.fullmatch(text)
    if match is None:
        raise score_error(
            place, f"{quoted(text)} is not a fraction of beats; expected whole numbers: 1/3 or "
                   "2+1/3")
    if max(len(part) for part in match.groups("")) > MAX_DIGITS:
        raise score_error(
            place, f"{quoted(text)} has too long a number; expected at most {MAX_DIGITS} digits")
    whole, over, under = (int(part) for part in match.groups("0"))
    if under == 0:
        raise score_error(place, f"{quoted(text)} divides by 0; expected a number from 1 after /")
    return whole + Fraction(over, under)


def add_beats(first: Beats, second: Beats) -> Beats:
    """Return a sum of beats: exact if one of them is a fraction."""
    if type(first) is float and type(second) is float:          # nearly always
        return first + second
    total = Fraction(first) + Fraction(second)
    if total.denominator <= MAX_DENOMINATOR:
        return total
    return float(first) + float(second)


DEFAULT_BPM = 60.0


@dataclass(frozen=True, slots=True, eq=False)
class TempoChange:
    """One tempo statement.

    Parameters: beat, of its start (>= 0); bpm, at the start (beats per minute, above 0); bpm_end
    and beat_end, of a ramp (None: a step). """

    beat: float
    bpm: float
    bpm_end: float | None = None
    beat_end: float | None = None
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class TempoSegment:
    """A segment of the tempo: at beat x, from `beat` (at `seconds`) on, bpm + slope (x - beat)."""

    beat: float
    seconds: float
    bpm: float
    slope: float

    def duration(self, beats: float) -> float:
        """Return the duration (s) of a number of beats from its start."""
        if self.slope == 0.0:
            return 60.0 * beats / self.bpm
        return 60.0 / self.slope * elementary.log1p(self.slope * beats / self.bpm)

    def beats(self, seconds: float) -> float:
        """Return the number of beats in a duration (s) from its start."""
        if self.slope == 0.0:
            return seconds * self.bpm / 60.0
        return self.bpm / self.slope * elementary.expm1(self.slope * seconds / 60.0)


class TempoMap:
    """The conversion of beats to seconds and back, from beat 0."""

    def __init__(self, changes: tuple[TempoChange, ...] = ()) -> None:
        """Parameters: changes, in any order, without overlaps (see `tempo_problems`)."""
        self.changes = changes
        segments = [TempoSegment(0.0, 0.0, DEFAULT_BPM, 0.0)]
        for change in sorted(changes, key=lambda change: change.beat):
            _add_segment(segments, change.beat, change.bpm, 0.0)
            if change.bpm_end is not None and change.beat_end is not None:
                slope = (change.bpm_end - change.bpm) / (change.beat_end - change.beat)
                _add_segment(segments, change.beat, change.bpm, slope)
                _add_segment(segments, change.beat_end, change.bpm_end, 0.0)
        self._segments = tuple(segments)
        self._beats = [segment.beat for segment in segments]
        self._seconds = [segment.seconds for segment in segments]

    def seconds(self, beat: float) -> float:
        """Return the time (s) of a beat >= 0."""
        segment = self._segments[bisect.bisect_right(self._beats, beat) - 1]
        return segment.seconds + segment.duration(beat - segment.beat)

    def beats(self, seconds: float) -> float:
        """Return the beat at a time (s) >= 0."""
        segment = self._segments[bisect.bisect_right(self._seconds, seconds) - 1]
        return segment.beat + segment.beats(seconds - segment.seconds)


def _add_segment(segments: list[TempoSegment], beat: float, bpm: float, slope: float) -> None:
    last = segments[-1]
    if last.beat == beat:
        segments[-1] = TempoSegment(beat, last.seconds, bpm, slope)
    else:
        segments.append(
            TempoSegment(beat, last.seconds + last.duration(beat - last.beat), bpm, slope))


def tempo_problems(changes: list[TempoChange]) -> list[Problem]:
    """Return the conflicts of the tempo statements of one section: two at one beat, or one inside
    the ramp of another."""
    problems = []
    # a stable sort: of two at one beat, the later line is reported
    ordered = sorted(changes, key=lambda change: change.beat)
    ramp: TempoChange | None = None
    for index, change in enumerate(ordered):
        before = ordered[index - 1] if index else None
        at = number_text(change.beat)
        if before is not None and before.beat == change.beat:
            first = f"the first is on line {before.place.line}"
            problems.append(
                Problem(change.place, f"a second tempo at beat {at} ({first}); expected one"))
        elif ramp is not None and ramp.beat_end is not None and change.beat < ramp.beat_end:
            end = number_text(ramp.beat_end)
            problems.append(
                Problem(
                    change.place,
                    f"a tempo at beat {at}, inside the ramp of line {ramp.place.line}; "
                    f"expected beat {end} or later"))
        if change.beat_end is not None and (ramp is None or ramp.beat_end is None
                                            or change.beat_end > ramp.beat_end):
            ramp = change
    return problems
