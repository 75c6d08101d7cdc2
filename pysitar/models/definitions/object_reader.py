"""Reads the objects and balls of an instrument file."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pysitar.errors import ParameterError, quoted
from pysitar.models.definitions.objects import (
    BALL,
    OBJECT,
    OBJECT_TABLES,
    BallSpec,
    DropSpec,
    ObjectSpec,
    RollSpec,
    StrikeSpec,
    check_waves,
)
from pysitar.models.definitions.table_reader import TableReader, Values

OF_MODES = ("decay_rates", "masses", "shapes", "weights")


def read_balls(reader: TableReader, data: object) -> dict[str, BallSpec | None]:
    """The balls of a file, by their names; one that is wrong, reported as a fault, is None."""
    if not isinstance(data, dict) or not data:
        reader.report(("balls", ),
                      "an instrument of objects needs its balls; expected a table [balls.NAME]")
        return {}
    found: dict[str, BallSpec | None] = {}
    for name, table in data.items():
        found[name] = None
        if not name.isidentifier():
            reader.report(("balls", name),
                          f"{quoted(name)} is no name; expected letters and digits, a letter first")
            continue
        if not isinstance(table, dict):
            reader.report(("balls", name), f"is no table; expected [balls.{name}] with its keys")
            continue
        before = len(reader.faults)
        n = reader.table(table, BALL, ("balls", name)).numbers
        if len(reader.faults) == before:
            found[name] = BallSpec(**{key: n[key] for key in BALL})
    return found


def read_object(reader: TableReader, name: str, data: object,
                balls: Mapping[str, BallSpec | None]) -> ObjectSpec | None:
    """One object; None when it is wrong, reported as a fault."""
    table = reader.part(name, data)
    if table is None:
        return None
    before = len(reader.faults)
    keys = OBJECT | {"ball": replace(OBJECT["ball"], choices=tuple(balls))}
    values = reader.table(table, keys, (name,), inner=(*OBJECT_TABLES, "places"))
    places = _places(reader, name, table.get("places", {}), len(values.lists.get("frequencies",
                                                                                 ())))
    playing: dict[str, Values | None] = {}
    for verb, parameters in OBJECT_TABLES.items():
        playing[verb] = reader.inner((name, verb), table.get(verb), parameters)
        if verb not in table:
            reader.report((name, verb), f"is missing; expected a table [objects.{name}.{verb}]")
    sizes = {key: len(numbers) for key, numbers in values.lists.items()}
    for key in OF_MODES:
        if key in sizes and sizes[key] != sizes.get("frequencies", sizes[key]):
            reader.report(
                (name, key),
                f"{sizes[key]} values for {sizes['frequencies']} frequencies; expected as many")
    strike, drop, roll = (playing[verb] for verb in ("strike", "drop", "roll"))
    if len(reader.faults) > before or strike is None or drop is None or roll is None:
        return None
    r, lists = roll.numbers, values.lists
    spec = ObjectSpec(name=name, frequencies=lists["frequencies"], decay_rates=lists["decay_rates"],
                      masses=lists["masses"], shapes=lists["shapes"], weights=lists["weights"],
                      ball=values.texts["ball"],
                      strike=StrikeSpec(velocity=strike.numbers["velocity"]),
                      drop=DropSpec(height=drop.numbers["height"]),
                      roll=RollSpec(**{key: r[key]
                                       for key in OBJECT_TABLES["roll"]}),
                      balls={key: ball
                             for key, ball in balls.items() if ball is not None}, places=places)
    _check_whole(reader, spec)
    return spec


def _places(reader: TableReader, name: str, data: object,
            size: int) -> dict[str, tuple[float, ...]]:
    """The shapes at the named places of an object of so many modes."""
    if not isinstance(data, dict):
        reader.report(
            (name, "places"),
            f"is no table; expected [objects.{name}.places] with a list of shapes for each")
        return {}
    wrong = [place for place in data if not place.isidentifier()]
    for place in wrong:
        reader.report((name, "places", place),
                      f"{quoted(place)} is no name; expected letters and digits, a letter first")
    keys = {
        place: replace(OBJECT["shapes"], name=place, meaning="the mode shapes there")
        for place in data if place not in wrong
    }
    lists = reader.table({place: data[place] for place in keys}, keys, (name, "places")).lists
    for place, shapes in lists.items():
        if size and len(shapes) != size:
            reader.report((name, "places", place),
                          f"{len(shapes)} values for {size} frequencies; expected as many")
    return lists


def _check_whole(reader: TableReader, spec: ObjectSpec) -> None:
    """Report what only the object as a whole shows: decays that are no oscillation, a surface whose
    waves are none."""
    try:
        spec.modes_below(float("inf"))
    except ParameterError as error:
        reader.report((spec.name, error.name.partition("[")[0]), str(error))
    try:
        check_waves(spec.roll.shortest, spec.roll.longest)
    except ParameterError as error:
        reader.report((spec.name, "roll", error.name), str(error))
