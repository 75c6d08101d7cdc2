"""Blows of viscoelastic balls: restitution, balance, order, and their bounces in a score."""
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import beta

import pysitar
from pysitar import ContactLaw, ImpactSimulation, ModalObject, ViscoelasticLaw

MASS, K = 0.005, 4e9
BODY = ModalObject(frequencies=[300.0, 1100.0], decay_rates=[4.0, 9.0], masses=[0.2, 0.1],
                   shapes=[1.0, -0.8])


def restitution(law, velocity, rate=4e6):
    run = ImpactSimulation(body=None, mass=MASS, law=law, velocity=velocity,
                           sample_rate=rate).run(int(6e-4 * rate * velocity**-0.2),
                                                 ["mass_velocity", "contact_force"])
    assert run.outputs[-1, 1] == 0.0 and run.residual < 1e-12
    return -run.outputs[-1, 0] / velocity


def small_loss(loss_time, velocity, a):
    """1 - e^2 to first order in the loss time: the heat along the path without loss,
    2 K A v xm^a a/(a+1) B(a/(a+1), 3/2), over the energy."""
    deepest = ((a + 1.0) * MASS * velocity**2 / (2.0 * K)) ** (1.0 / (a + 1.0))
    heat = (2.0 * K * loss_time * velocity * deepest**a * a / (a + 1.0)
            * beta(a / (a + 1.0), 1.5))
    return heat / (0.5 * MASS * velocity**2)


@pytest.mark.parametrize("exponent", [1.5, 2.0])
@pytest.mark.parametrize("velocity", [0.1, 1.0])
def test_closed_form_of_a_small_loss(exponent, velocity):
    # the next order is about the square of the loss, 2.4 % of it at most
    for loss_time in (1e-8, 1e-7):
        law = ViscoelasticLaw(stiffness=K, exponent=exponent, loss_time=loss_time)
        lost = 1.0 - restitution(law, velocity) ** 2
        assert lost == pytest.approx(small_loss(loss_time, velocity, exponent),
                                     rel=2.0 * lost + 2e-3)


def test_the_loss_grows_with_the_fifth_root_of_the_speed():
    law = ViscoelasticLaw(stiffness=K, loss_time=2e-8)
    slow, fast = (1.0 - restitution(law, v) ** 2 for v in (1.0 / 32.0, 1.0))
    assert fast / slow == pytest.approx(2.0, rel=0.01)
    # Hunt and Crossley's grows with the speed
    law = ContactLaw(stiffness=K, exponent=1.5, damping=0.01)
    slow, fast = (1.0 - restitution(law, v) ** 2 for v in (1.0 / 32.0, 1.0))
    assert fast / slow == pytest.approx(32.0, rel=0.02)


@pytest.mark.parametrize("loss_time", [1e-6, 1e-5])
def test_restitution_of_a_large_loss(loss_time):
    def rates(t, y):
        x = max(y[0], 0.0)
        force = K * (x**1.5 + 1.5 * loss_time * x**0.5 * y[1]) if x > 0.0 else 0.0
        return [y[1], -max(force, 0.0) / MASS]

    solved = solve_ivp(rates, (0.0, 5e-4), [0.0, 1.0], rtol=1e-9, atol=1e-13, max_step=1e-6)
    law = ViscoelasticLaw(stiffness=K, loss_time=loss_time)
    assert restitution(law, 1.0) == pytest.approx(-solved.y[1, -1], abs=2e-5)
    assert 0.4 < -solved.y[1, -1] < 0.95


def test_second_order():
    # displacement in contact; a quarter of the step, a sixteenth of the error
    law = ViscoelasticLaw(stiffness=K, loss_time=3e-6)
    times, values = 4e-5, []
    for rate in (4e5, 1.6e6, 6.4e6):
        run = ImpactSimulation(body=None, mass=MASS, law=law, velocity=1.0,
                               sample_rate=rate).run(round(times * rate) + 1, ["mass_velocity"])
        values.append(run.outputs[round(times * rate), 0])
    assert 1e-5 < abs(values[0] - values[1]) < 1e-2
    assert (values[0] - values[1]) / (values[1] - values[2]) == pytest.approx(16.0, rel=0.3)


def test_balance_on_an_object():
    law = ViscoelasticLaw(stiffness=K, loss_time=5e-6)
    run = ImpactSimulation(body=BODY, mass=MASS, law=law, velocity=2.0,
                           sample_rate=96000.0).run(2000, ["contact_force"])
    assert run.residual < 1e-12 and np.diff(run.losses).min() >= -1e-15 * run.energy[0]
    assert run.losses[60] > 0.02 * run.energy[0]


def bounce_heights(row):
    score = pysitar.load_score(
        text="use marble_slab as m\nrender rate=48000 oversample=4 channels=1 tail=0\n"
             f"0 m.slab drop height=5cm ball=glass dur=1.5s {row}\n")
    found = pysitar.render(score, traces=True)
    force = next(v for k, v in found.traces.items() if k.endswith("contact_force"))
    touching = force > 0.0
    hits = np.flatnonzero(touching[1:] & ~touching[:-1])
    flights = np.diff(hits) / 192000.0
    return flights[flights > 5e-3]


def test_a_dropped_marble_bounces_ever_more_elastically():
    """The ratio of two flights is the restitution: near 0.92 at 1 m/s, and closer to 1 as the ball
    slows. The part of the loss in the slab is the same at any speed."""
    flights = bounce_heights("")
    ratios = flights[1:] / flights[:-1]
    assert len(ratios) > 6 and 0.85 < ratios[0] < 0.94
    speeds = 0.5 * 9.81 * flights
    power = np.polyfit(np.log(speeds[:-1]), np.log(1.0 - ratios), 1)[0]
    assert 0.05 < power < 0.35
