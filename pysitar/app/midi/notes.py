"""Convert the events of a MIDI file to notes with start, end and bends; count what a score cannot
express."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pysitar.app.midi.channels import CENTRE, CHANNELS, LOWER, UPPER, Channels
from pysitar.app.midi.counts import Counts
from pysitar.app.midi.note import Note
from pysitar.app.midi.pairing import KeyPairs
from pysitar.app.midi.parameters import BANK, ENTRY_CONTROLLERS, PROGRAM, SELECT_CONTROLLERS, ZONE
from pysitar.app.midi.reading import Event, MidiFile
from pysitar.app.midi.sysex_names import sysex_name

PEDAL, SOUND_OFF, RESET, NOTES_OFF = 64, 120, 121, 123
REAL_TIME = b"\x7f"
RETUNED = "change of tuning while a note sounds: it keeps its pitch"
UNRELEASED = "end of a note that is never released: it rings on"
SHORT = "end of a note of no length: it rings on"


@dataclass(frozen=True, slots=True)
class Piece:
    """The contents of a file.

    Parameters: notes, ordered by time; bends of each channel (tick, semitones from there on);
    tempos (tick, us per quarter note); meters (tick, numerator, denominator); omitted, counts of
    what was left out.
    """

    notes: list[Note]
    bends: dict[int, list[tuple[int, float]]]
    tempos: list[tuple[int, int]]
    meters: list[tuple[int, int, int]]
    omitted: Counts


def read_piece(file: MidiFile, *, mpe: bool = False) -> Piece:
    """Return the notes of a file.

    Parameters: mpe, whether all channels are one MPE zone from the start, that of channel 1.
    """
    reader = _Reader(file, mpe=mpe)
    for order, event in enumerate(file.events):
        reader.read(event, order)
    return reader.finish()


class _Reader:
    """Reads the events of a file, ordered by time."""

    def __init__(self, file: MidiFile, *, mpe: bool) -> None:
        self._file = file
        self._channels = Channels(mpe=mpe)
        self._piece = Piece([], {}, [], [], Counts())

    def read(self, event: Event, order: int) -> None:
        """Read one event.  Parameters: order, its index among all events."""
        piece = self._piece
        if event.kind == "tempo":
            if self._file.ticks_per_beat:
                _add_or_replace(piece.tempos, (event.tick, event.first))
            else:
                piece.omitted.add("tempo in a file that counts in seconds", 0, event.tick)
        elif event.kind == "meter":
            _add_or_replace(piece.meters, (event.tick, event.first, event.second))
        elif event.kind == "SysEx":
            self._sysex(event)
        elif event.kind == "on":
            self._on(event, order)
        elif event.kind == "off":
            self._off(event, order)
        elif event.kind == "bend":
            self._channels.all[event.channel].wheel = event.second << 7 | event.first
            self._channels.record_bends(event.tick, self._channels.zone_channels(event.channel))
        elif event.kind == "controller":
            self._control(event, order)
        else:
            piece.omitted.add(event.kind, event.channel, event.tick)

    def finish(self) -> Piece:
        """Return the piece after the last event."""
        piece = self._piece
        for number, channel in self._channels.all.items():
            channel.end_notes()
            piece.bends[number] = channel.bends
            for pairs in channel.keys.values():
                for tick in pairs.strays:
                    piece.omitted.add("note off without a note", number, tick)
                for note in pairs.unreleased:
                    piece.omitted.add(UNRELEASED, number, note.start)
        for note in piece.notes:
            if note.released == note.start:
                piece.omitted.add(SHORT, note.channel, note.start)
                note.end = None
        return piece

    def _on(self, event: Event, order: int) -> None:
        channel, key = self._channels.all[event.channel], event.first
        pitch = self._channels.pitch(event.channel, key)
        note = Note(event.channel, key, pitch, event.second, event.tick, event.byte,
                    manager=self._channels.manager(event.channel))
        self._piece.notes.append(note)
        channel.keys.setdefault(key, KeyPairs()).on(note, order)
        channel.down[key] = channel.down.get(key, 0) + 1
        program = channel.parameters.program
        if program != (0, 0) and program not in self._channels.tunings.programs:
            self._piece.omitted.add(
                f"tuning program {program[1]} of bank {program[0]}, which the file has not set: "
                "equal steps", event.channel, event.tick)

    def _off(self, event: Event, order: int) -> None:
        channel, key = self._channels.all[event.channel], event.first
        channel.keys.setdefault(key, KeyPairs()).off(event.tick, order)
        if channel.down.get(key, 0) > 1:
            channel.down[key] -= 1
        else:
            channel.down.pop(key, None)

    def _control(self, event: Event, order: int) -> None:
        controller, value, tick = event.first, event.second, event.tick
        parameters = self._channels.all[event.channel].parameters
        channels = self._channels.zone_channels(event.channel)
        if controller == PEDAL:
            for channel in channels:
                channel.press_pedal(order, tick, value >= 64)
        elif controller in SELECT_CONTROLLERS:
            parameters.select(controller, value)
        elif controller in ENTRY_CONTROLLERS:
            self._enter(event)
        elif controller in (SOUND_OFF, NOTES_OFF):
            for channel in channels:
                channel.down.clear()
                for pairs in channel.keys.values():
                    pairs.cut(tick, order)
        elif controller == RESET:
            for channel in channels:
                channel.wheel = CENTRE
                channel.parameters.deselect()
                channel.press_pedal(order, tick, down=False)
            self._channels.record_bends(tick, channels)
        else:
            self._piece.omitted.add(f"controller {controller}", event.channel, tick)

    def _enter(self, event: Event) -> None:
        """Handle data entry: set the selected parameter."""
        number, tick = event.channel, event.tick
        parameters = self._channels.all[number].parameters
        name = parameters.name
        entered = None

        def enter() -> None:
            nonlocal entered
            entered = parameters.enter(event.first, event.second)

        self._retune(tick, (number,), enter)
        if entered is None or (entered == ZONE and number not in (LOWER, UPPER)):
            self._piece.omitted.add(name, number, tick)
        elif entered not in (PROGRAM, BANK):
            self._channels.apply_parameter(number, entered, tick)

    def _sysex(self, event: Event) -> None:
        """Handle a SysEx: apply tunings; count others as omitted, by name."""
        kept = False

        def change() -> None:
            nonlocal kept
            kept = self._channels.tunings.change(event.data)

        self._retune(event.tick, CHANNELS if event.data.startswith(REAL_TIME) else (), change)
        if kept:
            self._channels.record_bends(event.tick, self._channels.all.values())
        else:
            self._piece.omitted.add(sysex_name(event.data), 0, event.tick)

    def _retune(self, tick: int, numbers: Iterable[int], act: Callable[[], None]) -> None:
        """Call `act`, and count the held keys whose pitch it changes: their notes keep theirs."""
        pitches = self._channels.pitch
        before = [(number, key, pitches(number, key))
                  for number in numbers for key in self._channels.all[number].down]
        act()
        for number, key, pitch in before:
            if pitches(number, key) != pitch:
                self._piece.omitted.add(RETUNED, number, tick)


def _add_or_replace(rows: list[tuple[int, ...]] | list[tuple[int, int]]
                    | list[tuple[int, int, int]], row: tuple[int, ...]) -> None:
    """Add a row; of two at one tick the later one replaces the other."""
    known: list[tuple[int, ...]] = rows  # type: ignore[assignment]
    if known and known[-1][0] == row[0]:
        known.pop()
    known.append(row)
