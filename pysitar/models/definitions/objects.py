"""Specifications of struck objects and balls: keys of instrument files, verbs, and default values
of rows."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pysitar.errors import ParameterError, suggest_name
from pysitar.models.definitions.parameters import Parameter, Verb, ranged, table
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
MASS = Parameter(name="mass", alias="m", unit="kg", low=LIGHTEST, high=HEAVIEST,
                 meaning="the mass of the ball")
RADIUS = Parameter(name="radius", unit="m", low=SMALLEST, high=LARGEST,
                   meaning="the radius of the ball")
STIFFNESS = Parameter(name="stiffness", alias="K", unit="N/m^exponent", low=0.0, high=STIFFEST,
                      open_low=True, smallest=1e-6,
                      meaning="the contact stiffness of ball and object; harder is brighter")
EXPONENT = Parameter(name="exponent", alias="alpha", low=1.0, high=HIGHEST_EXPONENT, default=1.5,
                     meaning="the power of the compression in the force; 1.5 is a ball on a plane")
DAMPING = Parameter(
    name="damping", unit="s/m", low=0.0, high=MOST_DAMPING, default=0.0,
    meaning="the Hunt-Crossley damping of the contact, which dissipates the ball's energy")
IRREGULARITY = Parameter(
    name="irregularity", low=0.0, high=1.0, smallest=1e-9, default=0.0,
    meaning="the largest lever arm of its contacts, in radii, drawn at each bounce from the seed")
VELOCITY = Parameter(name="velocity", alias="v", unit="m/s", low=0.0, high=FASTEST, open_low=True,
                     smallest=1e-9,
                     meaning="the speed of the ball, which touches the object at the event's time")
HEIGHT = Parameter(
    name="height", alias="h", unit="m", low=0.0, high=HIGHEST,
    meaning="the height over the object from which the ball falls at the event's time")
SPEED = Parameter(name="velocity", alias="v", unit="m/s", low=0.0, high=FASTEST_ROLL,
                  meaning="the speed of the ball at the start")
RESISTANCE = Parameter(
    name="resistance", low=0.0, high=1.0, smallest=1e-9, default=0.0,
    meaning="the rolling resistance: it slows the ball by 7 m/s^2 times this value until it stands")
ROUGHNESS = Parameter(name="roughness", unit="m", low=0.0, high=1e-2,
                      meaning="the RMS height of the surface; 0 is flat")
SHORTEST_WAVE = Parameter(name="shortest", unit="m", low=FINEST, high=LONGEST,
                          meaning="the shortest wavelength of the surface")
LONGEST_WAVE = Parameter(name="longest", unit="m", low=FINEST, high=LONGEST,
                         meaning="the longest wavelength of the surface")
BETA = Parameter(name="beta", low=0.0, high=10.0, default=2.0,
                 meaning="the spectral slope of the surface: amplitude wave number^(-beta/2)")
ROLL_DAMPING = Parameter(
    name="damping", unit="s/m", low=0.0, high=MOST_DAMPING,
    meaning="the Hunt-Crossley damping of the contact, far more than that of a blow")

BALL = table(MASS, RADIUS, STIFFNESS, EXPONENT, DAMPING, IRREGULARITY)
OBJECT = table(
    Parameter(name="frequencies", kind="list", unit="Hz", low=0.0, high=1e6, open_low=True,
              smallest=1e-3, meaning="the frequency of each mode"),
    Parameter(name="decay_rates", kind="list", unit="1/s", low=0.0, high=1e6,
              meaning="the decay rate of each mode; T60 is 6.91 over it"),
    Parameter(name="masses", kind="list", unit="kg", low=0.0, high=1e9, open_low=True,
              smallest=LIGHTEST, meaning="the modal mass of each mode"),
    ranged("shapes", ranges.MODE_SHAPE, kind="list",
           meaning="the mode shapes at the point of contact"),
    ranged("weights", ranges.MODE_SHAPE, kind="list",
           meaning="the weight of each mode's velocity in the output, with its sign"),
    Parameter(name="ball", kind="text", meaning="the default ball of rows"),
)
STRIKE = Verb("strike", table(BALL_NAME, PLACE, VELOCITY, MASS, STIFFNESS, EXPONENT, DAMPING))
DROP = Verb(
    "drop", table(BALL_NAME, PLACE, HEIGHT, MASS, STIFFNESS, EXPONENT, DAMPING, RADIUS,
                  IRREGULARITY))
ROLL = Verb(
    "roll",
    table(BALL_NAME, PLACE, SPEED, RESISTANCE, ROUGHNESS, SHORTEST_WAVE, LONGEST_WAVE, BETA, MASS,
          STIFFNESS, EXPONENT, ROLL_DAMPING, RADIUS))
OBJECT_VERBS = (STRIKE, DROP, ROLL)
OBJECT_TABLES = {
    "strike": table(VELOCITY), "drop": table(HEIGHT),
    "roll": table(SPEED, RESISTANCE, ROUGHNESS, SHORTEST_WAVE, LONGEST_WAVE, BETA, ROLL_DAMPING)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BallSpec:
    """A ball: mass (kg), radius (m), stiffness (N/m^exponent), exponent and damping (s/m) of its
    contact, irregularity, 0 to 1."""

    mass: float
    radius: float
    stiffness: float
    exponent: float
    damping: float
    irregularity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StrikeSpec:
    """Default values of a strike: velocity (m/s)."""

    velocity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DropSpec:
    """Default values of a drop: height (m)."""

    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RollSpec:
    """Default values of a roll.

    Parameters: velocity (m/s); resistance; roughness (m), shortest and longest wavelength (m) and
    beta of the surface; damping (s/m). """

    velocity: float
    resistance: float
    roughness: float
    shortest: float
    longest: float
    beta: float
    damping: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectSpec:
    """One object.

    Parameters: name; frequencies (Hz), decay_rates (1/s), masses (kg), shapes at the point of
    contact and weights of its modes; ball, the name of the default one; balls, those of the
    instrument; strike, drop, roll, the default values; places, the shapes at other places by name.
    """

    name: str
    frequencies: tuple[float, ...]
    decay_rates: tuple[float, ...]
    masses: tuple[float, ...]
    shapes: tuple[float, ...]
    weights: tuple[float, ...]
    ball: str
    strike: StrikeSpec
    drop: DropSpec
    roll: RollSpec
    balls: Mapping[str, BallSpec] = field(default_factory=dict)
    places: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def default_values(self, verb: str) -> dict[str, float]:
        """Return the default values of a verb's parameters, by name."""
        return self.ball_values(verb, self.ball) if verb in OBJECT_TABLES else {}

    def ball_values(self, verb: str, name: str) -> dict[str, float]:
        """Return the default values with a ball of a name.  Errors: ParameterError, no such
        ball."""
        if name not in self.balls:
            raise ParameterError("ball", name, suggest_name(name, self.balls))
        ball, defaults = self.balls[name], {
            "strike": self.strike, "drop": self.drop, "roll": self.roll
        }[verb]
        of_ball = {key: getattr(ball, key) for key in BALL}
        known = {"strike": STRIKE, "drop": DROP, "roll": ROLL}[verb].parameters
        values = of_ball | {key: getattr(defaults, key) for key in OBJECT_TABLES[verb]}
        return {key: float(value) for key, value in values.items() if key in known}

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
