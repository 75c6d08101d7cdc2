"""`pysitar expand`: write a score as a flat list of events."""
from __future__ import annotations

import argparse
import os

from pysitar.app.cli.inputs import read_score
from pysitar.app.cli.parsing import Parser
from pysitar.app.cli.render_options import LARGE
from pysitar.app.messages import DONE, UsageError
from pysitar.app.terminal import write_data
from pysitar.errors import printable, quoted
from pysitar.output.files import write_atomically
from pysitar.rendering.binding.flatten import flatten_score
from pysitar.rendering.engine import open_engine

NAME = "expand"
ENDING = ".score"
SUMMARY = "write a score as a flat list of events"
DESCRIPTION = """\
Write a flat copy of a score to standard output or to a file: its instruments and
settings, then one row for each event of each string, mass or object, ordered by time.
Sections, plays, repeats, includes, tempo and tala are resolved; times and durations are
in seconds, pitches in Hz, and forces in N with the factors of their plays applied, all
in full precision. Rendering the copy gives the same bits. Paths in it are relative to
the folder of the file, or to the current folder on standard output."""
EPILOG = """\
examples:
  pysitar expand first.score -o flat.score
  pysitar expand first.score | grep sa1
  pysitar expand first.score | pysitar render - -o first.wav"""


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument("score", metavar="SCORE", help="a .score file, or - for standard input")
    options.add_argument("-o", "--output", metavar="FILE",
                         help="the flat score, a .score file (default: standard output)")
    options.add_argument("--allow-large", action="store_true", help=LARGE)
    return options


def run(arguments: argparse.Namespace) -> int:
    """Write the flat score; return the exit code."""
    output = arguments.output
    if output is not None and output != "-" and os.path.splitext(output)[1] != ENDING:
        raise UsageError(
            f"pysitar {NAME}: {quoted(output)} does not end in {ENDING}; expected -o flat{ENDING}")
    parsed = read_score(arguments.score)
    engine = open_engine(parsed.score, problems=parsed.problems, allow_large=arguments.allow_large)
    folder = "" if output in (None, "-") else os.path.dirname(os.path.realpath(output))
    text = f"# {printable(arguments.score, '?')}, expanded\n{flatten_score(parsed.score, engine.bound, folder)}"
    if output in (None, "-"):
        write_data(text)
        return DONE
    write_atomically(output, text)
    return DONE
