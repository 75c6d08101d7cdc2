"""The three-point network in Cython: golden numbers, closed forms, NumPy twin, balance, damping,
bits independent of blocks."""
import numpy as np
import pytest
from twins import networks
from twins import three_point as cases
from twins.networks import imbalance
from twins.three_point import BRIDGE, BUMP, SITAR, ThreePointTwin
from twins.two_point import Contact, Linear, string_parameters

from pysitar.kernels.modal.network import Network
from pysitar.kernels.modal.three_point import DAMPING, OFFSET, STIFFNESS, ThreePoint
from pysitar.kernels.modal.two_point import TwoPoint

DT = 1.0 / 44100.0
EPS = float(np.finfo(float).eps)


def network(*, scheme=ThreePoint, **parameters):
    """Return the kernel for the arguments of ThreePointTwin."""
    return networks.network(scheme, **{"dt": DT} | parameters)


def sitar(*, scheme=ThreePoint, laws=None, **parameters):
    """Section IV-B: 60 modes, 10 points, drawn to 3 mm at 0.35 m; the kernel and the wave
    numbers."""
    parts, y, b = cases.sitar(**parameters)
    kernel = network(**(parts | {"laws": laws or parts["laws"]}), scheme=scheme)
    kernel.set_state(y, 0.0 * y)
    return kernel, b


def ideal(**parameters):
    """Section IV-A: the lossless string over a flat barrier at minus half its amplitude."""
    parts, y, b = cases.ideal(**parameters)
    kernel = network(**parts)
    kernel.set_state(y, 0.0 * y)
    return kernel, b, parts


def end_force(b):
    return (-1.0) ** np.arange(len(b)) * (50.0 * b + 7.95e-5 * b**3)


def run(kernel, steps, outputs=None, *, forces=None, **options):
    """Return outputs (weights of y) before each step, the row forces over it, and the ledger before
    each step."""
    y = np.zeros((0, kernel.modes)) if outputs is None else np.atleast_2d(outputs)
    n = len(y)
    none, each = np.zeros((n, kernel.rows)), np.eye(kernel.rows)
    kernel.set_outputs(np.vstack([y, np.zeros((kernel.rows, kernel.modes))]), None,
                       np.vstack([none, each]))
    out, ledger = np.empty((steps, n + kernel.rows)), np.empty((steps, 6))
    assert kernel.advance(steps, out, forces=forces, energies=ledger, every=1, **options) == steps
    assert kernel.failed_at == -1
    return out[:, :n], out[:, n:], ledger


def assert_in_touch(kernel, shapes, offset, f, *, pulls=False):
    """Assert p = offset - V y (the kernel updates p by increments: one eps per step) and forces >=
    0."""
    y = kernel.displacement()
    rounding = 64 * EPS * (np.abs(offset) + np.abs(shapes) @ np.abs(y)).max() + 1e-17 * kernel.count
    assert kernel.compression() == pytest.approx(offset - shapes @ y, abs=rounding)
    assert f.max() > 0.0
    assert pulls or f.min() >= 0.0


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
    smooth, _ = sitar(scheme=TwoPoint)
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


def everything():
    """A string of 12 modes, a free mass and 3 body modes of other masses; rows of every kind
    between them."""
    b, omega, alpha, mass = string_parameters(length=0.6, tension=60.0, linear_density=1e-3,
                                              stiffness=2e-4, losses=(1.0, 5e-3, 1e-6), limit=3.4e3)
    n = len(b)
    omega = np.concatenate([omega, [0.0], 2.0 * np.pi * np.array([180.0, 910.0, 7000.0])])
    alpha = np.concatenate([alpha, [0.0], [20.0, 60.0, 500.0]])
    mass = np.concatenate([mass, [2e-3], [0.05, 0.03, 0.004]])
    body = np.array([1.0, -0.7, 0.4])
    shapes = np.zeros((8, len(mass)))
    for k, x in enumerate((0.004, 0.01, 0.02, 0.03, 0.05)):
        shapes[k, :n] = np.sin(b * x)
    shapes[0, n + 1:] = -body                      # a bridge that the body carries
    shapes[4, :n] *= -1.0  # a mass above the string falls on it: p = offset + y - z
    shapes[4, n] = 1.0
    shapes[5, :n] = np.sin(b * 0.4)                # a finger's damper
    shapes[6, n], shapes[6, n + 1:] = 1.0, -body   # a spring between mass and body
    shapes[7, n] = 1.0                             # the mass on a clamped floor
    laws = [
        Contact(stiffness=2e6, exponent=1.0, damping=0.3),
        Contact(stiffness=3e7, exponent=1.5, damping=0.5),
        Contact(stiffness=4e9, exponent=2.3, damping=0.2),
        Contact(stiffness=5e5, exponent=1.0),
        Contact(stiffness=1e6, exponent=1.5, damping=0.2, adhesive=False),
        Linear(resistance=0.4),
        Linear(stiffness=800.0, resistance=0.05),
        Contact(stiffness=1e6, exponent=2.0, damping=2.0, adhesive=False),
    ]
    offset = np.array([1e-5, 2e-5, 3e-5, 1e-5, -2e-4, 0.0, 5e-5, -1e-4])
    y, v = np.zeros(len(mass)), np.zeros(len(mass))
    y[:3] = [1e-3, -5e-4, 3e-4]
    v[n], v[n + 1] = -0.8, 0.05
    return {
        "omega": omega, "alpha": alpha, "mass": mass, "shapes": shapes, "laws": laws,
        "offset": offset
    }, y, v, b


def changes(step, laws, shapes, b):
    """Return the changes before a step: (calls of the kernel, the laws, the shape of row 2 or
    None)."""
    if step == 40:  # the finger presses and damps more, the damper lets go
        laws[1], laws[5] = Contact(stiffness=9e7, exponent=1.5, damping=0.1), Linear()
        return [(1, STIFFNESS, 9e7), (1, DAMPING, 0.1), (5, DAMPING, 0.0)]
    if step == 90:                             # a row vanishes; another gets a spring
        laws[3], laws[5] = Contact(stiffness=0.0), Linear(stiffness=500.0, resistance=0.2)
        return [(3, STIFFNESS, 0.0), (5, STIFFNESS, 500.0), (5, DAMPING, 0.2)]
    if step == 130:                            # and comes back, softer
        laws[3] = Contact(stiffness=2e5)
        return [(3, STIFFNESS, 2e5)]
    return []


def test_twin_of_everything():
    parameters, y, v, b = everything()
    kernel = network(**parameters)
    kernel.set_state(y, v)
    a, c, _, _ = kernel.coefficients
    # y(1) - y(-1) = 2 dt v without rows
    twin = ThreePointTwin(**parameters, dt=DT, y=y, previous=(a * y - 2.0 * DT * v) / c)
    n, modes = len(b), len(y)
    laws, offset, shapes = list(
        parameters["laws"]), parameters["offset"].copy(), parameters["shapes"].copy()
    pluck = np.zeros((2, modes))
    pluck[0, :n], pluck[1, n] = np.sin(b * 0.17), 1.0
    kernel.set_inputs(pluck)
    kernel.set_outputs(np.zeros((modes, modes)), np.eye(modes))
    scale, push, touched, ledger = np.abs(y).max(), np.zeros(8), np.zeros(8, dtype=bool), []
    for step in range(220):
        for change in (calls := changes(step, laws, shapes, b)):
            kernel.set_row(*change)
        if calls:
            twin.set_laws(laws)
        if step == 100:                            # a contact moves along the string
            shapes[2, :n] = np.sin(b * 0.024)
            kernel.set_row_shape(2, shapes[2])
            twin.set_shape(2, shapes[2])
        if step == 150:                            # the string is damped, its frequencies sink
            alpha = parameters["alpha"] + np.where(np.arange(modes) < n, 300.0, 0.0)
            omega = np.sqrt(
                np.maximum(parameters["omega"]**2 + parameters["alpha"]**2 - alpha**2, 0.0))
            kernel.set_modes(omega, alpha)
            twin.set_modes(omega, alpha)
        offset[0] = 1e-5 + 4e-5 * np.sin(0.05 * step)
        offset[3] += 2e-7
        kernel.set_row(0, OFFSET, offset[0])
        kernel.set_row(3, OFFSET, offset[3])
        force = np.array([3.0 * np.sin(0.03 * step), -0.02 - 0.1 * (step > 60)])
        ledger.append(kernel.energy())
        speed = np.empty((1, modes))
        kernel.advance(1, speed, forces=force[None, :])
        twin.step(pluck, force, offset=offset)
        push = np.maximum(push, np.abs(twin.f))
        touched |= kernel.force() != 0.0
        # errors start at an eps and contact makes a hundred of it in 200 steps: 1e-10 of what there
        # is
        assert np.abs(kernel.displacement() - twin.y).max() <= 1e-10 * scale
        assert np.abs(2.0 * DT * speed[0] - twin.s).max() <= 1e-10 * scale
        assert np.all(np.abs(kernel.force() - twin.f) <= 1e-8 * push.max())
        live = ~np.isnan(kernel.compression())
        assert np.abs(kernel.compression() - twin.compressions()[0])[live].max() <= 1e-10 * scale
        h = kernel.energy()
        assert h[:3].sum() == pytest.approx(twin.energy(), rel=1e-9)
        assert h[3:5] == pytest.approx([twin.losses, twin.work], rel=1e-8, abs=1e-9 * twin.energy())
        # the kernel adds |work| force by force, the twin step by step
        assert twin.throughput * (1.0 - 1e-9) <= h[5] <= 1.2 * twin.throughput
    assert touched.all()
    assert kernel.failed_at == -1
    assert imbalance(np.array(ledger)) <= 1e-13
    assert kernel.mobility == pytest.approx(twin.W, rel=1e-11, abs=1e-14 * twin.W.max())


def disturbed(kernel, b, steps):
    """Continue a pluck at two points."""
    kernel.set_inputs(np.array([np.sin(b * 0.11), np.sin(b * 0.37)]))
    n = np.arange(steps)
    return np.column_stack([3.0 * np.sin(0.02 * n), 0.5 * np.cos(0.003 * n)])


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.3])
@pytest.mark.parametrize(("kb", "bound"), [(1e9, 1e-13), (1e12, 1e-12)])
@pytest.mark.parametrize("adhesive", [True, False])
def test_balance(kb, bound, exponent, adhesive):
    # 1000 steps with loss, contact damping, two outer forces and a barrier that moves, damped more
    # after 500. A step's balance is a dozen roundings of the ledger: 1e-13 of their scale is the
    # promise, and 1e-17 the sign that something was there to compare. A stiffness for an exponent:
    # the same force at 1e-5 m as kb's.
    kernel, b = sitar(kb=kb * 1e-5**(1.0 - exponent), exponent=exponent, damping=0.7,
                      adhesive=adhesive)
    offset = (BUMP[:, None] + 2e-5 * np.sin(0.01 * np.arange(1, 1001))).T
    forces = disturbed(kernel, b, 1000)
    _, omega, alpha, _ = string_parameters(**SITAR)
    found, pushes = [], []
    for half in (slice(0, 500), slice(500, 1000)):
        _, f, ledger = run(kernel, 500, forces=forces[half],
                           control_rows=np.arange(10, dtype=np.int32),
                           control_fields=np.full(10, OFFSET, dtype=np.int32),
                           controls=np.ascontiguousarray(offset[half]))
        found.append(ledger)
        pushes.append(f)
        kernel.set_modes(np.sqrt(omega**2 + alpha**2 - (alpha + 30.0) ** 2), alpha + 30.0)
    ledger, f = np.vstack(found), np.vstack(pushes)
    assert 1e-17 <= imbalance(ledger) <= bound
    # losses only grow; every term of the balance is present
    assert np.all(np.diff(ledger[:, 3]) >= 0.0)
    assert np.all(np.diff(ledger[:, 5]) >= 0.0)
    assert ledger[-1, 3] > 0.1 * ledger[0, :3].sum()
    assert ledger[-1, 5] > 0.1 * ledger[0, :3].sum()
    assert ledger[:, 2].max() > 1e-5 * ledger[0, :3].sum()
    assert kernel.statistics["contact_steps"] >= 400
    assert_in_touch(kernel, np.sin(np.outer(BRIDGE, b)), offset[-1], f, pulls=adhesive)


def test_heat_of_the_contacts():
    # without string losses only the contacts dissipate; without their damping nothing does
    for damping, low, high in ((0.0, 0.0, 0.0), (1.0, 0.05, 0.9)):
        kernel, b = sitar(damping=damping, losses=False)
        _, f, ledger = run(kernel, 1000)
        h0 = ledger[0, :3].sum()
        lost = 1.0 - ledger[-1, :3].sum() / h0
        assert low - 1e-12 <= lost <= high + 1e-12
        assert ledger[-1, 3] == pytest.approx(lost * h0, abs=1e-12 * h0)
        assert damping or ledger[-1, 3] == 0.0          # R = 1 loses nothing, not even rounding
        assert imbalance(ledger) <= 1e-13
        assert_in_touch(kernel, np.sin(np.outer(BRIDGE, b)), BUMP, f, pulls=damping > 0.0)


def test_lossless_long_run():
    # 8000 steps, on and off the barrier: 9.6e-14 drift measured by another code; ten times that
    # allowed
    kernel, _, parts = ideal(points=55)
    _, f, ledger = run(kernel, 8000)
    h = ledger[:, :3].sum(axis=1)
    assert np.abs(h / h[0] - 1.0).max() <= 1e-12
    assert not ledger[:, 3].any()
    assert ledger[:, 2].max() > 0.01 * h[0]
    assert h.min() > 0.0
    assert 300 <= kernel.statistics["contact_steps"] <= 2000
    assert_in_touch(kernel, parts["shapes"], parts["offset"], f)


def test_scaling():
    # with exponent 1 the scheme is homogeneous of degree 1: a factor 4 is exact in every operation
    one, b = sitar()
    out, f, ledger = run(one, 600, end_force(b))
    other, _ = sitar(offset=4.0 * BUMP, height=4.0 * 3e-3)
    scaled, push, options = run(other, 600, end_force(b))
    assert np.array_equal(scaled, 4.0 * out)
    assert np.array_equal(push, 4.0 * f)
    assert np.array_equal(options, 16.0 * ledger)
    assert f.max() > 0.1


def test_more_rows_than_modes():
    kernel, _, parts = ideal(points=100, limit=8000.0)
    assert (kernel.modes, kernel.rows, np.linalg.matrix_rank(kernel.mobility)) == (22, 100, 22)
    _, f, ledger = run(kernel, 500)
    assert kernel.statistics["failures"] == 0
    assert (f > 0.0).sum(axis=1).max() > 22
    assert imbalance(ledger) <= 1e-13
    assert_in_touch(kernel, parts["shapes"], parts["offset"], f)


CHUNKS = (1, 0, 17, 482, 1000)


def test_any_chunks_same_bits():
    steps = sum(CHUNKS)
    n = np.arange(steps)
    rows, fields = np.array([2, 2, 7], dtype=np.int32), np.array([OFFSET, DAMPING, STIFFNESS],
                                                                 dtype=np.int32)
    # row 7 comes and goes every 300 steps, in the middle of ledger and chunks
    controls = np.column_stack([
        BUMP[2] + 1e-5 * np.sin(0.004 * n), 0.5 + 0.4 * np.sin(0.01 * n),
        np.where(n // 300 % 2, 0.0, 3e6)
    ])
    results = []
    for lengths in ((500, steps - 500), CHUNKS):
        kernel, b = sitar(damping=0.5)
        forces = disturbed(kernel, b, steps)
        kernel.set_outputs(np.array([end_force(b), np.sin(b * 0.25), 0.0 * b]),
                           np.array([0.0 * b, 0.0 * b, np.sin(b * 0.1)]),
                           np.outer([0.0, 0.0, 1.0], np.ones(10)))
        outs, ledger, start = [], [], 0
        for length in lengths:
            end = start + length
            out = np.full((length, 3), np.nan)
            energies = np.full((len(range(-(-start // 64) * 64, end, 64)), 6), np.nan)
            assert kernel.advance(length, out, forces=forces[start:end], control_rows=rows,
                                  control_fields=fields, controls=controls[start:end],
                                  energies=energies, every=64) == length
            outs.append(out)
            ledger.append(energies)
            start = end
            if start == 500:                       # damped in the middle of all
                kernel.set_modes(string_parameters(**SITAR)[1], string_parameters(**SITAR)[2] + 5.0)
        results.append(
            (np.vstack(outs), np.vstack(ledger), kernel.displacement(), kernel.velocity(),
             kernel.force(), kernel.compression(), kernel.energy(), kernel.statistics))
    first, second = results
    assert first[1].shape == (24, 6)
    for left, right in zip(first[:-1], second[:-1], strict=True):
        assert np.array_equal(left, right, equal_nan=True)
    assert first[-1] == second[-1]
    # the bits are those of a string on a bridge
    assert np.isfinite(first[0]).all()
    assert first[-1]["contact_steps"] > 500
    stored = first[1][:, :3].sum(axis=1)
    scale = np.maximum(np.maximum.accumulate(stored), first[1][:, 5])
    assert np.max(np.abs(stored + first[1][:, 3] - first[1][:, 4] - stored[0]) / scale) <= 1e-11


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


def damped(omega, alpha, options):
    """Return the modes for a greater sigma0: sqrt(k / m - alpha^2) decreases."""
    return np.sqrt(omega**2 + alpha**2 - (alpha + options) ** 2), alpha + options


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
    parts, _, _ = cases.sitar()
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


def sleeper():
    """Return a drawn string that decays fast to its equilibrium on the bridge, and first output and
    energy there."""
    b, omega, alpha, mass = string_parameters(**{**SITAR, "losses": (40.0, 0.3, 1e-5)})
    kernel = network(omega=omega, alpha=alpha, mass=mass, shapes=np.sin(np.outer(BRIDGE, b)),
                     laws=[Contact(stiffness=3e6)] * 10, offset=BUMP)
    kernel.set_equilibrium()
    kernel.set_outputs(end_force(b)[None, :])
    rest = kernel.set_sleep(energy_ratio=1e-8, output_level=0.0, output_ratio=1e-4,
                            min_quiet_steps=640)
    energy = kernel.energy()[:3].sum()
    kernel.set_state(2.0 * 3e-3 * np.sin(b * 0.35) / (b**2 * 0.35 * 0.15), np.zeros(len(b)))
    return kernel, rest, energy


def test_sleep():
    results = []
    for lengths in ([44100], [1, 0, 17, 982, *[2000] * 20], [100] * 441):
        kernel, rest, energy = sleeper()
        assert rest == pytest.approx(0.004670101691, rel=1e-2)  # G6; the losses there are less
        outs, ledger = [], []
        for length in lengths:
            out = np.full((length, 1), np.nan)
            energies = np.full(
                (len(range(-(-kernel.count // 64) * 64, kernel.count + length, 64)), 6), np.nan)
            done = kernel.advance(length, out, energies=energies, every=64, may_sleep=True)
            outs.append(out[:done, 0])
            ledger.append(energies[np.isfinite(energies[:, 0])])
            if done < length:
                break
        results.append((kernel, np.concatenate(outs), np.vstack(ledger)))
    kernel, out, ledger = results[0]
    asleep = kernel.count
    # alpha >= 41.9: the energy is under 1e-8 after ln(1e8) / (2 * 41.9) = 0.22 s; contact scatters
    # it upwards, where it is lost sooner
    assert asleep % 64 == 0 and asleep == len(out) and 0.1 * 44100 <= asleep <= 0.3 * 44100
    # asleep when both are below their thresholds, and not 64 steps earlier
    size, above = np.abs(out - rest), ledger[:, :3].sum(axis=1) - energy
    quiet = [
        size[n - 640:n].max() <= 1e-4 * size[:n].max() and above[n // 64] <= 1e-8 * above[0]
        for n in (asleep, asleep - 64)
    ]
    assert quiet == [True, False]
    assert np.abs(ledger[:, :4].sum(axis=1) / ledger[0, :3].sum() - 1.0).max() <= 1e-12
    for other, same, _ in results[1:]:
        assert other.count == asleep
        assert np.array_equal(same, out)
    # it stays asleep and continues with the same state; other modes wake it
    y, room = kernel.displacement(), {"energies": np.empty((1, 6)), "every": 64, "may_sleep": True}
    kernel.skip(640)
    assert np.array_equal(kernel.displacement(), y)
    assert kernel.advance(64, np.empty((64, 1)), **room) == 0
    _, omega, alpha, _ = string_parameters(**{**SITAR, "losses": (40.0, 0.3, 1e-5)})
    kernel.set_modes(omega, alpha)
    assert kernel.advance(64, np.empty((64, 1)), **room) == 64
    assert kernel.advance(64, np.empty((64, 1)), **(room | {"may_sleep": False})) == 64


def test_absent_row_comes_late():
    # a row switched on later has the compression of one that was present all the time
    followed, b = sitar(laws=[Contact(stiffness=3e6)] * 9 + [Contact(stiffness=1e-30)])
    absent, _ = sitar(laws=[Contact(stiffness=3e6)] * 9 + [Contact(stiffness=0.0)])
    assert np.isnan(absent.compression()[9])
    outs = []
    for kernel in (followed, absent):
        one, f, ledger = run(kernel, 100, end_force(b))
        kernel.set_row(9, STIFFNESS, 3e6)
        assert kernel.compression()[9] == pytest.approx(
            BUMP[9] - np.sin(b * BRIDGE[9]) @ kernel.displacement(), abs=200 * EPS * 3e-3)
        two, g, options = run(kernel, 100, end_force(b))
        assert imbalance(np.vstack([ledger, options])) <= 1e-13
        outs.append(np.concatenate([one, two]))
        assert g[:, 9].max() > 0.0 and f[:, 9].max() < 1e-20
        assert_in_touch(kernel, np.sin(np.outer(BRIDGE, b)), BUMP, g)
    # 200 steps on: 1e-8 of the greatest F_L (200 eps of 3 mm grow a hundredfold)
    assert outs[0] == pytest.approx(outs[1], abs=1.4e-8)
    # a row switched off in contact is no longer solved for
    gone = network(omega=[700.0], alpha=[1.0], mass=[0.01], shapes=[[1.0]],
                   laws=[Contact(stiffness=1e5)], offset=[1e-3])
    run(gone, 10)
    solves = gone.statistics["solves"]
    gone.set_row(0, STIFFNESS, 0.0)
    run(gone, 100)
    assert gone.statistics["solves"] == solves > 0


def test_offset_and_another_change_before_one_step():
    # the order of changes at one instant does not matter, even while the row still moves from the
    # previous step
    shape = np.sin(string_parameters(**SITAR)[0] * 4e-3)
    moved = ("set_row", 1, OFFSET, 9e-5)
    for parameters in (
        [moved, ("set_row_shape", 1, shape)],
        [("set_row_shape", 1, shape), moved],
        [moved, ("set_row", 1, STIFFNESS, 0.0), ("set_row", 1, STIFFNESS, 3e6)],
        [("set_row", 1, STIFFNESS, 0.0), moved, ("set_row", 1, STIFFNESS, 3e6)],
        [("set_row", 1, STIFFNESS, 0.0), ("set_row", 1, STIFFNESS, 3e6), moved],
        [moved, ("set_row", 1, DAMPING, 0.3)],
    ):
        kernel, b = sitar()
        run(kernel, 50)
        kernel.set_row(1, OFFSET, 7e-5)
        run(kernel, 1)
        before = kernel.energy()
        for name, *arguments in parameters:
            getattr(kernel, name)(*arguments)
        _, f, ledger = run(kernel, 20)
        shapes, offset = np.sin(np.outer(BRIDGE, b)), BUMP.copy()
        offset[1] = 9e-5
        if any(name == "set_row_shape" for name, *_ in parameters):
            shapes[1] = shape
        assert_in_touch(kernel, shapes, offset, f, pulls=True)
        assert imbalance(np.vstack([before, ledger])) <= 1e-13
        # p goes on from the step before the last: even and odd steps each have their own
        run(kernel, 1)
        assert_in_touch(kernel, shapes, offset, f, pulls=True)


def ball(law, *, gap=1e-6):
    return network(omega=[0.0], alpha=[0.0], mass=[0.01], shapes=[[1.0]], laws=[law], offset=[-gap])


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.3])
@pytest.mark.parametrize("stiffness", [1e4, 1e6, 1e12])
def test_bouncing_mass(stiffness, exponent):
    # lossless: it leaves as fast as it came, having been pushed with 2 m v; on any floor it touches
    # for 2 samples at least
    kernel = ball(Contact(stiffness=stiffness * 1e-5 ** (1.0 - exponent), exponent=exponent))
    kernel.set_state(np.zeros(1), np.array([-1.0]))
    _, f, ledger = run(kernel, 300)
    assert kernel.velocity()[0] == pytest.approx(1.0, rel=1e-10)
    assert f.sum() * DT == pytest.approx(0.02, rel=1e-10)
    assert imbalance(ledger) <= 1e-13
    assert 2 <= kernel.statistics["contact_steps"] <= 200


@pytest.mark.parametrize("adhesive", [True, False])
def test_damped_bounce(adhesive):
    kernel = ball(Contact(stiffness=1e7, damping=0.9, adhesive=adhesive))
    kernel.set_state(np.zeros(1), np.array([-1.0]))
    _, f, ledger = run(kernel, 100)
    assert 0.2 < kernel.velocity()[0] < 0.95
    assert ledger[-1, 3] == pytest.approx(0.005 - 0.005 * kernel.velocity()[0] ** 2, rel=1e-11)
    assert imbalance(ledger) <= 1e-13
    assert f.max() > 10.0
    assert adhesive or f.min() == 0.0


def test_damper_and_spring_rows():
    # a damper: the increment of a step falls by (1 - a) / (1 + a), a = R dt / (2 m); a spring K: (1
    # + K dt^2 / (2 m)) (y+ + y-) = 2 y
    slowed = network(omega=[0.0], alpha=[0.0], mass=[0.01], shapes=[[1.0]],
                     laws=[Linear(resistance=5.0)], offset=[0.0])
    slowed.set_state(np.zeros(1), np.ones(1))
    _, _, ledger = run(slowed, 200)
    a = 5.0 * DT / 0.02
    assert slowed.velocity()[0] == pytest.approx(((1.0 - a) / (1.0 + a)) ** 200, rel=1e-12)
    assert imbalance(ledger) <= 1e-13
    sprung = network(omega=[0.0], alpha=[0.0], mass=[0.01], shapes=[[1.0]],
                     laws=[Linear(stiffness=1000.0)], offset=[2e-3])
    sprung.set_state(np.array([3e-3]), np.zeros(1))
    _, _, ledger = run(sprung, 300)
    # released without a force: y(-1) = y(0), so in phase at n = -1/2
    theta = np.arccos(1.0 / (1.0 + 1000.0 * DT**2 / 0.02))
    assert sprung.displacement()[0] == pytest.approx(
        2e-3 + 1e-3 * np.cos(300.5 * theta) / np.cos(0.5 * theta), abs=1e-14)
    assert imbalance(ledger) <= 1e-13
    assert slowed.statistics["contact_steps"] == sprung.statistics["contact_steps"] == 0


def test_constant_force():
    # y(n+1) - 2 y(n) + y(n-1) = dt^2 f / m from y(0) = y(-1) = 0; work f (y(n) + y(n-1)) / 2
    kernel = ball(Contact(stiffness=1e6), gap=1.0)
    kernel.set_inputs(np.ones((1, 1)))
    _, f, ledger = run(kernel, 101, forces=np.full((101, 1), -0.0981))
    y = [-9.81 * DT**2 * n * (n + 1) / 2.0 for n in (101, 100)]
    assert kernel.displacement()[0] == pytest.approx(y[0], rel=1e-12)
    assert kernel.energy()[4] == pytest.approx(-0.0981 * 0.5 * (y[0] + y[1]), rel=1e-12)
    assert kernel.energy()[5] == kernel.energy()[4]
    assert not f.any()
    assert imbalance(ledger) <= 1e-13


GOOD = {
    "angular_frequencies": np.array([100.0, 200.0]),
    "decay_rates": np.zeros(2),
    "masses": np.ones(2),
    "time_step": DT,
    "shapes": np.ones((3, 2)),
    "kinds": np.array([0, 1, 0], dtype=np.int32),
    "stiffness": np.ones(3),
    "exponent": np.ones(3),
    "damping": np.zeros(3),
    "adhesive": np.ones(3, dtype=np.int32),
    "offsets": np.zeros(3),
}


def test_what_is_refused():
    kernel = ThreePoint(**GOOD)
    for name, value in GOOD.items():
        if name != "time_step":
            with pytest.raises(ValueError):
                ThreePoint(**{**GOOD, name: np.concatenate([value, value[:1]])})
        with pytest.raises(TypeError):
            ThreePoint(**{**GOOD, name: None})
    for name, value in (("time_step", 0.0), ("masses", np.array([1.0, 0.0])),
                        ("decay_rates", np.array([0.0, -1.0])), ("angular_frequencies",
                                                                 np.array([100.0, np.pi / DT])),
                        ("kinds", np.array([0, 2, 0], dtype=np.int32))):
        with pytest.raises(ValueError):
            ThreePoint(**{**GOOD, name: value})
    with pytest.raises(TypeError):
        ThreePoint(**GOOD, slopes=np.ones(2))
    with pytest.raises(TypeError, match="TwoPoint"):
        Network()
    # the tension is fixed; a change of 0 is allowed
    kernel.set_outputs(np.ones((1, 2)), tension=np.ones((1, 2)))
    zero, one = np.zeros(64), np.ones(1)
    with pytest.raises(ValueError, match="keeps the tension"):
        kernel.advance(64, np.empty((64, 1)), tensions=zero, block_tensions=one)
    with pytest.raises(ValueError, match="keeps the tension"):
        kernel.equilibrium_at(1.0)
    assert kernel.count == 0 and kernel.tension == 0.0
    assert kernel.advance(64, np.empty((64, 1)), tensions=zero, block_tensions=0.0 * one) == 64
    with pytest.raises(ValueError):
        kernel.set_state(np.zeros(3), np.zeros(2))
    nothing = network(omega=[], alpha=[], mass=[], shapes=[], laws=[], offset=[])
    nothing.set_modes(np.zeros(0), np.zeros(0))
    nothing.set_equilibrium()
    assert nothing.advance(3, np.empty((3, 0))) == 3


def test_nan_is_reported():
    kernel, _ = sitar()
    y = kernel.displacement()
    y[3] = np.nan
    kernel.set_state(y, 0.0 * y)
    kernel.advance(10, np.empty((10, 0)))
    assert kernel.failed_at == 0
    assert kernel.statistics["failures"] == 10
