"""`pysitar render`: render a score to a sound file."""
from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from pysitar.api.render_file import Files, stream
from pysitar.api.report import summary_line
from pysitar.api.request import Request, prepare_engine
from pysitar.app.cli import render_options
from pysitar.app.cli.inputs import read_score
from pysitar.app.cli.parsing import Parser, cpus
from pysitar.app.cli.times import seconds_of
from pysitar.app.messages import DONE, UsageError, one_line, report
from pysitar.app.progress import WARNING, bar_enabled, sound_bar, warn
from pysitar.errors import ParameterError, ScoreError, quoted
from pysitar.output.audio import encoding_of
from pysitar.output.hidden import remove_stale_files
from pysitar.rendering.engine import bind_score
from pysitar.rendering.threads import MOST_JOBS
from pysitar.score.parser import Parsed

NAME = "render"
SUMMARY = "render a score to a sound file"
# options, by the names of their parameters
OPTIONS = {
    "rate": "--rate", "oversample": "--oversample", "seed": "--seed", "jobs": "--jobs",
    "peak": "--peak", "start": "--from", "stop": "--to", "only": "--only", "mute": "--mute",
    "subtype": "--subtype"}


def parser() -> Parser:
    """Return the parser of the command line."""
    return render_options.parser(NAME)


def run(arguments: argparse.Namespace) -> int:
    """Render one score; return the exit code.

    Errors: UsageError, ScoreError, ParameterError, RenderError, OSError.
    """
    quiet = arguments.quiet
    try:
        files = _files(arguments)
        parsed = read_score(arguments.score)
        asked = _asked(arguments, parsed)
        engine = prepare_engine(parsed.score, asked, problems=parsed.problems)
        warn(engine.bound.warnings)
        if files.out is None:
            remove_stale_files(Path(files.path).parent)
        with sound_bar(engine, shown=bar_enabled(quiet)) as progress:
            result = stream(engine, asked, files, progress=progress)
    except ParameterError as error:
        option = OPTIONS.get(error.name)
        if option is None or getattr(arguments, error.name) in (None, []):  # the score sets it
            raise
        raise UsageError(
            f"pysitar {NAME}: {option} is {quoted(error.value)}; {error.expected}") from error
    for warning in result["warnings"][len(engine.bound.warnings):]:
        report(one_line(WARNING + warning))
    if not quiet:
        report(one_line(summary_line(result)))
    return DONE


def _files(arguments: argparse.Namespace) -> Files:
    """Return the output files.  Errors: UsageError, ParameterError."""
    output, form = arguments.output, arguments.format
    out = None
    if output == "-":
        output, out = f"sound.{form or render_options.FORMATS[0]}", getattr(
            sys.stdout, "buffer", None)
        if out is None or out.isatty():
            why = "standard output is closed" if out is None else "standard output is a terminal"
            raise UsageError(
                f"pysitar {NAME}: {why}, and a sound is not text; expected -o FILE.wav, or a "
                "redirection to a file or pipe")
    elif output is None:
        output = _default_output(arguments.score, form)
    elif form is not None and os.path.splitext(output)[1].lower() != f".{form}":
        raise UsageError(
            f"pysitar {NAME}: --format is {form}, and {quoted(output)} does not end in .{form}; "
            f"expected FILE.{form}")
    encoding_of(output, arguments.subtype)
    return Files(path=output, out=out, subtype=arguments.subtype, stems=arguments.stems,
                 traces=arguments.traces, sidecar=not arguments.no_sidecar)


def _asked(arguments: argparse.Namespace, parsed: Parsed) -> Request:
    """Return the options of the render.  Errors: UsageError."""
    start = _seconds("--from", arguments.start, parsed)
    return Request(rate=arguments.rate, oversample=arguments.oversample, seed=arguments.seed,
                   peak=arguments.peak, start=0.0 if start is None else start,
                   stop=_seconds("--to", arguments.stop,
                                 parsed), only=arguments.only, mute=arguments.mute,
                   traces=arguments.traces is not None, allow_large=arguments.allow_large,
                   jobs=min(cpus(), MOST_JOBS) if arguments.jobs is None else arguments.jobs)


def _seconds(option: str, text: str | None, parsed: Parsed) -> float | None:
    """Return a time of the command line, s (None: not given).

    Errors: UsageError; ScoreError, if the score has mistakes, which are reported first.
    """
    if text is None:
        return None
    try:
        return seconds_of(text, parsed.score)
    except ScoreError as error:
        bind_score(parsed.score, problems=parsed.problems)
        raise UsageError(f"pysitar {NAME}: {option}: {error.problems[0].message}") from None


def _default_output(score: str, form: str | None) -> str:
    ending = form or render_options.FORMATS[0]
    if score == "-":
        raise UsageError(
            f"pysitar {NAME}: a score from standard input has no name for its sound file; expected "
            f"-o FILE.{ending}")
    return f"{Path(score).stem}.{ending}"
