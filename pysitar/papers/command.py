"""`pysitar reproduce`: compute the figures and tables of the papers again."""
from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pysitar.app.cli.inputs import check_matplotlib, check_output_folder
from pysitar.app.cli.options import add_jobs, add_output_folder, add_quiet, worker_count
from pysitar.app.cli.parsing import Parser
from pysitar.app.messages import DONE, FAILED, UsageError, one_line, report
from pysitar.app.progress import bar_enabled, count_bar
from pysitar.errors import ParameterError
from pysitar.papers.catalogue import ALL, CATALOGUE, figures_of
from pysitar.papers.finding import Figure
from pysitar.papers.make_figure import FigureOutput
from pysitar.papers.run import PAGE, REPORT, reproduce

NAME = "reproduce"
DESCRIPTION = f"""\
Compute figures and tables of the papers again, with pysitar's public functions. DIR
gets a picture (PNG and SVG), the numbers (JSON) and the curves (NPZ) of each, and one
page on all of them, {PAGE} and {REPORT}, which shows the statements of the
papers beside the computed results and reports where a paper, or its text, is wrong.
FIGURE is one figure, the name of a paper for all of its figures, or {ALL}, which takes
some minutes."""
EPILOG = """\
examples:
  pysitar reproduce --list
  pysitar reproduce chatziioannou2017:fig4 -o figures
  pysitar reproduce chatziioannou2017:fig4 -o numbers --data-only

The page shows the figures of this run only; pictures need the extra: figures.
exit codes: 0 all are made; 1 some failed, and are named; 2 the command line is wrong."""
MOST_JOBS = 64


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument("figures", nargs="*", metavar="FIGURE",
                         help=f"a figure, a paper, or {ALL}")
    add_output_folder(options, required=False)
    options.add_argument("--list", action="store_true", help="only list the available figures")
    options.add_argument(
        "--data-only", action="store_true",
        help="write numbers, curves and the page, but no pictures (works without matplotlib)")
    add_jobs(options, of="processes", default=2)
    add_quiet(options)
    return options


def run(arguments: argparse.Namespace) -> int:
    """Reproduce figures; return the exit code.  Errors: UsageError, OSError."""
    try:
        figures = figures_of(arguments.figures or ([ALL] if arguments.list else []))
    except ParameterError as error:
        raise UsageError(f"pysitar {NAME}: {error}") from error
    if arguments.list:
        _list(figures)
        return DONE
    if not figures:
        raise UsageError(
            f"pysitar {NAME}: no figure is named; expected one that pysitar {NAME} --list shows, "
            f"or {ALL}"
        )
    if not arguments.output:
        raise UsageError(f"pysitar {NAME}: no output folder is named; expected -o DIR")
    jobs = worker_count(NAME, arguments.jobs, MOST_JOBS)
    check_output_folder(NAME, arguments.output)
    if not arguments.data_only:
        check_matplotlib(NAME, instead="; --data-only needs no matplotlib")
    with count_bar(len(figures), "figures", shown=bar_enabled(arguments.quiet)) as on_done:
        output = FigureOutput(arguments.output, pictures=not arguments.data_only)
        failed = reproduce(figures, output, jobs=jobs, on_done=on_done)
    for key, reason in failed.items():
        report(one_line(f"pysitar: {key} failed: {reason}"))
    if not arguments.quiet:
        page = Path(arguments.output, PAGE)
        report(
            one_line(
                f"{page}: {len(figures) - len(failed)} of {len(figures)} figures and tables; also "
                f"as {REPORT}"
            ))
    return FAILED if failed else DONE


def _list(figures: Sequence[Figure]) -> None:
    width = max(len(figure.key) for figure in CATALOGUE)
    for figure in figures:
        sys.stdout.write(f"{figure.key.ljust(width)}  {figure.title}\n")
