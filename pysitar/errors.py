"""The errors of pysitar: those of the user have a place in a file, those of a computation a voice
and a time."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

MAX_PROBLEMS = 20
MAX_MESSAGE = 1000              # characters of a problem's message
MAX_LINE = 120                  # characters of the line shown below it
MAX_QUOTE = 40                  # characters
MAX_WORD = 60                   # characters that are compared
MAX_LISTED = 12                 # names
MIN_PART = 3                    # characters of a word that is compared with parts of names


class PysitarError(Exception):
    """The base class of all errors that pysitar raises."""

    def __str__(self) -> str:
        return clean_text(super().__str__())


class Place(NamedTuple):  # one for every word of a score: created in a third of a dataclass's time
    """A position in a text.

    Parameters: file, as named by the user ("-": standard input); line and col, counted from 1
    (0: the whole file; columns count code points); text, the whole line without its ending.
    """

    file: str
    line: int = 0
    col: int = 0
    text: str = ""

    def __str__(self) -> str:
        file = printable(self.file, "?")
        return f"{file}:{self.line}:{self.col}" if self.line else file


class Problem(NamedTuple):
    """One error in a score: its place, and the message (what is wrong; what is expected)."""

    place: Place
    message: str

    def __str__(self) -> str:
        message = printable(self.message, "?")
        if len(message) > MAX_MESSAGE:
            message = message[:MAX_MESSAGE - 3] + "..."
        shown = f"{self.place}: {message}"
        if not self.place.line or not self.place.text.strip():
            return shown
        start = max(0, min(self.place.col - MAX_LINE // 2, len(self.place.text) - MAX_LINE))
        line = printable(self.place.text[start:start + MAX_LINE])
        return f"{shown}\n    {line}\n    {' ' * (self.place.col - 1 - start)}^"


class ScoreError(PysitarError):
    """A score, or a file that it uses, has errors.

    Attributes
    ----------
    problems : tuple of Problem
        All errors, by file and line; each has a `place` (file, line, col, text) and a `message`.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(list_problems(self.problems))


class ParameterError(PysitarError, ValueError):
    """A parameter has an invalid value.

    Attributes
    ----------
    name : str
        The parameter.
    value : object
        Its value.
    expected : str
        The allowed values, with unit.
    """

    def __init__(self, name: str, value: object, expected: str) -> None:
        self.name, self.value, self.expected = name, value, expected
        super().__init__(f"{name} is {quoted(value)}; {expected}")


class RenderError(PysitarError):
    """A computation failed.

    Attributes
    ----------
    voice : str
        The voice that failed.
    time : float
        The time in the voice (s).
    reason : str
        What is wrong.
    """

    def __init__(self, voice: str, time: float, reason: str) -> None:
        self.voice, self.time, self.reason = voice, time, reason
        super().__init__(f"voice {voice!r} at {time:.6f} s: {reason}")


class PhysicalWarning(UserWarning):
    """A physically doubtful input of a simulation, which continues."""


def list_problems(problems: Sequence[Problem]) -> str:
    """Return the text of the first 20 problems, and the number of the others."""
    shown = [str(problem) for problem in problems[:MAX_PROBLEMS]]
    if len(problems) > MAX_PROBLEMS:
        shown.append(f"... and {len(problems) - MAX_PROBLEMS} more")
    return "\n".join(shown)


def printable(text: str, instead: str = " ") -> str:
    """Return a text with a substitute for every unprintable character."""
    return text if text.isprintable() else "".join(c if c.isprintable() else instead for c in text)


def clean_text(text: str, kept: str = "\n") -> str:
    """Return a text with ? for every unprintable character: control characters, those without
    width, those that change the direction of writing, and others.

    Parameters: kept, the unprintable characters that stay.
    """
    if not kept:
        return printable(text, "?")
    return kept[0].join(clean_text(part, kept[1:]) for part in text.split(kept[0]))


def quoted(value: object) -> str:
    """Return a value for a message: at most 40 characters, all printable; "" for an empty text."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except ValueError:
        text = "a number of thousands of digits"        # Python refuses to write it
    text = printable(text) or '""'
    return text if len(text) <= MAX_QUOTE else text[: MAX_QUOTE - 3] + "..."


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun, such as "1 line" or "2 lines".

    Parameters: plural, of the noun (default: with an s).
    """
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def suggest_name(word: str, known: Iterable[str]) -> str:
    """Return the end of the message about an unknown word: the one known name that is close to it,
    else the first 12 of the known names."""
    names = tuple(dict.fromkeys(known))
    if not names:
        return "expected no name: none is defined here"
    close = closest_word(word, names)
    if close:
        return f"did you mean {quoted(close)}?"
    listed = ", ".join(quoted(name) for name in names[:MAX_LISTED])
    more = " ..." if len(names) > MAX_LISTED else ""
    return f"expected {'one of ' if len(names) > 1 else ''}{listed}{more}"


@lru_cache(1024)
def closest_word(word: str, known: tuple[str, ...]) -> str | None:
    """Return the known name that is close to a word, or None.

    Close: at most a third of the letters are wrong, missing, extra or exchanged with their
    neighbour, or the name begins with the word or has it as a part (density of linear_density).
    """
    folded_word = word[:MAX_WORD].casefold()
    best, least = None, 1.0
    for name in known:
        folded = name[:MAX_WORD].casefold()
        longest = max(len(folded_word), len(folded))
        ratio = _count_edits(folded_word, folded, longest // 3) / longest if longest else 1.0
        if ratio < least and ratio <= 1.0 / 3.0:
            best, least = name, ratio
    if best is None and len(folded_word) >= MIN_PART:
        parts = (name for name in known if name.casefold().startswith(folded_word)
                 or folded_word in name.casefold().split("_"))
        best = next(parts, None)
    return best


def closest_words(word: str, known: tuple[str, ...], most: int = 3) -> list[str]:
    """Return the known names that share a letter with a word of up to three letters and differ from
    it in one, regardless of case: first those that the word ends with."""
    folded = word.casefold()
    near = [name for name in known if len(word) <= 3 and set(folded) & set(name.casefold())
            and _count_edits(folded, name.casefold(), 1) <= 1]
    near.sort(key=lambda name: (folded != name.casefold(), not word.endswith(name)))
    return near[:most]


def join_choices(names: Iterable[str]) -> str:
    """Return names as a choice: m, cm or mm."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _count_edits(one: str, other: str, most: int) -> int:
    """Return the number of letters that are wrong, missing, extra or exchanged with their
    neighbour; at most `most` + 1."""
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


def sort_problems(problems: list[Problem], files: list[str]) -> tuple[Problem, ...]:
    """Return the problems sorted by file (in the order of `files`), line and column, without
    duplicates."""
    rank = {file: index for index, file in enumerate(files)}
    unique = list(dict.fromkeys(problems))
    return tuple(
        sorted(
            unique, key=lambda problem:
            (rank.get(problem.place.file, len(rank)), problem.place.line, problem.place.col)))
