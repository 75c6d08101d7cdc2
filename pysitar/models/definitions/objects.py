"""The tables of struck objects and their balls, and the verbs that play them."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from pysitar.errors import ParameterError, suggest_name
from pysitar.models.definitions.parameters import Parameter, Verb, table
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
from pysitar.physics.contact import HIGHEST_EXPONENT, MOST_DAMPING
from pysitar.physics.modal_object import ModalObject

LIGHTEST, HEAVIEST = 1e-6, 1e3          # kg, of a ball
SMALLEST, LARGEST = 1e-6, 10.0          # m, its radius
FASTEST = 1000.0                        # m/s
STIFFEST = 1e12                         # N/m^exponent
HIGHEST = 100.0  # m, of a drop: from higher, rest cannot be distinguished from the top of a bounce
FASTEST_ROLL = 100.0                    # m/s
FINEST, LONGEST = 1e-6, 10.0            # m, wavelengths of a surface
MOST_WAVES = 4096                       # longest over shortest of them


BALL_NAME = Parameter(name="ball", kind="text",
                      meaning="the name of a ball of the instrument, whose values are the defaults")
PLACE = Parameter(
    name="place", kind="text", meaning=
    "the name of the place of the object that the ball touches; without it, the place of its "
    "shapes"
)
SPEED = Parameter(name="velocity", alias="v", unit="m/s", low=0.0, high=FASTEST_ROLL,
                  meaning="the speed of the ball at the start")


@dataclass(frozen=True, slots=True, kw_only=True)
class BallSpec(Specification):
    """A ball, and its contact with an object."""

    mass: float = key("the mass of the ball", alias="m", unit="kg", low=LIGHTEST, high=HEAVIEST)
    radius: float = key("the radius of the ball", unit="m", low=SMALLEST, high=LARGEST)
    stiffness: float = key("the contact stiffness of ball and object; harder is brighter",
                           alias="K", unit="N/m^exponent", low=0.0, high=STIFFEST, open_low=True,
                           smallest=1e-6)
    exponent: float = key(
        "the power of the compression in the force; 1.5 is a ball on a plane", alias="alpha",
        low=1.0, high=HIGHEST_EXPONENT, default=1.5)
    damping: float = key(
        "the Hunt-Crossley damping of the contact, which dissipates the ball's energy",
        unit="s/m", low=0.0, high=MOST_DAMPING, default=0.0)
    irregularity: float = key(
        "the largest lever arm of its contacts, in radii, drawn at each bounce from the seed",
        low=0.0, high=1.0, smallest=1e-9, default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class StrikeSpec(Specification):
    """Default values of a strike."""

    velocity: float = key("the speed of the ball, which touches the object at the event's time",
                          alias="v", unit="m/s", low=0.0, high=FASTEST, open_low=True,
                          smallest=1e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class DropSpec(Specification):
    """Default values of a drop."""

    height: float = key(
        "the height over the object from which the ball falls at the event's time", alias="h",
        unit="m", low=0.0, high=HIGHEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class RollSpec(Specification):
    """Default values of a roll."""

    velocity: float = key_of(SPEED)
    resistance: float = key(
        "the rolling resistance: it slows the ball by 7 m/s^2 times this value until it stands",
        low=0.0, high=1.0, smallest=1e-9, default=0.0)
    roughness: float = key("the RMS height of the surface; 0 is flat", unit="m", low=0.0,
                           high=1e-2)
    shortest: float = key("the shortest wavelength of the surface", unit="m", low=FINEST,
                          high=LONGEST)
    longest: float = key("the longest wavelength of the surface", unit="m", low=FINEST,
                         high=LONGEST)
    beta: float = key("the spectral slope of the surface: amplitude wave number^(-beta/2)",
                      low=0.0, high=10.0, default=2.0)
    damping: float = key("the Hunt-Crossley damping of the contact, far more than that of a blow",
                         unit="s/m", low=0.0, high=MOST_DAMPING)


PlayTable: TypeAlias = StrikeSpec | DropSpec | RollSpec


@dataclass(frozen=True, slots=True, kw_only=True)
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
    roll: RollSpec = inner(RollSpec, required=True)
    balls: Mapping[str, BallSpec] = field(default_factory=dict)         # of the instrument

    def faults(self, scheme: str) -> Iterator[TableFault]:
        """Yield decays without oscillation, and a surface without waves."""
        try:
            self.modes_below(float("inf"))
        except ParameterError as error:
            yield (error.name.partition("[")[0],), str(error)
        try:
            check_waves(self.roll.shortest, self.roll.longest)
        except ParameterError as error:
            yield ("roll", error.name), str(error)

    def default_values(self, verb: str) -> dict[str, float]:
        """Return the default values of a verb's parameters, by name."""
        return self.ball_values(verb, self.ball) if verb in VERBS else {}

    def ball_values(self, verb: str, name: str) -> dict[str, float]:
        """Return the default values with a ball of a name.  Errors: ParameterError, no such
        ball."""
        if name not in self.balls:
            raise ParameterError("ball", name, suggest_name(name, self.balls))
        values = {key: getattr(self.balls[name], key) for key in keys_of(BallSpec)}
        own: PlayTable = getattr(self, verb)
        values |= {key: getattr(own, key) for key in keys_of(type(own))}
        return {key: value for key, value in values.items() if key in VERBS[verb].parameters}

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
        return {parameter: 1.0 + tuple(self.places).index(name)}

    def checked(self, verb: str, values: Mapping[str, float], duration: float) -> dict[str, float]:
        """Check the values of a row (SI) together, and return further ones: the duration (s) of a
        roll.

        Errors: ParameterError.
        """
        if verb != "roll":
            return {}
        check_waves(values["shortest"], values["longest"])
        if duration == 0.0:
            raise ParameterError("dur", 0.0,
                                 "a ball rolls for the dur of its row; expected above 0 s")
        return {"duration": duration}

    def frequencies_from(self, frequency: float) -> tuple[float, ...]:
        """Return the frequencies (Hz) of the modes that `modes_below` leaves out."""
        return tuple(f for f in self.frequencies if not f < frequency)

    def modes_below(
            self,
            frequency: float) -> tuple[ModalObject, tuple[float, ...], tuple[FloatArray, ...]]:
        """Return the object of physics with its modes below a frequency (Hz), their weights, and
        their shapes: its own, then at each place.

        Errors: ParameterError, no mode is left.
        """
        kept = [i for i, f in enumerate(self.frequencies) if f < frequency]
        if not kept:
            raise ParameterError("frequencies", min(self.frequencies),
                                 f"no mode is below {frequency:g} Hz; expected a higher rate")
        of_modes = ("frequencies", "decay_rates", "masses", "shapes")
        chosen = {name: array_of([getattr(self, name)[i] for i in kept]) for name in of_modes}
        places = tuple(
            array_of([shapes[i] for i in kept]) for shapes in (self.shapes, *self.places.values()))
        return ModalObject(**chosen), tuple(self.weights[i] for i in kept), places


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


def _of_ball(*names: str) -> dict[str, Parameter]:
    """Return keys of a ball that a row may give as well."""
    return {name: keys_of(BallSpec)[name] for name in names}


_CONTACT = ("mass", "stiffness", "exponent")
_NAMES = table(BALL_NAME, PLACE)
_ROLL = keys_of(RollSpec)
STRIKE = Verb("strike", {**_NAMES, **keys_of(StrikeSpec), **_of_ball(*_CONTACT, "damping")})
DROP = Verb("drop", {
    **_NAMES, **keys_of(DropSpec),
    **_of_ball(*_CONTACT, "damping", "radius", "irregularity")
})
ROLL = Verb(
    "roll", {
        **_NAMES, **{name: _ROLL[name] for name in _ROLL if name != "damping"},
        **_of_ball(*_CONTACT), "damping": _ROLL["damping"], **_of_ball("radius")
    })
OBJECT_VERBS = (STRIKE, DROP, ROLL)
VERBS = {verb.name: verb for verb in OBJECT_VERBS}
