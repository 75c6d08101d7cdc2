"""Score and instruments brought together: every name found, every value checked and in SI, or a ScoreError that tells all that is wrong."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from pysitar.errors import ParameterError, Place, Problem, ScoreError, in_order, nearest, quoted
from pysitar.models.definitions.objects import SPEED
from pysitar.models.definitions.parameters import BEND, FORCE, PRESS, STRIKE, Verb, check_position, check_value, check_width
from pysitar.models.definitions.registry import MODELS, PARTS
from pysitar.models.definitions.spec import ObjectSpec
from pysitar.models.definitions.table_reader import with_article
from pysitar.models.network.curve import ValueCurve
from pysitar.models.objects.seats import MOST_SEATS
from pysitar.rendering.binding.bends import ORNAMENTED, Ornamented, bent, check_bend, check_pitch, without_ornament
from pysitar.rendering.binding.broken_rows import broken_rows, check_broken, unheard_sections
from pysitar.rendering.binding.fretting import check_hands, pressed
from pysitar.rendering.binding.instruments import Instrument, instruments
from pysitar.rendering.binding.levels import levels_of
from pysitar.rendering.binding.pitches import AskedPitches, sharp_bridges
from pysitar.rendering.binding.silence import with_sounding
from pysitar.rendering.binding.strums import as_plucks
from pysitar.rendering.binding.unsupported import no_hammer, no_verb, schemes_with, unknown
from pysitar.rendering.conversion import Given, KnownValues
from pysitar.rendering.lint.force_factors import overscaled, unscaled
from pysitar.rendering.lint.physical import physical_warnings
from pysitar.rendering.lint.short_plucks import silent_plucks
from pysitar.rendering.lint.slow_dampers import slow_fingers
from pysitar.rendering.options import Options
from pysitar.rendering.plan import Bound, BoundEvent, PartPlan, StringPlan, VoicePlan
from pysitar.score.document import Score
from pysitar.score.elements import Row, Section
from pysitar.score.memory import Watch
from pysitar.score.parser import no_search_for_cycles
from pysitar.score.sweep_statements import many_sounds
from pysitar.score.timeline import LONGEST, UNMOVED, Event, end_of, rehearsed, timeline
from pysitar.score.tokens import MADE, shifted
from pysitar.score.unplayed_sections import doubtful_sections
from pysitar.score.vocabulary import ORNAMENTS, PITCH_VERBS, long_name, means

DRAWN = frozenset(("height", "h"))
FORCED = ("force", "width", "ramp", "release")          # of a pluck that is no triangle


def bind(score: Score, options: Options, *, problems: Sequence[Problem] = (), allow_large: bool = False) -> Bound:
    """Bind a score to its instruments.

    Parameters: problems, found earlier (by the parser, in the options), to be told with the rest; allow_large, as in `timeline`.
    Errors: ScoreError with every problem.
    """
    bound = check(score, options, problems=problems, allow_large=allow_large)
    if bound.problems:
        raise ScoreError(bound.problems)
    return bound


def check(score: Score, options: Options, *, problems: Sequence[Problem] = (), allow_large: bool = False) -> Bound:
    """As `bind`, but the problems are returned, not raised."""
    with no_search_for_cycles():
        return _checked(score, options, list(problems), allow_large)


def _checked(score: Score, options: Options, found: list[Problem], allow_large: bool) -> Bound:
    """As `check`; what is found is added to the problems found earlier."""
    played = timeline(score, allow_large=allow_large)
    sources = list(score.sources)
    made = instruments(score, options, found, sources)
    binder = _Binder(score, options, made, found)
    events = as_plucks(played.events, binder.strings(), binder.tell)
    for event in events:
        binder.add(event)
    for row in broken_rows(score):
        binder.check_broken(row)
    for section in unheard_sections(score, played):
        _rehearse(score, options, section, made, found)
    told = with_sounding(played.problems, [(voice.verbs, voice.instrument.parts) for voice in binder.voices.values()])
    found.extend(problem for problem in told if not (problem.place in binder.kept and problem.message.endswith(UNMOVED)))
    found.extend(problem for voice in binder.voices.values() for asked in voice.asked.values() for problem in asked.problems())
    end = end_of(events)
    found.extend(many_sounds(score))
    if options.tail is not None and end <= LONGEST < end + options.tail and not allow_large and not played.problems:
        found.append(Problem(Place(score.file), f"with a tail of {options.tail:g} s the score lasts {end + options.tail:g} s; "
                                                "at most 4 hours (14400 s) would be right"))
    levels = levels_of(score, found)
    found.extend(problem for name, voice in binder.voices.items()
                 for problem in silent_plucks(name, voice.instrument.spec.scheme, voice.events, options))
    if found:
        return Bound((), end, in_order(found, _files(score)))
    voices = tuple(
        VoicePlan(name, voice.instrument.spec, voice.parts(), tuple(voice.events), levels[name])
        for name, voice in binder.voices.items()
    )
    warnings = [warning for name, voice in binder.voices.items() for warning in voice.warnings(name, options)]
    warnings += [*physical_warnings(voices, options, end), *unscaled(events), *doubtful_sections(score)]
    return Bound(voices, end, (), in_order(warnings, _files(score)), tuple(dict.fromkeys(sources)))


def _rehearse(score: Score, options: Options, section: Section, made: dict[str, Instrument], found: list[Problem]) -> None:
    """Tell what is wrong in the rows of a section that is never played."""
    alone, binder = rehearsed(score, section), _Binder(score, options, made, found)
    for event in as_plucks(alone.events, binder.strings(), binder.tell):
        binder.add(event)
    found.extend(alone.problems)


def _files(score: Score) -> list[str]:
    """The names of all files of a score (of one built in Python: its events), in the order of reading."""
    places = [use.place for use in score.uses] + [argument.name_place for argument in score.render.values()]
    places += [row.place for section in (score.main, *score.sections.values()) for row in section.rows]
    return list(dict.fromkeys([score.file, *(place.file for place in places)]))


@dataclass(slots=True)
class _Voice:
    instrument: Instrument
    verbs: dict[str, Verb]
    asked: dict[str, AskedPitches]          # by the names of the strings
    events: list[BoundEvent] = field(default_factory=list)
    damped: dict[str, dict[float, Place]] = field(default_factory=dict)          # by them, each T60 that a row gives, and where first
    noted: dict[str, BoundEvent] = field(default_factory=dict)          # by them, the last event with a pitch
    lifted: dict[str, list[float]] = field(default_factory=dict)          # by them, when each finger that presses is lifted
    met: dict[tuple[str, float], int] = field(default_factory=dict)          # balls by object and time

    @property
    def words(self) -> tuple[str, str]:
        """What one and many of its parts are called."""
        return PARTS[self.instrument.spec.model]

    def parts(self) -> tuple[PartPlan, ...]:
        """The parts, strings with the highest pitches that were asked of them."""
        return tuple(replace(part, highest=self.asked[part.name].highest) if isinstance(part, StringPlan) else part
                     for part in self.instrument.parts)

    def warnings(self, name: str, options: Options) -> list[Problem]:
        """What is doubtful in how the instrument of this name is played."""
        asked = list(self.asked.values())
        return [*(warning for string in asked for warning in string.warnings()), *sharp_bridges(name, asked, options.internal_rate),
                *slow_fingers(name, self.instrument.spec.scheme, [string.plan for string in asked], self.damped)]


class _Binder:
    """Binds events one by one; what is wrong goes to `problems`."""

    def __init__(self, score: Score, options: Options, found: dict[str, Instrument], problems: list[Problem]) -> None:
        self.voices = {}
        for name, made in found.items():
            asked = {string.name: AskedPitches(f"{name}.{string.name}", string, score.tuning, options.internal_rate)
                     for string in made.parts if isinstance(string, StringPlan)}
            self.voices[name] = _Voice(made, MODELS[made.spec.model][made.spec.scheme], asked)
        self.problems = problems
        self.wrong = 0
        self.rows = 0          # bound so far
        self.overscaled: set[Place] = set()          # of the factors of plays that are told
        self.kept: set[Place] = set()          # of the rows that a scheme which keeps every pitch cannot transpose
        self.told: set[Problem] = set()          # a row that is played a thousand times is told once
        self.played: dict[tuple[str, ...], tuple[PartPlan, ...]] = {}          # the parts of a target
        self.untold: dict[tuple[str, str, str, bool], tuple[dict[str, float], bool]] = {}          # as `_untold`
        self.known = KnownValues()
        self.watch = Watch("events")

    def strings(self) -> dict[str, list[str]]:
        """The names of the strings that a strum goes over, by instrument."""
        return {name: [part.name for part in voice.instrument.parts] for name, voice in self.voices.items() if "pluck" in voice.verbs}

    def add(self, event: Event) -> None:
        """Bind one event to the parts that it plays."""
        self.rows += 1
        voice = self.voices.get(event.target[0])
        if voice is None:          # told where it is used, or where no `use` names it
            return
        verb = voice.verbs.get(event.verb)
        if verb is None:
            self.tell(event.verb_place, no_verb(event.verb, voice.instrument.spec))
            return
        if event.transpose and event.pitch is None and verb.pitch == "not" and event.verb in PITCH_VERBS:
            self.kept.add(event.place)
            self.tell(event.place, "transpose is not played"
                                         f"{schemes_with(verb.name, voice.instrument.spec, lambda other: other.pitch != 'not')}")
        parts = self._parts(event, voice)
        self.watch.add(len(parts) * (1 if event.curve is None else len(event.curve.points)))
        pitches = self._pitches(event, verb, parts, voice)
        asks: Ornamented | None = None
        if verb.pitch != "not" and event.verb in ORNAMENTED and not ORNAMENTS.isdisjoint(event.arguments):
            event, asks = without_ornament(event, self.tell)
        elif verb is BEND:
            check_bend(event, self.tell)
        values = self._given(event, voice, verb)
        courses = {name: value for name, value in values.items() if isinstance(value, ValueCurve)}
        before = self.wrong
        for part, hz in zip(parts, pitches, strict=True):
            bound = self._values(event, verb, part, values)
            if self.wrong > before:          # told for the first part; the others would say the same
                return
            made: BoundEvent = MADE(BoundEvent, (event.time, part.name, verb.name, bound, hz, event.place, event.duration, courses, event,
                                                 self.rows))
            every = [made]
            if asks is not None or event.curve is not None:
                asked = None if part.name in voice.instrument.untuned else voice.asked.get(part.name)
                every = bent(made, asks, asked, voice.noted.get(part.name), self.tell)
            for one in every:
                self._check_alone(event, one, voice)
                voice.events.append(one)
            if "t60" in values:
                voice.damped.setdefault(part.name, {}).setdefault(bound["t60"], _place(event, "t60"))

    def _check_alone(self, event: Event, made: BoundEvent, voice: _Voice) -> None:
        """Tell a pitch of a string that is given another one at the same time, and balls that find no room on an object."""
        if voice.instrument.spec.model == "impact":
            key = (made.part, made.time)
            voice.met[key] = count = voice.met.get(key, 0) + 1
            if count == MOST_SEATS + 1:
                self.tell(event.verb_place, f"{count} balls or more come to {event.target[0]}.{made.part} at one time; expected at most "
                                            f"{MOST_SEATS}")
        if made.verb == PRESS.name:
            check_hands(made, voice.lifted.setdefault(made.part, []), self.tell)
        if made.hz is None:
            return
        check_pitch(made, voice.noted.get(made.part), self.tell)
        voice.noted[made.part] = made

    def check_broken(self, row: Row) -> None:
        """Report what is wrong with the rest of a row in which something could not be read."""
        voice = self.voices.get(row.target[0])
        if voice is not None:
            verb = voice.verbs.get(row.verb)
            check_broken(row, voice.instrument.spec, verb, partial(self._parts, voice=voice),
                         lambda event: self._given(event, voice, verb) if verb is not None else {},
                         self.tell)

    def tell(self, place: Place, message: str) -> None:
        """Add a problem, unless it is told already."""
        self.wrong += 1
        problem = Problem(place, message)
        if problem not in self.told:
            self.told.add(problem)
            self.problems.append(problem)

    def _parts(self, event: Event, voice: _Voice) -> tuple[PartPlan, ...]:
        """The parts that an event plays."""
        if event.target in self.played:
            return self.played[event.target]
        every = voice.instrument.parts
        word = voice.words[0]
        name = event.target[0]
        if len(event.target) == 1:
            one = quoted(f"{name}.{every[0].name}")
            right = f"{one}, or {quoted(name + '.*')} for all, would be right"
            self.tell(event.target_place, f"{event.verb} plays {with_article(word)}; {right}")
            return ()
        played = tuple(part for part in every if means(event.target[1], part.name))
        if not played:
            place = shifted(event.target_place, len(name) + 1)
            known = nearest(event.target[1].rstrip("*"), [part.name for part in every])
            self.tell(place, f"{quoted(name)} has no {word} {quoted(event.target[1])}; {known}")
        else:
            self.played[event.target] = played
        return played

    def _pitches(self, event: Event, verb: Verb, parts: Sequence[PartPlan], voice: _Voice) -> list[float | None]:
        """The pitch (Hz) that an event asks of each part; None where it asks for none, or for one that is wrong."""
        if event.pitch is None and verb.pitch == "must":
            self.tell(event.end_place, f"{verb.name} needs its pitch; expected {verb.name} ga")
        if event.pitch is not None and verb.pitch == "not":
            having = schemes_with(verb.name, voice.instrument.spec, lambda other: other.pitch != "not")
            self.tell(event.pitch_place, f"{verb.name} takes no pitch{having or '; leave it out'}")
        found: list[float | None] = []
        for part in parts:
            asked, hz = voice.asked.get(part.name), None
            if asked is not None:
                asked.played = asked.played or event.place
            if asked is not None and event.pitch is not None and verb.pitch != "not" and part.name not in voice.instrument.untuned:
                try:
                    hz = asked.ask(event.pitch, event.transpose, event.pitch_place)
                except ValueError as error:
                    self.tell(event.pitch_place, str(error))
            found.append(hz)
        return found

    def _given(self, event: Event, voice: _Voice, verb: Verb) -> dict[str, Given]:
        """The values that a row gives, by their full names: positions as written, the others checked."""
        given: dict[str, Given] = {}
        drawn = not DRAWN.isdisjoint(event.arguments)
        for argument in event.arguments.values():
            name = long_name(argument.name)
            parameter = verb.parameters.get(name)
            if parameter is None:
                self.tell(argument.name_place, unknown(argument.name, voice.instrument.spec, verb))
            elif name == "glide" and _unpitched(event) and verb.pitch == "may":
                self.tell(argument.name_place, f"the string glides to a pitch, and this {verb.name} has none; "
                                                f"{quoted(f'{verb.name} ga glide=7ms')} would be right")
            elif drawn and name in FORCED:
                self.tell(argument.name_place, f"{quoted(argument.name)} goes with a force, and this pluck is from a height; "
                                                "one of the two would be right")
            else:
                try:
                    given[name] = self.known.value(parameter, argument.value, event.force_factor if name == FORCE.name else 1.0)
                except (ParameterError, ValueError) as error:
                    if name != FORCE.name or not self._overscaled(event, error, partial(self.known.value, parameter, argument.value, 1.0)):
                        self.tell(argument.value_place, str(error))
        return given

    def _overscaled(self, event: Event, error: ParameterError | ValueError, by_itself: Callable[[], object]) -> bool:
        """Whether a force is right by itself, and so the play that scales it is told."""
        play = event.scaling
        if play is None:
            return False
        try:
            by_itself()
        except ValueError:          # also a ParameterError
            return False
        self.wrong += 1
        if play.factor_place not in self.overscaled:
            self.overscaled.add(play.factor_place)
            self.tell(play.factor_place, overscaled(play, event, error))
        return True

    def _values(self, event: Event, verb: Verb, part: PartPlan, given: Mapping[str, Given]) -> dict[str, float]:
        """All values of an event on one part, in SI: those given, else the instrument's, else the defaults."""
        untold, own = self._untold(event, verb, part)
        values = untold.copy()
        if verb is STRIKE and not own:
            self.tell(event.verb_place, no_hammer(event.target[0], part.name))
        if FORCE.name in values and verb is not PRESS:
            values[FORCE.name] *= event.force_factor
        every = given.items() if isinstance(part, StringPlan) else sorted(given.items(), key=lambda item: not isinstance(item[1], str))
        for name, value in every:          # a ball comes before its values
            parameter = verb.parameters[name]
            if isinstance(value, float) and parameter.kind != "position":
                values[name] = value
                continue
            try:
                if isinstance(value, str) and isinstance(part.spec, ObjectSpec):          # a place, or a ball, of which all its values come
                    values.update(part.spec.named(verb.name, name, value))
                    continue
                if isinstance(value, ValueCurve) and parameter is not SPEED:
                    values[name] = value.at([0.0])[0]
                    continue
                if isinstance(value, ValueCurve):          # which says itself how it slows down
                    values |= {name: value.at([0.0])[0], "resistance": 0.0}
                    if "resistance" in given:
                        self.tell(_place(event, "resistance"), "resistance goes with a velocity that is a number, not a curve; "
                                                                "without it would be right")
                    continue
                if isinstance(part, StringPlan) and parameter.kind == "position":
                    value = check_position(parameter, value, part.spec.length)
                assert isinstance(value, float)
                values[name] = value
            except ParameterError as error:
                self.tell(_place(event, name), str(error))
        if verb.name == "pluck" and isinstance(part, StringPlan):
            self._check_pluck(event, part, given, values)
        if verb is PRESS and isinstance(part, StringPlan):
            pressed(event, part, given, values, lambda name: _place(event, name), self.tell)
        if isinstance(part.spec, ObjectSpec):
            try:
                values.update(part.spec.checked(verb.name, values, event.duration))
            except ParameterError as error:
                self.tell(_place(event, error.name), str(error))
        return values

    def _untold(self, event: Event, verb: Verb, part: PartPlan) -> tuple[dict[str, float], bool]:
        """The values of an event that gives none, and whether the instrument has any of them: looked up once."""
        key = (event.target[0], part.name, verb.name, _unpitched(event))
        found = self.untold.get(key)
        if found is None:
            values = {name: parameter.default for name, parameter in verb.parameters.items() if isinstance(parameter.default, float)}
            if _unpitched(event):
                values.pop("glide", None)
            own = {name: value for name, value in part.spec.default_values(verb.name).items() if name in verb.parameters}
            found = self.untold[key] = (values | own, bool(own))
        return found

    def _check_pluck(self, event: Event, string: StringPlan, given: Mapping[str, object], values: dict[str, float]) -> None:
        """Leave a pluck either its force or its height; tell a force that a play scaled too far, and a finger too wide for its place."""
        if "height" in given:
            for name in FORCED:
                del values[name]
            return
        try:
            if "force" not in given:
                check_value(FORCE, values["force"])
            check_width(values["position"], values["width"], string.spec.length)
        except ParameterError as error:
            if error.name == FORCE.name and self._overscaled(event, error, lambda: None):
                return
            self.tell(_place(event, "width" if "width" in given else "position" if error.name == "width" else "force"), str(error))


def _unpitched(event: Event) -> bool:
    """Whether a row gives no pitch to be glided to."""
    return event.pitch is None and event.curve is None


def _place(event: Event, name: str) -> Place:
    """Where a row gives a value; the row's start when it does not."""
    return next((given.value_place for given in event.arguments.values() if long_name(given.name) == name), event.place)
