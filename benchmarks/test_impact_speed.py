"""Speed of impacts: a mass on a modal object of few and of many modes. Gates: pytest benchmarks -m
gate; records: -m 'not gate'."""
import time

import numpy as np
import pytest
from cases import AUDIT, RATE, STEPS
from ratio import ratio

from pysitar.models.objects.impact import (
    ImpactSimulation,
    point_mass,
    set_outputs,
    struck_network,
)
from pysitar.physics.contact import ContactLaw
from pysitar.physics.energy import Balance
from pysitar.physics.modal_object import ModalObject

MASS = 5e-3
LAW = ContactLaw(stiffness=1e8, exponent=1.5, damping=0.3)
EXACT = 1e-12


class Impact:
    """A second of a mass that strikes an object of a number of modes, with output and audit; with
    gravity it bounces."""

    def __init__(self, modes: int, gravity: float = 0.0) -> None:
        f = np.linspace(400.0, 9000.0, modes)
        body = ModalObject(frequencies=f, decay_rates=0.01 * f, masses=np.full(modes, 0.2),
                           shapes=1.0 - 0.5 * np.arange(modes) / modes)
        striker = point_mass(MASS)
        self.kernel = struck_network(striker, body, LAW, RATE)
        set_outputs(self.kernel, striker, body, ["body_velocity"])
        self.kernel.set_inputs(np.eye(1, modes + 1) if gravity else np.zeros((0, modes + 1)))
        self.forces = np.full((STEPS, 1), MASS * gravity) if gravity else None
        self.start = np.zeros(modes + 1), np.eye(1, modes + 1)[0]
        self.out, self.ledger = np.empty((STEPS, 1)), np.empty((STEPS // AUDIT, 6))

    def __call__(self) -> None:
        self.kernel.set_state(*self.start)
        self.kernel.advance(STEPS, self.out, forces=self.forces, energies=self.ledger, every=AUDIT)

    @property
    def residual(self) -> float:
        """The greatest part of the energy balance that the last run broke."""
        return float(Balance(self.ledger[0]).update(self.ledger).max())

    def rate(self) -> float:
        """Times real time, the best of some."""
        best = float("inf")
        for _ in range(8):
            start = time.thread_time()
            self()
            best = min(best, time.thread_time() - start)
        return STEPS / RATE / best


@pytest.mark.parametrize("gravity", [0.0, 9.81], ids=["strike", "bounces"])
@pytest.mark.parametrize("modes", [3, 32, 128])
def test_record(benchmark, modes, gravity):
    case = Impact(modes, gravity)
    benchmark(case)
    print(
        f"\n{modes} modes, {'bouncing' if gravity else 'struck'}: {case.rate():.0f} times real "
        f"time at {RATE:g} Hz"
    )
    assert np.abs(case.out).max() > 0.01
    assert case.residual <= EXACT


@pytest.mark.gate
@pytest.mark.parametrize("modes, least", [(3, 150.0), (32, 60.0)])
def test_an_impact_is_many_times_faster_than_real_time(modes, least):
    case = Impact(modes)
    found = case.rate()
    print(f"\n{modes} modes: {found:.0f} times real time")
    assert case.residual <= EXACT
    assert found >= least


@pytest.mark.gate
def test_the_cost_is_linear_in_the_modes():
    # twice the modes cost at most twice the time, and what does not grow with them less
    found = ratio(Impact(512), Impact(256))
    print(f"\n512 modes cost {found.value:.2f} times 256")
    assert found.value <= 2.2


class Bounces:
    """A second of a ball that bounces on an object of eight modes, round or irregular."""

    def __init__(self, irregularity: float) -> None:
        f = np.linspace(400.0, 9000.0, 8)
        self.given = {
            "body": ModalObject(frequencies=f, decay_rates=0.01 * f, masses=np.full(8, 0.2),
                                shapes=1.0 - 0.5 * np.arange(8) / 8),
            "mass": MASS, "law": ContactLaw(stiffness=1e6, exponent=1.5, damping=0.2),
            "velocity": 0.5, "gravity": 9.81, "sample_rate": RATE, "radius": 0.01, "seed": 3,
            "irregularity": irregularity}

    def __call__(self) -> None:
        self.run = ImpactSimulation(**self.given).run(STEPS)


@pytest.mark.gate
def test_an_irregular_ball_costs_little_more_than_two_round_ones():
    irregular, round_one = Bounces(0.6), Bounces(0.0)
    found = ratio(irregular, round_one)
    print(f"\nirregular {found.first / STEPS * 1e9:.0f} ns, round {found.second / STEPS * 1e9:.0f} "
          f"ns a step: {found.value:.2f}")
    assert min(irregular.run.contact_steps, round_one.run.contact_steps) > 100
    assert max(irregular.run.residual, round_one.run.residual) <= EXACT
    assert found.value <= 2.2
