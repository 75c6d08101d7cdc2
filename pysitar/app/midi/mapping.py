"""Notes to strings and objects: which string of an instrument plays each, as a player would choose it."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from pysitar.app.midi.bending import bends_between
from pysitar.app.midi.notes import Note, Piece
from pysitar.models.instrument import InstrumentSpec
from pysitar.score.pitch import western_hz

A4_KEY = 69
EDGE = 1e-9                                     # semitones: what rounding may do to a note at the end of a string's range


@dataclass(frozen=True, slots=True)
class Target:
    """What plays a channel: its name in the score, how `use` names it, the instrument, and what its open strings sound (Hz)."""

    alias: str
    used: str
    instrument: InstrumentSpec
    open_hz: Mapping[str, float]


@dataclass(slots=True)
class Played:
    """A note that a string or an object plays, and the next note on the same string."""

    note: Note
    part: str
    after: Played | None = None


@dataclass(slots=True)
class _String:
    """A string while notes are given to it."""

    last: Played | None = None

    @property
    def free_at(self) -> int:
        """The tick from which no note holds it."""
        if self.last is None:
            return -1
        note = self.last.note
        return note.end if note.end is not None else note.released if note.released is not None else note.start

    @property
    def started(self) -> int:
        return -1 if self.last is None else self.last.note.start


def played_notes(piece: Piece, targets: Mapping[int, Target]) -> dict[int, list[Played]]:
    """The notes of each channel that is mapped, with their strings; what has none is added to what the piece leaves out."""
    played: dict[int, list[Played]] = {number: [] for number in targets}
    strings = {number: {part.name: _String() for part in target.instrument.parts} for number, target in targets.items()}
    ordered = sorted(piece.notes, key=lambda note: (note.start, note.channel))
    for (_, number), notes in groupby(ordered, lambda note: (note.start, note.channel)):
        target = targets.get(number)
        chord = list(notes)
        if target is None:
            for note in chord:
                piece.omitted.add("note", number, note.start)
        elif target.instrument.strings:
            played[number] += _chord(piece, target, strings[number], chord)
        else:
            parts = target.instrument.parts
            played[number] += [Played(note, parts[note.key % len(parts)].name) for note in chord]
    return played


def _chord(piece: Piece, target: Target, strings: Mapping[str, _String], chord: Sequence[Note]) -> list[Played]:
    """Strings for the notes that begin at one time: those that have the fewest to choose from choose first."""
    found = []
    choices = {id(note): _choices(piece, target, note) for note in chord}
    for note in sorted(chord, key=lambda note: len(choices[id(note)])):
        name = _chosen(note, choices[id(note)], strings)
        if name is None:
            kind = "note for which no string is left" if choices[id(note)] else "note out of the strings' range"
            piece.omitted.add(kind, note.channel, note.start)
            continue
        string = strings[name]
        if string.last is not None and string.free_at > note.start and string.last.note.key != note.key:
            piece.omitted.add("end of a note whose string is needed for another", note.channel, note.start)
        played = Played(note, name)
        if string.last is not None:
            string.last.after = played
        string.last = played
        found.append(played)
    return found


def _choices(piece: Piece, target: Target, note: Note) -> dict[str, float]:
    """The strings that can hold a note with all its bends, and how far over the open string (semitones) it is on each."""
    bends = [bent for _, bent in bends_between(piece.bends.get(note.channel, ()), note.start, note.end)]
    pitch = western_hz(note.key - A4_KEY)
    choices = {}
    for string in target.instrument.strings:
        over = 12.0 * math.log2(pitch / target.open_hz[string.name])
        if string.lowest - EDGE <= over + min(bends) and over + max(bends) <= string.highest + EDGE:
            choices[string.name] = over
    return choices


def _chosen(note: Note, choices: Mapping[str, float], strings: Mapping[str, _String]) -> str | None:
    """The string that sounds this note already, or else a free one on which it is lowest, or else the one that has sounded longest."""
    best: tuple[tuple[bool, float, float], str] | None = None
    for name, over in choices.items():
        string = strings[name]
        if string.started == note.start:
            continue                            # taken by another note of the chord
        if string.free_at > note.start:
            same = string.last is not None and string.last.note.key == note.key
            rank = (False, -1.0, 0.0) if same else (True, float(string.started), over)
        else:
            rank = (False, over if over >= -EDGE else 100.0 - over, float(string.started))      # above its open pitch, if it can be
        if best is None or (rank, name) < best:
            best = rank, name
    return None if best is None else best[1]
