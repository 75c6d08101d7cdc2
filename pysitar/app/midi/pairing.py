"""The ons and offs of a key, paired: which off ends which note."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pysitar.app.midi.note import Note


class Off(NamedTuple):
    """An off: its tick, and its place among the file's events."""

    tick: int
    order: int


class _Short(NamedTuple):
    """A note that an off at its own tick ends, unless a later one does; its place among the events."""

    note: Note
    order: int
    off: Off


@dataclass(slots=True)
class KeyPairs:
    """The ons and offs of one key of a channel.

    The first off ends the first note. Two faults of files would shift all later ends, so they are set
    apart: a note that no off ends (as brackets show it: each off closes the last note that is open),
    and the off of a note of no length that stands before its on.
    Parameters: ends, (note, off) pairs; strays, ticks of offs without a note; unreleased, notes without
    an off.
    """

    ends: list[tuple[Note, Off]] = field(default_factory=list)
    strays: list[int] = field(default_factory=list)
    unreleased: list[Note] = field(default_factory=list)
    _open: list[Note] = field(default_factory=list)         # by brackets
    _ons: list[Note] = field(default_factory=list)          # since the key was last silent
    _offs: list[Off] = field(default_factory=list)
    _early: list[Off] = field(default_factory=list)         # of one tick, while the key is silent
    _short: list[_Short] = field(default_factory=list)      # in a row, no other note between

    def on(self, note: Note, order: int) -> None:
        """A note begins; order, its place among the events."""
        self._close_earlier_offs(note.start)
        if self._early:
            self._short.append(_Short(note, order, self._early.pop(0)))
            return
        self._end_short_notes()
        self._open.append(note)
        self._ons.append(note)

    def off(self, tick: int, order: int) -> None:
        """The key is released."""
        self._close_earlier_offs(tick)
        if not self._open:
            self._early.append(Off(tick, order))
            return
        self._open.pop()
        self._offs.append(Off(tick, order))
        if not self._open:
            self._pair()

    def cut(self, tick: int, order: int) -> None:
        """All notes end."""
        self.ends += [(note, Off(tick, order)) for note in self._finish()]

    def finish(self) -> None:
        """The file ends."""
        self.unreleased += self._finish()

    def _finish(self) -> Sequence[Note]:
        """Pair what can be; the notes that are left."""
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
        """Offs of an earlier tick that found no note: notes of no length last until then, or it is stray."""
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
        """The notes of no length have none."""
        self.ends += [(short.note, Off(short.note.start, short.order)) for short in self._short]
        self._short = []
