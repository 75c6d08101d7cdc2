"""Plates against closed forms, published tables, and Ritz solutions that share no code with
them."""
import math

import numpy as np
import pytest
from numpy.polynomial import Legendre, Polynomial
from scipy import linalg

import pysitar
from pysitar.errors import ParameterError
from pysitar.physics.resonators.circular_plate import _Edge
from pysitar.physics.resonators.rectangular_plate import _free_modes

STEEL = pysitar.material("steel")


def lambdas(plate, size):
    """omega size^2 sqrt(rho h / D) of a plate's modes."""
    speed = math.sqrt(plate.material.plate_stiffness(plate.thickness)
                      / (plate.material.density * plate.thickness))
    return 2.0 * math.pi * plate.frequencies * size * size / speed


def rectangle(**values):
    return pysitar.RectangularPlate(**{"length": 0.4, "width": 0.3, "thickness": 0.002,
                                       "material": STEEL, **values})


def disc(nu=0.3, **values):
    material = pysitar.Material(density=7800.0, youngs_modulus=2e11, poisson_ratio=nu)
    return pysitar.CircularPlate(**{"radius": 0.2, "thickness": 0.002, "material": material,
                                    **values})


def mean_products_over_rectangle(plate, points=24):
    """The means of all products of two shapes over a plate, by Gauss's rule."""
    nodes, weights = np.polynomial.legendre.leggauss(points)
    places, weights = 0.5 * (1.0 + nodes), 0.5 * weights
    shapes = np.array([plate.shape((float(x), float(y))) for x in places for y in places])
    return shapes.T @ (np.outer(weights, weights).ravel()[:, None] * shapes)


def mean_products_over_disc(plate, points=30, angles=32):
    nodes, weights = np.polynomial.legendre.leggauss(points)
    r, w = 0.5 * (1.0 + nodes), 0.5 * weights
    turns = [2.0 * math.pi * k / angles for k in range(angles)]
    shapes = np.array([plate.shape((float(x), t)) for x in r for t in turns])
    return shapes.T @ (np.repeat(2.0 * w * r, angles)[:, None] / angles * shapes)


def test_a_supported_plate_has_its_closed_form():
    plate = rectangle(edges="supported", modes=50)
    d = STEEL.plate_stiffness(0.002)
    exact = sorted(math.pi / 2.0 * math.sqrt(d / (7800.0 * 0.002)) * ((m / 0.4)**2 + (n / 0.3)**2)
                   for m in range(1, 30) for n in range(1, 30))[:50]
    assert plate.frequencies == pytest.approx(exact, rel=1e-14)     # some roundings
    assert plate.shape((0.3, 0.2))[0] == pytest.approx(
        2.0 * math.sin(0.3 * math.pi) * math.sin(0.2 * math.pi), rel=1e-14)


def test_all_modes_below_a_frequency():
    most = rectangle(edges="supported", modes=60)
    limit = 0.5 * float(most.frequencies[39] + most.frequencies[40])
    assert rectangle(edges="supported", max_frequency=limit).frequencies.tolist() == (
        most.frequencies[:40].tolist())
    free = rectangle(modes=12)
    limit = 0.5 * float(free.frequencies[7] + free.frequencies[8])
    # another number of polynomials: 1e-6 of convergence each
    assert rectangle(max_frequency=limit).frequencies == pytest.approx(free.frequencies[:8],
                                                                       rel=2e-6)


def test_a_static_force_bends_a_supported_plate_as_the_closed_form():
    """w = 0.01160 F a^2 / D at the centre of a square (Timoshenko & Woinowsky-Krieger, table 23).
    """
    plate = rectangle(length=0.3, width=0.3, edges="supported", modes=1000)
    shapes = plate.shape((0.5, 0.5))
    deflection = math.fsum(shapes**2 / (plate.masses * (2.0 * math.pi * plate.frequencies)**2))
    alpha = deflection * STEEL.plate_stiffness(0.002) / 0.3**2
    # modes over the 1000th hold 1 / (4 pi k^2) D / F a^2, with k^2 = 4 pi 1000: 6.4e-6
    missing = 1.0 / (4.0 * math.pi * 4.0 * math.pi * 1000.0)
    exact = 0.0116008                # of the double series with 1e6 terms
    assert alpha == pytest.approx(exact - missing, abs=0.2 * missing)
    assert 0.5 * missing < exact - alpha


@pytest.mark.parametrize(("edges", "place"), [("supported", (0.47, 0.44)), ("free", (0.47, 0.44))])
def test_the_mean_mobility_is_that_of_an_infinite_plate(edges, place):
    """The conductance at a point, averaged over frequency, is 1 / (8 sqrt(D rho h)) (Cremer &
    Heckl)."""
    modes = 120
    plate = rectangle(edges=edges, modes=modes)
    d = STEEL.plate_stiffness(0.002)
    # each resonance holds pi shape^2 / (2 mass) of the integral over omega; mean over some places,
    # of which single ones vary
    places = [(place[0] + 0.013 * i, place[1] - 0.011 * j) for i in range(-8, 9, 2)
              for j in range(-8, 9, 2)]
    square = np.mean([plate.shape(at)**2 for at in places], axis=0)
    half = modes // 2
    total = math.fsum((math.pi * square / (2.0 * plate.masses))[half:])
    span = 2.0 * math.pi * float(plate.frequencies[-1] - plate.frequencies[half - 1])
    infinite = 1.0 / (8.0 * math.sqrt(d * 7800.0 * 0.002))
    # 60 modes at irregular distances, and a density of modes that edges change by 1 / sqrt(count)
    assert total / span == pytest.approx(infinite, rel=0.12)


# Square, nu = 0.3: converged solutions (Gorman 1978; Liew et al. 1998). Leissa's well-known table
# of 1973 is an upper bound by 36 products of beams' functions, 0.15 to 0.9 % above.
FREE_SQUARE = (13.468, 19.596, 24.270, 34.801, 34.801, 61.093, 61.093)
LEISSA_1973 = (13.489, 19.789, 24.432, 35.024, 35.024, 61.526, 61.526)


def free_square(modes=7):
    material = pysitar.Material(density=7800.0, youngs_modulus=2e11, poisson_ratio=0.3)
    return rectangle(length=0.3, width=0.3, material=material, modes=modes)


def test_a_free_square_plate_has_the_published_values():
    values = lambdas(free_square(), 0.3)
    assert values == pytest.approx(FREE_SQUARE, abs=6e-4)           # printed with three places


def test_leissas_table_is_an_upper_bound():
    above = np.array(LEISSA_1973) / lambdas(free_square(), 0.3)
    assert np.all((above > 1.001) & (above < 1.011))


def test_six_functions_of_beams_are_leissas_table():
    """Ritz with the functions that Leissa took, written here again, has his digits."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    x = 0.5 * nodes
    functions = [(np.ones(60), np.zeros(60), np.zeros(60)),
                 (math.sqrt(12.0) * x, np.full(60, math.sqrt(12.0)), np.zeros(60))]
    for i, k in enumerate((4.7300407449, 7.8532046241, 10.9956078380, 14.1371654913), start=1):
        c, s = (np.cos, np.sin) if i % 2 else (np.sin, np.cos)
        ch, sh = (np.cosh, np.sinh) if i % 2 else (np.sinh, np.cosh)
        a, b, sign = 1.0 / c(k / 2.0), 1.0 / ch(k / 2.0), -1.0 if i % 2 else 1.0
        functions.append((a * c(k * x) + b * ch(k * x),
                          k * (sign * a * s(k * x) + b * sh(k * x)),
                          k * k * (-a * c(k * x) + b * ch(k * x))))
    w = 0.5 * weights
    values, slopes, curves = (np.array(part) for part in zip(*functions, strict=True))
    one, two, three = (a * w @ a.T for a in (values, slopes, curves))
    mixed = values * w @ curves.T
    nu = 0.3
    stiffness = (np.kron(three, one) + np.kron(one, three) + nu * (np.kron(mixed, mixed.T)
                 + np.kron(mixed.T, mixed)) + 2.0 * (1.0 - nu) * np.kron(two, two))
    found = np.sqrt(linalg.eigh(stiffness, np.kron(one, one), eigvals_only=True)[3:10].clip(0.0))
    assert found == pytest.approx(LEISSA_1973, rel=1e-3)
    assert np.all(found > lambdas(free_square(), 0.3))


def test_ritz_falls_to_its_limit():
    """Upper bounds that fall as polynomials are added, by a factor over 2 from 8 to 12 to 16."""
    values = [np.array(_free_modes(1.0, 0.3, size, size)[0][:6]) for size in (8, 12, 16, 22)]
    errors = [v / values[-1] - 1.0 for v in values[:-1]]
    assert all(np.all(e > 0.0) for e in errors)
    assert np.all(errors[1] < 0.5 * errors[0]) and np.all(errors[2] < 0.5 * errors[1])
    assert errors[2].max() < 1e-6 and errors[0].max() > 1e-5


def test_a_long_free_plate_bends_as_a_bar():
    """At nu = 0 a plate's modes without nodal lines along x are exactly those of a bar."""
    material = pysitar.Material(density=1000.0, youngs_modulus=1e9, poisson_ratio=0.0)
    plate = rectangle(length=0.5, width=0.05, thickness=0.002, material=material, modes=12)
    bar = pysitar.Bar(length=0.5, width=0.05, thickness=0.002, material=material, modes=4,
                      shear=False)
    for f in bar.frequencies:
        assert np.abs(plate.frequencies / f - 1.0).min() < 1e-8     # Ritz of smooth shapes


def test_a_free_plate_turned_is_the_same():
    one, other = rectangle(modes=20), rectangle(length=0.3, width=0.4, modes=20)
    assert one.frequencies == pytest.approx(other.frequencies, rel=2e-6)
    assert np.abs(one.shape((0.2, 0.7))) == pytest.approx(np.abs(other.shape((0.7, 0.2))), abs=1e-3)


@pytest.mark.parametrize("edges", ["supported", "free"])
def test_shapes_of_rectangles_are_orthogonal(edges):
    plate = rectangle(edges=edges, modes=20)
    assert mean_products_over_rectangle(plate) == pytest.approx(np.eye(20), abs=1e-11)
    assert plate.masses == pytest.approx(np.full(20, 7800.0 * 0.4 * 0.3 * 0.002), rel=1e-14)


def test_free_shapes_have_no_net_motion():
    """No force acts on a free plate: momentum and angular momentum stay 0."""
    plate = rectangle(modes=20)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    total = np.zeros((3, 20))
    for x, wx in zip(nodes, weights, strict=True):
        for y, wy in zip(nodes, weights, strict=True):
            shape = plate.shape((0.5 + 0.5 * float(x), 0.5 + 0.5 * float(y)))
            total += wx * wy * np.outer([1.0, x, y], shape)
    assert np.abs(total).max() < 1e-11


# Leissa 1969, tables 2.1 (clamped), and Itao & Crandall 1979 (free, nu = 0.33), by (n, s): lambda^2
CLAMPED = {(0, 0): 10.2158, (1, 0): 21.26, (2, 0): 34.88, (0, 1): 39.771, (3, 0): 51.04,
           (1, 1): 60.82, (4, 0): 69.6659, (2, 1): 84.58, (0, 2): 89.104}
SUPPORTED = {(0, 0): 4.9351, (1, 0): 13.8982, (2, 0): 25.6133, (0, 1): 29.7200}
FREE = {(2, 0): 5.253, (0, 0): 9.084, (3, 0): 12.23, (1, 0): 20.52, (4, 0): 21.6, (2, 1): 35.25}


@pytest.mark.parametrize(("edge", "nu", "table", "close"), [
    ("clamped", 0.3, CLAMPED, 3e-4),      # four digits, of which Leissa's 51.04 is 2e-4 off
    ("supported", 0.3, SUPPORTED, 1e-5),
    ("free", 0.33, FREE, 3.5e-3),         # Leissa's are 0.17 % off, his 21.6 by 0.34 %
])
def test_circular_plates_have_the_published_values(edge, nu, table, close):
    characteristic = _Edge(edge, nu)
    for (order, s), value in table.items():
        found = characteristic.wave_numbers(order, 12.0)[s]**2
        assert found == pytest.approx(value, rel=close)


@pytest.mark.parametrize("order", [0, 1, 2, 5])
def test_a_free_disc_has_the_values_of_its_energy(order):
    """Ritz with r^n P_k(2 r^2 - 1) on the strain energy, whose edges are free by themselves."""
    nu = 0.33
    nodes, weights = np.polynomial.legendre.leggauss(60)
    r, w = 0.5 * (1.0 + nodes), 0.5 * weights
    shapes = [Polynomial([0.0] * order + [1.0]) * Legendre.basis(k).convert(kind=Polynomial)(
        Polynomial([-1.0, 0.0, 2.0])) for k in range(9)]
    value, slope, curve = (np.array([f.deriv(times)(r) for f in shapes]) for times in range(3))
    ring = slope / r - order**2 * value / r**2
    twist = order * (slope / r - value / r**2)
    bend, wr = curve + ring, w * r
    stiffness = bend * wr @ bend.T - (1.0 - nu) * (curve * wr @ ring.T + ring * wr @ curve.T
                                                   - 2.0 * (twist * wr @ twist.T))
    mass = value * wr @ value.T
    squares = linalg.eigh(stiffness, mass, eigvals_only=True)
    rigid = 1 if order < 2 else 0
    found = [x**2 for x in _Edge("free", nu).wave_numbers(order, 12.0)][:2]
    # stiffness reaches 1e8: 1e-16 of it, over 4 lambda^4 of 100
    assert found == pytest.approx(np.sqrt(squares[rigid:rigid + 2]), rel=1e-9)


@pytest.mark.parametrize("edge", ["free", "supported", "clamped"])
def test_shapes_of_discs_are_orthogonal(edge):
    plate = disc(edge=edge, modes=20)
    assert mean_products_over_disc(plate) == pytest.approx(np.eye(20), abs=1e-11)
    at_edge = np.abs(plate.shape((1.0, 0.3))).max()
    assert at_edge > 1.0 if edge == "free" else at_edge < 1e-12


def test_doublets_turn_by_a_quarter_of_a_wave():
    plate = disc(modes=2)
    assert plate.frequencies[0] == plate.frequencies[1]
    first, second = plate.shape((0.8, 0.1))
    turned = plate.shape((0.8, 0.1 + math.pi / 4.0))                # order 2
    assert turned == pytest.approx([-second, first], rel=1e-12)


def test_a_clamped_disc_bends_under_a_force_at_its_centre():
    """w = F a^2 / (16 pi D) (Timoshenko & Woinowsky-Krieger, eq. 92)."""
    plate = disc(edge="clamped", modes=400)
    shapes = plate.shape((0.0, 0.0))
    sums = np.cumsum(shapes**2 / (plate.masses * (2.0 * math.pi * plate.frequencies)**2))
    exact = 0.2**2 / (16.0 * math.pi * plate.material.plate_stiffness(0.002))
    # the missing part falls as 1 over the number of modes
    assert 1e-4 < 1.0 - sums[-1] / exact < 4e-3
    assert 1.5 < (1.0 - sums[199] / exact) / (1.0 - sums[-1] / exact) < 2.5


def test_decay_by_material_and_by_air():
    dry = rectangle(modes=20, in_air=False, support_decay=0.5)
    assert dry.decay_rates == pytest.approx(0.5 + math.pi * 2e-4 * dry.frequencies, rel=1e-14)
    wet = rectangle(modes=20, support_decay=0.5)
    assert np.all(wet.decay_rates > dry.decay_rates)
    # half as thick: half the frequency and weight, twice the critical frequency; the efficiency
    # goes as f^(1/2) / fc^(3/2) far below it, a quarter, and so does a decay rate half
    thin = rectangle(modes=20, thickness=0.001, support_decay=0.5)
    air, thin_air = (p.decay_rates - 0.5 - math.pi * 2e-4 * p.frequencies for p in (wet, thin))
    assert thin_air == pytest.approx(0.5 * air, rel=0.15)
    t60 = 6.91 / wet.decay_rates
    assert t60.min() > 0.5 and t60.max() < 14.0


@pytest.mark.parametrize(("values", "message"), [
    ({"thickness": 0.1}, "a fifth of the shortest side"),
    ({"edges": "fre"}, "did you mean free"),
    ({"modes": 400}, "whole number from 1 to 300"),
    ({"modes": None}, "exactly one of modes and max_frequency"),
    ({"modes": None, "max_frequency": 1.0}, "below the first mode"),
    ({"modes": None, "max_frequency": 16e3}, "above more than 300 modes"),
    ({"modes": None, "max_frequency": 1e8}, "above more than 300 modes"),
    ({"modes": None, "max_frequency": 1e8, "edges": "supported"}, "above more than 1024 modes"),
    ({"modes": None, "max_frequency": 60e3, "edges": "supported"}, "above more than 1024 modes"),
    ({"modes": None, "max_frequency": 1.0, "edges": "supported"}, "below the first mode"),
    ({"length": 10.0}, "at most 20 times the width"),
    ({"material": "steel"}, "expected a Material"),
    ({"support_decay": 1e6}, "would not oscillate"),
])
def test_refused_plates(values, message):
    with pytest.raises(ParameterError, match=message):
        rectangle(**{"modes": 3, **values})


@pytest.mark.parametrize("limit", [1.0, 1e8])
def test_refused_discs(limit):
    with pytest.raises(ParameterError, match="max_frequency"):
        disc(max_frequency=limit)


def test_a_ribbon_has_few_modes_across():
    """A supported plate 1000 times as long as wide: the first are m = 1, 2, ... with n = 1."""
    plate = rectangle(length=10.0, width=0.01, edges="supported", modes=5)
    ratio = plate.frequencies / plate.frequencies[0] - 1.0
    assert ratio == pytest.approx([(m * m - 1.0) / 1000001.0 for m in range(1, 6)], abs=1e-13)


@pytest.mark.parametrize("position", [(1.2, 0.5), (0.5, -0.1), 0.5, (0.1, 0.2, 0.3)])
def test_refused_positions(position):
    with pytest.raises(ParameterError):
        rectangle(modes=1).shape(position)
