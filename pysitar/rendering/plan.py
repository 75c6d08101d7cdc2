"""What a score asks of its instruments, bound and checked: the plan from which voices are built."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from pysitar.errors import Place, Problem
from pysitar.models.definitions.spec import InstrumentSpec, PartSpec, StringSpec
from pysitar.models.network.curve import ValueCurve
from pysitar.score.source_files import Source
from pysitar.score.timeline import Event

PITCH = "pitch"                 # the name of a course of pitch
Tell: TypeAlias = Callable[[Place, str], None]          # takes what is wrong, and where


@dataclass(frozen=True, slots=True)
class PartPlan:
    """A part of an instrument, to be played.  Parameters: name; spec; place, where the score uses its instrument."""

    name: str
    spec: PartSpec
    place: Place


@dataclass(frozen=True, slots=True)
class StringPlan(PartPlan):
    """A string to be played.

    Parameters: hz, the sounding pitch of the open string (Hz); highest, the highest pitch that the score asks of it (Hz), at least hz.
    """

    spec: StringSpec
    hz: float
    highest: float


class BoundEvent(NamedTuple):          # made for every event, as `Place`
    """One event on one part.

    Parameters: time (s); part, its name; verb; values by their full names, in SI, positions in metres, those of the instrument where the
    row gives none: a pluck has position, touch, lead, and either force, width, ramp and release, or height; with a pitch it also has
    glide, as a fret has; a damp has t60; a strike position, velocity, mass, stiffness, exponent and damping; a throw velocity and
    gap; hz, the sounding pitch asked for (None: the string's as it is then; a mass has none); place, of the row; duration (s), of the
    row: it does not end the sound, but a roll; courses of the values that move, which begin with those in `values`, or of the "pitch" (Hz)
    of a bend, which begins with hz; row, of which it is an event, and its order among all rows played.
    """

    time: float
    part: str
    verb: str
    values: dict[str, float]
    hz: float | None
    place: Place
    duration: float
    courses: Mapping[str, ValueCurve]
    row: Event
    order: int

    @property
    def last_hz(self) -> float | None:
        """The pitch (Hz) that it leaves the string at: of a bend its curve's last (None: as it was)."""
        course = self.courses.get(PITCH)
        return self.hz if course is None else course.points[-1].value


@dataclass(frozen=True, slots=True)
class Level:
    """How loud and where an instrument is.

    Parameters: gain (dB); pan, -1 to 1; mix, what the `mix` line that gives the gain is written for
    (a name, or *), and place, where that line stands (None: no line gives one).
    """

    gain: float = 0.0
    pan: float = 0.0
    mix: str = ""
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class VoicePlan:
    """One instrument of a score.

    Parameters: name, in the score; spec; parts, in the order of the file; events, in order of time;
    level.
    """

    name: str
    spec: InstrumentSpec
    parts: tuple[PartPlan, ...]
    events: tuple[BoundEvent, ...]
    level: Level

    @property
    def strings(self) -> tuple[StringPlan, ...]:
        """Those of its parts that are strings."""
        return tuple(part for part in self.parts if isinstance(part, StringPlan))


@dataclass(frozen=True, slots=True)
class Bound:
    """A score bound.

    Parameters: voices, in the order of `use` (none when anything is wrong); end, the latest start + duration of all events (s);
    problems, everything wrong, in the order of file and line; warnings, where nothing is wrong: what is physically doubtful, in that order;
    sources, every file that was read.
    """

    voices: tuple[VoicePlan, ...]
    end: float
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...] = ()
    sources: tuple[Source, ...] = ()
