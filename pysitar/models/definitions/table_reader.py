"""Reads one table of an instrument file: its keys known, its values checked, defaults filled in."""
from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, time
from typing import TypeAlias

from pysitar.errors import ParameterError, quoted, suggest_name
from pysitar.models.definitions.faults import TOP_TABLES, Fault, KeyPath
from pysitar.models.definitions.parameters import Length, Parameter, check_position, check_value
from pysitar.models.definitions.tables import TOP
from pysitar.models.definitions.tried_keys import unknown_key

Table: TypeAlias = Mapping[str, object]

METRE = {"m": 1.0, "cm": 100.0, "mm": 1000.0, "um": 1e6}          # divisors
LENGTH = re.compile(
    r"[ ]*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[ ]*(um|mm|cm|m)[ ]*")


class Values:
    """The checked values of one table, by key."""

    def __init__(self) -> None:
        self.numbers: dict[str, float] = {}
        self.texts: dict[str, str] = {}
        self.flags: dict[str, bool] = {}
        self.lists: dict[str, tuple[float, ...]] = {}


class TableReader:
    """Read the tables of one file; what is wrong goes to `faults`.

    Parameters: faults, to be added to; word, of a part: string or mass; group, the table of the
    parts, whose name paths leave out. """

    def __init__(self, faults: list[Fault], word: str, group: str) -> None:
        self.faults, self.word, self.group = faults, word, group

    def report(self, path: KeyPath, message: str) -> None:
        """Add a fault."""
        self.faults.append(Fault(path, message, group=self.group))

    def part(self, name: str, data: object) -> Table | None:
        """Return the table of a part; None if it is not a table or the name is not valid."""
        if not name.isidentifier() or name in TOP or name in TOP_TABLES:
            why = "a key of the instrument" if name.isidentifier() else "no name"
            whose = f"{with_article(self.word)}'s"
            self.report((
                self.group, name
            ), f"{quoted(name)} is {why}; expected {whose} name of letters and digits, a letter "
               f"first"
                        )
            return None
        if not isinstance(data, dict):
            self.report((self.group, name),
                        f"is no table; expected [{self.group}.{name}] with its keys")
            return None
        return data

    def inner(self, path: KeyPath, data: object, keys: Mapping[str, Parameter],
              length: float = math.inf) -> Values | None:
        """Return the values of a table inside a part; None if it is missing or wrong."""
        if data is None:
            return None
        if not isinstance(data, dict):
            self.report(path,
                        f"is no table; expected [{self.group}.{'.'.join(path)}] with its keys")
            return None
        before = len(self.faults)
        values = self.table(data, keys, path, length=length)
        return None if len(self.faults) > before else values

    def table(
            self,
            data: Table,
            keys: Mapping[str, Parameter],
            path: KeyPath,
            *,
            inner: Sequence[str] = (),
            length: float = 1.0,
    ) -> Values:
        """Return the values of one table, with defaults; inner, the tables that it may contain."""
        values = Values()
        for key in data:
            if key not in keys and key not in inner:
                self.report((*path, key),
                            f"is not known; {unknown_key(key, path, self.group, (*keys, *inner))}")
        for key, parameter in keys.items():
            value = data.get(key, parameter.default)
            if value is None:
                self.report((*path, key), f"is missing; expected {_expected_value(parameter)}")
                continue
            try:
                read(values, parameter, value, length)
            except ParameterError as error:
                self.report((*path, key), value_message(parameter, error))
        return values


def with_article(word: str) -> str:
    """Return a word after its "a" or "an"."""
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def value_message(parameter: Parameter, error: ParameterError) -> str:
    """Return the message of a wrong value, shown as in the file; a text in place of a number is
    marked as text."""
    shown = error.value if isinstance(
        error.value, str) and parameter.kind == "text" else _shown_value(error.value)
    return f"{error.name} is {quoted(shown)}; {error.expected}"


def _shown_value(value: object) -> object:
    """Return a value as it is written in the file, not in Python."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'the text "{value}"'
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "an empty list" if not value else "a list" if any(isinstance(item, list | dict) for item in value) else \
            f"[{', '.join(item if isinstance(item, str) else quoted(_shown_value(item)) for item in value)}]"
    return value


def _expected_value(parameter: Parameter) -> str:
    """Return the expected value of a missing key: its kind, unit and meaning."""
    unit = f" ({parameter.unit})" if parameter.unit else ""
    if parameter.choices:
        return " or ".join(quoted(f'"{choice}"') for choice in parameter.choices)
    kinds = {
        "list": f"a list of numbers{unit}",
        "position": "a fraction of the length or a length such as \"11cm\"",
        "pitch": "a pitch such as \"pa,\" or a frequency in Hz", "whole": "a whole number",
        "text": "a name"
    }
    return f"{kinds.get(parameter.kind, f'a number{unit}')}: {parameter.meaning}"


def read(values: Values, parameter: Parameter, value: object, length: float) -> None:
    """Check one value and add it to `values`; length, of its string (m).  Errors:
    ParameterError."""
    name = parameter.name
    if parameter.kind == "list":
        values.lists[name] = _numbers(parameter, value)
    elif parameter.kind == "flag":
        if not isinstance(value, bool):
            raise ParameterError(name, value, "expected true or false")
        values.flags[name] = value
    elif parameter.kind == "text":
        if not isinstance(value, str) or value not in parameter.choices:
            known = suggest_name(value, parameter.choices) if isinstance(
                value, str) else f"expected {_expected_value(parameter)}"
            raise ParameterError(name, value, known)
        values.texts[name] = value
    elif parameter.kind == "pitch" and isinstance(value, str):
        values.texts[name] = value
    elif parameter.kind == "position":
        values.numbers[name] = check_position(parameter, _metres(parameter, value), length)
    else:
        given = _metres(parameter, value) if parameter.unit == "m" else value
        values.numbers[name] = check_value(parameter,
                                           given.metres if isinstance(given, Length) else given)


def _metres(parameter: Parameter, value: object) -> object:
    """Return a text with a unit of length as a Length, and any other value unchanged."""
    if not isinstance(value, str):
        return value
    match = LENGTH.fullmatch(value)
    if match is None:
        raise ParameterError(parameter.name, value,
                             "expected a number, or a length in m, cm, mm or um such as \"11cm\"")
    return Length(float(match[1]) / METRE[match[2]])


def _numbers(parameter: Parameter, value: object) -> tuple[float, ...]:
    """Return a list of numbers, each within the parameter's range."""
    if not isinstance(value, list | tuple) or not value:          # a tuple: the default
        raise ParameterError(parameter.name, value, "expected a list of one or more numbers")
    return tuple(
        check_value(replace(parameter, name=f"{parameter.name}[{index}]"), item)
        for index, item in enumerate(value))
