"""The strings of an instrument that play notes, grouped into courses, which sound together."""
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pysitar.gestures.base import Gesture
from pysitar.gestures.catalogue import note_gesture
from pysitar.models.definitions.spec import InstrumentSpec, StringSpec
from pysitar.models.definitions.strings import ROLES

MEMBER = re.compile(r"(.*_)[0-9]+")


@dataclass(frozen=True, slots=True)
class Course:
    """One string, or several strings of one pitch that are played together.

    Parameters: name; strings; open_hz, their open frequency (Hz); rows, the targets in a score that
    play all of them: one pattern, or each string.
    """

    name: str
    strings: tuple[StringSpec, ...]
    open_hz: float
    rows: tuple[str, ...]

    @property
    def lowest(self) -> float:
        """The lowest note that all of its strings have (semitones from the open string)."""
        return max(string.lowest for string in self.strings)

    @property
    def highest(self) -> float:
        """The highest note that all of its strings have (semitones from the open string)."""
        return min(string.highest for string in self.strings)

    @property
    def gesture(self) -> Gesture:
        """The gesture that starts a note."""
        return note_gesture("string", self.strings)

    @property
    def verb(self) -> str:
        """The event that starts a note: a strike if its strings have hammers, else a pluck."""
        return self.gesture.name

    def strengths(self) -> list[tuple[str, float]]:
        """Return each target with the default force (N) or velocity (m/s) of its strings."""
        own = [string.default_values(self.verb)[self.gesture.strength] for string in self.strings]
        if len(set(own)) == 1:
            return [(row, own[0]) for row in self.rows]
        return [(string.name, value) for string, value in zip(self.strings, own, strict=True)]


def courses(instrument: InstrumentSpec, open_hz: Mapping[str, float]) -> tuple[Course, ...]:
    """Return the courses of an instrument that play notes, in the order of its file.

    These are the courses of melody strings, or of drones if the instrument has no melody strings. A
    course is the strings whose names differ only in the number after the last _, and whose pitches
    are written alike.
    Parameters: open_hz, the open frequency of each string (Hz).
    """
    role = min((string.role for string in instrument.strings), key=ROLES.index, default=ROLES[0])
    groups: dict[tuple[str, object], list[StringSpec]] = {}
    for string in instrument.strings:
        if string.role == role:
            member = MEMBER.fullmatch(string.name)
            group = (member[1], string.pitch) if member else (string.name, None)
            groups.setdefault(group, []).append(string)
    found = []
    for (stem, pitch), strings in groups.items():
        names = tuple(string.name for string in strings)
        alike = tuple(part.name for part in instrument.parts if part.name.startswith(stem))
        rows = (f"{stem}*",) if pitch is not None and len(names) > 1 and alike == names else names
        found.append(Course(names[0], tuple(strings), open_hz[names[0]], rows))
    return tuple(found)
