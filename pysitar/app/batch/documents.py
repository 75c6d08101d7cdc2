"""Limited reading of the JSON that pysitar writes: manifests, sidecars, gallery.json."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from pysitar.app.batch.schema import REQUIRED, ROW, faults
from pysitar.app.messages import list_first
from pysitar.errors import PysitarError
from pysitar.system.files import MEGABYTE, TooLargeError, read_bytes, regular_file

LARGEST = 16 * MEGABYTE  # of a document, its events left out
LARGEST_ROW = MEGABYTE  # of a line of a manifest
LARGEST_MANIFEST = 1024 * MEGABYTE
EVENTS, EVENT = b' "events": [', b"  {"  # how these lines begin as `sidecar_text` writes them
FAULTS = 3  # that a message shows


class DocumentError(PysitarError):
    """A text is not such a document; the message says why."""


class _ConstantError(ValueError):
    """A document contains NaN or Infinity."""


def parse_document(data: bytes) -> dict[str, Any]:
    """Return the object in strict JSON in UTF-8.  Errors: DocumentError."""
    try:
        document = json.loads(data.decode("utf-8"), parse_constant=_refuse)
    except UnicodeDecodeError as error:
        raise DocumentError(
            f"the byte 0x{data[error.start]:02x} is not UTF-8; expected JSON in UTF-8") from None
    except RecursionError:
        raise DocumentError("it nests too deeply; expected JSON that pysitar writes") from None
    except ValueError as error:
        raise DocumentError(
            f"it is not JSON ({_why(error)}); expected JSON that pysitar writes"
        ) from None
    if not isinstance(document, dict):
        raise DocumentError("it is not a JSON object; expected {...}")
    return document


def read_document(path: Path, limit: int = LARGEST) -> dict[str, Any]:
    """Return the object in a regular file.  Errors: DocumentError; OSError; TooLargeError."""
    return parse_document(read_bytes(path, limit))


def read_sidecar(path: Path) -> dict[str, Any]:
    """Return a sidecar; the events of a large sidecar, one per line, are checked and left out.

    Errors: DocumentError; OSError; TooLargeError.
    """
    with regular_file(path) as file:
        large = os.fstat(file.fileno()).st_size > LARGEST
        data = _without_events(file, path) if large else file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise TooLargeError(LARGEST, path)
    return parse_document(data)


def manifest_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the text of each line of a manifest that is not blank.

    A line over 1 MB is cut.

    Errors: OSError; TooLargeError.
    """
    with regular_file(path) as file:
        if os.fstat(file.fileno()).st_size > LARGEST_MANIFEST:
            raise TooLargeError(LARGEST_MANIFEST, path)
        number = 0
        while line := file.readline(LARGEST_ROW + 1):
            number += 1
            if line.strip():
                yield number, line
            while not line.endswith(b"\n") and len(line) > LARGEST_ROW:
                line = file.readline(LARGEST_ROW + 1)


def parse_row(line: bytes, needed: Collection[str] = REQUIRED) -> dict[str, Any]:
    """Return a row of a manifest, each field checked.  Errors: DocumentError."""
    if len(line) > LARGEST_ROW:
        raise DocumentError(
            f"it is over {LARGEST_ROW // MEGABYTE} MB; expected a row of a manifest")
    row = parse_document(line.rstrip())
    if found := list(faults(row, ROW, needed=needed)):
        raise DocumentError(list_faults(found))
    return row


def list_faults(found: list[str]) -> str:
    """Return faults in one line: the first ones, and the number of the others."""
    return list_first(found, FAULTS, "; ")


def _without_events(file: BinaryIO, path: Path) -> bytes:
    """Return the text of a sidecar without the lines of its events.

    Errors: DocumentError; OSError; TooLargeError.
    """
    kept, size, inside = [], 0, False
    while line := file.readline(LARGEST + 1):
        if inside and line.startswith(EVENT):
            parse_document(line.rstrip().removesuffix(b","))
            continue
        inside = line.startswith(EVENTS)
        kept.append(line)
        size += len(line)
        if size > LARGEST:
            raise TooLargeError(LARGEST, path)
    return b"".join(kept)


def _why(error: ValueError) -> str:
    if isinstance(error, _ConstantError):
        return f"{error} is not a number of JSON"
    if not isinstance(error, json.JSONDecodeError):
        return "a whole number of thousands of digits"
    line = f"line {error.lineno}, " if "\n" in error.doc else ""
    return f"{error.msg} at {line}column {error.colno}"


def _refuse(constant: str) -> float:
    """Raise _ConstantError for a NaN or an infinity, which JSON does not have."""
    raise _ConstantError(constant)
