"""Speed of StringSimulation.run against its kernel's own loop. Gates: pytest benchmarks -m gate."""
import pytest

from benchmarks.cases import POINTS, RATE, STEPS, STRING, Case, bridge, far_below
from benchmarks.ratio import ratio
from pysitar import Barrier, ContactLaw, StringSimulation


class SimulationCase:
    """The run of `Case` by the public class, with energies of some steps."""

    def __init__(self, height, energy_every) -> None:
        barrier = Barrier(profile=height, start=0.0, end=0.03, points=POINTS,
                          law=ContactLaw(stiffness=1e9))
        self.simulation = StringSimulation(string=STRING, barriers=[barrier], sample_rate=RATE)
        self.energy_every = energy_every

    def __call__(self) -> None:
        self.simulation.set_displacement(triangle=(0.35, 3e-3))
        self.run = self.simulation.run(STEPS, energy_every=self.energy_every)


# energies of every step are summed in lanes: 1.05 to 1.17 measured in contact; a free step is
# shorter: 1.75, with few energies 1.38 in runs of a tenth of a second
@pytest.mark.gate
@pytest.mark.parametrize(("height", "energy_every", "most"), [
    (bridge, 1, 1.3), (bridge, 64, 1.15), (far_below, 1, 3.0), (far_below, 64, 1.3)],
    ids=["contact", "contact, few energies", "free", "free, few energies"])
def test_the_face_against_its_kernel(height, energy_every, most):
    face, kernel = SimulationCase(height, energy_every), Case(height=height)
    found = ratio(face, kernel)
    print(f"\nrun {found.first / STEPS * 1e9:.0f} ns, kernel {found.second / STEPS * 1e9:.0f} ns a "
          f"step: {found.value:.2f}")
    assert (face.run.contact_steps > 0) == (height is bridge) and face.run.residual < 1e-11
    assert found.value <= most
