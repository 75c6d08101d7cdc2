"""Keys of instruments, and changes of a score to them, that have no effect beside other keys."""
from __future__ import annotations

from collections.abc import Iterator

from pysitar.errors import Problem
from pysitar.models.definitions.faults import KeyPath
from pysitar.models.definitions.idle_keys import IdleKey
from pysitar.models.definitions.overrides import matches
from pysitar.models.definitions.spec import InstrumentSpec
from pysitar.rendering.lint.table import ChangedInstrument


def idle_keys(instrument: ChangedInstrument) -> Iterator[Problem]:
    """Yield a problem for each value without effect: at its last change, else at its key in the
    file, once for all parts that have it from there.

    A key of the file is passed over where the file keeps it for a change of another key, or where
    such a change took its effect away.
    """
    spec = instrument.spec
    assert spec is not None
    paths = [path for path, _ in instrument.changes]
    idle = {one.path for one in spec.idle}
    idle_in_file = {one.path for one in spec.idle
                    if not one.is_kept and _last_change(paths, one.switch) is None}
    reported: set[object] = set()
    for one in spec.idle:
        index = _last_change(paths, one.path)
        if index is not None:
            pattern = paths[index]
            parts = [path for path in _same_keys(spec, one.path) if matches(pattern, path)]
            if index not in reported and all(path in idle for path in parts):
                yield Problem(instrument.value_place(index, one.message), one.message)
            reported.add(index)
        elif one.path in idle_in_file:
            problem = instrument.file_problem(one.path, one.message)
            if problem.place in reported:
                continue
            reported.add(problem.place)
            if not _has_effect_elsewhere(instrument, one, problem, idle_in_file):
                yield problem


def _last_change(paths: list[KeyPath], path: KeyPath) -> int | None:
    """Return the index of the last change to a path (None: there is none)."""
    return next((index for index in reversed(range(len(paths))) if matches(paths[index], path)),
                None)


def _same_keys(spec: InstrumentSpec, path: KeyPath) -> list[KeyPath]:
    """Return the path of a key of a part in each part that has its table."""
    if len(path) == 1:
        return [path]
    if path[0] == "balls":
        return [("balls", name, *path[2:]) for name in spec.balls]
    return [(part.name, *path[1:]) for part in spec.parts
            if len(path) == 2 or getattr(part, path[1], None) is not None]


def _has_effect_elsewhere(instrument: ChangedInstrument, one: IdleKey, problem: Problem,
                          idle: set[KeyPath]) -> bool:
    """Return whether another part has the key from the same place of the file, with effect."""
    assert instrument.spec is not None
    return any(path not in idle
               and instrument.file_problem(path, one.message).place == problem.place
               for path in _same_keys(instrument.spec, one.path))
