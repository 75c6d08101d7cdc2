"""Loudness and true peak against the closed forms of BS.1770 and of interpolated sines."""
import math

import numpy as np
import pytest

from pysitar.physics.loudness import Loudness, TruePeak, k_weighting

# ITU-R BS.1770-5, tables 1 and 2: coefficients at 48 kHz
SHELF_B = (1.53512485958697, -2.69169618940638, 1.19839281085285)
SHELF_A = (1.0, -1.69065929318241, 0.73248077421585)
PASS_A = (1.0, -1.99004745483398, 0.99007225036621)


def sine(hz, rate, seconds=2.0, amplitude=1.0, phase=0.0):
    return amplitude * np.sin(2.0 * math.pi * hz * np.arange(round(seconds * rate)) / rate + phase)


def loudness_of(frames, rate, parts=3):
    found = Loudness(rate, frames.shape[1])
    for part in np.array_split(frames, parts):
        found.add(part)
    return found


def test_the_coefficients_at_48_khz_are_those_of_the_standard():
    (shelf_b, shelf_a), (pass_b, pass_a) = k_weighting(48000.0)
    # they come from the analogue filters, whose values are known to about 10 digits
    np.testing.assert_allclose(shelf_b, SHELF_B, rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(shelf_a, SHELF_A, rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(pass_b, (1.0, -2.0, 1.0))
    np.testing.assert_allclose(pass_a, PASS_A, rtol=0.0, atol=1e-8)


@pytest.mark.parametrize("rate", [8000, 22050, 44100, 48000, 96000, 192000])
def test_a_sine_of_997_hz_and_full_scale_is_minus_3_01_lufs(rate):
    # -0.691 + 10 log10(0.5) + 0.691 for one channel; the onset costs less than 0.01 dB in 2 s
    one = loudness_of(sine(997.0, rate)[:, None], rate)
    assert one.integrated == pytest.approx(-3.01, abs=0.01)
    assert one.greatest == pytest.approx(-3.01, abs=0.01)
    two = loudness_of(np.repeat(sine(997.0, rate)[:, None], 2, axis=1), rate)
    assert two.integrated - one.integrated == pytest.approx(10.0 * math.log10(2.0), abs=1e-9)


def test_surround_channels_weigh_more_and_the_low_one_nothing():
    x = sine(997.0, 48000)
    levels = []
    for channel in range(6):
        frames = np.zeros((x.size, 6))
        frames[:, channel] = x
        levels.append(loudness_of(frames, 48000).integrated)
    assert levels[3] is None
    # weight 1.41 is 1.49 dB
    assert levels[4] - levels[0] == pytest.approx(10.0 * math.log10(1.41), abs=1e-6)


def test_the_gate_leaves_out_quiet_parts():
    # 2 s at -20 dB and 6 s at -50 dB: blocks 10 LU under the mean of all are left out; a mean of
    # all would be 10 log10(4) = 6 dB lower, the blocks across the step cost up to 0.6 dB
    rate = 48000
    x = np.concatenate((sine(997.0, rate, 2.0, 0.1), sine(997.0, rate, 6.0, 0.1 * 10**-1.5)))
    assert loudness_of(x[:, None], rate).integrated == pytest.approx(-23.01, abs=0.7)
    assert loudness_of(x[:, None], rate).greatest == pytest.approx(-23.01, abs=0.01)


def test_a_short_sound_is_followed_by_silence_and_silence_has_no_loudness():
    rate = 48000
    # 0.1 s of the 0.4 s of a block: 6.02 dB less
    short = loudness_of(sine(997.0, rate, 0.1)[:, None], rate, parts=1)
    assert short.greatest == pytest.approx(-3.01 + 10.0 * math.log10(0.25), abs=0.1)
    silent = loudness_of(np.zeros((rate, 2)), rate)
    assert silent.greatest is None and silent.integrated is None
    empty = Loudness(rate, 1)
    empty.add(np.zeros((0, 1)))
    assert empty.greatest is None


def test_parts_do_not_matter():
    frames = np.random.default_rng(1).normal(size=(30000, 2)) * 0.1
    whole, parts = (loudness_of(frames, 48000, count).integrated for count in (1, 17))
    assert whole == pytest.approx(parts, abs=1e-9)


@pytest.mark.parametrize(("rate", "hz"), [(48000, 12000.0), (44100, 11025.0), (96000, 24000.0)])
def test_the_true_peak_of_a_sine_between_samples_is_its_amplitude(rate, hz):
    # at a quarter of the rate and 45 degrees the samples are at 0.707 of the peak; the sine rises
    # slowly, because interpolation of a sudden one overshoots
    x = sine(hz, rate, 0.2, phase=math.pi / 4.0) * np.hanning(round(0.2 * rate))
    found = TruePeak(rate, 1)
    for part in np.array_split(x[:, None], 7):
        found.add(part)
    assert np.abs(x).max() < 0.71
    assert found.peak == pytest.approx(1.0, abs=0.002)


def test_above_192_khz_the_true_peak_is_that_of_the_samples():
    x = sine(48000.0, 192000, 0.1, phase=math.pi / 4.0)
    found = TruePeak(192000, 1)
    found.add(x[:, None])
    assert found.peak == np.abs(x).max()


def test_the_gain_to_a_loudness_gives_it_also_where_the_gates_move():
    rate = 8000
    # a loud second, ten at -45 dB of it, ten at -9 dB; as a whole near the absolute gate, over it,
    # and under it
    steps = [(1.0, 1.0), (10.0, 10.0**(-45.0 / 20.0)), (10.0, 10.0**(-9.0 / 20.0))]
    sound = np.concatenate([sine(500.0, rate, seconds, factor) for seconds, factor in steps])
    for level in (1.0, 1e-3, 1e-6):
        for target in (-50.0, -18.0):
            gain = loudness_of(level * sound[:, None], rate).gain_to(target)
            found = loudness_of(10.0**(gain / 20.0) * level * sound[:, None], rate).integrated
            # momentary levels are rounded to about 1e-13 dB
            assert found == pytest.approx(target, abs=1e-9), (level, target)
    assert loudness_of(np.zeros((rate, 2)), rate).gain_to(-18.0) is None
