"""What the `f=*` of a play does to rows, and to which it does nothing."""
from __future__ import annotations

from collections.abc import Iterable

from pysitar.errors import ParameterError, Place, Problem
from pysitar.score.elements import Play
from pysitar.score.literals import number_text
from pysitar.score.timeline import Event
from pysitar.score.vocabulary import long_name

FORCELESS = {"strike": "v", "drop": "h", "throw": "v", "roll": "v"}          # verbs that sound without a force: what makes them louder


def unscaled(events: Iterable[Event]) -> list[Problem]:
    """A warning for each play whose factor leaves rows as they are that sound without a force."""
    found: dict[Place, tuple[Play, dict[Place, Event]]] = {}
    for event in events:
        if event.scaling_play is not None and _louder_by(event):
            found.setdefault(event.scaling_play.factor_place, (event.scaling_play, {}))[1].setdefault(event.place, event)
    return [Problem(place, _left(*left)) for place, left in found.items()]


def overscaled(play: Play, event: Event, error: ParameterError | ValueError) -> str:
    """What is told of a play whose factor makes the force of a row impossible."""
    return f"f={_factor(play)} is too much or too little for the {event.verb} {_where(play, event.place)}: {error}"


def _left(play: Play, rows: dict[Place, Event]) -> str:
    first = min(rows, key=lambda place: (place.file != play.place.file, place.line))
    name = _louder_by(rows[first])
    many = "the row without a force" if len(rows) == 1 else f"the {len(rows)} rows without a force"
    one = "" if len(rows) == 1 else ", the first"
    return (f"f={_factor(play)} leaves {many} as {'it is' if len(rows) == 1 else 'they are'}{one} {_where(play, first)} "
            f"({rows[first].verb}); another {name}= there would change how loud it is")


def _louder_by(event: Event) -> str:
    """What makes a row that sounds without a force louder ("": it has one, or makes no sound)."""
    if event.verb in ("pluck", "strum"):
        return "h" if any(long_name(name) == "height" for name in event.arguments) else ""
    return FORCELESS.get(event.verb, "")


def _factor(play: Play) -> str:
    return f"*{number_text(play.factor)}{'^' if play.compound else ''}"


def _where(play: Play, place: Place) -> str:
    return f"on line {place.line}" if place.file == play.place.file else f"at {place}"
