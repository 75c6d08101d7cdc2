"""A contact that attracts before it touches: forces, energy, and steps of several rows."""
import math

import numpy as np
import pytest
from scipy.optimize import root
from twins.laws import law_columns

from pysitar.kernels.contact import collision
from pysitar.kernels.modal.three_point import ThreePoint
from pysitar.kernels.modal.two_point import TwoPoint

ADHESIVE = 6
K, A, D = 2e7, 3.0, 1e-4
EPS = float(np.finfo(float).eps)


def adhesive(exponent=1.5, attraction=A, n=1, **more):
    return law_columns(n, kinds=ADHESIVE, stiffness=K, exponent=exponent,
                       further=(attraction, D), **more)


def exact_force(p, exponent):
    z = min(max(1.0 + p / D, 0.0), 1.0)
    return K * max(p, 0.0) ** exponent - 4.0 * A * z * (1.0 - z)


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.3])
def test_energy_and_force(exponent):
    law = adhesive(exponent)
    apart = 2.0 / 3.0 * A * D
    assert collision.energy(-2.0 * D, law) == pytest.approx(apart, rel=4 * EPS)
    assert collision.energy(0.0, law) == 0.0
    rng = np.random.default_rng(1)
    reach = 0
    for _ in range(500):
        p0, p1 = (rng.random(2) * 3.0 - 1.7) * D
        low, high = (collision.energy(p, law) for p in (p0, p1))
        force, slope, heat = collision.force(p0, p1, law)
        h = p1 - p0
        assert heat == 0.0
        # the quotient of energies, which cancels; and the same force both ways
        assert force == pytest.approx((high - low) / h, rel=1e-11,
                                      abs=20 * EPS * (high + low) / abs(h))
        assert collision.force(p1, p0, law)[0] == pytest.approx(force, rel=1e-11, abs=1e-12 * A)
        # the slope is that of the mean force: (F(p1) - mean) / h
        assert slope == pytest.approx((exact_force(p1, exponent) - force) / h, rel=1e-6,
                                      abs=1e-9 * A / abs(h))
        assert slope >= -2.0 * A / D * (1.0 + 4 * EPS)
        reach += force < 0.0 and max(p0, p1) < 0.0
    assert reach > 50                               # pulls before contact


def test_near_equal_compressions():
    # no increment: the force and half its slope; a small one does not cancel
    for p in (-0.9 * D, -0.5 * D, -0.3 * D, 0.2 * D, -1.5 * D):
        force, slope, _ = collision.force(p, p, adhesive())
        up, down = (exact_force(p + x, 1.5) for x in (1e-10, -1e-10))
        assert force == pytest.approx(exact_force(p, 1.5), rel=8 * EPS, abs=1e-15)
        assert slope == pytest.approx(0.5 * (up - down) / 2e-10, rel=1e-5, abs=1e-3)
        near = collision.force(p, p + 1e-12 * D, adhesive())[0]
        assert near == pytest.approx(force, rel=1e-10, abs=1e-15)


def test_rows_together():
    # one row attracts, two do not; the equations hold, and an independent solver finds the same
    rng = np.random.default_rng(7)
    laws = law_columns(3, kinds=[ADHESIVE, 0, ADHESIVE], stiffness=K, exponent=1.5,
                       further=(A, D))
    pulls = iterated = 0
    for _ in range(60):
        v = rng.normal(size=(3, 5))
        w = v @ v.T * 4e-7                          # norm under 1 / (2 A / D) = 1.7e-5 m/N
        assert np.abs(w).sum(axis=1).max() * 2.0 * A / D < 1.0
        p0, u = (rng.random(3) * 2.0 - 1.3) * D, (rng.random(3) * 2.0 - 1.0) * D
        s, f, iterations = collision.collision_solution(w, u, p0, laws)
        assert iterations >= 0

        def residual(f, w=w, u=u, p0=p0):
            p1 = p0 - (u + w @ f)
            return f - [collision.force(p0[k], p1[k], laws[k:k + 1])[0] for k in range(3)]

        assert s == pytest.approx(u + w @ f, rel=1e-12, abs=1e-18)
        assert np.abs(residual(f)).max() <= 1e-9 * max(1.0, np.abs(f).max())
        other = root(residual, 0.0 * f, tol=1e-12)
        if other.success:
            assert f == pytest.approx(other.x, rel=1e-6, abs=1e-7)
        pulls += f.min() < 0.0
        iterated += iterations > 0
    assert pulls > 20 and iterated > 20


def spring_and_wall(stiffness, gap, *, attraction=A, scheme=TwoPoint):
    """Return a mass of 10 kg on a spring at a gap from a wall that attracts it."""
    one = np.ones(1)
    return scheme(angular_frequencies=one * math.sqrt(stiffness / 10.0), decay_rates=0.0 * one,
                  masses=10.0 * one, time_step=1.0 / 48000.0, shapes=-np.ones((1, 1)),
                  laws=adhesive(attraction=attraction), offsets=-gap * one)


@pytest.mark.parametrize("gap", [0.3 * D, 0.6 * D, 0.9 * D])
def test_equilibrium(gap):
    # k y = 4 A z (1 - z), z = 1 + (y - gap) / D: (4 A/k) z^2 + (D - 4 A/k) z + gap - D = 0. The
    # two-point scheme has the spring k* = m (2 / dt tan(omega dt / 2))^2, 1 + 1.5e-6 times k here.
    stiffness = 2.0e5                               # over 4 A / D: one equilibrium
    kernel = spring_and_wall(stiffness, gap)
    kernel.set_outputs(np.ones((1, 1)))
    kernel.set_equilibrium()
    reach = 4.0 * A / stiffness
    b = D - reach
    z = (-b + math.sqrt(b * b + 4.0 * reach * (D - gap))) / (2.0 * reach)
    y = gap + D * (z - 1.0)
    assert 0.0 < y < gap
    assert kernel.displacement()[0] == pytest.approx(y, rel=1e-5)
    assert kernel.force()[0] == pytest.approx(-4.0 * A * z * (1.0 - z), rel=1e-5)
    # it is that of the steps: the mass stays
    before, out = kernel.displacement(), np.empty((400, 1))
    kernel.advance(400, out)
    assert np.abs(out - before).max() < 1e-9 * before[0]


def test_a_steep_attraction_is_refused():
    with pytest.raises(ValueError, match=r"an attraction falls by 1.8e.11 N/m .* expected below"):
        spring_and_wall(2e5, D, attraction=3e6 * A)
    with pytest.raises(ValueError, match=r"kind of row 0 is 6; .* of a two-point scheme"):
        spring_and_wall(2e5, D, scheme=ThreePoint)
    kernel = spring_and_wall(2e5, D)
    with pytest.raises(ValueError, match="expected below"):
        kernel.set_row_shape(0, -np.ones(1) * 1e4)
