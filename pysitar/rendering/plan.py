"""A score bound and checked: the plan from which voices are built."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from pysitar.compared import Compared
from pysitar.errors import Place, Problem
from pysitar.models.definitions.spec import InstrumentSpec, PartSpec, StringSpec
from pysitar.models.network.curve import ValueCurve
from pysitar.physics.checks import FloatArray
from pysitar.score.source_files import Source
from pysitar.score.timeline import Event

ROOM_STEM = "room"              # the name of the stem of a room
PITCH = "pitch"                 # key of a pitch curve
ReportProblem: TypeAlias = Callable[[Place, str], None]  # arguments: place and message of a problem


@dataclass(frozen=True, slots=True, eq=False)
class PartPlan(Compared):
    """A part of an instrument in a score.

    Parameters: name; spec; place, of the instrument's `use`.
    """

    name: str
    spec: PartSpec
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class StringPlan(PartPlan):
    """A string in a score.

    Parameters: hz, the pitch of the open string (Hz); highest, its highest pitch in the score (Hz),
    at least hz. """

    spec: StringSpec
    hz: float
    highest: float


class BoundEvent(NamedTuple):          # a tuple for speed: one for each event
    """One event on one part.

    Parameters: time (s); part, its name; verb; values by full name, in SI, positions in metres,
    with the instrument's value where the row has none: a pluck has position, touch, lead, and
    either force, width, ramp and release, or height; with a pitch it also has glide, as a fret; a
    damp has t60; a strike position, velocity, mass, stiffness, exponent and damping; a throw
    velocity and gap; hz, the pitch of the row (None: the string keeps its pitch, or the part is a
    mass); place, of the row; duration (s), of the row: it ends a roll, but no other sound; courses,
    the curves of values, each of which starts at the value in `values`, and the curve of the
    "pitch" (Hz) of a bend, which starts at hz; row, the event of the score; order, its number among
    all rows played. """

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
        """The pitch (Hz) of the string after the event: of a bend, its curve's last (None:
        unchanged)."""
        course = self.courses.get(PITCH)
        return self.hz if course is None else course.points[-1].value


@dataclass(frozen=True, slots=True, eq=False)
class Level(Compared):
    """Gain and pan of an instrument.

    Parameters: gain (dB); loudness (LUFS), of its stem, in place of a gain (None: the gain sets the
    level); pan, -1 (left) to 1 (right); mix, the target of the `mix` line with the gain or loudness
    (a name, or *), and place, of that line (None: there is none); parts, gain (dB) and pan of each
    part, in their order, where they differ (empty: all have the pan of the instrument). """

    gain: float = 0.0
    loudness: float | None = None
    pan: float = 0.0
    mix: str = ""
    place: Place | None = None
    parts: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class BodyResponse:
    """The impulse response of a body, or of what is behind pickups, at the rate of the file.

    Parameters: values (n,); delay (m,), what the sound of modes beside it passes to be as late as a
    resampled response (None: there are no modes, or no delay). """

    values: FloatArray
    delay: FloatArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class VoicePlan(Compared):
    """One instrument of a score.

    Parameters: name, in the score; spec; parts, in the order of the file; events, in order of time;
    level; response, of the body (None: it has none, or modes alone).
    """

    name: str
    spec: InstrumentSpec
    parts: tuple[PartPlan, ...]
    events: tuple[BoundEvent, ...]
    level: Level
    response: BodyResponse | None = field(default=None, compare=False)

    @property
    def strings(self) -> tuple[StringPlan, ...]:
        """The parts that are strings."""
        return tuple(part for part in self.parts if isinstance(part, StringPlan))


@dataclass(frozen=True, slots=True, eq=False)
class RoomPlan(Compared):
    """The room of a score.

    Parameters: name, of a computed room, or of its file; wet, its level (dB); responses, its
    impulse responses (n, 1) or (n, 2) at the rate of the file: one for all channels, or one for
    each, the left one first. """

    name: str
    wet: float
    responses: FloatArray = field(compare=False)


@dataclass(frozen=True, slots=True, eq=False)
class Bound(Compared):
    """A bound score.

    Parameters: voices, in the order of `use` (empty when there are problems); end, the latest start
    + duration of all events (s); problems, in the order of file and line; warnings, of a score
    without problems: what is physically doubtful, in the same order; sources, every file that was
    read; room (None: the score has none); measured, the voices whose level is a loudness, with all
    their events, also where a render leaves some out. """

    voices: tuple[VoicePlan, ...]
    end: float
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...] = ()
    sources: tuple[Source, ...] = ()
    room: RoomPlan | None = None
    measured: tuple[VoicePlan, ...] = ()
