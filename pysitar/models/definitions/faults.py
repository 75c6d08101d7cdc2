"""What can be wrong in an instrument file: each fault with its key, and the error that holds them
all."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pysitar.compared import Compared
from pysitar.errors import Place, Problem, PysitarError, quoted

KeyPath: TypeAlias = tuple[str, ...]
TOP_TABLES = ("body", "strings", "bridges", "masses", "objects", "balls", "chords")


@dataclass(frozen=True, slots=True, eq=False)
class Fault(Compared):
    """One thing wrong in an instrument.

    Parameters: path, of the wrong key, without the table of the parts, which is `group`; message;
    change, the index of a change whose path reaches nothing (None: the path is right, and its
    value, from the file or from the last change to this path, is wrong); part, the index of the
    unknown part of that path; position, line and column in a file that is no TOML. """

    path: KeyPath
    message: str
    change: int | None = None
    part: int = 0
    group: str = "strings"
    position: tuple[int, int] = (0, 0)

    @property
    def key(self) -> str:
        """The key as the file has it: `strings.pa.barrier.height`."""
        return ".".join(map(quoted, self.file_path))

    @property
    def file_path(self) -> KeyPath:
        """The path of the key in the file."""
        inside = len(self.path) > 1 and self.path[0] not in TOP_TABLES
        return (self.group, *self.path) if inside else self.path

    @property
    def text(self) -> str:
        """The key, if there is one, and the message."""
        return f"{self.key}: {self.message}" if self.path else self.message


class InstrumentError(PysitarError):
    """An instrument file, or a change to it, is wrong; `faults` holds all that is, and `text` the
    file, where its keys have places."""

    def __init__(self, shown: str, faults: Sequence[Fault], text: str = "") -> None:
        self.shown, self.faults, self.text = shown, tuple(faults), text
        super().__init__("\n".join(map(str, self.problems)))

    @property
    def problems(self) -> list[Problem]:
        """What is wrong, each at the place of its key."""
        return [Problem(place_of(fault, self.text, self.shown), fault.text)
                for fault in self.faults]


def place_of(fault: Fault, text: str, shown: str) -> Place:
    """Return the place of a fault in a file: that of its key, or of the table that lacks it.

    Parameters: text, of the file; shown, its name in messages. """
    line, column = fault.position
    if line:
        lines = text.split("\n")
        return Place(shown, line, column, lines[line - 1] if line <= len(lines) else "")
    if not fault.path:
        return Place(shown)
    # most files are right, and start faster without it
    from pysitar.models.definitions.key_places import KeyPlaces

    return KeyPlaces(text, shown).place(fault.file_path, fault.group)
