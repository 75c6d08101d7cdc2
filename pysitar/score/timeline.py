"""A score played: sections and repeats expanded into events in order of time."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from pysitar.errors import Place, Problem, ScoreError, in_order, quoted
from pysitar.kernels.core import elementary
from pysitar.score import values
from pysitar.score.document import Score
from pysitar.score.elements import Clock, Play, Row, Section, Time
from pysitar.score.literals import Argument, Curve, CurvePoint, Pitch, Quantity, si_value
from pysitar.score.memory import BOUND, EVENT, Watch, check_memory
from pysitar.score.tempo import TempoMap
from pysitar.score.tokens import MADE
from pysitar.score.vocabulary import ORNAMENTS, PITCH_VERBS, SOUNDING_VERBS
from pysitar.score.whole_score_checks import in_beats, in_playing_order

MOST_EVENTS = 1_000_000
LONGEST = 4 * 3600.0
Moments: TypeAlias = list[tuple[float, float]]             # (s, beat)
UNMOVED = "to transpose; expected a pitch after the verb"          # how the message of a row without a pitch ends
SOUNDING = "a pluck or a strike would sound"          # how the message of a score in which nothing sounds ends
WHOLE_BEAT = 1e-9          # a length this little over a whole beat is that beat: the sum of its parts was rounded


class Event(NamedTuple):          # made for every row that is played, as `Place`
    """One event of a score, its time known and its values still as written.

    Parameters: time (s, >= 0); duration (s, >= 0); target, its parts (`*` for every string); verb; pitch (None: the string's own), or
    curve of pitches (bend); pitches, all of them (strum may have several); arguments, keyed by the name as written, curves in them with
    their times in seconds; force_factor, for every force in it; transpose (cents), for every pitch in it; place, of the row's start;
    end_place, after its last word; scaling, the innermost play whose factor is in force_factor.
    """

    time: float
    duration: float
    target: tuple[str, ...]
    verb: str
    pitch: Pitch | None
    arguments: dict[str, Argument]
    force_factor: float
    transpose: float
    place: Place
    target_place: Place
    verb_place: Place
    pitch_place: Place
    end_place: Place
    pitches: tuple[Pitch, ...] = ()
    curve: Curve | None = None
    scaling: Play | None = None

    @property
    def end(self) -> float:
        """Where it ends (s); the sound may ring longer."""
        return self.time + self.duration


@dataclass(frozen=True, slots=True)
class Timeline:
    """The events in order of time (ties: in the order of the file), and everything wrong, in the order of file and line."""

    events: tuple[Event, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a section lies: beat 0 of `tempo` at `origin` (s); the section's own beat 0 at `beat` of that tempo, at `start` (s)."""

    tempo: TempoMap
    origin: float
    beat: float
    start: float

    def seconds(self, beat: float) -> float:
        """The time (s) of a beat of the section."""
        if beat == 0.0:
            return self.start                  # not by way of beats, where it was given in seconds
        return self.origin + self.tempo.seconds(self.beat + beat)

    def beats(self, seconds: float) -> float:
        """The beat of the section at a time (s)."""
        return self.tempo.beats(max(0.0, seconds - self.origin)) - self.beat

    def at(self, time: Time) -> float:
        """The time (s) of a time in beats or seconds from the section's start."""
        return self.start + time.amount if time.clock is Clock.SECONDS else self.seconds(time.amount)


def events(score: Score, *, allow_large: bool = False) -> tuple[Event, ...]:
    """Every event of a score, in order of time.

    Parameters: allow_large lifts the limits of 1e6 events and 4 hours.
    Errors: ScoreError with every problem.
    """
    made = timeline(score, allow_large=allow_large)
    if made.problems:
        raise ScoreError(made.problems)
    return made.events


def end_of(played: tuple[Event, ...]) -> float:
    """The end of a score before its tail (s): the latest start + duration."""
    return max((event.end for event in played), default=0.0)


def timeline(score: Score, *, allow_large: bool = False) -> Timeline:
    """As `events`, but the problems are returned beside the events, not raised."""
    sections = {**score.sections, "": score.main}
    order, problems = in_playing_order(sections)
    if problems:
        return Timeline((), tuple(problems))
    counts = _counts(sections, order)
    if counts[""] > MOST_EVENTS and not allow_large:
        return Timeline((), (_too_many(score, counts),))
    check_memory(counts[""], EVENT + BOUND, "events")
    player = _Player(sections, counts, score.tala)
    player.play_section(score.main, Frame(score.main.tempo or TempoMap(), 0.0, 0.0, 0.0), _Chain())
    problems = list(dict.fromkeys(player.problems))
    ordered = sorted(player.made, key=lambda item: (item[0].time, item[1]))          # stable: repeats of a row in the order of play
    played = tuple(event for event, _ in ordered)
    if not problems and score.complete:                # of half a score, neither can be said
        problems = _silence(score, played)
    if not problems and played and not allow_large:
        problems = _too_long(score, played)
    return Timeline(played, in_order(problems, [score.file]))


def rehearsed(score: Score, section: Section) -> Timeline:
    """As `timeline`, of the rows of one section alone, from 0: to check one that is never played."""
    player = _Player({}, {}, score.tala)
    player.play_section(section, Frame(section.tempo or score.main.tempo or TempoMap(), 0.0, 0.0, 0.0), _Chain())
    return Timeline(tuple(sorted((event for event, _ in player.made), key=lambda event: event.time)), tuple(player.problems))


def _counts(sections: dict[str, Section], order: list[str]) -> dict[str, int]:
    """The events each section makes, known before any is made."""
    counts: dict[str, int] = {}
    for key in order:
        section = sections[key]
        counts[key] = len(section.rows) + sum(play.times * counts.get(play.section, 0) for play in section.plays)
    return counts


def _too_many(score: Score, counts: dict[str, int]) -> Problem:
    largest = max(score.main.plays, key=lambda play: play.times * counts.get(play.section, 0), default=None)
    place = largest.section_place if largest is not None else score.main.rows[MOST_EVENTS].place
    count = counts[""] if counts[""] < 10**12 else float(counts[""]) if counts[""] < 10**300 else math.inf
    return Problem(place, f"the score has {count:.15g} events; expected at most {MOST_EVENTS}")


def _silence(score: Score, played: tuple[Event, ...]) -> list[Problem]:
    if any(event.verb in SOUNDING_VERBS for event in played):
        return []
    waiting = next((key for key, section in score.sections.items() if section.rows and key.isidentifier()), None)
    right = f"play {waiting} would play a section" if waiting and not played else SOUNDING
    return [Problem(Place(score.file), f"nothing sounds in this score; {right}")]


def _too_long(score: Score, played: tuple[Event, ...]) -> list[Problem]:
    last = max(played, key=lambda event: event.end)
    tail = score.render.get("tail")
    length = last.end
    if tail is not None and isinstance(tail.value, Quantity) and tail.value.unit in {None, "s", "ms"}:
        length += si_value(tail.value, "s")
        if last.end <= LONGEST < length:
            return [Problem(tail.value_place, f"with this tail the score lasts {length:.15g} s; expected at most 4 hours (14400 s)")]
    if length > LONGEST:
        return [Problem(last.place, f"this event ends at {last.end:.15g} s; a score lasts at most 4 hours (14400 s)")]
    return []


@dataclass(frozen=True, slots=True)
class _Chain:
    """What the plays around a section do to its events; transposing, the play that is told when a row has no pitch to move; scaling, the
    innermost one with a factor."""

    factor: float = 1.0
    transpose: float = 0.0
    transposing: Play | None = None
    scaling: Play | None = None


class _Player:
    """Plays sections into a list of events."""

    def __init__(self, sections: dict[str, Section], counts: dict[str, int], tala: int | None) -> None:
        self.sections, self.counts, self.tala = sections, counts, tala
        self.made: list[tuple[Event, tuple[int, ...]]] = []
        self.problems: list[Problem] = []
        self._watch = Watch("events")

    def play_section(self, section: Section, frame: Frame, chain: _Chain) -> float:
        """Make a section's events; the latest start + duration among them (s)."""
        latest = frame.start
        starts: Moments = []                                   # of each row
        ends: Moments = []
        for index, row in enumerate(section.rows):
            try:
                event = self._row(row, frame, chain, starts, ends)
            except OverflowError:
                event = None
            if event is None:
                self.problems.append(Problem(row.place, "this time is beyond what a number can hold; a piece lasts 4 hours at most"))
                starts[index:], ends[index:] = [(frame.start, 0.0)], [(frame.start, 0.0)]          # for rows that count from it
                continue
            if not row.broken:
                self.made.append((event, row.order))
            latest = max(latest, event.end)
        for play in section.plays:
            if self.counts.get(play.section, 0):
                try:
                    latest = max(latest, self._play(play, frame, chain))
                except OverflowError:
                    self.problems.append(Problem(play.place, "this play lies beyond what a number can hold; a piece lasts 4 hours at most"))
        return latest

    def _row(self, row: Row, frame: Frame, chain: _Chain, starts: Moments, ends: Moments) -> Event | None:
        """One event; None when its time is no finite number."""
        start, beat = _start(row, frame, starts, ends)
        if row.duration is not None and row.duration.clock is Clock.SECONDS:
            length = row.duration.amount
            end_beat = frame.beats(start + length)
        else:
            end_beat = beat + (1.0 if row.duration is None else row.duration.amount)
            length = max(0.0, frame.seconds(end_beat) - start)
        if not (math.isfinite(start) and math.isfinite(length) and math.isfinite(end_beat)):
            return None
        starts.append((start, beat))
        ends.append((start + length, end_beat))
        self._check_transposed(row, chain)
        self._watch.add()
        arguments, curve = row.arguments, row.curve
        if [True for argument in arguments.values() if isinstance(argument.value, Curve)]:
            arguments = {name: self._in_seconds(argument, frame, start, beat) for name, argument in arguments.items()}
        if curve is not None:
            curve = self._curve_in_seconds(curve, frame, start, beat)
        pitch = row.pitches[0] if row.pitches else None
        pitch_place = pitch.place if pitch else curve.place if curve else row.end_place
        return MADE(Event, (start, length, row.target, row.verb, pitch, arguments, chain.factor, chain.transpose, row.time.place,
                            row.target_place, row.verb_place, pitch_place, row.end_place, row.pitches, curve, chain.scaling))

    def _check_transposed(self, row: Row, chain: _Chain) -> None:
        """Tell a row that has no pitch to move, under a play that moves pitches."""
        if chain.transposing is None or chain.transpose == 0.0 or row.verb not in PITCH_VERBS or row.pitches or row.curve:
            return
        if row.verb == "bend" and ORNAMENTS & row.arguments.keys():
            return
        play = chain.transposing
        where = f"line {play.place.line}" if play.place.file == row.place.file else str(play.place)
        self.problems.append(Problem(row.place, f"this {row.verb} has no pitch for play {quoted(play.section)} ({where}) {UNMOVED}"))

    def _in_seconds(self, argument: Argument, frame: Frame, start: float, beat: float) -> Argument:
        if not isinstance(argument.value, Curve):
            return argument
        curve = self._curve_in_seconds(argument.value, frame, start, beat)
        return Argument(argument.name, argument.name_place, curve, argument.value_place)

    def _curve_in_seconds(self, curve: Curve, frame: Frame, start: float, beat: float) -> Curve:
        """A curve whose beats have followed the tempo."""
        self._watch.add(len(curve.points))
        points = []
        for point in curve.points:
            time = point.time if point.in_seconds or point.time == 0.0 else frame.seconds(beat + point.time) - start
            points.append(CurvePoint(time, True, point.value, point.shape, point.exponent, point.place))
        try:
            values.check_order(points)
        except ScoreError as error:
            self.problems.extend(error.problems)
        return Curve(tuple(points), curve.place)

    def _play(self, play: Play, frame: Frame, chain: _Chain) -> float:
        """Play a section as often as asked; the latest end of its events (s)."""
        section = self.sections[play.section]
        at = in_beats(play.at, self.tala)
        start = frame.at(at)
        beat = frame.beats(start) if at.clock is Clock.SECONDS else at.amount
        every = play.every
        latest = frame.start
        here, here_beat = start, beat
        for repeat in range(play.times):
            if repeat and every is not None:
                here, here_beat = _later(frame, start, beat, every, repeat)
            inner = self._inner(section, frame, here, here_beat)
            around = self._around(play, chain, repeat + 1)
            if around is None or not math.isfinite(here):
                break
            end = self.play_section(section, inner, around)
            latest = max(latest, end)
            if every is None and play.times > 1:
                every = self._length(play, section, inner, end)
                if every is None:
                    break
        return latest

    def _inner(self, section: Section, frame: Frame, start: float, beat: float) -> Frame:
        if section.tempo is not None:
            return Frame(section.tempo, start, 0.0, start)
        return Frame(frame.tempo, frame.origin, frame.beat + beat, start)

    def _around(self, play: Play, chain: _Chain, repeat: int) -> _Chain | None:
        """What holds in one repeat; None when its force is too large or too small for a number."""
        try:
            factor = elementary.pow(play.factor, repeat) if play.compound else play.factor
        except OverflowError:
            factor = math.inf
        factor *= chain.factor
        if factor == 0.0 or not math.isfinite(factor):
            size = "no force at all" if factor == 0.0 else "more force than a number can hold"
            self.problems.append(Problem(play.factor_place, f"repeat {repeat} has {size}; expected a factor nearer to 1"))
            return None
        return _Chain(factor, chain.transpose + play.transpose, play if play.transpose else chain.transposing,
                      play if play.factor != 1.0 else chain.scaling)

    def _length(self, play: Play, section: Section, inner: Frame, end: float) -> Time | None:
        """The length of a section in whole beats of its own tempo: seconds when that is not the caller's."""
        beats = float(math.ceil(inner.beats(end) - WHOLE_BEAT))
        if beats <= 0.0:
            name = quoted(play.section)
            self.problems.append(Problem(play.section_place, f"section {name} has no length to repeat after; every= would give one"))
            return None
        if section.tempo is not None:
            return Time(Clock.SECONDS, section.tempo.seconds(beats))
        return Time(Clock.BEATS, beats)


def _start(row: Row, frame: Frame, starts: Moments, ends: Moments) -> tuple[float, float]:
    """Where a row begins: (s, beat)."""
    clock, amount = row.time.clock, row.time.amount
    if clock is Clock.SECONDS:
        seconds = frame.start + amount
        return seconds, frame.beats(seconds)
    if clock is Clock.BEATS or clock is Clock.BAR or row.after < 0:
        return frame.seconds(amount), amount
    if clock is Clock.AFTER_END:
        return ends[row.after]
    before, beat = starts[row.after]
    if clock is Clock.AFTER_BEATS:
        return frame.seconds(beat + amount), beat + amount
    return before + amount, frame.beats(before + amount)


def _later(frame: Frame, start: float, beat: float, every: Time, repeat: int) -> tuple[float, float]:
    """Where a repeat begins: (s, beat); multiplied, not added up, so that nothing drifts."""
    if every.clock is Clock.SECONDS:
        seconds = start + repeat * every.amount
        return seconds, frame.beats(seconds)
    later = beat + repeat * every.amount
    return frame.seconds(later), later
