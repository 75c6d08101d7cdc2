"""The kinds of objects by size: one line for the table of each."""
from __future__ import annotations

from pysitar.errors import ParameterError
from pysitar.models.definitions.bar_sets import BarSetTable
from pysitar.models.definitions.bars import BarTable
from pysitar.models.definitions.discs import DiscTable
from pysitar.models.definitions.membranes import MembraneTable
from pysitar.models.definitions.plates import PlateTable
from pysitar.models.definitions.resonators import ResonatorTable
from pysitar.models.definitions.schema import Schema, schema

KINDS: dict[str, Schema] = {          # by the value of kind
    "plate": schema(PlateTable),
    "disc": schema(DiscTable),
    "membrane": schema(MembraneTable),
    "bar": schema(BarTable),
    "bars": schema(BarSetTable),
}


def add_kind(name: str, table: type[ResonatorTable]) -> None:
    """Add a kind of objects from outside the package: instrument files, scores and commands of this
    process then have it.

    Parameters: name, the value of kind; table, a dataclass of its keys, one of which is kind, with
    the name as its only choice. Errors: ParameterError, a name that exists, or another table.
    """
    if not name.isidentifier() or name in KINDS:
        raise ParameterError("name", name, "expected a name that no other kind has")
    if not (isinstance(table, type) and issubclass(table, ResonatorTable)):
        raise ParameterError("table", table, "expected a subclass of ResonatorTable")
    declared = schema(table)
    if "kind" not in declared.keys or declared.keys["kind"].choices != (name,):
        raise ParameterError("table", table.__name__,
                             f'expected a key kind whose only choice is "{name}"')
    KINDS[name] = declared


def remove_kind(name: str) -> None:
    """Remove a kind that was added."""
    del KINDS[name]
