"""The three-point network in Cython: coefficients, golden numbers, closed forms, outputs,
damping."""
from functools import partial

import numpy as np
import pytest
from twins import modal_cases as cases
from twins.modal_cases import (
    BRIDGE,
    BUMP,
    DT,
    EPS,
    GOOD,
    SITAR,
    assert_in_touch,
    damped,
    end_force,
    run,
)
from twins.networks import imbalance
from twins.two_point import string_parameters

from pysitar.kernels.core.network import BaseNetwork
from pysitar.kernels.modal.network import Network
from pysitar.kernels.modal.three_point import ThreePoint, ThreePointNetwork
from pysitar.kernels.modal.two_point import TwoPoint

network, sitar, ideal = (partial(make, ThreePoint)
                         for make in (cases.network, cases.sitar, cases.ideal))


def test_coefficients():
    kernel, _ = sitar()
    _, omega, alpha, _ = string_parameters(**SITAR)
    a, c, upsilon, loss = kernel.coefficients
    r, cosine = np.exp(-alpha * DT), np.cos(omega * DT)
    # the free step y+ - y- = A y - C y- has the roots exp((-alpha +- j omega) dt): their sum is A,
    # their product C - 1
    assert a == pytest.approx(2.0 * r * cosine, abs=8 * EPS)
    assert c - 1.0 == pytest.approx(r * r, abs=4 * EPS)
    assert upsilon == pytest.approx(2.0 - 4.0 * r * cosine / (1.0 + r * r), abs=8 * EPS)
    assert loss == pytest.approx((1.0 - r * r) / (1.0 + r * r), abs=4 * EPS)
    # slow modes without cancellation: 2 - 2 sech(alpha dt) cos(omega dt) = (omega^2 + alpha^2) dt^2
    # (1 - ...)
    slow = network(omega=[1.0], alpha=[0.5], mass=[1.0], shapes=[], laws=[], offset=[])
    assert slow.coefficients[2][0] == pytest.approx(1.25 * DT**2, rel=1e-9)
    # W = V diag(xi C) V^T
    v, xi = np.sin(np.outer(BRIDGE, string_parameters(**SITAR)[0])), DT**2 / (2.0 * 1.3875e-4)
    assert kernel.mobility == pytest.approx((v * (xi * (1.0 + r * r))) @ v.T, rel=1e-11)
    assert np.array_equal(kernel.mobility, kernel.mobility.T)
    assert (kernel.modes, kernel.rows, kernel.count, kernel.failed_at) == (60, 10, 0, -1)


def test_free_string_is_exact():
    kernel, b = sitar(offset=np.full(10, -1.0))
    y0 = kernel.displacement()
    _, f, ledger = run(kernel, 1000)
    _, omega, alpha, _ = string_parameters(**SITAR)
    # G3: closed form; 5e-16 measured (two codes), 1e-13 allowed, of 2.3e-3
    r, theta = np.exp(-alpha * DT), omega * DT
    c = 2.0 * r * np.cos(theta) / (1.0 + r * r)
    wave = np.cos(1000 * theta) + (np.cos(theta) - r * c) / np.sin(theta) * np.sin(1000 * theta)
    assert kernel.displacement() == pytest.approx(r**1000 * wave * y0, abs=1e-13)
    assert not f.any()
    assert imbalance(ledger) <= 1e-13
    assert kernel.statistics == {
        "solves": 0, "iterations": 0, "most_iterations": 0, "failures": 0, "contact_steps": 0
    }
    assert len(b) == 60


def test_sitar_golden():
    kernel, b = sitar()
    out, f, ledger = run(kernel, 1000, [end_force(b), np.sin(b * 0.25), 50.0 * b + 7.95e-5 * b**3])
    h = ledger[:, :3].sum(axis=1)
    # G5: two independent codes and scipy.optimize.root agree to the digits given; 1e-8 of the
    # greatest value (F_0: 50 N at high modes)
    golden = [1.41052036, -0.424028984, -0.426728668, -0.38443343, 1.06495776, -0.430662621]
    assert out[[20, 40, 60, 100, 150, 200], 0] == pytest.approx(golden, abs=1.4e-8)
    assert out[[60, 100, 200], 1] == pytest.approx([-0.00212949136, -0.000402498499, -0.0019921202],
                                                   abs=3e-11)
    assert out[[60, 100, 200], 2] == pytest.approx([0.773269736, 0.622435721, 1.6274116], abs=5e-8)
    assert h[[0, 100, 200]] == pytest.approx([2.097454882e-3, 2.08465913e-3, 2.066071363e-3],
                                             rel=1e-8)
    assert h[999] == pytest.approx(1.694724736e-3, rel=1e-5)
    # first contact at step 39, in contact in 65.2 % of 1000 steps, root mean square of F_L 0.692
    # (chaos: 1 %)
    assert np.flatnonzero(f.any(axis=1))[0] == 39
    assert kernel.statistics["contact_steps"] == pytest.approx(652, abs=5)
    assert np.sqrt(np.mean(out[:, 0] ** 2)) == pytest.approx(0.69185, rel=0.01)
    assert 1e-17 <= imbalance(ledger) <= 1e-13
    assert_in_touch(kernel, np.sin(np.outer(BRIDGE, b)), BUMP, f)
    # 2.5 measured; 9.1 with plain Newton
    assert 0.3 <= kernel.statistics["iterations"] / kernel.statistics["solves"] <= 2.8
    assert kernel.statistics["most_iterations"] <= 22
    # rougher than the two-point scheme: root mean square second difference 0.859 to 0.299
    smooth, _ = cases.sitar(TwoPoint)
    other, _, _ = run(smooth, 1000, end_force(b))
    rough = [np.sqrt(np.mean(np.diff(values[:, 0], 2) ** 2)) for values in (out, other)]
    assert rough == pytest.approx([0.859194, 0.299043], rel=0.01)
    assert rough[0] > 2.0 * rough[1]


@pytest.mark.parametrize(("points", "limit", "middle", "quarter", "ratio"), [
    (55, 20e3, (-0.49612137, 1.00959633, 0.97650081, 0.97066878), (0.32948288, 0.70439195),
     (1.5136017, 1.5160277)),
    (61, 22049.0, (-0.49612137, 1.02268930, 0.99305374, 1.02275189), (0.33000163, 0.69349714),
     (1.5122358, 1.5118121)),
])
def test_ideal_string_golden(points, limit, middle, quarter, ratio):
    kernel, b, parts = ideal(points=points, limit=limit)
    assert len(b) == points
    out, f, ledger = run(kernel, 420, [np.sin(b * 0.25), np.sin(b * 0.125), np.arange(points) == 0])
    y, period = out / 1e-3, 123.2632473
    # G7, in units of the amplitude
    assert y[[41, 93, 185, 370], 0] == pytest.approx(middle, abs=1e-7)
    assert y[[93, 185], 1] == pytest.approx(quarter, abs=1e-7)
    assert peak(y[:, 2], 1.3 * period, 1.7 * period) / period == pytest.approx(ratio[0], abs=1e-5)
    assert peak(y[:, 2], 2.7 * period, 3.3 * period) / (2.0 * period) == pytest.approx(
        ratio[1], abs=1e-5)
    h = ledger[:, :3].sum(axis=1)
    assert np.abs(h / h[0] - 1.0).max() <= 1e-12
    assert imbalance(ledger) <= 1e-13
    assert_in_touch(kernel, parts["shapes"], parts["offset"], f)


def peak(values, low, high):
    """The time of the largest value between two times, by a parabola through its neighbours."""
    steps = np.arange(int(np.ceil(low)), int(high) + 1)
    n = steps[np.argmax(values[steps])]
    before, here, after = values[n - 1:n + 2]
    return n + 0.5 * (before - after) / (before - 2.0 * here + after)


def test_equilibrium():
    kernel, b = sitar()
    kernel.set_outputs(end_force(b)[None, :])
    settled = kernel.equilibrium_at()
    kernel.set_equilibrium()
    y = kernel.displacement()
    # G6: 10 digits
    assert np.sin(b * 0.25) @ y == pytest.approx(2.979947473e-5, rel=1e-8)
    assert end_force(b) @ y == pytest.approx(0.004670101691, rel=1e-8)
    assert kernel.force().sum() == pytest.approx(0.664764001, rel=1e-8)
    assert kernel.force()[[0, 4]] == pytest.approx([0.49908502, 0.16567898], rel=1e-6)
    assert np.count_nonzero(kernel.force()) == 2
    assert settled == pytest.approx((kernel.energy()[:3].sum(), kernel.outputs()[0]), rel=1e-10)
    # it stays: 4e-18 measured in 500 steps, 1e-15 allowed, of 3e-5 m; the forces too
    _, f, ledger = run(kernel, 500)
    assert np.abs(kernel.displacement() - y).max() <= 1e-15
    assert f[-1] == pytest.approx(f[0], abs=1e-9)
    assert f[-1].sum() == pytest.approx(0.664764001, rel=1e-8)
    assert np.ptp(ledger[:, :3].sum(axis=1)) <= 1e-12 * ledger[0, :3].sum()
    # with exponent 1, the contacts store f^2 / (2 K); the modes Upsilon / (4 xi) y^2
    assert ledger[:, 2] == pytest.approx((f**2).sum(axis=1) / 6e6, rel=1e-9)
    xi = DT**2 / (2.0 * 1.3875e-4)
    assert ledger[0, 1] == pytest.approx((kernel.coefficients[2] * y**2).sum() / (4.0 * xi),
                                         rel=1e-12)
    assert ledger[0, 0] == 0.0


def test_outputs():
    # y before the step; dy/dt = (y+ - y-) / (2 dt) there; forces over it
    kernel, b = sitar()
    kernel.set_outputs(np.array([np.sin(b * 0.2), 0.0 * b, 0.0 * b]),
                       np.array([0.0 * b, np.sin(b * 0.3), 0.0 * b]),
                       np.array([np.zeros(10), np.zeros(10),
                                 np.arange(10.0)]))
    before = kernel.displacement()
    assert kernel.outputs()[1] == 0.0
    for step in range(60):
        y = kernel.displacement()
        out = np.empty((1, 3))
        kernel.advance(1, out)
        after = kernel.displacement()
        # sums of 60 terms in another order; the difference of two y has an eps of y's terms, over 2
        # dt
        assert out[0, 0] == pytest.approx(np.sin(b * 0.2) @ y, abs=64 * EPS * np.abs(y).sum())
        if step:
            assert out[0, 1] == pytest.approx(
                np.sin(b * 0.3) @ (after - before) / (2.0 * DT),
                abs=64 * EPS * np.abs(y).sum() / DT)
        assert out[0, 2] == pytest.approx(np.arange(10.0) @ kernel.force(), rel=16 * EPS)
        assert kernel.outputs()[1:] == pytest.approx(out[0, 1:], rel=1e-14)
        before = y
    assert kernel.force().max() > 0.1
    # displacement() and velocity() are the state: set again, the run continues unchanged
    other, _ = sitar(offset=np.full(10, -1.0))
    twice, _ = sitar(offset=np.full(10, -1.0))
    for one in (other, twice):
        one.advance(100, np.empty((100, 0)))
    twice.set_state(other.displacement(), other.velocity())
    assert twice.velocity() == pytest.approx(other.velocity(), rel=1e-12)
    for one in (other, twice):
        one.advance(100, np.empty((100, 0)))
    assert twice.displacement() == pytest.approx(other.displacement(), abs=1e-16)


@pytest.mark.parametrize("steps", [2, 63, 64, 65, 127], ids=str)
def test_velocity_set_after_a_call(steps):
    # the same operations, whether the output was there during the steps or not: no difference
    early, b = sitar()
    late, _ = sitar()
    weights = np.zeros((1, 60)), np.sin(b * 0.3)[None, :]
    out = np.empty((steps, 1))
    early.set_outputs(*weights)
    early.advance(steps, out)
    late.advance(steps, np.empty((steps, 0)))
    late.set_outputs(*weights)
    assert late.outputs()[0] == out[-1, 0] == early.outputs()[0]
    assert abs(out[-1, 0]) > 1e-9                       # m/s
    assert np.array_equal(late.displacement(), early.displacement())


def test_damping_in_closed_form():
    # free: before and after the change each mode is a root of its own recursion, from the two
    # displacements there are
    kernel, _ = sitar(offset=np.full(10, -1.0))
    _, omega, alpha, _ = string_parameters(**SITAR)
    kernel.set_outputs(np.eye(60))
    y = np.empty((900, 60))
    kernel.advance(300, y[:300])
    kernel.set_modes(*damped(omega, alpha, 200.0))
    kernel.advance(600, y[300:])
    slower, faster = damped(omega, alpha, 200.0)
    r, theta, n = np.exp(-faster * DT), slower * DT, np.arange(600)[:, None]
    # y(n) = R^n (y0 cos n theta + (y0 cos theta - R y(-1)) / sin theta sin n theta): y(-1) fits
    wave = y[300] * np.cos(
        n * theta) + (y[300] * np.cos(theta) - r * y[299]) / np.sin(theta) * np.sin(n * theta)
    assert y[300:] == pytest.approx(r**n * wave, abs=1e-13)
    # 200 1/s for 13.6 ms takes 1/15 of the amplitude
    assert np.abs(y[860:, 0]).max() < 0.1 * np.abs(y[300:450, 0]).max()


def test_damping_is_counted():
    kernel, b = sitar()
    _, omega, alpha, _ = string_parameters(**SITAR)
    run(kernel, 150)
    before = kernel.energy()
    y, speeds = kernel.displacement(), kernel.velocity()
    kernel.set_modes(*damped(omega, alpha, 500.0))
    after = kernel.energy()
    # nothing moves; the energy's jump is work and no loss
    assert np.array_equal(kernel.displacement(), y)
    assert after[4] - before[4] == pytest.approx(after[1] - before[1], rel=1e-9)
    assert abs(after[4] - before[4]) > 1e-9 * before[:3].sum()
    assert after[5] - before[5] == pytest.approx(abs(after[4] - before[4]), rel=1e-9)
    assert np.array_equal(after[[0, 2, 3]], before[[0, 2, 3]])
    # without a force the string would go on otherwise
    assert not np.array_equal(kernel.velocity(), speeds)
    # W is that of a network made so
    parts, _, _ = cases.sitar_parts()
    slower, faster = damped(omega, alpha, 500.0)
    assert np.array_equal(kernel.mobility,
                          network(**(parts | {"omega": slower, "alpha": faster})).mobility)
    _, f, ledger = run(kernel, 300)
    assert imbalance(np.vstack([before, ledger])) <= 1e-13
    assert_in_touch(kernel, np.sin(np.outer(BRIDGE, b)), BUMP, f)
    assert ledger[-1, :3].sum() < 0.1 * ledger[0, :3].sum()
    # and back again, as if it had not been
    kernel.set_modes(omega, alpha)
    assert np.array_equal(kernel.mobility, sitar()[0].mobility)


def test_wrong_modes_change_nothing():
    kernel, _ = sitar()
    _, omega, alpha, _ = string_parameters(**SITAR)
    w = kernel.mobility
    for wrong in ((omega[:59], alpha), (omega, alpha[:59]), (omega, -alpha),
                  (omega * np.nan, alpha), (omega, alpha * np.nan), (omega * 3.0, alpha),
                  (-omega, alpha), (omega, np.full(60, np.inf))):
        with pytest.raises(ValueError):
            kernel.set_modes(*wrong)
    with pytest.raises(TypeError):
        kernel.set_modes(None, alpha)
    assert np.array_equal(kernel.mobility, w)


def test_what_is_refused():
    kernel = ThreePoint(**GOOD)
    for name in GOOD:
        with pytest.raises(TypeError):
            ThreePoint(**{**GOOD, name: None})
    with pytest.raises(TypeError):
        ThreePoint(**GOOD, slopes=np.ones(2))
    for base, scheme in ((BaseNetwork, "TwoPoint"), (Network, "TwoPoint"),
                         (ThreePointNetwork, "ThreePoint")):
        with pytest.raises(TypeError, match=f"abstract; expected a scheme, such as {scheme}"):
            base()
    # the tension is fixed; a change of 0 is allowed
    kernel.set_outputs(np.ones((1, 2)), tension=np.ones((1, 2)))
    zero, one = np.zeros(64), np.ones(1)
    with pytest.raises(ValueError, match="keeps the tension"):
        kernel.advance(64, np.empty((64, 1)), tensions=zero, block_tensions=one)
    with pytest.raises(ValueError, match="keeps the tension"):
        kernel.equilibrium_at(1.0)
    assert kernel.count == 0 and kernel.tension == 0.0
    assert kernel.advance(64, np.empty((64, 1)), tensions=zero, block_tensions=0.0 * one) == 64
    nothing = network(omega=[], alpha=[], mass=[], shapes=[], laws=[], offset=[])
    nothing.set_modes(np.zeros(0), np.zeros(0))
    nothing.set_equilibrium()
    assert nothing.advance(3, np.empty((3, 0))) == 3
