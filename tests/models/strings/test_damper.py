"""What a damping finger cannot do: no resistance damps a string faster than in some 14 of its
periods."""
import math
from dataclasses import replace

import numpy as np
import pytest

from pysitar.models.definitions.spec import PluckSpec, StringSpec
from pysitar.models.strings.damper import FINGER_LOSS, FINGER_MOST, shortest_t60
from pysitar.models.strings.played import FINGER, PlayedString

PLUCK = PluckSpec(position=0.1, force=1.0, width=0.0, ramp=0.003, release=0.001, touch=0.0,
                  lead=0.0)
WIRE = StringSpec(name="a", pitch=400.0, cents=0.0, length=0.4, linear_density=2e-3,
                  bending_stiffness=0.0, sigma0=0.0, sigma1=0.0, sigma2=0.0, sigma3=0.0,
                  barrier=None, thread=None, pluck=PLUCK)
BEST = 13.75 / 400.0            # s: 27.5 length / c, c = 2 length f


def laid(t60, *, hz=400.0, spec=WIRE):
    """A string under a finger, and what it sounded like."""
    string = PlayedString(spec, hz=hz, sample_rate=48000.0, floor=-200.0, name="v.s")
    string.play("pluck", 0, {})
    string.play("damp", 4800, {"t60": t60})
    out = np.empty(9600)
    string.advance(out)
    return string, out


def resistance(string):
    """Of the whole finger (kg/s)."""
    return sum(string._damping[row] for row in string._finger_rows)


@pytest.mark.parametrize(("hz", "length"), [(400.0, 0.4), (41.2, 0.864), (100.0, 0.4)])
def test_the_shortest_time_is_a_number_of_periods(hz, length):
    assert FINGER_LOSS / FINGER_MOST == 27.5
    string = replace(WIRE, length=length).string(hz)
    assert shortest_t60(string) == pytest.approx(13.75 / hz, rel=1e-12)
    # whatever it weighs
    assert shortest_t60(replace(
        WIRE, length=length, linear_density=0.1).string(hz)) == pytest.approx(13.75 / hz, rel=1e-12)


def test_a_long_time_has_its_resistance_and_a_short_one_four_impedances():
    impedance = 2e-3 * 2.0 * 0.4 * 400.0          # sqrt(T rho A) = rho A c
    assert resistance(laid(4.0 * BEST)[0]) == pytest.approx(impedance, rel=1e-12)
    for t60 in (BEST, 0.5 * BEST, 1e-3 * BEST):
        assert resistance(laid(t60)[0]) == pytest.approx(4.0 * impedance, rel=1e-12)
    assert len(FINGER) == 3


def test_what_is_too_short_sounds_like_the_shortest():
    _, best = laid(BEST)
    assert np.array_equal(laid(0.01 * BEST)[1], laid(0.5 * BEST)[1])
    assert np.abs(laid(0.5 * BEST)[1] - best).max() < 1e-12 * np.abs(best).max()
    assert np.abs(laid(1.1 * BEST)[1] - best).max() > 1e-3 * np.abs(best).max()


@pytest.mark.parametrize("hz", [100.0, 400.0])
def test_at_best_a_string_dies_about_that_fast(hz):
    """Schroeder's fit from -5 to -35 dB; measured 0.9 to 1.3 of it on the strings of the
    presets."""
    best = 13.75 / hz
    rate, start = 48000, 4800
    string = PlayedString(WIRE, hz=hz, sample_rate=rate, floor=-200.0, name="v.s")
    string.play("pluck", 0, {})
    string.play("damp", start, {"t60": 0.1 * best})
    out = np.empty(start + round(2.5 * best * rate))
    string.advance(out)
    left = np.cumsum((out[start:] ** 2)[::-1])[::-1]
    decibels = 10.0 * np.log10(np.maximum(left / left[0], 1e-30))
    fit = np.flatnonzero((decibels < -5.0) & (decibels > -35.0))
    assert 0.75 < -60.0 / np.polyfit(fit / rate, decibels[fit], 1)[0] / best < 4.0 / 3.0
    assert math.isfinite(out.sum()) and string.sounding.residual < 1e-12
