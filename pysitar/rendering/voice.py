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
from pysitar.kernels.core.convolve import Convolver
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
                      weights: Sequence[float] = ()) -> FloatArray | None: ...
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
                            bowed=[part for part, own in needs.items() if own.is_bowed],
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
        needs[part] = Needs(others.heads | own.heads, others.presses + own.presses,
                            others.is_bowed or own.is_bowed)
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


def part_weights(plan: VoicePlan, options: Options) -> list[tuple[float, ...]]:
    """Return the weights of the parts in each stream; none, in one stream, where all are alike."""
    if not plan.level.parts:
        return [()]
    gains = [channel_gains(gain_db=gain, pan=pan, channels=options.channels)
             for gain, pan in plan.level.parts]
    return [tuple(gain[channel] for gain in gains) for channel in range(options.channels)]


def has_both(plan: VoicePlan) -> bool:
    """Whether the body of an instrument has modes and an impulse response beside them."""
    return plan.spec.response is not None and plan.spec.body is not None


def compute_steps(advance: Advance, steps: int) -> FloatArray:
    """Return the samples (steps,) of some steps of a part."""
    sound = np.empty(steps)
    advance(sound)
    return sound


def compute_later(advance: Advance, steps: int) -> Callable[[], FloatArray]:
    """Return a function that computes some steps of a part: a `Start` without threads."""
    return partial(compute_steps, advance, steps)


class VoiceSteps(Protocol):
    """The protocol of what computes the internal steps of a voice, in each of its streams.

    Attributes: steps, computed so far; streams, their number, forces among them; silent_since, the
    internal step after which the voice is silent and has no more events, or None. """

    @property
    def steps(self) -> int: ...
    @property
    def streams(self) -> int: ...
    @property
    def silent_since(self) -> int | None: ...

    def begin(self, steps: int, start: Start) -> Callable[[], list[FloatArray] | None]:
        """Start to compute steps; return a function that waits for the samples (steps,) of each
        stream, full scale 1: None where the voice skips them in silence. Where a body has modes and
        an impulse response, the forces that the response takes follow, one for each stream."""
        ...
    def traces(self) -> dict[str, dict[str, FloatArray]]: ...
    def report(self) -> dict[str, Any]: ...


class PlayedSteps:
    """The steps of an instrument that plays the events of a score: see VoiceSteps.

    Parameters: as of Voice. Errors: ParameterError, an instrument that cannot be built at this
    rate. """

    def __init__(self, plan: VoicePlan, options: Options, *,
                 traced: frozenset[str] = frozenset()) -> None:
        self.plan, self.options = plan, options
        self._instrument = BUILDERS[plan.spec.model](plan, options, traced)
        for event in watch_memory(plan.events, "events"):
            step = round(event.time * options.internal_rate)
            self._instrument.play(event.part, event.verb, step, event.values, event.hz,
                                  event.courses)
        self._weights = part_weights(plan, options)
        self.streams = len(self._weights) * (2 if has_both(plan) else 1)
        self.steps = 0

    @property
    def silent_since(self) -> int | None:
        """The internal step after which the voice is silent and has no more events, or None."""
        return self._instrument.silent_since

    def begin(self, steps: int, start: Start) -> Callable[[], list[FloatArray] | None]:
        """Start to compute internal steps, part by part: see VoiceSteps.

        Errors: of the function that it returns: RenderError for an energy balance that fails, or a
        sample that is not a finite number. """
        if self._instrument.skip(steps):
            self.steps += steps
            return _return_silence
        return partial(self._sum_parts,
                       [start(part.advance, steps) for part in self._instrument.parts], steps)

    def _sum_parts(self, parts: Sequence[Callable[[], FloatArray]],
                   steps: int) -> list[FloatArray]:
        sounds = [np.zeros(steps) for _ in self._weights]
        for index, part in enumerate(parts):          # always in this order, for the same bits
            output = part()
            for sound, weights in zip(sounds, self._weights, strict=True):
                sound += weights[index] * output if weights else output
        forces: list[FloatArray] = []
        for stream, (sound, weights) in enumerate(zip(sounds, self._weights, strict=True)):
            force = self._instrument.finish_output(sound, stream, weights)
            if force is not None:
                forces.append(force)
            if not np.isfinite(sound).all():
                first = int(np.flatnonzero(~np.isfinite(sound))[0])
                raise RenderError(self.plan.name, (self.steps + first) / self.options.internal_rate,
                                  "a sample is not a finite number")
        self.steps += steps
        return sounds + forces

    def traces(self) -> dict[str, dict[str, FloatArray]]:
        """Return the traces of the traced parts since the last call: see the instrument's
        traces."""
        return self._instrument.traces()

    def report(self) -> dict[str, Any]:
        """Return the voice's audit: see the instrument's report."""
        return self._instrument.report()


def _return_silence() -> None:
    return None


class Voice:
    """One instrument of a score at the file's rate: mono, or, if its parts have levels of their
    own, a stream for each channel.

    Parameters: plan; options; traced, the parts that record traces; source, of its internal steps
    (None: an instrument that plays them). Attributes: streams, their number.
    Errors: ParameterError, an instrument that cannot be built at this rate.
    """

    def __init__(self, plan: VoicePlan, options: Options, *, traced: frozenset[str] = frozenset(),
                 source: VoiceSteps | None = None) -> None:
        self.plan, self.options = plan, options
        self._source = PlayedSteps(plan, options, traced=traced) if source is None else source
        taps = kaiser_taps(options.oversample, float(options.rate))
        self._decimators = [Decimator(options.oversample, taps)
                            for _ in range(self._source.streams)]
        self.streams = self._source.streams // (2 if has_both(plan) else 1)
        self.lag = -(-(taps.size // 2) // options.oversample)  # frames, delay of the decimator
        response = plan.response
        self._responses = [] if response is None else [
            Convolver(response.values) for _ in range(self.streams)]
        self._delays = [] if response is None or response.delay is None else [
            Convolver(response.delay) for _ in range(self.streams)]
        # steps for which the body rings after the strings are silent
        self._ringing = 0 if response is None else response.values.size * options.oversample
        # steps of the decimator's filter and of the response
        self._filter_length = taps.size + self._ringing
        self._silent_steps = 0                  # steps of silence in a row so far

    @property
    def steps(self) -> int:
        """The internal steps computed so far."""
        return self._source.steps

    @property
    def silent_since(self) -> int | None:
        """The internal step after which the voice is silent and has no more events, or None."""
        since = self._source.silent_since
        return None if since is None else since + self._ringing

    def begin(self, steps: int, start: Start) -> Callable[[], list[FloatArray]]:
        """Start to compute internal steps, a multiple of the oversample.

        Returns: a function, to be called once before the next `begin`, that waits for the steps and
        returns the frames (n,) of each stream that they complete, full scale 1.
        Errors: of that function: RenderError. """
        return partial(self._decimate, self._source.begin(steps, start), steps)

    def _decimate(self, pending: Callable[[], list[FloatArray] | None],
                  steps: int) -> list[FloatArray]:
        sounds = pending()
        if sounds is not None:
            self._silent_steps = 0
            return self._push(sounds)
        self._silent_steps += steps
        if self._silent_steps - steps >= self._filter_length:
            return [np.zeros(steps // self.options.oversample) for _ in range(self.streams)]
        return self._push([np.zeros(steps) for _ in self._decimators])

    def _push(self, sounds: Sequence[FloatArray]) -> list[FloatArray]:
        """Return the frames that the internal steps (n,) of each stream complete."""
        frames = [np.asarray(decimator.push(sound))
                  for decimator, sound in zip(self._decimators, sounds, strict=True)]
        return self._convolve(frames)

    def _convolve(self, frames: list[FloatArray]) -> list[FloatArray]:
        """Return the frames of each stream as the body's impulse response outputs them."""
        if not self._responses:
            return frames
        modal, forces = frames[:-self.streams], frames[-self.streams:]
        found = [response.push(force)
                 for response, force in zip(self._responses, forces, strict=True)]
        if not modal:
            return found
        if self._delays:
            modal = [delay.push(frame) for delay, frame in zip(self._delays, modal, strict=True)]
        return [one + other for one, other in zip(modal, found, strict=True)]

    def finish(self) -> list[FloatArray]:
        """Return the last frames of each stream, those still in the decimators."""
        return self._convolve([np.asarray(decimator.flush()) for decimator in self._decimators])

    def traces(self) -> dict[str, dict[str, FloatArray]]:
        """Return the traces of the traced parts since the last call: see the instrument's
        traces."""
        return self._source.traces()

    def report(self) -> dict[str, Any]:
        """Return the voice's audit: see the instrument's report."""
        return self._source.report()
