"""Gestures and starting shapes against their integrals, closed forms and golden numbers; the energy
balance's scale."""
import math

import numpy as np
import pytest
from physics.strings import SITAR

from pysitar.errors import ParameterError
from pysitar.physics.energy import Energy
from pysitar.physics.excitation import project, raised_cosine, ramp_release, triangle
from pysitar.physics.modes import string_modes
from pysitar.physics.string import String

DT = 1.0 / 44100.0


def test_golden_triangle():
    modes = string_modes(SITAR, max_frequency=20e3)
    y = triangle(modes, position=0.35, height=3e-3)
    # golden G4, printed with 12 digits
    assert y[0] == pytest.approx(0.00234201598448, rel=1e-11)
    assert sum((modes.slope_force_end() * y).tolist()) == pytest.approx(0.981774540279, rel=1e-11)
    assert sum((modes.slope_force_start() * y).tolist()) == pytest.approx(0.423837886833, rel=1e-11)


def test_triangle_sums_to_its_shape():
    modes = string_modes(String(length=1.0, tension=1.0, linear_density=1.0), count=2000)
    y = triangle(modes, position=0.3, height=2e-3)
    # away from the corner the series' tail is a sum of oscillating terms: below 2 h / (pi^2 x (L -
    # x) M^2) / sin(pi dx / 2)
    assert float(sum(y * modes.shape(0.6))) == pytest.approx(2e-3 * 0.4 / 0.7, abs=2e-9)
    # at the corner the terms have one sign half the time: 2 h / (pi^2 x (L - x)) sum_{i>M} sin^2(b
    # x)/i^2, about h / (pi^2 .21 M)
    tail = 2e-3 / (math.pi**2 * 0.21 * 2000)
    assert float(sum(y * modes.shape(0.3))) == pytest.approx(2e-3 - tail, abs=0.01 * tail)


@pytest.mark.parametrize("corner", [0.35, 0.3517, 0.0003])
def test_project_is_the_triangle(corner):
    # 0.35 m is an edge of a panel of the quadrature, the others lie within one
    modes = string_modes(SITAR, max_frequency=20e3)
    y = project(modes, lambda x: 3e-3 * (x / corner if x < corner else (0.5 - x) / (0.5 - corner)))
    # 1e-14 of the largest value from the halving, and rotations that lose 60 roundings
    assert y == pytest.approx(triangle(modes, position=corner, height=3e-3), abs=2e-14 * 3e-3)


def test_project_is_orthogonal():
    modes = string_modes(SITAR, count=100)
    for i in (1, 17, 100):
        y = project(modes, lambda x, i=i: math.sin(i * math.pi * x / 0.5))
        expected = np.zeros(100)
        expected[i - 1] = 1.0
        # the shape's own argument is rounded: 100 pi 2^-53 = 3.5e-14
        assert y == pytest.approx(expected, abs=1e-13)


def test_project_a_parabola():
    modes = string_modes(SITAR, count=50)
    y = project(modes, lambda x: x * (0.5 - x))
    odd = np.arange(1, 51) % 2
    # largest value 0.065
    assert y == pytest.approx(8.0 * odd / (0.5 * modes.wave_numbers**3), abs=1e-15)


def test_project_nothing():
    assert project(string_modes(SITAR, count=3), lambda x: 0.0).tolist() == [0.0, 0.0, 0.0]


def test_project_needs_finite_values():
    with pytest.raises(ParameterError, match=r"shape\(.* m\) is nan"):
        project(string_modes(SITAR, count=3), lambda x: math.nan)


def test_a_shape_is_a_function():
    with pytest.raises(ParameterError, match=r"^shape is 3; expected a function of x \(m\)"):
        project(string_modes(SITAR, count=3), 3)


def test_raised_cosine():
    values = raised_cosine(force=-2.0, duration=1e-3, time_step=1e-5)
    assert values.shape == (100,)
    # samples at the middles of whole steps sum a cosine to nothing: the mean is half the force
    assert float(values.mean()) == pytest.approx(-1.0, rel=1e-14)
    assert values == pytest.approx(values[::-1], abs=1e-14)
    assert values[0] == pytest.approx(-(1.0 - math.cos(0.01 * math.pi)), rel=1e-12)
    assert raised_cosine(force=2.0, duration=1e-6, time_step=1e-5).size == 0


def test_ramp_release():
    values = ramp_release(force=2.0, ramp=6e-3, release=0.5e-3, time_step=1e-5)
    assert values.shape == (650,)
    assert values[:600] == pytest.approx(1.0 - np.cos(np.pi * (np.arange(600) + 0.5) / 600),
                                         abs=1e-13)
    # t - ramp cancels
    assert values[600:] == pytest.approx(1.0 + np.cos(np.pi * (np.arange(50) + 0.5) / 50),
                                         abs=1e-11)
    # impulse: half the force over each part
    assert float(values.sum()) * 1e-5 == pytest.approx(6.5e-3, rel=1e-12)
    sudden = ramp_release(force=2.0, ramp=6e-3, release=0.0, time_step=1e-5)
    assert sudden.tolist() == values[:600].tolist()


@pytest.mark.parametrize(("name", "value"), [
    ("force", math.nan),
    ("force", "2"),
    ("ramp", 0.0),
    ("ramp", -1.0),
    ("release", -1e-6),
    ("time_step", 0.0),
    ("time_step", 1e-18),
])
def test_ramp_ranges(name, value):
    with pytest.raises(ParameterError, match=f"^{name} is "):
        ramp_release(**{"force": 2.0, "ramp": 6e-3, "release": 3e-4, "time_step": DT, name: value})


@pytest.mark.parametrize(("name", "value"), [("force", math.inf), ("duration", 0.0),
                                             ("duration", math.nan), ("time_step", -DT)])
def test_cosine_ranges(name, value):
    with pytest.raises(ParameterError, match=f"^{name} is "):
        raised_cosine(**{"force": 2.0, "duration": 1e-3, "time_step": DT, name: value})


@pytest.mark.parametrize(("name", "value"), [("position", 0.0), ("position", 0.5),
                                             ("position", math.nan), ("height", math.inf)])
def test_triangle_ranges(name, value):
    with pytest.raises(ParameterError, match=f"^{name} is "):
        triangle(string_modes(SITAR, count=3), **{"position": 0.35, "height": 3e-3, name: value})


def balance(**changed):
    arrays = {
        "kinetic": [1.0, 2.0, 1.0, 1.0], "potential": [0.0, 1.0, 0.5, 0.0],
        "contact": [0.0, 0.0, 0.25, 0.0], "losses": [0.0, 0.5, 1.0,
                                                     1.25], "work": [0.0, 2.5, 1.75, 1.25]
    }
    return Energy(**{name: np.array(values) for name, values in {**arrays, **changed}.items()})


def test_balance():
    energy = balance()
    assert energy.total.tolist() == [1.0, 3.0, 1.75, 1.0]
    assert energy.residual.tolist() == [0.0, 0.0, 0.0, 0.0]
    # |work| adds up to 0, 2.5, 3.25, 3.75; the greatest H so far is 1, 3, 3, 3
    assert energy.scale.tolist() == [1.0, 3.0, 3.25, 3.75]
    assert balance(losses=[0.0, 0.5, 1.0, 2.25]).residual.tolist() == [0.0, 0.0, 0.0, 1.0 / 3.75]
    assert balance(throughput=[0.0, 0.0, 0.0, 0.0]).scale.tolist() == [1.0, 3.0, 3.0, 3.0]
    assert balance(throughput=[0.0, 2.5, 4.0, 5.0]).scale.tolist() == [1.0, 3.0, 4.0, 5.0]


def test_balance_at_rest():
    zeros = {name: [0.0, 0.0] for name in ("kinetic", "potential", "contact", "losses", "work")}
    assert balance(**zeros).residual.tolist() == [0.0, 0.0]
    assert balance(**dict.fromkeys(zeros, ())).residual.size == 0
    assert balance(**{**zeros, "losses": [0.0, 1e-30]}).residual.tolist() == [0.0, math.inf]


@pytest.mark.parametrize("changed", [
    {"kinetic": [1.0, math.nan, 1.0, 1.0]},
    {"work": [0.0, 1.0]},
    {"potential": [[1.0]]},
    {"throughput": [0.0, -1.0, 0.0, 0.0]},
])
def test_energy_ranges(changed):
    with pytest.raises(ParameterError):
        balance(**changed)
