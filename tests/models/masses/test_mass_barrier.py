"""pysitar.mass_barrier: what it gives, what it refuses, and that whatever it takes stays finite and
makes no energy."""
import dataclasses
import math
import random
import typing

import numpy as np
import pytest

import pysitar
from pysitar import MassRun, ParameterError, analytic, mass_barrier

WALL = {"mass": 1.0, "stiffness": 1e9, "exponent": 1.0, "sample_rate": 50e3, "steps": 30,
        "position": -1e-4, "velocity": 1.0}
SCHEMES = (("two-point", None), ("three-point", None), ("iterative", None), ("explicit", None),
           ("explicit", "paper"), ("explicit", "sign"), ("explicit", "release"),
           ("explicit", "midpoint"))


@pytest.mark.parametrize(("scheme", "variant"), SCHEMES)
def test_run(scheme, variant):
    run = mass_barrier(scheme=scheme, variant=variant, **WALL)
    assert isinstance(run, MassRun)
    for values in (run.position, run.velocity, run.energy, run.time):
        assert values.shape == (30,) and values.dtype == np.float64
    assert run.time == pytest.approx(np.arange(30) / 50e3, rel=1e-15)
    assert (run.position[0], run.velocity[0],
            run.energy[0]) == (-1e-4, pytest.approx(1.0), pytest.approx(0.5))
    # the position before step n, the velocity between n - 1 and n (two-point: at n)
    if scheme != "two-point":
        assert np.diff(run.position) * 50e3 == pytest.approx(run.velocity[1:], abs=1e-10)
    assert run.contacts == 1 and run.iterations == 0
    if variant != "paper":
        assert run.velocity[-1] == pytest.approx(-1.0, abs=1e-14)
    with pytest.raises(dataclasses.FrozenInstanceError):
        run.contacts = 2


def test_defaults():
    assert np.array_equal(
        mass_barrier(**WALL).position,
        mass_barrier(scheme="two-point", barrier=0.0, corrected=False, **WALL).position)
    explicit, release, sign = (mass_barrier(scheme="explicit", variant=name, **WALL).position
                               for name in (None, "release", "sign"))
    assert np.array_equal(explicit, release) and not np.array_equal(release, sign)
    # without a spring the iterative scheme is the three-point one
    assert np.array_equal(mass_barrier(scheme="iterative", **WALL).position,
                          mass_barrier(scheme="three-point", **WALL).position)
    assert mass_barrier(**(WALL | {"steps": 0})).position.shape == (0,)
    assert pysitar.analytic is analytic


@pytest.mark.parametrize(("scheme", "variant", "plain", "left"), [
    ("two-point", None, 0.0318, 4e-4),
    ("three-point", None, 0.0793, 4e-4),
    ("iterative", None, 0.0793, 4e-4),
    ("explicit", "midpoint", 0.0, 0.0),
])
def test_corrected(scheme, variant, plain, left):
    # Fig. 3 of Chatziioannou & van Walstijn 2017: the straight flight out comes too late by a part
    # of the contact time
    exact = analytic.lossless_contact_time(mass=1.0, stiffness=1e9, velocity=1.0)
    parts = []
    for corrected in (False, True):
        y = mass_barrier(scheme=scheme, variant=variant, corrected=corrected, **WALL).position
        parts.append(abs(((29 - y[-1] / (y[-1] - y[-2])) / 50e3 - 1e-4) / exact - 1.0))
    if variant is None:
        assert parts[0] == pytest.approx(plain, rel=0.01)
        assert parts[1] <= left
    else:
        assert parts[0] != parts[1]


def test_the_barrier_may_be_anywhere():
    # 2^-k positions, so that nothing is rounded: the same motion, moved
    given = WALL | {"position": -(2.0**-13), "exponent": 1.5, "stiffness": 1e11}
    for scheme in ("two-point", "three-point"):
        here = mass_barrier(scheme=scheme, **given)
        there = mass_barrier(scheme=scheme, barrier=0.5, **(given | {"position": 0.5 - 2.0**-13}))
        assert there.position - 0.5 == pytest.approx(here.position, abs=1e-15)
        assert there.velocity == pytest.approx(here.velocity, abs=1e-10)
    # a barrier out of reach: free flight and a free oscillator, the discrete frequency 2/dt
    # asin(omega dt / 2)
    run = mass_barrier(scheme="iterative", frequency=1000.0, barrier=1.0,**(WALL | {"steps": 5000}))
    omega = 2.0 * 50e3 * math.asin(2.0 * math.pi * 1000.0 / 50e3 / 2.0)
    n = np.arange(5000)
    sine = (run.position[1] + 1e-4 * math.cos(omega / 50e3)) / math.sin(omega / 50e3)
    exact = -1e-4 * np.cos(omega * n / 50e3) + sine * np.sin(omega * n / 50e3)
    assert run.position == pytest.approx(exact, abs=1e-14)
    assert run.contacts == 0


@pytest.mark.parametrize(("name", "value", "reports"), [
    ("mass", 0.0, "kg"),
    ("mass", -1.0, "kg"),
    ("mass", math.nan, "kg"),
    ("mass", "1", "kg"),
    ("mass", 1e-13, "kg"),
    ("mass", 1e13, "kg"),
    ("stiffness", 0.0, "N/m"),
    ("stiffness", math.inf, "N/m"),
    ("stiffness", 1e17, "N/m"),
    ("stiffness", True, "N/m"),
    ("exponent", 0.9, "at least 1"),
    ("exponent", 11.0, "at most 10"),
    ("sample_rate", 0.0, "Hz"),
    ("sample_rate", 1e10, "Hz"),
    ("sample_rate", 10**400, "Hz"),
    ("steps", -1, "whole"),
    ("steps", 1.0, "whole"),
    ("steps", 2**31 + 1, "whole"),
    ("steps", True, "whole"),
    ("position", math.nan, "m"),
    ("position", 1e7, "m"),
    ("velocity", -math.inf, "m/s"),
    ("velocity", 1e7, "m/s"),
    ("velocity", None, "m/s"),
    ("barrier", "low", "m"),
    ("frequency", -1.0, "Hz"),
    ("frequency", math.nan, "Hz"),
    ("scheme", "verlet", "two-point, three-point, iterative, explicit"),
    ("scheme", None, "two-point"),
    ("scheme", ["two-point"], "two-point"),
    ("variant", "release", "no variants"),
    ("corrected", 1, "True or False"),
    ("corrected", None, "True or False"),
])
def test_refused(name, value, reports):
    with pytest.raises(ParameterError, match=name) as error:
        mass_barrier(**(WALL | {name: value}))
    assert reports in str(error.value)


def test_refused_together():
    with pytest.raises(ParameterError, match=r"frequency.*two-point.*iterative or explicit"):
        mass_barrier(frequency=10.0, **WALL)
    with pytest.raises(ParameterError, match=r"frequency.*three-point"):
        mass_barrier(frequency=10.0, scheme="three-point", **WALL)
    # stable below sample_rate / pi alone
    with pytest.raises(ParameterError, match=r"frequency.*below 15915\.5"):
        mass_barrier(frequency=15915.5, scheme="explicit", **WALL)
    mass_barrier(frequency=15915.4, scheme="explicit", **WALL)
    with pytest.raises(ParameterError, match=r"variant.*paper, sign, release, midpoint"):
        mass_barrier(scheme="explicit", variant="jasa", **WALL)
    with pytest.raises(ParameterError, match="variant"):
        mass_barrier(scheme="explicit", variant=0, **WALL)
    for variant in ("paper", "sign", "release", None):
        with pytest.raises(ParameterError, match=r"corrected.*midpoint"):
            mass_barrier(scheme="explicit", variant=variant, corrected=True, **WALL)


def test_more_steps_than_memory_holds(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("pysitar.models.masses.mass_barrier.os.sysconf", lambda name: 4096
                      if name == "SC_PAGE_SIZE" else 10)
        with pytest.raises(ParameterError, match=r"steps.*GB"):
            mass_barrier(**(WALL | {"steps": 2000}))
    with pytest.raises(ParameterError, match="steps"):
        mass_barrier(**(WALL | {"steps": 10**12}))


def test_a_collision_that_is_not_solved_is_reported(monkeypatch):
    class Stuck:
        statistics: typing.ClassVar = {"failures": 1, "contacts": 1, "evaluations": 200}

        def __init__(self, **given):
            pass

        def advance(self, *rows):
            pass

    monkeypatch.setattr("pysitar.models.masses.mass_barrier.MassBarrier", Stuck)
    with pytest.raises(ArithmeticError, match="before step 30"):
        mass_barrier(**WALL)


def test_pieces_do_not_show(monkeypatch):
    whole = mass_barrier(**WALL)
    monkeypatch.setattr("pysitar.models.masses.mass_barrier.PIECE", 7)
    parts = mass_barrier(**WALL)
    for name in ("position", "velocity", "energy", "time"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name))


def hostile(draw):
    """Any parameters that are permitted, half of them about a contact of 1e-4 to 1e8 in its own
    measure."""
    def size(low, high):
        return 10.0 ** draw.uniform(math.log10(low), math.log10(high))

    def signed(low, high):
        return draw.choice((-1, 1)) * draw.choice((0.0, size(low, high), size(low, high)))

    scheme, variant = draw.choice(SCHEMES)
    rate = size(1.0, 1e9)
    exponent = draw.choice((1.0, 1.0, 1.1, 1.5, 2.0, draw.uniform(1.0, 10.0), 10.0))
    given = {"mass": size(1e-12, 1e12), "exponent": exponent, "sample_rate": rate, "steps": 200,
             "scheme": scheme, "variant": variant,
             "barrier": draw.choice((0.0, signed(1e-12, 1e6))),
             "frequency": draw.choice((0.0, size(1e-6, 0.999) * rate / math.pi))
             if scheme in ("iterative", "explicit") else 0.0,
             "corrected": draw.random() < 0.5 and (scheme != "explicit" or variant == "midpoint")}
    if draw.random() < 0.5:
        return given | {"stiffness": size(1e-30, 1e16), "position": signed(1e-300, 1e6),
                        "velocity": signed(1e-300, 1e6)}
    speed = size(1e-3, 1e3)
    stiffness = size(
        1e-4, 1e8) * given["mass"] * (exponent + 1.0) * rate**2 * (speed / rate)**(1.0 - exponent)
    position = given["barrier"] - speed / rate * draw.uniform(0.0, 3.0)
    return given | {"stiffness": min(1e16, max(1e-30, stiffness)), "velocity": speed,
                    "position": min(1e6, max(-1e6, position))}


@pytest.mark.parametrize("seed", range(8))
def test_hostile_parameters(seed):
    draw = random.Random(seed)
    touched = 0
    for _ in range(500):
        given = hostile(draw)
        run = mass_barrier(**given)
        for values in (run.position, run.velocity, run.energy):
            assert np.isfinite(values).all(), given
        scale = max(float(run.energy.max()),
                    0.5 * given["mass"] * float(np.abs(run.velocity).max())**2)
        if scale > 1e-250:              # below, the squares of positions have no digits left
            assert np.ptp(run.energy) <= 1e-12 * scale, given
            assert run.energy.min() >= -1e-12 * scale, given
        touched += run.contacts > 0 or given["position"] > given["barrier"]
    assert touched > 150
