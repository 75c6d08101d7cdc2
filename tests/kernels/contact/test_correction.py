"""The corrected contact row of a network: agreement with the lumped mass, energy, and reset."""
import numpy as np
import pytest
from twins.laws import law_columns

from pysitar.kernels.modal.three_point import ThreePoint
from pysitar.kernels.modal.two_point import TwoPoint
from pysitar.models.masses.mass_barrier import mass_barrier
from pysitar.physics.lossless_contact import duration_excess, lossless_contact_time

RATE = 50e3
LAWS = [(1.0, 1e9), (1.0, 1e11), (1.5, 2e11), (2.3, 3e14)]
KERNELS = [(TwoPoint, "two-point"), (ThreePoint, "three-point")]


def ball(kernel, exponent, stiffness, *, corrected=True):
    """Return a mass of 1 kg, a mode of frequency 0, two steps at 1 m/s below a barrier at 0."""
    one = np.ones(1)
    network = kernel(angular_frequencies=0.0 * one, decay_rates=0.0 * one, masses=one,
                     time_step=1.0 / RATE, shapes=-np.ones(
                         (1, 1)), laws=law_columns(stiffness=stiffness, exponent=exponent),
                     offsets=0.0 * one)
    if corrected:
        network.correct(
            0, duration=lossless_contact_time(mass=1.0, stiffness=stiffness, exponent=exponent,
                                              velocity=1.0), excess=duration_excess(exponent))
    network.set_outputs(np.ones((1, 1)))
    return network


@pytest.mark.parametrize(("kernel", "scheme"), KERNELS)
@pytest.mark.parametrize(("exponent", "stiffness"), LAWS)
@pytest.mark.parametrize("velocity", [1.0, 0.2])
def test_is_the_lumped_correction(kernel, scheme, exponent, stiffness, velocity):
    """Mode and mass differ by round-off: 40 steps of epsilon times 1e-3 m, amplified 1e4 times by a
    contact of stiffness 1e8 k."""
    start = -3.3e-5
    out = np.empty((40, 1))
    network, plain = ball(kernel, exponent, stiffness), ball(kernel, exponent, stiffness,
                                                             corrected=False)
    for one in (plain, network):
        one.set_state(np.array([start]), np.array([velocity]))
        one.advance(40, out)
        if one is plain:
            free = out.copy()
    run = mass_barrier(mass=1.0, stiffness=stiffness, exponent=exponent, sample_rate=RATE, steps=40,
                       position=start, velocity=velocity, scheme=scheme, corrected=True)
    assert np.abs(out[:, 0] - run.position).max() <= 40 * 2.3e-16 * 1e-3 * 1e4
    assert np.abs(free - out).max() > 1e-7          # m: the correction has this effect


@pytest.mark.parametrize(("kernel", "scheme"), KERNELS)
def test_keeps_the_energy_and_latches(kernel, scheme):
    """Each contact has the stiffness for its speed, and H = m v^2 / 2 before, in and after it, to
    round-off."""
    network = ball(kernel, 1.5, 2e11)
    ledger = np.empty((60, 6))
    for velocity in (1.0, 0.3, 1.0):
        network.set_state(np.array([-3.3e-5]), np.array([velocity]))
        network.advance(60, np.empty((60, 1)), energies=ledger, every=1)
        total = ledger[:, :3].sum(axis=1)
        assert np.abs(total - 0.5 * velocity * velocity).max() <= 1e-13 * 0.5 * velocity * velocity
        assert ledger[:, 2].max() > 0.2 * total[0]


@pytest.mark.parametrize(("kernel", "scheme"), KERNELS)
def test_a_start_in_contact_has_the_plain_stiffness(kernel, scheme):
    network, plain = ball(kernel, 1.5, 2e11), ball(kernel, 1.5, 2e11, corrected=False)
    network.set_state(np.array([-3.3e-5]), np.ones(1))
    network.advance(4, np.empty((4, 1)))          # it is in contact now
    for one in (network, plain):
        one.set_state(np.array([1e-5]), np.zeros(1))
    np.testing.assert_array_equal(network.energy()[:3], plain.energy()[:3])


def test_what_is_refused():
    network = ball(TwoPoint, 1.5, 2e11, corrected=False)
    with pytest.raises(IndexError, match="is not a contact row"):
        network.correct(1, duration=1e-4, excess=1.5)
    with pytest.raises(ValueError, match="duration"):
        network.correct(0, duration=0.0, excess=1.5)
