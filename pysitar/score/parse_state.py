"""What is draft while a score and the files it includes are read."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pysitar.errors import Place, Problem, quoted
from pysitar.score.elements import Draw, Mix, Play, Row, Section, Setting, Sweep, UnreadPath, Use
from pysitar.score.literals import Argument
from pysitar.score.pitch import Tuning
from pysitar.score.source_files import Source
from pysitar.score.tempo import TempoChange, TempoMap, tempo_problems


@dataclass(slots=True)
class OpenSection:
    """A section while its lines are read."""

    name: str
    place: Place
    rows: list[Row] = field(default_factory=list)
    plays: list[Play] = field(default_factory=list)
    tempos: list[TempoChange] = field(default_factory=list)
    incomplete: bool = False          # a line of it is wrong that may be a row

    @property
    def label(self) -> str:
        """What messages call it; its name may be missing."""
        return f"section {quoted(self.name)}" if self.name else "this section"

    def close(self, rows: tuple[Row, ...], problems: list[Problem]) -> Section:
        """The finished section; `rows` are its rows with their relative times linked."""
        found = tempo_problems(self.tempos)
        problems.extend(found)
        tempo = TempoMap(tuple(self.tempos)) if self.tempos and not found else None
        return Section(self.name, rows, tuple(self.plays), tempo, self.place)


@dataclass(slots=True)
class ScoreDraft:
    """What all files of one score have said so far.

    Parameters: declared, names of instruments, also of those whose `use` is wrong; possible_names, the
    names on wrong lines, any of which such a line may have been to declare; unnamed_statements, the keywords
    of the lines that were to declare a name and have none; invalid_tuning, whether a `tuning` is wrong
    (pitches are then not checked), and invalid_tala, whether a `tala` is (nor are bars); failed_include,
    that an included file could not be read, which may declare any name; unread, the paths of values
    that could not be; files, in the order of reading; sources, those that were read whole.
    """

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
    sweeps: list[Sweep] = field(default_factory=list)
    draws: list[Draw] = field(default_factory=list)
    sections: dict[str, OpenSection] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)

    def report(self, place: Place, message: str) -> None:
        """Keep one problem."""
        self.problems.append(Problem(place, message))


@dataclass(slots=True)
class FileState:
    """One file while its lines are read.

    Parameters: name, of the file as told in messages; folder, to which its files are relative;
    order, the place of the file in the whole (the line of its include, after that of the including
    file's); outer, what stands outside sections; inner, the section that is open; unclosed, those
    that had no end before another one began, and may still have it.
    """

    name: str
    folder: Path
    order: tuple[int, ...]
    draft: ScoreDraft
    outer: OpenSection
    inner: OpenSection | None = None
    unclosed: int = 0
    include: Callable[[FileState, str, Place], str | None] | None = None

    def open_section(self, name: str, place: Place) -> OpenSection:
        """Begin a section; one without a name of its own is kept, too, so that its rows are
        checked."""
        key = name if name and name not in self.draft.sections else f"section at {place}"
        self.inner = self.draft.sections.setdefault(key, OpenSection(name, place))
        return self.inner

    @property
    def current(self) -> OpenSection:
        """The section that a row, play or tempo belongs to."""
        return self.inner or self.outer

    def check_outside_section(self, place: Place, keyword: str) -> None:
        """Tell a statement that stands in a section and may not."""
        if self.inner is not None:
            self.draft.report(place, f"{keyword} stands outside sections; write it after the end of {self.inner.label}")
