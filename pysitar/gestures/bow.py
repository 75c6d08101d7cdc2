"""Bow: a bow is set on a string or an object, moves across it for a time, and is lifted."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from pysitar.gestures.balls import COORDINATES, PLACE, POINTS, check_point
from pysitar.gestures.base import (
    BoundEvent,
    Event,
    Gesture,
    Needs,
    Player,
    Report,
    Row,
    Verb,
    greatest_value,
)
from pysitar.gestures.pluck import GLIDE, POSITION
from pysitar.physics.bow import BOW_SPEED, Rosin, driving_force, schelleng_limits
from pysitar.physics.parameters import NEAREST, Parameter, ranged, table
from pysitar.physics.units import format_quantity

WIDEST_SHIFT = 0.5              # m
MOST_FORCE = 100.0              # N
BOW_VELOCITY = ranged("velocity", BOW_SPEED, alias="v", low=-10.0, high=10.0, meaning=
                      "the speed of the bow; negative in the other direction. A number, or a "
                      "curve, (0:0.2 1.9:0.2 2.1:-0.2/cos)")
BOW_FORCE = Parameter(name="force", alias="f", unit="N", low=0.0, high=MOST_FORCE, meaning=
                      "with which it presses on the string. A number, or a curve, (0:0 1:0.5/cos "
                      "2:0); 0 is a lifted bow")
BOW_POSITION = Parameter(name="position", alias="at", unit="m", low=0.0, high=1.0, open_low=True,
                         open_high=True, smallest=POSITION.smallest, kind="position",
                         meaning="where it touches the string, from the bridge")
SHIFT = Parameter(name="shift", unit="m", low=-WIDEST_SHIFT, high=WIDEST_SHIFT, default=0.0,
                  meaning="how far it lies from that place, away from the bridge. A number, or a "
                          "curve, (0:0 2:1cm)")
RISE = Parameter(name="rise", unit="s", low=0.0, high=10.0, smallest=1e-9, default=0.03,
                 meaning="how long it takes to come down, while its force rises")
LIFT = Parameter(name="lift", unit="s", low=0.0, high=10.0, smallest=1e-9, default=0.03,
                 meaning="how long it takes to lift at the end of the row")


OBJECT_BOW_VELOCITY = replace(BOW_VELOCITY, default=0.1)
OBJECT_BOW_FORCE = replace(BOW_FORCE, default=1.0, meaning=BOW_FORCE.meaning.replace(
    "string", "object"))
HALVINGS = 40                   # of a range of speeds
STEPS = 64                      # in which the values of curves are compared


class BowGesture(Gesture):
    """A bow that moves with a speed (m/s) and a force (N) for a time: its values have "held" (s) as
    well."""

    name = "bow"
    curves = frozenset((BOW_VELOCITY.name, BOW_FORCE.name))
    defaults = "bow"
    follower = BOW_FORCE.name
    strength = BOW_VELOCITY.name

    def bind(self, row: Row) -> None:
        """Set how long the bow is on the part."""
        row.values["held"] = row.duration or max(
            (curve.points[-1].time for curve in row.curves.values()), default=0.0)
        if row.values["held"] == 0.0:
            row.report(row.event.verb_place, "bow has no duration; expected dur=2s, or curves, "
                                             "v=(0:0.2 2:0.2)")
            return
        longest = 0.5 * row.values["held"]
        for name in (RISE.name, LIFT.name):
            # its own values, which suit longer strokes, are shortened to it
            if name in row.written and row.values.get(name, 0.0) > longest * (1.0 + 1e-9):
                own, held = (format_quantity(row.values[one], "s", 4) for one in (name, "held"))
                row.report_value(name, (
                    f"{name} is {own}; expected at most half of the {held} of the row"))

    def check_others(self, event: BoundEvent, times: list[float], report: Report) -> None:
        """Report a bow on a part that is bowed already; times, pairs of what is bowed and the end
        of its last stroke (s)."""
        bowed = self.bowed(event)
        ends = dict(zip(times[::2], times[1::2], strict=True))
        if event.time < ends.get(bowed, event.time) - 1e-9:
            report(event.row.verb_place, (
                f"{event.row.target[0]}.{event.part} is bowed until {ends[bowed]:.4g} s; expected "
                "a later start, or one row with curves for both strokes"))
        ends[bowed] = event.time + event.values.get("held", 0.0)
        times[:] = [value for pair in ends.items() for value in pair]

    def bowed(self, event: BoundEvent) -> float:
        """Return a number of what an event bows, on its part."""
        return 0.0

    def silent_fault(self, event: BoundEvent, rosin: Rosin) -> str:
        """Return what is wrong with a bow that never moves, never presses, or whose friction does
        not fall with the speed ("": nothing)."""
        if greatest_value(event, BOW_VELOCITY.name) == 0.0:
            return "the bow does not move and makes no sound; expected a velocity, v=0.2m/s"
        if greatest_value(event, BOW_FORCE.name) == 0.0:
            return "the bow is lifted and makes no sound; expected a force, f=0.5N"
        if rosin.mu1 == rosin.mu2 == 0.0:
            return ("the friction of the bow is the same at every speed, and no force makes a "
                    "steady sound; expected mu1 or mu2 above 0")
        return ""

    def values_at(self, player: Player, step: int, values: Mapping[str, float]) -> dict[str, float]:
        """Return the values of a stroke from a step on, its times in steps."""
        own = {**player.default_values(self.name), **values}
        steps = max(2, round(own["held"] * player.sample_rate))
        for name in (RISE.name, LIFT.name):
            own[name] = min(round(own[name] * player.sample_rate), steps // 2)
        own["stop"] = step + steps
        return own

    def begin(self, player: Player, step: int, values: Mapping[str, float],
              curves: Mapping[str, Any]) -> None:
        """Set the bow on the part."""
        player.schedule("stroke", step, self.values_at(player, step, values), {
            name: curve for name, curve in curves.items() if name in self.curves})


class Bow(BowGesture):
    """A bow on a string."""

    parameters = table(BOW_VELOCITY, BOW_FORCE, BOW_POSITION, SHIFT, RISE, LIFT, GLIDE)
    needs = frozenset(("friction", "pitch"))
    curves = BowGesture.curves | {SHIFT.name}
    pitch = "may"
    takes_curve = True
    takes_ornament = True

    def is_playable(self, spec: Any) -> bool:
        return spec.bow is not None

    def missing_message(self, instrument: str, part: str) -> str:
        return (f"{instrument}.{part} has no bow; expected a table [strings.{part}.bow] in its "
                "file, or an instrument that is bowed, such as violin")

    def bind(self, row: Row) -> None:
        """Set how long the bow is on the string; check its places."""
        super().bind(row)
        values = row.values
        if not values.keys() >= {"position", "shift"}:      # a wrong one, already reported
            return
        curve = row.curves.get(SHIFT.name)
        shifts = [values["shift"]] if curve is None else [point.value for point in curve.points]
        for shift in shifts:
            half, length = 0.5 * row.spec.bow.width, row.spec.length
            if not half < values["position"] + shift < length - half:
                row.report_value("shift" if shift else "position", (
                    f"the bow is at {values['position'] + shift:.4g} m; expected above {half:g} m "
                    f"and below {length - half:g} m"
                    + (", so that all its hairs are on the string" if half else "")))
                return

    def follow_factor(self, spec: Any, own_hz: float, hz: float, length: float) -> float:
        """Return the factor of both limits of the force, as the greatest has it: the impedance is
        as the pitch to which the string is tuned, and the bow's fraction of the length as the
        inverse of the length."""
        factor = hz / own_hz
        return factor if length == spec.length else factor * length / spec.length

    def steady_fault(self, event: BoundEvent, spec: Any, hz: float, length: float) -> str:
        """Return what is wrong with the force for one slip in a period, at the greatest speed and
        force of an event ("": nothing); hz, the pitch to which the string is tuned."""
        fault = self.silent_fault(event, spec.bow.rosin)
        if fault:
            return fault
        speed, force = (greatest_value(event, name)
                        for name in (BOW_VELOCITY.name, BOW_FORCE.name))
        string, place = spec.string(hz), event.values["position"]
        limits = schelleng_limits(
            rosin=spec.bow.rosin, impedance=(string.tension * string.linear_density) ** 0.5,
            torsion=0.5 * spec.bow.torsion or float("inf"),
            fraction=max(min(place, length - place) / length, NEAREST), speed=speed)
        least, most = limits
        if least > most:
            return (f"at {format_quantity(place, 'm')} and {speed:.3g} m/s no force "
                    f"makes one slip in each period: it needs at least {_size(least)} N and at most"
                    f" {_size(most)} N; expected a place nearer to the middle")
        where = (f"at {format_quantity(place, 'm')} and {speed:.3g} m/s "
                 f"one slip in each period needs {_size(least)} to {_size(most)} N")
        if force < least and least > MOST_FORCE:
            return (f"the bow presses with {force:.3g} N: {where}, and a bow presses with at most "
                    f"{MOST_FORCE:g} N; expected a slower bow or one nearer to the middle")
        if force > most:
            return (f"the bow presses with {force:.3g} N: {where}; expected {_force_or(most)}a "
                    "faster bow or one nearer to the end, or the sound is rough")
        if force < least:
            return (f"the bow presses with {force:.3g} N: {where}; expected "
                    f"{_force_or(min(1.5 * least, most))}a slower bow or one nearer to the "
                    "middle, or the string slips more often and the sound is thin")
        return ""

    def network_needs(self, events: Sequence[BoundEvent], sample_rate: int) -> Needs:
        return Needs(is_bowed=True)

    def begin(self, player: Player, step: int, values: Mapping[str, float],
              curves: Mapping[str, Any]) -> None:
        """Lift a damping finger, and set the bow on the string."""
        player.schedule("lift", step, self.values_at(player, step, values))
        super().begin(player, step, values, curves)


class ObjectBow(BowGesture):
    """A bow on an object, in the direction in which the object is struck."""

    model = "impact"
    parameters = table(OBJECT_BOW_VELOCITY, OBJECT_BOW_FORCE, PLACE, *COORDINATES.values(), RISE,
                       LIFT)
    alternatives = POINTS
    pitch = "may"

    def played_by(self, capabilities: frozenset[str]) -> Verb | None:
        """Return the gesture: its pitch, of a bar or of an object of another size, needs nothing of
        a scheme."""
        return Verb(self.name, self.parameters, self.pitch, self)

    def bowed(self, event: BoundEvent) -> float:
        """Return the pitch (Hz; 0: its own): an object at a pitch is another one."""
        return event.hz or 0.0

    def check_event(self, event: Event, report: Report) -> None:
        """Report a curve of pitches."""
        if event.curve is not None:
            report(event.pitch_place, "an object keeps its pitch; expected a bow without a curve "
                                      "of pitches, or a bow on a string")

    def bind(self, row: Row) -> None:
        check_point(row)
        super().bind(row)

    def follow_factor(self, spec: Any, own_hz: float, hz: float, length: float) -> float:
        """Return the factor of the force from which the object sounds, at its default place: the
        inverse of the mobility. A smaller object needs less, and takes more."""
        place = spec.default_values(self.name)
        own, other = (one.peak_mobility(place) for one in (spec, spec.at_pitch(hz)))
        return max(own / other, 1.0) if other > 0.0 and own < inf else 1.0

    def steady_fault(self, event: BoundEvent, spec: Any, hz: float, length: float) -> str:
        """Return what is wrong with the force if no mode of the object grows under the bow ("":
        nothing)."""
        rosin: Rosin = spec.bow.rosin
        fault = self.silent_fault(event, rosin)
        if fault:
            return fault
        speeds, forces = (_sampled(event, name) for name in (BOW_VELOCITY.name, BOW_FORCE.name))
        mobility = spec.peak_mobility(event.values)
        needed = [driving_force(rosin=rosin, mobility=mobility, speed=speed) for speed in speeds]
        part, least, force, speed = max(
            ((force / least, least, force, speed)
             for force, least, speed in zip(forces, needed, speeds, strict=True) if speed != 0.0),
            default=(2.0, 0.0, 0.0, 0.0))
        if part >= 1.0 or not any(forces):
            return ""
        if mobility == 0.0:
            return "no mode moves where the bow is; expected another place"
        start = f"the bow presses with {force:.3g} N: at {abs(speed):.3g} m/s the object "
        if least <= MOST_FORCE:
            return (f"{start}starts to sound from {least:.3g} N on; expected "
                    f"{_force_or(2.0 * least)}a slower bow, or a place that moves more")
        slower = _fastest(rosin, mobility, force)
        advice = f"v={_size(slower)}m/s or less, or " if slower > 0.0 else ""
        return (f"{start}does not start to sound, as it needs more than the {MOST_FORCE:g} N of a "
                f"bow; expected {advice}a place that moves more")


def _fastest(rosin: Rosin, mobility: float, force: float) -> float:
    """Return the speed (m/s) of a bow up to which an object of a mobility (s/kg) starts to sound
    with a force (N); 0: it does at none."""
    low, high = 0.0, BOW_VELOCITY.high or 0.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        starts = driving_force(rosin=rosin, mobility=mobility, speed=middle) <= force
        low, high = (middle, high) if starts else (low, middle)
    # rounded down, so that it is right as it is shown
    return float(f"{0.99 * low:.2g}") if low > 1e-6 else 0.0


def _size(force: float) -> str:
    return f"{force:.3g}"


def _force_or(force: float) -> str:
    """Return an advice of a force (N), the first of several ("": no bow presses with so much)."""
    return f"f={_size(force)}N, " if force <= MOST_FORCE else ""


def _sampled(event: BoundEvent, name: str) -> list[float]:
    """Return a value of an event at STEPS times in its duration."""
    curve = event.courses.get(name)
    if curve is None:
        return [event.values[name]] * STEPS
    held = event.values["held"]
    return curve.at([held * (i + 0.5) / STEPS for i in range(STEPS)])


BOW, OBJECT_BOW = Bow(), ObjectBow()
