"""A played string against closed forms, twins and its own energy ledger: plucks, touches, damping
fingers, sleep, the tanpura's bloom."""
import cmath
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pysitar.models.definitions.loader import parse_instrument, preset_text
from pysitar.models.definitions.spec import GROUPS, PluckSpec, StringSpec
from pysitar.models.network.agenda import FINGER_TIME
from pysitar.models.network.audited import FADE
from pysitar.models.strings.played import OFF, PlayedString
from pysitar.physics.parameters import STIFFEST_STRING_CONTACT, stiffest

PARTS = GROUPS["strings"].tables
TANPURA = {spec.name: spec for spec in parse_instrument(preset_text("tanpura"), name="tanpura",
                                                        shown="tanpura.toml").strings}
HZ = {"pa": 103.83, "sa1": 138.59, "kharaj": 69.30}
PLAIN = PluckSpec(position=0.07, force=1.0, width=0.004, ramp=0.003, release=0.001, touch=0.0,
                  lead=0.0)
# 5 modes below 20 kHz, no barrier, no thread: everything about it has a closed form
WIRE = StringSpec(name="a", pitch=3500.0, cents=0.0, length=0.2, linear_density=6e-4,
                  bending_stiffness=1e-5, sigma0=8.0, sigma1=0.02, sigma2=0.0, sigma3=2e-7,
                  barrier=None, thread=None, pluck=PLAIN)


def made(spec, hz, *, rate=48000.0, floor=-80.0):
    return PlayedString(spec, hz=hz, sample_rate=rate, floor=floor, name="v.s")


def heard(spec, hz, steps, *events, rate=48000.0, floor=-80.0):
    """The string after events (verb, step, values), and what it sounded like."""
    string = made(spec, hz, rate=rate, floor=floor)
    for verb, step, values in events:
        string.play(verb, step, dict(values))
    out = np.empty(steps)
    string.advance(out)
    return string, out


def touched(spec, **values):
    return replace(spec, pluck=replace(spec.pluck, **values))


def level(out):
    return 10.0 * math.log10(np.mean(out**2) + 1e-30)          # -300 dB: asleep


def stored(string):
    return float(string.sounding.kernel.energy()[:3].sum())


# ---- rest

@pytest.mark.parametrize("name", ["pa", "kharaj"])
def test_an_unplayed_string_is_silent_and_costs_nothing(name):
    string = made(TANPURA[name], HZ[name], rate=96000.0)
    kernel = string.sounding.kernel
    before = kernel.displacement(), kernel.energy(), kernel.statistics
    # it does rest on something: the thread holds it off its straight line by most of its 66 um (a
    # weight of 30..50 N hangs on no slope)
    assert 20e-6 < string.modes.shape(TANPURA[name].thread.position) @ before[0] < 66e-6
    out = np.full(10_000, np.nan)
    string.advance(out)
    assert np.all(out == 0.0)
    assert string.sounding.asleep and string.sounding.step == 10_000 and not string.waiting
    assert kernel.statistics == before[2] and kernel.statistics["solves"] == 0
    assert np.array_equal(kernel.displacement(), before[0]) and np.array_equal(
        kernel.energy(), before[1])


def test_the_rest_is_the_schemes_own():
    """Woken by a pluck of 1e-9 N (1e-9 of a real one), a string on its bridge stays where it was
    settled."""
    # The pluck itself makes at most force x static gain of F_L (< 1 N/N): 1e-9 N. An equilibrium of
    # another problem would crackle with the thread's pull, tens of mN; the solver's own rounding is
    # about 1e-13 of that.
    _, out = heard(touched(TANPURA["sa1"], force=1e-9, touch=0.0), HZ["sa1"], 9600,
                   ("pluck", 0, {}))
    assert 1e-11 < np.abs(out).max() < 2e-9


# ---- plucks of a linear string

def free_decay(string, drawn, steps):
    """F_L of the string let go from `drawn`, at rest: exact poles, and the phase of a state whose
    momentum is 0."""
    modes, dt = string.modes, 1.0 / string.sample_rate
    n = np.arange(steps)
    total = np.zeros(steps)
    weights = modes.slope_force_end()
    for w, y, omega, alpha in zip(weights, drawn, modes.angular_frequencies, modes.decay_rates,
                                  strict=True):
        # -> alpha / omega, the continuous one, as dt -> 0
        phase = math.sinh(alpha * dt) / math.sin(omega * dt)
        total += w * y * np.exp(
            -alpha * dt * n) * (np.cos(omega * dt * n) + phase * np.sin(omega * dt * n))
    return total


def superposed_triangle(string, position, height):
    """2 h L^2 / (i^2 pi^2 x (L - x)) sin(i pi x / L), the Fourier series of a triangle, at the
    string's modes."""
    length = string.string.length
    i = np.arange(1, string.modes.count + 1)
    return 2.0 * height * length**2 / (
        (math.pi * i)**2 * position * (length - position)) * np.sin(i * math.pi * position / length)


def test_a_height_pluck_is_a_triangle_let_go():
    start, steps = 37, 3000
    string, out = heard(WIRE, 3500.0, steps, ("pluck", start, {"position": 0.06, "height": 1e-3}))
    assert string.modes.count == 5
    expected = free_decay(string, superposed_triangle(string, 0.06, 1e-3), steps - start)
    assert np.all(out[:start] == 0.0)
    # the poles, rounded to 1e-16 rad a step, drift by n 1e-16 in phase: 3e-13 of the peak after
    # 3000 steps; a factor 10 for sums
    assert np.abs(out[start:] - expected).max() < 3e-12 * np.abs(expected).max()
    # and by then it has decayed to exp(-8.6 x 0.06): a twin without losses would be seen
    assert np.abs(expected[-50:]).max() < 0.7 * np.abs(expected[:50]).max()


def test_plucks_add_to_what_sounds():
    first = ("pluck", 5, {"position": 0.06, "height": 1e-3})
    second = ("pluck", 700, {"position": 0.15, "height": -0.7e-3})
    both, a, b = (heard(WIRE, 3500.0, 2000, *events)[1]
                  for events in ([first, second], [first], [second]))
    assert np.abs(both - a - b).max() < 1e-12 * np.abs(a).max()  # rounding: 2000 steps of 1e-16
    assert np.abs(b).max() > 0.3 * np.abs(a).max()


def pulled(string, pluck, time):
    """Modal displacements at a time after a force pluck began, from m y'' + 2 m alpha y' + m
    (omega^2 + alpha^2) y = g F(t), exactly."""
    ramp, release = pluck.ramp, pluck.release
    g = string.modes.spread(pluck.position, pluck.width)
    # F(t) as pieces (from, to, [(coefficient, exponent of e^{s t})])
    up, down = 1j * math.pi / ramp, 1j * math.pi / release
    turn = cmath.exp(-down * ramp)
    half, quarter = 0.5 * pluck.force, 0.25 * pluck.force
    pieces = [(0.0, ramp, [(half, 0.0), (-quarter, up), (-quarter, -up)]),
              (ramp, ramp + release, [(half, 0.0), (quarter * turn, down),
                                      (quarter / turn, -down)])]
    result = []
    for gi, omega, alpha, mass in zip(g, string.modes.angular_frequencies, string.modes.decay_rates,
                                      string.modes.masses, strict=True):
        pole = -alpha + 1j * omega
        total = 0.0
        for start, stop, parts in pieces:
            for c, s in parts:          # integral of exp(pole (time - u)) c exp(s u) over the piece
                total += c * cmath.exp(pole * time) * (cmath.exp((s - pole) * stop) - cmath.exp(
                    (s - pole) * start)) / (s - pole)
        result.append(gi * total.imag / (mass * omega))
    return np.array(result)


def test_a_force_pluck_converges_to_the_modal_equation_with_order_two():
    time, errors = 0.006, []
    for rate in (96000.0, 192000.0, 384000.0):
        string, out = heard(WIRE, 3500.0, round(time * rate), ("pluck", 0, {}), rate=rate)
        assert out[0] == 0.0 != out[1]
        exact = pulled(string, PLAIN, time)
        errors.append(np.abs(string.sounding.kernel.displacement() - exact) / np.abs(exact).max())
        # the highest mode: omega dt = 2 pi 17.6 kHz / rate; the scheme's gain is off by about
        # (omega dt)^2 / 12 and its own force phase
        assert errors[-1].max() < (2.0 * math.pi * 17.6e3 / rate) ** 2
    coarse, middle, fine = errors
    seen = coarse > 1e-7
    assert seen.sum() >= 4          # of 5 modes
    # order 2: quarters, a tenth off for the fourth-order term ((omega dt)^2 = 1.3 at the highest
    # mode of the coarsest)
    assert np.all((coarse[seen] / middle[seen] > 3.0) & (coarse[seen] / middle[seen] < 5.5))
    assert np.all((middle[seen] / fine[seen] > 3.7) & (middle[seen] / fine[seen] < 4.4))


def test_a_pluck_while_another_is_pulled():
    # the first is pulled from 0 to 192 steps (4 ms), the second begins in its ramp and the third in
    # its release
    events = [("pluck", 10, {}), ("pluck", 60, {"position": 0.12, "force": -0.4}),
              ("pluck", 170, {"width": 0.0, "ramp": 0.001})]
    string, out = heard(WIRE, 3500.0, 1500, *events)
    alone = [heard(WIRE, 3500.0, 1500, event)[1] for event in events]
    assert np.abs(out - sum(alone)).max() < 1e-12 * np.abs(out).max()
    assert min(np.abs(part).max() for part in alone) > 0.05 * np.abs(out).max()
    assert string.sounding.residual < 1e-13 and not string.waiting


def test_two_plucks_on_one_step():
    events = [("pluck", 40, {}), ("pluck", 40, {"position": 0.13, "height": 2e-5})]
    out = heard(WIRE, 3500.0, 1000, *events)[1]
    alone = [heard(WIRE, 3500.0, 1000, event)[1] for event in events]
    assert np.abs(out - sum(alone)).max() < 1e-12 * np.abs(out).max()
    assert min(np.abs(part).max() for part in alone) > 0.05 * np.abs(out).max()


@pytest.mark.parametrize("first", ["pluck", "damp"])
def test_a_pluck_and_a_damp_on_one_step_keep_their_order(first):
    """Without a lead the later one holds: a pluck lifts the finger that was just laid, a finger
    laid on a plucked string stays."""
    second = {"pluck": "damp", "damp": "pluck"}[first]
    values = {"damp": {"t60": 0.05}, "pluck": {}}
    string, out = heard(WIRE, 3500.0, 9600, (first, 40, values[first]),
                        (second, 40, values[second]))
    ringing = heard(WIRE, 3500.0, 9600, ("pluck", 40, {}))[1]
    lost = level(ringing[4800:]) - level(out[4800:])
    if second == "pluck":          # it may have been touched for the finger's 4 ms at most
        assert -0.5 < lost < 6.0
    else:
        assert lost > 40.0
    assert string.sounding.residual < 1e-13


# ---- touch

def test_a_touch_that_begins_before_the_score_does_is_at_its_top():
    """On a string at rest the touch of a lead does nothing: at step 0, without room for a lead, a
    pluck sounds as it does later."""
    spec = touched(WIRE, touch=0.5, lead=0.01)
    lead = 480
    _, at_once = heard(spec, 3500.0, 2000, ("pluck", 0, {}))
    _, no_lead = heard(spec, 3500.0, 2000, ("pluck", 0, {"lead": 0.0}))
    _, later = heard(spec, 3500.0, 2000 + lead, ("pluck", lead, {}))
    assert np.array_equal(at_once, no_lead)
    assert np.all(later[:lead] == 0.0)
    # y = 0 exactly under a damper, so the same sums; the bits may differ by how the ledger are
    # divided, not the state
    assert np.array_equal(later[lead:], at_once)
    # ... and the touch is there: it takes part in the pluck
    untouched = heard(WIRE, 3500.0, 2000, ("pluck", 0, {}))[1]
    # (0.5 kg/s on a string of impedance 0.84 kg/s: the slow pull bends it as before, but what
    # swings on that is another)
    assert np.abs(untouched - at_once).max() > 5e-3 * np.abs(untouched).max()


@pytest.mark.parametrize("spec, hz",
                         [(TANPURA["sa1"], HZ["sa1"]),
                          (replace(TANPURA["sa1"], barrier=None, thread=None, cents=0.0), 139.0)],
                         ids=["tanpura", "no barrier"])
def test_repeated_plucks_do_not_build_up(spec, hz):
    rate, repeats = 48000, 8
    events = [("pluck", round((0.05 + k) * rate), {}) for k in range(repeats)]
    string, out = heard(spec, hz, round((0.02 + repeats) * rate), *events)
    # from release + 20 ms to the touch of the next
    levels = [level(out[round((0.1 + k) * rate):round((1.02 + k) * rate)]) for k in range(repeats)]
    assert max(levels[1:]) - min(levels[1:]) < 1.0          # measured 0.02 dB
    assert abs(levels[1] - levels[0]) < 1.0  # the touch takes nearly all that was left
    assert string.sounding.residual < 1e-12
    assert level(out[-rate // 50:]) > -60.0                 # it still rings when it is touched


def test_without_the_touch_they_do():
    """The control: at 139 periods a second eight plucks of a string that loses little in a second
    nearly add up."""
    rate, repeats = 48000, 4
    spec = touched(replace(TANPURA["sa1"], barrier=None, thread=None, cents=0.0), touch=0.0)
    _, out = heard(spec, 139.0, round((0.02 + repeats) * rate),
                   *(("pluck", round((0.05 + k) * rate), {}) for k in range(repeats)))
    levels = [level(out[round((0.1 + k) * rate):round((1.02 + k) * rate)]) for k in range(repeats)]
    # sigma0 = 0.35 leaves exp(-0.37) = 0.69 of the amplitude: 1 + 0.69 = 4.6 dB, then 1 + 0.69 +
    # 0.48 = 6.7 dB, 7.9 dB
    assert levels[1] - levels[0] > 3.0 and levels[3] - levels[0] > 6.0
    assert levels[3] - levels[0] < 9.0


def test_touch_and_finger_only_take_energy():
    """Step by step: no work is booked while a touch or a finger comes, stays or goes, H never
    rises, and what H loses was lost."""
    rate, lead = 48000.0, 0.004
    spec = replace(TANPURA["pa"], sigma0=3.0)
    string, _ = heard(touched(spec, lead=lead), HZ["pa"], 4800, ("pluck", 0, {}), rate=rate)
    kernel = string.sounding.kernel
    gap = round(lead * rate)
    string.play("damp", 4810, {"t60": 0.1})
    string.play("pluck", 5400 + gap, {})
    ledger, step = [kernel.energy()], np.empty(1)
    # damp, then the finger lifts and the touch comes: all but the pull
    while string.sounding.step < 5400 + gap:
        string.advance(step)
        ledger.append(kernel.energy())
    ledger = np.array(ledger)
    total = ledger[:, :3].sum(axis=1)
    scale = total[0]
    assert np.all(ledger[:, 4:] == ledger[0, 4:])          # work and |work|, to the bit
    # H is a sum of a hundred terms: 1e-15 of itself; the thread's preload in it is of the same size
    # as H
    assert np.all(np.diff(total) <= 4e-15 * scale)
    assert np.abs(total - total[0] + ledger[:, 3] - ledger[0, 3]).max() < 1e-13 * scale
    # the finger took most of what was there (H keeps the rest's own): by more than the string alone
    # would lose in 12 ms
    alone = touched(spec, lead=lead)
    free, _ = heard(alone, HZ["pa"], 5400 + gap, ("pluck", 0, {}), rate=rate)
    resting = stored(made(spec, HZ["pa"], rate=rate))
    assert (total[-1] - resting) < 0.5 * (stored(free) - resting)


@pytest.mark.parametrize("position, kept", [(0.1, True), (0.05, False)])
def test_a_touch_lies_where_the_pluck_will_be(position, kept):
    """A string in its second mode alone: a touch on its node takes nothing, one on its belly
    most."""
    string = made(replace(touched(WIRE, touch=0.5, lead=0.01), sigma0=0.0, sigma1=0.0, sigma3=0.0),
                  3500.0)
    string.sounding.wake()
    string.sounding.jump(np.array([0.0, 1e-4, 0.0, 0.0, 0.0]), np.zeros(5))
    before = stored(string)
    string.play("pluck", 500, {"position": position})
    string.advance(np.empty(500))
    # no losses of its own; on the node the shape is sin(pi) = 1e-16, on the belly the touch is of
    # the size of the string's impedance
    if kept:
        assert stored(string) == pytest.approx(before, rel=1e-12)
    else:
        assert stored(string) < 0.5 * before
    assert string.sounding.residual < 1e-13


def alive(string, row):
    """Whether a row has a stiffness or a damping now: an absent one is not followed."""
    return bool(np.isfinite(string.sounding.kernel.compression()[row]))


def test_a_touch_is_gone_before_the_release():
    rate, lead, ramp = 48000.0, 0.01, 0.005
    spec = touched(WIRE, touch=0.5, lead=lead, ramp=ramp)
    string = made(spec, 3500.0, rate=rate)
    string.play("pluck", 1000, {})
    row = 0          # without barrier and thread the touch is the first row
    early, top, steps = 1000 - round(lead * rate), round(ramp * rate), np.empty(1)
    seen = []
    for _ in range(1000 + top + 20):
        string.advance(steps)
        seen.append(alive(string, row))
    # a curve's value holds in its step; its last one is 0 exactly, so that the row is absent in the
    # step that ends with the ramp
    assert seen == [False] * early + [True] * (1000 - early + top - 1) + [False] * 21
    assert OFF * ramp > 0.001          # the fall is a curve, not a jump


def test_a_finger_lifts_before_a_pluck_and_the_string_sounds_again():
    rate, lead = 48000.0, 0.02
    spec = touched(WIRE, touch=0.5, lead=lead)
    string = made(spec, 3500.0, rate=rate)
    fingers, lay = (1, 2, 3), round(FINGER_TIME * rate)
    string.play("pluck", 1000, {})
    string.play("damp", 6000, {"t60": 0.03})
    string.play("pluck", 12000, {})
    out = np.empty(18000)
    string.advance(out[:6000])
    assert not any(alive(string, row) for row in fingers)
    string.advance(out[6000:6001])
    assert all(alive(string, row) for row in fingers)
    up = 12000 - round(lead * rate)          # it begins to lift with the coming of the touch
    string.advance(out[6001:up + lay - 1])
    assert all(alive(string, row) for row in fingers)
    string.advance(out[up + lay - 1:up + lay])
    assert not any(alive(string, row) for row in fingers)
    string.advance(out[up + lay:])
    first, damped, again = level(out[1300:5000]), level(out[9500:up]), level(out[12300:16000])
    assert damped < first - 40.0          # 70 ms at 60 dB in 30 ms
    assert abs(again - first) < 0.1       # as the first, to what was left of it


def test_a_height_pluck_lets_go_from_under_the_touch():
    spec = touched(WIRE, touch=0.5, lead=0.01)
    string, out = heard(spec, 3500.0, 3000, ("pluck", 480, {"height": 1e-3}))
    assert not alive(string, 0) and not string.waiting
    # the touch is off in the step of the letting go: from there it is the free decay of the
    # triangle
    expected = free_decay(string, superposed_triangle(string, PLAIN.position, 1e-3), 2520)
    assert np.abs(out[480:] - expected).max() < 3e-12 * np.abs(expected).max()


# ---- fingers

@pytest.mark.parametrize("name", ["pa", "sa1", "kharaj"])
@pytest.mark.parametrize("t60", [0.2, 0.4])
def test_a_damped_string_dies_in_its_time(name, t60):
    rate = 48000
    start = rate // 2
    string, out = heard(TANPURA[name], HZ[name], start + round(2.5 * t60 * rate),
                        ("pluck", 1440, {}), ("damp", start, {"t60": t60}))
    left = np.cumsum((out[start:] ** 2)[::-1])[::-1]          # Schroeder
    decibels = 10.0 * np.log10(np.maximum(left / left[0], 1e-30))
    fit = np.flatnonzero((decibels < -5.0) & (decibels > -35.0))
    slope = np.polyfit(fit / rate, decibels[fit], 1)[0]
    # If 0.4 s are asked for, sa1 without bridge and thread takes 0.27 s with statics and 0.25 s
    # without: the finger is the same. A bridge which feeds the partials that a finger hardly damps
    # makes it longer. With a thread at 58 um and statics sa1 dies in half of what is asked for, as
    # without a bridge: 0.21 s, 0.18 to 0.26 s with threads at 55 to 59 um. With one at 66 um it
    # takes 0.39 s, and without statics 0.41 s.
    measured = {"pa": (0.198, 0.415), "sa1": (0.118, 0.207), "kharaj": (0.193, 0.416)}[name]
    wanted = measured[0] if t60 == 0.2 else measured[1]
    # a quarter, as strokes and threads a micrometre apart differ by it
    assert wanted / 1.25 < -60.0 / slope < wanted * 1.25
    assert string.sounding.residual < 1e-12


# ---- sleep

QUICK = replace(TANPURA["pa"], sigma0=69.1, sigma1=0.0)          # T60 = 3 ln 10 / sigma0 = 0.1 s


def test_a_string_falls_asleep_keeps_its_state_and_wakes():
    rate, floor = 48000.0, -60.0
    string, out = heard(QUICK, HZ["pa"], 48000, ("pluck", 960, {}), rate=rate, floor=floor)
    kernel, silent = string.sounding.kernel, string.sounding.asleep_since
    assert np.all(out[silent:] == 0.0) and out[silent - 1] != 0.0
    slept = silent - math.ceil(FADE * rate)         # the rest of its output fades
    assert string.sounding.asleep and slept % 64 == 0
    # not before 50 ms under the floor, and (H - rest) 80 dB under its peak: amplitude 40 dB ...
    # both say T60-like times
    loudest = np.abs(out).max()
    quiet = np.flatnonzero(np.abs(out) > 1e-3 * loudest)[-1]
    assert slept >= quiet + 0.05 * rate
    # H - rest falls by 60 dB in 0.1 s, so it is 80 dB down within 0.14 s of the pluck's end; then
    # 50 ms of quiet and one reading
    pulled_until = 960 + round((QUICK.pluck.ramp + QUICK.pluck.release) * rate)
    assert slept <= max(quiet + 0.05 * rate, pulled_until + 0.14 * rate) + 3 * 64
    kept, velocity, statistics = kernel.displacement(), kernel.velocity(), kernel.statistics
    assert statistics["solves"] > 5000 and np.abs(velocity).max() > 0.0
    more = np.empty(300_000)
    string.advance(more)
    assert np.all(more == 0.0) and string.sounding.step == 348_000
    assert kernel.statistics == statistics          # nothing was computed
    assert np.array_equal(kernel.displacement(), kept) and np.array_equal(
        kernel.velocity(), velocity)
    string.play("pluck", 350_000, {"lead": 0.01})
    again = np.empty(48_000)
    string.advance(again)
    wake = 350_000 - 480 - 348_000
    # it goes on from the state that it slept in, not from rest
    assert np.all(again[:wake] == 0.0) and again[wake + 1] != 0.0
    assert np.abs(again[wake:wake + 400]).max() < 1e-3 * loudest
    assert 0.9 < np.abs(again).max() / loudest < 1.1
    assert string.sounding.asleep and string.sounding.residual < 1e-12


def test_time_asleep_changes_nothing():
    """The same gestures after a longer sleep give the same bits."""
    shift = 64 * 1000
    near = heard(QUICK, HZ["pa"], 40_000, ("pluck", 0, {}), ("pluck", 20_000, {}),
                 ("damp", 22_000, {"t60": 0.1}), floor=-60.0)
    far = heard(QUICK, HZ["pa"], 40_000 + shift, ("pluck", 0, {}), ("pluck", 20_000 + shift, {}),
                ("damp", 22_000 + shift, {"t60": 0.1}), floor=-60.0)
    assert np.array_equal(near[1][15_000:], far[1][15_000 + shift:])
    assert near[0].sounding.kernel.statistics == far[0].sounding.kernel.statistics
    assert near[1][20_000:].any()


@pytest.mark.parametrize("chunk", [1, 7, 64, 441])
def test_any_division_gives_the_same_bits(chunk):
    """Over a pluck, a touch on the ringing string, a pluck in a pluck, a finger, sleep, and a
    waking on no multiple of anything."""
    spec = touched(replace(QUICK, sigma0=300.0), lead=0.005, ramp=0.004)
    events = [("pluck", 100, {}), ("pluck", 601, {"force": 0.3, "position": 0.3}),
              ("damp", 700, {"t60": 0.3}), ("pluck", 3333, {}), ("pluck", 3390, {"height": 2e-4})]
    whole, out = heard(spec, HZ["pa"], 4200, *events, rate=16000.0, floor=-40.0)
    silent = np.flatnonzero(out[700:3200] == 0.0) + 700
    assert silent.size > 200 and out[4100:].any()          # it did sleep, and wake
    string = made(spec, HZ["pa"], rate=16000.0, floor=-40.0)
    for verb, step, values in events:
        string.play(verb, step, dict(values))
    parts = np.empty(4200)
    for start in range(0, 4200, chunk):
        string.advance(parts[start:start + chunk])
    assert np.array_equal(parts, out)
    assert np.array_equal(string.sounding.kernel.energy(), whole.sounding.kernel.energy())
    assert string.sounding.kernel.statistics == whole.sounding.kernel.statistics
    assert string.sounding.residual == whole.sounding.residual


# ---- the bloom

RATE, OVER = 48000, 2


@pytest.fixture(scope="module")
def blooms():
    """F_L of tanpura_sa with its bridge and, its thread at height 0, without, at 48 kHz from 96
    kHz."""
    from pysitar.kernels.core.decimate import Decimator, kaiser_taps

    spec = TANPURA["sa1"]
    sounds = []
    for made_of in (spec, replace(spec, barrier=None, thread=replace(spec.thread, height=0.0))):
        string, out = heard(made_of, HZ["sa1"], 100_000, ("pluck", 1920, {}),
                            rate=float(RATE * OVER))
        assert string.sounding.residual < 1e-12
        decimator = Decimator(OVER, kaiser_taps(OVER, float(RATE)))
        sounds.append(np.concatenate([decimator.push(out), decimator.flush()]))
    return sounds


def spectrum(sound, after, above=0.0):
    """Power spectrum of 60 ms (Hann) centred `after` s after onset + ramp."""
    centre = round((0.02 + TANPURA["sa1"].pluck.ramp + after) * RATE)
    half = round(0.03 * RATE)
    return np.abs(np.fft.rfft(sound[centre - half:centre + half]
                              * np.hanning(2 * half)))**2, np.fft.rfftfreq(2 * half, 1.0 / RATE)


def test_the_tanpura_blooms(blooms):
    ratios = []
    for sound in blooms:
        power, hz = spectrum(sound, 0.2)
        ratios.append(10.0 * math.log10(power[hz > 2000.0].sum() / power[hz > 50.0].sum()))
    # measured -6 and -59 dB in the paper's engine; over -2 dB the fundamental itself would have
    # gone
    assert -10.0 <= ratios[0] < -2.0
    assert -70.0 < ratios[1] <= -50.0


def test_the_bloom_closes(blooms):
    centroids, middles = [], []
    for after in (0.03, 0.1, 0.2, 0.4, 0.8):
        power, hz = spectrum(np.diff(blooms[0]), after)
        heard_there = hz > 60.0
        centroids.append(float((hz * power)[heard_there].sum() / power[heard_there].sum()))
        band, over = hz > 6.5 * HZ["sa1"], np.cumsum(power[hz > 6.5 * HZ["sa1"]])
        middles.append(float(hz[band][np.searchsorted(over, 0.5 * over[-1])]))
    # the middle of the band's power, over the first six partials, sinks: measured 5.0 4.0 3.7 2.5
    # 1.7 kHz, and 4.7 3.9 3.6 2.6 1.5 kHz at 7/8 of the force; two partials lie 3 to 7 % apart
    assert all(early > late for early, late in pairwise(middles)), middles
    assert middles[1] == pytest.approx(4000.0, rel=0.07) and middles[-1] < 2000.0
    # the centroid of the whole counts the buzz too, which stays as the thread lies under the crown
    # of the bridge: from 0.1 to 0.4 s it may rise by 2 %. Measured 6.5, 5.2, 5.3, 4.2 and 2.9 kHz;
    # with a thread at 66 um and without statics, the contact chatters more at first and less later:
    # 8.4 and 2.1 kHz
    assert centroids[0] == pytest.approx(6500.0, rel=0.15)
    assert centroids[-1] == pytest.approx(2900.0, rel=0.25)
    power, hz = spectrum(np.diff(blooms[1]), 0.03)
    assert (hz * power)[hz > 60.0].sum() / power[hz > 60.0].sum() < 600.0  # no bridge: 0.27 kHz


@pytest.mark.parametrize(("table", "key", "value"), [
    (table, key,
      min(bound, stiffest(STIFFEST_STRING_CONTACT, 1.0)) if (table, key) == ("barrier", "stiffness")
      else bound) for table,
    names in (("barrier", ("extent", "height", "points", "stiffness", "exponent", "damping")),
              ("thread", ("height", "stiffness", "resistance")), ("", ("linear_density",)))
    for key in names for parameter in [(PARTS[table] if table else GROUPS["strings"]).keys[key]]
    for bound in (parameter.low, parameter.high)
    if bound is not None and not (bound == parameter.low and parameter.open_low)])
def test_a_string_at_the_bound_of_its_file_is_played(table, key, value):
    """Its energy balance holds, or this would be a RenderError."""
    path = ("pa", *([table] if table else []), key)
    value = int(value) if key == "points" else float(value)
    spec = parse_instrument(preset_text("tanpura"), name="tanpura", shown="tanpura.toml",
                            changes=[(path, value)]).strings[0]
    # a step with a thousand points that bear force takes a hundred times as long
    steps, ramp = (200, 5e-4) if spec.barrier.points > 600 else (3600, 0.01)
    string, out = heard(spec, HZ["pa"], steps, ("pluck", 0, {"ramp": ramp}), rate=96000.0)
    assert np.isfinite(out).all() and out.any()
    assert string.sounding.kernel.statistics["failures"] == 0


@pytest.mark.parametrize("name", ["pa", "sa1", "kharaj"])
def test_a_finger_on_a_string_at_rest_lets_it_sleep_again(name):
    # the finger wakes it; what it then does is rounding, which must not keep it awake (50 ms of
    # patience, 4 ms of finger, a decision every 64 steps, a fade of 20 ms), nor may the pluck that
    # follows be missed
    rate = 48000.0
    string = made(TANPURA[name], HZ[name], rate=rate)
    string.play("damp", 480, {"t60": 0.2})
    string.play("pluck", 48000, {})
    out = np.empty(96000)
    string.advance(out[:48000 - 960 - 64])          # up to the pluck's touch, 20 ms before it
    assert string.sounding.asleep
    assert 480 + 0.05 * rate < string.sounding.asleep_since < 480 + 0.09 * rate
    assert np.abs(out[:48000 - 960 - 64]).max() < 1e-13
    string.advance(out[48000 - 960 - 64:])
    assert np.abs(out[48000:]).max() > 0.1
