"""What a value in a score can be, as written: a quantity, a name, a text, a pitch, a curve, a list; and the units."""
from __future__ import annotations

import typing
from dataclasses import dataclass

from pysitar.errors import Place

NOWHERE = Place("")

# unit -> (kind, factor, divisor): value * factor / divisor is in the kind's own unit. Dividing by 1000 rounds once; times 0.001 twice.
UNITS: dict[str, tuple[str, float, float]] = {
    "s": ("time", 1.0, 1.0), "ms": ("time", 1.0, 1000.0),
    "m": ("length", 1.0, 1.0), "cm": ("length", 1.0, 100.0), "mm": ("length", 1.0, 1000.0), "um": ("length", 1.0, 1e6),
    "N": ("force", 1.0, 1.0), "mN": ("force", 1.0, 1000.0),
    "Hz": ("frequency", 1.0, 1.0), "kHz": ("frequency", 1000.0, 1.0),
    "kg": ("mass", 1.0, 1.0), "g": ("mass", 1.0, 1000.0),
    "dB": ("level", 1.0, 1.0),
    "c": ("interval", 1.0, 1.0), "st": ("interval", 100.0, 1.0), "oct": ("interval", 1200.0, 1.0),
    "m/s": ("speed", 1.0, 1.0),
}
OWN_UNITS = {"s": "time", "m": "length", "N": "force", "Hz": "frequency", "kg": "mass", "dB": "level", "cents": "interval",
             "c": "interval", "m/s": "speed"}


class Quantity(typing.NamedTuple):          # made for every value of a score, as `Place`
    """A number with its unit as written (None: bare)."""

    value: float
    unit: str | None = None
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Name:
    """A word that stands for itself: auto, down, three-point."""

    text: str
    place: Place = NOWHERE


UNREAD = Name("")               # stands for a value that could not be read


@dataclass(frozen=True, slots=True)
class Text:
    """A quoted text, without its quotes."""

    text: str
    place: Place = NOWHERE


class Pitch(typing.NamedTuple):          # as `Quantity`
    """A pitch as written, not yet resolved by a tuning.

    Parameters: text, as written; kind, one of sargam (degree 0..11 above sa), step (degree N: `dN`), western (degree: semitones
    above A4), hertz, open (cents above the open string); octave, from the marks of a sargam name or step; cents, added to it;
    hertz (Hz), for the kind hertz.
    """

    text: str
    kind: str
    degree: int = 0
    octave: int = 0
    cents: float = 0.0
    hertz: float = 0.0
    place: Place = NOWHERE

    @property
    def is_degree(self) -> bool:
        """Whether it is counted from sa, so that `tuning` moves it."""
        return self.kind in {"sargam", "step"}


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One point of a curve.

    Parameters: time, from the event's start, in seconds or beats (in_seconds); value; shape of the way to this point: lin, cos,
    exp, step or pow; exponent, of pow.
    """

    time: float
    in_seconds: bool
    value: Quantity | Pitch
    shape: str = "lin"
    exponent: float = 1.0
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Curve:
    """A value that moves: points in order of time; is_pitch tells whether they are pitches (moved in cents) or quantities."""

    points: tuple[CurvePoint, ...]
    place: Place = NOWHERE

    @property
    def is_pitch(self) -> bool:
        """Whether its values are pitches."""
        return isinstance(self.points[0].value, Pitch)


@dataclass(frozen=True, slots=True)
class ListLiteral:
    """Several values in parentheses: `(re sa)`."""

    items: tuple[Quantity | Name | Text | Pitch, ...]
    place: Place = NOWHERE


Simple: typing.TypeAlias = Quantity | Name | Text | Pitch
Literal: typing.TypeAlias = Quantity | Name | Text | Pitch | Curve | ListLiteral


class Argument(typing.NamedTuple):
    """One `name=value`: the name as written, and the value as written."""

    name: str
    name_place: Place
    value: Literal
    value_place: Place


def si_value(quantity: Quantity, unit: str) -> float:
    """The number of a quantity in a parameter's own unit.

    Parameters: unit, the parameter's: "s", "m", "N", "Hz", "kg", "dB", "cents", "m/s", "" (a plain number), or one that scores have no
    name for ("kg/m"), which takes bare numbers only. A bare number is in the own unit already.
    Errors: ValueError for another kind of unit; expected its text names the kind and the units that.
    """
    if quantity.unit is None:
        return quantity.value
    kind, factor, divisor = UNITS[quantity.unit]
    wanted = OWN_UNITS.get(unit)
    if kind == wanted:
        return quantity.value * factor / divisor
    shown = literal_text(quantity)
    article = "an" if kind == "interval" else "a"
    if wanted is None:
        right = f"a bare number, in {unit}," if unit else "a number without unit"
        raise ValueError(f"{shown} is {article} {kind}; expected {right}")
    units = [name for name, (its_kind, _, _) in UNITS.items() if its_kind == wanted]
    wanted_article = "an" if wanted == "interval" else "a"
    raise ValueError(f"{shown} is {article} {kind}; expected {wanted_article} {wanted} in {' or '.join(units)}")


def number_text(value: float) -> str:
    """A number in full precision, as a score writes it."""
    text = repr(float(value))
    return text.removesuffix(".0")


def literal_text(literal: Literal) -> str:
    """A literal as a score writes it, the same for the same meaning."""
    if isinstance(literal, Quantity):
        return number_text(literal.value) + (literal.unit or "")
    if isinstance(literal, Text):
        return f'"{literal.text}"'
    if isinstance(literal, Curve):
        return "(" + " ".join(_point_text(point) for point in literal.points) + ")"
    if isinstance(literal, ListLiteral):
        return "(" + " ".join(literal_text(item) for item in literal.items) + ")"
    return literal.text


def _point_text(point: CurvePoint) -> str:
    shape = point.shape + (number_text(point.exponent) if point.shape == "pow" else "")
    return f"{number_text(point.time)}{'s' if point.in_seconds else ''}:{literal_text(point.value)}/{shape}"
