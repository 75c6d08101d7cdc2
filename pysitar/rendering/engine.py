"""A score rendered: blocks of frames as they come, and what is to be said of the whole."""
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from pysitar.errors import ParameterError, Place, Problem, ScoreError
from pysitar.models.network.audited import AUDIT
from pysitar.physics.checks import FloatArray, number, whole
from pysitar.rendering.binding.binder import bind
from pysitar.rendering.mix import channel_gains, stem, summed
from pysitar.rendering.options import Options, read_options
from pysitar.rendering.plan import Bound
from pysitar.rendering.threads import MOST_JOBS, Threads
from pysitar.rendering.voice import Voice
from pysitar.score.document import Score
from pysitar.score.memory import WAITING_EVENT_BYTES, check_memory

LONGEST_TAIL = 60.0             # s that tail=auto waits for silence
LARGEST_BLOCK = 1 << 20
TRACED = 3.0 * 8.0 + 6.0 * 8.0 / AUDIT          # bytes a step of one part's traces, at most
Parts: TypeAlias = tuple[FloatArray, tuple[FloatArray, ...]]          # the mix and its stems, each (n, channels)


class Engine:
    """A bound score being rendered.

    Parameters: bound; options; start and stop (s), the part that is given of the sound, None: to its end (the simulation begins at 0
    whatever the part); traced, the parts, as (voice, part), that keep what they do for `traces`; jobs, how many threads compute the
    parts, 1 to 1024: any number gives the same bits.
    One of `parts`, `stems` and `blocks` may be used, once; `report` is whole after the last block.
    Errors: ScoreError, an instrument that cannot be built at this rate, or a score of no length; ParameterError, a part that has none.
    """

    def __init__(
        self, bound: Bound, chosen: Options, *, start: float = 0.0, stop: float | None = None,
        traced: frozenset[tuple[str, str]] = frozenset(), jobs: int = 1,
    ) -> None:
        self.bound, self.options, self.traced = bound, chosen, traced
        self._jobs = whole("jobs", jobs, at_least=1, at_most=MOST_JOBS)
        plans = [plan for plan in bound.voices if plan.events]          # what is never played is not built
        self._end = frames_of(bound.end, chosen.rate)
        tail = LONGEST_TAIL if chosen.tail is None else chosen.tail
        self._longest = frames_of(bound.end + tail, chosen.rate)
        if not self._longest:
            place = plans[-1].events[-1].place if plans else Place("score")
            raise ScoreError([Problem(place, "the score lasts 0 s; expected a tail in a 'render' line, or a dur, above 0")])
        self.first, self._last = self._part(start, stop)
        check_memory(sum(len(plan.events) for plan in plans), WAITING_EVENT_BYTES, "events")
        self._voices = []
        for plan in plans:
            parts = frozenset(part for voice, part in traced if voice == plan.name)
            try:
                self._voices.append(Voice(plan, chosen, traced=parts))
            except ParameterError as error:
                raise ScoreError([Problem(plan.parts[0].place, f"{plan.name} cannot be built: {error}")]) from error
        self._gains = [channel_gains(gain_db=plan.level.gain, pan=plan.level.pan,
                                     channels=chosen.channels) for plan in plans]
        self._total: int | None = None          # all frames of the sound, as soon as silence is known
        self._drained = 0                       # internal steps whose traces were given
        self.position = 0                       # frames from the start of the sound that are done, given or passed over
        self.frames = 0
        self.peak = 0.0
        self.clipped = 0
        self.cut = False

    def _part(self, start: float, stop: float | None) -> tuple[int, int]:
        """The frames where the part begins and ends.  Errors: ParameterError."""
        rate = self.options.rate
        beyond = 2.0 * self._longest / rate
        begin = frames_of(min(number("start", start, "s", at_least=0.0), beyond), rate)
        end = self._longest
        if stop is not None:
            end = min(end, frames_of(min(number("stop", stop, "s", at_least=0.0), beyond), rate))
        if begin < end:
            return begin, end
        if stop is not None and begin < self._longest:
            raise ParameterError("stop", f"{stop:g} s", f"expected a time after the start, {start:g} s; the sound lasts {self._length()}")
        raise ParameterError("start", f"{start:g} s", f"expected a time before the end of the sound, which lasts {self._length()}")

    def _length(self) -> str:
        seconds = self._longest / self.options.rate
        return f"{seconds:g} s" if self.options.tail is not None else f"at most {seconds:g} s"

    @property
    def names(self) -> tuple[str, ...]:
        """The voices, in the order of the stems."""
        return tuple(voice.plan.name for voice in self._voices)

    @property
    def most_frames(self) -> int:
        """How many frames there will be at most."""
        return self._last - self.first

    @property
    def least_frames(self) -> int:
        """How many frames there will be at least; exactly so many with a given tail."""
        return max(0, self.least_position - self.first)

    @property
    def least_position(self) -> int:
        """The frame up to which there is something to do, at least."""
        return min(self._last, self._end if self.options.tail is None else self._longest)

    @property
    def stop(self) -> int | None:
        """The frame at which the part ends before the sound does; None when it does not."""
        return self._last if self._last < self._longest else None

    @property
    def trace_bytes(self) -> int:
        """How large the traces will be at least."""
        return math.ceil(TRACED * len(self.traced) * self.least_frames * self.options.oversample)

    def blocks(self, block: int = 4096) -> Iterator[FloatArray]:
        """Yield the frames in blocks (n, channels), float64, full scale 1; any block size gives the same bits.

        Parameters: block, how many frames are computed at a time, 1 to 1048576; what lies before `start` comes as empty blocks.
        Errors: RenderError; ParameterError, also when a sound of tail=auto ends before `start`.
        """
        for mix, _ in self.parts(block):
            yield mix

    def stems(self, block: int = 4096) -> Iterator[tuple[FloatArray, ...]]:
        """Yield each voice's frames, (n, channels), in the order of `names`; their sum in this order is what `blocks` would yield."""
        for _, stems in self.parts(block):
            yield stems

    def parts(self, block: int = 4096) -> Iterator[Parts]:
        """Yield what `blocks` and `stems` would, together.  Parameters and errors: as in `blocks`."""
        size = whole("block", block, at_least=1, at_most=LARGEST_BLOCK)
        over = self.options.oversample
        needed = min(self._longest, self._last + max((voice.lag for voice in self._voices), default=0))
        done = 0
        with Threads(self._jobs) as threads:
            while done < (needed if self._total is None else min(needed, self._total)):
                count = min(size, needed - done)
                begun = [voice.begin(count * over, threads.start) for voice in self._voices]
                voices = [end() for end in begun]
                done += count
                self._total = self._silent_from()
                yield self._given(voices)
        self.cut = self._total is None and self.options.tail is None and self.stop is None
        if needed == self._longest:
            yield self._given([voice.finish() for voice in self._voices])
        if self.first and not self.frames:
            length = (self._longest if self._total is None else self._total) / self.options.rate
            value = f"{self.first / self.options.rate:g} s"
            raise ParameterError("start", value, f"expected a time before the end of the sound, which lasted {length:g} s")

    def traces(self) -> dict[str, FloatArray]:
        """What the traced parts did since the last call, within the part that is given, by "voice.part.what": see
        StringInstrument and LumpedInstrument.

        To be asked after each block and after the last one.
        """
        over = self.options.oversample
        total = self._last if self._total is None else min(self._last, self._total)
        low, high = self.first * over, total * over
        done = self._drained
        found: dict[str, FloatArray] = {}
        for voice in self._voices:
            self._drained = voice.steps
            for part, kinds in voice.traces().items():
                for kind, values in kinds.items():
                    every = AUDIT if kind == "energy" else 1
                    at = -(-done // every)
                    begin, end = (max(0, -(-step // every) - at) for step in (low, high))
                    found[f"{voice.plan.name}.{part}.{kind}"] = values[begin:end]
        return found

    def report(self) -> dict[str, Any]:
        """What is to be said of the frames so far: peak, clipped samples, energy residual, iterations, and each voice's own."""
        voices = {voice.plan.name: voice.report() for voice in self._voices}
        return {
            "frames": self.frames, "seconds": self.frames / self.options.rate, "rate": self.options.rate,
            "oversample": self.options.oversample, "channels": self.options.channels, "seed": self.options.seed, "peak": self.peak,
            "clipped": self.clipped, "tail_cut": self.cut,
            "residual": max((row["residual"] for row in voices.values()), default=0.0),
            "iterations": sum(row["iterations"] for row in voices.values()),
            "most_iterations": max((row.get("most_iterations", 0) for row in voices.values()), default=0),
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
        return min(max(self._end, -(-last // self.options.oversample)), self._longest)

    def _given(self, voices: Sequence[FloatArray]) -> Parts:
        """What of the next frames of all voices, (n,) each, lies in the part, mixed and counted."""
        begin = self.position
        count = voices[0].size if voices else 0
        total = self._last if self._total is None else min(self._last, self._total)
        low = min(max(0, self.first - begin), count)
        high = min(max(low, total - begin), count)
        self.position = max(begin, min(begin + count, total))
        stems = tuple(stem(voice[low:high], gains) for voice, gains in zip(voices, self._gains, strict=True))
        mix = summed(stems, frames=high - low, channels=self.options.channels)
        self.frames += mix.shape[0]
        if mix.any():
            sizes = np.abs(mix)
            self.peak = max(self.peak, float(sizes.max()))
            self.clipped += int((sizes > 1.0).sum())
        return mix, stems


def frames_of(seconds: float, rate: int) -> int:
    """The number of frames in a time, to the nearest: 1.0 s at 48000 Hz has 48000."""
    return math.floor(seconds * rate + 0.5)


def bound_score(
    score: Score, *, rate: int | None = None, oversample: int | None = None, seed: int | None = None, peak: float | None = None,
    allow_large: bool = False, problems: Sequence[Problem] = (),
) -> tuple[Bound, Options]:
    """Return a score bound to its instruments, and how it is rendered; parameters and errors as in `open_engine`."""
    if not isinstance(score, Score):
        raise ParameterError("score", score, "expected a Score: pysitar.load_score(path) reads one")
    chosen, wrong = read_options(score, rate=rate, oversample=oversample, seed=seed, peak=peak, allow_large=allow_large)
    return bind(score, chosen, problems=(*problems, *wrong), allow_large=allow_large), chosen


def open_engine(
    score: Score, *, rate: int | None = None, oversample: int | None = None, seed: int | None = None, allow_large: bool = False,
    problems: Sequence[Problem] = (),
) -> Engine:
    """Return the engine of a score, everything checked and nothing computed yet.

    Parameters: score; rate (Hz), oversample, seed, None where the score decides; allow_large, to lift the limits of a score's size;
    problems, of its text, to be told with the rest.
    Errors: ScoreError with every problem of the text, the options and the instruments; ParameterError for an argument.
    """
    return Engine(*bound_score(score, rate=rate, oversample=oversample, seed=seed, allow_large=allow_large, problems=problems))
