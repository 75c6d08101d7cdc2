"""Objects in a score: the simulations' own sound, bounces in closed form, superposition, rolling,
blocks, rest and sleep."""
import math

import numpy as np
import pytest
from instruments import PANEL_MODES, TOP_MODES, struck_object
from score_texts import write_score

import pysitar
from pysitar import ContactLaw, ImpactSimulation, ModalObject, RollingSimulation, analytic
from pysitar.models.objects import played
from pysitar.models.objects.played import StruckObject
from pysitar.models.objects.rolling_path import followed_surface
from pysitar.models.objects.seats import exact_gravity, kind_of
from pysitar.physics.draws import uniforms
from pysitar.rendering.engine import open_engine

RATE = 48000
G = 9.81
TABLE = struck_object()
PARTS = {key: TOP_MODES[key] for key in ("frequencies", "decay_rates", "masses", "shapes")}
BODY = ModalObject(**PARTS)
GLASS = {"mass": 5.362e-3, "law": ContactLaw(stiffness=1.338e8, exponent=1.5, damping=0.7931)}
LIGHT = struck_object(**PANEL_MODES)
# one mode, so heavy and stiff that the ball hits a wall
WALL = struck_object(frequencies=[20000.0], decay_rates=[1000.0], masses=[1e6], shapes=[1.0],
                     weights=[1.0])


@pytest.fixture
def score(tmp_path):
    """Rows and an instrument's text -> score."""
    def read(rows, text=TABLE, options="tail=0", rate=RATE):
        (tmp_path / "o.toml").write_text(text)
        return write_score(tmp_path, f'use "o.toml" as o\nrender rate={rate} oversample=1 fade=0 '
                           f'channels=1 {options}\n{rows}\n')
    return read


# ---- a strike

def test_a_strike_is_the_simulation(score):
    """The same kernel, the same numbers: to the last bit, where the pickup weighs the modes as they
    are struck."""
    text = struck_object(weights=TOP_MODES["shapes"])
    found = pysitar.render(score("0 o.top strike v=1.5 dur=500ms", text), traces=True)
    sim = ImpactSimulation(body=BODY, sample_rate=RATE, velocity=1.5, **GLASS)
    run = sim.run(500, ["body_velocity", "body_displacement", "contact_force"])
    for kind, values in zip(("velocity", "displacement", "contact_force"), run.outputs.T,
                            strict=True):
        assert np.array_equal(found.traces[f"o.top.{kind}"][:500], values)
    assert np.array_equal(np.asarray(found.audio)[:500, 0], 2.0 * run.outputs[:, 0]) and np.abs(
        run.outputs[:, 0]).max() > 0.01
    # once the ball has flown away it is gone, and what rings rings on: the modes' own decay
    energy = found.traces["o.top.energy"]
    stored = energy[:, :3].sum(axis=1)
    # the first after it has gone
    gone = 1 + int(np.argmin(np.diff(stored)))
    assert stored[gone] < 0.5 * stored[0] and (np.diff(stored[gone:]) <= 0.0).all()
    assert found.report["residual"] < 1e-12 and found.report["failed_solves"] == 0


def test_the_output_is_weighted(score):
    """The pickup's weights: modes in the opposite order."""
    heard = pysitar.render(score("0 o.top strike dur=20ms"), traces=True).traces["o.top.velocity"]
    plain = [pysitar.render(score("0 o.top strike dur=20ms", struck_object(weights=weights)),
                            traces=True)
             for weights in ([1.0 if i == j else 0.0 for i in range(6)] for j in range(6))]
    summed = sum(w * found.traces["o.top.velocity"]
                 for w, found in zip(TOP_MODES["weights"], plain, strict=True))
    # six roundings of at most 0.1 m/s
    assert np.abs(heard - summed).max() < 1e-16


def test_a_row_changes_the_ball(score):
    """A ball by name, and each of its values in the row, are the simulation with those."""
    text = struck_object(weights=TOP_MODES["shapes"])
    for row, mass, law in (
        ("ball=rubber v=0.7", 36.86e-3, ContactLaw(stiffness=1.234e6, exponent=1.4,
                                                   damping=0.4959)),
        ("m=20g ball=rubber v=0.7 alpha=2", 20e-3,
         ContactLaw(stiffness=1.234e6, exponent=2.0, damping=0.4959)),
        ("v=0.7 K=2e7 damping=0.1", 5.362e-3, ContactLaw(stiffness=2e7, exponent=1.5, damping=0.1)),
    ):
        heard = pysitar.render(score(f"0 o.top strike {row} dur=10ms", text)).audio[:, 0]
        run = ImpactSimulation(body=BODY, sample_rate=RATE, velocity=0.7, mass=mass,
                               law=law).run(480)
        # the ball is taken off when it has flown away, which rounds the modes' velocities once:
        # 1e-16 of 0.1 m/s
        assert np.array_equal(heard[:128], 2.0 * run.outputs[:128, 0]) and np.abs(
            heard - 2.0 * run.outputs[:, 0]).max() < 1e-15, row


def test_a_place_has_its_own_shapes(score):
    """Struck elsewhere: the simulation with the shapes there; a ball that lies in one place sinks
    as another is laid in another."""
    other = [0.3, -0.9, 0.0, 0.7, -0.2, 0.5]
    text = struck_object(places={"middle": [0.5] * 6, "rim": other})
    heard = pysitar.render(score("0 o.top strike place=rim ball=rubber dur=10ms", text)).audio[:, 0]
    v = np.zeros((1, 7))
    v[0, 1:] = TOP_MODES["weights"]
    sim = ImpactSimulation(body=ModalObject(**PARTS | {"shapes": other}), sample_rate=RATE,
                           velocity=1.0, mass=36.86e-3,
                           law=ContactLaw(stiffness=1.234e6, exponent=1.4, damping=0.4959))
    sim._kernel.set_outputs(np.zeros((1, 7)), v)
    out = np.empty((480, 1))
    sim._kernel.advance(480, out, forces=np.zeros((480, 0)))
    assert np.array_equal(heard, 2.0 * out[:, 0]) and np.abs(heard).max() > 0.01
    row = "o.top roll v=0.01 roughness=0"
    found = pysitar.render(score(f"0 {row} place=rim dur=100ms\n0.03s {row} place=middle dur=40ms\n"
                                 f"0.2s {row} dur=20ms", text), traces=True)
    expected = np.zeros(found.traces["o.top.contact_force"].size)
    expected[:4800] = expected[9600:10560] = 5.362e-3 * G
    expected[1440:3360] *= 2.0
    assert found.traces["o.top.contact_force"] == pytest.approx(expected, rel=1e-9) and np.abs(
        found.audio).max() < 1e-12
    # a ball is quiet by its speed against the object where it is
    struck = open_engine(score("0 o.top drop h=0 place=rim",
                               text))._voices[0]._source._instrument.objects["top"]
    struck.advance(np.empty(100))
    against = float((np.array([-1.0, *other]) * struck.sounding.kernel.velocity()).sum())
    assert struck.sounding.kernel.outputs()[1] == pytest.approx(against, rel=1e-12)
    assert against != 0.0


def test_two_strikes_superpose(score):
    """The object is linear: a second blow adds its own sound to the first, as far as the object
    moves little under the ball."""
    # an elastic contact of exponent 1 is linear too, while it lasts, and the object's 1e-4 m/s are
    # small against the ball's 1 m/s
    text = struck_object(masses=[5e3] * 6)
    row = "o.top strike K=1e5 alpha=1 damping=0 dur=100ms"
    both, first, second = (pysitar.render(score(rows, text)).audio[:, 0] for rows in (
        f"0 {row}\n0.05s {row}", f"0 {row}\n0.05s {row} v=1e-9", f"0 {row} v=1e-9\n0.05s {row}"))
    scale = np.abs(both).max()
    # what the second ball feels of the first's sound: its speed against 1 m/s
    assert np.abs(both - first - second).max() < 2e-4 * scale and np.abs(second).max() > 0.5 * scale


def test_balls_at_the_same_time(score):
    """Two equal balls at once are one that is twice as heavy and stiff."""
    heavy = pysitar.render(score("0 o.top strike m=10.724g K=2.676e8 dur=50ms")).audio
    two = pysitar.render(score("0 o.top strike dur=50ms\n0 o.top strike dur=50ms")).audio
    # the same forces; rounding through a few contacts
    assert np.abs(two - heavy).max() < 1e-9 * np.abs(heavy).max() and np.abs(heavy).max() > 0.05


def test_any_number_of_balls_has_room(score, monkeypatch):
    """More than the first seats hold: the network grows, and the sound is that of one that was
    large from the start."""
    rows = "\n".join(f"{0.003 * i}s o.top drop h={3 + 7 * i % 5}cm dur=0" for i in range(14))
    rows += ("\n0.1s o.top strike ball=rubber dur=0\n0.11s o.top drop irregularity=0.3 dur=0\n"
             "0.12s o.top roll v=0.1 dur=20ms")
    grown = pysitar.render(score(rows, options="tail=50ms"), traces=True)
    monkeypatch.setattr(played, "AT_ONCE", 20)
    whole = pysitar.render(score(rows, options="tail=50ms"), traces=True)
    for kind in ("velocity", "displacement", "contact_force"):
        one, other = (found.traces[f"o.top.{kind}"][:6000] for found in (grown, whole))
        # places that are rounded again, 1e-17 m of 1e-2 m, through a few contacts
        assert np.abs(one - other).max() < 1e-7 * np.abs(other).max()
    steps = [found.report["voices"]["o"]["contact_steps"] for found in (grown, whole)]
    assert steps[0] == pytest.approx(steps[1], rel=0.1)
    kinetic, potential, contact, losses, work, throughput = grown.traces["o.top.energy"].T
    assert np.ptp(kinetic + potential + contact + losses - work) < 1e-12 * throughput[-1]
    assert grown.report["residual"] < 1e-12 and grown.report["failed_solves"] == 0
    # blows are over at once, and a hundred of them in a row have room
    quick = "\n".join(f"{0.004 * i}s o.top strike dur=1ms" for i in range(100))
    assert pysitar.render(score(quick)).report["residual"] < 1e-12


def test_a_rain_of_balls(score):
    """Each mass is a kind of its own; those far off cost no contact, those that hop without end are
    taken off, and all end."""
    rows = "\n".join(f"{0.002 * i}s o.top drop h={40 + 11 * i % 7}mm m={2 + 0.01 * i}g dur=0"
                     for i in range(80))
    engine = open_engine(score(rows, options="tail=auto"))
    struck = engine._voices[0]._source._instrument.objects["top"]
    there, near = [], []
    for _ in engine.blocks(480):
        there.append(sum(bool(ball.action) for ball in struck.balls))
        near.append(len(struck._watched))
    assert max(there) == 80 and there[-1] == 0 and len(struck.balls) <= 64
    assert min(close for close, all_of_them in zip(near, there, strict=True)
               if all_of_them == 80) < 50
    assert not engine.tail_cut and engine.report()["residual"] < 1e-12


def test_six_hundred_balls_come_at_once(score):
    """On a network of more rows than a string may have each feels the same: together they are one
    that is as heavy and stiff."""
    one = pysitar.render(score("0 o.top strike m=600g K=1.2e9 dur=1ms", rate=8000)).audio
    many = pysitar.render(score("0 o.top strike m=1g K=2e6 dur=1ms\n" * 600, rate=8000))
    assert many.report["failed_solves"] == 0 and many.report["residual"] < 1e-12
    assert np.abs(many.audio - one).max() < 1e-9 * np.abs(one).max()


@pytest.mark.parametrize("ball",
                         ["m=0.001g", "m=1000 v=0.1", "m=0.001g damping=1000", "m=1g alpha=10"])
@pytest.mark.parametrize("law", ["K=1e12 alpha=1", "K=1e12 alpha=3.5", "K=1 alpha=1"])
def test_hostile_balls_are_finite_and_passive(score, ball, law):
    words = {word.partition("=")[0]: word for word in f"v=10 {law} {ball}".split()}
    found = pysitar.render(score(f"0 o.top strike {' '.join(words.values())} dur=20ms", rate=44100),
                           traces=True)
    kinetic, potential, contact, losses, work, _ = found.traces["o.top.energy"].T
    balance = kinetic + potential + contact + losses - work
    assert np.isfinite(found.audio).all(
    ) and found.report["residual"] < 1e-11 and found.report["failed_solves"] == 0
    brought = work.max()          # by the ball
    assert np.abs(balance).max() < 1e-11 * brought and (np.diff(losses) > -1e-15 * brought).all()


# ---- a drop

def bounces(found, threshold=0.0):
    """The steps at which contacts begin."""
    touching = found.traces["o.top.contact_force"] > threshold
    return np.flatnonzero(touching[1:] & ~touching[:-1]) + 1


def test_a_drop_is_the_simulation(score):
    text = struck_object(weights=TOP_MODES["shapes"])
    found = pysitar.render(score("0 o.top drop dur=500ms", text), traces=True)
    sim = ImpactSimulation(body=BODY, sample_rate=RATE, velocity=0.0, gap=0.05,
                           gravity=exact_gravity(RATE), **GLASS)
    run = sim.run(24000, ["body_velocity", "contact_force"])
    # until it rests; the weight of the simulation is its mass times gravity, rounded once more or
    # less
    last = 20000
    assert np.abs(found.traces["o.top.velocity"][:last]
                  - run.outputs[:last, 0]).max() < 1e-9 * np.abs(run.outputs[:, 0]).max()
    assert len(bounces(found)) >= 3


@pytest.mark.parametrize("damping", [0.1, 0.7931])
def test_each_bounce_has_the_restitution_of_its_speed(score, damping):
    """On a wall: the time of each flight is 2 v / g, and v' = v e(v), the closed form of Papetti et
    al. 2009."""
    v = math.sqrt(2.0 * G * 0.05)
    law = {"stiffness": 1.338e8, "exponent": 1.5, "hysteresis": damping, "mass": 5.362e-3}
    expected, lasted = [v / G], 0.0
    for _ in range(3):
        duration = analytic.contact_time(velocity=v, **law)
        lasted += duration
        v *= analytic.restitution(hysteresis=damping, velocity=v)
        expected.append(expected[-1] + duration + 2.0 * v / G)
    missed = []
    for rate in (192000, 384000):
        found = pysitar.render(
            score(f"0 o.top drop h=5cm damping={damping} dur=700ms", WALL, rate=rate), traces=True)
        assert found.report["residual"] < 1e-10
        missed.append(bounces(found)[:4] / rate - expected)
    # the first is gravity's alone: within a step
    assert np.abs(missed[1][0]) < 1.0 / 384000
    # the scheme is of order 2, so this leaves little of it; each onset is rounded to a step, 4/3
    # and 1/3 of it; and gravity acts in the contacts, too: by the speed g duration, half of it on
    # release, so by a duration each
    assert np.abs(
        (4.0 * missed[1] - missed[0]) / 3.0).max() < lasted + 2.0 / 384000 < 3e-3 * expected[-1]


def test_a_dropped_ball_comes_to_rest_and_is_gone(score):
    found = pysitar.render(score("0 o.top drop dur=100ms", options="tail=auto"), traces=True)
    force, velocity = found.traces["o.top.contact_force"], found.traces["o.top.velocity"]
    energy = found.traces["o.top.energy"]
    assert not found.report["tail_cut"] and 0.5 < found.report["seconds"] < 2.0
    off = int(np.flatnonzero(force)[-1]) + 1
    # a hand has taken its weight in the 10 ms before, until it presses no more; it lay there before
    # that, and its weight is what it pressed with, 20 ms long without a bounce
    lifted = off - 480 - 48
    assert force[lifted - 960:off].min() > 0.0
    assert force[lifted - 960:lifted].mean() == pytest.approx(5.362e-3 * G, rel=0.02)
    assert force[off - 4:off].max() < 0.05 * 5.362e-3 * G
    # its end is inaudible, 60 dB under its loudest
    loudest = np.abs(velocity).max()
    assert np.abs(velocity[off - 10:]).max() < 1e-3 * loudest and np.abs(
        velocity[:off // 2]).max() == loudest
    # and the velocity goes on, with the slope that it had
    steps, slopes = (np.abs(np.diff(velocity, order)) for order in (1, 2))
    assert steps[off - 2:off + 2].max() < 1.1 * steps[off - 64:off - 2].max()
    assert slopes[off - 3:off + 2].max() < 1.1 * slopes[off - 64:off - 3].max()
    # nothing of the dent stays: the displacement swings about 0, not about that under the weight,
    # until the object falls asleep
    stiffness = np.array(PARTS["masses"]) * (2.0 * math.pi * np.array(PARTS["frequencies"])) ** 2
    dent = 5.362e-3 * G * (np.array(PARTS["shapes"]) ** 2 / stiffness).sum()
    displacement = found.traces["o.top.displacement"]
    swung = off + int(np.flatnonzero(np.diff(displacement[off:]))[-1])
    assert abs(displacement[swung - 1200:swung].mean()) < 0.05 * dent
    assert np.abs(displacement[swung:]).max() < 0.1 * dent
    assert found.report["residual"] < 1e-12
    # it falls asleep 80 dB under its greatest energy: the floor, and 20 dB
    assert energy[-1, :3].sum() < 1e-8 * energy[:, :3].sum(axis=1).max()


def test_energy_never_grows(score):
    """Kinetic, stored and in the contact, less what the weight has done: with an elastic ball it is
    what it was."""
    found = pysitar.render(score("0 o.top drop dur=300ms\n0.1s o.top strike v=2 dur=200ms"),
                           traces=True)
    kinetic, potential, contact, losses, work, _ = found.traces["o.top.energy"].T
    balance = kinetic + potential + contact + losses - work
    # what the struck ball brings, and later takes away, is work
    assert np.ptp(balance) < 1e-14
    assert np.diff(work).max() == pytest.approx(0.5 * 5.362e-3 * 4.0, rel=0.01)
    assert np.diff(work).min() < -1e-6
    assert (np.diff(losses) >= 0.0).all() and losses[-1] > 1e-4


def test_an_irregular_ball_bounces_by_the_seed(score):
    def starts(seed, rows="0 o.top drop irregularity=0.4 dur=300ms"):
        found = pysitar.render(score(rows, options=f"tail=0 seed={seed}"), traces=True)
        assert found.report["residual"] < 1e-12
        return bounces(found).tolist()

    assert starts(1) == starts(1) != starts(2)
    assert starts(1)[0] == starts(2)[0]
    # a ball is irregular when its instrument says so, too; and a second one does not bounce like
    # the first
    later = starts(
        1, "0 o.top drop irregularity=0.4 dur=300ms\n2 o.top drop irregularity=0.4 dur=300ms")
    second = [step - 2 * RATE for step in later if step > 2 * RATE]
    assert later[:len(starts(1)) - 5] == starts(1)[:-5] and second[0] == later[0]
    # drawn again: already the first blow throws it in another direction, by more than what still
    # rings could
    assert abs(second[1] - later[1]) > 20


# ---- a roll


@pytest.mark.parametrize("row, given", [
    ("v=0.3 resistance=0.01", {"speed": 0.3, "resistance": 0.01}),
    ("v=(0:0.3 0.1:0.4 0.25:0)",
     {"speed": lambda t: 0.3 + t if t < 0.1 else 0.4 * (0.25 - t) / 0.15 if t < 0.25 else 0.0})])
def test_a_roll_is_the_simulation(score, row, given):
    text = struck_object(weights=TOP_MODES["shapes"])
    found = pysitar.render(score(f"0 o.top roll {row} dur=250ms", text, options="tail=0 seed=3"),
                           traces=True)
    surface = pysitar.Surface.rough(rms=4e-7, shortest=2e-4, longest=2e-2, beta=2.0,
                                    length=64 * 2e-2, seed=3, name="o.top.surface")
    draw, = uniforms(seed=3, name="o.top.roll1", count=1)
    turned = pysitar.Surface(
        heights=np.roll(surface.heights, -math.floor(draw * surface.heights.size)),
        spacing=surface.spacing)
    law = ContactLaw(stiffness=1.338e8, exponent=1.5, damping=20.0)
    sim = RollingSimulation(body=BODY, mass=5.362e-3, radius=8e-3, law=law, surface=turned,
                            sample_rate=RATE, **given)
    run = sim.run(12000, ["body_velocity", "contact_force"])
    # places that are rounded in another order, 1e-16 of 1 m against waves of 0.2 mm; chattering
    # makes more of it with time
    early = 1000
    for kind, values in zip(("velocity", "contact_force"), run.outputs.T, strict=True):
        assert np.abs(found.traces[f"o.top.{kind}"][:early]
                      - values[:early]).max() < 1e-7 * np.abs(values).max()
    assert found.report["residual"] < 1e-12 and np.abs(run.outputs[:, 0]).max() > 1e-5


def test_a_speed_follows_its_curve(score):
    """In beats of the tempo; it is loud while it is fast, and a ball that stands at the curve's end
    is taken off 20 ms later."""
    found = pysitar.render(score("tempo 300\n0 o.top roll v=(0:0.5 1:0.5 1:0.1 2:0.1 2.5:0) dur=5"),
                           traces=True)
    sound, force = found.audio[:, 0], found.traces["o.top.contact_force"]
    # a beat is 0.2 s
    assert level(sound[2000:9600]) > level(sound[12000:19200]) + 8.0
    assert 0 <= np.flatnonzero(force)[-1] + 1 - (0.5 + 0.02) * RATE <= 960 + 65
    # the first of a part is that of the whole: the place goes on by each step's own speed
    plain = pysitar.render(score("tempo 300\n0 o.top roll v=0.5 resistance=0 dur=5"))
    assert np.array_equal(sound[:9600 - 60], plain.audio[:9600 - 60, 0])


def test_a_rolling_ball_presses_with_its_weight(score):
    force = pysitar.render(score("0 o.top roll dur=500ms"),
                           traces=True).traces["o.top.contact_force"][:21000]   # a hand ends it
    assert force.mean() == pytest.approx(5.362e-3 * G,
                                         rel=0.01) and 0.5 < np.mean(force > 0.0) < 1.0


def level(sound):
    return 10.0 * math.log10(np.mean(np.asarray(sound) ** 2))


def test_slower_is_quieter(score):
    levels = [level(pysitar.render(score(f"0 o.top roll v={v} dur=300ms")).audio)
              for v in (0.5, 0.25, 0.12)]
    assert levels[0] - 2.0 > levels[1] and levels[1] - 2.0 > levels[2]


def test_rolling_is_as_loud_at_twice_the_oversample(score):
    found = [pysitar.render(score("0 o.top roll v=0.25 dur=300ms"),
                            oversample=oversample).audio[2400:] for oversample in (4, 8)]
    # faster, it takes off, and it lands in another direction: there the level is that of a longer
    # time
    assert level(found[0]) == pytest.approx(level(found[1]), abs=0.5)


def test_a_ball_that_stands_is_taken_off(score):
    """v / (5/7 resistance g) = 0.0357 s; then it is quiet for 20 ms, and a hand takes it off in 20
    ms, long before its dur is over."""
    found = pysitar.render(score("0 o.top roll v=0.05 resistance=0.2 roughness=0 dur=400ms"),
                           traces=True)
    force = found.traces["o.top.contact_force"]
    # looked at every 64 steps
    assert 0 <= np.flatnonzero(force)[-1] + 1 - (0.05 / (5.0 / 7.0 * 0.2 * G) + 0.04) * RATE <= 65
    assert np.abs(found.audio).max() < 1e-12
    # and at the end of its dur
    force = pysitar.render(score("0 o.top roll dur=50ms\n0.2s o.top strike v=1mm/s dur=1ms".replace(
        "1mm/s", "0.001")), traces=True).traces["o.top.contact_force"]
    # 12.5 ms to stop and lift it: while a hand lifts it, it may hop off for good
    assert -600 <= int(np.flatnonzero(force[:9000])[-1]) - 2400 <= 16


def test_a_roll_ends_without_a_step(score):
    """A hand stops the ball and lifts it: then the sound has no edge, but the ring of the modes, 50
    dB under the edges of the rolling. Taken off at full speed, a ball leaves one of a fifth."""
    found = pysitar.render(score("0 o.top roll dur=240ms"), traces=True)
    force = found.traces["o.top.contact_force"]
    assert 11000 < np.flatnonzero(force)[-1] < 11520 and found.report["residual"] < 1e-12
    edges = np.abs(np.diff(found.audio[:, 0], 4))
    assert edges[11500:13000].max() < 1e-2 * edges[5000:8000].max()
    # it fades: the last 10 ms before the lift have less than a tenth of the peaks before
    assert edges[10000:10480].max() < 0.1 * edges[5000:8000].max()


def test_balls_that_come_and_go_leave_those_that_lie_alone(score):
    """Two on a flat ground: the force on the object is their weight, from step to step, and is
    silent."""
    row = "o.top roll v=0.01 roughness=0"
    found = pysitar.render(score(f"0 {row} dur=100ms\n0.03s {row} ball=rubber dur=40ms"),
                           traces=True)
    glass, rubber = 5.362e-3 * G, 36.86e-3 * G
    expected = np.full(4800, glass)
    expected[1440:3360] += rubber
    # compressions of 5e-7 m in places rounded to 1e-20 m
    assert found.traces["o.top.contact_force"] == pytest.approx(expected, rel=1e-9) and np.abs(
        found.audio).max() < 1e-12


def test_a_ball_hits_the_object_again(score):
    """A light panel throws it up slowly and hits it again while it flies away: it is not gone
    before."""
    law = ContactLaw(stiffness=6e7, exponent=1.5, damping=0.3731)
    for rate in (96000, 192000):
        found = pysitar.render(score("0 o.top strike m=38.5g K=6e7 damping=0.3731 dur=50ms", LIGHT,
                                     rate=rate), traces=True)
        sim = ImpactSimulation(body=ModalObject(**PANEL_MODES), sample_rate=rate, velocity=1.0,
                               mass=38.5e-3, law=law)
        force, speed = sim.run(rate // 20, ["contact_force", "mass_velocity"]).outputs.T
        begun = bounces(found)
        assert np.array_equal(begun, np.flatnonzero((force[1:] > 0.0) & (force[:-1] == 0.0)) + 1)
        # at the first look it flies away, and is met again after it
        assert force[512] == 0.0 and speed[512] < 0.0 and begun[-1] > 512


def test_a_surface_is_drawn_by_seed_and_name():
    first, again, other, named = (
        followed_surface.__wrapped__(4e-7, 2e-3, 2e-2, 2.0, 8e-3, seed, name) for seed, name in (
            (1, "o.top.surface"), (1, "o.top.surface"), (2, "o.top.surface"), (1, "p.top.surface")))
    assert np.array_equal(first.heights,
                          again.heights) and not np.array_equal(first.heights, other.heights)
    assert not np.array_equal(first.heights, named.heights) and first.length == 64 * 2e-2


# ---- blocks, sleep

# irregular balls that hover over a panel which other balls push about
PUSHED = "\n".join([
    "0 o.top drop h=3mm irregularity=0.5 dur=1ms",
    "0.0001s o.top drop h=4mm irregularity=0.5 dur=1ms",
    "0.008s o.top strike ball=rubber v=3 dur=1ms", "0.1s o.top strike ball=rubber v=3 dur=1ms"
])


@pytest.mark.parametrize("rows, text", [
    (PUSHED, LIGHT),
    ("0 o.top strike dur=1ms\n0.0123s o.top strike ball=rubber dur=1ms\n0.2s o.top drop h=1mm "
     "dur=1ms",
     TABLE),
    ("0 o.top drop h=5mm irregularity=0.5 dur=20ms\n0.0503s o.top strike v=0.3 dur=100ms", TABLE),
    ("0.001s o.top roll dur=60ms\n0.03s o.top drop h=2mm ball=rubber dur=1ms\n0.04s o.top drop "
     "h=1mm irregularity=0.5 dur=1ms",
     TABLE),
    ("0.001s o.top roll v=(0:0.2 0.03s:0.5/cos 0.1s:0) dur=60ms", TABLE),
])
def test_any_block_gives_the_same_bits(score, rows, text):
    def parts(block):
        engine = open_engine(score(rows, text, options="tail=200ms"))
        return np.concatenate(list(engine.blocks(block))), engine.report()

    (whole, report), (small, other) = parts(1 << 20), parts(37)
    assert np.array_equal(whole, small) and report == other and np.abs(
        whole).max() > 1e-6 and report["residual"] < 1e-11


def test_it_sleeps_and_wakes_at_a_blow(score):
    rows = "0 o.top strike dur=1ms\n20s o.top strike dur=1ms"
    engine = open_engine(score(rows, options="tail=auto"))
    struck = engine._voices[0]._source._instrument.objects["top"]
    asleep = []
    sound = []
    for block in engine.blocks(4800):
        sound.append(block)
        asleep.append(struck.sounding.asleep)
    sound = np.concatenate(sound)[:, 0]
    assert all(asleep[20:199]) and not asleep[0] and not engine.tail_cut and sound.size < 21 * RATE
    # the same again: what was left is 60 dB down
    assert np.abs(sound[:4800]
                  - sound[20 * RATE:20 * RATE + 4800]).max() < 1e-3 * np.abs(sound).max()


def test_the_highest_displacement_of_an_object(score):
    """An irregular ball flies without contact checks while it can hit nothing: it never moves
    further in 256 steps than predicted, nor much less."""
    engine = open_engine(score(PUSHED, LIGHT, options="tail=100ms"))
    struck = engine._voices[0]._source._instrument.objects["top"]
    shapes = np.array([0.0] * struck._first + PANEL_MODES["shapes"])
    bounds, places = [], []
    for _ in range(300):
        there = [ball for ball in struck.balls if ball.action]
        bounds.append(struck._surface_amplitude(there))
        struck.advance(np.empty(32))
        places.append(-float((shapes * struck.sounding.kernel.displacement()).sum()))
    highest = np.array([max(places[i:i + 8]) for i in range(292)])
    assert (highest <= bounds[:292]).all() and highest.max() > 1e-3
    # the energy of the blow, were it all in the panel's softest shape
    assert max(bounds) < 10.0 * highest.max()


def test_modes_that_the_rate_cannot_have_are_left_out(score):
    """At 8 kHz those under 3.6 kHz are kept; with none left it is reported."""
    seventh = {"frequencies": 3700.0, "decay_rates": 200.0, "masses": 0.6, "shapes": 1.0,
               "weights": 1.0}
    more = struck_object(**{key: [*TOP_MODES[key], value] for key, value in seventh.items()})
    plain, with_more = (pysitar.render(score("0 o.top strike dur=100ms", text, rate=8000)).audio
                        for text in (TABLE, more))
    assert np.array_equal(plain, with_more)
    assert not np.array_equal(*(pysitar.render(score("0 o.top strike dur=100ms", text)).audio
                                for text in (TABLE, more)))
    with pytest.raises(pysitar.ScoreError,
                       match=r"object top: frequencies is 20000\.0; no mode is below 3600 Hz"):
        pysitar.render(score("0 o.top strike", WALL, rate=8000))


def test_kinds_of_balls():
    values = {"mass": 1e-3, "exponent": 1.5, "radius": 5e-3, "velocity": 1.0, "irregularity": 0.0}
    assert kind_of(values) == kind_of(values | {"velocity": 2.0, "stiffness": 1e9}) != kind_of(
        values | {"mass": 2e-3})
    # of a ball, 2/5 m r^2
    assert kind_of(values | {"irregularity": 0.1}).inertia == pytest.approx(
        0.4e-3 * 25e-6, rel=1e-15)
    assert StruckObject.__init__.__kwdefaults__ == {"traced": False}
