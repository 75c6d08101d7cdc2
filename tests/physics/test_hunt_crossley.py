"""Closed forms of a Hunt-Crossley impact: golden numbers, an ODE solver, limits, series,
inverses."""
import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.special import roots_jacobi

from pysitar import analytic
from pysitar.errors import ParameterError
from pysitar.physics.gauss_jacobi import expansion, gauss_jacobi
from pysitar.physics.hunt_crossley import _Impact, compression_time, curvature, speed

EPS = float(np.finfo(float).eps)
FIGURE_1 = (1e-2, 1e9, .5, 1.5)
# mass, stiffness, hysteresis, exponent, velocity: v_out, x_max, contact time, t(x_max), peak of the
# force (None: not given)
GOLDEN = {
    "table 1a": ((1e-2, 1e7, .1, 1.1, .3), (-.294117420895477, 1.66844063321076e-5,
                                            1.738643043335e-4, 8.63759905143e-5, 55.55518645)),
    "table 1b": ((*FIGURE_1, 1.), (-.748434931597434, 3.89257377822397e-5, 1.328982359259e-4,
                                   5.99227036537e-5, 260.786104)),
    "soft": ((1e-2, 1e8, .5, 1.6, .3), (-.272704722404761, 6.02159979242347e-5, 6.132353111154e-4,
                                        None, 17.82823391)),
    "softer": ((1e-2, 1e6, .5, 1.6, .3), (-.272704722404761, 3.53950603606724e-4, 3.604607014823e-3,
                                          None, None)),
    "elastic": ((5e-2, 1e6, 0., 1.5, 2.), (-2., 2.28652525963663e-3, 3.36493652751e-3, None, None)),
    "strong": ((5e-2, 1e6, 3., 2.5, 2.), (-.331191895576052, 9.34291817717583e-3, 3.804219842412e-2,
                                          7.694410807e-3, None)),
    "tiny mu": ((1., 1e3, 1e-6, 1., 1.), (-.999999333333778, 3.16227660607644e-2, 9.934588265797e-2,
                                          None, None)),
    "figure 1, 2 m/s": ((*FIGURE_1, 2.), (-1.1872485201, 6.2340753502e-5, 120.457606e-6, None,
                                          None)),
    "figure 1, 3 m/s": ((*FIGURE_1, 3.), (-1.4632237680, 8.0626653749e-5, 115.815478e-6, None,
                                          None)),
    "figure 1, 4 m/s": ((*FIGURE_1, 4.), (-1.64287874424416, 9.59322550034399e-5, 114.053718e-6,
                                          None, None)),
}
NAMES = ("mass", "stiffness", "hysteresis", "exponent", "velocity")
SPREAD = [
    (1e-2, 1e6, .7, 1., 1.),
    (1e-2, 1e6, 20., 1.5, 1.),
    (1e-3, 1e8, 6., 3.5, 2.),
    (1e-2, 1e9, 1., 10., .5),
    (1e-2, 1e6, 300., 1.5, 1.),
]


def named(values):
    return dict(zip(NAMES, values, strict=True))


def damping_of(given):
    return {"hysteresis": given["hysteresis"], "velocity": given["velocity"]}


@pytest.mark.parametrize("case", GOLDEN)
def test_golden_numbers(case):
    given = named(GOLDEN[case][0])
    out, deepest, tau, turn, peak = GOLDEN[case][1]
    digits = 1e-13 if "figure" not in case else 1e-10
    assert analytic.output_velocity(**damping_of(given)) == pytest.approx(out, rel=digits, abs=0.0)
    assert analytic.max_compression(**given) == pytest.approx(deepest, rel=digits, abs=0.0)
    assert analytic.contact_time(**given) == pytest.approx(
        tau, rel=1e-11 if "figure" not in case else 1e-8, abs=0.0)
    if turn is not None:
        there = analytic.trajectory(**given, time=[turn])
        assert there.compression[0] == pytest.approx(deepest, rel=1e-13, abs=0.0)
        # 12 digits of the time
        assert abs(there.velocity[0]) <= 1e-11 * turn * there.force[0] / given["mass"]
    if peak is not None:
        assert greatest_force(given, tau) == pytest.approx(peak, rel=1e-8, abs=0.0)


def greatest_force(given, tau):
    low, high = 0.0, tau
    for _ in range(5):
        times = np.linspace(low, high, 17)
        force = analytic.trajectory(**given, time=times).force
        best = int(force.argmax())
        low, high = times[max(best - 1, 0)], times[min(best + 1, 16)]
    return force.max()


@pytest.mark.parametrize("damping, expected", [
    (1e-8, -9.999999933333334e-9),
    (1e-4, -9.999333377774519e-5),
    (.03, -.029411742089547662),
    (.5, -.374217465798717),
    (2., -.821439372122079),
    (10., -.9998162475294389),
])
def test_output_velocity_at_any_damping(damping, expected):
    assert analytic.output_velocity(hysteresis=damping, velocity=1.0) * damping == pytest.approx(
        expected, rel=4 * EPS, abs=0.0)


@pytest.mark.parametrize("damping", [1e-9, 1e-7, 1e-5, 9e-4, 1.1e-3, .02])
def test_restitution_has_a_series(damping):
    terms = (1.0, -2 / 3, 4 / 9, -44 / 135, 104 / 405)
    series = sum(c * damping**n for n, c in enumerate(terms))
    found = analytic.restitution(hysteresis=damping, velocity=1.0)
    assert found == pytest.approx(series, rel=4 * EPS + 0.22 * damping**5, abs=0.0)


@pytest.mark.parametrize("damping", [1e-12, 1e-3, .35, 1., 5., 20.])
def test_both_ends_have_the_same_invariant(damping):
    y = damping * speed(-1.0, damping)
    # q = y^2 curvature(y) / 2, whose condition by y is 2 or, near -1, y/(1+y)
    assert y * y * curvature(y) == pytest.approx(damping * damping * curvature(damping),
                                                 rel=16 * EPS + 2 * EPS / (1.0 + y + EPS), abs=0.0)


@pytest.mark.parametrize("damping", [33.0, 36.0, 37.5, 800.0, 1e6])
def test_strongest_damping(damping):
    # 1 + y = e^(y - 1 - a + ln(1 + a)) at the far end
    tail = math.exp(-1.0 - damping + math.log1p(damping))
    assert speed(-1.0, damping) * damping == pytest.approx(-1.0 + tail, rel=2 * EPS, abs=0.0)


def test_curvature_against_the_logarithm():
    for y in (-.9, -.36, -.35, -.34, -.1, .1, .34, .36, 2., 1e5):
        assert curvature(y) == pytest.approx(2.0 * (y - math.log1p(y)) / y**2,
                                             rel=8 * EPS / min(1.0, abs(y)), abs=0.0)
    assert curvature(1e-9) == pytest.approx(1.0 - 2e-9 / 3.0, rel=EPS, abs=0.0)


@pytest.mark.parametrize("damping, percent", [
    (.03, -3.29449e-7),
    (.188, -9.2e-5),
    (.5, 1.252082e-2),
    (2., 1.438996),
    (3.003, 2.04499),
    (10., 1.81e-2),
])
def test_the_fit_of_the_paper(damping, percent):
    given = {"hysteresis": damping / 0.3, "velocity": 0.3}
    error = 100.0 * (analytic.fitted_output_velocity(**given) / analytic.output_velocity(**given)
                     - 1.0)
    assert error == pytest.approx(percent, rel=5e-3, abs=1e-12)
    assert analytic.fitted_output_velocity(hysteresis=0.0, velocity=0.3) == -0.3
    assert analytic.fitted_output_velocity(hysteresis=1e-9, velocity=0.3) == pytest.approx(
        -0.3 * (1 - 2e-10), rel=2 * EPS, abs=0.0)


@pytest.mark.parametrize("wanted, expected", [
    (.95, .07892660528741),
    (.9, .1664819506853),
    (.8, .3731462033651),
    (.7, .6348282812664),
    (.5, 1.432750533271),
    (.3, 3.08708198113),
])
def test_hysteresis_of_a_restitution(wanted, expected):
    assert analytic.hysteresis(restitution=wanted,
                               velocity=2.0) == pytest.approx(expected / 2.0, rel=1e-12, abs=0.0)


@pytest.mark.parametrize("wanted", [1.0, 1.0 - 1e-12, .999, .6, .05, 1e-6])
def test_restitution_of_that_hysteresis(wanted):
    hysteresis = analytic.hysteresis(restitution=wanted, velocity=3.0)
    assert analytic.restitution(hysteresis=hysteresis,
                                velocity=3.0) == pytest.approx(wanted, rel=8 * EPS, abs=0.0)


@pytest.mark.parametrize(
    "case", [*(GOLDEN[name][0] for name in ("table 1a", "table 1b", "strong", "tiny mu")), *SPREAD])
def test_trajectory_against_an_ode_solver(case):
    given = named(case)
    mass, stiffness, mu, exponent, velocity = case
    tau, deepest = analytic.contact_time(**given), analytic.max_compression(**given)
    times = np.linspace(0.0, tau, 41)

    def rate(t, state):
        return state[1], -stiffness / mass * max(state[0], 0.0) ** exponent * (1.0 + mu * state[1])

    least = [1e-15 * deepest, 1e-15 * velocity]
    solved = solve_ivp(rate, (0.0, tau), (0.0, velocity), "DOP853", times, rtol=1e-12, atol=least,
                       max_step=tau / 60)
    found = analytic.trajectory(**given, time=times)
    # what the solver promises, over some 60 to 200 steps
    np.testing.assert_allclose(found.compression, solved.y[0], rtol=0.0, atol=5e-12 * deepest)
    np.testing.assert_allclose(found.velocity, solved.y[1], rtol=0.0, atol=5e-12 * velocity)
    force = stiffness * np.maximum(found.compression, 0.0) ** exponent * (1.0 + mu * found.velocity)
    np.testing.assert_allclose(found.force, force, rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("case", SPREAD[:4])            # the fifth leaves with y = -1 to rounding
def test_trajectory_keeps_the_invariant(case):
    given = named(case)
    mass, stiffness, mu, exponent, velocity = case
    found = analytic.trajectory(**given, time=np.linspace(0.0, analytic.contact_time(**given),
                                                          30)[1:-1])
    y, start = mu * found.velocity, mu * velocity
    kinetic = np.array(
        [mass * velocity**2 * (q / start)**2 * curvature(q) / 2.0 for q in y.tolist()])
    invariant = stiffness / (exponent + 1.0) * found.compression ** (exponent + 1.0) + kinetic
    total = mass * velocity**2 * curvature(start) / 2.0
    # x to a power a + 1, and the condition of q near y = -1
    np.testing.assert_allclose(
        invariant, total, rtol=0.0, atol=(64 * EPS * (exponent + 1.0) + 4 * EPS /
                                          (1.0 + y.min())) * total)


def test_before_and_after_the_contact():
    given = named(GOLDEN["table 1b"][0])
    tau, out = analytic.contact_time(**given), analytic.output_velocity(**damping_of(given))
    found = analytic.trajectory(**given, time=[-2.0, 0.0, tau, tau + 3.0])
    assert found.compression[[0, 1]].tolist() == [-2.0, 0.0]
    assert found.compression[2] == pytest.approx(0.0, abs=1e-15 * tau)
    assert found.compression[3] == pytest.approx(3.0 * out, rel=1e-15, abs=0.0)
    assert found.velocity == pytest.approx([1.0, 1.0, out, out], rel=1e-13, abs=0.0)
    assert found.force[[0, 1, 3]].tolist() == [0.0, 0.0, 0.0]
    assert analytic.trajectory(**given, time=[]).force.shape == (0,)
    with pytest.raises(ValueError, match="read-only"):
        found.force[0] = 1.0


def test_without_damping():
    given = named((5e-2, 1e6, 0.0, 1.5, 2.0))
    power = 1.0 / 2.5
    length = (5e-2 * 2.5 * 4.0 / 2e6) ** power
    tau = length / 2.0 * 2.0 * math.sqrt(
        math.pi) * power * math.gamma(power) / math.gamma(power + 0.5)
    assert analytic.max_compression(**given) == pytest.approx(length, rel=4 * EPS, abs=0.0)
    assert analytic.contact_time(**given) == pytest.approx(tau, rel=16 * EPS, abs=0.0)
    times = np.linspace(0.0, tau, 21)
    forth, back = analytic.trajectory(**given,
                                      time=times), analytic.trajectory(**given, time=tau - times)
    np.testing.assert_allclose(forth.compression, back.compression, rtol=0.0, atol=1e-14 * length)
    np.testing.assert_allclose(forth.velocity, -back.velocity, rtol=0.0, atol=1e-14 * 2.0)
    # a spring: half a sine
    spring = analytic.trajectory(**(given | {"exponent": 1.0}), time=np.linspace(0.0, 7e-4, 15))
    w = math.sqrt(1e6 / 5e-2)
    np.testing.assert_allclose(spring.compression, 2.0 / w * np.sin(w * spring.time), rtol=0.0,
                               atol=1e-15 * 2.0)


def test_contact_time_scales():
    # with mass over stiffness to the power 1/(a+1), at the same velocity and hysteresis
    one = analytic.contact_time(**named((1e-2, 1e6, .5, 1.6, .3)))
    other = analytic.contact_time(**named((3e-2, 1e9, .5, 1.6, .3)))
    assert other / one == pytest.approx((3e-2 / 1e3 / 1e-2) ** (1 / 2.6), rel=16 * EPS, abs=0.0)


@pytest.mark.parametrize("nodes", [2, 24, 120])
@pytest.mark.parametrize("exponent", [1.0, 1.5, 3.5, 10.0])
def test_gauss_jacobi(nodes, exponent):
    power = -exponent / (exponent + 1.0)
    rule = gauss_jacobi(nodes, power)
    places = np.array([1.0 - u for u, _, _ in rule])
    weights = np.array([weight for _, weight, _ in rule])
    np.testing.assert_allclose(places[::-1], roots_jacobi(nodes, power, power)[0][nodes // 2:],
                               rtol=0.0, atol=8 * EPS)
    # even moments of (1 - s^2)^p: each (2 k - 1) / (2 k + 2 p + 1) of the last, exact up to the
    # power 2 nodes - 1
    moment = 1.0
    for k in range(min(nodes, 40)):
        assert 2.0 * (weights * places**(2 * k)).sum() == pytest.approx(
            moment, rel=100 * EPS, abs=0.0)
        moment *= (2 * k + 1.0) / (2 * k + 2.0 * power + 3.0)


def test_integral_beyond_a_place():
    power = -0.6

    def g(s):
        return math.exp(s) / (1.3 - s)

    found = expansion(g, power=power, nodes=80)
    for s in (0.0, 0.3, 0.7, 0.72, 0.99, 1.0 - 1e-9):
        # with 1 - r = w^(1/(p+1)) the weight has no pole at the end
        for side in (1.0, -1.0):
            def smooth(w, side=side):
                u = w ** (1.0 / (power + 1.0))
                return g(side * (1.0 - u)) * (2.0 - u) ** power / (power + 1.0)

            expected = quad(smooth, 0.0, (1.0 - s) ** (power + 1.0), epsabs=0.0, epsrel=1e-13)[0]
            assert found.beyond(s, (1.0 - s) * (1.0 + s),
                                side) == pytest.approx(expected, rel=1e-12, abs=0.0)
    assert found.beyond(0.0, 1.0, 1.0) + found.beyond(0.0, 1.0, -1.0) == pytest.approx(
        found.whole, rel=8 * EPS, abs=0.0)


@pytest.mark.parametrize("name, value", [
    ("mass", 0.0),
    ("mass", -1.0),
    ("mass", math.nan),
    ("stiffness", 0.0),
    ("stiffness", 1e17),
    ("exponent", 0.99),
    ("exponent", 11.0),
    ("hysteresis", -1e-9),
    ("hysteresis", 2e6),
    ("velocity", 0.0),
    ("velocity", -1.0),
    ("velocity", math.inf),
    ("mass", "1"),
])
def test_wrong_parameters(name, value):
    given = named((1e-2, 1e6, .5, 1.5, .5)) | {name: value}
    with pytest.raises(ParameterError, match=name) as caught:
        analytic.contact_time(**given)
    assert caught.value.name == name
    with pytest.raises(ParameterError, match=name):
        analytic.trajectory(**given, time=[0.0])


# mass, stiffness, hysteresis, exponent, velocity, and the contact's time: mpmath, 40 digits, of the
# integral over the velocity
@pytest.mark.parametrize(("case", "tau"), [
    ((1e-3, 1e12, 1.186, 1.5, 1e3), 2.53550121530321716e-5),
    ((4e-3, 1e8, 1e4, 1.0, 0.5), 6.32606464475361857e-4),
    ((1e-2, 1e6, 1e6, 2.3, 3.0), 114.626112277219307),
    ((1e-6, 1e12, 1e6, 10.0, 1e4), 18901.2377159351641),
    ((1.0, 1e3, 1e6, 1.5, 1e-2), 57.4417737997895385),
    ((5e-2, 1e9, 2001.0, 3.5, 0.5), 2.27657278933558322),
])
def test_a_contact_damped_without_limit(case, tau):
    given = named(case)
    assert analytic.contact_time(**given) == pytest.approx(tau, rel=1e-13, abs=0.0)
    with pytest.raises(ParameterError, match=r"hysteresis .* at most .* s/m at this velocity: the "
                       r"closed form holds up to"):
        analytic.trajectory(**given, time=[0.0])


@pytest.mark.parametrize("exponent", [1.0, 1.5, 3.5, 10.0])
def test_both_forms_of_the_contact_time_agree(exponent):
    impact = _Impact(**named((1e-3, 1e8, 499.9, exponent, 2.0)))
    law = impact.time_law(3.0)
    assert impact.compressing + impact.releasing == pytest.approx(
        impact.scale * law.whole, rel=1e-13, abs=0.0)
    for damping in (0.5, 1.0, 1.1, 30.0):
        given = named((1e-3, 1e8, damping / 2.0, exponent, 2.0))
        impact = _Impact(**given)
        expected = impact.scale * impact.time_law(6.0).beyond(0.0, 1.0, 1.0)
        assert compression_time(**given) == pytest.approx(expected, rel=1e-12, abs=0.0)


@pytest.mark.parametrize("case", [case for case, found in GOLDEN.values() if found[3] is not None])
def test_the_time_of_the_compression(case):
    found = next(values for given, values in GOLDEN.values() if given == case)
    assert compression_time(**named(case)) == pytest.approx(found[3], rel=1e-9, abs=0.0)
    spring = named(case) | {"hysteresis": 0.0}
    assert compression_time(**spring) == pytest.approx(0.5 * analytic.contact_time(**spring),
                                                       rel=1e-14, abs=0.0)


def test_wrong_restitution():
    for wrong in (0.0, 1.0 + 1e-9, -0.5, math.nan):
        with pytest.raises(ParameterError, match="restitution"):
            analytic.hysteresis(restitution=wrong, velocity=1.0)
    with pytest.raises(ParameterError, match="time"):
        analytic.trajectory(**named(GOLDEN["soft"][0]), time=[0.0, math.inf])
