"""The options of a render beside its score, and the engine that computes it."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pysitar.api.targets import (
    StringKey,
    Targets,
    match_strings,
    parse_targets,
    select_strings,
    silent_strings,
)
from pysitar.errors import ParameterError, Problem
from pysitar.physics.checks import flag
from pysitar.rendering.engine import LONGEST_TAIL, Engine, bind_score
from pysitar.rendering.plan import Bound
from pysitar.score.document import Score

if TYPE_CHECKING:
    from pysitar.rendering.step_cache import StepCache


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The options of a render.

    Parameters: rate (Hz), oversample, seed, peak (dB) and fade (s), None for the score's own
    values; start and stop (s), the part of the sound; only and mute, targets; traces, the strings
    whose traces are kept (True: all that are played), without those that only and mute leave
    silent; allow_large, whether the limits of size are lifted; jobs, the number of threads;
    longest_tail (s), that of a sound that ends at silence. Errors: ParameterError. """

    rate: int | None = None
    oversample: int | None = None
    seed: int | None = None
    peak: float | None = None
    fade: float | None = None
    start: float = 0.0
    stop: float | None = None
    only: Targets = ()
    mute: Targets = ()
    traces: bool | Targets | None = None
    allow_large: bool = False
    jobs: int = 1
    longest_tail: float = LONGEST_TAIL

    def __post_init__(self) -> None:
        flag("allow_large", self.allow_large)
        for name, targets in (("only", self.only), ("mute", self.mute)):
            if targets != ():
                object.__setattr__(self, name, parse_targets(name, targets))


def prepare_engine(score: Score, request: Request, *, problems: Sequence[Problem] = (),
                   cache: StepCache | None = None) -> Engine:
    """Return an engine for a request, with everything checked and nothing computed yet.

    Parameters: problems, of the score's text, which are reported with the problems found here;
    cache, of voices that were computed before, and will be needed again.
    Errors: ScoreError, with every problem of the score; ParameterError.
    """
    bound, options = bind_score(score, rate=request.rate, oversample=request.oversample,
                                seed=request.seed, peak=request.peak, fade=request.fade,
                                allow_large=request.allow_large, problems=problems)
    if request.only or request.mute:
        bound = select_strings(bound, only=request.only, mute=request.mute)
    return Engine(bound, options, start=request.start, stop=request.stop,
                  traced=_traced_strings(bound, request), jobs=request.jobs, cache=cache,
                  longest_tail=request.longest_tail)


def _traced_strings(bound: Bound, request: Request) -> frozenset[StringKey]:
    """Return the strings whose traces are kept, without the silent ones.  Errors:
    ParameterError."""
    traces = request.traces
    if traces is None or traces is False:
        return frozenset()
    targets = ("*",) if traces is True else parse_targets("traces", traces)
    playing = {voice.name for voice in bound.voices if voice.events}
    strings = frozenset(key for key in match_strings(bound, "traces", targets) if key[0] in playing)
    strings -= silent_strings(bound, only=request.only, mute=request.mute)
    if targets and not strings:
        raise ParameterError("traces", " ".join(targets),
                             "no event plays it; expected an instrument with events")
    return strings
