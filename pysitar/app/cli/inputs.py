"""Read and check the files and folders that a command line names."""
from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pysitar.app.messages import UsageError
from pysitar.errors import Place, Problem, ScoreError, printable, quoted
from pysitar.output.files import check_target
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


def check_name_in_score(command: str, file: str, shown: str) -> None:
    """Raise a UsageError if a file name cannot be written between quotes in a score."""
    if '"' in file or not file.isprintable():
        raise UsageError(
            f"pysitar {command}: {shown} cannot be named in a score; expected letters, digits, "
            "blanks and signs other than \"")


def check_output_file(command: str, output: str, ending: str, *, any_case: bool = False,
                      source: str = "", what: str = "") -> None:
    """Raise a UsageError or an OSError unless a file can be written.

    Parameters: ending, which its name must have; any_case, whether also in capitals; source, a
    file that is not replaced, and what it is ("sound").
    """
    own = os.path.splitext(output)[1]
    if (own.lower() if any_case else own) != ending:
        raise UsageError(f"pysitar {command}: {quoted(output)} does not end in {ending}; expected "
                         f"-o FILE{ending}")
    check_target(output)
    if os.path.exists(output) and os.path.exists(source) and os.path.samefile(output, source):
        raise UsageError(
            f"pysitar {command}: {quoted(output)} is the {what} itself, which is never changed; "
            f"expected another name, -o FILE{ending}")


def check_output_folder(command: str, folder: str) -> None:
    """Raise a UsageError unless a folder is writable or can be created; it is not created here."""
    above = os.path.dirname(folder.rstrip(os.sep)) or os.curdir
    shown = f"pysitar {command}: {quoted(folder)}"
    if not folder:
        raise UsageError(
            f"pysitar {command}: the name of the folder is empty; expected a folder, or a new name")
    if os.path.isdir(folder):
        if not os.access(folder, os.W_OK | os.X_OK):
            raise UsageError(
                f"{shown} cannot be written to ({_why_not(folder)}); expected another folder")
        return
    if os.path.lexists(folder):
        raise UsageError(f"{shown} is not a folder; expected a folder, or a new name")
    if not os.path.isdir(above):
        if file := _file_in(above):
            raise UsageError(f"{shown} cannot be created: {quoted(file)} is not a folder; expected "
                             "another name")
        raise UsageError(f"{shown} cannot be created: the folder {quoted(above)} does not exist; "
                         "mkdir -p creates it")
    try:
        os.lstat(folder)
    except FileNotFoundError:
        if not os.access(above, os.W_OK | os.X_OK):
            raise UsageError(
                f"{shown} cannot be created: {quoted(above)} cannot be written to "
                f"({_why_not(above)}); expected a name in another folder") from None
    except OSError as error:          # a name that is too long
        raise UsageError(
            f"{shown} cannot be created ({error.strerror}); expected another name") from None


def check_matplotlib(command: str, *, instead: str = "") -> None:
    """Raise a UsageError unless matplotlib can be imported.

    Parameters: instead, an alternative, for the message.
    """
    try:
        import matplotlib.figure  # noqa: F401  checked before any computation
    except ImportError as error:
        raise UsageError(f"pysitar {command}: matplotlib cannot be imported ({error}); "
                         f"pip install 'pysitar[figures]' adds it{instead}") from None


def _why_not(folder: str) -> str:
    """Return the reason why a folder cannot be written to."""
    return os.strerror(errno.EROFS if os.statvfs(folder).f_flag & os.ST_RDONLY else errno.EACCES)


def _file_in(path: str) -> str:
    """Return the part of a path that exists and is not a folder; "" if there is none."""
    for part in (Path(path), *Path(path).parents):
        if os.path.lexists(part):
            return "" if part.is_dir() else str(part)
    return ""
