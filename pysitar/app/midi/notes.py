"""A MIDI file's events to notes: when each begins and ends, how its pitch is bent, and what has no place in a score."""
from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from pysitar.app.midi.reading import Event, MidiFile

CENTRE, HALF = 8192, 8192.0
BEND_RANGE = 2.0                # semitones, until RPN 0 says otherwise
PEDAL, DATA, DATA_FINE, RPN_FINE, RPN = 64, 6, 38, 100, 101
NO_RPN = (127, 127)


@dataclass(slots=True)
class Note:
    """One note: channel, key, velocity, tick of its start, of its key's release and of its end (None: never), with the pedal; its place."""

    channel: int
    key: int
    velocity: int
    start: int
    byte: int
    released: int | None = None
    end: int | None = None


@dataclass(slots=True)
class Omitted:
    """What has no place in the score: how often, at which tick first, by its kind and channel (0: the file's)."""

    counts: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)

    def add(self, kind: str, channel: int, tick: int) -> None:
        count, first = self.counts.get((kind, channel), (0, tick))
        self.counts[kind, channel] = count + 1, min(first, tick)


@dataclass(slots=True)
class _Channel:
    """A channel while its events are read."""

    sounding: dict[int, deque[Note]] = field(default_factory=dict)
    held: list[Note] = field(default_factory=list)
    pedal: bool = False
    number: tuple[int, int] = NO_RPN
    range: tuple[int, int] = (2, 0)
    value: int = CENTRE
    bends: list[tuple[int, float]] = field(default_factory=list)

    def bend(self, tick: int) -> None:
        """Notes where the channel's pitch is from a tick on, in semitones."""
        at = (self.value - CENTRE) / HALF * (self.range[0] + self.range[1] / 100.0)
        if self.bends and self.bends[-1][0] == tick:
            self.bends.pop()
        if at != (self.bends[-1][1] if self.bends else 0.0):
            self.bends.append((tick, at))


@dataclass(frozen=True, slots=True)
class Piece:
    """A file's notes in order of time, each channel's bends (tick, semitones from there on), tempos (tick, us a quarter note), meters
    (tick, beats a bar, their kind), and what was left out."""

    notes: list[Note]
    bends: dict[int, list[tuple[int, float]]]
    tempos: list[tuple[int, int]]
    meters: list[tuple[int, int, int]]
    omitted: Omitted


def piece_of(file: MidiFile) -> Piece:
    """The notes of a file."""
    channels: dict[int, _Channel] = {}
    piece = Piece([], {}, [], [], Omitted())
    for event in file.events:
        if event.kind == "tempo":
            if file.ticks_per_beat:
                _replace(piece.tempos, (event.tick, event.first))
            else:
                piece.omitted.add("tempo, for the file counts in seconds", 0, event.tick)
        elif event.kind == "meter":
            _replace(piece.meters, (event.tick, event.first, event.second))
        elif event.channel == 0:
            piece.omitted.add(event.kind, 0, event.tick)
        else:
            _channel_event(piece, channels.setdefault(event.channel, _Channel()), event)
    for number, channel in channels.items():
        piece.bends[number] = channel.bends
        for note in channel.held:
            note.end = None                     # the pedal is never lifted: it rings
        for note in (note for notes in channel.sounding.values() for note in notes):
            piece.omitted.add("end of a note that is never released: it rings on", number, note.start)
    for note in piece.notes:
        if note.released == note.start:
            piece.omitted.add("end of a note of no length: it rings on", note.channel, note.start)
            note.end = None
    return piece


def _replace(rows: list[tuple[int, ...]] | list[tuple[int, int]] | list[tuple[int, int, int]], row: tuple[int, ...]) -> None:
    """Adds a row; of two at one tick the later one holds."""
    known: list[tuple[int, ...]] = rows  # type: ignore[assignment]
    if known and known[-1][0] == row[0]:
        known.pop()
    known.append(row)


def _channel_event(piece: Piece, channel: _Channel, event: Event) -> None:
    tick, key = event.tick, event.first
    if event.kind == "on":
        note = Note(event.channel, key, event.second, tick, event.byte)
        piece.notes.append(note)
        channel.sounding.setdefault(key, deque()).append(note)
    elif event.kind == "off":
        notes = channel.sounding.get(key)
        if not notes:
            piece.omitted.add("note off without a note", event.channel, tick)
            return
        _release(channel, notes.popleft(), tick)
    elif event.kind == "bend":
        channel.value = event.second << 7 | event.first
        channel.bend(tick)
    elif event.kind == "controller":
        _control(piece, channel, event)
    else:
        piece.omitted.add(event.kind, event.channel, tick)


def _release(channel: _Channel, note: Note, tick: int) -> None:
    note.released = tick
    if channel.pedal:
        channel.held.append(note)
    else:
        note.end = tick


def _control(piece: Piece, channel: _Channel, event: Event) -> None:
    number, value, tick = event.first, event.second, event.tick
    if number == PEDAL:
        channel.pedal = value >= 64
        if not channel.pedal:
            _end(channel.held, tick)
            channel.held = []
    elif number in (RPN, RPN_FINE):
        channel.number = (value, channel.number[1]) if number == RPN else (channel.number[0], value)
    elif number in (DATA, DATA_FINE) and channel.number == (0, 0):
        channel.range = (value, channel.range[1]) if number == DATA else (channel.range[0], value)
        channel.bend(tick)
    elif number in (120, 123):                  # all sound off, all notes off
        for notes in channel.sounding.values():
            while notes:
                _release(channel, notes.popleft(), tick)
    elif number == 121:                         # reset all controllers
        channel.value, channel.pedal, channel.number = CENTRE, False, NO_RPN
        _end(channel.held, tick)
        channel.held = []
        channel.bend(tick)
    else:
        piece.omitted.add(f"controller {number}", event.channel, tick)


def _end(notes: Iterable[Note], tick: int) -> None:
    for note in notes:
        note.end = tick
