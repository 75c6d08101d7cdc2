"""Write the page of a gallery: one HTML file with its style, its script and its data, in which no
text from the data can become markup or code."""
from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from pysitar.app.batch.variations import METRES
from pysitar.app.gallery.items import MEASURES, Entry
from pysitar.app.gallery.pictures import HIGHEST, LINES, RANGE
from pysitar.models.definitions.spec import parameter_at
from pysitar.system.files import SURROGATE, decode_bytes

GENERATOR = "pysitar gallery"
UNITS = {
    "seconds": "s", "peak": "dBFS", "rms": "dBFS", "t60": "s", "centroid": "Hz", "dc": "",
    "clipped": "samples", "residual": "", "rate": "Hz"}
LABELS = {
    "seconds": "length", "t60": "T60", "rms": "RMS", "dc": "DC", "failed_solves": "failed solves"}
LEVELS = frozenset(("peak", "rms"))
PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
UNSAFE = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}  # only in strings of JSON


@dataclass(slots=True)
class PageItem:
    """An entry, and the relative addresses of its files (None: there is no such file)."""

    entry: Entry
    sound: str | None = None
    wave: str | None = None
    spectrogram: str | None = None
    energies: str | None = None


def page_html(title: str, shown: Sequence[PageItem]) -> str:
    """Return the text of a page, which opens from the file system and needs no network."""
    script, style = _package_text("page.js"), _package_text("page.css")
    parts = {
        "title": escape(_encodable(title)),
        "generator": escape(GENERATOR),
        "style": style,
        "script": script,
        "style_hash": _hash(style),
        "script_hash": _hash(script),
        "data": _json(_data(title, shown)),
    }
    return PLACEHOLDER.sub(lambda match: parts[match[1]], _package_text("page.html"))


def _data(title: str, shown: Sequence[PageItem]) -> dict[str, Any]:
    """Return the data that the script of the page shows."""
    parameters = list(dict.fromkeys(name for item in shown for name in item.entry.parameters))
    measures = [name for name in MEASURES if any(name in item.entry.measures for item in shown)]
    columns = [{"name": name, "unit": _unit(name), "kind": "parameter"} for name in parameters]
    columns += [{"name": LABELS.get(name, name), "unit": UNITS.get(name, ""), "kind": "measure"}
                for name in measures]
    items = []
    for item in shown:
        entry = item.entry
        values = [entry.parameters.get(name) for name in parameters]
        values += [_measure(name, entry.measures.get(name)) for name in measures]
        items.append({
            "name": entry.name,
            "sound": item.sound,
            "wave": item.wave,
            "spectrogram": item.spectrogram,
            "energies": item.energies,
            "seconds": entry.measures.get("seconds"),
            "top": _top(entry),
            "highest": min(HIGHEST, 0.5 * entry.measures.get("rate", 2.0 * HIGHEST)),
            "score": entry.score,
            "command": entry.command,
            "description": entry.description,
            "flags": entry.flags,
            "error": entry.error,
            "values": values,
        })
    return {"title": title, "range": RANGE, "lines": LINES, "columns": columns, "items": items}


def _top(entry: Entry) -> float:
    """Return the greatest |sample| of a file (full scale 1): its peak, at most 1 if clipped."""
    peak = entry.measures.get("peak", 0.0)
    return min(peak, 1.0) if entry.measures.get("clipped") else peak


def _measure(name: str, value: float | None) -> float | None:
    """Return a measure as displayed: levels in dB, None also for silence."""
    if name not in LEVELS or value is None:
        return value
    return 20.0 * math.log10(value) if value > 0.0 else None


def _unit(path: str) -> str:
    """Return the unit of the parameter at a path."""
    if path.endswith(METRES):
        return "m"
    parts = path.split(".")[1:]
    parameter = parameter_at(tuple(parts)) if parts else None
    if parameter is None:
        return ""
    return "of the length" if parameter.kind == "position" else parameter.unit


def _json(document: dict[str, Any]) -> str:
    """Return strict JSON without characters that are special in HTML."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _encodable(text).translate(UNSAFE)


def _encodable(text: str) -> str:
    """Return a text that can be encoded: lone surrogates become U+FFFD."""
    return SURROGATE.sub("\ufffd", decode_bytes(text))


def _package_text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the hash by which a Content-Security-Policy allows a script or style."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
