"""Assign notes to the courses or objects of an instrument, as a player would choose them."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from pysitar.app.midi.bending import bends_between
from pysitar.app.midi.courses import Course, courses
from pysitar.app.midi.note import Note
from pysitar.app.midi.notes import Piece
from pysitar.models.definitions.bar_sets import BarOfSet
from pysitar.models.definitions.spec import InstrumentSpec, PartSpec
from pysitar.score.pitch import western_hz

A4_KEY = 69
RANGE_TOLERANCE = 1e-9             # semitones: round-off at the end of the range of a string
TUNING_TOLERANCE = 0.5         # semitones
FAR_DISTANCE = 100.0             # semitones, more than the range of any string


@dataclass(frozen=True, slots=True)
class Target:
    """The instrument of a channel.

    Parameters: alias, its name in the score; use_text, its name in the `use` line; instrument;
    open_hz, the frequencies of its open strings (Hz); courses, those that play notes.
    """

    alias: str
    use_text: str
    instrument: InstrumentSpec
    open_hz: Mapping[str, float]
    courses: tuple[Course, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "courses", courses(self.instrument, self.open_hz))


@dataclass(slots=True)
class PlayedNote:
    """A note assigned to a course or an object, and the next note on the same course."""

    note: Note
    on: Course | PartSpec
    after: PlayedNote | None = None


@dataclass(slots=True)
class _CourseState:
    """The state of a course during the assignment of notes."""

    last: PlayedNote | None = None

    @property
    def free_at(self) -> int:
        """The tick from which the course is free."""
        if self.last is None:
            return -1
        note = self.last.note
        ends = (note.end, note.released, note.start)
        return next(tick for tick in ends if tick is not None)

    @property
    def started(self) -> int:
        """The tick at which its last note started; -1 without one."""
        return -1 if self.last is None else self.last.note.start


def played_notes(piece: Piece, targets: Mapping[int, Target]) -> dict[int, list[PlayedNote]]:
    """Return the notes of each mapped channel, with courses; count the others as omitted."""
    played: dict[int, list[PlayedNote]] = {number: [] for number in targets}
    busy = {number: {course.name: _CourseState() for course in target.courses}
            for number, target in targets.items()}
    def place(note: Note) -> tuple[int, int]:
        return note.start, _playing_channel(note, targets)

    for (_, number), notes in groupby(sorted(piece.notes, key=place), place):
        target = targets.get(number)
        chord = list(notes)
        if target is None:
            for note in chord:
                piece.omitted.add("note", number, note.start)
        elif target.courses:
            played[number] += _assign_chord(piece, target, busy[number], chord)
        else:
            played[number] += _strike_notes(piece, target.instrument.parts, chord)
    return played


def _playing_channel(note: Note, targets: Mapping[int, Target]) -> int:
    """Return the channel whose instrument plays a note: that of the manager of its MPE zone, unless
    its own channel has another instrument."""
    zone = None if note.manager is None else targets.get(note.manager)
    if zone is None or note.manager is None:
        return note.channel
    own = targets.get(note.channel, zone)
    return note.manager if own.use_text == zone.use_text else note.channel


def _strike_notes(piece: Piece, parts: Sequence[PartSpec],
                  chord: Sequence[Note]) -> list[PlayedNote]:
    """Assign objects to notes: of a set of bars those of the notes, of others any."""
    bars = _bars(parts)
    if not bars:
        return [PlayedNote(note, parts[note.key % len(parts)]) for note in chord]
    for note in chord:
        if note.key not in bars:
            piece.omitted.add("note out of the bars' range", note.channel, note.start)
    return [PlayedNote(note, bars[note.key]) for note in chord if note.key in bars]


def _bars(parts: Sequence[Any]) -> dict[int, Any]:
    """Return the bars of sets, by the keys of their notes."""
    return {part.number: part for part in parts if isinstance(part, BarOfSet)}


def _assign_chord(piece: Piece, target: Target, busy: Mapping[str, _CourseState],
                  chord: Sequence[Note]) -> list[PlayedNote]:
    """Assign courses to the notes that begin at one time, those with the fewest choices first."""
    found = []
    choices = {id(note): _choices(piece, target, note) for note in chord}
    known = {course.name: course for course in target.courses}
    for note in sorted(chord, key=lambda note: len(choices[id(note)])):
        name = _choose_course(note, choices[id(note)], busy)
        if name is None:
            kind = ("note for which no string is left" if choices[id(note)]
                    else "note out of the strings' range")
            piece.omitted.add(kind, note.channel, note.start)
            continue
        course = busy[name]
        sounding = course.last is not None and course.free_at > note.start
        if sounding and course.last is not None and course.last.note.key != note.key:
            piece.omitted.add("end of a note whose string is needed for another", note.channel,
                              note.start)
        played = PlayedNote(note, known[name])
        if course.last is not None:
            course.last.after = played
        course.last = played
        found.append(played)
    return found


def _choices(piece: Piece, target: Target, note: Note) -> dict[str, float]:
    """Return the courses whose range holds a note with all its bends, and its distance from each
    (semitones).

    A plucked string is stopped above its open pitch, so a note that starts below it, bent, by more
    than the differences of tunings, counts as far; a struck course is tuned up or down.
    """
    bends = [
        bent for _, bent in bends_between(piece.bends.get(note.channel, ()), note.start, note.end)]
    pitch = western_hz(0, 100.0 * (note.pitch - A4_KEY))
    choices = {}
    for course in target.courses:
        over = 12.0 * math.log2(pitch / course.open_hz)
        low, high = over + min(bends), over + max(bends)
        if course.lowest - RANGE_TOLERANCE <= low and high <= course.highest + RANGE_TOLERANCE:
            start = over + bends[0]
            near = course.gesture.pitch == "not" or start >= -TUNING_TOLERANCE
            choices[course.name] = abs(start) if near else FAR_DISTANCE - start
    return choices


def _choose_course(note: Note, choices: Mapping[str, float],
                   courses: Mapping[str, _CourseState]) -> str | None:
    """Return the course that sounds this note already, else the nearest free, else the oldest."""
    best: tuple[tuple[bool, float, float], str] | None = None
    for name, distance in choices.items():
        course = courses[name]
        if course.started == note.start:
            continue                            # taken by another note of the chord
        if course.free_at > note.start:
            same = course.last is not None and course.last.note.key == note.key
            rank = (False, -1.0, 0.0) if same else (True, float(course.started), distance)
        else:
            rank = (False, distance, float(course.started))
        if best is None or (rank, name) < best:
            best = rank, name
    return None if best is None else best[1]
