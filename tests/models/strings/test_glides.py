"""Notes by tension: where glides begin and end, what they do to the pitch, the rest and the sleep
of a played string."""
import math
from dataclasses import replace

import numpy as np
import pytest

from pysitar.models.definitions.loader import parse_instrument, preset_text
from pysitar.models.definitions.spec import PluckSpec, StringSpec
from pysitar.models.strings.glides import BLOCK, Glides
from pysitar.models.strings.played import PlayedString
from pysitar.physics.string import String

RATE = 48000.0
PLUCK = PluckSpec(position=0.2, force=2.0, width=0.002, ramp=0.008, release=0.0005, touch=0.0,
                  lead=0.0)
MONOCHORD = StringSpec(name="a", pitch=130.81, cents=0.0, length=1.0, linear_density=9.8646e-4,
                       bending_stiffness=2.51327e-4, sigma0=0.5, sigma1=0.005, sigma2=0.0,
                       sigma3=4e-6, barrier=None, thread=None, pluck=PLUCK)
SA = next(spec for spec in parse_instrument(preset_text("tanpura"), name="tanpura",
                                            shown="tanpura.toml").strings if spec.name == "sa1")


def glides(equilibrium_at=lambda tension: (0.0, 0.0)):
    string = String(length=1.0, tension=67.5, linear_density=9.8646e-4, bending_stiffness=2.5e-4)
    return Glides(string, equilibrium=(0.0, 0.0), equilibrium_at=equilibrium_at), string


def played(spec, hz, steps, *events, rate=RATE, highest=2.0, **more):
    """A string after events (verb, step, values, hz), and what it sounded like."""
    string = PlayedString(spec, hz=hz, sample_rate=rate, floor=-80.0, name="v.s",
                          highest=hz * highest, **more)
    for verb, step, values, pitch in events:
        string.play(verb, step, dict(values), pitch)
    out = np.empty(steps)
    string.advance(out)
    return string, out


def cents(out, hz, rate=RATE):
    """How far the first partial lies from a frequency: the slip of its phase between two Hann
    windows of 0.15 s each."""
    n = round(0.15 * rate)
    window = np.hanning(n) * np.exp(-2j * np.pi * hz * np.arange(n) / rate)
    lag = out.size - n
    first, last = (out[:n] * window).sum(), (out[lag:] * window).sum()
    slip = np.angle(last / first * np.exp(-2j * np.pi * hz * lag / rate))
    return 1200.0 * math.log2(1.0 + slip / (2.0 * np.pi * lag / rate) / hz)


# ---- when

def test_a_glide_ends_at_its_event():
    made, _ = glides()
    glide = made.add(3.0, step=1000, steps=300, now=0)
    assert (glide.start, glide.stop) == (700, 1000)
    # the blocks 688.. and 1008.. are the first changed and the first settled
    assert glide.begin == 688 and glide.end == 1009
    assert [glide.progress(step) for step in (0, 700, 850, 1000, 5000)] == pytest.approx(
        [0.0, 0.0, 0.5, 1.0, 1.0], abs=1e-15)


def test_a_glide_that_would_begin_too_early_begins_as_soon_as_it_can():
    made, _ = glides()
    assert made.add(1.0, step=100, steps=300, now=0).start == 0          # not before the beginning
    second = made.add(2.0, step=250, steps=300, now=0)
    assert (second.start, second.stop) == (100, 250)  # nor before the one before has ended
    assert second.low.semitones == 1.0 and second.high.semitones == 2.0
    late, _ = glides()
    assert late.add(1.0, step=100, steps=300, now=90).start == 90         # nor before now


def test_of_two_notes_at_once_the_later_counts():
    made, _ = glides()
    first = made.add(1.0, step=1000, steps=300, now=0)
    assert made.add(5.0, step=1000, steps=100, now=0) is first
    assert (first.start, first.stop, first.high.semitones) == (700, 1000, 5.0)
    assert made.add(2.0, step=2000, steps=100, now=0).low.semitones == 5.0


def test_a_step_of_no_length_is_a_jump():
    made, _ = glides()
    glide = made.add(12.0, step=128, steps=0, now=0)
    motion = made.motion(120, 16)
    assert glide.progress(127) == 0.0 and glide.progress(128) == 1.0
    assert np.all(motion.tensions[:8] == 0.0) and np.all(
        motion.tensions[8:] > 100.0) and motion.blocks.size == 1


def test_the_tension_of_a_curve_is_that_of_a_string_of_that_pitch():
    made, string = glides()
    made.add(7.0, step=1000, steps=1000, now=0)
    motion = made.motion(0, 1100)
    for step in (0, 1, 250, 500, 999, 1000, 1099):
        semitones = 3.5 * (1.0 - math.cos(math.pi * min(step, 1000) / 1000.0))
        hz = string.frequency(1) * 2.0 ** (semitones / 12.0)
        assert motion.tensions[step] == pytest.approx(
            string.with_pitch(hz).tension - string.tension, rel=1e-12, abs=1e-12)
    # block by block at its end
    assert motion.blocks.size == -(-1100 // BLOCK) and motion.ramps
    assert motion.blocks[3] == motion.tensions[4 * BLOCK]


def test_moving_only_from_the_first_changed_block_to_the_first_settled():
    made, _ = glides()
    glide = made.add(1.0, step=1000, steps=300, now=0)
    assert made.waiting and made.next_change(0) == [688]
    assert [made.moving(step)
            for step in (0, 687, 688, 1000, 1008)] == [False, False, True, True, True]
    assert made.next_change(688) == [1009]
    assert made.take_finished(1008) == [] and made.take_finished(1009) == [glide]
    assert not made.waiting and not made.moving(1009) and made.next_change(1009) == []
    # it stays there
    assert made.motion(1009, 3).tensions[0] == made.motion(10**6, 1).tensions[0] > 0.0


def test_the_rest_moves_with_the_tension_and_is_solved_once_a_note():
    asked = []

    def equilibrium_at(tension):
        asked.append(tension)
        return 2.0 * tension, 3.0 * tension

    made, _ = glides(equilibrium_at)
    glide = made.add(2.0, step=100, steps=100, now=0)
    made.add(0.0, step=300, steps=100, now=0)
    made.add(2.0, step=500, steps=100, now=0)
    assert len(asked) == 1
    rest = made.motion(0, 600).equilibrium
    assert rest[0] == 0.0 and rest[100] == glide.high.output == 3.0 * asked[0] and rest[
        50] == pytest.approx(0.5 * rest[100])
    assert rest[300] == 0.0 and rest[599] == rest[100]


def test_a_rest_that_is_not_found_stays_the_one_before():
    def equilibrium_at(tension):
        raise ArithmeticError

    assert glides(equilibrium_at)[0].add(2.0, step=100, steps=100, now=0).high.output == 0.0


# ---- what

@pytest.mark.parametrize("semitones", [-7.0, 3.0, 12.0])
def test_a_fret_gives_the_pitch(semitones):
    """f1 within 0.02 cent after the glide; two Hann windows 0.35 s apart tell 1e-3 cent, other
    partials lie 80 dB under in them."""
    hz = 130.81 * 2.0 ** (semitones / 12.0)
    string, out = played(replace(MONOCHORD, sigma0=0.0, sigma1=0.0), 130.81, 36000,
                         ("pluck", 0, {}, None), ("fret", 4800, {}, hz))
    assert abs(cents(out[6000:30000], hz)) < 0.02
    assert string.sounding.residual < 1e-12


def test_a_pluck_with_a_pitch_glides_there_first():
    hz = 130.81 * 1.5
    # a fret at once, 7 ms before the pluck's beginning, and the same pluck: the same string
    _, one = played(MONOCHORD, 130.81, 9600, ("pluck", 2400, {"glide": 0.01}, hz))
    _, two = played(MONOCHORD, 130.81, 9600, ("fret", 2400, {"glide": 0.01}, hz),
                    ("pluck", 2400, {}, None))
    assert np.array_equal(one, two) and np.abs(one).max() > 0.5
    _, open_string = played(MONOCHORD, 130.81, 9600, ("pluck", 2400, {}, None))
    assert np.abs(one - open_string).max() > 0.1


def test_the_next_pluck_keeps_the_pitch():
    hz = 130.81 * 2.0 ** (5.0 / 12.0)
    _, out = played(MONOCHORD, 130.81, 40000, ("pluck", 0, {}, hz), ("pluck", 9600, {}, None))
    assert abs(cents(out[12000:36000], hz)) < 0.05


def test_any_cut_same_bits():
    events = [("pluck", 100, {}, None), ("fret", 2000, {}, 150.0), ("fret", 2100, {}, 140.0),
              ("pluck", 3000, {"glide": 0.002}, 170.0)]
    _, complete_at = played(SA, 138.59, 8000, *events)
    string, _ = played(SA, 138.59, 0, *events)
    out, done = np.empty(8000), 0
    for n in (1, 63, 64, 65, 1800, 7, 100, 900, 5000):
        string.advance(out[done:done + n])
        done += n
    assert done == 8000 and np.array_equal(out, complete_at) and np.abs(out).max() > 0.05


def test_frets_come_one_after_the_other_and_back():
    """Three notes 60 ms apart, then open again: coefficients, tension and rest are those of the
    beginning."""
    string, _ = played(SA, 138.59, 0)
    before = string.sounding.kernel.coefficients, string.sounding.equilibrium_output
    for step, pitch in ((2880, 150.0), (5760, 185.0), (8640, 138.59)):
        string.play("fret", step, {}, pitch)
    string.advance(np.empty(9600))
    assert string.sounding.kernel.tension == 0.0
    assert all(np.array_equal(a, b) for a,
               b in zip(string.sounding.kernel.coefficients, before[0], strict=True))
    assert string.sounding.equilibrium_output == before[1]


def test_a_fret_on_a_string_at_rest_is_soft_and_sleeps_again():
    """A string pressed to another note moves with its tension, quietly, to its rest there, and no
    offset stays."""
    string, out = played(SA, 138.59, 96000, ("fret", 4800, {}, 138.59 * 2.0 ** (4.0 / 12.0)))
    rest = string.sounding.kernel.equilibrium_at(string.sounding.kernel.tension)[1]
    before = string._glides._notes[0.0].output
    # the force at rest changes by this much; the output, from which it is taken off on the way,
    # must not hold it
    assert abs(rest - before) > 1e-3
    assert np.abs(out[-4800:]).max() < 0.02 * abs(rest - before)
    # the loudest of it is far under a pluck (about 1 N)
    assert np.abs(out).max() < 0.02
    assert string.sounding.equilibrium_output == rest


def test_sleep_at_another_tension():
    """A short-lived string on its bridge, fretted up, sleeps as soon as one that was never
    fretted."""
    short = replace(SA, sigma0=60.0)
    ends = []
    for pitch in (None, 138.59 * 2.0 ** (4.0 / 12.0)):
        string, _ = played(short, 138.59, 48000, ("fret" if pitch else "damp", 10, {"t60": 100.0},
                                                  pitch), ("pluck", 480, {}, None))
        assert string.sounding.asleep and not string.waiting
        ends.append(string.sounding.asleep_since / RATE)
    # T60 is 6.9 / 60 = 0.115 s; 100 dB of energy and 50 ms of patience: about 0.25 s after the
    # release
    assert all(0.15 < end < 0.6 for end in ends)


def test_modes_are_those_that_the_highest_pitch_leaves():
    """An octave up at 48000 Hz: only modes under 0.47 of it at the top, and the string still holds
    its pitch."""
    plain = PlayedString(MONOCHORD, hz=130.81, sample_rate=RATE, floor=-80.0, name="v.s")
    string = PlayedString(MONOCHORD, hz=130.81, sample_rate=RATE, floor=-80.0, name="v.s",
                          highest=261.62)
    top = string.modes.angular_frequencies_at(string.spec.string(261.62).tension) / (2.0 * np.pi)
    assert top.max() < 0.47 * RATE < top.max() + 261.62 * 1.5
    assert string.modes.count < plain.modes.count and plain.modes.frequencies.max() < 20e3


def test_traces():
    """What is traced changes nothing, and fits together: the ledger, the force and the contact of a
    fretted tanpura string."""
    events = [("pluck", 0, {}, None), ("fret", 2000, {}, 150.0)]
    _, plain = played(SA, 138.59, 4000, *events)
    string, out = played(SA, 138.59, 0, *events, traced=True)
    out, done, parts = np.empty(4000), 0, []
    for n in (1000, 1, 2999):
        string.advance(out[done:done + n])
        done += n
        parts.append(string.traces())
    assert np.array_equal(out, plain)
    complete_at = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    assert {name: values.shape for name, values in complete_at.items()} == {
        "force_end": (4000,), "displacement": (4000,), "contact_force": (4000,), "energy": (63, 6)}
    # heard is the force less that at rest
    # till it glides
    assert np.abs(complete_at["force_end"][:1600] - string._glides._notes[0.0].output
                  - out[:1600]).max() < 1e-12
    balance = complete_at["energy"][:, :3].sum(
        axis=1) + complete_at["energy"][:, 3] - complete_at["energy"][:, 4]
    assert np.abs(balance
                  - balance[0]).max() < 1e-12 * complete_at["energy"][:, :3].sum(axis=1).max()
    assert complete_at["contact_force"].min(
    ) >= -0.1 * complete_at["contact_force"].max() and complete_at["contact_force"].max() > 0.1
    assert 1e-4 < np.abs(complete_at["displacement"]).max() < 1e-2


def test_traces_of_a_string_asleep():
    string, _ = played(SA, 138.59, 0, traced=True)
    string.advance(np.empty(200))
    traces = string.traces()
    assert traces["force_end"].shape == (200,) and traces["energy"].shape == (4, 6)
    assert np.all(traces["force_end"] == string.sounding.equilibrium_output) and np.ptp(
        traces["energy"], axis=0).max() == 0.0
