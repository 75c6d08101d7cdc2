"""The explicit schemes against NESS over one soft fret (described in twins/ness.py): whole where
its arrays are."""
from functools import partial

import numpy as np
import pytest
from twins.ness import ARRAYS, SPOTS, ness_run, ness_truth

from pysitar.kernels.grid.explicit import PAPER, TRACKING, FdExplicit


@pytest.fixture(scope="module", params=[(TRACKING, 1e-7), (PAPER, 2e-2)], ids=["tracking", "paper"])
def run(request):
    variant, bound = request.param
    return variant, bound, *ness_run("G", partial(FdExplicit, variant=variant))


def test_balance(run):
    ledger = run[3]
    energy = ledger[:, :3].sum(axis=1)
    assert np.abs(energy + ledger[:, 3] - ledger[:, 4]).max() <= 5e-12 * energy.max()


def test_spots(run):
    _, bound, rows, _ = run
    for frame, values in zip((480, 960), SPOTS["G"], strict=True):
        assert rows[:, frame] == pytest.approx(values, rel=0.0, abs=bound * np.abs(rows).max())


def test_whole_run(run):
    variant, bound, rows, _ = run
    truth = ness_truth("G")
    if truth is None:
        pytest.skip(
            f"{ARRAYS} has no arrays of NESS; set PYSITAR_ORACLE to the folder that has its "
            f"folder ness"
        )
    worst = np.abs(rows - truth).max() / np.abs(truth).max()
    assert worst <= bound
    assert (worst > 1e-5) == (variant == PAPER)         # and the two are not one
