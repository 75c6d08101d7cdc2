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
    """A whole score, its text checked; `pysitar.score.timeline.events` returns its events.

    Parameters: file, as named by the user; folder, to which its files are relative; uses; render,
    the options as written; tuning, with tuning_place (None: the default); tala, matras in a bar
    (None: none); settings, mixes, sweeps, draws, in the order of the file; main, the rows and plays
    outside sections; sections, by name; complete, whether its text has no errors; sources, the
    score, include and scale files that were read; unread, the paths of values that could not be
    parsed.
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
        """Return a score from rows in Python: (time in s, target, verb, {name: value}).

        Strings are parsed as values in a score.
        Parameters: use, name -> preset or .toml file, or (source, overrides); render, options;
        tuning, as after `tuning` in a score; folder, to which files are relative (default: the
        current one).
        Errors: ScoreError whose places are `event 1`, `use t`, `render rate`.
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
