"""Speed of the schemes that do not iterate. Gates: pytest benchmarks -m gate."""
import time

import numpy as np
import pytest
from twins.fd_explicit import FdExplicitTwin
from twins.numba_explicit import explicit_grid_steps

from benchmarks.grid_cases import BARRIERS, EXACT, NODES, RATE, STEPS, STRING, GridCase
from benchmarks.ratio import ratio
from benchmarks.test_grid_speed import NumbaGridCase, told
from pysitar.kernels.grid.explicit import PAPER, RESET, TRACKING, FdExplicit

NAMES = {PAPER: "paper", RESET: "reset", TRACKING: "tracking"}
WORST = {PAPER: 5.0, TRACKING: 23.0}  # times the string alone, a tenth of its nodes in contact


class NumbaExplicitCase(NumbaGridCase):
    """The paper's variant by a numba twin, without an audit."""

    def __init__(self, case) -> None:
        super().__init__(case)
        self.root = np.zeros(NODES + 3)
        case.kernel.set_state(*case.start)
        self.root[case.rows["nodes"] + 1] = case.kernel.psi

    def __call__(self) -> None:
        u, previous = (a.copy() for a in self.start)
        law = BARRIERS["tenth"][0].law
        explicit_grid_steps(u, previous, self.root.copy(), *self.numbers, self.mobility,
                            float(self.case.rows["laws"]["parameters"][0, 0]), law.exponent,
                            self.height, *self.at, self.out)


@pytest.fixture(scope="module")
def cases():
    return {(name, variant): GridCase(name, FdExplicit, variant=variant)
            for name in BARRIERS
            for variant in NAMES}


def test_rivals_compute_the_same(cases):
    ours = cases["tenth", PAPER]
    theirs = NumbaExplicitCase(ours)
    ours()
    theirs()
    moved = np.abs(ours.out[:, 0] - ours.out[0, 0]).max()
    # the twin's rounding is that of whole displacements
    assert np.abs(ours.out[:200, 0] - theirs.out[:200]).max() <= 1e-6 * moved


@pytest.mark.gate
@pytest.mark.parametrize("variant", NAMES, ids=NAMES.get)
def test_no_contact_costs_at_most_two_linear_passes(cases, variant):
    found = ratio(cases["none", variant], cases["alone", variant])
    told(f"{NAMES[variant]}: barrier out of reach, string alone", found)
    assert max(cases[name, variant].residual for name in ("none", "alone")) <= EXACT
    assert found.value <= 2.0


@pytest.mark.gate
@pytest.mark.parametrize("variant", NAMES, ids=NAMES.get)
def test_a_tenth_in_contact(cases, variant):
    case = cases["tenth", variant]
    found = ratio(case, cases["alone", variant])
    told(f"{NAMES[variant]}: {case.pressed} of {NODES} nodes in contact, string alone", found)
    assert case.residual <= EXACT
    assert found.value <= WORST.get(variant, 7.0)


@pytest.mark.gate
def test_against_numba(cases):
    found = ratio(cases["tenth", PAPER], NumbaExplicitCase(cases["tenth", PAPER]))
    told("paper, numba without audit", found)
    assert found.value <= 1.5


@pytest.mark.gate
@pytest.mark.parametrize("variant", NAMES, ids=NAMES.get)
def test_beside_numpy(cases, variant):
    case = cases["tenth", variant]
    s, rows = STRING, case.rows
    points = np.zeros((len(rows["nodes"]), NODES + 1))
    points[np.arange(len(rows["nodes"])), rows["nodes"]] = 1.0
    twin = FdExplicitTwin(variant=NAMES[variant], length=s.length, tension=s.tension,
                          density=s.linear_density, bending=s.bending_stiffness, sigma0=s.sigma0,
                          sigma2=s.sigma2, intervals=NODES, dt=1.0 / RATE, points=points[:, 1:-1],
                          stiffness=rows["laws"]["parameters"][:, 0],
                          exponent=rows["laws"]["parameters"][:, 1],
                          damping=rows["laws"]["damping"], offset=rows["offsets"])
    twin.u = twin.previous = case.start[0].copy()
    start = time.thread_time()
    for _ in range(20):
        twin.step()
    theirs = (time.thread_time() - start) / 20
    start = time.thread_time()
    case()
    ours = (time.thread_time() - start) / STEPS
    print(
        f"\n{NAMES[variant]}: {ours * 1e6:.2f} us a step, NumPy with dense matrices "
        f"{theirs * 1e6:.0f} us"
    )
    assert ours < 0.1 * theirs
