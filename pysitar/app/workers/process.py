"""The worker process: it computes the items that its parent sends, and ends with its parent."""
from __future__ import annotations

import ctypes
import errno
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pkgutil import resolve_name
from typing import Any

from pysitar.app.messages import free_frames, message, one_line
from pysitar.app.terminal import clean_stream
from pysitar.output.hidden import files_named_for

READY, DONE, FAILED = "ready", "done", "failed"
PR_SET_PDEATHSIG = 1
NO_MEMORY = errno.ENOMEM         # the exit code of a worker without memory to start


def main(descriptor: int, parent: int, function: str, command: str) -> None:
    """Compute items until None arrives.

    Parameters: descriptor, of the connection to the parent; parent, its process number; function,
    as module:name, called with the setup and an item; command, for the names of unfinished files.
    The parent sends the setup, then items, and None at the end. The worker sends (READY,), then for
    each item (DONE,) or (FAILED, errno or None, message).
    """
    _exit_with_parent(parent)
    sys.stderr = clean_stream(sys.stderr)
    signal.signal(signal.SIGINT, signal.SIG_IGN)          # the parent handles Ctrl-C
    with (
        suppress(EOFError, OSError),
        files_named_for(command),
        Connection(descriptor) as connection,
    ):
        try:
            setup = connection.recv()
            make: Callable[[Any, Any], None] = resolve_name(function)
        except MemoryError:
            os._exit(NO_MEMORY)
        connection.send((READY,))
        while (item := connection.recv()) is not None:
            connection.send(run_item(make, setup, item))


def run_item(make: Callable[[Any, Any], None], setup: Any, item: Any) -> tuple[Any, ...]:
    """Compute an item; return (DONE,) or (FAILED, errno or None, message)."""
    try:
        make(setup, item)
    except Exception as error:
        if isinstance(error, MemoryError):
            free_frames(error)
        number = error.errno if isinstance(error, OSError) else None
        return FAILED, number, one_line(message(error))
    return (DONE,)


def _exit_with_parent(parent: int) -> None:
    """Make the system send SIGTERM, which removes partial files, when the parent dies.

    Elsewhere than on Linux the closed connection ends the process.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:          # the parent died before
        os._exit(1)
