"""The pitches of a string in a score: which are possible, and which are physically doubtful."""
from __future__ import annotations

from dataclasses import dataclass, field

from pysitar.errors import ParameterError, Place, Problem
from pysitar.kernels.core import elementary
from pysitar.models.network.network import highest_frequency
from pysitar.models.strings.modal_string import HIGHEST_PLAYED, highest_at, playable_modes
from pysitar.physics.modes import StringModes, string_modes
from pysitar.physics.string import LOWER, String
from pysitar.rendering.plan import StringPlan
from pysitar.score.literals import Pitch
from pysitar.score.pitch import Tuning, frequency, quoted_pitch
from pysitar.score.timeline import Event
from pysitar.score.vocabulary import ORNAMENTS

ROUNDING = 1e-6                 # semitones, tolerance of a string's range
LOW_TOLERANCE = 0.03            # of the frequency: half a semitone, for notes that are bent
STEEL_STRENGTH = 2.2e9          # Pa
# Hz: a string on a bridge buzzes with the modes of its open pitch up to here
BUZZ_FREQUENCY = 8000.0


@dataclass(slots=True, eq=False)
class RequestedPitches:
    """The pitches of one string in a score.

    Parameters: name, in messages (t.pa); plan; tuning; internal_rate (Hz); first_played, the place
    of the string's first event; first_places, the first place of each pitch (Hz). """

    name: str
    plan: StringPlan
    tuning: Tuning
    internal_rate: int
    first_played: Place | None = None
    first_places: dict[float, Place] = field(default_factory=dict)
    _results: dict[tuple[str, float], float | str] = field(default_factory=dict)  # Hz, or the fault
    _lowest_checked: float = field(init=False)          # Hz, a possible pitch

    def __post_init__(self) -> None:
        self._lowest_checked = self.plan.hz

    def add_pitch(self, pitch: Pitch, transpose: float, place: Place) -> float:
        """Record a pitch, transposed (cents), with its place; return its frequency (Hz).

        Errors: ValueError.
        """
        if pitch.is_degree and not self.tuning.is_valid:
            return self.plan.hz
        key = (pitch.text, transpose)
        if key not in self._results:
            try:
                self._results[key] = self._frequency(pitch, transpose)
            except ValueError as error:
                self._results[key] = str(error)
        found = self._results[key]
        if isinstance(found, str):
            raise ValueError(found)
        self.first_places.setdefault(found, place)
        return found

    def add_detuned(self, event: Event) -> float:
        """Record the pitch of an event, with its detune where the string can have it; return its
        frequency (Hz).

        Errors: ValueError.
        """
        assert event.pitch is not None
        if event.detune and ORNAMENTS.isdisjoint(event.arguments):
            try:
                return self.add_pitch(event.pitch, event.transpose + event.detune,
                                      event.pitch_place)
            except ValueError:          # at an end of the string's range
                pass
        return self.add_pitch(event.pitch, event.transpose, event.pitch_place)

    def add_frequency(self, hz: float, place: Place, what: str) -> None:
        """Record a frequency (Hz) with its place.  Errors: ValueError that begins with `what`."""
        if hz not in self.first_places:
            wrong = self._range_fault(hz)
            if wrong:
                raise ValueError(f"{what} is {hz:.6g} Hz on {self.name}{wrong}")
            self._lowest_checked = min(self._lowest_checked, hz)
            self.first_places[hz] = place

    @property
    def highest(self) -> float:
        """The highest pitch in the score (Hz), at least the open string's."""
        return max((self.plan.hz, *self.first_places))

    def problems(self) -> list[Problem]:
        """Return a problem for each pitch at which a mode would not oscillate, or no mode
        remains."""
        if not self.first_places:
            return []
        if self._open_modes() is None:
            return []
        try:
            modes = self._kept_modes()
        except ParameterError as error:
            return [self._mode_problem(self.highest, error, "lower")]
        found = []
        for hz in sorted(self.first_places):
            try:
                modes.angular_frequencies_at(self._string(hz).tension)
            except ParameterError as error:
                found.append(self._mode_problem(hz, error, "higher"))
            else:          # the frequencies rise with the tension
                break
        return found

    def warnings(self) -> list[Problem]:
        """Return warnings about the highest pitch: a tension that would break steel, modes left
        out."""
        place = self.first_places.get(self.highest, self.first_played)
        if place is None:
            return []
        highest = self.highest
        found = self._low_pitch_warnings()
        stress = self.plan.spec.stress(highest, open_hz=self.plan.hz)
        if stress > STEEL_STRENGTH and not self._is_at_fret(highest):
            found.append(
                Problem(
                    place,
                    f"{self.name} at {highest:.6g} Hz would be under {stress / 1e9:.1f} GPa; "
                    f"steel breaks at about "
                    f"{STEEL_STRENGTH / 1e9:g} GPa, so the tension is an idealisation"))
        modes = self._open_modes() if highest > self.plan.hz else None
        lost = "" if modes is None else self._lost_modes(modes.count)
        return [*found, Problem(place, lost)] if lost else found

    def _low_pitch_warnings(self) -> list[Problem]:
        """Return a warning about a pitch below the open string, which fingers or hammers cannot
        reach."""
        spec = self.plan.spec
        lowest = min(self.first_places, default=self.plan.hz)
        if lowest >= self.plan.hz * (1.0 - LOW_TOLERANCE) or not (spec.frets or spec.fretboard
                                                                  or spec.strike):
            return []
        how = "hammers play" if spec.strike else "frets raise"
        return [Problem(self.first_places[lowest],
                        f"{self.name} at {lowest:.6g} Hz is below its open string, "
                        f"{self.plan.hz:.6g} Hz, and {how} no lower pitch; expected another "
                        f"string, or set {self.name}.pitch")]

    def _is_at_fret(self, hz: float) -> bool:
        """Return whether a pitch (Hz) is one of a fret of the string: the tension then stands for a
        shorter string, which is under no more of it."""
        frets = self.plan.spec.frets
        return frets is not None and (
            12.0 * elementary.log2(hz / self.plan.hz) <= frets.count + ROUNDING)

    def _lost_modes(self, count: int) -> str:
        """Return a message on the open string's modes lost to the highest pitch ("": not
        significant)."""
        kept = self._kept_modes()
        top = float(kept.frequencies[-1])
        if kept.count == count or (self._on_bridge and top >= BUZZ_FREQUENCY):
            return ""
        kept_text = (f"keeps {kept.count} of its {count} modes, those up to {top:.0f} Hz at its "
                     "open pitch")
        if not self._on_bridge:
            return (f"{self.name} at {self.highest:.6g} Hz {kept_text}; expected a higher "
                    "oversample to keep them all")
        limit = highest_at(self.internal_rate, on_bridge=True)
        return (
            f"{self.name} goes up to {self.highest:.6g} Hz and so {kept_text}: on a bridge all "
            f"modes must be below {limit:g} Hz at the highest pitch")

    @property
    def _on_bridge(self) -> bool:
        return self.plan.spec.barrier is not None

    def _string(self, hz: float) -> String:
        """Return the physical string at a pitch (Hz).  Errors: ParameterError."""
        return self.plan.spec.string(hz, open_hz=self.plan.hz)

    def _kept_modes(self) -> StringModes:
        """Return the string's modes in this score.  Errors: ParameterError."""
        return playable_modes(self._string(self.plan.hz),
                              self._string(self.highest).tension, self.internal_rate,
                              on_bridge=self._on_bridge)

    def _open_modes(self) -> StringModes | None:
        """Return the modes of the open string; None if the string has no modes or too many, which
        is reported when the instrument is built."""
        try:
            return string_modes(self.plan.spec.string(self.plan.hz),
                                max_frequency=highest_frequency(self.internal_rate))
        except ParameterError:
            return None

    def _frequency(self, pitch: Pitch, transpose: float) -> float:
        """Return the frequency of a pitch (Hz), if the string can have it.  Errors: ValueError."""
        hz = frequency(pitch, self.tuning, self.plan.hz, transpose)
        wrong = self._range_fault(hz)
        if wrong:
            raise ValueError(
                f"{quoted_pitch(pitch, transpose)} is {hz:.6g} Hz on {self.name}{wrong}")
        self._lowest_checked = min(self._lowest_checked, hz)
        return hz

    def _range_fault(self, hz: float) -> str:
        """Return why the string cannot have a frequency (Hz), and what is expected ("": it can)."""
        open_hz, spec = self.plan.hz, self.plan.spec
        semitones = 12.0 * elementary.log2(hz / open_hz)
        if not spec.lowest - ROUNDING <= semitones <= spec.highest + ROUNDING:
            low, high = (open_hz * elementary.pow(2.0, bound / 12.0)
                         for bound in (spec.lowest, spec.highest))
            return (
                f", {semitones:+.8g} semitones from its open string; expected {spec.lowest:+g} to "
                f"{spec.highest:+g} "
                f"semitones, {low:.6g} to {high:.6g} Hz")
        limit = HIGHEST_PLAYED * self.internal_rate
        if not hz < limit:
            return (f", not under {limit:g} Hz, {HIGHEST_PLAYED:g} of the internal rate; expected "
                    "a lower one")
        if hz < self._lowest_checked:          # every pitch above a possible one is possible
            try:
                self._string(hz)
            except ParameterError as error:
                other = ", or a higher pitch" if error.expected.endswith(LOWER) else ""
                return f"; {error.expected}{other}"
        return ""

    def _mode_problem(self, hz: float, error: ParameterError, right: str) -> Problem:
        return Problem(
            self.first_places[hz],
            f"{self.name} cannot be at {hz:.6g} Hz: {error.expected}; expected a {right} pitch")
