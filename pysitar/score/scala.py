"""Scala scale files (.scl): ratios and cents above 1/1."""
from __future__ import annotations

import re
from pathlib import Path

from pysitar.errors import Place, Problem, ScoreError, quoted
from pysitar.kernels import elementary
from pysitar.score.pitch import Tuning
from pysitar.score.reading import Source, read_text

LARGEST_SCALE = 1000
RATIO = re.compile(r"([0-9]{1,15})(?:/([0-9]{1,15}))?")
PARTED = re.compile(r"[ \t]*([0-9]{1,15})(?:[ \t]+/[ \t]*|/[ \t]+)([0-9]{1,15})(?![0-9])")
CENTS = re.compile(r"-?(?:[0-9]+\.[0-9]*|\.[0-9]+)")


def scala_tuning(source: str, sa_hz: float, *, file: str, folder: Path, place: Place, sources: list[Source] | None = None) -> Tuning:
    """The scale of a Scala file above sa.

    Parameters: source, the file as written; sa_hz (Hz); file and folder, of the score that names it; place, of the name there; sources,
    to which the file is added.
    Errors: ScoreError at the line of the .scl, telling where it is used.
    """
    shown = str(Path(file).parent / source) if file not in {"-", "<text>"} else source
    text = read_text(folder / source, shown, ".scl", place, sources)
    used = f"used at {place}"
    rows = [(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), start=1) if not line.startswith("!")]
    while rows and not rows[-1][1].strip():
        rows.pop()
    if len(rows) < 2:
        where = Place(shown, text.count("\n") + 1, 1)
        raise ScoreError([Problem(where, f"the scale ends early; a description, the number of notes and the notes would be right; {used}")])
    count = _count(rows[1], shown, used)
    notes = rows[2:]
    if len(notes) < count:
        number, line = rows[-1]
        where = Place(shown, number, len(line) + 1, line)
        raise ScoreError([Problem(where, f"{len(notes)} notes of {count}; as many as the second line says would be right; {used}")])
    extra = next(((number, line) for number, line in notes[count:] if line.strip()), None)
    if extra is not None:
        where = Place(shown, extra[0], 1 + len(extra[1]) - len(extra[1].lstrip()), extra[1])
        told = f"a note beyond the {count} that the second line counts; {len(notes)} there, or no more notes, would be right; {used}"
        raise ScoreError([Problem(where, told)])
    ratios = [1.0, *(_ratio(number, line, shown, used) for number, line in notes[:count])]
    for (number, line), before, ratio in zip(notes, ratios, ratios[1:], strict=False):
        if ratio <= before:
            where = Place(shown, number, 1 + len(line) - len(line.lstrip()), line)
            raise ScoreError([Problem(where, f"this note is not above the one before it; notes rise from 1/1 to the period; {used}")])
    return Tuning(sa_hz, "scala", tuple(ratios[:-1]), ratios[-1], shown)


def _count(row: tuple[int, str], shown: str, used: str) -> int:
    number, line = row
    words = line.split()
    if words and re.fullmatch(r"[0-9]{1,6}", words[0]) and 1 <= int(words[0]) <= LARGEST_SCALE:
        return int(words[0])
    where = Place(shown, number, 1 + len(line) - len(line.lstrip()), line)
    raise ScoreError([Problem(where, f"{quoted(line.strip())} is not the number of notes; 1 to {LARGEST_SCALE} would be right; {used}")])


def _ratio(number: int, line: str, shown: str, used: str) -> float:
    words = line.split()
    text = words[0] if words else ""
    where = Place(shown, number, 1 + len(line) - len(line.lstrip()), line)
    parted = PARTED.match(line)
    if parted:
        raise ScoreError([Problem(where, f"{quoted(parted[0].strip())} has blanks, and what follows one is no part of the note; "
                                         f"{parted[1]}/{parted[2]} would be right; {used}")])
    match = RATIO.fullmatch(text)
    if match and int(match[1]) > 0 and int(match[2] or 1) > 0:
        return int(match[1]) / int(match[2] or 1)
    if CENTS.fullmatch(text) and abs(float(text)) < 12000:
        return elementary.pow(2.0, float(text) / 1200)
    raise ScoreError([Problem(where, f"{quoted(text)} is not a note; a ratio (3/2) or cents (701.955) would be right; {used}")])
