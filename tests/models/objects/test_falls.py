"""Falling balls: gravity that is added to their speed without rounding."""
import math
from fractions import Fraction

import numpy as np
import pytest

import pysitar
from pysitar.gestures.balls import GRAVITY
from pysitar.models.objects.seats import exact_gravity


def roundings(gravity, rate):
    """Return how many of 20000 steps round the scaled momentum of a ball that flies up with a speed
    of any digits, and down again."""
    part = 0.5 * gravity / rate / rate              # m, of the scaled momentum in a step
    momentum = -1.2345678901234567 / rate / 2.0
    count = 0
    for _ in range(20000):
        before, momentum = momentum, (2.0 * momentum + part) - momentum
        error = Fraction(momentum) - Fraction(before) - Fraction(part)
        count += abs(error) > math.ulp(part)        # over the rounding of the part itself
    return count


@pytest.mark.parametrize("rate", [44100, 96000, 192000, 768000, 3.1e6])
def test_speeds_of_a_fall_are_sums_without_rounding(rate):
    gravity = exact_gravity(rate)
    assert gravity == pytest.approx(GRAVITY, rel=1e-8)
    # at most once for each power of two that it passes
    assert roundings(gravity, rate) < 20 and roundings(GRAVITY, rate) > 15000


@pytest.mark.parametrize("height", ["5cm", "2m"])
def test_a_fall_keeps_its_energy_to_rounding(height):
    found = pysitar.render(pysitar.load_score(
        text=f"use wood_table as t\nrender oversample=4 tail=0 channels=1\n"
             f"0 t.table drop h={height} dur=1.5\n"), traces=True)
    assert found.report["residual"] < 1e-14        # 8e-13 and more with a gravity of all digits
    energy = found.traces["t.table.energy"]
    assert np.count_nonzero(energy[:, 0]) > 1000
