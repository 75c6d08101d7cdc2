"""What is told of a sound file in the JSON beside it: how it was made, from what, how well, and the events as labels."""
from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from pysitar.api.request import Asked
from pysitar.output.audio import encoding_of
from pysitar.rendering.engine import Engine, frames_of
from pysitar.rendering.plan import BoundEvent
from pysitar.score.memory import watch_memory
from pysitar.system.names import portable_name
from pysitar.version import package_version

IN_OPTIONS = frozenset(("rate", "oversample", "channels", "seed"))          # of the report
NOT_OF_THE_FILE = frozenset(("path", "timing"))


def sidecar_document(engine: Engine, asked: Asked, report: dict[str, Any], *, subtype: str) -> dict[str, Any]:
    """Return the document of a finished file, every value SI; what depends on the machine stands last, in "timing".

    Parameters: engine, that made it; asked, of it; report, of `render_file`; subtype of the file.
    """
    told = {key: value for key, value in report.items() if key not in IN_OPTIONS | NOT_OF_THE_FILE}
    return {
        "pysitar": package_version(),
        "file": portable_name(os.path.basename(report["path"])),
        "options": _options(engine, asked, encoding_of(report["path"], subtype).format.lower(), subtype),
        "files": {portable_name(source.name): source.sha256 for source in engine.bound.sources},
        **told,
        "events": list(watch_memory(_events(engine), "events")),
        "timing": report["timing"],
    }


def _options(engine: Engine, asked: Asked, form: str, subtype: str) -> dict[str, Any]:
    chosen = engine.options
    return {
        "rate": chosen.rate, "oversample": chosen.oversample, "channels": chosen.channels, "seed": chosen.seed,
        "tail": "auto" if chosen.tail is None else chosen.tail, "floor": chosen.floor, "peak": chosen.peak,
        "format": form, "subtype": subtype, "from": asked.start, "to": asked.stop,
        "only": list(asked.only), "mute": list(asked.mute),
    }


def _told(event: BoundEvent) -> dict[str, Any]:
    """The courses of an event: time (s), value and shape of each point."""
    return {name: [[point.time, point.value, f"pow{point.exponent:g}" if point.shape == "pow" else point.shape] for point in course.points]
            for name, course in event.courses.items()}


def _events(engine: Engine) -> Iterator[dict[str, Any]]:
    """The events up to the end of the file, in order of time; those before its start are at a sample below 0."""
    rate = engine.options.rate
    pitches = {(voice.name, string.name): string.hz for voice in engine.bound.voices for string in voice.strings}
    found = [(event, voice.name) for voice in engine.bound.voices for event in voice.events]
    found.sort(key=lambda item: item[0].time)               # stable: of two at once that of the earlier voice, and row, is first
    for event, voice in found:
        part = (voice, event.part)
        if event.hz is not None:
            pitches[part] = event.hz                      # it stays there until the next, but for a bend
        frame = frames_of(event.time, rate)
        if engine.stop is not None and frame >= engine.stop:
            continue
        yield {
            "sample": frame - engine.first, "seconds": event.time - engine.first / rate, "target": ".".join(part), "verb": event.verb,
            "parameters": event.values | _told(event),
            "hz": None if event.verb == "damp" else pitches.get(part), "duration": event.duration,
        }
        if event.last_hz is not None:
            pitches[part] = event.last_hz
