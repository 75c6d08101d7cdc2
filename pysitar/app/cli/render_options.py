"""The options of `pysitar render`."""
from __future__ import annotations

import argparse
import re

from pysitar.app.cli.parsing import Parser, whole_number
from pysitar.errors import quoted

FORMATS = ("wav", "flac")
LARGE = "lift the limits: a million events, 4 hours, 3.1 MHz inside"
LEVEL = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?:dB)?")
DESCRIPTION = """\
Render a score into a sound file. Everything in the score is checked first; the
file appears when it is whole, or not at all. One line at the end tells its
length, its peak, how well the energy balance was kept, and how fast it went;
FILE.json beside it tells that, how the file was made, and every event in it."""
EPILOG = """\
examples:
  pysitar render first.score
  pysitar render first.score -o careful.wav --oversample 4
  pysitar render first.score -o loud.flac --peak=-1dB
  pysitar render first.score -o part.wav --from 1 --to 2.5s --only t.sa1
  pysitar render first.score -o mix.wav --stems stems --traces strings.npz
  cat first.score | pysitar render - -o - --quiet > piped.wav

A 'render' line in the score sets rate, oversample, seed, peak and more, such as
tail=3s; what is given here comes first. A time T is as in a score: 4 (beats, by
the tempo outside sections), 1.5s, or 3:2 (bar 3, matra 2). A TARGET is t (all of
instrument t), t.pa (its string pa), t.* or *.pa; quotes keep a * from the shell."""


def parser(name: str) -> Parser:
    """The options of the command of that name."""
    made = Parser(f"pysitar {name}", DESCRIPTION, EPILOG)
    made.add_argument("score", metavar="SCORE", help="a .score file, or - for standard input")
    _add_files(made.add_argument_group("what is written"))
    _add_part(made.add_argument_group("what is heard"))
    _add_computing(made.add_argument_group("how it is computed"))
    return made


def _add_files(group: argparse._ArgumentGroup) -> None:
    group.add_argument("-o", "--output", metavar="FILE",
                       help="the sound file, .wav or .flac, or - for standard output (default: the score's name with the format's ending, "
                            "in the current folder); an existing one is replaced")
    group.add_argument("--format", choices=FORMATS, help="wav or flac (default: that of FILE's ending, else wav)")
    group.add_argument("--subtype", default="PCM_24", metavar="NAME",
                       help="PCM_24, PCM_16, or FLOAT, in .wav only, which clips nothing (default: PCM_24)")
    group.add_argument("--stems", metavar="DIR", help="also write each instrument alone, as DIR/NAME.wav; their sum is the mix")
    group.add_argument("--traces", metavar="FILE.npz",
                       help="also write, for NumPy, each string's force on its end and in its contacts (N), its displacement where it is "
                            "plucked (m) and its energies (J), at the rate of the simulation; 25 bytes a step and string; "
                            "of a mass its position, velocity, force and energies; of all strings of the instruments that "
                            "play, without those that --only and --mute leave silent")
    group.add_argument("--no-sidecar", action="store_true", help="no FILE.json")
    group.add_argument("--quiet", action="store_true", help="no progress bar and no line at the end; warnings and errors are still told")


def _add_part(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--from", dest="start", metavar="T", help="begin the file at this time; the sound before is computed but not kept")
    group.add_argument("--to", dest="stop", metavar="T", help="end the file at this time, or where the sound ends")
    group.add_argument("--only", action="append", default=[], metavar="TARGET", help="play this and nothing else (may be given again)")
    group.add_argument("--mute", action="append", default=[], metavar="TARGET", help="do not play this (may be given again)")
    group.add_argument("--peak", type=level, metavar="LEVEL",
                       help="bring the greatest sample to this level, -100dB to 0dB, and tell the gain (default: the score's, else the "
                            "level stays as it is)")


def _add_computing(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--rate", type=whole_number, metavar="N", help="frames a second (default: the score's, else 48000)")
    group.add_argument("--oversample", type=whole_number, metavar="N",
                       help="steps of the simulation a frame (default: the score's, else 2); with rate x oversample under 88000 Hz "
                            "strings on bridges sound sharper and duller")
    group.add_argument("--seed", type=whole_number, metavar="N", help="of everything random (default: the score's, else 0)")
    group.add_argument("--jobs", type=whole_number, metavar="N",
                       help="threads that compute strings, masses and objects side by side (default: one for each CPU); any number gives "
                            "the same sound")
    group.add_argument("--allow-large", action="store_true", help=f"{LARGE}, more disk space than is free")


def level(text: str) -> float:
    """A level in dB, with its unit or without; its range is checked where it is used.  Errors: argparse.ArgumentTypeError."""
    match = LEVEL.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a level in dB, such as -1dB")
    return float(match[1])
