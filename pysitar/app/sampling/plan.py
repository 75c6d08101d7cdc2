"""The sounds of a sampled instrument as a batch: one for each stroke, layer and repetition."""
from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pysitar.api.request import Request
from pysitar.app.batch.items import BatchOptions, Plan, Series
from pysitar.app.batch.keys import common_key
from pysitar.app.batch.layout import FLAT
from pysitar.app.batch.split import WHOLE
from pysitar.app.sampling.strokes import ALIAS, Stroke, strength_factor, velocity_layers
from pysitar.errors import Place, Problem, ScoreError, counted
from pysitar.output.encodings import check_format
from pysitar.rendering.engine import bind_score, frames_of
from pysitar.rendering.options import Options, read_options
from pysitar.rendering.plan import Bound
from pysitar.score.document import Score
from pysitar.score.parser import parse

FADE = 2.0                      # s, the longest: a fade takes at most a quarter of a sound
FORCE, PITCH = "4%", "2c"       # deviations between repetitions
FORM = "wav"
ENDING = ".score"
LEAST = 0.05                    # s: the duration of the rows
MOST_LAYERS = MOST_REPETITIONS = 32


@dataclass(frozen=True, slots=True)
class Sample:
    """One sound: its stroke, the range of velocities, the repetition from 1, and its series."""

    stroke: Stroke
    low: int
    high: int
    repetition: int
    series: Series

    @property
    def file(self) -> str:
        """The name of its file."""
        return self.series.file(1)


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """The options of a sampled instrument.

    Parameters: layers and repetitions, from 1; length, the longest sound (s); seed; rate (Hz);
    oversample; subtype.
    """

    layers: int
    repetitions: int
    length: float
    seed: int
    rate: int
    oversample: int
    subtype: str

    @property
    def batch(self) -> BatchOptions:
        """The options of the batch."""
        request = Request(rate=self.rate, oversample=self.oversample, longest_tail=self.length)
        return BatchOptions(request=request, form=FORM, subtype=self.subtype)


@dataclass(frozen=True, slots=True)
class SampleSeries(Series):
    """The series of one sound, which has its name."""

    def name(self, number: int) -> str:
        """Return the name of its item."""
        return self.stem


@dataclass(frozen=True, slots=True)
class SampleSet:
    """The sounds of a sampled instrument, the batch that renders them, and warnings."""

    samples: tuple[Sample, ...]
    plan: Plan
    warnings: tuple[Problem, ...]


def make_samples(name: str, source: str, strokes: Sequence[Stroke],
                 options: SampleOptions) -> SampleSet:
    """Return the sounds of an instrument, each stroke checked at its hardest.

    Parameters: name, of the instrument, in the names of files; source, as a `use` line names it.
    Errors: ScoreError, ParameterError.
    """
    samples: list[Sample] = []
    warnings: list[Problem] = []
    for stroke in strokes:
        text = _text(source, stroke, 127, options.seed)
        bound, _ = _bind(text, f"{name}, {stroke.name}{ENDING}", options)
        warnings += bound.warnings
        for layer, (low, high) in enumerate(velocity_layers(options.layers), 1):
            for repetition in range(1, options.repetitions + 1):
                # layers vary as well, else a harder one would be the same sound, only louder; and
                # more repetitions do not change those that exist
                seed = (options.seed * MOST_LAYERS + layer - 1) * MOST_REPETITIONS + repetition
                stem = f"{name}-{stroke.name}-v{layer}-r{repetition}"
                text = _text(source, stroke, high, seed)
                samples.append(Sample(stroke, low, high, repetition,
                                      _series(stem, text, bound, options)))
    plan = Plan(tuple(sample.series for sample in samples))
    return SampleSet(tuple(samples), plan, _folded(warnings))


def peak_of(document: Mapping[str, object] | None) -> float:
    """Return the peak (full scale 1) of a sidecar; 0 without one."""
    return 0.0 if document is None else float(str(document["peak"]))


def _folded(warnings: Sequence[Problem]) -> tuple[Problem, ...]:
    """Return the last of the warnings that differ in their numbers alone, with how many others
    there are."""
    alike: dict[str, list[Problem]] = {}
    for warning in warnings:
        alike.setdefault(re.sub(r"[0-9.]+", "", warning.message), []).append(warning)
    folded = []
    for group in alike.values():
        # several strings of one course are one stroke
        strokes = len({warning.place.file for warning in group})
        others = f" (and {counted(strokes - 1, 'other stroke')})" if strokes > 1 else ""
        folded.append(_at_stroke(group[-1], others))
    return tuple(folded)


def _text(source: str, stroke: Stroke, velocity: int, seed: int) -> str:
    """Return the score of one sound."""
    pitch = f" pitch={PITCH}" if stroke.gesture.model == "string" else ""
    lines = [f"use {source} as {ALIAS}",
             f"render tail=auto channels=1 seed={seed} fade={FADE:g}s",
             f"humanise force={FORCE}{pitch} seed={seed}",
             *stroke.rows(strength_factor(velocity), seed)]
    return "\n".join(lines) + "\n"


def _at_stroke(problem: Problem, more: str = "") -> Problem:
    """Return a problem whose place is a stroke, for its score is no file."""
    return Problem(Place(problem.place.file.removesuffix(ENDING)), problem.message + more)


def _parse(text: str, file: str) -> Score:
    """Return the score of a sound; file, its name in messages.  Errors: ScoreError."""
    parsed = parse(text, file=file, folder=Path())
    if parsed.problems:
        raise ScoreError([_at_stroke(problem) for problem in parsed.problems])
    return parsed.score


def _bind(text: str, file: str, options: SampleOptions) -> tuple[Bound, Options]:
    """Return the score of a sound, bound.  Errors: ScoreError, ParameterError."""
    try:
        return bind_score(_parse(text, file), rate=options.rate, oversample=options.oversample)
    except ScoreError as error:
        raise ScoreError([_at_stroke(problem) for problem in error.problems]) from None


def _series(stem: str, text: str, bound: Bound, options: SampleOptions) -> Series:
    """Return the series of one sound; bound, a score with the same instrument."""
    score = _parse(text, f"{stem}{ENDING}")
    chosen, _ = read_options(score, rate=options.rate, oversample=options.oversample)
    # where the instrument's file is does not matter: its content is among the sources
    own = text.partition("\n")[2] + f"longest {options.length!r}"
    digest = hashlib.sha256(own.encode()).hexdigest()
    common = common_key(digest, bound.sources, chosen, kind=f"{FORM} {options.subtype}")
    least, most = (frames_of(seconds, chosen.rate) for seconds in (LEAST, LEAST + options.length))
    encoding = check_format(f"sound.{FORM}", rate=chosen.rate, channels=1, subtype=options.subtype,
                            frames=most)
    return SampleSeries(score, stem, FLAT, WHOLE, FORM, chosen.seed, (), {(): (digest, common)},
                        least, most, encoding.size(least, 1), encoding.size(most, 1), chosen.rate,
                        ())
