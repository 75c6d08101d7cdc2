"""What the two-point and the three-point network in Cython have in common: twins, balance, bits
independent of blocks, sleep, changes of rows."""
import threading
from functools import partial

import numpy as np
import pytest
from twins import modal_cases as cases
from twins.modal_cases import (
    BRIDGE,
    BUMP,
    DT,
    EPS,
    SITAR,
    assert_in_touch,
    damped,
    disturbed,
    end_force,
    everything,
    run,
    run_pieces,
)
from twins.networks import imbalance
from twins.three_point import ThreePointTwin
from twins.two_point import Contact, Linear, TwoPointTwin, string_parameters

from pysitar.kernels.modal.network import DAMPING, OFFSET, STIFFNESS
from pysitar.kernels.modal.three_point import ThreePoint
from pysitar.kernels.modal.two_point import TwoPoint

both = pytest.mark.parametrize("scheme", [TwoPoint, ThreePoint])


def damp(kernel, rate):
    """Damp the sitar string, if the scheme can."""
    if isinstance(kernel, ThreePoint):
        kernel.set_modes(*damped(*string_parameters(**SITAR)[1:3], rate))


class TwoPointPair:
    """A kernel and its twin, from the same start; every difference over its scale."""

    def __init__(self, parameters, y, v):
        self.kernel = cases.network(TwoPoint, **parameters)
        self.kernel.set_state(y, v)
        self.twin = TwoPointTwin(**parameters, dt=DT, y=y, q=0.5 * DT * v)
        self.kernel.set_outputs(np.eye(len(y)))

    def motion(self, out):
        return 0.5 * DT * self.kernel.velocity() - self.twin.q

    def compressions(self):
        return self.twin.p


class ThreePointPair(TwoPointPair):
    """The same of the three-point scheme: y(1) - y(-1) = 2 dt v without rows."""

    def __init__(self, parameters, y, v):
        self.kernel = cases.network(ThreePoint, **parameters)
        self.kernel.set_state(y, v)
        a, c, _, _ = self.kernel.coefficients
        self.twin = ThreePointTwin(**parameters, dt=DT, y=y, previous=(a * y - 2.0 * DT * v) / c)
        self.kernel.set_outputs(np.zeros((len(y), len(y))), np.eye(len(y)))

    def motion(self, out):
        return 2.0 * DT * out[0] - self.twin.s

    def compressions(self):
        return self.twin.compressions()[0]


def changes(step, laws):
    """Change the laws before a step; return the calls of `set_row` that do the same."""
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


@pytest.mark.parametrize("pair_of", [TwoPointPair, ThreePointPair])
def test_twin_of_everything(pair_of):
    parameters, y, v, b = everything()
    pair = pair_of(parameters, y, v)
    kernel, twin = pair.kernel, pair.twin
    n, modes = len(b), len(y)
    laws, offset, shapes = list(
        parameters["laws"]), parameters["offset"].copy(), parameters["shapes"].copy()
    pluck = np.zeros((2, modes))
    pluck[0, :n], pluck[1, n] = np.sin(b * 0.17), 1.0
    kernel.set_inputs(pluck)
    scale, push, touched, ledger = np.abs(y).max(), np.zeros(8), np.zeros(8, dtype=bool), []
    for step in range(220):
        for change in (calls := changes(step, laws)):
            kernel.set_row(*change)
        if calls:
            twin.set_laws(laws)
        if step == 100:                            # a contact moves along the string
            shapes[2, :n] = np.sin(b * 0.024)
            kernel.set_row_shape(2, shapes[2])
            twin.set_shape(2, shapes[2])
        if step == 150 and pair_of is ThreePointPair:  # the string is damped, its frequencies sink
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
        out = np.empty((1, modes))
        kernel.advance(1, out, forces=force[None, :])
        twin.step(pluck, force, offset=offset)
        push = np.maximum(push, np.abs(twin.f))
        touched |= kernel.force() != 0.0
        # errors start at an eps and contact makes a hundred of it in 200 steps (1e-13 -> 2.6e-13 ->
        # 2e-10 in 1000): 1e-10 of what there is
        assert np.abs(kernel.displacement() - twin.y).max() <= 1e-10 * scale
        assert np.abs(pair.motion(out)).max() <= 1e-10 * scale
        assert np.all(np.abs(kernel.force() - twin.f) <= 1e-8 * push.max())
        live = ~np.isnan(kernel.compression())
        assert np.abs(kernel.compression() - pair.compressions())[live].max() <= 1e-10 * scale
        h = kernel.energy()
        assert h[:3].sum() == pytest.approx(twin.energy(), rel=1e-9)
        assert h[3:5] == pytest.approx([twin.losses, twin.work], rel=1e-8, abs=1e-9 * twin.energy())
        # the kernel adds |work| force by force, the twin step by step
        assert twin.throughput * (1.0 - 1e-9) <= h[5] <= 1.2 * twin.throughput
    assert touched.all()
    assert kernel.failed_at == -1
    assert imbalance(np.array(ledger)) <= 1e-13
    assert kernel.mobility == pytest.approx(twin.W, rel=1e-11, abs=1e-14 * twin.W.max())


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.3])
@pytest.mark.parametrize(("kb", "bound"), [(1e9, 1e-13), (1e12, 1e-12)])
@pytest.mark.parametrize("adhesive", [True, False])
@pytest.mark.parametrize(("scheme", "steps"), [(TwoPoint, 2000), (ThreePoint, 1000)])
def test_balance(scheme, steps, kb, bound, exponent, adhesive):
    # steps with loss, contact damping, two outer forces and a barrier that moves, three-point
    # damped more after half of them. A step's balance is a dozen roundings of the ledger: 1e-13 of
    # their scale is the promise, and 1e-17 the sign that something was there to compare. A
    # stiffness for an exponent: the same force at 1e-5 m as kb's.
    kernel, b = cases.sitar(scheme, kb=kb * 1e-5**(1.0 - exponent), exponent=exponent, damping=0.7,
                            adhesive=adhesive)
    offset = (BUMP[:, None] + 2e-5 * np.sin(0.01 * np.arange(1, steps + 1))).T
    forces = disturbed(kernel, b, steps)
    found, pushes = [], []
    for half in (slice(0, steps // 2), slice(steps // 2, steps)):
        _, f, ledger = run(kernel, steps // 2, forces=forces[half],
                           control_rows=np.arange(10, dtype=np.int32),
                           control_fields=np.full(10, OFFSET, dtype=np.int32),
                           controls=np.ascontiguousarray(offset[half]))
        found.append(ledger)
        pushes.append(f)
        damp(kernel, 30.0)
    ledger, f = np.vstack(found), np.vstack(pushes)
    assert 1e-17 <= imbalance(ledger) <= bound
    # losses only grow; every term of the balance is present
    assert np.all(np.diff(ledger[:, 3]) >= 0.0)
    assert np.all(np.diff(ledger[:, 5]) >= 0.0)
    assert ledger[-1, 3] > 0.1 * ledger[0, :3].sum()
    assert ledger[-1, 5] > 0.1 * ledger[0, :3].sum()
    assert ledger[:, 2].max() > 1e-5 * ledger[0, :3].sum()
    assert kernel.statistics["contact_steps"] >= 0.4 * steps
    assert_in_touch(kernel, np.sin(np.outer(BRIDGE, b)), offset[-1], f, pulls=adhesive)


@pytest.mark.parametrize(("scheme", "steps"), [(TwoPoint, 1500), (ThreePoint, 1000)])
@pytest.mark.parametrize(("damping", "low", "high"), [(0.0, 0.0, 0.0), (1.0, 0.05, 0.9)])
def test_heat_of_the_contacts(scheme, steps, damping, low, high):
    # without string losses only the contacts dissipate; without their damping nothing does
    kernel, b = cases.sitar(scheme, damping=damping, losses=False)
    _, f, ledger = run(kernel, steps)
    h0 = ledger[0, :3].sum()
    lost = 1.0 - ledger[-1, :3].sum() / h0
    # a two-point mode's own loss B is then the rounding of 2 / (2C) - 1 - A: some 1e-15 a step;
    # with three points R = 1 loses nothing, not even rounding
    assert low - 1e-12 <= lost <= high + 1e-12
    assert ledger[-1, 3] == pytest.approx(lost * h0, abs=1e-12 * h0)
    assert damping or scheme is TwoPoint or ledger[-1, 3] == 0.0
    assert imbalance(ledger) <= 1e-13
    assert_in_touch(kernel, np.sin(np.outer(BRIDGE, b)), BUMP, f, pulls=damping > 0.0)


@pytest.mark.parametrize(("scheme", "most"), [(TwoPoint, 1000), (ThreePoint, 2000)])
def test_lossless_long_run(scheme, most):
    # 8000 steps, on and off the barrier: 7.4e-14 (two-point) and 9.6e-14 drift measured by another
    # code; ten times that allowed. 398 two-point steps in contact, 5 % of the time
    kernel, _, parts = cases.ideal(scheme, points=55)
    _, f, ledger = run(kernel, 8000)
    h = ledger[:, :3].sum(axis=1)
    assert np.abs(h / h[0] - 1.0).max() <= 1e-12
    assert np.abs(h + ledger[:, 3] - h[0]).max() <= 1e-12 * h[0]
    assert scheme is TwoPoint or not ledger[:, 3].any()
    assert ledger[:, 2].max() > 0.01 * h[0]
    assert h.min() > 0.0
    assert 300 <= kernel.statistics["contact_steps"] <= most
    assert_in_touch(kernel, parts["shapes"], parts["offset"], f)
    # and the string still is where it may be
    assert np.max(parts["offset"] - parts["shapes"] @ kernel.displacement()) <= 1e-5


@both
def test_scaling(scheme):
    # with exponent 1 the scheme is homogeneous of degree 1: a factor 4 is exact in every operation,
    # a factor 3 rounds (chaos: 200 steps)
    sitar = partial(cases.sitar, scheme)
    one, b = sitar()
    out, f, ledger = run(one, 1000, end_force(b))
    for factor in (4.0, 3.0):
        other, _ = sitar(offset=factor * BUMP, height=factor * 3e-3)
        scaled, push, energies = run(other, 1000, end_force(b))
        if factor == 4.0:
            assert np.array_equal(scaled, 4.0 * out)
            assert np.array_equal(push, 4.0 * f)
            assert np.array_equal(energies, 16.0 * ledger)
        else:
            assert scaled[:201] == pytest.approx(3.0 * out[:201], abs=1e-9)
    assert f.max() > 0.1
    # not so for another exponent
    bent, _ = sitar(kb=1e11, exponent=1.5)
    twice, _ = sitar(kb=1e11, exponent=1.5, offset=4.0 * BUMP, height=4.0 * 3e-3)
    assert np.abs(run(twice, 100, end_force(b))[0]
                  - 4.0 * run(bent, 100, end_force(b))[0]).max() > 1e-4
    assert_in_touch(one, np.sin(np.outer(BRIDGE, b)), BUMP, f)


@pytest.mark.parametrize(("scheme", "steps"), [(TwoPoint, 1000), (ThreePoint, 500)])
def test_more_rows_than_modes(scheme, steps):
    # W is of rank 22 with 100 rows; plain Newton took at most 11 iterations
    kernel, _, parts = cases.ideal(scheme, points=100, limit=8000.0)
    assert (kernel.modes, kernel.rows, np.linalg.matrix_rank(kernel.mobility)) == (22, 100, 22)
    _, f, ledger = run(kernel, steps)
    assert kernel.statistics["failures"] == 0
    assert kernel.statistics["most_iterations"] <= 20
    assert (f > 0.0).sum(axis=1).max() > 22
    assert imbalance(ledger) <= 1e-13
    assert_in_touch(kernel, parts["shapes"], parts["offset"], f)


@pytest.mark.parametrize(("scheme", "whole"), [(TwoPoint, [[3000]]), (ThreePoint, [[1000],
                                                                                  [2000]])])
def test_any_chunks_same_bits(scheme, whole):
    n = np.arange(3000)
    arrays = {
        "control_rows": np.array([2, 2, 7], dtype=np.int32),
        "control_fields": np.array([OFFSET, DAMPING, STIFFNESS], dtype=np.int32),
        # row 7 comes and goes every 300 steps, in the middle of ledger and chunks
        "controls": np.column_stack([
            BUMP[2] + 1e-5 * np.sin(0.004 * n), 0.5 + 0.4 * np.sin(0.01 * n),
            np.where(n // 300 % 2, 0.0, 3e6)
        ])
    }
    results = []
    for halves in (whole, [[1, 0, 17, 982], [2000]]):
        kernel, b = cases.sitar(scheme, damping=0.5)
        arrays["forces"] = disturbed(kernel, b, 3000)
        kernel.set_outputs(np.array([end_force(b), np.sin(b * 0.25), 0.0 * b]),
                           np.array([0.0 * b, 0.0 * b, np.sin(b * 0.1)]),
                           np.outer([0.0, 0.0, 1.0], np.ones(10)))
        outs, ledgers = [], []
        for lengths in halves:
            start = kernel.count
            now = arrays | {name: arrays[name][start:] for name in ("forces", "controls")}
            out, ledger, *state = run_pieces(kernel, lengths, 3, **now)
            outs.append(out)
            ledgers.append(ledger)
            if kernel.count == 1000:               # damped in the middle of all
                damp(kernel, 5.0)
        assert kernel.count == 3000
        results.append((np.vstack(outs), np.vstack(ledgers), *state))
    first, second = results
    assert first[1].shape == (47, 6)
    for left, right in zip(first[:-1], second[:-1], strict=True):
        assert np.array_equal(left, right, equal_nan=True)
    assert first[-1] == second[-1]
    # the bits are those of a string on a bridge
    assert np.isfinite(first[0]).all()
    assert first[-1]["contact_steps"] > 1000
    stored = first[1][:, :3].sum(axis=1)
    scale = np.maximum(np.maximum.accumulate(stored), first[1][:, 5])
    assert np.max(np.abs(stored + first[1][:, 3] - first[1][:, 4] - stored[0]) / scale) <= 1e-11
    assert first[1][:, 2].max() > 0.0


HEAVY_LOSSES = {**SITAR, "losses": (40.0, 0.3, 1e-5)}


def until_sleep(scheme, lengths):
    """Run a drawn string that decays fast, until it sleeps; return kernel, first output, energies
    every 64 steps, and energy and output at its equilibrium."""
    kernel, b = cases.sitar(scheme, string=HEAVY_LOSSES)
    start = kernel.displacement()
    kernel.set_equilibrium()
    rest = kernel.energy()[:3].sum()
    kernel.set_outputs(end_force(b)[None, :])
    still = kernel.set_sleep(energy_ratio=1e-8, output_level=0.0, output_ratio=1e-4,
                             min_quiet_steps=640)
    # G6 (the losses there are less: 1e-4 of the frequency)
    golden = 0.005850921435 if scheme is TwoPoint else 0.004670101691
    assert still == pytest.approx(golden, rel=1e-2)
    kernel.set_state(start, 0.0 * start)
    outs, ledger = [], []
    for length in lengths:
        out = np.full((length, 1), np.nan)
        energies = np.full((len(range(-(-kernel.count // 64) * 64, kernel.count + length, 64)), 6),
                           np.nan)
        done = kernel.advance(length, out, energies=energies, every=64, may_sleep=True)
        outs.append(out[:done, 0])
        ledger.append(energies[np.isfinite(energies[:, 0])])
        if done < length:
            break
    return kernel, np.concatenate(outs), np.vstack(ledger), rest, still


@both
def test_sleep(scheme):
    kernel, out, ledger, rest, still = until_sleep(scheme, [44100])
    asleep = kernel.count
    assert asleep % 64 == 0
    assert asleep == len(out)
    assert len(ledger) == asleep // 64 + 1
    # it decays as exp(-alpha t), alpha >= 40 + 0.3 b = 41.9: the energy above rest is under 1e-8
    # after ln(1e8) / (2 * 41.9) = 0.22 s, the output within 1e-4 at the same time and then 640
    # steps more; the contacts scatter energy upwards, where it is lost sooner
    assert 0.1 * 44100 <= asleep <= 0.3 * 44100
    # asleep when both are below their thresholds, and not 64 steps earlier
    size, above = np.abs(out - still), ledger[:, :3].sum(axis=1) - rest
    quiet = [
        size[n - 640:n].max() <= 1e-4 * size[:n].max() and above[n // 64] <= 1e-8 * above[0]
        for n in (asleep, asleep - 64)
    ]
    assert quiet == [True, False]
    # the energy at equilibrium is not 0: static force squared over twice the stiffness (over three
    # points the energy is the mean of two steps)
    if scheme is TwoPoint:
        assert ledger[-1, 2] == pytest.approx((kernel.force() ** 2).sum() / 6e6, rel=1e-3)
    assert np.abs(ledger[:, :4].sum(axis=1) / ledger[0, :3].sum() - 1.0).max() <= 1e-12
    assert_in_touch(kernel, np.sin(np.outer(BRIDGE,
                                            string_parameters(**SITAR)[0])), BUMP, kernel.force())
    for lengths in ([1, 0, 17, 982, *[2000] * 20], [64] * 700, [100] * 441):
        other, same, *_ = until_sleep(scheme, lengths)
        assert other.count == asleep
        assert np.array_equal(same, out)
        assert np.array_equal(other.displacement(), kernel.displacement())
    # it stays asleep; without may_sleep it continues; other modes, or the same ones set, wake it
    one = {"energies": np.empty((1, 6)), "every": 64}
    kernel.skip(640)
    assert kernel.advance(64, np.empty((64, 1)), may_sleep=True, **one) == 0
    if scheme is ThreePoint:
        kernel.set_modes(*string_parameters(**HEAVY_LOSSES)[1:3])
        assert kernel.advance(64, np.empty((64, 1)), may_sleep=True, **one) == 64
    assert kernel.advance(64, np.empty((64, 1)), **one) == 64


@both
def test_skip_keeps_the_state(scheme):
    kernel, out, ledger, *_ = until_sleep(scheme, [44100])
    asleep, y, v, h = kernel.count, kernel.displacement(), kernel.velocity(), kernel.energy()
    kernel.skip(100_003)
    assert kernel.count == asleep + 100_003
    assert np.array_equal(kernel.displacement(), y)
    assert np.array_equal(kernel.velocity(), v)
    assert np.array_equal(kernel.energy(), h)
    # it continues as if no time had passed
    other, *_ = until_sleep(scheme, [44100])
    late, soon = np.empty((500, 1)), np.empty((500, 1))
    kernel.advance(500, late)
    other.advance(500, soon)
    assert np.array_equal(late, soon)
    assert late.any()
    assert np.abs(out).max() == pytest.approx(1.4, abs=0.2)
    assert kernel.energy()[:4].sum() == pytest.approx(ledger[0, :3].sum(), rel=1e-12)
    with pytest.raises(ValueError, match="steps"):
        kernel.skip(-1)


@both
def test_absent_row_comes_late(scheme):
    # a row switched on later has the compression of one that was present all the time but too far
    # away for contact
    sitar = partial(cases.sitar, scheme)
    followed, b = sitar(laws=[Contact(stiffness=3e6)] * 9 + [Contact(stiffness=1e-30)])
    absent, _ = sitar(laws=[Contact(stiffness=3e6)] * 9 + [Contact(stiffness=0.0)])
    assert np.isnan(absent.compression()[9])
    assert not np.isnan(absent.compression()[:9]).any()
    outs = []
    for kernel in (followed, absent):
        one, f, ledger = run(kernel, 100, end_force(b))
        kernel.set_row(9, STIFFNESS, 3e6)
        # p updated by increments, or recomputed: 100 eps of 3 mm
        assert kernel.compression()[9] == pytest.approx(
            BUMP[9] - np.sin(b * BRIDGE[9]) @ kernel.displacement(), abs=200 * EPS * 3e-3)
        two, g, later = run(kernel, 100, end_force(b))
        assert imbalance(np.vstack([ledger, later])) <= 1e-13
        outs.append(np.concatenate([one, two]))
        assert g[:, 9].max() > 0.0
        assert f[:, 9].max() < 1e-20
        assert_in_touch(kernel, np.sin(np.outer(BRIDGE, b)), BUMP, g)
    # 200 steps on: 1e-8 of the greatest F_L (200 eps of 3 mm grow a hundredfold)
    assert outs[0] == pytest.approx(outs[1], abs=1.4e-8)
    # a linear row without stiffness and damping is absent too
    nothing = cases.network(scheme, omega=[700.0], alpha=[1.0], mass=[0.01], shapes=[[1.0]],
                            laws=[Linear()], offset=[0.0])
    assert np.isnan(nothing.compression()[0])
    assert nothing.mobility[0, 0] > 0.0
    # a row switched off in contact is no longer solved for
    gone = cases.network(scheme, omega=[700.0], alpha=[1.0], mass=[0.01], shapes=[[1.0]],
                         laws=[Contact(stiffness=1e5)], offset=[1e-3])
    run(gone, 10)
    solves = gone.statistics["solves"]
    gone.set_row(0, STIFFNESS, 0.0)
    run(gone, 100)
    assert gone.statistics["solves"] == solves > 0


SHAPE = np.sin(string_parameters(**SITAR)[0] * 4e-3)
MOVED = ("set_row", 1, OFFSET, 9e-5)


@both
@pytest.mark.parametrize("moves_before", [False, True])
@pytest.mark.parametrize("calls", [
    [MOVED, ("set_row_shape", 1, SHAPE)],
    [("set_row_shape", 1, SHAPE), MOVED],
    [MOVED, ("set_row", 1, STIFFNESS, 0.0), ("set_row", 1, STIFFNESS, 3e6)],
    [("set_row", 1, STIFFNESS, 0.0), MOVED, ("set_row", 1, STIFFNESS, 3e6)],
    [("set_row", 1, STIFFNESS, 0.0), ("set_row", 1, STIFFNESS, 3e6), MOVED],
    [MOVED, ("set_row", 1, DAMPING, 0.3)],
], ids=range(6))
def test_offset_and_another_change_before_one_step(scheme, moves_before, calls):
    # the order of changes at one instant does not matter for the final offset, even while the row
    # still moves from the previous step
    kernel, b = cases.sitar(scheme)
    run(kernel, 50)
    if moves_before:
        kernel.set_row(1, OFFSET, 7e-5)
        run(kernel, 1)
    before = kernel.energy()
    for name, *arguments in calls:
        getattr(kernel, name)(*arguments)
    _, f, ledger = run(kernel, 20)
    shapes, offset = np.sin(np.outer(BRIDGE, b)), BUMP.copy()
    offset[1] = 9e-5
    if any(name == "set_row_shape" for name, *_ in calls):
        shapes[1] = SHAPE
    assert_in_touch(kernel, shapes, offset, f, pulls=True)
    assert imbalance(np.vstack([before, ledger])) <= 1e-13
    # p goes on from the step before the last: even and odd steps each have their own
    run(kernel, 1)
    assert_in_touch(kernel, shapes, offset, f, pulls=True)


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.3])
@pytest.mark.parametrize(("scheme", "stiffness", "steps", "exact", "contact"), [
    (TwoPoint, 1e6, 60, 1e-12, (3, 50)),
    (ThreePoint, 1e4, 300, 1e-10, (2, 200)),
    (ThreePoint, 1e6, 300, 1e-10, (2, 200)),
    (ThreePoint, 1e12, 300, 1e-10, (2, 200)),
])
def test_bouncing_mass(scheme, stiffness, steps, exact, contact, exponent):
    # one free mass against one row, lossless: it leaves as fast as it came (energy is kept), having
    # been pushed with 2 m v; over three points it touches any floor for 2 samples at least
    kernel = cases.ball(
        scheme, Contact(stiffness=stiffness * 1e-5 ** (1.0 - exponent), exponent=exponent))
    kernel.set_state(np.zeros(1), np.array([-1.0]))
    _, f, ledger = run(kernel, steps)
    assert kernel.velocity()[0] == pytest.approx(1.0, rel=exact)
    assert f.sum() * DT == pytest.approx(0.02, rel=exact)
    assert imbalance(ledger) <= 1e-13
    assert contact[0] <= kernel.statistics["contact_steps"] <= contact[1]


@both
@pytest.mark.parametrize("adhesive", [True, False])
def test_damped_bounce(scheme, adhesive):
    kernel = cases.ball(scheme, Contact(stiffness=1e7, damping=0.9, adhesive=adhesive))
    kernel.set_state(np.zeros(1), np.array([-1.0]))
    _, f, ledger = run(kernel, 100)
    # the law leaves 1 - 2/3 r v + ... of the speed, between 0.6 and 0.8 at r v = 0.9; the step is
    # half the contact's duration, so roughly
    assert 0.2 < kernel.velocity()[0] < 0.95
    assert ledger[-1, 3] == pytest.approx(0.005 - 0.005 * kernel.velocity()[0] ** 2, rel=1e-11)
    assert imbalance(ledger) <= 1e-13
    assert f.max() > 10.0
    assert adhesive or f.min() == 0.0


def one_linear_row(scheme, law, *, offset, y, v):
    kernel = cases.network(scheme, omega=[0.0], alpha=[0.0], mass=[0.01], shapes=[[1.0]],
                           laws=[law], offset=[offset])
    kernel.set_state(np.array([y]), np.array([v]))
    return kernel


@both
def test_damper_row(scheme):
    # the speed, or the increment of a step, falls by (1 - a) / (1 + a), a = R dt / (2 m), a step
    kernel = one_linear_row(scheme, Linear(resistance=5.0), offset=0.0, y=0.0, v=1.0)
    _, _, ledger = run(kernel, 200)
    a = 5.0 * DT / 0.02
    assert kernel.velocity()[0] == pytest.approx(((1.0 - a) / (1.0 + a)) ** 200, rel=1e-12)
    if scheme is TwoPoint:
        assert kernel.energy()[3] == pytest.approx(0.005 * (1.0 - kernel.velocity()[0] ** 2),
                                                   rel=1e-12)
    assert imbalance(ledger) <= 1e-13
    assert kernel.statistics["contact_steps"] == 0


@both
def test_spring_row(scheme):
    # two-point: the trapezoidal oscillator; three-point: (1 + K dt^2 / (2 m)) (y+ + y-) = 2 y,
    # released without a force: y(-1) = y(0), so in phase at n = -1/2
    kernel = one_linear_row(scheme, Linear(stiffness=1000.0), offset=2e-3, y=3e-3, v=0.0)
    _, _, ledger = run(kernel, 300)
    theta = 2.0 * np.arctan(np.sqrt(1e5) * DT / 2.0)
    expected = np.cos(300 * theta)
    if scheme is ThreePoint:
        theta = np.arccos(1.0 / (1.0 + 1000.0 * DT**2 / 0.02))
        expected = np.cos(300.5 * theta) / np.cos(0.5 * theta)
    assert kernel.displacement()[0] == pytest.approx(2e-3 + 1e-3 * expected, abs=1e-14)
    assert imbalance(ledger) <= 1e-13
    assert kernel.statistics["contact_steps"] == 0


@both
def test_constant_force(scheme):
    # a free mass: two-point exact; three-point y(n+1) - 2 y(n) + y(n-1) = dt^2 f / m from y(0) =
    # y(-1) = 0. The work is force times displacement, up to n or n - 1/2
    kernel = cases.ball(scheme, Contact(stiffness=1e6), gap=1.0)
    kernel.set_inputs(np.ones((1, 1)))
    _, f, ledger = run(kernel, 101, forces=np.full((101, 1), -0.0981))
    if scheme is TwoPoint:
        y = [-0.5 * 9.81 * (101 * DT) ** 2] * 2
    else:
        y = [-9.81 * DT**2 * n * (n + 1) / 2.0 for n in (101, 100)]
    assert kernel.displacement()[0] == pytest.approx(y[0], rel=1e-12)
    assert kernel.energy()[4] == pytest.approx(-0.0981 * 0.5 * (y[0] + y[1]), rel=1e-12)
    assert kernel.energy()[5] == kernel.energy()[4]
    assert not f.any()
    assert imbalance(ledger) <= 1e-13


@both
def test_nan_is_reported(scheme):
    # a NaN in a state with contacts is a failed solve with its step, not an endless loop
    kernel, b = cases.sitar(scheme)
    y = kernel.displacement()
    y[3] = np.nan
    kernel.set_state(y, 0.0 * y)
    kernel.advance(10, np.empty((10, 0)))
    assert kernel.failed_at == 0
    assert kernel.statistics["failures"] == 10
    assert len(b) == 60


@both
def test_one_network_belongs_to_one_thread(scheme):
    # while one thread computes, every other call that would change the network is refused, and
    # nothing is lost
    kernel, _ = cases.sitar(scheme)
    refused, done = [], []
    out = np.empty((100_000, 1))
    kernel.set_outputs(np.ones((1, kernel.modes)))
    began = threading.Event()

    def compute():
        began.set()
        done.append(kernel.advance(100_000, out))

    worker = threading.Thread(target=compute)
    worker.start()
    began.wait()
    while worker.is_alive():
        try:
            kernel.wake()
        except RuntimeError as error:
            refused.append(str(error))
    worker.join()
    assert done == [100_000] and np.isfinite(out).all()
    assert refused and "one thread" in refused[0]
