"""The history of speeds, benchmarks/history.csv: one row for each record and commit, in the order
in which they were measured."""
import csv
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "benchmarks" / "history.csv"
CHANGELOG = "CHANGELOG.md"
SLOWER = 1.10           # times the baseline; more has to be accepted


@dataclass(frozen=True)
class Row:
    """The ratio of a record to its reference at a commit, on a machine."""

    commit: str
    date: str
    machine: str
    record: str
    ratio: float


def read_rows(file: Path = FILE) -> list[Row]:
    """Return the rows of the history; none if there is no file."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as lines:
        return [Row(row["commit"], row["date"], row["machine"], row["record"],
                    float(row["ratio"])) for row in csv.DictReader(lines)]


def write_rows(rows: Iterable[Row], file: Path = FILE) -> None:
    """Write the whole history."""
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(field.name for field in fields(Row))
        writer.writerows((*astuple(row)[:-1], f"{row.ratio:.4g}") for row in rows)


def machine() -> str:
    """Return what ratios depend on besides the code: processor, compiler and Python."""
    compiler = subprocess.run(["cc", "-dumpfullversion"], capture_output=True, text=True,
                              check=False).stdout.strip()
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    return f"{_processor()}, cc {compiler or 'unknown'}, {python}"


def _processor() -> str:
    """Return the name of the processor, with the numbers that tell its generation."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    found = dict(re.findall(r"^(model name|cpu family|model)\s*: (.*)$", text, re.MULTILINE))
    return (f"{found.get('model name', platform.machine())} "
            f"{found.get('cpu family', '')}/{found.get('model', '')}")


def baselines(rows: Iterable[Row], accepted: Callable[[str, str], bool]) -> dict[str, Row]:
    """Return the row with which each record is compared: the fastest since a slowdown was last
    accepted, so that small ones cannot add up unseen.

    Parameters: rows of one machine, in order; accepted(record, commit), whether the changelog has
    gained a word on a record since a commit.
    """
    found: dict[str, Row] = {}
    for row in rows:
        best = found.get(row.record)
        if (best is None or row.ratio <= best.ratio
                or (row.ratio > SLOWER * best.ratio and accepted(row.record, best.commit))):
            found[row.record] = row
    return found


def is_accepted(record: str, commit: str, root: Path = ROOT) -> bool:
    """Return whether the changelog has gained a line since a commit that names a record in
    backquotes, or says "every record"."""
    done = subprocess.run(["git", "diff", "-U0", commit, "--", CHANGELOG], cwd=root,
                          capture_output=True, text=True, check=False)
    added = re.findall(r"^\+(?!\+\+ )(.*)", done.stdout, re.MULTILINE)
    return any(f"`{record}`" in line or "every record" in line.lower() for line in added)
