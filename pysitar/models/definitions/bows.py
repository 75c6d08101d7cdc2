"""The tables of a string's and of an object's bow."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pysitar.errors import ParameterError
from pysitar.gestures.bow import (
    BOW_FORCE,
    BOW_POSITION,
    BOW_VELOCITY,
    LIFT,
    OBJECT_BOW_FORCE,
    OBJECT_BOW_VELOCITY,
    RISE,
)
from pysitar.models.definitions.schema import Specification, key, key_of
from pysitar.models.network.bowing import Hair
from pysitar.physics.bow import (
    BRISTLE,
    COEFFICIENT,
    MOST_HAIRS,
    MOST_PASSES,
    SLIP_SPEED,
    TORSION_Q,
    TORSION_RATIO,
    Rosin,
    Torsion,
)
from pysitar.physics.parameters import check_width


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HairSpec(Specification):
    """What the tables of all bows have."""

    rise: float = key_of(RISE)
    lift: float = key_of(LIFT)
    mu0: float = key("the coefficient of friction at high slip speeds", COEFFICIENT, default=0.35)
    mu1: float = key("what is added to it at rest, with v1", COEFFICIENT, default=0.4)
    v1: float = key("the slip speed at which mu1 has fallen to 1/e", SLIP_SPEED, default=0.01)
    mu2: float = key("a second part that falls, with v2", COEFFICIENT, default=0.45)
    v2: float = key("the slip speed at which mu2 has fallen to 1/e", SLIP_SPEED, default=0.1)
    passes: int = key("how often a step is solved at most with the friction of its own slip",
                      kind="whole", low=1, high=MOST_PASSES, default=4)

    @property
    def rosin(self) -> Rosin:
        """How the friction falls with the slip speed."""
        return Rosin(mu0=self.mu0, mu1=self.mu1, v1=self.v1, mu2=self.mu2, v2=self.v2)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ObjectBowSpec(HairSpec):
    """Default values of a bow on an object, and the bow."""

    velocity: float = key_of(OBJECT_BOW_VELOCITY)
    force: float = key_of(replace(OBJECT_BOW_FORCE, meaning=(
        "with which it presses on the object where a row gives no force; more on one of a lower "
        "pitch, as much as its start needs more")))
    # under a softer one the hair jumps by itself, many times a period: a rigid object does not give
    stiffness: float = key("the stiffness of the hair along the bow", BRISTLE, default=1e8)
    place: str = key("the place that rows bow that name none; left out, that of rows", kind="text",
                     absent="")

    @property
    def hair(self) -> Hair:
        """The hair, at one point of contact."""
        return Hair(hairs=1, stiffness=self.stiffness, rosin=self.rosin)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BowSpec(HairSpec):
    """Default values of a bow on a string, and the bow."""

    position: float = key_of(BOW_POSITION)
    velocity: float = key_of(BOW_VELOCITY)
    force: float = key_of(replace(BOW_FORCE, meaning=(
        "with which it presses on the open string. Where a row gives no force it follows the pitch "
        "as the limits of a steady sound do: as the frequency, and as the length under a finger")))
    stiffness: float = key("the stiffness of the hair along the bow", BRISTLE, default=3e5)
    hairs: int = key("the number of points of contact", kind="whole", low=1, high=MOST_HAIRS,
                     default=1)
    width: float = key("from the first to the last of them", unit="m", low=0.0, high=0.5,
                       default=0.0)
    torsion: float = key(
        "the frequency of the first mode of the string's torsion over that of the string; 0: it "
        "does not twist", low=0.0, high=TORSION_RATIO.high, default=0.0)
    torsion_q: float = key("the quality factor of these modes", TORSION_Q, default=30.0)

    def faults_on(self, length: float) -> Iterator[tuple[str, str]]:
        """Yield the key and the message of what is wrong on a string of a length (m)."""
        try:
            check_width(self.position, self.width, length)
        except ParameterError as error:
            yield "width", str(error)
        if 0.0 < self.torsion < TORSION_RATIO.low:
            yield "torsion", (f"torsion is {self.torsion:g}; expected 0, or at least "
                              f"{TORSION_RATIO.low:g}")

    @property
    def hair(self) -> Hair:
        """The hair, at its points of contact."""
        return Hair(hairs=self.hairs, stiffness=self.stiffness, rosin=self.rosin)

    @property
    def twist(self) -> Torsion | None:
        """The torsion of the string.  Errors: ParameterError."""
        return (Torsion(ratio=self.torsion, quality=self.torsion_q) if self.torsion > 0.0
                else None)
