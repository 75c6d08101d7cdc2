"""docs/instrument_keys.md lists every key of an instrument file, from the dataclasses of its
tables.

`python tests/test_instrument_keys.py` writes the page.
"""
from pathlib import Path

from pysitar.app.cli.describe import range_text
from pysitar.models.definitions.kinds import KINDS
from pysitar.models.definitions.spec import (
    BALL_SCHEMA,
    BODY_SCHEMA,
    GROUPS,
    RESPONSE_SCHEMA,
    TOP_SCHEMA,
)

PAGE = Path(__file__).resolve().parents[1] / "docs" / "instrument_keys.md"
HEAD = """\
# Keys of an instrument file

Every key of every table, with its unit, range and default ("required": it has none). A position is
a fraction of the length of its string; in its place, and in that of any number in m, a length such
as `"11cm"` is right as well. `pysitar describe NAME` shows the same with the values of an
instrument. [instruments.md](instruments.md) explains what lies under a string, tables that several
strings share, several bridges, and how to put an instrument in tune.

This page is written by `python tests/test_instrument_keys.py`, from the dataclasses in
`pysitar/models/definitions/`. An object has the lists of its modes, or a `kind`, its size and its
material; `strike`, `drop` and `roll` of an object with a kind may be left out: then it is struck at
1 m/s, and dropped on from 5 cm. `bow` may always be left out: then an object is bowed at 0.1 m/s
with 1 N. [resonators.md](resonators.md) explains the kinds.
"""


def tables():
    """Yield the heading of each table of a file, and its schema."""
    yield "The instrument itself", TOP_SCHEMA
    yield "`[body]`", BODY_SCHEMA
    yield "`[body]` by its impulse response", RESPONSE_SCHEMA
    for group, part in GROUPS.items():
        yield f"`[{group}.NAME]`", part
        for name, table in part.tables.items():
            note = "required" if name in part.required else "optional"
            yield f"`[{group}.NAME.{name}]`, {note}", table
    for kind, part in KINDS.items():
        yield f"`[objects.NAME]` with `kind = \"{kind}\"`", part
        for name, table in part.tables.items():
            if name not in GROUPS["objects"].tables:
                yield f"`[objects.NAME.{name}]` with `kind = \"{kind}\"`, optional", table
    yield "`[balls.NAME]`, of objects", BALL_SCHEMA


def row(name, parameter, optional):
    """Return the row of a key."""
    default = parameter.default
    if isinstance(default, bool):
        default = str(default).lower()
    elif isinstance(default, float):
        default = f"{default:g}"
    elif isinstance(default, tuple):
        default = f"[{', '.join(f'{value:g}' for value in default)}]"
    elif default is None:
        default = "none" if optional else "required"
    cells = (f"`{name}`", parameter.unit, range_text(parameter), str(default), parameter.meaning)
    return f"| {' | '.join(cells)} |"


def page():
    """Return the page."""
    lines = [HEAD]
    for heading, table in tables():
        lines += [f"## {heading}\n", "| key | unit | range | default | meaning |",
                  "|---|---|---|---|---|"]
        lines += [row(name, about, name in table.optional) for name, about in table.keys.items()]
        for name, about in table.lists.items():
            within = (f"{range_text(about)}, as many as `{table.each[name]}`"
                      if name in table.each else "within the ranges of these keys")
            lines += [
                "", f"`[objects.NAME.{name}]` has a list for each name that the file chooses: "
                f"{about.meaning}, {within}."
            ]
        lines.append("")
    return "\n".join(lines)


def test_the_page_lists_every_key():
    assert PAGE.read_text(encoding="utf-8") == page()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
