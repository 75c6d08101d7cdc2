"""Speed of a step in contact with a wall. Gates: pytest benchmarks -m gate."""
import math
import platform

import numba
import numpy as np
import pytest

from benchmarks.lumped_cases import SOFT, WALL_STEPS, WallCase
from benchmarks.ratio import ratio

PRODUCTS = (1.0, 1.5, 2.0, 3.0)
POWER = 2.3                     # an exponent that needs pow
MOST = 120e-9                   # s


def shown(text):
    print(f"\n{text}")


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(
                line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


@numba.njit
def powers(base, exponent, out):
    for i in range(base.size):
        out[i] = math.pow(base[i], exponent)


class Pow:
    """WALL_STEPS calls of libm's pow, none waiting for another."""

    def __init__(self):
        self.base, self.out = np.linspace(1e-7, 1e-6, WALL_STEPS), np.empty(WALL_STEPS)

    def __call__(self):
        powers(self.base, POWER, self.out)


@pytest.mark.gate
@pytest.mark.parametrize("exponent", PRODUCTS)
def test_a_step_in_contact(exponent):
    case = WallCase(exponent)
    found = ratio(case, Pow(), rounds=60)
    case.check()
    shown(told(exponent, found))
    assert found.first / WALL_STEPS <= MOST


@pytest.mark.gate
def test_a_step_with_pow():
    case = WallCase(POWER)
    found = ratio(case, Pow(), rounds=60)
    case.check()
    shown(told(POWER, found))
    assert found.value <= 10.0


def told(exponent, found):
    step, power = (1e9 * seconds / WALL_STEPS for seconds in (found.first, found.second))
    return (f"{processor()}: exponent {exponent:g}, {SOFT} samples a contact: {step:.0f} ns a "
            f"step, {step / power:.1f} pow of {power:.0f} ns")
