"""Ctrl-C while the command is still being imported: one line and its exit code, as later; nothing has been begun yet."""
from __future__ import annotations

import os
import signal
import sys
from types import FrameType

MODULE = "pysitar"
INTERRUPTED = 130               # as failures.py has it, which would import more


def begin() -> None:
    """End the process at once at SIGINT from here to `end`, if the command is started, not a program that imports pysitar."""
    if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def end() -> None:
    """Raise KeyboardInterrupt at SIGINT again."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_command() -> bool:
    """Whether this process was started as `pysitar` or as `python -m pysitar`; its workers, which inherit sys.argv, were not."""
    first = sys.argv[0] if sys.argv else ""
    if first == "-m":           # so it is while the package of a module that is run is imported
        return not {MODULE, f"-m{MODULE}"}.isdisjoint(sys.orig_argv)
    return os.path.basename(first) == MODULE and first in sys.orig_argv


def _leave(number: int, frame: FrameType | None) -> None:
    try:
        os.write(2, b"pysitar: interrupted\n")
    finally:
        os._exit(INTERRUPTED)
