"""A score read from where the command line says."""
from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from pysitar.app.cli.failures import UsageError
from pysitar.errors import Place, Problem, ScoreError, printable, quoted
from pysitar.score import parser
from pysitar.score.parser import Parsed


def read_score(source: str) -> Parsed:
    """What can be read of a score, and what is wrong with its text.

    Parameters: source, a .score file, or "-" for standard input.
    Errors: ScoreError, when the file itself cannot be read.
    """
    if source == "-" and sys.stdin is None:
        raise ScoreError([Problem(Place("-"), "standard input is closed; a score would be right")])
    return parser.read_score(source, shown=printable(source, "?"))


def check_named(command: str, sources: Sequence[str]) -> None:
    """Raise a UsageError if a score of which sounds will have their names is standard input."""
    if "-" in sources:
        raise UsageError(f"pysitar {command}: a score from standard input has no name for its sounds; a .score file would be right")


def check_folder(command: str, folder: str) -> None:
    """Raise a UsageError if what is to be the folder of sounds is there and none."""
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise UsageError(f"pysitar {command}: {quoted(folder)} is not a folder; a new name, or that of a folder, would be right")
