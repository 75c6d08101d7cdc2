"""Convert literals of a score to values of parameters."""
from __future__ import annotations

from typing import TypeAlias

from pysitar.errors import Place
from pysitar.models.network.curve import CurvePoint, ValueCurve
from pysitar.physics.parameters import Length, Parameter, check_value
from pysitar.score.literals import (
    Curve,
    ListLiteral,
    Literal,
    Name,
    Pitch,
    Quantity,
    Text,
    quoted_literal,
    si_value,
)
from pysitar.score.pitch import to_pitch

RowValue: TypeAlias = float | Length | str | ValueCurve


def convert_literal(parameter: Parameter, literal: Literal) -> object:
    """Return the value of a literal for a parameter: a float in its unit, an int, a Length, a bool,
    a text or a list; its range is not checked.

    Errors: ValueError with the name of the parameter and what is expected.
    """
    kind = parameter.kind
    if isinstance(literal, Quantity) and kind in {"number", "whole", "position"}:
        return _number(parameter, literal)
    if kind in {"text", "file"} and isinstance(literal, Name | Text):
        return literal.text
    if kind == "flag" and isinstance(literal, Name) and literal.text in {"true", "false"}:
        return literal.text == "true"
    if kind == "pitch" and isinstance(literal, Pitch | Quantity):
        bare = isinstance(literal, Quantity) and literal.unit is None
        return literal.value if isinstance(literal, Quantity) and bare else to_pitch(literal).text
    if kind == "list" and isinstance(literal, ListLiteral):
        items = [item for item in literal.items if isinstance(item, Quantity)]
        if len(items) == len(literal.items):
            try:
                return [si_value(item, parameter.unit) for item in items]
            except ValueError as error:
                raise ValueError(f"{parameter.name}: {error}") from None
    expected = {"text": "a name", "file": "a .wav file in quotes", "flag": "true or false",
                "pitch": "a pitch (pa, C#3 or 440Hz)",
                "list": "a list of numbers: (1 2 3)"}.get(kind, "a number")
    if parameter.choices:
        expected = " or ".join(parameter.choices)
    raise ValueError(f"{parameter.name} is {quoted_literal(literal)}; expected {expected}")


def wrong_item_place(parameter: Parameter, literal: Literal) -> Place | None:
    """Return the place of the first wrong number in a list; None when there is none."""
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


def parameter_course(parameter: Parameter, curve: Curve, factor: float = 1.0) -> ValueCurve:
    """Return a curve in the unit of a parameter, its values times a factor.

    Parameters: curve, its times in seconds.
    Errors: ValueError or ParameterError of its first wrong point.
    """
    points = []
    for point in curve.points:
        if not isinstance(point.value, Quantity):
            raise ValueError(f"a point of {parameter.name} is "
                             f"{quoted_literal(point.value)}; "
                             f"expected a number{_unit_phrase(parameter)}")
        value = _number(parameter, point.value)
        assert isinstance(value, float)
        points.append(
            CurvePoint(point.time, check_value(parameter, value * factor), point.shape,
                       point.exponent))
    return ValueCurve(tuple(points))


def _unit_phrase(parameter: Parameter) -> str:
    return f" in {parameter.unit}" if parameter.unit else ""


def _number(parameter: Parameter, quantity: Quantity) -> object:
    if parameter.kind == "position" and quantity.unit == "%":          # of the length
        return quantity.value / 100.0
    try:
        value = si_value(quantity, parameter.unit)
    except ValueError as error:
        raise ValueError(f"{parameter.name}: {error}") from None
    if parameter.kind == "position" and quantity.unit is not None:
        return Length(value)
    return int(value) if parameter.kind == "whole" and value.is_integer() else value


class ValueCache:
    """A cache of the values of rows."""

    def __init__(self) -> None:
        # by the identity of the parameter: its hash is slow
        self._cached: dict[tuple[int, float, str | None, float], RowValue] = {}

    def value(self, parameter: Parameter, literal: Literal, factor: float,
              may_change: bool) -> RowValue:
        """Return a value of a row times a factor, checked; a position is returned as written.

        Parameters: may_change, whether it may be a curve.

        Errors: ParameterError, ValueError.
        """
        if not isinstance(literal, Quantity):
            if may_change and isinstance(literal, Curve):
                return parameter_course(parameter, literal, factor)
            return _value(parameter, literal, factor)
        key = (id(parameter), literal.value, literal.unit, factor)
        found = self._cached.get(key)
        if found is None:
            found = self._cached[key] = _value(parameter, literal, factor)
        return found


def _value(parameter: Parameter, literal: Literal, factor: float) -> RowValue:
    """Return a value as `ValueCache.value`, without the cache."""
    value = convert_literal(parameter, literal)
    if isinstance(value, Length | str):
        return value
    if isinstance(value, float):
        return value if parameter.kind == "position" else check_value(parameter, value * factor)
    return check_value(parameter, value)
