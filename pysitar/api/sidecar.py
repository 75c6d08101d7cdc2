"""The contents of a sidecar: how a sound was made, from which files, its measures, and its
events."""
from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from pysitar.api.request import Request
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.output.audio import encoding_of
from pysitar.rendering.engine import Engine, frames_of
from pysitar.rendering.plan import BoundEvent
from pysitar.score.memory import watch_memory
from pysitar.system.files import portable_name
from pysitar.version import package_version

# keys of the report that stand under "options"
OPTION_KEYS = frozenset(("rate", "oversample", "channels", "seed"))
OMITTED_KEYS = frozenset(("path", "timing"))


def sidecar_document(engine: Engine, request: Request, report: dict[str, Any], *,
                     subtype: str) -> dict[str, Any]:
    """Return the document of a finished file, in SI units; "timing", which depends on the machine,
    is last.

    Parameters: engine, after its last block; request; report, of `render_file`; subtype, of the
    file. """
    measures = {
        key: value
        for key, value in report.items() if key not in OPTION_KEYS | OMITTED_KEYS
    }
    return {
        "pysitar": package_version(),
        "file": portable_name(os.path.basename(report["path"])),
        "options": _options(engine, request,
                            encoding_of(report["path"], subtype).format.lower(), subtype),
        "files": {portable_name(source.name): source.sha256
                  for source in engine.bound.sources},
        **measures,
        "events": list(watch_memory(_events(engine), "events")),
        "timing": report["timing"],
    }


def _options(engine: Engine, request: Request, file_format: str, subtype: str) -> dict[str, Any]:
    options = engine.options
    return {
        "rate": options.rate,
        "oversample": options.oversample,
        "channels": options.channels,
        "seed": options.seed,
        "tail": "auto" if options.tail is None else options.tail,
        "floor": options.floor,
        "fade": options.fade,
        "peak": options.peak,
        "format": file_format,
        "subtype": subtype,
        "from": request.start,
        "to": request.stop,
        "only": list(request.only),
        "mute": list(request.mute),
        **_room(engine),
    }


def _room(engine: Engine) -> dict[str, Any]:
    """Return the room of the score under its name; nothing without one."""
    room = engine.bound.room
    return {} if room is None else {"room": {"name": portable_name(room.name), "wet": room.wet}}


def _curves(event: BoundEvent) -> dict[str, Any]:
    """Return the parameter curves of an event: time (s), value and shape of each point."""
    return {
        name: [[
            point.time, point.value,
            f"pow{point.exponent:g}" if point.shape == "pow" else point.shape
        ] for point in course.points]
        for name, course in event.courses.items()
    }


def _events(engine: Engine) -> Iterator[dict[str, Any]]:
    """Yield the events up to the end of the file in order of time; before its start, `sample` is
    below 0."""
    rate = engine.options.rate
    pitches = {(voice.name, string.name): string.hz
               for voice in engine.bound.voices
               for string in voice.strings}
    strings = frozenset(pitches)
    gestures = {voice.name: BY_MODEL[voice.spec.model] for voice in engine.bound.voices}
    found = [(event, voice.name) for voice in engine.bound.voices for event in voice.events]
    # a stable sort: events at one time stay in the order of voices and rows
    found.sort(key=lambda item: item[0].time)
    for event, voice in found:
        part = (voice, event.part)
        if event.hz is not None:
            pitches[part] = event.hz  # the pitch lasts until the next one, unless a bend changes it
        elif part not in strings:
            pitches.pop(part, None)          # a row without a pitch plays the object itself
        frame = frames_of(event.time, rate)
        if engine.stop is not None and frame >= engine.stop:
            continue
        yield {
            "sample": frame - engine.first,
            "seconds": event.time - engine.first / rate,
            "target": ".".join(part),
            "verb": event.verb,
            "parameters": event.values | _curves(event),
            "hz": pitches.get(part) if gestures[voice][event.verb].keeps_hz else None,
            "duration": event.duration,
        }
        if event.last_hz is not None:
            pitches[part] = event.last_hz
