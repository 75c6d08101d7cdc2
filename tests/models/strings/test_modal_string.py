"""The modes of a string whose pitch moves, by the closed form of an ideal string: mode i lies at i
f."""
import math

import numpy as np
import pytest

from pysitar.errors import ParameterError
from pysitar.models.network.network import highest_frequency
from pysitar.models.strings.modal_string import highest_at, playable_modes
from pysitar.physics.modes import string_modes
from pysitar.physics.string import String

IDEAL = String(length=0.7, tension=1.0, linear_density=1e-3).with_pitch(101.0)
STIFF = String(length=0.7, tension=1.0, linear_density=1e-3, bending_stiffness=2e-4, sigma0=0.5,
               sigma2=2e-3).with_pitch(101.0)


def playable(string, ratio, rate, *, on_bridge=False):
    """The modes at a highest pitch of this ratio to that of the ideal string."""
    return playable_modes(string, string.tension * ratio * ratio, rate, on_bridge=on_bridge)


@pytest.mark.parametrize(
    ("ratio", "rate"), [*((ratio, 48000.0) for ratio in (0.5, 1.0, 1.1, 1.19, 2.0)), (2.0, 96000.0),
                        (4.0, 96000.0), (1.03, 16000.0), (1.06, 16000.0), (30.0, 8000.0)])
def test_an_ideal_string_keeps_the_modes_under_both_limits(ratio, rate):
    under_open = math.ceil(min(20e3, 0.45 * rate) / 101.0) - 1
    under_highest = math.ceil(0.47 * rate / (ratio * 101.0)) - 1
    assert playable(IDEAL, ratio, rate).count == min(under_open, under_highest)


@pytest.mark.parametrize(("ratio", "rate", "limit"), [
    *((ratio, rate, 28e3) for ratio in (1.0, 1.39, 1.41, 2.0, 4.0) for rate in (64e3, 96e3, 384e3)),
    (1.05, 48e3, 21.6e3), (1.1, 48e3, 21.6e3), (2.0, 48e3, 21.6e3), (1.0, 16e3, 7.2e3),
    (2.0, 16e3, 7.2e3), (0.5, 96e3, 28e3)])
def test_on_a_bridge_all_modes_stay_where_the_scheme_is_true(ratio, rate, limit):
    """Under 28 kHz and 0.45 of the rate at the highest pitch; from 62 kHz on the count is the same
    at every rate."""
    under_open = math.ceil(min(20e3, 0.45 * rate) / 101.0) - 1
    assert highest_at(rate, on_bridge=True) == limit
    assert playable(IDEAL, ratio, rate,
                    on_bridge=True).count == min(under_open, math.ceil(limit / (ratio * 101.0)) - 1)


@pytest.mark.parametrize(("rate", "scale"), [(96e3, 2.1), (192e3, 1.2)])
def test_how_much_too_stiff_the_last_mode_on_a_bridge_may_be(rate, scale):
    """The scheme's stiffness over the mode's: (tan(theta) / theta)^2 at theta = pi f / rate; at
    0.47 of the rate it is 51."""
    theta, free = math.pi * highest_at(rate, on_bridge=True) / rate, math.pi * highest_at(
        rate, on_bridge=False) / rate
    assert (math.tan(theta) / theta)**2 < scale and (math.tan(free) / free)**2 == pytest.approx(
        51.3, abs=0.1)


@pytest.mark.parametrize("ratio", [0.7, 1.0, 1.1, 1.5, 3.0])
def test_what_is_left_is_the_string_itself_to_the_bit(ratio):
    modes = playable(STIFF, ratio, 48000.0)
    whole = string_modes(STIFF, max_frequency=highest_frequency(48000.0))
    assert modes.string == STIFF and (modes.count < whole.count) == (ratio > 1.1)
    for name in ("wave_numbers", "angular_frequencies", "decay_rates", "masses"):
        assert np.array_equal(getattr(modes, name), getattr(whole, name)[:modes.count])
    # the next one, if there is one, would be too high, and the last is not
    moved = whole.angular_frequencies_at(STIFF.tension * ratio * ratio) / (2.0 * math.pi)
    assert moved[modes.count - 1] < 0.47 * 48000.0
    assert modes.count == whole.count or moved[modes.count] >= 0.47 * 48000.0


def test_a_string_of_which_nothing_is_left():
    with pytest.raises(ParameterError, match=r"highest_tension is .* no mode lies below 3760 Hz, "
                       r"0\.47 of the sample rate"):
        playable(IDEAL, 38.0, 8000.0)
    with pytest.raises(ParameterError, match=r"no mode lies below 28000 Hz, the limit on a bridge"):
        playable(IDEAL, 280.0, 96000.0, on_bridge=True)


@pytest.mark.parametrize("tension", [0.0, -1.0, math.nan, math.inf])
def test_a_tension_that_is_none(tension):
    with pytest.raises(ParameterError, match="tension"):
        playable_modes(IDEAL, tension, 48000.0, on_bridge=False)
