"""The fields of a manifest, a sidecar, a failure file and gallery.json, and their values.

All readers use this schema: every text that becomes a path and every number is checked here before
its use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from pysitar.errors import quoted
from pysitar.output.encodings import ENCODINGS
from pysitar.system.files import is_encodable

LARGEST_NUMBER = 1e300  # sums and squares of what a page computes stay finite
LARGEST_WHOLE = 2**63 - 1
LONGEST = 1e9  # s
HASH_TEXT = re.compile("[0-9a-f]{64}")


class Kind(NamedTuple):
    """The values of a field: expected, in words; fits, a test."""

    expected: str
    fits: Callable[[object], bool]


def _number(low: float, high: float, expected: str) -> Kind:
    return Kind(expected, lambda value: isinstance(value, int | float)
                and not isinstance(value, bool) and low <= value <= high)


def _whole(low: int, high: int, expected: str) -> Kind:
    return Kind(expected, lambda value: isinstance(value, int)
                and not isinstance(value, bool) and low <= value <= high)


def _one_of(*values: str) -> Kind:
    return Kind(" or ".join(values), lambda value: isinstance(value, str) and value in values)


def optional(kind: Kind) -> Kind:
    """Return a kind that also allows null."""
    return Kind(kind.expected, lambda value: value is None or kind.fits(value))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and is_encodable(value)


def _is_name(value: object) -> bool:
    return (isinstance(value, str) and is_encodable(value) and "/" not in value
            and value not in {"", ".", ".."})


def _is_path(value: object) -> bool:
    return isinstance(value, str) and all(map(_is_name, value.split("/")))


TEXT = Kind("text without NUL and without half a surrogate pair", _is_text)
NAME = Kind("a plain file name, no folder and no NUL in it", _is_name)
PATH = Kind("a path inside the folder, no .. and no NUL in it", _is_path)
HASH = Kind(
    "64 hex digits (0-9, a-f)",
    lambda value: isinstance(value, str) and bool(HASH_TEXT.fullmatch(value)),
)
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
TEXTS = Kind("a list of texts", lambda value: isinstance(value, list) and all(map(_is_text, value)))
NUMBER = _number(-LARGEST_NUMBER, LARGEST_NUMBER, "a finite number")
LEVEL = _number(0.0, LARGEST_NUMBER, "a finite number, 0 or more")
TIME = _number(0.0, LONGEST, f"a time from 0 to {LONGEST:g} s")
WHOLE = _whole(0, LARGEST_WHOLE, "a whole number, 0 or more")
COUNT = _whole(1, LARGEST_WHOLE, "a whole number, 1 or more")
RATE = _whole(1, 2**32 - 1, "a rate in Hz, a whole number from 1")
MAPPING = Kind("values by their names", lambda value: isinstance(value, dict))
VALUE = Kind(
    "a finite number, text or null",
    lambda value: value is None or _is_text(value) or NUMBER.fits(value),
)
TAIL = Kind("auto, or a time in s", lambda value: value == "auto" or TIME.fits(value))

SOUND_COLUMNS: dict[str, Kind] = {  # of a finished sound, besides `error`
    "frames": WHOLE, "seconds": TIME, "rate": RATE, "channels": COUNT, "samples": HASH,
    "peak": LEVEL, "rms": LEVEL, "clipped": WHOLE, "dc": NUMBER, "t60": optional(TIME),
    "centroid": optional(LEVEL), "residual": NUMBER, "iterations": WHOLE, "failed_solves": WHOLE,
    "tail_cut": FLAG, "seconds_per_second": LEVEL, "flags": TEXTS, "key": HASH}
STROKE_COLUMNS: dict[str, Kind] = {  # of the first stroke, unknown in sidecars of version 0.3
    "pitch": optional(NUMBER), "velocity": optional(NUMBER), "instrument": optional(TEXT)}
IDENTITY: dict[str, Kind] = {"name": NAME, "score": TEXT, "item": COUNT, "parameters": MAPPING}
ROW = {
    **{name: optional(kind) for name, kind in SOUND_COLUMNS.items()}, **STROKE_COLUMNS, **IDENTITY,
    "split": optional(TEXT), "file": PATH, "seed": optional(WHOLE), "error": optional(TEXT)}
REQUIRED = ("name", "file", "score", "item", "parameters")
OPTIONS: dict[str, Kind] = {
    "rate": RATE, "channels": COUNT, "oversample": COUNT, "seed": WHOLE, "tail": TAIL,
    "floor": NUMBER, "fade": TIME, "peak": optional(NUMBER),
    "format": _one_of(*sorted({ending[1:] for ending, _ in ENCODINGS})),
    "subtype": _one_of(*sorted({name for _, name in ENCODINGS})),
    "from": TIME, "to": optional(TIME), "only": TEXTS, "mute": TEXTS}
DOCUMENT = {name: kind for name, kind in SOUND_COLUMNS.items()
            if name not in {"rate", "channels", "samples", "key", "flags"}}
BATCH_PART = {**SOUND_COLUMNS, **STROKE_COLUMNS, **IDENTITY, "bytes": WHOLE}
FAILURE = {**IDENTITY, "key": HASH, "error": TEXT}


def faults(document: Mapping[str, Any], fields: Mapping[str, Kind], *,
           needed: Collection[str] = (), where: str = "") -> Iterator[str]:
    """Yield the faults of the known fields of a document; unknown fields are ignored.

    Parameters: needed, the fields that must exist; where, a prefix of their names ("options.").
    """
    for name in needed:
        if name not in document:
            yield f"{where}{name} is missing; expected {fields[name].expected}"
    for name, kind in fields.items():
        if name in document and not kind.fits(value := document[name]):
            yield f"{where}{name} is {_show_value(value)}; expected {kind.expected}"
    values = document.get("parameters") if "parameters" in fields else None
    if isinstance(values, dict):
        for name, value in values.items():
            if not TEXT.fits(name):
                shown = _show_value(name)
                yield f"{where}parameters has the name {shown}; expected {TEXT.expected}"
            elif not VALUE.fits(value):
                yield f"{where}parameters.{name} is {_show_value(value)}; expected {VALUE.expected}"


def sidecar_faults(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the faults of a sidecar."""
    yield from faults(document, DOCUMENT)
    for name, fields in (("options", OPTIONS), ("batch", BATCH_PART), ("timing", SOUND_COLUMNS)):
        part = document.get(name, {})
        if isinstance(part, dict):
            yield from faults(part, fields, where=f"{name}.")
        else:
            yield f"{name} is {_show_value(part)}; expected {MAPPING.expected}"
    files = document.get("files", {})
    if not isinstance(files, dict):
        yield f"files is {_show_value(files)}; expected {MAPPING.expected}"
    elif bad := next((name for name, value in files.items()
                      if not TEXT.fits(name) or not HASH.fits(value)), None):
        value = _show_value(files[bad])
        yield f"files has {_show_value(bad)} of {value}; expected names, each of {HASH.expected}"


def _show_value(value: object) -> str:
    """Return a JSON value for a message."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return quoted(repr(value) if isinstance(value, str) else value)
