"""What can go wrong, and how it is told: the user's mistakes carry their place, the computation's carry voice and time."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

SHOWN_PROBLEMS = 20
LONGEST = 1000          # characters of a problem's message
WINDOW = 120
QUOTE = 40
LONGEST_WORD = 60
MOST_LISTED = 12
SHORTEST_PART = 3               # letters by which a part of a name is known for it


class PysitarError(Exception):
    """Every error that pysitar raises on purpose."""

    def __str__(self) -> str:
        return cleaned(super().__str__())


class Place(NamedTuple):          # made for every word of a score: three times faster than a dataclass
    """Where in a text something stands.

    Parameters: file, as named by the user ("-" is standard input); line and col, counted from 1 (0: the file as a whole;
    a column counts code points); text, the whole line without its ending.
    """

    file: str
    line: int = 0
    col: int = 0
    text: str = ""

    def __str__(self) -> str:
        file = printable(self.file, "?")
        return f"{file}:{self.line}:{self.col}" if self.line else file


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a score: its place, what is wrong, and what would be right."""

    place: Place
    message: str

    def __str__(self) -> str:
        message = printable(self.message, "?")
        shown = f"{self.place}: {message if len(message) <= LONGEST else message[:LONGEST - 3] + '...'}"
        if not self.place.line or not self.place.text.strip():
            return shown
        start = max(0, min(self.place.col - WINDOW // 2, len(self.place.text) - WINDOW))
        line = printable(self.place.text[start:start + WINDOW])
        return f"{shown}\n    {line}\n    {' ' * (self.place.col - 1 - start)}^"


class ScoreError(PysitarError):
    """A score (or a file it uses) is wrong; `problems` holds every one found, in the order of file and line."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(listed(self.problems))


class ParameterError(PysitarError, ValueError):
    """A parameter is outside its range: `name`, `value`, and `expected`, what would be right."""

    def __init__(self, name: str, value: object, expected: str) -> None:
        self.name, self.value, self.expected = name, value, expected
        super().__init__(f"{name} is {quoted(value)}; {expected}")


class RenderError(PysitarError):
    """A computation failed: the voice, the time in it (s), and why."""

    def __init__(self, voice: str, time: float, reason: str) -> None:
        self.voice, self.time, self.reason = voice, time, reason
        super().__init__(f"voice {voice!r} at {time:.6f} s: {reason}")


class PhysicalWarning(UserWarning):
    """A physically doubtful input of a simulation, which continues."""


def listed(problems: Sequence[Problem]) -> str:
    """Problems as they are shown: the first 20, and how many more there are."""
    shown = [str(problem) for problem in problems[:SHOWN_PROBLEMS]]
    if len(problems) > SHOWN_PROBLEMS:
        shown.append(f"... and {len(problems) - SHOWN_PROBLEMS} more")
    return "\n".join(shown)


def printable(text: str, instead: str = " ") -> str:
    """A text that breaks neither the line nor the terminal: something else instead of every character that has no shape."""
    return text if text.isprintable() else "".join(c if c.isprintable() else instead for c in text)


def cleaned(text: str, kept: str = "\n") -> str:
    """A text of several lines with a ? in the place of every character that a terminal does not show: control characters, those that
    change the direction of writing or have no width, and others.  Parameters: kept, the unprintable characters that stay."""
    if not kept:
        return printable(text, "?")
    return kept[0].join(cleaned(part, kept[1:]) for part in text.split(kept[0]))


def quoted(value: object) -> str:
    """A value as a message shows it: at most 40 characters, nothing unprintable."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except ValueError:
        text = "a number of thousands of digits"        # Python refuses to write it
    text = printable(text)
    return text if len(text) <= QUOTE else text[: QUOTE - 3] + "..."


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the one known word that is close to it, else all
    of them."""
    names = tuple(dict.fromkeys(known))
    if not names:
        return "none is known here"
    close = close_word(word, names)
    if close:
        return f"the nearest known is {quoted(close)}"
    listed = ", ".join(quoted(name) for name in names[:MOST_LISTED])
    return f"known are {listed}{' ...' if len(names) > MOST_LISTED else ''}"


@lru_cache(1024)
def close_word(word: str, known: tuple[str, ...]) -> str | None:
    """The known word that is close to another one: up to a third of its letters are wrong, missing,
    extra or exchanged; or it has the word as its beginning or as one of its parts (density of
    linear_density).  None when there is none."""
    written = word[:LONGEST_WORD].casefold()
    best, least = None, 1.0
    for name in known:
        folded = name[:LONGEST_WORD].casefold()
        longest = max(len(written), len(folded))
        share = _edits(written, folded, longest // 3) / longest if longest else 1.0
        if share < least and share <= 1.0 / 3.0:
            best, least = name, share
    if best is None and len(written) >= SHORTEST_PART:
        parts = (name for name in known if name.casefold().startswith(written)
                 or written in name.casefold().split("_"))
        best = next(parts, None)
    return best


def _edits(one: str, other: str, most: int) -> int:
    """How many letters are wrong, missing, extra, or exchanged with their neighbour; one more than
    `most` stands for any more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before, row = [0] * (len(other) + 1), list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        earlier, before, row = before, row, [i]
        for j, match in enumerate(other, start=1):
            cost = min(row[j - 1] + 1, before[j] + 1, before[j - 1] + (letter != match))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == match:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]


def in_order(problems: list[Problem], files: list[str]) -> tuple[Problem, ...]:
    """Problems by file (in the order of reading; others after them), line and column, none twice."""
    rank = {file: index for index, file in enumerate(files)}
    unique = list(dict.fromkeys(problems))
    return tuple(sorted(unique, key=lambda problem: (rank.get(problem.place.file, len(rank)), problem.place.line, problem.place.col)))
