"""StringSimulation, the face of the two-point scheme: golden numbers, pitch, order of convergence,
what it refuses, what it adds up."""
import math
import signal

import numpy as np
import pytest
from models.strings.simulated_strings import RATE, bridge, bump, imbalance, sitar
from physics.strings import IDEAL, SITAR

from pysitar import Barrier, ContactLaw, ParameterError, String, StringSimulation
from pysitar.models.network import run as room


def test_modes():
    sim = sitar()
    # G1: two independent codes agree to the digits given
    assert sim.frequencies.shape == (60,)
    assert sim.frequencies[[0, 9, 59]] == pytest.approx([300.1595154, 3010.906682, 19940.19758],
                                                        rel=1e-9)
    assert sim.modes.decay_rates[[0, 59]] == pytest.approx([0.6420809556, 270.9446728], rel=1e-9)
    assert sim.modes.masses == pytest.approx(np.full(60, 1.3875e-4), rel=1e-14)


def test_sitar_golden():
    run = sitar().run(1000, ["force_end", "force_start", ("displacement", 0.25), ("mode", 1),
                             ("mode", 60), "contact_force"])
    out = run.outputs
    # G4, G5: two independent codes and scipy.optimize.root agree to the digits given; waveforms to
    # 1e-8 of their greatest value
    assert out[0, [0, 1, 3]] == pytest.approx([0.981774540279, 0.423837886833, 0.00234201598448],
                                              rel=1e-11)
    assert out[0, 4] == pytest.approx(0.0, abs=1e-19)
    golden = [1.41188075, -0.423840069, -0.425333674, -0.365128854, 0.939002883, -0.432796472]
    assert out[[20, 40, 60, 100, 150, 200], 0] == pytest.approx(golden, abs=1.4e-8)
    assert out[[60, 100, 200], 1] == pytest.approx([0.368893743, 0.416718165, 0.441739393],
                                                   abs=1.4e-8)
    assert out[[60, 100, 200],
               2] == pytest.approx([-0.00212924239, -0.000369264228, -0.00206157625], abs=3e-11)
    assert run.energy[[0, 100, 200]] == pytest.approx(
        [2.183825876e-3, 2.1390019e-3, 2.098876417e-3], rel=1e-8)
    assert run.energy[999] == pytest.approx(1.555866276e-3, rel=1e-6)
    assert np.flatnonzero(out[:, 5])[0] == 39
    assert run.contact_steps == pytest.approx(515, abs=5)
    assert 1 <= run.most_iterations <= 20
    assert run.iterations <= 6 * run.contact_steps
    assert run.energy == pytest.approx(run.kinetic + run.potential + run.contact, rel=1e-15)
    assert run.time == pytest.approx(np.arange(1000) / RATE, rel=1e-15)
    assert not run.work.any()
    assert imbalance(run) <= 1e-13
    assert 1e-17 <= run.residual <= 1e-12


def test_hunt_crossley_golden():
    # G8, two independent codes; without a clamp
    run = sitar(damping=1.0).run(201, ["force_end", "contact_force"])
    assert run.outputs[[60, 100, 200],
                       0] == pytest.approx([-0.425442947, -0.363925256, -0.431646855], abs=1.4e-8)
    assert run.energy[200] == pytest.approx(1.89339843e-3, rel=1e-8)
    # with one it never pulls
    held = sitar(damping=1.0,
                 adhesive=False).run(201, ["force_end", *[("contact_force", k) for k in range(10)]])
    assert held.outputs[60, 0] == pytest.approx(-0.425455707, abs=1.4e-8)
    assert held.outputs[:, 1:].min() == 0.0
    assert held.outputs[:, 1:].max() > 0.1
    assert max(imbalance(run), imbalance(held)) <= 1e-13


def peak(values, low, high):
    """The time of the greatest value between two times, by a parabola through its neighbours."""
    steps = np.arange(math.ceil(low), int(high) + 1)
    n = steps[np.argmax(values[steps])]
    before, here, after = values[n - 1:n + 2]
    return n + 0.5 * (before - after) / (before - 2.0 * here + after)


def flat_barrier(*, explicit, height):
    """K = 55 points at k L / (K + 1): given one by one, or as midpoints of cells from dx / 2 on."""
    dx = 0.5 / 56
    law = ContactLaw(stiffness=1e9)
    if explicit:
        return Barrier.at(positions=np.arange(1, 56) * dx, heights=np.full(55, height),
                          weights=np.full(55, dx), law=law)
    return Barrier(profile=lambda x: height, start=0.5 * dx, end=0.5 - 0.5 * dx, points=55, law=law)


@pytest.mark.parametrize("explicit", [True, False])
def test_ideal_string_over_a_flat_barrier(explicit):
    amplitude = 2e-3
    sim = StringSimulation(string=IDEAL, barriers=[flat_barrier(
        explicit=explicit, height=-0.5 * amplitude)], sample_rate=RATE, max_frequency=20e3)
    assert sim.modes.count == 55
    sim.set_displacement(lambda x: amplitude * math.sin(math.pi * x / 0.5))
    run = sim.run(420, [("mode", 1), ("displacement", 0.25),
                        ("displacement", 0.125), "contact_force"])
    y = run.outputs / amplitude
    period = RATE / IDEAL.frequency(1)
    assert period == pytest.approx(123.2632473, rel=1e-9)
    # G7, two independent codes, in units of the amplitude (exponent 1: any); the peak is the first
    # mode's, the middle has one too many
    assert y[[41, 93, 185, 370],
             1] == pytest.approx([-0.49612137, 0.99565661, 0.98293115, 0.95669045], abs=1e-7)
    assert y[[93, 185], 2] == pytest.approx([0.30884905, 0.70317051], abs=1e-7)
    assert peak(y[:, 0], 1.3 * period, 1.7 * period) / period == pytest.approx(1.5101918, abs=1e-5)
    assert peak(y[:, 0], 2.7 * period, 3.3 * period) / (2.0 * period) == pytest.approx(
        1.5122824, abs=1e-5)
    assert np.abs(run.energy / run.energy[0] - 1.0).max() <= 1e-12
    assert run.outputs[:, 3].max() > 0.0
    assert run.outputs[:, 3].min() >= 0.0


def cents(measured, asked):
    return 1200.0 * math.log2(measured / asked)


@pytest.mark.parametrize("oversample", [1, 2, 4, 8])
@pytest.mark.parametrize("pitch", [110.0, 220.0, 440.0, 880.0, 1760.0])
def test_pitch(pitch, oversample):
    # The scheme's modes are exact at any rate. The phase advance between two windowed sums, 24
    # periods long and 24 apart: other partials and the negative frequency lie 24 bins off, where a
    # squared Hann window is under 1e-7: under 1e-7 / (2 pi 24) of the frequency, 1e-6 cents. 1e-8
    # measured; the promise is 0.5, and 0.5 would be seen.
    rate = 48000.0 * oversample
    string = String(length=0.65, tension=1.0, linear_density=6e-4, bending_stiffness=1e-4,
                    sigma0=0.8, sigma1=3e-3).with_pitch(pitch)
    sim = StringSimulation(string=string, sample_rate=rate, max_frequency=min(20e3, 12.5 * pitch))
    assert sim.modes.count >= 10
    sim.set_displacement(triangle=(0.1, 2e-3))
    length = round(24.0 * rate / pitch)
    out = sim.run(2 * length, ["force_end"]).outputs[:, 0]
    n = np.arange(length)
    window = np.sin(np.pi * n / length) ** 4
    turn = np.exp(-2j * np.pi * pitch / rate * np.arange(2 * length))
    first, second = (np.sum(window * (out * turn)[k:k + length]) for k in (0, length))
    measured = pitch + np.angle(second / first) / (2.0 * np.pi * length) * rate
    assert abs(cents(measured, pitch)) <= 1e-6
    # the decay between the windows is the fundamental's own
    assert math.log(abs(first / second)) * rate / length == pytest.approx(
        string.decay_rate(math.pi / 0.65), rel=1e-4)
    # the meter: the same string heard against a pitch 0.5 cent higher is 0.5 cent flat
    asked = pitch * 2.0 ** (0.5 / 1200.0)
    turn = np.exp(-2j * np.pi * asked / rate * np.arange(2 * length))
    first, second = (np.sum(window * (out * turn)[k:k + length]) for k in (0, length))
    measured = asked + np.angle(second / first) / (2.0 * np.pi * length) * rate
    assert cents(measured, asked) == pytest.approx(-0.5, abs=1e-3)


def test_pluck_and_drive_book_their_work():
    # without barrier and loss all that a pluck brings stays: H = work
    free = String(length=0.5, tension=50.0, linear_density=5.55e-4)
    sim = StringSimulation(string=free, sample_rate=RATE, modes=30)
    sim.pluck(position=0.1, force=1.0, duration=2e-3)
    run = sim.run(300, ["force_end", ("displacement", 0.1)])
    assert run.energy[0] == 0.0
    assert run.energy[-1] == pytest.approx(run.work[-1], rel=1e-11)
    # a point force F moves a string of wave impedance Z = sqrt(T rho) with F / (2 Z): work int F^2
    # dt / (2 Z), until the reflection from x = 0 comes back 2 * 0.1 / 300 s later
    impedance = math.sqrt(50.0 * 5.55e-4)
    early = 25          # steps before the reflection
    t = np.arange(early * 100) / (100.0 * RATE)
    power = (0.5 - 0.5 * np.cos(2.0 * np.pi * t / 2e-3)) ** 2 / (2.0 * impedance)
    # 30 modes see the point blurred: within 20 %
    assert run.work[early] == pytest.approx(power.sum() / (100.0 * RATE), rel=0.2)
    assert run.outputs[:, 1].max() > 0.0
    # on a bridge, with everything: losses, work, contact
    sim = sitar(damping=0.5)
    sim.set_displacement(equilibrium=True)
    sim.pluck(position=0.3, force=2.0, ramp=4e-3, release=1e-3, width=0.02, time=1e-3)
    sim.drive(position=0.2, force=0.5 * np.sin(0.05 * np.arange(1000)))
    run = sim.run(1500, ["contact_force", ("displacement", 0.3)])
    assert imbalance(run) <= 1e-13
    assert run.residual <= 1e-12
    assert run.energy[-1] - run.energy[0] + run.losses[-1] == pytest.approx(run.work[-1], rel=1e-10)
    assert run.work[-1] > 1e-4
    # a drive is over when it is over
    assert np.ptp(run.work[1001:]) == 0.0
    assert np.diff(run.work[:1001]).any()
    assert run.outputs[:, 0].max() > 1.3          # 1.25 N at rest


def test_drive_is_the_pluck_that_it_describes():
    dt = 1.0 / RATE
    values = [
        0.5 * 1.2 * (1.0 - math.cos(2.0 * math.pi * (n + 0.5) * dt / 2e-3)) for n in range(88)]
    plucked, driven, down = sitar(), sitar(), sitar()
    plucked.pluck(position=0.2, force=1.2, duration=2e-3, time=50 * dt)
    driven.drive(position=0.2, force=values, time=50 * dt)
    down.drive(position=0.2, force=-np.array(values), time=50 * dt)
    runs = [sim.run(200, [("displacement", 0.2), "contact_force"])
            for sim in (plucked, driven, down, sitar())]
    assert runs[0].outputs == pytest.approx(runs[1].outputs, abs=1e-12)
    assert max(imbalance(run) for run in runs) <= 1e-13
    # nothing before its time; up is up; contact where there was some
    assert np.array_equal(runs[0].outputs[:50], runs[3].outputs[:50])
    assert runs[0].outputs[50, 0] == runs[3].outputs[50, 0]
    assert runs[0].outputs[51, 0] > runs[3].outputs[51, 0]
    assert runs[0].outputs[75, 0] > runs[3].outputs[75, 0] > runs[2].outputs[75, 0]
    assert max(runs[0].outputs[:, 1]) > 0.0


def test_velocity_is_the_derivative():
    sim = StringSimulation(string=IDEAL, barriers=[flat_barrier(explicit=True, height=-1e-3)],
                           sample_rate=RATE, max_frequency=20e3)
    sim.set_displacement(lambda x: 2e-3 * math.sin(math.pi * x / 0.5))
    run = sim.run(300, [("displacement", 0.2), ("velocity", 0.2), "contact_force"])
    out = run.outputs
    assert imbalance(run) <= 1e-13
    # q(n) + q(n+1) = s: the velocities' mean is the displacement's slope, in contact as well; 2e-3
    # m by eps times the rate
    assert 0.5 * (out[:-1, 1] + out[1:, 1]) == pytest.approx(np.diff(out[:, 0]) * RATE, abs=1e-9)
    assert np.abs(out[:, 1]).max() > 1.0
    assert out[:, 2].max() > 0.0
    assert out[:, 2].min() >= 0.0


def test_displacements():
    # the same triangle thrice: as such, as a function, as modes
    outs = []
    for given in ({"triangle": (0.35, 3e-3)
                   }, {"shape": lambda x: 3e-3 * (x / 0.35 if x < 0.35 else (0.5 - x) / 0.15)},
                  {"modal": sitar().run(1, [("mode", i) for i in range(1, 61)]).outputs[0]}):
        sim = sitar()
        sim.set_displacement(**given)
        outs.append(sim.run(120, ["force_end", "contact_force"]).outputs)
    assert np.array_equal(outs[0], outs[2])
    # the integral to 1e-14 of 3 mm, times 1e4 N/m and more of the high modes
    assert outs[1] == pytest.approx(outs[0], abs=1e-8)
    assert outs[0][:, 1].max() > 0.1
    # at rest: the displacement undoes what was going on
    sim = sitar()
    sim.run(77)
    sim.set_displacement(triangle=(0.35, 3e-3))
    run = sim.run(120, ["force_end", "contact_force"])
    assert np.array_equal(run.outputs, outs[0])
    assert run.residual <= 1e-12


def test_barriers_together():
    # two barriers, each with its law, are numbered on; the order of the sums is all that a division
    # may change
    law = ContactLaw(stiffness=1e9)
    x = (np.arange(1, 11) - 0.5) * 3e-3
    halves = [Barrier.at(positions=part, heights=[bump(v) for v in part], weights=np.full(5, 3e-3),
                         law=law) for part in (x[:5], x[5:])]
    outputs = ["force_end", "contact_force", *[("contact_force", k) for k in range(10)]]
    one, two = sitar().run(200, outputs).outputs, sitar(barriers=halves).run(200, outputs).outputs
    assert two == pytest.approx(one, abs=1e-6)
    assert one[:, 1] == pytest.approx(one[:, 2:].sum(axis=1), abs=1e-13)
    # a fret, 1e6 N/m at a point, is the barrier of weight w and 1e6 / w
    fret = Barrier.point(position=0.1, height=-5e-4, law=ContactLaw(stiffness=1e6, exponent=1.5))
    same = Barrier.at(positions=[0.1], heights=[-5e-4], weights=[0.01],
                      law=ContactLaw(stiffness=1e8, exponent=1.5))
    frets = [sitar(barriers=[bridge(), b]).run(200, [("contact_force", 10), "force_end"]).outputs
             for b in (fret, same)]
    assert frets[0] == pytest.approx(frets[1], abs=1e-6)
    assert frets[0][:, 0].max() > 0.1
    assert np.abs(frets[0][:, 1] - one[:, 0]).max() > 1e-3


def test_measured_modes():
    sim = StringSimulation(string=SITAR, sample_rate=RATE, frequencies=[301.0, 605.0, 911.0],
                           decay_rates=[1.0, 2.0, 3.0])
    assert sim.frequencies == pytest.approx([301.0, 605.0, 911.0], rel=1e-14)
    sim.set_displacement(modal=[1e-3, 0.0, 0.0])
    y = sim.run(1000, [("mode", 1)]).outputs[:, 0]
    # the recursion of one mode: y(n+1) = 2 R cos(omega dt) y(n) - R^2 y(n-1)
    r, theta = math.exp(-1.0 / RATE), 2.0 * math.pi * 301.0 / RATE
    assert y[2:] == pytest.approx(2.0 * r * math.cos(theta) * y[1:-1] - r * r * y[:-2], abs=1e-17)
    # below 20 kHz and 0.45 of the rate, unless said
    assert StringSimulation(string=SITAR, sample_rate=RATE).frequencies.max() < 0.45 * RATE
    assert StringSimulation(string=SITAR, sample_rate=RATE).modes.count == 59
    assert StringSimulation(string=SITAR, sample_rate=2 * RATE).modes.count == 60


def refused(name, call, *arguments, **named):
    with pytest.raises(ParameterError) as caught:
        call(*arguments, **named)
    assert name in str(caught.value), f"{caught.value} does not name {name}"


def test_what_the_constructor_refuses():
    good = {"string": SITAR, "barriers": [bridge()], "sample_rate": RATE}
    for name, given in (
        ("scheme", {"scheme": "three-pints"}),
        ("scheme", {"scheme": None}),
        ("variant", {"variant": "paper"}),
        ("corrected", {"corrected": True}),
        ("sample_rate", {"sample_rate": 0.0}),
        ("sample_rate", {"sample_rate": -1.0}),
        ("sample_rate", {"sample_rate": math.nan}),
        ("sample_rate", {"sample_rate": "fast"}),
        ("sample_rate", {"max_frequency": 30e3}),
        ("max_frequency", {"max_frequency": 0.0}),
        ("max_frequency", {"max_frequency": 100.0}),
        ("max_frequency", {"max_frequency": 5e3, "modes": 5}),
        ("modes", {"modes": 0}),
        ("modes", {"modes": 2.5}),
        ("sample_rate", {"modes": 100}),
        ("frequencies", {"frequencies": [300.0, 200.0]}),
        ("decay_rates", {"frequencies": [300.0, 600.0], "decay_rates": [1.0]}),
        ("position",
         {"barriers": [Barrier.point(position=0.7, height=0.0, law=ContactLaw(stiffness=1.0))]}),
        ("rows", {
            "barriers": [
                Barrier(profile=bump, start=0.0, end=0.03, points=513,
                        law=ContactLaw(stiffness=1e9))
            ]
        }),
        ("barriers[0]", {"barriers": ["bridge"]}),
        ("barriers[1]", {"barriers": [bridge(), 3]}),
        ("barriers", {"barriers": bridge()}),
        ("barriers", {"barriers": None}),
        ("barriers", {"barriers": 3}),
        ("string", {"string": None}),
        ("string", {"string": {"length": 1.0}}),
        ("scheme", {"scheme": 3}),
        ("scheme", {"scheme": np.array(["two-point", "x"])}),
        ("corrected", {"corrected": None}),
        ("corrected", {"corrected": "no"}),
        ("corrected", {"corrected": math.nan}),
        ("max_frequency, modes", {"max_frequency": 5e3, "modes": 5}),
        ("modes", {"frequencies": [300.0], "modes": 2}),
        ("sample_rate", {"frequencies": [300.0, 0.5 * RATE]}),
    ):
        refused(name, StringSimulation, **{**good, **given})


def test_what_the_verbs_refuse():
    sim = sitar()
    nan, inf = math.nan, math.inf
    for given in ({}, {"triangle": (0.35, 3e-3),
                       "equilibrium": True}, {"triangle": (0.35, 3e-3), "modal": np.zeros(60)},
                  {"shape": bump, "modal": np.zeros(60)}):
        refused("displacement", sim.set_displacement, **given)
    refused("modal", sim.set_displacement, modal=np.zeros(59))
    refused("modal", sim.set_displacement, modal=[nan] * 60)
    refused("position", sim.set_displacement, triangle=(0.5, 1e-3))
    refused("height", sim.set_displacement, triangle=(0.25, inf))
    refused("shape", sim.set_displacement, lambda x: nan)
    refused("shape", sim.set_displacement, 3)
    refused("shape", sim.set_displacement, np.zeros(60))
    for pair in (0.35, (0.35,), (0.35, 3e-3, 0.0), [], np.zeros((2, 2, 2))):
        refused("triangle" if np.ndim(pair) < 2 else "position", sim.set_displacement,
                triangle=pair)
    for switch in ("x", nan, 1, None, np.array([True, False])):
        refused("equilibrium", sim.set_displacement, equilibrium=switch)
    good = {"position": 0.1, "force": 1.0, "duration": 1e-3}
    for name, given in (
        ("time", {"time": -0.5}),
        ("time", {"time": nan}),
        ("position", {"position": 0.6}),
        ("position", {"position": nan}),
        ("force", {"force": nan}),
        ("force", {"force": "hard"}),
        ("duration", {"duration": 0.0}),
        ("duration", {"duration": None}),
        ("duration", {"ramp": 1e-3}),
        ("duration", {"duration": None, "ramp": 1e-3}),
        ("width", {"width": -1.0}),
        ("position", {"position": 0.001, "width": 0.01}),
        ("release", {"duration": None, "ramp": 1e-3, "release": -1.0}),
        ("ramp", {"duration": None, "ramp": 0.0, "release": 1e-3}),
    ):
        refused(name, sim.pluck, **{**good, **given})
    for name, given in (("time", {"time": -1e-9}), ("time", {"time": "now"}),
                        ("force", {"force": [0.0, nan]}), ("force", {"force": []}),
                        ("force", {"force": 1.0}), ("position", {"position": -0.1})):
        refused(name, sim.drive, **{"position": 0.1, "force": [1.0], **given})
    # nothing of this was taken
    run, clean = sim.run(100), sitar().run(100)
    assert np.array_equal(run.outputs, clean.outputs)
    assert run.contact_steps > 0
    assert imbalance(run) <= 1e-13
    # the past is over
    refused("at least 0.00226757 s", sim.pluck, position=0.1, force=1.0, duration=1e-3, time=0.0)
    refused("time", sim.drive, position=0.1, force=[1.0], time=1e308)
    refused("time", sim.drive, position=0.1, force=[1.0], time=99 / RATE)
    sim.drive(position=0.1, force=[1.0], time=100 / RATE)


def test_what_run_refuses():
    sim = sitar()
    for steps in (-1, 2.5, "many", None, True, math.nan):
        refused("steps", sim.run, steps)
    for name, output in (
        ("output", "force"),
        ("output", "displacement"),
        ("output", ("force_end", 0.1)),
        ("output", ("loudness", 1)),
        ("position", ("displacement", 0.6)),
        ("position", ("velocity", -0.1)),
        ("position", ("displacement", "middle")),
        ("mode", ("mode", 0)),
        ("mode", ("mode", 61)),
        ("mode", ("mode", 1.5)),
        ("point", ("contact_force", 10)),
        ("point", ("contact_force", -1)),
        ("output", ("mode", 1, 2)),
        ("output", ()),
        ("output", 7),
        ("output", None),
    ):
        refused(name, sim.run, 10, [output])
    for outputs in (None, "force_end", 7, {"force_end": 1}, np.zeros(3)):
        refused("outputs", sim.run, 3, outputs)
        refused("outputs", sim.run, 3, outputs=outputs)
    # a string without barrier has no points
    refused("no barrier",
            StringSimulation(string=SITAR, sample_rate=RATE).run, 10, [("contact_force", 0)])
    run = sim.run(100, [])
    assert run.outputs.shape == (100, 0)
    assert run.contact_steps > 0
    assert imbalance(run) <= 1e-13
    assert sim.run(0).outputs.shape == (0, 1)


@pytest.mark.parametrize("steps", [10**11, 2**31 + 1, 10**400])
def test_more_steps_than_a_run_has(steps):
    refused("whole number from 0 to 2147483648", sitar().run, steps)


def test_more_steps_than_memory_holds(monkeypatch):
    sim = sitar()
    monkeypatch.setattr(room.os, "sysconf", {"SC_PAGE_SIZE": 4096,
                                             "SC_PHYS_PAGES": 2**18}.__getitem__)
    with pytest.raises(ParameterError, match=r"^steps is 20000000; with 1 outputs the results need "
                       r"1.76 GB, and this .* has 1.07 GB; expected fewer steps"):
        sim.run(20_000_000)
    monkeypatch.setattr(room.np, "empty", no_memory)
    with pytest.raises(ParameterError, match=r"^steps is 100; .* expected fewer steps"):
        sim.run(100)


def no_memory(*_):
    raise MemoryError


@pytest.mark.parametrize("scheme", ["two-point", "three-point"])
@pytest.mark.parametrize("every", [1, 3, 64, 1000])
def test_energies_of_some_steps_alone(monkeypatch, scheme, every):
    monkeypatch.setattr(room, "PIECE", 100)
    whole, some = sitar(scheme=scheme), sitar(scheme=scheme)
    for steps in (250, 1, 0, 131):                 # the second begins between two readings
        first = whole._kernel.count
        run, few = whole.run(steps), some.run(steps, energy_every=every)
        at = [n for n in range(steps) if (first + n) % every == 0]
        assert np.array_equal(few.outputs, run.outputs) and np.array_equal(few.time, run.time)
        for name in ("energy", "kinetic", "potential", "contact", "losses", "work"):
            assert np.array_equal(getattr(few, name), getattr(run, name)[at]), name
        assert np.array_equal(few.energy_time, run.time[at])
        assert np.array_equal(run.energy_time, run.time)
        assert (few.iterations, few.contact_steps) == (run.iterations, run.contact_steps)
        assert few.residual <= run.residual < 1e-12
    assert len(at) == len(range(-251 % every, 131, every))


@pytest.mark.parametrize("every", [0, -1, 1.5, 2**31 + 1, "1"])
def test_energies_of_no_steps(every):
    with pytest.raises(ParameterError, match=r"^energy_every is .*; expected a whole number"):
        sitar().run(10, energy_every=every)


def test_pieces_are_the_same_bits(monkeypatch):
    def ran(*steps):
        sim = sitar()
        sim.pluck(position=0.1, force=0.5, duration=3e-3, time=1e-3)
        runs = [sim.run(n, ["force_end", ("velocity", 0.1), "contact_force"]) for n in steps]
        return runs[-1].residual, runs[-1].most_iterations, [
            np.concatenate([getattr(run, name) for run in runs])
            for name in ("outputs", "time", "energy", "contact", "losses", "work")]

    whole = ran(1000)
    monkeypatch.setattr(room, "PIECE", 37)
    for steps in ((1000,), (1, 36, 37, 38, 888)):
        pieces = ran(*steps)
        assert pieces[:2] == whole[:2]
        for piece, one in zip(pieces[2], whole[2], strict=True):
            assert np.array_equal(piece, one)


def test_ctrl_c_ends_a_run():
    def interrupt(*_):
        raise KeyboardInterrupt

    sim = sitar()
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            sim.run(4_000_000)          # over a second
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    after = sim.run(10)
    assert 0 < round(after.time[0] * RATE) < 4_000_000 - 10


def test_a_force_begins_at_the_present_step():
    shown = []
    for time in ({}, {"time": None}, {"time": 200 / RATE}):
        sim = StringSimulation(string=SITAR, sample_rate=RATE, modes=10)
        assert np.all(sim.run(200).work == 0.0)
        sim.pluck(position=0.1, force=0.5, duration=3e-3, **time)
        sim.drive(position=0.2, force=[1.0, -1.0], **time)
        shown.append(sim.run(300).outputs)
    assert np.array_equal(shown[0], shown[2]) and np.array_equal(shown[1],
                                                                 shown[2]) and shown[0].any()
    sim = StringSimulation(string=SITAR, sample_rate=RATE, modes=10)
    sim.pluck(position=0.1, force=0.5, duration=3e-3)
    sim.drive(position=0.2, force=[1.0, -1.0])
    assert np.array_equal(sim.run(300).outputs, shown[0])


def test_measured_modes_are_as_many_as_their_values():
    rates = np.full(12, 2.0)
    assert StringSimulation(string=SITAR, sample_rate=RATE, decay_rates=rates).modes.count == 12
    assert StringSimulation(string=SITAR, sample_rate=RATE, decay_rates=rates,
                            modes=5).modes.count == 5
    assert StringSimulation(string=SITAR, sample_rate=RATE,
                            frequencies=[300.0, 600.0, 20500.0]).modes.count == 3
    assert StringSimulation(string=SITAR, sample_rate=RATE, frequencies=[300.0, 600.0, 20500.0],
                            max_frequency=1e3).modes.count == 2
