"""Fingers that press strings behind frets: position, duration, and their number on a string at one
time."""
from __future__ import annotations

from collections.abc import Callable, Mapping

from pysitar.errors import Place
from pysitar.models.definitions.parameters import FORCE
from pysitar.models.network.curve import ValueCurve
from pysitar.models.strings.fretting import FINGERS, finger_position, fret_position
from pysitar.rendering.plan import BoundEvent, ReportProblem, StringPlan
from pysitar.score.timeline import Event
from pysitar.score.vocabulary import long_name


def set_press_values(
    event: Event, string: StringPlan, row_values: Mapping[str, object], values: dict[str, float],
    place: Callable[[str], Place], report: ReportProblem,
) -> None:
    """Complete the values of a press (finger position in m, duration held in s); report wrong
    values.

    Parameters: row_values, the values of the row; values, with the position (m) or the fret of the
    row; place, of a value of the row, by name. """
    frets, length = string.spec.frets, string.spec.length
    name = f"{event.target[0]}.{string.name}"
    force = row_values.get(FORCE.name)
    values["held"] = force.points[-1].time if isinstance(force, ValueCurve) else event.duration
    if frets is None:
        report(event.verb_place, f"{name} has no frets; expected fret ga, which sets the string's "
                                 f"tension, or a table [strings.{string.name}.frets] in its file")
        return
    argument_names = {long_name(argument) for argument in event.arguments}
    if ("fret" in argument_names) == ("position" in argument_names):
        if "fret" in argument_names:
            report(place("position"), "a fret and a position are both given; expected one of them")
        else:
            report(event.end_place, "press has no position; expected fret=5, or a position x=45cm")
        return
    if "fret" in values:
        fret = int(values.pop("fret"))
        if fret > frets.count:
            report(place("fret"), f"{name} has {frets.count} frets; expected 1 to {frets.count}")
            return
        values["position"] = finger_position(fret, length)
    if not values.keys() >= {"position", "width", "held"}:          # a wrong one, already reported
        return
    lowest = fret_position(frets.count, length)
    if values["position"] <= lowest:
        report(place("position"),
               f"the finger is at {values['position']:.4g} m, and the last fret of {name} at "
               f"{lowest:.4g} m from the bridge; expected more, so that it presses on a fret")
    half = 0.5 * values["width"]
    if not half <= values["position"] <= length - half:
        report(
            place("width" if "width" in row_values else "position" if "position" in
                  row_values else "fret"),
            f"a finger of {values['width']:g} m at {values['position']:.4g} m is not on the "
            f"string of {length:g} m; expected a narrower one")
    if values["held"] == 0.0:
        report(event.verb_place, "press lasts for the dur of its row, or to the last point of its "
                                 "force, which is 0 s; expected more")


def check_finger_count(
    event: BoundEvent, lift_times: list[float], report: ReportProblem,
) -> None:
    """Report a press on a string that already has its highest number of fingers.

    Parameters: lift_times, when each finger on the string is lifted (s); updated.
    """
    lift_times[:] = [end for end in lift_times if end > event.time]
    if len(lift_times) == FINGERS:
        report(event.row.verb_place, f"{FINGERS} fingers press {event.row.target[0]}.{event.part} "
                                     "already; expected one of them to lift before")
        return
    lift_times.append(event.time + event.values["held"])
