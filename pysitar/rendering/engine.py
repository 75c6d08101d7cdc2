"""Render a score: blocks of frames, and a report."""
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pysitar.errors import ParameterError, Place, Problem, ScoreError
from pysitar.models.network.audited import AUDIT
from pysitar.physics.checks import FloatArray, number, whole
from pysitar.rendering.binding.binder import bind
from pysitar.rendering.mix import EndFade, channel_gains, join_streams, stem, sum_stems
from pysitar.rendering.options import MOST_JOBS, Options, read_options
from pysitar.rendering.plan import ROOM_STEM, Bound
from pysitar.rendering.voice import Voice, compute_later
from pysitar.score.document import Score
from pysitar.score.memory import WAITING_EVENT_BYTES, check_memory

if TYPE_CHECKING:
    from pysitar.rendering.room import Room
    from pysitar.rendering.step_cache import StepCache

LONGEST_TAIL = 60.0             # s, with tail=auto
LARGEST_BLOCK = 1 << 20
GAIN_DIGITS = 3                 # after the point, of a gain (dB) that a loudness sets
TRACE_BYTES = 3.0 * 8.0 + 6.0 * 8.0 / AUDIT          # bytes per step of one part's traces, at most
# the mix and its stems, each (n, channels)
Parts: TypeAlias = tuple[FloatArray, tuple[FloatArray, ...]]


class Engine:
    """A bound score being rendered.

    Parameters: bound; options; start and stop (s), the excerpt of the sound (stop None: to its
    end), while the simulation always begins at 0; traced, the parts, as (voice, part), that record
    traces; jobs, the number of threads, 1 to 1024; cache, of the steps of voices without traces.
    All numbers of threads, with and without a cache, render the same bits. longest_tail (s, above
    0), after which a sound with tail=auto is cut. Use one of `parts`, `stems` and `blocks`, once;
    `report` is complete after the last block.
    Errors: ScoreError for an instrument that cannot be built at this rate, or a score of length 0;
    ParameterError for an empty excerpt. """

    def __init__(
        self, bound: Bound, chosen: Options, *, start: float = 0.0, stop: float | None = None,
        traced: frozenset[tuple[str, str]] = frozenset(), jobs: int = 1,
        cache: StepCache | None = None,
        longest_tail: float = LONGEST_TAIL,
    ) -> None:
        self.bound, self.options, self.traced = bound, chosen, traced
        self._jobs = whole("jobs", jobs, at_least=1, at_most=MOST_JOBS)
        # instruments without events are not built
        plans = [plan for plan in bound.voices if plan.events]
        self._end = frames_of(bound.end, chosen.rate)
        self.longest_tail = longest_tail
        tail = longest_tail if chosen.tail is None else chosen.tail
        self._longest_frames = frames_of(bound.end + tail, chosen.rate)
        if not self._longest_frames:
            place = plans[-1].events[-1].place if plans else Place("score")
            raise ScoreError([Problem(place, "the score lasts 0 s; expected a tail in a 'render' "
                                             "line, or a dur, above 0")])
        self.first, self._last = self._excerpt(start, stop)
        check_memory(sum(len(plan.events) for plan in plans), WAITING_EVENT_BYTES, "events")
        self._voices = []
        for plan in plans:
            parts = frozenset(part for voice, part in traced if voice == plan.name)
            try:
                source = None if cache is None or parts else cache.source(plan, chosen)
                self._voices.append(Voice(plan, chosen, traced=parts, source=source))
            except ParameterError as error:
                raise ScoreError(
                    [Problem(plan.parts[0].place,
                             f"{plan.name} cannot be built: {error}")]) from error
        # of the voices whose level is a loudness, once it is measured (dB; None: silent)
        self.loudness_gains: dict[str, float | None] = {}
        self._gains = self._channel_gains()
        # frames of the sound; with tail=auto once silence is found
        self._total: int | None = None if chosen.tail is None else self._longest_frames
        self._room: Room | None = None
        if bound.room is not None and plans:
            # scores without a room start faster without its module
            from pysitar.rendering.room import Room

            self._room = Room(bound.room, chosen.channels)
        self._fade = EndFade(frames_of(chosen.fade, chosen.rate),
                             sum(voice.streams for voice in self._voices)
                             + (chosen.channels if self._room is not None else 0))
        self._traced_steps = 0                  # internal steps whose traces were returned
        self.position = 0                       # frames computed, in the excerpt or before it
        self.frames = 0
        self.simulated = 0                      # frames computed, also those that wait for a fade
        self.peak = 0.0
        self.clipped = 0
        self.tail_cut = False

    def _excerpt(self, start: float, stop: float | None) -> tuple[int, int]:
        """Return the first frame and the end frame of the excerpt.  Errors: ParameterError."""
        rate = self.options.rate
        beyond = 2.0 * self._longest_frames / rate
        begin = frames_of(min(number("start", start, "s", at_least=0.0), beyond), rate)
        end = self._longest_frames
        if stop is not None:
            end = min(end, frames_of(min(number("stop", stop, "s", at_least=0.0), beyond), rate))
        if begin < end:
            return begin, end
        if stop is not None and begin < self._longest_frames:
            raise ParameterError(
                "stop", f"{stop:g} s", f"expected a time after the start, {start:g} s; "
                f"the sound lasts {self._length()}")
        raise ParameterError(
            "start", f"{start:g} s", "expected a time before the end of the sound, "
            f"which lasts {self._length()}")

    def _length(self) -> str:
        seconds = self._longest_frames / self.options.rate
        return f"{seconds:g} s" if self.options.tail is not None else f"at most {seconds:g} s"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the stems, in their order: the voices, then the room."""
        return self.voices if self._room is None else (*self.voices, ROOM_STEM)

    @property
    def voices(self) -> tuple[str, ...]:
        """The names of the voices, in their order."""
        return tuple(voice.plan.name for voice in self._voices)

    @property
    def most_frames(self) -> int:
        """The highest possible number of frames."""
        return self._last - self.first

    @property
    def least_frames(self) -> int:
        """The lowest possible number of frames; the exact one with a tail in s."""
        return max(0, self.least_position - self.first)

    @property
    def least_position(self) -> int:
        """The lowest possible position at the end of the render, in frames."""
        return min(self._last, self._end if self.options.tail is None else self._longest_frames)

    @property
    def stop(self) -> int | None:
        """The end frame of an excerpt that ends before the sound; None when it does not."""
        return self._last if self._last < self._longest_frames else None

    @property
    def trace_bytes(self) -> int:
        """The lowest possible size of the traces (bytes)."""
        return math.ceil(TRACE_BYTES * len(self.traced) * self.least_frames
                         * self.options.oversample)

    def blocks(self, block: int = 4096) -> Iterator[FloatArray]:
        """Yield the frames in blocks (n, channels), float64, full scale 1.

        Parameters: block, frames computed at a time, 1 to 1048576: all sizes yield the same bits.
        Blocks before `start` are empty. Errors: RenderError; ParameterError, also when a sound with
        tail=auto ends before `start`. """
        for mix, _ in self.parts(block):
            yield mix

    def stems(self, block: int = 4096) -> Iterator[tuple[FloatArray, ...]]:
        """Yield the frames of each voice, and of the room, (n, channels), in the order of `names`;
        their sum in this order is the block of `blocks`."""
        for _, stems in self.parts(block):
            yield stems

    def parts(self, block: int = 4096) -> Iterator[Parts]:
        """Yield each block of `blocks` with its `stems`.  Parameters and errors: as in `blocks`."""
        size = whole("block", block, at_least=1, at_most=LARGEST_BLOCK)
        if self.bound.measured:
            self._measure_loudness()
        over = self.options.oversample
        needed = self._last + max((voice.lag for voice in self._voices), default=0)
        if self.options.tail is None:           # a silence within this time would fade the excerpt
            needed += self._fade.longest
        needed = min(self._longest_frames, needed)
        done = 0
        with ExitStack() as stack:
            start = compute_later
            if self._jobs > 1:
                # one thread starts faster without the module
                from pysitar.rendering.threads import Threads

                start = stack.enter_context(Threads(self._jobs)).start
            while done < (needed if self._total is None else min(needed, self._total)):
                count = min(size, needed - done)
                pending = [voice.begin(count * over, start) for voice in self._voices]
                streams = self._add_room([stream for end in pending for stream in end()])
                done += count
                self.simulated = done
                if self.options.tail is None:
                    self._total = self._silence_frame()
                yield self._mix_excerpt(self._fade.push(streams, self._total))
        self.tail_cut = self._total is None and self.stop is None
        if needed == self._longest_frames and self._total is None:
            self._total = needed
        if self._total is not None and done >= self._total:     # the decimators lag behind
            streams = self._add_room(
                [stream for voice in self._voices for stream in voice.finish()])
            yield self._mix_excerpt(self._fade.push(streams, self._total))
        if self.first and not self.frames:
            assert self._total is not None
            length = self._total / self.options.rate
            value = f"{self.first / self.options.rate:g} s"
            raise ParameterError(
                "start", value,
                f"expected a time before the end of the sound, which lasted {length:g} s")

    def _channel_gains(self) -> list[tuple[float, ...]]:
        """Return the factors of each voice in the channels, or of all its streams."""
        return [channel_gains(gain_db=self.loudness_gains.get(voice.plan.name)
                              or voice.plan.level.gain, pan=voice.plan.level.pan,
                              channels=1 if voice.plan.level.parts else self.options.channels)
                for voice in self._voices]

    def _measure_loudness(self) -> None:
        """Compute the voices whose level is a loudness alone, whole and with all their events, and
        set the gains that bring their stems to it."""
        # measures need one render of these voices; others start faster without the module
        from pysitar.physics.loudness import Loudness

        plans = [plan for plan in self.bound.measured if plan.name in self.voices]
        if not plans:
            return
        engine = Engine(replace(self.bound, voices=tuple(plans), room=None, measured=()),
                        self.options, jobs=self._jobs, longest_tail=self.longest_tail)
        meters = [Loudness(self.options.rate, self.options.channels) for _ in plans]
        for stems in engine.stems():
            for meter, frames in zip(meters, stems, strict=True):
                meter.add(frames)
        for plan, meter in zip(plans, meters, strict=True):
            assert plan.level.loudness is not None
            gain = meter.gain_to(plan.level.loudness)
            # the last bits of the measure depend on the machine
            self.loudness_gains[plan.name] = None if gain is None else round(gain, GAIN_DIGITS)
        self._gains = self._channel_gains()

    def traces(self) -> dict[str, FloatArray]:
        """Return the traces since the last call, within the excerpt, by "voice.part.kind": see
        StringInstrument and LumpedInstrument.

        Call after each block, and after the last one.
        """
        over = self.options.oversample
        total = self._last if self._total is None else min(self._last, self._total)
        low, high = self.first * over, total * over
        done = self._traced_steps
        found: dict[str, FloatArray] = {}
        for voice in self._voices:
            self._traced_steps = voice.steps
            for part, kinds in voice.traces().items():
                for kind, values in kinds.items():
                    every = AUDIT if kind == "energy" else 1
                    at = -(-done // every)
                    begin, end = (max(0, -(-step // every) - at) for step in (low, high))
                    found[f"{voice.plan.name}.{part}.{kind}"] = values[begin:end]
        return found

    def report(self) -> dict[str, Any]:
        """Return the report on the frames so far: peak, clipped samples, energy residual,
        iterations, and each voice's own report."""
        voices = {voice.plan.name: voice.report() for voice in self._voices}
        for voice in self._voices:
            if (gain := self.loudness_gains.get(voice.plan.name)) is not None:
                voices[voice.plan.name] |= {"loudness": voice.plan.level.loudness,
                                            "gain_db": gain}
        return {
            "frames": self.frames,
            "seconds": self.frames / self.options.rate,
            "rate": self.options.rate,
            "oversample": self.options.oversample,
            "channels": self.options.channels,
            "seed": self.options.seed,
            "peak": self.peak,
            "clipped": self.clipped,
            "fade": self._faded_frames() / self.options.rate,
            "tail_cut": self.tail_cut,
            "residual": max((row["residual"] for row in voices.values()), default=0.0),
            "iterations": sum(row["iterations"] for row in voices.values()),
            "most_iterations": max((row.get("most_iterations", 0) for row in voices.values()),
                                   default=0),
            "failed_solves": sum(row["failed_solves"] for row in voices.values()),
            "voices": voices,
        }

    def _faded_frames(self) -> int:
        """Return the frames of the excerpt that were faded."""
        if self._total is None:
            return 0
        begin = max(self.first, self._total - self._fade.frames(self._total))
        return max(0, min(self._last, self._total) - begin)

    def _silence_frame(self) -> int | None:
        """Return, with tail=auto, the number of frames until all voices and then the room are
        silent; None: unknown."""
        silent = [voice.silent_since for voice in self._voices]
        if any(step is None for step in silent):
            return None
        last = max((step for step in silent if step is not None), default=0)
        # the decimator spreads energy past this frame; that energy is below the audible floor,
        # because the energy floor of sleep is lower
        frames = -(-last // self.options.oversample)
        if self._room is not None:
            frames += self._room.frames
        return min(max(self._end, frames), self._longest_frames)

    def _add_room(self, streams: list[FloatArray]) -> list[FloatArray]:
        """Return the next frames of the streams of all voices, (n,) each, with those of the room,
        one for each channel."""
        if self._room is None:
            return streams
        return streams + self._room.push(self._stems(iter(streams)))

    def _stems(self, streams: Iterator[FloatArray]) -> list[FloatArray]:
        """Return the next frames of each voice, (n, channels), from those of its streams."""
        return [stem(next(streams), gains) if voice.streams == 1 else join_streams(
                    [next(streams) for _ in range(voice.streams)], gains[0])
                for voice, gains in zip(self._voices, self._gains, strict=True)]

    def _mix_excerpt(self, streams: Sequence[FloatArray]) -> Parts:
        """Mix the next frames of the streams of all voices and of the room, (n,) each; return the
        excerpt's part, and count its frames."""
        begin = self.position
        count = streams[0].size if streams else 0
        total = self._last if self._total is None else min(self._last, self._total)
        low = min(max(0, self.first - begin), count)
        high = min(max(low, total - begin), count)
        self.position = max(begin, min(begin + count, total))
        following = iter([stream[low:high] for stream in streams])
        stems = tuple(self._stems(following))
        if self._room is not None:
            stems += (join_streams(list(following), 1.0),)
        mix = sum_stems(stems, frames=high - low, channels=self.options.channels)
        self.frames += mix.shape[0]
        if mix.any():
            sizes = np.abs(mix)
            self.peak = max(self.peak, float(sizes.max()))
            self.clipped += int((sizes > 1.0).sum())
        return mix, stems


def frames_of(seconds: float, rate: int) -> int:
    """Return the nearest number of frames in a time (s): 48000 in 1.0 s at 48000 Hz."""
    return math.floor(seconds * rate + 0.5)


def bind_score(
        score: Score,
        *,
        rate: int | None = None,
        oversample: int | None = None,
        seed: int | None = None,
        peak: float | None = None,
        fade: float | None = None,
        allow_large: bool = False,
        problems: Sequence[Problem] = (),
) -> tuple[Bound, Options]:
    """Return a bound score and its options; parameters and errors as in `open_engine`."""
    if not isinstance(score, Score):
        raise ParameterError("score", score,
                             "expected a Score, as pysitar.load_score(path) returns")
    chosen, wrong = read_options(score, rate=rate, oversample=oversample, seed=seed, peak=peak,
                                 fade=fade, allow_large=allow_large)
    return bind(score, chosen, problems=(*problems, *wrong), allow_large=allow_large), chosen


def open_engine(
        score: Score,
        *,
        rate: int | None = None,
        oversample: int | None = None,
        seed: int | None = None,
        allow_large: bool = False,
        problems: Sequence[Problem] = (),
) -> Engine:
    """Return the engine of a score: checked, with nothing computed yet.

    Parameters: score; rate (Hz), oversample and seed (None: the score's own values); allow_large,
    to lift the limits of a score's size; problems, of the score's text, which are reported with
    those of options and instruments.
    Errors: ScoreError with every problem of the text, the options and the instruments;
    ParameterError for an argument. """
    return Engine(*bind_score(score, rate=rate, oversample=oversample, seed=seed,
                              allow_large=allow_large, problems=problems))
