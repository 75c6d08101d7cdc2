"""Read the text of a score from a regular file with the right ending, or from standard input."""
from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path

from pysitar.errors import Place, ScoreError, quoted
from pysitar.score.tokens import BOM, score_error
from pysitar.system.files import NotRegularError, TooLargeError, read_bytes

MAX_FILE_BYTES = 16 * 1024 * 1024
TOO_LARGE = "over 16 MB; expected a smaller file"


@dataclass(frozen=True, slots=True)
class Source:
    """A file that was read: its name in messages ("-": standard input; a preset: the name of the
    preset), and the SHA-256 of its bytes (hex)."""

    name: str
    sha256: str


def hash_source(name: str, data: bytes) -> Source:
    """Return the name and the hash of a file that was read."""
    return Source(name, hashlib.sha256(data).hexdigest())


def read_text(path: Path, shown: str, ending: str, place: Place,
              sources: list[Source] | None = None, *, eight_bit: bool = False) -> str:
    """Return the text of a regular file.

    Parameters: shown, its name in messages; ending, of its name (".score"); place, of errors of the
    file itself; sources, to which the file is appended; eight_bit, whether a text that is not UTF-8
    is read as Latin-1.
    Errors: ScoreError when it is missing, not a regular file, over 16 MB, or not UTF-8 (unless
    eight_bit).
    """
    data = read_data(path, shown, ending, place)
    return _decode(data, shown, place, quoted(shown), sources, eight_bit)


def read_data(path: Path, shown: str, ending: str, place: Place,
              sources: list[Source] | None = None) -> bytes:
    """Return the bytes of a regular file; parameters and errors as in `read_text`."""
    name = quoted(shown)
    if path.suffix != ending:
        raise score_error(place, f"{name} does not end in {ending}; expected a {ending} file")
    try:
        data = read_bytes(path, MAX_FILE_BYTES)
    except NotRegularError as error:
        raise score_error(place, f"{name} is {error.kind}; expected a regular file") from None
    except TooLargeError:
        raise score_error(place, f"{name} is {TOO_LARGE}") from None
    except OSError as error:
        why = f"cannot be read ({error.strerror}); expected an existing {ending} file"
        raise score_error(place, f"{name} {why}") from None
    if sources is not None:
        sources.append(hash_source(shown, data))
    return data


def read_standard_input(sources: list[Source] | None = None) -> str:
    """Return the text on standard input, appended to sources; its name there and in messages is
    `-`.

    Errors: ScoreError when it is over 16 MB, unreadable or not UTF-8.
    """
    place = Place("-")
    try:
        data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise score_error(
            place, f"standard input cannot be read ({error.strerror}); expected a score") from None
    return _decode(data, "-", place, "standard input", sources)


def _decode(data: bytes, shown: str, place: Place, name: str, sources: list[Source] | None,
            eight_bit: bool = False) -> str:
    if len(data) > MAX_FILE_BYTES:
        raise score_error(place, f"{name} is {TOO_LARGE}")
    try:
        text = data.decode("utf-8").removeprefix(BOM)
    except UnicodeDecodeError as error:
        if not eight_bit:
            raise _bad_byte_error(data, error, shown) from None
        text = data.decode("latin-1")
    if sources is not None:
        sources.append(hash_source(shown, data))
    return text


def _bad_byte_error(data: bytes, error: UnicodeDecodeError, shown: str) -> ScoreError:
    start = data.rfind(b"\n", 0, error.start) + 1
    stop = data.find(b"\n", error.start)
    line = data[start:stop if stop >= 0 else len(data)].decode(
        "utf-8", "replace").removeprefix(BOM).rstrip("\r")
    col = len(data[start:error.start].decode("utf-8", "replace").removeprefix(BOM)) + 1
    number = data.count(b"\n", 0, error.start) + 1
    return score_error(Place(shown, number, col, line),
                       f"the byte 0x{data[error.start]:02x} is not UTF-8; expected text in UTF-8")
