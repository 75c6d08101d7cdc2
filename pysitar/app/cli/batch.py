"""`pysitar batch`: every sound that the sweeps and draws of scores make, and a manifest of them."""
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
from pysitar.app.cli.inputs import check_folder, check_named, read_score
from pysitar.app.cli.parsing import Parser, cpus, whole_number
from pysitar.app.cli.render_options import FORMATS, level
from pysitar.app.messages import DONE, FAILED, UsageError, one_line, tell
from pysitar.app.progress import tell_some, wants_bar, warn
from pysitar.app.terminal import bar_stream
from pysitar.errors import ParameterError, quoted

NAME = "batch"
SUMMARY = "make all sounds that the sweeps and draws of scores ask for, and a manifest"
DESCRIPTION = f"""\
Render scores once for each value of their sweeps (every combination) and for each
of their draws, into DIR: SCORE-00001.wav, SCORE-00002.wav and so on, each with its
sidecar, and a manifest of all, manifest{LINES} and manifest{TABLE}. What is there and
would come out the same is passed over, so that the same command, after Ctrl-C, a
crash or a change to the score, makes what is missing. A sound that fails is tried
once more if its process died, and named; the others go on."""
EPILOG = """\
examples:
  printf 'sweep t.pa.pluck.force = (0.3N 0.6N)\\n' | cat first.score - > forces.score
  pysitar batch forces.score -o forces --dry-run
  pysitar batch forces.score -o forces
  pysitar batch forces.score -o forces --shard 1/2    # on one machine, and
  pysitar batch forces.score -o forces --shard 2/2    # on another, then
  pysitar batch forces.score -o forces --merge        # the manifest of all

on a Dask cluster (dask scheduler; dask worker ADDRESS --nthreads 1) the last words
are --dask ADDRESS; docs/dataset.md tells of SLURM.

in a score:
  sweep t.pa.pluck.position = linear(0.05, 0.45, 9)
  sweep t = (tanpura sitar "my.toml")                 # instruments in turn
  draw  t.pa.pluck.force ~ loguniform(0.2N, 2N) n=100

A drawn value follows from the seed, the number of the item and the path as it is
written, and from nothing else: a larger n adds sounds and changes none.
exit codes: 0 all are made; 1 some are not, and are named; 2 the score or the
command line is wrong."""
SHARD = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
LAYOUTS = ("flat", "audiofolder")
MOST_JOBS = 1024
GRAVE = ("clipped", "silent", "residual")          # flags that the last line counts


def parser() -> Parser:
    """The options of the command."""
    made = Parser(f"pysitar {NAME}", DESCRIPTION, EPILOG)
    made.add_argument("scores", nargs="+", metavar="SCORE", help="a .score file")
    made.add_argument("-o", "--output", metavar="DIR", required=True, help="the folder of the sounds, made if it is not there")
    made.add_argument("--dry-run", action="store_true", help="only tell how many sounds there are, how much disk and how long they take")
    made.add_argument("--merge", action="store_true", help="make no sound: only the manifest anew, from the sidecars of what is there")
    made.add_argument("--verify", action="store_true",
                      help="also hash the samples of what is there, and make anew what is not as it was made (a disk that forgets)")
    made.add_argument("--jobs", type=whole_number, metavar="N", help="processes that render at the same time (default: one for each CPU)")
    made.add_argument("--dask", metavar="ADDRESS",
                      help="render in the workers of the Dask cluster whose scheduler is there, such as tcp://127.0.0.1:8786; they see DIR "
                           "and the instrument files under the same names (needs pysitar[distributed])")
    made.add_argument("--shard", type=_shard, default=(1, 1), metavar="I/N",
                      help="make only the I-th of N parts (1/4 to 4/4), with a manifest of its own, manifest-IofN")
    made.add_argument("--format", choices=FORMATS, default=FORMATS[0], help="wav or flac (default: wav)")
    made.add_argument("--subtype", default="PCM_24", metavar="NAME", help="PCM_24, PCM_16, or FLOAT in wav only (default: PCM_24)")
    made.add_argument("--layout", choices=LAYOUTS, default=LAYOUTS[0],
                      help="flat: the sounds stand in DIR; audiofolder: in DIR/train, and DIR/train/metadata.csv has their values, as the "
                           "loader of that name in the package datasets reads them; sidecars stand in DIR/sidecars (default: flat)")
    made.add_argument("--rate", type=whole_number, metavar="N", help="frames a second (default: the score's, else 48000)")
    made.add_argument("--oversample", type=whole_number, metavar="N", help="steps of the simulation a frame (default: the score's, else 2)")
    made.add_argument("--seed", type=whole_number, metavar="N", help="of the draws and of everything random (default: the score's, else 0)")
    made.add_argument("--peak", type=level, metavar="LEVEL", help="bring the greatest sample of each sound to this level, -100dB to 0dB")
    made.add_argument("--allow-large", action="store_true",
                      help=f"lift the limits: {MOST_ITEMS} sounds, more disk space than is free, and those of pysitar render")
    made.add_argument("--quiet", action="store_true", help="no progress bar and no line at the end")
    return made


def run(arguments: argparse.Namespace) -> int:
    """Make a batch.  Errors: UsageError, ScoreError, ParameterError, OSError."""
    if arguments.dask is not None and (arguments.merge or arguments.jobs is not None):
        other = "--merge" if arguments.merge else "--jobs"
        raise UsageError(f"pysitar {NAME}: --dask and {other} do not go together: the cluster has workers of its own, and a manifest needs "
                         "none; expected one of the two")
    if arguments.merge and arguments.dry_run:
        raise UsageError(f"pysitar {NAME}: --merge and --dry-run do not go together: a dry run writes nothing; one of the two would be "
                         "right")
    if arguments.verify and (arguments.merge or arguments.dry_run):
        other = "--merge" if arguments.merge else "--dry-run"
        raise UsageError(f"pysitar {NAME}: --verify and {other} do not go together: {other} makes no sound, and what is not as it was made "
                         "is made anew; expected one of the two")
    jobs = jobs_of(NAME, arguments.jobs)
    plan, wanted = _plan(arguments)
    if not plan.count:
        raise UsageError(f"pysitar {NAME}: --shard {plan.shard}/{plan.shards} of {sum(one.count for one in plan.series)} sounds has none; "
                         "fewer shards would be right")
    folder = arguments.output
    check_folder(NAME, folder)
    warn([warning for series in plan.series for warning in series.warnings])
    if arguments.merge:
        if not any_item_known(folder, plan.items()):
            raise UsageError(_nothing_there(plan, folder))
        return _finished(write_manifest(plan, folder, {}, audiofolder=wanted.audiofolder), plan, arguments, made=0)
    there: list[int] = [0]
    with nullcontext() if arguments.dask is None else Cluster(arguments.dask) as cluster:
        if arguments.dry_run:
            workers = jobs if cluster is None else max(cluster.threads(), 1)
            print(one_line(estimate_line(estimate(plan, folder, wanted), plan, workers)))
            return DONE
        with _bar(plan, there, wanted=wants_bar(arguments.quiet)) as told:
            tally = run_batch(plan, folder, wanted, jobs=jobs, cluster=cluster, on_item=told, verify=arguments.verify)
    return _finished(tally, plan, arguments, made=tally.made - there[0])


def estimate_line(found: Estimate, plan: Plan, jobs: int) -> str:
    """What a dry run says: one number where it is known, else what is likely, and the range."""
    if found.there == found.count:
        return f"{found.count} sounds, all of them there"
    count = found.count - found.there
    there = f", {found.there} of them there" if found.there else ""
    flac = any(one.form == "flac" for one in plan.series)          # its sizes are upper bounds
    workers = f"{jobs} worker{'s' if jobs > 1 else ''}"
    ranging = found.least != found.most and found.alike is not None
    alike = "; if all last as long as the first one does, in brackets the least and the most"
    lengths = _range(found, lambda amount: f"{amount.seconds / count:.3g} s")
    sizes = _range(found, lambda amount: _size(amount.size), upper=flac)
    times = _range(found, lambda amount: _time(found.time(amount, jobs)))
    measured = f"measured on {found.measured:.2g} s of the first one, {found.speed:.3g} x real time"
    return (f"{found.count} sounds of {lengths}{there}; "
            f"{'at most ' if flac else ''}{sizes} of disk; "
            f"{times} with {workers} ({measured}){alike if ranging else ''}")


def _range(found: Estimate, form: Callable[[Amount], str], *, upper: bool = False) -> str:
    """What an estimate says of one amount.  Parameters: form, its text; upper, that it is the most
    that each sound can take."""
    least, most = form(found.least), form(found.most)
    if least == most:
        return most
    bounds = most if upper else f"{least} to {most}"
    return bounds if found.alike is None else f"{form(found.alike)} ({bounds})"


def _plan(arguments: argparse.Namespace) -> tuple[Plan, BatchOptions]:
    check_named(NAME, arguments.scores)
    wanted = BatchOptions(request=Request(rate=arguments.rate, oversample=arguments.oversample, seed=arguments.seed, peak=arguments.peak,
                                allow_large=arguments.allow_large), form=arguments.format, subtype=arguments.subtype,
                    audiofolder=arguments.layout == LAYOUTS[1])
    shard, shards = arguments.shard
    try:
        return make_plan([read_score(score) for score in arguments.scores], wanted, shard=shard, shards=shards), wanted
    except ParameterError as error:
        if getattr(arguments, error.name, None) is None:          # it is the score's
            raise
        raise UsageError(f"pysitar {NAME}: {'' if error.name == 'scores' else '--'}{error}") from error


def jobs_of(command: str, given: int | None, most: int = MOST_JOBS) -> int:
    """How many workers there are: as many as given, else one for each CPU.  Errors: UsageError."""
    if given is None:
        return cpus()
    if not 1 <= given <= most:
        raise UsageError(f"pysitar {command}: --jobs is {given}; expected a whole number from 1 to {most}")
    return given


def _shard(text: str) -> tuple[int, int]:
    """A shard of the command line.  Errors: argparse.ArgumentTypeError."""
    match = SHARD.fullmatch(text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a shard, such as 1/4, which is the first of four")
    return int(match[1]), int(match[2])


def _nothing_there(plan: Plan, folder: str) -> str:
    """What is wrong with a merge that finds nothing."""
    files = [os.path.join(folder, plan.series[index].file(number)) for index, number in plan.numbers()]
    where = f"{quoted(files[0])} to {quoted(files[-1])}" if len(files) > 1 else quoted(files[0])
    if any(map(os.path.lexists, files)):
        why = ("what has these names is of another score or instrument, or of other options; expected those that made it, or the "
               "same command without --merge, which makes it anew")
    else:
        why = "none of them is there; expected the folder, the score and the options that made them"
    return one_line(f"pysitar {NAME}: --merge found nothing: it looked for {where}, and {why}; no manifest was written")


def _finished(tally: Tally, plan: Plan, arguments: argparse.Namespace, *, made: int) -> int:
    """Tell how it ended; the exit code."""
    tell_some([f"pysitar: {name} failed: {error}" for name, error in tally.failed.items()], "pysitar: ",
              f"more; {manifest_stem(plan)}{TABLE} tells of all")
    if tally.changed_samples:
        tell(one_line(f"pysitar: {len(tally.changed_samples)} sounds were not as they had been made: {list_names(tally.changed_samples)}"))
    if tally.unreadable_lines:
        tell(f"pysitar: {tally.unreadable_lines} lines of {manifest_stem(plan)}{LINES} could not be read, and are gone; "
             "if they were of other scores, "
             "--merge with these would make them anew")
    tell_some([f"pysitar: {fault}" for fault in tally.faults], "pysitar: ", "more")
    if tally.ended:
        tell(one_line(f"pysitar: {tally.ended}; the same command goes on from here"))
    if tally.missing:
        tell(one_line(f"pysitar: {len(tally.missing)} sounds are not made yet: {list_names(tally.missing)}"))
    if not arguments.quiet:
        parts = [f"{arguments.output}: {tally.made} of {plan.count} sounds"]
        parts += [f"{made} made now"] if not arguments.merge else []
        parts += [f"{tally.made - made} verified"] if arguments.verify else []
        parts += [f"{len(tally.failed)} failed"] if tally.failed else []
        parts += [f"{tally.flags[flag]} {flag}" for flag in GRAVE if tally.flags[flag]]
        others = f" and of {tally.others} of other scores" if tally.others else ""
        tell(one_line(f"{', '.join(parts)}; {manifest_stem(plan)}{LINES} and {manifest_stem(plan)}{TABLE} tell of them{others}"))
    return FAILED if tally.failed or tally.missing else DONE


@contextmanager
def _bar(plan: Plan, there: list[int], *, wanted: bool) -> Iterator[ItemCallback]:
    """A progress bar in items; those that were there are counted, and are no part of it."""
    if not wanted:
        def count(item: Item, error: str | None) -> None:
            there[0] += error is None

        yield count
        return
    from tqdm import tqdm  # here, so that what shows no bar does not wait for it

    shape = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_noinv_fmt}]"
    with tqdm(total=plan.count, unit=" sounds", leave=False, dynamic_ncols=True, bar_format=shape, file=bar_stream()) as bar:
        def show(item: Item, error: str | None) -> None:
            if error is None:
                there[0] += 1
                bar.total = plan.count - there[0]
            else:
                bar.update()

        yield show


def _size(size: float) -> str:
    """Bytes, in a unit that fits."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000.0:
            return f"{size:.3g} {unit}"
        size /= 1000.0
    return f"{size:.3g} TB"


def _time(seconds: float) -> str:
    """A time, in a unit that fits."""
    if seconds < 100.0:
        return f"{seconds:.2g} s"
    return f"{seconds / 60.0:.3g} min" if seconds < 6000.0 else f"{seconds / 3600.0:.3g} h"
