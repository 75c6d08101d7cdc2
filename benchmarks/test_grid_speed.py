"""Speed of the iterative scheme on a grid. Gates: pytest benchmarks -m gate."""
import math
import time

import numpy as np
import pytest
from twins.ness import CASES, ness_case
from twins.numba_grid import free_grid_steps, iterative_grid_steps

from benchmarks.cases import AUDIT
from benchmarks.grid_cases import BARRIERS, EXACT, LAW, NODES, STEPS, GridCase
from benchmarks.ratio import ratio
from pysitar.kernels.grid.iterative import FdIterative
from pysitar.physics.grid import grid_rows

# CPU seconds for a second of sound: NESS's, and a rewrite's in compiled code
NESS = {"A": (0.038, 0.0028), "B": (0.076, 0.0071), "D": (0.068, 0.0071)}


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
