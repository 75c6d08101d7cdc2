"""Parse the text of a score: collect the problems of all lines, then those of the whole."""
from __future__ import annotations

import gc
import os.path
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pysitar.errors import (
    Place,
    Problem,
    ScoreError,
    closest_word,
    quoted,
    sort_problems,
    suggest_name,
)
from pysitar.score import (
    chance_statements,
    feel_statements,
    global_statements,
    repeats,
    sweep_statements,
    timing_statements,
)
from pysitar.score.chance import Chance
from pysitar.score.document import Drawn, Score, build_score
from pysitar.score.event_rows import parse_row
from pysitar.score.expressions import UnknownValueError, substitute
from pysitar.score.memory import ROW_BYTES, MemoryWatch, check_memory
from pysitar.score.parse_state import FileState, OpenSection, ScoreDraft
from pysitar.score.source_files import Source, hash_source, read_standard_input, read_text
from pysitar.score.tokens import Line, Word, score_error, split_lines
from pysitar.score.vocabulary import GRACE, KEYWORDS, VERBS
from pysitar.system.files import real_path

MAX_INCLUDE_DEPTH = 32
LARGE_TEXT = 100_000            # characters; the memory of a longer text is estimated
CHARACTERS = 64                 # of a line, as large in memory as a short row
ROW_START = re.compile(r"^[ \t]*[0-9+.-]", re.MULTILINE)
TEXT_NAME = "<text>"
MANY_OBJECTS = 20_000          # of a collection that takes about a millisecond
ROW_STARTS = frozenset("0123456789+-.")
OUTSIDE_ONLY = frozenset(("use", "render", "tuning", "tala", "set", "mix", "room", "sweep", "draw"))
# statements to which other lines refer
DECLARATIONS = ("use", "section", "end", "include", "tuning", "tala", "let", "repeat")
ASSIGNMENTS = frozenset(("set", "sweep", "draw"))
HANDLERS: dict[str, Callable[[FileState, Line], None]] = {
    "use": global_statements.read_use, "render": global_statements.read_render,
    "tuning": global_statements.read_tuning, "tala": global_statements.read_tala,
    "set": global_statements.read_set, "mix": global_statements.read_mix,
    "room": global_statements.read_room,
    "sweep": sweep_statements.read_sweep, "draw": sweep_statements.read_draw,
    "tempo": timing_statements.read_tempo, "section": timing_statements.read_section,
    "end": timing_statements.read_end, "play": timing_statements.read_play,
    "include": timing_statements.read_include,
    "swing": feel_statements.read_swing, "accent": feel_statements.read_accent,
    "humanise": feel_statements.read_humanise,
    "let": chance_statements.read_let, "repeat": repeats.read_repeat,
}


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """A score, possibly incomplete, and its problems by file and line; the binder adds its own."""

    score: Score
    problems: tuple[Problem, ...]


def parse_score(text: str, *, file: str, folder: Path) -> Score:
    """Return a score from its text.

    Parameters: file, its name in messages; folder, to which its files are relative.
    Errors: ScoreError with every problem, in the order of file and line.
    """
    parsed = parse(text, file=file, folder=folder)
    if parsed.problems:
        raise ScoreError(parsed.problems)
    return parsed.score


def load_score(path: str | Path | None = None, *, text: str | None = None) -> Score:
    """Return the score of a file or a text.

    Parameters
    ----------
    path : path-like, optional
        A `.score` file; "-" is standard input. Either this or `text`.
    text : str, optional
        The text itself. Its name in messages is `<text>`, and its files are relative to the current
        folder.

    Returns
    -------
    Score

    Raises
    ------
    ScoreError
        With every problem of the text.
    TypeError
        For neither or both of path and text.

    Examples
    --------
    >>> import pysitar
    >>> score = pysitar.load_score(text="use tanpura as t")
    >>> [use.name for use in score.uses]
    ['t']
    """
    if (path is None) == (text is None):
        raise TypeError("load_score has neither or both of path and text; expected one of them")
    if text is not None:
        return parse_score(text, file=TEXT_NAME, folder=Path())
    parsed = read_score(str(path))
    if parsed.problems:
        raise ScoreError(parsed.problems)
    return parsed.score


def read_score(path: str, *, shown: str | None = None) -> Parsed:
    """Return the score of a file and its problems, as `load_score`, without raising them.

    Parameters: shown, the file's name in messages (None: its path).
    Errors: ScoreError, when the file itself cannot be read.
    """
    sources: list[Source] = []
    if path == "-":
        return parse(read_standard_input(sources), file="-", folder=Path(), sources=sources)
    name = path if shown is None else shown
    text = read_text(Path(path), name, ".score", Place(name), sources)
    return parse(text, file=name, folder=Path(path).parent, sources=sources)


def parse(text: str, *, file: str, folder: Path, sources: Sequence[Source] = (),
          seed: int | None = None) -> Parsed:
    """Return a score and its problems, as `parse_score`, without raising them.

    Parameters: sources, the files of the text; seed, of its random values (None: that of its
    `render` line).
    """
    parsed = _parse_once(text, file, folder, sources, seed or 0)
    own = parsed.score.seed if seed is None else seed
    if parsed.score.drawn is not None and own != parsed.score.drawn.seed:
        parsed = _parse_once(text, file, folder, sources, own)
    return parsed


def with_seed(score: Score, seed: int) -> Parsed:
    """Return a score whose random values are those of a seed, and the problems of these values."""
    drawn = score.drawn
    if drawn is None or drawn.seed == seed:
        return Parsed(score, ())
    parsed = parse(drawn.text, file=score.file, folder=score.folder, seed=seed)
    new = parsed.score
    return Parsed(replace(score, main=new.main, sections=new.sections, drawn=new.drawn),
                  parsed.problems)


def _parse_once(text: str, file: str, folder: Path, sources: Sequence[Source],
                seed: int) -> Parsed:
    draft = ScoreDraft(
        sources=list(sources) or [hash_source(file, text.encode("utf-8", "surrogatepass"))],
        chance=Chance(seed))
    outer = OpenSection("", Place(file))
    reader = _FileReader(draft)
    reader.open_now.append(reader.identity(folder, file))
    with pause_garbage_collection():
        reader.read(text, FileState(file, folder, (), draft, outer, include=reader.include))
        score = build_score(draft, outer, file, folder)
    if draft.chance.used:
        score = replace(score, drawn=Drawn(text, seed))
    return Parsed(score, sort_problems(draft.problems, draft.files))


@contextmanager
def pause_garbage_collection() -> Iterator[None]:
    """Disable the cyclic garbage collector, which would traverse all new objects again and
    again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            # move many new objects to the oldest generation: the next collection would traverse
            # them; the count, for which all frozen ones are visited, is not needed of few
            if gc.get_count()[0] > MANY_OBJECTS and gc.get_freeze_count() == 0:
                gc.freeze()
                gc.unfreeze()
            gc.enable()


class _FileReader:
    """The reader of the files of one score; each file is read once, however often it is
    included."""

    def __init__(self, draft: ScoreDraft) -> None:
        self.draft = draft
        self.open_now: list[str] = []
        self.keys: dict[str, str] = {}
        self._watch = MemoryWatch("rows")

    def read(self, text: str, state: FileState) -> None:
        """Parse every line of one file."""
        self.draft.files.append(state.name)
        if len(text) > LARGE_TEXT:
            check_memory(len(ROW_START.findall(text)), ROW_BYTES, "rows")
        state.following_lines = split_lines(text, state.name, self.draft.problems)
        state.read_line = self.read_line
        for line in state.following_lines:
            self.read_line(state, line)
        if state.inner is not None:
            self.draft.report(state.inner.place,
                              f"{state.inner.label} has no end; expected end on a line of its own")

    def read_line(self, state: FileState, line: Line) -> None:
        """Parse one line; its expressions are replaced by their values."""
        written = line.end.text
        self._watch.add(1 + len(written) // CHARACTERS)
        if line.torn:
            _assume_statement(state, line)
            return
        try:
            if "{" in written and line.words[0].text != "repeat":
                line = Line(tuple(substitute(word, state.names) for word in line.words), line.end)
            _read_statement(state, line)
        except UnknownValueError:
            state.current.incomplete = True
        except ScoreError as error:
            self.draft.problems.extend(error.problems)
            if line.words[0].text in ASSIGNMENTS:
                global_statements.record_path(state, line)
            elif line.words[0].text not in HANDLERS:
                _assume_statement(state, line)

    def identity(self, folder: Path, name: str) -> str:
        """Return a unique name of a file: its path without links."""
        return real_path(folder / os.path.basename(name)) if name not in {"-", TEXT_NAME} else name

    def include(self, state: FileState, file: str, place: Place) -> str | None:
        """Read an included file; return the key of its section, or None for a cycle.

        Errors: ScoreError at the file's name.
        """
        if "\0" in file:
            raise score_error(place,
                              "the file name has a zero byte; expected an existing .score file")
        path = state.folder / file
        same = real_path(path)
        if same in self.open_now:
            self.draft.report(place, f"{quoted(file)} includes itself, directly or through "
                                      "others; expected no cycle")
            return None
        if same in self.keys:
            return self.keys[same]
        if len(self.open_now) > MAX_INCLUDE_DEPTH:
            raise score_error(
                place, f"includes nest deeper than {MAX_INCLUDE_DEPTH} levels; expected fewer")
        shown = file if state.name in {"-", TEXT_NAME} else os.path.normpath(
            os.path.join(os.path.dirname(state.name), file))
        text = read_text(path, shown, ".score", place, self.draft.sources)
        key = f"include {shown}"
        self.keys[same] = key
        outer = OpenSection(key, place)
        self.draft.sections[key] = outer
        self.open_now.append(same)
        self.read(
            text,
            FileState(shown, path.parent, (*state.order, place.line), self.draft, outer,
                      include=self.include))
        self.open_now.pop()
        return key


def _read_statement(state: FileState, line: Line) -> None:
    """Read one line, a statement or a row.

    Errors: ScoreError when it is neither, or invalid.
    """
    first = line.words[0].text
    handler = HANDLERS.get(first)
    if handler is not None:
        if first in OUTSIDE_ONLY:
            state.check_outside_section(line.place, first)
        handler(state, line)
        return
    if first[0] in ROW_STARTS or first == GRACE:
        row = parse_row(line.words, line.end, (*state.order, line.place.line),
                         state.draft.problems)
        if row is not None:
            state.current.rows.append(row)
        else:
            state.current.incomplete = True
        return
    if any(word.text in VERBS for word in line.words[:3]):
        raise score_error(line.place,
                          f"{quoted(first)} is not a time; expected a row such as 0 t.pa pluck")
    raise score_error(
        line.place,
        f"{quoted(first)} begins no statement and, without a time, no row; "
        f"{suggest_name(first, KEYWORDS)}"
    )


def _assume_statement(state: FileState, line: Line) -> None:
    """Read an invalid line, already reported, as the statement or row that it resembles, without
    reporting its errors: other lines may refer to the names that it declares, to the section that
    it opens or ends, or to the time of its row."""
    draft, section = state.draft, state.current
    before, rows = len(draft.problems), len(section.rows)
    guess = _guess_line(line)
    if guess is None:
        section.incomplete = True
        return
    first = guess.words[0].text
    if first in ASSIGNMENTS:
        global_statements.record_path(state, guess)
        return
    if first in {"use", "section"}:
        draft.possible_names |= global_statements.find_names(guess.words[1:])
    with suppress(ScoreError):
        _read_statement(state, guess)
    draft.problems[before:] = [problem for problem in draft.problems[before:]
                                  if problem.place.file != state.name]
    section.rows[rows:] = [row._replace(broken=True) for row in section.rows[rows:]]


def _guess_line(line: Line) -> Line | None:
    """Return the most probable meaning of an invalid line: the line itself, a row whose time is
    invalid or missing, a statement whose first word is misspelt, or None."""
    first, *rest = line.words
    if first.text in DECLARATIONS or first.text in ASSIGNMENTS or first.text[
            0] in ROW_STARTS or first.text == GRACE:
        return line
    if any(word.text in VERBS for word in line.words[:3]):
        time = Word("0", first.place)
        return Line((time, *line.words) if rest and rest[0].text in VERBS else (time, *rest),
                    line.end)
    close = closest_word(first.text, KEYWORDS)
    if close in DECLARATIONS or close in ASSIGNMENTS:
        return Line((Word(close, first.place), *rest), line.end)
    return None
