"""Bind a score to its instruments: resolve every name, check every value and convert it to SI;
report all problems at once."""
from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from pysitar.errors import (
    ParameterError,
    Place,
    Problem,
    ScoreError,
    quoted,
    sort_problems,
    suggest_name,
)
from pysitar.gestures.balls import BALL_NAME, MOST_SEATS
from pysitar.gestures.base import Verb
from pysitar.gestures.pluck import FORCE
from pysitar.models.definitions.reader import with_article
from pysitar.models.definitions.registry import MODELS, PARTS
from pysitar.models.definitions.spec import InstrumentSpec, ObjectSpec, PartSpec
from pysitar.models.network.curve import ValueCurve
from pysitar.physics.parameters import check_position
from pysitar.rendering.binding.bends import (
    OrnamentRequest,
    apply_pitch_curve,
    check_pitch,
    split_ornament,
)
from pysitar.rendering.binding.expansion import STACCATO, Strings, expand_gestures
from pysitar.rendering.binding.instruments import Instrument, instruments
from pysitar.rendering.binding.levels import levels_of, part_levels
from pysitar.rendering.binding.pitches import RequestedPitches
from pysitar.rendering.binding.strengths import scale_courses, scale_value
from pysitar.rendering.conversion import RowValue, ValueCache
from pysitar.rendering.lint.table import CheckedScore, CheckedVoice, Severity, run_lints
from pysitar.rendering.lint.unsupported import (
    parameter_message,
    schemes_with,
    verb_message,
)
from pysitar.rendering.options import Options
from pysitar.rendering.plan import Bound, BoundEvent, Level, PartPlan, StringPlan, VoicePlan
from pysitar.score.document import Score, source_names
from pysitar.score.elements import Section
from pysitar.score.memory import MemoryWatch
from pysitar.score.parser import pause_garbage_collection, with_seed
from pysitar.score.timeline import (
    SOUND_ADVICE,
    TRANSPOSE_ADVICE,
    Event,
    expand_section,
    find_silent_sections,
    score_end,
    timeline,
)
from pysitar.score.tokens import NEW_TUPLE, shift_place
from pysitar.score.vocabulary import (
    EXPANDED_VERBS,
    ORNAMENTS,
    TRANSPOSED_VERBS,
    long_name,
    matches_name,
)

if TYPE_CHECKING:
    from pysitar.rendering.binding.object_pitches import ObjectPitches


def bind(
    score: Score, options: Options, *, problems: Sequence[Problem] = (), allow_large: bool = False,
) -> Bound:
    """Bind a score to its instruments.

    Parameters: problems, found earlier (by the parser, in the options), which are reported with the
    others; allow_large, as in `timeline`.
    Errors: ScoreError with every problem.
    """
    bound = check(score, options, problems=problems, allow_large=allow_large)
    if bound.problems:
        raise ScoreError(bound.problems)
    return bound


def check(
    score: Score, options: Options, *, problems: Sequence[Problem] = (), allow_large: bool = False,
) -> Bound:
    """Bind a score as `bind`; return the problems instead of raising them."""
    with pause_garbage_collection():
        return _check_score(score, options, list(problems), allow_large)


def _check_score(
    score: Score, options: Options, found: list[Problem], allow_large: bool,
) -> Bound:
    """Bind a score as `check`; add the problems to `found`."""
    if score.drawn is not None:
        again = with_seed(score, options.seed)
        score = again.score
        found.extend(again.problems)
    played = timeline(score, allow_large=allow_large, seed=options.seed)
    sources = list(score.sources)
    loaded = instruments(score, options, found, sources)
    binder = _Binder(score, options, loaded, found)
    events = binder.expand(played.events)
    for event in events:
        binder.add(event)
    for event in played.rests:
        binder.check_target(event)
    for section in find_silent_sections(score, played):
        _check_section(score, options, section, loaded, found)
    found.extend(problem for problem in played.problems if not binder.is_replaced(problem))
    found.extend(problem for voice in binder.voices.values() for string in voice.pitches.values()
                 for problem in string.problems())
    end = score_end(events)
    room = None
    if score.room is not None:
        # scores without a room start faster without its modules
        from pysitar.rendering.binding.room import bind_room

        room = bind_room(score, options, found, sources)
    levels = levels_of(score, found) if score.mixes else {}
    voices = tuple(
        VoicePlan(name, voice.spec(), voice.parts(), tuple(binder.following_events(voice)),
                  part_levels(score, name, voice.spec(), voice.parts(), levels.get(name, Level()),
                              found, every=voice.instrument.parts)
                  if score.mixes or voice.instrument.spec.spread else Level(),
                  voice.instrument.response)
        for name, voice in binder.voices.items()
    )
    checked = CheckedScore(score, options, allow_large, played, events, end, voices, binder)
    found.extend(_lint(checked, Severity.ERROR))
    if found:
        return Bound((), end, sort_problems(found, source_names(score)))
    warnings = [warning for voice in binder.voices.values() for one in (
        voice.instrument.warnings, *(string.warnings() for string in voice.pitches.values()))
        for warning in one]
    warnings += _lint(checked, Severity.WARNING)
    return Bound(voices, end, (), sort_problems(warnings, source_names(score)) if warnings else (),
                 tuple(dict.fromkeys(sources)), room,
                 tuple(plan for plan in voices if plan.level.loudness is not None and plan.events))


def _lint(checked: CheckedScore, severity: Severity) -> list[Problem]:
    """Return the problems of the lints of a severity, of the voices and of the whole score."""
    found = [problem for voice in checked.voices if voice.events
             for problem in run_lints(CheckedVoice(voice, checked.options, checked.end), severity)]
    return found + run_lints(checked, severity)


def _check_section(
    score: Score, options: Options, section: Section, loaded: dict[str, Instrument],
    found: list[Problem],
) -> None:
    """Check the rows of a section that is never played."""
    alone, binder = expand_section(score, section), _Binder(score, options, loaded, found)
    for event in binder.expand(alone.events):
        binder.add(event)
    for event in alone.rests:
        binder.check_target(event)
    found.extend(alone.problems)


@dataclass(slots=True, eq=False)
class _Voice:
    instrument: Instrument
    verbs: dict[str, Verb]
    # by string: its pitches, and its last event with a pitch
    pitches: dict[str, RequestedPitches]
    events: list[BoundEvent] = field(default_factory=list)
    last_pitched: dict[str, BoundEvent] = field(default_factory=dict)
    # by part and verb: times that the gesture keeps (s)
    end_times: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    # by object and time (s)
    ball_counts: dict[tuple[str, float], int] = field(default_factory=dict)
    # by name, the parts of a set that the score plays
    computed: dict[str, PartPlan] = field(default_factory=dict)
    object_pitches: ObjectPitches | None = None

    @property
    def part_nouns(self) -> tuple[str, str]:
        """The singular and plural noun for its parts."""
        return PARTS[self.instrument.spec.model]

    def parts(self) -> tuple[PartPlan, ...]:
        """Return the parts; strings have their highest pitch in the score. Of bars of a set, those
        that the score plays."""
        return tuple(
            replace(part, highest=self.pitches[part.name].highest
                    ) if isinstance(part, StringPlan) else self.computed.get(part.name, part)
            for part in self.instrument.parts
            if part.name in self.computed or not part.spec.is_lazy)

    def computed_part(self, part: PartPlan) -> PartPlan:
        """Return a part as it is played; a bar of a set is computed now.  Errors:
        ParameterError."""
        if not part.spec.is_lazy:
            return part
        if part.name not in self.computed:
            self.computed[part.name] = replace(part, spec=part.spec.part())
        return self.computed[part.name]

    def spec(self) -> InstrumentSpec:
        """Return the instrument with the parts of `parts`."""
        whole = self.instrument.spec
        if not any(part.is_lazy for part in whole.parts):
            return whole
        return replace(whole, parts=tuple(part.spec for part in self.parts()))


class _Binder:
    """Bind events one by one; add problems to `problems`."""

    def __init__(self, score: Score, options: Options, loaded: dict[str, Instrument],
                 problems: list[Problem]) -> None:
        self.voices = {}
        for name, instrument in loaded.items():
            pitches = {part.name: RequestedPitches(f"{name}.{part.name}", part, score.tuning,
                                                   options.internal_rate)
                       for part in instrument.parts if isinstance(part, StringPlan)}
            verbs = MODELS[instrument.spec.model][instrument.spec.scheme]
            objects = None
            if instrument.spec.model == "impact":
                # scores of strings alone start faster without the modules of objects
                from pysitar.rendering.binding.object_pitches import ObjectPitches

                objects = ObjectPitches(name, instrument.parts, score.tuning)
            self.voices[name] = _Voice(instrument, verbs, pitches, object_pitches=objects)
        self.problems = problems
        self.fault_count = 0
        self.row_count = 0
        self.reported_factors: set[Place] = set()
        # rows that a scheme without pitch changes cannot transpose
        self.fixed_pitch_rows: set[Place] = set()
        self.reported: set[Problem] = set()  # a row that is played many times is reported once
        self.parts_of_target: dict[tuple[str, ...], tuple[PartPlan, ...]] = {}
        self.default_values: dict[tuple[str, str, str, bool], dict[str, float]] = {}
        self.value_cache = ValueCache()
        self.watch = MemoryWatch("events")

    def expand(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """Return events in order of time, such as a strum replaced by its plucks."""
        if EXPANDED_VERBS.isdisjoint(event.verb for event in events) and not any(
                STACCATO in event.arguments for event in events):
            return events
        voices = {name: Strings(voice.instrument.parts, voice.instrument.spec, voice.verbs)
                  for name, voice in self.voices.items()}
        return expand_gestures(events, voices, self.report)

    def check_target(self, rest: Event) -> None:
        """Report the target of a rest that is no part of its instrument."""
        voice = self.voices.get(rest.target[0])
        if voice is not None and len(rest.target) > 1 and not any(
                matches_name(rest.target[1], part.name) for part in voice.instrument.parts):
            self._parts(rest, voice)

    def add(self, event: Event) -> None:
        """Bind one event to its parts."""
        self.row_count += 1
        voice = self.voices.get(event.target[0])
        if voice is None:          # reported at its use, or as a missing use
            return
        verb = voice.verbs.get(event.verb)
        if verb is None:
            self.report(event.verb_place, verb_message(event.verb, voice.instrument.spec))
            return
        if (event.transpose and event.pitch is None and verb.pitch == "not"
                and event.verb in TRANSPOSED_VERBS):
            self.fixed_pitch_rows.add(event.place)
            schemes = schemes_with(verb.name, voice.instrument.spec,
                                   lambda other: other.pitch != "not")
            self.report(event.place, f"transpose is not played{schemes}")
        parts = self._parts(event, voice)
        self.watch.add(len(parts) * (1 if event.curve is None else len(event.curve.points)))
        pitches = self._pitches(event, verb, parts, voice)
        request: OrnamentRequest | None = None
        if verb.pitch != "not" and verb.gesture.takes_ornament and not ORNAMENTS.isdisjoint(
                event.arguments):
            event, request = split_ornament(event, self.report)
        else:
            verb.gesture.check_event(event, self.report)
        values = self._row_values(event, voice, verb)
        courses = {name: value for name, value in values.items() if isinstance(value, ValueCurve)}
        if courses and event.strength != 1.0:
            courses = scale_courses(event, verb.gesture, courses)
        before = self.fault_count
        for part, hz in zip(parts, pitches, strict=True):
            bound = self._values(event, verb, part, values, courses)
            if self.fault_count > before:          # the other parts would have the same message
                return
            bound_event: BoundEvent = NEW_TUPLE(BoundEvent, (
                event.time, part.name, verb.name, bound, hz, event.place, event.duration, courses,
                event, self.row_count))
            bound_events = [bound_event]
            if request is not None or event.curve is not None:
                untuned = part.name in voice.instrument.untuned
                bound_events = apply_pitch_curve(
                    bound_event, request, None if untuned else voice.pitches.get(part.name),
                    voice.last_pitched.get(part.name), self.report)
            for one in bound_events:
                self._check_simultaneous(event, one, voice)
                voice.events.append(one)

    def _check_simultaneous(self, event: Event, bound_event: BoundEvent, voice: _Voice) -> None:
        """Report two pitches of a string, too many balls on an object, or what else leaves no room
        for an event."""
        if voice.instrument.spec.model == "impact":
            key = (bound_event.part, bound_event.time)
            voice.ball_counts[key] = count = voice.ball_counts.get(key, 0) + 1
            if count == MOST_SEATS + 1:
                self.report(
                    event.verb_place,
                    f"{count} balls or more hit {event.target[0]}.{bound_event.part} at one time; "
                    f"expected at most {MOST_SEATS}")
        times = voice.end_times.setdefault((bound_event.part, bound_event.verb), [])
        voice.verbs[bound_event.verb].gesture.check_others(bound_event, times, self.report)
        if bound_event.hz is None or voice.object_pitches is not None:
            return
        check_pitch(bound_event, voice.last_pitched.get(bound_event.part), self.report)
        voice.last_pitched[bound_event.part] = bound_event

    def following_events(self, voice: _Voice) -> list[BoundEvent]:
        """Return the events of a voice, the default values that follow the pitch set."""
        if self.problems or not any(voice.verbs[event.verb].gesture.follower
                                    for event in voice.events):
            return voice.events
        # scores without bows start faster without its modules
        from pysitar.rendering.binding.following_defaults import follow_pitch

        return follow_pitch(voice.events, voice.parts(), voice.spec().model, self.report)

    def is_replaced(self, problem: Problem) -> bool:
        """Return whether the instruments give another message for a problem of the timeline."""
        return problem.message.endswith(SOUND_ADVICE) or (
            problem.place in self.fixed_pitch_rows and problem.message.endswith(TRANSPOSE_ADVICE))

    def find_verbs(self, name: str) -> tuple[InstrumentSpec, Mapping[str, Verb]] | None:
        """Return an instrument of the score and its verbs; None for an unknown one."""
        voice = self.voices.get(name)
        return None if voice is None else (voice.instrument.spec, voice.verbs)

    def find_parts(self, event: Event) -> tuple[PartPlan, ...]:
        """Return the parts that an event plays; report a target without parts."""
        return self._parts(event, self.voices[event.target[0]])

    def read_values(self, event: Event) -> dict[str, RowValue]:
        """Return the values of an event's row; report those that are wrong."""
        voice = self.voices[event.target[0]]
        return self._row_values(event, voice, voice.verbs[event.verb])

    def report(self, place: Place, message: str) -> None:
        """Add a problem, unless it is reported already."""
        self.fault_count += 1
        problem = Problem(place, message)
        if problem not in self.reported:
            self.reported.add(problem)
            self.problems.append(problem)

    def _parts(self, event: Event, voice: _Voice) -> tuple[PartPlan, ...]:
        """Return the parts of an event's target."""
        if event.target in self.parts_of_target:
            return self.parts_of_target[event.target]
        every = voice.instrument.parts
        noun = voice.part_nouns[0]
        name = event.target[0]
        if len(event.target) == 1 and event.pitch is not None and voice.object_pitches is not None:
            found = voice.object_pitches.find_parts(event, voice.verbs[event.verb], self.report)
            if found is not None:
                return self._computed(event, voice, found)
        if len(event.target) == 1:
            one = quoted(f"{name}.{every[0].name}")
            pitches = voice.object_pitches
            advice = "" if pitches is None else pitches.advice(name, voice.verbs[event.verb])
            self.report(
                event.target_place, f"{event.verb} plays {with_article(noun)}; expected {one}, "
                f"or {quoted(name + '.*')} for all{advice}")
            return ()
        played = tuple(part for part in every if matches_name(event.target[1], part.name))
        if not played:
            place = shift_place(event.target_place, len(name) + 1)
            unknown = event.target[1].rstrip("*")
            if voice.object_pitches is not None:
                unknown = voice.object_pitches.bar_name(unknown)
            known = suggest_name(unknown, [part.name for part in every])
            self.report(place, f"{quoted(name)} has no {noun} {quoted(event.target[1])}; {known}")
        else:
            played = self._computed(event, voice, played)
            self.parts_of_target[event.target] = played
        return played

    def _computed(self, event: Event, voice: _Voice,
                  parts: tuple[PartPlan, ...]) -> tuple[PartPlan, ...]:
        """Return parts as they are played: the modes of a bar of a set are computed now."""
        try:
            return tuple(voice.computed_part(part) for part in parts)
        except ParameterError as error:
            self.report(event.target_place, str(error))
            return ()

    def _pitches(self, event: Event, verb: Verb, parts: Sequence[PartPlan],
                 voice: _Voice) -> list[float | None]:
        """Return the pitch (Hz) of an event on each part; None where it has none, or a wrong
        one."""
        if event.pitch is None and verb.pitch == "must":
            self.report(event.end_place, f"{verb.name} needs its pitch; expected {verb.name} ga")
        if event.pitch is not None and verb.pitch == "not":
            schemes = schemes_with(verb.name, voice.instrument.spec,
                                   lambda other: other.pitch != "not")
            self.report(event.pitch_place,
                        f"{verb.name} takes no pitch{schemes or '; expected none'}")
        found: list[float | None] = []
        for part in parts:
            pitches, hz = voice.pitches.get(part.name), None
            if pitches is not None:
                pitches.first_played = pitches.first_played or event.place
            if (pitches is not None and event.pitch is not None and verb.pitch != "not"
                    and part.name not in voice.instrument.untuned):
                try:
                    hz = pitches.add_detuned(event)
                except ValueError as error:
                    self.report(event.pitch_place, str(error))
            if voice.object_pitches is not None and verb.pitch != "not":
                hz = voice.object_pitches.find_hz(part, event, self.report)
            found.append(hz)
        return found

    def _row_values(self, event: Event, voice: _Voice, verb: Verb) -> dict[str, RowValue]:
        """Return the values of a row by full name: positions as written, the others checked."""
        row_values: dict[str, RowValue] = {}
        gesture, written = verb.gesture, _written(event)
        for name, argument in zip(written, event.arguments.values(), strict=True):
            parameter = verb.parameters.get(name)
            if parameter is None:
                self.report(argument.name_place,
                            parameter_message(argument.name, voice.instrument.spec, verb))
            elif name == "glide" and _has_no_pitch(event) and verb.pitch == "may":
                self.report(argument.name_place,
                            f"the string glides to a pitch, and this {verb.name} has none; "
                            f"expected {quoted(f'{verb.name} ga glide=7ms')}")
            elif len(written) > 1 and (conflict := gesture.conflict(name, written)):
                self.report(argument.name_place, f"{quoted(argument.name)} {conflict}")
            else:
                may_change = name in gesture.curves
                try:
                    factor = event.force_factor if name in gesture.forces else 1.0
                    row_values[name] = self.value_cache.value(parameter, argument.value, factor,
                                                              may_change)
                except (ParameterError, ValueError) as error:
                    if name not in gesture.forces or not self._report_factor(
                            event, error, partial(self.value_cache.value, parameter,
                                                  argument.value, 1.0, may_change)):
                        self.report(argument.value_place, str(error))
        return row_values

    def report_force(self, event: Event, name: str, error: ParameterError) -> None:
        """Report a default force out of range: at the play whose factor moved it there, else at the
        value of a name."""
        if not self._report_factor(event, error, lambda: None):
            self.report(_value_place(event, name), str(error))

    def _report_factor(
        self, event: Event, error: ParameterError | ValueError, unscaled: Callable[[], object],
    ) -> bool:
        """Report the factor of a play where the force without it is in range; return whether it
        is."""
        play = event.scaling_play
        if play is None:
            return False
        try:
            unscaled()
        except ValueError:          # also a ParameterError
            return False
        self.fault_count += 1
        if play.factor_place not in self.reported_factors:
            from pysitar.rendering.lint.force_factors import factor_message
            self.reported_factors.add(play.factor_place)
            self.report(play.factor_place, factor_message(play, event, error))
        return True

    def _values(
        self, event: Event, verb: Verb, part: PartPlan, row_values: Mapping[str, RowValue],
        curves: Mapping[str, ValueCurve],
    ) -> dict[str, float]:
        """Return all values of an event on one part, in SI: those of the row, else the
        instrument's, else the defaults."""
        values = self._default_values(event, verb, part).copy()
        gesture = verb.gesture
        playable = gesture.is_playable(part.spec)
        if not playable:
            self.report(event.verb_place, gesture.missing_message(event.target[0], part.name))
        if FORCE.name in values and gesture.scales_default:
            values[FORCE.name] *= event.force_factor
        items = list(row_values.items())
        # a ball before values that replace its own
        items.sort(key=lambda item: item[0] != BALL_NAME.name)
        for name, value in items:
            parameter = verb.parameters[name]
            if isinstance(value, float) and parameter.kind != "position":
                values[name] = value
                continue
            if isinstance(value, ValueCurve):
                values[name] = value.at([0.0])[0]
                continue
            try:
                # of a place, or a ball
                if isinstance(value, str) and isinstance(part.spec, ObjectSpec):
                    values.update(part.spec.named(verb.name, name, value))
                    continue
                if isinstance(part, StringPlan) and parameter.kind == "position":
                    value = check_position(parameter, value, part.spec.length)
                assert isinstance(value, float)
                values[name] = value
            except ParameterError as error:
                self.report(_value_place(event, name), str(error))
        if event.strength != 1.0:
            scale_value(event, verb, values, self.report)
        if playable:
            gesture.bind(_Row(event, part.name, part.spec, values, row_values.keys(), curves, self))
        return values

    def _default_values(
        self, event: Event, verb: Verb, part: PartPlan,
    ) -> dict[str, float]:
        """Return the values of an event without arguments."""
        key = (event.target[0], part.name, verb.name, _has_no_pitch(event))
        found = self.default_values.get(key)
        if found is None:
            values = {
                name: parameter.default
                for name, parameter in verb.parameters.items()
                if isinstance(parameter.default, float)
            }
            if _has_no_pitch(event):
                values.pop("glide", None)
            own = {
                name: value
                for name, value in part.spec.default_values(verb.name).items()
                if name in verb.parameters
            }
            found = self.default_values[key] = values | own
        return found


@dataclass(slots=True, eq=False)
class _Row:
    """A row bound to one part, for its gesture: see Row of gestures/base.py."""

    event: Event
    part: str
    spec: PartSpec
    values: dict[str, float]
    row_names: Collection[str]
    curves: Mapping[str, ValueCurve]
    binder: _Binder

    @property
    def written(self) -> Collection[str]:
        """The full names of all arguments of the row."""
        return _written(self.event)

    @property
    def duration(self) -> float:
        """The duration of the row (s)."""
        return self.event.duration

    def report(self, place: Place, message: str) -> None:
        """Report a problem."""
        self.binder.report(place, message)

    def report_value(self, name: str, message: str) -> None:
        """Report a problem at the value of a name, or at the row's start where it has none."""
        self.binder.report(_value_place(self.event, name), message)

    def report_force(self, name: str, error: ParameterError) -> None:
        """Report a force out of range: at the play whose factor moved it there, else at the value
        of a name."""
        self.binder.report_force(self.event, name, error)


def _has_no_pitch(event: Event) -> bool:
    """Return whether a row has neither a pitch nor a curve."""
    return event.pitch is None and event.curve is None


def _value_place(event: Event, name: str) -> Place:
    """Return the place of a row's value; the start of the row where it has none."""
    return next((argument.value_place for argument in event.arguments.values()
                 if long_name(argument.name) == name), event.place)


def _written(event: Event) -> list[str]:
    """Return the full names of the arguments of a row."""
    return [long_name(argument.name) for argument in event.arguments.values()]
