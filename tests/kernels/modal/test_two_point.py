"""The two-point network in Cython: coefficients, golden numbers, closed forms, outputs."""
from functools import partial

import numpy as np
import pytest
from twins import modal_cases as cases
from twins.modal_cases import BRIDGE, BUMP, DT, EPS, SITAR, assert_in_touch, end_force, run
from twins.networks import imbalance
from twins.two_point import Contact, Linear, string_parameters

from pysitar.kernels.modal.two_point import OFFSET, STIFFNESS, TwoPoint

network, sitar, ball = (partial(make, TwoPoint)
                        for make in (cases.network, cases.sitar, cases.ball))


def test_coefficients():
    kernel, _ = sitar()
    a, b, c = kernel.coefficients
    # G2: two independent codes; 12 digits printed
    assert a[[0, 59]] == pytest.approx([4.57361118304e-4, 43.5853237623], rel=1e-11)
    assert b[[0, 59]] == pytest.approx([1.45663178772e-5, 0.27392299236], rel=1e-10)
    assert c[[0, 59]] == pytest.approx([0.999528295174, 0.0222919480898], rel=1e-11)
    assert a.shape == b.shape == c.shape == (60,)
    # W is printed without xi
    w = kernel.mobility / 1.85293350178e-6
    assert [w[0, 0], w[0, 5], w[9, 9],
            np.trace(w)] == pytest.approx([1.782714208, 0.2866921863, 17.35007972, 152.977338826],
                                          rel=1e-9)
    assert np.array_equal(w, w.T)
    assert (kernel.modes, kernel.rows, kernel.count, kernel.failed_at) == (60, 10, 0, -1)


def test_roots_of_the_recursion():
    # the free step has the eigenvalues exp((-alpha +- j omega) dt): their sum is 2 R cos(omega dt),
    # their product R^2
    _, omega, alpha, _ = string_parameters(**SITAR)
    a, _, c = sitar()[0].coefficients
    # (y, q) -> (y + 2C(q - A y), 2C(q - A y) - q): trace (1 - 2CA) + (2C - 1), determinant (1 -
    # 2CA)(2C - 1) + 4 C^2 A
    r = np.exp(-alpha * DT)
    # C, A to some eps; 2 C A is 1.94 at most
    assert (1.0 - 2.0 * c * a) + (2.0 * c - 1.0) == pytest.approx(2.0 * r * np.cos(omega * DT),
                                                                  abs=16 * EPS)
    assert (1.0 - 2.0 * c * a) * (2.0 * c - 1.0) + 4.0 * c * c * a == pytest.approx(
        r * r, abs=16 * EPS)


def test_free_string_is_exact():
    kernel, b = sitar(offset=np.full(10, -1.0))
    y0 = kernel.displacement()
    _, f, _ = run(kernel, 1000)
    _, omega, alpha, _ = string_parameters(**SITAR)
    # G3: closed form; 3.4e-15 measured (two codes), 1e-13 allowed, of 2.3e-3
    r, theta = np.exp(-alpha * DT), omega * DT
    wave = np.cos(1000 * theta) + (1.0 - r * r) / (2.0 * r * np.sin(theta)) * np.sin(1000 * theta)
    assert kernel.displacement() == pytest.approx(r**1000 * wave * y0, abs=1e-13)
    assert kernel.displacement()[0] == pytest.approx(0.000799357804451, abs=1e-13)
    assert not f.any()
    assert kernel.statistics == {
        "solves": 0, "iterations": 0, "most_iterations": 0, "failures": 0, "contact_steps": 0
    }
    assert len(b) == 60


def test_rows_apart():
    # p moves with each row: a thousand sums of at most 1 m; the samples are those without rows
    kernel, b = sitar(offset=np.full(10, -1.0))
    parts, y, _ = cases.sitar_parts()
    bare = network(**parts | {"shapes": np.zeros((0, 60)), "laws": [], "offset": []})
    bare.set_state(y, 0.0 * y)
    for _ in range(1000 // 250):
        run(kernel, 250)
        run(bare, 250)
    assert kernel.displacement().tobytes() == bare.displacement().tobytes()
    expected = -1.0 - np.sin(np.outer(BRIDGE, b)) @ kernel.displacement()
    assert np.ptp(kernel.compression()) > 1e-4
    assert kernel.compression() == pytest.approx(expected, abs=1000 * EPS)


def test_energy_of_springs():
    # sums of 60 modes and 10 rows, in another order: 64 eps; the stiffness of a row may change
    kernel, _ = sitar()
    for stiffness in (1e9 * 3e-3, 2e6):
        kernel.set_row(4, STIFFNESS, stiffness)
        run(kernel, 1)
        while not kernel.compression()[4] > 0.0:
            run(kernel, 1)
        k = np.full(10, 1e9 * 3e-3)
        k[4] = stiffness
        p = np.maximum(kernel.compression(), 0.0)
        a, _, _ = kernel.coefficients
        mass = cases.sitar_parts()[0]["mass"]
        y, q = kernel.displacement(), 0.5 * DT * kernel.velocity()
        energies = [(2.0 * mass / DT**2 * q * q).sum(), (2.0 * mass / DT**2 * a * y * y).sum(),
                    (0.5 * k * p * p).sum()]
        assert kernel.energy()[:3] == pytest.approx(energies, rel=64 * EPS)


def test_sitar_golden():
    kernel, b = sitar()
    out, f, ledger = run(kernel, 1000, [end_force(b), np.sin(b * 0.25)])
    h = ledger[:, :3].sum(axis=1)
    # G4, G5: two independent codes and scipy.optimize.root agree to the digits given; 1e-8 of the
    # greatest value
    assert out[0, 0] == pytest.approx(0.981774540279, rel=1e-11)
    golden = [1.41188075, -0.423840069, -0.425333674, -0.365128854, 0.939002883, -0.432796472]
    assert out[[20, 40, 60, 100, 150, 200], 0] == pytest.approx(golden, abs=1.4e-8)
    assert out[[60, 100, 200],
               1] == pytest.approx([-0.00212924239, -0.000369264228, -0.00206157625], abs=3e-11)
    assert h[[0, 100, 200]] == pytest.approx([2.183825876e-3, 2.1390019e-3, 2.098876417e-3],
                                             rel=1e-8)
    assert h[999] == pytest.approx(1.555866276e-3, rel=1e-6)
    # first contact at step 39, in contact in 51.5 % of 1000 steps, root mean square of F_L 0.621
    # (chaos: 1 %)
    assert np.flatnonzero(f.any(axis=1))[0] == 39
    assert kernel.statistics["contact_steps"] == pytest.approx(515, abs=5)
    assert np.sqrt(np.mean(out[:, 0] ** 2)) == pytest.approx(0.621042, rel=0.01)
    assert imbalance(ledger) <= 1e-13
    assert_in_touch(kernel, np.sin(np.outer(BRIDGE, b)), BUMP, f)
    # and the solver's cost: 8 iterations a step with plain Newton, at most 12
    assert 0.3 <= kernel.statistics["iterations"] / kernel.statistics["solves"] <= 6.0
    assert kernel.statistics["most_iterations"] <= 20


@pytest.mark.parametrize("adhesive", [True, False])
def test_hunt_crossley_golden(adhesive):
    kernel, b = sitar(damping=1.0, adhesive=adhesive)
    out, f, ledger = run(kernel, 201, end_force(b))
    # G8: by two independent codes; the clamped force is another
    if adhesive:
        assert out[[60, 100, 200], 0] == pytest.approx([-0.425442947, -0.363925256, -0.431646855],
                                                       abs=1.4e-8)
        assert ledger[200, :3].sum() == pytest.approx(1.89339843e-3, rel=1e-8)
        assert f.min() < -1e-3
    else:
        assert out[60, 0] == pytest.approx(-0.425455707, abs=1.4e-8)
        assert f.min() == 0.0
    assert imbalance(ledger) <= 1e-13
    assert_in_touch(kernel, np.sin(np.outer(BRIDGE, b)), BUMP, f, pulls=True)


def test_equilibrium():
    kernel, b = sitar()
    kernel.set_equilibrium()
    y = kernel.displacement()
    # G6: 10 digits
    assert np.sin(b * 0.25) @ y == pytest.approx(2.979652739e-5, rel=1e-8)
    assert end_force(b) @ y == pytest.approx(0.005850921435, rel=1e-8)
    assert kernel.force().sum() == pytest.approx(1.250372354, rel=1e-8)
    assert kernel.force()[[0, 4]] == pytest.approx([1.1583184, 0.09205392], rel=1e-6)
    assert np.count_nonzero(kernel.force()) == 2
    assert not kernel.velocity().any()
    # it stays: 1e-20 measured in 500 steps, 1e-15 allowed, of 3e-5 m; the forces too
    _, f, ledger = run(kernel, 500)
    assert np.abs(kernel.displacement() - y).max() <= 1e-15
    assert f[-1] == pytest.approx(f[0], abs=1e-9)
    assert f[-1].sum() == pytest.approx(1.250372354, rel=1e-8)
    assert np.ptp(ledger[:, :3].sum(axis=1)) <= 1e-12 * ledger[0, :3].sum()
    # with exponent 1, the contacts store f^2 / (2 K)
    assert ledger[:, 2] == pytest.approx((f**2).sum(axis=1) / 6e6, rel=1e-9)
    # a free mass does not move; the row between it and a mode gives 2 A / xi y = K (x - y)
    pair = network(omega=[700.0, 0.0], alpha=[1.0, 0.0], mass=[0.01, 0.02], shapes=[[1.0, -1.0]],
                   offset=[1e-4], laws=[Contact(stiffness=5e4)])
    pair.set_state(np.array([3e-3, 2e-3]), np.array([1.0, 1.0]))
    pair.set_equilibrium()
    stiffness = 2.0 * pair.coefficients[0][0] * 2.0 * 0.01 / DT**2
    place = 5e4 * (1e-4 + 2e-3) / (stiffness + 5e4)
    assert pair.displacement() == pytest.approx([place, 2e-3], rel=1e-12)


def test_outputs():
    # y before the step, dy/dt before it, forces over it
    kernel, b = sitar()
    kernel.set_outputs(np.array([np.sin(b * 0.2), 0.0 * b, 0.0 * b]),
                       np.array([0.0 * b, np.sin(b * 0.3), 0.0 * b]),
                       np.array([np.zeros(10), np.zeros(10),
                                 np.arange(10.0)]))
    for _ in range(60):
        y, v = kernel.displacement(), kernel.velocity()
        out = np.empty((1, 3))
        kernel.advance(1, out)
        # sums of 60 terms in another order
        assert out[0, 0] == pytest.approx(np.sin(b * 0.2) @ y, abs=64 * EPS * np.abs(y).sum())
        assert out[0, 1] == pytest.approx(np.sin(b * 0.3) @ v, abs=64 * EPS * np.abs(v).sum())
        assert out[0, 2] == pytest.approx(np.arange(10.0) @ kernel.force(), rel=16 * EPS)
    assert kernel.force().max() > 0.1
    assert_in_touch(kernel, np.sin(np.outer(BRIDGE, b)), BUMP, kernel.force())
    assert kernel.energy()[:4].sum() == pytest.approx(sitar()[0].energy()[:3].sum(), rel=1e-12)


def test_absent_row_stays_out_for_long():
    # a spring keeps the mass away from an absent row for a long time; p is correct once the row is
    # present again
    kernel = network(omega=[700.0], alpha=[1.0], mass=[0.01], shapes=[[1.0], [1.0]],
                     laws=[Linear(stiffness=1e6), Contact(stiffness=0.0)], offset=[-1e-3, -2e-3])
    kernel.set_equilibrium()
    kernel.advance(200_000, np.empty((200_000, 0)))
    assert kernel.force()[0] < -4.0
    y = kernel.displacement()[0]
    kernel.set_row(1, STIFFNESS, 1e5)
    assert kernel.compression()[1] == pytest.approx(-2e-3 - y, rel=1e-12)
    kernel.set_row(1, OFFSET, 0.0)
    _, f, ledger = run(kernel, 100)
    assert f[:, 1].max() > 10.0
    assert imbalance(ledger) <= 1e-13


def test_half_a_period_on_a_spring():
    # exponent 1: a spring K holds the mass for pi / omega', tan(omega' dt / 2) = omega dt / 2, to
    # within the two partial steps
    kernel = ball(Contact(stiffness=1e4))
    kernel.set_state(np.zeros(1), np.array([-1.0]))
    _, f, ledger = run(kernel, 400)
    assert imbalance(ledger) <= 1e-13
    assert f.min() >= 0.0
    assert 0.0 <= kernel.statistics["contact_steps"] * DT - np.pi / (2.0 * np.arctan(1e3 * DT / 2.0)
                                                                     / DT) <= 2.0 * DT
    assert kernel.statistics["iterations"] == 0
    assert kernel.velocity()[0] == pytest.approx(1.0, rel=1e-12)


def test_state_and_no_rows():
    kernel = network(omega=[1000.0, 0.0], alpha=[0.0, 0.0], mass=[1.0, 2.0], shapes=[], laws=[],
                     offset=[])
    kernel.set_state(np.array([1e-3, 0.5]), np.array([0.0, 2.0]))
    assert kernel.displacement().tolist() == [1e-3, 0.5]
    assert kernel.velocity() == pytest.approx([0.0, 2.0], rel=EPS)
    assert kernel.energy()[0] == pytest.approx(0.5 * 2.0 * 4.0, rel=4 * EPS)
    # the prewarped stiffness: k* = 4 m A / dt^2, A = tan^2(omega dt / 2)
    assert kernel.energy()[1] == pytest.approx(0.5 * 4.0 / DT**2 * np.tan(500.0 * DT)**2 * 1e-6,
                                               rel=1e-12)
    kernel.advance(100, np.empty((100, 0)))
    # 100 additions to 0.5
    assert kernel.displacement() == pytest.approx([1e-3 * np.cos(1e5 * DT), 0.5 + 200.0 * DT],
                                                  abs=1e-14)
    kernel.set_equilibrium()
    assert kernel.mobility.shape == (0, 0)
    assert kernel.force().shape == kernel.compression().shape == (0,)
    nothing = network(omega=[], alpha=[], mass=[], shapes=[], laws=[], offset=[])
    assert nothing.advance(3, np.empty((3, 0))) == 3
