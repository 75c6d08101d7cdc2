"""What can be wrong in an instrument file: each fault with its key, and the error that holds them
all."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pysitar.errors import Place, Problem, PysitarError, quoted

KeyPath: TypeAlias = tuple[str, ...]
TOP_TABLES = ("body", "strings", "bridges", "masses", "objects", "balls", "chords")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in an instrument.

    Parameters: path, of the wrong key, without the table of the parts, which is `group`; message;
    change, the index of a change whose path reaches nothing (None: the path is right, and its
    value, from the file or from the last change to this path, is wrong); part, the index of the
    unknown part of that path. """

    path: KeyPath
    message: str
    change: int | None = None
    part: int = 0
    group: str = "strings"

    @property
    def key(self) -> str:
        """The key as the file has it: `strings.pa.barrier.height`."""
        inside = len(self.path) > 1 and self.path[0] not in TOP_TABLES
        return ".".join(map(quoted, (self.group, *self.path) if inside else self.path))

    @property
    def text(self) -> str:
        """The key, if there is one, and the message."""
        return f"{self.key}: {self.message}" if self.path else self.message


class InstrumentError(PysitarError):
    """An instrument file, or a change to it, is wrong; `faults` holds all that is."""

    def __init__(self, shown: str, faults: Sequence[Fault]) -> None:
        self.shown, self.faults = shown, tuple(faults)
        super().__init__("\n".join(map(str, self.problems)))

    @property
    def problems(self) -> list[Problem]:
        """What is wrong, in the file as a whole: keys have no lines."""
        return [Problem(Place(self.shown), fault.text) for fault in self.faults]
