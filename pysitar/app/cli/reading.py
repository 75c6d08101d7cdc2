"""A score read from where the command line says."""
from __future__ import annotations

import sys

from pysitar.errors import Place, Problem, ScoreError, printable
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
