"""Speed of the lumped schemes, as ratios in one run. Gates: pytest benchmarks -m gate; records:
pytest benchmarks -m 'not gate'."""
import math

import numpy as np
import pytest
from ratio import ratio
from twins.numba_mass_barrier import free_oscillator, powers

from pysitar.kernels.lumped.mass_barrier import SCHEMES, MassBarrier

STEPS = 44100
EXACT = 1e-12  # what every benchmark's energy must keep, or it timed something else
# never leaves; bounces; bounces with 3 to 4 samples inside; goes in slowly
PRESSED = {
    "mass": 0.01, "stiffness": 5e3, "frequency": 100.0, "barrier": -0.2, "position": -0.1,
    "velocity": 0.0
}
BOUNCING = {
    "mass": 0.01, "stiffness": 5e4, "frequency": 100.0, "barrier": -0.002, "position": -0.005,
    "velocity": 1.0
}
HARD = BOUNCING | {"stiffness": 5e8}
HEAVY = {
    "mass": 1e3, "stiffness": 1e2, "frequency": 0.0, "barrier": 0.0, "position": 0.1,
    "velocity": 0.0
}


class Case:
    """A run of STEPS steps from the start, anew at each call."""

    def __init__(self, scheme, exponent, *, frequency, **given) -> None:
        self.given = {
            "scheme": SCHEMES.index(scheme), "exponent": exponent,
            "angular_frequency": 2.0 * math.pi * frequency, "time_step": 1.0 / 44100.0
        } | given
        self.rows = np.empty((3, STEPS))
        self()
        self.inside = float((self.rows[0] > given["barrier"]).mean())
        assert np.ptp(self.rows[2]) <= EXACT * self.rows[2, 0]

    def __call__(self) -> None:
        self.kernel = MassBarrier(**self.given)
        self.kernel.advance(*self.rows)


def shown(name, found, unit):
    print(
        f"\n{name}: {found.first / STEPS * 1e9:.1f} ns a step, {unit} "
        f"{found.second / STEPS * 1e9:.1f} ns: {found.value:.2f}"
    )


@pytest.mark.parametrize(("scheme", "exponent"),
                         [(scheme, exponent) for scheme in SCHEMES for exponent in (1.0, 1.3, 1.5)])
def test_record(benchmark, scheme, exponent):
    case = Case(scheme, exponent, **(HEAVY if scheme == "two-point" else PRESSED))
    benchmark.extra_info["steps"] = STEPS
    benchmark(case)
    assert case.inside == 1.0


@pytest.mark.gate
@pytest.mark.parametrize(("scheme", "given"), [("two-point", HEAVY), ("three-point", PRESSED),
                                               ("three-point", BOUNCING), ("three-point", HARD),
                                               ("release", PRESSED)])
def test_exponent_one_costs_at_most_fifteen_free_steps(scheme, given):
    case = Case(scheme, 1.0, **given)
    position = np.empty(STEPS)
    found = ratio(case, lambda: free_oscillator(position, -0.1, 1e-5, 2e-4))
    shown(f"{scheme}, exponent 1, {100.0 * case.inside:.0f} % inside", found, "free")
    assert found.value <= 15.0


@pytest.mark.gate
@pytest.mark.parametrize(("scheme", "exponent", "given"), [("two-point", 1.3, HEAVY),
                                                           ("three-point", 1.3, PRESSED),
                                                           ("three-point", 2.7, PRESSED),
                                                           ("release", 1.3, PRESSED)])
def test_general_step_costs_at_most_eight_powers(scheme, exponent, given):
    case = Case(scheme, exponent, **given)
    assert case.inside == 1.0
    found = ratio(case, lambda: powers(STEPS, 1.3))
    shown(f"{scheme}, exponent {exponent}", found, "one pow")
    assert found.value <= 8.0


@pytest.mark.gate
def test_short_contacts_cost_at_most_eight_powers_a_step_of_contact():
    # with the steps of free flight between at their own price; a contact of n samples is n + 2
    # steps of the three-point scheme
    case, free = Case("three-point", 1.3, **HARD), Case("three-point", 1.3,
                                                        **(HARD | {"barrier": 1.0}))
    contact, power = ratio(case, free), ratio(lambda: powers(STEPS, 1.3), free)
    steps = case.inside * STEPS + 2 * case.kernel.statistics["contacts"]
    cost = (contact.first - contact.second * (1.0 - steps / STEPS)) / steps
    print(
        f"\n{cost * 1e9:.0f} ns a step in contact, "
        f"{case.kernel.statistics['evaluations'] / steps:.1f} evaluations, "
        f"one pow {power.first / STEPS * 1e9:.1f} ns: {cost / power.first * STEPS:.1f}")
    assert cost <= 8.0 * power.first / STEPS
