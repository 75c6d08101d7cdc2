"""The pitches that a score asks of a string: which it can have, and which are physically doubtful."""
from __future__ import annotations

from dataclasses import dataclass, field

from pysitar.errors import ParameterError, Place, Problem, quoted
from pysitar.kernels.core import elementary
from pysitar.models.network.network import highest_frequency
from pysitar.models.strings.mode_selection import HIGHEST_PLAYED, highest_at, playable_modes
from pysitar.physics.modes import StringModes, string_modes
from pysitar.physics.string import LOWER, String
from pysitar.rendering.plan import StringPlan
from pysitar.score.literals import Pitch
from pysitar.score.pitch import Tuning, frequency

ROUNDING = 1e-6                 # semitones, by which a pitch may lie outside its string's range
STEEL_BREAKS = 2.2e9            # Pa
SHARP_UNDER = 88_000            # Hz: an internal rate at which strings on bridges are still in tune
BRIGHT = 8000.0                 # Hz: a string on a bridge that keeps its open pitch's partials up to there still buzzes


@dataclass(slots=True)
class AskedPitches:
    """The pitches that a score asks of one string.

    Parameters: name, as messages show it (t.pa); plan; tuning; internal_rate (Hz); played, where the string is played first; first, where
    each pitch (Hz) is asked for first.
    """

    name: str
    plan: StringPlan
    tuning: Tuning
    internal_rate: int
    played: Place | None = None
    first: dict[float, Place] = field(default_factory=dict)
    _known: dict[tuple[str, float], float | str] = field(default_factory=dict)          # or what is wrong with it
    _lowest: float = field(init=False)          # Hz, that the string is known to hold

    def __post_init__(self) -> None:
        self._lowest = self.plan.hz

    def ask(self, pitch: Pitch, transpose: float, place: Place) -> float:
        """Notes a pitch that is asked for at a place, moved by cents; its frequency (Hz).

        Errors: ValueError whose text says what is wrong, and what would be right.
        """
        if pitch.is_degree and not self.tuning.is_known:
            return self.plan.hz
        key = (pitch.text, transpose)
        if key not in self._known:
            try:
                self._known[key] = self._frequency(pitch, transpose)
            except ValueError as error:
                self._known[key] = str(error)
        found = self._known[key]
        if isinstance(found, str):
            raise ValueError(found)
        self.first.setdefault(found, place)
        return found

    def hold(self, hz: float, place: Place, what: str) -> None:
        """Notes a frequency (Hz) that is asked for at a place.  Errors: ValueError that begins with `what`, as `ask`."""
        if hz not in self.first:
            wrong = self._outside(hz)
            if wrong:
                raise ValueError(f"{what} is {hz:.6g} Hz on {self.name}{wrong}")
            self._lowest = min(self._lowest, hz)
            self.first[hz] = place

    @property
    def highest(self) -> float:
        """The highest pitch asked for (Hz), at least the open string's."""
        return max((self.plan.hz, *self.first))

    def problems(self) -> list[Problem]:
        """The pitches at which a mode of the string would not oscillate any more, or none is left."""
        if not self.first:
            return []
        if self._open_modes() is None:
            return []
        try:
            modes = self._kept_modes()
        except ParameterError as error:
            return [self._impossible(self.highest, error, "lower")]
        found = []
        for hz in sorted(self.first):
            try:
                modes.angular_frequencies_at(self._string(hz).tension)
            except ParameterError as error:
                found.append(self._impossible(hz, error, "higher"))
            else:          # the frequencies rise with the tension
                break
        return found

    def warnings(self) -> list[Problem]:
        """What is doubtful in the highest pitch: a tension that would break steel, modes that are left out."""
        place = self.first.get(self.highest, self.played)
        if place is None:
            return []
        highest = self.highest
        found = []
        stress = self.plan.spec.stress(highest, open_hz=self.plan.hz)
        if stress > STEEL_BREAKS:
            found.append(Problem(place, f"{self.name} at {highest:.6g} Hz would be under {stress / 1e9:.1f} GPa; steel breaks at about "
                                        f"{STEEL_BREAKS / 1e9:g} GPa, so the tension is an idealisation"))
        modes = self._open_modes() if highest > self.plan.hz else None
        lost = "" if modes is None else self._lost(modes.count)
        return [*found, Problem(place, lost)] if lost else found

    def _lost(self, count: int) -> str:
        """What the highest pitch takes of the open string's modes, if that is much ("": it is not)."""
        kept = self._kept_modes()
        top = float(kept.frequencies[-1])
        if kept.count == count or (self._on_bridge and top >= BRIGHT):
            return ""
        keeps = f"keeps {kept.count} of its {count} modes, those up to {top:.0f} Hz at its open pitch"
        if not self._on_bridge:
            return f"{self.name} at {self.highest:.6g} Hz {keeps}; a higher oversample would keep them all"
        limit = highest_at(self.internal_rate, on_bridge=True)
        return (f"{self.name} goes up to {self.highest:.6g} Hz and so {keeps}: on a bridge they all stay below {limit:g} Hz at the highest "
                "pitch")

    @property
    def _on_bridge(self) -> bool:
        return self.plan.spec.barrier is not None

    def _string(self, hz: float) -> String:
        """The string of physics at a pitch (Hz).  Errors: ParameterError."""
        return self.plan.spec.string(hz, open_hz=self.plan.hz)

    def _kept_modes(self) -> StringModes:
        """The modes that the string has in this score.  Errors: ParameterError."""
        return playable_modes(self._string(self.plan.hz), self._string(self.highest).tension, self.internal_rate,
                              on_bridge=self._on_bridge)

    def _open_modes(self) -> StringModes | None:
        """The modes of the open string; None where it has none, or too many: told when the instrument is built, whatever is played."""
        try:
            return string_modes(self.plan.spec.string(self.plan.hz), max_frequency=highest_frequency(self.internal_rate))
        except ParameterError:
            return None

    def _frequency(self, pitch: Pitch, transpose: float) -> float:
        """The frequency of a pitch (Hz), if the string can have it.  Errors: ValueError."""
        hz = frequency(pitch, self.tuning, self.plan.hz, transpose)
        wrong = self._outside(hz)
        if wrong:
            moved = f", moved {transpose:+g} cents by its play," if transpose else ""
            raise ValueError(f"the pitch {quoted(pitch.text)}{moved} is {hz:.6g} Hz on {self.name}{wrong}")
        self._lowest = min(self._lowest, hz)
        return hz

    def _outside(self, hz: float) -> str:
        """Why the string cannot have a frequency (Hz), and what would be right ("": it can)."""
        open_hz, spec = self.plan.hz, self.plan.spec
        semitones = 12.0 * elementary.log2(hz / open_hz)
        if not spec.lowest - ROUNDING <= semitones <= spec.highest + ROUNDING:
            low, high = (open_hz * elementary.pow(2.0, bound / 12.0) for bound in (spec.lowest, spec.highest))
            return (f", {semitones:+.8g} semitones from its open string; {spec.lowest:+g} to {spec.highest:+g} semitones, {low:.6g} to "
                    f"{high:.6g} Hz, would be right")
        limit = HIGHEST_PLAYED * self.internal_rate
        if not hz < limit:
            return f", not under {limit:g} Hz, {HIGHEST_PLAYED:g} of the internal rate; expected a lower one"
        if hz < self._lowest:          # a string can have every pitch above one that it can have
            try:
                self._string(hz)
            except ParameterError as error:
                return f"; {error.expected}{', or a higher pitch' if error.expected.endswith(LOWER) else ''}"
        return ""

    def _impossible(self, hz: float, error: ParameterError, right: str) -> Problem:
        return Problem(self.first[hz], f"{self.name} cannot be at {hz:.6g} Hz: {error.expected}; expected a {right} pitch")


def sharp_bridges(name: str, asked: list[AskedPitches], internal_rate: int) -> list[Problem]:
    """A warning when strings of an instrument on bridges are played at a low internal rate (Hz); name, the instrument's."""
    if internal_rate >= SHARP_UNDER or not any(string.played and string.plan.spec.barrier for string in asked):
        return []
    message = (f"{name} has strings on bridges; at an internal rate of {internal_rate} Hz they sound sharper (at 16000 Hz by 11 cents) and "
               f"duller, and {SHARP_UNDER} Hz or more, rate x oversample, would be right")
    return [Problem(asked[0].plan.place, message)]
