"""Amplitude-dependent tension: closed form, exact twin, balance, accuracy, equilibrium, symmetry,
golden numbers."""
import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipk
from twins.networks import imbalance, network
from twins.two_point import Contact, Linear, string_parameters

from pysitar.kernels.core.arrays import StringCall
from pysitar.kernels.modal.coupled import Coupled
from pysitar.kernels.modal.two_point import OFFSET, TwoPoint

# van Walstijn & Bridges 2016, section IV-B
LENGTH, TENSION, DENSITY, BENDING = 0.5, 50.0, 5.55e-4, 7.95e-5
LOSSES = (0.6, 6.5e-3, 5e-6)
EA = 3e4                        # N, of the note's golden numbers
X = 0.003 * (np.arange(10) + 0.5)
BUMP = X * (0.03 - X) / 4.0


def string(rate, *, modes=60, axial=EA, barrier=False, losses=LOSSES, bending=BENDING, others=()):
    """Return a string whose last row is its elongation, its wave numbers, and c of e = sum c y^2 /
    2."""
    b, omega, alpha, mass = (
        values[:modes]
        for values in string_parameters(length=LENGTH, tension=TENSION, linear_density=DENSITY,
                                        stiffness=bending, losses=losses, limit=19.99e3))
    at = [(x, Contact(stiffness=1e9 * 0.003, damping=0.2), height)
          for x, height in zip(X, BUMP, strict=True)] if barrier else []
    at += list(others)
    shapes = np.array([np.sin(x * b) for x, _, _ in at] + [np.zeros(b.size)])
    kernel = network(TwoPoint, omega=omega, alpha=alpha, mass=mass, shapes=shapes, dt=1.0 / rate,
                     laws=[law for _, law, _ in at] + [Linear(stiffness=axial / LENGTH)],
                     offset=[height for _, _, height in at] + [0.0], slopes=b * b / DENSITY)
    curvature = 0.5 * LENGTH * b * b
    kernel.set_axial_row(len(at), curvature)
    kernel.set_outputs(np.eye(b.size))
    return kernel, b, curvature


def drawn(b, height=3e-3, position=0.35):
    """A triangle."""
    return 2.0 * height * np.sin(b * position) / (b * b * position * (LENGTH - position))


def run(kernel, y, steps, **arguments):
    kernel.set_state(y, np.zeros(y.size))
    out, ledger = np.empty((steps, y.size)), np.empty((steps, 6))
    kernel.advance(steps, out, energies=ledger, every=1, **arguments)
    return out, ledger


def test_one_mode_is_duffings_oscillator():
    """y'' + w^2 y + (EA b^4 / (4 rhoA)) y^3 = 0 from A at rest: period 4 K(k) / sqrt(w^2 + B A^2),
    k^2 = B A^2 / (2 (w^2 + B A^2)), B that of y^3; at 5 mm it is 5 % shorter than that of a small
    amplitude."""
    b, height = math.pi / LENGTH, 5e-3
    stiffening = EA * b**4 / (4.0 * DENSITY) * height * height
    squared = TENSION * b * b / DENSITY + stiffening
    period = 4.0 * ellipk(stiffening / (2.0 * squared)) / math.sqrt(squared)
    assert period * math.sqrt(squared - stiffening) < 0.95 * 2.0 * math.pi
    errors = []
    for rate in (44100.0, 88200.0, 176400.0):
        kernel, _, _ = string(rate, modes=1, losses=(0.0, 0.0, 0.0), bending=0.0)
        y = run(kernel, np.array([height]), round(0.05 * rate))[0][:, 0]
        up = np.flatnonzero((y[:-1] < 0.0) & (y[1:] >= 0.0))
        times = up - y[up] / (y[up + 1] - y[up])
        errors.append((times[-1] - times[0]) / ((times.size - 1) * rate * period) - 1.0)
    # second order; the force is the mean over a step of one that bends by (w dt)^2 = 2e-3 of itself
    # in it, of which the stiffening is 10 %
    assert 2e-5 < errors[0] < 2e-4
    assert np.array(errors[:2]) / errors[1:] == pytest.approx(4.0, abs=0.05)


class ExactTwin:
    """The discrete gradient itself: F_i = -(EA / 16) (S + S+) b_i^2 (y_i + y_i+), S = sum L b^2 y^2
    / 2, its scalar S+ by bisection."""

    def __init__(self, rate, y):
        b, omega, alpha, mass = string_parameters(length=LENGTH, tension=TENSION,
                                                  linear_density=DENSITY, stiffness=BENDING,
                                                  losses=LOSSES, limit=19.99e3)
        decay, self.xi = np.exp(-alpha / rate), 0.5 / rate**2 / mass
        den = 1.0 + 2.0 * decay * np.cos(omega / rate) + decay**2
        self.a, self.c = (1.0 - 2.0 * decay * np.cos(omega / rate) + decay**2) / den, 0.25 * den
        self.b, self.y, self.q = b, y, 0.0 * y

    def step(self):
        def increment(sums):
            pull = self.xi * EA / 16.0 * sums * self.b**2
            return (2.0 * (self.q - self.a * self.y) - 2.0 * pull * self.y) / (1.0 / self.c + pull)

        def missing(sums):
            return stretch(self.y) + stretch(self.y + increment(sums)) - sums

        def stretch(y):
            return 0.5 * LENGTH * np.sum(self.b**2 * y * y)

        sums = brentq(missing, 0.0, 10.0 * (stretch(self.y) + stretch(self.y + increment(0.0))),
                      xtol=1e-22, rtol=8.9e-16)
        s = increment(sums)
        self.y, self.q = self.y + s, s - self.q


def test_it_follows_the_exact_discrete_gradient():
    """20 ms; with a constant tension the displacement would be 28 % off."""
    apart = []
    for rate, steps in ((44100.0, 400), (88200.0, 800)):
        kernel, b, _ = string(rate)
        ours, _ = run(kernel, drawn(b), steps)
        twin, exact = ExactTwin(rate, drawn(b)), []
        for _ in range(steps):
            exact.append(twin.y)
            twin.step()
        apart.append(np.max(np.abs(ours - exact)) / np.max(np.abs(exact)))
        plain, _ = run(string(rate, axial=1e-9)[0], drawn(b), steps)
        assert np.max(np.abs(plain - exact)) > 0.2 * np.max(np.abs(exact))
    # 1.9e-6 and 4.8e-7: the error of the second shape is of third order and is corrected in the
    # next step
    assert apart[0] < 4e-6 and apart[1] < 0.4 * apart[0]


def test_golden_numbers_of_the_note():
    """Mode 1 at 5 ms, printed to 1e-8 m; the reference predicts the shape differently, by 1e-8 m at
    44.1 kHz."""
    found = []
    for rate, n in ((44100.0, 220), (88200.0, 441), (176400.0, 882)):
        kernel, b, curvature = string(rate)
        out, _ = run(kernel, drawn(b), n + 1)
        found.append(out[n, 0])
        assert EA / LENGTH * 0.5 * np.sum(curvature * out[0]**2) / TENSION == pytest.approx(
            0.051, abs=5e-4)
    assert found == pytest.approx([-0.00231195, -0.00230422, -0.00230420], abs=1.5e-8)


@pytest.mark.parametrize("barrier", [False, True])
def test_balance_with_all_that_a_string_may_have(barrier):
    """A pluck, a thread and a damper that are switched, a tension that changes, with a lossy bridge
    or without."""
    others = [(0.02, Linear(stiffness=2e4, resistance=0.5), -1e-4),
              (0.2, Linear(resistance=0.4), 0.0)]
    kernel, b, _ = string(44100.0, barrier=barrier, others=others)
    kernel.set_equilibrium()
    kernel.set_inputs(np.sin(b * 0.12).reshape(1, -1))
    steps = 2048
    force = 2.0 * np.sin(np.pi * np.minimum(np.arange(steps), 300.0) / 300.0).reshape(-1, 1)
    out, ledger = np.empty((steps, b.size)), np.empty((steps, 6))
    moved = (-1e-4 * np.cos(np.arange(steps) / 200.0)).reshape(-1, 1)
    row = np.array([kernel.rows - 3], dtype=np.int32)
    kernel.advance(steps, out, energies=ledger, every=1, forces=force, control_rows=row,
                   control_fields=np.array([OFFSET], dtype=np.int32), controls=moved,
                   tensions=np.linspace(0.0, 5.0,
                                        steps), block_tensions=np.linspace(0.0, 5.0, steps // 64))
    assert kernel.statistics["failures"] == 0 and np.max(np.abs(out)) > 1e-4
    assert imbalance(ledger) <= 1e-13


@pytest.mark.parametrize("rate", [44100.0, 96000.0])
def test_the_row_follows_the_elongation_on_a_bridge(rate):
    """The error of a step is corrected in the next: 3e-5 of the greatest e in a step, 5e-7 in the
    mean.

    With the first prediction alone it is about 1e-2; without the correction it drifts.
    """
    kernel, b, curvature = string(rate, barrier=True)
    kernel.set_state(drawn(b), np.zeros(b.size))
    missed, e = [], []
    for _ in range(4000):
        kernel.advance(1, np.empty((1, b.size)))
        e.append(0.5 * np.sum(curvature * kernel.displacement()**2))
        missed.append(abs(-kernel.compression()[-1] - e[-1]))
    assert kernel.statistics["contact_steps"] > 2000
    assert np.max(missed) < 1e-4 * np.max(e) and np.mean(missed) < 1e-6 * np.max(e)
    assert np.min(e) < 0.3 * np.max(e)


def test_the_string_rests_on_its_bridge_as_without():
    """The stored tension is that at equilibrium."""
    kernel, b, curvature = string(44100.0, barrier=True)
    kernel.set_equilibrium()
    y = kernel.displacement()
    stiff, _, _ = string(44100.0, barrier=True, axial=1e-6)
    stiff.set_equilibrium()
    assert np.array_equal(y, stiff.displacement()) and 0.5 * np.sum(curvature * y * y) > 1e-8
    assert kernel.compression()[-1] == 0.0 and kernel.energy()[1] == stiff.energy()[1]
    kernel.advance(500, np.empty((500, b.size)))
    assert np.max(np.abs(kernel.displacement() - y)) < 1e-13 * np.max(np.abs(y))


def test_up_and_down_are_the_same():
    first, b, _ = string(44100.0)
    second, _, _ = string(44100.0)
    assert np.array_equal(run(first, drawn(b), 300)[0], -run(second, -drawn(b), 300)[0])


def test_the_tension_of_outputs_rises_too():
    """An output that is the end's slope times the tension over the stored one, against (EA / L) e
    by hand."""
    kernel, b, curvature = string(44100.0)
    slope = b * (-1.0) ** np.arange(b.size)
    kernel.set_outputs(np.zeros((1, b.size)), tension=slope.reshape(1, -1))
    kernel.set_state(drawn(b), np.zeros(b.size))
    by_hand, output = [], []
    for _ in range(200):
        y, out = kernel.displacement(), np.empty((1, 1))
        kernel.advance(1, out)
        by_hand.append(EA / LENGTH * 0.5 * np.sum(curvature * y * y) * np.sum(slope * y))
        output.append(out[0, 0])
    # as the row follows e
    assert output == pytest.approx(by_hand, abs=1e-5 * np.max(np.abs(by_hand)))
    assert np.ptp(by_hand) > 1e-2


def test_any_division_gives_the_same_bits():
    whole, b, _ = string(44100.0, barrier=True)
    expected = run(whole, drawn(b), 1000)[0]
    pieces, _, _ = string(44100.0, barrier=True)
    pieces.set_state(drawn(b), np.zeros(b.size))
    found = []
    for n in (1, 0, 17, 482, 500):
        found.append(np.empty((n, b.size)))
        pieces.advance(n, found[-1])
    assert np.array_equal(np.concatenate(found), expected)


def test_over_a_bridge_that_gives():
    """Two such strings and a body: energy balance, and the row follows e as on a rigid bridge."""
    rate = 44100.0
    strings = [string(rate, barrier=True) for _ in range(2)]
    body = network(TwoPoint, omega=2.0 * np.pi * np.array([110.0, 460.0]), alpha=[12.0, 30.0],
                   mass=[0.05, 0.03], shapes=[], laws=[], offset=[], dt=1.0 / rate)
    body.set_outputs(np.zeros((1, 2)), np.ones((1, 2)))
    b, curvature = strings[0][1], strings[0][2]
    bridge_shapes = np.append(-X / LENGTH, 0.0)
    whole = Coupled(strings=[kernel for kernel, _, _ in strings], body=body, shape=np.ones(2),
                    inertia=[DENSITY / b] * 2, bridge_shapes=[bridge_shapes] * 2,
                    string_mass=2.0 * DENSITY * LENGTH / 3.0)
    whole.set_equilibrium()
    strings[0][0].set_state(strings[0][0].displacement() + drawn(b), np.zeros(b.size))
    steps = 3000
    out, ledger, missed, e = np.empty((steps, 1)), np.empty((steps, 6)), [], []
    rest = strings[0][0].compression()[-1] + 0.5 * np.sum(
        curvature * strings[0][0].displacement()**2)
    for n in range(steps):
        parts = [
            StringCall(out=np.empty((1, b.size)), forces=np.zeros(
                (1, 0)), control_rows=np.zeros(0, dtype=np.int32),
                       control_fields=np.zeros(0, dtype=np.int32), controls=np.zeros(
                           (1, 0)), tensions=None, block_tensions=None, energies=None)
            for _ in strings
        ]
        whole.advance(1, out[n:n + 1], parts=parts, energies=ledger[n:n + 1], every=1)
        e.append(0.5 * np.sum(curvature * strings[0][0].displacement()**2))
        missed.append(abs(rest - strings[0][0].compression()[-1] - e[-1]))
    assert whole.statistics["failures"] == 0 and np.max(np.abs(out)) > 1e-4
    # limit for a compliant bridge 5e-12; measured 1.3e-13, with constant tension 3.8e-13
    assert imbalance(ledger) <= 1e-12
    assert np.max(missed) < 1e-4 * np.max(e) and np.mean(missed) < 2e-6 * np.max(e)


def test_what_cannot_be_an_elongation():
    kernel, b, curvature = string(44100.0, barrier=True)
    with pytest.raises(IndexError, match="row 0 is not a linear row with a stiffness"):
        kernel.set_axial_row(0, curvature)
    with pytest.raises(ValueError, match=r"curvature of mode 2 is -1\.0 1/m; expected at least 0"):
        kernel.set_axial_row(10, np.where(np.arange(b.size) == 2, -1.0, curvature))
    with pytest.raises(ValueError):
        kernel.set_axial_row(10, curvature[:-1])
