"""Convert the ticks of a MIDI file to beats of the score and to seconds."""
from __future__ import annotations

import bisect

from pysitar.app.midi.notes import Piece
from pysitar.app.midi.reading import MidiFile

DEFAULT_TEMPO = 500000                          # us per quarter note, if a file has no tempo


class Clock:
    """Converts ticks to beats (quarter notes; seconds in a file with SMPTE time) and to seconds."""

    def __init__(self, file: MidiFile, piece: Piece) -> None:
        self._beat = float(file.ticks_per_beat) or file.ticks_per_second
        self.tempos = list(piece.tempos)
        if not file.ticks_per_beat:
            self.tempos = [(0, 1000000)]
        elif not self.tempos or self.tempos[0][0] > 0:
            self.tempos.insert(0, (0, DEFAULT_TEMPO))
        self._ticks = [tick for tick, _ in self.tempos]
        self._seconds = [0.0]
        for (tick, tempo), (after, _) in zip(self.tempos, self.tempos[1:], strict=False):
            self._seconds.append(self._seconds[-1] + (after - tick) / self._beat * tempo * 1e-6)

    def beat(self, tick: float) -> float:
        """Return the beat of a tick."""
        return tick / self._beat

    def seconds(self, tick: int) -> float:
        """Return the time (s) of a tick."""
        at = bisect.bisect_right(self._ticks, tick) - 1
        return self._seconds[at] + (tick - self._ticks[at]) / self._beat * self.tempos[at][1] * 1e-6
