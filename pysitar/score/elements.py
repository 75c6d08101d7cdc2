"""The elements of a score: times, uses, settings, rows, plays and sections, each with its place."""
from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pysitar.compared import Compared
from pysitar.errors import Place
from pysitar.score.feel import PLAIN, Feel
from pysitar.score.literals import NOWHERE, Argument, Curve, Literal, Pitch, Quantity
from pysitar.score.tempo import Beats, TempoMap


class Clock(enum.Enum):
    """The forms of a time."""

    BEATS = "beats"
    SECONDS = "seconds"
    BAR = "bar"
    AFTER_END = "+"
    AFTER_BEATS = "+beats"
    AFTER_SECONDS = "+seconds"
    GRACE = "grace"


class Time(NamedTuple):
    """A time as written.

    Parameters: clock; amount, in beats or seconds (BAR: the bar, from 1); matra (BAR), from 1. A
    number of beats or matras is exact where it is written as a fraction.
    """

    clock: Clock
    amount: Beats = 0.0
    matra: Beats = 1.0
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Use(Compared):
    """An instrument and its name in the score.

    Parameters: name; source, the name of a preset, or a file as written (is_file); overrides, keyed
    by the name as written; place, of the name; source_place; folder, to which a file is relative.
    """

    name: str
    source: str
    is_file: bool
    overrides: dict[str, Argument]
    place: Place
    source_place: Place
    folder: Path = Path()


@dataclass(frozen=True, slots=True, eq=False)
class Setting(Compared):
    """`set PATH = VALUE`: path, its parts (`*` is any one part); place, of the value.

    In a sweep of instruments: path, the name of the instrument only; value, its new source; folder,
    to which the new source is relative.
    """

    path: tuple[str, ...]
    path_place: Place
    value: Literal
    place: Place
    folder: Path = Path()


@dataclass(frozen=True, slots=True, eq=False)
class Mix(Compared):
    """`mix TARGET gain= pan=`: target, its parts; arguments, keyed by name; place, of the
    statement."""

    target: tuple[str, ...]
    target_place: Place
    arguments: dict[str, Argument]
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Room(Compared):
    """`room small wet=-20dB` or `room "ir.wav"`.

    Parameters: source, the name of a computed room, or a file as written; is_file, which of both;
    wet, its level (dB); source_place, of the name; place, of the statement; folder, to which the
    file is relative.
    """

    source: str
    is_file: bool
    wet: float
    source_place: Place
    place: Place
    folder: Path = Path()


@dataclass(frozen=True, slots=True, eq=False)
class Sweep(Compared):
    """`sweep PATH = linear(a, b, n)`, `log(a, b, n)` or a list: function (linear, log or list), its
    values, and the count of renderings.

    In a sweep of instruments, `sweep NAME = (a "b.toml")`: path, the name only; function, list;
    values, a Name for each preset and a Text for each file; folder, to which files are relative.
    """

    path: tuple[str, ...]
    path_place: Place
    function: str
    values: tuple[Literal, ...]
    count: int
    place: Place
    folder: Path = Path()


@dataclass(frozen=True, slots=True, eq=False)
class Draw(Compared):
    """`draw PATH ~ uniform(a, b) n=N` or `loguniform(a, b)`: function, both ends and the count
    n."""

    path: tuple[str, ...]
    path_place: Place
    function: str
    low: Quantity
    high: Quantity
    count: int
    place: Place


class Row(NamedTuple):          # one for every line, as `Place`
    """One event row, before its time is known.

    Parameters: time, as written; target, its parts; pitches, after the verb (strum may have
    several); curve, a pitch curve in their place; duration, as written (None: one beat), in beats
    or seconds; arguments, all others, keyed by the name as written; order, the line numbers of the
    row and of the includes around it; after, the index in its section of the row that a relative
    time counts from; broken, whether it has an error: it becomes no event, but later relative times
    still count from it. """

    time: Time
    target: tuple[str, ...]
    target_place: Place
    verb: str
    verb_place: Place
    pitches: tuple[Pitch, ...]
    curve: Curve | None
    duration: Time | None
    arguments: dict[str, Argument]
    end_place: Place
    order: tuple[int, ...]
    after: int = -1
    broken: bool = False

    @property
    def place(self) -> Place:
        """The place of its first word."""
        return self.time.place


@dataclass(frozen=True, slots=True, eq=False)
class Play(Compared):
    """A section, or an included file (key `include FILE`), played at a time of its caller.

    Parameters: section, the key in `Score.sections`; at; times, >= 1; every, in beats or seconds
    (None: the length of the section); factor, of forces; compound, whether it is factor**i in
    repeat i = 1, 2, ...; transpose (cents).
    """

    section: str
    section_place: Place
    at: Time
    times: int
    every: Time | None
    factor: float
    factor_place: Place
    compound: bool
    transpose: float
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Section(Compared):
    """Rows and plays in the order of the file; tempo, its own (None: that of its caller); feel, its
    own; rest_count, the number of rows that are rests."""

    name: str
    rows: tuple[Row, ...] = ()
    plays: tuple[Play, ...] = ()
    tempo: TempoMap | None = None
    place: Place = NOWHERE
    feel: Feel = PLAIN
    rest_count: int = 0


class UnreadPath(NamedTuple):
    """The path of a value that could not be parsed: its parts, the place of the first part, and the
    place of the first part after the instrument."""

    path: tuple[str, ...]
    place: Place
    key_place: Place


EMPTY_SECTION = Section("")
