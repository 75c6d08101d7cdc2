"""Instrument files: TOML text to a checked instrument, all faults reported at once; and the files
that come with pysitar."""
from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

from pysitar.models.definitions.bridge_variants import Bridges
from pysitar.models.definitions.faults import Fault, InstrumentError, KeyPath
from pysitar.models.definitions.overrides import (
    Change,
    PathIndex,
    group_of,
    leaves,
    put_in,
    unreached,
)
from pysitar.models.definitions.reader import Reader
from pysitar.models.definitions.spec import InstrumentSpec

__all__ = [
    "FORMER_NAMES", "Change", "Fault", "InstrumentError", "KeyPath", "instrument_data",
    "parse_instrument", "preset_names", "preset_text"
]

PRESETS = Path(__file__).parents[2] / "presets"
DEFAULT, STAR = "default", "*"         # names of tables for several strings: of all, "b*"
POSITION = re.compile(r" \(at line ([0-9]+), column ([0-9]+)\)$")
KEPT = 32          # texts whose tables and instruments are kept: a batch has one for all its sounds
FORMER_NAMES = {"steel_pan": "steel_disc"}        # presets of scores from before 0.3.1


def preset_names() -> tuple[str, ...]:
    """The instruments that come with pysitar, in the order of the alphabet."""
    return tuple(sorted(file.stem for file in PRESETS.glob("*.toml")))


def preset_text(name: str) -> str:
    """The file of a preset, by its name or an earlier one.  Errors: KeyError when there is none of
    that name."""
    name = FORMER_NAMES.get(name, name)
    if name not in preset_names():
        raise KeyError(name)
    return (PRESETS / f"{name}.toml").read_text(encoding="utf-8")


def parse_instrument(text: str, *, name: str, shown: str,
                     changes: Sequence[Change] = ()) -> InstrumentSpec:
    """An instrument from its TOML text.

    Parameters: name, of the instrument; shown, its file in messages; changes, in order, each
    checked like the file: bare numbers in the parameter's unit, a Length for one with a unit of
    length. The bridge that the changes or the file choose is put in before the changes. Errors:
    InstrumentError with every fault. """
    if not changes:
        return _unchanged(text, name, shown)
    return _parse(text, name, shown, changes)


@lru_cache(maxsize=KEPT)
def _unchanged(text: str, name: str, shown: str) -> InstrumentSpec:
    """An instrument as its text says, kept for the next score with it."""
    return _parse(text, name, shown, ())


def _parse(text: str, name: str, shown: str, changes: Sequence[Change]) -> InstrumentSpec:
    try:
        data = instrument_data(text)
    except (ValueError, RecursionError) as error:
        why = f"is not TOML ({_why(error)}); expected lines key = value under [tables]"
        position = POSITION.search(str(error))
        at = (0, 0) if position is None else (int(position[1]), int(position[2]))
        raise InstrumentError(shown, [Fault((), why, position=at)], text) from None
    faults: list[Fault] = []
    bridges = Bridges(data, changes, faults) if changes or "bridges" in data else None
    if bridges is not None:
        _change(data, changes, bridges, faults)
    names = () if bridges is None else bridges.names
    spec = Reader(faults, data.get("model"), names).instrument(data, name, shown)
    if spec is None or faults:
        located = faults if bridges is None else map(bridges.located, faults)
        raise InstrumentError(shown, list(dict.fromkeys(located)), text)
    return spec


def instrument_data(text: str) -> dict[str, Any]:
    """The tables of an instrument's TOML text, those for several strings merged into the tables of
    the strings, for the caller to change.  Errors: ValueError or RecursionError when it is not
    TOML."""
    return deepcopy(_tables(text))


@lru_cache(maxsize=KEPT)
def _tables(text: str) -> dict[str, Any]:
    data = tomllib.loads(text)
    _apply_defaults(data)
    return data


def _why(error: Exception) -> str:
    """Why a text is no TOML, without what only concerns Python."""
    if isinstance(error, RecursionError):
        return "its lists or tables nest too deeply"
    return str(error) if isinstance(
        error, tomllib.TOMLDecodeError) else "a whole number in it has thousands of digits"


def _change(data: dict[str, object], changes: Sequence[Change], bridges: Bridges,
            faults: list[Fault]) -> None:
    """Put a score's changes into the data of a file; those that reach nothing go to the faults."""
    reachable = PathIndex(leaves(data, bridges=bool(bridges.names)))
    for index, (pattern, value) in enumerate(changes):
        reached = reachable.matching(pattern)
        for leaf in reached:
            put_in(data, leaf, value)
            bridges.forget(leaf)
        if not reached:
            faults.append(unreached(pattern, reachable.paths, index, group_of(data)))


def _apply_defaults(data: dict[str, object]) -> None:
    """Merge the tables for several strings into those of the strings, in place; later tables, and
    those of longer names, apply before.

    A file whose only string is named so has no others to merge into, and keeps it.
    """
    parts = data.get("strings")
    if not isinstance(parts, dict):
        return
    shared = {name: table for name, table in parts.items()
              if (name == DEFAULT or name.endswith(STAR)) and isinstance(table, dict)}
    single = {name: table for name, table in parts.items() if name not in shared}
    if not shared or not single:
        return
    data["strings"] = {
        name: _merge([other for pattern, other in sorted(shared.items(), key=_rank)
                      if pattern == DEFAULT or name.startswith(pattern[:-1])], table)
        if isinstance(table, dict) else table for name, table in single.items()}


def _rank(item: tuple[str, object]) -> int:
    """Return the order in which shared tables are merged: the default, then longer patterns."""
    return 0 if item[0] == DEFAULT else len(item[0])


def _merge(shared: list[dict[str, object]], own: Mapping[str, object]) -> dict[str, object]:
    """Return the keys of all tables, those of later ones instead of earlier ones, also in the
    tables inside."""
    merged: dict[str, object] = {}
    for table in (*shared, own):
        for key, value in table.items():
            before = merged.get(key)
            merged[key] = _merge([before], value) if isinstance(before, dict) and isinstance(
                value, dict) else value
    return merged
