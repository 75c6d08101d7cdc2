"""The state of the parser while a score and its included files are read."""
from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pysitar.errors import Place, Problem, quoted
from pysitar.score.chance import Chance
from pysitar.score.elements import (
    Draw,
    Mix,
    Play,
    Room,
    Row,
    Section,
    Setting,
    Sweep,
    UnreadPath,
    Use,
)
from pysitar.score.expressions import Value
from pysitar.score.feel import PLAIN, Feel
from pysitar.score.literals import Argument
from pysitar.score.pitch import Tuning
from pysitar.score.source_files import Source
from pysitar.score.tempo import TempoChange, TempoMap, tempo_problems
from pysitar.score.tokens import Line, score_error
from pysitar.score.vocabulary import REST


@dataclass(slots=True, eq=False)
class OpenSection:
    """A section while its lines are parsed."""

    name: str
    place: Place
    rows: list[Row] = field(default_factory=list)
    plays: list[Play] = field(default_factory=list)
    tempos: list[TempoChange] = field(default_factory=list)
    incomplete: bool = False          # an invalid line in it may be a row
    feel: Feel = PLAIN
    feel_places: dict[str, Place] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Its name in messages; the name may be missing in the score."""
        return f"section {quoted(self.name)}" if self.name else "this section"

    def set_feel(self, name: str, feel: Feel, place: Place) -> None:
        """Set the feel of the section, of which the value of a statement is new.

        Errors: ScoreError for a second statement of a name.
        """
        first = self.feel_places.setdefault(name, place)
        if first is not place:
            raise score_error(place, f"a second {name} of one section (the first: {first.file}:"
                                     f"{first.line}); expected one")
        self.feel = feel

    def close(self, rows: tuple[Row, ...], problems: list[Problem]) -> Section:
        """Return the section with these rows, whose relative times are linked."""
        found = tempo_problems(self.tempos)
        problems.extend(found)
        tempo = TempoMap(tuple(self.tempos)) if self.tempos and not found else None
        rests = sum(row.verb == REST for row in rows)
        return Section(self.name, rows, tuple(self.plays), tempo, self.place, self.feel, rests)


@dataclass(slots=True, eq=False)
class ScoreDraft:
    """The content of all files of one score that have been parsed so far.

    Parameters: declared, names of instruments, also those with an invalid `use`; possible_names,
    the names on invalid lines, which may be declarations; unnamed_statements, the keywords of
    declarations without a name; invalid_tuning, whether a `tuning` has an error (pitches are then
    not checked); invalid_tala, whether a `tala` has an error (bars are then not checked);
    failed_include, whether an included file, which may declare any name, could not be read; unread,
    the paths of values that could not be parsed; chance, the random values of `let`; files, in the
    order of reading; sources, the files that were read whole. """

    problems: list[Problem] = field(default_factory=list)
    uses: dict[str, Use] = field(default_factory=dict)
    declared: dict[str, Place] = field(default_factory=dict)
    possible_names: set[str] = field(default_factory=set)
    unnamed_statements: set[str] = field(default_factory=set)
    failed_include: bool = False
    unread: list[UnreadPath] = field(default_factory=list)
    render: dict[str, Argument] = field(default_factory=dict)
    tuning: Tuning | None = None
    tuning_place: Place | None = None
    invalid_tuning: bool = False
    invalid_tala: bool = False
    tala: int | None = None
    tala_place: Place | None = None
    settings: list[Setting] = field(default_factory=list)
    mixes: list[Mix] = field(default_factory=list)
    room: Room | None = None
    sweeps: list[Sweep] = field(default_factory=list)
    draws: list[Draw] = field(default_factory=list)
    sections: dict[str, OpenSection] = field(default_factory=dict)
    chance: Chance = field(default_factory=Chance)
    files: list[str] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)

    def report(self, place: Place, message: str) -> None:
        """Append one problem."""
        self.problems.append(Problem(place, message))


@dataclass(slots=True, eq=False)
class FileState:
    """One file while its lines are parsed.

    Parameters: name, of the file in messages; folder, to which its files are relative; order, the
    line numbers of the includes that lead to it, the outermost first; outer, the rows and plays
    outside sections; inner, the open section; unclosed, the number of sections without an `end`
    before the next `section`, whose `end` may still follow; names, the values of `let` and of the
    counters of repeats; following_lines, those not read yet; read_line, the reader of one line;
    repeated_lines, read by repeats so far.
    """

    name: str
    folder: Path
    order: tuple[int, ...]
    draft: ScoreDraft
    outer: OpenSection
    inner: OpenSection | None = None
    unclosed: int = 0
    include: Callable[[FileState, str, Place], str | None] | None = None
    names: ChainMap[str, Value] = field(default_factory=ChainMap)
    following_lines: Iterator[Line] = field(default_factory=lambda: iter(()))
    read_line: Callable[[FileState, Line], None] = lambda state, line: None
    repeated_lines: int = 0

    def open_section(self, name: str, place: Place) -> OpenSection:
        """Open a section; one without a unique name is stored too, so that its rows are checked."""
        key = name if name and name not in self.draft.sections else f"section at {place}"
        self.inner = self.draft.sections.setdefault(key, OpenSection(name, place))
        return self.inner

    @property
    def current(self) -> OpenSection:
        """The section of the next row, play or tempo."""
        return self.inner or self.outer

    def check_outside_section(self, place: Place, keyword: str) -> None:
        """Report a statement inside a section that is only allowed outside."""
        if self.inner is not None:
            self.draft.report(
                place,
                f"{keyword} is inside a section; expected it after the end of {self.inner.label}")
