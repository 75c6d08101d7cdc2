"""Signals that end the program, raised as exceptions, so that a half-written file is taken away first."""
from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import Any

_held: list[int] = []           # blocks that let signals wait, and the signals that came meanwhile
_waiting: list[int] = []
AGAIN = 1.0             # s after a signal in which others are passed over: what it set going is being cleaned up


class Ended(SystemExit):
    """The program was asked to end by a signal: `signal`; its exit code is 128 and the signal's number, as in a shell."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.signal = signal.Signals(number)


class RaisedEndings:
    """Raise SIGTERM and SIGHUP as Ended, and SIGINT as KeyboardInterrupt but not twice within a
    second, in a `with` block; handlers that a program has set itself, and those of ignored signals,
    stay; outside the main thread nothing changes.

    A class with short functions, not a generator: where all memory is taken, Python never leaves an
    exception handler that stands far into a function.
    """

    def __init__(self) -> None:
        self._last = -AGAIN
        self._replaced: dict[signal.Signals, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        usual = {signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_DFL,
                 signal.SIGINT: signal.default_int_handler}
        self._replaced = {number: handler for number, handler in usual.items()
                          if signal.getsignal(number) is handler}
        for number in self._replaced:
            _set(number, self._handle)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        for number, handler in self._replaced.items():
            _set(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if _held:
            _waiting.append(number)
            return
        before, self._last = self._last, time.monotonic()
        if self._last - before >= AGAIN:
            _end(number)


def raised_endings() -> RaisedEndings:
    """The `with` block of `RaisedEndings`."""
    return RaisedEndings()


def _set(number: signal.Signals, handler: Any) -> None:
    with suppress(ValueError):          # a subinterpreter has no signals
        signal.signal(number, handler)


@contextmanager
def held_endings() -> Iterator[None]:
    """Let a signal that `raised_endings` would raise wait until the block has ended well: for what must not be left half done."""
    _held.append(1)
    try:
        yield
    finally:
        _held.pop()
        waiting = _waiting[:]
        _waiting.clear()
    if waiting:
        _end(waiting[0])


def _end(number: int) -> None:
    """Raise a signal.  Errors: KeyboardInterrupt, Ended."""
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise Ended(number)
