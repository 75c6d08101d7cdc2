"""Two builds of the package, in a process each, that do the same record in turn: what disturbs one
disturbs the other by the same factor, however busy the machine is.

python -m benchmarks.side_by_side is such a process: it reads names of records, one a line, does
each once, and answers with the times of its pieces.
"""
import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.records import RECORDS
from benchmarks.sampling import Sample, smaller

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 40
STARTS = 8
BUILDS = ROOT / "build" / "commits"
BUILT = ("pysitar/kernels", "setup.py")


def serve() -> None:
    """Do records by name until the input ends."""
    samples: dict[str, Sample] = {}
    by_name = {record.name: record for record in RECORDS}
    gc.disable()
    for line in sys.stdin:
        name = line.rstrip("\n")
        if name not in samples:
            samples[name] = Sample(by_name[name])
        gc.collect()
        print(json.dumps(samples[name].time_pieces()), flush=True)


def build(commit: str) -> Path:
    """Return a folder with the package of a commit, built, and the benchmarks of today; it stays
    for the next time.  Errors: CalledProcessError if git has no such commit or it cannot be
    compiled."""
    tree = BUILDS / f"{commit}-{sys.implementation.cache_tag}"
    if not tree.exists():
        BUILDS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=BUILDS) as folder:
            unfinished = Path(folder) / "tree"
            _build_in(unfinished, commit)
            unfinished.rename(tree)
    shutil.rmtree(tree / "benchmarks", ignore_errors=True)
    shutil.copytree(ROOT / "benchmarks", tree / "benchmarks")
    return tree


def _build_in(tree: Path, commit: str) -> None:
    """Build the package of a commit in a new folder; errors as of `build`."""
    archive = subprocess.run(["git", "archive", commit, "pysitar", "setup.py", "pyproject.toml",
                              "README.md", "LICENSE", "scores"],
                             cwd=ROOT, check=True, capture_output=True)
    tree.mkdir()
    subprocess.run(["tar", "-x"], cwd=tree, input=archive.stdout, check=True, capture_output=True)
    same = subprocess.run(["git", "diff", "--quiet", commit, "--", *BUILT], cwd=ROOT, check=False)
    if same.returncode == 0:                    # the kernels are those of today
        for library in (ROOT / "pysitar").rglob("*.so"):
            shutil.copy2(library, tree / library.relative_to(ROOT))
    else:
        subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=tree,
                       check=True, capture_output=True)


def compare(names: list[str], tree: Path) -> dict[str, float]:
    """Return how many times longer records take here than in another tree; those that the other
    tree does not have or cannot do are left out."""
    return {name: factor for name in names
            if (factor := _compare_one(name, tree)) is not None}


def _compare_one(name: str, tree: Path) -> float | None:
    """Return how many times longer a record takes here than in another tree, or None."""
    processes = [_start(ROOT), _start(tree)]
    minima: list[list[float]] = [[], []]
    try:
        starts = name.startswith("start ")
        for number in range(STARTS if starts else ROUNDS):
            for index in (0, 1) if number % 2 else (1, 0):
                minima[index] = smaller(minima[index], _ask(processes[index], name))
    except (ValueError, BrokenPipeError):       # no answer, or pieces of another number
        return None
    finally:
        for process in processes:
            process.stdin.close()
            process.wait()
    return sum(minima[0]) / sum(minima[1])


def _start(tree: Path) -> subprocess.Popen:
    """Start a process that does records with the package of a tree."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.Popen([sys.executable, "-m", "benchmarks.side_by_side"], cwd=tree, text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, env=environment)


def _ask(process: subprocess.Popen, name: str) -> list[float]:
    """Return the times (s) of the pieces of a record in another process."""
    process.stdin.write(f"{name}\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


if __name__ == "__main__":
    serve()
