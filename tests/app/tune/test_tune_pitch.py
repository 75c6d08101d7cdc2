"""Where a string sounds, as `pysitar tune` hears it: sums of sines, and strings without a bridge,
whose partials have closed forms."""
import math
from dataclasses import replace

import numpy as np
import pytest

from pysitar.app.tune.pitch import measure_pitch, render_note
from pysitar.errors import ParameterError
from pysitar.models.definitions.spec import BodySpec, InstrumentSpec, PluckSpec, StringSpec

RATE = 24000.0
# plucked at a seventh: each of four partials is heard
PLUCK = PluckSpec(position=0.8 / 7.0, force=1.0, width=0.0, ramp=0.005, release=0.0005, touch=0.0,
                  lead=0.0)
IDEAL = StringSpec(name="a", pitch=200.0, cents=0.0, length=0.8, linear_density=1e-3,
                   bending_stiffness=0.0, sigma0=1.0, sigma1=0.0, sigma2=0.0, sigma3=0.0,
                   barrier=None, thread=None, pluck=PLUCK)
ALONE = InstrumentSpec(name="x", source="x.toml", model="string", gain=1.0, scheme="two-point",
                       body=None, parts=(IDEAL, ))


def sines(cents, heights, hz=200.0, decay=0.0, seconds=1.6):
    t = np.arange(round(seconds * RATE)) / RATE
    parts = [height * np.sin(2.0 * math.pi * (k + 1) * hz * 2.0 ** (off / 1200.0) * t)
             for k, (off, height) in enumerate(zip(cents, heights, strict=True))]
    return np.sum(parts, axis=0) * np.exp(-decay * t)


def test_partials_are_weighted_by_their_heights():
    heard = measure_pitch(sines((6.0, -4.0, 2.0, 8.0), (4.0, 3.0, 2.0, 1.0)), rate=RATE, hz=200.0)
    # 0.01 cents: a parabola's miss of 0.001 of a bin of 0.74 Hz, and what one window lets through
    # of another's peak
    assert heard.partials == pytest.approx((6.0, -4.0, 2.0, 8.0), abs=0.01)
    assert heard.weights == pytest.approx((0.4, 0.3, 0.2, 0.1), abs=2e-3)
    assert heard.cents == pytest.approx(0.4 * 6.0 - 0.3 * 4.0 + 0.2 * 2.0 + 0.1 * 8.0, abs=0.03)


# the last is 40 dB down after 0.12 s, long before 0.25 s
@pytest.mark.parametrize("decay", [1.0, 10.0, 40.0])
def test_a_sound_that_dies_soon_is_heard_early(decay):
    assert measure_pitch(sines((3.0, ), (1.0, ), decay=decay), rate=RATE,
                         hz=200.0).cents == pytest.approx(3.0, abs=0.1)


def test_a_partial_that_is_not_there_does_not_count():
    heard = measure_pitch(sines((5.0, 0.0, -1.0), (1.0, 0.0, 1.0)), rate=RATE, hz=200.0)
    assert heard.cents == pytest.approx(2.0, abs=0.02)


@pytest.mark.parametrize("sound", [np.zeros(round(1.6 * RATE)), sines((200.0,), (1.0,), hz=1500.0)])
def test_a_sound_without_the_pitch_is_reported(sound):
    with pytest.raises(ParameterError, match=r"no partial is within a semitone of this pitch "
                       r"\(Hz\) from 0\.\d\d s to \d\.\d\d s"):
        measure_pitch(sound, rate=RATE, hz=3000.0)


@pytest.mark.parametrize(("semitones", "force"), [(0.0, None), (7.0, 0.1)])
def test_a_string_without_a_bridge_needs_no_correction(semitones, force):
    sound = render_note(ALONE, IDEAL, hz=200.0, semitones=semitones, highest=semitones, rate=RATE,
                        force=force)
    hz = 200.0 * 2.0 ** (semitones / 12.0)
    assert abs(measure_pitch(sound, rate=RATE, hz=hz).cents) < 0.1
    # and sounds off by what it is tuned off
    off = render_note(ALONE, replace(IDEAL, cents=8.0), hz=200.0, semitones=semitones,
                      highest=semitones, rate=RATE)
    assert measure_pitch(off, rate=RATE, hz=hz).cents == pytest.approx(8.0, abs=0.1)


def test_a_stiff_string_is_off_by_its_partials():
    """Partial k is k sqrt(1 + B k^2) / sqrt(1 + B) of the first, B = EI pi^2 / (T L^2)."""
    stiff = replace(IDEAL, bending_stiffness=3e-3)
    b = 3e-3 * math.pi**2 / (stiff.string(200.0).tension * 0.8**2)
    heard = measure_pitch(render_note(ALONE, stiff, hz=200.0, semitones=0.0, highest=0.0,
                                      rate=RATE), rate=RATE, hz=200.0)
    partials = [600.0 * math.log2((1.0 + b * k * k) / (1.0 + b)) for k in range(1, 5)]
    assert partials[3] > 5.0
    assert heard.partials == pytest.approx(partials, abs=0.1)
    assert heard.cents == pytest.approx(
        sum(w * c for w, c in zip(heard.weights, partials, strict=True)), abs=0.1)


def test_a_string_on_a_body_that_it_feels_is_heard_there():
    """A body mode below a partial raises it: the sound is the string's force on its far end, not
    the body's."""
    body = BodySpec(frequencies=(150.0,), q=(30.0,), masses=(0.02,), weights=(1.0,), coupled=True)
    on_body = replace(ALONE, body=body)
    rigid, coupled = (measure_pitch(
        render_note(which, IDEAL, hz=200.0, semitones=0.0, highest=0.0, rate=RATE), rate=RATE,
        hz=200.0) for which in (ALONE, on_body))
    assert abs(rigid.cents) < 0.1 < abs(coupled.cents)
    uncoupled = replace(on_body, body=replace(body, coupled=False))
    assert measure_pitch(render_note(uncoupled, IDEAL, hz=200.0, semitones=0.0, highest=0.0,
                                     rate=RATE), rate=RATE, hz=200.0) == rigid
