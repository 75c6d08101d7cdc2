"""What StringSimulation does alike by the two-point and the three-point scheme: equilibrium, order
of convergence, pieces of a run."""
import math
from itertools import pairwise

import numpy as np
import pytest
from models.strings.simulated_strings import RATE, imbalance, sitar, soft_contact
from physics.strings import SITAR

from pysitar import Barrier, ContactLaw, StringSimulation

SCHEMES = pytest.mark.parametrize("scheme", ["two-point", "three-point"])


@pytest.mark.parametrize(("scheme", "string_values", "force", "forces"), [
    ("two-point", [2.979652739e-5, 0.005850921435], 1.250372354, [1.1583184, 0.09205392]),
    ("three-point", [2.979947473e-5, 0.004670101691], 0.664764001, [0.49908502, 0.16567898])])
def test_equilibrium(scheme, string_values, force, forces):
    sim = sitar(scheme=scheme)
    sim.set_displacement(equilibrium=True)
    points = [("contact_force", 0), ("contact_force", 4)]
    run = sim.run(500, [("displacement", 0.25), "force_end", "contact_force", *points,
                        ("velocity", 0.2)])
    # G6, 10 digits; it stays (1e-20 m and 4e-18 m measured, 1e-15 m allowed)
    assert run.outputs[0, :2] == pytest.approx(string_values, rel=1e-8)
    assert run.outputs[-1, 2] == pytest.approx(force, rel=1e-8)
    assert run.outputs[-1, 3:5] == pytest.approx(forces, rel=1e-6)
    assert np.ptp(run.outputs[:, 0]) <= 1e-15
    assert np.abs(run.outputs[:, 5]).max() <= 1e-10
    assert run.kinetic.max() <= 1e-20 * run.energy[0] + 1e-30
    # with exponent 1, each contact stores f^2 / (2 K)
    assert run.contact == pytest.approx((run.outputs[:, 3:5] ** 2).sum(axis=1) / 6e6, rel=1e-6)
    assert imbalance(run) <= 1e-13
    # a rest that there is none of: no barrier, no deflection
    free = StringSimulation(string=SITAR, sample_rate=RATE, scheme=scheme)
    free.set_displacement(equilibrium=True)
    assert not free.run(10, [("displacement", 0.25)]).outputs.any()


@SCHEMES
@pytest.mark.parametrize("exponent", [2.0, 2.3])
def test_second_order_in_soft_contact(scheme, exponent):
    # The modes alone are exact, so all error is the contact's; its law has a continuous derivative,
    # so the scheme's second order shows. Errors from one rate to the next, over the common times of
    # the first 5 ms (chaos comes later).
    curves = []
    for double in range(5):
        sim = soft_contact(scheme=scheme, exponent=exponent, rate=16000.0 * 2**double)
        run = sim.run(80 * 2**double + 1, [*[("mode", i) for i in range(1, 13)], "contact_force"])
        curves.append(run.outputs[:: 2**double, :12])
        assert run.outputs[:, 12].max() > 1.0
        assert run.outputs[:, 12].min() >= 0.0
        assert imbalance(run) <= 1e-13
    differences = [np.abs(a - b).max() for a, b in pairwise(curves)]
    # neither nothing (the contact matters) nor everything (it is resolved)
    assert 1e-6 <= differences[0] / 2e-3 <= 0.1
    orders = [math.log2(a / b) for a, b in pairwise(differences)]
    assert all(1.7 <= order <= 2.3 for order in orders), orders


def test_both_schemes_converge_to_one():
    # before contact both are exact; through a soft contact they differ by their second-order
    # errors, four times less at twice the rate
    apart = []
    for rate in (32000.0, 64000.0, 128000.0):
        curves = []
        for scheme in ("two-point", "three-point"):
            sim = soft_contact(scheme=scheme, exponent=2.0, rate=rate)
            curves.append(sim.run(round(5e-3 * rate) + 1,
                                  [("displacement", 0.2)]).outputs[::round(rate / 32000.0), 0])
        apart.append(np.abs(curves[0] - curves[1]).max())
    assert 1e-6 <= apart[0] / 2e-3 <= 0.1
    assert all(1.7 <= math.log2(a / b) <= 2.3 for a, b in pairwise(apart)), apart


@SCHEMES
def test_two_runs_are_one(scheme):
    def made():
        sim = sitar(scheme=scheme, damping=0.3)
        sim.pluck(position=0.1, force=1.5, duration=2e-3, time=5e-4)
        sim.drive(position=0.4, force=np.linspace(0.0, 0.3, 200), time=100 / RATE)
        return sim

    outputs = ["force_end", ("velocity", 0.2), "contact_force"]
    whole, parts = made(), made()
    one = whole.run(700, outputs)
    two = [parts.run(steps, outputs) for steps in (1, 0, 123, 176, 400)]
    for name in ("outputs", "time", "energy", "kinetic", "potential", "contact", "losses", "work"):
        assert np.array_equal(getattr(one, name),
                              np.concatenate([getattr(run, name) for run in two])), name
    assert one.iterations == sum(run.iterations for run in two)
    assert one.contact_steps == sum(run.contact_steps for run in two)
    assert one.contact_steps > 100
    # each run's balance is that since the start; its scale knows the energies of the run alone, so
    # it is at most the whole's
    assert one.residual <= max(run.residual for run in two) <= 1e-12
    assert imbalance(one) <= 1e-13
    assert one.work[-1] != 0.0


@pytest.mark.parametrize("scheme", ["two-point", "three-point", "modal-explicit"])
def test_a_pluck_without_contact_is_of_second_order(scheme):
    """The same modes at three rates: the differences of a displacement at 4 ms fall to a quarter;
    read half a step late, to a half."""
    found = []
    for rate in (48000.0, 96000.0, 192000.0):
        sim = StringSimulation(string=SITAR, sample_rate=rate, scheme=scheme, modes=8)
        sim.pluck(position=0.1, force=1.5, ramp=2e-3, release=1e-3)
        found.append(sim.run(round(4e-3 * rate) + 1, [("displacement", 0.2)]).outputs[-1, 0])
    coarse, fine = found[0] - found[1], found[1] - found[2]
    # over 1e-7 of the displacement: not only rounding
    assert abs(fine) > 1e-7 * abs(found[2])
    assert coarse / fine == pytest.approx(4.0, abs=0.2)


@pytest.mark.parametrize("statics", [False, True])
def test_forces_of_soft_contacts_are_exact(statics):
    """Exponent 4, K 1e6 N/m^5: forces of 1e-9 N, which move the string by less than rounding,
    follow the law of its own displacements. Force and mean force of the two compressions agree to
    1e-9 of the greatest force, where a rule for displacements alone missed 1e-4. """
    law = ContactLaw(stiffness=1e6, exponent=4.0)
    points = Barrier(profile=lambda x: -x * (x - 0.03) / 4.0, start=0.0, end=0.03, points=10,
                     law=law)
    sim = StringSimulation(string=SITAR, barriers=[points], sample_rate=44100.0, statics=statics)
    sim.set_displacement(triangle=(0.35, 3e-3))
    places = points.positions.tolist()
    run = sim.run(301, [*(("displacement", x) for x in places),
                        *(("contact_force", k) for k in range(10))])
    p = np.maximum(points.heights - run.outputs[:, :10], 0.0)
    a, b, f = p[:-1], p[1:], run.outputs[:-1, 10:]
    mean = 1e6 * 3e-3 / 5.0 * (a**4 + a**3 * b + a**2 * b**2 + a * b**3 + b**4)
    inside = (a > 0.0) & (b > 0.0)
    peak = f.max()
    assert 1e-10 < peak < 1e-6 and inside.sum() > 50
    assert np.abs(np.where(inside, f - mean, 0.0)).max() < 1e-9 * peak
