"""The strict, complete JSON text beside a sound file, in a form that diffs well."""
from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from pysitar.errors import ParameterError

MAX_DEPTH = 32                # levels; a deeper document contains itself
LINE_LIST_KEY = "events"            # the key of the list with one item per line
SURROGATE = re.compile("[\ud800-\udfff]")


def sidecar_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of the sidecar of a sound file: drone.wav.json for drone.wav.

    Parameters: path, of the sound file.
    """
    return Path(f"{os.fspath(path)}.json")


def sidecar_text(document: Mapping[str, object]) -> str:
    r"""Return a document as strict JSON (RFC 8259), in its own order, one value per line.

    The list "events" has one item per line.
    Parameters: document, of text, numbers, True, False, None, mappings with text keys, lists and
    tuples; NumPy scalars count as numbers. Numbers keep full precision. The text can always be
    encoded as UTF-8: a byte of a file name that is not UTF-8 becomes an escape (\udcff).
    Errors: ParameterError, which names the place, for NaN, infinity and any other kind of value.
    """
    plain = _to_plain(document, "sidecar", 0)
    return SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", "".join(_pieces(plain,
                                                                                  "\n"))) + "\n"


def _pieces(value: object, newline: str) -> Iterator[str]:
    """Yield the text of a plain value; `newline` is a line feed and the indent of the value's own
    line."""
    if isinstance(value, dict) and value:
        opening, closing, items = "{", "}", [(f"{_to_json(key)}: ", key, item)
                                             for key, item in value.items()]
    elif isinstance(value, list) and value:
        opening, closing, items = "[", "]", [("", "", item) for item in value]
    else:
        yield _to_json(value)
        return
    yield opening
    for index, (label, key, item) in enumerate(items):
        yield f"{',' if index else ''}{newline} {label}"
        if key == LINE_LIST_KEY and isinstance(item, list) and item:
            yield f"[{newline}  " + f",{newline}  ".join(map(_to_json, item)) + f"{newline} ]"
        else:
            yield from _pieces(item, f"{newline} ")
    yield newline + closing


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _to_plain(value: object, place: str, depth: int) -> object:
    """Return a value in Python's own types.  Errors: ParameterError."""
    if depth > MAX_DEPTH:
        raise ParameterError(place, "nested too deep", f"expected at most {MAX_DEPTH} levels")
    if isinstance(value, np.bool_ | np.integer) and not isinstance(value, np.timedelta64):
        value = value.item()
    elif isinstance(value, np.floating):    # the item() of a long double is a long double
        value = float(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return _check_integer(value, place)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ParameterError(place, value, "expected a finite number")
        return float(value)
    if isinstance(value, Mapping):
        return {
            _check_key(key, place): _to_plain(item, f"{place}.{key}", depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_to_plain(item, f"{place}[{index}]", depth + 1) for index, item in enumerate(value)]
    raise ParameterError(place, f"of type {type(value).__name__}",
                         "expected text, a number, true, false, null, a list or a mapping")


def _check_integer(value: int, place: str) -> int:
    try:
        str(value)
    except ValueError:                      # Python refuses to write thousands of digits
        raise ParameterError(place, value, "expected fewer digits") from None
    return int(value)


def _check_key(key: object, place: str) -> str:
    if not isinstance(key, str):
        raise ParameterError(f"a key of {place}", key, "expected text")
    return str(key)
