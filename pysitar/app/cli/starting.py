"""While the command is being imported, handle Ctrl-C and a lack of memory, with one line and the
exit code as later, and collect no garbage."""
from __future__ import annotations

import gc
import os
import signal
import sys
from types import FrameType, TracebackType

MODULE = "pysitar"
NOT_MAPPED = "failed to map segment"          # of a shared library
INTERRUPTED = 130               # the value in messages.py, which would import more


def begin() -> None:
    """Until `end`, exit at once on SIGINT, report a lack of memory in one line, and disable the
    cyclic garbage collector: it takes a tenth of the time of an import and frees nothing.

    Does nothing in a program that imports pysitar.
    """
    if not _is_command():
        return
    gc.disable()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _show


def end() -> None:
    """Restore KeyboardInterrupt on SIGINT, the default display of exceptions and the garbage
    collector."""
    if _is_command() and not gc.isenabled():
        gc.freeze()                     # moves what the import has created to the oldest generation
        gc.unfreeze()
        gc.enable()
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
