"""`pysitar sample`: an instrument as sound files, for samplers."""
from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

from pysitar.app.analysis.instrument_description import open_pitch
from pysitar.app.batch.manifest import LINES, Tally
from pysitar.app.batch.render_item import finished_sidecar
from pysitar.app.batch.run import estimate
from pysitar.app.batch.run import run as run_batch
from pysitar.app.cli.batch import format_estimate, report_unfinished
from pysitar.app.cli.describe import ENDING, read_instrument_text
from pysitar.app.cli.inputs import check_name_in_score, check_output_folder
from pysitar.app.cli.options import (
    add_jobs,
    add_output_folder,
    add_oversample,
    add_quiet,
    add_rate,
    add_subtype,
    parse_time,
    worker_count,
)
from pysitar.app.cli.parsing import Parser, whole_number
from pysitar.app.messages import DONE, FAILED, UsageError, one_line, report
from pysitar.app.progress import bar_enabled, missing_items_bar, report_lines, warn
from pysitar.app.sampling.plan import (
    MOST_LAYERS,
    MOST_REPETITIONS,
    SampleOptions,
    SampleSet,
    make_samples,
    peak_of,
)
from pysitar.app.sampling.players import decent_sampler_text, level_gain, sfz_text
from pysitar.app.sampling.strokes import Stroke, named_strokes, parse_range, pitched_strokes
from pysitar.errors import ParameterError, ScoreError, counted, quoted
from pysitar.models.definitions.loader import InstrumentError, parse_instrument
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.output.file_transaction import FileTransaction
from pysitar.output.files import check_target, new_folders

NAME = "sample"
SOUNDS = "samples"              # the folder of the sounds
SFZ, DECENT_SAMPLER = ".sfz", ".dspreset"
RELEASE = 0.3                   # s, of strings: a hand that damps
LARGEST_STEP = 12
LONGEST = 60.0                  # s
DESCRIPTION = f"""\
Make an instrument for samplers: DIR/NAME{SFZ} and DIR/NAME{DECENT_SAMPLER} (Decent Sampler), and
their sounds, mono, in DIR/{SOUNDS}. Each note is played in layers of strength, the
hardest as the instrument's own, and each layer several times, with the variations of
`humanise` and of the place; a sampler takes these in turn. A sound lasts until it is
silent, at most --length, and fades out. Existing sounds that would come out the same
are kept, so after Ctrl-C the same command continues."""
EPILOG = """\
examples:
  pysitar sample guitar -o guitar --notes e2..e5 --layers 4 --round-robin 3 --dry-run
  pysitar sample guitar -o guitar --notes e2..e5 --layers 4 --round-robin 3
  pysitar sample marimba -o marimba --step 3          # each sound on three keys
  pysitar sample tabla_dayan -o tabla --at open:na,open:tin,closed

Strings and sets of bars play --notes; other objects have no range of pitches, and --at
names the strokes, which are on keys from C2 on.
exit codes: 0 all sounds exist, and both files are written; 1 some sounds failed; 2 the
instrument or the command line is wrong."""


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument("instrument", metavar="INSTRUMENT",
                         help="the name of a preset, or a .toml file")
    add_output_folder(options)
    options.add_argument("--notes", metavar="LOW..HIGH",
                         help="the range of notes, such as e2..e5 (default: all that it has)")
    options.add_argument(
        "--at", metavar="STROKE,STROKE",
        help="strokes in place of notes: objects or strings by name, and OBJECT:PLACE")
    options.add_argument("--step", type=whole_number, default=1, metavar="N",
                         help="render a note every N semitones, 1 to 12; a sampler shifts them to "
                              "the keys between (default: 1)")
    options.add_argument("--layers", type=whole_number, default=4, metavar="N",
                         help=f"number of layers of strength, 1 to {MOST_LAYERS} (default: 4)")
    options.add_argument(
        "--round-robin", type=whole_number, default=3, metavar="N",
        help=f"number of repetitions of each, 1 to {MOST_REPETITIONS} (default: 3)")
    options.add_argument("--length", type=parse_time, default=8.0, metavar="T",
                         help="the longest sound, 100ms to 60s (default: 8s)")
    options.add_argument(
        "--release", type=parse_time, metavar="T",
        help="fade of a string after its key is let go, 0 to 20s (default: 300ms; objects sound "
             "to their ends)")
    options.add_argument("--dry-run", action="store_true",
                         help="render nothing: only estimate the number of sounds, disk space and "
                              "time")
    add_subtype(options, default="FLOAT")
    add_rate(options, own=True)
    add_oversample(options, own=True)
    options.add_argument("--seed", type=whole_number, default=0, metavar="N",
                         help="seed of the variations (default: 0)")
    add_jobs(options, of="render processes")
    add_quiet(options)
    return options


def run(arguments: argparse.Namespace) -> int:
    """Make a sampled instrument; return the exit code.

    Errors: UsageError, ScoreError, ParameterError, OSError.
    """
    options = _options(arguments)
    jobs = worker_count(NAME, arguments.jobs)
    folder = arguments.output
    check_output_folder(NAME, folder)
    text, source, shown = read_instrument_text(NAME, arguments.instrument)
    try:
        instrument = parse_instrument(text, name=source, shown=shown)
        strokes = _strokes(arguments, instrument, shown)
    except InstrumentError as error:
        raise ScoreError(error.problems) from None
    release = arguments.release
    if release is None and instrument.strings:
        release = RELEASE
    name = _file_stem(arguments.instrument)
    try:
        samples = make_samples(name, _use_text(arguments.instrument), strokes, options)
    except ParameterError as error:
        raise UsageError(f"pysitar {NAME}: --{error}") from error
    warn(samples.warnings)
    sounds = os.path.join(folder, SOUNDS)
    if arguments.dry_run:
        found = estimate(samples.plan, sounds, options.batch)
        print(one_line(format_estimate(found, samples.plan, jobs)))
        return DONE
    with new_folders(folder):
        check_output_folder(NAME, sounds)
        for ending in (SFZ, DECENT_SAMPLER):
            check_target(Path(folder, name + ending))
        _remove_old_players(name, samples, folder)
        with missing_items_bar(samples.plan.count, shown=bar_enabled(arguments.quiet)) as progress:
            tally = run_batch(samples.plan, sounds, options.batch, jobs=jobs, others=False,
                              on_item=lambda item, error: progress.add(existing=error is None))
        if tally.failed or tally.missing:
            return _report_failures(tally, sounds)
        _write_players(name, samples, folder, options, release)
    if not arguments.quiet:
        report(one_line(
            f"{folder}: {name}{SFZ} and {name}{DECENT_SAMPLER}, with "
            f"{counted(len(samples.samples), 'sound')} of {counted(len(strokes), 'stroke')}, "
            f"{tally.finished - progress.existing} rendered now"))
    return DONE


def _options(arguments: argparse.Namespace) -> SampleOptions:
    """Return the checked options.  Errors: UsageError."""
    ranges = (
        ("layers", arguments.layers, 1, MOST_LAYERS, "a whole number from {} to {}"),
        ("round-robin", arguments.round_robin, 1, MOST_REPETITIONS, "a whole number from {} to {}"),
        ("step", arguments.step, 1, LARGEST_STEP, "a whole number from {} to {}"),
        ("length", arguments.length, 0.1, LONGEST, "a time from {:g} to {:g} s"),
        ("release", arguments.release or 0.0, 0.0, 20.0, "a time from {:g} to {:g} s"),
        ("seed", arguments.seed, 0, 10**9, "a whole number from {} to {}"))
    for option, value, low, high, expected in ranges:
        if not low <= value <= high:
            raise UsageError(f"pysitar {NAME}: --{option} is {value:g}; expected "
                             f"{expected.format(low, high)}")
    if arguments.at is not None and arguments.notes is not None:
        raise UsageError(f"pysitar {NAME}: --at and --notes do not go together: strokes by name "
                         "have their own pitches; expected one of the two")
    return SampleOptions(
        layers=arguments.layers, repetitions=arguments.round_robin, length=arguments.length,
        seed=arguments.seed, rate=arguments.rate, oversample=arguments.oversample,
        subtype=arguments.subtype)


def _strokes(arguments: argparse.Namespace, instrument: InstrumentSpec,
             shown: str) -> tuple[Stroke, ...]:
    """Return the strokes to sample.  Errors: UsageError, InstrumentError."""
    if instrument.model == "lumped":
        raise UsageError(f"pysitar {NAME}: {quoted(instrument.name)} has neither strings nor "
                         "objects; expected an instrument such as guitar or marimba")
    try:
        if arguments.at is not None:
            return named_strokes(instrument, [one.strip() for one in arguments.at.split(",")])
        notes = None if arguments.notes is None else parse_range(arguments.notes)
        hz = {string.name: open_pitch(string, shown)[0] for string in instrument.strings}
        return pitched_strokes(instrument, hz, notes, arguments.step)
    except ParameterError as error:
        raise UsageError(f"pysitar {NAME}: --{error}") from error


def _use_text(source: str) -> str:
    """Return an instrument as a `use` line names it.  Errors: UsageError."""
    if not (source.endswith(ENDING) or os.sep in source):
        return source
    path = os.path.realpath(source)
    check_name_in_score(NAME, path, quoted(source))
    return f'"{path}"'


def _file_stem(source: str) -> str:
    """Return the name of the sampled instrument's files, of letters, digits, - and _."""
    stem = os.path.basename(source).removesuffix(ENDING)
    return re.sub(r"[^A-Za-z0-9_-]", "_", stem) or "instrument"


def _report_failures(tally: Tally, sounds: str) -> int:
    """Report sounds that failed or are missing; return the exit code."""
    report_lines([f"pysitar: {name} failed: {error}" for name, error in tally.failed.items()],
                 "pysitar: ", f"more; {sounds}/manifest{LINES} lists all of them")
    report_unfinished(tally)
    report(f"pysitar: no {SFZ} and no {DECENT_SAMPLER} file was written: they need all sounds")
    return FAILED


def _remove_old_players(name: str, samples: SampleSet, folder: str) -> None:
    """Remove the files of the samplers where a sound that they may play will be replaced: a command
    that is interrupted would leave them with other strengths than they have layers for.

    Errors: OSError.
    """
    sounds = os.path.join(folder, SOUNDS)
    if any(os.path.exists(os.path.join(sounds, item.file))
           and finished_sidecar(sounds, item) is None for item in samples.plan.items()):
        for ending in (SFZ, DECENT_SAMPLER):
            Path(folder, name + ending).unlink(missing_ok=True)


def _write_players(name: str, samples: SampleSet, folder: str, options: SampleOptions,
                   release: float | None) -> None:
    """Write the files of the samplers, both or neither.  Errors: OSError."""
    sounds = os.path.join(folder, SOUNDS)
    peaks = [peak_of(finished_sidecar(sounds, item)) for item in samples.plan.items()]
    gain = level_gain(max(peaks))
    sfz = sfz_text(f"{name}, rendered by pysitar", samples.samples, peaks=peaks, folder=SOUNDS,
                   gain=gain, release=release, repetitions=options.repetitions)
    decent_sampler = decent_sampler_text(samples.samples, folder=SOUNDS, gain=gain,
                                         release=release, repetitions=options.repetitions)
    with FileTransaction() as transaction:
        for ending, text in ((SFZ, sfz), (DECENT_SAMPLER, decent_sampler)):
            place = transaction.place(os.path.join(folder, name + ending))
            place.write_text(text, encoding="utf-8")
