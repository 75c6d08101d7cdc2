"""Strings struck with felt that has a memory: the plain twin, energy, and two blows."""
import copy
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq
from twins import hammers as cases
from twins.felt import FeltTwin

from pysitar.errors import ParameterError
from pysitar.gestures.base import HammerHead
from pysitar.models.definitions.spec import StrikeSpec
from pysitar.models.strings.played import PlayedString

RATE = cases.RATE
FELT = StrikeSpec(position=0.055, velocity=2.5, mass=2.5e-3, stiffness=3e8, exponent=2.4,
                  damping=0.0, memory=0.7, memory_time=2e-4)
HEAD = HammerHead(2.4, 0.7, 2e-4)


def struck(steps, spec=cases.A4, strike=FELT, start=5):
    own = HammerHead(strike.exponent, strike.memory, strike.memory_time if strike.memory else 0.0)
    string = PlayedString(replace(spec, strike=strike), hz=440.0, sample_rate=RATE, floor=-80.0,
                          name="v.s", heads=(own,), traced=True)
    string.play("strike", start, {})
    return string, cases.heard(string, steps), string.traces()["contact_force"]


def test_a_struck_string_is_the_twins():
    # the string and the free mass by the plain two-point twin without rows: each step's force is a
    # root in p1 of the felt's own twin, to 1e-13 of the penetration; 400 steps in and out of
    # contact keep these errors
    _, out, force = struck(405)
    twin, weights = cases.twin_of(replace(cases.A4, strike=FELT), [FELT.mass],
                                  [{"position": FELT.position, "stiffness": 0.0, "exponent": 1.0,
                                    "damping": 0.0}], 1.0 / RATE)
    twin.q[-1] = -0.5 * FELT.velocity / RATE
    felt = FeltTwin(FELT.stiffness, FELT.exponent, FELT.memory, FELT.memory_time, 1.0 / RATE)
    shape, w = twin.shapes[0], twin.W[0, 0]
    p = 0.0
    for n in range(400):
        assert out[5 + n] == pytest.approx(weights @ twin.y[:weights.size],
                                           abs=1e-7 * max(1e-3, np.abs(out).max()))
        free = copy.deepcopy(twin)
        free.step()
        e = -shape @ free.y

        def excess(p1, p=p, e=e):
            return p1 - e + w * (felt.force(p, p1) if p1 != p else 0.0)

        at_e = felt.force(p, e) if e != p else 0.0
        p1 = brentq(excess, e - w * at_e - 1e-15, e, xtol=1e-20) if at_e > 0.0 else e
        pushed = (e - p1) / w
        assert force[5 + n] == pytest.approx(pushed, abs=1e-5 * max(1.0, force.max()))
        twin.step(force_shape=shape, force=pushed)
        felt.relax(p1)
        p = p1
    assert (force > 0.0).sum() > 40 and force[-1] == 0.0


def test_energy():
    # the energy of a lossless string and its hammer falls by the heat of the felt alone, which is
    # a good part of the blow's and never negative
    string, _, force = struck(3000, cases.LOSSLESS)
    first = 0.5 * FELT.mass * FELT.velocity**2
    losses = string.sounding.kernel.energy()[3]
    assert force.max() > 0.0
    assert 0.05 * first < losses < 0.9 * first
    spring, _, _ = struck(3000, cases.LOSSLESS, replace(FELT, memory=0.0))
    assert spring.sounding.kernel.energy()[3] == pytest.approx(0.0, abs=1e-12 * first)


def test_the_second_blow_has_fresh_felt():
    # the memory of the first blow, with which 0.2 mm would have no force, is gone: the first step
    # of the second, 0.03 mm deep, has one
    string, _, _ = struck(2000)
    assert string.sounding.kernel.memory()[:, 1].max() > 1e-4
    string.play("strike", 2100, {})
    cases.heard(string, 200)
    force = string.traces()["contact_force"][-200:]
    assert force[99] == 0.0 < force[100]


def test_a_head_without_a_row_is_refused():
    string, _, _ = struck(10)
    string.play("strike", 20, {"memory": 0.2})
    with pytest.raises(ParameterError, match="expected the exponent and memory of one"):
        cases.heard(string, 100)
