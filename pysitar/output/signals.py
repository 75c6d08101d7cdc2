"""Signals that end the program, raised as exceptions so that partial files are removed first."""
from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import Any

_deferrals: list[int] = []           # open `defer_signals` blocks, and the signals received in them
_pending: list[int] = []
REPEAT_TIME = 1.0             # s after a signal in which others are ignored, during the clean-up


class SignalExit(SystemExit):
    """A signal ends the program: `signal`. The exit code is 128 plus its number, as in a shell."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.signal = signal.Signals(number)


class RaiseSignals:
    """Raise SIGTERM and SIGHUP as SignalExit in a `with` block, and SIGINT as KeyboardInterrupt.

    A second signal within a second is ignored. Handlers that a program has set itself, and those of
    ignored signals, are not replaced; outside the main thread nothing changes.
    This is a class with short functions, not a generator: without free memory Python cannot leave
    an exception handler far from the start of a function.
    """

    def __init__(self) -> None:
        self._last = -REPEAT_TIME
        self._replaced: dict[signal.Signals, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        defaults = {signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_DFL,
                 signal.SIGINT: signal.default_int_handler}
        self._replaced = {number: handler for number, handler in defaults.items()
                          if signal.getsignal(number) is handler}
        for number in self._replaced:
            _set_handler(number, self._handle)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        for number, handler in self._replaced.items():
            _set_handler(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if _deferrals:
            _pending.append(number)
            return
        previous, self._last = self._last, time.monotonic()
        if self._last - previous >= REPEAT_TIME:
            _raise_signal(number)


def raise_signals() -> RaiseSignals:
    """Return the context manager `RaiseSignals`."""
    return RaiseSignals()


def _set_handler(number: signal.Signals, handler: Any) -> None:
    with suppress(ValueError):          # a subinterpreter has no signals
        signal.signal(number, handler)


@contextmanager
def defer_signals() -> Iterator[None]:
    """Defer the signals of `raise_signals` until the block has ended, for steps that must be
    complete."""
    _deferrals.append(1)
    try:
        yield
    finally:
        _deferrals.pop()
        pending = _pending[:]
        _pending.clear()
    if pending:
        _raise_signal(pending[0])


def _raise_signal(number: int) -> None:
    """Raise the exception of a signal.  Errors: KeyboardInterrupt, SignalExit."""
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SignalExit(number)
