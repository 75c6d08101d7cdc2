"""The regimes of a bowed string against those of another program, and its pitch and slips; a small
grid, whose columns and rows are among those of the figure."""
import json

import numpy as np
import pytest
from papers.verdicts import check_flips, verdicts

import pysitar
from pysitar.papers.catalogue import figures_of
from pysitar.papers.schelleng1973 import bowed, regimes
from pysitar.papers.style import pictures_of

BETAS, FORCES = (0.055, 0.09, 0.16), (0.07, 0.1, 0.21, 0.3, 0.6, 0.85, 1.2, 1.7)
# by force and beta, of another program, but for 0.07 N at 0.055, where two regimes coexist
EXPECTED = ["?MM", "MMH", "MMH", "MHH", "HHM", "HRR", "RRR", "RRR"]


@pytest.fixture(scope="module")
def grid():
    return regimes.find_regimes(BETAS, FORCES)


@pytest.fixture(scope="module")
def flattening():
    return figures_of(["schelleng1973:flattening"])[0].compute()


def test_a_paper_without_its_year():
    assert figures_of(["schelleng"]) == figures_of(["schelleng1973"]) != ()
    assert {figure.paper for figure in figures_of(["papetti"])} == {"papetti2009"}
    with pytest.raises(pysitar.ParameterError, match="did you mean schelleng1973"):
        figures_of(["shelleng1973"])


def test_regimes(grid):
    letters = ["".join(one[0].upper() for one in row)
               for row in grid.numbers["regimes_by_force"]]
    for found, expected in zip(letters, EXPECTED, strict=True):
        assert all(one in (other, "?") for one, other in zip(expected, found, strict=True)), letters
    assert set(grid.numbers["regimes_at_places"]) == {"Helmholtz"}
    assert grid.numbers["energy_residual"] < 1e-13
    # 2 Z v / (beta dmu); dmu is 0.4 + 0.45, less 0.45 e^(-6.25) at 0.16
    together = 2.6 / 3.6 * 45.0 / (2.0 * 0.325 * 196.0)
    assert grid.numbers["greatest_force_N"] == pytest.approx(
        [2.0 * together * 0.1 / (beta * 0.85) for beta in BETAS], rel=2e-3)
    assert verdicts(grid) == ["agrees"] * 3 + ["beyond the paper"] * 2


def test_a_string_that_hardly_slips_is_a_surface_sound():
    assert bowed.bow_string(beta=0.03, force=0.1).regime == "surface"


def test_slips_are_those_of_the_kernel():
    # the slip that the friction row keeps, to rounding of 1 m/s
    bow = pysitar.Bow(position=0.036, speed=0.1, force=0.4, torsion=bowed.TORSION)

    def start():
        simulation = pysitar.StringSimulation(string=bowed.STRING, sample_rate=bowed.RATE, bow=bow)
        simulation.run(2000, [])
        return simulation

    played = start()
    surface, friction = played.run(500, ["surface_velocity", "bow_force"]).outputs.T
    slips = bowed.slip_speeds(surface, friction, bow, 0.1)
    kernel, out, kept = start()._kernel, np.empty((1, 0)), []
    for _ in range(499):
        kernel.advance(1, out)
        kept.append(kernel.memory()[0, 1])
    assert max(kept) > 0.5
    assert np.abs(slips) == pytest.approx(np.array(kept[1:]), abs=1e-13)


def test_flattening(flattening):
    numbers = flattening.numbers
    cents = dict(zip(numbers["force_N"], numbers["pitch_cents"], strict=True))
    # of another program; windows of 0.2 s give a pitch to some tenths of a cent
    for force, expected in ((0.3, -5.0), (0.4, -12.5), (0.5, -17.0), (0.6, -20.1), (0.7, -23.0)):
        assert cents[force] == pytest.approx(expected, abs=1.0)
    assert numbers["slips_fraction_over_beta"] == pytest.approx([1.0, 1.0], abs=0.05)
    assert verdicts(flattening) == ["agrees", "beyond the paper", "beyond the paper"]


FLIPS = {
    "regimes": [
        (0, "disagrees", {("greatest_force_N", at): 0.1 for at in range(2)}),
        (1, "disagrees", {("regimes_by_force", row, column): "Helmholtz"
                          for row in (6, 7) for column in (1, 2)}),
        # the same least force at 0.055 as at 0.16
        (2, "disagrees", {("regimes_by_force", 1, 0): "Helmholtz"}),
        (3, "cannot be compared", {("regimes_at_places", 2): "raucous"}),
        (4, "cannot be compared", {("energy_residual",): 2e-12})],
    "flattening": [
        (0, "disagrees", {("slips_fraction_over_beta", 1): 1.06}),
        (1, "cannot be compared", {("pitch_cents", 1): -3.9}),
        (2, "cannot be compared", {("regimes", 0): "multiple slip"}),
        (2, "cannot be compared", {("pitch_cents", 3): -3.0})],
}


def test_a_changed_number_changes_its_verdict(grid, flattening):
    found = {"regimes": grid, "flattening": flattening}
    figures = figures_of(["schelleng1973"])
    assert {figure.key.partition(":")[2] for figure in figures} == set(FLIPS) == set(found)
    for figure in figures:
        name = figure.key.partition(":")[2]
        check_flips(figure, found[name], FLIPS[name])
        assert json.dumps(found[name].document, allow_nan=False)


def test_pictures(grid, flattening):
    for figure, finding in zip(figures_of(["schelleng1973"]), (grid, flattening), strict=True):
        png, svg = pictures_of(finding, figure.draw)
        assert png.startswith(b"\x89PNG") and svg.count(b"<svg") == 1
