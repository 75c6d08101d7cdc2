"""Speed of impacts: a mass on a modal object of few and of many modes. Gates: pytest benchmarks -m
gate."""
import pytest

from benchmarks.cases import STEPS
from benchmarks.impact_cases import EXACT, Bounces, Impact
from benchmarks.ratio import ratio


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


@pytest.mark.gate
def test_an_irregular_ball_costs_little_more_than_two_round_ones():
    irregular, round_one = Bounces(0.6), Bounces(0.0)
    found = ratio(irregular, round_one)
    print(f"\nirregular {found.first / STEPS * 1e9:.0f} ns, round {found.second / STEPS * 1e9:.0f} "
          f"ns a step: {found.value:.2f}")
    assert min(irregular.run.contact_steps, round_one.run.contact_steps) > 100
    assert max(irregular.run.residual, round_one.run.residual) <= EXACT
    assert found.value <= 2.2
