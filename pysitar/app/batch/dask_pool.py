"""Workers of a Dask cluster: each item is a task, few of them at a time, made as a local worker makes it."""
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
from pysitar.app.batch.dask_task import TRIES, attempted
from pysitar.app.batch.render_item import MAKE, Setup, names_of
from pysitar.app.messages import UsageError, one_line, report
from pysitar.app.progress import report_lines
from pysitar.app.workers.pool import Item, Outcome
from pysitar.app.workers.process import DONE
from pysitar.output.hidden import current_command, hidden_name

CONNECTING = 10.0               # s in which a scheduler is to answer
ASKING = 1.0                    # s between two questions how many workers there are
LONGEST_WORD = 1 << 20          # bytes of a scheduler's greeting, and far more
EACH = 2                        # items in flight for each thread of a worker: one that it makes, one that waits
LEAST = 4                       # items in flight at least, for workers that come
SAME = ("python", "dask", "distributed")
NAMED = 4                       # workers that a message names; of more, each has a line before it
EXTRA = "pip install 'pysitar[distributed]'"


def _check_that_dask_answers(address: str) -> None:
    """Tell what is no scheduler by its first word, which is the length of what it says: a client would wait for others, or run out of
    memory on theirs.

    Parameters: address; one that is no tcp://HOST:PORT is left to the client.
    Errors: OSError; ValueError, an address of no scheduler.
    """
    kind, _, place = address.rpartition("://")
    host, _, port = place.rpartition(":")
    if kind not in ("", "tcp", "tls", "ucx", "ws", "wss", "inproc"):
        raise ValueError(f"{kind} is no way to reach one")
    if kind not in ("", "tcp"):
        return
    if not (host and port.isdecimal()):
        raise ValueError("a host and a port would be right")
    until = time.monotonic() + CONNECTING
    while True:
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECTING) as wire:
                first = wire.recv(8, socket.MSG_WAITALL)
            break
        except ConnectionRefusedError:          # it may be about to begin
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
    if len(first) < 8 or int.from_bytes(first, "little") > LONGEST_WORD:
        raise ValueError("what answers speaks another language")


class Cluster:
    """A connection to a Dask scheduler, to be closed by its `with` block.

    Parameters: address, of the scheduler, such as tcp://127.0.0.1:8786.
    Errors: UsageError, when it cannot be reached, or its workers could not make the items.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._quiet = _Quiet()
        self._client: Any = None
        self._checked: set[str] = set()

    def __enter__(self) -> Self:
        try:
            distributed: Any = importlib.import_module("distributed")          # here: it is an extra, and takes a second
        except ImportError as error:
            raise UsageError(f"pysitar batch: --dask needs the package distributed ({error}); expected {EXTRA}") from None
        self._quiet.begin()
        try:
            _check_that_dask_answers(self.address)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")          # of versions that differ: told below
                self._client = distributed.Client(self.address, timeout=CONNECTING, set_as_default=False)
            self._check()
        except UsageError:
            self.close()
            raise
        except (OSError, ValueError, TypeError, ImportError) as error:
            self.close()
            raise UsageError(one_line(f"pysitar batch: --dask {self.address}: no Dask scheduler answers there ({error}); the address that "
                                      "`dask scheduler` tells, such as tcp://127.0.0.1:8786, would be right")) from None
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the connection; what is computed for it is given up."""
        if self._client is not None:
            with suppress(Exception):          # a scheduler that has gone away
                self._client.close(timeout=2.0)
        self._client = None
        self._quiet.end()

    @property
    def connected(self) -> bool:
        """Whether the scheduler is there."""
        return bool(self._client.status == "running")

    def threads(self) -> int:
        """How many threads its workers have; new workers are checked.  Errors: OSError; UsageError, as `Cluster`."""
        threads = self._client.nthreads()
        if set(threads) - self._checked:
            self._check()
        return sum(threads.values())

    def submitted(self, *words: Any) -> Any:
        """The future of a task.  Parameters: words, of `attempted`."""
        return self._client.submit(attempted, *words, key=f"pysitar-{secrets.token_hex(12)}", pure=False)

    def workers(self, setup: Setup, *, function: str = MAKE) -> ClusterWorkers[Any]:
        """What makes items in it; as `Workers`."""
        return ClusterWorkers(self, setup, function=function)

    def _check(self) -> None:
        """Compare what the scheduler and the workers have with what is here.  Errors: UsageError, which names each that differs."""
        found = self._client.get_versions(check=False)
        ours = _versions(found["client"])
        versions = {name: _versions(other) for name, other in {"the scheduler": found["scheduler"], **found["workers"]}.items()}
        self._refuse({name: _listed(theirs) for name, theirs in versions.items() if theirs != ours}, _listed(ours))
        builds = self._builds()
        self._refuse({name: str(build) for name, build in builds.items() if build != this_build()}, str(this_build()))
        self._checked |= builds.keys()

    def _builds(self) -> dict[str, Build]:
        """The build of pysitar that each worker has; one that goes away meanwhile has none."""
        by_value: Any = importlib.import_module("cloudpickle")
        by_value.register_pickle_by_value(cluster_probe)
        try:
            found = self._client.run(cluster_probe.probe, on_error="return")
        finally:
            by_value.unregister_pickle_by_value(cluster_probe)
        return {name: Build("", "", f"pysitar cannot be loaded: {answer}") if isinstance(answer, Exception) else Build(*answer)
                for name, answer in found.items() if not isinstance(answer, OSError)}

    def _refuse(self, others: dict[str, str], ours: str) -> None:
        """Raise a UsageError that names each that differs, if any does."""
        if not others:
            return
        lines = [f"{name} ({theirs})" for name, theirs in sorted(others.items())]
        start = f"pysitar batch: --dask {self.address}: "
        if len(lines) > NAMED:
            report_lines([start + line for line in lines], start, "more")
        raise UsageError(one_line(f"{start}other software than here: {names_of(lines, NAMED)}; expected {ours} on all machines, as here"))


class ClusterWorkers(Generic[Item]):
    """Makes items as tasks of a cluster; at the end of the `with` block those that did not begin are given up.

    Parameters: cluster; setup, its folder one that all workers see; function, module:name, of what makes an item.
    """

    def __init__(self, cluster: Cluster, setup: Setup, *, function: str = MAKE) -> None:
        self._cluster, self._function = cluster, function
        placed = replace(setup, folder=os.path.abspath(setup.folder), scores=tuple(
            replace(score, uses=tuple(replace(use, folder=use.folder.absolute()) for use in score.uses)) for score in setup.scores))
        self._setup = pickle.dumps(placed)
        self._marks = Path(placed.folder, hidden_name())          # so that what is left of it is taken away with the rest
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._flying: dict[Any, Item] = {}
        self._lost: dict[str, int] = {}
        self._asked, self._room, self._lonely = 0.0, LEAST, False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for future in self._flying:
            with suppress(Exception):          # a scheduler that has gone away
                future.release()
        self._flying.clear()
        shutil.rmtree(self._marks, ignore_errors=True)

    def outcomes(self, items: Iterator[Item]) -> Iterator[Outcome[Item]]:
        """Make items; yield what became of each, in the order in which they end.

        Errors: OSError, when the scheduler has gone away; UsageError, when a worker has come that could not make them.
        """
        self._marks.mkdir(exist_ok=True)
        more = True
        while True:
            while more and len(self._flying) < self._most():
                item = next(items, None)
                if item is None:
                    more = False
                else:
                    self._begin(item)
            if not self._flying:
                return
            try:
                future = self._ended.get(timeout=ASKING)
            except queue.Empty:
                continue
            outcome = self._heard(future)
            if outcome is not None:
                yield outcome

    def _begin(self, item: Item) -> None:
        sent = items.placed(item) if isinstance(item, items.Item) else item
        future = self._cluster.submitted(self._function, self._setup, sent, str(self._marks), this_build(), current_command())
        self._flying[future] = item
        future.add_done_callback(self._ended.put)

    def _heard(self, future: Any) -> Outcome[Item] | None:
        """What became of a task; None when its item is begun once more.  Errors: OSError."""
        item = self._flying.pop(future)
        if future.status == "cancelled":
            self._gone()
        error = future.exception() if future.status == "error" else None
        said = None if error is not None else future.result()
        future.release()
        if said is not None:
            self._lost.pop(item.name, None)
            return Outcome(item) if said[0] == DONE else Outcome(item, said[2], said[1])
        if type(error).__name__ != "KilledWorker":
            return Outcome(item, one_line(f"its task failed on the cluster: {type(error).__name__}: {error}"))
        # of a worker that died with other items in hand, too: what it began itself is marked in the folder
        self._lost[item.name] = self._lost.get(item.name, 0) + 1
        if self._lost[item.name] < TRIES:
            self._begin(item)
            return None
        return Outcome(item, f"its process died {TRIES} times")

    def _most(self) -> int:
        """How many items may be in flight.  Errors: OSError; UsageError, as `Cluster`."""
        now = time.monotonic()
        if now - self._asked >= ASKING:
            if not self._cluster.connected:
                self._gone()
            try:
                threads = self._cluster.threads()
            except UsageError:          # a new worker has other software
                raise
            except Exception:
                self._gone()
            if not threads and not self._lonely:
                report(one_line(f"pysitar: the Dask scheduler at {self._cluster.address} has no worker; waiting for one"))
            self._lonely = not threads
            self._asked, self._room = now, max(LEAST, EACH * threads)
        return self._room

    def _gone(self) -> NoReturn:
        raise OSError(errno.ECONNRESET, f"the Dask scheduler at {self._cluster.address} has gone away; what is made is kept, and the same "
                                        "command goes on from here")


class _Quiet:
    """The loggers of Dask, silent meanwhile: what they tell is told in this house's words."""

    def __init__(self) -> None:
        self._levels: dict[logging.Logger, int] = {}

    def begin(self) -> None:
        names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in {"distributed", "tornado"}]
        self._levels = {logger: logger.level for logger in map(logging.getLogger, names)}
        for logger in self._levels:
            logger.setLevel(logging.CRITICAL + 1)

    def end(self) -> None:
        for logger, level in self._levels.items():
            logger.setLevel(level)
        self._levels.clear()


def _versions(found: dict[str, Any]) -> dict[str, str]:
    """Those that must be the same; of Python as far as it matters."""
    known = {**found["host"], **found["packages"]}
    return {name: ".".join(str(known.get(name)).split(".")[:2 if name == "python" else None]) for name in SAME}


def _listed(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in versions.items())
