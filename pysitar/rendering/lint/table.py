"""The table of lints: checks that only make messages, each in a module of this folder that is
imported and entered only where its entry applies."""
from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, Protocol, TypeAlias

from pysitar.errors import Place, Problem
from pysitar.gestures.base import Gesture, Verb
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.models.definitions.faults import KeyPath
from pysitar.models.definitions.objects import ObjectSpec
from pysitar.models.definitions.overrides import Change, matches
from pysitar.models.definitions.spec import InstrumentSpec, StringSpec
from pysitar.models.network.network import HIGHEST, highest_frequency
from pysitar.models.network.schemes.base import GRID
from pysitar.models.network.schemes.catalogue import SCHEMES_OF, STRING_SCHEMES
from pysitar.physics.stretching import RATE_PER_RISE
from pysitar.rendering.conversion import RowValue
from pysitar.rendering.options import Options
from pysitar.rendering.plan import PITCH, PartPlan, StringPlan, VoicePlan
from pysitar.score.document import Score
from pysitar.score.timeline import MAX_SECONDS, SOUND_ADVICE, Event, Timeline

RESOLVED_STEPS = 40.0          # steps: the impulse of a longer force is within 2.5 %
LOWEST_BRIDGE_RATE = 88_000     # Hz: lowest internal rate at which strings on bridges are in tune
FROM_HEIGHT = 0.1               # fraction by which a triangle may raise the tension unreported
HALF_A_CENT = 1.000288852       # ratio of frequencies
SHORTEST_GLIDE = 0.004          # s: a shorter one of a dull string stands out of its partials
MANY_POINTS = 64                # contact points: fewer are quick at any internal rate up to 3 MHz
# fraction of the tension: with this rise a real string's displacement would be a third less
BY_FORCE = 1.0


class Severity(enum.Enum):
    """The severity of the messages of a lint."""

    ERROR = "error"             # the score is not rendered
    WARNING = "warning"


class ChangedInstrument(NamedTuple):
    """An instrument file with the changes of a score.

    Fields: text, of the file, valid; changes, in order; spec, with all changes (None: they cannot
    be applied); model; pitch_fault, which returns what is wrong with the pitch of a string ("":
    nothing); value_place, which returns the place of a change's value, by its index and the
    message; file_problem, which returns a problem at a key of the file, by its path and a message.
    """

    text: str
    changes: Sequence[Change]
    spec: InstrumentSpec | None
    model: str
    pitch_fault: Callable[[StringSpec], str]
    value_place: Callable[[int, str], Place]
    file_problem: Callable[[KeyPath, str], Problem]


class RowBinder(Protocol):
    """The binder, for lints that check rows: it reports what is wrong with a row."""

    def find_verbs(self, name: str) -> tuple[InstrumentSpec, Mapping[str, Verb]] | None: ...
    def find_parts(self, event: Event) -> Sequence[PartPlan]: ...
    def read_values(self, event: Event) -> Mapping[str, RowValue]: ...
    def report(self, place: Place, message: str) -> None: ...


@dataclass(frozen=True, slots=True, eq=False)
class CheckedScore:
    """A score with its events bound.

    Parameters: score; options; allow_large, whether the limits of size are lifted; timeline;
    events, of the timeline, strums expanded; end, the latest start + duration of all events (s);
    voices; binder.
    """

    score: Score
    options: Options
    allow_large: bool
    timeline: Timeline
    events: Sequence[Event]
    end: float
    voices: tuple[VoicePlan, ...]
    binder: RowBinder


class CheckedVoice(NamedTuple):
    """A voice of a score; with an error in the score, some values of its events may be missing.

    Fields: plan; options; end, the latest start + duration of all events of the score (s).
    """

    plan: VoicePlan
    options: Options
    end: float


Subject: TypeAlias = ChangedInstrument | CheckedScore | CheckedVoice


class Lint(NamedTuple):
    """A lint.

    Fields: name, of its module in this folder; subject, what it checks; severity; applies, which
    returns, without entering the module, whether a subject may cause a message; function, its name
    in the module ("": the name of the module), which returns the problems of a subject.
    """

    name: str
    subject: type[Subject]
    severity: Severity
    applies: Callable[[Any], bool]
    function: str = ""

    def check(self, subject: Subject) -> list[Problem]:
        """Import and run the lint; return its problems."""
        module = import_module(f"pysitar.rendering.lint.{self.name}")
        return list(getattr(module, self.function or self.name)(subject))


def run_lints(subject: Subject, severity: Severity) -> list[Problem]:
    """Return the problems of the lints of a severity that apply to a subject."""
    return [problem for lint in LINTS
            if lint.subject is type(subject) and lint.severity is severity and lint.applies(subject)
            for problem in lint.check(subject)]


def _has_replaced_values(instrument: ChangedInstrument) -> bool:
    return len(instrument.changes) > 1


def _has_idle_keys(instrument: ChangedInstrument) -> bool:
    spec = instrument.spec
    return spec is not None and any(
        not one.is_kept or any(matches(path, one.path) for path, _ in instrument.changes)
        for one in spec.idle)


def _has_broken_row(checked: CheckedScore) -> bool:
    score = checked.score
    return any(row.broken for section in (score.main, *score.sections.values())
               for row in section.rows)


def _is_silent(checked: CheckedScore) -> bool:
    return any(problem.message.endswith(SOUND_ADVICE) for problem in checked.timeline.problems)


def _is_batch(checked: CheckedScore) -> bool:
    return bool(checked.score.sweeps or checked.score.draws)


def _has_long_tail(checked: CheckedScore) -> bool:
    tail = checked.options.tail
    return (tail is not None and checked.end <= MAX_SECONDS < checked.end + tail
            and not checked.allow_large and not checked.timeline.problems)


def _has_sections(checked: CheckedScore) -> bool:
    return bool(checked.score.sections)


def _has_scaled_play(checked: CheckedScore) -> bool:
    return any(event.scaling_play is not None for event in checked.events)


def _has_force_under(voice: CheckedVoice, steps: float) -> bool:
    """Return whether the force of a pluck lasts at most a number of internal steps."""
    longest = steps / voice.options.internal_rate
    return any("ramp" in event.values
               and event.values["ramp"] + event.values["release"] <= longest
               for event in voice.plan.events)


def _has_t60(voice: CheckedVoice) -> bool:
    return any("t60" in event.row.arguments for event in voice.plan.events)


def _has_impact(voice: CheckedVoice) -> bool:
    plan = voice.plan
    return plan.spec.model != "string" and any(
        BY_MODEL[plan.spec.model][event.verb].impact_speed(event.values) is not None
        for event in plan.events)


def _leaves_out_modes(voice: CheckedVoice) -> bool:
    options = voice.options
    spec = voice.plan.spec
    if spec.model == "string":
        fraction = STRING_SCHEMES[spec.scheme].highest
        return (0.0 < highest_frequency(options.internal_rate, fraction)
                < highest_frequency(options.rate))
    limit = HIGHEST * options.internal_rate
    return any(isinstance(part.spec, ObjectSpec) and part.spec.frequencies_from(limit)
               for part in voice.plan.parts)


def _raises_frequencies(voice: CheckedVoice) -> bool:
    """Return whether a scheme raises the pitch of a string by half a cent."""
    spec, rate = voice.plan.spec, voice.options.internal_rate
    if spec.model != "string":
        return False
    simulated = STRING_SCHEMES[spec.scheme].simulated_frequency
    return simulated is not None and any(
        simulated(part.hz, rate) > HALF_A_CENT * part.hz
        for part in voice.plan.parts if isinstance(part, StringPlan))


def _may_stretch(voice: CheckedVoice) -> bool:
    """Return whether a pluck may raise the tension of its string noticeably.

    From a height h at x of a string of length L the rise, relative to the tension T, is K h^2 / (2
    T x (L - x)), with K the axial stiffness, and by a force f at most K f^2 / (8 T^3). Both are
    compared with half of what is reported, at the lowest pitch of the string: the corrections of
    pitches change T by far less.
    """
    least = min(BY_FORCE, voice.options.internal_rate / RATE_PER_RISE)
    limits: dict[str, tuple[float, float, float]] = {}
    for event in voice.plan.events:
        if not BY_MODEL[voice.plan.spec.model][event.verb].draws:
            continue
        if event.part not in limits:
            limits[event.part] = _stretch_limits(voice.plan, event.part)
        stiffness, tension, length = limits[event.part]
        values = event.values
        if "height" in values:
            arms = values["position"] * (length - values["position"])
            rise = stiffness * values["height"] * values["height"] / (2.0 * tension * arms)
            if rise > 0.5 * min(FROM_HEIGHT, least):
                return True
        elif (stiffness * values["force"] * values["force"]
              > 4.0 * least * tension * tension * tension):
            return True
    return False


def _stretch_limits(plan: VoicePlan, name: str) -> tuple[float, float, float]:
    """Return the axial stiffness (N), the tension (N) at the lowest pitch in the score, and the
    length (m) of a string."""
    part = next(part for part in plan.strings if part.name == name)
    pitches = [hz for event in plan.events if event.part == name
               for hz in (event.hz, event.last_hz) if hz is not None]
    string = part.spec.string(min((part.hz, *pitches)), open_hz=part.hz)
    return part.spec.wire_stiffness, string.tension, string.length


def _may_be_unsteady(voice: CheckedVoice) -> bool:
    """Return whether a gesture plays whose sound may not be steady, or none at all."""
    gestures = BY_MODEL[voice.plan.spec.model]
    return any(type(gestures[verb]).steady_fault is not Gesture.steady_fault
               for verb in {event.verb for event in voice.plan.events})


def _may_glide_fast(voice: CheckedVoice) -> bool:
    return any(event.values.get("glide", SHORTEST_GLIDE) < SHORTEST_GLIDE or PITCH in event.courses
               for event in voice.plan.events)


def _has_curve(voice: CheckedVoice) -> bool:
    return any(event.courses for event in voice.plan.events)


def _has_rattle(voice: CheckedVoice) -> bool:
    return any(isinstance(part, StringPlan) and part.spec.rattle is not None
               for part in voice.plan.parts)


def _has_staccato(checked: CheckedScore) -> bool:
    return any("staccato" in event.arguments for event in checked.timeline.events)


def _has_loudness(checked: CheckedScore) -> bool:
    return any("loudness" in mix.arguments for mix in checked.score.mixes)


def _is_on_grid(voice: CheckedVoice) -> bool:
    space: str = SCHEMES_OF[voice.plan.spec.model][voice.plan.spec.scheme].space
    return space == GRID


def _may_be_inaudible(voice: CheckedVoice) -> bool:
    """Return whether an event begins to sound after the end of the sound; a mass may never reach
    its barrier."""
    plan, options, end = voice
    if plan.spec.model == "lumped":
        return True
    if options.tail is None:
        return False
    sound_end = end + options.tail
    gestures, specs = BY_MODEL[plan.spec.model], {part.name: part.spec for part in plan.parts}
    return any(delay is not None and event.time + delay + 1.0 / options.rate > sound_end
               for event in plan.events
               for delay in (gestures[event.verb].sound_delay(event.values, specs[event.part]),))


def _has_slow_bridge(voice: CheckedVoice) -> bool:
    if voice.options.internal_rate >= LOWEST_BRIDGE_RATE:
        return False
    played = {event.part for event in voice.plan.events}
    return any(isinstance(part, StringPlan) and part.spec.barrier is not None
               and not part.spec.statics and part.name in played for part in voice.plan.parts)


def _has_many_points(voice: CheckedVoice) -> bool:
    """Return whether a string has many contact points, by a scheme that solves for the forces of
    all points together."""
    spec = voice.plan.spec
    return spec.model == "string" and STRING_SCHEMES[spec.scheme].solves_together and any(
        sum(size for size in (part.barrier and part.barrier.points, part.frets and part.frets.count,
                              part.fretboard and part.fretboard.points) if size) >= MANY_POINTS
        for part in spec.strings)


LINTS = (
    Lint("overridden_values", ChangedInstrument, Severity.ERROR, _has_replaced_values),
    Lint("idle_keys", ChangedInstrument, Severity.WARNING, _has_idle_keys),
    Lint("broken_rows", CheckedScore, Severity.ERROR, _has_broken_row),
    Lint("silence", CheckedScore, Severity.ERROR, _is_silent),
    Lint("many_sounds", CheckedScore, Severity.ERROR, _is_batch),
    Lint("long_tail", CheckedScore, Severity.ERROR, _has_long_tail),
    Lint("short_plucks", CheckedVoice, Severity.ERROR, lambda voice: _has_force_under(voice, 1.0),
         "silent_plucks"),
    Lint("slow_dampers", CheckedVoice, Severity.WARNING, _has_t60),
    Lint("short_contacts", CheckedVoice, Severity.WARNING, _has_impact),
    Lint("short_plucks", CheckedVoice, Severity.WARNING,
         lambda voice: _has_force_under(voice, RESOLVED_STEPS)),
    Lint("left_out_modes", CheckedVoice, Severity.WARNING, _leaves_out_modes),
    Lint("sharp_partials", CheckedVoice, Severity.WARNING, _raises_frequencies),
    Lint("large_plucks", CheckedVoice, Severity.WARNING, _may_stretch),
    Lint("slow_contacts", CheckedVoice, Severity.WARNING, _has_many_points),
    Lint("coarse_grids", CheckedVoice, Severity.WARNING, _is_on_grid),
    Lint("inaudible_events", CheckedVoice, Severity.WARNING, _may_be_inaudible),
    Lint("slow_bridges", CheckedVoice, Severity.WARNING, _has_slow_bridge),
    Lint("heavy_rattles", CheckedVoice, Severity.WARNING, _has_rattle),
    Lint("unsteady_sounds", CheckedVoice, Severity.WARNING, _may_be_unsteady),
    Lint("short_glides", CheckedVoice, Severity.WARNING, _may_glide_fast),
    Lint("cut_curves", CheckedVoice, Severity.WARNING, _has_curve),
    Lint("late_staccatos", CheckedScore, Severity.WARNING, _has_staccato),
    Lint("silent_instruments", CheckedScore, Severity.WARNING, _has_loudness),
    Lint("force_factors", CheckedScore, Severity.WARNING, _has_scaled_play),
    Lint("doubtful_sections", CheckedScore, Severity.WARNING, _has_sections),
)
