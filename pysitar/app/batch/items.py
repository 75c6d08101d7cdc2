"""The items of a batch: each score with its sweeps and draws put in, one at a time, so that memory does not grow with their number."""
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pysitar.app.asking import Asked, opened
from pysitar.app.batch.choices import Choice, choices_of, recorded
from pysitar.app.batch.keys import common_key, item_key, score_digest
from pysitar.errors import ParameterError, Problem, ScoreError
from pysitar.models.registry import MODELS
from pysitar.output.audio import check_format
from pysitar.rendering.engine import Engine, bound_score
from pysitar.rendering.plan import Bound
from pysitar.score.document import Score, Setting
from pysitar.score.parser import Parsed, in_order

MOST_ITEMS = 100_000
AUDIO = "audio"         # the folder of the sounds in the layout of the same name
DIGITS = 5              # of an item's number, at least
VERBS = frozenset(verb for schemes in MODELS.values() for verbs in schemes.values() for verb in verbs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How the items are made.

    Parameters: asked, of each render; form, wav or flac; subtype, of the files; audiofolder, that they stand in the folder `AUDIO` beside a
    metadata.csv.
    """

    asked: Asked
    form: str = "wav"
    subtype: str = "PCM_24"
    audiofolder: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One sound of a batch.

    Parameters: name, without an ending; file, with it, from the folder of the batch; series, the index of its score in the batch; score,
    as named by the user; number, from 1; settings, its values; parameters, the same as a manifest has them; seed; key, of `item_key`.
    """

    name: str
    file: str
    series: int
    score: str
    number: int
    settings: tuple[Setting, ...]
    parameters: dict[str, float | str]
    seed: int
    key: str


@dataclass(frozen=True, slots=True)
class Series:
    """The items of one score.

    Parameters: score, without its sweeps and draws; digest, of `score_digest`; stem, of the names; place, before the names
    of files ("audio/"); form; seed; choices, sweeps first;
    common, of `common_key`; frames, of the first item at least; size, of its file in bytes; rate (Hz); auto, that it ends at silence;
    warnings, of the first item and of values that reach nothing.
    """

    score: Score
    digest: str
    stem: str
    place: str
    form: str
    seed: int
    choices: tuple[Choice, ...]
    common: str
    frames: int
    size: int
    rate: int
    auto: bool
    warnings: tuple[Problem, ...]

    @property
    def count(self) -> int:
        """How many items there are."""
        return _count(self.choices)

    def name(self, number: int) -> str:
        """The name of an item; names sort as numbers do."""
        return f"{self.stem}-{number:0{max(DIGITS, len(str(self.count)))}d}"

    def file(self, number: int) -> str:
        """The item's sound file, from the folder of the batch."""
        return f"{self.place}{self.name(number)}.{self.form}"

    def item(self, number: int, index: int) -> Item:
        """The item of a number, from 1: the last sweep moves fastest, then those above it, then the draws, so that a larger n adds
        items at the end.  Parameters: index, of the series in its batch."""
        settings, rest = [], number - 1
        for choice in reversed(self.choices):
            if choice.drawn:
                settings.append(choice.at_draw(seed=self.seed, number=number))
            else:
                rest, at = divmod(rest, choice.count)
                settings.append(choice.swept(at))
        settings.reverse()
        parameters = dict(recorded(choice, setting) for choice, setting in zip(self.choices, settings, strict=True))
        return Item(self.name(number), self.file(number), index, self.score.file, number, tuple(settings), parameters, self.seed,
                    item_key(self.common, settings))


@dataclass(frozen=True, slots=True)
class Plan:
    """All items of a batch, or every one of `shards` from the one of the number `shard` (from 1) on."""

    series: tuple[Series, ...]
    shard: int = 1
    shards: int = 1

    @property
    def count(self) -> int:
        """How many items of the plan there are."""
        return len(range(self.shard - 1, sum(series.count for series in self.series), self.shards))

    def numbers(self) -> Iterator[tuple[int, int]]:
        """The series' index and the number of each item, in the order of scores and numbers."""
        position = 0
        for index, series in enumerate(self.series):
            first = (self.shard - 1 - position) % self.shards
            for number in range(first + 1, series.count + 1, self.shards):
                yield index, number
            position += series.count

    def items(self) -> Iterator[Item]:
        """Each item, in that order."""
        return (self.series[index].item(number, index) for index, number in self.numbers())


def plan_of(scores: Sequence[Parsed], wanted: Wanted, *, shard: int = 1, shards: int = 1) -> Plan:
    """Return the plan of a batch, everything checked that can be before a sample is computed: every value of a sweep, both ends of a
    draw, each beside the first values of the others, and all last values together.

    Errors: ScoreError with every problem of the first score that has one; ParameterError, also for too many items.
    """
    total = sum(_count(choices_of(parsed.score.sweeps, parsed.score.draws)[0]) for parsed in scores)
    if total > MOST_ITEMS and not wanted.asked.allow_large:
        raise ParameterError("the number of items", total, f"at most {MOST_ITEMS} would be right, or --allow-large, which lifts the limit")
    series = tuple(_series(parsed, wanted) for parsed in scores)
    stems = [one.stem for one in series]
    for stem in stems:
        if stems.count(stem) > 1:
            raise ParameterError("scores", f"{stem}.score", "it is given twice, and its items would have the same names; scores of "
                                                            "different names, or two batches, would be right")
    return Plan(series, shard, shards)


def item_score(score: Score, item: Item) -> Score:
    """The score of an item alone.  Parameters: score, of its series."""
    return replace(score, settings=(*score.settings, *item.settings))


def _count(choices: Sequence[Choice]) -> int:
    """All sweeps crossed with each other and with the draws, which go together."""
    draws = next((choice.count for choice in choices if choice.drawn), 1)
    return draws * math.prod(choice.count for choice in choices if not choice.drawn)


def _series(parsed: Parsed, wanted: Wanted) -> Series:
    """The checked series of a score.  Errors: ScoreError, ParameterError."""
    score, asked = replace(parsed.score, sweeps=(), draws=()), wanted.asked
    choices, problems = choices_of(parsed.score.sweeps, parsed.score.draws)
    told = {problem.place for problem in problems}
    found = [*parsed.problems, *problems]
    firsts = [choice.swept(0) for choice in choices]
    for settings in _corners(choices, firsts):
        try:
            bound_score(replace(score, settings=(*score.settings, *settings)), rate=asked.rate, oversample=asked.oversample,
                        seed=asked.seed, peak=asked.peak, allow_large=asked.allow_large)
        except ScoreError as error:
            found.extend(problem for problem in error.problems if problem.place not in told)
    if found:
        raise ScoreError(in_order(_once(found), list(dict.fromkeys(problem.place.file for problem in found))))
    engine = opened(replace(score, settings=(*score.settings, *firsts)), asked)
    options, sources = engine.options, engine.bound.sources
    encoding = check_format(f"sound.{wanted.form}", rate=options.rate, channels=options.channels, subtype=wanted.subtype,
                            frames=engine.most_frames)
    digest = score_digest(score, engine.bound)
    common = common_key(digest, sources, options, kind=f"{wanted.form} {wanted.subtype}")
    idle = _idle(score, choices, firsts, asked, engine)
    place = f"{AUDIO}/" if wanted.audiofolder else ""
    return Series(score, digest, Path(score.file).stem, place, wanted.form, options.seed, tuple(choices), common, engine.least_frames,
                  encoding.size(engine.least_frames, options.channels), options.rate, options.tail is None,
                  (*engine.bound.warnings, *idle))


def _corners(choices: Sequence[Choice], firsts: list[Setting]) -> Iterator[list[Setting]]:
    """The values that are bound together to check them: all first ones, each last one (of a list: each) beside first ones, all last."""
    yield firsts
    for index, choice in enumerate(choices):
        others = range(1, choice.count) if choice.function == "list" else range(1) if choice.count > 1 else ()
        for at in others:
            setting = choice.swept(at) if choice.function == "list" else choice.last()
            yield [*firsts[:index], setting, *firsts[index + 1:]]
    if len(choices) > 1:
        yield [choice.last() for choice in choices]


def _once(problems: list[Problem]) -> list[Problem]:
    """Problems without the repetitions that other values of a sweep bring."""
    return list(dict.fromkeys(problems))


def _idle(score: Score, choices: Sequence[Choice], firsts: list[Setting], asked: Asked, engine: Engine) -> list[Problem]:
    """Warnings of sweeps and draws that change nothing of what is played."""
    found = []
    for index, choice in enumerate(choices):
        if choice.count < 2:
            continue
        settings = [*firsts[:index], choice.last(), *firsts[index + 1:]]
        other, _ = bound_score(replace(score, settings=(*score.settings, *settings)), rate=asked.rate, oversample=asked.oversample,
                               seed=asked.seed, peak=asked.peak, allow_large=asked.allow_large)
        events = len(choice.path) > 2 and choice.path[-2] in VERBS
        if _played(other, events=events) == _played(engine.bound, events=events):
            word = "draw" if choice.drawn else "sweep"
            found.append(Problem(choice.path_place, f"this {word} reaches no event: no row leaves {choice.name} to the instrument"))
    return found


def _played(bound: Bound, *, events: bool) -> list[object]:
    """What is played: the values of all events, and unless only these are asked for, the instruments."""
    return [([(event.part, event.values, event.hz) for event in voice.events], None if events else voice.spec)
            for voice in bound.voices if voice.events]
