"""`pysitar.wall_impact`: bouncing against an event-driven reference, rest, hostile parameters, and
what it refuses."""
import dataclasses
import math

import numpy as np
import pytest

import pysitar
from pysitar import analytic
from pysitar.models.masses import wall_impact as module
from pysitar.models.masses.wall_impact import wall_impact

EPS = float(np.finfo(float).eps)
RATE = 44100
G = 9.81
FIGURE_8 = {"mass": 1e-2, "stiffness": 1e7, "hysteresis": 0.1, "exponent": 1.1, "velocity": 0.3,
            "sample_rate": RATE, "gravity": G}
PAPER = ("am1", "verlet", "heun", "rk4")
SAFE = ("invariant", "energy")

# exact flight, DOP853 with rtol 1e-12 in contact
ONSETS = [.060131628, .119105344, .176964934, .233751749, .289504878, .344261310, .398056086,
          .450922430, .502891874, .553994369]
APEXES = [4.4082598, 4.2396136, 4.0804493, 3.9300693, 3.7878392, 3.6531808, 3.5255661, 3.4045126,
          3.2895781, 3.1803573]
RAW = {"am1": [.060892, .120121, .177801, .234904], "rk4": [.060067, .118842, .176337, .233060]}
CORRECTED = {"am1": [.060149, .119174, .177116, .234005, .289887, .344780, .398728, .451759,
                     .503918, .555225], "rk4": [.060151, .119178, .177119, .234005, .289889,
                                                .344785, .398731, .451759, .503921, .555230]}


def onsets(run, gravity=G):
    """When the mass meets the wall again (s): the root of the flight from the last sample with x <=
    0."""
    x, v = run.compression, run.velocity
    i = np.flatnonzero((x[:-1] <= 0.0) & (x[1:] > 0.0))[1:]
    return run.time[i] + (np.sqrt(v[i] ** 2 - 2.0 * gravity * x[i]) - v[i]) / gravity


def apexes(run, gravity=G):
    """How high each flight goes (m), from its first sample."""
    x, v = run.compression, run.velocity
    i = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0)) + 1
    return v[i] ** 2 / (2.0 * gravity) - x[i]


def test_bouncing_as_in_figure_8():
    run = wall_impact(**FIGURE_8, steps=25000)
    # the contact is 1.5 % too long at 7.7 samples: 2.5 us a bounce; what each leaves with is exact
    # but for the gravity in contact
    assert onsets(run)[:10] == pytest.approx(ONSETS, abs=4e-5)
    assert apexes(run)[:10] * 1e3 == pytest.approx(APEXES, rel=2e-6, abs=0.0)
    fine = wall_impact(**FIGURE_8 | {"sample_rate": 16 * RATE}, steps=16 * 25000)
    assert onsets(fine)[:10] == pytest.approx(ONSETS, abs=4e-5 / 200.0)
    # the other scheme is a factor 100 worse, as its note says
    balanced = wall_impact(**FIGURE_8, steps=25000, scheme="energy")
    assert apexes(balanced)[:10] * 1e3 == pytest.approx(APEXES, rel=1.1e-2, abs=0.0)
    assert abs(apexes(balanced)[9] * 1e3 / APEXES[9] - 1.0) > 1e-3


@pytest.mark.parametrize("scheme", RAW)
def test_raw_schemes_in_figure_8(scheme):
    # chaotic: a rounding grows by 100 a bounce, so only the first four
    assert onsets(wall_impact(**FIGURE_8, steps=12000,
                              scheme=scheme))[:4] == pytest.approx(RAW[scheme], abs=2e-6)


@pytest.mark.parametrize("scheme", CORRECTED)
def test_corrected_schemes_in_figure_8(scheme):
    run = wall_impact(**FIGURE_8, steps=25000, scheme=scheme, corrected=True)
    assert onsets(run)[:10] == pytest.approx(CORRECTED[scheme], abs=2e-6)


def test_a_steel_ball_on_glass():
    # dropped from 0.1 m; gravity acts in contact; 2.2 samples a contact at 192 kHz, whose time is
    # then 6 % too long
    velocity = math.sqrt(2.0 * G * 0.1)
    run = wall_impact(mass=4.1e-3, stiffness=5.26e9, hysteresis=0.05, exponent=1.5,
                      velocity=velocity, sample_rate=192000, steps=180000, gravity=G)
    assert onsets(run)[:3] == pytest.approx([.272867736, .534080545, .784593478], abs=4e-6)
    assert apexes(run)[:4] == pytest.approx([.09127364, .08364162, .07692833, .07099199], rel=2e-7,
                                            abs=0.0)


@pytest.mark.parametrize("scheme", SAFE)
@pytest.mark.parametrize("exponent", [1.0, 2.3])
def test_elastic_bouncing_for_a_minute(scheme, exponent):
    run = wall_impact(**FIGURE_8 | {"hysteresis": 0.0, "exponent": exponent}, steps=60 * RATE,
                      scheme=scheme)
    heights = apexes(run)
    assert len(heights) > 800
    # 1e-6 is asked; both keep T + V - m g x exactly without damping, to some roundings a sample in
    # contact
    assert heights == pytest.approx(np.full(len(heights), 0.3**2 / (2.0 * G)), rel=1e-11, abs=0.0)
    assert np.abs(run.energy / run.energy[0] - 1.0).max() <= 1e-11


@pytest.mark.parametrize("scheme", SAFE)
def test_damped_bouncing_falls_and_ends(scheme):
    run = wall_impact(mass=0.01, stiffness=1e7, exponent=1.5, hysteresis=5.0, velocity=0.3,
                      sample_rate=RATE, steps=4 * RATE, gravity=G, scheme=scheme)
    heights = apexes(run)
    assert len(heights) > 15
    assert (np.diff(heights) < 0.0).all()
    # at the end it rests where the wall carries it
    rest = (0.01 * G / 1e7) ** (1.0 / 1.5)
    last = run.compression[-1000:]
    assert last == pytest.approx(np.full(1000, rest), rel=1e-12, abs=0.0)
    # half kicks leave a velocity of the order mu (h g)^2; its energy grows by 1e-10 of the first at
    # most
    assert np.abs(run.velocity[-1000:]).max() <= 5.0 * (G / RATE) ** 2
    assert np.diff(
        run.energy).max() <= (1e-10 if scheme == "invariant" else 8 * EPS) * run.energy[0]
    assert np.diff(run.energy[:2000]).max() <= 1e-10 * run.energy[0]


@pytest.mark.parametrize("corrected", [False, True])
@pytest.mark.parametrize("velocity", [0.1, 0.002])
@pytest.mark.parametrize("scheme", PAPER)
def test_a_paper_scheme_comes_to_rest_too(scheme, velocity, corrected):
    # the correction knows no weight: an impact of 2 mm/s, clipped at its x_max, would be held at
    # 0.41 of the rest, ever faster
    run = wall_impact(mass=0.01, stiffness=1e7, exponent=1.5, hysteresis=5.0, velocity=velocity,
                      sample_rate=RATE, steps=3 * RATE // 2, gravity=G, scheme=scheme,
                      corrected=corrected)
    assert run.compression[-1] == pytest.approx((0.01 * G / 1e7) ** (1.0 / 1.5), rel=1e-12, abs=0.0)
    assert abs(run.velocity[-1]) <= 1e-12


@pytest.mark.parametrize("hysteresis", [0.0, 0.05, 3.0, 1e4])
@pytest.mark.parametrize("exponent", [1.0, 3.5])
@pytest.mark.parametrize("gravity", [0.0, G, 1e5])
def test_hostile_parameters(exponent, hysteresis, gravity):
    given = {"mass": 1e-6, "stiffness": 1e12, "exponent": exponent, "hysteresis": hysteresis,
             "velocity": 10.0, "gravity": gravity, "sample_rate": 44100.0, "steps": 3000}
    for scheme in SAFE:
        run = wall_impact(**given, scheme=scheme)
        assert all(np.isfinite(getattr(run, field.name)).all() for field in dataclasses.fields(run))
        # x is rounded by eps of the way of a step, which is up to 1e4 of the compression
        assert run.energy.max() <= (1.0 + 1e-12) * run.energy[0]
        # in the invariant scheme a weight's half kicks move energy to and fro
        if scheme == "energy" or gravity == 0.0:
            assert np.diff(run.energy).max() <= 1e-12 * run.energy[0]
    for scheme in PAPER:
        for corrected in (False, True):
            try:
                run = wall_impact(**given, scheme=scheme, corrected=corrected)
            except pysitar.ParameterError as refused:
                assert refused.name in ("sample_rate", "hysteresis")
            except ArithmeticError as lost:
                assert "diverged at step" in str(lost)
            else:
                assert np.isfinite(run.energy).all()
                assert exponent == 3.5


def test_a_contact_of_less_than_a_sample_is_refused():
    given = FIGURE_8 | {"steps": 10, "gravity": 0.0}
    lasting = analytic.contact_time(**{
        name: given[name] for name in ("mass", "stiffness", "exponent", "hysteresis", "velocity")})
    reports = (r"^sample_rate is .*; the contact lasts 0\.99 samples, and heun needs at least one; "
            r"expected at least .* Hz")
    with pytest.raises(pysitar.ParameterError, match=reports):
        wall_impact(**given | {"sample_rate": 0.99 / lasting}, scheme="heun")
    wall_impact(**given | {"sample_rate": 1.01 / lasting}, scheme="heun")
    wall_impact(**given | {"sample_rate": 0.01 / lasting})


def test_what_a_run_is():
    run = wall_impact(**FIGURE_8, steps=5)
    assert run.time.tolist() == [0.0, 1 / RATE, 2 / RATE, 3 / RATE, 4 / RATE]
    assert (run.compression[0], run.velocity[0]) == (0.0, 0.3)
    assert run.energy[0] == 0.5 * 1e-2 * 0.3**2
    assert all(getattr(run, name).shape == (5,)
               for name in ("time", "compression", "velocity", "force", "energy"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        run.time = None
    assert wall_impact(**FIGURE_8, steps=0).energy.shape == (0,)
    weight = wall_impact(**FIGURE_8 | {"velocity": 0.0}, steps=200)
    assert weight.compression.min() == 0.0 and weight.compression.max() > 0.0


def test_pieces_are_one_run(monkeypatch):
    whole = wall_impact(**FIGURE_8, steps=5000)
    monkeypatch.setattr(module, "PIECE", 777)
    assert np.array_equal(whole.compression, wall_impact(**FIGURE_8, steps=5000).compression)


@pytest.mark.parametrize("name, value, reports", [
    ("mass", 0.0, "kg"),
    ("mass", -1.0, "kg"),
    ("mass", math.nan, "kg"),
    ("mass", True, "kg"),
    ("stiffness", 0.0, r"N/m\^exponent"),
    ("stiffness", 1e17, r"N/m\^exponent"),
    ("exponent", 0.5, "at least 1"),
    ("exponent", 10.5, "at most 10"),
    ("hysteresis", -0.1, "s/m"),
    ("hysteresis", 1e7, "s/m"),
    ("velocity", -0.3, "m/s"),
    ("velocity", math.inf, "m/s"),
    ("velocity", 1e5, "m/s"),
    ("sample_rate", 0, "Hz"),
    ("sample_rate", 1e10, "Hz"),
    ("gravity", -9.81, r"m/s\^2"),
    ("gravity", 1e7, r"m/s\^2"),
    ("steps", -1, "whole number"),
    ("steps", 1.5, "whole number"),
    ("steps", 2**31, "GB"),
    ("steps", 2**31 + 1, "whole number"),
    ("scheme", "euler", "am1"),
    ("scheme", None, "am1"),
    ("corrected", True, "has no correction"),
    ("corrected", 1, "True or False"),
])
def test_wrong_parameters(name, value, reports, monkeypatch):
    monkeypatch.setattr("os.sysconf", lambda which: 2**12)          # 16 MB
    with pytest.raises(pysitar.ParameterError, match=reports) as caught:
        wall_impact(**FIGURE_8 | {"steps": 10} | {name: value})
    assert caught.value.name == name


def test_the_package_has_it():
    assert pysitar.wall_impact is wall_impact
    assert pysitar.analytic is analytic
    assert set(analytic.__all__) >= {"output_velocity", "max_compression", "contact_time",
                                     "restitution", "hysteresis", "trajectory"}
