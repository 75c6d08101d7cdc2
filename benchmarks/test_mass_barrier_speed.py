"""Speed of the lumped schemes, as ratios in one run. Gates: pytest benchmarks -m gate."""
import numpy as np
import pytest
from twins.numba_mass_barrier import free_oscillator, powers

from benchmarks.lumped_cases import BOUNCING, HARD, HEAVY, PRESSED, STEPS, BarrierCase
from benchmarks.ratio import ratio


def shown(name, found, unit):
    print(
        f"\n{name}: {found.first / STEPS * 1e9:.1f} ns a step, {unit} "
        f"{found.second / STEPS * 1e9:.1f} ns: {found.value:.2f}"
    )


@pytest.mark.gate
@pytest.mark.parametrize(("scheme", "given"), [("two-point", HEAVY), ("three-point", PRESSED),
                                               ("three-point", BOUNCING), ("three-point", HARD),
                                               ("release", PRESSED)])
def test_exponent_one_costs_at_most_fifteen_free_steps(scheme, given):
    case = BarrierCase(scheme, 1.0, **given)
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
    case = BarrierCase(scheme, exponent, **given)
    assert case.inside == 1.0
    found = ratio(case, lambda: powers(STEPS, 1.3))
    shown(f"{scheme}, exponent {exponent}", found, "one pow")
    assert found.value <= 8.0


@pytest.mark.gate
def test_short_contacts_cost_at_most_eight_powers_a_step_of_contact():
    # with the steps of free flight between at their own price; a contact of n samples is n + 2
    # steps of the three-point scheme
    case, free = BarrierCase("three-point", 1.3, **HARD), BarrierCase("three-point", 1.3,
                                                        **(HARD | {"barrier": 1.0}))
    contact, power = ratio(case, free), ratio(lambda: powers(STEPS, 1.3), free)
    steps = case.inside * STEPS + 2 * case.kernel.statistics["contacts"]
    cost = (contact.first - contact.second * (1.0 - steps / STEPS)) / steps
    print(
        f"\n{cost * 1e9:.0f} ns a step in contact, "
        f"{case.kernel.statistics['evaluations'] / steps:.1f} evaluations, "
        f"one pow {power.first / STEPS * 1e9:.1f} ns: {cost / power.first * STEPS:.1f}")
    assert cost <= 8.0 * power.first / STEPS
