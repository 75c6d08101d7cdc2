"""A score rendered: blocks of frames as they come, and what is to be said of the whole."""
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pysitar.errors import ParameterError, Place, Problem, ScoreError
from pysitar.physics.checks import FloatArray, whole
from pysitar.rendering.bind import Bound, bind
from pysitar.rendering.mix import channel_gains, mixed
from pysitar.rendering.options import Options, read_options
from pysitar.rendering.voice import Voice
from pysitar.score.document import Score

LONGEST_TAIL = 60.0             # s that tail=auto waits for silence
LARGEST_BLOCK = 1 << 20


class Engine:
    """A bound score being rendered.

    Parameters: bound; options.  `blocks` may be used once; `report` is whole after the last block.
    Errors: ScoreError, an instrument that cannot be built at this rate, or a score of no length.
    """

    def __init__(self, bound: Bound, chosen: Options) -> None:
        self.bound, self.options = bound, chosen
        plans = [plan for plan in bound.voices if plan.events]          # what is never played is not built
        self._voices = []
        for plan in plans:
            try:
                self._voices.append(Voice(plan, chosen))
            except ParameterError as error:
                raise ScoreError([Problem(plan.strings[0].place, f"{plan.name} cannot be built: {error}")]) from error
        self._gains = [channel_gains(gain_db=plan.gain_db, pan=plan.pan, channels=chosen.channels) for plan in plans]
        self._end = frames_of(bound.end, chosen.rate)
        tail = LONGEST_TAIL if chosen.tail is None else chosen.tail
        self.most_frames = frames_of(bound.end + tail, chosen.rate)
        if not self.most_frames:
            place = plans[-1].events[-1].place if plans else Place("score")
            raise ScoreError([Problem(place, "the score lasts 0 s; a tail in a 'render' line, or a dur, above 0 would be right")])
        self.frames = 0
        self.peak = 0.0
        self.clipped = 0
        self.cut = False

    @property
    def least_frames(self) -> int:
        """How many frames there will be at least; exactly so many with a given tail."""
        return self._end if self.options.tail is None else self.most_frames

    def blocks(self, block: int = 4096) -> Iterator[FloatArray]:
        """Yield the frames in blocks (n, channels), float64, full scale 1; any block size gives the same bits.

        Parameters: block, how many frames are computed at a time, 1 to 1048576.
        Errors: RenderError, ParameterError.
        """
        size = whole("block", block, at_least=1, at_most=LARGEST_BLOCK)
        over = self.options.oversample
        done = 0
        total: int | None = None
        while done < (self.most_frames if total is None else total):
            count = min(size, self.most_frames - done)
            parts = [voice.advance(count * over) for voice in self._voices]
            done += count
            total = self._silent_from()
            yield from self._given(mixed(parts, self._gains, self.options.channels), total)
        self.cut = total is None and self.options.tail is None
        rest = mixed([voice.finish() for voice in self._voices], self._gains, self.options.channels)
        yield from self._given(rest, self.most_frames if total is None else total)

    def report(self) -> dict[str, Any]:
        """What is to be said of the frames so far: peak, clipped samples, energy residual, iterations, and each voice's own."""
        voices = {voice.plan.name: voice.report() for voice in self._voices}
        return {
            "frames": self.frames, "seconds": self.frames / self.options.rate, "rate": self.options.rate,
            "oversample": self.options.oversample, "channels": self.options.channels, "seed": self.options.seed, "peak": self.peak,
            "clipped": self.clipped, "tail_cut": self.cut,
            "residual": max((row["residual"] for row in voices.values()), default=0.0),
            "iterations": sum(row["iterations"] for row in voices.values()),
            "failed_solves": sum(row["failed_solves"] for row in voices.values()),
            "voices": voices,
        }

    def _silent_from(self) -> int | None:
        """With tail=auto the number of frames after which all is silent, once it is."""
        if self.options.tail is not None:
            return None
        silent = [voice.silent_since for voice in self._voices]
        if any(step is None for step in silent):
            return None
        last = max((step for step in silent if step is not None), default=0)
        # the energy floor lies under the heard one: what the decimation smears past this is under it too
        return min(max(self._end, -(-last // self.options.oversample)), self.most_frames)

    def _given(self, frames: FloatArray, total: int | None) -> Iterator[FloatArray]:
        if total is not None:
            frames = frames[:max(0, total - self.frames)]
        if not frames.shape[0]:
            return
        self.frames += frames.shape[0]
        sizes = np.abs(frames)
        self.peak = max(self.peak, float(sizes.max()))
        self.clipped += int((sizes > 1.0).sum())
        yield frames


@dataclass(frozen=True, slots=True, eq=False)
class Rendering:
    """A rendered score: audio (frames, channels), full scale 1, not clipped; rate (Hz); report, see Engine.report."""

    audio: FloatArray
    rate: int
    report: dict[str, Any]


def frames_of(seconds: float, rate: int) -> int:
    """The number of frames in a time, to the nearest: 1.0 s at 48000 Hz has 48000."""
    return math.floor(seconds * rate + 0.5)


def open_engine(
    score: Score, *, rate: int | None = None, oversample: int | None = None, seed: int | None = None, allow_large: bool = False,
    problems: Sequence[Problem] = (),
) -> Engine:
    """Return the engine of a score, everything checked and nothing computed yet.

    Parameters: score; rate (Hz), oversample, seed, None where the score decides; allow_large, to lift the limits of a score's size;
    problems, of its text, to be told with the rest.
    Errors: ScoreError with every problem of the text, the options and the instruments; ParameterError for an argument.
    """
    if not isinstance(score, Score):
        raise ParameterError("score", score, "it must be a Score: pysitar.load_score(path) reads one")
    chosen, wrong = read_options(score, rate=rate, oversample=oversample, seed=seed, allow_large=allow_large)
    return Engine(bind(score, chosen, problems=(*problems, *wrong), allow_large=allow_large), chosen)


def render(
    score: Score, *, rate: int | None = None, oversample: int | None = None, seed: int | None = None, block: int = 4096,
) -> Rendering:
    """Render a score into memory.

    Parameters: score, from `load_score`; rate (Hz), oversample, seed: None takes the score's own, else 48000, 2 and 0; block, frames
    computed at a time, any gives the same bits.
    Returns: a Rendering.
    Errors: ScoreError, ParameterError, RenderError (an energy balance that fails, with voice and time).
    """
    engine = open_engine(score, rate=rate, oversample=oversample, seed=seed)
    parts = list(engine.blocks(block))
    audio = np.concatenate(parts) if parts else np.zeros((0, engine.options.channels))
    return Rendering(audio, engine.options.rate, engine.report())
