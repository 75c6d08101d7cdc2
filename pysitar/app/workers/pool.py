"""Supervised worker processes: a dead one is replaced, and its item is tried once more."""
from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

from pysitar.app.messages import report
from pysitar.app.workers.process import DONE, NO_MEMORY, READY
from pysitar.errors import counted
from pysitar.output.hidden import current_command
from pysitar.system.threads import THREADS

MAX_ATTEMPTS = 2                       # per item whose worker dies
MAX_FAILED_STARTS = 3  # workers in a row that die before they are ready: then no more are started
EXIT_TIMEOUT = 5.0                  # s for a worker to end


class HasName(Protocol):
    """An item of a worker: anything with a name."""

    @property
    def name(self) -> str:
        """The name."""


Item = TypeVar("Item", bound=HasName)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Item]):
    """The result of an item.

    Parameters: item; error, why it failed ("": it succeeded); number, the errno of an OSError.
    """

    item: Item
    error: str = ""
    number: int | None = None


@dataclass(slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    connection: Connection
    item: Any = None
    ready: bool = False


class Workers:
    """Processes that compute items.

    Parameters: count, the greatest number of processes; setup, sent to each of them; function, as
    module:name, which computes an item. At the end of the `with` block the processes end and
    unfinished items are abandoned. For the main thread only: the system ends a worker with the
    thread that started it.
    """

    def __init__(self, count: int, setup: Any, *, function: str) -> None:
        self._count, self._setup, self._function = count, setup, function
        self._workers: list[_Worker] = []
        self._failed_starts = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        for worker in self._workers:
            worker.connection.close()
            if kind is not None:
                worker.process.terminate()
        for worker in self._workers:
            _wait_for_exit(worker.process)
        self._workers.clear()

    @property
    def processes(self) -> tuple[int, ...]:
        """The process numbers."""
        return tuple(worker.process.pid for worker in self._workers)

    def outcomes(self, items: Iterator[Item]) -> Iterator[Outcome[Item]]:
        """Compute items; yield the outcome of each, in the order in which they end.

        Errors: OSError if no worker can be started; ChildProcessError if all workers die before
        they are ready.
        """
        retries: list[Item] = []
        attempts: dict[str, int] = {}
        more = True
        while True:
            while more or retries:
                worker = self._idle_worker()
                if worker is None:
                    break
                item = retries.pop() if retries else next(items, None)
                if item is None:
                    more = False
                    break
                worker.item = item
                if worker.ready:
                    _send(worker.connection, item)
            if not any(worker.item for worker in self._workers):
                if not more and not retries:
                    return
                continue
            for connection in wait([worker.connection for worker in self._workers if worker.item]):
                worker = next(worker for worker in self._workers if worker.connection is connection)
                outcome = self._receive(worker, retries, attempts)
                if outcome is not None:
                    attempts.pop(outcome.item.name, None)
                    yield outcome

    def _receive(self, worker: _Worker, retries: list[Item],
                 attempts: dict[str, int]) -> Outcome[Item] | None:
        """Receive a reply of a worker, or handle its death."""
        item: Item | None = worker.item
        assert item is not None
        try:
            reply = worker.connection.recv()
        except (EOFError, OSError):
            return self._replace_worker(worker, item, retries, attempts)
        if reply[0] == READY:
            worker.ready, self._failed_starts = True, 0
            _send(worker.connection, item)
            return None
        worker.item = None
        return Outcome(item) if reply[0] == DONE else Outcome(item, reply[2], reply[1])

    def _replace_worker(self, worker: _Worker, item: Item, retries: list[Item],
                        attempts: dict[str, int]) -> Outcome[Item] | None:
        """Remove a dead worker; its item is tried again, or has failed.

        Errors: ChildProcessError.
        """
        self._workers.remove(worker)
        worker.connection.close()
        reason = _exit_reason(_wait_for_exit(worker.process))
        if not worker.ready:
            retries.append(item)
            self._failed_starts += 1
            if self._failed_starts >= MAX_FAILED_STARTS:
                self._reduce_workers(
                    f"{MAX_FAILED_STARTS} workers ended before they began, the last one {reason}")
            return None
        attempts[item.name] = attempts.get(item.name, 0) + 1
        if attempts[item.name] < MAX_ATTEMPTS:
            retries.append(item)
            return None
        return Outcome(item, f"its process died {MAX_ATTEMPTS} times, the last time {reason}")

    def _reduce_workers(self, why: str) -> None:
        """Start no further workers.  Errors: ChildProcessError if none is left."""
        self._count, self._failed_starts = len(self._workers), 0
        if not self._count:
            raise ChildProcessError(errno.ECHILD, why)
        report(f"pysitar: {why}; continuing with {counted(self._count, 'worker')}")

    def _idle_worker(self) -> _Worker | None:
        """Return an idle worker, a new one if necessary; None if the greatest number is busy."""
        for worker in [worker for worker in self._workers if worker.item is None]:
            if worker.process.poll() is None:
                return worker
            self._workers.remove(worker)
            worker.connection.close()
        if len(self._workers) >= self._count:
            return None
        worker = self._start_worker()
        self._workers.append(worker)
        return worker

    def _start_worker(self) -> _Worker:
        ours, theirs = Pipe()
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; from pysitar.app.workers.process import "
            f"main; main({theirs.fileno()}, {os.getpid()}, {self._function!r}, "
            f"{current_command()!r})")
        # a process group of its own: Ctrl-C in a terminal goes to the parent alone, which ends the
        # workers
        process = subprocess.Popen([sys.executable, "-c", code], pass_fds=[theirs.fileno()],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   process_group=0, env=os.environ | dict.fromkeys(THREADS, "1"))
        theirs.close()
        _send(ours, self._setup)
        return _Worker(process, ours)


def _send(connection: Connection, what: Any) -> None:
    with suppress(OSError):          # the death of the worker is handled at the next wait
        connection.send(what)


def _wait_for_exit(process: subprocess.Popen[bytes]) -> int:
    """Wait for a process to end, or kill it; return its exit code, below 0 for a signal."""
    try:
        return process.wait(EXIT_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _exit_reason(code: int) -> str:
    if code == NO_MEMORY:
        return "for lack of memory"
    if code >= 0:
        return f"with exit code {code}"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"
