"""A score made ready to render: read, bound to its instruments, everything wrong told at once and nothing computed yet."""
from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from pysitar.errors import ParameterError, Place, Problem, ScoreError
from pysitar.rendering.bind import bind
from pysitar.rendering.engine import Engine
from pysitar.rendering.options import read_options
from pysitar.rendering.plan import Bound
from pysitar.score.parser import Parsed, parse
from pysitar.score.reading import read_standard_input, read_text


@dataclass(frozen=True, slots=True)
class Prepared:
    """A score that is right: what was bound, and the engine that is ready to give its first block."""

    bound: Bound
    engine: Engine


def read_score(source: str) -> Parsed:
    """What can be read of a score, and what is wrong with its text.

    Parameters: source, a .score file, or "-" for standard input.
    Errors: ScoreError, when the file itself cannot be read.
    """
    if source == "-":
        if sys.stdin is None:
            raise ScoreError([Problem(Place("-"), "standard input is closed; a score would be right")])
        return parse(read_standard_input(), file="-", folder=Path())
    shown = printable(source)
    return parse(read_text(Path(source), shown, ".score", Place(shown)), file=shown, folder=Path(source).parent)


def prepared(
    parsed: Parsed, *, rate: int | None = None, oversample: int | None = None, seed: int | None = None, allow_large: bool = False,
) -> Prepared:
    """A score bound to its instruments, and its engine.

    Parameters: parsed, with the problems of its text; rate (Hz), oversample, seed, None where the score decides; allow_large, to lift
    the limits of a score's size.
    Errors: ScoreError with every problem of the text, the options and the instruments; ParameterError for an argument.
    """
    chosen, wrong_options = read_options(parsed.score, rate=rate, oversample=oversample, seed=seed, allow_large=allow_large)
    bound = bind(parsed.score, chosen, problems=(*parsed.problems, *wrong_options), allow_large=allow_large)
    try:
        return Prepared(bound, Engine(bound, chosen))
    except ParameterError as error:         # what only the network of a string shows, such as too many modes
        raise ScoreError([Problem(Place(parsed.score.file), f"an instrument cannot be built: {error}")]) from error


def printable(text: str) -> str:
    """A file's name as a message shows it: nothing in it breaks the line or the terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)
