"""Bends: where their ways lie, the pitch of partial 1 along every shape, no click, work and energy,
sleep, one bend after another."""
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from models.strings.test_glides import MONOCHORD, RATE, SA, glides, played

from pysitar.models.network.curve import CurvePoint, ValueCurve
from pysitar.models.strings.glides import BendPoint
from pysitar.models.strings.played import GLIDE_TIME, PlayedString

HZ = 130.81
FREE = replace(MONOCHORD, sigma0=0.0, sigma1=0.0, sigma3=0.0)


def semitones(hz, count):
    return hz * 2.0 ** (count / 12.0)


def course(*points, hz=HZ):
    """Points (time in s, semitones over the open string, shape, exponent)."""
    return {"pitch": ValueCurve(
        tuple(CurvePoint(time, semitones(hz, value), *shape) for time, value, *shape in points))}


def bent(spec, steps, *events, hz=HZ, rate=RATE, highest=2.0, **more):
    """A string after events (verb, step, values, hz, curves), and what it sounded like."""
    string = PlayedString(spec, hz=hz, sample_rate=rate, floor=-80.0, name="v.s",
                          highest=hz * highest, **more)
    for verb, step, values, pitch, curves in events:
        string.play(verb, step, dict(values), pitch, curves)
    out = np.empty(steps)
    string.advance(out)
    return string, out


def way(*points, step=1000, steps=336, now=0, before=()):
    made, _ = glides()
    for note in before:
        made.add(*note[:1], step=note[1], steps=336, now=now)
    return made, made.bend([BendPoint(*point) for point in points], step=step, steps=steps,
                           jump=336, level=48, now=now)


def pitches(made, steps):
    """Semitones at each step."""
    return [made._at(step).semitones(step) for step in range(steps)]


# ---- where

def test_a_bend_comes_to_its_first_point_as_a_note_does_and_goes_on():
    made, found = way((0, 2.0), (1000, 4.0), (3000, 3.0, "cos"))
    assert [(glide.start, glide.stop) for glide in found] == [
        (664, 1000), (1000, 2000), (2000, 4000)]
    path = pitches(made, 5000)
    assert path[1000] == 2.0 and path[1500] == 3.0 and path[2000] == 4.0 and path[
        3000] == pytest.approx(3.5) and path[4999] == 3.0


def test_before_the_first_point_its_value_holds():
    made, _ = way((500, 2.0), (1000, 4.0))
    path = pitches(made, 2500)
    assert path[1000:1501] == [2.0] * 501 and path[1750] == 3.0


@pytest.mark.parametrize("points", [[(0, 0.0), (1000, 5.0, "step"), (2000, 2.0, "step")],
                                    [(0, 0.0), (1000, 0.0), (1000, 5.0), (2000, 5.0), (2000, 2.0)]])
def test_a_jump_takes_its_time_before_its_point(points):
    """A step, or two points at one time: 336 steps of a raised cosine, there at the point."""
    made, _ = way(*points)
    path = pitches(made, 3200)
    assert path[1664] == 0.0 and path[2000] == 5.0 and path[2664] == 5.0 and path[3000] == 2.0
    assert path[2000 - 168] == pytest.approx(2.5)
    # the steepest that a raised cosine is: pi / 2 of its mean
    assert max(abs(b - a) for a, b in pairwise(path)) < 5.0 * 0.5 * math.pi / 336 * 1.001


@pytest.mark.parametrize("points", [
    [(0, 0.0), (0, 5.0), (1000, 5.0)],
    [(0, 0.0), (10, 5.0, "step"), (20, 0.0, "step"), (30, 5.0, "step")],
    [(0, 0.0), (1000, 5.0), (1000, 0.0), (1200, 5.0, "step"), (1201, 0.0)],
    [(0, 0.0), (100, 0.1), (100, 5.0), (101, 5.0), (101, 0.0)],
])
def test_jumps_without_room_take_it_after_their_point(points):
    """However near they lie, no jump is faster than 336 steps for it, and each goes on from where
    the last one ended."""
    made, found = way(*points)
    path = pitches(made, 6000)
    assert max(abs(b - a) for a, b in pairwise(path)) < 5.0 * 0.5 * math.pi / 336 * 1.001
    assert path[-1] == points[-1][1]
    assert all(before.stop <= after.start for before, after in pairwise(found))


@pytest.mark.parametrize("later", ["note", "bend"])
def test_what_comes_later_takes_over_from_where_the_pitch_is(later):
    made, _ = way((0, 0.0), (4000, 8.0))
    if later == "note":
        made.add(2.0, step=3336, steps=336, now=0)
    else:
        made.bend([BendPoint(0, 2.0), BendPoint(1000, 3.0)], step=3336, steps=336, jump=336,
                  level=48, now=0)
    path = pitches(made, 6000)
    # the old way goes on under the new: half of both in the middle
    assert path[3000] == 4.0 and path[3168] == pytest.approx(
        0.5 * (4.0 + 8.0 * 168 / 4000 + 2.0)) and path[3336] == 2.0
    assert path[-1] == (2.0 if later == "note" else 3.0)
    assert max(abs(b - a) for a, b in pairwise(path[1000:])) < 0.5 * math.pi * 2.5 / 336


def test_one_that_takes_over_at_once_jumps_and_leaves_what_was():
    made, _ = way((0, 0.0), (4000, 8.0))
    made.add(2.0, step=3000, steps=0, now=0)
    path = pitches(made, 6000)
    assert path[2000] == 2.0 and path[2999] == pytest.approx(
        4.0 - 8.0 / 4000.0) and path[3000:] == [2.0] * 3000


def test_a_bend_at_the_time_of_a_note_replaces_it_and_is_replaced_by_it():
    made, _ = way((0, 3.0), (1000, 5.0), before=[(2.0, 1000)])
    assert pitches(made, 1001)[1000] == 3.0
    made.add(1.0, step=1000, steps=336, now=0)
    assert pitches(made, 5000)[1000:] == [1.0] * 4000


def test_a_bend_that_is_over_is_left_in_peace():
    made, _ = way((0, 0.0), (1000, 8.0))
    made.add(2.0, step=3000, steps=336, now=0)
    path = pitches(made, 4000)
    assert path[2000:2665] == [8.0] * 665 and path[3000] == 2.0


def test_what_is_made_at_once_is_what_each_step_is():
    made, found = way((0, 0.0), (700, 3.0), (1500, 1.0, "pow", 2.0), (1540, 4.0), (1540, 2.0),
                      (1900, 2.5, "pow", 0.5), (2500, -1.0, "step"))
    made.add(5.0, step=3700, steps=100, now=0)
    for glide in found:
        for first, last in ((0, 6000), (glide.start, glide.start + 1),
                            (glide.stop - 1, glide.stop + 3), (glide.stop, glide.stop)):
            assert glide.progress_values(
                first, last) == [glide.progress(step) for step in range(first, last)]
    wanted = [made._tension(pitch) for pitch in pitches(made, 5000)]
    assert made.motion(0, 5000).tensions.tolist() == wanted and made.motion(
        1234, 3000).tensions.tolist() == wanted[1234:4234]


# ---- the pitch

def heard(spec, moves, steps, *, before=0, every=64, rate=RATE):
    """The phase of partial 1 (rad) at every so many steps, of a string let go from a triangle: of y
    and dy/dt / omega."""
    string = PlayedString(spec, hz=HZ, sample_rate=rate, floor=-80.0, name="v.s", highest=2.0 * HZ)
    string.play("pluck", 0, {"height": 1e-3})
    string.play("bend", before, {}, semitones(HZ, 0.0), moves)
    phases = []
    for _ in range(0, steps, every):
        string.advance(np.empty(every))
        kernel = string.sounding.kernel
        omega = 2.0 * math.pi * string.string.frequency(1) * math.sqrt(
            1.0 + kernel.tension / string.string.tension)
        phases.append(math.atan2(-kernel.velocity()[0] / omega, kernel.displacement()[0]))
    return string, np.unwrap(phases)


@pytest.mark.parametrize("shape", [("lin", ), ("cos", ), ("exp", ), ("pow", 2.0), ("pow", 0.5),
                                   ("step", )])
def test_the_pitch_is_the_curve(shape):
    """Within a cent over every window of 40 ms, up by 5 semitones and down by 7 in half a second;
    and not lost in the end.

    The phase of an oscillator whose frequency moves swings about that of its frequency by some (d
    omega / dt) / (4 omega^2) < 1e-3 rad, which is 0.05 cent in 40 ms; the renewal in blocks, at
    their centres, adds the rest. """
    points = ((0.0, 0.0), (0.25, 5.0, *shape), (0.5, -2.0, *shape))
    string, phases = heard(FREE, course(*points), 33600, before=4800)
    made, _ = glides()
    made.bend([BendPoint(round(time * RATE), value, *("lin",) if rest == ("exp",) else rest)
               for time, value, *rest in ((time, value, *rest) for time, value, *rest in points)],
              step=4800, steps=336, jump=336, level=48, now=0)
    wanted = np.array(pitches(made, 33600))
    window = 30                                                    # of 64 steps, 40 ms
    turned = np.cumsum(
        2.0**(wanted / 12.0))[63::64] * 2.0 * math.pi * string.string.frequency(1) / RATE
    errors = 1200.0 * np.log2((phases[window:] - phases[:-window]) /
                              (turned[window:] - turned[:-window]))
    if shape == ("step",):  # 7 ms are one period: only what is before and after them has a pitch
        errors = errors[
            [n for n in range(errors.size) if np.ptp(wanted[64 * n:64 * (n + 1 + window)]) == 0.0]]
    assert np.abs(errors).max() < 1.0 and errors.size > 200
    assert abs(phases[-1] - phases[0] - turned[-1] + turned[0]) < 0.02
    # and the curve is the shape's
    at = {"lin": 2.5, "cos": 2.5, "exp": 2.5,
          "step": 0.0}.get(shape[0], 5.0 * 0.5**(shape[1] if len(shape) > 1 else 1.0))
    assert wanted[4800 + 6000] == pytest.approx(at, abs=1e-12)


def test_the_pitch_stays_where_the_curve_ends():
    _, phases = heard(FREE, course((0.0, 0.0), (0.1, 3.0, "cos")), 33600)
    steps = 64 * 300
    slip = (phases[500] - phases[200]) / (2.0 * math.pi * steps / RATE)
    assert abs(1200.0 * math.log2(slip / semitones(HZ, 3.0))) < 0.02


# ---- no click, energy, sleep

def above(out, hz=9000.0, rate=RATE):
    """What is left of a sound above a frequency (by 511 taps of a Kaiser window, 120 dB), relative
    to its greatest."""
    n = np.arange(-255, 256)
    low = 2.0 * hz / rate * np.sinc(2.0 * hz / rate * n) * np.kaiser(511, 12.3)
    high = -low
    high[255] += 1.0
    return np.convolve(out, high, "valid") / np.abs(out).max()


@pytest.mark.parametrize("points", [
    ((0.0, 0.0), (0.2, 4.0, "cos"), (0.4, 0.0, "cos")),
    ((0.0, 0.0), (0.2, 3.0), (0.4, 0.0, "pow", 2.0)),
    ((0.0, 0.0), (0.2, 0.5, "step"), (0.3, 0.5), (0.3, 0.0)),
    ((0.0, 0.0), (0.5, 5.0)),
])
def test_no_click(points):
    """Above 9 kHz a bend of a string whose partials end below leaves less than -110 dB of its
    greatest, at the usual 96 kHz.

    A pluck with a pitch at 0.45 s takes the last of them over on its way.
    """
    rate = 96000.0
    dull = replace(FREE, sigma0=0.3, sigma3=4e-4)                 # 60 dB down at 3 kHz in 0.1 s
    events = [("pluck", 0, {"release": 0.004}, None, None),
              ("bend", 19200, {}, semitones(HZ, 0.0), course(*points)),
              ("fret", 43200, {"glide": 0.05}, semitones(HZ, 2.0), None)]
    _, out = bent(dull, 76800, *events[:2 + (points[-1][0] == 0.5)], rate=rate)
    assert 20.0 * math.log10(np.abs(above(out, rate=rate)[14400:]).max()) < -110.0


def test_the_energy_follows_the_frequency():
    """Adiabatic: H / f stays, without losses; up 3 semitones along a cosine of 0.3 s. The ledger
    hold at every reading."""
    string, _ = bent(FREE, 0, ("pluck", 0, {"height": 1e-3}, None, None),
                     ("bend", 4800, {}, semitones(HZ, 0.0), course((0.0, 0.0), (0.3, 3.0, "cos"))),
                     traced=True)
    string.advance(np.empty(24000))
    energy = string.traces()["energy"]
    stored = energy[:, :3].sum(axis=1)
    # f1 and the modes that hold the energy of a triangle are harmonic but for bending: 1e-4; the
    # scheme's own frequencies: 1e-4
    assert stored[-1] / stored[1] == pytest.approx(2.0 ** (3.0 / 12.0), rel=1e-3)
    balance = stored + energy[:, 3] - energy[:, 4]
    assert np.abs(
        np.diff(balance)).max() < 1e-13 * stored.max() and string.sounding.residual < 1e-12


def test_the_balance_holds_on_a_bridge():
    moves = course((0.0, 0.0), (0.02, 4.0), (0.02, 1.0), (0.05, 3.0, "pow", 2.0), hz=138.59)
    string, out = bent(SA, 4800, ("pluck", 0, {}, None, None), ("bend", 600, {}, 138.59, moves),
                       hz=138.59)
    assert np.abs(out).max() > 0.1 and string.sounding.residual < 1e-11


def test_a_string_that_is_bent_in_silence_is_there_and_sleeps():
    """It does not fall asleep on the way, however slow: the next pluck has the pitch of the curve's
    end."""
    for spec, hz in ((MONOCHORD, HZ), (SA, 138.59)):
        string, out = bent(spec, 28800,
                           ("bend", 480, {}, hz, course((0.0, 0.0), (0.4, 5.0), hz=hz)), hz=hz)
        assert string.sounding.kernel.tension == pytest.approx(
            # decay and bending
            spec.string(semitones(hz, 5.0), open_hz=hz).tension - spec.string(hz).tension, rel=1e-6)
        assert not string.waiting and np.abs(out).max() < 0.02
    string, _ = bent(MONOCHORD, 28800, ("bend", 480, {}, HZ, course((0.0, 0.0), (0.4, 5.0))))
    assert string.sounding.asleep and 0.4 < string.sounding.asleep_since / RATE < 0.52


def test_any_cut_of_the_time_gives_the_same_bits():
    events = [("pluck", 100, {}, None, None),
              ("bend", 500, {}, 150.0,
               course((0.0, 2.0), (0.02, 4.0, "cos"), (0.02, 0.0), (0.1, 3.0), hz=138.59)),
              ("bend", 3000, {}, 160.0, course((0.0, 2.5), (0.02, 4.0, "step"), hz=138.59)),
              ("fret", 3700, {}, 140.0, None)]
    _, whole = bent(SA, 6000, *events, hz=138.59)
    string, _ = bent(SA, 0, *events, hz=138.59)
    out, done = np.empty(6000), 0
    for n in (1, 63, 64, 65, 700, 7, 100, 2000, 3000):
        string.advance(out[done:done + n])
        done += n
    assert done == 6000 and np.array_equal(out, whole) and np.abs(out).max() > 0.05


def test_a_bend_of_one_point_is_a_note():
    still = {"pitch": ValueCurve((CurvePoint(0.0, 150.0),))}
    _, one = bent(SA, 4800, ("pluck", 100, {}, None, None),
                  ("bend", 2000, {"glide": 0.01}, 150.0, still), hz=138.59)
    _, two = played(SA, 138.59, 4800, ("pluck", 100, {}, None),
                    ("fret", 2000, {"glide": 0.01}, 150.0))
    assert np.array_equal(one, two) and GLIDE_TIME == 0.007
