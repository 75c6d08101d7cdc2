"""Files of the system: names that are the same bytes in every locale, and reading of regular files,
up to a size limit, whose opening never waits, as on a pipe or a device."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, TypeAlias

AnyPath: TypeAlias = str | os.PathLike[str]
FOLDER, NOT_REGULAR = "a folder", "no regular file"
NO_NAME = "a name that no file can have"
MEGABYTE = 1024 * 1024
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


class NotRegularError(OSError):
    """A path is that of a folder, a pipe, a socket or a device.  Attributes: kind, in words."""

    def __init__(self, kind: str, path: AnyPath) -> None:
        super().__init__(
            errno.EISDIR if kind == FOLDER else errno.EINVAL,
            f"{kind}; expected a regular file",
            os.fspath(path),
        )
        self.kind = kind


class TooLargeError(OSError):
    """A file is larger than the limit of its reader."""

    def __init__(self, limit: int, path: AnyPath) -> None:
        super().__init__(
            errno.EFBIG, f"over {limit // MEGABYTE} MB; expected a smaller file", os.fspath(path)
        )


def error_reason(error: OSError) -> str:
    """Return why a file cannot be read, in words, without its name."""
    if isinstance(error, NotRegularError):
        return f"it is {error.kind}"
    return error.strerror or str(error)


def open_regular(path: AnyPath) -> int:
    """Return a descriptor of a regular file, open for reading.

    Links are followed. The kind is checked before opening, which may block on a pipe or act on a
    device, and again after it, in case the path has changed.
    Errors: OSError; NotRegularError.
    """
    try:
        name = system_path(path)
        _check_kind(os.stat(name).st_mode, path)
        descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    except ValueError:  # a NUL, or a surrogate that encodes no byte
        raise OSError(errno.EINVAL, NO_NAME, os.fspath(path)) from None
    except OSError as error:
        error.filename = os.fspath(path)
        raise
    try:
        _check_kind(os.fstat(descriptor).st_mode, path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def regular_file(path: AnyPath) -> Iterator[BinaryIO]:
    """Open a regular file for reading.  Errors: as `open_regular`."""
    with open(open_regular(path), "rb") as file:
        yield file


def read_bytes(path: AnyPath, limit: int) -> bytes:
    """Return the bytes of a regular file.  Parameters: limit (bytes).  Errors: OSError;
    TooLargeError."""
    with regular_file(path) as file:
        large = os.fstat(file.fileno()).st_size > limit
        data = b"" if large else file.read(limit + 1)
    if large or len(data) > limit:
        raise TooLargeError(limit, path)
    return data


def is_regular(path: AnyPath) -> bool:
    """Whether a path is that of a regular file, in any locale."""
    try:
        return stat.S_ISREG(os.stat(system_path(path)).st_mode)
    except (OSError, ValueError):
        return False


def _check_kind(mode: int, path: AnyPath) -> None:
    if not stat.S_ISREG(mode):
        raise NotRegularError(FOLDER if stat.S_ISDIR(mode) else NOT_REGULAR, path)
