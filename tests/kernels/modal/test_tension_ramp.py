"""A tension that changes at every step between knots: the coefficients at the knots, convergence
to the exact course, the balance with its work, no click where blocks begin."""
import math

import numpy as np
import pytest
from kernels.modal.test_coupled import coupled, pluck, string_arguments
from kernels.modal.test_coupled import run as run_coupled
from kernels.modal.test_statics import end_weights, static_outputs, statics
from kernels.modal.test_tension import (
    BARE,
    BRIDGE,
    MONOCHORD,
    RATE,
    Contact,
    Linear,
    X,
    force_of,
    glide,
    imbalance,
    kernel_of,
    parts,
)
from scipy.signal import butter, sosfilt
from twins.modal_cases import BRIDGE as JAWARI
from twins.modal_cases import SITAR, network, sitar_parts

from pysitar.kernels.modal.two_point import TwoPoint

KNOT = 16
CURVE = {"first": 1000.0, "last": 1000.0 + round(0.007 * RATE), "semitones": -2.0}


def knots(start, steps, every):
    """The knots at the ends of the blocks that begin in some steps."""
    return np.array([n + every for n in range(start, start + steps) if n % every == 0], dtype=float)


def ramp(kernel, steps, *, every=KNOT, curve=CURVE, **more):
    """Advance along a glide in ramps; the outputs, and the ledger of each step and after them."""
    start = kernel.count
    out, ledger = np.empty((steps, len(kernel.outputs()))), np.empty((steps, 6))
    kernel.advance(steps, out, tensions=glide(np.arange(start, start + steps), **curve),
                   block_tensions=glide(knots(start, steps, every), **curve), block_steps=every,
                   ramps=True, energies=ledger, every=1, **more)
    return out, np.vstack([ledger, kernel.energy()])


def course(kernel, steps, curve=CURVE):
    """The same with the tension at the middle of each step, as a jump before it."""
    out, n = np.empty((steps, len(kernel.outputs()))), np.arange(steps) + kernel.count
    kernel.advance(steps, out, tensions=glide(n, **curve), block_tensions=glide(n + 0.5, **curve),
                   block_steps=1)
    return out


def plucked(b):
    return 2e-3 * np.sin(b * 0.2) / (b * b * 0.2 * 0.8)


def test_at_a_knot_all_coefficients_are_those_of_the_tension():
    laws, points = [Contact(stiffness=1e6)] * 5 + [Linear(resistance=0.3)], np.arange(1, 7) / 10
    arguments, b = parts(laws=laws, points=points, offset=[-1.0] * 6)
    kernel, there = kernel_of(arguments, b), kernel_of(arguments, b)
    kernel.advance(2 * KNOT + 1, np.empty((2 * KNOT + 1, 0)), tensions=np.zeros(2 * KNOT + 1),
                   block_tensions=np.array([11.0, 25.0, 25.0]), block_steps=KNOT, ramps=True)
    there.advance(1, np.empty((1, 0)), tensions=np.zeros(1), block_tensions=np.array([25.0]))
    for mine, other in zip((*kernel.coefficients, kernel.mobility, kernel.tension),
                           (*there.coefficients, there.mobility, there.tension), strict=True):
        assert np.array_equal(mine, other)
    kernel.advance(KNOT - 1, np.empty((KNOT - 1, 0)))               # stays
    assert np.array_equal(kernel.mobility, there.mobility)


def test_between_knots_it_is_the_scheme_of_equal_changes_of_c():
    """A, B and W of a step in a block are those of its C: (1 + A) 2 C = 1 + R^2, A + B + 1 = 1/C,
    W = V (dt^2 C / 2 m) V^T; also where a row moves meanwhile."""
    arguments, b = parts(laws=[Contact(stiffness=1e6)] * 3, points=[0.1, 0.2, 0.3],
                         offset=[-1.0] * 3)
    kernel, ends = kernel_of(arguments, b), [kernel_of(arguments, b).coefficients[2]]
    for tension in (11.0, 25.0):
        there = kernel_of(arguments, b)
        there.advance(1, np.empty((1, 0)), tensions=np.zeros(1), block_tensions=np.array([tension]))
        ends.append(there.coefficients[2])
    call = {"tensions": np.zeros(KNOT), "block_steps": KNOT, "ramps": True}
    kernel.advance(KNOT, np.empty((KNOT, 0)), block_tensions=np.array([11.0]), **call)
    kernel.advance(6, np.empty((6, 0)), **call | {"tensions": np.zeros(6)},
                   block_tensions=np.array([25.0]))
    points = [0.1, 0.25, 0.3]
    kernel.set_row_shape(1, np.sin(b * 0.25))
    kernel.advance(4, np.empty((4, 0)))
    a, losses, c = kernel.coefficients
    # ten steps, of a rounding each, of C up to 1
    np.testing.assert_allclose(c, ends[1] + 9.5 / KNOT * (ends[2] - ends[1]), rtol=0.0, atol=2e-15)
    r = np.exp(-arguments["alpha"] * arguments["dt"])
    np.testing.assert_allclose((1.0 + a) * 2.0 * c, 1.0 + r * r, rtol=1e-15)
    np.testing.assert_allclose(losses, 1.0 / c - 1.0 - a, rtol=0.0, atol=1e-15 / c.min())
    v = np.sin(np.outer(points, b))
    w = (v * (0.5 * arguments["dt"]**2 * c / arguments["mass"])) @ v.T
    np.testing.assert_allclose(kernel.mobility, w, rtol=0.0, atol=1e-14 * w.max())


def test_second_order_to_the_exact_course():
    """The state after a glide differs from that of a tension that is exact in the middle of every
    step by four times less where knots are twice as close."""
    arguments, b = parts(losses=BARE, limit=6e3)
    ends = []
    for every in (0, 64, 32, 16):
        kernel = kernel_of(arguments, b)
        kernel.set_outputs(np.zeros((0, b.size)))
        kernel.set_state(plucked(b), np.zeros(b.size))
        if every:
            ramp(kernel, 2048, every=every)
        else:
            course(kernel, 2048)
        ends.append(kernel.displacement())
    errors = [np.abs(end - ends[0]).max() / np.abs(ends[0]).max() for end in ends[1:]]
    # the glide's ends lie between knots, which moves the ratios by a few per cent; of the steps
    # themselves an error of C over T remains, 1e-3 of the last
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.25)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.25)
    assert errors[2] < 1e-4


def test_balance_with_contact():
    """Up and down on a bridge that the string touches; a row moves in a block, and bits do not
    depend on how steps are divided into calls."""
    results = []
    for chunks in ((700, 900, 1400), (1, 699, 63, 837, 5, 1395)):
        arguments, b = parts(laws=[Contact(stiffness=1e9 * 0.02 / 7, damping=0.05)] * 7
                             + [Linear(resistance=1.2)], points=[*X, 0.3], offset=[*BRIDGE, 0.0])
        kernel = kernel_of(arguments, b)
        kernel.set_outputs(force_of(b).reshape(1, -1), tension=force_of(b).reshape(1, -1))
        kernel.set_equilibrium()
        kernel.set_state(plucked(b), np.zeros(b.size))
        done, outs, ledgers = 0, [], []
        for steps in chunks:
            out, ledger = ramp(kernel, steps, curve={"first": 100.0, "last": 2800.0,
                                                     "semitones": 3.0})
            outs.append(out)
            ledgers.append(ledger[:-1])
            done += steps
            if done in {700, 1600}:
                kernel.set_row_shape(7, np.sin(b * (0.3 + 1e-4 * done)))
        ledger = np.vstack([*ledgers, kernel.energy()])
        assert kernel.statistics["contact_steps"] > 300
        # 3000 steps, of some roundings of H and of W (1e-16) each, and the solver's floor
        assert imbalance(ledger) < 1e-12
        assert ledger[-1, 5] > 0.005 * ledger[0, :3].sum()
        results.append((np.concatenate(outs).tobytes(), kernel.energy().tobytes()))
    assert results[0] == results[1]


def test_work_of_a_lossless_string():
    """The energy follows the frequency, the adiabatic invariant, by exactly the counted work."""
    arguments, b = parts(losses=BARE)
    kernel = kernel_of(arguments, b)
    kernel.set_outputs(np.zeros((0, b.size)))
    kernel.set_state(plucked(b), np.zeros(b.size))
    _, ledger = ramp(kernel, 9600, curve={"first": 100.0, "last": 9500.0, "semitones": 3.0})
    stored = ledger[:, :3].sum(axis=1)
    # 0.1 s, 13 periods: what lacks is the glide's haste, 1e-4 by a run of four times as many steps
    assert stored[-1] / stored[0] == pytest.approx(2.0**0.25, abs=1e-3)
    assert ledger[-1, 4] - ledger[0, 4] == pytest.approx(stored[-1] - stored[0], rel=1e-12)
    assert imbalance(ledger) < 1e-13


def test_statics_and_modes_above_a_limit():
    """R is that of the last knot, also of a row that moves in a block: none is negative."""
    given, y, b = sitar_parts()
    slopes = b * b / SITAR["linear_density"]
    kernel = statics(network(TwoPoint, **given, slopes=slopes),
                     highest=math.sqrt(given["omega"][-1]**2 + 2.0 * slopes[-1]))
    kernel.set_outputs(end_weights(b)[0].reshape(1, -1))
    static_outputs(kernel, ("force_end", 0.0))
    kernel.set_equilibrium()
    kernel.set_state(y, 0.0 * y)
    ledgers, tension = [], 20.0 * np.sin(np.pi * np.arange(13) / 12.0)**2
    for n in range(0, 12 * KNOT, 12):
        ledger, blocks = np.empty((12, 6)), np.arange(-(-n // KNOT), -(-(n + 12) // KNOT)) + 1
        kernel.advance(12, np.zeros((12, 1)), energies=ledger, every=1, tensions=np.zeros(12),
                       block_tensions=tension[blocks], block_steps=KNOT, ramps=True)
        ledgers.append(ledger)
        if n % KNOT:
            x = JAWARI[-1] + 0.001 * n
            kernel.set_row_shape(9, np.sin(b * x), position=x, weight=1.0)
            assert np.linalg.eigvalsh(kernel.residual_compliance)[0] > -1e-12
    # as the balance with contact
    assert imbalance(np.vstack(ledgers)) < 1e-12
    kernel.advance(1, np.zeros((1, 1)))             # ends the last block
    assert kernel.coefficients[0][-1] > 0.0 and kernel.tension == pytest.approx(0.0, abs=1e-12)


def test_balance_on_a_body():
    given = [string_arguments(i) for i in range(2)]
    bridge, strings = coupled(given)
    bridge.set_equilibrium()
    strings[0].set_state(pluck(given[0]), 0.0 * given[0]["b"])
    n = np.arange(1200)
    moved = {"tensions": 9.0 * n / 1200, "block_tensions": 9.0 * (n[::KNOT] + KNOT) / 1200,
             "block_steps": KNOT, "ramps": True}
    _, ledger = run_coupled(bridge, strings, 1200, part={0: moved})
    assert imbalance(ledger) < 1e-12
    assert ledger[-1, 5] > 1e-4 * ledger[0, :3].sum()


def test_no_click_where_blocks_begin():
    """Above 9 kHz (Butterworth 8), a glide of 7 ms: as much as with the exact tension in every step
    to 1 dB; with a tension that jumps at each block 12 dB more."""
    arguments, b = parts()
    sos = butter(8, 9000.0, "highpass", fs=RATE, output="sos")
    steps = 2400
    weights = (force_of(b) * (MONOCHORD["tension"] + MONOCHORD["stiffness"] * b * b)).reshape(1, -1)
    decayed = plucked(b) * np.exp(-1.0 * arguments["alpha"])         # after a second
    heard = []
    for kind in ("exact", "ramps", "jumps"):
        kernel = kernel_of(arguments, b)
        kernel.set_outputs(weights, tension=force_of(b).reshape(1, -1))
        kernel.set_state(decayed, np.zeros(b.size))
        if kind == "exact":
            out = course(kernel, steps)
        elif kind == "ramps":
            out, _ = ramp(kernel, steps)
        else:
            out, n = np.empty((steps, 1)), np.arange(steps)
            kernel.advance(steps, out, tensions=glide(n, **CURVE),
                           block_tensions=glide(n[::64] + 32.0, **CURVE))
        heard.append(20.0 * math.log10(np.abs(sosfilt(sos, out[:, 0])[500:]).max()
                                       / np.abs(out).max()))
    assert heard[1] == pytest.approx(heard[0], abs=1.0)
    assert heard[2] > heard[0] + 12.0


def test_what_is_refused():
    arguments, b = parts()
    kernel = kernel_of(arguments, b)
    kernel.set_outputs(np.zeros((0, b.size)))
    with pytest.raises(ValueError, match="block_steps is 0; expected at least 1"):
        kernel.advance(16, np.empty((16, 0)), tensions=np.zeros(16), block_tensions=np.zeros(1),
                       block_steps=0, ramps=True)
    with pytest.raises(ValueError, match="expected 2 blocks"):
        kernel.advance(17, np.empty((17, 0)), tensions=np.zeros(17), block_tensions=np.zeros(1),
                       block_steps=KNOT, ramps=True)
