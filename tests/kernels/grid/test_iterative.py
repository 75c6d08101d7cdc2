"""The iterative scheme on a grid: figure 5, closed forms, clusters, state, sleep, errors."""
import math
from dataclasses import replace

import numpy as np
import pytest
from twins import grid_cases
from twins.grid_cases import (
    LOSSY,
    STIFFNESS,
    STRING,
    cosine,
    distributed,
    law,
    lumped,
    record_pluck,
)
from twins.laws import law_columns

from pysitar.kernels.grid.iterative import FdIterative
from pysitar.kernels.grid.network import GridNetwork
from pysitar.physics.barrier import Barrier
from pysitar.physics.grid import string_grid
from pysitar.physics.string import String


def kernel_of(grid, barriers):
    return grid_cases.kernel_of(grid, barriers, grid_cases.ITERATIVE)


@pytest.mark.parametrize(("rate", "rows"), [
    (44100.0, [(2, 1.611342e-03, 1.606210e-03, 0.0), (5, 1.611352e-03, 1.606201e-03, 0.0),
               (10, 1.516451e-03, 1.701102e-03, 0.0), (15, 1.113295e-03, 2.103399e-03, 8.586e-07),
               (20, 1.797239e-03, 1.420314e-03, 0.0), (30, 1.602259e-03, 1.615294e-03, 0.0)]),
    (220500.0, [(2, 1.605231e-03, 1.604972e-03, 0.0), (5, 1.605214e-03, 1.604989e-03, 0.0),
                (10, 1.499006e-03, 1.711197e-03, 0.0), (15, 1.099288e-03, 2.109994e-03, 9.210e-07),
                (20, 1.796437e-03, 1.413766e-03, 0.0), (30, 1.550140e-03, 1.660063e-03, 0.0)]),
])
def test_figure_5(rate, rows):
    ledger = record_pluck(STRING, rate, lumped, grid_cases.ITERATIVE, seconds=0.031)[3]
    for ms, kinetic, potential, contact in rows:
        n = round(ms * 1e-3 * rate) + 1
        assert ledger[n, :2] == pytest.approx([kinetic, potential], rel=1e-6)
        assert ledger[n, 2] == pytest.approx(contact, rel=1e-3, abs=1e-20)
    edges = np.flatnonzero(np.diff((ledger[1:, 2] > 1e-9).astype(int)))
    if rate == 44100.0:
        # contact intervals of G1 (ms), edge = (n - 1/2) / rate with n the first index of the new
        # state
        assert (edges[:4] + 0.5) / rate * 1e3 == pytest.approx([13.571, 15.794, 16.066, 16.361],
                                                               abs=6e-4)


def test_dimensionless_string_returns():
    # L = T = rho A = 1, no stiffness, sample rate 1 / h: the grid's waves are exact, the period is
    # 2. After half a period the string is turned about its middle and upside down, after a whole it
    # is back
    grid = string_grid(String(length=1.0, tension=1.0, linear_density=1.0), 200.0)
    assert grid.intervals == 200
    kernel = kernel_of(grid, [])
    start = grid.triangle(0.3, 1e-3)
    kernel.set_state(start, np.zeros(grid.count))
    kernel.advance(200, np.empty((200, 0)))
    assert np.abs(kernel.displacement() + start[::-1]).max() <= 1e-15
    kernel.advance(200, np.empty((200, 0)))
    assert np.abs(kernel.displacement() - start).max() <= 1e-15
    assert np.abs(kernel.velocity()).max() <= 1e-12


def test_a_cluster_of_one_place_is_the_sum():
    # two contacts at one place between nodes are one of twice the stiffness
    grid = string_grid(STRING, 44100.0)
    half = Barrier.point(position=0.4321, height=-1e-4, law=law(0.5 * STIFFNESS))
    runs = []
    for barriers in ([half, half], [Barrier.point(position=0.4321, height=-1e-4, law=law())]):
        kernel = kernel_of(grid, barriers)
        kernel.set_inputs(grid.spread(0.3).reshape(1, -1))
        kernel.set_outputs(grid.shape(0.9).reshape(1, -1), None, np.zeros((1, kernel.rows)))
        out = np.empty((1000, 1))
        kernel.advance(1000, out, forces=cosine(44100.0, 1000))
        assert kernel.statistics["contact_steps"] > 20
        runs.append(out)
    assert np.abs(runs[0] - runs[1]).max() <= 1e-12 * np.abs(runs[1]).max()


def test_state_is_what_was_set():
    grid = string_grid(LOSSY, 44100.0)
    kernel = kernel_of(grid, distributed(grid))
    place = grid.sampled(lambda x: 1e-3 * math.sin(math.pi * x))
    speed = grid.sampled(lambda x: math.sin(2.0 * math.pi * x))
    kernel.set_state(place, speed)
    assert np.array_equal(kernel.displacement(), place)
    assert kernel.velocity() == pytest.approx(speed, rel=1e-9, abs=1e-9)
    # energy of the continuous string: rho L speed^2 / 4 and (T b^2 + EI b^4) L u^2 / 4, to the
    # O(k^2, h^2) of the grid
    kinetic, potential, contact = kernel.energy()[:3]
    b = math.pi
    assert kinetic == pytest.approx(0.25 * 0.063, rel=2e-2)
    assert potential == pytest.approx(0.25e-6 * (500.0 * b**2 + STRING.bending_stiffness * b**4),
                                      rel=5e-2)
    assert contact == 0.0
    kernel.set_state(-place, 0.0 * speed)
    assert kernel.energy()[2] > 0.0


def test_sigma0_changes_without_work():
    grid = string_grid(LOSSY, 44100.0)
    kernel = kernel_of(grid, lumped(grid))
    kernel.set_state(grid.triangle(0.3, 1e-3), np.zeros(grid.count))
    ledger = np.empty((2001, 6))
    kernel.advance(1000, np.empty((1000, 0)), energies=ledger[:1000], every=1)
    kernel.set_sigma0(20.0)
    kernel.advance(1001, np.empty((1001, 0)), energies=ledger[1000:], every=1)
    energy = ledger[:, :3].sum(axis=1)
    assert np.abs(energy - energy[0] + ledger[:, 3] - ledger[0, 3]).max() <= 1e-13 * energy[0]
    assert energy[1000] > 0.9 * energy[0]
    # over a period it decays as exp(-2 sigma0 t), and a little by sigma2
    assert energy[1990] == pytest.approx(energy[1000] * math.exp(-40.0 * 990 / 44100.0), rel=0.1)
    with pytest.raises(ValueError, match="sigma0"):
        kernel.set_sigma0(-1.0)


def test_it_falls_asleep_and_wakes():
    grid = string_grid(replace(LOSSY, sigma0=60.0), 44100.0)
    kernel = kernel_of(grid, lumped(grid))
    kernel.set_outputs(grid.shape(0.9).reshape(1, -1))
    kernel.set_inputs(grid.spread(0.3).reshape(1, -1))
    assert kernel.set_sleep(energy_ratio=1e-8, output_level=0.0, output_ratio=1e-3,
                            min_quiet_steps=2000) == 0.0
    kernel.wake()
    steps = 44100
    out, ledger = np.empty((steps, 1)), np.empty((690, 6))
    done = kernel.advance(steps, out, forces=cosine(44100.0, steps), energies=ledger, every=64,
                          may_sleep=True)
    assert 5000 < done < steps and done % 64 == 0
    assert np.abs(out[done - 2000:done]).max() <= 1e-3 * np.abs(out[:done]).max()
    kernel.skip(steps - done)
    assert kernel.count == steps
    kernel.wake()
    assert kernel.advance(100, out[:100], forces=cosine(44100.0, 100), energies=ledger[:1],
                          every=64, may_sleep=True) == 100


GOOD = {
    "intervals": 10,
    "time_step": 1e-4,
    "node_mass": 1e-3,
    "sigma0": 0.0,
    "tension_number": 0.5,
    "bending_number": 0.1,
    "loss_number": 0.0,
    "nodes": np.array([3], dtype=np.int32),
    "fractions": np.array([0.5]),
    "laws": law_columns(stiffness=1e6, exponent=1.3),
    "offsets": np.array([-1e-3]),
}


@pytest.mark.parametrize(("name", "value"), [
    ("intervals", 3),
    ("time_step", 0.0),
    ("node_mass", -1.0),
    ("sigma0", math.nan),
    ("tension_number", 0.0),
    ("bending_number", 0.2),
    ("loss_number", 0.06),
    ("nodes", np.array([10], dtype=np.int32)),
    ("nodes", np.array([-1], dtype=np.int32)),
    ("fractions", np.array([1.1])),
    ("fractions", np.zeros(2)),
    ("laws", law_columns(stiffness=-1.0)),
    ("laws", law_columns(stiffness=1e6, exponent=0.9)),
    ("laws", law_columns(stiffness=1e6, damping=math.nan)),
    ("laws", law_columns(kinds=1, stiffness=1e6)),
    ("laws", law_columns(2, stiffness=1e6)),
])
def test_wrong_arguments(name, value):
    assert FdIterative(**GOOD).rows == 1
    with pytest.raises(ValueError, match="expected"):
        FdIterative(**{**GOOD, name: value})


def test_wrong_calls():
    kernel = FdIterative(**GOOD)
    for call in (lambda: kernel.set_outputs(np.zeros(
        (1, 8))), lambda: kernel.set_outputs(np.zeros((1, 9)), np.zeros(
            (2, 9))), lambda: kernel.set_outputs(np.zeros((1, 9)), None, np.zeros(
                (1, 2))), lambda: kernel.set_inputs(np.zeros(
                    (1, 10))), lambda: kernel.set_state(np.zeros(9), np.zeros(8)),
                 lambda: kernel.advance(2, np.zeros(
                     (1, 0))), lambda: kernel.advance(2, np.zeros((2, 0)), energies=np.zeros(
                         (1, 6)), every=1), lambda: kernel.skip(-1)):
        with pytest.raises(ValueError, match="expected"):
            call()
    with pytest.raises(TypeError, match="FdIterative"):
        GridNetwork()
