"""StringSimulation(scheme="three-point"): golden numbers, order of convergence, balance of
everything that its verbs do."""
import math

import numpy as np
import pytest
from models.strings.simulated_strings import RATE, imbalance, sitar
from physics.strings import SITAR

from pysitar import ParameterError, String, StringSimulation


def test_sitar_golden():
    run = sitar(scheme="three-point").run(
        1000, ["force_end", "force_start", ("displacement", 0.25), "contact_force"])
    out = run.outputs
    # G4, G5: two independent codes and scipy.optimize.root agree to the digits given; waveforms to
    # 1e-8 of their greatest value
    assert out[0, :2] == pytest.approx([0.981774540279, 0.423837886833], rel=1e-11)
    golden = [1.41052036, -0.424028984, -0.426728668, -0.38443343, 1.06495776, -0.430662621]
    assert out[[20, 40, 60, 100, 150, 200], 0] == pytest.approx(golden, abs=1.4e-8)
    assert out[[60, 100, 200], 2] == pytest.approx([-0.00212949136, -0.000402498499, -0.0019921202],
                                                   abs=3e-11)
    # index n is H(n - 1/2)
    assert run.energy[[0, 100, 200]] == pytest.approx(
        [2.097454882e-3, 2.08465913e-3, 2.066071363e-3], rel=1e-8)
    assert run.energy[999] == pytest.approx(1.694724736e-3, rel=1e-5)
    assert np.flatnonzero(out[:, 3])[0] == 39
    assert run.contact_steps == pytest.approx(652, abs=5)
    assert run.energy == pytest.approx(run.kinetic + run.potential + run.contact, rel=1e-15)
    assert not run.work.any()
    assert imbalance(run) <= 1e-13
    assert 1e-17 <= run.residual <= 1e-12
    # the end force is rougher than the two-point scheme's: root mean square second difference 0.859
    # to 0.299
    rough = [np.sqrt(np.mean(np.diff(values, 2)**2))
             for values in (out[:, 0], sitar().run(1000).outputs[:, 0])]
    assert rough[0] > 2.0 * rough[1] > 0.5


def test_pluck_books_its_work():
    # without barrier and loss all that a pluck brings stays: H = work
    free = String(length=0.5, tension=50.0, linear_density=5.55e-4)
    sim = StringSimulation(string=free, sample_rate=RATE, modes=30, scheme="three-point")
    sim.pluck(position=0.1, force=1.0, duration=2e-3)
    run = sim.run(300, [("displacement", 0.1)])
    assert run.energy[0] == 0.0
    assert not run.losses.any()
    assert run.energy[-1] == pytest.approx(run.work[-1], rel=1e-11)
    # the same force by the two-point scheme brings the same: both see it at 88 points, 1 part in
    # 1000 or so of a smooth pulse
    other = StringSimulation(string=free, sample_rate=RATE, modes=30)
    other.pluck(position=0.1, force=1.0, duration=2e-3)
    assert other.run(300).work[-1] == pytest.approx(run.work[-1], rel=0.02)
    assert run.work[-1] > 1e-4
    # on a bridge, with everything
    sim = sitar(scheme="three-point", damping=0.5, exponent=1.0)
    sim.set_displacement(equilibrium=True)
    sim.pluck(position=0.3, force=2.0, ramp=4e-3, release=1e-3, width=0.02, time=1e-3)
    run = sim.run(1500, ["contact_force"])
    assert imbalance(run) <= 1e-13
    assert run.residual <= 1e-12
    assert run.energy[-1] - run.energy[0] + run.losses[-1] == pytest.approx(run.work[-1], rel=1e-10)
    assert run.outputs[:, 0].max() > 0.7          # 0.66 N at rest


def test_velocity_is_the_centred_difference():
    run = sitar(scheme="three-point").run(
        300, [("displacement", 0.2), ("velocity", 0.2), "contact_force"])
    y, v = run.outputs[:, 0], run.outputs[:, 1]
    # in contact as well; 3 mm by an eps times half the rate, 1e-12 m/s for sums of 60 terms
    assert v[1:-1] == pytest.approx((y[2:] - y[:-2]) * RATE / 2.0, abs=1e-9)
    # let go at rest, where it meets nothing
    assert v[0] == 0.0
    assert np.abs(v).max() > 1.0
    assert run.outputs[:, 2].max() > 0.0


def test_modes_are_exact():
    # the recursion of one mode: y(n+1) = 2 R cos(omega dt) y(n) - R^2 y(n-1), from y(-1) = y(1)
    sim = StringSimulation(string=SITAR, sample_rate=RATE, frequencies=[301.0], decay_rates=[1.0],
                           scheme="three-point")
    sim.set_displacement(modal=[1e-3])
    y = sim.run(1000, [("mode", 1)]).outputs[:, 0]
    r, theta = math.exp(-1.0 / RATE), 2.0 * math.pi * 301.0 / RATE
    assert y[2:] == pytest.approx(2.0 * r * math.cos(theta) * y[1:-1] - r * r * y[:-2], abs=1e-17)
    assert y[1] == pytest.approx(1e-3 * 2.0 * r * math.cos(theta) / (1.0 + r * r), rel=1e-14)


def test_what_is_refused():
    good = {"string": SITAR, "sample_rate": RATE, "scheme": "three-point"}
    for name, given in (("variant", {"variant": "paper"}), ("sample_rate", {"max_frequency": 30e3}),
                        ("scheme", {"scheme": "four-point"})):
        with pytest.raises(ParameterError, match=name) as caught:
            StringSimulation(**{**good, **given})
        assert "three-point" in str(caught.value) or name == "sample_rate"


