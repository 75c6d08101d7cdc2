"""One note of a MIDI file."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Note:
    """One note.

    Parameters: channel; key; pitch of the key in the tuning of its channel (semitones; 69: A4),
    without bends; velocity; start, tick; byte, its position in the file; released, the tick of the
    note-off; end, the tick at which it ends, with the pedal (None: never); manager, the channel of
    the manager of its MPE zone (None: its channel is no member of one).
    """

    channel: int
    key: int
    pitch: float
    velocity: int
    start: int
    byte: int
    released: int | None = None
    end: int | None = None
    manager: int | None = None
