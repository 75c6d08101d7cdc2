"""The area by trapezoids: exact for lines, of second order for others."""
import numpy as np
import pytest

from pysitar.physics.trapezoids import trapezoid_area


def test_a_line_is_exact_at_uneven_points():
    x = np.array([0.0, 0.25, 1.0, 3.0])
    assert trapezoid_area(2.0 * x + 1.0, x) == 12.0


def test_second_order():
    # the error of trapezoids of sin over (0, pi) is pi h^2 / 6 and terms of h^4
    errors = [2.0 - trapezoid_area(np.sin(x), x) for x in (np.linspace(0.0, np.pi, count + 1)
                                                           for count in (100, 200))]
    assert errors[0] == pytest.approx((np.pi / 100) ** 2 / 6.0, rel=1e-3)
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=1e-3)
