"""Blows with felt that has a memory: balance, a closed form, order and limits."""
import numpy as np
import pytest
from scipy.linalg import expm

from pysitar import ContactLaw, FeltLaw, ImpactSimulation, ModalObject, ParameterError

MASS = 0.01
BODY = ModalObject(frequencies=[300.0, 1100.0], decay_rates=[4.0, 9.0], masses=[0.2, 0.1],
                   shapes=[1.0, -0.8])


def blow(law, *, body=None, velocity=2.0, rate=96000.0, steps=1000,
         outputs=("mass_velocity", "contact_force")):
    simulation = ImpactSimulation(body=body, mass=MASS, law=law, velocity=velocity,
                                  sample_rate=rate)
    return simulation.run(steps, outputs)


@pytest.mark.parametrize("body", [None, BODY], ids=["wall", "object"])
@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.7])
def test_balance_and_heat(body, exponent):
    stiffness = 1e4 * 2e-3 ** (1.0 - exponent)
    law = FeltLaw(stiffness=stiffness, exponent=exponent, memory=0.8, memory_time=3e-4)
    run = blow(law, body=body, steps=2000)
    assert run.residual < 1e-12                     # of the energy, by rounding alone
    heat = np.diff(run.losses)
    first = run.energy[0]
    assert heat.min() >= -1e-15 * first             # of every step
    if body is None:
        assert run.losses[-1] > 0.2 * first      # a good part of the blow is lost
        assert run.outputs[:, 1].min() == 0.0 < run.outputs[:, 1].max()
        # what is not lost flies away, or is still in the felt
        assert 0.5 * MASS * run.outputs[-1, 0] ** 2 < 0.8 * first


def exact_states(stiffness, memory, tau, velocity, times):
    """Compression, its speed and memory of a mass on felt of exponent 1, in contact: a linear
    system of order three."""
    matrix = np.array([[0.0, 1.0, 0.0],
                       [-stiffness / MASS, 0.0, stiffness * memory / MASS],
                       [1.0 / tau, 0.0, -1.0 / tau]])
    return np.array([expm(matrix * t) @ [0.0, velocity, 0.0] for t in times])


def test_closed_form_of_exponent_1():
    # until the force is 0 again; four times the steps, a sixteenth of the error
    stiffness, memory, tau = 1e5, 0.5, 2e-4
    law = FeltLaw(stiffness=stiffness, exponent=1.0, memory=memory, memory_time=tau)
    errors = []
    for rate in (48000.0, 192000.0):
        run = blow(law, velocity=1.0, rate=rate, steps=int(5e-4 * rate))
        states = exact_states(stiffness, memory, tau, 1.0, run.time)
        assert (states[1:, 0] > memory * states[1:, 2]).all()            # in contact
        errors.append(np.abs(run.outputs[:, 0] - states[:, 1]).max())
    assert errors[0] < 5e-3
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.1)


def test_second_order():
    law = FeltLaw(stiffness=1e11, exponent=2.5, memory=0.6, memory_time=1e-4)
    last = [blow(law, rate=48000.0 * 2**k, steps=480 * 2**k).outputs[-1, 0] for k in range(5)]
    changes = np.abs(np.diff(last))
    assert changes[:-1] / changes[1:] == pytest.approx([4.0] * 3, rel=0.25)


def test_limits():
    spring = blow(ContactLaw(stiffness=1e11, exponent=2.5), steps=200).outputs
    options = {"stiffness": 1e11, "exponent": 2.5}
    # no memory is a spring, to the bit; one of 100 s lowers the 160 N of a blow of 0.4 ms by less
    # than 160 N * 0.5 * 0.4 ms / 100 s = 3e-4 N
    assert np.array_equal(blow(FeltLaw(**options, memory=0.0, memory_time=1e-4),
                               steps=200).outputs, spring)
    slow = blow(FeltLaw(**options, memory=0.5, memory_time=100.0), steps=200).outputs
    assert slow == pytest.approx(spring, rel=0.0, abs=1e-3)
    assert not np.array_equal(slow, spring)
    # one that is over at once leaves a softer spring: it lags by half a step, so to first order
    fast = blow(FeltLaw(**options, memory=0.5, memory_time=1e-9), rate=768000.0, steps=1600)
    soft = blow(ContactLaw(stiffness=0.5e11, exponent=2.5), rate=768000.0, steps=1600)
    assert fast.outputs[:, 1].max() == pytest.approx(soft.outputs[:, 1].max(), rel=0.02)
    assert np.abs(fast.outputs[-1, 0]) == pytest.approx(2.0, rel=0.03)


def test_the_second_blow_meets_felt_that_remembers():
    law = FeltLaw(stiffness=1e11, exponent=2.5, memory=0.6, memory_time=5e-3)
    simulation = ImpactSimulation(body=None, mass=MASS, law=law, velocity=2.0, sample_rate=96000.0)
    forces = []
    for gap in (0.0, 0.0, 0.2):                     # at once, and after 100 ms
        simulation.strike(velocity=2.0, gap=gap)
        run = simulation.run(200 + int(gap / 2.0 * 96000.0), ["contact_force"])
        assert run.residual < 1e-12
        forces.append(run.outputs.max())
    assert forces[1] != pytest.approx(forces[0], rel=1e-2)
    assert forces[2] == pytest.approx(forces[0], rel=1e-3)


@pytest.mark.parametrize(("name", "value"), [("memory", 1.0), ("memory", -0.1),
                                             ("memory_time", 0.0), ("stiffness", 0.0),
                                             ("exponent", 0.9)])
def test_ranges(name, value):
    good = {"stiffness": 1e10, "exponent": 2.5, "memory": 0.5, "memory_time": 1e-4}
    with pytest.raises(ParameterError, match=f"{name} is .*; expected"):
        FeltLaw(**good | {name: value})


def test_a_drop_needs_a_contact_law():
    law = FeltLaw(stiffness=1e10, memory=0.5, memory_time=1e-4)
    simulation = ImpactSimulation(body=None, mass=MASS, law=law, velocity=0.0, gravity=9.81,
                                  sample_rate=48000.0)
    with pytest.raises(ParameterError, match="expected a ContactLaw, for a mass that comes to"):
        simulation.drop(height=0.01)
