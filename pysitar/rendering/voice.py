"""A voice: one instrument of a score, simulated at the internal rate and decimated to the rate of
the file."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np

from pysitar.errors import RenderError
from pysitar.gestures.base import Needs
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.gestures.press import fingers_at_once
from pysitar.kernels.core.decimate import Decimator, kaiser_taps
from pysitar.models.network.curve import ValueCurve
from pysitar.physics.checks import FloatArray
from pysitar.rendering.mix import channel_gains
from pysitar.rendering.options import Options
from pysitar.rendering.plan import BoundEvent, VoicePlan
from pysitar.score.memory import watch_memory

Advance: TypeAlias = Callable[[FloatArray], None]
Start: TypeAlias = Callable[[Advance, int], Callable[[], FloatArray]]


class Part(Protocol):
    """A part that computes its steps independently of all others."""

    def advance(self, out: FloatArray) -> None: ...


class PlayableInstrument(Protocol):
    """The protocol of instruments of all models: see StringInstrument."""

    @property
    def parts(self) -> Sequence[Part]: ...
    @property
    def silent_since(self) -> int | None: ...

    def play(self, part: str, verb: str, step: int, values: dict[str, float],
             hz: float | None = None, courses: Mapping[str, ValueCurve] | None = None) -> None:
        ...
    def traces(self) -> dict[str, dict[str, FloatArray]]: ...
    def skip(self, steps: int) -> bool: ...
    def finish_output(self, sound: FloatArray, stream: int = 0,
                      weights: Sequence[float] = ()) -> None: ...
    def report(self) -> dict[str, Any]: ...


def _strings(plan: VoicePlan, options: Options, traced: frozenset[str]) -> PlayableInstrument:
    from pysitar.models.strings.instrument import StringInstrument

    needs = _network_needs(plan, options.internal_rate)
    return StringInstrument(plan.spec, pitches={string.name: string.hz
                                                for string in plan.strings
                                                }, sample_rate=float(options.internal_rate),
                            floor=options.floor, name=plan.name,
                            highest={string.name: string.highest
                                     for string in plan.strings}, traced=traced,
                            heads={part: own.heads for part, own in needs.items()},
                            fingers={part: fingers_at_once(own.presses)
                                     for part, own in needs.items() if own.presses},
                            streams=options.channels if plan.level.parts else 1,
                            seed=options.seed)


def _network_needs(plan: VoicePlan, rate: int) -> dict[str, Needs]:
    """Return what the network of each string must have from the start."""
    events: dict[tuple[str, str], list[BoundEvent]] = {}
    for event in plan.events:
        events.setdefault((event.part, event.verb), []).append(event)
    needs: dict[str, Needs] = {}
    for (part, verb), found in events.items():
        own, others = BY_MODEL[plan.spec.model][verb].network_needs(
            found, rate), needs.get(part, Needs())
        needs[part] = Needs(others.heads | own.heads, others.presses + own.presses)
    return needs


def _masses(plan: VoicePlan, options: Options, traced: frozenset[str]) -> PlayableInstrument:
    from pysitar.models.masses.instrument import LumpedInstrument

    return LumpedInstrument(plan.spec, sample_rate=float(options.internal_rate), name=plan.name,
                            traced=traced)


def _objects(plan: VoicePlan, options: Options, traced: frozenset[str]) -> PlayableInstrument:
    from pysitar.models.objects.instrument import StruckInstrument
    from pysitar.models.objects.played import PlannedEvent

    planned: dict[tuple[str, float | None], list[PlannedEvent]] = {}
    for event in plan.events:
        planned.setdefault((event.part, event.hz), []).append(
            PlannedEvent(event.values, event.courses, event.place))
    return StruckInstrument(plan.spec, planned=planned, sample_rate=float(options.internal_rate),
                            floor=options.floor, name=plan.name, seed=options.seed, traced=traced)


Builder: TypeAlias = Callable[[VoicePlan, Options, frozenset[str]], PlayableInstrument]
# by model; each imports its model when an instrument has it
BUILDERS: dict[str, Builder] = {"string": _strings, "lumped": _masses, "impact": _objects}


def _part_weights(plan: VoicePlan, options: Options) -> list[tuple[float, ...]]:
    """Return the weights of the parts in each stream; none, in one stream, where all are alike."""
    if not plan.level.parts:
        return [()]
    gains = [channel_gains(gain_db=gain, pan=pan, channels=options.channels)
             for gain, pan in plan.level.parts]
    return [tuple(gain[channel] for gain in gains) for channel in range(options.channels)]


def compute_steps(advance: Advance, steps: int) -> FloatArray:
    """Return the samples (steps,) of some steps of a part."""
    sound = np.empty(steps)
    advance(sound)
    return sound


def compute_later(advance: Advance, steps: int) -> Callable[[], FloatArray]:
    """Return a function that computes some steps of a part: a `Start` without threads."""
    return partial(compute_steps, advance, steps)


class Voice:
    """One instrument of a score at the file's rate: mono, or, if its parts have levels of their
    own, a stream for each channel.

    Parameters: plan; options; traced, the parts that record traces. Attributes: streams, their
    number.
    Errors: ParameterError, an instrument that cannot be built at this rate.
    """

    def __init__(self, plan: VoicePlan, options: Options, *,
                 traced: frozenset[str] = frozenset()) -> None:
        self.plan, self.options = plan, options
        self._instrument = BUILDERS[plan.spec.model](plan, options, traced)
        for event in watch_memory(plan.events, "events"):
            step = round(event.time * options.internal_rate)
            self._instrument.play(event.part, event.verb, step, event.values, event.hz,
                                  event.courses)
        taps = kaiser_taps(options.oversample, float(options.rate))
        self._weights = _part_weights(plan, options)
        self.streams = len(self._weights)
        self._decimators = [Decimator(options.oversample, taps) for _ in range(self.streams)]
        self.lag = -(-(taps.size // 2) // options.oversample)  # frames, delay of the decimator
        self._filter_length = taps.size          # steps of the decimator's filter
        self._silent_steps = 0                  # steps of silence in a row so far
        self.steps = 0

    @property
    def silent_since(self) -> int | None:
        """The internal step after which the voice is silent and has no more events, or None."""
        return self._instrument.silent_since

    def begin(self, steps: int, start: Start) -> Callable[[], list[FloatArray]]:
        """Start to compute internal steps, a multiple of the oversample, part by part.

        Returns: a function, to be called once before the next `begin`, that waits for the steps and
        returns the frames (n,) of each stream that they complete, full scale 1.
        Errors: of that function: RenderError for an energy balance that fails, or a sample that is
        not a finite number. """
        if self._instrument.skip(steps):
            return partial(self._compute_silence, steps)
        return partial(self._compute_sound,
                       [start(part.advance, steps) for part in self._instrument.parts], steps)

    def _compute_silence(self, steps: int) -> list[FloatArray]:
        self.steps += steps
        self._silent_steps += steps
        if self._silent_steps - steps >= self._filter_length:
            return [np.zeros(steps // self.options.oversample) for _ in self._decimators]
        return [np.asarray(decimator.push(np.zeros(steps))) for decimator in self._decimators]

    def _compute_sound(self, parts: Sequence[Callable[[], FloatArray]],
                       steps: int) -> list[FloatArray]:
        self._silent_steps = 0
        sounds = [np.zeros(steps) for _ in self._decimators]
        for index, part in enumerate(parts):          # always in this order, for the same bits
            output = part()
            for sound, weights in zip(sounds, self._weights, strict=True):
                sound += weights[index] * output if weights else output
        for stream, (sound, weights) in enumerate(zip(sounds, self._weights, strict=True)):
            self._instrument.finish_output(sound, stream, weights)
            if not np.isfinite(sound).all():
                first = int(np.flatnonzero(~np.isfinite(sound))[0])
                raise RenderError(self.plan.name, (self.steps + first) / self.options.internal_rate,
                                  "a sample is not a finite number")
        self.steps += steps
        return [np.asarray(decimator.push(sound))
                for decimator, sound in zip(self._decimators, sounds, strict=True)]

    def finish(self) -> list[FloatArray]:
        """Return the last frames of each stream, those still in the decimators."""
        return [np.asarray(decimator.flush()) for decimator in self._decimators]

    def traces(self) -> dict[str, dict[str, FloatArray]]:
        """Return the traces of the traced parts since the last call: see the instrument's
        traces."""
        return self._instrument.traces()

    def report(self) -> dict[str, Any]:
        """Return the voice's audit: see the instrument's report."""
        return self._instrument.report()
