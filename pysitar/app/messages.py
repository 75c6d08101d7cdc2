"""What ends a command, as the user is told it: one message, and the exit code."""
from __future__ import annotations

import os
import sys

from pysitar.errors import ParameterError, PysitarError, RenderError, ScoreError, printable
from pysitar.output.signals import Ended

DONE, FAILED, WRONG = 0, 1, 2           # WRONG: what the user gave is wrong
INTERRUPTED, CLOSED_PIPE = 130, 141     # as a shell counts signals: 128 and SIGINT, 128 and SIGPIPE
TRACEBACK = "PYSITAR_TRACEBACK"         # set to 1, it shows where an unexpected exception came from
LONGEST = 500
NO_MEMORY = "pysitar: there is not enough memory"


class UsageError(PysitarError):
    """The command line itself is wrong."""


def exit_code(error: BaseException) -> int:
    """The exit code of a command that an exception ended."""
    if isinstance(error, Ended):
        return int(128 + error.signal)
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return CLOSED_PIPE
    if isinstance(error, RenderError) or not isinstance(error, PysitarError):
        return FAILED
    return WRONG


def message(error: BaseException) -> str:
    """What is said of an exception; "" for a reader that went away."""
    if isinstance(error, ScoreError):
        return str(error)
    return one_line(_message_text(error))


def free_frames(error: BaseException | None) -> None:
    """Let go of what the functions hold that an exception came through, and of the exceptions
    before it: after a MemoryError that may be all memory."""
    while error is not None:
        before = error.__context__
        error.__traceback__ = error.__context__ = error.__cause__ = None
        error = before


def report(text: str) -> None:
    """Write a line to standard error, if there is one.  Errors: OSError."""
    if sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)


def one_line(text: str) -> str:
    """A text without line breaks and control characters, at most 500 characters of it."""
    shown = printable(" ".join(text.split()), "?")
    return shown if len(shown) <= LONGEST else shown[:LONGEST - 3] + "..."


def _message_text(error: BaseException) -> str:
    if isinstance(error, Ended):
        return f"pysitar: ended by {error.signal.name}"
    if isinstance(error, KeyboardInterrupt):
        return "pysitar: interrupted"
    if isinstance(error, BrokenPipeError):
        return ""
    if isinstance(error, UsageError):
        return str(error)
    if isinstance(error, ParameterError | RenderError | PysitarError):
        return f"pysitar: {error}"
    if isinstance(error, MemoryError):
        return f"pysitar: {error}" if str(error) else NO_MEMORY
    if isinstance(error, OSError):
        names = " -> ".join(os.fsdecode(name) for name in (error.filename, error.filename2) if isinstance(name, str | bytes))
        return f"pysitar: {names}{': ' if names else ''}{error.strerror or error}"
    return (f"pysitar: unexpected {type(error).__name__}: {error} -- this is a fault of pysitar; please report it with what "
            f"{TRACEBACK}=1 shows")
