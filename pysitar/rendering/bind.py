"""Score and instruments brought together: every name found, every value checked and in SI, or a ScoreError that tells all that is wrong."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pysitar.errors import Place, Problem
from pysitar.models.instrument import InstrumentSpec, StringSpec
from pysitar.rendering.options import Options
from pysitar.score.document import Score


@dataclass(frozen=True, slots=True)
class StringPlan:
    """A string to be played: its name, what it is, its sounding pitch (Hz), and where the score uses it."""

    name: str
    spec: StringSpec
    hz: float
    place: Place


@dataclass(frozen=True, slots=True)
class BoundEvent:
    """One event on one string.

    Parameters: time (s); string; verb; values by their full names, in SI, positions in metres, those of the instrument where the row
    gives none: a pluck has position, touch, lead, and either force, width, ramp, release or height; a damp has t60; hz, of the note
    asked for (None: the open string); place, of the row.
    """

    time: float
    string: str
    verb: str
    values: dict[str, float]
    hz: float | None
    place: Place


@dataclass(frozen=True, slots=True)
class VoicePlan:
    """One instrument of a score: its name there, spec, strings in the order of the file, events in order of time, gain (dB), pan (-1..1)."""

    name: str
    spec: InstrumentSpec
    strings: tuple[StringPlan, ...]
    events: tuple[BoundEvent, ...]
    gain_db: float
    pan: float


@dataclass(frozen=True, slots=True)
class Bound:
    """A score bound: its voices in the order of `use`, the latest start + duration of all events (s), and everything wrong, in order."""

    voices: tuple[VoicePlan, ...]
    end: float
    problems: tuple[Problem, ...]


def bind(score: Score, options: Options, *, problems: Sequence[Problem] = (), allow_large: bool = False) -> Bound:
    """Bind a score.

    Parameters: problems, found earlier (by the parser, in the options), to be told with the rest.
    Errors: ScoreError with every problem.
    """
    raise NotImplementedError


def check(score: Score, options: Options, *, problems: Sequence[Problem] = (), allow_large: bool = False) -> Bound:
    """As `bind`, but the problems are returned, not raised."""
    raise NotImplementedError
