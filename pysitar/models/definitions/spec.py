"""The tables of an instrument file: the instrument's own keys, its body, parts and balls."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from pysitar.models.definitions.bodies import LOUDEST, BodySpec, ResponseSpec
from pysitar.models.definitions.idle_keys import IdleKey
from pysitar.models.definitions.masses import MassSpec
from pysitar.models.definitions.objects import BallSpec, ObjectSpec
from pysitar.models.definitions.picks import PickSpec
from pysitar.models.definitions.registry import MODELS
from pysitar.models.definitions.schema import Schema, Specification, inner, key, schema
from pysitar.models.definitions.strings import (
    BarrierSpec,
    FretboardSpec,
    FretsSpec,
    PickupSpec,
    PluckSpec,
    StrikeSpec,
    StringSpec,
    ThreadSpec,
    gap_at,
)
from pysitar.models.network.schemes.catalogue import DEFAULT
from pysitar.physics.cabinets import CABINETS
from pysitar.physics.parameters import Parameter

__all__ = [
    "BarrierSpec", "BodySpec", "FretboardSpec", "FretsSpec", "InstrumentSpec", "MassSpec",
    "ObjectSpec", "PartSpec", "PickSpec", "PickupSpec", "PluckSpec", "ResponseSpec", "StrikeSpec",
    "StringSpec", "ThreadSpec", "gap_at", "parameter_at"
]
SCHEMES = tuple(dict.fromkeys(scheme for schemes in MODELS.values() for scheme in schemes))
NO_CABINET = "none"
PartSpec: TypeAlias = StringSpec | MassSpec | ObjectSpec


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InstrumentSpec(Specification):
    """An instrument; source is its file as messages show it, bridge the name of the chosen bridge
    ("": the file describes none), and the parts are in the order of the file."""

    name: str
    source: str
    model: str = key("the physical model", kind="text", choices=tuple(MODELS))
    gain: float = key("full scale per newton or metre per second", unit="1/N or s/m", low=0.0,
                      high=LOUDEST, open_low=True)
    spread: float = key("how far its parts lie apart where a score has two channels: the first at "
                        "-spread, the last at spread, from the pan of its mix", low=0.0, high=1.0,
                        default=0.0)
    scheme: str = key("the numerical scheme", kind="text", choices=SCHEMES, default=DEFAULT)
    bridge: str = key(
        "the name of one of its [bridges.NAME]; only for an instrument with such tables",
        kind="text", absent="")
    pickup_resonance: float = key(
        "the resonance of the coils of its pickups with their cable, a low-pass of second order; "
        "left out: none", unit="Hz", low=100.0, high=20000.0, absent=0.0)
    pickup_q: float = key("its quality factor, the gain at that frequency", low=0.5, high=20.0,
                          default=1.0)
    tone: float = key("where the tone control lets its pickups fall by 3 dB, a low-pass of first "
                      "order; left out: it is open", unit="Hz", low=50.0, high=20000.0, absent=0.0)
    cabinet: str = key("the loudspeaker that its pickups play through: bass, four cones of 10 in "
                       "in a closed box; guitar, one of 12 in", kind="text",
                       choices=(NO_CABINET, *CABINETS), default=NO_CABINET)
    polarisation: int = key(
        "in how many directions its strings move, in place of the polarisation of each; 0: as each "
        "says", kind="whole", low=0, high=2, default=0)
    body: BodySpec | None = inner(BodySpec)
    # in the place of the modes of a body or beside them, from the same table
    response: ResponseSpec | None = None
    parts: tuple[PartSpec, ...]
    balls: Mapping[str, BallSpec] = field(default_factory=dict)
    chords: Mapping[str, str] = field(default_factory=dict)          # diagrams, by name
    idle: tuple[IdleKey, ...] = field(default=(), compare=False)     # keys without effect

    @property
    def strings(self) -> tuple[StringSpec, ...]:
        """The parts that are strings."""
        return tuple(part for part in self.parts if isinstance(part, StringSpec))

    @property
    def has_circuit(self) -> bool:
        """Whether something behind its pickups changes their sound."""
        return (self.pickup_resonance > 0.0 or self.tone > 0.0
                or self.cabinet != NO_CABINET)


TOP_SCHEMA, BODY_SCHEMA, BALL_SCHEMA = map(schema, (InstrumentSpec, BodySpec, BallSpec))
RESPONSE_SCHEMA = schema(ResponseSpec)
TOP, BODY, BALL = TOP_SCHEMA.keys, BODY_SCHEMA.keys, BALL_SCHEMA.keys
RESPONSE = RESPONSE_SCHEMA.keys
# by the table that an instrument's parts are in
GROUPS: dict[str, Schema] = {
    "strings": schema(StringSpec), "masses": schema(MassSpec), "objects": schema(ObjectSpec)
}
# what else the instrument's file may have, besides the keys of TOP
TOP_TABLES = {
    "strings": ("body", "strings", "bridges", "chords"), "masses": ("masses", "bridges"),
    "objects": ("body", "objects", "balls", "bridges")
}


def has_modes(body: Mapping[str, object]) -> bool:
    """Whether a table [body] has modes, and not an impulse response alone."""
    return RESPONSE.keys().isdisjoint(body) or not BODY.keys().isdisjoint(body)


def body_keys(body: Mapping[str, object]) -> list[str]:
    """Return the keys that a table [body] has or may have."""
    response = not RESPONSE.keys().isdisjoint(body)
    return [*(BODY if has_modes(body) else ()), *(RESPONSE if response else ())]


def part_schema(group: str, data: object) -> Schema:
    """Return the table of a part of a file: that of its kind, where it is an object by size.

    Parameters: group, the table of the parts; data, of this one.
    """
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if group != "objects" or kind is None:
        return GROUPS[group]
    from pysitar.models.definitions.kinds import KINDS
    return KINDS.get(kind, KINDS["plate"]) if isinstance(kind, str) else KINDS["plate"]


def parameter_at(path: tuple[str, ...], group: str = "") -> Parameter | None:
    """Return the parameter of a path of `set`, None when the path has no parameter.

    Parameters: path, without the table of the parts, with `*` for any one part; group, that table,
    such as `strings` ("": of any).
    """
    found = tables_at(path[:-1], group)
    return next((table.keys[path[-1]] for table in found if path[-1] in table.keys), None)


def tables_at(path: tuple[str, ...], group: str = "") -> list[Schema]:
    """Return the tables that a path may be; path and group as in `parameter_at`."""
    groups = [GROUPS[group]] if group else list(GROUPS.values())
    if group in {"", "objects"} and path:
        from pysitar.models.definitions.kinds import KINDS
        groups += KINDS.values()
    if not path:
        return [TOP_SCHEMA]
    if path == ("body",):
        return [BODY_SCHEMA, RESPONSE_SCHEMA]
    if len(path) == 1:
        return [BODY_SCHEMA, *groups] if path == ("*",) else groups
    if len(path) > 2 or path[0] == "body":
        return []
    return [BALL_SCHEMA] if path[0] == "balls" else [
        table for part in groups for name, table in part.tables.items() if path[1] in {"*", name}
    ]
