"""Workloads that no change of the package touches: speeds are ratios to them in the same run, so
that neither the machine nor what else it does at the time matters."""
import ctypes
import functools
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

SOURCE = Path(__file__).with_name("reference.c")
# no vectors and no contraction: the same instructions from compilers of any age
FLAGS = ["-O2", "-fno-tree-vectorize", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC"]
STEPS = {"oscillators": 5000, "chain": 30_000}
WORDS = 2500
MODULES = "argparse, csv, decimal, email.message, fractions, json, logging, tempfile, typing"


def compiled(name: str) -> Callable[[], object]:
    """Return a workload of reference.c, about 1 ms."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/reference.so"
        subprocess.run(["cc", *FLAGS, SOURCE, "-o", path, "-lm"], check=True)
        run = getattr(ctypes.CDLL(path), name)
    run.restype, run.argtypes = ctypes.c_double, (ctypes.c_long,)
    return functools.partial(run, STEPS[name])


def interpret() -> int:
    """Text to tokens, numbers and objects, in Python, about 1.5 ms."""
    found: dict[str, list[tuple[str, float]]] = {}
    for index in range(WORDS):
        name, _, value = f"key{index % 37}={index}.5".partition("=")
        found.setdefault(name, []).append((value, float(value)))
    return sum(len(values) for values in found.values())


def start_process() -> None:
    """A start of Python with modules of its own."""
    subprocess.run([sys.executable, "-I", "-c", f"import {MODULES}"], check=True)


def reference(kind: str) -> Callable[[], object]:
    """Return the workload of a kind: oscillators, chain, interpreted or process."""
    others = {"interpreted": interpret, "process": start_process}
    return others[kind] if kind in others else compiled(kind)
