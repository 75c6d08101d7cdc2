"""`pysitar batch`: render every combination of the sweeps and draws of scores, with a manifest."""
from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from pysitar.api.request import Request
from pysitar.app.batch.dask_pool import Cluster
from pysitar.app.batch.items import MOST_ITEMS, BatchOptions, Item, Plan, make_plan
from pysitar.app.batch.manifest import LINES, TABLE, Tally, manifest_stem, write_manifest
from pysitar.app.batch.render_item import any_item_known, list_names
from pysitar.app.batch.run import Amount, Estimate, ItemCallback, estimate
from pysitar.app.batch.run import run as run_batch
from pysitar.app.cli.inputs import check_output_folder, check_score_names, read_score
from pysitar.app.cli.options import (
    add_jobs,
    add_oversample,
    add_peak,
    add_quiet,
    add_rate,
    add_seed,
)
from pysitar.app.cli.parsing import Parser, cpus
from pysitar.app.cli.render_options import FORMATS
from pysitar.app.messages import DONE, FAILED, UsageError, counted, one_line, report
from pysitar.app.progress import bar_enabled, report_lines, warn
from pysitar.app.terminal import bar_stream
from pysitar.errors import ParameterError, quoted

NAME = "batch"
SUMMARY = "render every combination of the sweeps and draws of scores, with a manifest"
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
LAYOUTS = ("flat", "audiofolder")
MOST_JOBS = 1024
REPORTED_FLAGS = ("clipped", "silent", "residual")          # flags counted in the summary line


def parser() -> Parser:
    """Return the parser of the command line."""
    options = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    options.add_argument("scores", nargs="+", metavar="SCORE", help="a .score file")
    options.add_argument("-o", "--output", metavar="DIR", required=True,
                         help="output folder, created if it does not exist")
    options.add_argument(
        "--dry-run", action="store_true",
        help="render nothing: only estimate the number of sounds, disk space and time")
    options.add_argument(
        "--merge", action="store_true",
        help="render nothing: only write the manifest again, from the existing sidecars")
    options.add_argument(
        "--verify", action="store_true",
        help="also check the samples of existing sounds against their recorded SHA-256, and render "
             "those that differ again (a faulty disk)")
    add_jobs(options, of="render processes")
    options.add_argument(
        "--dask", metavar="ADDRESS",
        help="render in the workers of the Dask cluster with the scheduler at ADDRESS, such as "
             "tcp://127.0.0.1:8786; the workers must see DIR and the instrument files under the "
             "same paths (needs pysitar[distributed])")
    options.add_argument(
        "--shard", type=_parse_shard, default=(1, 1), metavar="I/N",
        help="render only part I of N (1/4 to 4/4), with its own manifest, manifest-IofN")
    options.add_argument("--format", choices=FORMATS, default=FORMATS[0],
                         help="wav or flac (default: wav)")
    options.add_argument(
        "--subtype", default="PCM_24", metavar="NAME",
        help="sample format: PCM_24, PCM_16, or FLOAT (wav only) (default: PCM_24)")
    options.add_argument(
        "--layout", choices=LAYOUTS, default=LAYOUTS[0],
        help="flat: sounds in DIR; audiofolder: sounds in DIR/train, their values in "
             "DIR/train/metadata.csv (read by the loader `audiofolder` of the package datasets), "
             "and sidecars in DIR/sidecars (default: flat)")
    add_rate(options)
    add_oversample(options)
    add_seed(options, of="the draws and of everything random")
    add_peak(options, more=", for each sound (default: the score's, else no scaling)")
    options.add_argument(
        "--allow-large", action="store_true", help=
        f"lift the limits: {MOST_ITEMS} sounds, the free disk space, and those of pysitar render")
    add_quiet(options)
    return options


def run(arguments: argparse.Namespace) -> int:
    """Render a batch; return the exit code.

    Errors: UsageError, ScoreError, ParameterError, OSError.
    """
    if arguments.dask is not None and (arguments.merge or arguments.jobs is not None):
        other = "--merge" if arguments.merge else "--jobs"
        raise UsageError(
            f"pysitar {NAME}: --dask and {other} do not go together: the cluster has its own "
            "workers, and writing a manifest needs none; expected one of the two")
    if arguments.merge and arguments.dry_run:
        raise UsageError(
            f"pysitar {NAME}: --merge and --dry-run do not go together: a dry run writes nothing; "
            "expected one of the two")
    if arguments.verify and (arguments.merge or arguments.dry_run):
        other = "--merge" if arguments.merge else "--dry-run"
        raise UsageError(
            f"pysitar {NAME}: --verify and {other} do not go together: {other} renders no sound, "
            "and --verify renders damaged sounds again; expected one of the two")
    jobs = worker_count(NAME, arguments.jobs)
    plan, wanted = _plan(arguments)
    if not plan.count:
        raise UsageError(
            f"pysitar {NAME}: --shard {plan.shard}/{plan.shards} of "
            f"{sum(one.count for one in plan.series)} sounds has none; expected fewer shards")
    folder = arguments.output
    check_output_folder(NAME, folder)
    warn([warning for series in plan.series for warning in series.warnings])
    if arguments.merge:
        if not any_item_known(folder, plan.items()):
            raise UsageError(_nothing_to_merge(plan, folder))
        return _report_result(write_manifest(plan, folder, {}, audiofolder=wanted.audiofolder),
                              plan, arguments, made=0)
    there: list[int] = [0]
    with nullcontext() if arguments.dask is None else Cluster(arguments.dask) as cluster:
        if arguments.dry_run:
            workers = jobs if cluster is None else max(cluster.threads(), 1)
            print(one_line(format_estimate(estimate(plan, folder, wanted), plan, workers)))
            return DONE
        with _progress_bar(plan, there, wanted=bar_enabled(arguments.quiet)) as on_item:
            tally = run_batch(plan, folder, wanted, jobs=jobs, cluster=cluster, on_item=on_item,
                              verify=arguments.verify)
    return _report_result(tally, plan, arguments, made=tally.made - there[0])


def format_estimate(found: Estimate, plan: Plan, jobs: int) -> str:
    """Return the line of a dry run: each amount as one number if it is exact, else an estimate and
    its bounds."""
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
    measured = f"measured on {found.measured:.2g} s of the first sound, {found.speed:.3g} x real time"
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
    wanted = BatchOptions(
        request=Request(rate=arguments.rate, oversample=arguments.oversample, seed=arguments.seed,
                        peak=arguments.peak, allow_large=arguments.allow_large),
        form=arguments.format, subtype=arguments.subtype,
        audiofolder=arguments.layout == LAYOUTS[1])
    shard, shards = arguments.shard
    try:
        return make_plan([read_score(score) for score in arguments.scores], wanted, shard=shard,
                         shards=shards), wanted
    except ParameterError as error:
        if getattr(arguments, error.name, None) is None:          # the score sets it
            raise
        raise UsageError(
            f"pysitar {NAME}: {'' if error.name == 'scores' else '--'}{error}") from error


def worker_count(command: str, jobs: int | None, most: int = MOST_JOBS) -> int:
    """Return the number of workers: --jobs, else one for each CPU.  Errors: UsageError."""
    if jobs is None:
        return cpus()
    if not 1 <= jobs <= most:
        raise UsageError(
            f"pysitar {command}: --jobs is {jobs}; expected a whole number from 1 to {most}")
    return jobs


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
    where = f"{quoted(files[0])} to {quoted(files[-1])}" if len(files) > 1 else quoted(files[0])
    if any(map(os.path.lexists, files)):
        why = (
            "the files of these names were made from another score or instrument, or with other "
            "options; expected the score and options that made them, or the same command without "
            "--merge, which renders them again")
    else:
        why = "none of them exists; expected the folder, score and options of an earlier batch"
    return one_line(
        f"pysitar {NAME}: --merge found no sound: it looked for {where}, and {why}; no manifest "
        "was written")


def _report_result(tally: Tally, plan: Plan, arguments: argparse.Namespace, *, made: int) -> int:
    """Report the outcome; return the exit code."""
    report_lines([f"pysitar: {name} failed: {error}" for name, error in tally.failed.items()],
                 "pysitar: ", f"more; {manifest_stem(plan)}{TABLE} lists all of them")
    if tally.changed_samples:
        report(
            one_line(
                f"pysitar: {counted(len(tally.changed_samples), 'sound')} had changed since "
                f"rendered: {list_names(tally.changed_samples)}"))
    if tally.unreadable_lines:
        lines = counted(tally.unreadable_lines, "unreadable line")
        report(f"pysitar: removed {lines} of {manifest_stem(plan)}{LINES}; if they belong to other "
               "scores, --merge with those scores restores them")
    report_lines([f"pysitar: {fault}" for fault in tally.faults], "pysitar: ", "more")
    if tally.ended:
        report(one_line(f"pysitar: {tally.ended}; the same command goes on from here"))
    if tally.missing:
        report(
            one_line(
                f"pysitar: {counted(len(tally.missing), 'sound is', 'sounds are')} not made yet: "
                f"{list_names(tally.missing)}"))
    if not arguments.quiet:
        parts = [f"{arguments.output}: {tally.made} of {plan.count} sounds"]
        parts += [f"{made} rendered now"] if not arguments.merge else []
        parts += [f"{tally.made - made} verified"] if arguments.verify else []
        parts += [f"{len(tally.failed)} failed"] if tally.failed else []
        parts += [f"{tally.flags[flag]} {flag}" for flag in REPORTED_FLAGS if tally.flags[flag]]
        others = f" and {tally.others} of other scores" if tally.others else ""
        report(
            one_line(
                f"{', '.join(parts)}; {manifest_stem(plan)}{LINES} and "
                f"{manifest_stem(plan)}{TABLE} list them{others}"))
    return FAILED if tally.failed or tally.missing else DONE


@contextmanager
def _progress_bar(plan: Plan, there: list[int], *, wanted: bool) -> Iterator[ItemCallback]:
    """Show a progress bar in items; existing items are counted, but not shown as progress."""
    if not wanted:
        def count(item: Item, error: str | None) -> None:
            there[0] += error is None

        yield count
        return
    from tqdm import tqdm  # imported here: slow, and only needed for a bar

    shape = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_noinv_fmt}]"
    with tqdm(total=plan.count, unit=" sounds", leave=False, dynamic_ncols=True, bar_format=shape,
              file=bar_stream()) as bar:
        def show(item: Item, error: str | None) -> None:
            if error is None:
                there[0] += 1
                bar.total = plan.count - there[0]
            else:
                bar.update()

        yield show


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
