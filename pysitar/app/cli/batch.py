"""`pysitar batch`: render every combination of the sweeps and draws of scores, with a manifest."""
from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from pysitar.api.request import Request
from pysitar.app.batch.dask_pool import Cluster
from pysitar.app.batch.items import MOST_ITEMS, BatchOptions, Plan, make_plan
from pysitar.app.batch.layout import LAYOUTS, WEBDATASET
from pysitar.app.batch.manifest import LINES, TABLE, Tally, manifest_stem, write_manifest
from pysitar.app.batch.parquet import PARQUET, check_pyarrow, write_parquet
from pysitar.app.batch.render_item import any_item_known
from pysitar.app.batch.run import Amount, Estimate, estimate
from pysitar.app.batch.run import run as run_batch
from pysitar.app.batch.split import WHOLE, parse_split
from pysitar.app.cli.inputs import check_output_folder, check_score_names, read_score
from pysitar.app.cli.options import (
    FORMATS,
    add_allow_large,
    add_fade,
    add_format,
    add_jobs,
    add_output_folder,
    add_oversample,
    add_peak,
    add_quiet,
    add_rate,
    add_score,
    add_seed,
    add_subtype,
    worker_count,
)
from pysitar.app.cli.parsing import Parser
from pysitar.app.messages import DONE, FAILED, UsageError, list_first, one_line, report
from pysitar.app.progress import bar_enabled, missing_items_bar, report_lines, warn
from pysitar.errors import MAX_PROBLEMS, ParameterError, counted, quoted

NAME = "batch"
DESCRIPTION = f"""\
Render scores once for every combination of the values of their sweeps and for each of
their draws, into DIR: SCORE-00001.wav, SCORE-00002.wav and so on, each with its
sidecar, and a manifest of all of them, manifest{LINES} and manifest{TABLE}. Existing
sounds that would come out the same are skipped, so after Ctrl-C, a crash or a change
to the score, the same command renders only what is missing. If the process of a sound
dies, that sound is tried once more; a sound that fails is reported, and the others
are still rendered."""
EPILOG = """\
examples:
  printf 'sweep t.pa.pluck.force = (0.3N 0.6N)\\n' | cat first.score - > forces.score
  pysitar batch forces.score -o forces --dry-run
  pysitar batch forces.score -o forces
  pysitar batch forces.score -o forces --shard 1/2    # on one machine, and
  pysitar batch forces.score -o forces --shard 2/2    # on another, then
  pysitar batch forces.score -o forces --merge        # the manifest of all

On a Dask cluster (dask scheduler; dask worker ADDRESS --nthreads 1), add
--dask ADDRESS; docs/dataset.md describes SLURM.

in a score:
  sweep t.pa.pluck.position = linear(0.05, 0.45, 9)
  sweep t = (tanpura sitar "my.toml")                 # one instrument after the other
  draw  t.pa.pluck.force ~ loguniform(0.2N, 2N) n=100

A drawn value depends only on the seed, the number of the item and the path as it is
written: a larger n adds sounds and changes none.
exit codes: 0 all sounds exist; 1 some are missing, and are named; 2 the score or the
command line is wrong."""
SHARD = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
EXCLUSIVE = (
    ("--dask", "--merge", "writing a manifest needs no workers"),
    ("--dask", "--jobs", "the cluster has its own workers"),
    ("--merge", "--dry-run", "a dry run writes nothing"),
    ("--verify", "--merge", "--merge renders nothing, and --verify renders damaged sounds"),
    ("--verify", "--dry-run", "--dry-run renders nothing, and --verify renders damaged sounds"),
)
REPORTED_FLAGS = ("clipped", "silent", "residual")          # flags counted in the summary line


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    add_score(options, several=True, standard_input=False)
    add_output_folder(options)
    options.add_argument(
        "--dry-run", action="store_true",
        help="render nothing: only estimate the number of sounds, disk space and time")
    options.add_argument(
        "--merge", action="store_true",
        help="render nothing: only write the manifest again, from the existing sidecars")
    options.add_argument(
        "--verify", action="store_true",
        help="also compare the samples of existing sounds with their recorded SHA-256, and render "
             "again those that differ (a faulty disk)")
    add_jobs(options, of="render processes")
    options.add_argument(
        "--dask", metavar="ADDRESS",
        help="render in the workers of the Dask cluster with the scheduler at ADDRESS, such as "
             "tcp://127.0.0.1:8786; the workers must see DIR and the instrument files under the "
             "same paths (needs pysitar[distributed])")
    options.add_argument(
        "--shard", type=_parse_shard, default=(1, 1), metavar="I/N",
        help="render only part I of N (1/4 to 4/4), with its own manifest, manifest-IofN")
    add_format(options, default=FORMATS[0])
    add_subtype(options)
    options.add_argument(
        "--layout", choices=LAYOUTS, default=LAYOUTS[0],
        help="flat: sounds in DIR; audiofolder: sounds in DIR/train, their values in "
             "DIR/train/metadata.csv (read by the loader `audiofolder` of the package datasets), "
             "and sidecars in DIR/sidecars; webdataset: sounds in DIR/webdataset, each with its "
             "row of the manifest as NAME.json, for tar files (default: flat)")
    options.add_argument(
        "--split", metavar="TRAIN/VALIDATION/TEST",
        help="weights of the parts of the data set, such as 80/10/10, from which the column split "
             "is drawn (default: all are for training)")
    options.add_argument(
        "--parquet", action="store_true",
        help="write the manifest as a Parquet file, too (needs pysitar[parquet])")
    add_rate(options)
    add_oversample(options)
    add_seed(options, of="the draws and of everything random")
    add_peak(options, more=", each sound by itself")
    add_fade(options)
    add_allow_large(options, limits=f"{MOST_ITEMS} sounds, the free disk space, and those of "
                                    "pysitar render")
    add_quiet(options)
    return options


def run(arguments: argparse.Namespace) -> int:
    """Render a batch; return the exit code.

    Errors: UsageError, ScoreError, ParameterError, OSError.
    """
    _check_together(arguments)
    _check_data_set(arguments)
    jobs = worker_count(NAME, arguments.jobs)
    plan, options = _plan(arguments)
    if not plan.count:
        total = sum(series.count for series in plan.series)
        raise UsageError(f"pysitar {NAME}: --shard {plan.shard}/{plan.shards} has none of "
                         f"{counted(total, 'sound')}; expected I/N, N at most {total}")
    folder = arguments.output
    check_output_folder(NAME, folder)
    warn([warning for series in plan.series for warning in series.warnings])
    if arguments.merge:
        if not any_item_known(folder, plan.items()):
            raise UsageError(_nothing_to_merge(plan, folder))
        tally = write_manifest(plan, folder, {}, layout=options.layout)
        _write_parquet(arguments, plan)
        return _report_result(tally, plan, arguments, rendered=0)
    with nullcontext() if arguments.dask is None else Cluster(arguments.dask) as cluster:
        if arguments.dry_run:
            workers = jobs if cluster is None else max(cluster.threads(), 1)
            print(one_line(format_estimate(estimate(plan, folder, options), plan, workers)))
            return DONE
        with missing_items_bar(plan.count, shown=bar_enabled(arguments.quiet)) as progress:
            tally = run_batch(plan, folder, options, jobs=jobs, cluster=cluster,
                              on_item=lambda item, error: progress.add(existing=error is None),
                              verify=arguments.verify)
    _write_parquet(arguments, plan)
    return _report_result(tally, plan, arguments, rendered=tally.finished - progress.existing)


def _check_together(arguments: argparse.Namespace) -> None:
    """Raise a UsageError for options that exclude each other."""
    used = {
        "--dask": arguments.dask is not None, "--jobs": arguments.jobs is not None,
        "--merge": arguments.merge, "--dry-run": arguments.dry_run, "--verify": arguments.verify}
    for option, other, why in EXCLUSIVE:
        if used[option] and used[other]:
            raise UsageError(f"pysitar {NAME}: {option} and {other} do not go together: {why}; "
                             "expected one of the two")


def format_estimate(found: Estimate, plan: Plan, jobs: int) -> str:
    """Return the line of a dry run: each amount, with its bounds if it is an estimate."""
    if found.there == found.count:
        return f"{counted(found.count, 'sound')}, all existing"
    count = found.count - found.there
    there = f", {found.there} existing" if found.there else ""
    flac = any(one.form == "flac" for one in plan.series)          # its sizes are upper bounds
    workers = counted(jobs, "worker")
    ranging = found.least != found.most and found.alike is not None
    alike = "; estimates assume that all last as long as the first one, with bounds in brackets"
    lengths = _format_range(found, lambda amount: f"{amount.seconds / count:.3g} s")
    sizes = _format_range(found, lambda amount: _format_size(amount.size), upper=flac)
    times = _format_range(found, lambda amount: _format_time(found.time(amount, jobs)))
    measured = (f"measured on {found.measured:.2g} s of the first sound, {found.speed:.3g} x real "
                "time")
    return (f"{counted(found.count, 'sound')} of {lengths}{there}; "
            f"{'at most ' if flac else ''}{sizes} of disk; {times} with {workers} "
            f"({measured}){alike if ranging else ''}")


def _format_range(found: Estimate, form: Callable[[Amount], str], *, upper: bool = False) -> str:
    """Return the text of one amount of an estimate.

    Parameters: form, formats an amount; upper, the amounts are upper bounds.
    """
    least, most = form(found.least), form(found.most)
    if least == most:
        return most
    bounds = most if upper else f"{least} to {most}"
    return bounds if found.alike is None else f"{form(found.alike)} ({bounds})"


def _plan(arguments: argparse.Namespace) -> tuple[Plan, BatchOptions]:
    check_score_names(NAME, arguments.scores)
    options = BatchOptions(
        request=Request(rate=arguments.rate, oversample=arguments.oversample, seed=arguments.seed,
                        peak=arguments.peak, fade=arguments.fade,
                        allow_large=arguments.allow_large),
        form=arguments.format, subtype=arguments.subtype,
        layout=arguments.layout,
        split=_split(arguments))
    shard, shards = arguments.shard
    try:
        scores = [read_score(score) for score in arguments.scores]
        return make_plan(scores, options, shard=shard, shards=shards), options
    except ParameterError as error:
        if getattr(arguments, error.name, None) is None:          # the score sets it
            raise
        raise UsageError(
            f"pysitar {NAME}: {'' if error.name == 'scores' else '--'}{error}") from error


def _split(arguments: argparse.Namespace) -> tuple[float, float, float]:
    """Return the fractions of the parts of the data set.  Errors: UsageError."""
    if arguments.split is None:
        return WHOLE
    try:
        return parse_split(arguments.split)
    except ParameterError as error:
        raise UsageError(f"pysitar {NAME}: --{error}") from None


def _check_data_set(arguments: argparse.Namespace) -> None:
    """Raise a UsageError for a name that tar files cannot have, or a missing package."""
    if arguments.layout == WEBDATASET:
        for score in arguments.scores:
            if "." in (stem := os.path.splitext(os.path.basename(score))[0]):
                raise UsageError(
                    f"pysitar {NAME}: --layout webdataset takes what precedes the first dot for "
                    f"the name of a sound, and {quoted(stem)} has a dot; expected a score with "
                    "another name")
    if arguments.parquet and (missing := check_pyarrow()):
        raise UsageError(f"pysitar {NAME}: --parquet needs pyarrow, which cannot be imported "
                         f"({missing}); pip install 'pysitar[parquet]' adds it")


def _write_parquet(arguments: argparse.Namespace, plan: Plan) -> None:
    """Write the manifest as a Parquet file, where it is wanted.  Errors: OSError."""
    if arguments.parquet:
        write_parquet(arguments.output, manifest_stem(plan))
    else:                       # one of an earlier run may differ from the new manifest
        Path(arguments.output, manifest_stem(plan) + PARQUET).unlink(missing_ok=True)


def _parse_shard(text: str) -> tuple[int, int]:
    """Return the number and the count of a shard, I/N.  Errors: argparse.ArgumentTypeError."""
    match = SHARD.fullmatch(text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is not a shard; expected I/N, such as 1/4, the first of four")
    return int(match[1]), int(match[2])


def _nothing_to_merge(plan: Plan, folder: str) -> str:
    """Return the message of a merge that finds no sound."""
    files = [
        os.path.join(folder, plan.series[index].file(number)) for index, number in plan.numbers()]
    names = " to ".join(quoted(file) for file in dict.fromkeys((files[0], files[-1])))
    if any(map(os.path.lexists, files)):
        why = ("the files of these names were made from another score or instrument, or with other "
               "options; expected the score and options that made them, or the same command "
               "without --merge, which renders them again")
    else:
        why = "none of them exists; expected the folder, score and options of an earlier batch"
    return one_line(f"pysitar {NAME}: --merge found no sound: it looked for {names}, and {why}; no "
                    "manifest was written")


def report_unfinished(tally: Tally) -> None:
    """Report why a batch ended early, and which sounds are missing."""
    if tally.ended:
        report(one_line(f"pysitar: {tally.ended}; the same command continues from here"))
    if tally.missing:
        count = counted(len(tally.missing), "sound is", "sounds are")
        report(one_line(f"pysitar: {count} not made yet: "
                        f"{list_first(tally.missing, MAX_PROBLEMS)}"))


def _report_result(tally: Tally, plan: Plan, arguments: argparse.Namespace, *,
                   rendered: int) -> int:
    """Report the outcome; return the exit code."""
    manifest = manifest_stem(plan)
    report_lines([f"pysitar: {name} failed: {error}" for name, error in tally.failed.items()],
                 "pysitar: ", f"more; {manifest}{TABLE} lists all of them")
    if tally.changed_samples:
        count = counted(len(tally.changed_samples), "sound")
        report(one_line(f"pysitar: {count} had changed since rendered: "
                        f"{list_first(tally.changed_samples, MAX_PROBLEMS)}"))
    if tally.unreadable_lines:
        report(f"pysitar: removed {counted(tally.unreadable_lines, 'unreadable line')} of "
               f"{manifest}{LINES}; if they belong to other scores, --merge with those scores "
               "restores them")
    report_lines([f"pysitar: {fault}" for fault in tally.faults], "pysitar: ", "more")
    report_unfinished(tally)
    if not arguments.quiet:
        parts = [f"{arguments.output}: {tally.finished} of {counted(plan.count, 'sound')}"]
        parts += [f"{rendered} rendered now"] if not arguments.merge else []
        parts += [f"{tally.finished - rendered} verified"] if arguments.verify else []
        parts += [f"{len(tally.failed)} failed"] if tally.failed else []
        parts += [f"{tally.flags[flag]} {flag}" for flag in REPORTED_FLAGS if tally.flags[flag]]
        others = f" and {tally.others} of other scores" if tally.others else ""
        report(one_line(f"{', '.join(parts)}; {manifest}{LINES} and {manifest}{TABLE} list "
                        f"them{others}"))
    return FAILED if tally.failed or tally.missing else DONE


def _format_size(size: float) -> str:
    """Return a number of bytes in a fitting unit."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000.0:
            return f"{size:.3g} {unit}"
        size /= 1000.0
    return f"{size:.3g} TB"


def _format_time(seconds: float) -> str:
    """Return a time (s) in a fitting unit."""
    if seconds < 100.0:
        return f"{seconds:.2g} s"
    return f"{seconds / 60.0:.3g} min" if seconds < 6000.0 else f"{seconds / 3600.0:.3g} h"
