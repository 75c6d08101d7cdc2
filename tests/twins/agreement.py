"""Comparison of arrays by the rule of `pytest.approx`, fast enough for loops over hundreds of
steps."""
import numpy as np


def check_agreement(found, expected, *, rel, abs):
    """Assert |found - expected| <= max(rel |expected|, abs); a NaN fails."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    assert np.all(np.abs(found - expected) <= np.maximum(rel * np.abs(expected), abs)), (
        found, expected)
