"""`pysitar partials`: an instrument file from a list of partials, and the list of an object."""
from __future__ import annotations

import argparse
from pathlib import Path

from pysitar.app.analysis.sound_files import open_sound, read_frames, read_header
from pysitar.app.cli.describe import read_instrument_text
from pysitar.app.cli.inputs import check_output_file
from pysitar.app.cli.options import add_quiet
from pysitar.app.cli.parsing import Parser
from pysitar.app.messages import DONE, UsageError, one_line, report
from pysitar.errors import (
    ParameterError,
    Place,
    ScoreError,
    counted,
    printable,
    quoted,
    suggest_name,
)
from pysitar.fitting.object_file import object_text
from pysitar.fitting.partial_list import (
    object_partials,
    part_named,
    partials_modes,
    read_partials,
    write_partials,
)
from pysitar.models.definitions.loader import InstrumentError, parse_instrument
from pysitar.models.definitions.objects import ObjectSpec
from pysitar.output.files import write_atomically
from pysitar.physics.checks import FloatArray
from pysitar.rendering.binding.responses import LONGEST
from pysitar.score.source_files import read_text

NAME = "partials"
LIST, INSTRUMENT = ".csv", ".toml"
DESCRIPTION = """\
Make an instrument with one object from a list of its partials, or write the list of an
object. A line of the list is frequency (Hz), T60 (s) and amplitude (full scale 1) at the
onset of the default strike; a first line may name the columns, # begins a comment. An
amplitude below 0 begins with the opposite sign."""
EPILOG = """\
examples:
  printf 'frequency,t60,amplitude\\n440,3,0.1\\n1212,1.2,0.05\\n' > bell.csv
  pysitar partials bell.csv -o bell.toml
  pysitar partials bell.toml -o again.csv
  pysitar partials glass -o glass.csv"""


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument("source", metavar="FILE",
                         help="a list, a .csv file; or an instrument, a .toml file or the name of "
                              "a preset")
    options.add_argument("-o", "--output", metavar="FILE", required=True,
                         help="the instrument (.toml) of a list, or the list (.csv) of an "
                              "instrument; an existing file is replaced")
    options.add_argument("--object", metavar="NAME",
                         help="the object of an instrument with several (default: the only one)")
    add_quiet(options, "no summary line")
    return options


def run(arguments: argparse.Namespace) -> int:
    """Convert one file; return the exit code.  Errors: UsageError, ScoreError, OSError."""
    source, output = arguments.source, arguments.output
    if source.lower().endswith(LIST):
        check_output_file(NAME, output, INSTRUMENT)
        if arguments.object is not None:
            raise UsageError(f"pysitar {NAME}: --object is of an instrument; expected no --object "
                             "with a list")
        shown = printable(source, "?")
        partials = read_partials(read_text(Path(source), shown, LIST, Place(shown)), shown)
        count = counted(partials.frequencies.size, "partial")
        try:
            text = object_text(partials_modes(partials), comment=f"{count} of {shown}.")
        except ParameterError as error:
            raise UsageError(f"pysitar {NAME}: {quoted(source)} has no playable object: "
                             f"{error}") from None
    else:
        check_output_file(NAME, output, LIST, source=source, what="instrument")
        partials = object_partials(*_object(arguments))
        count = counted(partials.frequencies.size, "partial")
        text = write_partials(partials)
    write_atomically(output, text)
    if not arguments.quiet:
        report(one_line(f"{output}: {count}"))
    return DONE


def _object(arguments: argparse.Namespace) -> tuple[
        ObjectSpec, float, tuple[FloatArray, float] | None]:
    """Return the object of an instrument, its gain, and the values and the rate of the impulse
    response that follows it.  Errors: UsageError, ScoreError, SoundFileError."""
    text, name, shown = read_instrument_text(NAME, arguments.source)
    try:
        spec = parse_instrument(text, name=name, shown=shown)
    except InstrumentError as error:
        raise ScoreError(error.problems) from None
    parts = [part for part in spec.parts if isinstance(part, ObjectSpec)]
    if not parts:
        raise UsageError(f"pysitar {NAME}: {quoted(arguments.source)} has no objects with modes; "
                         "expected an instrument of objects")
    part = part_named(parts, arguments.object)
    if part is None:
        names = [known.name for known in parts]
        what = (f"has {len(parts)} objects; expected --object NAME, " if arguments.object is None
                else f"has no object {quoted(arguments.object)}; ")
        raise UsageError(f"pysitar {NAME}: {quoted(arguments.source)} {what}"
                         f"{suggest_name(arguments.object or '', names)}")
    if spec.response is None:
        return part, spec.gain, None
    file = Path(arguments.source).parent / spec.response.impulse_response
    with open_sound(file) as sound:
        header = read_header(sound, file)
        values = read_frames(sound, min(header.frames, round(LONGEST * header.rate)), 0, file)
    return part, spec.gain, (values[:, 0], float(header.rate))
