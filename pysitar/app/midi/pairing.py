"""Pair the note-ons and note-offs of a key."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pysitar.app.midi.note import Note


class Off(NamedTuple):
    """A note-off: its tick, and its index among the events of the file."""

    tick: int
    order: int


class _Short(NamedTuple):
    """A note-on that follows a note-off at the same tick; `off` ends this note of no length unless
    a later note-off ends the note."""

    note: Note
    order: int
    off: Off


@dataclass(slots=True)
class KeyPairs:
    """The ons and offs of one key of a channel.

    The first note-off ends the first note. Two faults of files would shift all later ends, so they
    are handled separately: a note without a note-off (found by bracket matching: each note-off
    closes the last open note), and a note of no length whose note-off precedes its note-on at the
    same tick.
    Parameters: ends, (note, off) pairs; strays, ticks of note-offs without a note; unreleased,
    notes without a note-off.
    """

    ends: list[tuple[Note, Off]] = field(default_factory=list)
    strays: list[int] = field(default_factory=list)
    unreleased: list[Note] = field(default_factory=list)
    _open: list[Note] = field(default_factory=list)         # by bracket matching
    _ons: list[Note] = field(default_factory=list)          # since the key was last released
    _offs: list[Off] = field(default_factory=list)
    _early: list[Off] = field(default_factory=list)         # of one tick, while no note is open
    _short: list[_Short] = field(default_factory=list)      # consecutive, no other note between

    def on(self, note: Note, order: int) -> None:
        """Handle a note-on.  Parameters: order, the event index."""
        self._close_earlier_offs(note.start)
        if self._early:
            self._short.append(_Short(note, order, self._early.pop(0)))
            return
        self._end_short_notes()
        self._open.append(note)
        self._ons.append(note)

    def off(self, tick: int, order: int) -> None:
        """Handle a note-off."""
        self._close_earlier_offs(tick)
        if not self._open:
            self._early.append(Off(tick, order))
            return
        self._open.pop()
        self._offs.append(Off(tick, order))
        if not self._open:
            self._pair()

    def cut(self, tick: int, order: int) -> None:
        """End all notes."""
        self.ends += [(note, Off(tick, order)) for note in self._finish()]

    def finish(self) -> None:
        """Handle the end of the file."""
        self.unreleased += self._finish()

    def _finish(self) -> Sequence[Note]:
        """Pair what can be paired; return the remaining notes."""
        self._close_earlier_offs(-1)
        self._end_short_notes()
        left = self._open
        self._open = []
        alone = {id(note) for note in left}
        self._ons = [note for note in self._ons if id(note) not in alone]
        self._pair()
        return left

    def _pair(self) -> None:
        self.ends += zip(self._ons, self._offs, strict=True)
        self._ons, self._offs = [], []

    def _close_earlier_offs(self, tick: int) -> None:
        """End notes of no length by unpaired note-offs of an earlier tick; others are strays."""
        if not self._early or self._early[0].tick == tick:
            return
        for off in self._early:
            if not self._short or self._short[-1].note.start >= off.tick:
                self.strays.append(off.tick)
                continue
            ends = [*(short.off for short in self._short[1:]), off]
            self.ends += zip((short.note for short in self._short), ends, strict=True)
            self.strays.append(self._short[0].off.tick)
            self._short = []
        self._early = []

    def _end_short_notes(self) -> None:
        """End the pending notes of no length at their start."""
        self.ends += [(short.note, Off(short.note.start, short.order)) for short in self._short]
        self._short = []
