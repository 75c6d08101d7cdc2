"""Text on its way to a terminal: whatever a file or a name holds, it moves no cursor, changes no colour and hides nothing."""
from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from pysitar.errors import clean_text

LINES, BAR = "\n", "\n\r"       # the control characters that text keeps, and a progress bar, which returns to the start of its line


class CleanStream:
    """A text stream that writes no unprintable character but those that are kept; all else is the stream's own.

    Parameters: stream, to which it writes; kept.
    """

    def __init__(self, stream: TextIO, kept: str = LINES) -> None:
        self.stream, self._kept = stream, kept

    def write(self, text: str) -> int:
        """Write a text, a ? in the place of each character that is not shown.  Errors: OSError."""
        self.stream.write(clean_text(text, self._kept))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one after the other.  Errors: OSError."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def clean_streams() -> Iterator[None]:
    """Clean all that the block writes to standard output and standard error, whoever writes it."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (clean_stream(stream) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def bar_stream() -> TextIO:
    """Return standard error for a progress bar."""
    stream = sys.stderr
    return cast(TextIO, CleanStream(stream.stream if isinstance(stream, CleanStream) else stream, BAR))


def write_data(text: str) -> None:
    """Write the text of a file to standard output: cleaned on a terminal, and as it is into a pipe or a file.  Errors: OSError."""
    stream = sys.stdout
    if isinstance(stream, CleanStream) and not stream.isatty():
        stream = stream.stream
    if stream is not None:
        stream.write(text)


def clean_stream(stream: TextIO) -> TextIO:
    """Return a stream, None too, that writes what a terminal shows to another."""
    return stream if stream is None or isinstance(stream, CleanStream) else cast(TextIO, CleanStream(stream))
