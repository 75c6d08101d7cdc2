"""Tables of an instrument file as dataclasses: each key is a field with its `Parameter`, each
table inside a field with its dataclass.

`key`, `inner` and `named_lists` declare the fields; `schema` returns what a dataclass declares. The
reader, the paths of `set`, `describe` and the keys that people try all use it.
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, ClassVar, TypeAlias

from pysitar.compared import Compared
from pysitar.physics.parameters import Parameter, ranged
from pysitar.physics.ranges import Range

KeyPath: TypeAlias = tuple[str, ...]
TableFault: TypeAlias = tuple[KeyPath, str]         # path in the table, and message


class Specification(Compared):
    """Base of the dataclasses of tables."""

    __slots__ = ()
    is_part: ClassVar[bool] = True           # whether it is the part that is played
    is_lazy: ClassVar[bool] = False          # whether `part` computes it when a score plays it

    def faults(self, scheme: str) -> Iterator[TableFault]:
        """Yield what is wrong with values that are right alone, played by a scheme."""
        yield from ()

    @property
    def written(self) -> Specification:
        """The table of the file that describes this part of an instrument."""
        return self

    def part(self) -> Any:
        """Return the part of an instrument as it is played: itself, unless that must be computed.
        Errors: ParameterError."""
        return self

    def expanded(self) -> tuple[Any, ...]:
        """Return the parts of an instrument that it describes.  Errors: ParameterError."""
        return (self.part(),)

    @classmethod
    def faults_together(cls, parts: Sequence[Any], *, scheme: str,
                        top: Mapping[str, Any]) -> Iterator[TableFault]:
        """Yield what is wrong with all parts of an instrument together.

        Parameters: parts, the parts that are right by themselves; scheme ("": not one of the
        model); top, the tables of the instrument itself that its file has, None where they are
        wrong.
        """
        yield from ()


@dataclass(frozen=True, slots=True, eq=False)
class _Declared:
    """Metadata of a field.

    Parameters: parameter, of a key, or of the lists of a table of named lists; table, the dataclass
    of a table inside, and whether it is required; optional, whether a key may be missing though it
    has no default; each, for a list the name of the list that has as many values.
    """

    parameter: Parameter | None = None
    table: type[Any] | None = None
    required: bool = False
    optional: bool = False
    each: str = ""
    lists: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Schema:
    """What a table may contain.

    Parameters: table, its dataclass; keys, by name; tables inside, by name; required, the tables
    that must be there; optional, the keys that may be missing though they have no default; lists,
    the tables of named lists; each, by list the name of the list that has as many values.
    """

    table: type[Specification]
    keys: Mapping[str, Parameter]
    tables: Mapping[str, Schema]
    required: frozenset[str]
    optional: frozenset[str]
    lists: Mapping[str, Parameter]
    each: Mapping[str, str]


def key(meaning: str, within: Range | None = None, *, absent: object = None, each: str = "",
        **about: Any) -> Any:
    """Return the field of a key.

    Parameters: meaning; within, the range of its quantity; absent, the value of the field if the
    file does not have the key (None: the file must have the key, unless it has a default); each,
    for a list the name of the list that has as many values; about, the rest of a `Parameter`.
    """
    parameter = Parameter(name="", meaning=meaning, **about) if within is None else ranged(
        "", within, meaning=meaning, **about)
    return key_of(parameter, absent=absent, each=each)


def key_of(parameter: Parameter, *, absent: object = None, each: str = "") -> Any:
    """Return the field of a key with a parameter that a verb has as well; the rest as in `key`."""
    default = absent if parameter.default is None else parameter.default
    declared = _Declared(parameter, optional=absent is not None, each=each)
    return field(default=MISSING if default is None else default, metadata={"declared": declared})


def inner(table: type[Specification], *, required: bool = False) -> Any:
    """Return the field of a table inside; a table that is not required may be None."""
    return field(default=MISSING if required else None,
                 metadata={"declared": _Declared(table=table, required=required)})


def named_lists(meaning: str, within: Range, *, each: str) -> Any:
    """Return the field of a table whose keys the file names, each a list of values of a range, as
    many as the list `each` has."""
    declared = _Declared(ranged("", within, meaning=meaning, kind="list"), each=each, lists=True)
    return field(default_factory=dict, metadata={"declared": declared})


_SCHEMAS: dict[type[Any], Schema] = {}


def schema(table: type[Any]) -> Schema:
    """Return what a dataclass of a table declares."""
    if table not in _SCHEMAS:
        _SCHEMAS[table] = _declared_schema(table)
    return _SCHEMAS[table]


def keys_of(table: type[Any]) -> Mapping[str, Parameter]:
    """Return the keys of a table, by name."""
    return schema(table).keys


def _declared_schema(table: type[Any]) -> Schema:
    declared: dict[str, _Declared] = {
        one.name: one.metadata["declared"]
        for one in fields(table) if "declared" in one.metadata
    }
    named = {
        name: about.parameter if about.parameter.name else replace(about.parameter, name=name)
        for name, about in declared.items() if about.parameter is not None
    }
    is_list = {name for name, about in declared.items() if about.lists}
    return Schema(
        table=table,
        keys={name: parameter for name, parameter in named.items() if name not in is_list},
        tables={name: schema(about.table)
                for name, about in declared.items() if about.table is not None},
        required=frozenset(name for name, about in declared.items() if about.required),
        optional=frozenset(name for name, about in declared.items() if about.optional),
        lists={name: named[name] for name in is_list},
        each={name: about.each for name, about in declared.items() if about.each},
    )
