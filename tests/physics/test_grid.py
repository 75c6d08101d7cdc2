"""The grid of a string: its spacing against the bound itself, coefficients against the modes they
give, places, shares, end forces."""
import math
from dataclasses import replace

import numpy as np
import pytest

from pysitar import Barrier, ContactLaw, ParameterError, String
from pysitar.physics.contact import MAY_PULL
from pysitar.physics.grid import grid_rows, string_grid

STRING = String(length=1.0, tension=500.0, linear_density=0.063,
                bending_stiffness=2e11 * math.pi * 5e-4**4 / 4.0)
LOSSY = replace(STRING, sigma0=1.0, sigma2=2e-3)
IDEAL = String(length=1.0, tension=1.0, linear_density=1.0)
LAW = ContactLaw(stiffness=2e6, exponent=1.4, damping=0.3, adhesive=False)


@pytest.mark.parametrize(("string", "rate", "intervals"), [
    # the notes' on Ducceschi & Bilbao 2019
    (STRING, 44100.0, 223), (LOSSY, 44100.0, 222), (STRING, 220500.0, 522),
    (IDEAL, 200.0, 200), (IDEAL, 333.0, 333),  # h = c k: a quotient that rounds may not lose one
])
def test_intervals(string, rate, intervals):
    grid = string_grid(string, rate)
    assert grid.intervals == intervals and grid.count == intervals - 1
    assert grid.spacing == pytest.approx(string.length / intervals, rel=1e-15)
    assert grid.nodes.shape == (intervals
                                + 1, ) and grid.nodes[0] == 0.0 and grid.nodes[-1] == string.length
    assert np.diff(grid.nodes) == pytest.approx(np.full(intervals, grid.spacing), rel=1e-9)


def highest_root(numbers):
    """The greatest |z| of the recursion's waves exp(i b x) z^n, over all b: over 1, it grows."""
    worst = 0.0
    for s in np.linspace(0.0, 4.0, 81):          # 4 sin^2(b h / 2)
        pull = numbers["tension_number"] * s + numbers["bending_number"] * s * s
        drag, fade = numbers["sigma0"] * numbers["time_step"], numbers["loss_number"] * s
        worst = max(worst,
                    np.abs(np.roots([1.0 + drag, pull + fade - 2.0, 1.0 - drag - fade])).max())
    return worst


@pytest.mark.parametrize("string",
                         [STRING, LOSSY, replace(STRING, sigma2=0.1), replace(IDEAL, sigma2=1e-3)])
def test_the_finest_grid_is_just_stable(string):
    grid = string_grid(string, 44100.0 if string.tension > 1.0 else 300.0)
    # 1e-8: a double root at 1, or at -1 on the bound, is found to a square root of rounding
    assert highest_root(grid.coefficients) <= 1.0 + 1e-7
    if string.bending_stiffness:
        factor = (grid.intervals + 1) / grid.intervals
        finer = {name: value * factor**{"tension_number": 2, "bending_number": 4,
                                        "loss_number": 2}.get(name, 0) for name,
                 value in grid.coefficients.items()}
        assert highest_root(finer) > 1.001
    with pytest.raises(ParameterError, match=f"at most {grid.intervals}, of .* stable"):
        string_grid(string, grid.sample_rate, grid.intervals + 1)
    assert string_grid(string, grid.sample_rate, 20).intervals == 20


def test_coefficients_give_the_modes():
    # mode i of the grid: with s = 4 sin^2(i pi / 2 M), z^2 - 2 z cos(w k) R + R^2 has the roots of
    # the recursion; to 2nd order in h and k they are the string's own frequency and decay rate
    string = replace(LOSSY, sigma0=3.0)
    grid = string_grid(string, 96000.0, 200)
    c, k = grid.coefficients, 1.0 / 96000.0
    for i in (1, 2, 5):
        s = 4.0 * math.sin(0.5 * i * math.pi / 200) ** 2
        pull, fade, drag = c["tension_number"] * s + c["bending_number"] * s * s, c[
            "loss_number"] * s, c["sigma0"] * k
        z = np.roots([1.0 + drag, pull + fade - 2.0, 1.0 - drag - fade])[0]
        assert abs(np.angle(z)) / (2.0 * math.pi * k) == pytest.approx(
            string.frequency(i), rel=1e-3)
        assert -math.log(abs(z)) / k == pytest.approx(string.decay_rate(i * math.pi), rel=5e-3)
    assert grid.node_mass == pytest.approx(0.063 / 200, rel=1e-15)


def test_places_and_shapes():
    grid = string_grid(STRING, 44100.0)
    h = grid.spacing
    node, fraction = grid.place(17.25 * h)
    assert node == 17 and fraction == pytest.approx(0.25, rel=1e-12)
    assert grid.place(grid.nodes[112]) == (112, 0.0)
    assert grid.place(112 * h * (1.0 + 1e-13)) == grid.place(112 * h * (1.0 - 1e-13)) == (112, 0.0)
    assert grid.place(0.0) == (0, 0.0) and grid.place(1.0) == (222, 1.0)
    # linear interpolation gives back a straight line between any two nodes, and both ends are 0
    line = grid.nodes[1:-1] * 2e-3
    for x in (0.0, 0.4 * h, 0.3, 0.9, 222 * h):
        assert grid.shape(x) @ line == pytest.approx(2e-3 * x, rel=1e-12, abs=1e-18)
    assert not grid.shape(1.0).any()
    assert grid.shape(222.25 * h) @ line == pytest.approx(0.75 * line[-1], rel=1e-12)
    for wrong in (-1e-9, 1.1, math.nan, "x"):
        with pytest.raises(ParameterError, match="position"):
            grid.place(wrong)


def test_shares_of_a_force():
    grid = string_grid(STRING, 44100.0)
    h = grid.spacing
    # the notes: node floor(x / h + 1/2), 67 at 0.3 m
    assert np.flatnonzero(grid.spread(0.3)).tolist() == [66] and grid.spread(0.3).sum() == 1.0
    assert np.flatnonzero(grid.spread(0.0)).tolist() == [0] and np.flatnonzero(
        grid.spread(1.0)).tolist() == [221]
    assert np.array_equal(grid.spread(0.3, spread="linear"), grid.shape(0.3))
    # over a width: all of it, its centre, and the mean of any straight line
    shares = grid.spread(0.3, 0.0123)
    assert shares.sum() == pytest.approx(1.0, rel=1e-12)
    assert shares @ grid.nodes[1:-1] == pytest.approx(0.3, rel=1e-12)
    assert shares.min() >= 0.0 and np.count_nonzero(shares) in (4, 5)
    # a width far under h is a point, to its own order
    assert grid.spread(10.3 * h, 1e-6 * h) == pytest.approx(grid.shape(10.3 * h), abs=1e-6)
    # inside one interval as within: even over [20.1, 20.5] h
    assert grid.spread(20.3 * h, 0.4 * h)[[19, 20]] == pytest.approx([0.7, 0.3], rel=1e-9)
    for given in ({"x": 0.3, "spread": "even"}, {"x": 0.3, "width": -1.0},
                  {"x": 0.01, "width": 0.1}, {"x": 2.0}):
        with pytest.raises(ParameterError):
            grid.spread(**given)


def test_end_forces():
    # of sin(i pi x): (-1)^(i + 1) (T b + EI b^3) at x = L, T b + EI b^3 at 0; 2nd order in h
    errors = []
    for intervals in (50, 100, 200):
        grid = string_grid(STRING, 44100.0, intervals)
        for i in (1, 2):
            y = np.sin(i * math.pi * grid.nodes[1:-1])
            b = i * math.pi
            whole = b * (STRING.tension + STRING.bending_stiffness * b * b)
            assert grid.slope_force_start() @ y == pytest.approx(
                whole, rel=1e-3 * i * i * (50 / intervals)**2)
            assert grid.slope_force_end() @ y == pytest.approx(
                (-1.0)**(i + 1) * whole, rel=1e-3 * i * i * (50 / intervals)**2)
        errors.append(abs(grid.slope_force_end() @ np.sin(math.pi * grid.nodes[1:-1]) - math.pi * (
            STRING.tension + STRING.bending_stiffness * math.pi**2)))
    assert [math.log2(errors[0] / errors[1]),
            math.log2(errors[1] / errors[2])] == pytest.approx([2.0, 2.0], abs=0.05)


def test_shapes_of_displacement():
    grid = string_grid(STRING, 44100.0)
    assert np.array_equal(grid.sampled(lambda x: x * x),
                          np.array([x * x for x in grid.nodes[1:-1].tolist()]))
    drawn = grid.triangle(0.3, 2e-3)
    assert drawn == pytest.approx(
        2e-3 * np.minimum(grid.nodes[1:-1] / 0.3, (1.0 - grid.nodes[1:-1]) / 0.7), rel=1e-12)
    for position, height in ((0.0, 1e-3), (1.0, 1e-3), (0.5, math.inf)):
        with pytest.raises(ParameterError):
            grid.triangle(position, height)
    with pytest.raises(ParameterError, match=r"shape\(0\.004"):
        grid.sampled(lambda x: math.nan)


def test_rows():
    grid = string_grid(STRING, 44100.0)
    h = grid.spacing
    rows = grid_rows(grid, [
        Barrier(profile=lambda x: -x, start=10 * h, end=12.5 * h, points=1, law=LAW),
        Barrier.point(position=0.5, height=-1e-3, law=LAW),
        Barrier.at(positions=[0.25 * h, 30 * h], heights=[1e-3, 2e-3], weights=[0.1, 0.2],
                   law=ContactLaw(stiffness=5.0)),
    ])
    # the profile's at nodes 10 to 12, ends among them, each standing for h; the others as they are,
    # between two nodes
    assert rows["nodes"].tolist() == [10, 11, 12, 111, 0, 30]
    assert rows["fractions"] == pytest.approx([0.0, 0.0, 0.0, 0.5, 0.25, 0.0], abs=1e-12)
    assert rows["fractions"][5] == 0.0
    assert rows["offsets"] == pytest.approx([-10 * h, -11 * h, -12 * h, -1e-3, 1e-3, 2e-3],
                                            rel=1e-12)
    laws = rows["laws"]
    stiffness, exponent = laws["parameters"][:, 0], laws["parameters"][:, 1]
    assert stiffness == pytest.approx([2e6 * h] * 3 + [2e6, 0.5, 1.0], rel=1e-15)
    assert exponent.tolist() == [1.4] * 4 + [1.0] * 2
    assert laws["damping"].tolist() == [0.3] * 4 + [0.0] * 2
    assert laws["flags"].tolist() == [0] * 4 + [MAY_PULL] * 2
    assert not laws["kind"].any()
    assert rows["nodes"].dtype == np.int32
    everywhere = grid_rows(grid,
                           [Barrier(profile=lambda x: -1.0, start=0.0, end=1.0, points=1, law=LAW)])
    assert everywhere["nodes"].tolist() == list(range(1, 223))
    assert all(values.shape == (0,) for values in grid_rows(grid, []).values())


def test_refused():
    for name in ("sigma1", "sigma3"):
        with pytest.raises(ParameterError, match=rf"{name}.*grid_losses\(f1, f2\)"):
            string_grid(replace(STRING, **{name: 1e-3}), 44100.0)
    assert string_grid(replace(STRING, sigma0=0.6, sigma1=6.5e-3).grid_losses(100.0, 2000.0),
                       44100.0).intervals > 100
    with pytest.raises(ParameterError, match="3 stable intervals at this rate"):
        string_grid(IDEAL, 3.9)
    with pytest.raises(ParameterError, match="expected a lower rate"):
        string_grid(IDEAL, 1e5)
    for rate in (0.0, -1.0, math.nan, 2e9):
        with pytest.raises(ParameterError, match="sample_rate"):
            string_grid(STRING, rate)
    with pytest.raises(ParameterError, match="intervals"):
        string_grid(STRING, 44100.0, 3)
    grid = string_grid(STRING, 44100.0)
    with pytest.raises(ParameterError, match=r"no node of the grid, 0\.00448 m apart"):
        grid_rows(grid,
                  [Barrier(profile=lambda x: 0.0, start=0.5001, end=0.5009, points=1, law=LAW)])
    with pytest.raises(ParameterError, match="barrier position"):
        grid_rows(grid, [Barrier.point(position=1.5, height=0.0, law=LAW)])
