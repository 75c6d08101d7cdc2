"""`pysitar reproduce`: the figures and tables of the papers, computed again."""
from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pysitar.app.cli.batch import jobs_of
from pysitar.app.cli.inputs import check_folder
from pysitar.app.cli.look import check_matplotlib
from pysitar.app.cli.parsing import Parser, whole_number
from pysitar.app.messages import DONE, FAILED, UsageError, one_line, tell
from pysitar.app.progress import count_bar, wants_bar
from pysitar.errors import ParameterError
from pysitar.papers.catalogue import ALL, CATALOGUE, figures_of
from pysitar.papers.finding import Figure
from pysitar.papers.making import Wanted
from pysitar.papers.run import PAGE, REPORT, reproduce

NAME = "reproduce"
SUMMARY = "compute the figures and tables of the papers, with what the papers say of them"
DESCRIPTION = f"""\
Compute figures and tables of the papers again, by pysitar's public functions, into
DIR: of each one a picture (PNG and SVG), its numbers (JSON) and curves (NPZ), and of
all of them one page, {PAGE} and {REPORT}, which sets what the paper says beside
what came out, and tells where the paper, or its text, is wrong. FIGURE is one
figure, the name of a paper for all of its figures, or {ALL}, which takes minutes."""
EPILOG = """\
examples:
  pysitar reproduce --list
  pysitar reproduce chatziioannou2017:fig4 -o figures
  pysitar reproduce chatziioannou2017:fig4 -o numbers --data-only

The page tells of the figures of this run; pictures need the extra: figures.
exit codes: 0 all are made; 1 some are not, and are named; 2 the command line is wrong."""
MOST_JOBS = 64


def parser() -> Parser:
    """The options of the command."""
    made = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    made.add_argument("figures", nargs="*", metavar="FIGURE", help=f"a figure, a paper, or {ALL}")
    made.add_argument("-o", "--output", metavar="DIR", help="the folder of what is made, itself made if it is not there")
    made.add_argument("--list", action="store_true", help="only list what there is")
    made.add_argument("--data-only", action="store_true", help="numbers, curves and the page, no pictures: without matplotlib")
    made.add_argument("--jobs", type=whole_number, default=2, metavar="N", help="processes that compute at the same time (default: 2)")
    made.add_argument("--quiet", action="store_true", help="no progress bar and no line at the end")
    return made


def run(arguments: argparse.Namespace) -> int:
    """Reproduce figures.  Errors: UsageError, OSError."""
    try:
        figures = figures_of(arguments.figures or ([ALL] if arguments.list else []))
    except ParameterError as error:
        raise UsageError(f"pysitar {NAME}: {error}") from error
    if arguments.list:
        _list(figures)
        return DONE
    if not figures:
        raise UsageError(f"pysitar {NAME}: no figure is named; expected one of pysitar {NAME} --list, or {ALL}")
    if not arguments.output:
        raise UsageError(f"pysitar {NAME}: there is no folder for the figures; -o DIR would name one")
    jobs = jobs_of(NAME, arguments.jobs, MOST_JOBS)
    check_folder(NAME, arguments.output)
    if not arguments.data_only:
        check_matplotlib(NAME, instead="; or --data-only, which draws nothing")
    with count_bar(len(figures), "figures", wanted=wants_bar(arguments.quiet)) as told:
        failed = reproduce(figures, Wanted(arguments.output, pictures=not arguments.data_only), jobs=jobs, told=told)
    for key, reason in failed.items():
        tell(one_line(f"pysitar: {key} failed: {reason}"))
    if not arguments.quiet:
        page = Path(arguments.output, PAGE)
        tell(one_line(f"{page}: {len(figures) - len(failed)} of {len(figures)} figures and tables; {REPORT} beside it says the same"))
    return FAILED if failed else DONE


def _list(figures: Sequence[Figure]) -> None:
    width = max(len(figure.key) for figure in CATALOGUE)
    for figure in figures:
        sys.stdout.write(f"{figure.key.ljust(width)}  {figure.title}\n")
