"""The static compliance that modes lack, as researchers and scores have it: rest, pitch, balance of
every verb, what it needs."""
import math
import re

import numpy as np
import pytest
from instruments import FRETTED, instrument, string
from models.strings.simulated_strings import bridge
from models.strings.test_tension_modulation import cents_of_mode
from physics.strings import IDEAL, SITAR
from score_texts import warnings_of

import pysitar
from pysitar import Barrier, ContactLaw, ParameterError, String, StringSimulation
from pysitar.analytic import string_compliance
from pysitar.errors import ScoreError
from pysitar.models.definitions.faults import InstrumentError
from pysitar.models.definitions.loader import parse_instrument
from pysitar.models.strings.instrument import StringInstrument
from pysitar.models.strings.modal_string import highest_at

FORCES = .400045737569274, .00583447766199156, .394211259907283    # N: all, far end, bridge end


def simulation(*, statics=True, **given):
    return StringSimulation(**{"string": SITAR, "barriers": [bridge()], "sample_rate": 44100.0,
                               "statics": statics} | given)


@pytest.mark.parametrize("rate", [16e3, 44.1e3, 176.4e3])
def test_rest(rate):
    """Exact at any rate; without it three times too large."""
    sim = simulation(sample_rate=rate)
    sim.set_displacement(equilibrium=True)
    run = sim.run(50, ["contact_force", "force_end", "force_start", ("displacement", 0.25),
                       ("mode", 1)])
    np.testing.assert_allclose(run.outputs[:, :3], np.tile(FORCES, (50, 1)), rtol=0.0, atol=5e-14)
    points = bridge().positions
    middle = sum(string_compliance(SITAR, 0.25, x) * f for x, f in zip(points.tolist(), [
        .0946865493232475, .0744746961543994, .0749393115201006, .0757439666000846,
        .0802012139714422, 0, 0, 0, 0, 0], strict=True))
    assert run.outputs[0, 3] == pytest.approx(middle, rel=1e-12)
    off = simulation(sample_rate=rate, statics=False)
    off.set_displacement(equilibrium=True)
    assert off.run(1, ["contact_force"]).outputs[0, 0] > 1.5 * FORCES[0]


@pytest.mark.parametrize("statics", [False, True])
def test_a_thousand_points(statics):
    """The most that a string may have is 1024: equilibrium, solver and balance hold."""
    points = Barrier(profile=lambda x: -x * (x - 0.03) / 4.0, start=0.0, end=0.03, points=1000,
                     law=ContactLaw(stiffness=1e9))
    sim = simulation(barriers=[points], statics=statics, modes=30)
    sim.set_displacement(equilibrium=True)
    sim.pluck(position=0.1, force=1.0, duration=1e-3)
    run = sim.run(30, ["contact_force"])
    assert run.residual < 1e-13 and run.contact_steps > 15
    # finer cells of the same bridge; ten points have 0.400 N
    assert (0.41 < run.outputs[0, 0] < 0.43) == statics


def test_run():
    """From a triangle: two codes' force, 11 digits; losses of its own name within the losses."""
    sim = simulation(max_frequency=20e3, theta=1.0)
    sim.set_displacement(triangle=(0.35, 3e-3))
    run = sim.run(201)
    assert run.outputs[200, 0] == pytest.approx(-.43195327149, abs=1e-10)
    assert run.residual < 1e-14
    assert 0.1 * run.energy[0] < run.static_losses < run.losses[-1]
    sim.set_displacement(triangle=(0.35, 3e-3))            # again: nothing of the first run is left
    again = sim.run(201)
    np.testing.assert_array_equal(again.outputs[:100], run.outputs[:100])
    off = simulation(statics=False)
    off.set_displacement(triangle=(0.35, 3e-3))
    assert off.run(100).static_losses == 0.0


def test_pitch_hardly_depends_on_rate_and_number_of_modes():
    """A steady partial on the bridge: cents at 16 and 48 kHz, and with half of the modes, between
    0.3 and 0.6 s. Without it 20 apart; their true spread is under 0.5."""
    def cents(rate, modes=None, **given):
        sim = simulation(sample_rate=rate, modes=modes, **given)
        sim.set_displacement(triangle=(0.35, 3e-3))
        sim.run(round(0.1 * rate))
        outputs = sim.run(round(0.6 * rate), [("mode", 1)]).outputs[:, 0]
        return cents_of_mode(outputs, rate, 309.0, 0.1, 0.4)

    found = [cents(16e3), cents(44.1e3), cents(44.1e3, 30)]
    assert max(found) - min(found) < 0.7
    assert abs(cents(44.1e3, 30, statics=False) - found[1]) > 5.0


def test_what_it_needs():
    reasons = {"three-point": "softer at rest", "modal-explicit": "before its motion",
               "fd-iterative": "nodes", "fd-explicit": "nodes"}
    for scheme, reason in reasons.items():
        with pytest.raises(ParameterError, match=rf"statics.*{reason}.*expected two-point, or Fal"):
            simulation(scheme=scheme, string=IDEAL)
    with pytest.raises(ParameterError, match=r"theta is 0\.5.*0\.55"):
        simulation(theta=0.5)
    with pytest.raises(ParameterError, match=r"theta.*expected statics=True"):
        simulation(statics=False, theta=0.75)
    with pytest.raises(ParameterError, match="corrected"):
        simulation(corrected=True)
    with pytest.raises(ParameterError, match="frequencies"):
        simulation(frequencies=[300.0, 601.0])
    with pytest.raises(ParameterError, match="statics"):
        simulation(statics=1)


def test_modes_softer_than_the_string_are_refused():
    """A mode with alpha > omega has k* < k, and R may be negative."""
    damped = String(length=0.5, tension=50.0, linear_density=5.55e-4, bending_stiffness=7.95e-5,
                    sigma0=1400.0)
    with pytest.raises(ParameterError, match=r"mode 1 decays at .* expected lower losses"):
        simulation(string=damped)
    simulation(string=damped, statics=False)


# ---- instruments

def on_bridge(**values):
    return string(pitch=150.0, linear_density=5.55e-4, bending_stiffness=7.95e-5, length=0.7,
                  sigma0=1.0, sigma3=1e-5, statics=True, barrier={
                      "profile": "parabola", "start": 0.0, "extent": 0.03, "height": 2e-5,
                      "points": 8, "stiffness": 1e9, "damping": 0.05}, **values)


PLAYED = instrument(on_bridge(
    thread={"position": 0.02, "height": 1e-5, "stiffness": 1e5, "resistance": 1.0},
    strike={"position": 0.1, "velocity": 1.0, "mass": 2e-3, "stiffness": 1e8, "exponent": 2.3,
            "damping": 1.0}))
BODY = ("[body]\nfrequencies = [180.0, 410.0]\nq = [20.0, 25.0]\nmasses = [0.1, 0.08]\n"
        "weights = [1.0, 0.5]\ncoupled = true\n")
VERBS = {
    "pluck": "0 x.a pluck f=2N\n.1 x.a pluck f=1N touch=0.5",
    "release": "0 x.a pluck height=1mm",
    "strike": "0 x.a strike\n.05 x.a strike mass=5g\n.1 x.a pluck",
    "bend": "0 x.a pluck\n.02 x.a bend (0:158Hz 0.1:170Hz)",
    "damp": "0 x.a pluck\n.1 x.a damp t60=.1",
    "glide": "0 x.a pluck 150Hz\n.15 x.a pluck 180Hz",
}


def render(text, rows, tmp_path, **options):
    (tmp_path / "x.toml").write_text(text)
    (tmp_path / "x.score").write_text(f'use "x.toml" as x\nrender tail=100ms\n{rows}\n')
    return pysitar.render(pysitar.load_score(tmp_path / "x.score"), jobs=1, **options)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("body", ["", BODY], ids=["alone", "coupled"])
def test_balance_of_every_verb(verb, body, tmp_path):
    """A render whose balance exceeds 1e-9 is refused; it is near rounding."""
    result = render(PLAYED.replace("[strings", f"{body}[strings", 1), VERBS[verb], tmp_path)
    assert result.report["residual"] < 1e-12
    assert result.report["failed_solves"] == 0
    assert np.abs(result.audio).max() > 0.0


def test_frets(tmp_path):
    text = FRETTED.replace("length = 0.864", "statics = true\nlength = 0.864").replace(
        "sigma0", "sigma0").replace("linear_density", "sigma0 = 1.0\nlinear_density")
    result = render(text, "0 x.e pluck f=5N\n.05 x.e press fret=3\n.1 x.e pluck f=5N", tmp_path)
    assert result.report["residual"] < 1e-12 and result.report["failed_solves"] == 0


def test_keys(tmp_path):
    spec, = parse_instrument(PLAYED, name="x", shown="x.toml").strings
    assert spec.statics and spec.theta == 0.75
    for scheme, reason in (("three-point", "softer at rest"), ("fd-explicit", "nodes")):
        plain = instrument(on_bridge(), scheme=scheme)
        with pytest.raises(InstrumentError, match=f"{reason}.*statics = false"):
            parse_instrument(plain, name="x", shown="x.toml")
    # statics = false alone turns them off
    off, = parse_instrument(instrument(string(theta=0.6)), name="x", shown="x.toml").strings
    assert not off.statics
    with pytest.raises(InstrumentError, match=r"theta.*0\.55"):
        parse_instrument(instrument(string(statics=True, theta=0.5)), name="x", shown="x.toml")
    with pytest.raises(ScoreError, match=re.escape("0.55")):
        render(PLAYED, "set x.*.theta = 0.5\n0 x.a pluck", tmp_path)


def test_a_low_rate_is_no_reason_for_a_warning(tmp_path):
    """A string with statics is in tune at 16 kHz."""
    for text, warned in ((PLAYED, False), (PLAYED.replace("statics = true", ""), True)):
        (tmp_path / "x.toml").write_text(text)
        (tmp_path / "x.score").write_text(
            'use "x.toml" as x\nrender rate=16000 oversample=1 tail=100ms\n0 x.a pluck\n')
        warnings = warnings_of(pysitar.load_score(tmp_path / "x.score"))
        assert any("strings on bridges" in warning.message for warning in warnings) is warned


def test_the_number_of_modes_needs_no_correction():
    """`truncation` is that of an error that statics do not have."""
    from pysitar.models.strings.modal_string import retuned_spec
    spec, = parse_instrument(PLAYED.replace("length", "truncation = 870.0\nlength", 1), name="x",
                             shown="x.toml").strings
    assert retuned_spec(spec, hz=150.0, highest=400.0, sample_rate=44100.0) is spec
    assert math.isfinite(spec.truncation)


# ---- modes do not depend on the score

def played(highest, notes, *, rate=44100.0, seconds=0.1, coupled=False):
    """Return the sound of plucks at notes (semitones) in a score up to `highest`, and the
    string."""
    text = PLAYED.replace("[strings", f"{BODY}[strings", 1) if coupled else PLAYED
    spec = parse_instrument(text, name="x", shown="x")
    instrument_played = StringInstrument(
        spec, pitches={"a": 150.0}, highest={"a": 150.0 * 2.0 ** (highest / 12.0)},
        sample_rate=rate, floor=-100.0, name="x")
    for n, semitones in enumerate(notes):
        instrument_played.play("a", "pluck", round((0.02 + n * seconds) * rate), {},
                               150.0 * 2.0 ** (semitones / 12.0))
    sound = np.empty(round(len(notes) * seconds * rate))
    instrument_played.parts[0].advance(sound)
    return sound, instrument_played.strings["a"]


@pytest.mark.parametrize("coupled", [False, True], ids=["alone", "coupled"])
def test_a_note_is_the_same_in_every_score(coupled):
    """Bit by bit, whatever the highest note of the score is."""
    low, string_of_low = played(5.0, [5.0], coupled=coupled)
    high, string_of_high = played(24.0, [5.0], coupled=coupled)
    np.testing.assert_array_equal(low, high)
    assert string_of_low.kernel.modes == string_of_high.kernel.modes
    assert np.abs(low).max() > 0.0


@pytest.mark.parametrize("coupled", [False, True], ids=["alone", "coupled"])
def test_modes_above_the_limit_are_left_out_meanwhile(coupled):
    """Two octaves up two thirds of the modes have no motion; they come back, and the balance
    holds all the time."""
    sound, one = played(24.0, [0.0, 24.0, 0.0], coupled=coupled, seconds=0.08)
    assert np.isfinite(sound).all()
    assert (one.kernel.displacement()[:one.modes.count] != 0.0).all()
    assert residual_of(one) < 1e-12
    _, one = played(24.0, [0.0, 24.0], coupled=coupled, seconds=0.08)
    still = one.kernel.displacement()[:one.modes.count] == 0.0
    highest = one.modes.angular_frequencies_at(
        one.spec.string(600.0, open_hz=150.0).tension)[~still].max() / (2.0 * math.pi)
    assert 0.6 * one.modes.count < still.sum() < 0.75 * one.modes.count
    assert highest < highest_at(44100.0, on_bridge=True)


def residual_of(one):
    """Return the residual of the energy balance of a string, or of those coupled to it."""
    sounding = one.sounding
    return (sounding if hasattr(sounding, "residual") else sounding._whole).residual


def test_forces_of_soft_contacts_are_those_of_the_law():
    """Without statics as well: exponent 4, where a displacement's rounding was 1e-4 of the peak."""
    text = instrument(on_bridge()).replace(
        "stiffness = 1000000000.0", "stiffness = 1e9\nexponent = 4.0").replace(
        "damping = 0.05", "damping = 0.0").replace("statics = true", "statics = false")
    spec = parse_instrument(text, name="x", shown="x")
    law = spec.strings[0].barrier
    assert law.exponent == 4.0 and law.damping == 0.0
    whole = StringInstrument(spec, pitches={"a": 150.0}, sample_rate=44100.0, floor=-100.0,
                             name="x")
    whole.play("a", "pluck", 100, {})
    whole.parts[0].advance(np.empty(1500))
    kernel, points = whole.strings["a"].kernel, law.points
    worst = peak = 0.0
    for _ in range(400):
        a = np.maximum(kernel.compression()[:points], 0.0)
        whole.parts[0].advance(np.empty(1))
        b = np.maximum(kernel.compression()[:points], 0.0)
        mean = law.barrier().row_stiffness / 5.0 * (
            a**4 + a**3 * b + a**2 * b**2 + a * b**3 + b**4)
        both = (a > 0.0) & (b > 0.0)
        force = kernel.force()[:points]
        peak = max(peak, force.max())
        worst = max(worst, np.abs(force - mean)[both].max(initial=0.0))
    assert peak > 0.0 and worst < 1e-9 * peak


def test_a_damped_note_far_above_the_open_string_falls_silent():
    """Its equilibrium has no energy in the modes that are left out."""
    score = pysitar.load_score(text="use sitar as s\nrender rate=24000 oversample=1\n"
                                    "0 s.baj pluck +12st\n0.1 s.baj damp t60=100ms\n")
    assert pysitar.render(score, jobs=1).audio.shape[0] < 3 * 24000


def test_a_tension_that_follows_the_elongation_past_the_limit_of_modes():
    """A glide takes modes past the highest frequency while they hold energy of the elongation."""
    score = pysitar.load_score(text=(
        "use tanpura as t\nset t.sa1.tension_modulation = true\nrender tail=0.1s oversample=1\n"
        "0s t.sa1 pluck\n0.1s t.sa1 fret +12st\n"))
    # it was 9e-8, and the render an error
    assert pysitar.render(score).report["residual"] < 1e-11


def test_contacts_whose_compliance_is_rounding_are_refused():
    # the string's is 0.09 m/N there
    string = String(length=1.0, tension=1.0, linear_density=5.55e-4)

    def simulate(stiffness):
        barrier = Barrier.at(positions=[0.1], heights=[5e-6], weights=[1.0],
                             law=ContactLaw(stiffness=stiffness))
        return StringSimulation(string=string, barriers=[barrier], sample_rate=44100, modes=20,
                                statics=True)

    with pytest.raises(ParameterError, match=r"9e\+13 times as stiff .* at most 1.1e\+14 N/m"):
        simulate(1e15)
    assert simulate(1e14).run(3).residual < 1e-9
