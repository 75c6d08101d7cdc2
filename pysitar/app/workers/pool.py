"""Workers, one process each, supervised: one that dies is replaced, and its item tried once more."""
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
from pysitar.output.hidden import current_command

TRIES = 2                       # of an item whose worker dies
STILLBORN = 3                   # workers that die before they are ready, one after the other: no more are started beside those there are
PATIENCE = 5.0                  # s that a worker has to end
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")          # a worker has one CPU


class Named(Protocol):
    """What a worker makes: something with a name of its own."""

    @property
    def name(self) -> str:
        """Its name."""


Item = TypeVar("Item", bound=Named)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Item]):
    """What became of an item.  Parameters: item; error, why it failed ("": it is made); number, of an OSError."""

    item: Item
    error: str = ""
    number: int | None = None


@dataclass(slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    connection: Connection
    item: Any = None          # of the kind that it is given
    ready: bool = False


class Workers:
    """Processes that make items.

    Parameters: count, how many at most; setup, that they are given; function, module:name, of what makes an item.
    They are ended, and what they have in hand is given up, at the end of the `with` block. To be used in the main thread: the system
    ends a worker with the thread that started it.
    """

    def __init__(self, count: int, setup: Any, *, function: str) -> None:
        self._count, self._setup, self._function = count, setup, function
        self._workers: list[_Worker] = []
        self._stillborn = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for worker in self._workers:
            worker.connection.close()
            if kind is not None:
                worker.process.terminate()
        for worker in self._workers:
            _end(worker.process)
        self._workers.clear()

    @property
    def processes(self) -> tuple[int, ...]:
        """The numbers of the processes."""
        return tuple(worker.process.pid for worker in self._workers)

    def outcomes(self, items: Iterator[Item]) -> Iterator[Outcome[Item]]:
        """Make items; yield what became of each, in the order in which they end.

        Errors: OSError, when no worker can be started; ChildProcessError, when all that are started end before they begin.
        """
        again: list[Item] = []
        tried: dict[str, int] = {}
        more = True
        while True:
            while more or again:
                worker = self._free()
                if worker is None:
                    break
                item = again.pop() if again else next(items, None)
                if item is None:
                    more = False
                    break
                worker.item = item
                if worker.ready:
                    _send(worker.connection, item)
            if not any(worker.item for worker in self._workers):
                if not more and not again:
                    return
                continue
            for connection in wait([worker.connection for worker in self._workers if worker.item]):
                worker = next(worker for worker in self._workers if worker.connection is connection)
                outcome = self._heard(worker, again, tried)
                if outcome is not None:
                    tried.pop(outcome.item.name, None)
                    yield outcome

    def _heard(self, worker: _Worker, again: list[Item], tried: dict[str, int]) -> Outcome[Item] | None:
        """Take what a worker says, or its death."""
        item: Item | None = worker.item
        assert item is not None
        try:
            said = worker.connection.recv()
        except (EOFError, OSError):
            return self._dead(worker, item, again, tried)
        if said[0] == READY:
            worker.ready, self._stillborn = True, 0
            _send(worker.connection, item)
            return None
        worker.item = None
        return Outcome(item) if said[0] == DONE else Outcome(item, said[2], said[1])

    def _dead(self, worker: _Worker, item: Item, again: list[Item], tried: dict[str, int]) -> Outcome[Item] | None:
        """Bury a worker; its item is tried again, or has failed.  Errors: ChildProcessError."""
        self._workers.remove(worker)
        worker.connection.close()
        how = _death(_end(worker.process))
        if not worker.ready:
            again.append(item)
            self._stillborn += 1
            if self._stillborn >= STILLBORN:
                self._go_on_with_the_others(f"{STILLBORN} workers ended before they began, the last one {how}")
            return None
        tried[item.name] = tried.get(item.name, 0) + 1
        if tried[item.name] < TRIES:
            again.append(item)
            return None
        return Outcome(item, f"its process died {TRIES} times, the last time {how}")

    def _go_on_with_the_others(self, why: str) -> None:
        """Start no more workers than there are.  Errors: ChildProcessError, when there is none."""
        self._count, self._stillborn = len(self._workers), 0
        if not self._count:
            raise ChildProcessError(errno.ECHILD, why)
        report(f"pysitar: {why}; going on with {self._count} worker{'s' if self._count > 1 else ''}")

    def _free(self) -> _Worker | None:
        """A worker that has nothing to do, a new one if need be; None when all there may be are busy."""
        for worker in [worker for worker in self._workers if worker.item is None]:
            if worker.process.poll() is None:
                return worker
            self._workers.remove(worker)
            worker.connection.close()
        if len(self._workers) >= self._count:
            return None
        worker = self._started()
        self._workers.append(worker)
        return worker

    def _started(self) -> _Worker:
        ours, theirs = Pipe()
        code = (f"import sys; sys.path[:] = {sys.path!r}; from pysitar.app.workers.process import main; "
                f"main({theirs.fileno()}, {os.getpid()}, {self._function!r}, {current_command()!r})")
        # a process group of its own: Ctrl-C in a terminal goes to the parent alone, which ends the workers
        process = subprocess.Popen([sys.executable, "-c", code], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, process_group=0, env=os.environ | dict.fromkeys(THREADS, "1"))
        theirs.close()
        _send(ours, self._setup)
        return _Worker(process, ours)


def _send(connection: Connection, what: Any) -> None:
    with suppress(OSError):          # a worker that has died is heard of next
        connection.send(what)


def _end(process: subprocess.Popen[bytes]) -> int:
    """Wait until a process that ends has ended, or kill it; its exit code, below 0 for a signal."""
    try:
        return process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _death(code: int) -> str:
    if code == NO_MEMORY:
        return "for lack of memory"
    if code >= 0:
        return f"with exit code {code}"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"
