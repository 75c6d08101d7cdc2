"""A parsed score: what it says, typed and placed, before anything is played."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pysitar.errors import Place, ScoreError, in_order
from pysitar.score.elements import NO_ROWS, Draw, Mix, Section, Setting, Sweep, UnreadPath, Use
from pysitar.score.from_python import EventValue, UseValue, Value, gather_events
from pysitar.score.literals import Argument
from pysitar.score.parse_state import Gathered, OpenSection
from pysitar.score.pitch import DEFAULT_TUNING, UNKNOWN_TUNING, Tuning
from pysitar.score.source_files import Source
from pysitar.score.whole_score_checks import check_whole


@dataclass(frozen=True, slots=True)
class Score:
    """A whole score, checked as far as its text goes; `pysitar.score.timeline.events` plays it.

    Parameters: file, as named by the user; folder, to which its files are relative; uses; render, the options as written; tuning, with
    tuning_place (None: the default); tala, matras in a bar (None: none); settings, mixes, sweeps, draws, in the order of the file;
    main, what stands outside sections; sections, by name; complete, that nothing in its text was wrong; sources, the score, include and
    scale files that were read; unread, the paths of values that could not be read.
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
    main: Section = NO_ROWS
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
        """A score from rows in Python: (time in s, target, verb, {name: value}); strings are read as a score's values.

        Parameters: use, name -> preset or .toml file, or (source, overrides); render, options; tuning, as after `tuning` in a score;
        folder, to which files are relative (default: the current one).
        Errors: ScoreError whose places are `event 1`, `use t`, `render rate`.
        """
        gathered, outer = gather_events(events, use=use, render=render or {}, tuning=tuning, folder=folder)
        score = finished(gathered, outer, outer.place.file, folder or Path())
        if gathered.problems:
            raise ScoreError(in_order(gathered.problems, gathered.files))
        return score


def finished(gathered: Gathered, outer: OpenSection, file: str, folder: Path) -> Score:
    """The score from all that its files said; what is wrong with the whole is added to the problems."""
    sections = check_whole(gathered, outer)
    main = sections.pop("")
    mistuned = gathered.mistuned or (gathered.unread_file and gathered.tuning is None)
    tuning = UNKNOWN_TUNING if mistuned else gathered.tuning or DEFAULT_TUNING
    return Score(file, folder, tuple(gathered.uses.values()), gathered.render, tuning,
                 gathered.tuning_place, gathered.tala, tuple(gathered.settings), tuple(gathered.mixes), tuple(gathered.sweeps),
                 tuple(gathered.draws), main, sections, not gathered.problems, tuple(gathered.sources),
                 tuple(gathered.unread))
