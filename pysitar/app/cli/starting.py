"""Handle Ctrl-C and a lack of memory while the command is being imported: one line and the exit
code, as later."""
from __future__ import annotations

import os
import signal
import sys
from types import FrameType, TracebackType

MODULE = "pysitar"
NOT_MAPPED = "failed to map segment"          # of a shared library
INTERRUPTED = 130               # the value in messages.py, which would import more


def begin() -> None:
    """Until `end`, exit at once on SIGINT, and report a lack of memory in one line.

    Does nothing in a program that imports pysitar.
    """
    if not _is_command():
        return
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _show


def end() -> None:
    """Restore KeyboardInterrupt on SIGINT and the default display of exceptions."""
    if sys.excepthook is _show:
        sys.excepthook = sys.__excepthook__
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_command() -> bool:
    """Return whether this process was started as `pysitar` or `python -m pysitar`, not by an import
    of pysitar.__main__."""
    first = sys.argv[0] if sys.argv else ""
    if os.path.basename(first) == "__main__.py":
        return not {MODULE, f"-m{MODULE}"}.isdisjoint(sys.orig_argv)
    return os.path.basename(first) == MODULE and first in sys.orig_argv


def _show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Show the exception that ended an import: a lack of memory, also in a library, in one line."""
    if issubclass(kind, MemoryError) or (issubclass(kind, ImportError)
                                         and NOT_MAPPED in str(error)):
        os.write(2, b"pysitar: there is not enough memory\n")
    else:
        sys.__excepthook__(kind, error, trace)


def _leave(number: int, frame: FrameType | None) -> None:
    try:
        os.write(2, b"pysitar: interrupted\n")
    finally:
        os._exit(INTERRUPTED)
