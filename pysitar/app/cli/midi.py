"""`pysitar midi`: convert a MIDI file to a score."""
from __future__ import annotations

import argparse
import os
import re
from dataclasses import replace

from pysitar.app.analysis.instrument_description import open_pitch
from pysitar.app.cli.describe import ENDING as INSTRUMENT_ENDING
from pysitar.app.cli.describe import read_instrument_text
from pysitar.app.cli.expand import ENDING
from pysitar.app.cli.inputs import check_name_in_score, check_output_file
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
from pysitar.models.network.schemes.base import PITCH
from pysitar.models.network.schemes.catalogue import STRING_SCHEMES, names_with
from pysitar.output.files import write_atomically

NAME = "midi"
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
        "--mpe", action="store_true",
        help="read all channels as one MPE zone, each note with its own bend of up to 48 semitones "
             "(a file that configures its zones needs no --mpe)")
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
    folder = ""
    if output != "-":
        check_output_file(NAME, output, ENDING)
        folder = os.path.dirname(os.path.realpath(output))
    targets = _targets(arguments, folder)
    shown = printable(source, "?")
    score = convert_midi(_read_file(source, shown), shown, targets, mpe=arguments.mpe)
    if output == "-":
        write_data(score.text)
    else:
        write_atomically(output, score.text)
    if not arguments.quiet:
        for what, lines in (("repaired", score.repairs), ("not in the score", score.omitted)):
            report_lines([f"{shown}: {what}: {line}" for line in lines], f"{shown}: {what}: ",
                         "more; the score lists all")
    return DONE


def _read_file(source: str, shown: str) -> bytes:
    """Return the bytes of the file.  Errors: MidiError, OSError."""
    if "\0" in source or not os.path.isfile(source):
        raise MidiError(
            f"{shown}: cannot be read as MIDI: no such file; expected a standard MIDI file")
    with open(source, "rb") as file:
        return file.read(LARGEST_FILE + 1)


def _targets(arguments: argparse.Namespace, folder: str) -> dict[int, Target]:
    """Return the instrument of each channel.  Errors: UsageError, ScoreError."""
    named: dict[int, str] = {}
    for text in arguments.channel:
        number, _, name = text.partition("=")
        if not re.fullmatch(r"[0-9]{1,2}", number) or not 1 <= int(number) <= 16 or not name:
            raise UsageError(
                f"pysitar {NAME}: --channel {quoted(text)} is not N=NAME; expected a channel, 1 "
                "to 16, and an instrument, such as --channel 2=tanpura")
        if int(number) in named:
            raise UsageError(f"pysitar {NAME}: channel {int(number)} is mapped twice; expected "
                             f"one --channel {int(number)}=NAME")
        named[int(number)] = name
    if arguments.instrument is not None:
        named |= {
            number: arguments.instrument
            for number in range(1, 17) if number not in named and number != DRUMS}
    if not named:
        raise UsageError(
            f"pysitar {NAME}: no instrument is named; expected --instrument NAME or --channel "
            "N=NAME")
    channels = sorted(named.items())
    names = dict.fromkeys(name for _, name in channels)
    by_name = {name: _target(name, folder) for name in names}
    return {number: replace(by_name[name], alias=f"{by_name[name].alias}{number}")
            for number, name in channels}


def _target(name: str, folder: str) -> Target:
    """Return an instrument as the score names it, its alias without a channel number."""
    text, source, shown = read_instrument_text(NAME, name)
    try:
        instrument = parse_instrument(text, name=source, shown=shown)
        fixed_pitch = bool(instrument.strings) and (
            PITCH not in STRING_SCHEMES[instrument.scheme].capabilities)
        if instrument.model == "lumped" or fixed_pitch:
            raise UsageError(
                f"pysitar {NAME}: {quoted(name)} has neither objects nor strings of the "
                f"{' or '.join(names_with('string', PITCH))} scheme; expected an instrument that "
                "plays notes, such as guitar")
        hz = {string.name: open_pitch(string, shown)[0] for string in instrument.strings}
    except InstrumentError as error:
        raise ScoreError(error.problems) from None
    if shown != source or not (name.endswith(INSTRUMENT_ENDING) or os.sep in name):
        return Target(f"{name}_" if name[-1].isdigit() else name, name, instrument, hz)
    path = os.path.relpath(os.path.realpath(name), os.path.realpath(folder))
    check_name_in_score(NAME, path, shown)
    stem = os.path.basename(name).removesuffix(INSTRUMENT_ENDING)
    alias = stem if re.fullmatch(r"[A-Za-z][A-Za-z_]{0,40}", stem) else "channel"
    return Target(alias, f'"{path}"', instrument, hz)
