"""Scala scale files (.scl): ratios and cents above 1/1."""
from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

from pysitar.errors import Place, Problem, ScoreError, quoted
from pysitar.kernels.core import elementary
from pysitar.score.pitch import Tuning
from pysitar.score.source_files import Source, read_text

MAX_NOTES = 1000
MAX_DIGITS = 4000           # digits; Python reads 4300 of a whole number
BLANKS = " \t"
COUNT = re.compile(r"[0-9]+(?![0-9.,/])")
CENTS = re.compile(r"-?(?:[0-9]+\.[0-9]*|\.[0-9]+)")
RATIO = re.compile(r"([0-9]+)(?:/([0-9]+))?")
NEGATIVE = re.compile(r"-[0-9]")
# continues the number before it: 701,955 is not 701/1, and 1.5e2 not 1.5 cents
NUMBER_CONTINUES = re.compile(r"[eE][+-]?[0-9]|[.,/:^*+-][0-9]|/")
SPACED_RATIO = re.compile(r"([0-9]+)(?:[ \t]+/[ \t]*|/[ \t]+)([0-9]+)(?![0-9])")


@dataclass(frozen=True, slots=True, eq=False)
class _ScalaFile:
    """A file while it is parsed: its name in messages, and its place in the score."""

    shown: str
    used: str

    def error(self, number: int, line: str, message: str, col: int | None = None) -> ScoreError:
        """Return the error of a line, at a column (None: its first character that is not a
        blank)."""
        at = 1 + len(line) - len(line.lstrip(BLANKS)) if col is None else col
        return ScoreError([Problem(Place(self.shown, number, at, line), f"{message}; {self.used}")])


def scala_tuning(
    source: str, sa_hz: float, *, file: str, folder: Path, place: Place,
    sources: list[Source] | None = None,
) -> Tuning:
    """Return the scale of a Scala file: its notes in the order of the file; the last is the period.

    Parameters: source, the file as written; sa_hz (Hz); file and folder, of the score that uses it;
    place, of the name there; sources, to which the file is appended.
    Errors: ScoreError at the line of the .scl, with the place of its use.
    """
    shown = str(Path(file).parent / source) if file not in {"-", "<text>"} else source
    text = read_text(folder / source, shown, ".scl", place, sources, eight_bit=True)
    read = _ScalaFile(shown, f"used at {place}")
    lines = re.split(r"\r\n|\n|\r", text.rstrip("\x1a"))          # \x1a: the end of file of DOS
    rows = [row for row in enumerate(lines, start=1) if not row[1].startswith("!")]
    while rows and not rows[-1][1].strip(BLANKS):
        rows.pop()
    if len(rows) < 2:
        raise read.error(len(lines), "", "the scale ends early; expected a description, the "
                                         "number "
                                         "of notes and the notes")
    count = _parse_count(rows[1], read)
    notes = rows[2:]
    if len(notes) < count:
        number, line = rows[-1]
        raise read.error(number, line, f"{len(notes)} notes of {count}; expected as many as the "
                                       "second line states", len(line) + 1)
    extra = next((row for row in notes[count:] if row[1].strip(BLANKS)), None)
    if extra is not None:
        raise read.error(*extra, f"a note beyond the {count} that the second line counts; "
                                 f"expected {len(notes)} there, or no more notes")
    ratios = [1.0, *(_parse_ratio(number, line, read) for number, line in notes[:count])]
    period = ratios[-1] if count else None
    return Tuning(sa_hz, "scala", tuple(ratios[:-1] or ratios), period, shown)


def _parse_count(row: tuple[int, str], read: _ScalaFile) -> int:
    number, line = row
    match = COUNT.match(line.strip(BLANKS))
    digits = match[0].lstrip("0") if match else ""
    if match and len(digits) <= 6 and int(digits or "0") <= MAX_NOTES:
        return int(digits or "0")
    raise read.error(number, line, f"{quoted(line.strip(BLANKS))} is not the number of notes; "
                                   f"expected 0 to {MAX_NOTES}")


def _parse_ratio(number: int, line: str, read: _ScalaFile) -> float:
    """Return the ratio of a note; the text after its value is a comment, even without a blank."""
    text = line.strip(BLANKS)
    parted = SPACED_RATIO.match(text)
    if parted:
        ratio = quoted(f"{parted[1]}/{parted[2]}")
        raise read.error(
            number, line, f"{quoted(parted[0])} has blanks, which end the note; expected "
            f"{ratio}")
    if NEGATIVE.match(text) and not CENTS.match(text):
        raise read.error(
            number, line,
            f"{quoted(_first_word(text))} is below 0; expected a ratio above 0 (3/2), "
            "or cents with a period (-5.0)")
    cents = CENTS.match(text)
    match = cents or RATIO.match(text)
    if match is None or NUMBER_CONTINUES.match(text, match.end()):
        raise read.error(
            number, line, f"{quoted(_first_word(text))} is not a note; expected a ratio (3/2) or "
            "cents (701.955)")
    value = 0.0
    if len(match[0]) <= MAX_DIGITS:
        if cents:
            value = _cents_ratio(float(match[0]))
        else:
            value = _fraction_ratio(int(match[1]), int(match[2] or "1"))
    if not 0.0 < value < math.inf:
        raise read.error(
            number, line, f"{quoted(match[0])} exceeds the range of floating-point numbers; "
            "expected a ratio above 0 (3/2), or cents (701.955)")
    return value


def _first_word(text: str) -> str:
    return re.split(r"[ \t]", text, maxsplit=1)[0]


def _cents_ratio(cents: float) -> float:
    try:
        return elementary.pow(2.0, cents / 1200)
    except OverflowError:
        return math.inf


def _fraction_ratio(above: int, below: int) -> float:
    try:
        return above / below if below else 0.0
    except OverflowError:
        return math.inf
