"""Tables as dataclasses: a key is one field, and the reader needs nothing else to know it."""
from collections.abc import Mapping
from dataclasses import dataclass, fields

import pytest

from pysitar.gestures.pluck import FORCE
from pysitar.models.definitions.reader import Reader
from pysitar.models.definitions.schema import (
    Specification,
    inner,
    key,
    key_of,
    keys_of,
    named_lists,
    schema,
)
from pysitar.models.definitions.spec import GROUPS, BodySpec, InstrumentSpec
from pysitar.physics import ranges


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeSpec(Specification):
    """A table inside."""

    at: float = key("where it is held", kind="position", unit="m", low=0.0, high=1.0)
    kind: str = key("how", kind="text", choices=("free", "held"), default="free")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlateSpec(Specification):
    """A table that pysitar does not have."""

    name: str
    length: float = key("its length", ranges.LENGTH)
    layers: int = key("how many", kind="whole", low=1, high=9, default=1)
    force: float = key_of(FORCE)
    grain: str = key("its grain", kind="text", choices=("fine",), absent="")
    modes: tuple[float, ...] = key("modes", kind="list", unit="Hz", low=0.0, high=1e4)
    weights: tuple[float, ...] = key("weights", kind="list", low=-1.0, high=1.0, each="modes")
    places: Mapping[str, tuple[float, ...]] = named_lists("shapes", ranges.MODE_SHAPE,
                                                          each="modes")
    edge: EdgeSpec = inner(EdgeSpec, required=True)
    rib: EdgeSpec | None = inner(EdgeSpec)


GOOD = {
    "length": 2, "force": 1, "modes": [100, 200.0], "weights": [1, -0.5],
    "places": {"rim": [0.5, 0.25]}, "edge": {"at": 0.25}
}


def read(data):
    """Return the plate, and its faults by path."""
    reader = Reader([], "string", ())
    plate = reader._make(schema(PlateSpec), data, ("top",), name="top")
    return plate, {".".join(fault.path): fault.message for fault in reader.faults}


def test_a_dataclass_is_read_from_its_fields_alone():
    plate, faults = read(GOOD)
    assert not faults and plate == PlateSpec(
        name="top", length=2.0, layers=1, force=1.0, grain="", modes=(100.0, 200.0),
        weights=(1.0, -0.5), places={"rim": (0.5, 0.25)}, edge=EdgeSpec(at=0.5, kind="free"),
        rib=None)
    assert type(plate.layers) is int
    more = {"grain": "fine", "layers": 3, "rib": {"at": "5cm", "kind": "held"}}
    plate, faults = read(GOOD | more)
    assert not faults and (plate.grain, plate.layers) == ("fine", 3)
    assert plate.rib == EdgeSpec(at=0.05, kind="held")


@pytest.mark.parametrize(("change", "path", "words"), [
    ({"length": None}, "top.length", "is missing; expected a number (m): its length"),
    ({"length": 0}, "top.length", "length is 0; expected a finite number (m), above 0"),
    ({"layers": 1.5}, "top.layers", "layers is 1.5; expected a whole number from 1 to 9"),
    ({"grain": "coarse"}, "top.grain", 'grain is coarse; expected fine'),
    ({"edge": None}, "top.edge", "is missing; expected a table [strings.top.edge]"),
    ({"edge": 3}, "top.edge", "is no table; expected [strings.top.edge] with its keys"),
    ({"rib": {"at": 0.5, "kynd": "held"}}, "top.rib.kynd", "did you mean kind?"),
    ({"weights": [1]}, "top.weights", "1 values for 2 modes; expected as many"),
    ({"places": {"rim": [1]}}, "top.places.rim", "1 values for 2 frequencies; expected as many"),
    ({"places": {"a b": [1, 1]}}, "top.places.a b", "a b is no name"),
])
def test_a_fault_has_its_path(change, path, words):
    data = {name: value for name, value in (GOOD | change).items() if value is not None}
    plate, faults = read(data)
    assert plate is None and list(faults) == [path] and words in faults[path]


def test_all_faults_are_reported_at_once():
    _, faults = read({"length": -1, "modes": [], "weights": ["a"], "rib": {}, "depth": 1})
    assert set(faults) == {
        "top.depth", "top.length", "top.force", "top.modes", "top.weights", "top.rib.at",
        "top.edge"
    }


def test_a_parameter_has_the_name_of_its_field():
    assert [parameter.name for parameter in keys_of(PlateSpec).values()] == list(keys_of(PlateSpec))
    assert keys_of(PlateSpec)["force"] is FORCE and keys_of(PlateSpec)["length"].high == 1000.0


@pytest.mark.parametrize("table", [
    InstrumentSpec, BodySpec, *(part.table for part in GROUPS.values()),
    *(table.table for part in GROUPS.values() for table in part.tables.values())
], ids=lambda table: table.__name__)
def test_a_default_of_a_key_is_that_of_its_field(table):
    about = schema(table)
    defaults = {field.name: field.default for field in fields(table)}
    for name, parameter in about.keys.items():
        assert parameter.name == name and parameter.meaning
        if parameter.default is not None:
            assert defaults[name] == parameter.default
