"""What is asked of a render beside its score, and the engine that will do it."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pysitar.api.targets import StringKey, Targets, selected, silenced, strings_of, targets_of
from pysitar.errors import ParameterError, Problem
from pysitar.physics.checks import flag
from pysitar.rendering.engine import Engine, bind_score
from pysitar.rendering.plan import Bound
from pysitar.score.document import Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of a render.

    Parameters: rate (Hz), oversample, seed, peak (dB), None where the score decides; start and stop (s), the part of the sound; only and
    mute, targets; traces, of which strings (True: of all of the voices that play), but for those that only and
    mute leave silent; allow_large; jobs, threads that compute.
    Errors: ParameterError.
    """

    rate: int | None = None
    oversample: int | None = None
    seed: int | None = None
    peak: float | None = None
    start: float = 0.0
    stop: float | None = None
    only: Targets = ()
    mute: Targets = ()
    traces: bool | Targets | None = None
    allow_large: bool = False
    jobs: int = 1

    def __post_init__(self) -> None:
        flag("allow_large", self.allow_large)
        object.__setattr__(self, "only", targets_of("only", self.only))
        object.__setattr__(self, "mute", targets_of("mute", self.mute))


def opened(score: Score, asked: Asked, *, problems: Sequence[Problem] = ()) -> Engine:
    """Return the engine that does what is asked, everything checked and nothing computed yet.

    Parameters: problems, of the score's text, to be told with the rest.
    Errors: ScoreError, with every problem of the score; ParameterError.
    """
    bound, options = bind_score(
        score, rate=asked.rate, oversample=asked.oversample, seed=asked.seed, peak=asked.peak, allow_large=asked.allow_large,
        problems=problems)
    bound = selected(bound, only=asked.only, mute=asked.mute)
    return Engine(bound, options, start=asked.start, stop=asked.stop, traced=_traced(bound, asked), jobs=asked.jobs)


def _traced(bound: Bound, asked: Asked) -> frozenset[StringKey]:
    """The strings whose traces are wanted, but for those that `only` and `mute` leave silent.  Errors: ParameterError."""
    traces = asked.traces
    if traces is None or traces is False:
        return frozenset()
    targets = ("*",) if traces is True else targets_of("traces", traces)
    playing = {voice.name for voice in bound.voices if voice.events}
    found = frozenset(key for key in strings_of(bound, "traces", targets) if key[0] in playing)
    found -= silenced(bound, only=asked.only, mute=asked.mute)
    if targets and not found:
        raise ParameterError("traces", " ".join(targets), "nothing of it is played; expected an instrument with events")
    return found
