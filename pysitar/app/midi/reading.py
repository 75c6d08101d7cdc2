"""Parse a standard MIDI file into events; errors report the byte position."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pysitar.app.midi.counts import Counts
from pysitar.errors import PysitarError, counted

LARGEST_FILE = 16 * 10**6
DRUMS = 10                                      # the percussion channel of General MIDI
LENGTHS = {0x8: 2, 0x9: 2, 0xA: 2, 0xB: 2, 0xC: 1, 0xD: 1, 0xE: 2}
# system messages, which are not allowed in a file, and the number of bytes that follow
SYSTEM = {0xF1: 1, 0xF2: 2, 0xF3: 1, 0xF6: 0} | dict.fromkeys(range(0xF8, 0xFF), 0)
NAMES = {
    0x8: "off", 0x9: "on", 0xA: "key pressure", 0xB: "controller", 0xC: "program change",
    0xD: "aftertouch", 0xE: "bend"}
TEMPO, METER, END = 0x51, 0x58, 0x2F
META = {TEMPO: ("tempo", 3), METER: ("meter", 4), END: ("end", 0)}
# sequence numbers, channel prefixes, ports, keys: no effect on the sound
SILENT = (0x00, 0x20, 0x21, 0x59)
RUNNING = "running status after a meta event, SysEx or system message: the last status holds"
HIGH = "event with a data byte over 127: read as 127"
TEXTS = {
    0x01: "text", 0x02: "copyright", 0x03: "track name", 0x04: "instrument name", 0x05: "lyric",
    0x06: "marker", 0x07: "cue point"}


class MidiError(PysitarError):
    """A MIDI file cannot be read or played; the message begins with the position."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event.

    Parameters: tick; byte, its position in the file; kind; channel from 1 (0: none); first and
    second, data bytes (tempo: us per quarter note; meter: numerator, denominator); data, of a
    SysEx.
    """

    tick: int
    byte: int
    kind: str
    channel: int = 0
    first: int = 0
    second: int = 0
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class MidiFile:
    """The contents of a file.

    Parameters: ticks_per_beat, per quarter note (0: the file uses SMPTE time); ticks_per_second (0:
    it uses beats); events, ordered by time; repairs, counts of violations of the format that were
    repaired.
    """

    ticks_per_beat: int
    ticks_per_second: float
    events: list[Event]
    repairs: Counts


class _Bytes:
    """The bytes of the file, read from the front."""

    def __init__(self, data: bytes, shown: str) -> None:
        self.data, self.shown, self.at, self.end = data, shown, 0, len(data)

    def wrong(self, what: str, at: int | None = None) -> MidiError:
        return MidiError(f"{self.shown}:byte {self.at if at is None else at}: {what}")

    def take(self, count: int, what: str) -> bytes:
        if self.at + count > self.end:
            raise self.wrong(
                f"{what} needs {counted(count, 'byte')}, and {self.end - self.at} are left; "
                "expected a complete file")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, what: str) -> int:
        """Read a number of variable length."""
        start, value = self.at, 0
        for _ in range(4):
            byte = self.take(1, what)[0]
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                return value
        raise self.wrong(f"{what} has more than 4 bytes; expected 1 to 4", start)


def read_midi(data: bytes, shown: str) -> MidiFile:
    """Return the events of a file.

    Parameters: data, the bytes of the file; shown, its name in messages.
    Errors: MidiError.
    """
    if len(data) > LARGEST_FILE:
        raise MidiError(f"{shown}: the file is larger than 16 MB; expected at most 16 MB")
    source = _Bytes(data, shown)
    if data[:4] != b"MThd":
        raise source.wrong("the file does not begin with MThd; expected a standard MIDI file")
    form, tracks, beat, second = _header(source)
    events: list[Event] = []
    repairs = Counts()
    found = 0
    while source.at < len(data) and found < tracks:
        kind = source.take(4, "a chunk's name")
        size = int.from_bytes(source.take(4, "a chunk's length"))
        if size > len(data) - source.at:
            raise source.wrong(
                f"a chunk has {counted(size, 'byte')}, and {len(data) - source.at} are left; "
                "expected a complete file")
        end = source.at + size
        if kind == b"MTrk":
            found += 1
            source.end = end
            _Track(source, events.append, repairs).read()
            source.end = len(data)
        source.at = end                         # other chunks are skipped, as the standard requires
    if found < tracks:
        raise source.wrong(
            f"the file ends after {found} of {counted(tracks, 'track')}; expected a complete file")
    if form == 2 and tracks > 1:
        raise source.wrong(f"the format is 2, with {tracks} independent tracks; expected a file of "
                           "format 0 or 1", 8)
    events.sort(key=lambda event: event.tick)   # stable: at one tick in the order of tracks
    return MidiFile(beat, second, events, repairs)


def _header(source: _Bytes) -> tuple[int, int, int, float]:
    """Return format, number of tracks, ticks per quarter note (or 0), ticks per second (or 0)."""
    source.take(4, "the header")
    size = int.from_bytes(source.take(4, "the header's length"))
    if size < 6:
        raise source.wrong(f"the header has {counted(size, 'byte')}; expected at least 6", 4)
    body = source.take(size, "the header")
    form, tracks = int.from_bytes(body[:2]), int.from_bytes(body[2:4])
    if form > 2:
        raise source.wrong(f"the format is {form}; expected 0, 1 or 2", 8)
    if body[4] < 0x80:
        beat = int.from_bytes(body[4:6])
        if beat == 0:
            raise source.wrong("a quarter note has 0 ticks; expected 1 to 32767", 12)
        return form, tracks, beat, 0.0
    frames, ticks = 256 - body[4], body[5]
    if frames not in (24, 25, 29, 30) or ticks == 0:
        raise source.wrong(
            f"the time base is {counted(frames, 'frame')} per second of {counted(ticks, 'tick')}; "
            "expected 24, 25, 29 or 30 frames of 1 to 255 ticks", 12)
    return form, tracks, 0, (30000.0 / 1001.0 if frames == 29 else float(frames)) * ticks


class _Track:
    """Reads one track.

    Parameters: source, the bytes of the file, at the track; add, called with each event; repairs,
    counts to add to.
    """

    def __init__(self, source: _Bytes, add: Callable[[Event], None], repairs: Counts) -> None:
        self._source, self._add, self._repairs = source, add, repairs
        self._tick = self._status = 0
        self._interrupted = False       # another event since the status ended running status
        self._packets = bytearray()     # of an unfinished SysEx, and its start (tick, byte):
        self._packets_start = (0, 0)

    def read(self) -> None:
        """Read the whole track.  Errors: MidiError."""
        source = self._source
        while source.at < source.end:
            self._tick += source.number("a delta time")
            start = source.at
            byte = source.take(1, "an event")[0]
            if byte == 0xFF:
                event = _meta(source, self._tick, start)
                if event is not None and event.kind == "end":
                    break
                if event is not None:
                    self._add(event)
                self._interrupted = True
            elif byte in (0xF0, 0xF7):
                self._sysex(start, byte)
                self._interrupted = True
            elif byte in SYSTEM:
                source.take(SYSTEM[byte], "a system message")
                self._repairs.add(f"system message {byte:#04x}: skipped", 0, self._tick)
                self._interrupted |= byte < 0xF8
            elif byte > 0xF0:
                raise source.wrong(
                    f"the status {byte:#04x} is not allowed in a file; expected 0x80 to 0xf0, 0xf7 "
                    "or 0xff", start)
            else:
                self._channel_event(start, byte)
        self._add_packets()

    def _sysex(self, start: int, byte: int) -> None:
        """Read a SysEx, complete or in packets; the last packet ends in 0xf7."""
        source = self._source
        data = source.take(source.number("a SysEx's length"), "a SysEx")
        if byte == 0xF7 and not self._packets:
            self._add(Event(self._tick, start, "SysEx", data=byte.to_bytes() + data))   # an escape
            return
        if byte == 0xF0:
            self._add_packets()
            self._packets_start = (self._tick, start)
        self._packets += data
        if self._packets.endswith(b"\xf7"):
            self._add_packets()

    def _add_packets(self) -> None:
        """Add the SysEx that was read, complete or not."""
        if self._packets:
            data = bytes(self._packets).removesuffix(b"\xf7")
            self._add(Event(*self._packets_start, "SysEx", data=data))
        self._packets.clear()

    def _channel_event(self, start: int, byte: int) -> None:
        source = self._source
        if byte >= 0x80:
            self._status = byte
        elif self._status:
            source.at = start
        else:
            raise source.wrong(f"the data byte {byte} has no status before it; expected an event's "
                               "status, 0x80 to 0xff", start)
        number = (self._status & 0x0F) + 1
        if byte < 0x80 and self._interrupted:
            self._repairs.add(RUNNING, number, self._tick)
        elif byte >= 0x80:
            self._interrupted = False
        data = source.take(LENGTHS[self._status >> 4], "an event")
        if max(data) > 0x7F:
            self._repairs.add(HIGH, number, self._tick)
            data = bytes(min(each, 0x7F) for each in data)
        first, second = data[0], data[-1]
        kind = NAMES[self._status >> 4]
        if kind == "on" and second == 0:
            kind = "off"
        self._add(Event(self._tick, start, kind, number, first, second))


def _meta(source: _Bytes, tick: int, start: int) -> Event | None:
    """Return a meta event, or None for one without effect on the sound."""
    number = source.take(1, "a meta event")[0]
    data = source.take(source.number("a meta event's length"), "a meta event")
    if number in META:
        kind, size = META[number]
        if len(data) < size:
            raise source.wrong(
                f"a {kind} event has {counted(len(data), 'byte')}; expected {size}", start)
        if kind == "tempo":
            value = int.from_bytes(data[:3])
            if value < 60:
                raise source.wrong(f"tempo is {value} us per quarter note; expected 60 us or more",
                                   start)
            return Event(tick, start, kind, first=value)
        if kind == "meter":
            if data[0] == 0 or data[1] > 7:
                raise source.wrong(
                    f"time signature is {data[0]}/2^{data[1]}; expected 1 to 255 over 2^0 to 2^7",
                    start)
            return Event(tick, start, kind, first=data[0], second=1 << data[1])
        return Event(tick, start, kind)
    if number in SILENT:
        return None
    return Event(tick, start, TEXTS.get(number, f"meta event {number:#04x}"))
