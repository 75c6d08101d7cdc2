"""Speed of the iterative scheme on a grid. Gates: pytest benchmarks -m gate; records: pytest
benchmarks -m 'not gate'."""
import math
import time

import numpy as np
import pytest
from ratio import ratio
from twins.ness import CASES, ness_case
from twins.numba_grid import free_grid_steps, iterative_grid_steps

from pysitar.kernels.grid.iterative import FdIterative
from pysitar.physics.barrier import Barrier
from pysitar.physics.contact import ContactLaw
from pysitar.physics.grid import grid_rows, string_grid
from pysitar.physics.string import String

EXACT = 5e-12  # what every benchmark's energy balance must keep, or it timed something else
RATE, NODES, STEPS, AUDIT = 44100.0, 200, 64 * 100, 64
STRING = String(length=1.0, tension=500.0, linear_density=0.063,
                bending_stiffness=2e11 * math.pi * 5e-4**4 / 4.0, sigma0=1.0, sigma2=2e-3)
LAW = ContactLaw(stiffness=5e6, exponent=1.4)
# a convex hump that a string at rest wraps along a tenth, one far below, none
BARRIERS = {
    "tenth": [
        Barrier(profile=lambda x: 0.4e-3 - 0.05 * (x - 0.5)**2, start=0.0, end=1.0, points=2,
                law=LAW)
    ],
    "none": [Barrier(profile=lambda x: -1.0, start=0.0, end=1.0, points=2, law=LAW)],
    "alone": [],
}
# CPU seconds for a second of sound: NESS's, and a rewrite's in compiled code
NESS = {"A": (0.038, 0.0028), "B": (0.076, 0.0071), "D": (0.068, 0.0071)}


class GridCase:
    """A run of STEPS steps of a string near its rest, anew at each call, with output and audit."""

    def __init__(self, name, kernel=FdIterative, **more) -> None:
        self.grid = string_grid(STRING, RATE, NODES)
        self.rows = grid_rows(self.grid, BARRIERS[name])
        self.kernel = kernel(**self.grid.coefficients, **self.rows, **more)
        self.kernel.set_outputs(self.grid.shape(0.9).reshape(1, -1))
        self.kernel.set_equilibrium()
        self.pressed = np.count_nonzero(self.kernel.force())
        wave = 1e-6 * np.sin(np.pi * self.grid.nodes[1:-1])
        self.start = (self.kernel.displacement() + wave, np.zeros(self.grid.count))
        self.out, self.ledger = np.empty((STEPS, 1)), np.empty((STEPS // AUDIT, 6))

    def __call__(self) -> None:
        self.kernel.set_state(*self.start)
        self.kernel.advance(STEPS, self.out, energies=self.ledger, every=AUDIT)

    @property
    def residual(self) -> float:
        total = self.ledger[:, :3].sum(axis=1)
        return float(
            np.abs(total - total[0] + self.ledger[:, 3] - self.ledger[0, 3]).max() / total.max())


class NumbaGridCase:
    """The same run by a numba twin, without an audit."""

    def __init__(self, case) -> None:
        self.case, grid = case, case.grid
        c = grid.coefficients
        damping = c["sigma0"] * c["time_step"]
        self.numbers = (((1.0 - damping) / (1.0 + damping)),
                        *(c[name] / (1.0 + damping)
                          for name in ("tension_number", "bending_number", "loss_number")))
        self.mobility = c["time_step"] ** 2 / (c["node_mass"] * (1.0 + damping))
        node, fraction = grid.place(0.9)
        self.at, self.out = (node + 1, 1.0 - fraction), np.empty(STEPS)
        # a spare node and the end on either side
        self.height = np.full(NODES + 3, -1e9)
        self.height[case.rows["nodes"] + 1] = case.rows["offsets"]
        self.start = [np.zeros(NODES + 3), np.zeros(NODES + 3)]
        self.start[0][2:-2] = case.start[0]
        # at rest u(-1) is u(1) of a step without contact
        kernel = FdIterative(**c, **grid_rows(grid, []))
        kernel.set_state(*case.start)
        kernel.advance(1, np.empty((1, 0)))
        self.start[1][2:-2] = kernel.displacement()

    def __call__(self) -> None:
        u, previous = (a.copy() for a in self.start)
        if self.case.rows["nodes"].size:
            iterative_grid_steps(u, previous, *self.numbers, self.mobility,
                                 float(self.case.rows["laws"]["parameters"][0, 0]), LAW.exponent,
                                 self.height, *self.at, self.out)
        else:
            free_grid_steps(u, previous, *self.numbers, *self.at, self.out)


@pytest.fixture(scope="module")
def cases():
    return {name: GridCase(name) for name in BARRIERS}


def told(name, found):
    points = STEPS * NODES
    print(
        f"\n{name}: {found.first / points * 1e9:.2f} ns a node and step, "
        f"{found.second / points * 1e9:.2f} ns: {found.value:.2f}"
    )


@pytest.mark.parametrize("name", BARRIERS)
def test_record(benchmark, cases, name):
    benchmark.extra_info["steps"] = STEPS
    benchmark(cases[name])
    assert cases[name].residual <= EXACT
    assert (16 <= cases[name].pressed <= 24) == (name == "tenth")


@pytest.mark.parametrize("name", ["tenth", "alone"])
def test_rivals_compute_the_same(cases, name):
    ours, theirs = cases[name], NumbaGridCase(cases[name])
    ours()
    theirs()
    # the twin's rounding is that of whole displacements; its Newton stops at 4e-16 of them
    moved = np.abs(ours.out[:, 0] - ours.out[0, 0]).max()
    assert np.abs(ours.out[:200, 0] - theirs.out[:200]).max() <= 1e-6 * moved


@pytest.mark.gate
def test_no_contact_costs_at_most_two_linear_passes(cases):
    found = ratio(cases["none"], cases["alone"])
    told("barrier out of reach, string alone", found)
    assert max(cases[name].residual for name in ("none", "alone")) <= EXACT
    assert found.value <= 2.0


@pytest.mark.gate
def test_a_tenth_in_contact(cases):
    found = ratio(cases["tenth"], cases["alone"])
    told(f"{cases['tenth'].pressed} of {NODES} nodes in contact, string alone", found)
    assert cases["tenth"].residual <= EXACT
    # a guarded Newton on each: two to three powers of 20 to 30 ns each, and one more for the ledger
    assert found.value <= 23.0


@pytest.mark.gate
@pytest.mark.parametrize("name", ["tenth", "alone"])
def test_against_numba(cases, name):
    found = ratio(cases[name], NumbaGridCase(cases[name]))
    told(f"{name}, numba without audit", found)
    assert found.value <= 1.5


@pytest.mark.gate
@pytest.mark.parametrize("name", NESS)
def test_seconds_a_second_of_ness(name):
    rate, seconds, _ = CASES[name]
    best = math.inf
    for _ in range(15):
        kernel, values = ness_case(name)
        out, ledger = np.empty((len(values), 3)), np.empty((-(-len(values) // AUDIT), 6))
        start = time.thread_time()
        kernel.advance(len(values), out, forces=values, energies=ledger, every=AUDIT)
        best = min(best, time.thread_time() - start)
    theirs, rewrite = NESS[name]
    print(
        f"\n{name}: {best / seconds:.4f} s a second of sound at {rate} Hz, NESS {theirs}, a "
        f"compiled rewrite {rewrite}"
    )
    assert best / seconds <= theirs
