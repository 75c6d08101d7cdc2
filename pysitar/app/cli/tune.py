"""`pysitar tune`: measure how far bridges and threads sharpen the strings, and compensate it."""
from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pysitar.app.analysis.instrument_description import open_pitch
from pysitar.app.cli.describe import ENDING, read_instrument_text
from pysitar.app.cli.inputs import check_output_file
from pysitar.app.cli.options import add_jobs, add_oversample, add_quiet, add_rate, worker_count
from pysitar.app.cli.parsing import Parser, parse_quantity, whole_number
from pysitar.app.messages import DONE, UsageError, one_line, report
from pysitar.app.progress import bar_enabled, count_bar
from pysitar.app.tune.notes import Note, NoteResult, Setup
from pysitar.app.tune.tuning import (
    IN_TUNE,
    StringTuning,
    notes_for_truncation,
    tune_notes,
    tune_strings,
)
from pysitar.app.tune.writing import edit_instrument
from pysitar.errors import ParameterError, ScoreError, counted, quoted, suggest_name
from pysitar.gestures.pluck import FORCE
from pysitar.models.definitions.loader import InstrumentError, instrument_data
from pysitar.models.definitions.spec import InstrumentSpec, StringSpec
from pysitar.models.definitions.strings import WIDEST
from pysitar.models.network.schemes.base import PITCH
from pysitar.models.network.schemes.catalogue import STRING_SCHEMES
from pysitar.output.files import write_atomically
from pysitar.physics.parameters import check_value

NAME = "tune"
OCTAVE = 12
DESCRIPTION = f"""\
Tune an instrument. A bridge or thread under a string raises its pitch, each note by a
different amount. Every such string is plucked, by rendering, open and at every semitone
up to an octave, and its tension is changed until the note is in tune. FILE is the same
instrument, comments included; only the cents, corrections and truncation of the strings
that were more than {IN_TUNE:g} cent off change. If the instrument has alternative bridges, the
values go into the table of the bridge that was tuned.

The pitch error of a note (cents) is the mean over its partials 1 to 4, weighted by
their amplitudes, from 0.25 s to 1.6 s after the pluck. sa is C#3."""
EPILOG = """\
examples:
  pysitar tune tanpura -o tuned.toml
  pysitar tune tuned.toml --string pa --dry-run
  pysitar tune sitar -o paper.toml --bridge paper --string baj

Standard output is a table: string, semitones above the open string, target pitch (Hz),
pitch error before and after (cents), and the detuning (cents) of the string alone, with
nothing under it.
exit codes: 0 done; 2 the instrument or the command line is wrong, or a note has no
pitch that can be measured."""


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument("instrument", metavar="INSTRUMENT",
                         help="the name of a preset, or a .toml file")
    options.add_argument(
        "-o", "--output", metavar="FILE",
        help="the tuned instrument, a .toml file; an existing file is replaced, but not INSTRUMENT")
    options.add_argument("--dry-run", action="store_true",
                         help="measure and print the table, but write no file")
    options.add_argument(
        "--bridge", metavar="NAME",
        help="tune the instrument with this bridge (default: the bridge that the file selects)")
    options.add_argument(
        "--string", metavar="NAME", action="append",
        help="tune only this string; can be repeated (default: all with a barrier or thread)")
    options.add_argument(
        "--semitones", type=whole_number, default=OCTAVE, metavar="N",
        help="tune each string at 0 to N semitones over its open pitch, as far as its range "
             "allows, as for a score that goes that high; 0: the open pitch only (default: "
             f"{OCTAVE})")
    options.add_argument(
        "--force", type=_force, metavar="F",
        help="pluck force: 0.5 (N), 0.5N or 500mN; soft plucks sound sharper (default: the force "
             "in each string's pluck table)")
    add_rate(options, own=True)
    add_oversample(options, own=True)
    add_jobs(options, of="processes")
    add_quiet(options)
    return options


def run(arguments: argparse.Namespace) -> int:
    """Tune one instrument; return the exit code.

    Errors: UsageError, ScoreError, TuneError, OSError.
    """
    _check_output(arguments)
    setup = _setup(arguments)
    jobs = worker_count(NAME, arguments.jobs)
    try:
        _check_bridge(setup)
        instrument = setup.instrument()
        strings = _strings_to_tune(instrument, arguments)
        notes = _notes(instrument, strings, arguments.semitones)
    except InstrumentError as error:
        raise ScoreError(error.problems) from None
    with count_bar(len(notes), "notes", shown=bar_enabled(arguments.quiet)) as on_done:
        found = tune_notes(setup, notes, jobs=jobs, on_done=on_done)
    crowded = notes_for_truncation(strings, found)
    with count_bar(len(crowded), "notes with other modes",
                   shown=bar_enabled(arguments.quiet)) as on_done:
        measured = tune_notes(setup, crowded, jobs=jobs, on_done=on_done)
    tuned = tune_strings(strings, found, measured, rate=setup.rate)
    print("\n".join(_table(found)))
    if arguments.output is not None and not arguments.dry_run:
        text = edit_instrument(setup.text, tuned, bridge=instrument.bridge)
        write_atomically(arguments.output, text)
    if not arguments.quiet:
        report(one_line(_summary_line(arguments, found, tuned)))
    return DONE


def _check_output(arguments: argparse.Namespace) -> None:
    """Raise a UsageError or an OSError unless the tuned instrument can be written."""
    output, source = arguments.output, arguments.instrument
    if arguments.dry_run:
        return
    if output is None:
        raise UsageError(
            f"pysitar {NAME}: no output file is named; expected -o FILE{ENDING}, or --dry-run, "
            "which only measures")
    check_output_file(NAME, output, ENDING, source=source, what="instrument")
    try:
        import tomlkit  # noqa: F401  checked before any computation
    except ImportError as error:
        raise UsageError(
            f"pysitar {NAME}: tomlkit, which keeps the comments of the instrument, cannot be "
            f"imported ({error}); pip install 'pysitar[tune]' adds it, and --dry-run works without "
            "it") from None


def _setup(arguments: argparse.Namespace) -> Setup:
    """Return the setup of all notes.  Errors: UsageError, ScoreError."""
    rate, oversample = arguments.rate, arguments.oversample
    ranges = (("rate", rate, 8000, 192000), ("oversample", oversample, 1, 16),
              ("semitones", arguments.semitones, 0, int(WIDEST)))
    for option, value, low, high in ranges:
        if not low <= value <= high:
            raise UsageError(f"pysitar {NAME}: --{option} is {value}; expected a whole number from "
                             f"{low} to {high}")
    text, name, shown = read_instrument_text(NAME, arguments.instrument)
    return Setup("", text, name, shown, arguments.bridge or "", float(rate * oversample),
                 arguments.force)


def _check_bridge(setup: Setup) -> None:
    """Raise a UsageError if the file has no bridge of the name of --bridge, and an InstrumentError
    if it is not valid with its own."""
    if not setup.bridge:
        return
    replace(setup, bridge="").instrument()
    bridges = instrument_data(setup.text).get("bridges", {})
    assert isinstance(bridges, dict)
    if setup.bridge not in bridges:
        advice = suggest_name(setup.bridge, bridges) if bridges else "expected no --bridge"
        raise UsageError(f"pysitar {NAME}: {quoted(setup.name)} has no bridge "
                         f"{quoted(setup.bridge)}; {advice}")


def _strings_to_tune(instrument: InstrumentSpec, arguments: argparse.Namespace) -> list[StringSpec]:
    """Return the strings to tune: those named, or all with a barrier or thread.

    Errors: UsageError.
    """
    if not instrument.strings:
        raise UsageError(
            f"pysitar {NAME}: {quoted(instrument.name)} has no strings; expected an instrument of "
            "strings")
    named = {string.name: string for string in instrument.strings}
    for name in arguments.string or ():
        if name not in named:
            raise UsageError(f"pysitar {NAME}: {quoted(instrument.name)} has no string "
                             f"{quoted(name)}; {suggest_name(name, named)}")
        if not _is_sharpened(named[name]):
            raise UsageError(f"pysitar {NAME}: {quoted(name)} has no barrier and no thread, so "
                             "nothing sharpens it; expected another string")
    chosen = [string for string in instrument.strings
              if _is_sharpened(string) and string.name in (arguments.string or named)]
    if not chosen:
        raise UsageError(f"pysitar {NAME}: no string of {quoted(instrument.name)} has a barrier or "
                         "a thread, so nothing sharpens them; expected an instrument with one")
    return chosen


def _is_sharpened(string: StringSpec) -> bool:
    return string.barrier is not None or string.thread is not None


def _notes(instrument: InstrumentSpec, strings: Sequence[StringSpec], semitones: int) -> list[Note]:
    """Return the notes to tune: 0 to `semitones` of each string, or one note where the scheme has
    one pitch per string.

    Errors: InstrumentError.
    """
    notes = []
    bends = PITCH in STRING_SCHEMES[instrument.scheme].capabilities
    for string in strings:
        hz, _ = open_pitch(string, instrument.source)
        highest = min(semitones, int(string.highest)) if bends else 0
        notes += [Note(string.name, hz, note, float(highest)) for note in range(highest + 1)]
    return notes


def _table(found: Sequence[NoteResult]) -> list[str]:
    width = max(len("string"), *(len(note.note.string) for note in found))
    lines = [f"{'string':{width}}  semitones        Hz  before   after    free"]
    lines += [
        f"{note.note.string:{width}}  {note.note.semitones:9d}  {note.hz:8.3f}  "
        f"{note.before:+6.2f}  {note.after:+6.2f}  {note.free:+6.2f}" for note in found]
    return lines


def _summary_line(arguments: argparse.Namespace, found: Sequence[NoteResult],
                  tuned: Mapping[str, StringTuning]) -> str:
    """Return the summary line."""
    changed = [name for name, values in tuned.items() if values.changed]
    before = max(abs(note.before) for note in found)
    after = max(
        abs(note.after if tuned[note.note.string].changed else note.before) for note in found)
    of = counted(len(tuned), "string")
    notes = f"of {counted(len(found), 'note')}, the farthest"
    if arguments.dry_run:
        return (f"measured only: {len(changed)} of {of} would change; {notes} is {before:.1f} "
                f"cents off, and would be {after:.1f}")
    return (f"{arguments.output}: {len(changed)} of {of} changed; {notes} was {before:.1f} cents "
            f"off, and is {after:.1f}")


def _force(text: str) -> float:
    """Return the force of an option (N).  Errors: argparse.ArgumentTypeError."""
    force = parse_quantity(text, "a force; expected N, such as 0.5, 0.5N or 500mN", N=1.0,
                           mN=1000.0)
    try:
        return check_value(FORCE, force)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
