"""Sections that are never played, and those whose own tempo begins after their start."""
from __future__ import annotations

from pysitar.errors import Problem, quoted
from pysitar.score.document import Score
from pysitar.score.elements import Section
from pysitar.score.literals import number_text
from pysitar.score.tempo import DEFAULT_BPM


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


def section_warnings(score: Score) -> list[Problem]:
    """Return the warnings about sections of the score's own file that are never played (included
    files may be libraries), and about a tempo that begins after the start of its section."""
    found = [
        Problem(
            section.place,
            f"section {quoted(section.name)} is never played; expected play {quoted(section.name)}")
        for section in find_unplayed(score) if section.place.file == score.file
    ]
    for section in score.sections.values():
        changes = () if section.tempo is None else section.tempo.changes
        first = min(changes, key=lambda change: change.beat, default=None)
        if first is not None and first.beat > 0.0:
            name = f"section {quoted(section.name)}" if section.name.isidentifier() else quoted(
                section.name)
            usual = number_text(DEFAULT_BPM)
            found.append(
                Problem(
                    first.place,
                    f"{name} has its own tempo from beat {number_text(first.beat)}, and {usual} "
                    f"beats per "
                    f"minute before it, not the tempo of its caller; expected tempo {usual} above "
                    f"it"
                ))
    return found
