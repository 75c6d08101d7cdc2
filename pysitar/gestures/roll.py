"""Roll: a ball rolls over the rough surface of an object."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pysitar.errors import ParameterError
from pysitar.gestures.balls import CONTACT, NAMES, POINTS, RADIUS, check_point
from pysitar.gestures.base import BoundEvent, Gesture, Player, Row, greatest_value
from pysitar.physics.contact import MOST_DAMPING
from pysitar.physics.parameters import Parameter, table

FASTEST = 100.0                         # m/s
FINEST, COARSEST = 1e-6, 10.0           # m, wavelengths of a surface
MOST_WAVES = 4096                       # longest over shortest of them

SPEED = Parameter(name="velocity", alias="v", unit="m/s", low=0.0, high=FASTEST,
                  meaning="the speed of the ball at the start")
RESISTANCE = Parameter(
    name="resistance", low=0.0, high=1.0, smallest=1e-9, default=0.0, meaning=
    "the rolling resistance: it slows the ball by 7 m/s^2 times this value until it stands")
ROUGHNESS = Parameter(name="roughness", unit="m", low=0.0, high=1e-2,
                      meaning="the RMS height of the surface; 0 is flat")
SHORTEST = Parameter(name="shortest", unit="m", low=FINEST, high=COARSEST,
                     meaning="the shortest wavelength of the surface")
LONGEST = Parameter(name="longest", unit="m", low=FINEST, high=COARSEST,
                    meaning="the longest wavelength of the surface")
BETA = Parameter(name="beta", low=0.0, high=10.0, default=2.0,
                 meaning="the spectral slope of the surface: amplitude wave number^(-beta/2)")
DAMPING = Parameter(
    name="damping", unit="s/m", low=0.0, high=MOST_DAMPING,
    meaning="the Hunt-Crossley damping of the contact, far more than that of a blow")


class Roll(Gesture):
    """A ball that rolls for the dur of its row: its values have "duration" (s) as well."""

    name = "roll"
    model = "impact"
    parameters = table(*NAMES, SPEED, RESISTANCE, ROUGHNESS, SHORTEST, LONGEST, BETA,
                       *CONTACT, DAMPING, RADIUS)
    alternatives = POINTS
    curves = frozenset((SPEED.name,))
    defaults = "roll"
    strength = SPEED.name

    def bind(self, row: Row) -> None:
        """Set the duration; a curve of the speed is without resistance: it has its own
        deceleration."""
        check_point(row)
        if SPEED.name in row.curves:
            row.values[RESISTANCE.name] = 0.0
            if RESISTANCE.name in row.row_names:
                row.report_value(
                    RESISTANCE.name, "resistance goes with a constant velocity, not with a curve; "
                                     "expected it left out")
        try:
            check_waves(row.values[SHORTEST.name], row.values[LONGEST.name])
            if row.duration == 0.0:
                raise ParameterError("dur", 0.0,
                                     "a ball rolls for the dur of its row; expected above 0 s")
        except ParameterError as error:
            row.report_value(error.name, str(error))
        row.values["duration"] = row.duration

    def steady_fault(self, event: BoundEvent, spec: Any, hz: float, length: float) -> str:
        """Return what is wrong with a ball that never moves, or rolls on a flat surface ("":
        nothing)."""
        if greatest_value(event, SPEED.name) == 0.0:
            return "the ball does not move and makes no sound; expected a velocity, v=0.5m/s"
        if event.values[ROUGHNESS.name] == 0.0:
            return "a flat surface makes no sound; expected a roughness, roughness=5um"
        return ""

    def begin(self, player: Player, step: int, values: Mapping[str, float],
              curves: Mapping[str, Any]) -> None:
        player.schedule("roll over", step, values)


def check_waves(shortest: float, longest: float) -> None:
    """Raise a ParameterError unless wavelengths (m) are in order and their ratio is within the
    limit of a surface."""
    if longest < shortest:
        raise ParameterError("longest", longest,
                             f"expected at least the shortest wavelength, {shortest:g} m")
    if longest > MOST_WAVES * shortest:
        raise ParameterError(
            "shortest", shortest,
            f"expected at least {longest / MOST_WAVES:.3g} m with waves up to {longest:g} m")


ROLL = Roll()
