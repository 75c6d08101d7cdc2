"""Workers of a Dask cluster: each item is a task, computed as by a local worker."""
from __future__ import annotations

import errno
import importlib
import logging
import os
import pickle
import queue
import secrets
import shutil
import socket
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, NoReturn, Self

from pysitar.app.batch import cluster_probe, items
from pysitar.app.batch.build import Build, this_build
from pysitar.app.batch.dask_task import MAX_ATTEMPTS, attempt_item
from pysitar.app.batch.render_item import MAKE, Setup
from pysitar.app.messages import UsageError, list_first, one_line, report
from pysitar.app.progress import report_lines
from pysitar.app.workers.pool import Item, Outcome
from pysitar.app.workers.process import DONE
from pysitar.output.hidden import current_command, hidden_name

CONNECT_TIMEOUT = 10.0               # s for a scheduler to answer
QUERY_INTERVAL = 1.0                    # s between two queries of the number of workers
MAX_GREETING = 1 << 20          # bytes, far above those of a scheduler's greeting
ITEMS_PER_THREAD = 2  # items in flight per worker thread: one in work, one waiting
MIN_IN_FLIGHT = 4                       # least items in flight, for new workers
COMPARED_VERSIONS = ("python", "dask", "distributed")
MAX_NAMED = 4                       # workers in a message; of more, each has a line before it
EXTRA = "pip install 'pysitar[distributed]'"


def _check_scheduler(address: str) -> None:
    """Check that a Dask scheduler answers, by its first 8 bytes: the length of its greeting.

    With other servers a Dask client would wait, or run out of memory.
    Parameters: address; one that is not tcp://HOST:PORT is left to the client.
    Errors: OSError; ValueError, for an address without a scheduler.
    """
    kind, _, place = address.rpartition("://")
    host, _, port = place.rpartition(":")
    if kind not in ("", "tcp", "tls", "ucx", "ws", "wss", "inproc"):
        raise ValueError(f"{kind} is not a protocol of Dask")
    if kind not in ("", "tcp"):
        return
    if not (host and port.isdecimal()):
        raise ValueError("expected a host and a port")
    until = time.monotonic() + CONNECT_TIMEOUT
    while True:
        try:
            with socket.create_connection((host.strip("[]"), int(port)),
                                          timeout=CONNECT_TIMEOUT) as wire:
                first = wire.recv(8, socket.MSG_WAITALL)
            break
        except ConnectionRefusedError:          # the scheduler may be starting
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
    if len(first) < 8 or int.from_bytes(first, "little") > MAX_GREETING:
        raise ValueError("the server there is not a Dask scheduler")


class Cluster:
    """A connection to a Dask scheduler, closed by its `with` block.

    Parameters: address, of the scheduler, such as tcp://127.0.0.1:8786.
    Errors: UsageError if it cannot be reached, or its workers have other software.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._loggers = _SilentLoggers()
        self._client: Any = None
        self._checked: set[str] = set()

    def __enter__(self) -> Self:
        try:
            # imported here: an optional package that needs a second
            distributed: Any = importlib.import_module("distributed")
        except ImportError as error:
            raise UsageError(
                f"pysitar batch: --dask needs the package distributed ({error}); expected {EXTRA}"
            ) from None
        self._loggers.begin()
        try:
            _check_scheduler(self.address)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")          # about different versions: reported below
                self._client = distributed.Client(self.address, timeout=CONNECT_TIMEOUT,
                                                  set_as_default=False)
            self._check()
        except UsageError:
            self.close()
            raise
        except (OSError, ValueError, TypeError, ImportError) as error:
            self.close()
            raise UsageError(one_line(
                f"pysitar batch: --dask {self.address}: no Dask scheduler answers there ({error}); "
                "expected the address that `dask scheduler` shows, such as "
                "tcp://127.0.0.1:8786")) from None
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; unfinished tasks are abandoned."""
        if self._client is not None:
            try:
                self._client.close(timeout=2.0)
            except Exception:           # the scheduler is disconnected, or busy
                # what is abandoned would be reported when the process ends
                logging.getLogger("asyncio").setLevel(logging.CRITICAL + 1)
        self._client = None
        self._loggers.end()

    @property
    def connected(self) -> bool:
        """Whether the scheduler answers."""
        return bool(self._client.status == "running")

    def threads(self) -> int:
        """Return the number of worker threads; check new workers.

        Errors: OSError; UsageError, as `Cluster`.
        """
        threads = self._client.nthreads()
        if set(threads) - self._checked:
            self._check()
        return sum(threads.values())

    def submit(self, *words: Any) -> Any:
        """Return the future of a task.  Parameters: words, the arguments of `attempt_item`."""
        return self._client.submit(attempt_item, *words, key=f"pysitar-{secrets.token_hex(12)}",
                                   pure=False)

    def workers(self, setup: Setup, *, function: str = MAKE) -> ClusterWorkers[Any]:
        """Return a pool of the cluster, used as `Workers`."""
        return ClusterWorkers(self, setup, function=function)

    def _check(self) -> None:
        """Compare the software of the scheduler and the workers with that of this process.

        Errors: UsageError, which names each difference.
        """
        found = self._client.get_versions(check=False)
        ours = _versions(found["client"])
        versions = {
            name: _versions(other)
            for name, other in {"the scheduler": found["scheduler"], **found["workers"]}.items()}
        self._check_differences(
            {name: _format_versions(theirs) for name, theirs in versions.items() if theirs != ours},
            _format_versions(ours))
        builds = self._builds()
        self._check_differences(
            {name: str(build) for name, build in builds.items() if build != this_build()},
            str(this_build()))
        self._checked |= builds.keys()

    def _builds(self) -> dict[str, Build]:
        """Return the pysitar build of each worker; a worker that disconnects meanwhile has none."""
        by_value: Any = importlib.import_module("cloudpickle")
        by_value.register_pickle_by_value(cluster_probe)
        try:
            found = self._client.run(cluster_probe.probe, on_error="return")
        finally:
            by_value.unregister_pickle_by_value(cluster_probe)
        return {name: _build_of(answer)
                for name, answer in found.items() if not isinstance(answer, OSError)}

    def _check_differences(self, others: dict[str, str], ours: str) -> None:
        """Raise a UsageError that names each machine that differs, if any."""
        if not others:
            return
        lines = [f"{name} ({theirs})" for name, theirs in sorted(others.items())]
        start = f"pysitar batch: --dask {self.address}: "
        if len(lines) > MAX_NAMED:
            report_lines([start + line for line in lines], start, "more")
        names = list_first(lines, MAX_NAMED)
        raise UsageError(one_line(
            f"{start}other software than here: {names}; expected {ours} on all machines, as here"))


class ClusterWorkers(Generic[Item]):
    """Compute items as tasks of a cluster; tasks not started are abandoned at the end of the `with`
    block.

    Parameters: cluster; setup, with a folder that all workers see; function, as module:name, which
    computes an item.
    """

    def __init__(self, cluster: Cluster, setup: Setup, *, function: str = MAKE) -> None:
        self._cluster, self._function = cluster, function
        scores = tuple(
            replace(score, uses=tuple(
                replace(use, folder=use.folder.absolute()) for use in score.uses))
            for score in setup.scores)
        absolute_setup = replace(setup, folder=os.path.abspath(setup.folder), scores=scores)
        self._setup = pickle.dumps(absolute_setup)
        # a hidden name, so that its remains are removed with the others
        self._marks = Path(absolute_setup.folder, hidden_name())
        self._finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._in_flight: dict[Any, Item] = {}
        self._deaths: dict[str, int] = {}
        self._query_time, self._capacity, self._without_workers = 0.0, MIN_IN_FLIGHT, False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        for future in self._in_flight:
            with suppress(Exception):          # the scheduler is disconnected
                future.release()
        self._in_flight.clear()
        shutil.rmtree(self._marks, ignore_errors=True)

    def outcomes(self, items: Iterator[Item]) -> Iterator[Outcome[Item]]:
        """Compute items; yield the outcome of each, in the order in which they end.

        Errors: OSError if the scheduler disconnects; UsageError if a new worker has other software.
        """
        self._marks.mkdir(exist_ok=True)
        more = True
        while True:
            while more and len(self._in_flight) < self._max_in_flight():
                item = next(items, None)
                if item is None:
                    more = False
                else:
                    self._submit_item(item)
            if not self._in_flight:
                return
            try:
                future = self._finished.get(timeout=QUERY_INTERVAL)
            except queue.Empty:
                continue
            outcome = self._take_result(future)
            if outcome is not None:
                yield outcome

    def _submit_item(self, item: Item) -> None:
        sent = items.with_absolute_folders(item) if isinstance(item, items.Item) else item
        future = self._cluster.submit(self._function, self._setup, sent, str(self._marks),
                                      this_build(), current_command())
        self._in_flight[future] = item
        future.add_done_callback(self._finished.put)

    def _take_result(self, future: Any) -> Outcome[Item] | None:
        """Return the outcome of a task; None if its item is submitted once more.

        Errors: OSError.
        """
        item = self._in_flight.pop(future)
        if future.status == "cancelled":
            self._raise_disconnected()
        error = future.exception() if future.status == "error" else None
        reply = None if error is not None else future.result()
        future.release()
        if reply is not None:
            self._deaths.pop(item.name, None)
            return Outcome(item) if reply[0] == DONE else Outcome(item, reply[2], reply[1])
        if type(error).__name__ != "KilledWorker":
            return Outcome(
                item, one_line(f"its task failed on the cluster: {type(error).__name__}: {error}"))
        # also other items of a dead worker count: an item that was started is marked in the folder
        self._deaths[item.name] = self._deaths.get(item.name, 0) + 1
        if self._deaths[item.name] < MAX_ATTEMPTS:
            self._submit_item(item)
            return None
        return Outcome(item, f"its process died {MAX_ATTEMPTS} times")

    def _max_in_flight(self) -> int:
        """Return the greatest number of submitted items.

        Errors: OSError; UsageError, as `Cluster`.
        """
        now = time.monotonic()
        if now - self._query_time >= QUERY_INTERVAL:
            if not self._cluster.connected:
                self._raise_disconnected()
            try:
                threads = self._cluster.threads()
            except UsageError:          # a new worker has other software
                raise
            except Exception:
                self._raise_disconnected()
            if not threads and not self._without_workers:
                report(one_line(f"pysitar: the Dask scheduler at {self._cluster.address} has no "
                                "worker; waiting for one"))
            self._without_workers = not threads
            self._query_time, self._capacity = now, max(MIN_IN_FLIGHT, ITEMS_PER_THREAD * threads)
        return self._capacity

    def _raise_disconnected(self) -> NoReturn:
        raise OSError(
            errno.ECONNRESET,
            f"the Dask scheduler at {self._cluster.address} has disconnected; finished sounds are "
            "kept, and the same command continues from here")


class _SilentLoggers:
    """Dask's loggers, silenced meanwhile: pysitar reports the same errors in its own messages."""

    def __init__(self) -> None:
        self._levels: dict[logging.Logger, int] = {}

    def begin(self) -> None:
        names = [
            name for name in logging.root.manager.loggerDict
            if name.partition(".")[0] in {"distributed", "tornado"}]
        self._levels = {logger: logger.level for logger in map(logging.getLogger, names)}
        for logger in self._levels:
            logger.setLevel(logging.CRITICAL + 1)

    def end(self) -> None:
        for logger, level in self._levels.items():
            logger.setLevel(level)
        self._levels.clear()


def _build_of(answer: Any) -> Build:
    """Return the build that a worker reports, or that cannot be loaded there."""
    if isinstance(answer, Exception):
        return Build("", "", f"pysitar cannot be loaded: {answer}")
    return Build(*answer)


def _versions(found: dict[str, Any]) -> dict[str, str]:
    """Return the versions that must agree; of Python, major and minor."""
    known = {**found["host"], **found["packages"]}
    return {
        name: ".".join(str(known.get(name)).split(".")[:2 if name == "python" else None])
        for name in COMPARED_VERSIONS}


def _format_versions(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in versions.items())
