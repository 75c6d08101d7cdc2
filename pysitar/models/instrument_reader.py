"""Reads the data of an instrument file: every table and value checked, every fault told."""
from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from pysitar.errors import ParameterError, quoted
from pysitar.models.base import Length, Parameter, check_position, check_value, check_width, nearest
from pysitar.models.instrument import (
    BarrierSpec,
    BodySpec,
    FretboardSpec,
    FretsSpec,
    InstrumentSpec,
    PickupSpec,
    PluckSpec,
    StringSpec,
    ThreadSpec,
)
from pysitar.models.instrument_faults import TOP_TABLES, Fault, KeyPath
from pysitar.models.instrument_tables import BODY, OTHER_ROWS, STRING, TABLES, TOP
from pysitar.models.network import MAX_ROWS
from pysitar.models.registry import MODELS
from pysitar.physics.barrier import SHORTEST, check_on_string

Table: TypeAlias = Mapping[str, object]

METRE = {"m": 1.0, "cm": 100.0, "mm": 1000.0, "um": 1e6}          # divisors
LENGTH = re.compile(r"[ ]*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[ ]*(um|mm|cm|m)[ ]*")


class Values:
    """The checked values of one table, by key."""

    def __init__(self) -> None:
        self.numbers: dict[str, float] = {}
        self.texts: dict[str, str] = {}
        self.flags: dict[str, bool] = {}
        self.lists: dict[str, tuple[float, ...]] = {}


class Reader:
    """Reads the data of one file; what is wrong goes to `faults`.

    Parameters: faults, to be added to; bridges, the names of those that the file describes.
    """

    def __init__(self, faults: list[Fault], bridges: Sequence[str]) -> None:
        self.faults, self.bridges = faults, tuple(bridges)

    def instrument(self, data: Table, name: str, shown: str) -> InstrumentSpec | None:
        """The whole; None when a part of it is missing or wrong."""
        top = self._top(data)
        scheme = top.texts.get("scheme", "")
        known = MODELS.get(top.texts.get("model", ""), {})
        if scheme and known and scheme not in known:
            self._tell(("scheme",), f"this version has no scheme {quoted(scheme)}; {' or '.join(known)} would be right")
        body = self._body(data["body"]) if "body" in data else None
        strings = data.get("strings")
        if not isinstance(strings, dict) or not strings:
            self._tell(("strings",), "an instrument needs its strings; a table [strings.NAME] would be right")
            return None
        made = [string for string in (self._string(key, table) for key, table in strings.items()) if string is not None]
        self._pickups(made, has_body="body" in data)
        if self.faults:
            return None
        return InstrumentSpec(name=name, source=shown, model=top.texts["model"], gain=top.numbers["gain"], scheme=scheme, body=body,
                              strings=tuple(made), bridge=top.texts.get("bridge", ""))

    def _tell(self, path: KeyPath, message: str) -> None:
        self.faults.append(Fault(path, message))

    def _top(self, data: Table) -> Values:
        """The keys of the instrument itself; `bridge` is one of them where bridges are described."""
        keys = {key: parameter for key, parameter in TOP.items() if key != "bridge"}
        if self.bridges:
            keys["bridge"] = replace(TOP["bridge"], choices=self.bridges)
        elif "bridge" in data:
            self._tell(("bridge",), "there is no bridge to choose; a table [bridges.NAME] for each would be right")
            data = {key: value for key, value in data.items() if key != "bridge"}
        return self._table(data, keys, (), inner=TOP_TABLES)

    def _body(self, data: object) -> BodySpec | None:
        if not isinstance(data, dict):
            self._tell(("body",), "is no table; [body] with its keys would be right")
            return None
        before = len(self.faults)
        values = self._table(data, BODY, ("body",))
        sizes = {key: len(numbers) for key, numbers in values.lists.items()}
        for key, size in sizes.items():
            if size != sizes.get("frequencies", size):
                self._tell(("body", key), f"{size} values for {sizes['frequencies']} frequencies; as many would be right")
        if values.flags.get("coupled"):
            self._tell(("body", "coupled"), "this version drives a body one way; coupled = false would be right")
        if len(self.faults) > before:
            return None
        return BodySpec(frequencies=values.lists["frequencies"], q=values.lists["q"], masses=values.lists["masses"],
                        weights=values.lists["weights"], coupled=values.flags["coupled"])

    def _pickups(self, strings: Sequence[StringSpec], *, has_body: bool) -> None:
        """Tell pickups beside a body, or beside strings without one."""
        heard = [string.name for string in strings if string.pickup is not None]
        if has_body:
            for name in heard:
                self._tell((name, "pickup"), "a body is driven by the forces at the strings' ends, not by a pickup; "
                                             "either [body] or pickups would be right")
        elif heard:
            for string in strings:
                if string.pickup is None:
                    self._tell(("strings", string.name), f"has no pickup, and {quoted(heard[0])} has one; "
                                                         f"a table [strings.{string.name}.pickup] would be right")

    def _string(self, name: str, data: object) -> StringSpec | None:
        if not name.isidentifier() or name in TOP or name in TOP_TABLES:
            why = "a key of the instrument" if name.isidentifier() else "no name"
            self._tell(("strings", name), f"{quoted(name)} is {why}; a string's name is letters and digits, a letter first")
            return None
        if not isinstance(data, dict):
            self._tell(("strings", name), f"is no table; [strings.{name}] with its keys would be right")
            return None
        before = len(self.faults)
        values = self._table(data, STRING, (name,), inner=tuple(TABLES))
        length = values.numbers.get("length", math.inf)
        inner = {key: self._inner((name, key), data.get(key), length) for key in TABLES}
        if "pluck" not in data:
            self._tell((name, "pluck"), f"is missing; a table [strings.{name}.pluck] would be right")
        barrier, thread, pluck = _barrier(inner["barrier"]), _thread(inner["thread"]), _pluck(inner["pluck"])
        if len(self.faults) > before or pluck is None:
            return None
        number_of = values.numbers
        spec = StringSpec(
            name=name, pitch=values.texts["pitch"] if "pitch" in values.texts else number_of["pitch"], cents=number_of["cents"],
            stretch=number_of["stretch"], lowest=number_of["lowest"], highest=number_of["highest"], length=length,
            linear_density=number_of["linear_density"], core_diameter=number_of["core_diameter"],
            bending_stiffness=number_of["bending_stiffness"],
            sigma0=number_of["sigma0"], sigma1=number_of["sigma1"], sigma2=number_of["sigma2"], sigma3=number_of["sigma3"],
            barrier=barrier, thread=thread, frets=_frets(inner["frets"]), fretboard=_fretboard(inner["fretboard"]),
            pickup=_pickup(inner["pickup"]), pluck=pluck,
        )
        self._fits(spec)
        return spec

    def _fits(self, spec: StringSpec) -> None:
        """Tell what only the string as a whole shows: parts that reach beyond it or stand above it, and more rows than it may have."""
        try:
            check_width(spec.pluck.position, spec.pluck.width, spec.length)
        except ParameterError as error:
            self._tell((spec.name, "pluck", "width"), str(error))
        if spec.barrier is not None:
            try:
                check_on_string(spec.barrier.barrier(), spec.untuned())
            except ParameterError as error:
                self._tell((spec.name, "barrier", "extent"), str(error))
        board = spec.fretboard
        if board is not None and spec.length - board.start < SHORTEST:
            self._tell((spec.name, "fretboard", "start"),
                       f"start is {board.start:g} m; at least {SHORTEST:g} m before the nut at {spec.length:g} m would be right")
            return
        self._lies_below(spec, "frets", spec.frets)
        self._lies_below(spec, "fretboard", board)
        self._rows(spec)

    def _lies_below(self, spec: StringSpec, table: str, part: FretsSpec | FretboardSpec | None) -> None:
        """Tell frets or a board that would come up to the string: a straight line does so only towards the bridge."""
        if part is None:
            return
        barrier = part.barrier(spec.length)
        x, height = min(zip(barrier.positions.tolist(), barrier.heights.tolist(), strict=True))
        if height > 0.0:
            least = part.gap_nut * (1.0 - 0.5 * spec.length / (spec.length - x))
            self._tell((spec.name, table, "gap_12"), f"gap_12 is {part.gap_12:g} m; {x:g} m from the bridge the line of the gaps is "
                                                     f"{height:g} m above the straight string; at least {least:g} m would be right")

    def _rows(self, spec: StringSpec) -> None:
        """Tell a string that meets more points than a network has rows."""
        places = {("barrier", "points"): spec.barrier.points if spec.barrier is not None else 0,
                  ("frets", "count"): spec.frets.count if spec.frets is not None else 0,
                  ("fretboard", "points"): spec.fretboard.points if spec.fretboard is not None else 0}
        rows = sum(places.values())
        if rows + OTHER_ROWS > MAX_ROWS:
            most = max(places, key=lambda place: places[place])
            counts = ", ".join(f"{table} {count}" for (table, _), count in places.items() if count)
            self._tell((spec.name, *most), f"the string meets {rows} points ({counts}); "
                                           f"{MAX_ROWS - OTHER_ROWS} in all, or fewer, would be right")

    def _inner(self, path: KeyPath, data: object, length: float) -> Values | None:
        """A table inside a string; None when the string has none, or it is wrong."""
        if data is None:
            return None
        if not isinstance(data, dict):
            self._tell(path, f"is no table; [strings.{'.'.join(path)}] with its keys would be right")
            return None
        before = len(self.faults)
        values = self._table(data, TABLES[path[-1]], path, length=length)
        return None if len(self.faults) > before else values

    def _table(
        self, data: Table, keys: Mapping[str, Parameter], path: KeyPath, *, inner: Sequence[str] = (), length: float = 1.0,
    ) -> Values:
        """The values of one table, defaults filled in; inner, the tables that it may hold."""
        values = Values()
        for key in data:
            if key not in keys and key not in inner:
                self._tell((*path, key), f"is not known; {nearest(key, (*keys, *inner))}")
        for key, parameter in keys.items():
            value = data.get(key, parameter.default)
            if value is None:
                self._tell((*path, key), f"is missing; {_wanted(parameter)} would be right")
                continue
            try:
                read(values, parameter, value, length)
            except ValueError as error:          # mostly a ParameterError; also an integer too long to be shown
                self._tell((*path, key), str(error))
        return values


def _wanted(parameter: Parameter) -> str:
    """What would be right for a key that is missing."""
    unit = f" ({parameter.unit})" if parameter.unit else ""
    if parameter.choices:
        return " or ".join(quoted(f'"{choice}"') for choice in parameter.choices)
    kinds = {"list": f"a list of numbers{unit}", "position": "a fraction of the length, or a length such as \"11cm\",",
             "pitch": "a pitch such as \"pa,\", or a frequency in Hz,", "whole": "a whole number"}
    return f"{kinds.get(parameter.kind, f'a number{unit}')}: {parameter.meaning},"


def read(values: Values, parameter: Parameter, value: object, length: float) -> None:
    """Check one value and put it where it belongs; length, of the string that it is of (m).  Errors: ParameterError."""
    name = parameter.name
    if parameter.kind == "list":
        values.lists[name] = _numbers(parameter, value)
    elif parameter.kind == "flag":
        if not isinstance(value, bool):
            raise ParameterError(name, value, "it must be true or false")
        values.flags[name] = value
    elif parameter.kind == "text":
        if not isinstance(value, str) or value not in parameter.choices:
            known = nearest(value, parameter.choices) if isinstance(value, str) else f"{_wanted(parameter)} would be right"
            raise ParameterError(name, value, known)
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


def _barrier(values: Values | None) -> BarrierSpec | None:
    if values is None:
        return None
    n = values.numbers
    return BarrierSpec(profile=values.texts["profile"], start=n["start"], extent=n["extent"], height=n["height"], points=int(n["points"]),
                       stiffness=n["stiffness"], exponent=n["exponent"], damping=n["damping"])


def _thread(values: Values | None) -> ThreadSpec | None:
    if values is None:
        return None
    n = values.numbers
    return ThreadSpec(position=n["position"], height=n["height"], stiffness=n["stiffness"], resistance=n["resistance"])


def _frets(values: Values | None) -> FretsSpec | None:
    if values is None:
        return None
    n = values.numbers
    return FretsSpec(count=int(n["count"]), gap_nut=n["gap_nut"], gap_12=n["gap_12"], stiffness=n["stiffness"], exponent=n["exponent"],
                     damping=n["damping"])


def _fretboard(values: Values | None) -> FretboardSpec | None:
    if values is None:
        return None
    n = values.numbers
    return FretboardSpec(start=n["start"], gap_nut=n["gap_nut"], gap_12=n["gap_12"], points=int(n["points"]), stiffness=n["stiffness"],
                         exponent=n["exponent"], damping=n["damping"])


def _pickup(values: Values | None) -> PickupSpec | None:
    return None if values is None else PickupSpec(position=values.numbers["position"])


def _pluck(values: Values | None) -> PluckSpec | None:
    if values is None:
        return None
    n = values.numbers
    return PluckSpec(position=n["position"], force=n["force"], width=n["width"], ramp=n["ramp"], release=n["release"], touch=n["touch"],
                     lead=n["lead"])
