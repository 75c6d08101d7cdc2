"""One note of a MIDI file."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Note:
    """One note.

    Parameters: channel; key; pitch, as its channel's tuning has the key (semitones; 69: A4), bends not
    counted; velocity; start, its tick; byte, its place in the file; released, the tick of the key's
    release, and end, that of its end, with the pedal (None: never).
    """

    channel: int
    key: int
    pitch: float
    velocity: int
    start: int
    byte: int
    released: int | None = None
    end: int | None = None
