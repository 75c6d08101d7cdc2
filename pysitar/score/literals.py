"""The values of a score as written: quantity, name, text, pitch, curve and list; and the units."""
from __future__ import annotations

import typing
from dataclasses import dataclass, field

from pysitar.errors import Place, quoted
from pysitar.physics.units import KINDS, UNITS, units_of

NOWHERE = Place("")

# units of times, by how many are a second; a bare number is in beats
TIME_UNITS: dict[str | None, float] = {
    unit: divisor for unit, (kind, _, divisor) in UNITS.items() if kind == "time"}


class Quantity(typing.NamedTuple):          # one for every value of a score, as `Place`
    """A number with its unit as written (None: bare)."""

    value: float
    unit: str | None = None
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Name:
    """A word as a value: auto, down, three-point."""

    text: str
    place: Place = NOWHERE


UNREAD = Name("")               # in place of a value that could not be parsed


@dataclass(frozen=True, slots=True)
class Text:
    """A quoted text, without its quotes."""

    text: str
    place: Place = NOWHERE


class Pitch(typing.NamedTuple):          # as `Quantity`
    """A pitch as written, without its frequency, which depends on the tuning.

    Parameters: text, as written; kind, one of sargam (degree 0..11 above sa), step (degree N:
    `dN`), western (degree: semitones above A4), hertz, open (cents above the open string); octave,
    from the marks of a sargam name or step; cents, added; hertz (Hz), of the kind hertz. """

    text: str
    kind: str
    degree: int = 0
    octave: int = 0
    cents: float = 0.0
    hertz: float = 0.0
    place: Place = NOWHERE

    @property
    def is_degree(self) -> bool:
        """Whether the pitch is relative to sa, and so depends on `tuning`."""
        return self.kind in {"sargam", "step"}


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One point of a curve.

    Parameters: time, from the start of the event, in seconds or beats (in_seconds); value; shape,
    of the segment that ends here: lin, cos, exp, step or pow; exponent, of pow.
    """

    time: float
    in_seconds: bool
    value: Quantity | Pitch
    shape: str = "lin"
    exponent: float = 1.0
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Curve:
    """A value that changes in time: points in order of time; text, as written ("": computed);
    is_pitch, whether they are pitches (interpolated in cents) or quantities."""

    points: tuple[CurvePoint, ...]
    place: Place = NOWHERE
    text: str = field(default="", compare=False, repr=False)

    @property
    def is_pitch(self) -> bool:
        """Whether the values of the curve are pitches."""
        return isinstance(self.points[0].value, Pitch)


@dataclass(frozen=True, slots=True)
class ListLiteral:
    """Several values in parentheses: `(re sa)`."""

    items: tuple[Quantity | Name | Text | Pitch, ...]
    place: Place = NOWHERE


Simple: typing.TypeAlias = Quantity | Name | Text | Pitch
Literal: typing.TypeAlias = Quantity | Name | Text | Pitch | Curve | ListLiteral


class Argument(typing.NamedTuple):
    """One `name=value`, both as written."""

    name: str
    name_place: Place
    value: Literal
    value_place: Place


def si_value(quantity: Quantity, unit: str) -> float:
    """Return the number of a quantity in the unit of a parameter.

    Parameters: unit, of the parameter: "s", "m", "N", "Hz", "kg", "dB", "LUFS", "cents", "m/s", ""
    (a plain number), or one that is not a unit of scores ("kg/m"), for bare numbers only. A bare
    number is in the unit of the parameter. Errors: ValueError for another kind of unit; its
    text has the expected kind and its units. """
    if quantity.unit is None:
        return quantity.value
    own = units_of(unit)
    if quantity.unit in own:
        factor, divisor = own[quantity.unit]
        return quantity.value * factor / divisor
    kind, expected_kind = UNITS[quantity.unit][0], KINDS.get(unit)
    shown = literal_text(quantity)
    if expected_kind is None:
        right = f"a bare number, in {unit}" if unit else "a number without unit"
        raise ValueError(f"{shown} is {_with_article(kind)}; expected {right}")
    raise ValueError(f"{shown} is {_with_article(kind)}; expected {_with_article(expected_kind)} "
                     f"in {' or '.join(own)}")


def _with_article(kind: str) -> str:
    return f"{'an' if kind in {'interval', 'angle'} else 'a'} {kind}"


def number_text(value: float) -> str:
    """Return a number in full precision, in the form of a score."""
    text = repr(float(value))
    return text.removesuffix(".0")


def literal_text(literal: Literal) -> str:
    """Return a literal in the form of a score, the same text for the same meaning."""
    if isinstance(literal, Quantity):
        return number_text(literal.value) + (literal.unit or "")
    if isinstance(literal, Text):
        return f'"{literal.text}"'
    if isinstance(literal, Curve):
        return "(" + " ".join(_point_text(point) for point in literal.points) + ")"
    if isinstance(literal, ListLiteral):
        return "(" + " ".join(literal_text(item) for item in literal.items) + ")"
    return literal.text


def written_text(literal: Literal) -> str:
    """Return a curve as it is written, another literal in the form of a score."""
    return (literal.text if isinstance(literal, Curve) else "") or literal_text(literal)


def quoted_literal(literal: Literal) -> str:
    """Return a literal for a message, as `written_text` and `quoted`."""
    return quoted(written_text(literal))


def _point_text(point: CurvePoint) -> str:
    shape = point.shape + (number_text(point.exponent) if point.shape == "pow" else "")
    unit = "s" if point.in_seconds else ""
    return f"{number_text(point.time)}{unit}:{literal_text(point.value)}/{shape}"
