"""The rows of what a string touches, in their order, and the weights of what is heard of it."""
from dataclasses import replace

import numpy as np
import pytest

from pysitar.errors import ParameterError
from pysitar.models.definitions.spec import (
    BarrierSpec,
    FretboardSpec,
    FretsSpec,
    PickupSpec,
    PluckSpec,
    StringSpec,
    ThreadSpec,
)
from pysitar.models.strings.modal_string import contact_rows, output_weights
from pysitar.models.strings.played import PlayedString
from pysitar.physics.contact import CONTACT, LINEAR
from pysitar.physics.modes import string_modes

PLUCK = PluckSpec(position=0.2, force=1.0, width=0.0, ramp=0.004, release=0.0005, touch=0.0,
                  lead=0.0)
FULL = StringSpec(
    name="e",
    pitch=100.0,
    cents=0.0,
    length=0.8,
    linear_density=5e-3,
    bending_stiffness=1e-4,
    sigma0=0.5,
    sigma1=0.0,
    sigma2=0.0,
    sigma3=0.0,
    pluck=PLUCK,
    pickup=PickupSpec(position=0.15),
    barrier=BarrierSpec(profile="parabola", start=0.0, extent=0.02, height=1e-5, points=3,
                        stiffness=1e9, exponent=1.5, damping=0.05),
    thread=ThreadSpec(position=0.01, height=2e-5, stiffness=1e5, resistance=1.2),
    frets=FretsSpec(count=12, gap_nut=1e-3, gap_12=3e-3, stiffness=2e6, exponent=1.25, damping=0.5),
    fretboard=FretboardSpec(start=0.2, gap_nut=2e-3, gap_12=4e-3, points=6, stiffness=1e8,
                            exponent=1.0, damping=0.1),
)
MODES = string_modes(FULL.string(100.0), count=9)
EACH = {"barrier": 3, "thread": 1, "frets": 12, "fretboard": 6}


def test_rows_come_in_the_order_barrier_thread_frets_board():
    rows = contact_rows(MODES, FULL)
    assert [row.law.kind for row in rows] == [CONTACT] * 3 + [LINEAR] + [CONTACT] * 18
    assert [row.law.exponent for row in rows] == [1.5] * 3 + [1.0] + [1.25] * 12 + [1.0] * 6
    assert [row.law.damping for row in rows] == [0.05] * 3 + [1.2] + [0.5] * 12 + [0.1] * 6
    assert rows[3].law.stiffness == 1e5 and [row.law.stiffness for row in rows[4:16]] == [2e6] * 12
    assert [row.law.stiffness for row in rows[16:]] == pytest.approx([1e8 * 0.1] * 6, rel=1e-12)
    # a row's compression is offset - shape . y: what lies lower has a negative one
    assert rows[3].offset == 2e-5 and rows[15].offset == pytest.approx(-3e-3, rel=1e-12)  # fret 12
    places = [
        0.02 / 6, 0.01, 0.02 * 5 / 6,
        0.01, *(0.8 * 2**(-n / 12) for n in range(1, 13)), *(0.25 + 0.1 * k for k in range(6))]
    b = np.pi * np.arange(1, 10) / 0.8
    for row, x in zip(rows, places, strict=True):
        assert row.shape == pytest.approx(np.sin(b * x), abs=1e-14)


@pytest.mark.parametrize("missing", EACH)
def test_what_a_string_lacks_has_no_rows(missing):
    rows = contact_rows(MODES, replace(FULL, **{missing: None}))
    assert len(rows) == sum(EACH.values()) - EACH[missing]
    alone = replace(FULL, **{name: None for name in EACH if name != missing})
    assert len(contact_rows(MODES, alone)) == EACH[missing]


def test_nothing_touched_is_no_row():
    assert contact_rows(MODES, replace(FULL, **dict.fromkeys(EACH))) == []


def test_a_point_outside_the_string_is_refused():
    with pytest.raises(ParameterError, match="expected a point on the string"):
        contact_rows(MODES, replace(FULL, barrier=replace(FULL.barrier, start=0.79)))


def test_a_string_without_a_pickup_is_heard_by_its_end_force():
    y, velocity = output_weights(MODES, replace(FULL, pickup=None))
    assert np.array_equal(
        y, MODES.slope_force_end()) and not velocity.any() and velocity.shape == (9, )


def test_a_pickup_hears_the_velocity_above_it():
    y, velocity = output_weights(MODES, FULL)
    assert not y.any() and y.shape == (9,)
    assert velocity == pytest.approx(np.sin(np.pi * np.arange(1, 10) / 0.8 * 0.15), abs=1e-14)


def test_what_a_pickup_gives_is_the_velocity_of_its_point():
    spec = replace(FULL, bending_stiffness=0.0, sigma0=0.0, **dict.fromkeys(EACH))
    rate, steps = 48000.0, 200
    string = PlayedString(spec, hz=100.0, sample_rate=rate, floor=-80.0, name="v.e")
    string.play("pluck", 0, {"position": 0.2, "height": 1e-3})
    shape = string.modes.shape(0.15)
    heard, displacement = np.empty(steps), np.zeros(steps + 1)
    for n in range(steps):
        string.advance(heard[n:n + 1])
        displacement[n + 1] = (shape * string.sounding.kernel.displacement()).sum()
    # the scheme is y+ - y = dt (v + v+) / 2; a difference of two displacements of 1e-3 m over
    # 1/48000 s is rounded to 1e-14 m/s, and 100 modes are summed. The jump from rest to the
    # triangle, at step 0, is no motion
    slope = np.diff(displacement)[1:] * rate
    assert np.abs(0.5 * (heard[1:-1] + heard[2:]) - slope[:-1]).max() < 1e-12
    # d'Alembert: half of the corner of the triangle, h/a + h/b, runs past the pickup at c = 2 L f =
    # 160 m/s (0.31 ms) and comes back from the bridge (2.2 ms); between, the string falls at c/2
    # (h/a + h/b). Gibbs' ripple of 100 and more modes averages out
    falls = heard[round(0.6e-3 * rate):round(1.9e-3 * rate)].mean()
    assert string.modes.count > 100
    assert falls == pytest.approx(-80.0 * (1e-3 / 0.2 + 1e-3 / 0.6), rel=0.02)
