"""Checks of a score with the values of its sweeps and draws, each with the instruments that cause
it."""
from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from pysitar.api.request import Request, prepare_engine
from pysitar.app.batch.idle import explain_no_effect, paths_overlap
from pysitar.app.batch.variations import Variation, apply_settings
from pysitar.app.messages import list_first
from pysitar.errors import Place, Problem, ScoreError
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.rendering.binding.instruments import instruments
from pysitar.rendering.engine import Engine, bind_score
from pysitar.rendering.options import Options, read_options
from pysitar.rendering.plan import Bound, VoicePlan
from pysitar.score.document import Score
from pysitar.score.elements import Setting
from pysitar.score.literals import literal_text
from pysitar.score.vocabulary import VERBS

INSTRUMENT = ".toml"             # the ending of its files
MAX_NAMED = 3               # instruments that a message names; further ones are counted
Selection: TypeAlias = tuple[int, ...]  # the index of the instrument in each sweep of instruments


class ScoreChecks:
    """The checks of a score with each combination of swept instruments.

    Parameters: score, without sweeps and draws; variations, its sweeps and draws; request.
    Attributes: engine, of the first item, after `bind_first_values`.
    """

    def __init__(self, score: Score, variations: Sequence[Variation], request: Request) -> None:
        self._score, self._variations, self._request = score, variations, request
        self._instrument_sweeps = [
            variation for variation in variations if variation.varies_instrument]
        self._combinations = list(
            itertools.product(*(range(variation.count) for variation in self._instrument_sweeps)))
        # the combinations in which at most one instrument is not the first of its list
        self._single_changes = {
            selection: None
            for selection in self._combinations if sum(map(bool, selection)) < 2}
        self._warnings: dict[Problem, set[Selection]] = {}
        self.engine: Engine

    def first_settings(self, selection: Selection = ()) -> list[Setting]:
        """Return all first values with this selection of instruments (default: the first ones)."""
        at = iter((*selection, *(0 for _ in self._instrument_sweeps[len(selection):])))
        return [
            variation.sweep_setting(next(at) if variation.varies_instrument else 0)
            for variation in self._variations]

    def bind_first_values(self) -> Iterator[tuple[list[Setting], Bound, Options]]:
        """Yield each selection of instruments with all first values, bound, and its render options.

        Memory does not grow with the number of selections.
        Errors: ScoreError, with each problem once, also for an instrument that cannot be built;
        ParameterError.
        """
        problems_found: dict[Problem, set[Selection]] = {}
        for selection in self._combinations:
            first_settings = self.first_settings(selection)
            try:
                if selection in self._single_changes:
                    engine = prepare_engine(apply_settings(self._score, first_settings),
                                            self._request)
                    self._collect_warnings(selection, engine)
                    yield first_settings, engine.bound, engine.options
                else:
                    yield first_settings, *self._bind(first_settings)
            except ScoreError as error:
                _record_problems(error.problems, selection, problems_found)
        if problems_found:
            raise ScoreError(self._name_instruments(problems_found))

    def _collect_warnings(self, selection: Selection, engine: Engine) -> None:
        """Store the engine of the first item, and the warnings with each instrument."""
        if not any(selection):
            self.engine = engine
        for warning in engine.bound.warnings:
            self._warnings.setdefault(warning, set()).add(selection)

    def problems(self) -> list[Problem]:
        """Return the problems of all listed values and both ends of ranges, for each instrument:
        the first of each value, as its message depends on the values beside it."""
        values = set().union(*(variation.places for variation in self._variations))
        problems_found: dict[Problem, set[Selection]] = {}
        for selection in self._single_changes:
            reported: set[Place] = set()
            for settings in self._settings_to_check(self.first_settings(selection)):
                try:
                    self._bind(settings)
                except ScoreError as error:
                    found = [one for one in error.problems if one.place not in reported]
                    _record_problems(found, selection, problems_found)
                    reported |= values.intersection(one.place for one in found)
        return [*self._replaced_instrument_problems(), *self._name_instruments(problems_found)]

    def warnings(self) -> list[Problem]:
        """Return the warnings with each instrument, and of ineffective sweeps and draws; after
        `bind_first_values`."""
        return [*self._name_instruments(self._warnings), *self._ineffective(self.engine.bound)]

    def _bind(self, settings: Sequence[Setting]) -> tuple[Bound, Options]:
        request = self._request
        return bind_score(apply_settings(self._score, settings), rate=request.rate,
                           oversample=request.oversample, seed=request.seed, peak=request.peak,
                           fade=request.fade, allow_large=request.allow_large)

    def _settings_to_check(self, first_settings: list[Setting]) -> Iterator[list[Setting]]:
        """Yield the values that are bound with one selection of instruments.

        These are all first values; each last one (of a list: each) beside first ones; all last
        ones.
        """
        yield first_settings
        others = [(index, variation) for index, variation in enumerate(self._variations)
                  if not variation.varies_instrument]
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
        """Return the problems of instruments that a sweep replaces: they are never played."""
        sweep_setting = {variation.name for variation in self._instrument_sweeps}
        problems_found: list[Problem] = []
        if sweep_setting:
            request = self._request
            score = replace(
                self._score, uses=tuple(use for use in self._score.uses
                                        if use.name in sweep_setting), settings=())
            selection, _ = read_options(score, rate=request.rate, oversample=request.oversample,
                                        seed=request.seed, peak=request.peak, fade=request.fade)
            instruments(score, selection, problems_found)
        return problems_found

    def _name_instruments(self, problems_found: dict[Problem, set[Selection]]) -> list[Problem]:
        """Return problems, each with the instruments with which it arises.

        Problems that arise with all instruments, or stand in the list itself or in the file of an
        instrument, have no such names.
        """
        listed = {
            value.place
            for variation in self._instrument_sweeps
            for value in variation.values}
        return [
            problem if problem.place in listed or problem.place.file.endswith(INSTRUMENT)
            or selections >= set(self._single_changes) else Problem(
                problem.place, f"with {self._format_selections(selections)}: {problem.message}")
            for problem, selections in problems_found.items()]

    def _format_selections(self, selections: set[Selection]) -> str:
        """Return the instruments of one sweep if they alone cause a problem, else those of the
        first selection."""
        single = selections & set(self._single_changes)
        for index, variation in enumerate(self._instrument_sweeps):
            own = {each[index] for each in single}
            if single and single == {each for each in self._single_changes if each[index] in own}:
                names = [literal_text(variation.values[at]) for at in sorted(own)]
                return f"{variation.name} = {list_first(names, MAX_NAMED)}"
        first = min(selections)
        return " and ".join(f"{variation.name} = {literal_text(variation.values[at])}"
                            for variation, at in zip(self._instrument_sweeps, first, strict=True))

    def _ineffective(self, first: Bound) -> list[Problem]:
        """Return warnings of sweeps and draws that change nothing in the played events."""
        problems_found = []
        for index, variation in enumerate(self._variations):
            if variation.count > 1 and (why := self._no_effect(index, variation, first)):
                word = "draw" if variation.is_draw else "sweep"
                message = f"this {word} has no effect: {why}"
                varied = variation.different_setting() is not None or variation.varies_instrument
                place = variation.path_place if varied else variation.place
                problems_found.append(Problem(place, message))
        return problems_found

    def _no_effect(self, index: int, variation: Variation, first: Bound) -> str:
        """Return why a sweep or a draw changes nothing in the played events; "" if it does."""
        if variation.varies_instrument:
            played = any(voice.events for voice in first.voices if voice.name == variation.name)
            return "" if played else f"no row plays {variation.name}"
        setting = variation.different_setting()
        if setting is None:
            return "all its values are the same"
        settings = self.first_settings()
        changed, _ = self._bind([*settings[:index], setting, *settings[index + 1:]])
        events = len(variation.path) > 2 and variation.path[-2] in VERBS
        if _played_values(changed, events=events) != _played_values(first, events=events):
            return ""
        set_again = any(paths_overlap(variation.path, later.path)
                        for later in self._variations[index + 1:])
        return explain_no_effect(variation.path, first, set_again=set_again)


def _record_problems(problems: Iterable[Problem], selection: Selection,
                     problems_found: dict[Problem, set[Selection]]) -> None:
    """Record the selection of instruments with which problems arise."""
    for problem in problems:
        problems_found.setdefault(problem, set()).add(selection)


def unique_problems(problems: Iterable[Problem], reported: set[Place]) -> list[Problem]:
    """Return problems without repetitions, and without those at places already reported."""
    return list(dict.fromkeys(problem for problem in problems if problem.place not in reported))


def _played_values(bound: Bound, *, events: bool) -> list[object]:
    """Return the values of all events and, unless only events are compared, the instruments."""
    return [([(event.part, event.values, event.hz) for event in voice.events],
             None if events else _audible_spec(voice))
            for voice in bound.voices if voice.events]


def _audible_spec(voice: VoicePlan) -> InstrumentSpec:
    """Return an instrument with its audible parts: all that share a body, else the played ones."""
    spec, played = voice.spec, {event.part for event in voice.events}
    if spec.body is not None and spec.body.coupled:
        return spec
    return replace(spec, parts=tuple(part for part in spec.parts if part.name in played))
