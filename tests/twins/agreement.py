"""Arrays that agree as `pytest.approx` has it, in one comparison: what a loop over hundreds of steps can afford."""
import numpy as np


def check_agreement(found, expected, *, rel, abs):
    """Within the larger of rel times what is expected and abs; what is no number agrees with nothing."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    assert np.all(np.abs(found - expected) <= np.maximum(rel * np.abs(expected), abs)), (found, expected)
