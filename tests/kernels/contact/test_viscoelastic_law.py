"""Viscoelastic contact: the force of a step, its slope and its heat."""
import numpy as np
import pytest
from twins.laws import law_columns

from pysitar.kernels.contact import collision

VISCOELASTIC = 8
K, A, DT = 4e9, 3e-6, 1.0 / 192000.0
EPS = float(np.finfo(float).eps)


def viscoelastic(exponent):
    return law_columns(kinds=VISCOELASTIC, stiffness=K, exponent=exponent, damping=A)


def expected(p0, p1, exponent):
    """Force and heat by the definition; the quotient of energies cancels."""
    x0, x1 = max(p0, 0.0), max(p1, 0.0)
    elastic = K * (x1 ** (exponent + 1.0) - x0 ** (exponent + 1.0)) / (exponent + 1.0) / (p1 - p0)
    viscous = K * A / DT * (x1**exponent - x0**exponent)
    if elastic + viscous > 0.0:
        return elastic + viscous, viscous * (p1 - p0)
    return 0.0, -elastic * (p1 - p0)


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.3])
def test_force_heat_and_slope(exponent):
    rng = np.random.default_rng(2)
    clamped = entering = 0
    for _ in range(400):
        p0, p1 = (rng.random(2) - 0.3) * 1e-5
        force, slope, heat = collision.force(p0, p1, viscoelastic(exponent), time_step=DT)
        energy = K * 1e-5 ** (exponent + 1.0)
        near = 20.0 * EPS * energy / abs(p1 - p0)
        wanted, wanted_heat = expected(p0, p1, exponent)
        assert force == pytest.approx(wanted, rel=1e-12, abs=near)
        assert heat == pytest.approx(wanted_heat, rel=1e-12, abs=near * abs(p1 - p0))
        assert force >= 0.0 and heat >= 0.0 and slope >= 0.0
        # exact balance: the work of the force is what the spring gains and the heat
        low, high = (collision.energy(p, viscoelastic(exponent)) for p in (p0, p1))
        assert force * (p1 - p0) == pytest.approx(high - low + heat, abs=40.0 * EPS * energy)
        # central differences of 1e-6 of the compression; skipped at the two kinks
        h = 1e-11
        left, right = (expected(p0, p1 + s, exponent)[0] for s in (-h, h))
        if (left == 0.0) == (right == 0.0) and abs(p1) > h and abs(p1 - p0) > 1e-7:
            assert slope == pytest.approx((right - left) / (2.0 * h), rel=1e-4,
                                          abs=4.0 * near / h)
        clamped += force == 0.0 and max(p0, p1) > 0.0
        entering += p0 < 0.0 < p1
    assert clamped > 20 and entering > 20


def test_without_loss_it_is_the_spring():
    spring = law_columns(stiffness=K, exponent=1.5)
    law = law_columns(kinds=VISCOELASTIC, stiffness=K, exponent=1.5)
    for p0, p1 in ((1e-6, 3e-6), (-1e-6, 2e-6), (2e-6, -1e-7), (-1e-6, -2e-6)):
        assert collision.force(p0, p1, law) == collision.force(p0, p1, spring)
