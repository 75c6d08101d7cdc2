"""What the tables of bars, plates and membranes have in common: an object by its size and material,
in place of the lists of its modes."""
from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar

from pysitar.errors import ParameterError
from pysitar.gestures.balls import COORDINATES
from pysitar.models.definitions.bows import ObjectBowSpec
from pysitar.models.definitions.objects import (
    DEFAULT_BOW,
    DEFAULT_ROLL,
    BallSpec,
    DropSpec,
    ObjectSpec,
    RollSpec,
    StrikeSpec,
)
from pysitar.models.definitions.schema import (
    Specification,
    TableFault,
    inner,
    key,
    named_lists,
)
from pysitar.models.definitions.surfaces import SizedResonator, Surface
from pysitar.physics import ranges
from pysitar.physics.internal_force import InternalForce
from pysitar.physics.parameters import check_value
from pysitar.physics.ranges import Range
from pysitar.physics.resonators.losses import decay_by_material
from pysitar.physics.resonators.material import LOSS_FACTOR, MATERIALS, MODULUS, POISSON, Material

MOST_MODES = 300                # of an object in scores: each step takes time for every mode
MOST_TOGETHER = 600             # of all its parts, such as heads and wires
ABSENT = -1.0                   # of a number that may be 0
DEFAULT_STRIKE = StrikeSpec(velocity=1.0)
DEFAULT_DROP = DropSpec(height=0.05)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResonatorTable(Specification):
    """An object by its size: what all kinds have."""

    is_part: ClassVar[bool] = False
    coordinates: ClassVar[tuple[str, ...]] = ()          # the parameters of rows that name a point

    name: str
    ball: str = key("the default ball of rows", kind="text")
    modes: int = key("how many modes it has, from the lowest on; or max_frequency", kind="whole",
                     low=1, high=MOST_MODES, absent=0)
    max_frequency: float = key(
        f"instead of modes: it has all below this frequency, at most {MOST_MODES}", ranges.PITCH,
        absent=0.0)
    support_decay: float = key("the part of every mode's decay rate that its support causes",
                               ranges.RATE_OF_DECAY, default=0.0)
    output: str = key(
        "how the velocity of each mode is weighted in the output: by the square root of the power "
        "that it radiates, or by its shape at output_point",
        kind="text", choices=("radiated", "velocity"), default="radiated")
    output_point: tuple[float, ...] = key(
        "the point whose velocity is the output, as in places; left out, where it is played by "
        "default", kind="list", low=-360.0, high=360.0, absent=())
    places: Mapping[str, tuple[float, ...]] = named_lists(
        "the point, [x, y] of a plate, [r, angle] of a disc or membrane, [x] of a bar",
        Range(low=-360.0, high=360.0), each="")
    strike: StrikeSpec | None = inner(StrikeSpec)
    drop: DropSpec | None = inner(DropSpec)
    roll: RollSpec | None = inner(RollSpec)
    bow: ObjectBowSpec | None = inner(ObjectBowSpec)
    balls: Mapping[str, BallSpec] = field(default_factory=dict)         # of the instrument

    @property
    def loss(self) -> float:
        """The loss factor of its material."""
        raise NotImplementedError

    def point(self) -> tuple[float, ...]:
        """Return where rows play that name no point."""
        raise NotImplementedError

    def resonator(self) -> SizedResonator:
        """Return its modes and shapes, computed once.  Errors: ParameterError."""
        raise NotImplementedError

    def at_pitch(self, hz: float) -> ObjectSpec:
        """Return the object of another size whose first mode has a frequency (Hz).  Errors:
        ParameterError: of this kind there is no such law."""
        raise ParameterError("pitch", hz, "its size gives its pitch; expected no pitch, or a bar, "
                                          "a set of bars or an object with lists of modes")

    def limits(self) -> dict[str, float | None]:
        """Return the arguments of a resonator that limit its modes."""
        return {"modes": self.modes or None, "max_frequency": self.max_frequency or None}

    def faults(self, scheme: str) -> Iterator[TableFault]:
        """Yield a missing number of modes, and places outside the object."""
        if (self.modes == 0) == (self.max_frequency == 0.0):
            both = "modes and max_frequency are given" if self.modes else "is missing"
            yield ("modes",), f"{both}; expected exactly one of modes and max_frequency (Hz)"
        points: dict[tuple[str, ...], tuple[float, ...]] = {
            ("places", name): point for name, point in self.places.items()
        }
        if self.output_point:
            points["output_point",] = self.output_point
            if self.output == "radiated":
                yield ("output_point",), 'output is radiated, of no point; expected "velocity"'
        for path, point in points.items():
            if len(point) != len(self.coordinates):
                expected = ", ".join(COORDINATES[each].alias or each for each in self.coordinates)
                yield path, f"{len(point)} numbers; expected [{expected}]"
                continue
            for each, value in zip(self.coordinates, point, strict=True):
                try:
                    check_value(COORDINATES[each], value)
                except ParameterError as error:
                    yield path, str(error)

    def default_values(self, verb: str) -> dict[str, float]:
        """Return the default values of a verb's parameters, by name, without its modes."""
        return self._object((), (), (), (), ()).default_values(verb)

    def default_ball(self, verb: str) -> str:
        """Return the name of the ball of a verb's rows that name none."""
        return self._object((), (), (), (), ()).default_ball(verb)

    def _surface(self) -> Surface:
        return Surface(self, self.coordinates, self.point())

    def part(self) -> ObjectSpec:
        """Return the object that it describes.  Errors: ParameterError."""
        resonator = self.resonator()
        surface = self._surface()
        most = MOST_TOGETHER if getattr(resonator, "internal_forces", ()) else MOST_MODES
        if resonator.count > most:
            name = "max_frequency" if self.max_frequency else "modes"
            raise ParameterError(name, getattr(self, name),
                                 f"it has {resonator.count} modes; expected at most {most}")
        shapes = surface.shapes(surface.point)
        weights = surface.shapes(self.output_point or surface.point).tolist()
        if self.output == "radiated":
            weights = self.weights_of(resonator, weights)
        return self._object(resonator.frequencies.tolist(), resonator.decay_rates.tolist(),
                            resonator.masses.tolist(), shapes.tolist(), weights,
                            getattr(resonator, "internal_forces", ()),
                            tuple(getattr(resonator, "tension_shares", ())))

    def weights_of(self, resonator: SizedResonator, shapes: Sequence[float]) -> list[float]:
        """Return the weights of radiated sound, with the signs of shapes (M,)."""
        return [math.copysign(weight, shape) for weight, shape in zip(
            radiated_weights(resonator, self.loss, self.support_decay), shapes, strict=True)]

    def _object(self, frequencies: Sequence[float], decay_rates: Sequence[float],
                masses: Sequence[float], shapes: Sequence[float],
                weights: Sequence[float],
                forces: tuple[InternalForce, ...] = (),
                shares: tuple[float, ...] = ()) -> ObjectSpec:
        """Return the object with these modes."""
        return ObjectSpec(
            name=self.name, frequencies=tuple(frequencies), decay_rates=tuple(decay_rates),
            masses=tuple(masses), shapes=tuple(shapes), weights=tuple(weights), ball=self.ball,
            places=self.places, strike=self.strike or DEFAULT_STRIKE,
            drop=self.drop or DEFAULT_DROP, roll=self.roll or DEFAULT_ROLL,
            bow=self.bow or DEFAULT_BOW, balls=self.balls, surface=self._surface(),
            internal_forces=forces, tension_shares=shares)


@dataclass(frozen=True, slots=True, kw_only=True)
class SolidTable(ResonatorTable):
    """A bar or plate of a material."""

    material: str = key("the name of its material; the four keys below replace its values",
                        kind="text", choices=tuple(MATERIALS), absent="")
    density: float = key("the density", ranges.DENSITY, absent=ABSENT)
    youngs_modulus: float = key("Young's modulus; of a wood, along the grain", MODULUS,
                                absent=ABSENT)
    poisson_ratio: float = key("Poisson's ratio", POISSON, absent=ABSENT)
    loss_factor: float = key(
        "the share of the elastic energy that is lost in one radian; without material 0",
        LOSS_FACTOR, absent=ABSENT)
    in_air: bool = key("whether it radiates into air", kind="flag", default=True)

    def faults(self, scheme: str) -> Iterator[TableFault]:
        """Yield what is missing of the material, and silence."""
        yield from ResonatorTable.faults(self, scheme)
        for name in ("density", "youngs_modulus", "poisson_ratio"):
            if not self.material and getattr(self, name) == ABSENT:
                yield (name,), "is missing; expected it, or material, the name of one"
        if self.output == "radiated" and not self.in_air:
            yield ("output",), ('output is radiated, of an object without air; expected '
                                '"velocity", or in_air = true')

    @property
    def loss(self) -> float:
        """The loss factor of its material."""
        return self.solid().loss_factor

    def solid(self) -> Material:
        """Return its material."""
        own = {name: getattr(self, name)
               for name in ("density", "youngs_modulus", "poisson_ratio", "loss_factor")
               if getattr(self, name) != ABSENT}
        return replace(MATERIALS[self.material], **own) if self.material else Material(**own)


@lru_cache(maxsize=256)
def computed(build: Callable[..., SizedResonator], **arguments: Any) -> SizedResonator:
    """Return a resonator, kept for the next score with the same one."""
    return build(**arguments)


def radiated_weights(resonator: SizedResonator, loss: float, support: float) -> list[float]:
    """Return the square root of the power (W) that each mode radiates at a velocity of 1 m/s: its
    decay rate by air is that power over twice its energy.

    Parameters: loss, the loss factor of the material; support, the decay rate by it (1/s).
    """
    weights = []
    for f, rate, mass in zip(resonator.frequencies.tolist(), resonator.decay_rates.tolist(),
                             resonator.masses.tolist(), strict=True):
        by_air = rate - decay_by_material(loss, 2.0 * math.pi * f) - support
        weights.append(math.sqrt(2.0 * mass * max(by_air, 0.0)))
    return weights
