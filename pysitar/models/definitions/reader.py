"""Reads the data of an instrument file: any table by its dataclass, every fault reported."""
from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, time
from typing import Any, TypeAlias

from pysitar.errors import ParameterError, join_choices, quoted, suggest_name
from pysitar.gestures.chords import parse_diagram
from pysitar.models.definitions.faults import TOP_TABLES as RESERVED
from pysitar.models.definitions.faults import Fault, KeyPath
from pysitar.models.definitions.idle_keys import IdleKey, idle_keys, idle_spread
from pysitar.models.definitions.objects import BallSpec
from pysitar.models.definitions.registry import MODELS, PARTS
from pysitar.models.definitions.schema import Schema
from pysitar.models.definitions.spec import (
    BALL_SCHEMA,
    BODY_SCHEMA,
    GROUPS,
    RESPONSE,
    RESPONSE_SCHEMA,
    SCHEMES,
    TOP,
    TOP_SCHEMA,
    TOP_TABLES,
    BodySpec,
    InstrumentSpec,
    PartSpec,
    ResponseSpec,
    has_modes,
    part_schema,
)
from pysitar.models.definitions.tried_keys import unknown_key
from pysitar.physics.cabinets import CIRCUIT
from pysitar.physics.parameters import Length, Parameter, check_position, check_value
from pysitar.physics.units import units_of

Table: TypeAlias = Mapping[str, object]
Value: TypeAlias = float | str | bool | tuple[float, ...]

# a number and a unit
QUANTITY = re.compile(
    r"[ ]*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[ ]*([A-Za-z/%]+)[ ]*")
NAME = "expected letters and digits, a letter first"


class Reader:
    """Read the data of one file; what is wrong goes to `faults`.

    Parameters: faults, to be added to; model, of the file; bridges, the names of the bridges that
    the file describes. """

    def __init__(self, faults: list[Fault], model: object, bridges: Sequence[str]) -> None:
        self.faults, self.bridges = faults, tuple(bridges)
        self._idle: list[IdleKey] = []
        self.model = model if isinstance(model, str) and model in PARTS else "string"
        self.word, self.group = PARTS[self.model]
        # of the names of other tables, by the key
        self._choices: dict[str, tuple[str, ...]] = {"bridge": self.bridges}

    def instrument(self, data: Table, name: str, shown: str) -> InstrumentSpec | None:
        """Return the instrument; None if a part of it is missing or wrong."""
        top = self._top_values(data)
        scheme = str(top.get("scheme", ""))
        known = MODELS.get(str(top.get("model", "")), {})
        if scheme and known and scheme not in known:
            self._report(("scheme",), f"no scheme {quoted(scheme)}; expected {' or '.join(known)}")
        tables: dict[str, Any] = {}
        if "body" in data:
            tables.update(self._body(data["body"]))
        parts = data.get(self.group)
        if not isinstance(parts, dict) or not parts:
            self._report((self.group,),
                         f"has no {self.group}; expected a table [{self.group}.NAME]")
            return None
        if top.get("polarisation"):
            parts = self._with_polarisation(parts, top["polarisation"])
        shared: dict[str, Any] = {}
        if "balls" in TOP_TABLES[self.group]:
            shared["balls"] = self._balls(data.get("balls"))
        if "chords" in data and "chords" in TOP_TABLES[self.group]:
            tables["chords"] = self._chords(data["chords"], len(parts))
        specs = [spec for key, table in parts.items()
                 for spec in self._parts(key, table, scheme, shared)]
        for part, count in Counter(spec.name for spec in specs).items():
            if count > 1:
                self._report((self.group,), f"two {self.group} have the name {quoted(part)}; "
                                            "expected another name for each")
        for path, message in GROUPS[self.group].table.faults_together(
                specs, scheme=scheme if scheme in known else "", top=tables):
            self._report(path, message)
        if all(getattr(spec, "pickup", None) is None for spec in specs):
            for key in CIRCUIT:
                if key in data:
                    self._report((key,), "the instrument has no pickups; expected tables "
                                         f"[strings.NAME.pickup], or no {key}")
        if self.faults:
            return None
        self._idle += idle_spread(len(specs), data)
        return InstrumentSpec(name=name, source=shown, parts=tuple(specs), idle=tuple(self._idle),
                              **tables, **shared, **top)

    def _with_polarisation(self, parts: dict[str, Any], directions: int) -> dict[str, Any]:
        """Return the tables of the strings, each with a polarisation."""
        if self.group != "strings":
            self._report(("polarisation",), f"{self.group} do not move in a plane; expected an "
                                            "instrument of strings, or no polarisation")
            return parts
        return {name: table | {"polarisation": directions} if isinstance(table, dict) else table
                for name, table in parts.items()}

    def _top_values(self, data: Table) -> dict[str, Any]:
        """Return the values of the instrument itself; `bridge` is one of them if the file describes
        bridges."""
        # a scheme of another model is reported by `instrument`; an added one is not in SCHEMES
        if data.get("scheme") not in SCHEMES:
            self._choices["scheme"] = tuple(MODELS[self.model])
        keys = {name: about for name, about in TOP.items()
                if name == "bridge" or name not in TOP_SCHEMA.optional or name in data}
        if not self.bridges:
            del keys["bridge"]
            if "bridge" in data:
                self._report(("bridge",), "there is no bridge to choose; "
                             "expected a table [bridges.NAME] for each")
                data = {key: value for key, value in data.items() if key != "bridge"}
        return self._values(data, keys, (), tables=TOP_TABLES[self.group])

    def _body(self, data: object) -> dict[str, BodySpec | ResponseSpec | None]:
        """Return modes, impulse response or both, as `body` and `response`."""
        if not isinstance(data, dict):
            self._report(("body",), "is no table; expected [body] with its keys")
            return {"body": None}
        found: dict[str, BodySpec | ResponseSpec | None] = {}
        if has_modes(data) and self.group != "objects":      # an object has modes of its own
            modes = {key: value for key, value in data.items() if key not in RESPONSE}
            body = found["body"] = self._make(BODY_SCHEMA, modes, ("body",))
            data = {key: value for key, value in data.items() if key in RESPONSE}
            if data and isinstance(body, BodySpec) and body.coupled:
                self._report(("body", "coupled"), (
                    "the force on a coupled body is not computed, and an impulse response needs "
                    "it; expected coupled = false, or no impulse_response"))
        if data:
            found["response"] = self._make(RESPONSE_SCHEMA, data, ("body",))
        return found

    def _chords(self, data: object, strings: int) -> dict[str, str]:
        """Return the diagrams of chords, by name.  Parameters: strings, their number."""
        if not isinstance(data, dict):
            self._report(("chords",), "is no table; expected [chords] with lines such as "
                                      "Am7 = \"x02010\"")
            return {}
        found: dict[str, str] = {}
        for name, diagram in data.items():
            try:
                if not isinstance(diagram, str):
                    raise ValueError(f"is {quoted(diagram)}; expected a diagram in quotes, "
                                     "\"x02010\"")
                parse_diagram(diagram, strings)
                found[name] = diagram
            except ValueError as error:
                self._report(("chords", name), str(error))
        return found

    def _balls(self, data: object) -> dict[str, BallSpec]:
        """Return the balls of a file that are right, by their names."""
        if not isinstance(data, dict) or not data:
            self._report(("balls",),
                         "an instrument of objects needs its balls; expected a table [balls.NAME]")
            data = {}
        self._choices["ball"] = tuple(data)
        found: dict[str, BallSpec] = {}
        for name, table in data.items():
            if not name.isidentifier():
                self._report(("balls", name), f"{quoted(name)} is no name; {NAME}")
            elif not isinstance(table, dict):
                self._report(("balls", name),
                             f"is no table; expected [balls.{name}] with its keys")
            else:
                ball = self._make(BALL_SCHEMA, table, ("balls", name))
                if ball is not None:
                    found[name] = ball
                    self._idle += idle_keys("balls", ("balls", name), ball, table)
        return found

    def _parts(self, name: str, data: object, scheme: str,
               shared: Mapping[str, Any]) -> tuple[PartSpec, ...]:
        """Return a string, mass or object, or those of a set; none if it is wrong.  Parameters:
        shared, the values that all parts have."""
        if not name.isidentifier() or name in TOP or name in RESERVED:
            why = "a key of the instrument" if name.isidentifier() else "no name"
            self._report((self.group, name), f"{quoted(name)} is {why}; expected "
                         f"{with_article(self.word)}'s name of letters and digits, a letter first")
            return ()
        if not isinstance(data, dict):
            self._report((self.group, name),
                         f"is no table; expected [{self.group}.{name}] with its keys")
            return ()
        before = len(self.faults)
        spec: Any = self._make(part_schema(self.group, data), data, (name,), name=name, **shared)
        for path, message in () if spec is None else spec.faults(scheme):
            self._report((name, *path), message)
        if spec is None or len(self.faults) > before:
            return ()
        self._idle += idle_keys(self.group, (name,), spec, data)
        if spec.is_part:
            return (spec.part(),)
        try:
            parts: tuple[PartSpec, ...] = spec.expanded()
        except ParameterError as error:
            self._report((name, error.name), str(error))
            return ()
        return parts

    def _make(self, of: Schema, data: Table, path: KeyPath, *, length: float = math.inf,
              **others: Any) -> Any | None:
        """Return the dataclass of a table; None if a value is missing or wrong.

        Parameters: length, of the string that its positions are on (m); others, the fields that
        are not in the table.
        """
        before = len(self.faults)
        keys = {key: about for key, about in of.keys.items()
                if key not in of.optional or key in data}
        values = self._values(data, keys, path, length=length,
                              tables=(*of.optional, *of.tables, *of.lists))
        length = values.get("length", length)
        for name, parameter in of.lists.items():
            values[name] = self._named_lists(data.get(name, {}), parameter, (*path, name),
                                             size=len(values.get(of.each.get(name, ""), ())))
            self._choices["place"] = tuple(values[name])        # of the tables inside
        for name, table in of.tables.items():
            values[name] = self._inner(table, data.get(name), (*path, name), length)
            if name in of.required and name not in data:
                self._report((*path, name), "is missing; "
                             f"expected a table [{'.'.join((self.group, *path, name))}]")
        for name, whole in of.each.items():
            if name in of.keys and name in values and len(values[name]) != len(
                    values.get(whole, values[name])):
                self._report((*path, name), _size_message(values[name], len(values[whole]), whole))
        return None if len(self.faults) > before else of.table(**others, **values)

    def _inner(self, of: Schema, data: object, path: KeyPath, length: float) -> Any | None:
        """Return the dataclass of a table inside a part; None if it is missing or wrong."""
        if data is None or isinstance(data, dict):
            return None if data is None else self._make(of, data, path, length=length)
        self._report(path, f"is no table; expected [{self.group}.{'.'.join(path)}] with its keys")
        return None

    def _named_lists(self, data: object, parameter: Parameter, path: KeyPath, *,
                     size: int) -> dict[str, Any]:
        """Return the lists of a table whose keys the file names, each of a size (0: any)."""
        if not isinstance(data, dict):
            self._report(path, f"is no table; expected [{self.group}.{'.'.join(path)}] "
                               "with a list of shapes for each")
            return {}
        for name in data:
            if not name.isidentifier():
                self._report((*path, name), f"{quoted(name)} is no name; {NAME}")
        keys = {name: replace(parameter, name=name) for name in data if name.isidentifier()}
        lists = self._values({name: data[name] for name in keys}, keys, path)
        for name, values in lists.items():
            if size and len(values) != size:
                self._report((*path, name), _size_message(values, size, "frequencies"))
        return lists

    def _values(self, data: Table, keys: Mapping[str, Parameter], path: KeyPath, *,
                tables: Sequence[str] = (), length: float = math.inf) -> dict[str, Any]:
        """Return the values of one table that are right, with defaults.

        Parameters: tables, the inner tables that it may contain; length, of the string that
        positions are on (m).
        """
        values = {}
        for key in data:
            if key not in keys and key not in tables:
                expected = unknown_key(key, path, self.group, (*keys, *tables))
                self._report((*path, key), f"is not known; {expected}")
        for key, parameter in keys.items():
            if parameter.kind == "text" and key in self._choices:
                parameter = replace(parameter, choices=self._choices[key])
            value = data.get(key, parameter.default)
            if value is None:
                self._report((*path, key), f"is missing; expected {_expected_value(parameter)}")
                continue
            try:
                values[key] = read_value(parameter, value, length)
            except ParameterError as error:
                self._report((*path, key), value_message(parameter, error))
        return values

    def _report(self, path: KeyPath, message: str) -> None:
        self.faults.append(Fault(path, message, group=self.group))


def _size_message(values: Sequence[float], size: int, others: str) -> str:
    return f"{len(values)} values for {size} {others}; expected as many"


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
        if not value or any(isinstance(item, list | dict) for item in value):
            return "a list" if value else "an empty list"
        items = (item if isinstance(item, str) else quoted(_shown_value(item)) for item in value)
        return f"[{', '.join(items)}]"
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
        "file": "the name of a .wav file", "text": "a name"
    }
    return f"{kinds.get(parameter.kind, f'a number{unit}')}: {parameter.meaning}"


def read_value(parameter: Parameter, value: object, length: float) -> Value:
    """Return a value of a file, checked; length, of its string (m).  Errors: ParameterError."""
    name = parameter.name
    if parameter.kind == "list":
        return _numbers(parameter, value)
    if parameter.kind == "flag":
        if not isinstance(value, bool):
            raise ParameterError(name, value, "expected true or false")
        return value
    if parameter.kind == "text":
        if not isinstance(value, str) or value not in parameter.choices:
            known = suggest_name(value, parameter.choices) if isinstance(
                value, str) else f"expected {_expected_value(parameter)}"
            raise ParameterError(name, value, known)
        return value
    if parameter.kind == "file":
        if not isinstance(value, str) or not value.endswith(".wav") or not value.isprintable():
            raise ParameterError(name, value, f"expected {_expected_value(parameter)}")
        return value
    if parameter.kind == "pitch" and isinstance(value, str):
        return value
    if parameter.unit == "m" and isinstance(value, str):
        value = _length(parameter, value)
    if parameter.kind == "position":
        return check_position(parameter, value, length)
    if isinstance(value, str) and parameter.kind in {"number", "pitch"}:
        value = _quantity(parameter, value)
    number = check_value(parameter, value.metres if isinstance(value, Length) else value)
    return int(number) if parameter.kind == "whole" else number


def _length(parameter: Parameter, value: str) -> Length:
    """Return a text with a unit of length as a Length."""
    match, units = QUANTITY.fullmatch(value), units_of("m")
    if match is None or match[2] not in units:
        raise ParameterError(parameter.name, value, "expected a number, or a length in "
                             f"{join_choices(units)} such as \"11cm\"")
    factor, divisor = units[match[2]]
    return Length(float(match[1]) * factor / divisor)


def _quantity(parameter: Parameter, value: str) -> object:
    """Return a text with a unit, such as "4N" or "6ms", in the unit of a parameter; a text that is
    no number unchanged.  Errors: ParameterError, another unit."""
    match, units = QUANTITY.fullmatch(value), units_of(parameter.unit)
    if match is None:
        return value
    if match[2] not in units:
        texts = f", or a text in {join_choices(units)}" if units else ""
        unit = f", in {parameter.unit}" if parameter.unit else ""
        raise ParameterError(parameter.name, value, f"expected a bare number{unit}{texts}")
    factor, divisor = units[match[2]]
    return float(match[1]) * factor / divisor


def _numbers(parameter: Parameter, value: object) -> tuple[float, ...]:
    """Return a list of numbers, each within the parameter's range."""
    if not isinstance(value, list | tuple) or not value:          # a tuple: the default
        raise ParameterError(parameter.name, value, "expected a list of one or more numbers")
    return tuple(
        check_value(replace(parameter, name=f"{parameter.name}[{index}]"), item)
        for index, item in enumerate(value))
