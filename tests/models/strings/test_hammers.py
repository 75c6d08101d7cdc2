"""Struck strings against a plain twin, closed forms, momentum and their energy: one hammer and two,
the hand that lifts one, rest."""
import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from twins.hammers import A4, FELT, LOSSLESS, RATE, WOOD, heard, stored, twin_of

import pysitar
from pysitar.errors import ParameterError
from pysitar.gestures.base import HammerHead
from pysitar.models.definitions.loader import parse_instrument, preset_text
from pysitar.models.definitions.spec import StrikeSpec
from pysitar.models.definitions.strings import HANDS
from pysitar.models.strings.hammers import HELD, LIFT
from pysitar.models.strings.played import PlayedString


def made(spec=A4, hz=440.0, *, rate=RATE, heads=None, **more):
    own = (HammerHead(spec.strike.exponent),) if heads is None else heads
    return PlayedString(spec, hz=hz, sample_rate=rate, floor=-80.0, name="v.s", heads=own,
                        traced=True, **more)


def struck(steps, *, spec=A4, rate=RATE, hz=440.0, **values):
    """The string struck at step 0, what it sounded like, and the hammer's force."""
    string = made(spec, hz, rate=rate)
    string.play("strike", 0, values)
    out = heard(string, steps)
    return string, out, string.traces()["contact_force"]


def flight(string, hand=0):
    """Height (m) and upward velocity (m/s) of a hammer."""
    hammer = string._hammers._hammers[hand]
    scale = math.sqrt(string.spec.strike.mass / hammer.mass)
    kernel = string.sounding.kernel
    return scale * kernel.displacement()[hammer.mode], scale * kernel.velocity()[hammer.mode]


# ---- the twin

def run_twin(twin, weights, steps):
    sound, force = np.empty(steps), np.empty(steps)
    for n in range(steps):
        sound[n] = weights @ twin.y[:weights.size]
        twin.step()
        force[n] = twin.f.sum()
    return sound, force


@pytest.mark.parametrize(("own", "values"),
                         [(WOOD, {}), (FELT, {"mass": 6e-4, "velocity": 1.2, "position": 0.11,
                                              "stiffness": 2e8, "exponent": 2.0, "damping": 0.0})])
def test_a_struck_string_is_the_twins(own, values):
    """Over 500 steps, contact and flight, whatever the hammer's mass: the mode keeps that of the
    string's own hammer."""
    spec, given = replace(A4, strike=own), {
        name: getattr(own, name) for name in StrikeSpec.__dataclass_fields__} | values
    string = made(spec, heads=(HammerHead(given["exponent"]),))
    string.play("strike", 5, values)
    out = heard(string, 505)
    force = string.traces()["contact_force"][5:]
    twin, weights = twin_of(spec, [given["mass"]], [given], 1.0 / RATE)
    twin.q[-1] = -0.5 * given["velocity"] / RATE
    sound, pushed = run_twin(twin, weights, 500)
    assert np.all(out[:6] == 0.0) and np.abs(sound).max() > 0.2
    # both solve to a few 1e-15 of the penetrations; 500 steps of a string that keeps errors, with
    # phases of 40 modes: 1e-11
    assert np.abs(out[5:] - sound).max() < 1e-11 * np.abs(sound).max()
    assert np.abs(force - pushed).max() < 1e-10 * pushed.max()


def test_a_second_blow_in_contact_is_the_other_hands():
    """Struck again 0.8 ms after the first blow: from there on two hammers are at the string, and
    nothing else has changed."""
    again = {"position": 0.09, "velocity": 1.0, "mass": 2.5e-3, "stiffness": 3e8, "exponent": 2.4,
             "damping": 0.6}
    own = {name: getattr(WOOD, name) for name in StrikeSpec.__dataclass_fields__}
    string = made(heads=(HammerHead(1.6), HammerHead(2.4)))
    string.play("strike", 0, {})
    string.play("strike", 77, again)
    out = heard(string, 320)
    force = string.traces()["contact_force"]
    alone, weights = twin_of(A4, [own["mass"]], [own], 1.0 / RATE)
    alone.q[-1] = -0.5 * own["velocity"] / RATE
    first, pushed = run_twin(alone, weights, 77)
    assert pushed[-1] > 0.2 * pushed.max()  # the first hammer is in contact
    both, _ = twin_of(A4, [own["mass"], again["mass"]], [own, again], 1.0 / RATE)
    height = np.sin(np.arange(1, weights.size + 1) * np.pi * 0.09 / 0.38) @ alone.y[:-1]
    both.y[:] = [*alone.y, height]
    both.q[:] = [*alone.q, -0.5 * again["velocity"] / RATE]
    both.p = both.offset - both.shapes @ both.y
    second, more = run_twin(both, weights, 243)
    # as above; the second hammer's first gap is rounding, of 1e-19 m
    assert np.abs(out - np.concatenate([first, second])).max() < 1e-10 * np.abs(second).max()
    assert np.abs(force[77:] - more).max() < 1e-9 * more.max()
    assert len(string._hammers._hammers) == HANDS == 2


# ---- momentum and energy

def test_the_impulse_is_the_hammers_momentum():
    string = made()
    string.play("strike", 0, {})
    heard(string, 245)
    _, velocity = flight(string)
    force = string.traces()["contact_force"]
    assert force[-1] == 0.0 and string._hammers.busy and velocity > 0.0
    # m (v1 - v0) = F dt holds in each step: rounding of 240 sums
    assert force.sum() / RATE == pytest.approx(WOOD.mass * (velocity + WOOD.velocity), rel=1e-13)
    # the string has the rest of the energy, but for what the head and the string turned into heat
    assert 0.3 * WOOD.velocity < velocity < WOOD.velocity


def test_the_balance_holds_in_every_step_and_only_blows_and_partings_jump():
    string = made(heads=(HammerHead(1.6),))
    string.play("strike", 10, {})
    string.play("strike", 100, {"velocity": 1.0, "mass": 3e-3})
    before, jumps = stored(string), []
    for step in range(1200):
        busy = [hammer.row for hammer in string._hammers._hammers]
        leaving = [0.5 * hammer.mass * flight(string, hand)[1]**2 for hand,
                   hammer in enumerate(string._hammers._hammers)]
        heard(string, 1)
        after = stored(string)
        for hand, hammer in enumerate(string._hammers._hammers):
            if hammer.row != busy[hand]:
                blow = busy[hand] is None
                jumps.append((step, blow))
                before += 0.5 * hammer.mass * hammer.velocity**2 if blow else -leaving[hand]
        # 1e-13 of what the blows bring, 4.7 and 1.5 mJ
        assert abs(after - before) < 1e-13 * 6.2e-3, step
        before = after
    assert [blow for _, blow in jumps] == [True, True, False, False]
    assert [step for step, _ in jumps[:2]] == [10, 100]
    assert not string._hammers.busy and string.sounding.residual < 1e-13
    assert all(step % 64 == 0 for step, blow in jumps if not blow)


# ---- durations and limits


@pytest.mark.parametrize(("strike", "velocity", "expected"),
                         [(WOOD, 1.0, 2.45), (WOOD, 2.5, 2.45), (WOOD, 5.0, 2.45), (FELT, 1.0, 3.7),
                          (FELT, 2.5, 3.4), (FELT, 5.0, 3.1)])
def test_contacts_last_as_measured(strike, velocity, expected):
    """Wood touches the string as long at every speed, felt shorter the harder it strikes; as
    measured on a coupled body, ms."""
    _, out, force = struck(960, spec=replace(A4, strike=strike), velocity=velocity)
    touched = np.flatnonzero(force)
    assert touched[-1] - touched[0] + 1 == touched.size          # once
    assert touched.size / RATE * 1e3 == pytest.approx(expected, abs=0.05)          # of two digits
    assert np.all(force >= 0.0)
    # the peak of the end's force in those measurements, 2.09 and 1.87 N: within 2 %, the body's
    # share
    if velocity == 2.5:
        assert np.abs(out[:960]).max() == pytest.approx(2.09 if strike is WOOD else 1.87, rel=0.02)


@pytest.mark.parametrize(("strike", "expected"), [(WOOD, (-10.0, -11.0, -11.0)),
                                                  (FELT, (-14.0, -14.0, -14.0))])
def test_blows_are_as_bright_as_measured(strike, expected):
    """Power over 2 kHz against all over 50 Hz, dB, in Hann windows of 60 ms around 30, 100 and 200
    ms."""
    _, out, _ = struck(round(0.24 * RATE), spec=replace(A4, strike=strike))
    size = round(0.06 * RATE)
    f = np.fft.rfftfreq(size, 1.0 / RATE)
    for time, bright in zip((0.03, 0.1, 0.2), expected, strict=True):
        start = round(time * RATE) - size // 2
        power = np.abs(np.fft.rfft(out[start:start + size] * np.hanning(size))) ** 2
        # the tolerance of those measurements, with a body that the string felt, which takes its low
        # partials: later they part
        assert 10.0 * math.log10(power[f > 2000.0].sum() / power[f > 50.0].sum()) == pytest.approx(
            bright, abs=2.0)


def test_a_string_too_heavy_to_move_is_a_wall():
    """A string of 100 kg/m: the hammer comes back with the restitution and after the time of the
    closed form."""
    heavy = replace(LOSSLESS, linear_density=100.0, bending_stiffness=0.0, length=1.0,
                    strike=replace(WOOD, position=0.5, stiffness=1e5, exponent=1.5))
    _, _, force = struck(700, spec=heavy, rate=192000.0, hz=1000.0)
    contact = np.flatnonzero(force).size / 192000.0
    velocity = force.sum() / 192000.0 / WOOD.mass - WOOD.velocity
    expected = -pysitar.analytic.output_velocity(hysteresis=0.4, velocity=2.5)
    # second order in time: measured elsewhere 4e-5 to 6e-4 at 64 samples, a quarter for each
    # doubling, and here are 412; the string gives way by F/2Z, 3 N / 4e5 kg/s, at first and last:
    # 5e-6 of the speed
    assert velocity == pytest.approx(expected, rel=2e-5) and 0.5 < expected / 2.5 < 0.7
    time = pysitar.analytic.contact_time(mass=1.5e-3, stiffness=1e5, exponent=1.5, hysteresis=0.4,
                                         velocity=2.5)
    assert contact == pytest.approx(time, abs=2.0 / 192000.0) and contact > 400 / 192000.0


def test_a_rigid_light_hammer_is_braked_by_the_strings_impedance():
    """Until a wave comes back from an end: v = v0 exp(-2 Z t / m), Z = sqrt(T rho A)."""
    spec = replace(
        LOSSLESS, bending_stiffness=0.0, length=1.0, linear_density=1e-3,
        strike=replace(WOOD, position=0.5, mass=2e-4, stiffness=1e6, exponent=1.0, damping=0.0))
    impedance = 100.0 * 1e-3                                     # wave speed 2 f1 L = 100 m/s
    string = made(spec, 50.0)
    string.play("strike", 0, {})
    # braked by exp(-1) in 1 ms; waves are back after 10 ms. The string has no modes over 20 kHz:
    # for 1/20 ms it is not yet an impedance
    for step in (96, 192, 288):
        heard(string, step - string.sounding.step)
        _, velocity = flight(string)
        assert -velocity / WOOD.velocity == pytest.approx(
            math.exp(-2.0 * impedance * step / RATE / 2e-4), abs=0.02)


def test_a_soft_blow_is_a_small_one():
    """Exponent 1 and no damping: all is linear while the hammer touches, so a tenth of the speed is
    a tenth of the sound."""
    linear = replace(A4, strike=replace(WOOD, stiffness=1e5, exponent=1.0, damping=0.0))
    _, loud, _ = struck(1500, spec=linear)
    _, soft, _ = struck(1500, spec=linear, velocity=0.25)
    assert np.abs(10.0 * soft - loud).max() < 1e-11 * np.abs(loud).max() > 0.0


# ---- the hand, rest, company

def test_the_hand_lifts_a_hammer_that_would_stay():
    """2 kg would ride on the string for 80 ms: 50 ms after the blow a hand pulls, the string lets
    go by itself, and nothing clicks."""
    string, out, force = struck(round(0.1 * RATE), mass=2.0, velocity=0.01)
    held = round(HELD * RATE)
    assert force[held] > 0.0 and not string._hammers.busy
    last = int(np.flatnonzero(force)[-1])
    # before the end of the pull: gone because it was off, not put away
    assert held < last < held + round(LIFT * RATE) - 64
    # it parts more softly than a plectrum of the same force that lets go in half a millisecond
    plucked = made()
    plucked.play("pluck", 0, {"force": force[held], "position": 0.055, "width": 0.0, "ramp": 0.02,
                              "release": 5e-4})
    assert np.abs(np.diff(out[held:],
                          2)).max() < 0.5 * np.abs(np.diff(heard(plucked, 4000), 2)).max()
    assert string.sounding.residual < 1e-13
    # alone it would stay for half a period of 2 kg on the string's stiffness there, T L / (x (L -
    # x))
    spring = A4.string(440.0).tension * 0.38 / (0.055 * 0.325)
    assert math.pi * math.sqrt(2.0 / spring) > HELD + LIFT


def test_a_third_blow_takes_the_first_hammer_away():
    string = made()
    for step in (0, 30, 60):
        string.play("strike", step, {"mass": 0.05, "velocity": 0.5})
    heard(string, 61)
    assert [hammer.start for hammer in string._hammers._hammers] == [60, 30]
    heard(string, 20000)
    assert not string._hammers.busy and string.sounding.residual < 1e-12


def test_a_struck_string_sleeps_and_wakes():
    dull = replace(A4, sigma0=30.0)
    string = made(dull)
    string.play("strike", 7, {})
    out = heard(string, 250)
    assert string.waiting and string._hammers.busy          # nothing is waited for but the hammer
    out = np.concatenate([out, heard(string, round(0.9 * RATE) - 250)])
    assert string.sounding.asleep and not string.waiting and np.all(out[-100:] == 0.0)
    assert not string.sounding.kernel.displacement()[string.modes.count:].any()
    # a new blow sounds as on a string at rest: what is left is 80 dB down
    string.play("strike", string.sounding.step, {})
    again = heard(string, 400)
    assert np.abs(again - out[7:407]).max() < 2e-4 * np.abs(out).max()


def test_hammers_that_are_away_change_no_bit():
    plain, armed = (made(heads=heads) for heads in ((), (HammerHead(1.6), HammerHead(2.4))))
    sound = []
    for string in (plain, armed):
        string.play("pluck", 5, {})
        string.play("pluck", 900, {"height": 1e-3}, 430.0)
        sound.append(heard(string, 4000))
    assert np.array_equal(*sound) and armed.sounding.kernel.modes == plain.sounding.kernel.modes + 2
    assert plain._hammers is None
    assert plain.sounding.kernel.rows + 4 == armed.sounding.kernel.rows


def crowd(string):
    """Blows of both hands among plucks, glides, touches and fingers."""
    string.play("strike", 40, {})
    string.play("pluck", 100, {"touch": 2.0, "lead": 5e-4}, 480.0)
    string.play("strike", 150, {"exponent": 2.4, "stiffness": 3e8, "mass": 4e-3})
    string.play("fret", 900, {"glide": 5e-3}, 440.0)
    string.play("strike", 1000, {"velocity": 1.0})
    string.play("strike", 1040, {"velocity": 1.0})
    string.play("strike", 1063, {"position": 0.2})
    string.play("damp", 1500, {"t60": 0.1})
    string.play("strike", 2600, {"mass": 1.0, "velocity": 0.1})
    return string


def test_any_division_gives_the_same_bits():
    steps = 10000
    sounds = []
    for block in (steps, 64, 997):
        string = crowd(made(heads=(HammerHead(1.6), HammerHead(2.4)), highest=480.0))
        sounds.append(np.concatenate(
            [heard(string, min(block, steps - done)) for done in range(0, steps, block)]))
        assert string.sounding.residual < 1e-12
        assert string.sounding.kernel.statistics["failures"] == 0
        assert not string._hammers.busy
    assert np.array_equal(sounds[0], sounds[1]) and np.array_equal(sounds[0], sounds[2])
    assert np.abs(sounds[0]).max() > 1.0


def test_a_blow_lifts_the_finger():
    string = made()
    string.play("strike", 0, {})
    string.play("damp", 2000, {"t60": 0.1})
    string.play("strike", 8000, {})
    out = heard(string, 16000)
    levels = [np.abs(out[start:start + 400]).max() for start in (1500, 7500, 9600, 15500)]
    assert levels[1] < 0.1 * levels[0] and levels[2] > 0.7 * levels[0] and levels[
        3] > 0.8 * levels[2]


@pytest.mark.parametrize(("name", "part", "hz"), [("sitar", "baj", 185.0),
                                                  ("tanpura", "sa1", 138.59), ("bass", "e", 41.2)])
def test_strings_on_bridges_and_under_pickups_are_struck(name, part, hz):
    (spec, ) = (spec for spec in parse_instrument(preset_text(name), name=name, shown="x").strings
                if spec.name == part)
    string = made(replace(spec, strike=replace(WOOD, position=0.3)), hz)
    string.play("strike", 100, {})
    out = heard(string, 9600)
    # it has been woken, and lies still
    assert np.abs(out[:101]).max() < 1e-15 and np.abs(out).max() > 0.1
    assert string.sounding.residual < 1e-12 and not string._hammers.busy


# ---- hostile

def test_hostile_hammers_stay_finite():
    """The corners of all ranges at 44.1 kHz: no sample that is no number, no failed solve, a
    balance of 1e-9 (else the render fails)."""
    for mass, stiffness, exponent, damping, velocity, x in product(
        (1e-6, 10.0), (1e-3, 5e7, 1e13), (1.0, 3.5, 10.0), (0.0, 1e4), (1e-3, 100.0),
        (1e-6, 0.055)):
        strike = StrikeSpec(position=x, velocity=velocity, mass=mass, stiffness=stiffness,
                            exponent=exponent, damping=damping)
        string = made(replace(A4, strike=strike), rate=44100.0)
        # between two readings of the energy, which the blow brings all of
        string.play("strike", 3, {})
        out = heard(string, round((HELD + LIFT) * 44100.0) + 128)
        force = string.traces()["contact_force"]
        assert np.isfinite(out).all() and np.isfinite(force).all() and np.all(force >= 0.0)
        assert string.sounding.kernel.statistics["failures"] == 0 and not string._hammers.busy


def test_a_law_that_the_string_was_not_made_for_is_refused():
    string = made()
    string.play("strike", 0, {"exponent": 2.0})
    with pytest.raises(ParameterError, match="exponent"):
        heard(string, 1)
