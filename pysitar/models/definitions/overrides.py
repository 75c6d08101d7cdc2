"""Changes to the data of an instrument file, those of a bridge and of a score: what their paths
reach."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from pysitar.errors import quoted, suggest_name
from pysitar.models.definitions.faults import TOP_TABLES, Fault, KeyPath
from pysitar.models.definitions.registry import PARTS
from pysitar.models.definitions.spec import BALL, TOP, body_keys, part_schema
from pysitar.models.definitions.tried_keys import unknown_key
from pysitar.physics.cabinets import CIRCUIT

Change: TypeAlias = tuple[KeyPath, object]  # the path of `set` without the instance, and the value
Table: TypeAlias = Mapping[str, object]


def matches(pattern: KeyPath, path: KeyPath) -> bool:
    """Whether a path of `set`, in which `*` stands for one part, means a path."""
    return len(pattern) == len(path) and all(mine in {"*", part}
                                             for mine, part in zip(pattern, path, strict=True))


class PathIndex:
    """Paths by their last part, and what each pattern means: a score may have thousands of `set`
    lines, for thousands of paths or for one.

    Parameters: paths, in the order in which they are found.
    """

    def __init__(self, paths: Iterable[KeyPath]) -> None:
        self.paths = tuple(paths)
        self._by_key: dict[str, list[KeyPath]] = {}
        for path in self.paths:
            self._by_key.setdefault(path[-1], []).append(path)
        self._found: dict[KeyPath, tuple[KeyPath, ...]] = {}

    def matching(self, pattern: KeyPath) -> tuple[KeyPath, ...]:
        """Return the paths that a path of `set` means."""
        if pattern not in self._found:
            key = pattern[-1]
            paths = self.paths if key == "*" else self._by_key.get(key, ())
            self._found[pattern] = tuple(path for path in paths if matches(pattern, path))
        return self._found[pattern]


def leaves(data: Table, *, bridges: bool) -> Iterator[KeyPath]:
    """Every path that a change can reach: the keys that each table of the file has or may have.

    Parameters: data, of the file; bridges, whether there are any to choose from.
    """
    circuit = has_pickups(data)
    yield from ((key,) for key in TOP
                if (bridges or key != "bridge") and (circuit or key not in CIRCUIT))
    body = data.get("body")
    if isinstance(body, dict):
        yield from (("body", key) for key in body_keys(body))
    balls = data.get("balls")
    yield from (("balls", name, key)
                for name, table in (balls.items() if isinstance(balls, dict) else ())
                if isinstance(table, dict) for key in BALL)
    group = group_of(data)
    parts = data.get(group)
    for part, table in parts.items() if isinstance(parts, dict) else ():
        # a part cannot have the name of a key of the instrument: the reader reports it
        if isinstance(table, dict) and part not in {*TOP, *TOP_TABLES}:
            of = part_schema(group, table)
            yield from ((part, key) for key in of.keys)
            yield from ((part, inner, key) for inner, about in of.tables.items()
                        if isinstance(table.get(inner), dict) for key in about.keys)


def has_pickups(data: Table) -> bool:
    """Whether a string of a file has a pickup."""
    parts = data.get("strings")
    return isinstance(parts, dict) and any(
        isinstance(table, dict) and "pickup" in table for table in parts.values())


def group_of(data: Table) -> str:
    """The name of the table that holds the parts of a file's model; "strings" if the model is not
    known."""
    model = data.get("model")
    return PARTS[model if isinstance(model, str) and model in PARTS else "string"][1]


def put_in(data: dict[str, object], leaf: KeyPath, value: object) -> None:
    """Put a value at one of the leaves of a file's data."""
    table: object = data
    for part in leaf[:-1] if leaf[0] in {*TOP, "body", "balls"} else (group_of(data), *leaf[:-1]):
        table = table[part] if isinstance(table, dict) else None
    if isinstance(table, dict):
        table[leaf[-1]] = value


def unreached(pattern: KeyPath, reachable: Sequence[KeyPath], index: int, group: str) -> Fault:
    """The fault of a change that reaches nothing: which of its parts is not known, and what is
    expected there.

    Parameters: reachable, the paths of the file; index, of the change; group, the table of the
    file's parts.
    """
    alive = list(reachable)
    for part, name in enumerate(pattern):
        known = list(dict.fromkeys(leaf[part] for leaf in alive if len(leaf) > part))
        alive = [leaf for leaf in alive if len(leaf) > part and name in {"*", leaf[part]}]
        if not known:
            before = pattern[part - 1]
            message = (f"{quoted(before)} is a value and has no {quoted(name)}; "
                       f"expected a path that ends before it")
            return Fault(pattern, message, index, part)
        if not alive:
            # a name that the file chooses
            is_part = part < len(pattern) - 1 and (part == 0 or pattern[0] == "balls")
            expected = (suggest_name(name, known) if is_part else
                        unknown_key(name, pattern[:part], group, known))
            who = f"{quoted('.'.join(pattern[:part]))} has" if part else "the instrument has"
            return Fault(pattern, f"{who} no {quoted(name)}; {expected}", index, part)
    keys = list(dict.fromkeys(leaf[len(pattern)] for leaf in alive if len(leaf) > len(pattern)))
    shown = ", ".join(quoted(key) for key in keys)
    return Fault(pattern, f"{quoted(pattern[-1])} is a table; expected a path to one of {shown}",
                 index,
                 len(pattern) - 1)
