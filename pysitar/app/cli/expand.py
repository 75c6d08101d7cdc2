"""`pysitar expand`: the flat list of a score's events."""
from __future__ import annotations

import argparse
import sys

from pysitar.app.cli.failures import DONE
from pysitar.app.cli.parsing import Parser
from pysitar.app.cli.reading import read_score
from pysitar.app.cli.render_options import LARGE
from pysitar.errors import printable
from pysitar.rendering.engine import open_engine
from pysitar.rendering.expansion import expanded

NAME = "expand"
SUMMARY = "write a score as a flat list of its events"
DESCRIPTION = """\
Write a score as a flat one on standard output: its instruments and settings, then
one row for each event of each string, mass or object, in order of time. Sections,
plays, repeats, includes, tempo and tala are gone; times and durations are in
seconds, pitches in Hz, forces scaled by their plays in N, all in full precision.
Rendering it gives the same bits. Paths in it are relative to the current folder."""
EPILOG = """\
examples:
  pysitar expand first.score > flat.score
  pysitar expand first.score | grep sa1
  pysitar expand first.score | pysitar render - -o first.wav"""


def parser() -> Parser:
    """The options of the command."""
    made = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    made.add_argument("score", metavar="SCORE", help="a .score file, or - for standard input")
    made.add_argument("--allow-large", action="store_true", help=LARGE)
    return made


def run(arguments: argparse.Namespace) -> int:
    """Write the flat score; the exit code."""
    parsed = read_score(arguments.score)
    engine = open_engine(parsed.score, problems=parsed.problems, allow_large=arguments.allow_large)
    print(f"# {printable(arguments.score, '?')}, expanded")
    sys.stdout.write(expanded(parsed.score, engine.bound))
    return DONE
