"""Speed of coupled strings against the same strings alone. Gates: pytest benchmarks -m gate."""
import pytest

from benchmarks.cases import CoupledCase
from benchmarks.ratio import ratio

EXACT = 1e-11  # what every benchmark's energy balance must keep, or it timed something else


@pytest.mark.gate
def test_coupling_at_most_twice():
    coupled, alone = CoupledCase(coupled=True), CoupledCase(coupled=False)
    found = ratio(coupled, alone)
    print(f"\n{coupled.strings} strings: coupled {found.first / coupled.steps * 1e6:.2f} us, alone "
          f"{found.second / coupled.steps * 1e6:.2f} us a step: {found.value:.2f}")
    assert max(coupled.residual, alone.residual) <= EXACT
    assert found.value <= 2.0
