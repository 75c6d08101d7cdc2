"""Strike: a hammer hits a string, or a ball an object."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pysitar.errors import ParameterError
from pysitar.gestures.balls import (
    CONTACT,
    DAMPING,
    LOSS_TIME,
    NAMES,
    POINTS,
    check_loss,
    check_point,
)
from pysitar.gestures.base import BoundEvent, Gesture, HammerHead, Needs, Player, Row, Verb
from pysitar.gestures.felt import MEMORY, MEMORY_TIME
from pysitar.physics.contact import HIGHEST_EXPONENT
from pysitar.physics.parameters import (
    MOST_STRING_CONTACT_DAMPING,
    NEAREST,
    STIFFEST_HAMMER,
    Parameter,
    check_string_contact,
    table,
)

FASTEST = 1000.0                # m/s, of a ball

STRUCK = Parameter(name="position", alias="x", unit="m", low=0.0, high=1.0, open_low=True,
                   open_high=True, smallest=NEAREST, kind="position",
                   meaning="where the string is struck, from the bridge")
HAMMER_MASS = Parameter(name="mass", alias="m", unit="kg", low=1e-6, high=10.0,
                        meaning="the mass of the hammer")
HAMMER_VELOCITY = Parameter(name="velocity", alias="v", unit="m/s", low=0.0, high=100.0,
                            open_low=True, smallest=1e-9,
                            meaning="the speed of the hammer at the string, from above")
HAMMER_STIFFNESS = Parameter(name="stiffness", alias="K", unit="N/m^exponent", low=0.0, high=1e13,
                             open_low=True, smallest=1e-6,
                             meaning="the contact stiffness of its head")
HAMMER_EXPONENT = Parameter(
    name="exponent", alias="alpha", low=1.0, high=HIGHEST_EXPONENT,
    meaning="the power of the penetration in its force: wood some 1.5, felt 2.5")
HAMMER_DAMPING = Parameter(name="damping", unit="s/m", low=0.0, high=MOST_STRING_CONTACT_DAMPING,
                           default=0.0, meaning="the Hunt-Crossley damping of its head")
BALL_VELOCITY = Parameter(name="velocity", alias="v", unit="m/s", low=0.0, high=FASTEST,
                          open_low=True, smallest=1e-9, meaning=
                          "the speed of the ball, which touches the object at the event's time")


def hammer_head(values: Mapping[str, float]) -> HammerHead:
    """Return the head of the hammer of a strike."""
    memory = values["memory"]
    return HammerHead(values["exponent"], memory, values["memory_time"] if memory > 0.0 else 0.0)


class Strike(Gesture):
    """A hammer hits the string from above."""

    name = "strike"
    parameters = table(STRUCK, HAMMER_VELOCITY, HAMMER_MASS, HAMMER_STIFFNESS, HAMMER_EXPONENT,
                       HAMMER_DAMPING, MEMORY, MEMORY_TIME)
    needs = frozenset(("hammer",))
    defaults = "strike"
    strength = HAMMER_VELOCITY.name
    starts_notes = True

    def is_playable(self, spec: Any) -> bool:
        return spec.strike is not None

    def missing_message(self, instrument: str, part: str) -> str:
        return (f"{instrument}.{part} has no hammer; expected a table [strings.{part}.strike] in "
                "its file")

    def bind(self, row: Row) -> None:
        """Check the stiffness with its exponent, and damping beside memory."""
        check_loss(row)
        try:
            check_string_contact(STIFFEST_HAMMER, row.values["stiffness"], row.values["exponent"],
                                 HAMMER_STIFFNESS.unit)
        except ParameterError as error:
            row.report_value(error.name, str(error))

    def network_needs(self, events: Sequence[BoundEvent], sample_rate: int) -> Needs:
        return Needs(frozenset(hammer_head(event.values) for event in events))

    def begin(self, player: Player, step: int, values: Mapping[str, float],
              curves: Mapping[str, Any]) -> None:
        """Lift a damping finger and let the hammer hit."""
        player.schedule("lift", max(player.now, step - player.finger_steps), values)
        player.schedule("lift", step, values)         # of a damp between
        player.schedule("hammer", step, {**player.default_values(self.name), **values})


class BallStrike(Gesture):
    """A ball without weight hits the object."""

    name = "strike"
    model = "impact"
    parameters = table(*NAMES, BALL_VELOCITY, *CONTACT, DAMPING, LOSS_TIME, MEMORY,
                       MEMORY_TIME)
    alternatives = POINTS
    pitch = "may"
    defaults = "strike"
    strength = BALL_VELOCITY.name
    starts_notes = True

    def played_by(self, capabilities: frozenset[str]) -> Verb | None:
        """Return the gesture: its pitch, of a bar or of an object of another size, needs nothing of
        a scheme."""
        return Verb(self.name, self.parameters, self.pitch, self)

    def bind(self, row: Row) -> None:
        check_point(row)
        check_loss(row)

    def impact_speed(self, values: Mapping[str, float]) -> float:
        return values[BALL_VELOCITY.name]

    def begin(self, player: Player, step: int, values: Mapping[str, float],
              curves: Mapping[str, Any]) -> None:
        player.schedule("hit", step, values)


STRIKE, BALL_STRIKE = Strike(), BallStrike()
