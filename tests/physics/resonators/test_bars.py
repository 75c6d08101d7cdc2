"""Bars against closed forms: Timoshenko's determinant and elements, Euler's where shear is off."""
import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import optimize

import pysitar
from pysitar.errors import ParameterError
from pysitar.physics.resonators.bar import bar_length

STEEL, ROSEWOOD = pysitar.material("steel"), pysitar.material("rosewood")


def bar(kind=pysitar.UndercutBar, **values):
    return kind(**{"length": 0.35, "width": 0.05, "thickness": 0.02, "material": ROSEWOOD,
                   "modes": 6, **values})


def euler(**values):
    return bar(pysitar.Bar, shear=False, **values)


def test_a_uniform_bar_has_its_closed_form():
    found = euler(modes=40)
    roots = [optimize.brentq(lambda x: math.cos(x) - 1.0 / math.cosh(x), *ends)
             for i in range(1, 41) for ends in [((i + 0.5) * math.pi - 0.3,
                                                 (i + 0.5) * math.pi + 0.3)]]
    speed = math.sqrt(22e9 / 1025.0) * 0.02 / math.sqrt(12.0)
    exact = speed * np.array(roots)**2 / (2.0 * math.pi * 0.35**2)
    assert found.frequencies == pytest.approx(exact, rel=1e-11)     # brentq's 2e-12
    assert (found.frequencies / found.frequencies[0])[1:4] == pytest.approx(
        [2.7565, 5.4039, 8.9330], abs=5e-5)
    limit = 0.5 * float(found.frequencies[9] + found.frequencies[10])
    assert euler(modes=None, max_frequency=limit).count == 10


def mean_products(resonator, weights_at=lambda x: 1.0, pieces=(0.0, 1.0)):
    nodes, weights = np.polynomial.legendre.leggauss(60)
    total, mass = 0.0, 0.0
    for start, end in pairwise(pieces):
        x = 0.5 * (start + end + (end - start) * nodes)
        w = 0.5 * (end - start) * weights * [weights_at(at) for at in x]
        shapes = np.array([resonator.shape(float(at)) for at in x])
        total, mass = total + shapes.T @ (w[:, None] * shapes), mass + w.sum()
    return total / mass


def test_shapes_of_a_uniform_bar():
    found = euler(modes=12)
    assert mean_products(found) == pytest.approx(np.eye(12), abs=1e-12)
    signs = [(-1.0)**i for i in range(12)]
    assert found.shape(0.0) == pytest.approx(np.full(12, 2.0), rel=1e-14)
    assert found.shape(1.0) == pytest.approx(2.0 * np.array(signs), rel=1e-14)
    # the node of the first mode, printed as 0.22416, times the slope of 8 there
    assert abs(found.shape(0.22416)[0]) < 8.0 * 5e-6


def test_a_bar_pushed_at_its_end_moves_as_the_closed_form():
    """The deflection at a pushed end of a free bar, less its motion as a rigid body."""
    found = euler(modes=60)
    compliance = math.fsum(found.shape(0.0)**2 / (
        found.masses * (2.0 * math.pi * found.frequencies)**2))
    # load F at x = 0 and inertia -m (4 - 6 x) F over the length 1; EI w'''' = load, without the
    # share of a motion as a rigid body: by polynomials, E I = L = F = 1
    x = np.polynomial.Polynomial([0.0, 1.0])
    moment = ((-4.0 + 6.0 * x).integ(2) + x)        # w'' from the free end, where the shear is 1
    assert abs(moment(1.0)) < 1e-12 and abs(moment.deriv()(1.0)) < 1e-12
    w = moment.integ(2)
    w = w - (4.0 - 6.0 * x) * w.integ()(1.0) - (12.0 * x - 6.0) * (x * w).integ()(1.0)
    section = 22e9 * 0.05 * 0.02**3 / 12.0
    # modes over the 60th hold 4 / (3 pi^4 60^3) of 0.0095
    assert compliance == pytest.approx(w(0.0) * 0.35**3 / section, rel=2e-5)
    assert compliance < w(0.0) * 0.35**3 / section


@pytest.mark.parametrize("kind", [pysitar.Bar, pysitar.UndercutBar])
def test_a_thin_bar_is_eulers(kind):
    shifts = []
    for thickness in (0.02, 0.01, 0.005, 0.0025):
        plain, full = euler(thickness=thickness), bar(kind, thickness=thickness)
        shifts.append(1.0 - full.frequencies / plain.frequencies)
    assert np.all(np.array(shifts) > 0.0)           # shear and rotation lower all
    # of second order in the thickness
    assert shifts[3][:3] == pytest.approx(0.25 * shifts[2][:3], rel=0.02)
    thin = bar(kind, thickness=0.0005)
    # (k h)^2 (1 + E / (5/6 G)) / 24 of the sixth mode, k L = 20.4, is 4.2e-4
    assert thin.frequencies == pytest.approx(euler(thickness=0.0005).frequencies, rel=4.2e-4)
    assert thin.shape(0.3) == pytest.approx(euler(thickness=0.0005).shape(0.3), abs=1e-3)


def timoshenko_determinant(omega, length, thickness, material):
    """Of the free ends' conditions on the four waves of an even beam: zero at a frequency."""
    e, rho = material.youngs_modulus, material.density
    nu = material.poisson_ratio
    shear = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu) * material.stiffness_in_shear
    inertia = thickness**2 / 12.0
    b = rho * omega**2 * (1.0 / e + 1.0 / shear)
    c = rho * omega**2 / (e * inertia) * (rho * omega**2 * inertia / shear - 1.0)
    squares = np.roots([1.0, b, c]).astype(complex)
    rows = [[], [], [], []]
    for root in np.sqrt(squares):
        for k in (root, -root):
            turn = k + rho * omega**2 / (shear * k)         # psi over v, from the shear equation
            scale = np.exp(-abs(k.real) * length / 2.0)
            for i, x in enumerate((-length / 2.0, length / 2.0)):
                wave = np.exp(k * x) * scale
                rows[2 * i].append(turn * k * wave)         # moment
                rows[2 * i + 1].append((k - turn) * wave)   # shear
    matrix = np.array(rows)
    return np.linalg.svd(matrix / np.abs(matrix).max(axis=1)[:, None], compute_uv=False)[-1]


@pytest.mark.parametrize("kind", [pysitar.Bar, pysitar.UndercutBar])
@pytest.mark.parametrize("material", [STEEL, ROSEWOOD], ids=["steel", "rosewood"])
def test_a_thick_bar_solves_timoshenkos_equation(material, kind):
    found = bar(kind, length=0.2, thickness=0.02, material=material)
    for f in found.frequencies.tolist():
        here = timoshenko_determinant(2.0 * math.pi * f, 0.2, 0.02, material)
        beside = timoshenko_determinant(2.0 * math.pi * f * 1.0001, 0.2, 0.02, material)
        # the smallest singular value is 0 at a frequency and linear beside it
        assert here < 1e-3 * beside


@pytest.mark.parametrize("thickness", [0.001, 0.01, 0.07])
def test_a_bar_is_the_undercut_one_without_a_cut(thickness):
    """Two ways to the same theory: elements are wrong by 1e-6 of a shape in the tenth mode, and by
    rounding, as the slenderness squared, in frequency."""
    count = 4 if thickness > 0.05 else 10
    even, elements = (bar(kind, thickness=thickness, modes=count)
                      for kind in (pysitar.Bar, pysitar.UndercutBar))
    assert even.frequencies == pytest.approx(elements.frequencies, rel=1e-8)
    for x in (0.0, 0.13, 0.5, 0.8):
        assert even.shape(x) == pytest.approx(elements.shape(x), abs=2e-5)


def test_where_the_theory_of_an_even_bar_ends():
    """Shear oscillates across the thickness from sqrt(12 kappa G / rho) / (2 pi h) on."""
    kappa = 10.0 * 1.4 / (12.0 + 11.0 * 0.4)
    end = math.sqrt(12.0 * kappa * 0.11 * 22e9 / 1025.0) / (2.0 * math.pi * 0.08)
    every = bar(pysitar.Bar, thickness=0.08, modes=None, max_frequency=end * 1.5)
    below = bar(thickness=0.08, modes=12).frequencies
    assert every.count == np.sum(below < end) == 4
    with pytest.raises(ParameterError, match="at most 4: from there on, shear oscillates"):
        bar(pysitar.Bar, thickness=0.08, modes=5)


def test_every_mode_up_to_the_end_is_found():
    """Also close below it, where a of cosh and sinh vanishes, and no other: nothing is at the end
    itself, and a thicker bar has a mode less only once the end has passed it."""
    kappa = 10.0 * 1.4 / (12.0 + 11.0 * 0.4)
    counts = []
    for thickness in np.linspace(0.036, 0.0875, 24).tolist():
        end = math.sqrt(12.0 * kappa * 0.11 * 22e9 / 1025.0) / (2.0 * math.pi * thickness)
        found = bar(pysitar.Bar, thickness=thickness, modes=None, max_frequency=2.0 * end)
        elements = bar(thickness=thickness, modes=16).frequencies
        # elements of these modes are wrong by up to 1e-5
        assert found.frequencies == pytest.approx(elements[elements < end], rel=1e-4)
        assert np.all(np.abs(found.shape(0.0)) < 2.0)
        counts.append(found.count)
    assert max(counts) >= 10 and min(counts) == 4 and counts == sorted(counts, reverse=True)


@pytest.mark.parametrize("frequency", [20.0, 830.0, 3000.0])
def test_the_length_of_a_frequency(frequency):
    length = bar_length(frequency, thickness=0.02, material=STEEL)
    found = bar(pysitar.Bar, length=length, material=STEEL, modes=1)
    assert found.frequencies[0] == pytest.approx(frequency, rel=1e-14)


def test_a_frequency_out_of_reach_is_named():
    """The highest is that of the bar four times as long as thick."""
    bar_of_it = bar(pysitar.Bar, length=0.08, thickness=0.02, material=STEEL, modes=1)
    highest = float(bar_of_it.frequencies[0])
    assert bar_length(0.999999 * highest, thickness=0.02, material=STEEL) == pytest.approx(0.08)
    with pytest.raises(pysitar.ParameterError, match=(
            rf"frequency is 14123.*at most {highest:.5g} Hz with a thickness of 0.02 m")):
        bar_length(1.01 * highest, thickness=0.02, material=STEEL)
    with pytest.raises(pysitar.ParameterError, match=r"frequency is 0.0001.*would be 10.* m long"):
        bar_length(1e-4, thickness=0.02, material=STEEL)


def test_more_elements_change_nothing():
    """Six modes or twenty take other degrees."""
    few, many = bar(depth=0.6, cut=0.5), bar(depth=0.6, cut=0.5, modes=20)
    assert few.frequencies == pytest.approx(many.frequencies[:6], rel=1e-7)
    assert few.shape(0.4) == pytest.approx(many.shape(0.4)[:6], abs=1e-4)


def test_a_vanishing_cut_is_of_first_order():
    plain = bar()
    shift = [1.0 - bar(depth=depth).frequencies / plain.frequencies for depth in (1e-3, 1e-4)]
    assert shift[0] == pytest.approx(10.0 * shift[1], rel=0.02)
    assert shift[0][0] > 0.0                        # the middle bends most in the first mode


def test_shapes_of_an_undercut_bar():
    """Symmetric in turn, free of net motion, and orthogonal by thickness but for rotation."""
    found = bar(depth=0.6, cut=0.4, thickness=0.01)
    signs = np.array([(-1.0)**i for i in range(6)])
    assert found.shape(0.2) == pytest.approx(signs * found.shape(0.8), abs=1e-12)
    assert np.all(found.shape(0.0) > 1.0)

    def thickness(x):
        u = (1.0 - 2.0 * x) / 0.4
        return 1.0 - 0.6 * (1.0 - u**4) if abs(u) < 1.0 else 1.0

    products = mean_products(found, thickness, (0.0, 0.3, 0.7, 1.0))
    # the rest is the energy of rotation, (k h)^2 / 12: 2e-3 of the first mode, more in the cut
    assert 1e-3 < 1.0 - products[0, 0] < 5e-3
    assert products == pytest.approx(np.eye(6), abs=5e-2)
    assert found.masses == pytest.approx(
        np.full(6, 1025.0 * 0.35 * 0.05 * 0.01 * (1.0 - 0.8 * 0.6 * 0.4)), rel=1e-13)


@pytest.mark.parametrize(("frequency", "ratios", "length"), [
    (262.0, (4.0, 9.5), (0.3, 0.5)), (262.0, (4.0, 10.0), (0.3, 0.5)),
    (523.0, (3.0, 5.8), (0.3, 0.5)),
])
def test_tuned_bars(frequency, ratios, length):
    """Marimbas 1 : 4 : 9.5 to 10, xylophones 1 : 3 : 5.8, of sizes that are played."""
    found = pysitar.tuned_bar(frequency=frequency, ratios=ratios, width=0.05, thickness=0.022,
                              material=ROSEWOOD, modes=5)
    # Newton to 1e-10 with three modes; five modes have other degrees
    assert found.frequencies[:3] == pytest.approx(frequency * np.array([1.0, *ratios]), rel=1e-6)
    assert length[0] < found.length < length[1] and 0.1 < found.depth < 0.8


def test_ratios_that_no_cut_has_are_refused():
    with pytest.raises(ParameterError, match="no undercut gives them"):
        pysitar.tuned_bar(frequency=262.0, ratios=(2.0, 12.0), width=0.05, thickness=0.022,
                          material=ROSEWOOD, modes=3)


def test_decay_of_bars():
    """Recorded T60: marimba c4 1.5 s and 0.35 to 1.2 s, glockenspiel 830 Hz 8.4, 2.7, 1.1 s."""
    marimba = pysitar.tuned_bar(frequency=262.0, ratios=(4.0, 9.5), width=0.06, thickness=0.022,
                                material=ROSEWOOD, modes=3)
    glockenspiel = pysitar.Bar(length=0.22, width=0.03, thickness=0.008, material=STEEL, modes=3)
    assert glockenspiel.frequencies[0] == pytest.approx(830.0, rel=0.1)
    for found, seconds in ((marimba, (1.5, 0.6)), (glockenspiel, (8.4, 2.7, 1.1))):
        for alpha, measured in zip(found.decay_rates, seconds, strict=False):
            assert 0.5 < 6.91 / alpha / measured < 2.0
    dry = bar(in_air=False, support_decay=0.25)
    assert dry.decay_rates == pytest.approx(0.25 + math.pi * 4.5e-3 * dry.frequencies, rel=1e-14)


@pytest.mark.parametrize(("values", "message"), [
    ({"thickness": 0.1}, "a quarter of the length"),
    ({"thickness": 1e-4}, "a thousandth of the length"),
    ({"depth": 0.99}, "depth"),
    ({"cut": 0.0}, "cut"),
    ({"modes": 41}, "40"),
    ({"modes": None, "max_frequency": 10.0}, "max_frequency"),
    ({"material": None}, "expected a Material"),
    ({"in_air": 1}, "in_air"),
    ({"kind": pysitar.Bar, "shear": 1}, "shear"),
])
def test_refused_bars(values, message):
    with pytest.raises(ParameterError, match=message):
        bar(**values)
