"""Equality of dataclasses by their values, without methods of each class: Python compiles those at
every start, which took a tenth of the imports of a render."""
from dataclasses import fields
from typing import Any


class Compared:
    """What `eq=True` gives a frozen dataclass: instances of one class are equal, and have equal
    hashes, if their fields are and have. For classes that are declared with `eq=False`."""

    __slots__ = ()

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in fields(self) if field.compare)  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Compared) or other.__class__ is not self.__class__:
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash((self.__class__, self._values()))
