"""Force factors (`f=*`) of plays: rows without a force, and factors that are too large or small."""
from __future__ import annotations

from pysitar.errors import ParameterError, Place, Problem
from pysitar.gestures.catalogue import gesture_named
from pysitar.rendering.lint.table import CheckedScore
from pysitar.score.elements import Play
from pysitar.score.literals import number_text
from pysitar.score.timeline import Event
from pysitar.score.vocabulary import long_name


def force_factors(checked: CheckedScore) -> list[Problem]:
    """Return a warning for each play whose factor does not apply to rows that sound without a
    force."""
    found: dict[Place, tuple[Play, dict[Place, Event]]] = {}
    for event in checked.events:
        if event.scaling_play is not None and _loudness_parameter(event):
            _, rows = found.setdefault(event.scaling_play.factor_place, (event.scaling_play, {}))
            rows.setdefault(event.place, event)
    return [Problem(place, _unscaled_message(*unscaled)) for place, unscaled in found.items()]


def factor_message(play: Play, event: Event, error: ParameterError | ValueError) -> str:
    """Return the message for a play whose factor moves the force of a row out of range."""
    return (f"f={_factor_text(play)} is too large or too small for the {event.verb} "
            f"{_row_place(play, event.place)}: {error}")


def _unscaled_message(play: Play, rows: dict[Place, Event]) -> str:
    first = min(rows, key=lambda place: (place.file != play.place.file, place.line))
    name = _loudness_parameter(rows[first])
    rows_text = ("the row without a force" if len(rows) == 1
                 else f"the {len(rows)} rows without a force, the first")
    return (f"f={_factor_text(play)} does not change {rows_text} {_row_place(play, first)} "
            f"({rows[first].verb}); expected another {name}= there to change how loud it is")


def _loudness_parameter(event: Event) -> str:
    """Return the parameter that sets how loud a row without a force is ("": the row has a force, or
    makes no sound)."""
    return gesture_named(event.verb).loudness_name([long_name(name) for name in event.arguments])


def _factor_text(play: Play) -> str:
    return f"*{number_text(play.factor)}{'^' if play.compound else ''}"


def _row_place(play: Play, place: Place) -> str:
    return f"on line {place.line}" if place.file == play.place.file else f"at {place}"
