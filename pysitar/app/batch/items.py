"""The items of a batch: each score with its sweeps and draws, one at a time, in constant memory."""
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pysitar.api.request import Request
from pysitar.app.batch.checks import ScoreChecks, unique_problems
from pysitar.app.batch.keys import common_key, item_key, score_digest
from pysitar.app.batch.layout import FLAT, sound_file
from pysitar.app.batch.split import PARTS, WHOLE, part_of
from pysitar.app.batch.variations import Variation, apply_settings, manifest_value, read_variations
from pysitar.errors import ParameterError, Problem, ScoreError, sort_problems
from pysitar.output.audio import check_format
from pysitar.score.document import Score
from pysitar.score.elements import Draw, Setting, Sweep
from pysitar.score.literals import literal_text
from pysitar.score.parser import Parsed
from pysitar.score.sweep_statements import DRAWS

MOST_ITEMS = 100_000
MAX_LARGE_BATCH = 10**12          # with --allow-large
DIGITS = 5              # least digits of an item's number


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """The options of a batch.

    Parameters: request, of each render; form, "wav" or "flac"; subtype, of the files; layout, one
    of those of `layout`; split, the fractions of the parts of a data set.
    """

    request: Request
    form: str = "wav"
    subtype: str = "PCM_24"
    layout: str = FLAT
    split: tuple[float, float, float] = WHOLE


@dataclass(frozen=True, slots=True)
class Item:
    """One sound of a batch.

    Parameters: name, without an ending; file, its path in the folder of the batch; series, the
    index of its score in the batch; score, as named by the user; number, from 1; settings, its
    values; parameters, the same as in a manifest; seed; digest, from `score_digest`; key, from
    `item_key`; split, its part of the data set.
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
    split: str = PARTS[0]


@dataclass(frozen=True, slots=True)
class Series:
    """The items of one score.

    Parameters: score, without sweeps and draws; stem, of the names; layout and split, as in
    `BatchOptions`; form; seed; variations, sweeps first; digests, for each selection of instruments
    `score_digest` and `common_key`; frames and most, the least and the greatest length of the first
    item (they differ only if it ends at silence); size and most_size, the bytes of such files; rate
    (Hz); warnings, of the first values with each instrument, and of values without effect.
    """

    score: Score
    stem: str
    layout: str
    split: tuple[float, float, float]
    form: str
    seed: int
    variations: tuple[Variation, ...]
    digests: dict[tuple[str, ...], tuple[str, str]]
    frames: int
    most: int
    size: int
    most_size: int
    rate: int
    warnings: tuple[Problem, ...]

    @property
    def count(self) -> int:
        """The number of items."""
        return _count(self.variations)

    def size_of(self, frames: float) -> float:
        """Return the bytes of a file of that length, interpolated between least and most."""
        if self.most == self.frames:
            return self.size
        part = (frames - self.frames) / (self.most - self.frames)
        return self.size + part * (self.most_size - self.size)

    def name(self, number: int) -> str:
        """Return the name of an item; names sort in the order of numbers."""
        return f"{self.stem}-{number:0{max(DIGITS, len(str(self.count)))}d}"

    def file(self, number: int) -> str:
        """Return the path of the item's sound file in the folder of the batch."""
        return sound_file(f"{self.name(number)}.{self.form}", layout=self.layout)

    def item(self, number: int, index: int) -> Item:
        """Return the item of a number, from 1.

        The last sweep varies fastest, then those above it, then the draws, so that a larger n adds
        items at the end.
        Parameters: index, of the series in its batch.
        """
        settings, rest = [], number - 1
        for variation in reversed(self.variations):
            if variation.is_draw:
                settings.append(variation.draw_setting(seed=self.seed, number=number))
            else:
                rest, at = divmod(rest, variation.count)
                settings.append(variation.sweep_setting(at))
        settings.reverse()
        parameters = dict(
            manifest_value(variation, setting)
            for variation, setting in zip(self.variations, settings, strict=True))
        digest, common = self.digests[_instrument_names(settings)]
        return Item(self.name(number), self.file(number), index, self.score.file, number,
                    tuple(settings), parameters, self.seed, digest, item_key(common, settings),
                    part_of(self.stem, number, self.split))


@dataclass(frozen=True, slots=True)
class Plan:
    """All items of a batch; with shards, every `shards`-th item from number `shard` (from 1)."""

    series: tuple[Series, ...]
    shard: int = 1
    shards: int = 1

    @property
    def count(self) -> int:
        """The number of items of the plan."""
        return len(range(self.shard - 1, sum(series.count for series in self.series), self.shards))

    def numbers(self) -> Iterator[tuple[int, int]]:
        """Yield the series index and the number of each item, in the order of the batch."""
        position = 0
        for index, series in enumerate(self.series):
            first = (self.shard - 1 - position) % self.shards
            for number in range(first + 1, series.count + 1, self.shards):
                yield index, number
            position += series.count

    def items(self) -> Iterator[Item]:
        """Return an iterator over the items, in that order."""
        return (self.series[index].item(number, index) for index, number in self.numbers())


def make_plan(scores: Sequence[Parsed], batch_options: BatchOptions, *, shard: int = 1,
              shards: int = 1) -> Plan:
    """Return the plan of a batch, with every check that is possible before a sample is computed.

    Every value of a sweep and both ends of a draw are checked with the first values of the other
    sweeps and draws, and all last values together.
    Errors: ScoreError with every problem of the first score that has one, and for too many items,
    at the line with the most; ParameterError.
    """
    counts = [_count((*parsed.score.sweeps, *parsed.score.draws)) for parsed in scores]
    total, most = sum(counts), MAX_LARGE_BATCH if batch_options.request.allow_large else MOST_ITEMS
    size_problems = counts.index(max(counts)) if total > most else None
    series = tuple(
        _series(parsed, batch_options,
                _too_many(parsed, total, batch_options) if at == size_problems else [])
        for at, parsed in enumerate(scores))
    stems = [one.stem for one in series]
    for stem in stems:
        if stems.count(stem) > 1:
            raise ParameterError(
                "scores", f"{stem}.score",
                "two scores have this name, and their items would have the same names; expected "
                "different names, or two batches")
    return Plan(series, shard, shards)


def item_score(score: Score, item: Item) -> Score:
    """Return the score of one item.  Parameters: score, of its series."""
    return apply_settings(score, item.settings)


def with_absolute_folders(item: Item) -> Item:
    """Return the item for a process with another current folder."""
    return replace(
        item, settings=tuple(
            replace(setting, folder=setting.folder.absolute()) for setting in item.settings))


def _count(lines: Sequence[Variation | Sweep | Draw]) -> int:
    """Return the number of all combinations of sweeps and draws; draws vary together."""
    draws = next((line.count for line in lines if line.function in DRAWS), 1)
    return draws * math.prod(line.count for line in lines if line.function not in DRAWS)


def _too_many(parsed: Parsed, total: int, batch_options: BatchOptions) -> list[Problem]:
    """Return the problem of a batch with too many sounds, at the line with the most values."""
    lines: list[Sweep | Draw] = [*parsed.score.sweeps, *parsed.score.draws]
    place = max(lines, key=lambda line: line.count).place
    shown = str(total) if total <= 10**15 else "over 1e15"
    large = batch_options.request.allow_large
    limit = f"{MAX_LARGE_BATCH:g}" if large else f"{MOST_ITEMS}, or --allow-large"
    return [Problem(place, f"the batch has {shown} sounds; expected at most {limit}")]


def _series(parsed: Parsed, batch_options: BatchOptions, size_problems: list[Problem]) -> Series:
    """Return the checked series of a score.

    Parameters: size_problems, about the number of sounds.
    Errors: ScoreError, ParameterError.
    """
    score, request = replace(parsed.score, sweeps=(), draws=()), batch_options.request
    variations, problems = read_variations(parsed.score.sweeps, parsed.score.draws)
    checks = ScoreChecks(score, variations, request)
    reported = {problem.place for problem in problems}
    ranges = [
        variation for variation in variations
        if variation.function != "list" and variation.places & reported]
    others = unique_problems(checks.problems(),
                             reported.union(*(variation.places for variation in ranges)))
    found = [*parsed.problems, *size_problems, *problems, *others]
    if found:
        raise ScoreError(
            sort_problems(found, list(dict.fromkeys(problem.place.file for problem in found))))
    digests = {}
    for settings, bound, options in checks.bind_first_values():
        digest = score_digest(
            apply_settings(score, [setting for setting in settings if len(setting.path) == 1]),
            bound)
        kind = f"{batch_options.form} {batch_options.subtype}"
        digests[_instrument_names(settings)] = digest, common_key(digest, bound.sources, options,
                                                                  kind=kind)
    engine, options = checks.engine, checks.engine.options
    encoding = check_format(f"sound.{batch_options.form}", rate=options.rate,
                            channels=options.channels, subtype=batch_options.subtype,
                            frames=engine.most_frames)
    least, most = engine.least_frames, engine.most_frames
    return Series(score,
                  Path(score.file).stem, batch_options.layout, batch_options.split,
                  batch_options.form,
                  options.seed, tuple(variations), digests, least, most,
                  encoding.size(least, options.channels), encoding.size(most, options.channels),
                  options.rate, tuple(checks.warnings()))


def _instrument_names(settings: Sequence[Setting]) -> tuple[str, ...]:
    """Return the instruments among the values of an item."""
    return tuple(literal_text(setting.value) for setting in settings if len(setting.path) == 1)
