"""A gesture: a verb of the score language, with its parameters and everything it does.

The score's vocabulary, the binder, the lints, `describe` and the players use gestures; none of
them has the name of a verb.
"""
from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from pysitar.errors import ParameterError, Place
from pysitar.physics.parameters import Parameter

Pitch: TypeAlias = Literal["not", "may", "must"]
Report: TypeAlias = Callable[[Place, str], None]  # arguments: place and message of a problem
NOTHING: Mapping[str, Any] = MappingProxyType({})


class CurvePoint(Protocol):
    """A point of a curve: see models/network/curve.py."""

    @property
    def time(self) -> float: ...
    @property
    def value(self) -> float: ...


class Curve(Protocol):
    """A value that changes during an event: see ValueCurve of models/network/curve.py."""

    @property
    def points(self) -> Sequence[CurvePoint]: ...
    def at(self, times: Iterable[float]) -> list[float]: ...


class Event(Protocol):
    """An event of a score: see score/timeline.py."""

    @property
    def target(self) -> tuple[str, ...]: ...
    @property
    def pitch(self) -> object | None: ...
    @property
    def curve(self) -> object | None: ...
    @property
    def verb_place(self) -> Place: ...
    @property
    def pitch_place(self) -> Place: ...
    @property
    def end_place(self) -> Place: ...


class BoundEvent(Protocol):
    """An event of one part with all its values: see rendering/plan.py."""

    @property
    def time(self) -> float: ...
    @property
    def part(self) -> str: ...
    @property
    def hz(self) -> float | None: ...
    @property
    def values(self) -> Mapping[str, float]: ...
    @property
    def courses(self) -> Mapping[str, Curve]: ...
    @property
    def row(self) -> Event: ...


def greatest_value(event: BoundEvent, name: str) -> float:
    """Return the greatest magnitude of a value over an event."""
    curve = event.courses.get(name)
    if curve is None:
        return abs(event.values[name])
    return max(abs(point.value) for point in curve.points)


class Row(Protocol):
    """A row that is bound to one part.

    Attributes: event; part, its name; spec, of the part; values, all values of the event by full
    name (SI), which the gesture may change; row_names, the names whose values the row has, those
    that are right; written, the full names of all arguments of the row; curves, of the values that
    change; duration (s), of the row.
    """

    @property
    def event(self) -> Event: ...
    @property
    def part(self) -> str: ...
    @property
    def spec(self) -> Any: ...
    @property
    def values(self) -> dict[str, float]: ...
    @property
    def row_names(self) -> Collection[str]: ...
    @property
    def written(self) -> Collection[str]: ...
    @property
    def curves(self) -> Mapping[str, Curve]: ...
    @property
    def duration(self) -> float: ...
    def report(self, place: Place, message: str) -> None:
        """Report a problem."""
    def report_value(self, name: str, message: str) -> None:
        """Report a problem at the value of a name, or at the row's start where it has none."""
    def report_force(self, name: str, error: ParameterError) -> None:
        """Report a force out of range: at the play whose factor moved it there, else at the value
        of a name."""


class Player:
    """Base of strings, objects and masses that play: they offer actions, which gestures schedule.

    Attributes: spec, of the part; sample_rate, internal (Hz); actions, the kinds that it offers;
    finger_steps, the steps in which a damping finger comes down or lifts; fingers, the largest
    number that may press it at a time.
    """

    spec: Any
    sample_rate: float
    actions: Collection[str]
    finger_steps = 0
    fingers = 0

    @property
    def now(self) -> int:
        """The present step."""
        raise NotImplementedError

    def schedule(self, kind: str, step: int, values: Mapping[str, float],
                 curve: Any = None) -> None:
        """Schedule an action, not before the present step; curve, of its changing value."""
        raise NotImplementedError

    def take_finger(self, step: int, stop: int) -> int | None:
        """Return the number of a pressing finger that is free between two steps; None: none is."""
        return None

    def default_values(self, verb: str) -> dict[str, float]:
        """Return the instrument's default values of a verb (SI)."""
        values: dict[str, float] = self.spec.default_values(verb)
        return values


class HammerHead(NamedTuple):
    """What hammers must have in common to use the same row of a network: the exponent, the memory
    and the memory time (s; 0 without memory) of their law."""

    exponent: float
    memory: float = 0.0
    memory_time: float = 0.0


class Needs(NamedTuple):
    """What the network of a string must have from the start for some events.

    Fields: heads, of hammers; presses, the first and the last step of each press; is_bowed.
    """

    heads: frozenset[HammerHead] = frozenset()
    presses: tuple[tuple[int, int], ...] = ()
    is_bowed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """A gesture as a scheme plays it: its name, its parameters by full name, whether a pitch may or
    must follow it, or not, and the gesture."""

    name: str
    parameters: Mapping[str, Parameter]
    pitch: Pitch
    gesture: Gesture


class Gesture:
    """A verb on the parts of one model; a subclass sets its attributes and overrides methods.

    Attributes: name; model, "string", "impact" or "lumped"; parameters, by full name;
    parameter_needs, the capability of a scheme that a parameter needs, by name; needs, the
    capabilities that the gesture needs; curves, the parameters that may be curves; pitch, whether a
    pitch may or must follow the verb, or not, by schemes with the capability "pitch"; takes_curve,
    whether a curve of pitches may; takes_ornament; sounds; keeps_hz, whether a sidecar names the
    pitch; expands_into, the verb of the events that it is expanded into ("": it is played itself);
    whole_instrument, whether its target is an instrument; defaults, the table of a part with its
    default values ("": none); forces, the parameters that the factor of a play multiplies;
    scales_default, whether it multiplies a default force; follower, the value whose default follows
    the pitch of the part, by `follow_factor` ("": none); draws, whether it draws a string aside by
    a force or to a height and releases it; strength, the parameter that sets how loud it is;
    starts_notes, stops_notes, whether the notes of a MIDI file start, or end, with it; begins, what
    its first sound is called where that comes later; number_hint, what is expected where a bare
    number stands in the place of a pitch ("": a pitch), with {number} for it; alternatives, pairs
    of groups of parameters, of which a row may have one.

    Capabilities of schemes of strings are "pitch" (it changes while the string sounds), "touch" (a
    plectrum touches the string before a pluck), "finger" (a damping finger has rows), "frets"
    (fingers press the string) and "hammer".
    """

    name = ""
    model = "string"
    parameters: Mapping[str, Parameter] = NOTHING
    parameter_needs: Mapping[str, str] = NOTHING
    needs: frozenset[str] = frozenset()
    curves: frozenset[str] = frozenset()
    pitch: Pitch = "not"
    takes_curve = False
    takes_ornament = False
    sounds = True
    keeps_hz = True
    expands_into = ""
    whole_instrument = False
    defaults = ""
    forces: tuple[str, ...] = ("force",)
    scales_default = True
    follower = ""
    draws = False
    strength = ""
    starts_notes = False
    stops_notes = False
    begins = ""
    number_hint = ""
    alternatives: Sequence[tuple[Collection[str], Collection[str]]] = ()

    def __repr__(self) -> str:
        return f"<gesture {self.name} on {self.model}>"

    def played_by(self, capabilities: frozenset[str]) -> Verb | None:
        """Return the gesture as a scheme with some capabilities plays it; None: it does not."""
        if self.expands_into or not self.needs <= capabilities:
            return None
        return Verb(self.name, self.parameters_by(capabilities),
                    self.pitch if "pitch" in capabilities else "not", self)

    def parameters_by(self, capabilities: frozenset[str]) -> Mapping[str, Parameter]:
        """Return the parameters that a scheme with some capabilities has."""
        return {name: parameter for name, parameter in self.parameters.items()
                if self.parameter_needs.get(name, "") in {"", *capabilities}}

    def is_playable(self, spec: Any) -> bool:
        """Return whether a part has what the gesture needs of it, such as frets."""
        return True

    def missing_message(self, instrument: str, part: str) -> str:
        """Return the message for a part on which it is not playable."""
        raise NotImplementedError

    def expand(self, values: Mapping[str, Any],
               parts: Sequence[str]) -> Iterator[tuple[float, str]]:
        """Yield the time (s) after the event and the part of each event it is expanded into, in
        order of time; values, of its own parameters, and parts, those of its target."""
        raise NotImplementedError

    def conflict(self, name: str, others: Collection[str]) -> str:
        """Return why a parameter does not go with others of the row, as the end of a message ("":
        it does); others, all full names of the row, in its order."""
        before = itertools.takewhile(lambda other: other != name, others)
        return next((f"and {self._short(other)} exclude each other; expected one of the two"
                     for other in before for pair in self.alternatives
                     for one, instead in (pair, pair[::-1])
                     if other in one and name in instead), "")

    def _short(self, name: str) -> str:
        """Return the name of a parameter in rows."""
        parameter = self.parameters[name]
        return parameter.alias or parameter.name

    def check_event(self, event: Event, report: Report) -> None:
        """Report what is wrong with an event that has no ornament."""

    def bind(self, row: Row) -> None:
        """Complete and check values that depend on each other or on the part."""

    def check_others(self, event: BoundEvent, times: list[float], report: Report) -> None:
        """Report an event that the earlier ones on its part leave no room for; times (s), kept by
        the gesture for each part."""

    def sound_delay(self, values: Mapping[str, float], spec: Any) -> float | None:
        """Return the time (s) from the event to its first sound; inf: it never sounds; None: it
        needs none."""
        return 0.0

    def replaces_earlier(self, values: Mapping[str, float], spec: Any) -> bool:
        """Return whether an event ends an earlier one of its verb on its part that has not sounded
        yet."""
        return False

    def impact_speed(self, values: Mapping[str, float]) -> float | None:
        """Return the speed (m/s) of its first contact; None where it has no impact."""
        return None

    def steady_fault(self, event: BoundEvent, spec: Any, hz: float, length: float) -> str:
        """Return what keeps an event from a steady sound, and what to do ("": nothing); spec, of
        its part, pitch (Hz) and, of a string, the length (m) that sounds."""
        return ""

    def follow_factor(self, spec: Any, own_hz: float, hz: float, length: float) -> float:
        """Return the factor of its `follower`'s default at a pitch (Hz), and, of a string, with a
        length (m) that sounds; spec and own_hz (Hz), of the part at its own pitch."""
        return 1.0

    def stopped_length(self, values: Mapping[str, float], spec: Any) -> float | None:
        """Return the length (m) of a string that sounds while it is held; None: the whole."""
        return None

    def loudness_name(self, written: Collection[str]) -> str:
        """Return the name in rows of the parameter that sets how loud a row without a force is
        ("": the row has a force, or no sound); written, the full names of the row's arguments."""
        return self.parameters[self.strength].alias if self.strength else ""

    def strength_of(self, written: Collection[str]) -> str:
        """Return the full name of the parameter that sets how loud a row is ("": none); written,
        the full names of the row's arguments."""
        return self.strength

    def network_needs(self, events: Sequence[BoundEvent], sample_rate: int) -> Needs:
        """Return what the network must have from the start for its events on one part."""
        return Needs()

    def begin(self, player: Player, step: int, values: Mapping[str, float],
              curves: Mapping[str, Any]) -> None:
        """Schedule the actions of an event; a pitch is the player's own."""
