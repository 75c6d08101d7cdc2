"""Values of `set` and `use` that later values replace: each is checked alone."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from pysitar.errors import Problem
from pysitar.models.definitions.faults import KeyPath
from pysitar.models.definitions.loader import instrument_data
from pysitar.models.definitions.overrides import PathIndex, group_of, leaves
from pysitar.models.definitions.reader import read_value
from pysitar.models.definitions.registry import MODELS
from pysitar.models.definitions.spec import StringSpec, parameter_at
from pysitar.physics.parameters import Length, Parameter
from pysitar.rendering.lint.table import ChangedInstrument

Data = dict[str, object]


def overridden_values(instrument: ChangedInstrument) -> Iterator[Problem]:
    """Yield a problem for each change with a wrong value that a later change replaces, at one of
    its keys or at all."""
    data = instrument_data(instrument.text)
    places = PathIndex(leaves(data, bridges="bridges" in data))
    spec = instrument.spec
    strings = {string.name: string for string in spec.strings} if spec is not None else {}
    later_leaves: set[KeyPath] = set()
    for index, (path, value) in reversed(list(enumerate(instrument.changes))):
        leaves_of_path = places.matching(path)
        messages = (_value_fault(_parameter(leaf, data, instrument.model), value,
                                 strings.get(leaf[0]), instrument.pitch_fault)
                    for leaf in leaves_of_path if leaf in later_leaves)
        yield from (Problem(instrument.value_place(index, message), message)
                    for message in dict.fromkeys(messages) if message)
        later_leaves.update(leaves_of_path)


def _parameter(leaf: KeyPath, data: Data, model: str) -> Parameter:
    """Return the parameter of a key of the file; that of a name has the names of the file as
    choices."""
    parameter = parameter_at(leaf, group_of(data))
    assert parameter is not None
    names = {"scheme": MODELS[model], "bridge": data.get("bridges"),
             "ball": data.get("balls")}.get(leaf[-1])
    return replace(parameter, choices=tuple(names)) if parameter.kind == "text" and isinstance(
        names, dict) else parameter


def _value_fault(parameter: Parameter, value: object, string: StringSpec | None,
                 pitch_fault: Callable[[StringSpec], str]) -> str:
    """Return what is wrong with a value alone ("": nothing that can be checked without the
    string)."""
    if isinstance(value, Length) and string is None and parameter.kind == "position":
        return ""
    try:
        read_value(parameter, value, 1.0 if string is None else string.length)
    except ValueError as error:
        return str(error)
    if parameter.kind == "pitch" and string is not None and isinstance(value, str | float):
        return pitch_fault(replace(string, pitch=value))
    return ""
