"""The air of a light head."""
import pytest

import pysitar


def test_a_head_that_its_air_overdamps_is_refused():
    # of a skin lighter than its air, whose frequencies are found all the same
    with pytest.raises(pysitar.ParameterError, match="would not oscillate"):
        pysitar.Membrane(radius=0.11, tension=3000.0, surface_density=0.01, air_sides=2, modes=20)


def test_a_skin_far_faster_than_sound_is_refused():
    with pytest.raises(pysitar.ParameterError, match="far faster than sound"):
        pysitar.Membrane(radius=0.11, tension=3000.0, surface_density=1e-6, air_sides=2, modes=6)
