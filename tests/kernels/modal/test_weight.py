"""A constant force on the modes: closed forms, the same bits as a force applied in every step, and
sleep."""
import numpy as np
import pytest
from twins.laws import law_columns

from pysitar.kernels.modal.three_point import ThreePoint
from pysitar.kernels.modal.two_point import TwoPoint

RATE = 44100.0
MASS = 0.01                     # kg
WEIGHT = 9.81 * MASS            # N


def ball_on_floor(kernel=TwoPoint, *, damping: float = 2.0, height: float = 1e-3):
    """A ball, a mode of frequency 0 that falls to larger y, above a rigid floor at y = 0."""
    one = np.ones(1)
    ball = kernel(angular_frequencies=0.0 * one, decay_rates=0.0 * one, masses=MASS * one,
                  time_step=1.0 / RATE, shapes=-np.ones(
                      (1, 1)), laws=law_columns(stiffness=1e6, damping=damping, adhesive=False),
                  offsets=0.0 * one)
    ball.set_state(-height * one, 0.0 * one)
    ball.set_outputs(np.ones((1, 1)))
    return ball


def resonator(kernel):
    """Two modes of 100 and 230 Hz without rows."""
    return kernel(angular_frequencies=2.0 * np.pi * np.array([100.0, 230.0]),
                  decay_rates=np.array([40.0, 60.0]), masses=np.array([0.1, 0.3]),
                  time_step=1.0 / RATE, shapes=np.zeros((0, 2)), laws=law_columns(0),
                  offsets=np.zeros(0))


@pytest.mark.parametrize("kernel", [TwoPoint, ThreePoint])
def test_free_fall(kernel):
    """y = -h + g t^2 / 2, exact but for rounding, 400 steps of 1 m epsilon.

    Three points start with the speed 0 that holds without a force: y before and after are then the
    same, which is a speed of g dt / 2. """
    ball = ball_on_floor(kernel, height=1.0)
    ball.set_weight(np.array([WEIGHT]))
    out = np.empty((400, 1))
    ball.advance(400, out)
    t = np.arange(400) / RATE
    speed = 0.5 * 9.81 / RATE if kernel is ThreePoint else 0.0
    assert np.abs(out[:, 0] + 1.0 - (0.5 * 9.81 * t + speed) * t).max() <= 400 * 2.3e-16
    assert out[-1, 0] > -1.0 + 1e-5


@pytest.mark.parametrize("kernel", [TwoPoint, ThreePoint])
def test_same_bits_and_ledger_as_a_force_of_every_step(kernel):
    heavy, pushed = ball_on_floor(kernel), ball_on_floor(kernel)
    heavy.set_weight(np.array([WEIGHT]))
    pushed.set_inputs(np.ones((1, 1)))
    steps = 5000
    outs, ledger = np.empty((2, steps, 1)), np.empty((2, steps, 6))
    heavy.advance(steps, outs[0], energies=ledger[0], every=1)
    pushed.advance(steps, outs[1], forces=np.full((steps, 1), WEIGHT), energies=ledger[1], every=1)
    np.testing.assert_array_equal(outs[0], outs[1])
    np.testing.assert_array_equal(ledger[0], ledger[1])
    assert outs[0].max() > 0.0          # it has touched the floor
    stored = ledger[0][:, :3].sum(axis=1)
    residual = np.abs(stored - stored[0] + ledger[0][:, 3] - ledger[0][:, 4])
    assert residual.max() <= 1e-13 * max(stored.max(), ledger[0][-1, 5])
    assert ledger[0][-1, 4] > 1e-6       # work of the weight, J


@pytest.mark.parametrize("kernel", [TwoPoint, ThreePoint])
def test_rest_under_a_weight(kernel):
    """The equilibrium of a mode is weight / k*, stationary and reported; k* = k up to (omega dt)^2
    / 12."""
    body = resonator(kernel)
    body.set_outputs(np.eye(2))
    body.set_weight(np.array([3.0, -1.0]))
    body.set_equilibrium()
    rest = body.displacement()
    k = np.array([0.1, 0.3]) * (
        (2.0 * np.pi * np.array([100.0, 230.0]))**2 + np.array([40.0, 60.0])**2)
    np.testing.assert_allclose(rest, np.array([3.0, -1.0]) / k, rtol=2e-4)
    out = np.empty((3000, 2))
    body.advance(3000, out)
    assert np.abs(out - rest).max() <= 1e-13 * np.abs(rest).max()
    energy, output = body.equilibrium_at()
    kinetic, potential, contact, *_ = body.energy()
    assert output == pytest.approx(rest[0], rel=1e-12)
    assert energy == pytest.approx(kinetic + potential + contact - (3.0 * rest[0] - rest[1]),
                                   rel=1e-10)
    assert energy < 0.0


@pytest.mark.parametrize("kernel", [TwoPoint, ThreePoint])
def test_sleeps_under_its_weight(kernel):
    """A bouncing ball comes to rest and sleeps; the same weight as an input force would prevent
    sleep."""
    slept = []
    for heavy in (True, False):
        ball = ball_on_floor(kernel, damping=20.0, height=1e-4)
        deep = WEIGHT / 1e6
        ball.set_inputs(np.ones((1, 1)))
        if heavy:
            ball.set_weight(np.array([WEIGHT]))
        ball.set_sleep(energy_ratio=1e-6, output_level=0.0, output_ratio=1e-3, min_quiet_steps=2000)
        ball.set_sleep_reference(-0.5 * WEIGHT * deep, deep)
        ball.wake(reset_peaks=True)
        steps = 60000
        force = np.full((steps, 1), 0.0 if heavy else WEIGHT)
        slept.append(
            ball.advance(steps, np.empty((steps, 1)), forces=force, energies=np.empty(
                (steps // 64 + 1, 6)), every=64, may_sleep=True))
    assert 2500 < slept[0] < 60000 == slept[1]


def test_a_weight_that_is_none_is_refused():
    ball = ball_on_floor()
    with pytest.raises(ValueError, match="finite"):
        ball.set_weight(np.array([np.nan]))
    with pytest.raises(ValueError, match="modes"):
        ball.set_weight(np.zeros(2))
