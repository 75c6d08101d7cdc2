"""Strings of instruments that move in two directions: limits, symmetry, balance, statics."""
import math
from dataclasses import replace

import numpy as np
import pytest

import pysitar
from pysitar.models.definitions.loader import parse_instrument, preset_text
from pysitar.models.network.friction import MoreModes, rubbing_rows, side_row
from pysitar.models.network.network import barrier_rows, network
from pysitar.models.network.schemes.statics import set_statics
from pysitar.models.strings.played import PlayedString
from pysitar.physics.bow import BridgeFriction
from pysitar.physics.modes import string_modes

RATE = 48000.0


def jora(**changes):
    """The string sa1 of the tanpura in two directions; changes, of its table and inner tables."""
    tanpura = parse_instrument(preset_text("tanpura"), name="t", shown="t",
                               changes=[(("polarisation",), 2)])
    spec = next(string for string in tanpura.strings if string.name == "sa1")
    assert spec.polarisation == 2 and spec.statics and spec.barrier.friction == 0.2
    bridge = {name: changes.pop(name) for name in ("tilt", "friction") if name in changes}
    return replace(spec, barrier=replace(spec.barrier, **bridge), **changes)


def sound(spec, steps=600, **pluck):
    """The force on the bridge and contact forces of a plucked string, step by step."""
    string = PlayedString(spec, hz=138.59, sample_rate=RATE, floor=-90.0, name="s", traced=True)
    string.play("pluck", 0, {"lead": 0.0, "ramp": 0.002, "release": 0.0005, "touch": 0.0, **pluck})
    out = np.empty(steps)
    string.advance(out)
    return out, string


@pytest.mark.parametrize("statics", [True, False])
@pytest.mark.parametrize("pluck", [{"touch": 0.5}, {"height": 1e-3}])
def test_one_direction_of_two_is_the_string_alone(pluck, statics):
    # without tilt, spring at the nut, friction and detuning; 1e-9: contact forces are solved to
    # 1e-11 by another method, and 600 steps of contact amplify that
    two = jora(statics=statics, tilt=0.0, friction=0.0, detuning=0.0, nut_coupling=0.0)
    out, _ = sound(two, angle=90.0, **pluck)
    alone, _ = sound(replace(two, polarisation=1), **pluck)
    assert np.abs(alone).max() > 0.05
    assert out == pytest.approx(alone, abs=1e-9 * np.abs(alone).max())


def test_pluck_along_the_bridge_does_not_touch_it():
    # the string lies on its thread, 6 um over the crown of the bridge: with a tilt of 0 the second
    # direction is alone, whatever its amplitude
    out, string = sound(jora(tilt=0.0, nut_coupling=0.0), steps=3000, angle=0.0)
    # the thread's force at rest, 0.3 N, is computed from a displacement that is rounded
    assert np.abs(out).max() < 1e-14
    assert not string.traces()["contact_force"].any() and string.kernel.friction_heat == 0.0
    side = string.kernel.displacement()[string.modes.count:]
    assert np.abs(side).max() > 1e-6


def test_mirrored_pluck():
    # f at 60 degrees and -f at -60 degrees are mirror images along the bridge: the force on it is
    # the same, bit for bit
    spec = jora(tilt=0.0, nut_coupling=0.0)
    out, string = sound(spec, steps=2000, angle=60.0, force=0.8)
    mirrored, other = sound(spec, steps=2000, angle=-60.0, force=-0.8)
    assert np.array_equal(out, mirrored) and string.kernel.friction_heat > 0.0
    count = string.modes.count
    assert np.array_equal(string.kernel.displacement()[count:2 * count],
                          -other.kernel.displacement()[count:2 * count])


@pytest.mark.parametrize("statics", [True, False])
def test_directions_are_alike_without_a_bridge(statics):
    # a string on its thread alone: across and along differ in nothing but the thread's height
    spec = jora(statics=statics, tilt=0.0, detuning=0.0, nut_coupling=0.0)
    spec = replace(spec, barrier=None, thread=replace(spec.thread, height=0.0))
    count = sound(spec, steps=1)[1].modes.count
    moved = [sound(spec, steps=500, angle=angle)[1].kernel.displacement() for angle in (90.0, 0.0)]
    assert np.abs(moved[0]).max() > 1e-5
    # rounding of 500 steps
    assert moved[1][count:] == pytest.approx(moved[0][:count], abs=1e-12 * np.abs(moved[0]).max())


@pytest.mark.parametrize("changes", [{}, {"friction": 0.0}, {"tension_modulation": True},
                                     {"nut_coupling": 3e3, "tilt": 10.0}])
def test_axes_of_like_directions_may_have_any_angle(changes):
    # without detuning all axes across the string are alike; 1e-9: other rounding, and 600 steps of
    # contact amplify it
    spec = jora(statics=False, detuning=0.0, **{"tilt": 2.0, "nut_coupling": 0.0} | changes)
    out, _ = sound(spec, angle=60.0, touch=0.5)
    turned, string = sound(replace(spec, axis_angle=30.0), angle=60.0, touch=0.5)
    assert np.abs(out).max() > 0.05 and string.sounding.residual < 1e-12
    assert turned == pytest.approx(out, abs=1e-9 * np.abs(out).max())


def test_axes_move_as_strings_of_their_own():
    # nothing couples them: a pluck across the bridge moves one by cos a and the other by -sin a
    spec = jora(statics=False, nut_coupling=0.0, detuning=0.01, axis_angle=30.0)
    spec = replace(spec, barrier=None, thread=None, bending_stiffness=0.0, sigma0=0.0, sigma1=0.0,
                   sigma3=0.0, cents=0.0, corrections=(0.0,), truncation=0.0)

    def moved(one, hz):
        string = PlayedString(one, hz=hz, sample_rate=RATE, floor=-90.0, name="s")
        string.play("pluck", 0, {"lead": 0.0, "ramp": 0.002, "release": 0.0005, "touch": 0.0,
                                 "angle": 90.0})
        string.advance(np.empty(2000))
        return string.kernel.displacement()

    both = moved(spec, 138.59)
    count = both.size // 2
    first, second = (moved(replace(spec, polarisation=1), hz)[:count]
                     for hz in (138.59, 0.99 * 138.59))
    most = np.abs(first).max()
    # 2000 steps, each rounded to 1e-16; the detuning alone moves the modes by most of themselves
    assert both[:count] == pytest.approx(math.cos(math.pi / 6.0) * first, abs=1e-11 * most)
    assert both[count:] == pytest.approx(-0.5 * second, abs=1e-11 * most)
    assert np.abs(first - second).max() > 0.1 * most


@pytest.mark.parametrize("changes", [{}, {"statics": False}, {"tilt": 10.0, "friction": 0.5},
                                     {"tension_modulation": True}])
def test_balance(changes):
    _, string = sound(jora(nut_coupling=3e3, **changes), steps=4096, angle=50.0, touch=0.5)
    network = string.sounding
    # 64 readings of a sum of some hundred terms, 1e-16 each, of an energy that decays
    assert network.residual < 1e-11
    assert string.kernel.friction_heat > 0.0 and string.kernel.statistics["failures"] == 0


def test_touch_and_finger_damp_both_directions():
    spec = jora(tilt=0.0, nut_coupling=0.0)
    _, string = sound(spec, steps=4800, angle=0.0)
    before = string.kernel.energy()[:3].sum()
    string.play("damp", 4800, {"t60": 0.05})
    string.advance(np.empty(9600))
    # 60 dB in 0.05 s, and 0.2 s of it: what is left is the equilibrium
    rest = sound(spec, steps=1, force=1e-9)[1].kernel.energy()[:3].sum()
    assert string.kernel.energy()[:3].sum() - rest < 1e-3 * (before - rest)


def test_residual_compliance_in_two_directions():
    # V diag(1/k*) V^T + R is the compliance of the string itself: a a' G + b b' G / (1 - d)^2
    string = pysitar.String(length=1.0, tension=47.6, linear_density=6.3e-4, bending_stiffness=1e-4,
                            sigma0=0.35)
    bridge = pysitar.Barrier(profile=lambda x: 0.0, start=0.0, end=0.03, points=4,
                             law=pysitar.ContactLaw(stiffness=1e9))
    modes = string_modes(string, count=30)
    detuning, tilt = 0.01, math.radians(5.0)
    more = MoreModes(modes, RATE, detuning=detuning)
    contacts = barrier_rows(modes, bridge)
    normal, rubbing = rubbing_rows(more, contacts, BridgeFriction(tilt=tilt), RATE)
    rows = [*normal, *rubbing, side_row(more, contacts[0])]
    kernel = network(rows=rows, sample_rate=RATE, **more.arrays)
    set_statics(kernel, modes, rows, 0.75, detuning=detuning)
    # the same rows of a string with many modes, whose residual compliance is small
    many = string_modes(string, count=4000)
    b = many.wave_numbers
    stiffness = 0.5 * string.length * (string.tension + string.bending_stiffness * b * b) * b * b
    shapes = np.array([many.shape(row.position) for row in rows])
    exact = (shapes / stiffness) @ shapes.T
    a, side = (np.array([getattr(row, name) for row in rows]) for name in ("weight", "side_weight"))
    exact *= np.outer(a, a) + np.outer(side, side) / (1.0 - detuning) ** 2
    own, coefficients = np.array([row.shape for row in rows]), kernel.coefficients
    dynamic = 4.0 * more.masses * coefficients[0] * RATE * RATE
    r = kernel.residual_compliance
    # what 4000 modes lack at the same place: sum of L^3 / (EI (n pi)^4) for n > 4000, 5.4e-10 m/N,
    # 9e-6 of the greatest; the detuning is 2e-2 of it
    assert r + (own / dynamic) @ own.T == pytest.approx(exact, abs=1e-5 * np.abs(exact).max())
    assert np.linalg.eigvalsh(r).min() > -1e-14 * np.abs(r).max()


def test_wrong_values():
    text = preset_text("tanpura")
    for change, message in (
            ((("polarisation",), 3), "polarisation is 3; expected a whole number from 0 to 2"),
            ((("sa1", "polarisation"), 0), "polarisation is 0; expected a whole number from 1 to"),
            ((("sa1", "barrier", "tilt"), 40.0), "tilt is 40.0; expected a finite number"),
            ((("sa1", "detuning"), -0.1), "detuning is -0.1; expected")):
        with pytest.raises(pysitar.PysitarError, match=message):
            parse_instrument(text, name="t", shown="t", changes=[change])
    with pytest.raises(pysitar.PysitarError, match="moves strings in one direction"):
        parse_instrument(text.replace("statics = true", ""), name="t", shown="t",
                         changes=[(("scheme",), "three-point"), (("polarisation",), 2),
                                  (("*", "thread", "stiffness"), 0.0)])
    with pytest.raises(pysitar.PysitarError, match="axis_angle is 5 deg, and statics is true"):
        parse_instrument(text, name="t", shown="t",
                         changes=[(("polarisation",), 2), (("sa1", "axis_angle"), 5.0)])
    with pytest.raises(pysitar.PysitarError, match="masses move a string in one direction"):
        parse_instrument(preset_text("santoor"), name="t", shown="t",
                         changes=[(("polarisation",), 2)])
    with pytest.raises(pysitar.PysitarError, match="do not move in a plane"):
        parse_instrument(preset_text("marimba"), name="t", shown="t",
                         changes=[(("polarisation",), 2)])
