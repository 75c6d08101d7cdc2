"""`pysitar look`: draw a sound file."""
from __future__ import annotations

import argparse
import os
from pathlib import Path

from pysitar.app.analysis.picture import caption, draw_sound
from pysitar.app.analysis.spectrogram import View, measure_view
from pysitar.app.cli.inputs import check_matplotlib, check_output_file
from pysitar.app.cli.parsing import Parser, parse_quantity, whole_number
from pysitar.app.messages import DONE, UsageError, one_line, report
from pysitar.errors import ParameterError, quoted
from pysitar.output.files import write_atomically

NAME = "look"
DESCRIPTION = """\
Draw a sound file: the waveform of each channel, and below it the spectrogram, where
aliasing, clicks and hum are visible. Every pixel shows the largest value of its time
and frequency range, so that a click of one sample in an hour of sound remains
visible. Levels are in dB relative to full scale."""
EPILOG = """\
examples:
  pysitar look first.wav
  pysitar look first.wav -o attack.png --from 0.5 --to 0.8 --max-frequency 8000
  pysitar look first.wav -o left.png --log --channel 1

Reads all formats of libsndfile: WAV, FLAC, OGG, MP3, AIFF and more."""
ENDING = ".png"
OPTION_NAMES = ("from", "to", "channel", "max-frequency", "range")


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument("sound", metavar="FILE", help="a sound file")
    options.add_argument(
        "-o", "--output", metavar="FILE",
        help="the picture, a .png file; an existing one is replaced (default: the sound's name "
             "with .png, in the current folder)")
    options.add_argument("--from", type=_seconds, default=0.0, metavar="T", dest="start",
                         help="start of the part shown: 1.5 (s), 1.5s or 300ms (default: 0)")
    options.add_argument(
        "--to", type=_seconds, metavar="T", dest="stop",
        help="end of the part shown, s (default and maximum: the end of the sound)")
    options.add_argument(
        "--channel", type=whole_number, metavar="N",
        help="show one channel, counted from 1 (default: the waveform of each, and the spectrogram "
             "of their mean)")
    options.add_argument(
        "--max-frequency", type=_number, metavar="HZ", dest="highest",
        help="highest frequency of the spectrogram, Hz (default: half the sample rate)")
    options.add_argument("--log", action="store_true", help="use a logarithmic frequency axis")
    options.add_argument(
        "--range", type=_number, default=120.0, metavar="DB", dest="dynamic_range",
        help="dynamic range of the colours, dB, 10 to 200 (default: 120, which shows faint "
             "aliasing)")
    return options


def run(arguments: argparse.Namespace) -> int:
    """Draw one sound; return the exit code.  Errors: UsageError, SoundFileError, OSError."""
    if os.path.isdir(arguments.sound):          # "." has no name for the picture
        raise UsageError(
            f"pysitar {NAME}: {quoted(arguments.sound)} is a folder; expected a sound file")
    output = arguments.output
    if output is None:
        output = Path(arguments.sound).stem + ENDING
    check_output_file(NAME, output, ENDING, any_case=True, source=arguments.sound, what="sound")
    check_matplotlib(NAME)
    view = View(start=arguments.start, stop=arguments.stop, channel=arguments.channel,
                highest=arguments.highest, logarithmic=arguments.log,
                dynamic_range=arguments.dynamic_range)
    try:
        sound = measure_view(arguments.sound, view)
    except ParameterError as error:
        if error.name not in OPTION_NAMES:
            raise
        raise UsageError(f"pysitar {NAME}: --{error}") from error
    write_atomically(output, draw_sound(sound))
    report(one_line(f"{output}: {caption(sound)}"))
    return DONE


def _number(text: str) -> float:
    """Return the number of an option.  Errors: argparse.ArgumentTypeError."""
    return parse_quantity(text, "a number; expected one such as 1.5")


def _seconds(text: str) -> float:
    """Return the time (s) of an option.  Errors: argparse.ArgumentTypeError."""
    return parse_quantity(text, "a time; expected seconds, such as 1.5, 1.5s or 300ms", s=1.0,
                          ms=1000.0)
