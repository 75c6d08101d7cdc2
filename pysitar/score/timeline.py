"""Expand the sections and repeats of a score into events in order of time."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from pysitar.errors import Place, Problem, ScoreError, quoted, sort_problems
from pysitar.kernels.core import elementary
from pysitar.score import values
from pysitar.score.document import Score, find_unplayed, sort_sections, to_beats
from pysitar.score.elements import Clock, Play, Row, Section, Time
from pysitar.score.feel import Accents, Humanise, Swing
from pysitar.score.literals import (
    TIME_UNITS,
    Argument,
    Curve,
    CurvePoint,
    Pitch,
    Quantity,
    quoted_literal,
    si_value,
)
from pysitar.score.memory import BOUND_EVENT_BYTES, EVENT_BYTES, MemoryWatch, check_memory
from pysitar.score.tempo import Beats, TempoMap, add_beats
from pysitar.score.tokens import NEW_TUPLE
from pysitar.score.vocabulary import (
    CURVE_VERBS,
    ORNAMENTS,
    REST,
    SOUNDING_VERBS,
    STRENGTH_VERBS,
    TRANSPOSED_VERBS,
)

MAX_EVENTS = 1_000_000
MAX_SECONDS = 4 * 3600.0
LATEST = 1e290                  # s; the sample numbers of later times may not be finite
Position: TypeAlias = tuple[float, Beats]                    # (s, beat)
Positions: TypeAlias = list[Position]
LOWEST_GAIN, HIGHEST_GAIN = -60.0, 20.0          # dB, of a row
GRACE_TIME = 0.06               # s that a grace note without a dur takes from before its note
TIME_OVERFLOW = ("this time exceeds the range of floating-point numbers; expected at most 4 hours "
                 "(14400 s)")
# the endings of two messages, which the binder may replace
TRANSPOSE_ADVICE = "to transpose; expected a pitch after the verb"
SOUND_ADVICE = "a pluck or a strike would sound"
BEAT_TOLERANCE = 1e-9          # beats; the round-off of a section's length


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """The time of a section: `tempo` has its beat 0 at `origin` (s); the section has its beat 0 at
    `beat` of that tempo, which is at `start` (s).

    Parameters: swing, whose first pair begins at `swing_beat` of the tempo; accents, whose pattern
    begins at `accent_beat`; humanise.
    """

    tempo: TempoMap
    origin: float
    beat: Beats
    start: float
    swing: Swing | None = None
    swing_beat: float = 0.0
    accents: Accents | None = None
    accent_beat: float = 0.0
    humanise: Humanise | None = None

    def seconds(self, beat: Beats) -> float:
        """Return the time (s) of a beat of the section."""
        if beat == 0.0:
            return self.start                  # exact where the start was in seconds
        return self.origin + self.tempo.seconds(self.even(beat))

    def even(self, beat: Beats) -> float:
        """Return the beat of the tempo at which a beat of the section lies."""
        total = add_beats(self.beat, beat)
        if self.swing is None:
            return total if type(total) is float else float(total)
        total = float(total)
        return self.swing_beat + self.swing.warp(total - self.swing_beat)

    def beats(self, seconds: float) -> float:
        """Return the beat of the section at a time (s)."""
        beat = self.tempo.beats(max(0.0, seconds - self.origin))
        if self.swing is not None:
            beat = self.swing_beat + self.swing.unwarp(max(0.0, beat - self.swing_beat))
        return beat - float(self.beat)

    def at(self, time: Time) -> float:
        """Return the time (s) of a time in beats or seconds from the start of the section."""
        return self.start + float(time.amount) if time.clock is Clock.SECONDS else self.seconds(
            time.amount)

    def accent(self, beat: Beats) -> float:
        """Return the factor of the pattern of accents at a beat of the section."""
        if self.accents is None:
            return 1.0
        return self.accents.factor(float(add_beats(self.beat, beat)) - self.accent_beat)

    def repeat_start(self, start: float, beat: Beats, every: Time,
                     repeat: int) -> tuple[float, Beats]:
        """Return the start of a repeat: (s, beat); a product, not a sum, so that it does not
        drift."""
        if every.clock is Clock.SECONDS:
            seconds = start + repeat * float(every.amount)
            return seconds, self.beats(seconds)
        later = add_beats(beat, repeat * every.amount)
        return self.seconds(later), later

    def inner(self, section: Section, start: float, beat: Beats) -> Placement:
        """Return the placement of a section that begins at a time (s), at a beat of this one."""
        feel = section.feel
        swing, swing_beat = self.swing, self.swing_beat
        accents, accent_beat = self.accents, self.accent_beat
        if section.tempo is not None:
            tempo, origin = section.tempo, start
            base: Beats = 0.0
            swing_beat = accent_beat = 0.0
        else:
            tempo, origin = self.tempo, self.origin
            base = add_beats(self.beat, beat)
            if feel.swing is not None and swing is not None:
                base = self.even(beat)
        if feel.swing is not None:
            swing, swing_beat = feel.swing, float(base)
        if feel.accents is not None or (feel.swing is not None and accents is not None):
            accents, accent_beat = feel.accents or accents, float(base)
        return Placement(tempo, origin, base, start, swing, swing_beat, accents, accent_beat,
                         feel.humanise or self.humanise)


def outer_placement(section: Section, tempo: TempoMap | None) -> Placement:
    """Return the placement of a section from time 0, at a tempo (None: 60)."""
    feel = section.feel
    return Placement(tempo or TempoMap(), 0.0, 0.0, 0.0, feel.swing, 0.0, feel.accents, 0.0,
                     feel.humanise)


class Event(NamedTuple):          # one for every row that is played, as `Place`
    """One event of a score, with its time; its values are as written.

    Parameters: time (s, >= 0); duration (s, >= 0); target, its parts (`*` for every string); verb;
    pitch (None: that of the string), or curve, of pitches (bend); pitches, all of them (strum may
    have several); arguments, keyed by the name as written, with the times of curves in seconds;
    force_factor, of all its forces; transpose (cents), of all its pitches; place, of the start of
    its row; end_place, after its last word; scaling_play, the innermost play with a force factor;
    strength, a factor of the force, speed or height that sets how loud it is, by accents and
    humanise; detune (cents), of its pitch, by humanise.
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
    scaling_play: Play | None = None
    strength: float = 1.0
    detune: float = 0.0

    @property
    def end(self) -> float:
        """Its end (s); the sound may last longer."""
        return self.time + self.duration


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """The events in order of time (ties: in the order of the file), the problems by file and line,
    and the rests, whose targets are checked like those of events."""

    events: tuple[Event, ...]
    problems: tuple[Problem, ...]
    rests: tuple[Event, ...] = ()


def events(score: Score, *, allow_large: bool = False,
           seed: int | None = None) -> tuple[Event, ...]:
    """Return all events of a score in order of time.

    Parameters: allow_large, whether to lift the limits of 1e6 events and 4 hours; seed, of humanise
    (None: the score's own).
    Errors: ScoreError with every problem.
    """
    played = timeline(score, allow_large=allow_large, seed=seed)
    if played.problems:
        raise ScoreError(played.problems)
    return played.events


def score_end(played: tuple[Event, ...]) -> float:
    """Return the end of a score before its tail (s): the latest start + duration."""
    return max((event.end for event in played), default=0.0)


def timeline(score: Score, *, allow_large: bool = False, seed: int | None = None) -> Timeline:
    """Return the events and the problems of a score, as `events`, without raising them."""
    sections = {**score.sections, "": score.main}
    order, problems = sort_sections(sections)
    if problems:
        return Timeline((), tuple(problems))
    counts = _count_events(sections, order)
    if counts[""] > MAX_EVENTS and not allow_large:
        return Timeline((), (_event_count_problem(score, counts),))
    check_memory(counts[""], EVENT_BYTES + BOUND_EVENT_BYTES, "events")
    player = _Player(sections, counts, score.tala, score.seed if seed is None else seed)
    player.play_section(score.main, outer_placement(score.main, score.main.tempo), _PlayContext())
    problems = list(dict.fromkeys(player.problems))
    # a stable sort: repeats of a row stay in the order of play
    ordered = sorted(player.ordered_events, key=lambda item: (item[0].time, item[1]))
    played = tuple(event for event, _ in ordered)
    if not problems and score.complete:
        problems = _silence_problems(score, played)
    if not problems and played and not allow_large:
        problems = _length_problems(score, played)
    return Timeline(played, sort_problems(problems, [score.file]), tuple(player.rests))


def expand_section(score: Score, section: Section) -> Timeline:
    """Return the events of one section from time 0, to check a section that is never played."""
    player = _Player({}, {}, score.tala, score.seed)
    player.play_section(section, outer_placement(section, section.tempo or score.main.tempo),
                        _PlayContext())
    return Timeline(
        tuple(sorted((event for event, _ in player.ordered_events), key=lambda event: event.time)),
        tuple(player.problems), tuple(player.rests))


def _count_events(sections: dict[str, Section], order: list[str]) -> dict[str, int]:
    """Return the number of events of each section, before they are created."""
    counts: dict[str, int] = {}
    for key in order:
        section = sections[key]
        rows = len(section.rows) - section.rest_count
        counts[key] = rows + sum(play.times * counts.get(play.section, 0)
                                 for play in section.plays)
    return counts


def _event_count_problem(score: Score, counts: dict[str, int]) -> Problem:
    largest = max(score.main.plays, key=lambda play: play.times * counts.get(play.section, 0),
                  default=None)
    place = largest.section_place if largest is not None else score.main.rows[MAX_EVENTS].place
    count = counts[""] if counts[""] < 10**12 else float(
        counts[""]) if counts[""] < 10**300 else math.inf
    return Problem(place, f"the score has {count:.15g} events; expected at most {MAX_EVENTS}")


def _silence_problems(score: Score, played: tuple[Event, ...]) -> list[Problem]:
    if any(event.verb in SOUNDING_VERBS for event in played):
        return []
    waiting = next(
        (key for key, section in score.sections.items() if section.rows and key.isidentifier()),
        None)
    right = f"expected play {waiting}" if waiting and not played else SOUND_ADVICE
    return [Problem(Place(score.file), f"nothing sounds in this score; {right}")]


def _length_problems(score: Score, played: tuple[Event, ...]) -> list[Problem]:
    last = max(played, key=lambda event: event.end)
    tail = score.render.get("tail")
    length = last.end
    if tail is not None and isinstance(tail.value,
                                       Quantity) and tail.value.unit in {None, *TIME_UNITS}:
        length += si_value(tail.value, "s")
        if last.end <= MAX_SECONDS < length:
            return [
                Problem(
                    tail.value_place,
                    f"with this tail the score lasts {length:.15g} s; expected at most 4 hours "
                    f"(14400 s)"
                )
            ]
    if length > MAX_SECONDS:
        return [
            Problem(last.place,
                    f"this event ends at {last.end:.15g} s; expected at most 4 hours (14400 s)")
        ]
    return []


@dataclass(frozen=True, slots=True, eq=False)
class _PlayContext:
    """The combined effect of the plays around a section on its events.

    Parameters: factor, of forces; transpose (cents); transposing_play, reported when a row has no
    pitch to transpose; scaling_play, the innermost play with a force factor.
    """

    factor: float = 1.0
    transpose: float = 0.0
    transposing_play: Play | None = None
    scaling_play: Play | None = None


class _Player:
    """The expansion of sections into a list of events."""

    def __init__(self, sections: dict[str, Section], counts: dict[str, int],
                 tala: int | None, seed: int) -> None:
        self.sections, self.counts, self.tala, self.seed = sections, counts, tala, seed
        self.ordered_events: list[tuple[Event, tuple[int, ...]]] = []
        self.rests: list[Event] = []
        self.problems: list[Problem] = []
        self._memory_watch = MemoryWatch("events")

    def play_section(self, section: Section, placement: Placement, context: _PlayContext) -> float:
        """Add the events of a section; return the latest start + duration among them (s)."""
        latest = placement.start
        starts: Positions = []                                   # of each row
        ends: Positions = []
        grace_rows: list[int] = []
        for index, row in enumerate(section.rows):
            if row.time.clock is Clock.GRACE:          # its time follows from that of a later row
                grace_rows.append(index)
                starts.append((placement.start, 0.0))
                ends.append((placement.start, 0.0))
                continue
            self._add_row(index, row, placement, context, starts, ends)
            latest = max(latest, ends[index][0])
        for index in reversed(grace_rows):
            self._add_grace(index, section.rows[index], placement, context, starts, ends)
        for play in section.plays:
            if self.counts.get(play.section, 0):
                try:
                    latest = max(latest, self._play(play, placement, context))
                except OverflowError:
                    self.problems.append(Problem(play.place, TIME_OVERFLOW))
        return latest

    def _add_row(self, index: int, row: Row, placement: Placement, context: _PlayContext,
                 starts: Positions, ends: Positions) -> None:
        """Add the event of a row, its start and its end."""
        try:
            start, beat = _row_start(row, placement, starts, ends)
            length, end_beat = _row_length(row, placement, start, beat)
            if start + length <= LATEST and math.isfinite(end_beat):
                starts.append((start, beat))
                ends.append((start + length, end_beat))
                self._add_event(row, placement, context, start, beat, length)
                return
        except OverflowError:
            pass
        self.problems.append(Problem(row.place, TIME_OVERFLOW))
        # later rows may be relative to this one
        starts[index:], ends[index:] = [(placement.start, 0.0)], [(placement.start, 0.0)]

    def _add_grace(self, index: int, row: Row, placement: Placement, context: _PlayContext,
                   starts: Positions, ends: Positions) -> None:
        """Add the event of a grace note, which ends where its note, or the next grace note,
        begins."""
        if row.after < 0:          # without a note, which is reported
            return
        end, end_beat = starts[row.after]
        duration = row.duration
        if duration is None:
            start = end - GRACE_TIME
        elif duration.clock is Clock.SECONDS:
            start = end - float(duration.amount)
        else:
            start = _seconds_before(placement, float(end_beat) - float(duration.amount))
        if start < 0.0:
            self.problems.append(
                Problem(row.place, f"this grace note begins {-start:g} s before the start; "
                                   "expected its note later, or a shorter dur"))
            start = 0.0
        beat = placement.beats(start)
        starts[index], ends[index] = (start, beat), (end, end_beat)
        self._add_event(row, placement, context, start, beat, end - start)

    def _add_event(self, row: Row, placement: Placement, context: _PlayContext, start: float,
                   beat: Beats, length: float) -> None:
        """Add the event of a row at a time (s) and beat, of a length (s)."""
        if row.broken:
            return
        event = self._row_event(row, placement, context, start, beat, length)
        if row.verb == REST:
            self.rests.append(event)
        else:
            self.ordered_events.append((event, row.order))

    def _row_event(self, row: Row, placement: Placement, context: _PlayContext, start: float,
                   beat: Beats, length: float) -> Event:
        """Return the event of a row at a time (s) and beat, of a length (s)."""
        self._check_transposed(row, context)
        self._memory_watch.add()
        arguments, curve = row.arguments, row.curve
        if [True for argument in arguments.values() if isinstance(argument.value, Curve)]:
            arguments = {
                name: self._in_seconds(argument, placement, start, beat)
                for name, argument in arguments.items()
            }
        if curve is not None:
            curve = self._curve_in_seconds(curve, placement, start, beat)
        pitch = row.pitches[0] if row.pitches else None
        pitch_place = pitch.place if pitch else curve.place if curve else row.end_place
        strength = 1.0 if placement.accents is None else placement.accent(beat)
        if "gain" in arguments:
            strength *= self._gain(arguments["gain"], row.verb)
            arguments = {name: one for name, one in arguments.items() if name != "gain"}
        detune = 0.0
        if placement.humanise is not None:
            start, length, strength, detune = self._vary(placement.humanise, row, start, length,
                                                         strength)
        return NEW_TUPLE(Event,
                         (start, length, row.target, row.verb, pitch, arguments, context.factor,
                          context.transpose, row.time.place, row.target_place, row.verb_place,
                          pitch_place, row.end_place, row.pitches, curve, context.scaling_play,
                          strength, detune))

    def _gain(self, argument: Argument, verb: str) -> float:
        """Return the factor of the gain of a row; report a wrong one."""
        value, place = argument.value, argument.value_place
        try:
            if verb not in STRENGTH_VERBS:
                raise ValueError(f"{verb} has no gain; expected gain with one of "
                                 f"{', '.join(sorted(STRENGTH_VERBS))}")
            if not isinstance(value, Quantity):
                raise ValueError(f"gain is {quoted_literal(value)}; expected a number in dB")
            level = si_value(value, "dB")
            if not LOWEST_GAIN <= level <= HIGHEST_GAIN:
                raise ValueError(f"gain is {quoted_literal(value)}; expected "
                                 f"{LOWEST_GAIN:g} to {HIGHEST_GAIN:g} dB")
        except ValueError as error:
            self.problems.append(Problem(place, str(error)))
            return 1.0
        return elementary.pow(10.0, level / 20.0)

    def _vary(self, humanise: Humanise, row: Row, start: float, length: float,
              strength: float) -> tuple[float, float, float, float]:
        """Return the start (s), length (s), strength and detune (cents) of a row as varied by a
        humanise; rows of one target at one time vary alike."""
        target, detune, varied = ".".join(row.target), 0.0, start
        if humanise.time:
            shift = humanise.time * humanise.variation("time", target, start, self.seed)
            varied = max(0.0, start + shift)
        if humanise.force:
            strength *= 1.0 + humanise.force * humanise.variation("force", target, start, self.seed)
        if humanise.pitch:
            detune = humanise.pitch * humanise.variation("pitch", target, start, self.seed)
        return varied, length, strength, detune

    def _check_transposed(self, row: Row, context: _PlayContext) -> None:
        """Report a row without a pitch in a play that transposes."""
        if context.transposing_play is None or context.transpose == 0.0:
            return
        if row.verb not in TRANSPOSED_VERBS or row.pitches or row.curve:
            return
        if row.verb in CURVE_VERBS and ORNAMENTS & row.arguments.keys():
            return
        if "chord" in row.arguments:
            return
        play = context.transposing_play
        where = f"line {play.place.line}" if play.place.file == row.place.file else str(play.place)
        self.problems.append(
            Problem(
                row.place, f"this {row.verb} has no pitch for play "
                f"{quoted(play.section)} ({where}) {TRANSPOSE_ADVICE}"))

    def _in_seconds(self, argument: Argument, placement: Placement, start: float,
                    beat: Beats) -> Argument:
        if not isinstance(argument.value, Curve):
            return argument
        curve = self._curve_in_seconds(argument.value, placement, start, beat)
        return Argument(argument.name, argument.name_place, curve, argument.value_place)

    def _curve_in_seconds(self, curve: Curve, placement: Placement, start: float,
                          beat: Beats) -> Curve:
        """Return a curve with its times in seconds."""
        self._memory_watch.add(len(curve.points))
        points = []
        for point in curve.points:
            time = point.time if point.in_seconds or point.time == 0.0 else placement.seconds(
                add_beats(beat, point.time)) - start
            if not start + time <= LATEST:
                self.problems.append(Problem(point.place, TIME_OVERFLOW))
                time = LATEST
            points.append(
                CurvePoint(time, True, point.value, point.shape, point.exponent, point.place))
        try:
            values.check_order(points)
        except ScoreError as error:
            self.problems.extend(error.problems)
        return Curve(tuple(points), curve.place, curve.text)

    def _play(self, play: Play, placement: Placement, context: _PlayContext) -> float:
        """Add the events of all repeats of a play; return the latest end among them (s)."""
        section = self.sections[play.section]
        at = to_beats(play.at, self.tala)
        start = placement.at(at)
        beat = placement.beats(start) if at.clock is Clock.SECONDS else at.amount
        every = play.every
        latest = placement.start
        repeat_start, repeat_beat = start, beat
        for repeat in range(play.times):
            if repeat and every is not None:
                repeat_start, repeat_beat = placement.repeat_start(start, beat, every, repeat)
            repeat_placement = placement.inner(section, repeat_start, repeat_beat)
            repeat_context = self._repeat_context(play, context, repeat + 1)
            if repeat_context is None or not math.isfinite(repeat_start):
                break
            end = self.play_section(section, repeat_placement, repeat_context)
            latest = max(latest, end)
            if every is None and play.times > 1:
                every = self._section_length(play, section, repeat_placement, end)
                if every is None:
                    break
        return latest

    def _repeat_context(self, play: Play, context: _PlayContext,
                        repeat: int) -> _PlayContext | None:
        """Return the context of one repeat; None when its force factor overflows or underflows."""
        try:
            factor = elementary.pow(play.factor, repeat) if play.compound else play.factor
        except OverflowError:
            factor = math.inf
        factor *= context.factor
        if factor == 0.0 or not math.isfinite(factor):
            size = "0" if factor == 0.0 else "infinite"
            self.problems.append(
                Problem(
                    play.factor_place,
                    f"the force factor of repeat {repeat} is {size} after rounding; "
                    "expected a factor nearer to 1"))
            return None
        return _PlayContext(factor, context.transpose + play.transpose,
                            play if play.transpose else context.transposing_play,
                            play if play.factor != 1.0 else context.scaling_play)

    def _section_length(self, play: Play, section: Section, repeat_placement: Placement,
                        end: float) -> Time | None:
        """Return the length of a section in whole beats, or the same in seconds if it has its own
        tempo."""
        beats = float(math.ceil(repeat_placement.beats(end) - BEAT_TOLERANCE))
        if beats <= 0.0:
            name = quoted(play.section)
            self.problems.append(
                Problem(play.section_place,
                        f"section {name} has no length to repeat after; expected every="))
            return None
        if section.tempo is not None:
            even = beats if repeat_placement.swing is None else repeat_placement.even(beats)
            return Time(Clock.SECONDS, section.tempo.seconds(even))
        return Time(Clock.BEATS, beats)


def _row_length(row: Row, placement: Placement, start: float,
                beat: Beats) -> tuple[float, Beats]:
    """Return the length of a row that begins at a time (s) and beat, and the beat of its end."""
    if row.duration is not None and row.duration.clock is Clock.SECONDS:
        length = float(row.duration.amount)
        return length, placement.beats(start + length)
    end_beat = add_beats(beat, 1.0 if row.duration is None else row.duration.amount)
    return max(0.0, placement.seconds(end_beat) - start), end_beat


def _seconds_before(placement: Placement, beat: float) -> float:
    """Return the time of a beat (s); before the start of its section, at the tempo there."""
    if beat >= 0.0:
        return placement.seconds(beat)
    start = placement.seconds(0.0)
    return 2.0 * start - placement.seconds(-beat)


def _row_start(row: Row, placement: Placement, starts: Positions,
               ends: Positions) -> Position:
    """Return the start of a row: (s, beat)."""
    clock, amount = row.time.clock, row.time.amount
    if clock is Clock.SECONDS:
        seconds = placement.start + amount
        return seconds, placement.beats(seconds)
    if clock is Clock.BEATS or clock is Clock.BAR or row.after < 0:
        return placement.seconds(amount), amount
    if clock is Clock.AFTER_END:
        return ends[row.after]
    before, beat = starts[row.after]
    if clock is Clock.AFTER_BEATS:
        later = add_beats(beat, amount)
        return placement.seconds(later), later
    return before + amount, placement.beats(before + amount)


def find_silent_sections(score: Score, played: Timeline) -> list[Section]:
    """Return the sections without events: those that no play reaches; all, where the timeline of
    the score failed."""
    if played.problems and not played.events:
        return [section for section in (score.main, *score.sections.values())
                if len(section.rows) <= MAX_EVENTS]
    return find_unplayed(score) if score.sections else []
