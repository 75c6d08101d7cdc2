"""The message and the exit code of the exception that ends a command."""
from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from pysitar.errors import PysitarError, RenderError, ScoreError, printable
from pysitar.output.signals import SignalExit

DONE, FAILED, WRONG = 0, 1, 2           # WRONG: the command line or the score is wrong
INTERRUPTED, CLOSED_PIPE = 130, 141     # as in a shell: 128 + SIGINT, 128 + SIGPIPE
TRACEBACK = "PYSITAR_TRACEBACK"         # set to 1: show tracebacks
LONGEST = 500                           # characters of a message in one line
NO_MEMORY = "pysitar: there is not enough memory"


class UsageError(PysitarError):
    """The command line is wrong."""


def exit_code(error: BaseException) -> int:
    """Return the exit code of a command ended by an exception."""
    if isinstance(error, SignalExit):
        return int(128 + error.signal)
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return CLOSED_PIPE
    if isinstance(error, RenderError) or not isinstance(error, PysitarError):
        return FAILED
    return WRONG


def message(error: BaseException) -> str:
    """Return the message of an exception; "" for a closed pipe."""
    if isinstance(error, ScoreError):
        return str(error)
    return one_line(_message_text(error))


def free_frames(error: BaseException | None) -> None:
    """Release the frames of an exception and of those that it was raised from.

    After a MemoryError the frames may hold all memory.
    """
    while error is not None:
        before = error.__context__
        error.__traceback__ = error.__context__ = error.__cause__ = None
        error = before


def report(text: str) -> None:
    """Write a line to standard error, unless it is closed.  Errors: OSError."""
    if sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)


def list_first(texts: Sequence[str], most: int, separator: str = ", ") -> str:
    """Return the first texts in one line, and the number of the others."""
    more = [f"and {len(texts) - most} more"] if len(texts) > most else []
    return separator.join([*texts[:most], *more])


def one_line(text: str) -> str:
    """Return a text without line breaks and control characters, cut to 500 characters."""
    shown = printable(" ".join(text.split()), "?")
    return shown if len(shown) <= LONGEST else shown[:LONGEST - 3] + "..."


def _message_text(error: BaseException) -> str:
    if isinstance(error, SignalExit):
        return f"pysitar: ended by {error.signal.name}"
    if isinstance(error, KeyboardInterrupt):
        return "pysitar: interrupted"
    if isinstance(error, BrokenPipeError):
        return ""
    if isinstance(error, UsageError):
        return str(error)
    if isinstance(error, PysitarError):
        return f"pysitar: {error}"
    if isinstance(error, MemoryError):
        return f"pysitar: {error}" if str(error) else NO_MEMORY
    if isinstance(error, OSError):
        files = (error.filename, error.filename2)
        names = " -> ".join(os.fsdecode(file) for file in files if isinstance(file, str | bytes))
        return f"pysitar: {names}{': ' if names else ''}{error.strerror or error}"
    return (f"pysitar: unexpected {type(error).__name__}: {error}; this is a bug in pysitar; "
            f"please report it with the output of {TRACEBACK}=1")
