"""An instrument file with other cents and corrections: all else of its text stays as it is, to the byte."""
from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

from pysitar.app.tune.tuning import StringTuning
from pysitar.models.definitions.overrides import matches

A_LINE = 10                     # corrections on a line
NONE = (0.0, (0.0,))            # values that need not be said


def edit_instrument(text: str, tuned: Mapping[str, StringTuning], *, bridge: str) -> str:
    """The text of an instrument whose strings are tuned.

    Parameters: text, of the instrument's file, which is right; tuned, by the strings' names; bridge, whose they are: they go into its
    table, so that other bridges keep theirs ("": the file describes none, and they go into the strings' tables).
    """
    import tomlkit  # here: of the extra `tune`, and its absence has been told

    for name, values in tuned.items():
        if not values.changed:
            continue
        for key, value in (("cents", values.cents), ("corrections", values.corrections), ("truncation", values.truncation)):
            document = tomlkit.parse(text)          # anew: what was put in last is only good for being written
            own: Any = document["strings"][name]
            if not bridge:
                if value not in NONE or key in own:
                    _put(own, key, value)
            else:
                table: Any = document["bridges"][bridge]
                if value not in NONE or key in own or _reaches(table, (name, key)):
                    _after_others(table, (name, key))
                    _put(table, f"{name}.{key}", value)
            text = tomlkit.dumps(document)
    return text


def _put(table: Any, key: str, value: float | tuple[float, ...]) -> None:
    """Put a value into a table of a document: a new one after the last that it has, not after the comment on what follows the table."""
    from tomlkit.items import Table

    if key in table or not isinstance(table, Table):
        table[key] = _item(value)
        return
    body = table.value.body
    last = max((index for index, (name, item) in enumerate(body) if name is not None and not isinstance(item, Table)), default=-1)
    rest = body[last + 1:]
    del body[last + 1:]
    table.append(key, _item(value))
    body.extend(rest)


def _reaches(table: MutableMapping[str, Any], path: tuple[str, ...]) -> bool:
    return any(matches(tuple(key.split(".")), path) for key in table)


def _after_others(table: MutableMapping[str, Any], path: tuple[str, ...]) -> None:
    """Take a bridge's own change of a value out where a later one, such as "*.cents", would undo it: it then stands last."""
    own = ".".join(path)
    keys = list(table)
    if own in keys and any(matches(tuple(key.split(".")), path) for key in keys[keys.index(own) + 1:]):
        del table[own]


def _item(value: float | tuple[float, ...]) -> Any:
    """A value as TOML; many numbers on lines of their own."""
    import tomlkit

    if not isinstance(value, tuple):
        return tomlkit.value(repr(value))
    numbers = [f"{number:g}" if number % 1.0 else f"{number:.1f}" for number in value]
    if len(numbers) <= A_LINE:
        return tomlkit.value(f"[{', '.join(numbers)}]")
    lines = [", ".join(numbers[first:first + A_LINE]) for first in range(0, len(numbers), A_LINE)]
    return tomlkit.value("[\n" + "".join(f"    {line},\n" for line in lines) + "]")
