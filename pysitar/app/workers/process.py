"""The process that makes items, one after the other, as its parent hands them out; it ends with its parent."""
from __future__ import annotations

import ctypes
import errno
import importlib
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from pysitar.app.messages import free_frames, message, one_line
from pysitar.app.terminal import clean_stream
from pysitar.output.hidden import files_named_for

READY, DONE, FAILED = "ready", "done", "failed"
PR_SET_PDEATHSIG = 1
NO_MEMORY = errno.ENOMEM         # the exit code of a worker that has not the memory to begin


def main(descriptor: int, parent: int, function: str, command: str) -> None:
    """Make items until there are no more.

    Parameters: descriptor, of the connection to the parent; parent, its process number; function, module:name, called with the setup and
    an item; command, for which unfinished files are named. The parent sends the setup, then items, None at the end; it is told (READY,),
    then for each item (DONE,) or (FAILED, errno or None, message).
    """
    _exit_with_parent(parent)
    sys.stderr = clean_stream(sys.stderr)
    signal.signal(signal.SIGINT, signal.SIG_IGN)          # Ctrl-C is the parent's
    with suppress(EOFError, OSError), files_named_for(command), Connection(descriptor) as connection:
        try:
            setup = connection.recv()
            module, _, name = function.partition(":")
            make: Callable[[Any, Any], None] = getattr(importlib.import_module(module), name)
        except MemoryError:
            os._exit(NO_MEMORY)
        connection.send((READY,))
        while (item := connection.recv()) is not None:
            connection.send(run_item(make, setup, item))


def run_item(make: Callable[[Any, Any], None], setup: Any, item: Any) -> tuple[Any, ...]:
    """Make an item: (DONE,) or (FAILED, errno or None, message)."""
    try:
        make(setup, item)
    except Exception as error:
        if isinstance(error, MemoryError):
            free_frames(error)
        number = error.errno if isinstance(error, OSError) else None
        return FAILED, number, one_line(message(error))
    return (DONE,)


def _exit_with_parent(parent: int) -> None:
    """Let the system send SIGTERM, which takes half-made files away, when the parent dies; else the closed connection ends the process."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:          # it died before
        os._exit(1)
