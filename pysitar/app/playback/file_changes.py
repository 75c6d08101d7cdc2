"""Changes of files, found by looking at their times and sizes."""
from __future__ import annotations

import os
from collections.abc import Iterable

from pysitar.score.document import Score
from pysitar.system.files import real_path

State = tuple[int, int, int] | None


class FileChanges:
    """What a look at some files compares with: their state at the look before, and the folders
    that they are in, where a missing file may appear."""

    def __init__(self) -> None:
        self._states: dict[str, State] = {}

    def watch(self, paths: Iterable[str]) -> None:
        """Replace the files; those that were watched before keep the state of the last look."""
        names = dict.fromkeys(os.path.abspath(path) for path in paths)
        names |= dict.fromkeys(os.path.dirname(name) for name in list(names))
        self._states = {name: self._states[name] if name in self._states else _state(name)
                        for name in names}

    def accept_folders(self) -> None:
        """Take the folders as they are now: what this program made in them is no change."""
        self._states |= {name: _state(name) for name in self._states if os.path.isdir(name)}

    def found(self) -> bool:
        """Return whether a file was written, replaced, made or removed since the last look."""
        states = {name: _state(name) for name in self._states}
        changed = states != self._states
        self._states = states
        return changed


def files_of(score: Score, source: str) -> set[str]:
    """Return the paths of the files of a score, also of those that could not be read.

    Parameters: source, of the score itself.
    """
    read = {item.name for item in score.sources if os.path.isfile(item.name)}
    used = {os.fspath(use.folder / use.source) for use in score.uses if use.is_file}
    return {source, real_path(source), *read, *used}


def _state(path: str) -> State:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
