"""Plucks by a tip in contact: rest, work, limits, order, and where the tip is in a score."""
import math
from dataclasses import replace

import numpy as np
import pytest
from instruments import instrument, string, table
from score_texts import write_score

import pysitar
from pysitar.errors import ParameterError, ScoreError
from pysitar.models.definitions.picks import TIPS, PickSpec
from pysitar.models.definitions.spec import PluckSpec, StringSpec
from pysitar.models.strings.played import PlayedString

RATE = 96000.0
X, LENGTH, HZ = 0.13, 0.65, 220.0
PLUCK = PluckSpec(position=X, force=1.0, width=0.0, ramp=0.005, release=2e-4, touch=0.0, lead=0.0,
                  angle=90.0)
WIRE = StringSpec(name="s", pitch=HZ, length=LENGTH, linear_density=1e-3, sigma0=2.0, pluck=PLUCK)


def plucked(steps, *, rate=RATE, wire=WIRE, pick=None, **values):
    """The string plucked at step 0, its sound, and its traces."""
    played = PlayedString(replace(wire, pick=pick), hz=HZ, sample_rate=rate, floor=-80.0,
                          name="v.s", traced=True)
    played.play("pluck", 0, values)
    out = np.empty(steps)
    played.advance(out)
    return played, out, played.traces()


def tip(contact="plectrum", **values):
    return PickSpec(contact=contact, **values)


# ---- rest and slip

@pytest.mark.parametrize("force", [1.5, -0.4])
def test_the_string_slips_off_at_rest_under_the_force_of_the_pluck(force):
    """A ramp of 0.15 s, 33 periods, on a lossy string: y = F sum sin^2(b x) / k, of modes with the
    mass m and the scheme's stiffness k = m (2 tan(omega dt / 2) / dt)^2."""
    wire = replace(WIRE, sigma0=60.0)
    ramp = 0.15
    steps = round(ramp * RATE) + 400
    _, _, traces = plucked(steps, wire=wire, pick=tip(), force=force, ramp=ramp)
    push = traces["contact_force"]
    last = int(push.argmax())
    string_ = wire.string(HZ)
    modes = math.floor(20e3 / HZ)           # of an ideal string
    b = np.arange(1, modes + 1) * math.pi / LENGTH
    half = 0.5 * b * math.sqrt(string_.tension / 1e-3) / RATE
    stiffness = 0.5 * 1e-3 * LENGTH * (2.0 * RATE * np.tan(half))**2
    deflection = force * float((np.sin(b * X)**2 / stiffness).sum())
    # F x (L - x) / (T L), of all modes of the string
    assert deflection == pytest.approx(
        force * X * (LENGTH - X) / (string_.tension * LENGTH), rel=0.01)
    # the force rises by 0.6 F / ramp, 4e-5 a step, and is read at steps
    assert push[last] == pytest.approx(abs(force), rel=2e-4)
    # what the start of the ramp has left of vibrations
    assert traces["displacement"][last] == pytest.approx(deflection, rel=4e-4)
    assert last / RATE == pytest.approx(ramp, rel=2e-3)
    assert not push[last + 60:].any()       # slip_time is 0.3 ms at most


def test_force_and_edge_make_the_release():
    """t = sqrt(2 m r / F), and the edge of a circle takes the force off within it."""
    for force in (0.25, 1.0, 4.0):
        time = TIPS["nail"].slip_time(force)
        assert time == pytest.approx(math.sqrt(2.0 * 1e-4 * 5e-4 / force), rel=1e-15)
        _, _, traces = plucked(1000, pick=tip("nail"), force=force, release=time)
        push = traces["contact_force"]
        length = np.flatnonzero(push)[-1] - int(push.argmax())
        assert 0.3 * time * RATE < length <= time * RATE + 2
    assert TIPS["finger"].slip_time(0.0) == 0.0


# ---- work

@pytest.mark.parametrize("contact", TIPS)
def test_the_work_of_the_hand_is_in_the_ledger(contact):
    played, _, traces = plucked(4800, pick=tip(contact), force=2.0)
    kinetic, potential, stored, lost, work, _ = traces["energy"].T
    assert played.sounding.residual < 1e-12
    # before the slip the hand does work, F y / 2 of a slow pluck; what is left is the string's
    assert work.max() > 0.3 * 2.0 * traces["displacement"].max() * 0.5
    total = kinetic + potential + stored
    assert np.abs(total + lost - work - total[0]).max() < 1e-12 * work.max()
    assert total[-1] > 0.2 * work.max() and stored[-1] == 0.0


def test_a_pluck_downwards_is_the_mirror_image():
    up, down = (plucked(2000, pick=tip(), force=force)[1] for force in (1.0, -1.0))
    assert np.abs(up).max() > 0.1 and np.array_equal(up, -down)


# ---- limits and order

def test_a_light_stiff_tip_without_edge_is_a_force():
    """A slow ramp, whose shape does not matter; in the limit the tip is the force of the hand. The
    release lasts 0.4 ms."""
    values = {"force": 1.0, "ramp": 0.1, "release": 4e-4}
    wire = replace(WIRE, sigma0=40.0)
    begin, steps = round(0.1 * RATE), round(0.11 * RATE)
    _, ideal, _ = plucked(steps, wire=wire, **values)
    apart = []
    for mass, stiffness in ((1e-4, 1e5), (1e-5, 1e6), (1e-6, 1e7)):
        pick = tip(mass=mass, stiffness=stiffness, exponent=1.0, damping=0.0, edge=0.0)
        _, out, _ = plucked(steps, wire=wire, pick=pick, **values)
        apart.append(np.sqrt(np.mean((out - ideal)[begin:]**2) / np.mean(ideal[begin:]**2)))
    # the shapes of the ramps and the step of the slip leave 1 %
    assert apart[0] > 2.0 * apart[1] > 2.0 * apart[2] and apart[2] < 0.02, apart


def test_order_of_convergence():
    """Displacements 3 ms after the slip, of a soft tip, against the finest step: order 2, by the
    slip between steps. The same modes at each rate."""
    pick = tip(stiffness=1e5, exponent=1.0, damping=0.0, mass=2e-4)
    values = {"force": 1.0, "ramp": 0.01, "release": 1e-3}
    found = []
    for factor in (1, 2, 4, 16):
        rate = 48000.0 * factor
        _, _, traces = plucked(round(0.014 * rate) + 1, rate=rate, pick=pick, **values)
        found.append(traces["displacement"][round(0.012 * rate)::factor * 24])
    errors = [np.abs(one - found[-1]).max() for one in found[:-1]]
    assert errors[-1] < 1e-3 * np.abs(found[-1]).max()
    assert math.log2(errors[0] / errors[2]) / 2.0 > 1.5, errors


def test_a_finger_is_duller_than_a_nail_and_a_nail_than_a_plectrum():
    def brightness(contact):
        _, out, _ = plucked(9600, pick=tip(contact), release=TIPS[contact].slip_time(1.0))
        power = np.abs(np.fft.rfft(out[480:]))**2
        return float((power[power.size // 24:]).sum() / power.sum())        # above 2 kHz

    finger, nail, plectrum = (brightness(name) for name in ("finger", "nail", "plectrum"))
    assert 1.4 * finger < nail < 0.5 * plectrum, (finger, nail, plectrum)


# ---- in scores

BODY = {"frequencies": [400.0, 3100.0], "q": [20.0, 30.0], "masses": [2.0, 1.0],
        "weights": [1.0, 0.7]}
KEYS = {"pitch": HZ, "sigma0": 2.0,
        "pluck": {"force": 1.0, "width": 0.002, "release": 2e-4, "touch": 1.0}}
ROWS = "0 w.a pluck\n0.013s w.b pluck f=-1.3N\n0.02s w.a pluck f=2N x=0.3\n0.022s w.a pluck dur=0\n"


def sound(tmp_path, rows=ROWS, *, coupled=False, head="", pick=None, extra=None, **more):
    wires = [string(name, **KEYS, **(extra or {}),
                    pick={"contact": "plectrum", "noise": 0.1, "noise_t60": 0.02}
                    if pick is None else pick) for name in ("a", "b")]
    (tmp_path / "w.toml").write_text(
        instrument(table("body", **BODY, coupled=coupled), *wires))
    return pysitar.render(write_score(tmp_path, (
        f'use "w.toml" as w {head}\nrender rate=48000 oversample=1 tail=0.03s fade=0\n{rows}')),
        **more)


@pytest.mark.parametrize("coupled", [False, True])
def test_any_block_gives_the_same_bits(tmp_path, coupled):
    """Also where a pluck begins while the tip of the last one is at the string."""
    whole = sound(tmp_path, coupled=coupled, block=1 << 20)
    part = sound(tmp_path, coupled=coupled, block=97, jobs=2)
    assert np.abs(whole.audio).max() > 1e-4 and np.array_equal(whole.audio, part.audio)
    assert whole.report["residual"] < 1e-12 and whole.report["failed_solves"] == 0


STRIKE = {"position": 0.2, "velocity": 1.0, "mass": 1e-3, "stiffness": 1e6, "exponent": 1.5}
RATTLE = {"position": 0.4, "mass": 2e-4}
TWO = {"polarisation": 2, "nut_coupling": 1e3}


@pytest.mark.parametrize(("extra", "rows"), [
    ({"strike": STRIKE, "rattle": RATTLE},
     ROWS + "0.035s w.a strike dur=0\n0.04s w.b strike dur=0\n"),
    (TWO, "0 w.a pluck dur=0\n0.04s w.b pluck angle=20deg dur=0\n"),
])
def test_beside_other_masses_and_in_two_directions(tmp_path, extra, rows):
    found = sound(tmp_path, rows, extra=extra)
    assert found.report["residual"] < 1e-12 and found.report["failed_solves"] == 0
    force = sound(tmp_path, rows, extra=extra, pick={"noise": 0.1, "noise_t60": 0.02})
    # as loud as a force: within 2 dB
    assert np.std(found.audio) == pytest.approx(np.std(force.audio), rel=0.25)
    assert not np.array_equal(found.audio, force.audio)


def test_schemes_without_masses_on_strings_play_a_force(tmp_path):
    pick = {"noise": 0.0, "contact": "none"}
    rows = "0 w.a pluck release=0.2ms\n"
    force, contact = (sound(tmp_path, rows, head="scheme=three-point",
                            pick=pick | {"contact": name}) for name in ("none", "nail"))
    assert np.abs(force.audio).max() > 1e-4 and np.array_equal(force.audio, contact.audio)


def test_a_release_of_a_row_holds(tmp_path):
    pick = {"contact": "finger"}
    own, slow, same = (sound(tmp_path, f"0 w.a pluck {more}\n", pick=pick).audio for more in (
        "", "release=5ms", f"release={TIPS['finger'].slip_time(1.0)!r}s"))
    assert np.array_equal(own, same) and np.abs(own - slow).max() > 0.1 * np.abs(own).max()


@pytest.mark.parametrize(("pick", "message"), [
    ({"contact": "quill"}, "expected one of none, plectrum, nail"),
    ({"contact": "nail", "stiffness": 1e13}, "expected at most"),
    ({"noise": 0.1, "noise_from": 3000.0, "noise_to": 2500.0}, "expected above noise_from"),
    ({"contact": "nail", "mass": 0.0}, "expected"),
])
def test_faults(tmp_path, pick, message):
    with pytest.raises((ParameterError, ScoreError), match=message):
        sound(tmp_path, pick=pick)
