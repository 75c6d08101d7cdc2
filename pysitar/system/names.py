"""File names of this process and of JSON: the same bytes, whatever the locale of each process."""

from __future__ import annotations

import os
import re

BYTES = re.compile("[\udc80-\udcff]+")  # bytes that Python could not decode
SURROGATE = re.compile("[\ud800-\udfff]")


def portable_name(name: str) -> str:
    """Return a file name as JSON keeps it: its bytes as UTF-8, others as U+DC80 to U+DCFF.

    Parameters: name, as the system returns it in the locale of this process.
    """
    return system_path(name).decode("utf-8", "surrogateescape")


def local_name(name: str) -> str:
    """Return the name of a file for this process.  Parameters: name, from `portable_name`.

    Errors: UnicodeEncodeError, for a surrogate that stands for no byte.
    """
    return os.fsdecode(name.encode("utf-8", "surrogateescape"))


def system_path(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a path: as the locale encodes it, or as UTF-8 where it cannot.

    Errors: UnicodeEncodeError, for a surrogate that stands for no byte.
    """
    try:
        return os.fsencode(path)
    except UnicodeEncodeError:
        return os.fspath(path).encode("utf-8", "surrogateescape")


def real_path(path: str | os.PathLike[str]) -> str:
    """Return where a path leads, links followed, as a name for this process.

    Errors: ValueError, for a NUL.
    """
    return os.fsdecode(os.path.realpath(system_path(path)))


def decode_bytes(text: str) -> str:
    """Return a text in which undecoded bytes that are UTF-8 together are characters."""
    return BYTES.sub(
        lambda match: (
            match[0].encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
        ),
        text,
    )


def is_encodable(text: str) -> bool:
    """Whether a text can name a file: no NUL, and no surrogate that stands for no byte."""
    return "\0" not in text and not SURROGATE.search(BYTES.sub("", text))
