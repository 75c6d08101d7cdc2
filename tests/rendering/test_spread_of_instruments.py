"""An instrument's own spread: low parts left, high parts right."""
import numpy as np
import pytest

import pysitar


def level_ratio(lines, part):
    """Level of the right channel over that of the left."""
    score = pysitar.load_score(text=f"use marimba as m\n{lines}render channels=2 tail=0\n"
                                    f"0 m.{part} strike dur=100ms\n")
    audio = pysitar.render(score).audio
    left, right = np.sqrt((audio * audio).mean(axis=0))
    return right / left


@pytest.mark.parametrize("part", ["C3", "C6"])
def test_parts_lie_from_left_to_right(part):
    # of constant power: tan((pan + 1) pi/4); the sound is the same in both
    sign = 1.0 if part == "C6" else -1.0
    assert level_ratio("", part) == pytest.approx(np.tan((1.0 + 0.5 * sign) * np.pi / 4.0))
    assert level_ratio("set m.spread = 0\n", part) == pytest.approx(1.0)
    assert level_ratio("mix m spread=0.8\n", part) == pytest.approx(
        np.tan((1.0 + 0.8 * sign) * np.pi / 4.0))


def test_a_pan_moves_all_parts():
    assert level_ratio("mix m pan=0.2\n", "C3") == pytest.approx(np.tan(0.7 * np.pi / 4.0))
