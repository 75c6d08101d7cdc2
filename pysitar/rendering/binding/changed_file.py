"""An instrument file with changes from a score: which change causes a fault, and which paths match
no key."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

from pysitar.errors import ParameterError
from pysitar.models.definitions.bridge_variants import PATH as BRIDGE
from pysitar.models.definitions.faults import Fault, KeyPath
from pysitar.models.definitions.loader import InstrumentError, instrument_data, parse_instrument
from pysitar.models.definitions.overrides import (
    Change,
    PathIndex,
    group_of,
    leaves,
    matches,
    unreached,
)
from pysitar.models.definitions.reader import read_value
from pysitar.models.definitions.spec import InstrumentSpec, StringSpec, parameter_at

FaultKeys: TypeAlias = frozenset[tuple[KeyPath, str]]          # path and message of each fault


class ChangedFile:
    """An instrument file and the changes of a score.

    Parameters: text, of the file; name, of the instrument; shown, the file in messages; changes, in
    order; pitch_fault, the key and the message of what is wrong with the pitch of a string in a
    scheme ("": nothing). """

    def __init__(
        self, text: str, *, name: str, shown: str, changes: Sequence[Change],
        pitch_fault: Callable[[StringSpec, str], tuple[str, str]],
    ) -> None:
        self.changes = changes
        self._text, self._name, self._shown = text, name, shown
        self._pitch_fault = pitch_fault
        self._specs: dict[tuple[int, ...], InstrumentSpec | tuple[Fault, ...]] = {}
        self._faults: dict[tuple[int, ...], FaultKeys] = {}
        self._effective: list[int] | None = None

    def spec(self) -> InstrumentSpec | tuple[Fault, ...]:
        """Return the instrument with all changes, or its faults."""
        return self._read(tuple(range(len(self.changes))))

    def plain(self) -> InstrumentSpec | None:
        """Return the instrument without changes; None when the file itself is wrong."""
        found = self._read(())
        return found if isinstance(found, InstrumentSpec) else None

    def origin(self, fault: Fault) -> int | None:
        """Return the index of the change that causes a fault of the instrument with all changes;
        None when the file without changes has the fault.

        The cause is the last change of the same key, if its value alone is wrong; else it is the
        change with which the fault first appears, among the changes that no later change replaces.
        """
        own = [index for index, (path, _) in enumerate(self.changes) if matches(path, fault.path)]
        if own and self._is_wrong_alone(own[-1], fault):
            return own[-1]
        key = (fault.path, fault.message)
        if key in self._faults_with(()):
            return None
        effective = self._effective_changes()
        low, high = 0, len(effective)
        if key not in self._faults_with(tuple(effective)):
            return own[-1] if own else None
        while high - low > 1:          # the fault is there with `high` of them, not with `low`
            middle = (low + high) // 2
            if key in self._faults_with(tuple(effective[:middle])):
                high = middle
            else:
                low = middle
        if self.changes[effective[low]][0] == BRIDGE and fault.path[:1] == ("bridges",):
            return None          # the file's bridge is wrong; the change only selects it
        return effective[low]

    def path_fault(self, path: KeyPath) -> Fault | None:
        """Return the fault of a change's path that matches no key of the file; None when it
        matches."""
        data = self._data()
        reachable = list(leaves(data, bridges="bridges" in data))
        if any(matches(path, leaf) for leaf in reachable):
            return None
        return unreached(path, reachable, 0, group_of(data))

    def _is_wrong_alone(self, index: int, fault: Fault) -> bool:
        """Return whether a change alone is wrong at a fault's path."""
        parameter = parameter_at(fault.path, fault.group)
        if parameter is None or parameter.kind == "text":          # the file has the choices
            return any(path == fault.path for path, _ in self._faults_with((index,)))
        try:
            read_value(parameter, self.changes[index][1], math.inf)
        except ParameterError:
            return True
        return any(path == fault.path for path, _ in self._faults_with((index,)))

    def _effective_changes(self) -> list[int]:
        """Return the indices of the changes with a key that no later change sets."""
        if self._effective is None:
            data = self._data()
            reachable = PathIndex(leaves(data, bridges="bridges" in data))
            replaced: set[KeyPath] = set()
            found = []
            for index, (pattern, _) in reversed(list(enumerate(self.changes))):
                reached = reachable.matching(pattern)
                if any(leaf not in replaced for leaf in reached):
                    found.append(index)
                    replaced.update(reached)
            self._effective = found[::-1]
        return self._effective

    def _faults_with(self, chosen: tuple[int, ...]) -> FaultKeys:
        """Return the faults with the changes of these indices, with those of the strings'
        pitches."""
        if chosen not in self._faults:
            found = self._read(chosen)
            if isinstance(found, InstrumentSpec):
                pitches = ((string.name, *self._pitch_fault(string, found.scheme))
                           for string in found.strings)
                self._faults[chosen] = frozenset(((name, key), message)
                                                 for name, key, message in pitches if message)
            else:
                self._faults[chosen] = frozenset((fault.path, fault.message) for fault in found)
        return self._faults[chosen]

    def _read(self, chosen: tuple[int, ...]) -> InstrumentSpec | tuple[Fault, ...]:
        """Return the instrument with the changes of these indices, or its faults."""
        if chosen not in self._specs:
            try:
                self._specs[chosen] = parse_instrument(
                    self._text, name=self._name, shown=self._shown,
                    changes=[self.changes[index] for index in chosen])
            except InstrumentError as error:
                self._specs[chosen] = error.faults
        return self._specs[chosen]

    def _data(self) -> dict[str, object]:
        """Return the data of the file; empty when it cannot be read."""
        try:
            return instrument_data(self._text)
        except (ValueError, RecursionError):
            return {}
