"""`pysitar render`: render a score to a sound file."""
from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from pysitar.api.render_file import Files, stream
from pysitar.api.report import summary_line
from pysitar.api.request import Request, prepare_engine
from pysitar.app.cli.inputs import read_score
from pysitar.app.cli.options import (
    FORMATS,
    LIMITS,
    Options,
    add_allow_large,
    add_fade,
    add_format,
    add_jobs,
    add_oversample,
    add_peak,
    add_quiet,
    add_rate,
    add_score,
    add_seed,
    add_subtype,
)
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
DESCRIPTION = """\
Render a score to a sound file. The whole score is checked first. The file is written
completely or not at all. A line at the end reports its length, its peak, the residual
of the energy balance and the speed; FILE.json beside it holds these values,
the options, and every event."""
EPILOG = """\
examples:
  pysitar render first.score
  pysitar render first.score -o careful.wav --oversample 4
  pysitar render first.score -o loud.flac --peak=-1dB
  pysitar render first.score -o part.wav --from 1 --to 2.5s --only t.sa1
  pysitar render first.score -o mix.wav --stems stems --traces strings.npz
  cat first.score | pysitar render - -o - --quiet > piped.wav

A 'render' line in the score sets rate, oversample, seed, peak and more, such as
tail=3s; an option of the command line overrides it. A time T is written as in a score:
4 (beats, by the tempo outside sections), 1.5s, or 3:2 (bar 3, matra 2). A TARGET is t
(all of instrument t), t.pa (its string pa), t.* or *.pa; quote a * in a shell."""
OPTION_NAMES = {                # by the names of their parameters
    "rate": "--rate", "oversample": "--oversample", "seed": "--seed", "jobs": "--jobs",
    "peak": "--peak", "fade": "--fade", "start": "--from", "stop": "--to", "only": "--only",
    "mute": "--mute", "subtype": "--subtype"}


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    add_score(options)
    _add_files(options.add_argument_group("output"))
    _add_selection(options.add_argument_group("part of the score and level"))
    _add_computation(options.add_argument_group("computation"))
    return options


def _add_files(group: Options) -> None:
    group.add_argument(
        "-o", "--output", metavar="FILE",
        help="the sound file, .wav or .flac, or - for standard output; an existing file is "
             "replaced (default: the name of the score with the ending of the format, in the "
             "current folder)")
    add_format(group)
    add_subtype(group)
    group.add_argument(
        "--stems", metavar="DIR",
        help="also write each instrument alone, as DIR/NAME.wav; the sum of the stems is the mix")
    group.add_argument(
        "--traces", metavar="FILE.npz",
        help="also write NumPy arrays at the rate of the simulation, 25 bytes per step and string: "
             "for each string the force on its end and in its contacts (N), its displacement at "
             "the plucking point (m) and its energies (J); for a mass its position, velocity, "
             "force and energies; instruments that play nothing, and what --only or --mute "
             "silences, are left out")
    group.add_argument("--no-sidecar", action="store_true", help="do not write FILE.json")
    add_quiet(group, "no progress bar and no summary line; warnings and errors are still shown")


def _add_selection(group: Options) -> None:
    group.add_argument(
        "--from", dest="start", metavar="T",
        help="start the file at time T; the sound before T is computed but not written")
    group.add_argument("--to", dest="stop", metavar="T",
                       help="end the file at time T (default: the end of the sound)")
    group.add_argument("--only", action="append", default=[], metavar="TARGET",
                       help="play only TARGET; can be repeated")
    group.add_argument("--mute", action="append", default=[], metavar="TARGET",
                       help="do not play TARGET; can be repeated")
    add_peak(group, more=", and report the gain")
    add_fade(group)


def _add_computation(group: Options) -> None:
    add_rate(group)
    add_oversample(group, more="; if N x the sample rate is below 88000 Hz, strings on bridges "
                               "sound sharper and duller")
    add_seed(group)
    add_jobs(group, of="threads, which compute strings, masses and objects",
             more="; the sound does not depend on N")
    add_allow_large(group, limits=f"{LIMITS}, and the free disk space")


def run(arguments: argparse.Namespace) -> int:
    """Render one score; return the exit code.

    Errors: UsageError, ScoreError, ParameterError, RenderError, OSError.
    """
    quiet = arguments.quiet
    try:
        files = _files(arguments)
        parsed = read_score(arguments.score)
        request = _request(arguments, parsed)
        engine = prepare_engine(parsed.score, request, problems=parsed.problems)
        warn(engine.bound.warnings)
        if files.out is None:
            remove_stale_files(Path(files.path).parent)
        with sound_bar(engine, shown=bar_enabled(quiet)) as progress:
            result = stream(engine, request, files, progress=progress)
    except ParameterError as error:
        option = OPTION_NAMES.get(error.name)
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
        output = f"sound.{form or FORMATS[0]}"
        out = getattr(sys.stdout, "buffer", None)
        if out is None or out.isatty():
            why = "closed" if out is None else "a terminal, which cannot show a sound"
            raise UsageError(f"pysitar {NAME}: standard output is {why}; expected -o FILE.wav, or "
                             "a redirection to a file or pipe")
    elif output is None:
        output = _default_output(arguments.score, form)
    elif form is not None and os.path.splitext(output)[1].lower() != f".{form}":
        raise UsageError(
            f"pysitar {NAME}: --format is {form}, and {quoted(output)} does not end in .{form}; "
            f"expected FILE.{form}")
    encoding_of(output, arguments.subtype)
    return Files(path=output, out=out, subtype=arguments.subtype, stems=arguments.stems,
                 traces=arguments.traces, sidecar=not arguments.no_sidecar)


def _request(arguments: argparse.Namespace, parsed: Parsed) -> Request:
    """Return the options of the render.  Errors: UsageError."""
    start = _seconds("--from", arguments.start, parsed)
    stop = _seconds("--to", arguments.stop, parsed)
    return Request(rate=arguments.rate, oversample=arguments.oversample, seed=arguments.seed,
                   peak=arguments.peak, fade=arguments.fade,
                   start=0.0 if start is None else start, stop=stop,
                   only=arguments.only, mute=arguments.mute, traces=arguments.traces is not None,
                   allow_large=arguments.allow_large,
                   jobs=min(cpus(), MOST_JOBS) if arguments.jobs is None else arguments.jobs)


def _seconds(option: str, text: str | None, parsed: Parsed) -> float | None:
    """Return a time of the command line (s); None if no time is given.

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
    """Return the name of the sound file of a score, in the current folder.  Errors: UsageError."""
    ending = form or FORMATS[0]
    if score == "-":
        raise UsageError(
            f"pysitar {NAME}: a score from standard input has no name for its sound file; expected "
            f"-o FILE.{ending}")
    return f"{Path(score).stem}.{ending}"
