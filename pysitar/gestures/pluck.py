"""Pluck: a force draws the string aside and lets it go, or it is released from a height."""
from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from pysitar.errors import ParameterError
from pysitar.gestures.base import Gesture, Player, Row
from pysitar.kernels.core import elementary
from pysitar.physics.parameters import NEAREST, Parameter, check_value, check_width, table

LONGEST_RELEASE = 0.05      # s, of a default release that width and force scale
STRONGEST = 1000.0          # N; no string of these instruments holds a fifth of it
SOFTEST = 1e-9              # N

FORCE = Parameter(name="force", alias="f", unit="N", low=-STRONGEST, high=STRONGEST,
                  smallest=SOFTEST, nonzero=True,
                  meaning="the greatest force of the pluck; negative plucks downwards")
POSITION = Parameter(name="position", alias="x", unit="m", low=0.0, high=1.0, open_low=True,
                     open_high=True, smallest=NEAREST, kind="position",
                     meaning="where the string is plucked, from the bridge")
WIDTH = Parameter(name="width", alias="w", unit="m", low=0.0, high=1.0, smallest=1e-9, default=0.0,
                  meaning="the width of the finger or plectrum")
RAMP = Parameter(name="ramp", unit="s", low=0.0, high=10.0, open_low=True, smallest=1e-9,
                 meaning="how long the force rises")
RELEASE = Parameter(name="release", unit="s", low=0.0, high=10.0, smallest=1e-9,
                    meaning="how long the force falls")
HEIGHT = Parameter(
    name="height", alias="h", unit="m", low=-0.1, high=0.1, smallest=1e-9, nonzero=True,
    meaning="instead of a force: the displacement of the triangle from which the string is "
            "released"
)
TOUCH = Parameter(
    name="touch", unit="kg/s", low=0.0, high=1000.0, smallest=1e-9, default=0.0,
    meaning="the resistance of the finger or plectrum that touches the string before the pluck")
LEAD = Parameter(name="lead", unit="s", low=0.0, high=1.0, default=0.0,
                 meaning="how long before the pluck it touches")
ANGLE = Parameter(
    name="angle", unit="deg", low=-360.0, high=360.0, smallest=1e-6, default=90.0,
    meaning="the direction of the pluck of a string that moves in two: 90 is up from the bridge, 0 "
            "along it")
GLIDE = Parameter(name="glide", unit="s", low=0.0, high=10.0, default=0.007,
                  meaning="the duration of the glide to the pitch; it ends when the event begins")
FORCE_PARAMETERS = (FORCE.name, WIDTH.name, RAMP.name, RELEASE.name)          # without a height


class Pluck(Gesture):
    """A pluck by a force (N) that rises and falls, or by a height (m) of the string."""

    name = "pluck"
    parameters = table(FORCE, POSITION, WIDTH, RAMP, RELEASE, HEIGHT, TOUCH, LEAD, ANGLE,
                       GLIDE)
    parameter_needs = MappingProxyType(
        {TOUCH.name: "touch", LEAD.name: "touch", ANGLE.name: "friction", GLIDE.name: "pitch"})
    pitch = "may"
    takes_ornament = True
    defaults = "pluck"
    draws = True
    strength = FORCE.name
    starts_notes = True
    begins = "is released"

    def conflict(self, name: str, others: Collection[str]) -> str:
        if name in FORCE_PARAMETERS and HEIGHT.name in others:
            return "goes with a force, and this pluck has a height; expected one of the two"
        return ""

    def bind(self, row: Row) -> None:
        """Remove the force parameters of a pluck with a height; otherwise check force and width."""
        values = row.values
        if row.spec.polarisation == 1:
            values.pop(ANGLE.name, None)
            if ANGLE.name in row.row_names:
                row.report_value(ANGLE.name, (
                    "the string moves in one direction, and its plucks have no angle; expected set "
                    f"{row.event.target[0]}.polarisation = 2, or no angle"))
        if HEIGHT.name in row.row_names:
            for name in FORCE_PARAMETERS:
                del values[name]
            return
        self._set_release(row)
        try:
            if FORCE.name not in row.row_names:
                check_value(FORCE, values[FORCE.name])
            check_width(values[POSITION.name], values[WIDTH.name], row.spec.length)
        except ParameterError as error:
            name = WIDTH.name if WIDTH.name in row.row_names else (
                POSITION.name if error.name == WIDTH.name else FORCE.name)
            if error.name == FORCE.name:
                row.report_force(name, error)
            else:
                row.report_value(name, str(error))

    def _set_release(self, row: Row) -> None:
        """Scale the default release with the width of the row, and with its force as the
        instrument's `pick` says: a wide thumb lets go slowly, a hard stroke fast."""
        values, default = row.values, row.spec.pluck
        if RELEASE.name in row.row_names or RELEASE.name in row.written:
            return
        pick, factor = row.spec.pick, 1.0
        if WIDTH.name in row.row_names and default.width > 0.0:
            factor *= values[WIDTH.name] / default.width
        if pick is not None and pick.tip is not None:
            values[RELEASE.name] = pick.tip.slip_time(values[FORCE.name])
        elif pick is not None and pick.sharpening > 0.0 and values[FORCE.name] != 0.0:
            factor *= elementary.pow(abs(default.force / values[FORCE.name]), pick.sharpening)
        if factor != 1.0:
            values[RELEASE.name] = min(values[RELEASE.name] * factor, LONGEST_RELEASE)

    def sound_delay(self, values: Mapping[str, float], spec: Any) -> float:
        return values.get(RAMP.name, 0.0)

    def replaces_earlier(self, values: Mapping[str, float], spec: Any) -> bool:
        return RAMP.name in values and spec.pick is not None and spec.pick.tip is not None

    def loudness_name(self, written: Collection[str]) -> str:
        return HEIGHT.alias if HEIGHT.name in written else ""

    def strength_of(self, written: Collection[str]) -> str:
        return HEIGHT.name if HEIGHT.name in written else FORCE.name

    def begin(self, player: Player, step: int, values: Mapping[str, float],
              curves: Mapping[str, Any]) -> None:
        """Lift a damping finger, touch the string, and push it or release it from its height."""
        own = {**player.default_values(self.name), **values}
        touches = "touch" in player.actions
        early = step
        if touches:
            early = max(player.now, step - round(own[LEAD.name] * player.sample_rate))
            own[LEAD.name] = (step - early) / player.sample_rate
            player.schedule("lift", early, own)
        player.schedule("lift", step, own)          # of a damp between
        if touches and own[TOUCH.name] > 0.0:
            player.schedule("touch", early, own)
        player.schedule("let" if HEIGHT.name in own else "push", step, own)


PLUCK = Pluck()
