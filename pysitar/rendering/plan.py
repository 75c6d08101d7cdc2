"""What a score asks of its instruments, bound and checked: the plan from which voices are built."""
from __future__ import annotations

from dataclasses import dataclass

from pysitar.errors import Place, Problem
from pysitar.models.instrument import InstrumentSpec, StringSpec


@dataclass(frozen=True, slots=True)
class StringPlan:
    """A string to be played: its name, what it is, its sounding pitch (Hz), and where the score uses its instrument."""

    name: str
    spec: StringSpec
    hz: float
    place: Place


@dataclass(frozen=True, slots=True)
class BoundEvent:
    """One event on one string.

    Parameters: time (s); string; verb; values by their full names, in SI, positions in metres, those of the instrument where the row
    gives none: a pluck has position, touch, lead, and either force, width, ramp and release, or height; a damp has t60; hz, of the note
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
    """One instrument of a score.

    Parameters: name, in the score; spec; strings, in the order of the file; events, in order of time; gain_db; pan, -1 to 1.
    """

    name: str
    spec: InstrumentSpec
    strings: tuple[StringPlan, ...]
    events: tuple[BoundEvent, ...]
    gain_db: float
    pan: float


@dataclass(frozen=True, slots=True)
class Bound:
    """A score bound.

    Parameters: voices, in the order of `use` (none when anything is wrong); end, the latest start + duration of all events (s);
    problems, everything wrong, in the order of file and line.
    """

    voices: tuple[VoicePlan, ...]
    end: float
    problems: tuple[Problem, ...]
