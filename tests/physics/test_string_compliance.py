"""The static displacement of a string by a point force: closed form, limits, sum over the modes."""
import math
from dataclasses import replace

import mpmath
import pytest
from physics.strings import SITAR

from pysitar import ParameterError, String
from pysitar.analytic import string_compliance
from pysitar.kernels.core.string_compliance import point_compliance

FIRST, SIXTH, LAST = 1.5e-3, 16.5e-3, 28.5e-3         # m, points of the bridge of section IV-B


def exact(length, tension, stiffness, x, at):
    """The difference of the definition with 60 digits."""
    with mpmath.workdps(60):
        length, tension, stiffness, a, b = map(mpmath.mpf, (length, tension, stiffness, min(x, at),
                                                            max(x, at)))
        kappa = mpmath.sqrt(tension / stiffness)
        return (a * (length - b) / length - mpmath.sinh(kappa * a) * mpmath.sinh(
            kappa * (length - b)) / (kappa * mpmath.sinh(kappa * length))) / tension


@pytest.mark.parametrize(("x", "at", "value"), [
    (FIRST, FIRST, 1.84684849958471e-5), (FIRST, SIXTH, 2.90099219784415e-5),
    (LAST, LAST, 5.24900479787082e-4)])
def test_of_the_sitar(x, at, value):
    """mpmath with 40 digits, printed with 15."""
    assert string_compliance(SITAR, x, at) == pytest.approx(value, rel=5e-15)
    assert string_compliance(SITAR, at, x) == string_compliance(SITAR, x, at)


@pytest.mark.parametrize("stiffness", [1e-9, 7.95e-5, 0.1, 12.4, 12.6, 1e3, 1e6])
@pytest.mark.parametrize(("x", "at"), [(0.25, 0.25), (0.1, 0.4), (0.49, 0.05), (1e-3, 2e-3)])
def test_at_any_stiffness(stiffness, x, at):
    """From a string (kappa L = 1e5) over both sides of kappa L = 1 (EI = 12.5) to a bar.

    With kappa b below 1 the two terms are 1 / (kappa b) of their difference, at kappa b = 1e-3 a
    thousand; where kappa L is at least 1, kappa b is above 2e-3 here. """
    tolerance = 4e-16 * max(8.0, 20.0 / (math.sqrt(50.0 / stiffness) * max(x, at)) ** 2)
    assert string_compliance(replace(SITAR, bending_stiffness=stiffness), x, at) == pytest.approx(
        float(exact(0.5, 50.0, stiffness, x, at)), rel=min(tolerance, 1e-9))


def test_limits():
    """Without stiffness a triangle; without tension the beam of textbooks; 0 at a support."""
    flexible = replace(SITAR, bending_stiffness=0.0)
    assert string_compliance(flexible, 0.1, 0.35) == pytest.approx(0.1 * 0.15 / (0.5 * 50.0),
                                                                   rel=4e-16)
    a, c, length = 0.1, 0.15, 0.5
    beam = a * c * (length**2 - a**2 - c**2) / (6.0 * 2.0 * length)
    assert point_compliance(length, 0.0, 2.0, 0.1, 0.35) == pytest.approx(beam, rel=1e-15)
    for stiffness in (0.0, 7.95e-5, 1e3):
        assert string_compliance(replace(SITAR, bending_stiffness=stiffness), 0.0, 0.2) == 0.0
        assert string_compliance(replace(SITAR, bending_stiffness=stiffness), 0.2, 0.5) == 0.0


def test_is_the_sum_over_the_modes():
    """sum sin sin / k; what is left out after N modes is below sum 2 / (L EI b^4)."""
    string = String(length=0.5, tension=50.0, linear_density=5.55e-4, bending_stiffness=0.01)
    count = 4000
    waves = [i * math.pi / 0.5 for i in range(1, count + 1)]
    total = math.fsum(math.sin(b * 0.1) * math.sin(b * 0.3) / (0.25 * (50.0 * b**2 + 0.01 * b**4))
                      for b in waves)
    left_out = 2.0 / (0.5 * 0.01) * (0.5 / math.pi) ** 4 / (3.0 * count**3)
    assert abs(string_compliance(string, 0.1, 0.3) - total) <= left_out
    assert left_out < 2e-9 * total


def test_points_on_the_string():
    with pytest.raises(ParameterError, match="x"):
        string_compliance(SITAR, 0.6, 0.1)
    with pytest.raises(ParameterError, match="at"):
        string_compliance(SITAR, 0.1, -0.1)
    with pytest.raises(ParameterError, match="string"):
        string_compliance(1.0, 0.1, 0.1)
