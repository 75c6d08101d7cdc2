"""Felt with memory: the force of a step, the heat, and the integral that defines it."""
import math

import numpy as np
import pytest
from scipy.integrate import quad
from twins.felt import FeltTwin
from twins.laws import law_columns

from pysitar.kernels.contact.collision import relaxation

FELT = 5
EPS = float(np.finfo(float).eps)
K, TAU, DT = 1e10, 2e-4, 1.0 / 48000.0


def felt(exponent, memory, tau=TAU):
    return law_columns(kinds=FELT, stiffness=K, exponent=exponent, further=(memory, tau))


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.3, 3.0])
@pytest.mark.parametrize("memory", [0.0, 0.5, 0.99])
def test_twin(exponent, memory):
    # random blows of up to 1 mm, with increments of at least 1e-3 mm: the twin's quotient of
    # energies cancels, by 2 V / |h| in units of EPS a few times over; the kernel's forces do not
    rng = np.random.default_rng(3)
    p = np.where(rng.random(300) < 0.3, -1e-4, 1.0) * rng.random(300) * 1e-3
    found = relaxation(p, felt(exponent, memory), time_step=DT)
    twin = FeltTwin(K, exponent, memory, TAU, DT)
    before, heats, pulls = 0.0, 0, 0
    for p1, (force, slope, heat, energy) in zip(p.tolist(), found.tolist(), strict=True):
        scale = K * max(p1, before, 1e-3 * 0.5) ** (exponent + 1.0)
        if abs(p1 - before) > 1e-6:
            assert force == pytest.approx(twin.force(before, p1), rel=1e-12,
                                          abs=40 * EPS * scale / abs(p1 - before))
        pulls += twin.m > 0.0 and force == 0.0
        heats += heat > 0.0
        assert heat == pytest.approx(twin.relax(p1), rel=1e-9, abs=40 * EPS * scale)
        assert energy == pytest.approx(twin.energy(p1), rel=1e-9, abs=40 * EPS * scale)
        assert force >= 0.0 and slope >= 0.0 and heat >= -40 * EPS * scale
        before = p1
    # the two cases that differ from a spring: felt that has not recovered, and heat
    assert (pulls > 20, heats > 200) == (memory > 0.0, memory > 0.0)


def test_slope_is_the_derivative_of_the_force():
    # central differences of 1e-9 m over compressions of 1e-4 to 1e-3: rounding EPS / 1e-6 of F
    # over h, curvature far less
    rng = np.random.default_rng(5)
    p, h, steep = rng.random(200) * 1e-3, 1e-9, 0
    for exponent in (1.0, 2.3):
        slopes = relaxation(p, felt(exponent, 0.8), time_step=DT)[:, 1]
        for n in range(1, 200):
            up, down = (relaxation(np.append(p[:n], p[n] + x), felt(exponent, 0.8),
                                   time_step=DT)[-1, 0] for x in (h, -h))
            scale = K * 1e-3**exponent / 1e-3
            assert slopes[n] == pytest.approx((up - down) / (2.0 * h), rel=1e-4, abs=1e-5 * scale)
            steep += slopes[n] > 0.1 * scale
    assert steep > 50


@pytest.mark.parametrize("exponent", [1.0, 2.5])
def test_a_lasting_compression(exponent):
    # at a constant p the relaxation is exact: F = K p^a (1 - e (1 - exp(-t / tau)))
    p, n = 4e-4, np.arange(1, 400)
    force = relaxation(np.full(400, p), felt(exponent, 0.7), time_step=DT)[1:, 0]
    assert force == pytest.approx(K * p**exponent * (1.0 - 0.7 * -np.expm1(-n * DT / TAU)),
                                  rel=1e-13)
    assert force[-1] == pytest.approx(0.3 * K * p**exponent, rel=1e-12)


@pytest.mark.parametrize("exponent", [1.0, 2.5])
def test_is_stulovs_integral_to_second_order(exponent):
    # p = P sin(pi t / T), T = 1 ms: the force at the middle of steps against quadrature
    depth, length, memory = 1e-3, 1e-3, 0.6

    def power(t):
        return (depth * math.sin(math.pi * t / length)) ** exponent

    def exact(t):
        past = quad(lambda s: math.exp((s - t) / TAU) * power(s), 0.0, t, epsabs=0.0,
                    epsrel=1e-10)[0]
        return max(0.0, K * (power(t) - memory / TAU * past))

    errors = []
    for count in (100, 200, 400):
        dt = length / count
        p = depth * np.sin(math.pi * np.arange(1, count + 1) / count)
        force = relaxation(p, felt(exponent, memory), time_step=dt)[:, 0]
        wanted = [exact((n + 0.5) * dt) for n in range(9, int(0.7 * count), 10)]
        errors.append(np.abs(force[9:int(0.7 * count):10] - wanted).max())
    ratios = np.divide(errors[:-1], errors[1:])
    assert errors[-1] < 1e-3 * K * depth**exponent
    assert ratios == pytest.approx([4.0, 4.0], rel=0.2)


def test_a_contact_has_no_memory():
    with pytest.raises(ValueError, match="kind is 0; expected a law with a memory"):
        relaxation(np.ones(1), law_columns(stiffness=K), time_step=DT)
