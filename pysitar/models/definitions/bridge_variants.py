"""The bridges of an instrument that has several: the changes that each makes to the file, and the
chosen bridge."""
from __future__ import annotations

import math
from collections.abc import Sequence

from pysitar.errors import ParameterError
from pysitar.models.definitions.faults import Fault, KeyPath
from pysitar.models.definitions.overrides import (
    Change,
    PathIndex,
    group_of,
    leaves,
    matches,
    put_in,
    unreached,
)
from pysitar.models.definitions.reader import read_value, value_message
from pysitar.models.definitions.spec import parameter_at

PATH = ("bridge",)


class Bridges:
    """The bridges described in the data of a file, and the chosen bridge; the faults of all bridges
    are added to `faults`.

    Parameters: data, of the file, whose `bridges` are taken out and into which the chosen one's
    changes are put; changes, of a score, the last of which to `bridge` chooses; faults, to be added
    to. Attributes: names, of the bridges. """

    def __init__(self, data: dict[str, object], changes: Sequence[Change],
                 faults: list[Fault]) -> None:
        self.faults = faults
        self._source: dict[KeyPath, KeyPath] = {}  # of each leaf that the chosen bridge has changed
        tables = data.pop("bridges", {})
        if not isinstance(tables, dict):
            faults.append(
                Fault(("bridges", ), "is no table; expected a table [bridges.NAME] for each"))
            tables = {}
        self.names: tuple[str, ...] = tuple(tables)
        self._find_leaves(data)
        chosen = next((value for path, value in reversed(changes) if matches(path, PATH)),
                      data.get("bridge"))
        for name, table in tables.items():
            if not isinstance(table, dict):
                faults.append(
                    Fault(("bridges", name),
                          "is no table; expected a table with the changes that it makes"))
                continue
            for key, value in table.items():
                self._change(data, ("bridges", name, key), value, chosen=name == chosen)

    def forget(self, leaf: KeyPath) -> None:
        """Remove the record of a bridge's change to a leaf that a score has changed."""
        self._source.pop(leaf, None)

    def located(self, fault: Fault) -> Fault:
        """Return a fault with the path of the change of the chosen bridge that causes it."""
        return Fault(self._source.get(fault.path, fault.path), fault.message, fault.change,
                     fault.part, fault.group)

    def _change(self, data: dict[str, object], source: KeyPath, value: object, *,
                chosen: bool) -> None:
        """Apply a change of the chosen bridge, or check one of another bridge."""
        path = tuple(source[-1].split("."))
        if isinstance(value, dict):
            self.faults.append(
                Fault(source,
                      'is a table; expected a path in quotes, such as "*.barrier.height" = 5e-5'))
            return
        reached = self._leaves.matching(path)
        if not reached:
            fault = unreached(path, self._leaves.paths, 0, group_of(data))
            self.faults.append(Fault(source, fault.message))
        for leaf in reached:
            if chosen:
                put_in(data, leaf, value)
                self._source[leaf] = source
            else:
                self._check(leaf, source, value)
        if chosen and path[-1] == "kind":       # of an object, which decides the keys that it has
            self._find_leaves(data)

    def _find_leaves(self, data: dict[str, object]) -> None:
        """Find the paths that a change can reach."""
        self._leaves = PathIndex(leaves(data, bridges=False))

    def _check(self, leaf: KeyPath, source: KeyPath, value: object) -> None:
        parameter = parameter_at(leaf)
        assert parameter is not None
        try:
            read_value(parameter, value, math.inf)  # the string's length may itself be wrong
        except ParameterError as error:
            self.faults.append(Fault(source, value_message(parameter, error)))
