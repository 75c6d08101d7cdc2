"""An irregular mass: the lever arm of a contact by its closed form, what it draws, energy in a
fall, rest."""
import math

import numpy as np
import pytest
from twins.laws import law_columns

from pysitar import ContactLaw, ImpactSimulation, ModalObject
from pysitar.kernels.modal.two_point import TwoPoint
from pysitar.models.objects import irregular_ball
from pysitar.physics.draws import uniforms

G, MASS, RADIUS = 9.81, 5e-3, 0.01
INERTIA = 0.4 * MASS * RADIUS * RADIUS
LAW = ContactLaw(stiffness=1e8, exponent=1.5, damping=0.3)
BODY = ModalObject(frequencies=[300.0, 1200.0, 5000.0], decay_rates=[5.0, 20.0, 50.0],
                   masses=[0.1] * 3, shapes=[1.0, 0.8, -0.6])
OUT = ["mass_position", "mass_velocity", "contact_force", "body_displacement"]


def thrown(*, seed=0, irregularity=0.8, body=None, rate=48e3, velocity=1.0, **given):
    return ImpactSimulation(body=body, mass=MASS, law=LAW, sample_rate=rate, velocity=velocity,
                            irregularity=irregularity, radius=RADIUS, seed=seed, **given)


def rebound(speed):
    """The speed after a contact of Hunt & Crossley's law: Papetti et al. 2009, eq. (6), by
    bisection."""
    a, low, high = 0.3 * speed, -1.0, 0.0
    for _ in range(200):
        y = 0.5 * (low + high)
        low, high = (low, y) if y - math.log1p(y) < a - math.log1p(a) else (y, high)
    return -low / 0.3


def lever(seed, contact=0, irregularity=0.8):
    return irregularity * RADIUS * (
        2.0 * uniforms(seed=seed, name="lever", start=contact, count=1)[0] - 1.0)


@pytest.mark.parametrize("seed", [1, 2, 11, 5])
def test_one_contact_has_a_closed_form(seed):
    # the contact sees m / (1 + d^2 / rho^2), rho^2 = 2 R^2 / 5; its impulse is shared between
    # flight and spin
    d = lever(seed)
    reduced = MASS / (1.0 + d * d / (0.4 * RADIUS * RADIUS))
    impulse = reduced * (1.0 + rebound(1.0))
    assert impulse > MASS, "this one would touch twice: another seed"
    run = thrown(seed=seed, rate=1e6, gap=1e-5).run(1000, OUT)
    assert run.outputs[-1, 2] == 0.0
    # order 2, contact of 160 steps and more: v errs by 4e-6 (measured), against the wrong mass by
    # 0.02 and more
    assert run.outputs[-1, 1] == pytest.approx(1.0 - impulse / MASS, abs=2e-5)
    v, spin = run.outputs[-1, 1], impulse * d / INERTIA
    assert run.energy[-1] == pytest.approx(0.5 * MASS * v * v + 0.5 * INERTIA * spin * spin,
                                           rel=1e-4)
    assert np.diff(run.energy).max() <= 1e-15 * run.energy[0]
    assert run.residual <= 1e-13


@pytest.mark.parametrize("body", [None, BODY], ids=["wall", "object"])
def test_a_contact_is_that_of_a_lever_arm_from_the_start(body):
    # a twin whose row has the lever arm all along: the drawn one comes before the step that
    # touches, not after it
    sim = thrown(seed=5, body=body, rate=44100.0, gap=4e-5)
    count = 0 if body is None else 3
    twin = TwoPoint(
        angular_frequencies=np.concatenate([
            np.zeros(2), [] if body is None else body.angular_frequencies
        ]), decay_rates=np.concatenate([np.zeros(2), [] if body is None else body.decay_rates]),
        masses=np.concatenate([[MASS, INERTIA], [0.1] * count]), time_step=1.0 / 44100.0,
        shapes=np.array([[-1.0, -lever(5), *([] if body is None else body.shapes)]]),
        laws=law_columns(stiffness=1e8, exponent=1.5, damping=0.3, adhesive=False),
        offsets=np.array([-4e-5]))
    twin.set_state(np.zeros(2 + count), np.array([1.0] + [0.0] * (1 + count)))
    twin.set_outputs(np.zeros((2, 2 + count)),
                     np.eye(2, 2 + count) * [[1.0], [0.0]], np.array([[0.0], [1.0]]))
    out = np.empty((12, 2))
    twin.advance(12, out)
    assert np.count_nonzero(out[:, 1]) >= 6 and out[0, 1] == 0.0
    assert sim.run(12, OUT).outputs[:, 1:3] == pytest.approx(out, rel=1e-12, abs=1e-12)


def fallen(seed, height, bounces):
    """The heights of a fall by impulses alone, and whether a lever arm was turned over: impact.md
    5.2, contacts without time."""
    v, spin, contact, turned = math.sqrt(2.0 * G * height), 0.0, 0, False
    found = []
    while len(found) < bounces:
        d = lever(seed, contact, 0.5)
        contact += 1
        if v + d * spin <= 0.0:
            d, turned = -d, True
        speed = v + d * spin
        impulse = (speed + rebound(speed)) / (1.0 / MASS + d * d / INERTIA)
        v -= impulse / MASS
        spin -= impulse * d / INERTIA
        if v < 0.0:
            found.append(v * v / (2.0 * G))
            v = -v
    return found, turned


@pytest.mark.parametrize("seed", [0, 8, 13])
def test_a_fall_by_impulses(seed):
    sim = thrown(seed=seed, velocity=0.0, gap=0.1, gravity=G, irregularity=0.5, rate=384e3)
    out = sim.run(int(0.55 * 384e3), OUT).outputs
    z, v, f = out[:, 0], out[:, 1], out[:, 2]
    leaves = np.flatnonzero((f[:-1] > 0.0) & (f[1:] == 0.0) & (v[1:] < -0.05)) + 1
    heights = v[leaves] ** 2 / (2.0 * G)
    wanted, _ = fallen(seed, 0.1, len(heights))
    # contacts take 0.2 ms of a flight of 0.1 s, and what it turns in them, 0.1 mm, moves the floor
    assert len(heights) >= 3
    assert np.abs(z).max() <= 0.1 + 1e-9
    assert heights == pytest.approx(wanted, rel=0.03, abs=3e-4)


def test_some_lever_arm_is_turned_over():
    assert any(fallen(seed, 0.1, 3)[1] for seed in (0, 8, 13))


def test_a_mass_that_spins_is_not_at_rest():
    for seed, irregularity, ratio in ((4, 1.0, 0.1), (5, 1.0, 0.1), (11, 0.05, 0.01)):
        sim = thrown(seed=seed, irregularity=irregularity, velocity=0.0, gravity=G)
        sim.drop(height=0.03, ratio=ratio)
        # of the energy left all could come back as motion; without that of the spin, ten times as
        # much
        assert sim.run(24000, OUT).kinetic.max() <= 1.2 * ratio * MASS * G * 0.03


def test_spin_comes_back_as_flight():
    # a lever arm of more than rho: the first contact leaves it going on into the wall, and it
    # touches again; nothing is gained
    seeds = [seed for seed in range(200) if abs(lever(seed)) > 0.7 * RADIUS][:8]
    assert len(seeds) == 8
    for seed in seeds:
        d = lever(seed)
        assert (1.0 + rebound(1.0)) / (1.0 + d * d / (0.4 * RADIUS * RADIUS)) < 1.0
        run = thrown(seed=seed, rate=192e3).run(4000, OUT)
        assert run.outputs[-1, 1] < 0.0
        assert np.diff(run.energy).max() <= 1e-14 * run.energy[0]
        assert run.residual <= 1e-13


def test_without_irregularity_it_is_a_ball():
    round_one = ImpactSimulation(body=BODY, mass=MASS, law=LAW, sample_rate=48e3, velocity=0.0,
                                 gap=0.01, gravity=G)
    ball = thrown(body=BODY, irregularity=0.0, velocity=0.0, gap=0.01, gravity=G)
    almost = thrown(body=BODY, irregularity=1e-9, velocity=0.0, gap=0.01, gravity=G)
    whole, same, near = (sim.run(5000, OUT).outputs for sim in (round_one, ball, almost))
    assert np.array_equal(whole, same)
    # the spin is of the second order in the lever arm
    assert near[:, :2] == pytest.approx(whole[:, :2], abs=1e-9)
    assert not np.array_equal(near, whole)


def test_draws_are_the_seed_s():
    runs = [thrown(seed=seed, velocity=0.0, gap=0.02, gravity=G).run(20000, OUT).outputs
            for seed in (3, 3, 4)]
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])
    # the first fall is the same, only then it matters
    first = np.flatnonzero(runs[0][:, 2])[0]
    assert np.array_equal(runs[0][:first + 1, :2], runs[2][:first + 1, :2])


@pytest.mark.parametrize("body", [None, BODY], ids=["floor", "object"])
@pytest.mark.parametrize("gap, total", [(5e-3, 12000), (2e-6, 3000)], ids=["falls", "grazes"])
def test_any_division_gives_the_same_bits(body, gap, total):
    def ran(*steps):
        sim = thrown(body=body, velocity=0.0, gap=gap, gravity=G, irregularity=0.5, seed=5)
        runs = [sim.run(n, OUT) for n in steps]
        return [np.concatenate([getattr(run, name) for run in runs])
                for name in ("outputs", "energy", "losses", "work")]

    whole = ran(total)
    contacts = np.count_nonzero(np.diff((whole[0][:, 2] > 0.0).astype(int)) > 0)
    assert contacts >= 5
    for steps in ((1, 0, 1, 1700, 63, 64, 65, 999, 1, 1, total - 2895), [7] *
                  (total // 7) + [total % 7]):
        for piece, one in zip(ran(*steps), whole, strict=True):
            assert np.array_equal(piece, one)


def test_looking_far_ahead_misses_no_contact(monkeypatch):
    # a light object swings back at the mass as it leaves
    light = ModalObject(frequencies=[1000.0], decay_rates=[5.0], masses=[2e-3], shapes=[1.0])

    def ran(**given):
        return thrown(body=light, irregularity=0.6, **given).run(6000, OUT).outputs

    falls = ({"seed": 3}, {"seed": 2, "gravity": G}, {"seed": 3, "gravity": G, "velocity": 0.3})
    far = [ran(**given) for given in falls]
    monkeypatch.setattr(irregular_ball, "LOOK", 1)
    for given, one in zip(falls, far, strict=True):
        assert np.array_equal(ran(**given), one)
        assert np.count_nonzero(np.diff((one[:, 2] > 0.0).astype(int)) > 0) >= 2


@pytest.mark.parametrize("body", [None, BODY], ids=["floor", "object"])
def test_a_fall_loses_energy_at_every_step_and_rests(body):
    sim = thrown(body=body, velocity=0.0, gravity=G, irregularity=0.5, seed=2)
    run = sim.drop(height=0.03, outputs=OUT)
    # all energy but that of the weight's work: H - work never grows, in contact, in turning, in
    # braking the spin
    inner = run.energy - run.work
    assert np.diff(inner).max() <= 1e-13 * MASS * G * 0.03
    assert run.residual <= 1e-12
    assert 0.3 < run.time[-1] < 20.0
    later = sim.run(24000, OUT)
    # it lies, and carries its weight; no spin is left
    assert later.outputs[:, 2].mean() == pytest.approx(MASS * G, rel=3e-3)
    assert later.outputs[:, 2].min() >= 0.0
    assert np.ptp(later.outputs[:, 0] - later.outputs[:, 3]) <= 1e-6
    assert later.kinetic.max() <= 1e-5 * MASS * G * 0.03


def test_a_new_strike_has_no_spin():
    sim = thrown(seed=1, rate=192e3)
    sim.run(3000, OUT)
    sim.strike(velocity=1.0)
    run = sim.run(1000, OUT)
    assert run.energy[0] == pytest.approx(0.5 * MASS, rel=1e-14)
    assert run.outputs[0, 0] == 0.0
    assert run.residual <= 1e-13
