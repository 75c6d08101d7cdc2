"""The measures of a stroke, on strokes whose partials, decays and spectrum are known."""
import math

import numpy as np
import pytest

from pysitar.fitting.measures import StrokeMeasures
from pysitar.fitting.recording import find_onset, noise_floor

RATE = 48000


def ringing(partials, seconds=3.0, *, silence=0.0, noise=0.0, seed=0, rate=RATE):
    """A sound of (frequency, T60, amplitude), after a silence, in noise of an rms."""
    t = np.arange(round(seconds * rate)) / rate
    draw = np.random.default_rng(seed)
    sound = np.zeros(t.size)
    for hz, t60, amplitude in partials:
        phase = draw.uniform(0.0, 2.0 * math.pi)
        sound += amplitude * np.exp(-math.log(1000.0) * t / t60) * np.cos(2.0 * math.pi * hz * t
                                                                          + phase)
    sound = np.concatenate((np.zeros(round(silence * rate)), sound))
    return sound + noise * draw.normal(size=sound.size)


def string(f0, b, count=20):
    return [(k * f0 * math.sqrt(1.0 + b * k * k), 3.0 / (1.0 + 0.1 * k), 0.1 / k)
            for k in range(1, count + 1)]


def test_f0_b_and_decays_of_a_string():
    truth = string(110.0, 1e-4)
    found = StrokeMeasures(ringing(truth, silence=0.3, noise=1e-5), RATE)
    series = found.series
    assert abs(found.onset / RATE - 0.3) < 0.002
    assert len(series.orders) >= 18
    # 1 cent is 0.06 Hz; a peak of 1.5 s with 60 dB over the noise is found to a hundredth of a bin
    assert abs(1200.0 * math.log2(series.f0 / 110.0)) < 0.5
    assert series.b == pytest.approx(1e-4, rel=0.01)
    # the standard errors are those that they should be, within the chance of few partials
    assert series.b_error < 1e-6
    for decay in found.decays[:10]:
        order = series.orders[series.frequencies.index(decay.frequency)]
        t60 = truth[order - 1][1]
        assert decay.t60 == pytest.approx(t60, rel=0.03)
        assert 0.2 * abs(decay.t60 - t60) < decay.error + 1e-3 * t60
        # the level is extrapolated to the onset
        assert decay.level == pytest.approx(20.0 * math.log10(truth[order - 1][2]), abs=0.5)
        assert decay.ratio is None or abs(decay.ratio - 1.0) < 0.1


def test_the_standard_error_of_a_decay_is_its_scatter():
    errors, values = [], []
    for seed in range(12):
        found = StrokeMeasures(ringing([(700.0, 1.0, 0.1)], 1.5, noise=0.01, seed=seed), RATE)
        [decay] = [d for d in found.decays if abs(d.frequency - 700.0) < 5.0]
        errors.append(decay.error)
        values.append(decay.t60)
    # a standard deviation of 12 values is known within 1.5 times: bounds of twice that
    assert 0.33 < np.mean(errors) / np.std(values) < 3.0
    assert abs(np.mean(values) - 1.0) < 0.05


def test_a_double_decay_shows_in_its_ratio():
    # -20 dB of a second decay five times as long: the later half is slower
    double = ringing([(500.0, 0.6, 0.1)], 2.0) + ringing([(500.0, 3.0, 0.01)], 2.0)
    [decay] = StrokeMeasures(double, RATE).decays
    assert 1.7 < decay.ratio < 5.0
    [plain] = StrokeMeasures(ringing([(500.0, 0.6, 0.1)], 2.0), RATE).decays
    assert plain.ratio == pytest.approx(1.0, abs=0.02)


def test_a_bar_is_no_string():
    bar = [(400.0 * ratio, 1.0, 0.1) for ratio in (1.0, 2.756, 5.404, 8.933, 13.34)]
    found = StrokeMeasures(ringing(bar, noise=1e-6), RATE)
    assert found.series is None
    assert [decay.frequency for decay in found.decays] == pytest.approx(
        [hz for hz, _, _ in bar], rel=1e-5)


def test_centroid_and_energy_of_two_partials():
    # powers 1 and 1/4 at 1 and 6 kHz, equal decays: the centroid is 2 kHz at all times, and a fifth
    # of the energy is over 2 and over 5 kHz
    found = StrokeMeasures(ringing([(1000.0, 2.0, 0.2), (6000.0, 2.0, 0.1)]), RATE)
    for time in (0.02, 0.1, 0.5):
        assert found.centroid(time) == pytest.approx(2000.0, rel=0.01)
        # amplitudes 1 and 1/2, and the feet of the window's lobes
        assert found.centroid(time, by_amplitude=True) == pytest.approx(8000.0 / 3.0, rel=0.02)
    assert found.centroid(0.005) == pytest.approx(2000.0, rel=0.01)     # a part before the onset
    for edge in (2000.0, 5000.0):
        assert found.energy_over(edge, 0.05) == pytest.approx(10.0 * math.log10(0.2), abs=0.1)
        assert found.energy_over(edge, 0.01) == pytest.approx(10.0 * math.log10(0.2), abs=0.3)
    assert found.energy_over(7000.0, 0.05) < -30.0
    assert found.centroid(5.0) is None


@pytest.mark.parametrize("level", [1e-2, 1e-4])
def test_the_noise_floor_is_that_of_the_noise_also_under_a_sound(level):
    sound = ringing([(300.0, 30.0, 0.3), (1200.0, 30.0, 0.3)], silence=0.0, noise=level)
    floor = noise_floor(sound, RATE, find_onset(sound, RATE))
    # a median over 200 Hz of 0.6 s, 120 bins, scatters by 1.2 / sqrt(120); all of them less
    assert floor.level == pytest.approx(20.0 * math.log10(level), abs=0.7)
    assert 10.0 * math.log10(floor.at(900.0) * RATE / 2.0) == pytest.approx(
        20.0 * math.log10(level), abs=1.5)


def test_silence_and_noise_have_no_partials():
    silent = StrokeMeasures(np.zeros(RATE), RATE).as_dict()
    assert silent["partials"] == [] and silent["string"] is None and silent["noise_floor"] is None
    for seed in range(10):
        noise = np.random.default_rng(seed).normal(size=RATE) * 0.1
        assert StrokeMeasures(noise, RATE).as_dict()["partials"] == []
