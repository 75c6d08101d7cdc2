"""Tables of an instrument file for several strings: `[strings.default]`, of all, and those whose
names end in `*`."""
from __future__ import annotations

import re
from collections.abc import Mapping

DEFAULT, STAR = "default", "*"
# what the text of every file with such tables has
SHARED = re.compile(r"default|\*")


def apply_defaults(data: dict[str, object]) -> None:
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
