"""`pysitar midi`: convert a MIDI file to a score."""
from __future__ import annotations

import argparse
import os
import re

from pysitar.app.analysis.instrument_description import open_pitch
from pysitar.app.cli.describe import ENDING as INSTRUMENT_ENDING
from pysitar.app.cli.describe import read_instrument_text
from pysitar.app.cli.expand import ENDING
from pysitar.app.cli.options import add_quiet
from pysitar.app.cli.parsing import Parser
from pysitar.app.messages import DONE, UsageError
from pysitar.app.midi.mapping import Target
from pysitar.app.midi.reading import DRUMS, LARGEST_FILE, MidiError
from pysitar.app.midi.writing import convert_midi
from pysitar.app.progress import report_lines
from pysitar.app.terminal import write_data
from pysitar.errors import ScoreError, printable, quoted
from pysitar.models.definitions.loader import InstrumentError, parse_instrument
from pysitar.output.files import check_target, write_atomically

NAME = "midi"
SUMMARY = "convert a MIDI file to a score"
DESCRIPTION = """\
Convert a MIDI file to a score, to listen to and to edit. Each channel becomes an
instrument. A note becomes a pluck on a free melody string with the note in its range,
a strike on a course of strings with hammers, or a strike on an object. Velocity sets
the force, pitch bend becomes a bend, and the end of a note, or of the sustain pedal, a
damp; tempo and tuning are kept. Channel 10 (percussion) is left out unless --channel
maps it. What a score cannot express, and what had to be repaired in the file, is listed
in the score and reported."""
EPILOG = r"""
examples:
  printf 'MThd\0\0\0\6\0\0\0\1\0\140MTrk\0\0\0\13\0\220\74\144\140\74\0\0\377\57\0' > tune.mid
  pysitar midi tune.mid --instrument guitar -o tune.score
  pysitar midi tune.mid --channel 1=sitar -o - | pysitar check -"""


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument("file", metavar="FILE", help="a standard MIDI file")
    options.add_argument("--instrument", metavar="NAME",
                         help="the instrument of every channel but 10: a preset, or a .toml file")
    options.add_argument("--channel", metavar="N=NAME", action="append", default=[],
                         help="the instrument of channel N, 1 to 16; can be repeated")
    options.add_argument(
        "-o", "--output", metavar="FILE",
        help="the score, or - for standard output; an existing file is replaced (default: the name "
             "of the MIDI file with .score, in the current folder)")
    add_quiet(options, "do not report what was left out or repaired; the score lists it")
    return options


def run(arguments: argparse.Namespace) -> int:
    """Convert the file; return the exit code.

    Errors: UsageError, ScoreError, MidiError, OSError.
    """
    source, output = arguments.file, arguments.output
    if output is None:
        output = os.path.splitext(os.path.basename(source))[0] + ENDING
    if output != "-":
        if os.path.splitext(output)[1] != ENDING:
            raise UsageError(
                f"pysitar {NAME}: {quoted(output)} does not end in {ENDING}; expected -o "
                f"tune{ENDING}")
        check_target(output)
    targets = _targets(arguments,
                       "" if output == "-" else os.path.dirname(os.path.realpath(output)))
    shown = printable(source, "?")
    made = convert_midi(_bytes(source, shown), shown, targets)
    if output == "-":
        write_data(made.text)
    else:
        write_atomically(output, made.text)
    if not arguments.quiet:
        for what, lines in (("repaired", made.repairs), ("not in the score", made.omitted)):
            report_lines([f"{shown}: {what}: {line}" for line in lines], f"{shown}: ",
                         "kinds more; the score lists all")
    return DONE


def _bytes(source: str, shown: str) -> bytes:
    """Return the bytes of the file.  Errors: MidiError, OSError."""
    if "\0" in source or not os.path.isfile(source):
        raise MidiError(
            f"{shown}: cannot be read as MIDI: no such file; expected a standard MIDI file")
    with open(source, "rb") as file:
        return file.read(LARGEST_FILE + 1)


def _targets(arguments: argparse.Namespace, folder: str) -> dict[int, Target]:
    """Return the instrument of each channel.  Errors: UsageError, ScoreError."""
    named: dict[int, str] = {}
    for given in arguments.channel:
        number, _, name = given.partition("=")
        if not re.fullmatch(r"[0-9]{1,2}", number) or not 1 <= int(number) <= 16 or not name:
            raise UsageError(
                f"pysitar {NAME}: --channel {quoted(given)} is not N=NAME; expected a channel, 1 "
                "to 16, and an instrument, such as --channel 2=tanpura")
        if int(number) in named:
            raise UsageError(
                f"pysitar {NAME}: --channel {int(number)} is given twice; expected once")
        named[int(number)] = name
    if arguments.instrument is not None:
        named |= {
            number: arguments.instrument
            for number in range(1, 17) if number not in named and number != DRUMS}
    if not named:
        raise UsageError(
            f"pysitar {NAME}: no instrument is named; expected --instrument NAME or --channel "
            "N=NAME")
    made: dict[str, Target] = {}
    targets = {}
    for number, name in sorted(named.items()):
        if name not in made:
            made[name] = _target(name, folder)
        one = made[name]
        targets[number] = Target(f"{one.alias}{number}", one.use_text, one.instrument, one.open_hz)
    return targets


def _target(name: str, folder: str) -> Target:
    text, source, shown = read_instrument_text(NAME, name)
    try:
        instrument = parse_instrument(text, name=source, shown=shown)
        if instrument.model == "lumped" or (instrument.strings
                                            and instrument.scheme != "two-point"):
            raise UsageError(
                f"pysitar {NAME}: {quoted(name)} has no strings by the two-point scheme and no "
                "objects; expected an instrument that plays notes, such as guitar")
        hz = {string.name: open_pitch(string, shown)[0] for string in instrument.strings}
    except InstrumentError as error:
        raise ScoreError(error.problems) from None
    if shown != source or not (name.endswith(INSTRUMENT_ENDING) or os.sep in name):
        return Target(name if not name[-1].isdigit() else f"{name}_", name, instrument, hz)
    path = os.path.relpath(os.path.realpath(name), os.path.realpath(folder))
    if '"' in path or not path.isprintable():
        raise UsageError(
            f"pysitar {NAME}: {shown} cannot be named in a score; expected letters, digits, blanks "
            "and signs other than \"")
    stem = os.path.basename(name).removesuffix(INSTRUMENT_ENDING)
    return Target(stem if re.fullmatch(r"[A-Za-z][A-Za-z_]{0,40}", stem) else "channel",
                  f'"{path}"', instrument, hz)
