"""Fingers that press a string behind a real fret: the note, the open string after them, their
forces, the ledger, several at a time."""
import math
from dataclasses import replace

import numpy as np
import pytest

from pysitar.errors import ParameterError
from pysitar.gestures.press import (
    BEHIND,
    finger_position,
    fingers_at_once,
    fret_position,
    press_steps,
)
from pysitar.models.definitions.loader import parse_instrument, preset_text
from pysitar.models.definitions.spec import gap_at
from pysitar.models.network.curve import CurvePoint, ValueCurve
from pysitar.models.strings.fretting import PressForce
from pysitar.models.strings.played import PlayedString

# in one direction: two beat
GUITAR = {spec.name: spec for spec in parse_instrument(
    preset_text("guitar"), name="guitar", shown="guitar.toml",
    changes=[(("polarisation",), 1)]).strings}
HZ = {"d3": 440.0 * 2.0 ** (-19 / 12), "e4": 440.0 * 2.0 ** (-5 / 12)}
RATE = 96000.0


def press(fret, held, *, name="d3", force=10.0):
    return {"position": finger_position(fret, GUITAR[name].length), "width": 0.01, "force": force,
            "held": held}


def played(name, seconds, *events, fingers=1, spec=None, rate=RATE, **more):
    """A string after events (verb, s, values, curves), and what it sounded like."""
    string = PlayedString(spec or GUITAR[name], hz=HZ[name], sample_rate=rate, floor=-80.0,
                          name="g.s", fingers=fingers, **more)
    for verb, time, values, *curves in events:
        string.play(verb, round(time * rate), dict(values), None, *curves)
    out = np.empty(round(seconds * rate))
    string.advance(out)
    return string, out


def partials(out, hz, rate=RATE):
    """How far (cents) partials 1 to 4 lie from multiples of a frequency, by the tops of a padded
    Hann spectrum: 0.05 cent."""
    size = 1 << 20
    spectrum = np.abs(np.fft.rfft((out - out.mean()) * np.hanning(out.size), size))
    found = []
    for order in range(1, 5):
        low = int(order * hz * 0.96 * size / rate)
        top = low + int(spectrum[low:int(order * hz * 1.04 * size / rate)].argmax())
        left, middle, right = np.log(spectrum[top - 1:top + 2])
        found.append(1200.0 * math.log2((top + 0.5 * (left - right) / (left - 2.0 * middle + right))
                                        * rate / size / (order * hz)))
    return np.array(found)


# ---- the note

@pytest.mark.parametrize(("name", "fret"), [("d3", 1), ("d3", 5), ("d3", 12), ("e4", 3)])
def test_a_fret_is_a_little_sharp(name, fret):
    """As on the prototype of this string: +3.3, +3.4 and +2.8 cents at d3's fret 5, +9, +5 and +5
    at 12, +5 at e4's fret 3."""
    _, out = played(name, 0.8, ("press", 0.0, press(fret, 5.0, name=name)), ("pluck", 0.05, {}))
    found = partials(out[round(0.2 * RATE):], HZ[name] * 2.0 ** (fret / 12.0))
    assert np.all((found > 2.0) & (found < 10.0))


def test_how_hard_it_is_pressed_does_not_matter():
    notes = [partials(played("d3", 0.8, ("press", 0.0, press(5, 5.0, force=force)),
                             ("pluck", 0.05, {}))[1][round(0.2 * RATE):],
                      HZ["d3"] * 2.0**(5 / 12)) for force in (6.0, 20.0)]
    assert np.abs(notes[0] - notes[1]).max() < 0.05


def test_a_finger_that_does_not_reach_its_fret_stops_no_note():
    """0.5 N moves the string by less than a millimetre: it is damped, and no partial of the fret's
    note is there."""
    _, out = played("d3", 0.8, ("press", 0.0, press(5, 5.0, force=0.5)), ("pluck", 0.05, {}))
    _, stopped = played("d3", 0.8, ("press", 0.0, press(5, 5.0)), ("pluck", 0.05, {}))
    loud = [np.abs(sound[round(0.4 * RATE):]).max() - abs(sound[round(0.4 * RATE):].mean())
            for sound in (out, stopped)]
    assert loud[0] < 0.1 * loud[1]


@pytest.mark.parametrize("semitones", [0.0, 7.0])
def test_the_bridge_feels_the_string_that_is_pressed_down(semitones):
    """At rest it is straight from the bridge to the fret's top, and pulls down by T gap / x: within
    3 %, as fret and modes give way."""
    string, out = played("d3", 0.0, ("press", 0.0, press(5, 9.0, force=8.0)))
    string.play("fret", round(0.1 * RATE), {}, HZ["d3"] * 2.0 ** (semitones / 12.0))
    out = np.empty(round(RATE))
    string.advance(out)
    tension = GUITAR["d3"].string(HZ["d3"] * 2.0 ** (semitones / 12.0), open_hz=HZ["d3"]).tension
    x = fret_position(5, GUITAR["d3"].length)
    gap = gap_at(x, gap_nut=0.55e-3, gap_12=2.5e-3, length=GUITAR["d3"].length)
    assert out[-2000:].mean() == pytest.approx(-tension * gap / x, rel=0.03)


def test_a_string_is_heard_at_its_bridge_end():
    """F_0 = sum (T b + EI b^3) y in place of F_L, of another sign in every second mode; alike in
    loudness, and the traces stay."""
    far, near = (played("d3", 0.2, ("pluck", 0.0, {}), fingers=fingers, traced=True)
                 for fingers in (0, 1))
    assert not np.array_equal(far[1], near[1])
    assert np.sqrt((near[1][9600:]**2).mean()) == pytest.approx(
        np.sqrt((far[1][9600:]**2).mean()), rel=0.05)
    assert np.array_equal(far[0].traces()["force_end"], near[0].traces()["force_end"])


# ---- on and off

def test_hammer_on_and_pull_off():
    """On a ringing open string: its note, the fret's, and its own again, all of one pluck."""
    _, out = played("d3", 2.4, ("pluck", 0.0, {}), ("press", 0.4, press(5, 0.8)))
    parts = [(0.05, 0.35, HZ["d3"], 0.5), (0.5, 1.15, HZ["d3"] * 2.0**(5 / 12), 6.0),
             (1.3, 2.3, HZ["d3"], 1.0)]
    for begin, end, hz, within in parts:
        assert np.abs(partials(out[round(begin * RATE):round(end * RATE)], hz)).max() < within
    levels = [np.abs(out[round(at * RATE):round((at + 0.05) * RATE)]
                     - out[round(at * RATE):round((at + 0.05) * RATE)].mean()).max()
              for at in (0.3, 0.5, 1.3)]
    assert levels[1] > 0.1 * levels[0] and levels[2] > 0.05 * levels[0]


def test_a_finger_that_pulls_plucks_as_it_lifts():
    """The energy that a force F slowly draws out of a string at rest is F^2 x (L - x) / (2 L T).
    The 20 ms of a pull are three periods of d3, slow enough: most of it is there after the finger
    has slipped off; of a string that stays clear of the frets, it grows by 4 when the force
    doubles."""
    spec, stored = GUITAR["d3"], []
    x = finger_position(5, spec.length)
    for pull in (0.05, 0.1):
        values = {**press(5, 0.1, force=0.0), "pull": pull}
        string, _ = played("d3", 0.113, ("press", 0.01, values))
        stored.append(string.sounding.kernel.energy()[:3].sum())
        assert string.sounding.residual < 1e-12
    tension = spec.string(HZ["d3"], open_hz=HZ["d3"]).tension
    drawn = 0.1 ** 2 * x * (spec.length - x) / (2.0 * spec.length * tension)
    assert 0.7 * drawn < stored[1] < drawn          # 0.81
    assert stored[1] == pytest.approx(4.0 * stored[0], rel=1e-6)


def test_a_pull_off_is_louder_than_a_finger_that_lifts():
    loud = [np.ptp(played("d3", 1.3, ("press", 0.0, {**press(5, 0.8), "pull": pull}))[1][-9600:])
            for pull in (0.0, 0.5, 1.0)]
    assert 1.2 * loud[0] < loud[1] and 1.1 * loud[1] < loud[2] < 2.0 * loud[1]     # 1.37, 1.17


def test_the_open_string_comes_back_and_sleeps():
    short = replace(GUITAR["d3"], sigma0=30.0)
    string, out = played("d3", 0.9, ("press", 0.01, press(7, 0.1)), spec=short)
    energy = string.sounding.kernel.energy()
    assert string.sounding.asleep and not string.waiting and np.abs(
        out[round(0.02 * RATE):round(0.1 * RATE)]).max() > 0.3
    assert energy[:3].sum() < 1e-9 * energy[5] and abs(string.sounding.kernel.outputs()[0]
                                                       - string.sounding.equilibrium_output) < 1e-4
    # and every finger's resistance is gone
    assert all(string._damping[row] == 0.0 for row in string._press_rows)


def test_the_books_hold_at_every_reading():
    """Work of the finger's force, losses under it: static and dynamic, pressed on a ringing string,
    moved, and lifted."""
    points = CurvePoint(0.0, 0.0), CurvePoint(0.02, 12.0, "cos"), CurvePoint(0.06, 7.0), CurvePoint(
        0.08, 0.0, "cos")
    curve = {"force": ValueCurve(points)}
    string, _ = played("d3", 0.0, ("pluck", 0.0, {}), ("press", 0.03, press(5, 0.1)),
                       ("press", 0.05, press(9, 0.08), curve), traced=True, fingers=2)
    string.advance(np.empty(round(0.16 * RATE)))
    energy = string.traces()["energy"]
    stored, losses, work = energy[:, :3].sum(axis=1), energy[:, 3], energy[:, 4]
    scale = energy[-1, 5]
    assert work.max() > 1e-3 and losses[-1] > 0.5 * work[-1]
    # 64 steps of a part in 1e13 each, as every network's
    assert np.abs(stored + losses - work
                  - stored[0]).max() < 1e-12 * scale and string.sounding.residual < 1e-12
    assert np.all(np.diff(losses) >= 0.0)


# ---- the finger

def test_where_a_finger_lies():
    length = 0.648
    assert fret_position(0, length) == length and fret_position(12, length) == 0.5 * length
    assert finger_position(5, length) == pytest.approx(length * 2.0**(-5 / 12) + BEHIND, rel=1e-15)
    spacing = length * (2.0 ** (-19 / 12) - 2.0 ** (-20 / 12))
    assert finger_position(20, length) == pytest.approx(length * 2.0**(-20 / 12) + 0.6 * spacing,
                                                        rel=1e-14)


def test_the_force_of_a_number_comes_and_goes_and_that_of_a_curve_is_its_own():
    shape = np.zeros(3)
    still = PressForce(shape, 100, 1100, ValueCurve((CurvePoint(0.0, 4.0),)), 200, 1000.0)
    whole = still.over(100, 1000)
    ramp = -2.0 * (1.0 - np.cos(np.pi * (np.arange(200) + 0.5) / 200.0))
    np.testing.assert_allclose(whole[:200], ramp, atol=1e-14)
    np.testing.assert_allclose(whole[800:], ramp[::-1], atol=1e-14)
    assert np.all(whole[200:800] == -4.0)
    moving = PressForce(shape, 100, 1100, ValueCurve((CurvePoint(0.0, 0.0), CurvePoint(0.5, 4.0),
                                                      CurvePoint(1.0, 2.0))), 200, 1000.0)
    times = np.arange(1000) + 0.5
    values = np.where(times < 500.0, 4.0 * times / 500.0, 4.0 - 2.0 * (times - 500.0) / 500.0)
    # from 0: no ramp of its own
    np.testing.assert_allclose(moving.over(100, 800), -values[:800], atol=1e-13)
    # not to 0: lifted
    np.testing.assert_allclose(moving.over(900, 200), values[800:] * whole[800:] / 4.0, atol=1e-13)
    # any part, the same bits
    for push, all_of_it in ((still, whole), (moving, moving.over(100, 1000))):
        assert np.array_equal(
            np.concatenate([push.over(100, 1),
                            push.over(101, 398),
                            push.over(499, 601)]), all_of_it)


def test_how_many_fingers_there_are_at_one_time():
    assert fingers_at_once([]) == 0 and fingers_at_once(
        [(0, 10), (10, 20), (5, 8)]) == 2 and fingers_at_once([(3, 9)] * 4) == 4
    assert press_steps(0.01, 1000.0) == 10 and press_steps(1e-9, 1000.0) == 2
    string, _ = played("d3", 0.0, ("press", 0.0, press(5, 0.1)), ("press", 0.05, press(7, 0.1)),
                       ("press", 0.1, press(8, 0.1)), fingers=2)
    with pytest.raises(ParameterError, match="at most 2 fingers"):
        string.play("press", round(0.12 * RATE), press(9, 0.1))
    rows = played("d3", 0.0, fingers=0)[0].sounding.kernel.rows
    assert string.sounding.kernel.rows == rows + 6


def test_any_cut_of_a_pressed_string_has_the_same_bits():
    curve = {"force": ValueCurve(
        (CurvePoint(0.0, 5.0), CurvePoint(0.03, 12.0, "cos"), CurvePoint(0.04, 9.0)))}
    events = [("pluck", 0.001, {}), ("press", 0.002, press(5, 0.05)),
              ("press", 0.01, press(7, 0.04), curve)]
    _, whole = played("d3", 0.1, *events, fingers=2, rate=24000.0)
    string, _ = played("d3", 0.0, *events, fingers=2, rate=24000.0)
    out, done = np.empty(2400), 0
    for n in (1, 63, 64, 5, 7, 500, 900, 860):
        string.advance(out[done:done + n])
        done += n
    assert done == 2400 and np.array_equal(out, whole) and np.abs(out).max() > 0.1
