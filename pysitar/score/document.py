"""A parsed score: its statements and rows with their places, before they become events."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pysitar.errors import Place, ScoreError, sort_problems
from pysitar.score.elements import (
    EMPTY_SECTION,
    Draw,
    Mix,
    Section,
    Setting,
    Sweep,
    UnreadPath,
    Use,
)
from pysitar.score.from_python import EventValue, UseValue, Value, draft_events
from pysitar.score.literals import Argument
from pysitar.score.parse_state import OpenSection, ScoreDraft
from pysitar.score.pitch import DEFAULT_TUNING, UNKNOWN_TUNING, Tuning
from pysitar.score.source_files import Source
from pysitar.score.whole_score_checks import check_score


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

    @staticmethod
    def from_events(
        events: Sequence[EventValue],
        *,
        use: Mapping[str, UseValue],
        render: Mapping[str, Value] | None = None,
        tuning: str | None = None,
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
        draft, outer = draft_events(events, use=use, render=render or {}, tuning=tuning,
                                    folder=folder)
        score = build_score(draft, outer, outer.place.file, folder or Path())
        if draft.problems:
            raise ScoreError(sort_problems(draft.problems, draft.files))
        return score


def build_score(draft: ScoreDraft, outer: OpenSection, file: str, folder: Path) -> Score:
    """Check the whole draft, append its errors to the problems, and return the score."""
    sections = check_score(draft, outer)
    main = sections.pop("")
    invalid_tuning = draft.invalid_tuning or (draft.failed_include and draft.tuning is None)
    tuning = UNKNOWN_TUNING if invalid_tuning else draft.tuning or DEFAULT_TUNING
    return Score(file, folder, tuple(draft.uses.values()), draft.render, tuning, draft.tuning_place,
                 draft.tala, tuple(draft.settings), tuple(draft.mixes), tuple(draft.sweeps),
                 tuple(draft.draws), main, sections, not draft.problems, tuple(draft.sources),
                 tuple(draft.unread))
