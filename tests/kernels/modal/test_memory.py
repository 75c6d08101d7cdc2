"""Felt with memory in a network: equilibrium, its state, changes of its stiffness."""
import math

import numpy as np
import pytest
from scipy.optimize import brentq
from twins.laws import law_columns
from twins.modal_cases import GOOD

from pysitar.kernels.modal.coupled import Coupled
from pysitar.kernels.modal.three_point import ThreePoint
from pysitar.kernels.modal.two_point import TwoPoint

FELT, ADHESIVE = 5, 6
K, A, E, TAU = 1e8, 2.3, 0.6, 1e-3


def pressed():
    """Return 10 kg on a spring of 2e4 N/m, pressed on felt by 300 N."""
    one = np.ones(1)
    kernel = TwoPoint(angular_frequencies=math.sqrt(2e3) * one, decay_rates=0.0 * one,
                      masses=10.0 * one, time_step=1.0 / 48000.0, shapes=-np.ones((1, 1)),
                      laws=law_columns(kinds=FELT, stiffness=K, exponent=A, further=(E, TAU)),
                      offsets=0.0 * one)
    kernel.set_outputs(np.ones((1, 1)))
    kernel.set_weight(300.0 * one)
    return kernel


def test_equilibrium():
    # k y + K (1 - e) y^a = 300 N, with the memory y^a; the scheme's spring is 1 + 1.5e-7 of k
    kernel = pressed()
    before = kernel.equilibrium_at()
    kernel.set_equilibrium()
    y = brentq(lambda y: 2e4 * y + K * (1.0 - E) * y**A - 300.0, 0.0, 1.0, xtol=1e-15)
    assert kernel.displacement()[0] == pytest.approx(y, rel=1e-6)
    assert kernel.memory()[0] == pytest.approx([y**A, (E * y**A) ** (1.0 / A)], rel=1e-5)
    # the energy found in advance is that of the state, less the work of the weight
    energy = kernel.energy()[:3].sum() - 300.0 * kernel.displacement()[0]
    assert before[0] == pytest.approx(energy, rel=1e-12)
    out = np.empty((500, 1))
    kernel.advance(500, out)
    assert np.abs(out - out[0]).max() < 1e-11 * y


def test_changes_of_the_stiffness_are_work():
    kernel = pressed()
    kernel.set_equilibrium()
    out = np.empty((100, 1))
    kernel.advance(100, out)

    def balance():
        kinetic, potential, contact, losses, work, _ = kernel.energy().tolist()
        return kinetic + potential + contact + losses - work

    first, stored = balance(), kernel.energy()[2]
    assert stored > 1e-3
    kernel.set_row(0, 0, 0.0)                       # off, with what the felt has stored
    assert kernel.energy()[2] == 0.0
    kernel.advance(100, out)
    kernel.set_row(0, 0, K)                         # on again, with no memory
    assert not kernel.memory().any()
    kernel.advance(100, out)
    assert balance() == pytest.approx(first, abs=1e-12 * stored)


def test_state():
    kernel = pressed()
    kernel.set_memory(0, 1e-9, 2e-4)
    assert kernel.memory().tolist() == [[1e-9, 2e-4]]
    for row in (-1, 1):
        with pytest.raises(IndexError, match="does not exist; expected the index of one of 1 rows"):
            kernel.set_memory(row, 0.0, 0.0)


def test_what_is_refused():
    felt = law_columns(3, kinds=FELT, stiffness=K, exponent=A, further=(E, TAU))
    with pytest.raises(ValueError, match=r"kind of row 0 is 5; .* of a two-point scheme"):
        ThreePoint(**GOOD | {"laws": felt})
    sticky = law_columns(3, kinds=ADHESIVE, stiffness=1.0, further=(1e-6, 1.0))
    string = TwoPoint(**GOOD | {"laws": sticky})
    body = TwoPoint(**GOOD | {"shapes": np.zeros((0, 2)), "laws": felt[:0].copy(),
                              "offsets": np.zeros(0)})
    with pytest.raises(ValueError, match="string 0 has a law that attracts; expected monotone"):
        Coupled(strings=[string], body=body, shape=np.ones(2), inertia=[np.zeros(2)],
                bridge_shapes=[np.zeros(3)], string_mass=1e-3)
