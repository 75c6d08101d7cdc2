"""A parsed score: its statements and rows with their places, before they become events; and the
checks that need the whole of it: names, relative times, matras and cycles."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pysitar.errors import Place, Problem, ScoreError, quoted, sort_problems, suggest_name
from pysitar.score.elements import (
    EMPTY_SECTION,
    Clock,
    Draw,
    Mix,
    Play,
    Room,
    Row,
    Section,
    Setting,
    Sweep,
    Time,
    UnreadPath,
    Use,
)
from pysitar.score.from_python import EventValue, UseValue, Value, draft_events
from pysitar.score.literals import Argument, Quantity
from pysitar.score.parse_state import OpenSection, ScoreDraft
from pysitar.score.pitch import DEFAULT_TUNING, UNKNOWN_TUNING, Tuning
from pysitar.score.source_files import Source
from pysitar.score.tempo import add_beats
from pysitar.score.vocabulary import matches_name

RELATIVE = frozenset((Clock.AFTER_END, Clock.AFTER_BEATS, Clock.AFTER_SECONDS))
MAX_PLAY_DEPTH = 256
ALL_STRINGS = "*"


@dataclass(frozen=True, slots=True)
class Drawn:
    """The text of a score with random values, and the seed of those that it has."""

    text: str
    seed: int


@dataclass(frozen=True, slots=True)
class Score:
    """A score whose text is checked, from `load_score` or `Score.from_events`.

    `pysitar.score.timeline.events` returns its events in seconds.

    Parameters
    ----------
    file : str
        The file, as the user named it.
    folder : pathlib.Path
        The folder to which its files are relative.
    uses : tuple of Use, default ()
        The instruments, in the order of the file.
    render : dict, default {}
        The options of `render` as written.
    tuning : Tuning
        The scale. Default: just intonation, with sa at C#3.
    tuning_place : Place, optional
        Where the score sets the tuning; None: it does not.
    tala : int, optional
        Matras in a bar; None: the score has no tala.
    settings, mixes, sweeps, draws : tuple, default ()
        The statements of each kind, in the order of the file.
    main : Section
        The rows and plays outside sections.
    sections : dict, default {}
        The sections by name.
    complete : bool, default True
        Whether the text has no errors.
    sources : tuple of Source, default ()
        The files that were read: the score, included scores and scales.
    unread : tuple of UnreadPath, default ()
        The paths in values that could not be parsed.
    drawn : Drawn, optional
        The text and the seed of a score with random values; None: it has none.
    room : Room, optional
        The room around all instruments; None: none.

    Examples
    --------
    >>> import pysitar
    >>> score = pysitar.load_score(text="use tanpura as t")
    >>> score.file, score.complete
    ('<text>', True)
    """

    file: str
    folder: Path
    uses: tuple[Use, ...] = ()
    render: dict[str, Argument] = field(default_factory=dict)
    tuning: Tuning = DEFAULT_TUNING
    tuning_place: Place | None = None
    tala: int | None = None
    settings: tuple[Setting, ...] = ()
    mixes: tuple[Mix, ...] = ()
    sweeps: tuple[Sweep, ...] = ()
    draws: tuple[Draw, ...] = ()
    main: Section = EMPTY_SECTION
    sections: dict[str, Section] = field(default_factory=dict)
    complete: bool = True
    sources: tuple[Source, ...] = ()
    unread: tuple[UnreadPath, ...] = ()
    drawn: Drawn | None = None
    room: Room | None = None

    @property
    def seed(self) -> int:
        """The seed of its own `render` line; 0 without one.

        Returns
        -------
        int
        """
        argument = self.render.get("seed")
        value = argument.value.value if argument is not None and isinstance(
            argument.value, Quantity) else 0.0
        return int(value) if value >= 0.0 else 0

    @staticmethod
    def from_events(
        events: Sequence[EventValue],
        *,
        use: Mapping[str, UseValue],
        render: Mapping[str, Value] | None = None,
        tuning: str | None = None,
        mix: Mapping[str, Mapping[str, Value]] | None = None,
        room: str | None = None,
        swing: str | None = None,
        accent: str | None = None,
        humanise: str | None = None,
        folder: Path | None = None,
    ) -> Score:
        """Return a score from events in Python.

        Parameters
        ----------
        events : sequence of tuple
            (time, target, verb, values). A number as time is in s, a text is read as a time of a
            score; values is a mapping of names to numbers or texts, each read as a value of a
            score.
        use : mapping of str to str or tuple
            For each instrument its preset or .toml file, or (source, overrides).
        render : mapping, optional
            Options of `render`.
        tuning : str, optional
            The text after `tuning` in a score.
        mix : mapping of str to mapping, optional
            For each target of a `mix`, its levels: {"t": {"gain": "-3dB", "pan": 0.2}}.
        room : str, optional
            The text after `room` in a score: "small wet=-18dB".
        swing, accent, humanise : str, optional
            The texts after these words in a score, for all events: "60%", "1 0.6", "time=8ms
            force=10% seed=7".
        folder : pathlib.Path, optional
            The folder to which files are relative. Default: the current one.

        Returns
        -------
        Score

        Raises
        ------
        ScoreError
            With every problem; their places are `event 1`, `use t`, `render rate`.

        Examples
        --------
        >>> import pysitar
        >>> events = [(0.0, "t.pa", "pluck", {"f": "1N"})]
        >>> score = pysitar.Score.from_events(events, use={"t": "tanpura"})
        >>> len(score.main.rows)
        1
        """
        draft, outer = draft_events(
            events, use=use, render=render or {}, mix=mix or {}, folder=folder,
            statements={"tuning": tuning, "room": room, "swing": swing, "accent": accent,
                        "humanise": humanise})
        score = build_score(draft, outer, outer.place.file, folder or Path())
        if draft.problems:
            raise ScoreError(sort_problems(draft.problems, draft.files))
        return score


def build_score(draft: ScoreDraft, outer: OpenSection, file: str, folder: Path) -> Score:
    """Check the whole draft, append its errors to the problems, and return the score."""
    sections = _check_sections(draft, outer)
    main = sections.pop("")
    invalid_tuning = draft.invalid_tuning or (draft.failed_include and draft.tuning is None)
    tuning = UNKNOWN_TUNING if invalid_tuning else draft.tuning or DEFAULT_TUNING
    return Score(file, folder, tuple(draft.uses.values()), draft.render, tuning, draft.tuning_place,
                 draft.tala, tuple(draft.settings), tuple(draft.mixes), tuple(draft.sweeps),
                 tuple(draft.draws), main, sections, not draft.problems, tuple(draft.sources),
                 tuple(draft.unread), room=draft.room)


def _check_sections(draft: ScoreDraft, outer: OpenSection) -> dict[str, Section]:
    """Check the whole score, append its problems, and return all sections, the main one under
    ""."""
    problems = draft.problems
    opened = {"": outer, **draft.sections}
    if not draft.failed_include:
        _check_names(draft, opened)
        _check_plays(draft, opened)
    bars: list[Problem] = []
    sections = {}
    for key, section in opened.items():
        rows = link_rows(section.rows, [] if section.incomplete else problems)
        sections[key] = section.close(tuple(_row_in_beats(row, draft.tala, bars) for row in rows),
                                       problems)
        for play in section.plays:
            _check_bar(play.at, draft.tala, bars)
    if draft.tala is not None or not (draft.invalid_tala or draft.failed_include):
        problems.extend(bars)
    _, found = sort_sections(sections)
    problems.extend(found)
    return sections


def _check_names(draft: ScoreDraft, opened: dict[str, OpenSection]) -> None:
    """Report targets and paths whose first part no `use` declares, unless an invalid line may
    declare it."""
    if "use" in draft.unnamed_statements:
        return
    known = {"*", *draft.declared, *draft.possible_names}
    used = [(row.target, row.target_place) for section in opened.values() for row in section.rows]
    used += [(setting.path, setting.path_place) for setting in draft.settings]
    used += [(mix.target, mix.target_place) for mix in draft.mixes]
    used += [(sweep.path, sweep.path_place) for sweep in draft.sweeps]
    used += [(draw.path, draw.path_place) for draw in draft.draws]
    used += [(unread.path, unread.place) for unread in draft.unread]
    for parts, place in used:
        if parts[0] not in known:
            draft.report(
                place, f"no instrument is named {quoted(parts[0])}; {_use_hint(parts[0], draft)}")


def _use_hint(name: str, draft: ScoreDraft) -> str:
    return suggest_name(
        name, draft.declared) if draft.declared else f"expected use PRESET as {quoted(name)}"


def _check_plays(draft: ScoreDraft, opened: dict[str, OpenSection]) -> None:
    """Report plays of undefined sections, unless an invalid line may define them."""
    if "section" in draft.unnamed_statements:
        return
    known = [key for key in draft.sections if key.isidentifier()]
    for section in opened.values():
        for play in section.plays:
            if play.section not in draft.sections and play.section not in draft.possible_names:
                right = suggest_name(
                    play.section,
                    known) if known else f"expected section {quoted(play.section)} ... end"
                draft.report(play.section_place,
                             f"no section is named {quoted(play.section)}; {right}")


def link_rows(rows: list[Row], problems: list[Problem]) -> list[Row]:
    """Return the rows; each relative time is linked to the row that it counts from."""
    # per instrument: by string, and by pattern of strings
    last: dict[str, tuple[dict[str, int], dict[str, int]]] = {}
    result = []
    for index, row in enumerate(rows):
        one, several = last.setdefault(row.target[0], ({}, {}))
        string = _string(row)
        if row.time.clock is Clock.GRACE:          # it does not count for +
            result.append(row._replace(after=_find_note(index, rows, problems)))
            continue
        if row.time.clock in RELATIVE:
            row = row._replace(after=_find_predecessor(row, string, one, several, rows, problems))
        (several if string.endswith("*") else one)[string] = index
        result.append(row)
    return result


def _find_note(index: int, rows: list[Row], problems: list[Problem]) -> int:
    """Return the index of the row that a grace note precedes: the next one; -1 for none, which is
    reported."""
    if index + 1 < len(rows):
        return index + 1
    problems.append(
        Problem(rows[index].place,
                "no note follows this grace note in its section; expected a row below it"))
    return -1


def _string(row: Row) -> str:
    """Return the string of a row, or its pattern of strings; ALL_STRINGS for `t` and `t.*`."""
    return row.target[1] if len(row.target) > 1 else ALL_STRINGS


def _find_predecessor(row: Row, string: str, one: dict[str, int], several: dict[str, int],
                      rows: list[Row], problems: list[Problem]) -> int:
    """Return the index of the row from which a relative time counts; if no row precedes, or not the
    same row for all strings of the target, report a problem and return -1."""
    found = max([
        one.get(string, -1),
        *(index for other, index in several.items() if matches_name(other, string))
    ])
    part = -1
    if string.endswith("*"):
        part = max(
            (index
             for other, index in (*one.items(), *several.items()) if matches_name(string, other)),
            default=-1)
    name = quoted(".".join(row.target))
    if part > found:
        other = rows[part]
        latest = f"{quoted('.'.join(other.target))} on line {other.place.line}"
        problems.append(
            Problem(
                row.place,
                f"the strings of {name} had their last events at different times ({latest}); "
                "expected a time in beats or seconds"))
        return -1
    if found < 0:
        problems.append(
            Problem(
                row.place,
                f"no earlier event on {name} in this section; expected a time in beats or seconds"))
    return found


def _row_in_beats(row: Row, tala: int | None, problems: list[Problem]) -> Row:
    """Return a row with its `bar:matra` in beats."""
    if row.time.clock is not Clock.BAR or not _check_bar(row.time, tala, problems):
        return row
    return row._replace(time=to_beats(row.time, tala))


def to_beats(time: Time, tala: int | None) -> Time:
    """Return a `bar:matra` in beats, or any other time unchanged."""
    if time.clock is not Clock.BAR or tala is None:
        return time
    return Time(Clock.BEATS, add_beats((time.amount - 1) * tala, time.matra - 1), place=time.place)


def _check_bar(time: Time, tala: int | None, problems: list[Problem]) -> bool:
    if time.clock is not Clock.BAR:
        return True
    if tala is None:
        problems.append(
            Problem(time.place, "a bar needs a tala; expected a line such as tala tintal"))
        return False
    if int(time.matra) > tala:
        problems.append(
            Problem(
                time.place,
                f"matra {int(time.matra)} is beyond the tala, which has {tala}; expected 1 to "
                f"{tala}"))
        return False
    return True


def source_names(score: Score) -> list[str]:
    """Return the file names of a score (built in Python: of its events), in the order of
    reading."""
    places = [use.place
              for use in score.uses] + [argument.name_place for argument in score.render.values()]
    places += [
        row.place for section in (score.main, *score.sections.values()) for row in section.rows
    ]
    return list(dict.fromkeys([score.file, *(place.file for place in places)]))


def find_unplayed(score: Score) -> list[Section]:
    """Return the sections that the main section does not play, directly or indirectly, in the order
    of the files."""
    reached: set[str] = set()
    waiting = [score.main]
    while waiting:
        for play in waiting.pop().plays:
            if play.section in score.sections and play.section not in reached:
                reached.add(play.section)
                waiting.append(score.sections[play.section])
    return [section for key, section in score.sections.items() if key not in reached]


def sort_sections(sections: dict[str, Section]) -> tuple[list[str], list[Problem]]:
    """Return the keys of all sections, each after those that it plays, and the problems of cycles,
    each at the play that closes it.

    Without recursion: a chain of sections may be as long as a file.
    """
    order: list[str] = []
    problems: list[Problem] = []
    depth: dict[str, int] = {}
    for root in sections:
        if root in depth:
            continue
        path, on_path = [root], {root}
        waiting = [iter(sections[root].plays)]
        while path:
            play = next(waiting[-1], None)
            if play is None:
                done = path.pop()
                waiting.pop()
                on_path.discard(done)
                depth[done] = 1 + max(
                    (depth.get(p.section, 0) for p in sections[done].plays), default=0)
                order.append(done)
            elif play.section in on_path:
                problems.append(_cycle_problem(play, path))
            elif play.section in sections and play.section not in depth:
                path.append(play.section)
                on_path.add(play.section)
                waiting.append(iter(sections[play.section].plays))
    problems.extend(_depth_problems(sections, depth))
    return order, problems


def _cycle_problem(play: Play, path: list[str]) -> Problem:
    names = [*path[path.index(play.section):], play.section]
    shown = " -> ".join(quoted(name) for name in names[:8]) + (" ..." if len(names) > 8 else "")
    return Problem(play.section_place,
                   f"section {quoted(play.section)} plays itself ({shown}); expected no cycle")


def _depth_problems(sections: dict[str, Section], depth: dict[str, int]) -> list[Problem]:
    """Return the problems of plays at which sections nest too deep for the expansion."""
    message = f"sections nest deeper than {MAX_PLAY_DEPTH} levels; expected fewer"
    return [
        Problem(play.section_place, message) for section in sections.values()
        for play in section.plays if depth.get(play.section, 0) == MAX_PLAY_DEPTH
    ]
