"""A score read from where the command line says."""
from __future__ import annotations

import sys
from pathlib import Path

from pysitar.errors import Place, Problem, ScoreError, printable
from pysitar.score.parser import Parsed, parse
from pysitar.score.reading import read_standard_input, read_text


def read_score(source: str) -> Parsed:
    """What can be read of a score, and what is wrong with its text.

    Parameters: source, a .score file, or "-" for standard input.
    Errors: ScoreError, when the file itself cannot be read.
    """
    if source == "-":
        if sys.stdin is None:
            raise ScoreError([Problem(Place("-"), "standard input is closed; a score would be right")])
        return parse(read_standard_input(), file="-", folder=Path())
    shown = printable(source, "?")
    return parse(read_text(Path(source), shown, ".score", Place(shown)), file=shown, folder=Path(source).parent)
