"""Several files that appear together, each whole, or none of them."""
from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from pysitar.errors import ParameterError
from pysitar.output.files import check_target, copy_permissions, hidden_name
from pysitar.output.signals import defer_signals


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """The hidden path of a file while it is written, its final path, and its name as the caller
    wrote it."""

    staged: Path
    target: Path
    shown: str


class FileTransaction:
    """Files that are moved to their paths, in the order of `place`, when the `with` block succeeds.

    After an exception no file is created or changed. The files are written in hidden folders beside
    their paths, and these folders are removed at the end. A replaced file keeps its permissions.
    Errors: OSError; an error of a hidden file names its final path instead.
    """

    def __init__(self) -> None:
        self._places: list[_Place] = []
        self._new: list[Path] = []
        self._hidden: dict[Path, Path] = {}

    def __enter__(self) -> Self:
        return self

    def folder(self, path: str | os.PathLike[str]) -> Path:
        """Return a folder for files; a missing folder is created together with the files, if its
        parent exists.

        Errors: OSError.
        """
        shown = os.fspath(path)
        if not shown:
            raise FileNotFoundError(errno.ENOENT, "an empty name of a folder", shown)
        if os.path.lexists(shown) and not os.path.isdir(shown):
            raise NotADirectoryError(errno.ENOTDIR, "not a folder", shown)
        try:
            target = Path(os.path.realpath(shown))
        except ValueError as error:             # a NUL in the name
            raise OSError(errno.EINVAL, f"not a file name: {error}", shown) from None
        if not target.exists():
            if not target.parent.exists():
                raise FileNotFoundError(errno.ENOENT, "the folder does not exist",
                                        str(target.parent))
            self._hidden_folder(target.parent)     # raises now if no file can be created there
            self._new.append(target)
        return target

    def place(self, path: str | os.PathLike[str]) -> Path:
        """Return the hidden path at which to write, before the block ends, the file for a path.

        Errors: OSError, as in check_target; ParameterError if the path is already used.
        """
        shown = os.fspath(path)
        folder = Path(os.path.realpath(os.path.dirname(shown)))
        new = folder in self._new
        target = folder / os.path.basename(shown) if new else check_target(shown)
        if any(place.target == target for place in self._places):
            raise ParameterError(
                "file", shown,
                "two files of this render have that path; expected another folder or name")
        hidden = self._hidden_folder(folder.parent if new else target.parent) / str(
            len(self._places))
        hidden.mkdir()
        self._places.append(_Place(hidden / target.name, target, shown))
        return hidden / target.name

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        with defer_signals():  # a signal during the removal would leave a hidden folder behind
            self._finish(kind is None, error)

    def _finish(self, success: bool, error: BaseException | None) -> None:
        try:
            if success:
                self._commit()
        except OSError as failure:
            raise OSError(failure.errno, failure.strerror,
                          self._shown_name(failure.filename)) from failure
        finally:
            for hidden in self._hidden.values():
                shutil.rmtree(hidden, ignore_errors=True)
        if isinstance(error, OSError) and error.filename is not None:
            error.filename = self._shown_name(error.filename)

    def _commit(self) -> None:
        new_folders: list[Path] = []
        replaced: list[tuple[Path, Path]] = []     # (path, backup of the former file)
        try:
            for folder in self._new:
                if not folder.is_dir():
                    folder.mkdir()
                    new_folders.append(folder)
            for place in self._places:
                backup = place.staged.parent.with_suffix(".before")
                copy_permissions(place.staged, place.target)
                # no former file, or a disk without links: then it is not restored
                with suppress(OSError):
                    os.link(place.target, backup)
                os.replace(place.staged, place.target)
                replaced.append((place.target, backup))
        except BaseException:
            # all files are complete here: only a folder that changed meanwhile causes an error
            for path, backup in replaced:
                with suppress(OSError):
                    os.replace(backup, path) if backup.exists() else path.unlink()
            for path in new_folders:
                with suppress(OSError):
                    path.rmdir()
            raise

    def _hidden_folder(self, folder: Path) -> Path:
        """Return the hidden folder in a folder.  Errors: OSError."""
        if folder not in self._hidden:
            # recorded first, so that Ctrl-C removes it
            self._hidden[folder] = hidden = folder / hidden_name()
            try:
                hidden.mkdir(mode=0o700)
            except OSError as error:
                raise OSError(error.errno, f"no file can be made in this folder: {error.strerror}",
                              str(folder)) from None
        return self._hidden[folder]

    def _shown_name(self, name: object) -> object:
        """Return the name that the caller wrote for a hidden file; any other name unchanged."""
        if isinstance(name, str | os.PathLike):
            return next(
                (place.shown
                 for place in self._places if Path(name).is_relative_to(place.staged.parent)), name)
        return name
