"""The kinds of objects by size: one line for the table of each."""
from __future__ import annotations

from collections.abc import Mapping

from pysitar.models.definitions.bar_sets import BarSetTable
from pysitar.models.definitions.bars import BarTable
from pysitar.models.definitions.discs import DiscTable
from pysitar.models.definitions.membranes import MembraneTable
from pysitar.models.definitions.plates import PlateTable
from pysitar.models.definitions.schema import Schema, schema

KINDS: Mapping[str, Schema] = {          # by the value of kind
    "plate": schema(PlateTable),
    "disc": schema(DiscTable),
    "membrane": schema(MembraneTable),
    "bar": schema(BarTable),
    "bars": schema(BarSetTable),
}
