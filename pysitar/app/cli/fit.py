"""`pysitar fit`: an instrument file from the recording of a stroke."""
from __future__ import annotations

import argparse
from pathlib import Path

from pysitar.app.analysis.recording_warnings import warn_of_recording
from pysitar.app.analysis.recordings import MEAN, named_errors, read_recording
from pysitar.app.cli.fit_body import MODES as BODY_MODES
from pysitar.app.cli.fit_body import check_tap, write_body
from pysitar.app.cli.fit_checks import check_recordings, refuse_options
from pysitar.app.cli.fit_object import Strike, write_object
from pysitar.app.cli.fit_string import run_string
from pysitar.app.cli.inputs import check_matplotlib, check_output_file
from pysitar.app.cli.options import add_quiet
from pysitar.app.cli.parsing import QUANTITY, WHOLE, Parser, parse_quantity, whole_number
from pysitar.app.messages import UsageError
from pysitar.app.progress import bar_enabled, count_bar
from pysitar.errors import counted, quoted
from pysitar.fitting.body_file import HIGHEST as BODY_HIGHEST
from pysitar.fitting.mode_search import PASSES, part_durations
from pysitar.fitting.modes import HIGHEST, LONGEST, MOST_MODES, SETTLED, fit_modes
from pysitar.fitting.string_fit import LENGTH

NAME = "fit"
ENDING = ".toml"
MODES = 60
MOST_STRIKES = 32
MOST_PLACE = 1e6                # of a place in its own unit
DESCRIPTION = """\
Fit an object to the recording of one strike, or with --string a string to that of a
pluck. An object: frequency, T60, amplitude and phase of each
mode, with standard errors, by ESPRIT in bands and joint least squares. -o FILE is an
instrument with one object that plays in scores at once; its default strike has the
level of the recording. Where the blow needs an impulse response, that is written beside
it, as NAME_blow.wav; an existing one is replaced if an existing FILE plays it. Standard
output is a table of the modes; "band T60" is a check, from a line through the level of
the band about the mode.

Several recordings are strikes of one object at several places, equally strong; with
--positions the file has a place for each.

A string: f0, inharmonicity B, T60 over frequency as sigma0, sigma1 and sigma3, and the
place of the pluck. A body (--body): the modes of its response to a tap at the bridge.
A string's sound shows only the quotient of tension and density, and no
length: one of --tension and --density is needed, and --length."""
EPILOG = """\
examples:
  pysitar fit hit.wav -o thing.toml
  pysitar fit hit.wav -o thing.toml --picture fit.png --residual rest.wav --json
  pysitar fit a.wav b.wav -o bar.toml --positions 0.1,0.3
  pysitar fit tap.wav --body -o body.toml
  pysitar fit pluck.wav --string -o string.toml --length 65cm --tension 70N

A recording has one stroke, 0.1 to 60 s, of one channel, at 16000 Hz or more, not
clipped. The object of thing.toml is played like this:
  use "thing.toml" as t
  0 t.object strike
  1 t.object strike v=0.5m/s ball=soft
and the string of string.toml with 0 t.string pluck."""


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument("recordings", metavar="FILE", nargs="+", help="a sound file of one stroke")
    options.add_argument("-o", "--output", metavar="FILE", required=True,
                         help="the instrument, a .toml file; an existing one is replaced")
    options.add_argument("--positions", metavar="X,Y,...",
                         help="where each strike was, as fractions of the length or in any unit")
    options.add_argument("--modes", type=whole_number, metavar="N",
                         help=f"the greatest number of modes, 1 to {MOST_MODES} (default: {MODES}; "
                              f"of a body {BODY_MODES})")
    options.add_argument(
        "--settled", type=_seconds, metavar="T",
        help="time after the onset from which on the modes ring freely, 0 to 1s (default: the best "
             f"of {', '.join(f'{time * 1000:g}' for time in SETTLED)}ms)")
    options.add_argument("--channel", type=_channel, metavar="N",
                         help=f"the channel, counted from 1, or {MEAN}: the mean of all (default: "
                              "the only one)")
    options.add_argument("--no-response", action="store_true",
                         help="write the instrument alone, where an impulse response beside it "
                              "would bring it nearer to the recording")
    options.add_argument("--residual", metavar="FILE",
                         help="write what the modes do not explain, a .wav file (one recording); "
                              "of a body its impulse response, played beside the modes")
    options.add_argument("--picture", metavar="FILE",
                         help="draw the spectrograms of the recording, of the modes and of the "
                              "residual, a .png file (extra: figures; one recording)")
    options.add_argument("--string", action="store_true", help="fit a string to a pluck")
    options.add_argument("--body", action="store_true",
                         help="fit the body of an instrument, up to 10 kHz, to its response to a "
                              "tap at the bridge")
    options.add_argument("--length", type=_metres, metavar="L",
                         help=f"length of the string: 0.65 (m), 65cm or 650mm (default: {LENGTH}m)")
    options.add_argument("--tension", type=_newtons, metavar="F", help="its tension: 70 or 70N")
    options.add_argument("--density", type=_kilograms, metavar="D",
                         help="its mass per length: 4e-4 (kg/m), 4e-4kg or 0.4g (a metre)")
    options.add_argument("--pitch", type=_hertz, metavar="HZ",
                         help="its pitch within a semitone, where it is not found by itself")
    options.add_argument("--json", action="store_true", help="print JSON, in place of a table")
    add_quiet(options)
    return options


def run(arguments: argparse.Namespace) -> int:
    """Fit one instrument; return the exit code.

    Errors: UsageError, SoundFileError, ParameterError, OSError.
    """
    check_output_file(NAME, arguments.output, ENDING)
    if arguments.string and arguments.body:
        raise UsageError(f"pysitar {NAME}: --string and --body do not go together; expected one of "
                         "the two")
    check_recordings(NAME, arguments.recordings)
    if arguments.string:
        return run_string(NAME, arguments)
    if arguments.modes is None:
        arguments.modes = BODY_MODES if arguments.body else MODES
    positions = _check(arguments)
    if arguments.body:
        _check_body(arguments)
        [one] = fit_strikes(arguments)
        return write_body(NAME, arguments, one.file, one.sound, one.rate, one.modes)
    strikes = fit_strikes(arguments)
    return write_object(NAME, arguments, strikes, positions)


def fit_strikes(arguments: argparse.Namespace) -> list[Strike]:
    """Return the recordings with their modes.  Errors: SoundFileError, UsageError."""
    sounds = [read_recording(file, arguments.channel) for file in arguments.recordings]
    body: bool = arguments.body
    if body:
        for file, (sound, rate) in zip(arguments.recordings, sounds, strict=True):
            check_tap(NAME, file, sound, rate)
    tries = len(SETTLED) if arguments.settled is None and not body else 1
    parts = [tries * PASSES * len(part_durations(min(sound.size / rate, LONGEST), dense=body))
             for sound, rate in sounds]
    strikes = []
    with count_bar(sum(parts), "parts", shown=bar_enabled(arguments.quiet)) as show:
        for file, (sound, rate) in zip(arguments.recordings, sounds, strict=True):
            def step(name: str = file) -> None:
                if show is not None:
                    show(name)

            with named_errors(NAME, file):
                modes = fit_modes(sound, rate, count=arguments.modes, settled=arguments.settled,
                                  step=step, highest=BODY_HIGHEST if body else HIGHEST, dense=body)
            if not modes.count:
                raise UsageError(f"pysitar {NAME}: {quoted(file)} has no mode over its noise; "
                                 "expected the stroke of an object that rings")
            strikes.append(Strike(file, sound, rate, modes))
    for strike in strikes:
        warn_of_recording(strike.file, strike.sound, strike.rate)
    return strikes


def _check(arguments: argparse.Namespace) -> list[str]:
    """Return the positions, "" where none are named.  Errors: UsageError, OSError."""
    recordings = arguments.recordings
    for option in ("length", "tension", "density", "pitch"):
        if getattr(arguments, option) is not None:
            raise UsageError(f"pysitar {NAME}: --{option} is of a string; expected --string")
    if len(recordings) > MOST_STRIKES:
        raise UsageError(f"pysitar {NAME}: there are {len(recordings)} recordings; expected at "
                         f"most {MOST_STRIKES}")
    for option, value, low, high in (("modes", arguments.modes, 1, MOST_MODES),
                                     ("settled", arguments.settled, 0, 1)):
        if value is not None and not low <= value <= high:
            raise UsageError(f"pysitar {NAME}: --{option} is {value:g}; expected {low} to {high}")
    for option, ending in (("residual", ".wav"), ("picture", ".png")):
        file = getattr(arguments, option)
        if file is None:
            continue
        if len(recordings) > 1:
            raise UsageError(f"pysitar {NAME}: --{option} is of one recording, and there are "
                             f"{len(recordings)}; expected one, or no --{option}")
        check_output_file(NAME, file, ending, source=recordings[0], what="recording")
    if arguments.picture is not None:
        check_matplotlib(NAME, instead="; without --picture it is not needed")
    if arguments.positions is None:
        return [""] * len(recordings)
    positions = [word.strip() for word in arguments.positions.split(",")]
    if len(positions) != len(recordings):
        raise UsageError(
            f"pysitar {NAME}: --positions has {counted(len(positions), 'value')} for "
            f"{counted(len(recordings), 'recording')}; expected one for each, such as 0.1,0.3")
    for index, position in enumerate(positions):
        number = QUANTITY.fullmatch(position)
        most = MOST_PLACE if number is not None and number[2] else 1.0
        if number is None or not 0.0 <= float(number[1]) <= most:
            raise UsageError(
                f"pysitar {NAME}: --positions has {quoted(position)}; expected a fraction of the "
                "length, 0 to 1, or a length with its unit, such as 12cm")
        if position in positions[:index]:
            raise UsageError(f"pysitar {NAME}: --positions has {quoted(position)} twice; expected "
                             "another place for each recording")
    return [f"position {position}" for position in positions]


def _check_body(arguments: argparse.Namespace) -> None:
    """Raise a UsageError for what a body does not have."""
    if len(arguments.recordings) > 1:
        raise UsageError(f"pysitar {NAME}: --body is of one recording, and there are "
                         f"{len(arguments.recordings)}; expected one")
    if arguments.residual is not None and (
            Path(arguments.residual).parent != Path(arguments.output).parent):
        raise UsageError(
            f"pysitar {NAME}: --residual is in another folder than -o, whose body plays it beside "
            "its modes; expected the same folder")
    refuse_options(NAME, arguments, ("positions", "no_response", "picture"), "of an object",
                   "with --body")


def _seconds(text: str) -> float:
    """Return the time (s) of an option.  Errors: argparse.ArgumentTypeError."""
    return parse_quantity(text, "a time; expected seconds, such as 0.002, 2ms or 0.01s", s=1.0,
                          ms=1000.0)


def _metres(text: str) -> float:
    """Return the length (m) of an option.  Errors: argparse.ArgumentTypeError."""
    return parse_quantity(text, "a length; expected m, such as 0.65, 65cm or 650mm", m=1.0,
                          cm=100.0, mm=1000.0)


def _newtons(text: str) -> float:
    """Return the force (N) of an option.  Errors: argparse.ArgumentTypeError."""
    return parse_quantity(text, "a tension; expected N, such as 70 or 70N", N=1.0)


def _kilograms(text: str) -> float:
    """Return the mass per metre (kg/m) of an option.  Errors: argparse.ArgumentTypeError."""
    return parse_quantity(text, "a mass per metre; expected kg, such as 4e-4, 4e-4kg or 0.4g",
                          kg=1.0, g=1000.0)


def _hertz(text: str) -> float:
    """Return the frequency (Hz) of an option.  Errors: argparse.ArgumentTypeError."""
    return parse_quantity(text, "a frequency; expected Hz, such as 330 or 330Hz", Hz=1.0)


def _channel(text: str) -> str | int:
    """Return the channel of an option.  Errors: argparse.ArgumentTypeError."""
    if text == MEAN:
        return MEAN
    if not WHOLE.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is no channel; expected a number from 1, or {MEAN}")
    return int(text)

