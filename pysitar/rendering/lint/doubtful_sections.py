"""Sections that are never played, and those whose own tempo begins after their start."""
from __future__ import annotations

from pysitar.errors import Problem, quoted
from pysitar.rendering.lint.table import CheckedScore
from pysitar.score.document import find_unplayed
from pysitar.score.elements import Section
from pysitar.score.literals import number_text
from pysitar.score.tempo import DEFAULT_BPM


def doubtful_sections(checked: CheckedScore) -> list[Problem]:
    """Return a warning for each section of the score's own file that is never played (included
    files may be libraries), and for each tempo that begins after the start of its section."""
    score = checked.score
    found = [
        Problem(
            section.place,
            f"section {quoted(section.name)} is never played; expected play {quoted(section.name)}")
        for section in find_unplayed(score) if section.place.file == score.file
    ]
    return found + [problem for section in score.sections.values()
                    for problem in _late_tempo(section)]


def _late_tempo(section: Section) -> list[Problem]:
    """Return the warning about a tempo that begins after the start of its section."""
    changes = () if section.tempo is None else section.tempo.changes
    first = min(changes, key=lambda change: change.beat, default=None)
    if first is None or first.beat == 0.0:
        return []
    name = f"section {quoted(section.name)}" if section.name.isidentifier() else quoted(
        section.name)
    usual = number_text(DEFAULT_BPM)
    return [Problem(first.place, (
        f"{name} has its own tempo from beat {number_text(first.beat)}, and {usual} beats per "
        f"minute before it, not the tempo of its caller; expected tempo {usual} above it"))]
