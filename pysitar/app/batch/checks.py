"""A score bound with the values of its sweeps and draws, as many together as can be wrong: what is wrong, and with which instrument."""
from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from pysitar.api.request import Asked, opened
from pysitar.app.batch.idle import overlap, why_idle
from pysitar.app.batch.variations import Choice, put_in
from pysitar.errors import Place, Problem, ScoreError
from pysitar.models.definitions.registry import MODELS
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.rendering.binding.instruments import instruments
from pysitar.rendering.engine import Engine, bound_score
from pysitar.rendering.options import Options, read_options
from pysitar.rendering.plan import Bound, VoicePlan
from pysitar.score.document import Score
from pysitar.score.elements import Setting
from pysitar.score.literals import literal_text

VERBS = frozenset(verb for schemes in MODELS.values() for verbs in schemes.values() for verb in verbs)
NAMED = 3               # instruments that a message names; of more it tells how many
Chosen: TypeAlias = tuple[int, ...]          # the indices of the instruments, one for each sweep of them


class Checks:
    """What a score is with each choice of instruments.

    Parameters: score, without its sweeps and draws; choices, its; asked.  Attributes: engine, of the first item, after `bounds`.
    """

    def __init__(self, score: Score, choices: Sequence[Choice], asked: Asked) -> None:
        self._score, self._choices, self._asked = score, choices, asked
        self._of_instruments = [choice for choice in choices if choice.of_instruments]
        self._every = list(itertools.product(*(range(choice.count) for choice in self._of_instruments)))
        self._single = {chosen: None for chosen in self._every if sum(map(bool, chosen)) < 2}          # one is not the first, at most
        self._doubts: dict[Problem, set[Chosen]] = {}
        self.engine: Engine

    def firsts(self, chosen: Chosen = ()) -> list[Setting]:
        """All first values, with these instruments (those left out: the first ones)."""
        at = iter((*chosen, *(0 for _ in self._of_instruments[len(chosen):])))
        return [choice.swept(next(at) if choice.of_instruments else 0) for choice in self._choices]

    def bounds(self) -> Iterator[tuple[list[Setting], Bound, Options]]:
        """Each choice of instruments with all first values, bound, and how it is rendered; memory does not grow with their number.

        Errors: ScoreError, also of an instrument that cannot be built, each told once; ParameterError.
        """
        found: dict[Problem, set[Chosen]] = {}
        for chosen in self._every:
            firsts = self.firsts(chosen)
            try:
                if chosen in self._single:
                    engine = opened(put_in(self._score, firsts), self._asked)
                    self._keep(chosen, engine)
                    yield firsts, engine.bound, engine.options
                else:
                    yield firsts, *self._bound(firsts)
            except ScoreError as error:
                _note(error, chosen, found)
        if found:
            raise ScoreError(self._told(found))

    def _keep(self, chosen: Chosen, engine: Engine) -> None:
        """Keep the engine of the first item, and what is doubtful with each instrument."""
        if not any(chosen):
            self.engine = engine
        for warning in engine.bound.warnings:
            self._doubts.setdefault(warning, set()).add(chosen)

    def problems(self) -> list[Problem]:
        """What is wrong, bound with every value of a list and both ends of all others, with each instrument."""
        found: dict[Problem, set[Chosen]] = {}
        for chosen in self._single:
            for settings in self._corners(self.firsts(chosen)):
                try:
                    self._bound(settings)
                except ScoreError as error:
                    _note(error, chosen, found)
        return [*self._of_the_used(), *self._told(found)]

    def warnings(self) -> list[Problem]:
        """What is doubtful with each instrument, and the sweeps and draws that change nothing of what is played; after `bounds`."""
        return [*self._told(self._doubts), *self._idle(self.engine.bound)]

    def _bound(self, settings: Sequence[Setting]) -> tuple[Bound, Options]:
        asked = self._asked
        return bound_score(put_in(self._score, settings), rate=asked.rate, oversample=asked.oversample, seed=asked.seed, peak=asked.peak,
                           allow_large=asked.allow_large)

    def _corners(self, firsts: list[Setting]) -> Iterator[list[Setting]]:
        """The values that are bound together with one choice of instruments: all first ones, each last one (of a list: each) beside first
        ones, all last."""
        yield firsts
        others = [(index, choice) for index, choice in enumerate(self._choices) if not choice.of_instruments]
        for index, choice in others:
            if choice.function == "list":
                settings = [choice.swept(at) for at in range(1, choice.count)]
            else:
                settings = [choice.last()] if choice.count > 1 else []
            for setting in settings:
                yield [*firsts[:index], setting, *firsts[index + 1:]]
        if len(others) > 1:
            yield [first if choice.of_instruments else choice.last() for first, choice in zip(firsts, self._choices, strict=True)]

    def _of_the_used(self) -> list[Problem]:
        """What is wrong with instruments whose place others take: they are never played."""
        swept = {choice.name for choice in self._of_instruments}
        found: list[Problem] = []
        if swept:
            asked = self._asked
            score = replace(self._score, uses=tuple(use for use in self._score.uses if use.name in swept), settings=())
            chosen, _ = read_options(score, rate=asked.rate, oversample=asked.oversample, seed=asked.seed, peak=asked.peak)
            instruments(score, chosen, found)
        return found

    def _told(self, found: dict[Problem, set[Chosen]]) -> list[Problem]:
        """Problems, each with the instruments with which it arises, unless that is so with all, or it stands in the list itself."""
        listed = {value.place for choice in self._of_instruments for value in choice.values}
        return [problem if problem.place in listed or not problem.place.line or chosen >= set(self._single)
                else Problem(problem.place, f"with {self._names(chosen)}: {problem.message}") for problem, chosen in found.items()]

    def _names(self, chosen: set[Chosen]) -> str:
        """The instruments of one sweep, if they are all that these choices have of their own; else those of the first of the choices."""
        single = chosen & set(self._single)
        for index, choice in enumerate(self._of_instruments):
            own = {each[index] for each in single}
            if single and single == {each for each in self._single if each[index] in own}:
                names = [literal_text(choice.values[at]) for at in sorted(own)]
                more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
                return f"{choice.name} = {', '.join(names[:NAMED])}{more}"
        first = min(chosen)
        return " and ".join(f"{choice.name} = {literal_text(choice.values[at])}"
                            for choice, at in zip(self._of_instruments, first, strict=True))

    def _idle(self, first: Bound) -> list[Problem]:
        """Warnings of sweeps and draws that change nothing of what is played."""
        found = []
        firsts = self.firsts()
        for index, choice in enumerate(self._choices):
            if choice.count < 2:
                continue
            word = "draw" if choice.drawn else "sweep"
            if choice.of_instruments:
                if not any(voice.events for voice in first.voices if voice.name == choice.name):
                    why = f"no row plays {choice.name}"
                    found.append(Problem(choice.path_place, f"this {word} reaches no event: {why}"))
                continue
            other = choice.other()
            if other is None:
                found.append(Problem(choice.place,
                                     f"this {word} changes nothing: all its values are the same"))
                continue
            events = len(choice.path) > 2 and choice.path[-2] in VERBS
            changed, _ = self._bound([*firsts[:index], other, *firsts[index + 1:]])
            if _played(changed, events=events) == _played(first, events=events):
                again = any(overlap(choice.path, later.path) for later in self._choices[index + 1:])
                why = why_idle(choice.path, first, again=again)
                found.append(Problem(choice.path_place, f"this {word} reaches no event: {why}"))
        return found


def _note(error: ScoreError, chosen: Chosen, found: dict[Problem, set[Chosen]]) -> None:
    """Keep with which instruments problems arise."""
    for problem in error.problems:
        found.setdefault(problem, set()).add(chosen)


def once(problems: Iterable[Problem], told: set[Place]) -> list[Problem]:
    """Problems without the repetitions that other values of a sweep bring, and without those at places where one is told."""
    return list(dict.fromkeys(problem for problem in problems if problem.place not in told))


def _played(bound: Bound, *, events: bool) -> list[object]:
    """What is played: the values of all events, and unless only these are asked for, the instruments."""
    return [([(event.part, event.values, event.hz) for event in voice.events],
             None if events else _heard(voice))
            for voice in bound.voices if voice.events]


def _heard(voice: VoicePlan) -> InstrumentSpec:
    """An instrument with the parts that are heard: all, where a body joins them, else those that
    are played."""
    spec, played = voice.spec, {event.part for event in voice.events}
    if spec.body is not None and spec.body.coupled:
        return spec
    return replace(spec, parts=tuple(part for part in spec.parts if part.name in played))
