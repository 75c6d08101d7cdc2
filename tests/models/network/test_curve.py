"""The course of a value: each shape in closed form, jumps, and what is before and after its
points."""
import math

import pytest

from pysitar.models.network.curve import CurvePoint, ValueCurve


def course(*points):
    return ValueCurve(tuple(CurvePoint(*point) for point in points))


@pytest.mark.parametrize("shape, exponent, middle, quarter", [
    ("lin", 1.0, 5.0, 3.5),
    ("step", 1.0, 2.0, 2.0),
    ("cos", 1.0, 5.0, 2.0 + 3.0 * (1.0 - math.sqrt(0.5))),
    ("exp", 1.0, 4.0, 2.0 * math.sqrt(2.0)),
    ("pow", 2.0, 3.5, 2.375),
    ("pow", 0.5, 2.0 + 6.0 * math.sqrt(0.5), 5.0),
])
def test_each_shape(shape, exponent, middle, quarter):
    moves = course((1.0, 2.0), (3.0, 8.0, shape, exponent))
    assert moves.at([2.0, 1.5]) == pytest.approx([middle, quarter], rel=1e-15)
    # before, at both points, after
    assert moves.at([0.0, 1.0, 3.0, 9.0]) == [2.0, 2.0, 8.0, 8.0]


def test_two_points_at_one_time_are_a_jump():
    moves = course((0.0, 1.0), (1.0, 2.0), (1.0, 5.0), (2.0, 5.0))
    assert moves.at([0.5, 1.0, 1.5]) == [1.5, 5.0, 5.0] and moves.at([math.nextafter(
        1.0, 0.0)]) == pytest.approx([2.0], rel=1e-15)
    assert course((1.0, 3.0)).at([0.0, 1.0, 2.0]) == [3.0, 3.0, 3.0]


@pytest.mark.parametrize("points, time", [
    ([(0.0, 1.0), (2.0, 0.0)], 2.0),
    ([(0.0, 1.0), (2.0, 0.0), (3.0, 0.0)], 2.0),
    ([(0.0, 0.0), (2.0, 0.0)], 0.0),
    ([(0.0, 1.0), (2.0, 1.0)], math.inf),
    ([(0.0, 0.0), (1.0, 2.0)], math.inf),
    ([(0.5, 0.0)], 0.0),
])
def test_when_it_is_over(points, time):
    assert course(*points).zero_from == time
