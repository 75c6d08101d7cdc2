"""Instrument files: TOML text to a checked instrument, every fault told at once; and the files that come with pysitar."""
from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from typing import TypeAlias

from pysitar.errors import ParameterError, PysitarError, quoted
from pysitar.models.base import Length, Parameter, check_position, check_value, check_width, nearest
from pysitar.models.instrument import (
    BODY,
    STRING,
    TABLES,
    TOP,
    BarrierSpec,
    BodySpec,
    InstrumentSpec,
    PluckSpec,
    StringSpec,
    ThreadSpec,
)
from pysitar.models.registry import MODELS
from pysitar.physics.barrier import check_on_string

KeyPath: TypeAlias = tuple[str, ...]
Change: TypeAlias = tuple[KeyPath, object]          # the path of `set` without the instance, and the value
Table: TypeAlias = Mapping[str, object]

METRE = {"m": 1.0, "cm": 100.0, "mm": 1000.0, "um": 1e6}          # divisors
LENGTH = re.compile(r"[ ]*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[ ]*(um|mm|cm|m)[ ]*")
TOP_TABLES = ("body", "strings")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in an instrument.

    Parameters: path, of the wrong key, the word `strings` left out; message; change, the index of the change that reaches nothing
    (None: a value is wrong, the file's or that of the last change to this path), and part, of its path, that is not known.
    """

    path: KeyPath
    message: str
    change: int | None = None
    part: int = 0

    @property
    def key(self) -> str:
        """The key as the file has it: `strings.pa.barrier.height`."""
        inside = len(self.path) > 1 and self.path[0] not in TOP_TABLES
        return ".".join(("strings", *self.path) if inside else self.path)


class InstrumentError(PysitarError):
    """An instrument file, or a change to it, is wrong; `faults` holds all that is."""

    def __init__(self, shown: str, faults: Sequence[Fault]) -> None:
        self.shown, self.faults = shown, tuple(faults)
        super().__init__("\n".join(f"{shown}: {fault.key}{': ' if fault.path else ''}{fault.message}" for fault in faults))


def preset_names() -> tuple[str, ...]:
    """The instruments that come with pysitar, in the order of the alphabet."""
    files = resources.files("pysitar.presets").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def preset_text(name: str) -> str:
    """The file of a preset.  Errors: KeyError when there is none of that name."""
    if name not in preset_names():
        raise KeyError(name)
    return (resources.files("pysitar.presets") / f"{name}.toml").read_text(encoding="utf-8")


def matches(pattern: KeyPath, path: KeyPath) -> bool:
    """Whether a path of `set`, in which `*` stands for one part, means a path."""
    return len(pattern) == len(path) and all(mine in {"*", part} for mine, part in zip(pattern, path, strict=True))


def parse_instrument(text: str, *, name: str, shown: str, changes: Sequence[Change] = ()) -> InstrumentSpec:
    """An instrument from its TOML text.

    Parameters: name, of the instrument; shown, its file in messages; changes, in order, each checked like the file: bare numbers in the
    parameter's unit, a Length where one with a unit was given.
    Errors: InstrumentError with every fault.
    """
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:          # ValueError: also an integer of thousands of digits
        raise InstrumentError(shown, [Fault((), f"this is no TOML ({error}); lines key = value under [tables] would be right")]) from None
    reader = _Reader()
    _change(data, changes, reader.faults)
    spec = reader.instrument(data, name, shown)
    if spec is None or reader.faults:
        raise InstrumentError(shown, reader.faults)
    return spec


def _leaves(data: Table) -> Iterator[KeyPath]:
    """Every path that a change can reach: the keys that each table of the file has or may have."""
    yield from ((key,) for key in TOP)
    if isinstance(data.get("body"), dict):
        yield from (("body", key) for key in BODY)
    strings = data.get("strings")
    for string, table in strings.items() if isinstance(strings, dict) else ():
        if isinstance(table, dict):
            yield from ((string, key) for key in STRING)
            yield from ((string, inner, key) for inner, keys in TABLES.items() if isinstance(table.get(inner), dict) for key in keys)


def _change(data: dict[str, object], changes: Sequence[Change], faults: list[Fault]) -> None:
    """Put changes into the data of a file; those that reach nothing go to the faults."""
    leaves = list(_leaves(data))
    for index, (pattern, value) in enumerate(changes):
        reached = [leaf for leaf in leaves if matches(pattern, leaf)]
        for leaf in reached:
            table: object = data
            for part in leaf[:-1] if leaf[0] in {*TOP, "body"} else ("strings", *leaf[:-1]):
                table = table[part] if isinstance(table, dict) else None
            if isinstance(table, dict):
                table[leaf[-1]] = value
        if not reached:
            faults.append(_unreached(pattern, leaves, index))


def _unreached(pattern: KeyPath, leaves: Sequence[KeyPath], index: int) -> Fault:
    """The fault of a change that reaches nothing: which of its parts is not known, and the nearest that is."""
    alive = list(leaves)
    for part, name in enumerate(pattern):
        known = list(dict.fromkeys(leaf[part] for leaf in alive if len(leaf) > part))
        alive = [leaf for leaf in alive if len(leaf) > part and name in {"*", leaf[part]}]
        if not known:
            before = pattern[part - 1]
            return Fault(pattern, f"{quoted(before)} is a value and has no {quoted(name)}; the path ends before it", index, part)
        if not alive:
            who = f"{quoted('.'.join(pattern[:part]))} has" if part else "the instrument has"
            return Fault(pattern, f"{who} no {quoted(name)}; {nearest(name, known)}", index, part)
    keys = list(dict.fromkeys(leaf[len(pattern)] for leaf in alive if len(leaf) > len(pattern)))
    shown = ", ".join(quoted(key) for key in keys)
    return Fault(pattern, f"{quoted(pattern[-1])} is a table; the path goes on to one of {shown}", index, len(pattern) - 1)


class _Values:
    """The checked values of one table, by key."""

    def __init__(self) -> None:
        self.numbers: dict[str, float] = {}
        self.texts: dict[str, str] = {}
        self.flags: dict[str, bool] = {}
        self.lists: dict[str, tuple[float, ...]] = {}


class _Reader:
    """Reads the tables of one file; what is wrong goes to `faults`."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def tell(self, path: KeyPath, message: str) -> None:
        """Add a fault."""
        self.faults.append(Fault(path, message))

    def instrument(self, data: Table, name: str, shown: str) -> InstrumentSpec | None:
        """The whole; None when a part of it is missing or wrong."""
        top = self._table(data, TOP, (), inner=TOP_TABLES)
        scheme = top.texts.get("scheme", "")
        known = MODELS.get(top.texts.get("model", ""), {})
        if scheme and known and scheme not in known:
            self.tell(("scheme",), f"this version has no scheme {quoted(scheme)}; {' or '.join(known)} would be right")
        body = self._body(data["body"]) if "body" in data else None
        strings = data.get("strings")
        if not isinstance(strings, dict) or not strings:
            self.tell(("strings",), "an instrument needs its strings; a table [strings.NAME] would be right")
            return None
        made = [string for string in (self._string(key, table) for key, table in strings.items()) if string is not None]
        if self.faults:
            return None
        return InstrumentSpec(name=name, source=shown, model=top.texts["model"], gain=top.numbers["gain"], scheme=scheme, body=body,
                              strings=tuple(made))

    def _body(self, data: object) -> BodySpec | None:
        if not isinstance(data, dict):
            self.tell(("body",), "is no table; [body] with its keys would be right")
            return None
        before = len(self.faults)
        values = self._table(data, BODY, ("body",))
        sizes = {key: len(numbers) for key, numbers in values.lists.items()}
        for key, size in sizes.items():
            if size != sizes.get("frequencies", size):
                self.tell(("body", key), f"{size} values for {sizes['frequencies']} frequencies; as many would be right")
        if values.flags.get("coupled"):
            self.tell(("body", "coupled"), "this version drives a body one way; coupled = false would be right")
        if len(self.faults) > before:
            return None
        return BodySpec(frequencies=values.lists["frequencies"], q=values.lists["q"], masses=values.lists["masses"],
                        weights=values.lists["weights"], coupled=values.flags["coupled"])

    def _string(self, name: str, data: object) -> StringSpec | None:
        if not name.isidentifier() or name in TOP or name in TOP_TABLES:
            why = "a key of the instrument" if name.isidentifier() else "no name"
            self.tell(("strings", name), f"{quoted(name)} is {why}; a string's name is letters and digits, a letter first")
            return None
        if not isinstance(data, dict):
            self.tell(("strings", name), f"is no table; [strings.{name}] with its keys would be right")
            return None
        before = len(self.faults)
        values = self._table(data, STRING, (name,), inner=tuple(TABLES))
        length = values.numbers.get("length", math.inf)
        inner = {key: self._inner((name, key), data.get(key), length) for key in TABLES}
        if "pluck" not in data:
            self.tell((name, "pluck"), f"is missing; a table [strings.{name}.pluck] would be right")
        barrier, thread, pluck = _barrier(inner["barrier"]), _thread(inner["thread"]), _pluck(inner["pluck"])
        if len(self.faults) > before or pluck is None:
            return None
        number_of = values.numbers
        spec = StringSpec(
            name=name, pitch=values.texts["pitch"] if "pitch" in values.texts else number_of["pitch"], cents=number_of["cents"],
            length=length, linear_density=number_of["linear_density"], bending_stiffness=number_of["bending_stiffness"],
            sigma0=number_of["sigma0"], sigma1=number_of["sigma1"], sigma2=number_of["sigma2"], sigma3=number_of["sigma3"],
            barrier=barrier, thread=thread, pluck=pluck,
        )
        self._fits(spec)
        return spec

    def _fits(self, spec: StringSpec) -> None:
        """Tell what only the string as a whole shows: a bridge or a finger that reaches beyond it."""
        try:
            check_width(spec.pluck.position, spec.pluck.width, spec.length)
        except ParameterError as error:
            self.tell((spec.name, "pluck", "width"), str(error))
        if spec.barrier is not None:
            try:
                check_on_string(spec.barrier.barrier(), spec.untuned())
            except ParameterError as error:
                self.tell((spec.name, "barrier", "extent"), str(error))

    def _inner(self, path: KeyPath, data: object, length: float) -> _Values | None:
        """A table inside a string; None when the string has none, or it is wrong."""
        if data is None:
            return None
        if not isinstance(data, dict):
            self.tell(path, f"is no table; [strings.{'.'.join(path)}] with its keys would be right")
            return None
        before = len(self.faults)
        values = self._table(data, TABLES[path[-1]], path, length=length)
        return None if len(self.faults) > before else values

    def _table(
        self, data: Table, keys: Mapping[str, Parameter], path: KeyPath, *, inner: Sequence[str] = (), length: float = 1.0,
    ) -> _Values:
        """The values of one table, defaults filled in; inner, the tables that it may hold."""
        values = _Values()
        for key in data:
            if key not in keys and key not in inner:
                self.tell((*path, key), f"is not known; {nearest(key, (*keys, *inner))}")
        for key, parameter in keys.items():
            value = data.get(key, parameter.default)
            if value is None:
                self.tell((*path, key), f"is missing; {_wanted(parameter)} would be right")
                continue
            try:
                _read(values, parameter, value, length)
            except ValueError as error:          # mostly a ParameterError; also an integer too long to be shown
                self.tell((*path, key), str(error))
        return values


def _wanted(parameter: Parameter) -> str:
    """What would be right for a key that is missing."""
    unit = f" ({parameter.unit})" if parameter.unit else ""
    if parameter.choices:
        return " or ".join(quoted(f'"{choice}"') for choice in parameter.choices)
    kinds = {"list": f"a list of numbers{unit}", "position": "a fraction of the length, or a length such as \"11cm\",",
             "pitch": "a pitch such as \"pa,\", or a frequency in Hz,", "whole": "a whole number"}
    return f"{kinds.get(parameter.kind, f'a number{unit}')}: {parameter.meaning},"


def _read(values: _Values, parameter: Parameter, value: object, length: float) -> None:
    """Check one value and put it where it belongs.  Errors: ParameterError."""
    name = parameter.name
    if parameter.kind == "list":
        values.lists[name] = _numbers(parameter, value)
    elif parameter.kind == "flag":
        if not isinstance(value, bool):
            raise ParameterError(name, value, "it must be true or false")
        values.flags[name] = value
    elif parameter.kind == "text":
        if not isinstance(value, str) or value not in parameter.choices:
            raise ParameterError(name, value, nearest(value, parameter.choices) if isinstance(value, str) else _wanted(parameter))
        values.texts[name] = value
    elif parameter.kind == "pitch" and isinstance(value, str):
        values.texts[name] = value
    elif parameter.kind == "position":
        values.numbers[name] = check_position(parameter, _metres(parameter, value), length)
    else:
        given = _metres(parameter, value) if parameter.unit == "m" else value
        values.numbers[name] = check_value(parameter, given.metres if isinstance(given, Length) else given)


def _metres(parameter: Parameter, value: object) -> object:
    """A text that is a length with its unit as a Length; anything else as it is."""
    if not isinstance(value, str):
        return value
    match = LENGTH.fullmatch(value)
    if match is None:
        raise ParameterError(parameter.name, value, "a number, or a length in m, cm, mm or um such as \"11cm\", would be right")
    return Length(float(match[1]) / METRE[match[2]])


def _numbers(parameter: Parameter, value: object) -> tuple[float, ...]:
    """A list of numbers, each within the parameter's range."""
    if not isinstance(value, list) or not value:
        raise ParameterError(parameter.name, value, "it must be a list of one or more numbers")
    return tuple(check_value(replace(parameter, name=f"{parameter.name}[{index}]"), item) for index, item in enumerate(value))


def _barrier(values: _Values | None) -> BarrierSpec | None:
    if values is None:
        return None
    n = values.numbers
    return BarrierSpec(profile=values.texts["profile"], start=n["start"], extent=n["extent"], height=n["height"], points=int(n["points"]),
                       stiffness=n["stiffness"], exponent=n["exponent"], damping=n["damping"])


def _thread(values: _Values | None) -> ThreadSpec | None:
    if values is None:
        return None
    n = values.numbers
    return ThreadSpec(position=n["position"], height=n["height"], stiffness=n["stiffness"], resistance=n["resistance"])


def _pluck(values: _Values | None) -> PluckSpec | None:
    if values is None:
        return None
    n = values.numbers
    return PluckSpec(position=n["position"], force=n["force"], width=n["width"], ramp=n["ramp"], release=n["release"], touch=n["touch"],
                     lead=n["lead"])
