"""The options of `pysitar render`."""
from __future__ import annotations

from pysitar.app.cli.options import (
    Options,
    add_jobs,
    add_oversample,
    add_peak,
    add_quiet,
    add_rate,
    add_seed,
)
from pysitar.app.cli.parsing import Parser

FORMATS = ("wav", "flac")
LARGE = "lift the limits: a million events, 4 hours, an internal rate of 3.1 MHz"
DESCRIPTION = """\
Render a score to a sound file. The whole score is checked first. The file is written
completely or not at all. A line at the end reports its length, its peak, the residual
of the energy balance and the speed; FILE.json beside it holds the same, the options,
and every event."""
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


def parser(name: str) -> Parser:
    """Return the parser of the command of this name."""
    options = Parser(f"pysitar {name}", DESCRIPTION, EPILOG)
    options.add_argument("score", metavar="SCORE", help="a .score file, or - for standard input")
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
    group.add_argument("--format", choices=FORMATS,
                       help="wav or flac (default: from the ending of FILE, else wav)")
    group.add_argument(
        "--subtype", default="PCM_24", metavar="NAME",
        help="sample format: PCM_24, PCM_16, or FLOAT (.wav only; never clips) (default: PCM_24)")
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
    add_peak(group, more=", and report the gain (default: the score's, else no scaling)")


def _add_computation(group: Options) -> None:
    add_rate(group)
    add_oversample(
        group, more=
        "; if N x the sample rate is below 88000 Hz, strings on bridges sound sharper and duller")
    add_seed(group)
    add_jobs(group, of="threads, which compute strings, masses and objects",
             more="; the sound does not depend on N")
    group.add_argument("--allow-large", action="store_true",
                       help=f"{LARGE}, and the free disk space")
