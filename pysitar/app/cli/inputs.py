"""Read the score and check the output folder that a command line names."""
from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

from pysitar.app.messages import UsageError
from pysitar.errors import Place, Problem, ScoreError, printable, quoted
from pysitar.score import parser
from pysitar.score.parser import Parsed


def read_score(source: str) -> Parsed:
    """Return a parsed score, with the mistakes in its text.

    Parameters: source, a .score file, or "-" for standard input.
    Errors: ScoreError, if the file itself cannot be read.
    """
    if source == "-" and sys.stdin is None:
        raise ScoreError([Problem(Place("-"), "standard input is closed; expected a score")])
    return parser.read_score(source, shown=printable(source, "?"))


def check_score_names(command: str, sources: Sequence[str]) -> None:
    """Raise a UsageError if a score is standard input, which has no name for its sounds."""
    if "-" in sources:
        raise UsageError(
            f"pysitar {command}: a score from standard input has no name for its sounds; expected "
            "a .score file")


def check_output_folder(command: str, folder: str) -> None:
    """Raise a UsageError if a folder is not writable, or does not exist and cannot be created; it
    is not created here."""
    above = os.path.dirname(folder.rstrip(os.sep)) or os.curdir
    shown = f"pysitar {command}: {quoted(folder)}"
    if not folder:
        raise UsageError(
            f"pysitar {command}: the name of the folder is empty; expected a folder, or a new name")
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise UsageError(f"{shown} is not a folder; expected a folder, or a new name")
    if os.path.isdir(folder):
        if not os.access(folder, os.W_OK | os.X_OK):
            raise UsageError(
                f"{shown} cannot be written to ({_why_not(folder)}); expected another folder")
        return
    if not os.path.isdir(above):
        if _file_in(above):
            raise UsageError(
                f"{shown} cannot be made: {quoted(_file_in(above))} is not a folder; expected "
                "another name")
        raise UsageError(
            f"{shown} cannot be made: the folder {quoted(above)} does not exist; mkdir -p creates "
            "it")
    try:
        os.lstat(folder)
    except FileNotFoundError:
        if not os.access(above, os.W_OK | os.X_OK):
            raise UsageError(
                f"{shown} cannot be made: {quoted(above)} cannot be written to "
                f"({_why_not(above)}); expected a name in another folder") from None
    except OSError as error:          # a name that is too long
        raise UsageError(
            f"{shown} cannot be made ({error.strerror}); expected another name") from None


def _why_not(folder: str) -> str:
    """Return the reason why a folder cannot be written to."""
    return os.strerror(errno.EROFS if os.statvfs(folder).f_flag & os.ST_RDONLY else errno.EACCES)


def _file_in(path: str) -> str:
    """Return the part of a path that exists and is not a folder; "" if there is none."""
    while path and path != os.path.dirname(path):
        if os.path.lexists(path):
            return "" if os.path.isdir(path) else path
        path = os.path.dirname(path)
    return ""
