"""`pysitar render`: a score to a sound file."""
from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pysitar.app.cli.failures import DONE, UsageError, one_line, tell
from pysitar.app.cli.parsing import Parser, whole_number
from pysitar.app.cli.reading import read_score
from pysitar.app.render_file import Progress, stream
from pysitar.errors import ParameterError
from pysitar.output.audio import encoding_of
from pysitar.rendering.engine import LONGEST_TAIL, Engine, open_engine

NAME = "render"
SUMMARY = "make a sound file from a score"
DESCRIPTION = """\
Render a score into a sound file. Everything in the score is checked first; the
file appears when it is whole, or not at all. One line at the end tells its
length, its peak, how well the energy balance was kept, and how fast it went."""
EPILOG = """\
examples:
  pysitar render first.score
  pysitar render first.score -o careful.wav --oversample 4
  cat first.score | pysitar render - -o piped.wav --quiet

A 'render' line in the score sets rate, oversample, seed and more, such as tail=3s;
what is given here comes first."""
ENDING = ".wav"
GIVEN = ("rate", "oversample", "seed")          # options that go to the engine


def parser() -> Parser:
    """The options of the command."""
    made = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    made.add_argument("score", metavar="SCORE", help="a .score file, or - for standard input")
    made.add_argument("-o", "--output", metavar="FILE",
                      help="the sound file, .wav (default: the score's name with .wav, in the current folder); an existing one is replaced")
    made.add_argument("--rate", type=whole_number, metavar="N", help="frames a second (default: the score's, else 48000)")
    made.add_argument("--oversample", type=whole_number, metavar="N",
                      help="steps of the simulation a frame (default: the score's, else 2); with rate x oversample under 88000 Hz "
                           "strings on bridges sound sharper and duller")
    made.add_argument("--seed", type=whole_number, metavar="N", help="of everything random (default: the score's, else 0)")
    made.add_argument("--quiet", action="store_true", help="no progress bar and no line at the end; warnings and errors are still told")
    made.add_argument("--allow-large", action="store_true",
                      help="lift the limits: a million events, 4 hours, 3.1 MHz inside, more disk space than is free")
    return made


def run(arguments: argparse.Namespace) -> int:
    """Render one score.  Errors: UsageError, ScoreError, ParameterError, RenderError, OSError."""
    output = arguments.output if arguments.output is not None else _default_output(arguments.score)
    encoding_of(output)
    parsed = read_score(arguments.score)
    try:
        engine = open_engine(parsed.score, rate=arguments.rate, oversample=arguments.oversample, seed=arguments.seed,
                             allow_large=arguments.allow_large, problems=parsed.problems)
    except ParameterError as error:
        if error.name not in GIVEN:
            raise
        raise UsageError(f"pysitar {NAME}: --{error}") from error
    with _bar(engine, wanted=not arguments.quiet and sys.stderr is not None and sys.stderr.isatty()) as progress:
        report = stream(engine, output, allow_large=arguments.allow_large, progress=progress)
    for warning in warnings_of(report):
        tell(one_line(f"pysitar: warning: {warning}"))
    if not arguments.quiet:
        tell(one_line(summary_of(report)))
    return DONE


def summary_of(report: dict[str, Any]) -> str:
    """The one line on a finished file."""
    parts = [f"{report['path']}: {report['seconds']:.2f} s", f"peak {_decibels(report['peak'])}"]
    if report["clipped"]:
        parts.append(f"{report['clipped']} samples clipped")
    parts += [f"energy residual {report['residual']:.1e}", f"{report['seconds_per_second']:.3g} x real time"]
    return ", ".join(parts)


def warnings_of(report: dict[str, Any]) -> list[str]:
    """What is not as it should be in a finished file."""
    told = []
    if report["tail_cut"]:
        told.append(f"the sound was cut {LONGEST_TAIL:g} s after the last event, still ringing; a tail in the score's render line, "
                    "tail=120s, would keep more")
    if report["clipped"]:
        over = 20.0 * math.log10(report["peak"])
        told.append(f"{report['clipped']} samples were clipped, the loudest {over:.2f} dB over full scale; a lower gain would keep them: "
                    f"mix NAME gain={-math.ceil(over + 0.01):g}dB")
    if report["failed_solves"]:
        told.append(f"{report['failed_solves']} contact forces were not found to full precision; a higher --oversample may help")
    return told


def _decibels(peak: float) -> str:
    return f"{20.0 * math.log10(peak):.1f} dBFS" if peak > 0.0 else "none (silence)"


def _default_output(score: str) -> str:
    if score == "-":
        raise UsageError(f"pysitar {NAME}: a score from standard input has no name for its sound file; -o FILE.wav would give one")
    return Path(score).stem + ENDING


@contextmanager
def _bar(engine: Engine, *, wanted: bool) -> Iterator[Progress | None]:
    """A progress bar in seconds of sound, which grows when the sound lasts longer than is known; None when it is not wanted."""
    if not wanted:
        yield None
        return
    from tqdm import tqdm  # here, so that what shows no bar does not wait for it

    rate = engine.options.rate
    shape = "{l_bar}{bar}| {n:.1f} of {total:.1f} s [{elapsed}<{remaining}, {rate_fmt}]"
    with tqdm(total=engine.least_frames / rate, unit="s", leave=False, dynamic_ncols=True, bar_format=shape, file=sys.stderr) as bar:
        def show(frames: int, expected: int) -> None:
            bar.total = expected / rate
            bar.update(frames / rate - bar.n)

        yield show
