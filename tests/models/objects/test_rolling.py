"""RollingSimulation: rest, a sinus and an eccentric ball by closed forms, the weight on average,
balance, division, loudness."""
import math

import numpy as np
import pytest

from pysitar import (
    ContactLaw,
    ImpactSimulation,
    ModalObject,
    ParameterError,
    RollingSimulation,
    Surface,
)
from pysitar.models.network import run as room

G, MASS, RADIUS = 9.81, 5.4e-3, 8e-3
ALL = ["mass_position", "mass_velocity", "contact_force", "body_displacement", "body_velocity"]
LAW = ContactLaw(stiffness=1.29e8, exponent=1.5, damping=0.5)
DAMPED = ContactLaw(stiffness=1.338e8, exponent=1.5, damping=20.0)
TABLE = ModalObject(  # the lowest modes of a wooden table
    frequencies=[315.35, 606.43, 970.29, 1091.6, 1261.4,
                 1746.5], decay_rates=[21.85, 36.48, 54.77, 60.87, 69.4, 93.79], masses=[0.648] * 6,
    shapes=[0.8813, 0.7, 0.4918, -0.3253, 0.3906, -0.1815])
GRAIN = Surface.rough(rms=4e-7, shortest=2e-4, longest=2e-2, length=0.3, seed=1)


def rolling(*, body=TABLE, law=DAMPED, surface=GRAIN, speed=0.5, rate=48e3, mass=MASS,
            radius=RADIUS, **given):
    return RollingSimulation(body=body, mass=mass, radius=radius, law=law, surface=surface,
                             speed=speed, sample_rate=rate, **given)


def level(values):
    return 10.0 * math.log10(np.mean(values ** 2))


def wave(height, length, points=1024):
    return Surface(heights=height * (1.0 - np.cos(2.0 * np.pi * np.arange(points) / points)),
                   spacing=length / points)


def test_it_starts_at_rest_and_stays_there():
    run = rolling(surface=None, law=LAW).run(5000, ALL)
    z, v, f, w, _ = run.outputs.T
    # G15: the compression under the weight; each mode gives by the scheme's stiffness, k* = m
    # (2/h)^2 tan^2(w h / 2) nearly
    assert np.abs((z - w) / 5.524784865e-7 - 1.0).max() <= 1e-9
    assert z[0] - w[0] == pytest.approx((MASS * G / 1.29e8) ** (2.0 / 3.0), rel=1e-13)
    stiffness = 0.648 * (2.0 * 48e3 * np.tan(np.pi * TABLE.frequencies / 48e3)) ** 2
    assert w[0] == pytest.approx(MASS * G * np.sum(TABLE.shapes ** 2 / stiffness), rel=1e-4)
    assert np.abs(f / (MASS * G) - 1.0).max() <= 1e-14
    assert np.abs(v).max() <= 1e-15
    # a compression that is rounded at each step, by 1e-16 of itself, against an energy of 2/5 of
    # weight times compression
    assert run.residual <= 5000 * 2.5 * 1.2e-16


def test_a_sinus_golden():
    # impact.md G15: e = 1e-5 (1 - cos 2 pi s / 1e-2), the ball so small that it follows the points
    run = rolling(body=None, law=LAW, surface=wave(1e-5, 1e-2), radius=1e-6,
                  speed=1.0).run(48000, ALL)
    assert run.outputs[0, 0] == pytest.approx(5.524784865e-7, rel=1e-9)
    f = run.outputs[24000:, 2]
    assert f.mean() / (MASS * G) == pytest.approx(1.00005, abs=1e-5)
    turns = 2.0 * np.pi * 100.0 * np.arange(24000) / 48e3
    amplitude = 2.0 * np.hypot(np.mean(f * np.cos(turns)), np.mean(f * np.sin(turns)))
    assert amplitude == pytest.approx(0.02165, rel=5e-4)
    # m A w^2 by the contact's spring at rest: the wave is half of the weight, so 1 %
    w = 2.0 * np.pi * 100.0
    spring = 1.5 * 1.29e8 * math.sqrt(5.524784865e-7)
    assert amplitude == pytest.approx(MASS * 1e-5 * w * w / (1.0 - MASS * w * w / spring), rel=0.01)
    # it presses in the valleys, and little else is in it
    assert np.corrcoef(f, np.cos(turns))[0, 1] > 0.95
    assert run.residual <= 1e-13
    assert np.abs(run.work).max() > 1e-9


def test_a_steep_wave_throws_the_ball():
    # A w^2 > g: it flies; the mean force over a second is still the weight, to the momentum it
    # began with
    run = rolling(body=None, law=ContactLaw(stiffness=1.29e8, exponent=1.5, damping=2.0),
                  surface=wave(1e-4, 1e-2), radius=1e-6, speed=1.0).run(48000, ALL)
    f = run.outputs[:, 2]
    assert 0.005 < np.mean(f > 0.0) < 0.5
    assert f.min() == 0.0
    change = MASS * (run.outputs[-1, 1] - run.outputs[0, 1])
    assert np.mean(f[:-1]) == pytest.approx(MASS * G - change / (47999 / 48e3), rel=1e-9)
    assert run.residual <= 1e-12


def test_a_rough_surface_carries_the_weight():
    sim = rolling()
    run = sim.run(48000, ALL)
    f = run.outputs[:, 2]
    assert np.mean(f) == pytest.approx(MASS * G, rel=0.01)
    # the regime of a sound of rolling, impact.md 5.3
    assert 0.5 < np.mean(f > 0.0) < 0.97
    assert 2.0 < np.quantile(f / (MASS * G), 0.999) < 8.0
    assert run.residual <= 1e-12
    assert sim.place == pytest.approx(0.5, rel=1e-12)
    # the surface does work, and the object takes it
    assert np.ptp(run.work) > 1e-8 and run.losses[-1] > 1e-8
    # where the surface is, at every step: the contact's energy is the law's at height e(s) of the
    # ball's envelope
    z, w, place = run.outputs[:, 0], run.outputs[:, 3], 0.5 * np.arange(48000) / 48e3
    deep = np.maximum(z - w + GRAIN.followed(RADIUS).at(place), 0.0)
    assert np.abs(run.contact - 1.338e8 / 2.5 * deep ** 2.5).max() <= 1e-7 * run.contact.max()
    # the ledger themselves: H - H(0) + losses - work, at every step
    missing = run.energy - run.energy[0] + run.losses - run.losses[0] - run.work + run.work[0]
    assert np.abs(missing).max() <= 1e-12 * run.energy.max()


def test_slower_is_quieter():
    levels = [level(rolling(speed=v).run(36000, ["body_velocity"]).outputs[4800:])
              for v in (0.5, 0.25, 0.12, 0.06)]
    assert (np.diff(levels) < -2.0).all()
    still = rolling(speed=0.0).run(20000, ALL).outputs
    assert np.abs(still[:, 4]).max() <= 1e-15


def test_loudness_does_not_depend_on_oversampling():
    levels = [level(rolling(rate=rate).run(
        round(0.6 * rate),
        ["body_velocity"]).outputs[int(0.05 * rate):]) for rate in (192e3, 384e3)]
    assert levels[0] == pytest.approx(levels[1], abs=0.5)


def test_a_ball_slows_down_until_it_stands():
    sim = rolling(surface=None, speed=0.05, resistance=0.02)
    sim.run(24000)
    a = 5.0 / 7.0 * 0.02 * G
    # v^2 / (2 a), the last step of its own speed
    assert sim.place == pytest.approx(0.05 ** 2 / (2.0 * a), abs=a / 48e3 ** 2)
    stands = sim.place
    sim.run(1000)
    assert sim.place == stands
    # on the way, v t - a t^2 / 2: the speed in the middle of a step is exact
    sim = rolling(surface=None, speed=0.5, resistance=0.02)
    sim.run(9600)
    assert sim.place == pytest.approx(0.5 * 0.2 - a * 0.2 ** 2 / 2.0, rel=1e-12)
    # a curve of one's own: a sine integrates to 1 - cos, the middles to 1e-9 of it
    sim = rolling(surface=None, speed=lambda t: 0.3 * math.sin(5.0 * t))
    sim.run(4800)
    assert sim.place == pytest.approx(0.06 * (1.0 - math.cos(0.5)), rel=1e-8)


def test_ripple_of_the_speed():
    # ds/dt = v (1 - b cos(s/R)): a turn takes 2 pi R / (v sqrt(1 - b^2)); steps of 1/48000 s err by
    # 1e-7 of it
    turn = 2.0 * math.pi * RADIUS
    sim = rolling(surface=None, speed=0.3, ripple=0.6)
    steps = round(turn / (0.3 * 0.8) * 48e3)
    sim.run(steps // 4)
    # its closed form: tan(s / 2R) = sqrt((1 - b) / (1 + b)) tan(pi t / turn); a step that took its
    # speed at its start: 1e-4
    wanted = 2.0 * RADIUS * math.atan(0.5 * math.tan(math.pi * (steps // 4) / 48e3 * 0.24 / turn))
    assert sim.place == pytest.approx(wanted, rel=1e-7)
    sim.run(steps - steps // 4)
    assert sim.place == pytest.approx(turn + (steps / 48e3 - turn / 0.24) * 0.3 * 0.4, rel=1e-6)


def test_an_eccentric_ball_presses_harder_once_a_turn():
    given = {"body": None, "surface": None, "speed": 0.4}
    run = rolling(**given, eccentricity=1e-4).run(14400, ALL)
    w = 0.4 / RADIUS
    pull = MASS * 1e-4 * w * w
    deep = (MASS * G / 1.338e8) ** (2.0 / 3.0)
    spring = 1.5 * 1.338e8 * math.sqrt(deep)
    # of 53 mN the pull is 1.4, by the contact's spring; the sudden start dies with g damping / 2 =
    # 98 1/s; force over a step
    turns = w * (np.arange(14400) + 0.5) / 48e3
    wanted = MASS * G + pull / (1.0 - MASS * w * w / spring) * np.cos(turns)
    assert pull == pytest.approx(1.35e-3, rel=1e-9)
    assert np.abs(run.outputs[7200:, 2] - wanted[7200:]).max() <= 0.02 * pull
    assert run.residual <= 1e-12
    assert np.array_equal(rolling(**given).run(100, ALL).outputs,
                          rolling(**given, eccentricity=0.0).run(100, ALL).outputs)


def test_a_moving_contact_presses_the_modes_where_it_is():
    # so slowly that the object is at rest at every place: one mode of shape cos(20 s), pressed by
    # the weight
    mode = ModalObject(frequencies=[400.0], decay_rates=[200.0], masses=[0.5], shapes=[9.0])
    sim = rolling(body=mode, surface=None, speed=0.2, shapes=lambda s: [math.cos(20.0 * s)])
    run = sim.run(12000, ALL)
    give = MASS * G / (0.5 * (2.0 * math.pi * 400.0) ** 2)
    place = 0.2 * np.arange(12000) / 48e3
    # the output is where the track began; the stiffness is the scheme's (2e-4 here); the mode
    # follows 1 ms behind: 4e-3 rad
    wanted = give * np.cos(20.0 * place)
    assert wanted[-1] < 0.55 * give
    assert np.abs(run.outputs[:, 3] - wanted).max() <= 6e-3 * give
    assert np.abs(run.outputs[:, 2] - MASS * G).max() <= 5e-3 * MASS * G
    assert run.residual <= 1e-12
    # shapes that stay are the object's own
    fixed = rolling().run(2000, ALL).outputs
    same = rolling(shapes=lambda s: TABLE.shapes).run(2000, ALL).outputs
    assert np.abs(same - fixed).max(axis=0) == pytest.approx(np.zeros(5), abs=1e-9 * 0.05)


@pytest.mark.parametrize("given", [
    {},
    {"resistance": 0.1, "speed": 0.05},
    {"ripple": 0.3, "eccentricity": 1e-4},
    {"speed": lambda t: 0.5 * math.cos(40.0 * t)},
    {"shapes": lambda s: [math.cos((i + 1) * 9.0 * s) for i in range(6)]},
], ids=["plain", "slowing", "eccentric", "curve", "shapes"])
def test_any_division_gives_the_same_bits(given, monkeypatch):
    def ran(*steps):
        sim = rolling(**given)
        runs = [sim.run(n, ALL) for n in steps]
        return sim.place, [np.concatenate([getattr(run, name) for run in runs])
                           for name in ("outputs", "time", "energy", "losses", "work")]

    place, whole = ran(3000)
    assert np.ptp(whole[0][:, 2]) > 0.0
    monkeypatch.setattr(room, "PIECE", 333)
    for steps in ((3000,), (1, 0, 15, 16, 17, 1, 950, 2000)):
        assert ran(*steps)[0] == place
        for piece, one in zip(ran(*steps)[1], whole, strict=True):
            assert np.array_equal(piece, one)


def test_a_ball_that_does_not_roll_is_a_mass_that_lies():
    # the same network: let both be struck down by the same speed
    sim = rolling(surface=None, speed=0.0)
    impact = ImpactSimulation(body=TABLE, mass=MASS, law=DAMPED, sample_rate=48e3, velocity=0.0,
                              gravity=G)
    impact.drop(height=1e-6, ratio=1e-12)
    lying, rest = impact.run(100, ALL).outputs, sim.run(100, ALL).outputs
    assert lying[:, [0, 3]] == pytest.approx(rest[:, [0, 3]], rel=1e-3)
    assert lying[:, 2] == pytest.approx(rest[:, 2], rel=1e-3)


def test_what_is_refused():
    free = ModalObject(frequencies=[0.0, 300.0], decay_rates=[0.0, 1.0], masses=[1.0, 1.0],
                       shapes=[1.0, 1.0])
    for name, given in (
        ("body", {"body": 3}),
        ("body", {"body": 3, "shapes": lambda s: [1.0]}),
        ("frequencies[0]", {"body": free}),
        ("mass", {"mass": 0.0}),
        ("radius", {"radius": -1.0}),
        ("law", {"law": None}),
        ("surface", {"surface": np.zeros(3)}),
        ("speed", {"speed": -0.1}),
        ("speed", {"speed": None}),
        ("speed", {"speed": math.nan}),
        ("rate", {"rate": 0.0}),
        ("rate", {"rate": 3000.0}),
        ("gravity", {"gravity": 0.0}),
        ("resistance", {"resistance": 2.0}),
        ("resistance", {"resistance": 0.1, "speed": lambda t: 1.0}),
        ("eccentricity", {"eccentricity": 0.1}),
        ("ripple", {"ripple": 1.0}),
        ("shapes", {"shapes": [1.0] * 6}),
        ("shapes", {"shapes": lambda s: [1.0]}),
        ("shapes", {"shapes": lambda s: [math.nan] * 6}),
        ("shapes", {"body": None, "shapes": lambda s: [1.0]}),
    ):
        with pytest.raises(ParameterError) as caught:
            rolling(**given)
        assert name in str(caught.value)
    sim = rolling(speed=lambda t: 1e9 * t)
    with pytest.raises(ParameterError, match="speed"):
        sim.run(100)
    sim = rolling()
    for steps, outputs in ((-1, ALL), (1.5, ALL), (10, "contact_force"), (10, ["loudness"])):
        with pytest.raises(ParameterError, match=r"steps|outputs"):
            sim.run(steps, outputs)
    assert np.array_equal(sim.run(50, ALL).outputs, rolling().run(50, ALL).outputs)
