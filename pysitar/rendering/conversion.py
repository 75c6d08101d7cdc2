"""Literals of a score to the values that parameters take."""
from __future__ import annotations

from typing import TypeAlias

from pysitar.errors import Place, quoted
from pysitar.models.definitions.objects import SPEED
from pysitar.models.definitions.parameters import PRESS_FORCE, Length, Parameter, check_value
from pysitar.models.network.curve import CurvePoint, ValueCurve
from pysitar.score.literals import Curve, ListLiteral, Literal, Name, Pitch, Quantity, Text, si_value, written
from pysitar.score.pitch import as_pitch

MOVING = (SPEED, PRESS_FORCE)          # what a row may give a curve
Given: TypeAlias = float | Length | str | ValueCurve


def converted(parameter: Parameter, literal: Literal) -> object:
    """What a literal means to a parameter: a float in its unit, an int, a Length, a bool, a text or a list; its range is not checked.

    Errors: ValueError that names the parameter and what would be right.
    """
    kind = parameter.kind
    if isinstance(literal, Quantity) and kind in {"number", "whole", "position"}:
        return _number(parameter, literal)
    if kind == "text" and isinstance(literal, Name | Text):
        return literal.text
    if kind == "flag" and isinstance(literal, Name) and literal.text in {"true", "false"}:
        return literal.text == "true"
    if kind == "pitch" and isinstance(literal, Pitch | Quantity):
        bare = isinstance(literal, Quantity) and literal.unit is None
        return literal.value if isinstance(literal, Quantity) and bare else as_pitch(literal).text
    if kind == "list" and isinstance(literal, ListLiteral):
        items = [item for item in literal.items if isinstance(item, Quantity)]
        if len(items) == len(literal.items):
            try:
                return [si_value(item, parameter.unit) for item in items]
            except ValueError as error:
                raise ValueError(f"{parameter.name}: {error}") from None
    right = {"text": "a name", "flag": "true or false", "pitch": "a pitch (pa, C#3 or 440Hz)",
             "list": "a list of numbers: (1 2 3)"}.get(kind, "a number")
    if parameter.choices:
        right = " or ".join(parameter.choices)
    raise ValueError(f"{parameter.name} is {quoted(written(literal))}; expected {right}")


def wrong_item(parameter: Parameter, literal: Literal) -> Place | None:
    """Where the first item of a list stands that cannot be a number of a parameter; None when the
    value is no list of such."""
    if parameter.kind != "list" or not isinstance(literal, ListLiteral):
        return None
    for item in literal.items:
        try:
            if not isinstance(item, Quantity):
                return item.place
            si_value(item, parameter.unit)
        except ValueError:
            return item.place
    return None


def course_of(parameter: Parameter, curve: Curve, factor: float = 1.0) -> ValueCurve:
    """What a curve, its times in seconds, means to a parameter, its values times a factor.

    Errors: ValueError, ParameterError, of its first wrong point.
    """
    points = []
    for point in curve.points:
        if not isinstance(point.value, Quantity):
            raise ValueError(f"{parameter.name} moves to {quoted(written(point.value))}; expected a number{_in(parameter)}")
        value = _number(parameter, point.value)
        assert isinstance(value, float)
        points.append(CurvePoint(point.time, check_value(parameter, value * factor), point.shape, point.exponent))
    return ValueCurve(tuple(points))


def _in(parameter: Parameter) -> str:
    return f" in {parameter.unit}" if parameter.unit else ""


def _number(parameter: Parameter, quantity: Quantity) -> object:
    try:
        value = si_value(quantity, parameter.unit)
    except ValueError as error:
        raise ValueError(f"{parameter.name}: {error}") from None
    if parameter.kind == "position" and quantity.unit is not None:
        return Length(value)
    return int(value) if parameter.kind == "whole" and value.is_integer() else value


class KnownValues:
    """The values of rows; one that was read before is not read again."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, float, str | None, float], Given] = {}          # by the parameter's identity: its hash takes longer

    def value(self, parameter: Parameter, literal: Literal, factor: float) -> Given:
        """A value of a row times a factor, checked; a position only as it is written.  Errors: ParameterError, ValueError."""
        if not isinstance(literal, Quantity):
            return _value(parameter, literal, factor)
        key = (id(parameter), literal.value, literal.unit, factor)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = _value(parameter, literal, factor)
        return found


def _value(parameter: Parameter, literal: Literal, factor: float) -> Given:
    """As `KnownValues.value`."""
    if isinstance(literal, Curve) and parameter in MOVING:
        return course_of(parameter, literal, factor)
    value = converted(parameter, literal)
    if isinstance(value, Length | str):
        return value
    if isinstance(value, float):
        return value if parameter.kind == "position" else check_value(parameter, value * factor)
    return check_value(parameter, value)
