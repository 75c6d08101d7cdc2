"""Which strings of an instrument take notes, and which of them sound together, as a course."""
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pysitar.models.definitions.parameters import PLUCK, STRIKE
from pysitar.models.definitions.spec import InstrumentSpec, StringSpec
from pysitar.models.definitions.tables import ROLES

MEMBER = re.compile(r"(.*_)[0-9]+")
VALUES = {PLUCK.name: "force", STRIKE.name: "velocity"}


@dataclass(frozen=True, slots=True)
class Course:
    """One string, or several of one pitch that are played as one.

    Parameters: name; strings; open_hz, what they sound open (Hz); rows, what a row names to play all of
    them: one pattern, or each string.
    """

    name: str
    strings: tuple[StringSpec, ...]
    open_hz: float
    rows: tuple[str, ...]

    @property
    def lowest(self) -> float:
        """The lowest note of all of its strings (semitones from the open string)."""
        return max(string.lowest for string in self.strings)

    @property
    def highest(self) -> float:
        """The highest note of all of its strings (semitones from the open string)."""
        return min(string.highest for string in self.strings)

    @property
    def verb(self) -> str:
        """How a note begins on it: by a hammer where its strings have them."""
        struck = all(string.strike is not None for string in self.strings)
        return STRIKE.name if struck else PLUCK.name

    def strengths(self) -> list[tuple[str, float]]:
        """What each row names, and its strings' own force (N) or velocity (m/s)."""
        own = [string.default_values(self.verb)[VALUES[self.verb]] for string in self.strings]
        if len(set(own)) == 1:
            return [(row, own[0]) for row in self.rows]
        return [(string.name, value) for string, value in zip(self.strings, own, strict=True)]


def courses(instrument: InstrumentSpec, open_hz: Mapping[str, float]) -> tuple[Course, ...]:
    """The courses of an instrument that take notes, in the order of its file.

    They are those of its melody strings, or of its drones if it has none. A course is the strings whose
    names differ only in the number after their last _, and whose pitches are written alike.
    Parameters: open_hz, what each string sounds open (Hz).
    """
    role = min((string.role for string in instrument.strings), key=ROLES.index, default=ROLES[0])
    groups: dict[tuple[str, object], list[StringSpec]] = {}
    for string in instrument.strings:
        if string.role == role:
            member = MEMBER.fullmatch(string.name)
            group = (member[1], string.pitch) if member else (string.name, None)
            groups.setdefault(group, []).append(string)
    made = []
    for (stem, pitch), strings in groups.items():
        names = tuple(string.name for string in strings)
        alike = tuple(part.name for part in instrument.parts if part.name.startswith(stem))
        rows = (f"{stem}*",) if pitch is not None and len(names) > 1 and alike == names else names
        made.append(Course(names[0], tuple(strings), open_hz[names[0]], rows))
    return tuple(made)
