"""File names in this process and in JSON: the same bytes in every locale."""

from __future__ import annotations

import os
import re

BYTES = re.compile("[\udc80-\udcff]+")  # bytes that Python could not decode
SURROGATE = re.compile("[\ud800-\udfff]")


def portable_name(name: str) -> str:
    """Return a file name for JSON: its bytes as UTF-8, invalid ones as U+DC80 to U+DCFF.

    Parameters: name, in the locale of this process.
    """
    return system_path(name).decode("utf-8", "surrogateescape")


def local_name(name: str) -> str:
    """Return a file name in the locale of this process.  Parameters: name, from `portable_name`.

    Errors: UnicodeEncodeError, for a surrogate that encodes no byte.
    """
    return os.fsdecode(name.encode("utf-8", "surrogateescape"))


def system_path(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a path, encoded by the locale, or as UTF-8 where that fails.

    Errors: UnicodeEncodeError, for a surrogate that encodes no byte.
    """
    try:
        return os.fsencode(path)
    except UnicodeEncodeError:
        return os.fspath(path).encode("utf-8", "surrogateescape")


def real_path(path: str | os.PathLike[str]) -> str:
    """Return the absolute path without links, as a name in the locale of this process.

    Errors: ValueError, for a NUL.
    """
    return os.fsdecode(os.path.realpath(system_path(path)))


def decode_bytes(text: str) -> str:
    """Return a text whose undecoded bytes are decoded where they are UTF-8."""
    return BYTES.sub(
        lambda match: (
            match[0].encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
        ),
        text,
    )


def is_encodable(text: str) -> bool:
    """Whether a text can be a file name: no NUL, and no surrogate that encodes no byte."""
    return "\0" not in text and not SURROGATE.search(BYTES.sub("", text))
