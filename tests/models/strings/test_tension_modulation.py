"""A tension that follows the amplitude, as researchers and scores have it: what it needs, what it
gives, how far a pitch falls."""
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from instruments import instrument, string
from models.strings.simulated_strings import bridge
from physics.strings import SITAR
from score_texts import warnings_of

import pysitar
from pysitar import ParameterError, String, StringSimulation
from pysitar.errors import PhysicalWarning, ScoreError
from pysitar.models.definitions.faults import InstrumentError
from pysitar.models.definitions.loader import parse_instrument, preset_text
from pysitar.physics.stretching import Stretch, with_rising_tension
from pysitar.rendering.binding.binder import bind
from pysitar.rendering.options import options

STRING = replace(SITAR, axial_stiffness=3e4)
WIRE = instrument(string(pitch=110, linear_density=9e-4, bending_stiffness=2e-5, sigma0=0.5,
                         tension_modulation=True,
                         pluck={"position": 0.25, "width": 4e-3, "ramp": 4e-3, "release": 2e-4}))


def simulation(**given):
    return StringSimulation(**{"string": STRING, "barriers": [bridge()], "sample_rate": 44100.0,
                               "tension_modulation": True} | given)


def test_what_it_needs():
    with pytest.raises(ParameterError, match=r"axial_stiffness.*above 0 N"):
        simulation(string=String(length=0.5, tension=50.0, linear_density=5.55e-4))
    for scheme in ("three-point", "modal-explicit", "fd-iterative", "fd-explicit"):
        with pytest.raises(ParameterError, match="keeps the tension constant; expected two-point"):
            simulation(scheme=scheme)
    with pytest.raises(ParameterError, match="tension_modulation"):
        simulation(tension_modulation=1)
    with pytest.raises(ParameterError, match="corrected"):
        simulation(corrected=True)
    with pytest.raises(ParameterError, match="axial_stiffness"):
        String(length=0.5, tension=50.0, linear_density=5.55e-4, axial_stiffness=-1.0)


def test_a_wire_has_its_material_s_axial_stiffness():
    wire = String.from_material(length=1.0, radius=2e-4, density=7850.0, youngs_modulus=2e11,
                                pitch=220.0)
    assert wire.axial_stiffness == pytest.approx(2e11 * math.pi * 4e-8, rel=1e-15)
    assert wire.bending_stiffness == pytest.approx(wire.axial_stiffness * 1e-8, rel=1e-15)


def test_forces_at_the_ends_and_the_rise_by_hand():
    """F_L = sum +-((T + EA e / L) b + EI b^3) y, e = sum L b^2 y^2 / 4 from the modes' own
    displacements; the rise is the step's mean."""
    sim = simulation(barriers=[])
    count = sim.modes.count
    sim.set_displacement(triangle=(0.35, 3e-3))
    run = sim.run(300, [("mode", i + 1)
                        for i in range(count)] + ["force_end", "force_start", "tension_rise"])
    y, b = run.outputs[:, :count], sim.modes.wave_numbers
    rise = 3e4 / 0.5 * 0.25 * 0.5 * (y * y) @ (b * b)
    start = np.sum(((50.0 + rise[:, None]) * b + 7.95e-5 * b**3) * y, axis=1)
    end = np.sum(((50.0 + rise[:, None]) * b + 7.95e-5 * b**3) * y * (-1.0)**np.arange(count),
                 axis=1)
    # the row that follows e misses a millionth of it
    assert run.outputs[:, count] == pytest.approx(end, abs=1e-5 * np.max(np.abs(end)))
    assert run.outputs[:, count + 1] == pytest.approx(start, abs=1e-5 * np.max(np.abs(start)))
    assert run.outputs[:-1, count + 2] == pytest.approx(0.5 * (rise[1:] + rise[:-1]),
                                                        abs=1e-5 * np.max(rise))
    assert np.max(rise) > 2.0
    plain = StringSimulation(string=STRING, sample_rate=44100.0)
    plain.set_displacement(triangle=(0.35, 3e-3))
    assert np.max(np.abs(plain.run(300).outputs[:, 0] - end)) > 0.1 * np.max(np.abs(end))


def test_on_its_bridge_the_balance_holds_and_contact_forces_are_the_bridge_s():
    sim = simulation()
    sim.set_displacement(equilibrium=True)
    rest = sim.run(10, ["contact_force", "tension_rise"])
    assert rest.outputs[:, 1] == pytest.approx(np.zeros(10),
                                               abs=1e-12) and np.all(rest.outputs[:, 0] > 0.1)
    sim.pluck(position=0.12, force=3.0, ramp=2e-3, release=2e-4)
    run = sim.run(4000,
                  ["contact_force", *(("contact_force", k) for k in range(10)), "tension_rise"])
    assert run.outputs[:, 0] == pytest.approx(np.sum(run.outputs[:, 1:11], axis=1), abs=1e-12)
    assert run.residual <= 1e-12 and run.contact_steps > 2000 and np.max(run.outputs[:, 11]) > 0.5
    with pytest.raises(ParameterError, match="point"):
        sim.run(1, [("contact_force", 10)])
    with pytest.raises(ParameterError, match="tension_rise"):
        StringSimulation(string=STRING, sample_rate=44100.0).run(1, ["tension_rise"])


@pytest.mark.parametrize("move", [
    lambda sim: sim.pluck(position=0.1, force=60.0, ramp=2e-3, release=2e-4),
    lambda sim: sim.drive(position=0.1, force=[0.0, 60.0, -10.0]),
    lambda sim: sim.set_displacement(triangle=(0.1, 0.02)),
    lambda sim: sim.set_displacement(lambda x: 0.015 * math.sin(2.0 * math.pi * x)),
])
def test_a_rise_that_the_steps_do_not_follow_is_a_warning(move):
    """As in scores; a greater rate, or the tension kept, needs none (any warning fails a test
    here)."""
    with pytest.warns(PhysicalWarning,
                      match=(r"^the string is drawn out so far that its tension rises by \d+ %: "
                             r"the steps of 44\.1 kHz cannot follow more than 110 %.*; expected "
                             r"less, or a sample_rate of at least \S+ Hz$")) as met:
        move(simulation())
    assert met[0].filename == __file__
    move(simulation(sample_rate=384e3))
    move(simulation(tension_modulation=False))


def cents_of_mode(outputs, rate, hz, start, width):
    """The pitch of a nearly harmonic mode from `start` (s) over `width`, cents over hz: the turn of
    its phase between two Hann windows."""
    def phase(at):
        n = round(0.5 * width * rate)
        t = np.arange(n) + round(at * rate)
        return np.angle(np.sum(outputs[t] * np.hanning(n) * np.exp(-2j * np.pi * hz * t / rate)))
    turn = (phase(start + 0.5 * width) - phase(start) + np.pi) % (2.0 * np.pi) - np.pi
    return 1200.0 * math.log2(1.0 + turn / (2.0 * np.pi * hz * 0.5 * width))


def test_the_first_partial_falls_with_the_energy():
    """Of a string let go from a triangle, T rises between 0 and the triangle's rise r, in the mean
    by r / 2 (half the energy is potential): 600 log2(1 + r / 2 T) c; a single mode, which feels its
    own rise in step, would be 1.5 times that."""
    string = String(length=0.65, tension=60.0, linear_density=9e-4, sigma0=3.0, sigma2=2e-3,
                    axial_stiffness=2e4)
    sim = StringSimulation(string=string, sample_rate=48000.0, tension_modulation=True, modes=30)
    height, x = 4e-3, 0.2
    sim.set_displacement(triangle=(x, height))
    rise = 2e4 * height**2 / (2.0 * x * (0.65 - x))          # EA times the two arms' strain
    mode = sim.run(96000, [("mode", 1)]).outputs[:, 0]
    hz = sim.frequencies[0]
    early, late = (cents_of_mode(mode, 48000.0, hz, start, 0.05) for start in (0.005, 1.9))
    mean = 600.0 * math.log2(1.0 + 0.5 * rise / 60.0)
    assert mean > 9.0 and 0.7 * mean < early < 1.5 * mean
    # energy falls as exp(-2 sigma0 t): after 1.9 s to 1e-5
    assert abs(late) < 0.05


def audio(text):
    return pysitar.render(pysitar.load_score(text=text), oversample=1).audio


def test_in_a_score():
    """A row of `set` turns it on, for strings of a preset; left alone, or off, nothing changes, bit
    for bit."""
    score = ("use guitar as g\n{}render tail=0.1s\n0s g.e2 pluck f=4N dur=0.1s\n"
             "0s g.b3 pluck f=4N dur=0.1s")
    plain, off = audio(score.format("")), audio(
        score.format("set g.*.tension_modulation = false\n"))
    on = audio(score.format("set g.*.tension_modulation = true\n"))
    assert np.array_equal(plain, off)
    assert 0.01 < np.max(np.abs(on - plain)) < 10.0
    result = pysitar.render(pysitar.load_score(text=score.format(
        "set g.*.tension_modulation = true\nset g.body.coupled = true\n")), oversample=1)
    assert result.report["residual"] <= 1e-11


def test_the_preset_s_wires():
    strings = {part.name: part for part in parse_instrument(preset_text("guitar"), name="guitar",
                                                            shown="g").strings}
    # 0.4064 mm of steel
    assert strings["e2"].wire_stiffness == pytest.approx(2.0e11 * math.pi * 0.4064e-3**2 / 4.0,
                                                         rel=1e-4)


def drawn_out(row, more="", oversample=2):
    score = pysitar.load_score(
        text=f"use guitar as g\nrender oversample={oversample}\n{more}0 g.e4 pluck {row} x=0.4")
    return [warning.message for warning in warnings_of(score) if "drawn out" in warning.message]


def test_a_pluck_that_draws_out_is_reported_only_where_the_tension_stays():
    assert "tension_modulation = true" in drawn_out("h=30mm")[0]
    assert not drawn_out("h=20mm", "set g.e4.tension_modulation = true\n")


def test_a_tension_that_rises_more_than_the_steps_follow_is_reported():
    """From a height the rise is EA h^2 / (2 x (L - x) T); up to the internal rate over 40 kHz it is
    followed, reported with what would be."""
    modulated = "set g.e4.tension_modulation = true\n"
    [reports] = drawn_out("h=60mm", modulated)
    rise = float(re.search(r"its tension rises by ([\d.]+) %", reports)[1]) / 100.0
    assert rise > 2.4 and "cannot follow more than 240 %" in reports
    needed = int(re.search(r"oversample=(\d+), or a softer pluck,", reports)[1])
    assert needed == math.ceil(40.0 * rise / 48.0)
    assert not drawn_out("h=60mm", modulated, needed) and drawn_out("h=60mm", modulated, needed - 1)


@pytest.mark.parametrize("rise", [1e-6, 0.3, 1.0, 7.0, 1e4])
def test_a_force_against_a_rising_tension(rise):
    """The force is that of the tension where the string holds: (1 + r) h = h0 (without it: h0), r =
    rise (h / h0)^2."""
    found = with_rising_tension(Stretch(0.02, rise))
    assert (1.0 + found.rise) * found.height == pytest.approx(0.02, rel=1e-10)
    assert found.rise == pytest.approx(rise * (found.height / 0.02)**2, rel=1e-12)


@pytest.mark.parametrize("scheme", ["three-point", "fd-explicit"])
def test_other_schemes_keep_the_tension(scheme):
    with pytest.raises(InstrumentError) as caught:
        parse_instrument(f'scheme = "{scheme}"\n' + WIRE, name="wire", shown="wire.toml")
    assert (f"the {scheme} scheme keeps the tension constant, and a has tension_modulation; "
            f"expected two-point, or " in str(caught.value))
    with pytest.raises(ScoreError, match="keeps the tension"):
        score = pysitar.load_score(text=f"use guitar as g scheme={scheme}\n"
                                   f"set g.e4.tension_modulation = true\n0 g.e4 pluck")
        bind(score, options(score))
