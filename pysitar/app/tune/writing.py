"""Write new cents and corrections into an instrument file; the rest of its text stays unchanged,
byte for byte."""
from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

from pysitar.app.tune.tuning import StringTuning
from pysitar.models.definitions.overrides import matches

LINE_LENGTH = 10                # corrections on a line
NONE = (0.0, (0.0,))            # defaults, which need not be written


def edit_instrument(text: str, tuned: Mapping[str, StringTuning], *, bridge: str) -> str:
    """Return the text of an instrument file with the new values of its strings.

    Parameters: text, of a valid instrument file; tuned, new values by the names of the strings;
    bridge, into whose table they are written, so that other bridges keep their values ("": the file
    has no bridges, and they are written into the tables of the strings).
    """
    # imported here: part of the extra `tune`; the command checks that it is installed
    import tomlkit

    for name, values in tuned.items():
        if not values.changed:
            continue
        for key, value in (("cents", values.cents), ("corrections", values.corrections),
                           ("truncation", values.truncation)):
            # parse again: an inserted item can be written, but not edited reliably
            document = tomlkit.parse(text)
            own: Any = document["strings"][name]
            if not bridge:
                if value not in NONE or key in own:
                    _put(own, key, value)
            else:
                table: Any = document["bridges"][bridge]
                if value not in NONE or key in own or _is_set(table, (name, key)):
                    _remove_overridden(table, (name, key))
                    _put(table, f"{name}.{key}", value)
            text = tomlkit.dumps(document)
    return text


def _put(table: Any, key: str, value: float | tuple[float, ...]) -> None:
    """Set a value of a table; insert a new key after the last key, before the comment that belongs
    to the next table."""
    from tomlkit.items import Table

    if key in table or not isinstance(table, Table):
        table[key] = _item(value)
        return
    body = table.value.body
    last = max((index for index, (name, item) in enumerate(body)
                if name is not None and not isinstance(item, Table)), default=-1)
    rest = body[last + 1:]
    del body[last + 1:]
    table.append(key, _item(value))
    body.extend(rest)


def _is_set(table: MutableMapping[str, Any], path: tuple[str, ...]) -> bool:
    """Return whether a bridge's table sets the value at a path, also by a pattern."""
    return any(matches(tuple(key.split(".")), path) for key in table)


def _remove_overridden(table: MutableMapping[str, Any], path: tuple[str, ...]) -> None:
    """Remove the value at a path from a bridge's table if a later pattern, such as "*.cents",
    overrides it: the new value is then added last."""
    own = ".".join(path)
    keys = list(table)
    if own in keys and any(
            matches(tuple(key.split(".")), path) for key in keys[keys.index(own) + 1:]):
        del table[own]


def _item(value: float | tuple[float, ...]) -> Any:
    """Return a value as TOML; a long list is broken into lines."""
    import tomlkit

    if not isinstance(value, tuple):
        return tomlkit.value(repr(value))
    numbers = [f"{number:g}" if number % 1.0 else f"{number:.1f}" for number in value]
    if len(numbers) <= LINE_LENGTH:
        return tomlkit.value(f"[{', '.join(numbers)}]")
    starts = range(0, len(numbers), LINE_LENGTH)
    lines = [", ".join(numbers[start:start + LINE_LENGTH]) for start in starts]
    return tomlkit.value("[\n" + "".join(f"    {line},\n" for line in lines) + "]")
