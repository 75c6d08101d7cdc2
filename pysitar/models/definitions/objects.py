"""The tables of struck objects and their balls, and how they are played."""
from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from pysitar.errors import ParameterError, suggest_name
from pysitar.gestures import balls, drop, roll
from pysitar.gestures.balls import LIGHTEST
from pysitar.gestures.catalogue import BY_MODEL
from pysitar.gestures.felt import MEMORY, MEMORY_TIME, check_losses
from pysitar.gestures.strike import BALL_VELOCITY
from pysitar.models.definitions.bows import ObjectBowSpec
from pysitar.models.definitions.schema import (
    Specification,
    TableFault,
    inner,
    key,
    key_of,
    keys_of,
    named_lists,
)
from pysitar.physics import ranges
from pysitar.physics.checks import FloatArray, array_of
from pysitar.physics.internal_force import InternalForce
from pysitar.physics.modal_object import ModalObject

if TYPE_CHECKING:
    from pysitar.models.definitions.surfaces import Surface

ROUNDING = 1e-9                 # of an octave


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BallSpec(Specification):
    """A ball, and its contact with an object."""

    mass: float = key_of(balls.MASS)
    radius: float = key_of(balls.RADIUS)
    stiffness: float = key_of(balls.STIFFNESS)
    exponent: float = key_of(balls.EXPONENT)
    damping: float = key_of(balls.DAMPING)
    loss_time: float = key_of(balls.LOSS_TIME)
    memory: float = key_of(MEMORY)
    memory_time: float = key_of(MEMORY_TIME)
    irregularity: float = key_of(balls.IRREGULARITY)

    def faults(self, scheme: str) -> Iterator[TableFault]:
        """Yield a second law of loss."""
        try:
            check_losses(self.memory, self.damping, self.loss_time)
        except ParameterError as error:
            yield (error.name,), str(error)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StrikeSpec(Specification):
    """Default values of a strike."""

    velocity: float = key_of(BALL_VELOCITY)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DropSpec(Specification):
    """Default values of a drop."""

    height: float = key_of(drop.HEIGHT)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RollSpec(Specification):
    """Default values of a roll."""

    velocity: float = key_of(roll.SPEED)
    resistance: float = key_of(roll.RESISTANCE)
    roughness: float = key_of(roll.ROUGHNESS)
    shortest: float = key_of(roll.SHORTEST)
    longest: float = key_of(roll.LONGEST)
    beta: float = key_of(roll.BETA)
    damping: float = key_of(roll.DAMPING)
    ball: str = key("the ball that rolls where a row names none; left out, that of rows",
                    kind="text", absent="")


PlayTable: TypeAlias = StrikeSpec | DropSpec | RollSpec | ObjectBowSpec
DEFAULT_BOW = ObjectBowSpec()
DEFAULT_ROLL = RollSpec(velocity=0.5, resistance=0.003, roughness=1e-5, shortest=2e-4,
                        longest=0.02, damping=20.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ObjectSpec(Specification):
    """One object: its modes, the ball that plays it, and how."""

    name: str
    frequencies: tuple[float, ...] = key("the frequency of each mode", kind="list", unit="Hz",
                                         low=0.0, high=1e6, open_low=True, smallest=1e-3)
    decay_rates: tuple[float, ...] = key("the decay rate of each mode; T60 is 6.91 over it",
                                         kind="list", unit="1/s", low=0.0, high=1e6,
                                         each="frequencies")
    masses: tuple[float, ...] = key("the modal mass of each mode", kind="list", unit="kg", low=0.0,
                                    high=1e9, open_low=True, smallest=LIGHTEST, each="frequencies")
    shapes: tuple[float, ...] = key("the mode shapes at the point of contact", ranges.MODE_SHAPE,
                                    kind="list", each="frequencies")
    weights: tuple[float, ...] = key(
        "the weight of each mode's velocity in the output, with its sign", ranges.MODE_SHAPE,
        kind="list", each="frequencies")
    ball: str = key("the default ball of rows", kind="text")
    places: Mapping[str, tuple[float, ...]] = named_lists("the mode shapes there",
                                                            ranges.MODE_SHAPE, each="frequencies")
    strike: StrikeSpec = inner(StrikeSpec, required=True)
    drop: DropSpec = inner(DropSpec, required=True)
    roll: RollSpec = inner(RollSpec)             # DEFAULT_ROLL, where the file has none
    bow: ObjectBowSpec = inner(ObjectBowSpec)    # DEFAULT_BOW, likewise
    balls: Mapping[str, BallSpec] = field(default_factory=dict)         # of the instrument
    # of an object by size: its points, which `places` then names
    surface: Surface | None = field(default=None, compare=False)
    internal_forces: tuple[InternalForce, ...] = field(default=(), compare=False)
    # of a membrane: the share of each mode's stiffness that is its tension's
    tension_shares: tuple[float, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for table, default in (("roll", DEFAULT_ROLL), ("bow", DEFAULT_BOW)):
            if getattr(self, table) is None:
                object.__setattr__(self, table, default)

    @property
    def written(self) -> Specification:
        """The table of the file that describes it."""
        return self if self.surface is None else self.surface.table.written

    def faults(self, scheme: str) -> Iterator[TableFault]:
        """Yield decays without oscillation, and a surface without waves."""
        try:
            self.modes_below(float("inf"))
        except ParameterError as error:
            yield (error.name.partition("[")[0],), str(error)
        try:
            roll.check_waves(self.roll.shortest, self.roll.longest)
        except ParameterError as error:
            yield ("roll", error.name), str(error)

    def default_values(self, verb: str) -> dict[str, float]:
        """Return the default values of a verb's parameters, by name."""
        gesture = BY_MODEL["impact"].get(verb)
        if not (gesture and gesture.defaults):
            return {}
        return self.ball_values(verb, self.default_ball(verb))

    def default_ball(self, verb: str) -> str:
        """Return the name of the ball of a verb's rows that name none."""
        own = getattr(self, BY_MODEL["impact"][verb].defaults)
        return getattr(own, "ball", "") or self.ball

    def ball_values(self, verb: str, name: str) -> dict[str, float]:
        """Return the default values with a ball of a name.  Errors: ParameterError, no such
        ball."""
        if name not in self.balls:
            raise ParameterError("ball", name, suggest_name(name, self.balls))
        values = {key: getattr(self.balls[name], key) for key in keys_of(BallSpec)}
        gesture = BY_MODEL["impact"][verb]
        own: PlayTable = getattr(self, gesture.defaults)
        values |= {key: getattr(own, key) for key in keys_of(type(own)) if key != "ball"}
        if self.surface is not None:
            values |= zip(self.surface.coordinates, self.surface.point, strict=True)
        if isinstance(place := values.pop("place", None), str) and place:
            values |= self.named(verb, "place", place)
        return {key: value for key, value in values.items() if key in gesture.parameters}

    def named(self, verb: str, parameter: str, name: str) -> dict[str, float]:
        """Return the values of a name in a row: those of a ball, or the number of a place, from 1.
        Errors: ParameterError."""
        if parameter == "ball":
            return self.ball_values(verb, name)
        if name not in self.places:
            known = suggest_name(
                name, self.places
            ) if self.places else "this object has no places; expected a row without place"
            raise ParameterError(parameter, name, known)
        if self.surface is not None:
            return dict(zip(self.surface.coordinates, self.places[name], strict=True))
        return {parameter: 1.0 + tuple(self.places).index(name)}

    def shapes_at(self, values: Mapping[str, float]) -> tuple[float, ...]:
        """Return the shapes of all modes where the values of a row play."""
        if self.surface is not None:
            return tuple(self.surface.shapes(self.surface.point_of(values)).tolist())
        place = round(values.get("place", 0.0))
        return (self.shapes, *self.places.values())[place]

    def peak_mobility(self, values: Mapping[str, float]) -> float:
        """Return the highest real part of the mobility (s/kg) where the values of a row play, at
        the frequencies of the modes and between each two; inf without a loss."""
        shapes = np.array(self.shapes_at(values))
        kept = np.flatnonzero(shapes)
        omegas, rates, masses = (np.array(own)[kept] for own in (
            2.0 * math.pi * np.array(self.frequencies), self.decay_rates, self.masses))
        if not kept.size or not rates.all():
            return math.inf if kept.size else 0.0
        order = np.sort(omegas)
        at = np.concatenate([order, 0.5 * (order[1:] + order[:-1])])
        distance = (at[:, None] - omegas) / rates
        peaks = shapes[kept] * shapes[kept] / (2.0 * masses * rates)
        return max(map(math.fsum, (peaks / (1.0 + distance * distance)).tolist()))

    @property
    def pitch(self) -> float:
        """The frequency of its lowest mode (Hz)."""
        return min(self.frequencies)

    def at_pitch(self, hz: float) -> ObjectSpec:
        """Return the object of another size whose lowest mode has a frequency (Hz).

        One of lists of modes is similar: all its lengths are as the period, so its masses as the
        cube of that, and its decay rates as the frequency. One by size has its kind's law. Errors:
        ParameterError, over an octave away, or a kind without a law.
        """
        ratio = hz / self.pitch
        if not 0.5 - ROUNDING < ratio < 2.0 + ROUNDING:
            raise ParameterError("pitch", hz, (
                f"expected at most an octave from its own, {0.5 * self.pitch:.6g} to "
                f"{2.0 * self.pitch:.6g} Hz"))
        if self.surface is not None:
            sized: ObjectSpec = self.surface.table.at_pitch(hz)
            return sized
        size = 1.0 / ratio
        return replace(self, frequencies=tuple(ratio * f for f in self.frequencies),
                       decay_rates=tuple(ratio * rate for rate in self.decay_rates),
                       masses=tuple(size * size * size * mass for mass in self.masses))

    def frequencies_from(self, frequency: float) -> tuple[float, ...]:
        """Return the frequencies (Hz) of the modes that `modes_below` leaves out."""
        return tuple(f for f in self.frequencies if not f < frequency)

    def modes_below(
            self,
            frequency: float) -> tuple[ModalObject, tuple[float, ...], tuple[FloatArray, ...]]:
        """Return the object of physics with its modes below a frequency (Hz), their weights, and
        their shapes: its own, then at each place that has a list of them.

        Errors: ParameterError, no mode is left.
        """
        kept = [i for i, f in enumerate(self.frequencies) if f < frequency]
        if not kept:
            raise ParameterError("frequencies", min(self.frequencies),
                                 f"no mode is below {frequency:g} Hz; expected a higher rate")
        lists = (self.shapes, *(self.places.values() if self.surface is None else ()))
        of_modes = ("frequencies", "decay_rates", "masses", "shapes")
        chosen = {name: array_of([getattr(self, name)[i] for i in kept]) for name in of_modes}
        places = tuple(
            array_of([shapes[i] for i in kept]) for shapes in lists)
        forces = [replace(force, shape=array_of([force.shape[i] for i in kept]))
                  for force in self.internal_forces]
        weights = tuple(self.weights[i] for i in kept)
        return ModalObject(**chosen, internal_forces=forces), weights, places

    def slopes_below(self, frequency: float) -> FloatArray:
        """Return the derivatives of the squared angular frequencies of the modes that `modes_below`
        keeps by the tension over that at rest, (M,), rad^2/s^2; 0 where it is no membrane."""
        shares = self.tension_shares or (0.0,) * len(self.frequencies)
        return array_of([share * (2.0 * math.pi * f) * (2.0 * math.pi * f)
                         for f, share in zip(self.frequencies, shares, strict=True)
                         if f < frequency])

    def shapes_below(self, frequency: float, point: tuple[float, ...]) -> FloatArray:
        """Return the shapes at a point of its surface of the modes that `modes_below` keeps."""
        assert self.surface is not None
        pairs = zip(self.frequencies, self.surface.shapes(point).tolist(), strict=True)
        return array_of([shape for f, shape in pairs if f < frequency])
