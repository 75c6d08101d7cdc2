"""Compare the speed of every record with the history.

  python -m benchmarks.speed             compare; exit code 1 if a record is slower, and no line of
                                         CHANGELOG.md says so
  python -m benchmarks.speed --renew     measure the commit that is checked out, in three processes,
                                         and add its rows to benchmarks/history.csv

A record that seems over 10 % slower than its row, or has none of this machine, is measured again in
new processes, in turn with a build of the commit of that row. If it is slower there too, this
fails, unless CHANGELOG.md has gained a line that names the record in backquotes.
"""
import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import ledger, sampling, side_by_side
from benchmarks.records import RECORDS

PROCESSES = 3
COMPARISONS = 3
ADVICE = f"""\
If the change is meant, {ledger.CHANGELOG} says so, in a line that names each of these records, such
as - `{{}}` takes 12 % longer: it keeps its energy; and python -m benchmarks.speed --renew
adds the new ratios to benchmarks/history.csv."""


def main(arguments: list[str] | None = None) -> int:
    """Compare or renew; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--renew", action="store_true", help="add the rows of this commit")
    parser.add_argument("--measure", metavar="EXPECTED", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:                 # in a process of its own
        expected = json.loads(options.measure)
        chosen = [record for record in RECORDS if not expected or record.name in expected]
        print(json.dumps(sampling.measure(chosen, expected)))
        return 0
    return renew() if options.renew else check()


def check() -> int:
    """Compare the records with the history; return the exit code."""
    rows, machine = ledger.read_rows(), ledger.machine()
    own = [row for row in rows if row.machine == machine]
    known = ledger.baselines(own, ledger.is_accepted)
    elsewhere = ledger.baselines(rows, lambda record, commit: True)     # the newest of any machine
    print(machine if own else f"{machine}: no rows of this machine; each record is compared with a "
                              "build of its newest row")
    expected = {name: row.ratio for name, row in known.items()}
    ratios = measure_in_process(expected) if own else {}
    suspects: dict[str, ledger.Row] = {}
    for record in RECORDS:
        name = record.name
        if name in known and ratios[name] <= ledger.SLOWER * known[name].ratio:
            print(f"{name:30} {ratios[name]:8.4g}  {percent(ratios[name] / known[name].ratio)}")
        elif name in known or name in elsewhere:
            suspects[name] = known.get(name) or elsewhere[name]
        else:
            print(f"{name:30} has no row; python -m benchmarks.speed --renew adds it")
    factors = confirm(suspects, ratios)
    return judge(suspects, factors)


def confirm(suspects: Mapping[str, ledger.Row],
            ratios: Mapping[str, float]) -> dict[str, float]:
    """Return how many times longer records take than at the commit of their row, by new processes:
    beside a build of it, or else, on the machine of the row, by the ratio measured again."""
    factors: dict[str, float] = {}
    for commit in sorted({row.commit for row in suspects.values()}):
        names = [name for name, row in suspects.items() if row.commit == commit]
        try:
            tree = side_by_side.build(commit)
        except subprocess.CalledProcessError as error:
            reason = error.stderr.decode(errors="replace").strip().splitlines() or ["no reason"]
            print(f"commit {commit} is not here, or cannot be built ({reason[-1]})")
        else:
            factors |= compare_again(names, tree)
        left = {name: suspects[name].ratio for name in names
                if name not in factors and name in ratios}
        again = measure_in_process(left) if left else {}
        factors |= {name: min(again[name], ratios[name]) / ratio for name, ratio in left.items()}
    return factors


def compare_again(names: Sequence[str], tree: Path) -> dict[str, float]:
    """Return how many times longer records take than in another tree: of those that seem slower the
    least of COMPARISONS by new processes, as what disturbs all of one seldom meets the next."""
    factors: dict[str, float] = {}
    left = list(names)
    for _ in range(COMPARISONS):
        for name, factor in side_by_side.compare(left, tree).items():
            factors[name] = min(factor, factors.get(name, factor))
        left = [name for name in left if factors.get(name, 0.0) > ledger.SLOWER]
    return factors


def judge(suspects: Mapping[str, ledger.Row], factors: Mapping[str, float]) -> int:
    """Print what became of each suspect; return the exit code."""
    slow = []
    for name, row in suspects.items():
        if name not in factors:
            print(f"{name:30} cannot be done by the package of {row.commit}: not compared")
            continue
        verdict = "as fast"
        if factors[name] > ledger.SLOWER:
            accepted = ledger.is_accepted(name, row.commit)
            verdict = f"slower, as {ledger.CHANGELOG} says" if accepted else "SLOWER"
            if not accepted:
                slow.append(name)
        print(f"{name:30} {percent(factors[name])}  since {row.commit}: {verdict}")
    if slow:
        print(f"slower by over 10 %: {', '.join(slow)}\n{ADVICE.format(slow[0])}")
    return 1 if slow else 0


def renew() -> int:
    """Add the rows of the commit that is checked out; return the exit code."""
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ledger.ROOT, check=True, capture_output=True,
                              text=True).stdout.strip()

    if git("status", "--porcelain", "--", "pysitar", "setup.py", "benchmarks/*.py"):
        print("pysitar or the benchmarks differ from the commit; expected a commit of them first")
        return 2
    commit, date = git("log", "-1", "--format=%h %cs", "--abbrev=12").split()
    results = [measure_in_process({}) for _ in range(PROCESSES)]
    machine = ledger.machine()
    rows = [row for row in ledger.read_rows()
            if (row.commit, row.machine) != (commit, machine)]
    rows += [ledger.Row(commit, date, machine, record.name,
                        min(ratios[record.name] for ratios in results)) for record in RECORDS]
    ledger.write_rows(rows)
    for record in RECORDS:
        print(f"{record.name:30} " + "  ".join(f"{each[record.name]:8.4g}" for each in results))
    return 0


def measure_in_process(expected: Mapping[str, float]) -> dict[str, float]:
    """Return the ratios of the records that are expected (none: all), by a new process."""
    done = subprocess.run([sys.executable, "-m", "benchmarks.speed", "--measure",
                           json.dumps(expected)], cwd=ledger.ROOT, check=True,
                          stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def percent(factor: float) -> str:
    """Return a factor as a difference in percent."""
    return f"{100.0 * (factor - 1.0):+6.1f} %"


if __name__ == "__main__":
    sys.exit(main())
