"""Press: a finger presses the string behind a fret, so that it shortens it; or the palm presses a
head, so that its tension rises."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pysitar.errors import ParameterError
from pysitar.gestures.base import BoundEvent, Gesture, Needs, Player, Report, Row
from pysitar.kernels.core import elementary
from pysitar.physics.parameters import NEAREST, Parameter, table

FINGERS = 4                     # of a hand, on one string
BEHIND = 0.012                  # m from a fret to the finger, towards the nut
ROOM = 0.6                      # of the distance to the next fret, if that is less
RAMP = 0.02                     # s in which a finger comes down or lifts

PRESSED_FRET = Parameter(
    name="fret", unit="", low=1, high=60, kind="whole", meaning=
    "the fret behind which the finger lies, from the nut: 12 mm behind it, or 0.6 of the distance "
    "to the next"
)
PRESSED_AT = Parameter(name="position", alias="x", unit="m", low=0.0, high=1.0, open_low=True,
                       open_high=True, smallest=NEAREST, kind="position",
                       meaning="instead of a fret: where the finger lies, from the bridge")
PRESS_FORCE = Parameter(
    name="force", alias="f", unit="N", low=0.0, high=100.0, default=10.0, meaning=
    "how hard it presses: for the dur of the row, or as a curve, (0:0 0.1:10 1:10 1.2:0), to its "
    "end"
)
PRESS_WIDTH = Parameter(name="width", alias="w", unit="m", low=0.0, high=1.0, smallest=1e-9,
                        default=0.01, meaning="the width of the finger")
PULL = Parameter(
    name="pull", unit="N", low=0.0, high=100.0, smallest=1e-9, default=0.0, meaning=
    "how hard the finger plucks the string as it lifts (pull-off); 0: it only lifts")


PRESSED_ON = {"last fret": "a fret", "fretboard": "it"}
TENSION = Parameter(
    name="tension", low=1.0, high=4.0, meaning=
    "the tension of the head under the palm, over that at rest; the pitch rises by its root: 1.26 "
    "is two semitones. A number, at which it stays, or a curve, (0:1 0.15:1.5 0.6:1.1)")


class Press(Gesture):
    """A finger that presses with a force (N) for a time: its values have "held" (s) as well."""

    name = "press"
    parameters = table(PRESSED_FRET, PRESSED_AT, PRESS_FORCE, PRESS_WIDTH, PULL)
    needs = frozenset(("frets",))
    curves = frozenset((PRESS_FORCE.name,))
    forces = (PRESS_FORCE.name, PULL.name)
    scales_default = False
    number_hint = ("expected the number of a fret, press fret={number}, or of a membrane "
                   "press tension=1.5")

    def is_playable(self, spec: Any) -> bool:
        return spec.frets is not None or spec.fretboard is not None

    def missing_message(self, instrument: str, part: str) -> str:
        return (f"{instrument}.{part} has no frets; expected fret ga, which sets the string's "
                f"tension, or a table [strings.{part}.frets] in its file")

    def bind(self, row: Row) -> None:
        """Set the finger's position (m) and how long it is held (s); check both."""
        frets, length, values = row.spec.frets, row.spec.length, row.values
        name = f"{row.event.target[0]}.{row.part}"
        force = row.curves.get(PRESS_FORCE.name)
        values["held"] = row.duration if force is None else force.points[-1].time
        if ("fret" in row.written) == ("position" in row.written):
            if "fret" in row.written:
                row.report_value(
                    "position", "a fret and a position are both given; expected one of them")
            else:
                row.report(row.event.end_place,
                           "press has no position; expected fret=5, or a position x=45cm")
            return
        if "fret" in values:
            fret = int(values.pop("fret"))
            if frets is None:
                row.report_value(
                    "fret", f"{name} has a fretboard without frets; expected a position on it, "
                            "press x=45cm")
                return
            if fret > frets.count:
                row.report_value(
                    "fret", f"{name} has {frets.count} frets; expected 1 to {frets.count}")
                return
            values["position"] = finger_position(fret, length)
        if not values.keys() >= {"position", "width", "held"}:      # a wrong one, already reported
            return
        if frets is None:
            _check_place(row, "fretboard", name, row.spec.fretboard.start)
        else:
            _check_place(row, "last fret", name, fret_position(frets.count, length))
        if values["held"] == 0.0:
            row.report(row.event.verb_place, "press lasts for the dur of its row, or to the last "
                                             "point of its force, which is 0 s; expected more")

    def stopped_length(self, values: Mapping[str, float], spec: Any) -> float | None:
        """Return the length (m) up to the next fret, or up to the finger on a fretboard."""
        if not values.keys() >= {"position", "held"}:       # a wrong one, already reported
            return None
        at = values["position"]
        if spec.frets is None:
            return at
        return max((x for fret in range(spec.frets.count + 1)
                    if (x := fret_position(fret, spec.length)) <= at), default=at)

    def check_others(self, event: BoundEvent, times: list[float], report: Report) -> None:
        """Report a press on a string that already has its highest number of fingers.

        Parameters: times, when each finger on the string is lifted (s); updated.
        """
        times[:] = [end for end in times if end > event.time]
        if len(times) == FINGERS:
            report(event.row.verb_place,
                   f"{FINGERS} fingers press {event.row.target[0]}.{event.part} already; expected "
                   "one of them to lift before")
            return
        times.append(event.time + event.values["held"])

    def network_needs(self, events: Sequence[BoundEvent], sample_rate: int) -> Needs:
        starts = [(round(event.time * sample_rate), event.values["held"]) for event in events]
        return Needs(presses=tuple(
            (step, step + press_steps(held, sample_rate)) for step, held in starts))

    def begin(self, player: Player, step: int, values: Mapping[str, float],
              curves: Mapping[str, Any]) -> None:
        """Press with a free finger, and lift it or pull it off at the end."""
        stop = step + press_steps(values["held"], player.sample_rate)
        rise = min(round(RAMP * player.sample_rate), (stop - step) // 2)
        finger = player.take_finger(step, stop)
        if finger is None:
            raise ParameterError(
                self.name, "one more",
                f"expected at most {player.fingers} fingers on this string at a time")
        values = {**values, "finger": finger, "stop": stop, "rise": rise}
        player.schedule("press down", step, values, curves.get(PRESS_FORCE.name))
        player.schedule("let up", stop - rise, values)
        if values.get(PULL.name, 0.0) > 0.0:
            player.schedule("pull off", stop - rise, values)


class PalmPress(Gesture):
    """A palm that presses a membrane, whose tension then follows a value or a curve."""

    name = "press"
    model = "impact"
    parameters = table(TENSION)
    curves = frozenset((TENSION.name,))
    sounds = False

    def is_playable(self, spec: Any) -> bool:
        return bool(getattr(spec, "tension_shares", ()))

    def missing_message(self, instrument: str, part: str) -> str:
        return (f"{instrument}.{part} is no membrane whose tension may change; expected an object "
                f"of kind \"membrane\" with one head and no snares")

    def bind(self, row: Row) -> None:
        """Report a press without a tension."""
        if TENSION.name not in row.written:
            row.report(row.event.end_place, "press has no tension; expected tension=1.3, over that "
                                            "at rest, or a curve, tension=(0:1 0.2:1.3 0.8:1)")

    def sound_delay(self, values: Mapping[str, float], spec: Any) -> float | None:
        return None

    def begin(self, player: Player, step: int, values: Mapping[str, float],
              curves: Mapping[str, Any]) -> None:
        player.schedule("tighten", step, values)


def _check_place(row: Row, end: str, name: str, lowest: float) -> None:
    """Report a finger beyond the end of frets or fretboard, at a position (m), or beyond an end of
    the string."""
    position, width, length = row.values["position"], row.values["width"], row.spec.length
    if position <= lowest:
        row.report_value(
            "position",
            f"the finger is at {position:.4g} m, and the {end} of {name} at {lowest:.4g} m from "
            f"the bridge; expected more, so that it presses on {PRESSED_ON[end]}")
    if not 0.5 * width <= position <= length - 0.5 * width:
        row.report_value(
            next((key for key in ("width", "position") if key in row.row_names), "fret"),
            f"a finger of {width:g} m at {position:.4g} m is not on the string of {length:g} m; "
            "expected a narrower one")


def finger_position(fret: int, length: float) -> float:
    """Return the position (m from the bridge end) of a finger behind a fret, on a string of a
    length (m)."""
    own, next_one = fret_position(fret, length), fret_position(fret - 1, length)
    return own + min(BEHIND, ROOM * (next_one - own))


def fret_position(fret: int, length: float) -> float:
    """Return the position (m from the bridge end) of a fret on a string of a length (m); fret 0 is
    the nut."""
    return length * elementary.pow(2.0, -fret / 12.0)


def press_steps(held: float, sample_rate: float) -> int:
    """Return the number of steps at a rate (Hz) of a press of a duration (s)."""
    return max(2, round(held * sample_rate))


def fingers_at_once(spans: Iterable[tuple[int, int]]) -> int:
    """Return the largest number of overlapping spans of steps (begin, end), the end not
    included."""
    steps = sorted(
        (time, change) for begin, end in spans for time, change in ((begin, 1), (end, -1)))
    most = count = 0
    for _, change in steps:
        count += change
        most = max(most, count)
    return most


PRESS, PALM_PRESS = Press(), PalmPress()
