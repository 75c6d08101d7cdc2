"""`pysitar compare`: one score through several schemes."""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pysitar.app.asking import Asked
from pysitar.app.cli.failures import DONE, UsageError, one_line, tell
from pysitar.app.cli.parsing import Parser, whole_number
from pysitar.app.cli.reading import check_folder, check_named, read_score
from pysitar.app.cli.telling import sound_bar, wants_bar, warn
from pysitar.app.compare import COLUMNS, SCHEMES, TABLE, WrongSchemeError, compare, engines_of
from pysitar.errors import ParameterError, printable

NAME = "compare"
SUMMARY = "render a score by several schemes, with a table of what they differ in"
DESCRIPTION = f"""\
Render a score once by each scheme into DIR, SCORE-two-point.wav and so on, each with
its sidecar, and write a table, also as DIR/{TABLE}: level (dB), T60 (s), spectral
centroid of the first second (Hz), residual of the energy balance, times real time,
and the relative difference from the first scheme in the first 10 ms. Contact is
chaotic: later samples differ, levels and decays hardly. All but two-point and
three-point leave out an instrument's touch before a pluck, which these 10 ms hear;
a T60 needs a tail in which the sound falls by 45 dB. A score that one of the
schemes cannot play (a pitch, a thread, a hammer) is refused before any sound."""
EPILOG = """\
examples:
  printf 'use guitar as g\\nrender tail=1s\\n0 g.e2 pluck f=2N\\n' > guitar.score
  pysitar compare guitar.score -o compared
  pysitar compare guitar.score -o compared --schemes two-point,fd-explicit"""


def parser() -> Parser:
    """The options of the command."""
    made = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    made.add_argument("score", metavar="SCORE", help="a .score file")
    made.add_argument("-o", "--output", metavar="DIR", required=True, help="the folder of the sounds, made if it is not there")
    made.add_argument("--schemes", metavar="A,B,...", default=",".join(SCHEMES), help=f"which (default: {','.join(SCHEMES)})")
    made.add_argument("--rate", type=whole_number, metavar="N", help="frames a second (default: the score's, else 48000)")
    made.add_argument("--oversample", type=whole_number, metavar="N", help="steps of the simulation a frame (default: the score's, else 2)")
    made.add_argument("--quiet", action="store_true", help="no table and no progress")
    return made


def run(arguments: argparse.Namespace) -> int:
    """Compare.  Errors: UsageError, ScoreError, ParameterError, OSError."""
    check_named(NAME, [arguments.score])
    check_folder(NAME, arguments.output)
    asked = Asked(rate=arguments.rate, oversample=arguments.oversample)
    parsed = read_score(arguments.score)
    schemes = list(dict.fromkeys(word for word in arguments.schemes.split(",") if word))
    try:
        engines = engines_of(parsed.score, schemes, asked, parsed.problems)
    except WrongSchemeError as error:
        tell(one_line(f"pysitar {NAME}: by the scheme {error.scheme}:"))
        raise
    except ParameterError as error:
        raise UsageError(f"pysitar {NAME}: {error}") from error
    warn(list(dict.fromkeys(warning for engine in engines.values() for warning in engine.bound.warnings)))
    with sound_bar(next(iter(engines.values())), wanted=wants_bar(arguments.quiet)) as progress:
        done = compare(engines, asked, Path(arguments.output), Path(arguments.score).stem, progress)
    if not arguments.quiet:
        rows = [[printable(word, "?") for word in row] for row in (COLUMNS, *(one.row for one in done))]
        widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
        for row in rows:
            sys.stdout.write("  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() + "\n")
    return DONE
