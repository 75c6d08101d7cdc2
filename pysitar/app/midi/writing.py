"""Write the notes of a MIDI file as a score that a person can edit."""
from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pysitar.app.midi.bending import bends_between, simplify_curve
from pysitar.app.midi.clock import Clock
from pysitar.app.midi.counts import Counts
from pysitar.app.midi.courses import Course
from pysitar.app.midi.mapping import A4_KEY, PlayedNote, Target, played_notes
from pysitar.app.midi.note import Note
from pysitar.app.midi.notes import Piece, read_piece
from pysitar.app.midi.reading import MidiError, read_midi
from pysitar.gestures.base import Gesture
from pysitar.gestures.catalogue import find_gesture, note_gesture
from pysitar.score.pitch import western_hz
from pysitar.score.timeline import MAX_SECONDS

NAMES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
SOFTEST = 16.0                                  # ratio of the force at velocity 127 to that at 1
END, RETUNE, BEGIN, BENDING = range(4)          # the order of rows at one tick
Row = tuple[int, int, str, str, str]            # tick, order within it, target, verb, the rest


@dataclass(frozen=True, slots=True)
class ConvertedScore:
    """The score of a MIDI file: its text, and lines on omissions and repairs."""

    text: str
    omitted: list[str]
    repairs: list[str]


def convert_midi(data: bytes, shown: str, targets: Mapping[int, Target], *,
                 mpe: bool = False) -> ConvertedScore:
    """Convert a MIDI file to a score.

    Parameters: data, the bytes of the file; shown, its name in messages; targets, by channel from
    1; mpe, as in `read_piece`.
    Errors: MidiError.
    """
    file = read_midi(data, shown)
    piece = read_piece(file, mpe=mpe)
    clock = Clock(file, piece)
    last = max((_last(note) for note in piece.notes), default=0)
    if clock.seconds(last) > MAX_SECONDS - 60.0:
        late = next(note for note in piece.notes if _last(note) == last)
        raise MidiError(
            f"{shown}:byte {late.byte}: a note ends at {clock.seconds(last):.6g} s; expected at "
            f"most {MAX_SECONDS - 60.0:g} s")
    played = played_notes(piece, targets)
    rows = sorted(row for number, target in targets.items()
                  for row in _rows(piece, clock, target, played[number]))
    if not rows:
        raise MidiError(
            f"{shown}: no note can be played{_why(piece, file.repairs)}; expected notes on a "
            "channel that is mapped")
    omitted, repairs = _count_lines(piece.omitted, clock), _count_lines(file.repairs, clock)
    used = [target for number, target in sorted(targets.items()) if played[number]]
    lines = [f"# From {shown.rsplit('/', 1)[-1]}."]
    for heading, items in (("Repaired in the file", repairs), ("Not in this score", omitted)):
        if items:
            lines += [f"# {heading}:", *(f"#   {line}" for line in items)]
    width = max(len(target.alias) for target in used)
    lines += ["", *(f"use {target.use_text} as {target.alias}" for target in used)]
    lines += [f"mix {target.alias:{width}}  gain=0dB  pan=0" for target in used]
    lines += _tempo_lines(clock, last)
    lines += _row_lines(rows, piece, clock, bool(file.ticks_per_beat))
    return ConvertedScore("\n".join(lines) + "\n", omitted, repairs)


def _last(note: Note) -> int:
    """Return the last tick of a note."""
    return max(note.start, note.released or 0, note.end or 0)


def _why(piece: Piece, repairs: Counts) -> str:
    """Return the reasons why no note can be played, in brackets."""
    left_out = sorted({f"{kind} on channel {channel}" for kind, channel in piece.omitted.counts
                       if kind.startswith("note") and channel})
    repaired = sorted({kind for kind, _ in repairs.counts})
    reasons = [f"{what}: {', '.join(kinds)[:200]}"
               for what, kinds in (("left out", left_out), ("repaired", repaired)) if kinds]
    return f" ({'; '.join(reasons)})" if reasons else ""


def _count_lines(counts: Counts, clock: Clock) -> list[str]:
    """Return a line for each kind that was counted, ordered by time."""
    lines = []
    by_time = sorted(counts.counts.items(), key=lambda item: (item[1][1], item[0]))
    for (kind, channel), (count, tick) in by_time:
        where = f", channel {channel}" if channel else ""
        first = "at" if count == 1 else "first at"
        lines.append(f"{count} x {kind}{where}, {first} {clock.seconds(tick):.3f} s")
    return lines


def _tempo_lines(clock: Clock, last: int) -> list[str]:
    lines: list[str] = []
    before = 0
    for tick, tempo in clock.tempos:
        if tempo != before and tick <= last:
            at = f"{_number(clock.beat(tick), 12)} " if tick else ""
            lines.append(f"tempo {at}{60e6 / tempo:.12g}")
        before = tempo
    return lines


def _rows(piece: Piece, clock: Clock, target: Target, played: Sequence[PlayedNote]) -> list[Row]:
    """Return the rows of one channel."""
    rows: list[Row] = []
    tuned: dict[str, str] = {}          # the pitch of each course, if not its open pitch
    for one in played:
        if isinstance(one.on, Course):
            rows += _course_rows(piece, clock, target, one, one.on, tuned)
        else:
            gesture = note_gesture("impact", (one.on,))
            own = one.on.default_values(gesture.name)[gesture.strength]
            rows.append((one.note.start, BEGIN, f"{target.alias}.{one.on.name}", gesture.name,
                         _strength(gesture, own, one.note) + _length(clock, one.note)))
    return rows


def _course_rows(
    piece: Piece,
    clock: Clock,
    target: Target,
    one: PlayedNote,
    course: Course,
    tuned: dict[str, str],
) -> list[Row]:
    """Return the rows of one note on a course of strings."""
    rows: list[Row] = []
    note, names = one.note, [f"{target.alias}.{row}" for row in course.rows]
    after = None if one.after is None else one.after.note.start
    until = min((tick for tick in (note.end, after) if tick is not None), default=None)
    bends = bends_between(piece.bends.get(note.channel, ()), note.start, until)
    pitch = pitch_text(note.pitch + bends[0][1])
    gesture = course.gesture
    struck = gesture.pitch == "not"
    if struck and pitch != tuned.get(course.name, pitch_text(key_of(course.open_hz))):
        tuning = find_gesture("string", lambda gesture: gesture.pitch == "must")
        rows += [(note.start, RETUNE, name, tuning.name, pitch) for name in names]
    for row, own in course.strengths():
        strength = _strength(gesture, own, note)
        rest = strength if struck else f"{pitch} {strength}"
        rows.append((note.start, BEGIN, f"{target.alias}.{row}", gesture.name,
                     rest + _length(clock, note)))
    if len(bends) > 1:
        curve = _curve(clock, note, bends)
        bending = find_gesture("string", lambda gesture: gesture.takes_curve)
        rows += [(note.start, BENDING, name, bending.name, curve) for name in names]
    tuned[course.name] = pitch_text(note.pitch + bends[-1][1])
    if note.end is not None and (after is None or after > note.end):
        damping = find_gesture("string", lambda gesture: gesture.stops_notes)
        rows += [(note.end, END, name, damping.name, "") for name in names]
    return rows


def _strength(gesture: Gesture, own: float, note: Note) -> str:
    """Return the argument that sets how loud a note is; own, the default value."""
    parameter = gesture.parameters[gesture.strength]
    return f"{parameter.alias}={own * _strength_factor(note):.3g}{parameter.unit}"


def _strength_factor(note: Note) -> float:
    """Return the factor of a note's velocity on the largest force or velocity."""
    return math.pow(SOFTEST, (note.velocity - 127) / 126.0)


def _length(clock: Clock, note: Note) -> str:
    """Return the duration argument of a note, if it has a length."""
    if note.released is None or note.released == note.start:
        return ""
    return f" dur={max(clock.beat(note.released - note.start), 1e-6):.6f}".rstrip("0").rstrip(".")


def _curve(clock: Clock, note: Note, bends: Sequence[tuple[int, float]]) -> str:
    """Return the bends of a note as a curve of few points, each at a tick of the file."""
    start = clock.seconds(note.start)
    beats = {clock.seconds(tick) - start: clock.beat(tick - note.start) for tick, _ in bends}
    points = simplify_curve([(clock.seconds(tick) - start, bend) for tick, bend in bends])
    words = (f"{_number(beats[time], 6)}:{pitch_text(note.pitch + bend)}" for time, bend in points)
    return f"({' '.join(words)})"


def key_of(hz: float) -> float:
    """Return a frequency (Hz) in semitones (69: A4)."""
    return A4_KEY + 12.0 * math.log2(hz / western_hz(0))


def pitch_text(key: float) -> str:
    """Return a pitch in semitones (69: A4) as a note name and cents."""
    nearest = math.floor(key + 0.5)
    cents = round(100.0 * (key - nearest), 2)
    if not 12 <= nearest < 132:
        return f"{western_hz(0, 100.0 * (key - A4_KEY)):.9g}Hz"
    return f"{NAMES[nearest % 12]}{nearest // 12 - 1}" + (f"{cents:+.6g}c" if cents else "")


def _row_lines(rows: Sequence[Row], piece: Piece, clock: Clock, counts_beats: bool) -> list[str]:
    """Return the aligned rows, with a comment before each bar that has any."""
    times = [_number(clock.beat(row[0]), 9) for row in rows]
    widths = [
        max(map(len, column))
        for column in (times, [row[2] for row in rows], [row[3] for row in rows])]
    lines, bar = [], 0
    bars = _Bars(piece, clock)
    for time, row in zip(times, rows, strict=True):
        if counts_beats and (now := bars.number(row[0])) != bar:
            bar = now
            lines += ["", f"# bar {bar}{bars.meter()}"]
        lines.append(
            f"{time:{widths[0]}}  {row[2]:{widths[1]}}  {row[3]:{widths[2]}}  {row[4]}".rstrip())
    return lines


class _Bars:
    """Bar numbers from 1, for ascending ticks."""

    def __init__(self, piece: Piece, clock: Clock) -> None:
        meters = list(piece.meters)
        if not meters or meters[0][0] > 0:
            meters.insert(0, (0, 4, 4))
        self._pending = deque((clock.beat(tick), beats, kind) for tick, beats, kind in meters)
        self._clock = clock
        self._start, self._first = 0.0, 1       # beat of the current meter, and its first bar
        self._meter, self._shown_meter = (4, 4), ""

    def number(self, tick: int) -> int:
        """Return the number of the bar at a tick."""
        beat = self._clock.beat(tick)
        while self._pending and self._pending[0][0] <= beat:
            start, beats, kind = self._pending.popleft()
            self._first += math.ceil((start - self._start) / self._bar - 1e-9)
            self._start, self._meter = start, (beats, kind)
        return self._first + math.floor((beat - self._start) / self._bar + 1e-9)

    @property
    def _bar(self) -> float:
        """The length of a bar (quarter notes)."""
        return self._meter[0] * 4.0 / self._meter[1]

    def meter(self) -> str:
        """Return the time signature if it differs from the last one returned."""
        text = f", {self._meter[0]}/{self._meter[1]}"
        if text == self._shown_meter:
            return ""
        self._shown_meter = text
        return text


def _number(value: float, digits: int) -> str:
    """Return a number with at most so many digits after the point."""
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".")
