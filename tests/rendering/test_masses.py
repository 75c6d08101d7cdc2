"""Masses in a score: the sound of a throw, its exact momentum and duration, sleep and wake, and
errors."""
import math

import numpy as np
import pytest
from instruments import mass, masses, table
from score_texts import write_score

import pysitar
from pysitar.errors import ScoreError
from pysitar.models.definitions.registry import MODELS
from pysitar.rendering.engine import open_engine

RATE = 50000
THROW = {"velocity": 1.0, "gap": 1e-4}


def free(name="a", *, throw=THROW, scheme=None, **values):
    """A free mass."""
    return masses(mass(name, **{"mass": 1.0, "stiffness": 1e9} | values, throw=throw),
                  **{"scheme": scheme} if scheme else {})


def two(**values):
    """A free mass, and another with values."""
    return free() + mass("b", mass=2.0, stiffness=2e11, exponent=1.5, throw={"velocity": 0.5},
                         **values)


def on_spring(stiffness=7e7, frequency=10.0):
    """A mass on a spring."""
    return masses(mass(mass=0.01, stiffness=stiffness, exponent=1.1, frequency=frequency,
                       barrier=0.2, throw={"velocity": 1.0, "gap": 0.7}),
                  gain=1e-3, scheme="iterative")


@pytest.fixture
def score(tmp_path):
    """Rows and an instrument's text -> score."""
    def read(rows, text=None, options="tail=0", override="", rate=RATE):
        (tmp_path / "m.toml").write_text(text or free())
        return write_score(tmp_path, f'use "m.toml" as m {override}\nrender rate={rate} '
                           f'oversample=1 channels=1 {options}\n{rows}\n')
    return read


def reported(score):
    with pytest.raises(ScoreError) as caught:
        pysitar.render(score)
    return str(caught.value)


# ---- momentum and duration

@pytest.mark.parametrize("scheme", MODELS["lumped"])
def test_the_force_of_a_contact_is_twice_the_momentum(score, scheme):
    found = pysitar.render(score("0 m.a throw dur=2ms", override=f"scheme={scheme}"), traces=True)
    force, velocity = found.traces["m.a.contact_force"], found.traces["m.a.velocity"]
    # the sum telescopes to m (v_first - v_last); a hundred roundings of at most 3e4 N / 50 kHz
    assert force.sum() / RATE == pytest.approx(velocity[0] - velocity[-1], abs=1e-14)
    assert force.sum() / RATE == pytest.approx(2.0, abs=1e-12) and force.max() > 2e4
    # free flight is without force, before and after
    assert np.count_nonzero(force) < 12
    assert found.report["residual"] < 1e-13 and found.report["voices"]["m"]["contacts"] == 1
    assert found.report["voices"]["m"]["contact_steps"] == np.count_nonzero(
        found.traces["m.a.position"] > 0.0)


def test_the_work_of_the_throws_is_the_energy(score):
    found = pysitar.render(score("0 m.a throw dur=9ms\n0.005s m.a throw v=3"), traces=True)
    kinetic, potential, contact, losses, work, throughput = found.traces["m.a.energy"].T
    # the velocity is an increment over a time step: a few roundings
    assert work[0] == pytest.approx(0.5, rel=1e-15) and work[-1] == pytest.approx(4.5, rel=1e-15)
    assert throughput[-1] == work[-1] and not losses.any() and not potential.any()
    assert np.allclose(kinetic + contact, work, rtol=1e-14,
                       atol=0.0) and kinetic[0] == pytest.approx(0.5, rel=1e-15)


# G3 of a mass of 1 kg, kc 1e9, at 50 kHz from 0.1 mm before the barrier at 1 m/s: what the outgoing
# flight's line is late by
@pytest.mark.parametrize("scheme, corrected, duration", [("two-point", False, 102.520940572),
                                                         ("two-point", True, 99.365739136),
                                                         ("three-point", False, 107.233034726),
                                                         ("three-point", True, 99.368892444)])
def test_a_contact_lasts_as_long_as_the_scheme_makes_it(score, scheme, corrected, duration):
    text = free(corrected=corrected)
    traces = pysitar.render(score("0 m.a throw dur=2ms", text, override=f"scheme={scheme}"),
                            traces=True).traces
    position, velocity = traces["m.a.position"], traces["m.a.velocity"]
    assert 1e6 * (50 / RATE - position[50] / velocity[50] - 1e-4) == pytest.approx(
        duration, abs=1e-6)


def test_an_oscillator_strikes_again_and_again(score):
    found = pysitar.render(score("0 m.a throw dur=1s", on_spring(), rate=44100), traces=True)
    position, force, velocity = (found.traces[f"m.a.{name}"]
                                 for name in ("position", "contact_force", "velocity"))
    # G9
    assert position[0] == pytest.approx(-0.5,
                                        abs=1e-15) and np.flatnonzero(position > 0.2)[0] == 1369
    assert position[1369:1372] == pytest.approx([0.2000971579, 0.2005335682, 0.2004937240],
                                                abs=1e-9)
    assert found.report["voices"]["m"]["contacts"] == 16
    spring = 0.01 * (2.0 * math.pi * 10.0)**2 * position[:-1]
    # 44100 sums of 0.01 kg 30 m/s 44.1 kHz, each to 1e-16
    assert (force[:-1] + spring).sum() / 44100 == pytest.approx(
        0.01 * (velocity[0] - velocity[-1]), abs=1e-11)
    assert found.report["residual"] < 1e-12 and found.report["seconds"] == 1.0


def test_the_sound_is_the_force_times_the_gain(score):
    found = pysitar.render(score("0 m.* throw dur=3ms", two(corrected=True)), traces=True)
    force = found.traces["m.a.contact_force"] + found.traces["m.b.contact_force"]
    assert np.abs(np.asarray(found.audio)[:, 0] - 1e-5 * force).max() < 1e-15 and np.abs(
        found.audio).max() > 0.1


# ---- any block, sleep and wake

@pytest.mark.parametrize("scheme", MODELS["lumped"])
def test_any_block_gives_the_same_bits(score, scheme):
    rows = ("0 m.a throw dur=0\n0.0041s m.* throw v=2 dur=0\n0.0042s m.a throw gap=1mm dur=0\n"
            "0.3s m.b throw dur=0")
    text = two() if scheme == "explicit" else two(corrected=True)

    def parts(block):
        engine = open_engine(score(rows, text, "tail=auto", f"scheme={scheme}"))
        return np.concatenate(list(engine.blocks(block))), engine.report()

    (whole, report), (small, other) = parts(1 << 20), parts(7)
    assert np.array_equal(whole, small) and report == other and not report["tail_cut"]


def test_it_sleeps_when_it_flies_away_and_wakes_at_a_throw(score):
    rows = "0 m.a throw dur=1ms\n9s m.a throw dur=1ms"
    engine = open_engine(score(rows, options="tail=auto fade=0"))
    voice = engine._voices[0]
    blocks, asleep = [], []
    mass = voice._source._instrument.masses["a"]
    for block in engine.blocks(500):
        blocks.append(block)
        asleep.append(mass._kernel is None)
    sound = np.concatenate(blocks)[:, 0]
    assert asleep[0] and all(asleep[:900]) and sum(not now for now in asleep) <= 1
    assert np.array_equal(sound[:50], sound[9 * RATE:9 * RATE + 50])
    assert sound[:50].any()
    assert not sound[50:9 * RATE].any()
    assert not engine.tail_cut and sound.size < 9.1 * RATE
    assert mass.statistics["contacts"] == 2


@pytest.mark.parametrize("scheme", MODELS["lumped"])
def test_it_does_not_fall_asleep_in_contact(score, scheme):
    """Contacts of 5 or 6 steps that begin at each of the 64 steps between two looks: none loses a
    part of its force."""
    rows = "\n".join(f"{(257 * k + 1) / RATE:.9f}s m.a throw dur=0" for k in range(64))
    force = pysitar.render(score(rows, options="tail=10ms", override=f"scheme={scheme}"),
                           traces=True).traces["m.a.contact_force"]
    assert [force[257 * k:257 * (k + 1)].sum() / RATE
            for k in range(64)] == pytest.approx([2.0] * 64, abs=1e-12)


def test_a_mass_that_flies_away_goes_on_in_the_traces(score):
    traces = pysitar.render(score("0.01 m.a throw dur=20ms"), traces=True).traces
    position, velocity = traces["m.a.position"], traces["m.a.velocity"]
    assert (position[:500] == -1e-4).all() and not velocity[:500].any()
    assert np.allclose(np.diff(position[520:]), velocity[-1] / RATE, rtol=1e-9,
                       atol=0.0) and velocity[-1] == pytest.approx(-1.0, rel=1e-13)
    assert all(traces[f"m.a.{name}"].size == 1500
               for name in ("position", "velocity", "contact_force"))


def test_a_spring_never_sleeps(score):
    text = on_spring(stiffness=5e4)
    engine = open_engine(score("0 m.a throw dur=0", text, "tail=auto", rate=8000))
    for _ in engine.blocks(8000):
        pass
    assert engine.tail_cut and engine.report()["seconds"] == 60.0


# ---- what is refused

@pytest.mark.parametrize("row, words", [
    ("0 m.a pluck", "this version plays throw on masses; expected pluck on strings"),
    ("0 m.a strike", "this version plays throw on masses; expected strike on"),
    ("0 m throw", "throw plays a mass; expected m.a, or m.* for all"),
    ("0 m.c throw", "m has no mass c"),
    ("0 m.a throw v=-1", "at least 0"),
    ("0 m.a throw gap=-1mm", "at least 0"),
    ("0 m.a throw v=1kg", "velocity"),
    ("0 m.a throw f=2", "throw has no"),
])
def test_unsupported_verbs_of_a_mass_are_reported(score, row, words):
    message = reported(score(row))
    assert words in message and "x.score:3:" in message


def test_a_string_is_not_thrown():
    with pytest.raises(ScoreError, match="plays pluck, fret, bend, press, damp, strike and bow "
                       "on strings; expected throw on masses"):
        pysitar.render(pysitar.load_score(text="use sitar as s\n0 s.baj throw\n"))


@pytest.mark.parametrize("text, words", [
    (masses(mass(stiffness=1e9, throw=THROW)), "masses.a.mass: is missing; expected a number (kg)"),
    (free(mass=0.0), "masses.a.mass: mass is 0.0"),
    (free(pitch=100.0), "masses.a.pitch: is not known"),
    (free(throw=THROW | {"gap": -1.0}), "masses.a.throw.gap: gap is -1.0"),
    (masses(table("masses.a", mass=1.0, stiffness=1e9)),
     "masses.a.throw: is missing; expected a table [masses.a.throw]"),
    (masses(), "has no masses; expected a table [masses.NAME]"),
    (free().replace("masses.a", "strings.a"), "strings: is not known"),
    (free("gain"), "expected a mass's name of letters"),
    (free(frequency=5.0), "masses.a.frequency: frequency is 5 Hz, and the two-point scheme"),
    (free(variant="sign"), "masses.a.variant: variant is sign, and the two-point scheme has none"),
    (free(variant="best"), "variant is best; expected one of paper, sign, release, midpoint"),
    (free(corrected=True, scheme="explicit"), "only midpoint can be"),
    (free(scheme="fd-explicit"), "no scheme fd-explicit"),
])
def test_a_wrong_file_is_reported(score, text, words):
    assert words in reported(score("0 m.a throw", text))


def test_a_spring_too_stiff_for_the_rate_is_reported(score):
    assert "mass a: frequency" in reported(
        score("0 m.a throw", on_spring(frequency=3000.0), rate=8000))


def test_a_score_sets_a_mass(score):
    rows = "set m.a.stiffness = 4e9\nset *.*.throw.velocity = 2m/s\n0 m.a throw dur=2ms"
    traces = pysitar.render(score(rows), traces=True).traces
    assert traces["m.a.velocity"][0] == pytest.approx(2.0, rel=1e-15)
    assert "stifness" in reported(score("set m.a.stifness = 1\n0 m.a throw"))
