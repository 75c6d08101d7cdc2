"""Ornaments: the pitch curve of each on a note."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pysitar.kernels.core import elementary
from pysitar.models.network.curve import CurvePoint, ValueCurve
from pysitar.physics.parameters import Parameter, table
from pysitar.score.literals import ListLiteral, Literal, Pitch, Quantity, quoted_literal
from pysitar.score.pitch import to_pitch
from pysitar.score.vocabulary import ORNAMENTS

__all__ = ["ORNAMENTS", "ORNAMENT_TABLE", "Ornament", "notes_of", "ornament_course"]
KAN_TIME = 0.075                # s, from the start of the grace note to the note
KAN_HELD_FRACTION = 2.0 / 3.0   # fraction of KAN_TIME for which the grace note is constant
SAME_NOTE = 1e-6                # cents: notes this near are the same note


def _rate(default: float, meaning: str) -> Parameter:
    return Parameter(name="rate", unit="Hz", low=0.1, high=30.0, default=default, meaning=meaning)


def _depth(default: float | None, meaning: str) -> Parameter:
    return Parameter(name="depth", unit="cents", low=0.0, high=1200.0, open_low=True,
                     default=default, meaning=meaning)


@dataclass(frozen=True, slots=True, eq=False)
class Ornament:
    """An ornament of a pluck or a bend.

    Parameters: name; meaning, one line; takes_list, whether several notes can be given; parameters,
    the other arguments of a row, by name. """

    name: str
    meaning: str
    takes_list: bool
    parameters: Mapping[str, Parameter]


ORNAMENT_TABLE = {
    ornament.name: ornament
    for ornament in (
        Ornament(
            "meend",
            "the string is pulled to this note, or these one after the other, over the dur of the "
            "row",
            True,
            table(
                Parameter(name="hold", low=0.0, high=0.95, default=0.0,
                          meaning="the part of the dur for which it stays on the row's own note "
                                  "before the pull"))),
        Ornament(
            "gamak", "the pitch is shaken: to this note and back, over the dur of the row", False,
            table(
                _rate(6.0, "swings a second; the dur has the nearest whole number of swings"),
                _depth(
                    None,
                    "how far towards that note; with the row's own note, how far above and below "
                    "it"
                ))),
        Ornament(
            "kan",
            "a grace note before: the sound begins with it, and 75 ms later, or dur if that is "
            "less, is the row's own",
            False, {}),
        Ornament(
            "krintan",
            "a run without new strokes: this note, or these one after the other, each there at "
            "once",
            True,
            table(_rate(10.0,
                        "how many notes a second; faster where the dur is too short for them"))),
        Ornament(
            "andolan",
            "a slow sway around this note, from below first, over the dur of the row, at its end "
            "on the note",
            False,
            table(_rate(1.5, "swings a second; the dur has the nearest whole number of swings"),
                  _depth(35.0, "how far below and above it"))),
    )
}


def notes_of(ornament: Ornament, literal: Literal) -> list[Pitch]:
    """Return the notes of an ornament in a row.  Errors: ValueError."""
    if isinstance(literal, ListLiteral) and not ornament.takes_list:
        raise ValueError(
            f"{ornament.name} is the list {quoted_literal(literal)}; expected one note, "
            f"{ornament.name}=ga"
        )
    items = literal.items if isinstance(literal, ListLiteral) else (literal,)
    notes = []
    for item in items:
        if not isinstance(item, Pitch | Quantity):
            many = f" or {ornament.name}=(re sa)" if ornament.takes_list else ""
            raise ValueError(
                f"{ornament.name} is {quoted_literal(item)}; expected a note, "
                f"{ornament.name}=ga{many}"
            )
        notes.append(to_pitch(item))
    return notes


def ornament_course(name: str, *, hz: float, notes: Sequence[float], duration: float,
                    values: Mapping[str, float]) -> ValueCurve:
    """Return the pitch curve (Hz) of an ornament, its times in s from the start of the row.

    Parameters: hz, the pitch of the row's note (Hz); notes, of the ornament (Hz); duration, of the
    row (s), above 0; values, of the ornament's parameters: a parameter without a default is among
    them only if the row has it. Errors: ValueError. """
    points = [(0.0, hz, "lin")]
    if name == "meend":
        hold = values["hold"] * duration
        points += [(hold, hz, "lin")] if hold else []
        points += [(hold + (duration - hold) * (index + 1) / len(notes), note, "cos")
                   for index, note in enumerate(notes)]
    elif name == "kan":
        time = min(KAN_TIME, duration)
        points = [(0.0, notes[0], "lin"), (KAN_HELD_FRACTION * time, notes[0], "lin"),
                  (time, hz, "cos")]
    elif name == "krintan":
        each = min(1.0 / values["rate"], duration / (len(notes) + 1))
        points += [(each * (index + 1), note, "step") for index, note in enumerate(notes)]
    elif name == "gamak":
        points += _gamak_points(hz, notes[0], duration, values)
    else:
        points += _andolan_points(notes[0], duration, values)
    return ValueCurve(tuple(CurvePoint(*point) for point in points))


def _swing_count(duration: float, rate: float) -> int:
    """Return the number of whole swings in a time (s) nearest to a rate (Hz), at least 1."""
    return max(1, round(duration * rate))


def _gamak_points(hz: float, note: float, duration: float,
                  values: Mapping[str, float]) -> list[tuple[float, float, str]]:
    """Return the points of a gamak after its first."""
    count = _swing_count(duration, values["rate"])
    depth, interval = values.get("depth"), 1200.0 * elementary.log2(note / hz)
    period = duration / count
    if abs(interval) < SAME_NOTE:
        if depth is None:
            raise ValueError(
                "gamak has the row's own note and no depth; expected another note, or depth=60c")
        return _swing_points(hz, depth, period, count, first=1.0)
    far = note if depth is None else transposed(hz, math.copysign(depth, interval))
    return [(0.5 * period * (half + 1), hz if half % 2 else far, "cos")
            for half in range(2 * count)]


def _andolan_points(note: float, duration: float,
                    values: Mapping[str, float]) -> list[tuple[float, float, str]]:
    """Return the points of an andolan after its first."""
    count = _swing_count(duration, values["rate"])
    return _swing_points(note, values["depth"], duration / count, count, first=-1.0)


def _swing_points(hz: float, depth: float, period: float, count: int, *,
                  first: float) -> list[tuple[float, float, str]]:
    """Return the points of swings around a pitch (Hz) by a depth (cents), ending on the pitch.

    Parameters: first, 1 for a first swing above the pitch, -1 below.
    """
    sides = transposed(hz, first * depth), transposed(hz, -first * depth)
    swings = [(period * (0.25 + 0.5 * half), sides[half % 2], "cos") for half in range(2 * count)]
    return [*swings, (period * count, hz, "cos")]


def transposed(hz: float, cents: float) -> float:
    """Return a frequency (Hz) transposed by an interval (cents)."""
    return hz * elementary.pow(2.0, cents / 1200.0)
