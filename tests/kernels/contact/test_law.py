"""The laws of a row: force, slope, dissipation and energy against 60-digit decimals, closed forms
and balance identities."""
from decimal import Decimal, localcontext

import numpy as np
import pytest
from twins.laws import energy, force

EPS = float(np.finfo(float).eps)
CONTACT, LINEAR, STATIC_CONTACT, STATIC_LINEAR, VISCOUS = 0, 1, 2, 3, 4
EXPONENTS = (1.0, 1.5, 2.0, 2.3, 3.7)
K = 3e6
# both in contact, near and far; entering, leaving; grazing; as small as a rounding of the others
INCREMENTS = [
    (1e-4, 1e-4),
    (1e-4, 1.0000001e-4),
    (1e-4, 0.9999e-4),
    (1e-4, 1.2e-4),
    (1e-4, 1.2728e-4),
    (1e-4, 1.27e-4),
    (1e-4, 3e-4),
    (3e-4, 1e-6),
    (1e-4, 1e-9),
    (2e-4, -1e-4),
    (-1e-4, 2e-4),
    (-3e-3, 1e-6),
    (1e-6, -3e-3),
    (0.0, 1e-4),
    (1e-4, 0.0),
    (1e-13, -1e-13),
    (-1e-13, 1e-13),
]


def power(p, exponent):
    return Decimal(p) ** Decimal(exponent) if p > 0.0 else Decimal(0)


def exact(p0, p1, exponent, rate=0.0):
    """Return force, slope and dissipated energy of a contact row, to 60 digits, from the kernel's
    arguments."""
    with localcontext() as context:
        context.prec = 60
        k, g = Decimal(K), Decimal(rate)
        h = Decimal(p1) - Decimal(p0)
        if h == 0:
            elastic = k * power(p0, exponent)
            slope = k * Decimal(exponent) / 2 * (power(p0, exponent)
                                                 / Decimal(p0) if p0 > 0.0 else 0)
        else:
            chi = Decimal(exponent)
            high, low = (k / (chi + 1) * power(p, exponent) * Decimal(p) for p in (p1, p0))
            elastic = (high - low) / h
            slope = (k * power(p1, exponent) - elastic) / h
        return float(elastic * (1 + g * h)), float(slope + g * k * power(p1, exponent)), float(
            elastic * g * h * h)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_force_does_not_cancel(exponent):
    # The quotient of the potentials is taken from |p1 - p0| = 0.12 (p1 + p0) on: there the sum of
    # the powers is at most 4.2 times their difference, each within 2.5 eps; nearer, the series'
    # powers of the mean are within (exponent / 2 + 3) eps. 12 eps is both; 3 found.
    naive = 0.0
    for p0, p1 in INCREMENTS:
        expected = exact(p0, p1, exponent)[0]
        assert force(p0, p1, stiffness=K,
                     exponent=exponent)[0] == pytest.approx(expected, rel=12 * EPS)
        if p0 != p1 and expected > 0.0:
            quotient = (energy(p1, stiffness=K, exponent=exponent)
                        - energy(p0, stiffness=K, exponent=exponent)) / (p1 - p0)
            naive = max(naive, abs(quotient / expected - 1.0))
    # control: for these increments the plain quotient fails
    assert naive > 1e4 * EPS


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_force_from_far_to_near(exponent):
    # p1 -> p0 through every size of the increment, on both sides of the switch at 0.12: the same
    # bound
    p0 = 2.3e-4
    for j in range(1, 160):
        for p1 in (p0 * (1.0 + 2.0 ** (-j / 3.0)), p0 * (1.0 - 2.0 ** (-j / 3.0))):
            assert force(p0, p1, stiffness=K, exponent=exponent)[0] == pytest.approx(
                exact(p0, p1, exponent)[0], rel=12 * EPS)
    # the limit: the static force plus half its slope times the increment
    f, d, heat = force(p0, p0, stiffness=K, exponent=exponent)
    assert f == pytest.approx(K * p0**exponent, rel=12 * EPS)
    assert d == pytest.approx(0.5 * exponent * K * p0 ** (exponent - 1.0), rel=12 * EPS)
    assert heat == 0.0


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("rate", [0.0, 700.0])
def test_slope(exponent, rate):
    # (K b^a - F) / (b - a): K b^a - F is at least 0.12 a K b^a / 2 where it is taken, F within 12
    # eps: 12 / 0.06 eps; 5 measured
    for p0, p1 in INCREMENTS:
        d = force(p0, p1, stiffness=K, exponent=exponent, rate=rate)[1]
        assert d >= 0.0
        assert d == pytest.approx(exact(p0, p1, exponent, rate)[1], rel=200 * EPS)


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("adhesive", [True, False])
def test_slope_is_the_derivative_of_the_force(exponent, adhesive):
    # central difference over 2e-5 of the increment: third derivatives leave 1e-10, rounding 12 eps
    # / 1e-5 = 3e-10 of F / p; kinks (p1 = 0, and for exponent 1 only there) are left out
    for p0, p1 in ((1e-4, 2e-4), (1e-4, 1.01e-4), (1e-4, 1.1e-4), (2e-4, 1e-4), (2e-4, -1e-4),
                   (-1e-4, 2e-4), (-1e-4, -2e-4)):
        for rate in (0.0, 700.0, 2e4):
            options = {"stiffness": K, "exponent": exponent, "rate": rate, "adhesive": adhesive}
            step = 1e-5 * abs(p1)
            up, down = (force(p0, p1 + x, **options)[0] for x in (step, -step))
            f, d, _ = force(p0, p1, **options)
            assert d == pytest.approx((up - down) / (2.0 * step), rel=1e-7,
                                      abs=1e-8 * abs(f) / abs(p1))


@pytest.mark.parametrize("exponent", [1.0, 1.3, 1.5, 2.0, 2.3, 3.7, 8.0, 8.5, 10.0])
@pytest.mark.parametrize("rate", [0.0, 700.0, 2e4])
@pytest.mark.parametrize("adhesive", [True, False])
def test_force_times_increment_is_energy_and_heat(exponent, rate, adhesive):
    # the identity from which the balance follows: F (p1 - p0) = phi(p1) - phi(p0) + heat, heat >=
    # 0, clamped or not; a dozen roundings
    clamped = heated = 0
    for p0, p1 in INCREMENTS:
        before, after = (energy(p, stiffness=K, exponent=exponent) for p in (p0, p1))
        f, d, heat = force(p0, p1, stiffness=K, exponent=exponent, rate=rate, adhesive=adhesive)
        assert f * (p1 - p0) == pytest.approx(after - before + heat, abs=16 * EPS *
                                              (before + after + heat), rel=0.0)
        assert heat >= 0.0
        assert (heat > 0.0) == (rate > 0.0 and p0 != p1 and before + after > 0.0)
        clamped += not adhesive and f == 0.0 and before > 0.0
        heated += heat > 0.0
        if adhesive or f > 0.0:
            # Hunt-Crossley: the elastic force times 1 + rate (p1 - p0)
            elastic = force(p0, p1, stiffness=K, exponent=exponent)[0]
            assert f == pytest.approx(elastic * (1.0 + rate * (p1 - p0)), rel=4 * EPS)
            assert heat == pytest.approx(elastic * rate * (p1 - p0) ** 2, rel=4 * EPS)
        else:
            assert (f, d) == (0.0, 0.0)
    # some increments are large enough to be clamped: 700 * 3e-3 m > 1
    assert (clamped > 0) == (rate > 0.0 and not adhesive)
    assert (heated > 10) == (rate > 0.0)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_force_is_the_derivative_of_the_energy(exponent):
    # F = -dphi/dy = dphi/dp at rest, by a difference of the energies: 1e-5 of p, error (1e-5)^2 and
    # 4 eps / 1e-5
    for p in (1e-6, 1e-4, 3e-3):
        up, down = (energy(p * (1.0 + x), stiffness=K, exponent=exponent) for x in (1e-5, -1e-5))
        assert force(p, p, stiffness=K, exponent=exponent)[0] == pytest.approx((up - down) /
                                                                               (2e-5 * p), rel=2e-9)
        assert energy(p, stiffness=K, exponent=exponent) == pytest.approx(
            K * p**(exponent + 1.0) / (exponent + 1.0), rel=8 * EPS)
        # out of contact there is none
        assert energy(-p, stiffness=K, exponent=exponent) == 0.0
        assert force(-p, -2.0 * p, stiffness=K, exponent=exponent, rate=10.0) == (0.0, 0.0, 0.0)
    assert force(0.0, 0.0, stiffness=K, exponent=exponent) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("rate", [0.0, 700.0, 2e4])
def test_clamped_force_never_pulls_and_is_monotone(exponent, rate):
    # 2e4 * 2e-3 m: the elastic force turned over forty times. Monotone within its rounding (12 eps
    # of F), so that one solution exists.
    after = np.concatenate([np.linspace(-1e-3, 1e-3, 401), 2e-4 + np.linspace(-1e-9, 1e-9, 21)])
    after.sort()
    pulled = 0
    for p0 in (-1e-4, 0.0, 1e-6, 2e-4, 1e-3):
        free = np.array([force(p0, p1, stiffness=K, exponent=exponent, rate=rate) for p1 in after])
        held = np.array([
            force(p0, p1, stiffness=K, exponent=exponent, rate=rate, adhesive=False) for p1 in after
        ])
        assert np.array_equal(held[:, 0], np.maximum(free[:, 0], 0.0))
        for values in (free, held):
            largest = np.maximum(np.abs(values[1:, 0]), np.abs(values[:-1, 0]))
            assert np.all(np.diff(values[:, 0]) >= -24 * EPS * largest)
            assert np.all(values[:, 1] >= 0.0)
        pulled += int((free[:, 0] < 0.0).sum())
        assert held[:, 0].max() > 0.0
    assert (pulled > 0) == (rate > 0.0)          # 700 * 2e-3 m > 1


@pytest.mark.parametrize("exponent", [*EXPONENTS, 7.5])
def test_symmetry_and_scale(exponent):
    # without damping the mean force does not depend on the direction; lengths times c give the
    # force times c^exponent
    for p0, p1 in INCREMENTS:
        there, back = (force(*increment, stiffness=K, exponent=exponent)[0]
                       for increment in ((p0, p1), (p1, p0)))
        assert there == pytest.approx(back, rel=24 * EPS)
        large = force(4.0 * p0, 4.0 * p1, stiffness=K, exponent=exponent)[0]
        assert large == pytest.approx(4.0**exponent * there, rel=32 * EPS)
        assert force(p0, p1, stiffness=2.0 * K, exponent=exponent)[0] == 2.0 * there


@pytest.mark.parametrize("halves", range(2, 21))
def test_half_powers_by_products(halves):
    # at most 4 squarings, the errors of which double: 7 half ulps at exponent 8, the root's 1, the
    # product with K 1; Python's ** 1
    exponent = halves / 2.0
    for p in (3.7e-9, 1.1e-4, 0.3, 1.0, 2.6):
        f, d, heat = force(0.0, p, stiffness=K, exponent=exponent, kind=STATIC_CONTACT)
        assert f == pytest.approx(K * p**exponent, rel=5 * EPS)
        assert d == pytest.approx(exponent * K * p ** (exponent - 1.0), rel=7 * EPS)
        assert heat == 0.0
        # and beside it an exponent that goes through pow: 1e-9 ln p away
        near = force(0.0, p, stiffness=K, exponent=exponent + 1e-9, kind=STATIC_CONTACT)[0]
        assert near == pytest.approx(f * (1.0 + 1e-9 * np.log(p)), rel=1e-14)


def test_linear_row():
    # spring K with damper R = rate dt: F = K (p0 + p1) / 2 + rate (p1 - p0), both ways
    k, rate = 2e3, 450.0
    for p0, p1 in [*INCREMENTS, (-1e-4, -3e-4), (-2e-4, -2e-4)]:
        f, d, heat = force(p0, p1, stiffness=k, rate=rate, kind=LINEAR)
        assert f == pytest.approx(0.5 * k * (p0 + p1) + rate * (p1 - p0), rel=4 * EPS,
                                  abs=4 * EPS * k * (abs(p0) + abs(p1)))
        assert d == 0.5 * k + rate
        assert heat == pytest.approx(rate * (p1 - p0) ** 2, rel=4 * EPS)
        before, after = (energy(p, stiffness=k, kind=LINEAR) for p in (p0, p1))
        assert before == pytest.approx(0.5 * k * p0 * p0, rel=4 * EPS)
        assert f * (p1 - p0) == pytest.approx(after - before + heat, abs=16 * EPS *
                                              (before + after + heat), rel=0.0)
        # the clamp is a matter of contacts, the exponent too
        assert force(p0, p1, stiffness=k, rate=rate, kind=LINEAR, adhesive=False,
                     exponent=2.3) == (f, d, heat)
    damper = force(1e-4, 3e-4, stiffness=0.0, rate=rate, kind=LINEAR)
    assert damper == pytest.approx((rate * 2e-4, rate, rate * 4e-8), rel=4 * EPS)
    assert energy(1e-4, stiffness=0.0, kind=LINEAR) == 0.0
    # it pulls
    assert force(-1e-4, -1e-4, stiffness=k, kind=LINEAR)[0] == pytest.approx(-0.2, rel=4 * EPS)


def test_static_kinds():
    # at equilibrium: the force at p1 alone
    for p in (-1e-4, 0.0, 1e-4, 2e-3):
        assert force(9.9, p, stiffness=K, kind=STATIC_LINEAR)[:2] == (K * p, K)
        for exponent in EXPONENTS:
            f, d, _ = force(9.9, p, stiffness=K, exponent=exponent, kind=STATIC_CONTACT)
            assert f == pytest.approx(K * max(p, 0.0) ** exponent, rel=6 * EPS)
            assert d == pytest.approx(exponent * K * p**(exponent - 1.0) if p > 0.0 else 0.0,
                                      rel=8 * EPS)
            # without motion, the dynamic kinds exert the same force
            assert force(p, p, stiffness=K, exponent=exponent,
                         rate=100.0)[0] == pytest.approx(f, rel=12 * EPS)
        assert force(p, p, stiffness=K, rate=100.0,
                     kind=LINEAR)[0] == pytest.approx(K * p, rel=2 * EPS)


@pytest.mark.parametrize("adhesive", [True, False])
@pytest.mark.parametrize("exponent", [1.0, 1.3, 2.0])
def test_viscous(exponent, adhesive):
    # F = Fc + rate (p1 - p0): its work is the stored plus the dissipated energy, clamped or not; a
    # dozen roundings
    clamped = 0
    for p0, p1 in [(1e-3, 2e-3), (2e-3, 1e-3), (2e-3, -1e-3), (-1e-3, 2e-3), (-1e-3, -2e-3),
                   (1e-3, 1e-3)]:
        for rate in (3.0, 4e4):
            arguments = {
                "stiffness": K, "exponent": exponent, "rate": rate, "adhesive": adhesive,
                "kind": VISCOUS
            }
            f, d, heat = force(p0, p1, **arguments)
            elastic, slope, _ = force(p0, p1, stiffness=K, exponent=exponent)
            pulls = elastic + rate * (p1 - p0) < 0.0 and not adhesive
            assert f == (0.0 if pulls else pytest.approx(elastic + rate * (p1 - p0), rel=4 * EPS))
            assert d == (0.0 if pulls else pytest.approx(slope + rate, rel=4 * EPS))
            stored = [energy(p, stiffness=K, exponent=exponent) for p in (p0, p1)]
            assert f * (p1 - p0) == pytest.approx(stored[1] - stored[0] + heat, abs=16 * EPS *
                                                  (sum(stored) + heat), rel=0.0)
            assert heat >= 0.0
            clamped += pulls
    assert (clamped > 0) == (not adhesive)


@pytest.mark.parametrize("kind", [-1, 99, 2**31 - 1])
def test_unknown_kind(kind):
    with pytest.raises(ValueError, match="contact"):
        force(0.0, 1.0, stiffness=1.0, kind=kind)
    with pytest.raises(ValueError, match="contact"):
        energy(1.0, stiffness=1.0, kind=kind)
