"""Parameters of models, with units and ranges, and the verbs that have them."""
from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics.checks import SMALLEST, number, whole
from pysitar.physics.contact import HIGHEST_EXPONENT
from pysitar.physics.ranges import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of an event, an instrument file or a render.

    Parameters: name; alias, its short name in rows ("" is none); unit, of a bare number; low and
    high, its bounds (None: unbounded), themselves allowed unless open_low, open_high; smallest, the
    least size of a value other than 0; default (None: in a row the instrument's, in an instrument
    file a value is required); meaning, one line; kind: number, whole, position (bare: a fraction of
    the string's length; its bounds are those of the fraction), pitch, text, flag or list; nonzero,
    whether 0 is refused; choices, of a text. """

    name: str
    meaning: str
    alias: str = ""
    unit: str = ""
    low: float | None = None
    high: float | None = None
    default: float | str | bool | tuple[float, ...] | None = None
    kind: str = "number"
    open_low: bool = False
    open_high: bool = False
    smallest: float = SMALLEST
    nonzero: bool = False
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of score rows: its name, its parameters by full name, and whether a pitch may or must
    follow it, or not."""

    name: str
    parameters: dict[str, Parameter]
    pitch: Literal["not", "may", "must"] = "not"


@dataclass(frozen=True, slots=True)
class Length:
    """A position or length given in metres, where a bare number would be a fraction."""

    metres: float


def ranged(
    name: str,
    within: Range,
    *,
    meaning: str,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    alias: str = "",
    kind: str = "number",
    default: float | tuple[float, ...] | None = None,
) -> Parameter:
    """Return a parameter with the range of a physical quantity.

    Parameters: within, the range; unit, low and high, if they differ from its own; the rest as in
    `Parameter`. """
    return Parameter(name=name, meaning=meaning, alias=alias, unit=unit or within.unit,
                     low=within.low if low is None else low,
                     high=within.high if high is None else high, default=default, kind=kind,
                     open_low=within.open_low and low is None, open_high=within.open_high
                     and high is None, smallest=within.smallest)


def check_value(parameter: Parameter, value: object) -> float:
    """Return a value as a float, if it is a number within the parameter's range.

    Errors: ParameterError with the unit.
    """
    if parameter.kind == "whole":
        assert parameter.low is not None and parameter.high is not None
        return float(
            whole(parameter.name, value, at_least=int(parameter.low), at_most=int(parameter.high)))
    above, at_least = (parameter.low, None) if parameter.open_low else (None, parameter.low)
    below, at_most = (parameter.high, None) if parameter.open_high else (None, parameter.high)
    unit = "a fraction of the length" if parameter.kind == "position" else parameter.unit
    return number(parameter.name, value, unit, above=above, at_least=at_least, below=below,
                  at_most=at_most, smallest=parameter.smallest, nonzero=parameter.nonzero)


def check_position(parameter: Parameter, value: object, length: float) -> float:
    """Return a position on a string in metres.

    Parameters: value, a fraction of the length, or a Length; length, of the string (m).
    Errors: ParameterError unless it lies within (0, length), or [0, length) where the parameter
    allows 0. """
    if not isinstance(value, Length):
        return check_value(parameter, value) * length
    above, at_least = (0.0, None) if parameter.open_low else (None, 0.0)
    return number(parameter.name, value.metres, "m", above=above, at_least=at_least, below=length,
                  smallest=parameter.smallest * length if length < math.inf else 0.0)


def check_width(position: float, width: float, length: float) -> None:
    """Raise a ParameterError unless a width (m) around a position (m) lies on the string of that
    length (m)."""
    if not 0.5 * width <= position <= length - 0.5 * width:
        room = 2.0 * min(position, length - position)
        raise ParameterError(
            "width", width,
            f"expected at most {room:g} m around {position:g} m on a string of {length:g} m")


def stiffest(linear: float, exponent: float) -> float:
    """Return the largest stiffness (N/m^exponent, or per metre) of a string's contact with an
    exponent; linear, the largest with an exponent of 1."""
    return linear * elementary.pow(TYPICAL_COMPRESSION, 1.0 - exponent)


def check_string_contact(linear: float, stiffness: float, exponent: float, unit: str) -> None:
    """Raise a ParameterError unless a stiffness is at most `stiffest`."""
    most = stiffest(linear, exponent)
    if stiffness > most:
        raise ParameterError("stiffness", stiffness, f"expected at most {most:.3g} {unit} with an "
                             f"exponent of {exponent:g}")


def table(*parameters: Parameter) -> dict[str, Parameter]:
    """Return the parameters by name, in this order."""
    return {parameter.name: parameter for parameter in parameters}


STRONGEST = 1000.0          # N; no string of these instruments holds a fifth of it
SOFTEST = 1e-9              # N
# of a string's contacts: with a hundred times as much, rounding of their forces may exceed the
# tolerance of the energy balance
MOST_STRING_CONTACT_DAMPING = 100.0     # s/m
STIFFEST_STRING_CONTACT = 1e12          # N/m, or per metre, at TYPICAL_COMPRESSION
STIFFEST_HAMMER = 1e10                  # N/m, likewise: its position is rounded as well
TYPICAL_COMPRESSION = 1e-4              # m
NEAREST = 1e-6  # of the length: the smallest distance of a point from an end of the string

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
GLIDE = Parameter(name="glide", unit="s", low=0.0, high=10.0, default=0.007,
                  meaning="the duration of the glide to the pitch; it ends when the event begins")
T60 = Parameter(
    name="t60", unit="s", low=0.0, high=100.0, open_low=True, smallest=1e-9, default=0.2, meaning=
    "how fast the finger damps the sound: 60 dB in this time, extrapolated from its decay between "
    "-5 and -35 dB; the "
    "string's own decay adds to a long one, and no finger damps faster than in about 14 periods "
    "of the open string "
    "(0.07 s at 200 Hz, 0.33 s on a bass)")
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

SPREAD = Parameter(name="spread", unit="s", low=0.0, high=10.0, default=0.06,
                   meaning="the time from the first string's pluck to the last one's")
DIRECTION = Parameter(
    name="dir", kind="text", choices=("down", "up"), default="down",
    meaning="down: from the first string of the file to the last; up: from the last to the first")

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

PLUCK = Verb("pluck", table(FORCE, POSITION, WIDTH, RAMP, RELEASE, HEIGHT, TOUCH, LEAD, GLIDE),
             pitch="may")
STRUM = Verb("strum", table(SPREAD, DIRECTION), pitch="may")  # and the parameters of a pluck
FRET = Verb("fret", table(GLIDE), pitch="must")
BEND = Verb(
    "bend",
    table(
        replace(
            GLIDE, meaning=
            "the duration of the glide to the first pitch of the curve; it ends when the event "
            "begins"
        )), pitch="may")
PRESS = Verb("press", table(PRESSED_FRET, PRESSED_AT, PRESS_FORCE, PRESS_WIDTH))
DAMP = Verb("damp", table(T60))
STRIKE = Verb(
    "strike",
    table(STRUCK, HAMMER_VELOCITY, HAMMER_MASS, HAMMER_STIFFNESS, HAMMER_EXPONENT, HAMMER_DAMPING))
# verbs of schemes with constant pitch and without rows for a finger; PLUCK_ALONE also has no touch
PLUCK_AS_TUNED = Verb(
    "pluck",
    {name: parameter
     for name, parameter in PLUCK.parameters.items() if parameter is not GLIDE})
PLUCK_ALONE = Verb("pluck", {
    name: value
    for name, value in PLUCK_AS_TUNED.parameters.items() if value not in (TOUCH, LEAD)
})
DECAY = Verb(
    "damp",
    table(
        replace(
            T60, meaning=
            "how fast the finger damps the sound, all partials alike: 60 dB in this time; the "
            "string's own decay adds to it, and no string is damped in less than about 1.2 of its "
            "periods")))
