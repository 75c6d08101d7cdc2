"""`pysitar expand`: write a score as a flat list of events."""
from __future__ import annotations

import argparse
import os

from pysitar.app.cli.inputs import check_output_file, read_score
from pysitar.app.cli.options import add_allow_large, add_score
from pysitar.app.cli.parsing import Parser
from pysitar.app.messages import DONE
from pysitar.app.terminal import write_data
from pysitar.errors import printable
from pysitar.output.files import write_atomically
from pysitar.rendering.binding.flatten import flatten_score
from pysitar.rendering.engine import open_engine

NAME = "expand"
ENDING = ".score"
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
    add_score(options)
    options.add_argument("-o", "--output", metavar="FILE",
                         help="the flat score, a .score file (default: standard output)")
    add_allow_large(options)
    return options


def run(arguments: argparse.Namespace) -> int:
    """Write the flat score; return the exit code."""
    output = arguments.output
    to_file = output not in (None, "-")
    if to_file:
        check_output_file(NAME, output, ENDING)
    parsed = read_score(arguments.score)
    engine = open_engine(parsed.score, problems=parsed.problems, allow_large=arguments.allow_large)
    folder = os.path.dirname(os.path.realpath(output)) if to_file else ""
    heading = f"# {printable(arguments.score, '?')}, expanded\n"
    text = heading + flatten_score(parsed.score, engine.bound, folder)
    if to_file:
        write_atomically(output, text)
    else:
        write_data(text)
    return DONE
