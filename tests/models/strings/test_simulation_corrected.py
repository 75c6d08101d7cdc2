"""Corrected contacts of a string at one point: better where its modes are a mass to the contact,
and what is refused."""
import numpy as np
import pytest
from models.strings.simulated_strings import RATE
from physics.strings import SITAR

from pysitar import Barrier, ContactLaw, ParameterError, StringSimulation

FINE = 64
STEPS = 300


def displacement(*, rate, steps, scheme="two-point", corrected=False, modes=3):
    point = Barrier.point(position=0.13, height=-3e-4, law=ContactLaw(stiffness=1e7, exponent=1.5))
    sim = StringSimulation(string=SITAR, barriers=[point], sample_rate=rate, modes=modes,
                           scheme=scheme, corrected=corrected)
    sim.set_displacement(triangle=(0.2, 2e-3))
    run = sim.run(steps, [("displacement", 0.3)])
    assert run.contact_steps > 0
    # a corrected contact may be 1e8 times as stiff, and rounds the more
    assert run.residual <= 1e-11
    return run.outputs[:, 0]


@pytest.mark.parametrize("scheme", ["two-point", "three-point"])
def test_with_few_modes_the_error_falls(scheme):
    """3 modes (to 1 kHz) and contacts of 4 steps: measured 1.9e-2 -> 2.0e-3 and 4.5e-2 -> 3.0e-3 of
    the greatest displacement.

    The reference at 64 times the rate has errors of a second-order scheme, 4096 times smaller than
    the plain ones: 1.1e-5. """
    truth = displacement(rate=RATE * FINE, steps=STEPS * FINE)[::FINE]
    found = [
        displacement(rate=RATE, steps=STEPS, scheme=scheme, corrected=on) for on in (False, True)]
    plain, corrected = (np.abs(one - truth).max() / np.abs(truth).max() for one in found)
    assert 1e-2 < plain < 1e-1
    assert 5e-4 < corrected < plain / 5.0


def test_what_is_refused():
    point = Barrier.point(position=0.13, height=-3e-4, law=ContactLaw(stiffness=1e7, exponent=1.5))
    damped = Barrier.point(position=0.13, height=-3e-4,
                           law=ContactLaw(stiffness=1e7, exponent=1.5, damping=0.1))
    for barriers, why in (([], "has 0 barrier points"), ([point, point], "has 2 barrier points"),
                          ([damped], "without damping")):
        with pytest.raises(ParameterError, match=why):
            StringSimulation(string=SITAR, barriers=barriers, sample_rate=RATE, corrected=True)
