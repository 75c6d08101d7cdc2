"""StringSimulation(scheme="modal-explicit"): golden numbers through its face, its balance, its
likeness to two-point, what it refuses."""
import math
from dataclasses import replace

import numpy as np
import pytest
from models.strings.simulated_strings import FRET_LAW
from physics.strings import LOSSY_STEEL, STEEL

from pysitar import Barrier, ContactLaw, ParameterError, StringSimulation

# G6 and G7: out at 10, 20, 30, 40 ms, greatest contact energy, energy at the end; of one code, G7
# of two
GOLDEN = {
    ("G6", "paper"): ((2.5762832627e-05, 3.8247097849e-04, 5.9302298248e-05, -3.5499719532e-05),
                      1.83063030e-04, 3.2057671459e-03),
    ("G6", "reset"): ((2.5762832627e-05, 3.8281363926e-04, 5.9206303414e-05, -3.3460957067e-05),
                      1.83063030e-04, 3.2052739149e-03),
    ("G7", "paper"): ((2.6345294518e-05, 1.2205935546e-05, 1.4295771402e-04, 1.0713859827e-04),
                      9.88639395e-05, 2.3926837894e-03),
    ("G7", None): ((2.6345294518e-05, 1.2206104374e-05, 1.4294734048e-04, 1.0706751045e-04),
                   9.88227841e-05, 2.3925709969e-03),
}


def barrier(name):
    """A point 0.1 mm under the middle, or a bowl under the whole string on the nodes of a grid."""
    if name == "G6":
        return Barrier.point(position=0.5, height=-1e-4, law=FRET_LAW)
    x = [m / 223.0 for m in range(1, 223)]
    return Barrier.at(positions=x, heights=[-1e-4 - 1e-4 * v - 1e-3 * v * v for v in x],
                      weights=[1.0 / 223.0] * 222, law=FRET_LAW)


@pytest.mark.parametrize(("name", "variant"), GOLDEN)
def test_golden(name, variant):
    # 10 N for 1 ms at 0.3 m, F(n) at n k; the modes whose undamped frequency is under 2 / k: 142
    sim = StringSimulation(string=STEEL if name == "G6" else LOSSY_STEEL, barriers=[barrier(name)],
                           sample_rate=44100.0, modes=142, scheme="modal-explicit", variant=variant)
    sim.drive(position=0.3,
              force=[5.0 * (1.0 - math.cos(2.0 * math.pi * n / 44.1)) for n in range(45)])
    run = sim.run(1765, [("displacement", 0.9), "contact_force"])
    values, greatest, end = GOLDEN[name, variant]
    assert run.outputs[[441, 882, 1323, 1764], 0] == pytest.approx(
        values, rel=0.0, abs=1e-9 * np.abs(run.outputs[:, 0]).max())
    assert run.contact.max() == pytest.approx(greatest, rel=1e-8)
    assert int(run.contact.argmax()) == {"G6": 610, "G7": 843}[name]  # index n is H(n - 1/2)
    assert run.energy[-1] == pytest.approx(end, rel=1e-8)
    assert run.residual <= 5e-12
    assert run.outputs[:, 1].max() > 1.0 and run.iterations == 0


def test_like_two_point():
    # without contact its frequencies are 2 asin(w k / 2) / k: 1e-5 of the third mode's at 176.4
    # kHz; a soft contact within 1e-3 in u
    soft = Barrier.point(position=0.5, height=-1e-4, law=ContactLaw(stiffness=2e4, exponent=1.3))
    for barriers in ([], [soft]):
        runs = []
        for scheme in ("modal-explicit", "two-point"):
            sim = StringSimulation(string=LOSSY_STEEL, barriers=barriers, sample_rate=176400.0,
                                   scheme=scheme)
            sim.set_displacement(
                lambda x: -1e-3 * math.sin(math.pi * x) - 2e-4 * math.sin(3 * math.pi * x))
            sim.pluck(position=0.3, force=2.0, duration=1e-3, time=2e-3)
            runs.append(sim.run(900, [("displacement", 0.31), ("mode", 3), "force_end"]))
        error = np.abs(runs[0].outputs - runs[1].outputs).max(axis=0) / np.abs(
            runs[1].outputs).max(axis=0)
        assert 1e-8 < error[0] < 1e-3
        assert all(run.residual <= 5e-12 for run in runs)
        assert (runs[0].contact_steps > 200) == bool(barriers)


def test_rest():
    sim = StringSimulation(string=LOSSY_STEEL,
                           barriers=[Barrier.point(position=0.4, height=2e-4, law=FRET_LAW)],
                           sample_rate=44100.0, scheme="modal-explicit")
    assert 0.30 * 44100.0 < sim.frequencies[-1] < 0.31 * 44100.0
    sim.set_displacement(equilibrium=True)
    run = sim.run(300, [("displacement", 0.4), "contact_force"])
    assert run.outputs[0, 0] > 5e-5 and run.outputs[0, 1] > 0.1
    assert np.ptp(run.outputs[:, 0]) <= 1e-9 * run.outputs[0, 0]


def test_refused():
    def made(**given):
        plain = {"string": LOSSY_STEEL, "barriers": [barrier("G6")], "sample_rate": 44100.0,
                 "scheme": "modal-explicit"}
        return StringSimulation(**plain | given)

    with pytest.raises(ParameterError, match="reset or paper"):
        made(variant="tracking")
    with pytest.raises(ParameterError, match="no correction; expected two-point or three-point"):
        made(corrected=True)
    with pytest.raises(ParameterError, match="pi times the undamped frequency of the highest mode"):
        made(max_frequency=20e3)
    with pytest.raises(ParameterError,
                       match="two-point, three-point, modal-explicit, fd-iterative, fd-explicit"):
        made(scheme="modal")
    assert made(
        string=replace(LOSSY_STEEL, sigma1=1e-3)).modes.count > 100  # every loss, unlike a grid
