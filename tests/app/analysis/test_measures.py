"""What is measured of a sound is what its formula says, however it comes in blocks."""
import hashlib
import math

import numpy as np
import pytest

from pysitar.app.analysis.measures import Measures, measure_file
from pysitar.output.audio import quantise, write_audio

RATE = 8000


def measured(audio, block=None):
    audio = audio[:, None] if audio.ndim == 1 else audio
    found = Measures(RATE, audio.shape[1])
    for start in range(0, len(audio), block or len(audio)):
        found.add(audio[start:start + (block or len(audio))])
    return found


def decaying(t60, seconds, hz=440.0):
    times = np.arange(round(RATE * seconds)) / RATE
    return 10.0 ** (-3.0 * times / t60) * np.sin(2.0 * np.pi * hz * times)


@pytest.mark.parametrize("t60", [0.1, 0.5, 2.0])
def test_the_decay_of_an_exponential_is_found(t60):
    # a bin of 2 ms holds 0.88 of a period: its energy ripples by a part, which the fit over 30 dB
    # (t60 / 2) averages; 1 % at 0.1 s
    assert measured(decaying(t60, 1.2 * t60)).t60 == pytest.approx(t60, rel=0.01)


def test_a_sound_that_is_cut_has_no_decay_time():
    assert measured(decaying(2.0, 1.0)).t60 is None          # it has fallen by 30 dB
    # it ends loud, or 2 dB under its loudest; 800 frames are whole bins of 2 ms, 805 are not
    for frames in (800, 805):
        times = np.arange(frames) / RATE
        assert measured(times * np.sin(2.0 * np.pi * 440.0 * times)).t60 is None
        assert measured(decaying(3.0, 1.0)[:frames]).t60 is None
    assert measured(np.zeros(RATE)).t60 is None
    assert measured(np.eye(1, RATE)[0]).t60 is None          # one sample: nothing to fit
    assert Measures(RATE, 1).t60 is None


def test_the_centroid_of_two_sines_weighs_their_powers():
    times = np.arange(RATE) / RATE
    audio = 0.3 * np.sin(2.0 * np.pi * 500.0 * times) + 0.1 * np.sin(2.0 * np.pi * 2000.0 * times)
    # whole periods, so that only the fade's own spectrum, some Hz wide and falling as 1/f^2, is
    # smeared
    assert measured(audio).centroid == pytest.approx((9 * 500.0 + 2000.0) / 10, abs=5.0)
    late = np.concatenate((audio, np.sin(2.0 * np.pi * 3000.0 * times)))
    # the first second alone
    assert measured(late, 1000).centroid == pytest.approx(measured(audio).centroid, rel=1e-12)
    assert measured(np.zeros(RATE)).centroid is None


def test_the_attack_counts_in_the_centroid():
    # a click's spectrum is flat: its mean lies half way to half the rate; its mean level, 1/8000,
    # is taken off
    assert measured(np.eye(1, RATE)[0]).centroid == pytest.approx(RATE / 4, rel=1e-3)


def test_levels():
    times = np.arange(RATE) / RATE
    audio = np.stack((0.5 * np.sin(2.0 * np.pi * 100.0 * times) + 0.01, np.full(RATE, -0.02)),
                     axis=1)
    found = measured(audio)
    assert found.rms == pytest.approx(math.sqrt((0.125 + 1e-4 + 4e-4) / 2), rel=1e-12)
    assert found.dc == pytest.approx(-0.02, rel=1e-12) and found.peak == pytest.approx(
        0.51, rel=1e-12)
    assert found.samples == hashlib.sha256(audio.astype("<f8").tobytes()).hexdigest()


@pytest.mark.parametrize("block", [1, 7, 16, 1000])
def test_blocks_change_nothing(block):
    audio = np.stack((decaying(0.1, 0.15), decaying(0.05, 0.15, 1000.0)), axis=1)
    whole, parts = measured(audio), measured(audio, block)
    assert (parts.samples, parts.frames, parts.peak) == (whole.samples, whole.frames, whole.peak)
    # sums in another order: some 1200 roundings
    for name in ("rms", "dc", "t60", "centroid"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), rel=1e-10)


@pytest.mark.parametrize("name", ["x.wav", "x.flac"])
def test_a_file_is_measured_as_it_is_read_back(tmp_path, name):
    audio = 0.9 * decaying(0.1, 0.15)[:, None]
    write_audio(tmp_path / name, audio, RATE)
    codes, _ = quantise(audio, 24)
    assert measure_file(tmp_path / name).samples == measured(codes / 2.0**31).samples
