"""StringSimulation on a grid: golden numbers through its face, its verbs, their balance, its
likeness to modes, what it refuses."""
import math
from dataclasses import replace

import numpy as np
import pytest
from models.strings.simulated_strings import FRET_LAW
from physics.strings import LOSSY_STEEL, STEEL

from pysitar import Barrier, ContactLaw, ParameterError, String, StringSimulation


def bowl(x):
    return -1e-4 - 1e-4 * x - 1e-3 * x * x


def distributed(**law):
    return Barrier(profile=bowl, start=0.0, end=1.0, points=10, law=replace(FRET_LAW, **law))


def simulated(string=LOSSY_STEEL, barriers=None, rate=44100.0, **more):
    given = {"scheme": "fd-iterative", **more}
    return StringSimulation(string=string, barriers=[distributed()] if barriers is None
                            else barriers, sample_rate=rate, **given)


# G5: out at 10, 20, 30, 40 ms, greatest contact energy, energy at the end: two independent codes
# and a third agree
GOLDEN = {
    ("fd-iterative", None): ((2.2765768027e-05, 1.2759823453e-05, 1.4157535217e-04,
                              1.0802269560e-04), 9.62654004e-05, 2.3959812195e-03),
    ("fd-explicit", None): ((2.2765768027e-05, 1.2759823482e-05, 1.4157535189e-04,
                             1.0802269650e-04), 9.62654005e-05, 2.3959812195e-03),
    ("fd-explicit", "reset"): ((2.2765768027e-05, 1.2778222696e-05, 1.4174340252e-04,
                                1.0780344610e-04), 9.69080399e-05, 2.3958061897e-03),
    ("fd-explicit", "paper"): ((2.2765768027e-05, 1.2778286900e-05, 1.4171866766e-04,
                                1.0781158294e-04), 9.69450304e-05, 2.3958598959e-03),
}


@pytest.mark.parametrize(("scheme", "variant"), GOLDEN)
def test_golden_of_distributed_contact(scheme, variant):
    # 10 N for 1 ms at 0.3 m, F(n) at n k, at the node nearest
    sim = simulated(scheme=scheme, variant=variant)
    assert sim.spacing == 1.0 / 222 and sim.nodes.shape == (223,) and sim.grid.intervals == 222
    sim.drive(position=0.3,
              force=[5.0 * (1.0 - math.cos(2.0 * math.pi * n / 44.1)) for n in range(45)],
              spread="nearest")
    run = sim.run(1765, [("displacement", 0.9), "contact_force"])
    values, greatest, end = GOLDEN[scheme, variant]
    assert run.outputs[[441, 882, 1323, 1764], 0] == pytest.approx(
        values, rel=0.0, abs=1e-9 * 5.171992e-04)
    assert run.contact.max() == pytest.approx(greatest, rel=1e-8)
    assert int(run.contact.argmax()) == 842          # index n is H(n - 1/2)
    assert run.energy[-1] == pytest.approx(end, rel=1e-8)
    assert (run.outputs[:, 1].min() < 0.0) == (variant == "paper") and run.outputs[:, 1].max() > 1.0
    assert run.residual <= 5e-12
    assert run.contact_steps == np.count_nonzero(run.outputs[:, 1]) > 100
    assert (run.iterations > run.contact_steps) == (scheme == "fd-iterative")


def test_all_verbs_and_outputs_balance():
    frets = [Barrier.point(position=x, height=-3e-4,
                           law=ContactLaw(stiffness=1e8, exponent=1.3, damping=0.5))
             for x in (0.21, 0.33, 0.5)]
    sim = simulated(barriers=[distributed(), *frets])
    sim.set_displacement(triangle=(0.35, 1e-3))
    sim.pluck(position=0.2, force=-8.0, duration=2e-3)
    sim.pluck(position=0.6, force=5.0, ramp=5e-3, release=1e-4, width=0.02, time=0.01)
    sim.drive(position=0.712, force=np.full(200, -2.0), time=0.02, spread="linear")
    names = ["force_end", "force_start", ("displacement", 0.25), ("velocity", 0.25),
             "contact_force", ("contact_force", 0), ("contact_force", 223)]
    run = sim.run(2000, names)
    assert run.residual <= 5e-12 and run.losses[-1] > 0.0 and run.work[-1] != 0.0
    end, start, place, speed, whole, first, fret = run.outputs.T
    assert fret.max() > 1.0 and first.min() >= 0.0 and np.abs(whole).max() > np.abs(fret).max()
    # the velocity of step n is (u(n + 1) - u(n - 1)) / (2 k)
    assert speed[1:-1] == pytest.approx((place[2:] - place[:-2]) * 22050.0, rel=1e-9, abs=1e-9)
    # what is kept: run on from there, in pieces
    again = simulated(barriers=[distributed(), *frets])
    again.set_displacement(triangle=(0.35, 1e-3))
    again.pluck(position=0.2, force=-8.0, duration=2e-3)
    again.pluck(position=0.6, force=5.0, ramp=5e-3, release=1e-4, width=0.02, time=0.01)
    again.drive(position=0.712, force=np.full(200, -2.0), time=0.02, spread="linear")
    parts = [again.run(n, names).outputs for n in (1, 63, 700, 1236)]
    assert np.array_equal(np.vstack(parts), run.outputs)
    assert end.max() > 0.1 and start.max() > 0.1


def test_like_modes():
    # the same string by modes, 5 ms without and with contact: long waves differ by O(h^2, k^2),
    # about 1e-5 in u and 10 times that in its derivatives; a contact sends out fronts, whose
    # highest modes the two have not in common: in u 1e-3 (4e-4 measured)
    soft = Barrier.point(position=0.5, height=-1e-4, law=ContactLaw(stiffness=2e4, exponent=1.3))
    for barriers in ([], [soft]):
        runs = []
        for scheme in ("fd-iterative", "two-point"):
            sim = StringSimulation(string=LOSSY_STEEL, barriers=barriers, sample_rate=176400.0,
                                   scheme=scheme)
            sim.set_displacement(
                lambda x: -1e-3 * math.sin(math.pi * x) - 2e-4 * math.sin(3 * math.pi * x))
            runs.append(sim.run(
                900, [("displacement", 0.31), "force_end", "force_start", ("velocity", 0.2)]))
        grid, modes = (run.outputs for run in runs)
        error = np.abs(grid - modes).max(axis=0) / np.abs(modes).max(axis=0)
        assert error.min() > 1e-7
        assert error[0] < 1e-3 if barriers else np.all(error < [2e-5, 1e-4, 1e-4, 1e-4])
        assert (runs[0].contact_steps > 200) == bool(barriers)


@pytest.mark.parametrize("scheme", ["fd-iterative", "fd-explicit"])
def test_equilibrium(scheme):
    high = Barrier(profile=lambda x: 2e-4 - (x - 0.4)**2, start=0.3, end=0.5, points=200,
                   law=ContactLaw(stiffness=1e8))
    sim = simulated(barriers=[high], scheme=scheme)
    sim.set_displacement(equilibrium=True)
    run = sim.run(500, [("displacement", 0.4), "contact_force", "force_end", "force_start"])
    place, force, end, start = run.outputs.T
    assert 1e-4 < place[0] < 2e-4 and force[0] > 0.1
    assert np.ptp(place) <= 1e-12 * place[0] and np.ptp(force) <= 1e-9 * force[0]
    assert end[0] + start[0] == pytest.approx(force[0], rel=1e-9)
    assert run.kinetic.max() <= 1e-16 * run.energy[0]
    # by modes the midpoints of 200 cells stand for the barrier, here the nodes
    other = StringSimulation(string=LOSSY_STEEL, barriers=[high], sample_rate=44100.0)
    other.set_displacement(equilibrium=True)
    assert place[0] == pytest.approx(other.run(1, [("displacement", 0.4)]).outputs[0, 0], rel=2e-2)


def test_a_point_is_met_where_it_is():
    # halfway between two nodes the string passes the point on both sides alike
    sim = simulated(string=STEEL,
                    barriers=[Barrier.point(position=0.5, height=-1e-4, law=FRET_LAW)])
    assert sim.grid.intervals == 223
    sim.drive(position=0.5, force=np.full(300, -5.0), spread="linear")
    run = sim.run(600, [("displacement", 0.3), ("displacement", 0.7), "contact_force"])
    assert run.contact_steps > 100
    assert np.abs(run.outputs[:, 0]
                  - run.outputs[:, 1]).max() <= 1e-12 * np.abs(run.outputs[:, 0]).max()


@pytest.mark.parametrize("rate", [22050.0, 44100.0, 176400.0])
@pytest.mark.parametrize(("scheme", "variant", "exponent"), [("fd-iterative", None, 1.0),
                                                             ("fd-iterative", None, 1.3),
                                                             ("fd-explicit", "tracking", 1.3),
                                                             ("fd-explicit", "reset", 1.3),
                                                             ("fd-explicit", "paper", 1.3)])
def test_a_fret_rail_under_a_hard_pluck_is_bounded(rate, scheme, variant, exponent):
    # 100 N on 20 frets and a fretboard between, coarse and fine: solved at every step, balanced,
    # within the reach of its energy
    string = String(length=0.65, tension=70.0, linear_density=9.86e-4, bending_stiffness=2.5e-4,
                    sigma0=0.9, sigma2=3e-4)
    law = ContactLaw(stiffness=1e8, exponent=exponent, damping=0.3)
    rail = [Barrier.point(position=0.65 * (1.0 - 2.0**(-n / 12.0)), height=-3e-4 - 1e-5 * n,
                          law=law) for n in range(1, 21)]
    board = Barrier(profile=lambda x: -1.3e-3, start=0.01, end=0.45, points=50, law=law)
    sim = StringSimulation(string=string, barriers=[*rail, board], sample_rate=rate, scheme=scheme,
                           variant=variant)
    sim.pluck(position=0.5, force=-100.0, duration=2e-3)
    run = sim.run(round(0.03 * rate), [("displacement", 0.5), "contact_force"])
    assert run.residual <= 5e-12
    assert run.contact_steps > 20 and np.isfinite(run.outputs).all()
    # a string of tension T drawn to u at x holds at least T u^2 L / (2 x (L - x))
    assert np.abs(run.outputs[:, 0]).max() <= math.sqrt(run.energy.max() * 2.0 * 0.5 * 0.15 /
                                                        (0.65 * 70.0))


def test_refused():
    for name, value in (("max_frequency", 1e4), ("modes", 20), ("frequencies", [100.0]),
                        ("decay_rates", [1.0]), ("corrected", True)):
        with pytest.raises(ParameterError, match=f"{name}.*nodes, not modes"):
            simulated(**{name: value})
    with pytest.raises(ParameterError, match="expected None"):
        simulated(variant="paper")
    with pytest.raises(ParameterError, match="tracking or reset or paper"):
        simulated(scheme="fd-explicit", variant="release")
    with pytest.raises(ParameterError, match="fd-iterative"):
        simulated(scheme="fd")
    with pytest.raises(ParameterError, match=r"sigma1.*grid_losses"):
        simulated(string=replace(STEEL, sigma1=1e-3))
    crowd = Barrier.at(positions=[0.3 + 1e-5 * i for i in range(600)], heights=[-1e-3] * 600,
                       weights=[1e-5] * 600, law=FRET_LAW)
    with pytest.raises(ParameterError, match="600 contacts share nodes"):
        simulated(barriers=[crowd])
    with pytest.raises(ParameterError, match="expected a Barrier"):
        simulated(barriers=[1.0])
    sim = simulated()
    for name in ("modes", "frequencies"):
        with pytest.raises(ParameterError, match="nodes, not modes"):
            getattr(sim, name)
    for call in (lambda: sim.set_displacement(modal=[1e-3]), lambda: sim.run(1, [("mode", 1)])):
        with pytest.raises(ParameterError, match="nodes, not modes"):
            call()
    for call in (lambda: sim.set_displacement(triangle=0.3),
                 lambda: sim.set_displacement(triangle=(0.3, 1e-3), equilibrium=True),
                 lambda: sim.drive(position=0.3, force=[1.0], spread="even"),
                 lambda: sim.drive(position=1.3, force=[1.0]),
                 lambda: sim.run(1, [("displacement", 2.0)]),
                 lambda: sim.run(1, [("contact_force", 221)]), lambda: sim.run(1, ["force"])):
        with pytest.raises(ParameterError):
            call()
    other = StringSimulation(string=LOSSY_STEEL, sample_rate=44100.0)
    for name in ("spacing", "nodes", "grid"):
        with pytest.raises(ParameterError, match="modes, not a grid"):
            getattr(other, name)
    with pytest.raises(ParameterError, match="expected None"):
        other.drive(position=0.3, force=[1.0], spread="linear")


def test_a_pluck_is_read_at_the_steps():
    """The force of a leapfrog step acts at its point of time."""
    rate, steps = 48000.0, 96
    plucked, driven = (StringSimulation(string=STEEL, sample_rate=rate, scheme="fd-explicit")
                       for _ in range(2))
    plucked.pluck(position=0.3, force=2.0, duration=steps / rate)
    driven.drive(position=0.3,
                 force=[1.0 - math.cos(2.0 * math.pi * n / steps) for n in range(steps)])
    outputs = [("displacement", 0.2)]
    # the two cosines round their angle apart
    assert plucked.run(300, outputs).outputs == pytest.approx(
        driven.run(300, outputs).outputs, abs=1e-17)
