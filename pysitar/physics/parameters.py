"""Parameters of events, instrument files and renders, with units and ranges, and their checks."""
from __future__ import annotations

import math
from dataclasses import dataclass

from pysitar.errors import ParameterError
from pysitar.kernels.core import elementary
from pysitar.physics.checks import SMALLEST, number, whole
from pysitar.physics.ranges import Range

# of a string's contacts: with a hundred times as much, rounding of their forces may exceed the
# tolerance of the energy balance
MOST_STRING_CONTACT_DAMPING = 100.0     # s/m
STIFFEST_STRING_CONTACT = 1e12          # N/m, or per metre, at TYPICAL_COMPRESSION
STIFFEST_HAMMER = 1e10                  # N/m, likewise: its position is rounded as well
TYPICAL_COMPRESSION = 1e-4              # m
NEAREST = 1e-6  # of the length: the smallest distance of a point from an end of the string


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
