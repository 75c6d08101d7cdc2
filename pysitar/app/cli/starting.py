"""Ctrl-C, or too little memory, while the command is still being imported: one line and its exit
code, as later; nothing has been begun yet."""
from __future__ import annotations

import os
import signal
import sys
from types import FrameType, TracebackType

MODULE = "pysitar"
NOT_MAPPED = "failed to map segment"          # of a shared library
INTERRUPTED = 130               # as messages.py has it, which would import more


def begin() -> None:
    """End the process at once at SIGINT, and with one line for lack of memory, from here to `end`,
    if the command is started, not a program that imports pysitar."""
    if not _is_command():
        return
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _show


def end() -> None:
    """Raise KeyboardInterrupt at SIGINT again, and show exceptions as ever."""
    if sys.excepthook is _show:
        sys.excepthook = sys.__excepthook__
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_command() -> bool:
    """Whether this process was started as `pysitar` or as `python -m pysitar`, not as a program that imports pysitar.__main__."""
    first = sys.argv[0] if sys.argv else ""
    if os.path.basename(first) == "__main__.py":
        return not {MODULE, f"-m{MODULE}"}.isdisjoint(sys.orig_argv)
    return os.path.basename(first) == MODULE and first in sys.orig_argv


def _show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Show what ended an import: a lack of memory, also of a library's, in one line."""
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
