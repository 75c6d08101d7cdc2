"""A score bound with the values of its sweeps and draws, as many together as can be wrong: what is wrong, and with which instrument."""
from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from pysitar.api.request import Request, prepare_engine
from pysitar.app.batch.idle import explain_no_effect, paths_overlap
from pysitar.app.batch.variations import Variation, apply_settings
from pysitar.errors import Place, Problem, ScoreError
from pysitar.models.definitions.registry import MODELS
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.rendering.binding.instruments import instruments
from pysitar.rendering.engine import Engine, bound_score
from pysitar.rendering.options import Options, read_options
from pysitar.rendering.plan import Bound, VoicePlan
from pysitar.score.document import Score
from pysitar.score.elements import Setting
from pysitar.score.literals import written

VERBS = frozenset(verb for schemes in MODELS.values() for verbs in schemes.values() for verb in verbs)
MAX_NAMED = 3               # instruments that a message names; of more it tells how many
Selection: TypeAlias = tuple[int, ...]          # the indices of the instruments, one for each sweep of them


class ScoreChecks:
    """What a score is with each choice of instruments.

    Parameters: score, without its sweeps and draws; choices, its; asked.  Attributes: engine, of the first item, after `bounds`.
    """

    def __init__(self, score: Score, variations: Sequence[Variation], request: Request) -> None:
        self._score, self._variations, self._request = score, variations, request
        self._instrument_sweeps = [variation for variation in variations if variation.varies_instrument]
        self._combinations = list(itertools.product(*(range(variation.count) for variation in self._instrument_sweeps)))
        # the combinations in which at most one instrument is not the first of its list
        self._single_changes = {selection: None for selection in self._combinations if sum(map(bool, selection)) < 2}
        self._warnings: dict[Problem, set[Selection]] = {}
        self.engine: Engine

    def first_settings(self, selection: Selection = ()) -> list[Setting]:
        """All first values, with these instruments (those left out: the first ones)."""
        at = iter((*selection, *(0 for _ in self._instrument_sweeps[len(selection):])))
        return [variation.sweep_setting(next(at) if variation.varies_instrument else 0) for variation in self._variations]

    def bind_first_values(self) -> Iterator[tuple[list[Setting], Bound, Options]]:
        """Each choice of instruments with all first values, bound, and how it is rendered; memory does not grow with their number.

        Errors: ScoreError, also of an instrument that cannot be built, each told once; ParameterError.
        """
        problems_found: dict[Problem, set[Selection]] = {}
        for selection in self._combinations:
            first_settings = self.first_settings(selection)
            try:
                if selection in self._single_changes:
                    engine = prepare_engine(apply_settings(self._score, first_settings), self._request)
                    self._collect_warnings(selection, engine)
                    yield first_settings, engine.bound, engine.options
                else:
                    yield first_settings, *self._bind(first_settings)
            except ScoreError as error:
                _record_problems(error, selection, problems_found)
        if problems_found:
            raise ScoreError(self._name_instruments(problems_found))

    def _collect_warnings(self, selection: Selection, engine: Engine) -> None:
        """Keep the engine of the first item, and what is doubtful with each instrument."""
        if not any(selection):
            self.engine = engine
        for warning in engine.bound.warnings:
            self._warnings.setdefault(warning, set()).add(selection)

    def problems(self) -> list[Problem]:
        """What is wrong, bound with every value of a list and both ends of all others, with each instrument."""
        problems_found: dict[Problem, set[Selection]] = {}
        for selection in self._single_changes:
            for settings in self._settings_to_check(self.first_settings(selection)):
                try:
                    self._bind(settings)
                except ScoreError as error:
                    _record_problems(error, selection, problems_found)
        return [*self._replaced_instrument_problems(), *self._name_instruments(problems_found)]

    def warnings(self) -> list[Problem]:
        """What is doubtful with each instrument, and the sweeps and draws that change nothing of what is played; after `bounds`."""
        return [*self._name_instruments(self._warnings), *self._ineffective(self.engine.bound)]

    def _bind(self, settings: Sequence[Setting]) -> tuple[Bound, Options]:
        request = self._request
        return bound_score(apply_settings(self._score, settings), rate=request.rate,
                           oversample=request.oversample, seed=request.seed, peak=request.peak,
                           allow_large=request.allow_large)

    def _settings_to_check(self, first_settings: list[Setting]) -> Iterator[list[Setting]]:
        """The values that are bound together with one choice of instruments: all first ones, each last one (of a list: each) beside first
        ones, all last."""
        yield first_settings
        others = [(index, variation) for index, variation in enumerate(self._variations) if not variation.varies_instrument]
        for index, variation in others:
            if variation.function == "list":
                settings = [variation.sweep_setting(at) for at in range(1, variation.count)]
            else:
                settings = [variation.last_setting()] if variation.count > 1 else []
            for setting in settings:
                yield [*first_settings[:index], setting, *first_settings[index + 1:]]
        if len(others) > 1:
            yield [first if variation.varies_instrument else variation.last_setting()
                   for first, variation in zip(first_settings, self._variations, strict=True)]

    def _replaced_instrument_problems(self) -> list[Problem]:
        """What is wrong with instruments whose place others take: they are never played."""
        sweep_setting = {variation.name for variation in self._instrument_sweeps}
        problems_found: list[Problem] = []
        if sweep_setting:
            request = self._request
            score = replace(self._score, uses=tuple(use for use in self._score.uses if use.name in sweep_setting), settings=())
            selection, _ = read_options(score, rate=request.rate, oversample=request.oversample, seed=request.seed, peak=request.peak)
            instruments(score, selection, problems_found)
        return problems_found

    def _name_instruments(self, problems_found: dict[Problem, set[Selection]]) -> list[Problem]:
        """Problems, each with the instruments with which it arises, unless that is so with all, or it stands in the list itself."""
        listed = {value.place for variation in self._instrument_sweeps for value in variation.values}
        return [problem if problem.place in listed or not problem.place.line or selections >= set(self._single_changes)
                else Problem(problem.place, f"with {self._format_selections(selections)}: {problem.message}")
                for problem, selections in problems_found.items()]

    def _format_selections(self, selections: set[Selection]) -> str:
        """The instruments of one sweep, if they are all that these choices have of their own; else those of the first of the choices."""
        single = selections & set(self._single_changes)
        for index, variation in enumerate(self._instrument_sweeps):
            own = {each[index] for each in single}
            if single and single == {each for each in self._single_changes if each[index] in own}:
                names = [written(variation.values[at]) for at in sorted(own)]
                more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
                return f"{variation.name} = {', '.join(names[:MAX_NAMED])}{more}"
        first = min(selections)
        return " and ".join(f"{variation.name} = {written(variation.values[at])}"
                            for variation, at in zip(self._instrument_sweeps, first, strict=True))

    def _ineffective(self, first: Bound) -> list[Problem]:
        """Warnings of sweeps and draws that change nothing of what is played."""
        problems_found = []
        first_settings = self.first_settings()
        for index, variation in enumerate(self._variations):
            if variation.count < 2:
                continue
            word = "draw" if variation.is_draw else "sweep"
            if variation.varies_instrument:
                if not any(voice.events for voice in first.voices if voice.name == variation.name):
                    why = f"no row plays {variation.name}"
                    problems_found.append(Problem(variation.path_place, f"this {word} reaches no event: {why}"))
                continue
            different_setting = variation.different_setting()
            if different_setting is None:
                problems_found.append(Problem(variation.place,
                                     f"this {word} changes nothing: all its values are the same"))
                continue
            events = len(variation.path) > 2 and variation.path[-2] in VERBS
            changed, _ = self._bind([*first_settings[:index], different_setting, *first_settings[index + 1:]])
            if _played_values(changed, events=events) == _played_values(first, events=events):
                set_again = any(paths_overlap(variation.path, later.path) for later in self._variations[index + 1:])
                why = explain_no_effect(variation.path, first, set_again=set_again)
                problems_found.append(Problem(variation.path_place, f"this {word} reaches no event: {why}"))
        return problems_found


def _record_problems(error: ScoreError, selection: Selection, problems_found: dict[Problem, set[Selection]]) -> None:
    """Keep with which instruments problems arise."""
    for problem in error.problems:
        problems_found.setdefault(problem, set()).add(selection)


def unique_problems(problems: Iterable[Problem], reported: set[Place]) -> list[Problem]:
    """Problems without the repetitions that other values of a sweep bring, and without those at places where one is told."""
    return list(dict.fromkeys(problem for problem in problems if problem.place not in reported))


def _played_values(bound: Bound, *, events: bool) -> list[object]:
    """What is played: the values of all events, and unless only these are asked for, the instruments."""
    return [([(event.part, event.values, event.hz) for event in voice.events],
             None if events else _audible_spec(voice))
            for voice in bound.voices if voice.events]


def _audible_spec(voice: VoicePlan) -> InstrumentSpec:
    """An instrument with the parts that are heard: all, where a body joins them, else those that
    are played."""
    spec, played = voice.spec, {event.part for event in voice.events}
    if spec.body is not None and spec.body.coupled:
        return spec
    return replace(spec, parts=tuple(part for part in spec.parts if part.name in played))
