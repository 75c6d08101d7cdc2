"""A batch run: finished items are kept, the others are computed by workers, then the manifest is
written."""
from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pysitar.api.request import prepare_engine
from pysitar.app.batch.dask_pool import Cluster, ClusterWorkers
from pysitar.app.batch.items import BatchOptions, Item, Plan, Series, item_score
from pysitar.app.batch.layout import folders
from pysitar.app.batch.manifest import LINES, STEM, TABLE, Tally, manifest_stem, write_manifest
from pysitar.app.batch.render_item import (
    MAKE,
    Setup,
    finished_sidecar,
    samples_match,
    write_failure,
)
from pysitar.app.workers.pool import Outcome, Workers
from pysitar.output.files import check_space, check_target, new_folders, remove_stale_files

SIDECAR_SIZE = 8192                  # approximate bytes of a sidecar
# EIO: the error of libsndfile on a full disk has no errno
FATAL_ERRORS = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM,
                          errno.ENOENT, errno.ENOTDIR, errno.EIO))
MEASURING_TIME = 1.0                 # s of computation, at most, to measure the speed
MEASURED_TO_END = 4.0                # s, if the length of a sound until silence is measured, too
MAX_MEASURED = 8                     # scores whose first items are measured

# an item and its error ("": finished now, None: existed before)
ItemCallback: TypeAlias = Callable[[Item, str | None], None]


@dataclass(frozen=True, slots=True)
class Amount:
    """The size of sounds: seconds of sound, and bytes of files.  Amounts can be added."""

    seconds: float = 0.0
    size: float = 0.0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.seconds + other.seconds, self.size + other.size)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated cost of a batch.

    Parameters: count of items; there, those that seem to be finished; least and most, the amount of
    the others (equal if no sound ends at silence); alike, their amount if each is as long as the
    first of its score (None: that one was not computed to its end); speed, measured on the first
    items (times real time); measured, the seconds of sound that were computed.
    """

    count: int
    there: int
    least: Amount
    most: Amount
    alike: Amount | None
    speed: float
    measured: float

    def time(self, amount: Amount, jobs: int) -> float:
        """Return the duration (s) with so many workers."""
        return amount.seconds / self.speed / max(1, jobs)


def run(plan: Plan, folder: str, batch_options: BatchOptions, *, jobs: int,
        cluster: Cluster | None = None, on_item: ItemCallback | None = None, function: str = MAKE,
        others: bool = True, verify: bool = False) -> Tally:
    """Compute the missing items of a plan, and write the manifest.

    Parameters: folder, made if its parent exists; jobs, the number of workers; cluster, used
    instead of local workers; on_item, called with each item and its error ("": finished now, None:
    existed before); function, as in `Workers`; others, as in `write_manifest`; verify, whether the
    samples of existing sounds are hashed, and changed sounds are computed again.
    Returns: the state of all items of the plan, also if the workers ended before they began.
    Errors: OSError; a full disk and a folder that cannot be written to end the batch.
    """
    places = folders(folder, layout=batch_options.layout)
    with new_folders(folder, *places):
        for ending in (LINES, TABLE):
            check_target(Path(folder, f"{manifest_stem(plan)}{ending}"))
        setup = Setup.of(plan, folder, batch_options)
        worker_pool: Workers | ClusterWorkers[Item]
        if cluster is None:
            worker_pool = Workers(jobs, setup, function=function)
        else:
            worker_pool = cluster.workers(setup, function=function)
        for place in {Path(folder), *places}:
            remove_stale_files(place)
        with worker_pool as workers:
            if not batch_options.request.allow_large:
                check_space(places[0] / "x", _missing_size(plan, folder))
            return _compute_items(workers, plan, folder, batch_options, on_item, others=others,
                                  verify=verify)


def _compute_items(workers: Workers | ClusterWorkers[Item], plan: Plan, folder: str,
                   batch_options: BatchOptions, on_item: ItemCallback | None, *, others: bool,
                   verify: bool) -> Tally:
    """Compute the missing items by these workers, and write the manifest; the rest as in `run`."""
    failed: dict[str, str] = {}
    ended = ""
    changed_samples: list[str] = []
    before = Tally()
    pending = _pending_items(plan, folder, on_item, changed_samples if verify else None)
    try:
        items = _invalidate_manifest(pending, plan, folder, batch_options, before, others=others)
        for outcome in workers.outcomes(items):
            _record_failure(outcome, folder, failed)
            if on_item is not None:
                on_item(outcome.item, outcome.error)
    except ChildProcessError as error:
        ended = str(error.strerror)
    tally = write_manifest(plan, folder, failed, layout=batch_options.layout, others=others)
    tally.ended, tally.changed_samples = ended, changed_samples
    tally.unreadable_lines += before.unreadable_lines
    tally.faults = before.faults + tally.faults
    return tally


def _record_failure(outcome: Outcome[Item], folder: str, failed: dict[str, str]) -> None:
    """Record the error of an item.  Errors: OSError, for a cause that would stop the others too."""
    if not outcome.error:
        return
    if outcome.number in FATAL_ERRORS:
        raise OSError(
            outcome.number,
            f"{outcome.error.removeprefix('pysitar: ')}; the same command continues from here")
    failed[outcome.item.name] = outcome.error
    with suppress(OSError):
        write_failure(folder, outcome.item, outcome.error)


def estimate(plan: Plan, folder: str, batch_options: BatchOptions) -> Estimate:
    """Return the estimated cost of a batch; nothing is written.

    Some seconds of the first items are computed, to measure the speed and, where they end at
    silence, their length.
    """
    first: dict[int, int] = {}          # the number of the first item of each series
    missing = dict.fromkeys(range(len(plan.series)), 0)
    for index, number in plan.numbers():
        first.setdefault(index, number)
        missing[index] += not os.path.exists(os.path.join(folder, plan.series[index].file(number)))
    computed = spent = 0.0
    ends: dict[int, int] = {}           # frames of the first items that were computed to the end
    ending_at_silence = [index for index in first
                         if plan.series[index].most > plan.series[index].frames]
    for index in dict.fromkeys([next(iter(first)), *ending_at_silence[:MAX_MEASURED]]):
        number = first[index]
        series = plan.series[index]
        engine = prepare_engine(item_score(series.score, series.item(number, index)),
                                batch_options.request)
        limit = MEASURED_TO_END / min(len(first), MAX_MEASURED)
        if series.most == series.frames:
            limit = MEASURING_TIME
        begin = time.perf_counter()
        if all(time.perf_counter() - begin < limit for _ in engine.blocks()):
            ends[index] = engine.frames
        # frames that wait for the fade at the end are computed, but not returned yet
        computed += max(engine.frames, engine.simulated) / series.rate
        spent += time.perf_counter() - begin
    least = most = alike = Amount()
    known = True
    for index, count in missing.items():
        series = plan.series[index]
        least += _amount_of(series, series.frames, count)
        most += _amount_of(series, series.most, count)
        alike += _amount_of(series, ends.get(index, series.most), count)
        known = known and (index in ends or series.most == series.frames or not count)
    speed = max(computed, 1e-9) / max(spent, 1e-9)
    there = plan.count - sum(missing.values())
    return Estimate(plan.count, there, least, most, alike if known else None, speed, computed)


def _amount_of(series: Series, frames: int, count: int) -> Amount:
    """Return the amount of so many sounds of so many frames."""
    return Amount(count * frames / series.rate, count * (series.size_of(frames) + SIDECAR_SIZE))


def _missing_size(plan: Plan, folder: str) -> int:
    """Return the least bytes of the items that do not seem to exist."""
    return sum(plan.series[index].size + SIDECAR_SIZE for index, number in plan.numbers()
               if not os.path.exists(os.path.join(folder, plan.series[index].file(number))))


def _pending_items(plan: Plan, folder: str, on_item: ItemCallback | None,
                   changed_samples: list[str] | None) -> Iterator[Item]:
    """Yield the items to be computed.

    Parameters: changed_samples, a list for the names of sounds whose samples changed (they are
    computed again); None: samples are not compared.
    """
    for item in plan.items():
        document = finished_sidecar(folder, item)
        if document is not None and changed_samples is not None and not samples_match(
                folder, item, document):
            changed_samples.append(item.name)
            Path(folder, item.file).unlink()  # missing, not wrong, until it is computed again
            document = None
        if document is None:
            yield item
        elif on_item is not None:
            on_item(item, None)


def _invalidate_manifest(
    items: Iterator[Item],
    plan: Plan,
    folder: str,
    batch_options: BatchOptions,
    before: Tally,
    *,
    others: bool,
) -> Iterator[Item]:
    """Yield these items; before the first item, mark all items in the manifest as not made yet.

    Otherwise a killed run could leave new sounds beside old rows. A shard cannot mark the manifest
    of all shards, and removes that manifest.
    Parameters: before, a tally to which the lines left out of that manifest are added.
    """
    for begun, item in enumerate(items):
        if not begun:
            if plan.shards > 1:
                for ending in (LINES, TABLE):
                    Path(folder, f"{STEM}{ending}").unlink(missing_ok=True)
            if Path(folder, f"{manifest_stem(plan)}{LINES}").exists():
                tally = write_manifest(plan, folder, {}, layout=batch_options.layout,
                                       others=others)
                before.unreadable_lines, before.faults = tally.unreadable_lines, tally.faults
        yield item
