"""Pitches of the keys of a MIDI file, by the SysEx of the MIDI Tuning Standard."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

KEYS = 128
NAME = 16                       # characters of a tuning's name, in dumps
CENTRE = 0x40
UNCHANGED = (0x7F, 0x7F, 0x7F)
Program = tuple[int, int]       # bank, program

NOTE_CHANGE, BANK_NOTE_CHANGE = 0x02, 0x07
DUMPS = {0x01: 3, 0x04: 3, 0x05: 1, 0x06: 2}    # bytes per key, or per note of the octave
OCTAVES = {0x08: 1, 0x09: 2}                    # bytes per note of the octave


@dataclass(slots=True)
class Tunings:
    """The pitches of the keys (semitones; 69: A4).

    Parameters: programs set by the file, each with 128 keys; octaves, by channel, the offset of
    each note of the octave; fine and coarse, the master tuning.
    """

    programs: dict[Program, list[float]] = field(default_factory=dict)
    octaves: dict[int, Sequence[float]] = field(default_factory=dict)
    fine: float = 0.0
    coarse: float = 0.0

    def pitch(self, channel: int, program: Program, key: int) -> float:
        """Return the pitch of a key of a channel with a tuning program."""
        pitch = self.programs[program][key] if program in self.programs else float(key)
        return pitch + self.octaves[channel][key % 12] if channel in self.octaves else pitch

    def change(self, data: bytes) -> bool:
        """Apply a SysEx; return whether it sets a tuning.

        Parameters: data, without its 0xf0 and 0xf7.
        """
        if len(data) < 5 or data[0] not in (0x7E, 0x7F) or max(data) > 0x7F:
            return False
        group, kind, rest = data[2], data[3], data[4:]
        if group == 0x04 and kind in (0x03, 0x04) and data[0] == 0x7F and len(rest) == 2:
            self._change_master(kind, rest)
            return True
        if group != 0x08:
            return False
        if kind == NOTE_CHANGE and data[0] == 0x7F:
            return self._change_notes((0, rest[0]), rest[1:])
        if kind == BANK_NOTE_CHANGE and len(rest) > 2:
            return self._change_notes((rest[0], rest[1]), rest[2:])
        if kind in DUMPS and data[0] == 0x7E:
            return self._dump(rest, has_bank=kind != 0x01, size=DUMPS[kind])
        return kind in OCTAVES and self._change_octave(rest, OCTAVES[kind])

    def _change_master(self, kind: int, rest: bytes) -> None:
        if kind == 0x03:
            self.fine = ((rest[1] << 7 | rest[0]) - 8192) / 8192.0
        else:
            self.coarse = float(rest[1] - CENTRE)

    def _change_notes(self, program: Program, rest: bytes) -> bool:
        count = rest[0] if rest else 0
        entries = rest[1:]
        if not count or len(entries) != 4 * count:
            return False
        keys = self.programs.setdefault(program, [float(key) for key in range(KEYS)])
        for at in range(0, len(entries), 4):
            keys[entries[at]] = _pitch(entries[at + 1:at + 4], keys[entries[at]])
        return True

    def _dump(self, rest: bytes, *, has_bank: bool, size: int) -> bool:
        """Set a whole program. Writers compute its checksum differently, so it is not checked."""
        head = 2 if has_bank else 1
        count = KEYS if size == 3 else 12
        body = rest[head + NAME:]
        if len(body) not in (count * size, count * size + 1):
            return False
        program = (rest[0], rest[1]) if has_bank else (0, rest[0])
        known = self.programs.get(program, [float(key) for key in range(KEYS)])
        if size == 3:
            self.programs[program] = [_pitch(body[3 * key:3 * key + 3], known[key])
                                      for key in range(KEYS)]
        else:
            octave = _octave(body[:count * size], size)
            self.programs[program] = [key + octave[key % 12] for key in range(KEYS)]
        return True

    def _change_octave(self, rest: bytes, size: int) -> bool:
        if len(rest) != 3 + 12 * size:
            return False
        octave = _octave(rest[3:], size)
        for channel in _channels(rest[:3]):
            self.octaves[channel] = octave
        return True


def _pitch(data: bytes, known: float) -> float:
    """Return a pitch of three bytes: semitones and 16384ths of one; all bits set: unchanged."""
    return known if tuple(data) == UNCHANGED else data[0] + (data[1] << 7 | data[2]) / 16384.0


def _octave(data: bytes, size: int) -> list[float]:
    """Return the offset of each of the twelve notes from C on (semitones)."""
    if size == 1:
        return [(byte - CENTRE) / 100.0 for byte in data]
    return [((data[at] << 7 | data[at + 1]) - 8192) / 8192.0 for at in range(0, len(data), 2)]


def _channels(bits: bytes) -> Iterator[int]:
    """Return the channels of a bit map of three bytes: 16 and 15, 14 to 8, and 7 to 1."""
    mask = bits[0] << 14 | bits[1] << 7 | bits[2]
    return (channel for channel in range(1, 17) if mask >> (channel - 1) & 1)
