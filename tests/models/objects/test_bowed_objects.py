"""A bow on an object: its amplitude in closed form, work, losses and heat, pairs of modes, where it
starts to sound, and what is wrong."""
import math

import numpy as np
import pytest
from instruments import struck_object

import pysitar
from pysitar.errors import ScoreError
from pysitar.gestures.bow import OBJECT_BOW
from pysitar.models.definitions.loader import parse_instrument
from pysitar.models.objects.played import PlannedEvent, StruckObject
from pysitar.physics.bow import Rosin, driving_force
from pysitar.rendering.binding.binder import check
from pysitar.rendering.options import options

RATE = 48000
MASS, RATE_OF_DECAY, HZ = 0.05, 4.0, 500.0
ONE = {"frequencies": [HZ], "decay_rates": [RATE_OF_DECAY], "masses": [MASS], "shapes": [1.0],
       "weights": [1.0]}
ROSIN = Rosin()
OBJECT = struck_object(**ONE)


def bowed(seconds, *, velocity, force, modes=ONE, curves=None, **more):
    """Return an object with its bow, for some time."""
    text = struck_object(**modes)
    (spec,) = parse_instrument(text, name="o", shown="o.toml").parts
    values = {**spec.default_values("bow"), "velocity": velocity, "force": force, "held": seconds,
              **more}
    played = StruckObject(spec, planned=[PlannedEvent(values, curves or {})],
                          sample_rate=float(RATE), floor=-120.0, name="o.top", seed=0)
    OBJECT_BOW.begin(played, 0, values, {})
    return played


def run(played, seconds):
    out = np.empty(round(seconds * RATE))
    played.advance(out)
    return out


def mean_power(amplitude, velocity, force):
    """Return the mean power (W) of the friction of a sliding bow on a surface whose velocity is
    amplitude * cos(phase)."""
    u = amplitude * np.cos(2.0 * math.pi * (np.arange(20000) + 0.5) / 20000)
    slip = velocity - u
    mu = ROSIN.mu0 + ROSIN.mu1 * np.exp(-np.abs(slip) / ROSIN.v1) + ROSIN.mu2 * np.exp(
        -np.abs(slip) / ROSIN.v2)
    return float((force * np.sign(slip) * mu * u).mean())


def balanced_amplitude(velocity, force):
    """Return the velocity amplitude (m/s) at which friction gives what the mode loses, m alpha V^2,
    by bisection: below it gives more."""
    low, high = 1e-3 * velocity, 3.0 * velocity
    for _ in range(60):
        middle = 0.5 * (low + high)
        loss = MASS * RATE_OF_DECAY * middle * middle
        low, high = ((middle, high) if mean_power(middle, velocity, force) > loss
                     else (low, middle))
    return low


@pytest.mark.parametrize(("velocity", "force"), [(0.1, 0.4), (0.05, 0.3), (0.1, 1.0)])
def test_the_amplitude_is_where_friction_gives_what_the_mode_loses(velocity, force):
    """The forces of a period are small, mu N / (m omega V) = 0.08 at most: the motion is a sine
    but for that part, whose effect on the mean power is of second order."""
    played = bowed(4.0, velocity=velocity, force=force)
    run(played, 3.0)
    sound = run(played, 0.1)            # 50 periods
    amplitude = math.sqrt(2.0 * float((sound * sound).mean()))
    expected = balanced_amplitude(velocity, force)
    small = 1.2 * force / (MASS * 2.0 * math.pi * HZ * velocity)
    assert amplitude == pytest.approx(expected, rel=max(small * small, 2e-3))
    # and it is near the speed of the bow
    assert velocity < amplitude < 1.3 * velocity


def test_the_work_of_the_bow_is_losses_and_heat():
    played = bowed(6.0, velocity=0.1, force=0.5)
    run(played, 4.0)
    kernel = played.sounding.kernel
    before = (kernel.friction_work, kernel.friction_heat, *kernel.energy())
    out = run(played, 1.0)
    after = (kernel.friction_work, kernel.friction_heat, *kernel.energy())
    work, heat = after[0] - before[0], after[1] - before[1]
    # the mode's own losses, from its velocity: m alpha V^2; in the steady state nothing is stored
    lost = 2.0 * MASS * RATE_OF_DECAY * float((out * out).mean())
    assert work > heat > 0.0
    assert work - heat == pytest.approx(lost, rel=2e-3)
    assert played.sounding.residual < 1e-13


def test_the_heat_never_falls():
    played = bowed(0.5, velocity=0.1, force=2.0, rise=0.01, lift=0.1)
    heats = []
    for _ in range(600):
        run(played, 1e-3)
        heats.append(played.sounding.kernel.friction_heat)
    assert min(np.diff(heats)) >= 0.0 and heats[-1] > 0.0
    assert heats[-1] == heats[520]          # lifted
    assert played.sounding.residual < 1e-13


def test_a_bow_reversed_reverses_the_sound():
    one, other = (run(bowed(0.3, velocity=velocity, force=1.0), 0.4) for velocity in (0.1, -0.1))
    assert np.array_equal(one, -other) and np.abs(one).max() > 0.05


def test_two_modes_of_one_frequency_are_one():
    """Of a round glass: 0.6 and 0.8 of a pair move as one mode with the shape 1 at the bow, and the
    weights of both."""
    pair = {"frequencies": [HZ, HZ], "decay_rates": [RATE_OF_DECAY] * 2, "masses": [MASS] * 2,
            "shapes": [0.8, 0.6], "weights": [0.8, 0.6]}
    one, two = (run(bowed(1.0, velocity=0.1, force=1.0, modes=modes), 1.0)
                for modes in (ONE, pair))
    # rounding grows with the sound, e^(growth rate * time) at most e^15
    assert np.abs(one - two).max() < 1e-8 * np.abs(one).max()


def test_a_pair_sounds_as_one_tone_and_beats_when_the_bow_lifts():
    """The bow holds both at one frequency between theirs; then each has its own."""
    apart = 1.0
    pair = {"frequencies": [HZ, HZ + apart], "decay_rates": [RATE_OF_DECAY] * 2,
            "masses": [MASS] * 2, "shapes": [0.8, 0.6], "weights": [0.8, 0.6]}
    played = bowed(3.0, velocity=0.1, force=0.8, modes=pair, lift=0.01)
    sound = run(played, 4.1)

    def envelope(start, stop):
        part = sound[round(start * RATE):round(stop * RATE)]
        return np.abs(part[:part.size // 480 * 480].reshape(-1, 480)).max(axis=1)
    held = envelope(2.0, 2.9)
    assert held.max() < 1.02 * held.min()
    # the bow's force has no part against the velocity: 0.64 d / (4^2 + d^2) = 0.36 e / (4^2 + e^2)
    # for the distances d + e = 2 pi rad/s of the tone, so d = 1.19; the motions of the two are then
    # as 0.64 / |4 + i d| : 0.36 / |4 + i e| = 1 : 0.36, and their sum is between 1.36 and 0.64
    free = envelope(3.05, 4.05) * np.exp(RATE_OF_DECAY * 0.01 * np.arange(100))
    assert free.min() / free.max() == pytest.approx(0.47, abs=0.05)
    part = sound[2 * RATE:round(2.9 * RATE)] * np.hanning(round(0.9 * RATE))
    spectrum = np.abs(np.fft.rfft(part, 1 << 20))
    tone = spectrum.argmax() * RATE / (1 << 20)
    # 500.19 Hz, less 0.1 Hz by the short sticking in each period
    assert tone == pytest.approx(HZ + 1.19 / (2.0 * math.pi), abs=0.2)


def test_it_starts_to_sound_from_the_driving_force_on():
    least = driving_force(rosin=ROSIN, mobility=1.0 / (2.0 * MASS * RATE_OF_DECAY), speed=0.1)
    growth = {}
    for part in (0.8, 1.25):
        played = bowed(4.0, velocity=0.1, force=part * least)
        levels = []
        for _ in range(4):
            run(played, 0.4)
            levels.append(np.abs(run(played, 0.1)).max())
        growth[part] = math.log(levels[3] / levels[1]) / 1.0
    # of a small sound: alpha (N / N0 - 1), to the curvature of mu
    assert growth[0.8] == pytest.approx(-0.2 * RATE_OF_DECAY, rel=0.05)
    assert growth[1.25] == pytest.approx(0.25 * RATE_OF_DECAY, rel=0.05)


# ---- in a score

@pytest.fixture
def score(tmp_path):
    def load(rows, text=OBJECT, tail="0.1"):
        (tmp_path / "o.toml").write_text(text)
        path = tmp_path / "a.score"
        path.write_text(f'use "o.toml" as o\nrender rate={RATE} oversample=1 fade=0 channels=1 '
                        f'tail={tail}\n{rows}\n', encoding="utf-8")
        return pysitar.load_score(path)
    return load


def messages(load, rows, **more):
    try:
        loaded = load(rows, **more)
        bound = check(loaded, options(loaded))
    except ScoreError as error:
        return [problem.message for problem in error.problems]
    return [problem.message for problem in (*bound.problems, *bound.warnings)]


def test_a_bow_that_comes_later_changes_no_bit(score):
    free, later = (pysitar.render(score(rows, tail="0"), jobs=1).audio
                   for rows in ("0 o.top strike dur=0.5",
                                "0 o.top strike dur=0.5\n0.6 o.top bow dur=0.1"))
    count = round(0.5 * RATE)
    assert np.array_equal(free[:count], later[:count]) and np.abs(free).max() > 0.0


def test_curves_places_and_balls_go_together(score):
    text = OBJECT + "[objects.top.places]\nedge = [0.5]\n"
    rows = ("0 o.top bow v=(0:0.1 0.4:0.1 0.6:-0.1/cos 1:-0.1) f=(0:1 1:2) place=edge\n"
            "0.3 o.top strike\n0.4 o.top drop h=1mm\n0.45 o.top roll dur=0.3\n"
            "1.2 o.top bow v=0.05 dur=0.2")
    assert messages(score, rows, text=text) == []
    rendered = pysitar.render(score(rows, text=text), jobs=1)
    assert np.abs(rendered.audio).max() > 0.01 and rendered.report["residual"] < 1e-11


def test_more_balls_than_seats_do_not_stop_the_bow(score):
    rows = "0 o.top bow f=2N dur=0.4\n" + "\n".join(
        f"{0.1 + 0.002 * i:.3f} o.top drop h=5mm" for i in range(12))
    rendered = pysitar.render(score(rows), jobs=1)
    assert rendered.report["residual"] < 1e-11


def test_the_bar_of_a_note_is_bowed_at_its_end():
    rendered = pysitar.render(pysitar.load_score(
        text="use glockenspiel as g\nrender rate=48000 oversample=1 tail=0 channels=1\n"
             "0 g.C6 bow v=0.1 f=4N x=0 dur=0.6\n"), jobs=1)
    part = rendered.audio[24000:28000, 0]
    spectrum = np.abs(np.fft.rfft(part * np.hanning(part.size), 1 << 17))
    assert spectrum.argmax() * RATE / (1 << 17) == pytest.approx(1046.5, rel=2e-3)


@pytest.mark.parametrize(("rows", "message"), [
    ("0 o.top bow dur=0", "bow has no duration; expected dur=2s"),
    ("0 o.top bow dur=1 f=-1N", "force is -1.0; expected"),
    ("0 o.top bow dur=1\n0.5 o.top bow dur=1", "o.top is bowed until 1 s; expected a later start"),
    ("0 o.top bow dur=1 x=0.1", "this object has no x"),
    ("0 o.top bow dur=1 place=edge", "this object has no places"),
    ("0 o.top bow dur=1 shift=1cm", "shift"),
    ("0 o.top bow (0:C4 1:D4) dur=1", "an object keeps its pitch; expected a bow without a curve"),
    ("0 o.top bow C4 gamak=D4 dur=1", "bow has no ornaments on objects; expected none"),
    ("0 o.top bow f=0.1N dur=1", "the bow presses with 0.1 N: at 0.1 m/s the object starts to "
                                 "sound from 0.241 N on; expected f=0.483N"),
])
def test_what_is_wrong_is_reported(score, rows, message):
    found = messages(score, rows)
    assert any(message in one for one in found), found


def test_a_wrong_place_of_the_table_is_reported(score):
    found = messages(score, "0 o.top bow dur=1",
                     text=OBJECT + "[objects.top.bow]\nplace = \"edge\"\n")
    assert any("place is edge" in one for one in found), found


def test_a_node_does_not_sound(score):
    text = OBJECT + "[objects.top.places]\nnode = [0.0]\n"
    assert messages(score, "0 o.top bow place=node dur=1", text=text) == [
        "no mode moves where the bow is; expected another place"]
