"""Draw the history of speeds as a page, one line for each record.

  python -m benchmarks.report [-o benchmarks/history.html]

Each line has the ratios at the commits in order, from 0 to the highest, the last ratio, and its
difference from the one before and from the first. One table for each machine.
"""
import argparse
import sys
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path

from benchmarks import ledger

FILE = ledger.ROOT / "benchmarks" / "history.html"
WIDTH, HEIGHT, EDGE = 360, 36, 4        # px of a line
STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 60em; color: #222;
       background: #fff; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 0.2em 0.8em 0.2em 0; border-bottom: 1px solid #ddd; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.slower { color: #b00020; font-weight: bold; }
td.faster { color: #00692b; }
svg { display: block; }
polyline { fill: none; stroke: #1a5fb4; stroke-width: 1.5; }
circle { fill: #1a5fb4; }
"""


def page(rows: Iterable[ledger.Row]) -> str:
    """Return the page of a history."""
    machines: dict[str, dict[str, list[ledger.Row]]] = {}
    for row in rows:
        machines.setdefault(row.machine, {}).setdefault(row.record, []).append(row)
    tables = "".join(table(machine, records) for machine, records in machines.items())
    return (f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Speed of pysitar'
            f"</title>\n<style>{STYLE}</style>\n<h1>Speed of pysitar</h1>\n<p>Times of the records "
            "of <code>benchmarks/records.py</code> as ratios to a reference workload in the same "
            "run; less is faster. A point is a commit.</p>\n"
            + (tables or "<p>The history has no rows yet.</p>\n") + "</html>\n")


def table(machine: str, records: Mapping[str, list[ledger.Row]]) -> str:
    """Return the table of a machine."""
    lines = "".join(line(name, rows) for name, rows in records.items())
    return (f"<h2>{escape(machine)}</h2>\n<table>\n<tr><th>record<th>history"
            '<th class="number">ratio<th class="number">change<th class="number">since the first'
            f"<th>commit</tr>\n{lines}</table>\n")


def line(name: str, rows: list[ledger.Row]) -> str:
    """Return the line of a record."""
    ratios = [row.ratio for row in rows]
    before = ratios[-2] if len(ratios) > 1 else ratios[-1]
    return (f"<tr><td>{escape(name)}<td>{drawing(rows)}"
            f'<td class="number">{ratios[-1]:.4g}{change(ratios[-1] / before)}'
            f"{change(ratios[-1] / ratios[0])}<td><code>{escape(rows[-1].commit)}</code></tr>\n")


def change(factor: float) -> str:
    """Return the cell of a change."""
    kind = ("slower" if factor > ledger.SLOWER
            else "faster" if factor < 1.0 / ledger.SLOWER else "")
    return f'<td class="number {kind}">{100.0 * (factor - 1.0):+.1f} %'


def drawing(rows: list[ledger.Row]) -> str:
    """Return the curve of a record: a point for each commit, from 0 to the highest ratio."""
    highest = max(row.ratio for row in rows)
    step = (WIDTH - 2 * EDGE) / max(len(rows) - 1, 1)
    points = [(EDGE + index * step,
               HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * row.ratio / highest)
              for index, row in enumerate(rows)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5"><title>'
                   f"{escape(f'{row.date} {row.commit}: {row.ratio:.4g}')}</title></circle>"
                   for (x, y), row in zip(points, rows, strict=True))
    return (f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">'
            f'<polyline points="{path}"/>{dots}</svg>')


def main(arguments: list[str] | None = None) -> int:
    """Write the page; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=FILE, metavar="FILE")
    output = parser.parse_args(arguments).output
    try:
        output.write_text(page(ledger.read_rows()), encoding="utf-8")
    except OSError as error:
        parser.error(f"{output} cannot be written ({error.strerror}); expected a file in an "
                     "existing folder")
    print(f"wrote {output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
