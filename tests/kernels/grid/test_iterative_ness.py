"""The iterative scheme against NESS (described in twins/ness.py): whole where its arrays are, and
always at two instants."""
import numpy as np
import pytest
from twins.ness import ARRAYS, CASES, SPOTS, WITHIN, ness_run, ness_truth


@pytest.fixture(scope="module", params=CASES)
def case(request):
    return request.param, *ness_run(request.param)


def test_balance(case):
    _, _, ledger = case
    energy = ledger[:, :3].sum(axis=1)
    assert np.abs(energy + ledger[:, 3] - ledger[:, 4]).max() <= 5e-12 * energy.max()


def test_spots(case):
    name, rows, _ = case
    for frame, values in zip((480, 960), SPOTS[name], strict=True):
        assert rows[:, frame] == pytest.approx(values, rel=0.0, abs=1e-10 * np.abs(rows).max())


def test_whole_run(case):
    name, rows, _ = case
    truth = ness_truth(name)
    if truth is None:
        pytest.skip(
            f"{ARRAYS} has no arrays of NESS; set PYSITAR_ORACLE to the folder that has its "
            f"folder ness"
        )
    for seconds, bound in WITHIN[name]:
        frames = round(seconds * CASES[name][0])
        assert np.abs(rows[:, :frames] - truth[:, :frames]).max() <= bound * np.abs(truth).max()
