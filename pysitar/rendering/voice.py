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
from pysitar.models.masses.instrument import LumpedInstrument
from pysitar.models.network.curve import ValueCurve
from pysitar.models.objects.instrument import StruckInstrument
from pysitar.models.objects.played import PlannedEvent
from pysitar.models.strings.instrument import StringInstrument
from pysitar.physics.checks import FloatArray
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
    def finish_output(self, sound: FloatArray) -> None: ...
    def report(self) -> dict[str, Any]: ...


def _strings(plan: VoicePlan, options: Options, traced: frozenset[str]) -> PlayableInstrument:
    needs = _network_needs(plan, options.internal_rate)
    return StringInstrument(plan.spec, pitches={string.name: string.hz
                                                for string in plan.strings
                                                }, sample_rate=float(options.internal_rate),
                            floor=options.floor, name=plan.name,
                            highest={string.name: string.highest
                                     for string in plan.strings}, traced=traced,
                            exponents={part: own.exponents for part, own in needs.items()},
                            fingers={part: fingers_at_once(own.presses)
                                     for part, own in needs.items() if own.presses})


def _network_needs(plan: VoicePlan, rate: int) -> dict[str, Needs]:
    """Return what the network of each string must have from the start."""
    events: dict[tuple[str, str], list[BoundEvent]] = {}
    for event in plan.events:
        events.setdefault((event.part, event.verb), []).append(event)
    needs: dict[str, Needs] = {}
    for (part, verb), found in events.items():
        own, others = BY_MODEL[plan.spec.model][verb].network_needs(
            found, rate), needs.get(part, Needs())
        needs[part] = Needs(others.exponents | own.exponents, others.presses + own.presses)
    return needs


def _masses(plan: VoicePlan, options: Options, traced: frozenset[str]) -> PlayableInstrument:
    return LumpedInstrument(plan.spec, sample_rate=float(options.internal_rate), name=plan.name,
                            traced=traced)


def _objects(plan: VoicePlan, options: Options, traced: frozenset[str]) -> PlayableInstrument:
    planned: dict[tuple[str, float | None], list[PlannedEvent]] = {}
    for event in plan.events:
        planned.setdefault((event.part, event.hz), []).append(
            PlannedEvent(event.values, event.courses, event.place))
    return StruckInstrument(plan.spec, planned=planned, sample_rate=float(options.internal_rate),
                            floor=options.floor, name=plan.name, seed=options.seed, traced=traced)


Builder: TypeAlias = Callable[[VoicePlan, Options, frozenset[str]], PlayableInstrument]
# by model
BUILDERS: dict[str, Builder] = {"string": _strings, "lumped": _masses, "impact": _objects}


def compute_steps(advance: Advance, steps: int) -> FloatArray:
    """Return the samples (steps,) of some steps of a part."""
    sound = np.empty(steps)
    advance(sound)
    return sound


def compute_later(advance: Advance, steps: int) -> Callable[[], FloatArray]:
    """Return a function that computes some steps of a part: a `Start` without threads."""
    return partial(compute_steps, advance, steps)


class Voice:
    """One instrument of a score, mono, at the file's rate.

    Parameters: plan; options; traced, the parts that record traces.
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
        self._decimator = Decimator(options.oversample, taps)
        self.lag = -(-(taps.size // 2) // options.oversample)  # frames, delay of the decimator
        self._filter_length = taps.size          # steps of the decimator's filter
        self._silent_steps = 0                  # steps of silence in a row so far
        self.steps = 0

    @property
    def silent_since(self) -> int | None:
        """The internal step after which the voice is silent and has no more events, or None."""
        return self._instrument.silent_since

    def begin(self, steps: int, start: Start) -> Callable[[], FloatArray]:
        """Start to compute internal steps, a multiple of the oversample, part by part.

        Returns: a function, to be called once before the next `begin`, that waits for the steps and
        returns the frames (n,) that they complete, full scale 1.
        Errors: of that function: RenderError for an energy balance that fails, or a sample that is
        not a finite number. """
        if self._instrument.skip(steps):
            return partial(self._compute_silence, steps)
        return partial(self._compute_sound,
                       [start(part.advance, steps) for part in self._instrument.parts], steps)

    def _compute_silence(self, steps: int) -> FloatArray:
        self.steps += steps
        self._silent_steps += steps
        if self._silent_steps - steps >= self._filter_length:
            return np.zeros(steps // self.options.oversample)
        return np.asarray(self._decimator.push(np.zeros(steps)))

    def _compute_sound(self, parts: Sequence[Callable[[], FloatArray]], steps: int) -> FloatArray:
        self._silent_steps = 0
        sound = np.zeros(steps)
        for part in parts:          # always in this order, for the same bits
            sound += part()
        self._instrument.finish_output(sound)
        if not np.isfinite(sound).all():
            first = int(np.flatnonzero(~np.isfinite(sound))[0])
            raise RenderError(self.plan.name, (self.steps + first) / self.options.internal_rate,
                              "a sample is not a finite number")
        self.steps += steps
        return np.asarray(self._decimator.push(sound))

    def finish(self) -> FloatArray:
        """Return the last frames, those still in the decimator."""
        return np.asarray(self._decimator.flush())

    def traces(self) -> dict[str, dict[str, FloatArray]]:
        """Return the traces of the traced parts since the last call: see the instrument's
        traces."""
        return self._instrument.traces()

    def report(self) -> dict[str, Any]:
        """Return the voice's audit: see the instrument's report."""
        return self._instrument.report()
