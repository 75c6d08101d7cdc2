"""ImpactSimulation: golden numbers and closed forms of a mass on a wall and on an object, balance,
bouncing, rest, and what it refuses."""
import math
from itertools import product

import numpy as np
import pytest

from pysitar import ContactLaw, ImpactSimulation, ModalObject, ParameterError
from pysitar.models.network import run as room

G = 9.81
ALL = ["mass_position", "mass_velocity", "contact_force", "body_displacement", "body_velocity"]
LAW = ContactLaw(stiffness=1e8, exponent=1.5, damping=0.3)
BODY = ModalObject(frequencies=[500.0, 1379.0, 2703.0], decay_rates=[40.0, 60.0, 90.0],
                   masses=[0.05] * 3, shapes=[1.0, 0.8, 0.6])
BAR = ModalObject(frequencies=[0.0, 900.0, 2500.0], decay_rates=[0.0, 10.0, 20.0],
                  masses=[0.02] * 3, shapes=[1.0, -1.3, 1.1])


def wall(*, mass=1e-2, velocity=1.0, rate=44100.0, gap=0.0, gravity=0.0, **law):
    law = ContactLaw(**{"stiffness": 1e7, "exponent": 1.5, **law})
    return ImpactSimulation(body=None, mass=mass, law=law, sample_rate=rate, velocity=velocity,
                            gap=gap, gravity=gravity)


def apexes(run, gravity=G):
    """The height (m) that each flight of a run reaches, from the energy in flight, and when it ends
    (s): parabolas between contacts."""
    z, v = run.outputs[:, 0], run.outputs[:, 1]
    last = np.flatnonzero((z[:-1] <= 0.0) & (z[1:] > 0.0))
    ends = run.time[last] + (-v[last] + np.sqrt(v[last] ** 2 - 2.0 * gravity * z[last])) / gravity
    return v[last] ** 2 / (2.0 * gravity) - z[last], ends


@pytest.mark.parametrize("law, velocity, golden", [
    ({"stiffness": 1e7, "exponent": 1.1, "damping": 0.1}, 0.3,
     [6.552517092356e-06, 0.2779320075458, 1.565782403651e-05, 0.1054383624291, -0.2942793443222]),
    ({"stiffness": 1e9, "exponent": 1.5, "damping": 0.5}, 1.0,
     [2.120236927428e-05, 0.8700489699917, 3.881580476528e-05, -0.1396669959921, -0.7590112488035]),
])
def test_wall_golden(law, velocity, golden):
    # G10, DG-H: the two cases of Papetti et al. 2009, Table 1, at steps 1, 3 and after the contact;
    # 13 digits are given
    out = wall(velocity=velocity, **law).run(20, ["mass_position", "mass_velocity"]).outputs
    assert [out[1, 0], out[1, 1], out[3, 0], out[3, 1], out[-1,
                                                            1]] == pytest.approx(golden, rel=1e-12)


@pytest.mark.parametrize(
    "mass, velocity, law, found",
    [
        # G1, G2, G6: the closed forms of Papetti et al., output velocity and greatest compression
        (1e-2, 0.3, {"stiffness": 1e7, "exponent": 1.1, "damping": 0.1},
         (-0.294117420895477, 1.66844063321076e-5)),
        (1e-2, 1.0, {"stiffness": 1e9, "exponent": 1.5, "damping": 0.5},
         (-0.748434931597434, 3.89257377822397e-5)),
        (5e-2, 2.0, {"stiffness": 1e6, "exponent": 2.5, "damping": 3.0},
         (-0.331191895576052, 9.34291817717583e-3)),
        # G5: elastic
        (5e-2, 2.0, {"stiffness": 1e6, "exponent": 1.5}, (-2.0, 2.28652525963663e-3)),
    ])
def test_wall_converges_to_the_closed_form(mass, velocity, law, found):
    speeds, depths = [], []
    for rate in (0.5e6, 1e6):
        out = wall(mass=mass, velocity=velocity, rate=rate,
                   **law).run(int(0.04 * rate), ["mass_position", "mass_velocity"]).outputs
        speeds.append(out[-1, 1])
        depths.append(out[:, 0].max())
    # order 2, so a third of the difference is left: the extrapolated value is as good as its own
    # rounding of the order, 1 % of that
    rest = abs(speeds[1] - speeds[0]) / 3.0
    assert speeds[1] == pytest.approx(found[0], abs=1.1 * rest + 1e-12)
    assert (4.0 * speeds[1] - speeds[0]) / 3.0 == pytest.approx(found[0], abs=0.02 * rest + 1e-12)
    # a contact of 66 steps and more: the greatest sample is below the greatest value by less than
    # (pi/66)^2/8
    assert depths[1] == pytest.approx(found[1], rel=3e-4)


# impact.md G13: references by DOP853 to 1e-11; tolerances at 48 kHz as given there
COUPLED = {
    "K1": ((1e-2, 0.3, {"stiffness": 1e7, "damping": 0.1,
                        "exponent": 1.5}, ([1000.0], [5.0], [0.05], [1.0]), 2e-3),
           (-2.573947340e-4, -0.2787135483, 3.929896155e-7, -4.318189423e-2), 6e-4),
    "K2": ((5e-3, 1.0, {"stiffness": 1e8, "damping": 0.3,
                        "exponent": 1.5}, ([500.0, 1379.0,
                                            2703.0], [40.0, 60.0,
                                                      90.0], [0.05] * 3, [1.0, 0.8, 0.6]), 2e-3),
           (-9.745297876e-4, -0.5715695388, -1.992289848e-5, 9.871889178e-2), 1.2e-2),
    "K3": ((2e-2, 0.5, {"stiffness": 5e6, "damping": 0.2,
                        "exponent": 1.3}, ([440.0, 1200.0], [10.0, 20.0], [0.01] * 2, [1.0, 1.0]),
            4e-3), (-7.88166525e-4, -0.42331973, 1.05640655e-4, 0.14444379), 5e-3),
}


@pytest.mark.parametrize("name", COUPLED)
def test_coupled_golden(name):
    (mass, velocity, law, body, time), golden, loose = COUPLED[name]
    found = []
    for rate in (48e3, 96e3, 768e3, 1536e3):
        sim = ImpactSimulation(body=ModalObject(**dict(
            zip(("frequencies", "decay_rates", "masses", "shapes"), body, strict=True))), mass=mass,
                               law=ContactLaw(**law), sample_rate=rate, velocity=velocity)
        run = sim.run(round(time * rate) + 1,
                      ["mass_position", "mass_velocity", "body_displacement", "body_velocity",
                       "contact_force"])
        assert run.residual <= 1e-13 * max(1.0, rate / 48e3)  # rounding adds up with the steps
        found.append(run.outputs[-1, :4])
        if name == "K1":
            assert run.outputs[:, 4].max() == pytest.approx(9.8919,
                                                            rel=loose if rate < 1e5 else 2e-5)
    assert found[0][:2] == pytest.approx(golden[:2], rel=loose)
    assert found[0][2:] == pytest.approx(golden[2:], rel=3e-2)
    # order 2: a quarter of the error each time
    errors = [np.abs(values / golden - 1.0) for values in found]
    assert errors[0] / errors[1] == pytest.approx(np.full(4, 4.0), rel=0.06)
    # and the two finest, extrapolated, are the reference: 1e-6, K3's is good to that only
    assert (4.0 * found[3] - found[2]) / 3.0 == pytest.approx(golden, rel=1e-6)


def test_bouncing_golden():
    # G14: steel on glass from 0.1 m; times from the first contact. Two rates, order 2 extrapolated:
    # 1e-6 s of what is left
    times, heights = [], []
    for rate in (384e3, 768e3):
        sim = wall(mass=4.1e-3, stiffness=5.26e9, damping=0.05, velocity=math.sqrt(2.0 * G * 0.1),
                   gravity=G, rate=rate)
        apex, end = apexes(sim.run(int(0.8 * rate), ["mass_position", "mass_velocity"]))
        times.append(end[1:4])          # the first is the start
        heights.append(apex[1:4])
    found = [(4.0 * fine - coarse) / 3.0 for coarse, fine in (times, heights)]
    assert found[0] == pytest.approx([0.272867736, 0.534080545, 0.784593478], abs=3e-6)
    assert found[1] == pytest.approx([0.09127364, 0.08364162, 0.07692833], rel=1e-5)


def test_elastic_bouncing_keeps_its_height():
    run = wall(gravity=G, velocity=0.0,
               gap=0.05).run(10 * 44100, ["mass_position", "mass_velocity", "contact_force"])
    apex, _ = apexes(run)
    assert len(apex) == 49
    # the balance is exact: rounding alone, 1e-6 over 60 s asked for
    assert apex == pytest.approx(np.full(49, 0.05), rel=1e-12)
    assert run.outputs[:, 0].min() >= -0.05 * (1.0 + 1e-12)
    assert run.residual <= 1e-12


def test_damped_bouncing_falls_strictly():
    run = wall(gravity=G, velocity=0.0, gap=0.05, damping=0.3,
               stiffness=1e8).run(4 * 44100, ["mass_position", "mass_velocity"])
    apex, end = apexes(run)
    assert len(apex) > 40
    assert (np.diff(apex) < 0.0).all()
    assert (np.diff(end) > 0.0).all()
    assert run.residual <= 1e-12
    # first bounce: v_out of mu v_in = 0.3 sqrt(2 g h), Papetti eq. (6), W0 by its fixed point;
    # contact of 14 steps, so 2 %
    a = 0.3 * math.sqrt(2.0 * G * 0.05)
    y = -0.5
    for _ in range(200):
        y = -1.0 + (1.0 + a) * math.exp(y - a)
    assert apex[1] / apex[0] == pytest.approx((y / a) ** 2, rel=0.02)


def test_conserved_quantities():
    # a lossless bar that flies, hit by a mass: momentum, and energy when the contact is over
    bar = ModalObject(frequencies=BAR.frequencies, decay_rates=[0.0] * 3, masses=BAR.masses,
                      shapes=BAR.shapes)
    sim = ImpactSimulation(body=bar, mass=5e-3, law=ContactLaw(stiffness=1e8, exponent=1.5),
                           sample_rate=96e3, velocity=2.0)
    run = sim.run(2000, ALL)
    assert run.energy[[0, -1]] == pytest.approx([0.5 * 5e-3 * 4.0] * 2, rel=1e-12)
    assert run.work[-1] == 0.0
    assert run.losses[-1] == pytest.approx(0.0, abs=1e-12 * run.energy[0])
    assert run.contact_steps == np.count_nonzero(run.outputs[:, 2]) > 10
    # impulse: the force is that over a step
    z, v, f, w, _ = run.outputs.T
    assert np.diff(v) == pytest.approx(-f[:-1] / 5e-3 / 96e3, abs=1e-12)
    assert np.diff(z) * 96e3 == pytest.approx(0.5 * (v[1:] + v[:-1]), abs=1e-10)
    # the law itself, where the compression is z - w: the energy in the contact
    assert run.contact == pytest.approx(1e8 / 2.5 * np.maximum(z - w, 0.0)**2.5,
                                        abs=1e-9 * run.energy[0])


def test_who_strikes_whom_is_the_same():
    flying = ModalObject(frequencies=[0.0], decay_rates=[0.0], masses=[5e-3], shapes=[1.0])
    given = {"law": LAW, "sample_rate": 96e3, "velocity": 2.0}
    one = ImpactSimulation(body=BAR, mass=5e-3, **given).run(500, ALL).outputs
    other = ImpactSimulation(body=flying, mass=BAR, **given).run(500, ALL).outputs
    assert one[:, 2].max() > 100.0
    # forces of hundreds of N and relative speeds of 2 m/s, to rounding grown over 500 steps
    assert other[:, 2] == pytest.approx(one[:, 2], abs=1e-10)
    assert other[:, 1] - other[:, 4] == pytest.approx(one[:, 1] - one[:, 4], abs=1e-12)
    assert other[:, 0] - other[:, 3] == pytest.approx(one[:, 0] - one[:, 3], abs=1e-15)
    # a mode's scale is a matter of taste
    scaled = ModalObject(frequencies=BAR.frequencies, decay_rates=BAR.decay_rates,
                         masses=4.0 * BAR.masses, shapes=-2.0 * BAR.shapes)
    assert np.array_equal(
        ImpactSimulation(body=flying, mass=scaled, **given).run(500, ALL).outputs, other)
    # and a mass is an object of one mode; with gravity too
    falling = given | {"velocity": 0.0, "gap": 1e-4, "gravity": G}
    heavy = ModalObject(frequencies=[0.0], decay_rates=[0.0], masses=[0.02], shapes=[2.0])
    ours, theirs = (ImpactSimulation(body=BODY, mass=m, **falling) for m in (5e-3, heavy))
    assert ours.weight == theirs.weight == 5e-3 * G
    assert np.array_equal(ours.run(3000, ALL).outputs, theirs.run(3000, ALL).outputs)


def test_a_second_strike_finds_the_object_ringing():
    def struck():
        sim = ImpactSimulation(body=BODY, mass=5e-3, law=LAW, sample_rate=96e3, velocity=1.0,
                               gap=1e-3)
        return sim, sim.run(700, ALL).outputs

    sim, before = struck()
    assert before[0, 0] == -1e-3
    assert before[-1, 1] < 0.0 and before[-1, 2] == 0.0
    sim.strike(velocity=3.0, gap=2e-4)
    run = sim.run(1000, ALL)
    after = run.outputs
    assert after[0, 0] - after[0, 3] == pytest.approx(-2e-4, abs=1e-18)
    assert after[0, 1] == 3.0
    assert after[:, 2].max() > 2.5 * before[:, 2].max()
    assert run.residual <= 1e-13
    assert run.time[0] == 700 / 96e3
    # until it is touched again, it rings as if nobody came: to the rounding of a speed that is set
    ring = struck()[0].run(1000, ALL).outputs
    assert not ring[:, 2].any() and np.abs(ring[:, 3]).max() > 1e-5
    first = np.flatnonzero(after[:, 2])[0]
    assert first == 6          # 0.2 mm at 3 m/s are 6.4 steps
    assert after[:first + 1, 3] == pytest.approx(ring[:first + 1, 3], abs=1e-19)
    # and one that flies away changes nothing
    away = struck()[0]
    away.strike(velocity=-1.0, gap=1.0)
    assert away.run(1000, ALL).outputs[:, 3:] == pytest.approx(ring[:, 3:], abs=1e-15)


def test_any_division_gives_the_same_bits(monkeypatch):
    def ran(*steps):
        sim = ImpactSimulation(body=BODY, mass=5e-3, law=LAW, sample_rate=48e3, velocity=0.0,
                               gap=1e-3, gravity=G)
        runs = [sim.run(n, ALL) for n in steps]
        return [np.concatenate([getattr(run, name) for run in runs])
                for name in ("outputs", "time", "energy", "losses", "work")]

    whole = ran(5000)
    assert whole[0][:, 2].any()
    monkeypatch.setattr(room, "PIECE", 37)
    for steps in ((5000,), (1, 0, 36, 700, 4263)):
        for piece, one in zip(ran(*steps), whole, strict=True):
            assert np.array_equal(piece, one)


@pytest.mark.parametrize("body", [None, BODY], ids=["wall", "object"])
def test_hostile_parameters_stay_passive(body):
    worst = 0.0
    for mass, stiffness, exponent, velocity, damping in product(
            (1e-6, 1.0), (1e3, 1e12), (1.0, 1.5, 3.5), (1e-3, 10.0), (0.0, 0.1, 1000.0)):
        law = ContactLaw(stiffness=stiffness, exponent=exponent, damping=damping)
        sim = ImpactSimulation(body=body, mass=mass, law=law, sample_rate=44100.0,
                               velocity=velocity, gap=1e-5)
        run = sim.run(300, ALL)
        assert np.isfinite(run.outputs).all()
        # passive: no step gains more than rounding does
        assert np.diff(run.energy).max() <= 1e-13 * run.energy[0]
        assert run.outputs[:, 2].min() >= 0.0
        assert np.abs(run.outputs[:, 1]).max() <= velocity * (1.0 + 1e-12)
        worst = max(worst, run.residual)
    # with 1e12 N/m and 1000 s/m a force grows by 1e10 N in a metre: the rounding of a step of 0.2
    # mm, 3e-20 m, is 1e-10 of the energy
    assert worst <= 1e-9


@pytest.mark.parametrize("body, height", [(None, 0.1), (BODY, 0.1), (BODY, 1e-3)])
def test_drop_ends_at_rest(body, height):
    law = ContactLaw(stiffness=1.3e8, exponent=1.5, damping=2.0)
    given = {"body": body, "mass": 5.4e-3, "law": law, "sample_rate": 48e3, "velocity": 0.0,
             "gravity": G}
    sim = ImpactSimulation(**given)
    run = sim.drop(height=height, outputs=ALL)
    z, v, f, w, _ = run.outputs.T
    assert run.outputs.shape == (run.time.size, 5)
    assert z[0] - w[0] == -height and v[0] == 0.0
    assert 0.1 < run.time[-1] < 20.0
    assert run.residual <= 1e-12
    contacts = np.count_nonzero((f[1:] > 0.0) & (f[:-1] == 0.0))
    assert 5 <= contacts <= 1000
    # no bounce is missed: none that would follow is higher than a millionth, and the object carries
    # the weight
    later = sim.run(48000, ALL)
    assert (later.outputs[:, 3] - later.outputs[:, 0]).max() <= 1e-6 * height
    assert later.outputs[:, 2].mean() == pytest.approx(sim.weight, rel=1e-3)
    assert np.abs(later.outputs[:, 1]).max() <= 2e-3 * math.sqrt(2.0 * G * height)
    # it is the run that it would be anyhow, and a coarser rest comes sooner
    plain, coarse = (ImpactSimulation(**given | {"gap": height}) for _ in range(2))
    assert np.array_equal(plain.run(run.time.size, ALL).outputs, run.outputs)
    assert coarse.drop(ratio=1e-3, outputs=ALL).time[-1] < run.time[-1]


def test_what_never_rests_is_reported():
    with pytest.raises(ParameterError, match=r"^longest is 0.5; the mass then still has 1 of its "
                       r"energy, over 1e-06; expected a longer"):
        wall(gravity=G, velocity=0.0).drop(height=0.02, longest=0.5)
    with pytest.raises(ParameterError, match="gravity"):
        wall(velocity=0.0).drop(height=0.02)
    sim = wall(gravity=G, velocity=0.0)
    for name, given in (("height", {"height": -1.0}), ("height", {"height": math.nan}),
                        ("longest", {"longest": 0.0}), ("ratio", {"ratio": 0.0}),
                        ("ratio", {"ratio": 2.0}), ("outputs[0]", {"outputs": ["sound"]})):
        refused(name, sim.drop, **given)


def refused(name, call, *arguments, **named):
    with pytest.raises(ParameterError) as caught:
        call(*arguments, **named)
    assert name in str(caught.value), f"{caught.value} does not name {name}"


def test_what_is_refused():
    good = {"body": BODY, "mass": 0.01, "law": LAW, "sample_rate": 48e3, "velocity": 1.0}
    two = ModalObject(frequencies=[0.0, 0.0], decay_rates=[0.0, 0.0], masses=[1.0, 1.0],
                      shapes=[1.0, 1.0])
    turned = ModalObject(frequencies=[0.0], decay_rates=[0.0], masses=[1.0], shapes=[0.0])
    for name, given in (
        ("body", {"body": 3}),
        ("body", {"body": "wood"}),
        ("law", {"law": None}),
        ("law", {"law": 1e8}),
        ("mass", {"mass": 0.0}),
        ("mass", {"mass": "heavy"}),
        ("mass", {"mass": BODY}),
        ("mass", {"mass": two}),
        ("mass", {"mass": turned}),
        ("sample_rate", {"sample_rate": 0.0}),
        ("sample_rate", {"sample_rate": 5000.0}),
        ("velocity", {"velocity": math.inf}),
        ("velocity", {"velocity": None}),
        ("gap", {"gap": -1e-9}),
        ("gravity", {"gravity": -1.0}),
        ("irregularity", {"irregularity": 1.5}),
        ("radius", {"irregularity": 0.5}),
        ("radius", {"irregularity": 0.5, "radius": 0.0}),
        ("mass", {"irregularity": 0.5, "radius": 1.0, "mass": None}),
        ("irregularity", {"irregularity": 0.5, "radius": 0.01, "mass": BAR}),
        ("seed", {"irregularity": 0.5, "radius": 0.01, "seed": -1}),
    ):
        refused(name, ImpactSimulation, **{**good, **given})
    sim = ImpactSimulation(**good)
    refused("velocity", sim.strike, velocity=math.nan)
    refused("gap", sim.strike, velocity=1.0, gap=-1.0)
    for steps in (-1, 2.5, None, 2**32):
        refused("steps", sim.run, steps)
    for outputs in ("contact_force", 3, None, {"contact_force"}):
        refused("outputs", sim.run, 3, outputs)
    refused("outputs[1]", sim.run, 3, ["contact_force", "force"])
    # nothing of this was taken
    assert np.array_equal(sim.run(50, ALL).outputs, ImpactSimulation(**good).run(50, ALL).outputs)


def test_the_force_never_pulls():
    # an object that springs back faster than -1 / damping would be held by an adhesive law
    springy = ModalObject(frequencies=[3000.0], decay_rates=[5.0], masses=[2e-4], shapes=[1.0])
    sim = ImpactSimulation(body=springy, mass=1e-3, law=ContactLaw(stiffness=1e7, damping=5.0),
                           sample_rate=192e3, velocity=3.0)
    run = sim.run(3000, ALL)
    assert run.outputs[:, 2].min() == 0.0
    assert np.diff(run.energy).max() <= 1e-13 * run.energy[0]
    assert run.residual <= 1e-13
