"""What the speed history follows: a list of records, each a workload that is timed in the same way
for ever. A record whose workload changes gets another name, for its old rows mean something
else."""
import collections
import functools
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import pysitar
from benchmarks.cases import (
    RATE,
    BowedCase,
    Case,
    CoupledCase,
    SitarCase,
    TanpuraCase,
    far_below,
)
from benchmarks.grid_cases import GridCase
from benchmarks.impact_cases import Bounces, Impact
from benchmarks.lumped_cases import HEAVY, PRESSED, BarrierCase, WallCase
from benchmarks.score_cases import HEAD, RENDERS, bound, rows, rows_of_strings, section
from pysitar.api.request import Request, prepare_engine
from pysitar.kernels.core.decimate import Decimator, kaiser_taps
from pysitar.kernels.grid.explicit import TRACKING, FdExplicit
from pysitar.models.network.schemes.three_point import three_point_network

EXACT = 5e-12       # of the energy balance of each run: if it does not hold, other steps were timed
STEPS = 64 * 100    # of the strings, 0.15 s
BLOCK = 128         # frames of a render that are timed on their own


def children_time() -> float:
    """Return the CPU time (s) of the child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@dataclass(frozen=True)
class Record:
    """A workload by name.

    `make` returns it, a function without arguments; `check` of the workload raises AssertionError
    where it did not do what is timed. `reference` is the kind of workload that it is compared with.
    """

    name: str
    make: Callable[[], Callable[[], object]]
    reference: str = "oscillators"
    check: Callable[[Callable[[], object]], None] = lambda workload: None
    clock: Callable[[], float] = time.thread_time


def balanced(limit: float = EXACT) -> Callable[..., None]:
    """Return a check of a workload's energy balance."""
    def check(workload) -> None:
        assert workload.residual <= limit, workload.residual

    return check


def string_record(name: str, *, contact: bool = True, **given) -> Record:
    """Return the record of the string of van Walstijn & Bridges."""
    given |= {} if contact else {"height": far_below}

    def check(case) -> None:
        assert case.residual <= EXACT
        assert case.contact_fraction > 0.7 if contact else case.contact_fraction == 0.0

    return Record(name, functools.partial(Case, steps=STEPS, **given), check=check)


def grid_record(name: str, barrier: str, *scheme, **more) -> Record:
    """Return the record of a string on a grid."""
    return Record(name, functools.partial(GridCase, barrier, *scheme, steps=1600, **more),
                  check=balanced())


class Simulation:
    """A string in contact by the public class, from its construction on."""

    def __init__(self, **choices) -> None:
        self.choices = choices

    def __call__(self) -> None:
        string = pysitar.String(length=0.5, linear_density=5.55e-4, bending_stiffness=7.95e-5,
                                tension=50.0, sigma0=0.6, sigma1=6.5e-3, sigma3=5e-6)
        barrier = pysitar.Barrier(profile=pysitar.parabola(start=0.0, extent=0.03, height=56.25e-6),
                                  start=0.0, end=0.03, points=10,
                                  law=pysitar.ContactLaw(stiffness=1e9))
        simulation = pysitar.StringSimulation(string=string, barriers=[barrier], sample_rate=RATE,
                                              **self.choices)
        simulation.set_displacement(triangle=(0.35, 3e-3))
        self.residual = simulation.run(STEPS // 2, energy_every=64).residual


class Decimation:
    """One channel by 4, a block at a time as a render does it."""

    def __init__(self) -> None:
        self.taps = kaiser_taps(4, 48000.0)
        self.block = np.random.default_rng(1).standard_normal(4 * 4096)

    def __call__(self) -> None:
        decimator = Decimator(4, self.taps)
        for _ in range(4):
            decimator.push(self.block)
        decimator.flush()


class Render:
    """A score, read before, made into sound a block at a time."""

    def __init__(self, text: str) -> None:
        self.score = pysitar.load_score(text=text)

    def __call__(self) -> None:
        collections.deque(self.pieces(), maxlen=0)

    def pieces(self) -> Iterator[object]:
        self.engine = prepare_engine(self.score, Request())
        yield
        yield from self.engine.blocks(BLOCK)

    @property
    def residual(self) -> float:
        return self.engine.report()["residual"]


class Binding:
    """A score from its text to bound events."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self) -> None:
        self.bound = bound(self.text)


def check_binding(binding) -> None:
    assert not binding.bound.problems and len(binding.bound.voices) == 1


class Program:
    """A start of the program, with a score where a command needs one, and its compiled modules in a
    folder of its own, written by the first start."""

    def __init__(self, *arguments: str, text: str = "") -> None:
        folder = tempfile.mkdtemp()
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        path = Path(folder, "a.score")
        path.write_text(text, encoding="utf-8")
        self.command = [sys.executable, "-m", "pysitar", *arguments, *([path] if text else [])]
        self.environment = os.environ | {"PYTHONPYCACHEPREFIX": folder,
                                         "PYTHONDONTWRITEBYTECODE": ""}

    def __call__(self) -> None:
        subprocess.run(self.command, check=True, stdout=subprocess.DEVNULL, env=self.environment)


def program_record(name: str, *arguments: str, text: str = "") -> Record:
    """Return the record of a start of the program."""
    return Record(name, functools.partial(Program, *arguments, text=text), "process",
                  clock=children_time)


RECORDS = [
    string_record("two-point contact"),
    string_record("two-point free", contact=False),
    string_record("two-point damped", damping=0.05),
    string_record("two-point stiff", stiffness=1e12),
    string_record("two-point exponent 1.5", exponent=1.5),
    string_record("three-point contact", scheme=three_point_network),
    string_record("three-point free", contact=False, scheme=three_point_network),
    grid_record("fd-iterative contact", "tenth"),
    grid_record("fd-iterative free", "alone"),
    grid_record("fd-explicit tracking contact", "tenth", FdExplicit, variant=TRACKING),
    Record("coupled bridge", functools.partial(CoupledCase, coupled=True, steps=64 * 8),
           check=balanced(1e-11)),
    Record("coupled bridge of 40 strings",
           functools.partial(CoupledCase, coupled=True, strings=40, steps=64 * 4),
           check=balanced(1e-11)),
    Record("bowed string", functools.partial(BowedCase, steps=STEPS), check=balanced()),
    *(Record(f"tanpura in {name}", functools.partial(TanpuraCase, directions=count, steps=STEPS),
             check=balanced())
      for name, count in (("one direction", 1), ("two directions", 2))),
    Record("sitar on its flat bridge", functools.partial(SitarCase, steps=STEPS),
           check=balanced()),
    Record("impact on 3 modes", functools.partial(Impact, 3, steps=STEPS), check=balanced()),
    Record("bounces on 32 modes", functools.partial(Impact, 32, 9.81, steps=STEPS),
           check=balanced()),
    Record("irregular ball", functools.partial(Bounces, 0.6, steps=STEPS), check=balanced()),
    Record("barrier two-point", functools.partial(BarrierCase, "two-point", 1.3, **HEAVY), "chain"),
    Record("barrier three-point", functools.partial(BarrierCase, "three-point", 1.0, **PRESSED),
           "chain"),
    Record("wall invariant", functools.partial(WallCase, 2.3), "chain", WallCase.check),
    Record("simulation two-point", functools.partial(Simulation, statics=True), check=balanced()),
    Record("simulation modal-explicit", functools.partial(Simulation, scheme="modal-explicit"),
           check=balanced(1e-10)),
    Record("decimation", Decimation),
    *(Record(f"render {name}", functools.partial(Render, text), check=balanced())
      for name, text in RENDERS.items()),
    Record("bind rows", functools.partial(Binding, HEAD + rows(40)), "interpreted",
           check_binding),
    Record("bind rows of all strings", functools.partial(Binding, rows_of_strings(25)),
           "interpreted", check_binding),
    Record("bind a repeated section", functools.partial(Binding, section(10, 10)), "interpreted",
           check_binding),
    program_record("start help", "--help"),
    program_record("start check", "check", text="use tanpura as t\n0 t.pa pluck\n"),
]
