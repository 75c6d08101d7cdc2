"""Where the keys and tables of a TOML text are."""
from __future__ import annotations

import re
from typing import TypeAlias

from pysitar.errors import Place

KeyPath: TypeAlias = tuple[str, ...]
BARE = r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[A-Za-z0-9_-]+'
KEY = re.compile(rf"[ \t]*((?:{BARE})(?:[ \t]*\.[ \t]*(?:{BARE}))*)[ \t]*")
PART = re.compile(BARE)
HEADER = re.compile(r"[ \t]*(\[\[?)")
# what may hold a line's end, a bracket or a "#" that are not those of a value
PIECE = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*(?:"""|\Z)|\'\'\'.*?(?:\'\'\'|\Z)|'
                   r'"(?:[^"\\\n]|\\.)*"|'
                   r"'[^'\n]*'|#[^\n]*|[\[{]|[\]}]|\n|[^\"'#\[\]{}\n]+|.", re.DOTALL)
PATTERN = "*"                   # the end of a name that stands for several
DEFAULT = "default"


class KeyPlaces:
    """The places of the tables and keys of a TOML text, which must be right.

    Parameters: text; file, its name in messages. """

    def __init__(self, text: str, file: str) -> None:
        self._lines, self._file = text.split("\n"), file
        self._found: dict[KeyPath, tuple[int, int]] = {}
        self._read(text)

    def place(self, path: KeyPath, group: str) -> Place:
        """Return the place of a key, or of the table in which it is missing; that of the whole file
        where neither is there.

        Parameters: path, with the table of the parts; group, the name of that table: values of a
        part may be in a table for several of them.
        """
        for size in range(len(path), 0, -1):
            for candidate in self._candidates(path[:size], group):
                if candidate in self._found:
                    line, column = self._found[candidate]
                    return Place(self._file, line, column,
                                 self._lines[line - 1].removesuffix("\r"))
        return Place(self._file)

    def _candidates(self, path: KeyPath, group: str) -> list[KeyPath]:
        """Return a path, and the paths of tables for several parts that it may come from, the first
        to apply first."""
        if len(path) < 2 or path[0] != group:
            return [path]
        names = {found[1] for found in self._found if len(found) > 1 and found[0] == group}
        shared = sorted((name for name in names if name.endswith(PATTERN)
                         and path[1].startswith(name[:-1])), key=len, reverse=True)
        return [path, *((group, name, *path[2:]) for name in (*shared, DEFAULT))]

    def _read(self, text: str) -> None:
        at = 0
        table: KeyPath = ()
        while at < len(text):
            header = HEADER.match(text, at)
            key = KEY.match(text, at if header is None else header.end())
            if key is not None and key[1]:
                path = tuple(part.strip("\"'") for part in PART.findall(key[1]))
                if header is not None:
                    table = path
                    self._add(text, path, header.start(1))
                else:
                    self._add(text, (*table, *path), key.start(1))
            at = _skip_value(text, at)

    def _add(self, text: str, path: KeyPath, at: int) -> None:
        line = text.count("\n", 0, at) + 1
        self._found.setdefault(path, (line, at - text.rfind("\n", 0, at)))


def _skip_value(text: str, at: int) -> int:
    """Return where the line begins that follows a key's value, which may have several lines."""
    depth = 0
    while at < len(text):
        piece = PIECE.match(text, at)
        assert piece is not None
        at = piece.end()
        if piece[0] in {"[", "{"}:
            depth += 1
        elif piece[0] in {"]", "}"}:
            depth -= 1
        elif piece[0] == "\n" and depth <= 0:
            break
    return at
