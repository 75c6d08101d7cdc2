"""Flatten a score: the same language, one row per event of one part, and no relative times,
factors, transpositions or repetitions."""
from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator

from pysitar.gestures.base import Gesture
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.models.network.curve import ValueCurve
from pysitar.rendering.binding.strengths import scaled_name
from pysitar.rendering.plan import PITCH, Bound, BoundEvent
from pysitar.score.document import Score
from pysitar.score.elements import Room, Use
from pysitar.score.literals import Argument, Curve, CurvePoint, Quantity, literal_text, number_text
from pysitar.score.memory import watch_memory
from pysitar.score.pitch import Tuning
from pysitar.score.timeline import Event
from pysitar.score.vocabulary import long_name


def flatten_score(score: Score, bound: Bound, folder: str = "") -> str:
    """Return the text of a flat score whose render has the same bits.

    Parameters: score; bound, the same score bound without problems; folder, of the flat score ("":
    the current one).
    Paths are relative to that folder; times and durations are in seconds, scaled forces in newtons,
    pitches in Hz, all in full precision; other values stay as they are written.
    """
    lines = [*(_use(use, folder) for use in score.uses)]
    lines += [
        f"set {'.'.join(setting.path)} = {literal_text(setting.value)}"
        for setting in score.settings
    ]
    lines += [
        f"mix {'.'.join(mix.target)} {_arguments(mix.arguments.values())}" for mix in score.mixes
    ]
    if score.room is not None:
        lines.append(_room(score.room, folder))
    if score.render:
        lines.append(f"render {_arguments(score.render.values())}")
    if score.tuning_place is not None:
        lines.append(_tuning(score.tuning, folder))
    lines += watch_memory(_rows(bound), "rows")
    return "\n".join(lines) + "\n"


def _relative_path(folder: str, path: str) -> str:
    """Return a path of the current folder relative to another folder."""
    return os.path.relpath(path, folder) if folder else os.path.normpath(path)


def _use(use: Use, folder: str) -> str:
    source = _file(folder, str(use.folder), use.source) if use.is_file else use.source
    return " ".join([
        f"use {source} as {use.name}",
        *([_arguments(use.overrides.values())] if use.overrides else [])
    ])


def _file(folder: str, own: str, source: str) -> str:
    """Return a file in quotes, relative to a folder: own, the one to which it is relative now."""
    if os.path.isabs(source):
        return f'"{os.path.normpath(source)}"'
    return f'"{_relative_path(folder, os.path.join(own, source))}"'


def _room(room: Room, folder: str) -> str:
    source = _file(folder, str(room.folder), room.source) if room.is_file else room.source
    return f"room {source} wet={number_text(room.wet)}dB"


def _arguments(arguments: Iterable[Argument]) -> str:
    return " ".join(f"{argument.name}={literal_text(argument.value)}" for argument in arguments)


def _tuning(tuning: Tuning, folder: str) -> str:
    kind = tuning.kind
    if kind == "edo":
        kind = f"edo {len(tuning.steps)}"
    elif kind == "scala":
        kind = f'scala "{_relative_path(folder, tuning.source)}"'
    return f"tuning sa={number_text(tuning.sa_hz)}Hz {kind}"


def _rows(bound: Bound) -> Iterator[str]:
    """Yield one row per event, in order of time, then of the file, then of the parts."""
    played = [(event.time, event.order, voice, event) for voice in bound.voices
              for event in voice.events]
    for _, _, voice, event in sorted(played, key=lambda item: item[:2]):
        yield _row(voice.name, BY_MODEL[voice.spec.model][event.verb], event)


def curve_of(course: ValueCurve, unit: str) -> Curve:
    """Return a curve of values as a curve of a score, in a unit, its times in seconds."""
    return Curve(
        tuple(
            CurvePoint(point.time, True, Quantity(point.value, unit), point.shape, point.exponent)
            for point in course.points))


def _has_argument(row: Event, name: str) -> bool:
    return any(long_name(argument.name) == name for argument in row.arguments.values())


def _row(name: str, gesture: Gesture, event: BoundEvent) -> str:
    words = [f"{number_text(event.time)}s", f"{name}.{event.part}", event.verb]
    row = event.row
    course = event.courses.get(PITCH)
    if course is not None:
        words.append(literal_text(curve_of(course, "Hz")))
    elif event.hz is not None:
        is_open = (row.pitch is not None and row.pitch.kind == "open"
                   and row.transpose == row.detune == 0.0)
        words.append(
            row.pitch.text if row.pitch is not None and is_open else f"{number_text(event.hz)}Hz")
    words.append(f"dur={number_text(event.duration)}s")
    names = [] if row.force_factor == 1.0 else [
        name for name in gesture.forces
        if name in event.values and (gesture.scales_default or _has_argument(row, name))]
    if row.strength != 1.0:
        names = list(dict.fromkeys([*names, scaled_name(row, gesture)]))
    words += [
        f"{argument.name}={literal_text(argument.value)}" for argument in row.arguments.values()
        if long_name(argument.name) not in names
    ]
    for name in names:
        if name in event.values:
            unit, course = gesture.parameters[name].unit, event.courses.get(name)
            shown = f"{number_text(event.values[name])}{unit}" if course is None else literal_text(
                curve_of(course, unit))
            words.append(f"{name}={shown}")
    return " ".join(words)
