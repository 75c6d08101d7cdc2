"""Masses that are attracted before they touch: balance, symmetry in time, sticking, limits."""
import math

import numpy as np
import pytest

from pysitar import AdhesiveLaw, ContactLaw, ImpactSimulation, ModalObject, ParameterError

MASS, RATE = 1e-3, 192e3
LAW = AdhesiveLaw(stiffness=1e8, exponent=1.5, attraction=2.0, range=1e-4)
BODY = ModalObject(frequencies=[900.0, 2500.0], decay_rates=[200.0, 300.0], masses=[5e-3, 5e-3],
                   shapes=[1.0, 0.7])
OUTPUTS = ("mass_position", "mass_velocity", "contact_force")


def simulation(law=LAW, *, velocity=0.5, gap=2e-4, body=None):
    return ImpactSimulation(body=body, mass=MASS, law=law, velocity=velocity, gap=gap,
                            sample_rate=RATE)


def test_bounce_off_a_wall():
    run = simulation().run(2000, OUTPUTS)
    position, velocity, force = run.outputs.T
    assert run.residual < 1e-12
    assert run.losses[-1] == 0.0
    assert force.min() == pytest.approx(-2.0, rel=0.02)      # the attraction, and no more
    # in contact with v^2 + 2 (2/3 A d) / m, away again with v
    energy = 2.0 / 3.0 * 2.0 * 1e-4
    inside = np.abs(velocity[(position > -2e-6) & (position < 0.0)])
    assert inside == pytest.approx(math.sqrt(0.25 + 2.0 * energy / MASS), rel=1e-2)
    assert velocity[-1] == pytest.approx(-0.5, rel=1e-9)


def test_reversed_in_time():
    # the scheme is symmetric: with velocity reversed the mass returns, within 1e4 roundings
    kernel = simulation()._kernel
    kernel.set_outputs(np.ones((1, 1)))
    out = np.empty((150, 1))
    start = kernel.displacement(), kernel.velocity()
    kernel.advance(150, out)
    assert kernel.velocity()[0] * start[1][0] < 0.0          # it has bounced
    kernel.set_state(kernel.displacement(), -kernel.velocity())
    kernel.advance(150, out)
    assert kernel.displacement() == pytest.approx(start[0], abs=1e-14)
    assert kernel.velocity() == pytest.approx(-start[1], rel=1e-9)


def test_a_slow_mass_sticks():
    # the object takes so much of its energy that it cannot leave; a fast one leaves, and so does
    # the slow one where nothing attracts
    slow = simulation(velocity=0.02, body=BODY).run(20000, OUTPUTS)
    assert slow.residual < 1e-11
    assert np.abs(slow.outputs[-2000:, 0]).max() < 1e-4
    assert slow.losses[-1] > 0.5 * MASS * 0.02 * 0.02        # of the attraction, too
    fast = simulation(velocity=3.0, body=BODY).run(20000, OUTPUTS)
    free = simulation(ContactLaw(stiffness=1e8, exponent=1.5), velocity=0.02, body=BODY)
    for run in (fast, free.run(20000, OUTPUTS)):
        assert run.residual < 1e-11
        assert run.outputs[-1, 0] < -1e-4


def test_no_attraction_is_a_spring():
    plain = ContactLaw(stiffness=1e8, exponent=1.5)
    law = AdhesiveLaw(stiffness=1e8, exponent=1.5, attraction=0.0, range=1e-4)
    one, other = (simulation(x).run(500, OUTPUTS).outputs for x in (law, plain))
    assert one == pytest.approx(other, rel=1e-9, abs=1e-9)


def test_second_order():
    last = []
    for k in range(4):
        run = ImpactSimulation(body=None, mass=MASS, law=LAW, velocity=0.5, gap=5e-5,
                               sample_rate=RATE * 2**k).run(2**k * 60 + 1, OUTPUTS)
        last.append(run.outputs[-1, 0])
    changes = np.abs(np.diff(last))
    assert changes[:-1] / changes[1:] == pytest.approx([4.0, 4.0], rel=0.4)


def test_a_steep_attraction_is_refused():
    law = AdhesiveLaw(stiffness=1e8, attraction=2e5, range=1e-9)
    with pytest.raises(ParameterError, match=r"law is .*an attraction falls by .* a shorter step"):
        simulation(law)


@pytest.mark.parametrize(("name", "value"), [("attraction", -1.0), ("range", 0.0),
                                             ("stiffness", 0.0), ("exponent", 0.5)])
def test_ranges(name, value):
    good = {"stiffness": 1e8, "attraction": 1.0, "range": 1e-4}
    with pytest.raises(ParameterError, match=f"{name} is .*; expected"):
        AdhesiveLaw(**good | {name: value})
