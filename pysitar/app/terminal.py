"""Terminal output without control characters: names and texts from files cannot move the cursor,
change colours or hide text."""
from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from pysitar.errors import clean_text

LINES, BAR = "\n", "\n\r"       # control characters that pass: in text, and in a progress bar


class CleanStream:
    """A text stream that replaces unprintable characters.

    Parameters: stream, which it writes to; kept, the control characters that pass.
    """

    def __init__(self, stream: TextIO, kept: str = LINES) -> None:
        self.stream, self._kept = stream, kept

    def write(self, text: str) -> int:
        """Write a text, with ? in place of each unprintable character.  Errors: OSError."""
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
    """Clean everything that the block writes to standard output and standard error."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (clean_stream(stream) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def bar_stream() -> TextIO:
    """Return standard error for a progress bar."""
    stream = sys.stderr
    return cast(TextIO,
                CleanStream(stream.stream if isinstance(stream, CleanStream) else stream, BAR))


def write_data(text: str) -> None:
    """Write the text of a file to standard output: cleaned on a terminal, unchanged into a pipe or
    file.

    Errors: OSError.
    """
    stream = sys.stdout
    if isinstance(stream, CleanStream) and not stream.isatty():
        stream = stream.stream
    if stream is not None:
        stream.write(text)


def clean_stream(stream: TextIO) -> TextIO:
    """Return a stream that writes cleaned text to another; None stays None."""
    return stream if stream is None or isinstance(stream, CleanStream) else cast(
        TextIO, CleanStream(stream))
