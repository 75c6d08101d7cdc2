"""Closed forms of a mass against a barrier: golden numbers, quadrature, an integrator of high
order, limits, the kernel's own factor."""
import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

from pysitar import ParameterError, analytic
from pysitar.kernels.lumped.mass_barrier import SCHEMES, MassBarrier
from pysitar.physics.lossless_contact import (
    corrected_beta,
    duration_excess,
    lossless_contact_time,
    lossless_max_compression,
    lossless_motion,
    oscillator_orbit,
    stiffness_correction,
)

OSCILLATOR = {"mass": 0.01, "exponent": 1.1, "frequency": 10.0, "barrier": 0.2, "position": -0.5,
              "velocity": 1.0}


def test_face():
    assert analytic.lossless_contact_time is lossless_contact_time
    assert {name for name in analytic.__all__ if not hasattr(analytic, name)} == set()


@pytest.mark.parametrize(("stiffness", "expected"), [
    (1e9, 99.345882658), (44700.0**2, 70.281714845), (1e10, 31.415926536), (1e11, 9.934588266)])
def test_contact_time_of_exponent_one(stiffness, expected):
    # G1; and pi / omega
    found = lossless_contact_time(mass=1.0, stiffness=stiffness, velocity=1.0)
    assert found == pytest.approx(expected * 1e-6, rel=1e-10)
    assert found == pytest.approx(math.pi / math.sqrt(stiffness), rel=1e-14)
    assert lossless_contact_time(mass=1.0, stiffness=stiffness,
                                 velocity=17.0) == pytest.approx(found, rel=1e-14)


@pytest.mark.parametrize("exponent", [1.0, 1.1, 1.5, 2.0, 3.3, 10.0])
def test_contact_time_is_the_quadrature(exponent):
    # 2 int dp / sqrt(v^2 - 2 K p^(a+1) / (m (a + 1))) with p = p_max (1 - x^2): smooth, to quad's
    # own 1e-12
    mass, stiffness, velocity = 0.013, 4e6, 2.7
    deepest = lossless_max_compression(mass=mass, stiffness=stiffness, exponent=exponent,
                                       velocity=velocity)
    # all the energy is in the barrier there
    assert stiffness / (exponent + 1.0) * deepest**(exponent + 1.0) == pytest.approx(
        0.5 * mass * velocity**2, rel=1e-13)

    def integrand(x):
        return 4.0 * deepest * x / (velocity
                                    * math.sqrt(-math.expm1((exponent + 1.0) * math.log1p(-x * x))))

    expected = quad(integrand, 0.0, 1.0, epsabs=0.0, epsrel=1e-12, limit=200)[0]
    assert lossless_contact_time(mass=mass, stiffness=stiffness, exponent=exponent,
                                 velocity=velocity) == pytest.approx(expected, rel=1e-11)


def test_golden_contact():
    # G5, G6
    c = {"mass": 1.0, "stiffness": 2e11, "exponent": 1.5, "velocity": 1.0}
    assert lossless_contact_time(**c) == pytest.approx(97.091872232e-6, rel=1e-11)
    assert lossless_max_compression(**c) == pytest.approx(3.298769776932e-5, rel=1e-12)
    d = {"mass": 0.01, "stiffness": 5e4, "exponent": 1.1, "velocity": 28.810532270187}
    assert lossless_contact_time(**d) == pytest.approx(1743.078486904e-6, rel=1e-12)
    assert lossless_max_compression(**d) == pytest.approx(1.622382547940e-2, rel=1e-12)


@pytest.mark.parametrize(("exponent", "expected"),
                         [(1.0, 1.0), (1.1, 1.102056), (1.3, 1.318501), (1.5, 1.551377),
                          (2.0, 2.205316), (2.3, 2.646778), (2.5, 2.961509), (3.0, 3.819719)])
def test_excess(exponent, expected):
    # G10
    assert duration_excess(exponent) == pytest.approx(expected, abs=1e-6)


def test_excess_comes_from_the_slowed_time():
    # the two-point scheme runs along the exact motion, time slowed by 1 - dt^2 V''(y) / (12 m): the
    # excess is the integral over a contact
    for exponent in (1.3, 2.0, 3.0, 6.0):
        tau = lossless_contact_time(mass=1.0, stiffness=1.0, exponent=exponent, velocity=1.0)
        deepest = lossless_max_compression(mass=1.0, stiffness=1.0, exponent=exponent, velocity=1.0)

        def slowed(x, exponent=exponent, deepest=deepest):
            p = deepest * (1.0 - x * x)
            speed = math.sqrt(-math.expm1((exponent + 1.0) * math.log1p(-x * x)))
            return 4.0 * deepest * x / speed * exponent * p ** (exponent - 1.0) / 12.0

        expected = quad(slowed, 0.0, 1.0, epsabs=0.0, epsrel=1e-11, limit=200)[0] / tau
        omega = math.pi / tau                   # dt = 1
        assert duration_excess(exponent) * omega**2 / (6.0 * (exponent + 1.0)) == pytest.approx(
            expected, rel=1e-9)
    # and it goes into exponent 1 smoothly
    assert duration_excess(1.0 + 1e-9) == pytest.approx(1.0, abs=2e-9)


def test_corrected_beta():
    def beta(scheme, stiffness):
        return corrected_beta(scheme=scheme, mass=1.0, stiffness=stiffness, sample_rate=50e3)

    # G2
    two = [0.1070651509265, 0.2297863759750, 2.425518820815]
    assert [beta("two-point", k) for k in (1e9, 44700.0**2, 1e10)] == pytest.approx(two, rel=1e-12)
    assert [beta("three-point", k) for k in (1e9, 44700.0**2)] == pytest.approx(
        [0.2398050676096, 0.5966821899985], rel=1e-12)
    # the aliasing limits: Omega = 2 is past pi / 2, 6.3 past pi
    assert (beta("three-point", 1e10), beta("two-point", 1e11)) == (1e8, 1e8)


@pytest.mark.parametrize("scheme", ["two-point", "three-point"])
def test_correction(scheme):
    share = 4.0 if scheme == "two-point" else 2.0           # beta = Omega^2 / share without it
    for stiffness in (1e5, 1e9, 44700.0**2):
        s = stiffness_correction(scheme=scheme, mass=1.0, stiffness=stiffness, velocity=3.0,
                                 sample_rate=50e3)
        beta = corrected_beta(scheme=scheme, mass=1.0, stiffness=stiffness, sample_rate=50e3)
        assert s * stiffness / 50e3**2 / share == pytest.approx(beta, rel=1e-13)
    # to first order it takes back what the scheme's stretching 1 + e would need: s^(-1/(a + 1)) = 1
    # - e, where the time step is small
    for exponent in (1.0, 1.4, 2.5):
        given = {"mass": 1.0, "stiffness": 3e8, "exponent": exponent, "velocity": 2.0}
        tau = lossless_contact_time(**given)
        s = stiffness_correction(scheme=scheme, sample_rate=1000.0 / tau, **given)
        e = duration_excess(exponent) * (math.pi / 1000.0)**2 / (6.0 * (exponent + 1.0)) * (
            1.0 if scheme == "two-point" else 2.5)
        assert math.log(s) / (exponent + 1.0) == pytest.approx(e, rel=1e-4)
        # and it grows with the resolution lost, up to the limit, in which the compression is 1e-4
        # of the way of a step
        factors = [stiffness_correction(scheme=scheme, sample_rate=n / tau, **given)
                   for n in (30.0, 10.0, 4.0, 2.5, 1.5, 0.9, 0.1)]
        assert factors[:5] == sorted(factors[:5]) and factors[0] > 1.0
        for n, s in zip((0.9, 0.1), factors[5:], strict=True):
            way = 2.0 * tau / n
            mobility = (tau / n) ** 2 * (0.5 if scheme == "two-point" else 1.0)
            # w phi(way / 1e4) = way^2
            held = mobility * s * 3e8 / (exponent + 1.0) * (1e-4 * way) ** (exponent + 1.0)
            assert held == pytest.approx(way**2, rel=1e-12)
    assert stiffness_correction(scheme=scheme, mass=1.0, stiffness=1e-30, velocity=1e-300,
                                exponent=2.0, sample_rate=1e9) == 1.0


@pytest.mark.parametrize("scheme", ["two-point", "three-point"])
def test_the_kernel_latches_this_factor(scheme):
    # math and libc, log and exp here, pow there: 700 roundings of the greatest exponent
    rng = np.random.default_rng(3)
    rows = np.empty((3, 8))
    for _ in range(300):
        exponent = float(rng.choice([1.0, rng.uniform(1, 10)]))
        given = {"mass": 10.0**rng.uniform(-3, 3), "stiffness": 10.0**rng.uniform(0, 12),
                 "exponent": exponent}
        speed, rate = 10.0 ** rng.uniform(-2, 2), 10.0 ** rng.uniform(3, 6)
        kernel = MassBarrier(scheme=SCHEMES.index(scheme), angular_frequency=0.0,
                             time_step=1.0 / rate, barrier=0.0, position=-1.5 * speed / rate,
                             velocity=speed, duration=lossless_contact_time(velocity=1.0, **given),
                             excess=duration_excess(exponent), **given)
        kernel.advance(*rows)
        found = kernel.statistics
        assert found["entry_speed"] == pytest.approx(speed, rel=1e-14)
        expected = stiffness_correction(scheme=scheme, velocity=speed, sample_rate=rate, **given)
        assert found["factor"] == pytest.approx(expected, rel=2e-13)
        assert expected >= 1.0


@pytest.mark.parametrize(("stiffness", "compression", "contact", "period"),
                         [(5e4, 1.597755601855e-2, 1.726628157092e-3, 0.064818584021),
                          (7e7, 5.149844087181e-4, 5.533989608956e-5, 0.063147295760)])
def test_golden_orbit(stiffness, compression, contact, period):
    # G8
    orbit = oscillator_orbit(stiffness=stiffness, **OSCILLATOR)
    assert orbit.energy == pytest.approx(4.93980220054, abs=5e-12)
    assert orbit.impact_speed == pytest.approx(28.810532270187, rel=1e-13)
    assert orbit.amplitude == pytest.approx(0.500253238829, abs=1e-12)
    assert orbit.free_time == pytest.approx(0.063091955864, abs=1e-12)
    assert orbit.compression == pytest.approx(compression, rel=1e-12)
    assert orbit.contact_time == pytest.approx(contact, rel=1e-12)
    assert orbit.period == pytest.approx(period, abs=1e-12)


def test_orbit_limits():
    # without the spring's pull in contact it is the free mass
    weak = oscillator_orbit(mass=0.01, stiffness=7e9, exponent=1.6, frequency=1e-3, position=-0.5,
                            velocity=3.0, barrier=0.2)
    free = {"mass": 0.01, "stiffness": 7e9, "exponent": 1.6, "velocity": weak.impact_speed}
    assert weak.contact_time == pytest.approx(lossless_contact_time(**free), rel=1e-9)
    assert weak.compression == pytest.approx(lossless_max_compression(**free), rel=1e-9)
    # exponent 1: two arcs in closed form, the barrier above, below and at the place of rest; a
    # start inside has the same orbit
    for barrier in (0.2, -0.2, 0.0):
        given = {"mass": 0.01, "stiffness": 5e4, "exponent": 1.0, "frequency": 10.0,
                 "barrier": barrier}
        orbit = oscillator_orbit(position=-0.5, velocity=1.0, **given)
        hard = math.sqrt((20.0 * math.pi) ** 2 + 5e6)
        reach = barrier * (20.0 * math.pi) ** 2 / hard**2  # from the contact's own place of rest
        assert orbit.contact_time == pytest.approx(
            2.0 * math.atan2(orbit.impact_speed / hard, reach) / hard, rel=1e-12)
        within = oscillator_orbit(position=barrier + orbit.compression, velocity=0.0, **given)
        assert within.impact_speed == pytest.approx(orbit.impact_speed, rel=1e-12)


@pytest.mark.parametrize(("frequency", "barrier", "position", "velocity"), [
    (0.0, 0.0, -0.1, 1.0),
    (0.0, 0.2, 0.201, 0.0),
    (0.0, 0.1, 0.0, -2.0),
    (10.0, 0.2, -0.5, 1.0),
    (10.0, 0.2, 0.21, -3.0),
    (10.0, -0.1, -0.2, 0.0),
    (10.0, 0.3, 0.1, 1.0),
    (10.0, -0.1, 0.0, 0.0),
    (10.0, 0.0, 0.0, 0.0),
    (10.0, 0.2, 0.2, 4.0),
    (10.0, 0.2, 0.2, -4.0),
])
def test_motion(frequency, barrier, position, velocity):
    # DOP853 to 1e-12 over several impacts, halved steps at the kink; the energy in closed form
    mass, stiffness = 0.01, 5e4
    omega = 2.0 * math.pi * frequency
    t = np.linspace(0.0, 0.15, 200)
    y, v = lossless_motion(t, mass=mass, stiffness=stiffness, position=position, velocity=velocity,
                           barrier=barrier, frequency=frequency)

    def motion(_, state):
        return state[1], -(omega**2) * state[0] - stiffness / mass * max(state[0] - barrier, 0.0)

    exact = solve_ivp(motion, (0.0, 0.15), (position, velocity), method="DOP853", rtol=1e-12,
                      atol=1e-14, t_eval=t, max_step=1e-3)
    scale = np.abs(exact.y).max(axis=1) + 1e-3
    assert y == pytest.approx(exact.y[0], abs=1e-8 * scale[0])
    assert v == pytest.approx(exact.y[1], abs=1e-7 * scale[1])
    energy = 0.5 * mass * (v**2 + omega**2 * y**2) + 0.5 * stiffness * np.maximum(
        y - barrier, 0.0)**2
    assert energy == pytest.approx(np.full(200, energy[0]), rel=1e-12, abs=1e-15)


def test_motion_stays_exact():
    # a thousand periods later the orbit is where it was
    orbit = oscillator_orbit(stiffness=5e4, **(OSCILLATOR | {"exponent": 1.0}))
    given = {name: value
             for name, value in OSCILLATOR.items() if name != "exponent"} | {"stiffness": 5e4}
    early, late = (lossless_motion([0.01 + n * orbit.period, 0.0315 + n * orbit.period], **given)
                   for n in (0, 1000))
    # a thousand roundings of the time of 1e-14 s, at 30 m/s
    assert late[0] == pytest.approx(early[0], abs=1e-10)
    assert lossless_motion([], **given)[0].shape == (0,)
    assert lossless_motion([0.0], **given) == (pytest.approx([-0.5]), pytest.approx([1.0]))


GOOD = {"mass": 1.0, "stiffness": 1e9, "exponent": 1.5, "velocity": 1.0}


@pytest.mark.parametrize(("name", "value"), [
    ("mass", 0.0),
    ("mass", -1.0),
    ("mass", math.nan),
    ("mass", 1e13),
    ("mass", "1"),
    ("mass", True),
    ("stiffness", 0.0),
    ("stiffness", 1e17),
    ("stiffness", 1e-31),
    ("exponent", 0.99),
    ("exponent", 10.1),
    ("velocity", 0.0),
    ("velocity", -1.0),
    ("velocity", math.inf),
    ("velocity", 1e7),
    ("velocity", None),
    ("mass", 10**400),
])
def test_refused(name, value):
    for function in (lossless_contact_time, lossless_max_compression):
        with pytest.raises(ParameterError, match=name):
            function(**(GOOD | {name: value}))
    with pytest.raises(ParameterError, match=name):
        stiffness_correction(scheme="two-point", sample_rate=44100.0, **(GOOD | {name: value}))


def test_refused_by_others():
    with pytest.raises(ParameterError, match="two-point, three-point"):
        stiffness_correction(scheme="explicit", sample_rate=44100.0, **GOOD)
    with pytest.raises(ParameterError, match="sample_rate"):
        corrected_beta(scheme="two-point", mass=1.0, stiffness=1.0, sample_rate=0.5)
    with pytest.raises(ParameterError, match="exponent"):
        duration_excess(0.5)
    # never reaches the barrier; never leaves it
    for position, barrier in ((0.1, 0.3), (0.0, -0.3)):
        with pytest.raises(ParameterError, match="cross"):
            oscillator_orbit(mass=1.0, stiffness=1e3, frequency=1.0, position=position,
                             velocity=0.0, barrier=barrier, exponent=5.0)
    with pytest.raises(ParameterError, match="frequency"):
        oscillator_orbit(mass=1.0, stiffness=1e3, frequency=0.0, position=-1.0, velocity=0.0)
    with pytest.raises(ParameterError, match="time"):
        lossless_motion([-1.0], mass=1.0, stiffness=1e3, position=-1.0, velocity=0.0)
    for name, value in (("position", 1e7), ("velocity", math.nan), ("barrier", "0"),
                        ("frequency", -1.0)):
        with pytest.raises(ParameterError, match=name):
            lossless_motion([0.0],**({"mass": 1.0, "stiffness": 1e3, "position": -1.0,
                                      "velocity": 0.0} | {name: value}))


@pytest.mark.parametrize("exponent", [1.0, 1.2, 2.0, 10.0])
def test_every_permitted_number_has_an_answer(exponent):
    for mass in (1e-12, 1.0, 1e12):
        for stiffness in (1e-30, 1.0, 1e16):
            for velocity in (5e-324, 1e-200, 1e-3, 1e6):
                given = {"mass": mass, "stiffness": stiffness, "exponent": exponent,
                         "velocity": velocity}
                tau, deepest = lossless_contact_time(**given), lossless_max_compression(**given)
                assert 0.0 < tau < math.inf and 0.0 <= deepest < math.inf
                for rate in (1.0, 1e9):
                    for scheme in ("two-point", "three-point"):
                        assert 1.0 <= stiffness_correction(scheme=scheme, sample_rate=rate, **
                                                           given) < math.inf
