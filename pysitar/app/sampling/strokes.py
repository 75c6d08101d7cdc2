"""The strokes of a sampled instrument: which keys they sound on, and the rows that play them."""
from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pysitar.app.midi.courses import Course, courses
from pysitar.app.midi.writing import SOFTEST, key_of, pitch_text
from pysitar.errors import ParameterError, quoted, suggest_name
from pysitar.gestures.base import Gesture
from pysitar.gestures.catalogue import find_gesture, note_gesture
from pysitar.models.definitions.bar_sets import BarOfSet, note_name, note_number
from pysitar.models.definitions.spec import InstrumentSpec, PartSpec
from pysitar.score.feel import Humanise

ALIAS = "i"                     # the instrument's name in the scores
LOWEST_KEY, HIGHEST_KEY = 0, 127
FIRST_KEY = 36                  # of strokes without a pitch: C2, the first of a drum kit
ROUNDING = 1e-6                 # semitones, tolerance of a string's range
OPEN = 0.05                     # semitones: an open string that is tuned to the note itself
SPREAD = 0.03                   # deviation of the place of a stroke between repetitions
RANGE = re.compile(r"\s*(\S+?)\s*\.\.\s*(\S+?)\s*")
NOTE = re.compile(r"([A-Ga-g])([#sb]?[0-9])")


@dataclass(frozen=True, slots=True)
class Stroke:
    """One stroke of a sampled instrument.

    Parameters: name, of its files; key, the number of its note in MIDI (60: C4); low and high, the
    keys that it sounds on; before, rows that tune its strings; targets, each with the default
    strength and, if it is a string, the default place of the stroke (m) and its length (m); rest,
    further words of its rows; gesture.
    """

    name: str
    key: int
    low: int
    high: int
    gesture: Gesture
    targets: tuple[tuple[str, float, float, float], ...]
    before: tuple[str, ...] = ()
    rest: str = ""

    def rows(self, factor: float, seed: int) -> list[str]:
        """Return the rows that play it.

        Parameters: factor, of the default strength; seed, of the place.
        """
        strength = self.gesture.parameters[self.gesture.strength]
        rows = list(self.before)
        for target, own, place, length in self.targets:
            words = [f"0 {target} {self.gesture.name}", self.rest,
                     f"{strength.alias}={own * factor:.6g}{strength.unit}"]
            if place:
                drawn = Humanise().variation("place", target, 0.0, seed)
                varied = place * (1.0 + SPREAD * drawn)
                words.append(f"position={min(max(varied, 0.001 * length), 0.999 * length):.6g}m")
            rows.append(" ".join(filter(None, words)) + " dur=50ms")
        return rows


def parse_range(text: str) -> tuple[int, int]:
    """Return the lowest and the highest key of a range such as "e2..e5", or of one note.

    Errors: ParameterError.

    >>> parse_range("e2..e5"), parse_range("f#3")
    ((40, 76), (54, 54))
    """
    found = RANGE.fullmatch(text)
    ends = (found[1], found[2]) if found else (text, text)
    keys = [_parse_note(end, text.strip() or "empty") for end in ends]
    if keys[0] > keys[1]:
        raise ParameterError("notes", text, "expected the lower note first, such as e2..e5")
    return keys[0], keys[1]


def pitched_strokes(instrument: InstrumentSpec, open_hz: Mapping[str, float],
                    notes: tuple[int, int] | None, step: int) -> tuple[Stroke, ...]:
    """Return a stroke for every `step` semitones of a range of notes, each on the string or bar
    that a player would choose.

    Parameters: open_hz, of each string (Hz); notes, the lowest and the highest (None: all that the
    instrument has); step, from 1: keys between are played by the nearest stroke.
    Errors: ParameterError, an instrument without notes, or notes that it does not have.
    """
    found = courses(instrument, open_hz)
    parts: Sequence[Any] = instrument.parts
    bars = {part.number: part for part in parts if isinstance(part, BarOfSet)}
    if not found and not bars:
        raise ParameterError(
            "notes", _range_text(notes) if notes else "not set",
            f"{quoted(instrument.name)} has no range of pitches; expected --at and the names of "
            f"strokes, such as --at {_example(instrument)}")
    reach = sorted(bars) if bars else _keys_of_courses(found)
    low, high = notes or (reach[0], reach[-1])
    missing = [key for key in (low, high) if key not in reach]
    if missing:
        raise ParameterError(
            "notes", _range_text((low, high)),
            f"{quoted(instrument.name)} does not play {note_name(missing[0])}; expected notes from "
            f"{note_name(reach[0])} to {note_name(reach[-1])}")
    keys = [key for key in range(low, high + 1, step) if key in reach]
    strokes = []
    for index, key in enumerate(keys):
        first = low if not index else (keys[index - 1] + key) // 2 + 1
        last = high if key == keys[-1] else (key + keys[index + 1]) // 2
        zone = (key, first, last)
        strokes.append(_bar_stroke(bars[key], zone) if bars else _course_stroke(found, zone))
    return tuple(strokes)


def named_strokes(instrument: InstrumentSpec, names: Sequence[str]) -> tuple[Stroke, ...]:
    """Return the strokes of some parts, or of places on them, on keys from C2 on.

    Parameters: names, such as "open:na", an object and one of its places, or the name of a string.
    Errors: ParameterError.
    """
    parts = {part.name: part for part in instrument.parts}
    if len(names) > HIGHEST_KEY - FIRST_KEY + 1:
        raise ParameterError("at", f"{len(names)} strokes",
                             f"expected at most {HIGHEST_KEY - FIRST_KEY + 1}")
    strokes: list[Stroke] = []
    for key, name in enumerate(names, FIRST_KEY):
        part, _, place = name.partition(":")
        if not name:
            raise ParameterError("at", ",".join(names) or "empty",
                                 "expected the names of strokes, with a comma between two")
        if names.count(name) > 1:
            raise ParameterError("at", name, "it is listed twice; expected each stroke once")
        if part not in parts:
            raise ParameterError("at", name, f"{quoted(instrument.name)} has no part "
                                             f"{quoted(part)}; {suggest_name(part, parts)}")
        _check_place(name, parts[part], place)
        label = re.sub(r"[^A-Za-z0-9_]", "_", name)
        if label in {stroke.name for stroke in strokes}:
            label += f"_{key}"              # names of other scripts become alike
        strokes.append(_part_stroke(instrument.model, parts[part], label, (key, key, key),
                                    f"place={place}" if place else ""))
    return tuple(strokes)


def velocity_layers(count: int) -> list[tuple[int, int]]:
    """Return the lowest and the highest velocity of each of `count` layers (1 to 127).

    >>> velocity_layers(4)
    [(1, 31), (32, 63), (64, 95), (96, 127)]
    """
    ends = [127 * index // count for index in range(count + 1)]
    return [(low + 1, high) for low, high in pairwise(ends)]


def strength_factor(velocity: float) -> float:
    """Return the factor on the default strength at a velocity, as `pysitar midi` has it: 1 at
    127."""
    return math.pow(SOFTEST, (velocity - 127.0) / 126.0)


def _parse_note(text: str, whole: str) -> int:
    """Return the key of a note such as e2.  Errors: ParameterError."""
    found = NOTE.fullmatch(text)
    if found is None:
        raise ParameterError("notes", whole, "expected a range of notes, such as e2..e5 or c3..f#4")
    return note_number("notes", found[1].upper() + found[2])


def _range_text(notes: tuple[int, int]) -> str:
    return "..".join(note_name(key) for key in notes)


def _example(instrument: InstrumentSpec) -> str:
    """Return a stroke of an instrument, as --at names it."""
    part: Any = instrument.parts[0]
    place = next(iter(getattr(part, "places", ())), "")
    return f"{part.name}:{place}" if place else part.name


def _check_place(name: str, part: Any, place: str) -> None:
    """Check the place of a stroke.  Errors: ParameterError."""
    places = getattr(part, "places", {})
    if place and place not in places:
        hint = suggest_name(place, places) if places else f"expected {part.name} alone"
        raise ParameterError("at", name, f"{part.name} has no place {quoted(place)}; {hint}")


def _over(course: Course, key: int) -> float:
    """Return the distance of a key from the open string of a course (semitones)."""
    return key - key_of(course.open_hz)


def _plays(course: Course, key: int) -> bool:
    """Return whether a course plays a key; a string that is plucked is not slackened for it."""
    over = _over(course, key)
    lowest = course.lowest if course.gesture.pitch == "not" else max(course.lowest, -OPEN)
    return lowest - ROUNDING <= over <= course.highest + ROUNDING


def _keys_of_courses(found: Sequence[Course]) -> list[int]:
    return [key for key in range(LOWEST_KEY, HIGHEST_KEY + 1)
            if any(_plays(course, key) for course in found)]


def _course_stroke(found: Sequence[Course], zone: tuple[int, int, int]) -> Stroke:
    """Return the stroke of a key on the course whose open string is nearest."""
    key = zone[0]
    course = min((one for one in found if _plays(one, key)), key=lambda one: abs(_over(one, key)))
    gesture, pitch = course.gesture, pitch_text(float(key))
    before: tuple[str, ...] = ()
    struck = gesture.pitch == "not"
    if struck and abs(_over(course, key)) > ROUNDING:
        tuning = find_gesture("string", lambda gesture: gesture.pitch == "must")
        before = tuple(f"0 {ALIAS}.{row} {tuning.name} {pitch}" for row in course.rows)
    string = course.strings[0]
    place = string.default_values(gesture.name).get("position", 0.0)
    targets = tuple((f"{ALIAS}.{row}", own, place, string.length)
                    for row, own in course.strengths())
    return Stroke(_file_name(key), *zone, gesture, targets, before, "" if struck else pitch)


def _bar_stroke(bar: BarOfSet, zone: tuple[int, int, int]) -> Stroke:
    return _part_stroke("impact", bar, _file_name(zone[0]), zone, "")


def _part_stroke(model: str, part: PartSpec | BarOfSet, name: str, zone: tuple[int, int, int],
                 rest: str) -> Stroke:
    """Return the stroke of a part at its own pitch.

    Errors: ParameterError, where no event starts its notes.
    """
    try:
        gesture = note_gesture(model, (part,))
    except (IndexError, KeyError):
        raise ParameterError("at", part.name, "no stroke sounds it; expected a string or an object"
                             ) from None
    values = part.default_values(gesture.name)
    length = float(getattr(part, "length", 0.0)) if model == "string" else 0.0
    place = values.get("position", 0.0) if length else 0.0
    target = (f"{ALIAS}.{part.name}", values[gesture.strength], place, length)
    return Stroke(name, *zone, gesture, (target,), (), rest)


def _file_name(key: int) -> str:
    """Return the note of a key for a file's name, without signs that samplers read as their own."""
    return note_name(key).lower()
