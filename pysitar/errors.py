"""What can go wrong, and how it is told: the user's mistakes carry their place, the computation's carry voice and time."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

SHOWN_PROBLEMS = 20
WINDOW = 120
QUOTE = 40


class PysitarError(Exception):
    """Every error that pysitar raises on purpose."""


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
        shown = f"{self.place}: {self.message}"
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
    """What is physically doubtful in what a simulation is asked for: it goes on."""


def listed(problems: Sequence[Problem]) -> str:
    """Problems as they are shown: the first 20, and how many more there are."""
    shown = [str(problem) for problem in problems[:SHOWN_PROBLEMS]]
    if len(problems) > SHOWN_PROBLEMS:
        shown.append(f"... and {len(problems) - SHOWN_PROBLEMS} more")
    return "\n".join(shown)


def printable(text: str, instead: str = " ") -> str:
    """A text that breaks neither the line nor the terminal: something else instead of every character that has no shape."""
    return "".join(c if c.isprintable() else instead for c in text)


def quoted(value: object) -> str:
    """A value as a message shows it: at most 40 characters, nothing unprintable."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except ValueError:
        text = "a number of thousands of digits"        # Python refuses to write it
    text = printable(text)
    return text if len(text) <= QUOTE else text[: QUOTE - 3] + "..."
