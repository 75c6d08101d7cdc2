"""Parse values; errors have the place of the invalid part."""
from __future__ import annotations

import itertools
import math
import re
from functools import lru_cache

from pysitar.errors import Place, closest_word, closest_words, join_choices, quoted, suggest_name
from pysitar.physics.units import UNITS, units_of
from pysitar.score.literals import (
    TIME_UNITS,
    Curve,
    CurvePoint,
    ListLiteral,
    Literal,
    Name,
    Pitch,
    Quantity,
    Simple,
    Text,
)
from pysitar.score.pitch import is_pitch, parse_pitch, to_pitch
from pysitar.score.tempo import is_fraction, parse_fraction
from pysitar.score.tokens import NEW_TUPLE, score_error, shift_place
from pysitar.score.vocabulary import SHAPES

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
STARTS_NUMBER = re.compile(r"[+-]?\.?[0-9]")
ITEM = re.compile(r"[^ \t]+")
CACHE_SIZE = 4096          # texts; a score repeats most of its numbers
UNKNOWN_TIME_UNITS = frozenset(("\u00b5s", "\u03bcs", "ns", "sec", "secs", "second",
                                "seconds", "min", "mins", "minutes", "h", "hours"))
UNIT = re.compile(r"[A-Za-z%]+([/^*][A-Za-z0-9]+)*")          # what may be meant as one
POINT_UNITS = ("ms", "us", "s")              # of the time of a point, the longer ones first
NOT_NUMBERS = frozenset(("nan", "inf", "infinity"))


def parse_number(text: str, place: Place) -> float:
    """Return a bare number.

    Errors: ScoreError when it is not one, or has a unit.
    """
    quantity = parse_simple(text, place) if STARTS_NUMBER.match(text) else None
    if not isinstance(quantity, Quantity):
        raise score_error(place,
                          f"{quoted(text)} is not a number; expected ASCII digits with one point")
    if quantity.unit is not None:
        raise score_error(place, f"{quoted(text)} has a unit; expected a bare number")
    return quantity.value


def parse_value(text: str, place: Place, *, blanks: bool = False) -> Literal:
    """Return any value: a quantity, a pitch, a name, a quoted text, a curve or a list.

    Parameters: blanks, whether a blank is allowed between a number of a list and its unit.
    Errors: ScoreError at the invalid part.
    """
    if text.startswith("("):
        return _parse_group(text, place, blanks)
    return parse_simple(text, place)


def parse_simple(text: str, place: Place) -> Simple:
    """Return a value without parentheses.

    Errors: ScoreError at its place.
    """
    if STARTS_NUMBER.match(text):
        try:
            amount, unit = _parse_amount(text)
        except ValueError as error:
            raise score_error(place, str(error)) from None
        return NEW_TUPLE(Quantity, (amount, unit, place))
    if text.startswith('"'):
        if len(text) < 2 or text.find('"', 1) != len(text) - 1:
            raise score_error(
                place,
                f"{quoted(text)} is not one quoted text; expected a blank after the closing quote")
        return Text(text[1:-1], place)
    if is_pitch(text):
        return _place_pitch(text, place)
    if text.lstrip("+-").casefold() in NOT_NUMBERS:
        raise score_error(place, f"{quoted(text)} is not a number here; expected a finite number")
    if all(part.isidentifier() for part in text.split("-")):
        return Name(text, place)
    raise score_error(place, _value_message(text))


def parse_pitch_value(text: str, place: Place) -> Pitch:
    """Return a pitch with its place.

    Errors: ScoreError at its place.
    """
    return _place_pitch(text, place)


def _place_pitch(text: str, place: Place) -> Pitch:
    try:
        return NEW_TUPLE(Pitch, (*_cached_pitch(text)[:-1], place))
    except ValueError as error:
        raise score_error(place, str(error)) from None


_cached_pitch = lru_cache(CACHE_SIZE)(parse_pitch)


@lru_cache(CACHE_SIZE)
def _parse_amount(text: str) -> tuple[float, str | None]:
    """Return the number and the unit of a text that begins with a number.  Errors: ValueError."""
    match = NUMBER.match(text)
    assert match is not None
    amount, unit = float(match[0]), text[match.end():]
    if not math.isfinite(amount):
        raise ValueError(f"{quoted(match[0])} is too large; expected a number under 1.8e308")
    if not unit:
        return amount, None
    if unit in UNITS:
        return amount, unit
    if "," in unit:
        raise ValueError(
            f"{quoted(text)} has a stray comma; expected a decimal point, and blanks between "
            f"values"
        )
    if "_" in unit or unit[0] in ".+-0123456789":
        raise ValueError(
            f"{quoted(text)} is not a number; expected ASCII digits, one point and e-notation")
    if unit.casefold() in UNKNOWN_TIME_UNITS:
        raise ValueError(
            f"{quoted(unit)} is not a unit; expected {join_choices(units_of('s'))}")
    raise ValueError(unit_message(unit))


def unit_message(unit: str) -> str:
    """Return the message about a unit that is none."""
    known = tuple(UNITS)
    nearest = closest_words(unit, known)
    if not nearest and (close := closest_word(unit, known)):
        nearest = [close]
    bases = [name for name, (_, factor, divisor) in UNITS.items() if factor == divisor == 1.0]
    expected = f"did you mean {join_choices(nearest)}?" if nearest else (
        f"expected a unit such as {', '.join(bases)}, or a bare number")
    return f"{quoted(unit)} is not a unit; {expected}"


def _value_message(text: str) -> str:
    if text.startswith("*"):
        return f"{quoted(text)} is a factor, for play only; expected a plain value"
    if re.match(r"(?:sa|re|ga|ma|pa|dha|ni|[A-Ga-g]#?[0-9]|d[0-9])(?:[+\-',#].*)?$", text):
        try:
            parse_pitch(text)
        except ValueError as error:
            return str(error)
    if "," in text:
        return f"{quoted(text)} has a stray comma; expected blanks between values"
    return (f"{quoted(text)} is not a value; expected a number with its unit, a pitch, a name or a "
            '"text"')


def _parse_group(text: str, place: Place, blanks: bool) -> Curve | ListLiteral:
    if text.find(")") != len(text) - 1:
        raise score_error(shift_place(place,
                                      text.find(")") + 1),
                          "text follows the closing parenthesis; expected a blank between values")
    inside = [(match[0], shift_place(place, match.start()))
              for match in ITEM.finditer(text[:-1], 1)]
    if not inside:
        raise score_error(place, "empty parentheses; expected values or points beat:value")
    if any(":" in item and not item.startswith('"') for item, _ in inside):
        return _make_curve([_parse_point(item, where) for item, where in inside], place, text)
    items: list[Simple] = []
    for index, (item, where) in enumerate(inside):
        if item in UNITS and index and NUMBER.fullmatch(inside[index - 1][0]):
            number_with_unit = inside[index - 1][0] + item
            if not blanks:
                raise score_error(
                    where,
                    f"a blank between a number and its unit; expected {quoted(number_with_unit)}")
            items[-1] = parse_simple(number_with_unit, inside[index - 1][1])
        else:
            items.append(parse_simple(item, where))
    return ListLiteral(tuple(items), place)


def _parse_point(text: str, place: Place) -> CurvePoint:
    time, colon, rest = text.partition(":")
    if not colon:
        raise score_error(
            place, f"{quoted(text)} is not a point; expected beat:value or beat:value/shape")
    unit = next((unit for unit in POINT_UNITS if time.endswith(unit)), None)
    if is_fraction(time):
        at = float(parse_fraction(time, place))
    else:
        at = parse_number(time.removesuffix(unit or ""), place)
    if unit is not None:
        at /= TIME_UNITS[unit]
    if at < 0:
        raise score_error(place,
                          f"{quoted(time)} is before the event; expected a time of 0 or later")
    shape, exponent = "lin", 1.0
    head, slash, tail = rest.rpartition("/")
    if slash and not (tail == "s" and head.endswith("m")):
        shape, exponent = _parse_shape(tail, shift_place(place, len(text) - len(tail)))
        rest = head
    where = shift_place(place, len(time) + 1)
    if not rest:
        raise score_error(where, "a point without a value; expected beat:value")
    at_value = parse_simple(rest, where)
    if not isinstance(at_value, Quantity | Pitch):
        raise score_error(
            where,
            f"{quoted(rest)} cannot stand in a curve; expected a number with its unit or a pitch")
    return CurvePoint(at, unit is not None, at_value, shape, exponent, place)


def _parse_shape(text: str, place: Place) -> tuple[str, float]:
    if text in SHAPES:
        return text, 1.0
    if text.startswith("pow") and len(text) > 3:
        exponent = parse_number(text[3:], shift_place(place, 3))
        if exponent <= 0:
            raise score_error(shift_place(place, 3), (
                f"the exponent of pow is {quoted(text[3:])}; expected a number above 0: pow2 is "
                "slow at first, pow0.5 fast at first"))
        return "pow", exponent
    raise score_error(place,
                      f"{quoted(text)} is not a shape; {suggest_name(text, (*SHAPES, 'pow2'))}")


def _make_curve(points: list[CurvePoint], place: Place, text: str) -> Curve:
    if any(isinstance(point.value, Pitch) or point.value.unit in {"st"} for point in points):
        points = [_to_pitch_point(point) for point in points]
    check_order(points)
    for before, point in itertools.pairwise(points):
        if point.shape == "exp" and not _have_one_sign(before.value, point.value):
            raise score_error(point.place,
                              "exp needs values of one sign, none of them 0; expected lin or cos")
    return Curve(tuple(points), place, text)


def _have_one_sign(before: Quantity | Pitch, after: Quantity | Pitch) -> bool:
    if isinstance(before, Pitch) or isinstance(after, Pitch):
        return True
    return (before.value > 0 and after.value > 0) or (before.value < 0 and after.value < 0)


def check_order(points: list[CurvePoint]) -> None:
    """Check that points are in order of time; two points at one time are a jump.

    Neighbours of which one is in beats and one in seconds are skipped: they are compared once both
    are in seconds.
    Errors: ScoreError at the first invalid point.
    """
    for index, point in enumerate(points[1:], start=1):
        before = points[index - 1]
        if point.in_seconds != before.in_seconds:
            continue
        if point.time < before.time:
            raise score_error(
                point.place,
                "this point is before the one to its left; expected times that increase")
        if index > 1 and point.time == points[index - 2].time and point.in_seconds == points[
                index - 2].in_seconds:
            raise score_error(point.place,
                              "a third point at the same time; expected at most two (a jump)")


def to_pitch_curve(curve: Curve) -> Curve:
    """Return a curve of pitches, from one in Hz too.  Errors: ScoreError at the first other
    point."""
    return Curve(tuple(_to_pitch_point(point) for point in curve.points), curve.place, curve.text)


def _to_pitch_point(point: CurvePoint) -> CurvePoint:
    try:
        pitch = to_pitch(point.value)
    except ValueError as error:
        raise score_error(point.place, str(error)) from None
    return CurvePoint(point.time, point.in_seconds, pitch, point.shape, point.exponent, point.place)


def join_value(words: list[tuple[str, Place]], end: Place) -> Literal:
    """Return the value of `set`, where a blank is allowed between a number and its unit.

    Errors: ScoreError for no value, or for more than one value.
    """
    if not words:
        raise score_error(end, "a value is missing; expected set PATH = VALUE")
    text, place = words[0]
    rest = words[1:]
    if rest and rest[0][0] in UNITS and NUMBER.fullmatch(text):
        text, rest = text + rest[0][0], rest[1:]
    if rest and len(rest) == 1 and NUMBER.fullmatch(text) and UNIT.fullmatch(rest[0][0]):
        raise score_error(rest[0][1], unit_message(rest[0][0]))
    if rest:
        raise score_error(rest[0][1], f"{quoted(rest[0][0])} follows the value; expected one value")
    return parse_value(text, place, blanks=True)
