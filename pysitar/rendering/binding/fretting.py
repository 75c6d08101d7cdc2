"""Fingers that press strings behind their frets: where each lies and how long, and how many a string has at one time."""
from __future__ import annotations

from collections.abc import Callable, Mapping

from pysitar.errors import Place
from pysitar.models.definitions.parameters import FORCE
from pysitar.models.network.curve import ValueCurve
from pysitar.models.strings.fretting import FINGERS, finger_position, fret_position
from pysitar.rendering.plan import BoundEvent, StringPlan, Tell
from pysitar.score.timeline import Event
from pysitar.score.vocabulary import long_name


def pressed(event: Event, string: StringPlan, given: Mapping[str, object], values: dict[str, float], place: Callable[[str], Place],
            tell: Tell) -> None:
    """Makes the values of a press those of a finger on a string; what is wrong with them is told.

    Parameters: given, what the row gives; values, its position in m if it is given, or its fret; place, of a value that the row gives.
    """
    frets, length = string.spec.frets, string.spec.length
    name = f"{event.target[0]}.{string.name}"
    course = given.get(FORCE.name)
    values["held"] = course.points[-1].time if isinstance(course, ValueCurve) else event.duration
    if frets is None:
        tell(event.verb_place, f"{name} has no frets to be pressed on; fret ga, by the string's tension, or a table "
                               f"[strings.{string.name}.frets] in its file, would be right")
        return
    asked = {long_name(argument) for argument in event.arguments}
    if ("fret" in asked) == ("position" in asked):
        if "fret" in asked:
            tell(place("position"), "a fret and a position are both given; expected one of them")
        else:
            tell(event.end_place, "press needs where; expected fret=5, or a position x=45cm")
        return
    if "fret" in values:
        fret = int(values.pop("fret"))
        if fret > frets.count:
            tell(place("fret"), f"{name} has {frets.count} frets; expected 1 to {frets.count}")
            return
        values["position"] = finger_position(fret, length)
    if not values.keys() >= {"position", "width", "held"}:          # a wrong one, told
        return
    lowest = fret_position(frets.count, length)
    if values["position"] <= lowest:
        tell(place("position"), f"the finger is at {values['position']:.4g} m, and the last fret of {name} at {lowest:.4g} m from the "
                                "bridge; expected more, so that it presses on a fret")
    half = 0.5 * values["width"]
    if not half <= values["position"] <= length - half:
        tell(place("width" if "width" in given else "position" if "position" in given else "fret"),
             f"a finger of {values['width']:g} m at {values['position']:.4g} m is not on the string of {length:g} m; a narrower one would "
             "be right")
    if values["held"] == 0.0:
        tell(event.verb_place, "press lasts for the dur of its row, or to the last point of its force, which is 0; expected more")


def check_hands(made: BoundEvent, lifted: list[float], tell: Tell) -> None:
    """Tell a finger for which there is no room; lifted, when each of the fingers that are on the string will be."""
    lifted[:] = [end for end in lifted if end > made.time]
    if len(lifted) == FINGERS:
        tell(made.row.verb_place, f"{FINGERS} fingers press {made.row.target[0]}.{made.part} already; expected one that lifts before")
        return
    lifted.append(made.time + made.values["held"])
