"""The pitches of objects: which bar of a set a pitch plays, and which size of an object has it."""
from __future__ import annotations

from collections.abc import Sequence

from pysitar.errors import ParameterError, quoted
from pysitar.gestures.base import Verb
from pysitar.kernels.core import elementary
from pysitar.models.definitions.bar_sets import BarOfSet, note_name, note_number
from pysitar.models.definitions.objects import ObjectSpec
from pysitar.rendering.plan import PartPlan, ReportProblem
from pysitar.score.pitch import Tuning, frequency, quoted_pitch
from pysitar.score.timeline import Event

NEAREST = 50.0                  # cents: a bar plays the pitches up to half a semitone away
ROUNDING = 1e-6                 # cents


class ObjectPitches:
    """The pitches that a score requests of the objects of one instrument.

    Parameters: name, in messages; parts; tuning. """

    def __init__(self, name: str, parts: Sequence[PartPlan], tuning: Tuning) -> None:
        self.name, self.tuning = name, tuning
        self._bars = [part for part in parts if isinstance(part.spec, BarOfSet)]
        self._parts = tuple(parts)
        self._known: dict[tuple[str, float], str] = {}          # the fault, by object and pitch

    def advice(self, name: str, verb: Verb) -> str:
        """Return the end of a message about a row on the whole instrument: that a pitch plays a bar
        ("": it does not)."""
        if not self._bars or verb.pitch == "not":
            return ""
        bar = self._bars[0].name.replace("s", "#")
        return f", or a pitch: {quoted(f'{name} {verb.name} {bar}')}"

    def bar_name(self, name: str) -> str:
        """Return the name of the bar of a note that is written with a flat, Cs5 of Db5; any other
        name as it is."""
        try:
            return note_name(note_number("note", name))
        except ParameterError:
            return name

    def find_parts(self, event: Event, verb: Verb,
                   report: ReportProblem) -> tuple[PartPlan, ...] | None:
        """Return the object that the pitch of a row on the whole instrument plays; none where it is
        wrong, which is reported; None where it must be named."""
        if verb.pitch == "not":
            return None
        if not self._is_readable(event):
            return ()
        try:
            part = self.part_for(event)
        except ValueError as error:
            report(event.pitch_place, str(error))
            return ()
        return None if part is None else (part,)

    def find_hz(self, part: PartPlan, event: Event, report: ReportProblem) -> float | None:
        """Return the pitch (Hz) of a row on an object; None where it has none, or a wrong one,
        which is reported."""
        if not self._is_readable(event):
            return None
        try:
            return self.hz_on(part, event)
        except ValueError as error:
            report(event.pitch_place, str(error))
            return None

    def _is_readable(self, event: Event) -> bool:
        """Return whether an event has a pitch that is right, in a tuning that is."""
        return event.pitch is not None and event.pitch.text != "" and self.tuning.is_valid

    def part_for(self, event: Event) -> PartPlan | None:
        """Return the bar of a set that the pitch of a row on the instrument plays; its only object
        where there is no set; None where there are several.  Errors: ValueError."""
        if not self._bars:
            return self._parts[0] if len(self._parts) == 1 else None
        assert event.pitch is not None
        hz = frequency(event.pitch, self.tuning, None, event.transpose)
        if event.pitch.cents:
            raise ValueError(f"{quoted(event.pitch.text)} has cents, and a bar its own pitch; "
                             "expected a pitch without cents")
        return min(self._bars, key=lambda bar: abs(self._cents(bar, hz)))

    def hz_on(self, part: PartPlan, event: Event) -> float | None:
        """Return the pitch (Hz) of a row on an object; None for a bar of a set, which has it.
        Errors: ValueError."""
        assert event.pitch is not None
        spec = part.spec
        bar = next((bar for bar in self._bars if bar.name == part.name), None)
        if bar is not None:
            hz = frequency(event.pitch, self.tuning, self._bar_hz(bar), event.transpose)
            if abs(self._cents(bar, hz)) > NEAREST + ROUNDING:
                raise ValueError(self._no_bar(event, bar, hz))
            return None
        assert isinstance(spec, ObjectSpec)
        hz = frequency(event.pitch, self.tuning, spec.pitch, event.transpose)
        if (part.name, hz) not in self._known:
            try:
                spec.at_pitch(hz)
                self._known[part.name, hz] = ""
            except ParameterError as error:
                self._known[part.name, hz] = (
                    f"{quoted_pitch(event.pitch, event.transpose)} is {hz:.6g} Hz on {self.name}."
                    f"{part.name}; {error.expected}")
        if self._known[part.name, hz]:
            raise ValueError(self._known[part.name, hz])
        return hz

    def _bar_hz(self, bar: PartPlan) -> float:
        assert isinstance(bar.spec, BarOfSet)
        return bar.spec.frequency

    def _cents(self, bar: PartPlan, hz: float) -> float:
        """Return how far a frequency (Hz) is over that of a bar."""
        return 1200.0 * elementary.log2(hz / self._bar_hz(bar))

    def _no_bar(self, event: Event, part: PartPlan, hz: float) -> str:
        """Return the message for a pitch that its bar does not have."""
        assert event.pitch is not None
        shown = f"{quoted_pitch(event.pitch, event.transpose)} is {hz:.6g} Hz"
        if len(event.target) > 1:
            return (f"{shown}, and {self.name}.{part.name} {self._bar_hz(part):.6g} Hz; expected "
                    f"{quoted(f'{self.name} {event.verb}')} and the pitch, which plays its own bar")
        first, last = self._bars[0], self._bars[-1]
        return (f"{shown}, and {self.name} has no bar there; expected {first.name} to {last.name}, "
                f"{self._bar_hz(first):.6g} to {self._bar_hz(last):.6g} Hz")
