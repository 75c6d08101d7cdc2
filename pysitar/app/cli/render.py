"""`pysitar render`: render a score to a sound file."""
from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from pysitar.api.render_file import Files, stream
from pysitar.api.report import summary_line
from pysitar.api.request import prepare_engine
from pysitar.app.cli.inputs import read_score
from pysitar.app.cli.options import FORMATS, Options, add_format, add_quiet, add_score, add_subtype
from pysitar.app.cli.parsing import Parser
from pysitar.app.cli.request import add_computation, add_selection, make_request, option_errors
from pysitar.app.messages import DONE, UsageError, one_line, report
from pysitar.app.progress import WARNING, bar_enabled, sound_bar, warn
from pysitar.errors import quoted
from pysitar.output.audio import encoding_of
from pysitar.output.hidden import remove_stale_files

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


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    add_score(options)
    _add_files(options.add_argument_group("output"))
    add_selection(options.add_argument_group("part of the score and level"),
                  start="start the file at time T; the sound before T is computed but not written",
                  stop="end the file")
    add_computation(options.add_argument_group("computation"), limits=", and the free disk space")
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


def run(arguments: argparse.Namespace) -> int:
    """Render one score; return the exit code.

    Errors: UsageError, ScoreError, ParameterError, RenderError, OSError.
    """
    quiet = arguments.quiet
    with option_errors(NAME, arguments):
        files = _files(arguments)
        parsed = read_score(arguments.score)
        request = make_request(NAME, arguments, parsed, traces=arguments.traces is not None)
        engine = prepare_engine(parsed.score, request, problems=parsed.problems)
        warn(engine.bound.warnings)
        if files.out is None:
            remove_stale_files(Path(files.path).parent)
        with sound_bar(engine, shown=bar_enabled(quiet)) as progress:
            result = stream(engine, request, files, progress=progress)
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


def _default_output(score: str, form: str | None) -> str:
    """Return the name of the sound file of a score, in the current folder.  Errors: UsageError."""
    ending = form or FORMATS[0]
    if score == "-":
        raise UsageError(
            f"pysitar {NAME}: a score from standard input has no name for its sound file; expected "
            f"-o FILE.{ending}")
    return f"{Path(score).stem}.{ending}"
