"""The time of a section: its beats in seconds, with its tempo, swing and accents."""
from __future__ import annotations

from dataclasses import dataclass

from pysitar.score.beats import Beats, add_beats
from pysitar.score.elements import Clock, Section, Time
from pysitar.score.feel import Accents, Humanise, Swing
from pysitar.score.tempo import TempoMap


@dataclass(frozen=True, slots=True)
class Placement:
    """The time of a section: `tempo` has its beat 0 at `origin` (s); the section has its beat 0 at
    `beat` of that tempo, which is at `start` (s).

    Parameters: swing, whose first pair begins at `swing_beat` of the tempo; accents, whose pattern
    begins at `accent_beat`; humanise.
    """

    tempo: TempoMap
    origin: float
    beat: Beats
    start: float
    swing: Swing | None = None
    swing_beat: float = 0.0
    accents: Accents | None = None
    accent_beat: float = 0.0
    humanise: Humanise | None = None

    def seconds(self, beat: Beats) -> float:
        """Return the time (s) of a beat of the section."""
        if beat == 0.0:
            return self.start                  # exact where the start was in seconds
        return self.origin + self.tempo.seconds(self.even(beat))

    def even(self, beat: Beats) -> float:
        """Return the beat of the tempo at which a beat of the section lies."""
        total = add_beats(self.beat, beat)
        if self.swing is None:
            return total if type(total) is float else float(total)
        total = float(total)
        return self.swing_beat + self.swing.warp(total - self.swing_beat)

    def beats(self, seconds: float) -> float:
        """Return the beat of the section at a time (s)."""
        beat = self.tempo.beats(max(0.0, seconds - self.origin))
        if self.swing is not None:
            beat = self.swing_beat + self.swing.unwarp(max(0.0, beat - self.swing_beat))
        return beat - float(self.beat)

    def at(self, time: Time) -> float:
        """Return the time (s) of a time in beats or seconds from the start of the section."""
        return self.start + float(time.amount) if time.clock is Clock.SECONDS else self.seconds(
            time.amount)

    def accent(self, beat: Beats) -> float:
        """Return the factor of the pattern of accents at a beat of the section."""
        if self.accents is None:
            return 1.0
        return self.accents.factor(float(add_beats(self.beat, beat)) - self.accent_beat)

    def repeat_start(self, start: float, beat: Beats, every: Time,
                     repeat: int) -> tuple[float, Beats]:
        """Return the start of a repeat: (s, beat); a product, not a sum, so that it does not
        drift."""
        if every.clock is Clock.SECONDS:
            seconds = start + repeat * float(every.amount)
            return seconds, self.beats(seconds)
        later = add_beats(beat, repeat * every.amount)
        return self.seconds(later), later

    def inner(self, section: Section, start: float, beat: Beats) -> Placement:
        """Return the placement of a section that begins at a time (s), at a beat of this one."""
        feel = section.feel
        swing, swing_beat = self.swing, self.swing_beat
        accents, accent_beat = self.accents, self.accent_beat
        if section.tempo is not None:
            tempo, origin = section.tempo, start
            base: Beats = 0.0
            swing_beat = accent_beat = 0.0
        else:
            tempo, origin = self.tempo, self.origin
            base = add_beats(self.beat, beat)
            if feel.swing is not None and swing is not None:
                base = self.even(beat)
        if feel.swing is not None:
            swing, swing_beat = feel.swing, float(base)
        if feel.accents is not None or (feel.swing is not None and accents is not None):
            accents, accent_beat = feel.accents or accents, float(base)
        return Placement(tempo, origin, base, start, swing, swing_beat, accents, accent_beat,
                         feel.humanise or self.humanise)


def outer_placement(section: Section, tempo: TempoMap | None) -> Placement:
    """Return the placement of a section from time 0, at a tempo (None: 60)."""
    feel = section.feel
    return Placement(tempo or TempoMap(), 0.0, 0.0, 0.0, feel.swing, 0.0, feel.accents, 0.0,
                     feel.humanise)
