"""Speed of a step in contact with a wall. Gates: pytest benchmarks -m gate; records: pytest
benchmarks -m 'not gate'."""
import math
import platform

import numba
import numpy as np
import pytest
from ratio import ratio

from pysitar.kernels.lumped.wall_impact import SCHEMES, WallImpact

RATE = 44100.0
STEPS = 20000
GRAVITY = 9.81
MASS = 1e-2
SOFT = 27  # samples a contact in figure 4 of Papetti et al. 2009; the hard ones have 8 and 6
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


class Case:
    """A mass that swings in its contact under its weight, all but elastically and never off the
    wall: STEPS steps, anew at each call.

    Parameters: exponent; samples of half a swing.
    """

    def __init__(self, exponent, samples=SOFT, scheme="invariant"):
        self.rest = exponent * GRAVITY / (math.pi * RATE / samples) ** 2
        stiffness = MASS * GRAVITY / math.pow(self.rest, exponent)
        self.kernel = WallImpact(mass=MASS, stiffness=stiffness, exponent=exponent, hysteresis=1e-3,
                                 velocity=0.0, time_step=1.0 / RATE, scheme=SCHEMES[scheme],
                                 gravity=GRAVITY)
        self.rows = np.empty((4, STEPS))

    def __call__(self):
        self.kernel.set_state(0.02 * self.rest, 0.0)
        self.kernel.advance(*self.rows)

    def check(self):
        """What was timed is contact, at every step, in the whole range from near 0 to twice the
        rest."""
        x, energy = self.rows[0], self.rows[3]
        assert x.min() > 0.0 and x[:1000].min() < 0.1 * self.rest and x[:1000].max(
        ) > 1.5 * self.rest
        assert np.isfinite(energy).all() and np.diff(energy).max() <= 1e-6 * np.abs(energy).max()


@numba.njit
def powers(base, exponent, out):
    for i in range(base.size):
        out[i] = math.pow(base[i], exponent)


class Pow:
    """STEPS calls of libm's pow, none waiting for another."""

    def __init__(self):
        self.base, self.out = np.linspace(1e-7, 1e-6, STEPS), np.empty(STEPS)

    def __call__(self):
        powers(self.base, POWER, self.out)


@pytest.mark.parametrize("samples", [8, SOFT, 200])
@pytest.mark.parametrize("exponent", [*PRODUCTS, POWER])
def test_record(benchmark, exponent, samples):
    case = Case(exponent, samples)
    benchmark.extra_info["steps"] = STEPS
    benchmark(case)
    case.check()


@pytest.mark.parametrize("exponent", [*PRODUCTS, POWER])
@pytest.mark.parametrize("scheme", ["energy", "am1", "verlet", "heun", "rk4"])
def test_record_of_the_other_schemes(benchmark, scheme, exponent):
    case = Case(exponent, scheme=scheme)
    benchmark.extra_info["steps"] = STEPS
    benchmark(case)
    assert np.isfinite(case.rows).all()


@pytest.mark.gate
@pytest.mark.parametrize("exponent", PRODUCTS)
def test_a_step_in_contact(exponent):
    case = Case(exponent)
    found = ratio(case, Pow(), rounds=60)
    case.check()
    shown(told(exponent, found))
    assert found.first / STEPS <= MOST


@pytest.mark.gate
def test_a_step_with_pow():
    case = Case(POWER)
    found = ratio(case, Pow(), rounds=60)
    case.check()
    shown(told(POWER, found))
    assert found.value <= 10.0


def told(exponent, found):
    step, power = (1e9 * seconds / STEPS for seconds in (found.first, found.second))
    return (f"{processor()}: exponent {exponent:g}, {SOFT} samples a contact: {step:.0f} ns a "
            f"step, {step / power:.1f} pow of {power:.0f} ns")
