"""The items of a batch: each score with its sweeps and draws put in, one at a time, so that memory does not grow with their number."""
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pysitar.api.request import Asked
from pysitar.app.batch.checks import Checks, once
from pysitar.app.batch.keys import common_key, item_key, score_digest
from pysitar.app.batch.layout import sound_file
from pysitar.app.batch.variations import Choice, choices_of, put_in, recorded
from pysitar.errors import ParameterError, Problem, ScoreError, sort_problems
from pysitar.output.audio import check_format
from pysitar.score.document import Score
from pysitar.score.elements import Draw, Setting, Sweep
from pysitar.score.literals import literal_text
from pysitar.score.parser import Parsed
from pysitar.score.sweep_statements import DRAWS

MOST_ITEMS = 100_000
LARGEST_BATCH = 10**12          # with the limit lifted
DIGITS = 5              # of an item's number, at least


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How the items are made.

    Parameters: asked, of each render; form, wav or flac; subtype, of the files; audiofolder, that they stand as in `layout`, beside a
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
    as named by the user; number, from 1; settings, its values; parameters, the same as a manifest has them; seed; digest, of
    `score_digest`; key, of `item_key`.
    """

    name: str
    file: str
    series: int
    score: str
    number: int
    settings: tuple[Setting, ...]
    parameters: dict[str, float | str]
    seed: int
    digest: str
    key: str


@dataclass(frozen=True, slots=True)
class Series:
    """The items of one score.

    Parameters: score, without its sweeps and draws; stem, of the names; audiofolder, as in
    `Wanted`; form; seed; choices, sweeps first; shared, for each choice of instruments
    `score_digest` and `common_key`; frames, of the first item at least, and most, at most (more
    only where it ends at silence); size and most_size, of a file of so many in bytes; rate (Hz);
    warnings, of first values with each instrument, and of values that reach nothing.
    """

    score: Score
    stem: str
    audiofolder: bool
    form: str
    seed: int
    choices: tuple[Choice, ...]
    shared: dict[tuple[str, ...], tuple[str, str]]
    frames: int
    most: int
    size: int
    most_size: int
    rate: int
    warnings: tuple[Problem, ...]

    @property
    def count(self) -> int:
        """How many items there are."""
        return _count(self.choices)

    def size_of(self, frames: float) -> float:
        """The bytes of a file of so many frames, from its least to its most."""
        if self.most == self.frames:
            return self.size
        part = (frames - self.frames) / (self.most - self.frames)
        return self.size + part * (self.most_size - self.size)

    def name(self, number: int) -> str:
        """The name of an item; names sort as numbers do."""
        return f"{self.stem}-{number:0{max(DIGITS, len(str(self.count)))}d}"

    def file(self, number: int) -> str:
        """The item's sound file, from the folder of the batch."""
        return sound_file(f"{self.name(number)}.{self.form}", audiofolder=self.audiofolder)

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
        digest, common = self.shared[_chosen(settings)]
        return Item(self.name(number), self.file(number), index, self.score.file, number, tuple(settings), parameters, self.seed,
                    digest, item_key(common, settings))


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

    Errors: ScoreError with every problem of the first score that has one, also that the items are
    too many, at the line that has the most; ParameterError.
    """
    counts = [_count((*parsed.score.sweeps, *parsed.score.draws)) for parsed in scores]
    total, most = sum(counts), LARGEST_BATCH if wanted.asked.allow_large else MOST_ITEMS
    large = counts.index(max(counts)) if total > most else None
    series = tuple(_series(parsed, wanted, _too_many(parsed, total, wanted) if at == large else [])
                   for at, parsed in enumerate(scores))
    stems = [one.stem for one in series]
    for stem in stems:
        if stems.count(stem) > 1:
            raise ParameterError("scores", f"{stem}.score", "it is given twice, and its items would have the same names; scores of "
                                                            "different names, or two batches, would be right")
    return Plan(series, shard, shards)


def item_score(score: Score, item: Item) -> Score:
    """The score of an item alone.  Parameters: score, of its series."""
    return put_in(score, item.settings)


def placed(item: Item) -> Item:
    """The same item for a process that has another current folder."""
    return replace(item, settings=tuple(replace(setting, folder=setting.folder.absolute()) for setting in item.settings))


def _count(lines: Sequence[Choice | Sweep | Draw]) -> int:
    """All sweeps crossed with each other and with the draws, which go together."""
    draws = next((line.count for line in lines if line.function in DRAWS), 1)
    return draws * math.prod(line.count for line in lines if line.function not in DRAWS)


def _too_many(parsed: Parsed, total: int, wanted: Wanted) -> list[Problem]:
    """What is wrong with a batch of too many sounds, at the line of a score that multiplies them
    most."""
    lines: list[Sweep | Draw] = [*parsed.score.sweeps, *parsed.score.draws]
    place = max(lines, key=lambda line: line.count).place
    shown = str(total) if total <= 10**15 else "over 1e15"
    if wanted.asked.allow_large:
        return [Problem(place, f"the batch has {shown} sounds; expected at most {LARGEST_BATCH:g}")]
    return [Problem(place, f"the batch has {shown} sounds; expected at most {MOST_ITEMS}, or "
                           "--allow-large, which lifts the limit")]


def _series(parsed: Parsed, wanted: Wanted, large: list[Problem]) -> Series:
    """The checked series of a score; large, what is wrong with the number of sounds.  Errors:
    ScoreError, ParameterError."""
    score, asked = replace(parsed.score, sweeps=(), draws=()), wanted.asked
    choices, problems = choices_of(parsed.score.sweeps, parsed.score.draws)
    checks = Checks(score, choices, asked)
    reported = {problem.place for problem in problems}
    ranges = [choice for choice in choices if choice.function != "list" and choice.places & reported]
    others = once(checks.problems(), reported.union(*(choice.places for choice in ranges)))
    found = [*parsed.problems, *large, *problems, *others]
    if found:
        raise ScoreError(sort_problems(found, list(dict.fromkeys(problem.place.file for problem in found))))
    shared = {}
    for settings, bound, options in checks.bounds():
        digest = score_digest(put_in(score, [setting for setting in settings if len(setting.path) == 1]), bound)
        shared[_chosen(settings)] = digest, common_key(digest, bound.sources, options, kind=f"{wanted.form} {wanted.subtype}")
    engine, options = checks.engine, checks.engine.options
    encoding = check_format(f"sound.{wanted.form}", rate=options.rate, channels=options.channels, subtype=wanted.subtype,
                            frames=engine.most_frames)
    least, most = engine.least_frames, engine.most_frames
    return Series(score, Path(score.file).stem, wanted.audiofolder, wanted.form, options.seed, tuple(choices),
                  shared, least, most, encoding.size(least, options.channels),
                  encoding.size(most, options.channels), options.rate,
                  tuple(checks.warnings()))


def _chosen(settings: Sequence[Setting]) -> tuple[str, ...]:
    """The instruments among the values of an item."""
    return tuple(literal_text(setting.value) for setting in settings if len(setting.path) == 1)
