"""`pysitar play`: play a score while it is computed."""
from __future__ import annotations

import argparse
from collections.abc import Iterator

from pysitar.api.request import prepare_engine
from pysitar.app.cli.inputs import read_score
from pysitar.app.cli.options import Options, add_quiet, add_score, parse_time
from pysitar.app.cli.parsing import Parser
from pysitar.app.cli.request import add_computation, add_selection, make_request, option_errors
from pysitar.app.messages import DONE, UsageError, one_line, report
from pysitar.app.playback.device import open_output
from pysitar.app.playback.player import BLOCK, LEAD, MOST_LEAD, Played, play_blocks
from pysitar.app.progress import WARNING, bar_enabled, sound_bar, warn
from pysitar.errors import counted, printable
from pysitar.physics.checks import FloatArray
from pysitar.rendering.engine import Engine
from pysitar.rendering.mix import decibels

NAME = "play"
INSTEAD = "; pysitar render writes a file instead"
DESCRIPTION = """\
Play a score while it is computed, through the output device of this machine (extra: play).
The whole score is checked first; the sound begins at once and is written to no file. A line
at the end reports its length, its peak and the speed. Where the score is computed more slowly
than it sounds, the sound is interrupted, and this is reported."""
EPILOG = """\
examples:
  pysitar play first.score
  pysitar play first.score --from 2 --to 3.5s --only t.sa1
  pysitar play first.score --lead 10s
  pysitar play first.score --rate 44100 --oversample 1
  python -m sounddevice              (lists the devices)

Ctrl-C ends the sound. A time T of --from and --to is written as in a score: 4 (beats, by the
tempo outside sections), 1.5s, or 3:2 (bar 3, matra 2). A TARGET is t (all of instrument t),
t.pa (its string pa), t.* or *.pa; quote a * in a shell."""


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    add_score(options)
    add_device(options.add_argument_group("output"))
    add_selection(options.add_argument_group("part of the score"), peak=False,
                  start="begin at time T; the sound before T is computed first, but not played",
                  stop="end")
    add_computation(options.add_argument_group("computation"))
    return options


def add_device(group: Options) -> None:
    """Add --device, --lead and --quiet."""
    group.add_argument("--device", metavar="NAME",
                       help="the output device, a number or a part of a name (default: that of "
                            "the system)")
    group.add_argument("--lead", type=parse_time, default=LEAD, metavar="T",
                       help="compute T of sound before the first is played, such as 250ms or 10s, "
                            f"at most {MOST_LEAD:g} s (default: {LEAD:g} s)")
    add_quiet(group, "no progress bar and no summary line; warnings and errors are still shown")


def check_lead(command: str, lead: float) -> None:
    """Raise a UsageError unless --lead is a possible time (s)."""
    if not 0.0 <= lead <= MOST_LEAD:
        raise UsageError(f"pysitar {command}: --lead is {lead:g} s; expected 0 to {MOST_LEAD:g} s")


def run(arguments: argparse.Namespace) -> int:
    """Play one score; return the exit code.

    Errors: UsageError, ScoreError, ParameterError, RenderError.
    """
    check_lead(NAME, arguments.lead)
    with option_errors(NAME, arguments):
        parsed = read_score(arguments.score)
        engine = prepare_engine(parsed.score, make_request(NAME, arguments, parsed),
                                problems=parsed.problems)
        warn(engine.bound.warnings)
        warn_of_peak(engine)
        output = open_output(NAME, rate=engine.options.rate, channels=engine.options.channels,
                             device=arguments.device, instead=INSTEAD)
        played = play_blocks(_shown_blocks(engine, shown=bar_enabled(arguments.quiet)), output,
                             rate=engine.options.rate, lead=arguments.lead)
    report_played(arguments.score, engine, played, quiet=arguments.quiet)
    return DONE


def warn_of_peak(engine: Engine) -> None:
    """Report that a score's peak has no effect on a sound that is played while it is computed."""
    if engine.options.peak is not None:
        report(f"{WARNING}the peak of {engine.options.peak:g} dB has no effect here: the loudest "
               "sample is not known before the end")


def report_played(source: str, engine: Engine, played: Played, *, quiet: bool) -> None:
    """Report interruptions and clipped samples, and a summary line."""
    seconds = played.frames / engine.options.rate
    speed = engine.position / engine.options.rate / max(played.computing, 1e-9)
    if played.underruns:
        report(one_line(
            f"{WARNING}the sound was interrupted {counted(len(played.underruns), 'time')}, first "
            f"at {played.underruns[0]:.2f} s: it is computed at {speed:.2g} x real time; expected "
            f"--lead 10s, a lower --rate or --oversample, or a file by pysitar render"))
    if engine.clipped:
        report(one_line(f"{WARNING}{counted(engine.clipped, 'sample was', 'samples were')} "
                        f"clipped, the loudest {decibels(engine.peak):.2f} dB over full scale"))
    if quiet:
        return
    peak = f"{decibels(engine.peak):.1f} dBFS" if engine.peak > 0.0 else "none (silence)"
    delay = "" if played.delay is None else f", begun after {played.delay:.2f} s"
    report(one_line(f"{printable(source, '?')}: {seconds:.2f} s played, peak {peak}{delay}, "
                    f"{speed:.3g} x real time"))


def _shown_blocks(engine: Engine, *, shown: bool) -> Iterator[FloatArray]:
    """Yield the blocks of an engine, with a progress bar of what is computed."""
    with sound_bar(engine, shown=shown) as progress:
        for frames in engine.blocks(BLOCK):
            if progress is not None:
                progress(engine.position, max(engine.position, engine.least_position))
            yield frames
