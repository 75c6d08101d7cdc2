"""Loads of a membrane whose corners lie close together."""
import pytest

import pysitar


@pytest.mark.parametrize("corners", [
    [(0.0, 2.0), (0.4, 2.0), (0.4001, 1.0)], [(0.0, 2.0), (1e-5, 2.0)],
    [(0.0, 2.0), (0.9995, 1.0)]])
def test_corners_that_nearly_meet_are_refused(corners):
    # a piece of 1e-5 of the radius has an error of 1e-6 of the frequencies, one of 1e-7 of 3e-3
    with pytest.raises(pysitar.ParameterError, match=r"expected at least 0[.]001, or 0 for a step"):
        pysitar.LoadedMembrane(radius=0.1, tension=1e3, surface_density=0.3, load=corners, modes=4)


def test_a_narrow_piece_that_changes_nothing():
    # 1e-3 is the narrowest: the error, about as its inverse square, is under 1e-9 there
    plain, split = (pysitar.LoadedMembrane(
        radius=0.1, tension=1e3, surface_density=0.3, modes=12,
        load=[(0.0, 2.0), *more, (0.4, 2.0)]).frequencies for more in ([], [(0.399, 2.0)]))
    assert split == pytest.approx(plain, rel=1e-8)
