"""A MIDI file's notes as a score that a person would go on with."""
from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence

from pysitar.app.midi.bending import bends_between, few_points
from pysitar.app.midi.clock import Clock
from pysitar.app.midi.mapping import A4_KEY, Played, Target, played_notes
from pysitar.app.midi.notes import Note, Piece, piece_of
from pysitar.app.midi.reading import MidiError, read_midi
from pysitar.models.struck import ObjectSpec
from pysitar.score.pitch import western_hz
from pysitar.score.timeline import LONGEST

NAMES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
SOFTEST = 16.0                                  # how much softer the least velocity is than the greatest
Row = tuple[int, int, str, str, str]            # tick, order within it, target, verb, the rest


def score_text(data: bytes, shown: str, targets: Mapping[int, Target]) -> tuple[str, list[str]]:
    """A MIDI file as a score.

    Parameters: data, the file's bytes; shown, its name in messages; targets, by channels from 1.
    Returns: the text of the score, and lines on what has no place in it.
    Errors: MidiError.
    """
    file = read_midi(data, shown)
    piece = piece_of(file)
    clock = Clock(file, piece)
    last = max((_last(note) for note in piece.notes), default=0)
    if clock.seconds(last) > LONGEST - 60.0:
        late = next(note for note in piece.notes if _last(note) == last)
        raise MidiError(f"{shown}:byte {late.byte}: a note that ends after {clock.seconds(last):.6g} s; {LONGEST - 60.0:g} s at most would "
                        "be right")
    played = played_notes(piece, targets)
    rows = sorted(row for number, target in targets.items() for row in _rows(piece, clock, target, played[number]))
    if not rows:
        raise MidiError(f"{shown}: no note in it can be played{_why(piece)}; notes on a channel that is mapped would be right")
    omitted = _omitted(piece, clock)
    used = [target for number, target in sorted(targets.items()) if played[number]]
    lines = [f"# From {shown.rsplit('/', 1)[-1]}."]
    if omitted:
        lines += ["# Not in this score:", *(f"#   {line}" for line in omitted)]
    width = max(len(target.alias) for target in used)
    lines += ["", *(f"use {target.used} as {target.alias}" for target in used)]
    lines += [f"mix {target.alias:{width}}  gain=0dB  pan=0" for target in used]
    lines += _tempo_lines(clock, last)
    return "\n".join([*lines, *_row_lines(rows, piece, clock, bool(file.ticks_per_beat))]) + "\n", omitted


def _last(note: Note) -> int:
    return max(note.start, note.released or 0, note.end or 0)


def _why(piece: Piece) -> str:
    kinds = sorted({f"{kind} on channel {channel}" for kind, channel in piece.omitted.counts if kind.startswith("note") and channel})
    return f" (left out: {', '.join(kinds)[:200]})" if kinds else ""


def _omitted(piece: Piece, clock: Clock) -> list[str]:
    """A line for each kind of thing that is left out, in order of time."""
    lines = []
    for (kind, channel), (count, tick) in sorted(piece.omitted.counts.items(), key=lambda item: (item[1][1], item[0])):
        where = f", channel {channel}" if channel else ""
        lines.append(f"{count} x {kind}{where}, {'at' if count == 1 else 'first at'} {clock.seconds(tick):.3f} s")
    return lines


def _tempo_lines(clock: Clock, last: int) -> list[str]:
    lines: list[str] = []
    before = 0
    for tick, tempo in clock.tempos:
        if tempo != before and tick <= last:
            lines.append(f"tempo {_number(clock.beat(tick), 12)} {60e6 / tempo:.12g}" if tick else f"tempo {60e6 / tempo:.12g}")
        before = tempo
    return lines


def _rows(piece: Piece, clock: Clock, target: Target, played: Sequence[Played]) -> list[Row]:
    """The rows of one channel."""
    rows: list[Row] = []
    parts = {part.name: part for part in target.instrument.parts}
    for one in played:
        note, part = one.note, parts[one.part]
        name = f"{target.alias}.{one.part}"
        softer = SOFTEST ** ((note.velocity - 127) / 126.0)
        length = "" if note.released is None or note.released == note.start else _length(clock, note)
        if isinstance(part, ObjectSpec):
            rows.append((note.start, 1, name, "strike", f"v={part.strike.velocity * softer:.3g}m/s{length}"))
            continue
        force = f"f={part.own('pluck')['force'] * softer:.3g}N"
        until = note.end if one.after is None else one.after.note.start if note.end is None else min(note.end, one.after.note.start)
        bends = bends_between(piece.bends.get(note.channel, ()), note.start, until)
        rows.append((note.start, 1, name, "pluck", f"{pitch_text(note.key + bends[0][1])} {force}{length}"))
        if len(bends) > 1:
            rows.append((note.start, 2, name, "bend", _curve(clock, note, bends)))
        if note.end is not None and (one.after is None or one.after.note.start > note.end):
            rows.append((note.end, 0, name, "damp", ""))
    return rows


def _length(clock: Clock, note: Note) -> str:
    assert note.released is not None
    return f" dur={max(clock.beat(note.released - note.start), 1e-6):.6f}".rstrip("0").rstrip(".")


def _curve(clock: Clock, note: Note, bends: Sequence[tuple[int, float]]) -> str:
    """The bends of a note as a curve: few points, each at a tick of the file."""
    start = clock.seconds(note.start)
    beats = {clock.seconds(tick) - start: clock.beat(tick - note.start) for tick, _ in bends}
    points = few_points([(clock.seconds(tick) - start, bent) for tick, bent in bends])
    return f"({' '.join(f'{_number(beats[time], 6)}:{pitch_text(note.key + bent)}' for time, bent in points)})"


def pitch_text(key: float) -> str:
    """A pitch in semitones, 69 is A4, as a note and its cents."""
    nearest = math.floor(key + 0.5)
    cents = round(100.0 * (key - nearest), 2)
    if not 12 <= nearest < 132:
        return f"{western_hz(0, 100.0 * (key - A4_KEY)):.9g}Hz"
    return f"{NAMES[nearest % 12]}{nearest // 12 - 1}" + (f"{cents:+.6g}c" if cents else "")


def _row_lines(rows: Sequence[Row], piece: Piece, clock: Clock, counts_beats: bool) -> list[str]:
    """The rows, aligned, a comment before each bar that has any."""
    times = [_number(clock.beat(row[0]), 9) for row in rows]
    widths = [max(map(len, column)) for column in (times, [row[2] for row in rows], [row[3] for row in rows])]
    lines, bar = [], 0
    bars = _Bars(piece, clock)
    for time, row in zip(times, rows, strict=True):
        if counts_beats and (now := bars.number(row[0])) != bar:
            bar = now
            lines += ["", f"# bar {bar}{bars.meter()}"]
        lines.append(f"{time:{widths[0]}}  {row[2]:{widths[1]}}  {row[3]:{widths[2]}}  {row[4]}".rstrip())
    return lines


class _Bars:
    """Bars counted from 1, for ticks that never fall."""

    def __init__(self, piece: Piece, clock: Clock) -> None:
        meters = piece.meters if piece.meters and piece.meters[0][0] == 0 else [(0, 4, 4), *piece.meters]
        self._waiting = deque((clock.beat(tick), beats, kind) for tick, beats, kind in meters)
        self._clock, self._start, self._first, self._meter, self._told = clock, 0.0, 1, (4, 4), ""

    def number(self, tick: int) -> int:
        beat = self._clock.beat(tick)
        while self._waiting and self._waiting[0][0] <= beat:
            start, beats, kind = self._waiting.popleft()
            self._first += math.ceil((start - self._start) / self._bar - 1e-9)
            self._start, self._meter = start, (beats, kind)
        return self._first + math.floor((beat - self._start) / self._bar + 1e-9)

    @property
    def _bar(self) -> float:
        return self._meter[0] * 4.0 / self._meter[1]

    def meter(self) -> str:
        """The time signature, where it has not been told."""
        told = f", {self._meter[0]}/{self._meter[1]}"
        if told == self._told:
            return ""
        self._told = told
        return told


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".")
