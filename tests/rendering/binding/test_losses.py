"""Losses so large that a string has no pitch, or modes that do not oscillate: refused at their
place, with the value that would do."""
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from score_texts import check_text

import pysitar
from pysitar.models.network.schemes.three_point import modal_decay, three_point_network
from pysitar.models.strings.glides import Glides
from pysitar.physics.modes import string_modes
from pysitar.physics.string import String

G3 = 195.998          # Hz


def problems(*lines):
    return check_text("\n".join(["use guitar as g", *lines]))


@pytest.mark.parametrize(
    ("key", "value", "unit"), [("sigma0", 1600.0, "1/s"), ("sigma1", 1e5, "m/s"),
                               ("sigma2", 1.0, "m^2/s"), ("sigma3", 1e4, "m^3/s")])
def test_the_value_that_would_do_does(key, value, unit):
    [(line, col, message)] = problems(f"set g.g3.{key} = {value:g}", "0 g.g3 pluck")
    assert (line,
            col) == (2, len(f"set g.g3.{key} = ") + 1) and message.startswith(f"{key} is {value}; ")
    most = float(re.search(rf"expected at most (\S+) {re.escape(unit)}$", message)[1])
    assert not problems(f"set g.g3.{key} = {most!r}", "0 g.g3 pluck") and problems(
        f"set g.g3.{key} = {1.05 * most!r}", "0 g.g3 pluck")


def test_it_stands_at_the_value_and_not_at_a_later_one():
    lines = ("set g.g3.sigma0 = 1600", "set g.g3.length = 0.65", "0 g.g3 pluck")
    [(line, _, message)] = problems(*lines)
    assert line == 2 and "2 pi f = 1231.49 1/s has no pitch" in message


def test_a_note_too_low_for_the_losses_is_refused_at_its_row():
    [(line, col, message)] = problems("set g.g3.sigma0 = 1100", "0 g.g3 pluck",
                                      "0.5 g.g3 fret -5st", "1 g.g3 fret +0st")
    assert (line, col) == (4, 15)
    assert message.startswith(
        "the pitch -5st is 146.832 Hz on g.g3; at 146.832 Hz the first partial would decay at 1100")
    assert message.endswith("; expected lower losses, or a higher pitch")


@pytest.mark.parametrize("sigma0", [0.5, 5.0, 60.0, 900.0])
@pytest.mark.parametrize("semitones", [-12.0, -3.0, 5.0])
def test_a_glide_of_a_lossy_string_comes_to_its_pitch(sigma0, semitones):
    """omega^2 = b^2 T / rho A - sigma^2 for the damped partial, whatever the losses."""
    string = String(length=0.65, tension=1.0, linear_density=1.1e-3, bending_stiffness=1e-5,
                    sigma0=sigma0).with_pitch(400.0)
    glides = Glides(string, equilibrium=(0.0, 0.0), equilibrium_at=lambda tension: (0.0, 0.0))
    glides.add(semitones, step=64, steps=0, now=0)
    tension = string.tension + float(glides.motion(128, 1).tensions[0])
    b = math.pi / 0.65
    omega = math.sqrt(b * b * (tension + 1e-5 * b * b) / 1.1e-3 - sigma0 * sigma0)
    cents = 1200.0 * math.log2(omega / (2.0 * math.pi * 400.0)) - 100.0 * semitones
    assert abs(cents) < (1e-9 if sigma0 > 10.0 else 0.05)


@pytest.mark.parametrize("rows", [
    "0 g.g3 pluck\n0.02s g.g3 fret -5st dur=0.05s",
    "0 g.g3 pluck\n0.02s g.g3 bend (0:0st 0.02s:-5st 0.04s:7st) dur=0.05s",
    "set g.g3.tension_modulation = true\n0 g.g3 pluck -2st\n0.02s g.g3 damp t60=1ms dur=0.05s"
])
@pytest.mark.parametrize("losses", ["sigma0 = 700", "sigma1 = 140", "sigma2 = 0.09"])
def test_what_is_not_refused_is_rendered(rows, losses):
    report = pysitar.render(pysitar.load_score(text=f"use guitar as g\nset g.g3.{losses}\n"
                                               f"render tail=0\n{rows}"), rate=22050).report
    assert report["residual"] < 1e-9 and report["failed_solves"] == 0 and 0.0 < report["peak"] < 2.0


def test_a_finger_leaves_every_mode_oscillating():
    """It adds its decay rate to modes of which the last hardly oscillates as it is."""
    wire = String(length=0.65, tension=70.0, linear_density=1.1e-3)
    b, omega = wire.wave_number(12), wire.angular_frequency(12)
    modes = string_modes(replace(wire, sigma2=0.999 * omega / (b * b)), count=12)
    kernel = three_point_network(modes, [], 48e3)
    modal_decay(kernel, modes)(0.5 * modes.angular_frequencies[0])
    kernel.advance(100, np.empty((100, 0)))
    assert np.isfinite(kernel.displacement()).all()


@pytest.mark.parametrize("sigma2", [0.01, 0.5, 1.4])
def test_the_explicit_scheme_keeps_the_modes_that_it_follows(sigma2):
    """Their undamped frequencies count: losses lower the others, but not these."""
    text = ("use guitar as g\nrender rate=8000 oversample=1 tail=0\nset g.scheme = modal-explicit\n"
            f"set g.polarisation = 1\nset g.body.coupled = false\nset g.g3.sigma2 = {sigma2}\n"
            "0 g.g3 pluck\n"
            "0.02s g.g3 damp t60=1ms dur=0.05s")
    found = pysitar.render(pysitar.load_score(text=text))
    assert np.isfinite(
        found.audio).all() and found.report["residual"] < 1e-9 and found.report["peak"] < 2.0
