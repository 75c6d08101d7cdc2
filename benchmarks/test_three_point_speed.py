"""Speed of the three-point kernel against the two-point one. Gates: pytest benchmarks -m gate."""
import pytest

from benchmarks.cases import RATE, STEPS, Case, far_below
from benchmarks.ratio import ratio
from pysitar.models.network.schemes.three_point import three_point_network

EXACT = 1e-12  # what every benchmark's energy balance must keep, or it timed something else


@pytest.mark.gate
@pytest.mark.parametrize(("given", "most"), [({}, 1.6), ({"height": far_below}, 1.35)],
                         ids=["contact", "free"])
def test_three_points_cost_little_more(given, most):
    # in contact it needs twice the iterations: docs/speed.md; free, the two-point step alone has a
    # pass of its own for rows that are apart
    three, two = Case(**given, scheme=three_point_network), Case(**given)
    found = ratio(three, two)
    print(
        f"\nthree-point {found.first / STEPS * 1e9:.0f} ns, two-point "
        f"{found.second / STEPS * 1e9:.0f} ns a step: {found.value:.2f} "
        f"({1.0 / (found.first / STEPS * RATE):.0f} times real time)")
    assert max(three.residual, two.residual) <= EXACT
    assert found.value <= most
