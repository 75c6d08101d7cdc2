"""Ornaments: what each makes of a note, as a course of its pitch."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pysitar.kernels.core import elementary
from pysitar.models.definitions.parameters import Parameter, table
from pysitar.models.network.curve import CurvePoint, ValueCurve
from pysitar.score.literals import ListLiteral, Literal, Pitch, Quantity, written
from pysitar.score.pitch import as_pitch
from pysitar.score.vocabulary import ORNAMENTS

__all__ = ["ORNAMENTS", "ORNAMENTS_TOLD", "Ornament", "notes_of", "ornament_course"]
KAN_TIME = 0.075                # s from the grace note's beginning to the note
KAN_HELD = 2.0 / 3.0            # of it, that the grace note is held
SAME = 1e-6                     # cents, that two notes are one


def _rate(default: float, meaning: str) -> Parameter:
    return Parameter(name="rate", unit="Hz", low=0.1, high=30.0, default=default, meaning=meaning)


def _depth(default: float | None, meaning: str) -> Parameter:
    return Parameter(name="depth", unit="cents", low=0.0, high=1200.0, open_low=True, default=default, meaning=meaning)


@dataclass(frozen=True, slots=True)
class Ornament:
    """An ornament of a pluck or a bend.

    Parameters: name; meaning, one line; several, whether it takes a list of notes; parameters, what else it takes in a row, by name.
    """

    name: str
    meaning: str
    several: bool
    parameters: Mapping[str, Parameter]


ORNAMENTS_TOLD = {made.name: made for made in (
    Ornament("meend", "the string is pulled to this note, or these one after the other, over the dur of the row", True, {}),
    Ornament("gamak", "the pitch is shaken: to this note and back, over the dur of the row", False, table(
        _rate(6.0, "how often; as many whole swings as come nearest fill the dur"),
        _depth(None, "how far towards that note; if it is the row's own, how far above and below it"))),
    Ornament("kan", "a grace note before: the sound begins with it, and 75 ms later, or dur if that is less, is the row's own", False, {}),
    Ornament("krintan", "a run without new strokes: this note, or these one after the other, each there at once", True, table(
        _rate(10.0, "how many notes a second; faster where the dur is too short for them"))),
    Ornament("andolan", "a slow sway around this note, from below first, over the dur of the row, at its end on the note", False, table(
        _rate(1.5, "how often; as many whole swings as come nearest fill the dur"),
        _depth(35.0, "how far below and above it"))),
)}


def notes_of(ornament: Ornament, literal: Literal) -> list[Pitch]:
    """The notes that a row gives an ornament.  Errors: ValueError whose text says what would be right."""
    if isinstance(literal, ListLiteral) and not ornament.several:
        raise ValueError(f"{ornament.name} takes one note, and {written(literal)} is a list; expected {ornament.name}=ga")
    items = literal.items if isinstance(literal, ListLiteral) else (literal,)
    notes = []
    for item in items:
        if not isinstance(item, Pitch | Quantity):
            many = f" or {ornament.name}=(re sa)" if ornament.several else ""
            raise ValueError(f"{ornament.name} takes a note, and {written(item)} is none; expected {ornament.name}=ga{many}")
        notes.append(as_pitch(item))
    return notes


def ornament_course(name: str, *, hz: float, notes: Sequence[float], duration: float, values: Mapping[str, float]) -> ValueCurve:
    """What an ornament makes of a note.

    Parameters: hz, the note's own pitch (Hz); notes, those that the row gives the ornament (Hz); duration, of the row (s), above 0; values,
    of its parameters, those that it has no default for only where they are given.
    Returns: the course of the pitch (Hz), times in s from the row's start.
    Errors: ValueError whose text says what would be right.
    """
    made = [(0.0, hz, "lin")]
    if name == "meend":
        made += [(duration * (index + 1) / len(notes), note, "cos") for index, note in enumerate(notes)]
    elif name == "kan":
        time = min(KAN_TIME, duration)
        made = [(0.0, notes[0], "lin"), (KAN_HELD * time, notes[0], "lin"), (time, hz, "cos")]
    elif name == "krintan":
        each = min(1.0 / values["rate"], duration / (len(notes) + 1))
        made += [(each * (index + 1), note, "step") for index, note in enumerate(notes)]
    elif name == "gamak":
        made += _shake(hz, notes[0], duration, values)
    else:
        made += _sway(notes[0], duration, values)
    return ValueCurve(tuple(CurvePoint(*point) for point in made))


def _swings(duration: float, rate: float) -> int:
    """How many whole swings come nearest to a rate (Hz) in a time (s)."""
    return max(1, round(duration * rate))


def _shake(hz: float, note: float, duration: float, values: Mapping[str, float]) -> list[tuple[float, float, str]]:
    """The points of a gamak after its first."""
    count = _swings(duration, values["rate"])
    depth, interval = values.get("depth"), 1200.0 * elementary.log2(note / hz)
    period = duration / count
    if abs(interval) < SAME:
        if depth is None:
            raise ValueError("gamak goes to the row's own note, and no further; expected another note, or depth=60c")
        return _around(hz, depth, period, count, first=1.0)
    far = note if depth is None else moved(hz, math.copysign(depth, interval))
    return [(0.5 * period * (half + 1), hz if half % 2 else far, "cos") for half in range(2 * count)]


def _sway(note: float, duration: float, values: Mapping[str, float]) -> list[tuple[float, float, str]]:
    """The points of an andolan after its first."""
    count = _swings(duration, values["rate"])
    return _around(note, values["depth"], duration / count, count, first=-1.0)


def _around(hz: float, depth: float, period: float, count: int, *, first: float) -> list[tuple[float, float, str]]:
    """Swings around a pitch (Hz) by a depth (cents), to the one side (1: above) first, and back to it."""
    sides = moved(hz, first * depth), moved(hz, -first * depth)
    points = [(period * (0.25 + 0.5 * half), sides[half % 2], "cos") for half in range(2 * count)]
    return [*points, (period * count, hz, "cos")]


def moved(hz: float, cents: float) -> float:
    """A frequency (Hz) so many cents away."""
    return hz * elementary.pow(2.0, cents / 1200.0)
