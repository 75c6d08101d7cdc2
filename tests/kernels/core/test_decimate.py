"""Decimation from the internal rate: filter response, alignment in time, bits independent of the
blocks."""
import math

import numpy as np
import pytest
from scipy.signal import firwin, upfirdn

from pysitar.errors import ParameterError
from pysitar.kernels.core.decimate import Decimator, kaiser_taps, pass_band

RATES = [8000.0, 32000.0, 44100.0, 48000.0, 96000.0]
FACTORS = [2, 3, 4, 8, 16]


def response(taps, rate):
    """Frequencies (Hz, 5 Hz apart or closer) and the gain at each: real, for the taps are turned to
    be symmetric about 0."""
    size = int(rate / 5.0)
    size += size % 2
    turned = np.roll(np.pad(taps, (0, size - len(taps))), -(len(taps) // 2))
    return np.fft.rfftfreq(size, 1.0 / rate), np.fft.rfft(turned).real


def one_shot(factor, taps, samples):
    decimator = Decimator(factor, taps, None if samples.ndim == 1 else samples.shape[1])
    return np.concatenate([decimator.push(samples), decimator.flush()])


def noise(*shape):
    return np.random.default_rng(7).standard_normal(shape)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("factor", FACTORS)
def test_flat_below_and_silent_above(factor, rate):
    taps, top, inside = kaiser_taps(factor, rate), pass_band(rate), factor * rate
    assert len(taps) % 2 == 1
    assert np.array_equal(taps, taps[::-1])
    assert abs(math.fsum(taps) - 1.0) < 1e-15
    frequencies, gain = response(taps, inside)
    assert np.abs(gain[frequencies <= top] - 1.0).max() < 1e-6
    assert 20.0 * np.log10(np.abs(gain[frequencies >= rate - top]).max()) <= -120.0


@pytest.mark.parametrize("attenuation", [60.0, 90.0, 140.0, 180.0])
def test_any_attenuation_is_reached(attenuation):
    frequencies, gain = response(kaiser_taps(4, 48000.0, attenuation=attenuation), 192000.0)
    assert -attenuation - 4.0 < 20.0 * np.log10(np.abs(
        gain[frequencies >= 28000.0]).max()) <= -attenuation


@pytest.mark.parametrize("factor", FACTORS)
def test_taps_have_a_twin(factor):
    taps = kaiser_taps(factor, 48000.0)
    twin = firwin(len(taps), 1.0 / factor, window=("kaiser", 0.1102 * (122.0 - 8.7)))
    np.testing.assert_allclose(taps, twin, rtol=0.0, atol=1e-15)


def test_pass_band():
    assert pass_band(44100.0) == pass_band(48000.0) == 20000.0
    assert pass_band(32000.0) == pytest.approx(14512.47, abs=0.01)
    assert pass_band(96000.0) == pytest.approx(40000.0)


@pytest.mark.parametrize("shape", [(3001,), (3001, 1), (3001, 2), (3000, 3)])
@pytest.mark.parametrize("factor", FACTORS)
def test_decimation_has_a_twin(factor, shape):
    taps, samples = kaiser_taps(factor, 48000.0), noise(*shape)
    half = len(taps) // 2
    kept = one_shot(factor, taps, samples)
    # so that upfirdn keeps ours
    aligned = np.concatenate([np.zeros((-half % factor, *shape[1:])), samples])
    first = (half + -half % factor) // factor
    twin = upfirdn(taps, aligned, 1, factor, axis=0)[first:first + len(kept)]
    assert kept.shape == (-(-shape[0] // factor), *shape[1:])
    np.testing.assert_allclose(kept, twin, rtol=0.0, atol=1e-14)


def test_an_asymmetric_filter_is_not_turned_round():
    taps, samples = np.array([1.0, 2.0, 4.0, 8.0, 16.0]), noise(50)
    np.testing.assert_allclose(one_shot(3, taps, samples),
                               np.convolve(samples, taps)[2:52:3], atol=1e-13)


@pytest.mark.parametrize("shape", [(3000,), (3000, 2)])
@pytest.mark.parametrize(("factor", "length"), [(1, 1), (1, 9), (2, 97), (3, 145), (8, 383),
                                                (40, 17), (40, 1), (3, 2501)])
def test_blocks_do_not_change_a_bit(factor, length, shape):
    taps, samples = noise(length) if length > 1 else np.ones(1), noise(*shape)
    whole = one_shot(factor, taps, samples)
    for sizes in ([1], [0, 1, 17, 982, 2000], [441], [1023, 1, 1025], [7, 0, 0, 64]):
        decimator, parts, done, turn = Decimator(factor, taps,
                                                 None if len(shape) == 1 else 2), [], 0, 0
        while done < len(samples):
            size = sizes[turn % len(sizes)]
            parts.append(decimator.push(samples[done:done + size]))
            done, turn = done + size, turn + 1
        parts.append(decimator.flush())
        assert np.concatenate(parts).tobytes() == whole.tobytes()


@pytest.mark.parametrize("silence", [1000, 5001])
@pytest.mark.parametrize("shape", [(999,), (1000, 2)])
def test_silence_between_sounds(silence, shape):
    """The bits of one convolution over sounds with silence of any length between, in blocks that
    begin and end in it."""
    parts = [
        noise(*shape),
        np.zeros((silence, *shape[1:])),
        noise(*shape)[:7],
        np.zeros((3 * silence, *shape[1:])),
        noise(*shape)
    ]
    samples = np.concatenate(parts)
    taps = kaiser_taps(3, 48000.0)
    decimator = Decimator(3, taps, None if samples.ndim == 1 else samples.shape[1])
    blocks = [decimator.push(samples[start:start + 333]) for start in range(0, len(samples), 333)]
    whole = np.concatenate([*blocks, decimator.flush()])
    padded = np.concatenate([samples, np.zeros((len(taps), *samples.shape[1:]))])
    twin = upfirdn(taps, padded, 1, 1, axis=0)[len(taps) // 2::3][:len(whole)]
    # the sums are taken in another order: an eps of each of 100 terms of size 1 times taps of up to
    # 0.3
    assert np.abs(whole - twin).max() < 1e-14
    assert np.all(whole[(len(parts[0]) + 200) // 3:(len(parts[0]) + silence - 200)
                        // 3] == 0.0) and np.abs(whole).max() > 0.5


@pytest.mark.parametrize("factor", [1, 2, 5, 8])
@pytest.mark.parametrize("length", [0, 1, 2, 7, 8, 9, 40, 96, 97, 98])
def test_length(length, factor):
    kept = one_shot(factor, kaiser_taps(factor, 48000.0), np.ones(length))
    assert kept.shape == (-(-length // factor),)
    assert kept.dtype == np.float64


@pytest.mark.parametrize("factor", FACTORS)
def test_no_delay(factor):
    inside = 48000.0 * factor
    time = np.arange(round(0.1 * inside)) / inside
    tone = np.sin(2.0 * np.pi * 1000.0 * time)
    kept = one_shot(factor, kaiser_taps(factor, 48000.0), tone)
    np.testing.assert_allclose(kept[100:-100], tone[::factor][100:-100], rtol=0.0, atol=2e-6)
    pulse = np.zeros(400 * factor)
    pulse[200 * factor] = 1.0
    answer = one_shot(factor, kaiser_taps(factor, 48000.0), pulse)
    assert np.abs(answer).argmax() == 200
    assert np.array_equal(answer[1:200], answer[:200:-1])


def test_a_tone_above_does_not_come_back():
    time = np.arange(20000) / 192000.0
    kept = one_shot(4, kaiser_taps(4, 48000.0), np.sin(2.0 * np.pi * 29000.0 * time))
    assert np.abs(kept[100:-100]).max() < 1e-6


def test_factor_one_changes_nothing():
    samples = np.array([[1.5, -0.0], [np.nan, 5e-324], [np.inf, -1e300]])
    assert kaiser_taps(1, 48000.0).tolist() == [1.0]
    decimator = Decimator(1, kaiser_taps(1, 48000.0), 2)
    kept = decimator.push(samples)
    assert kept.tobytes() == samples.tobytes()
    assert not np.shares_memory(kept, samples)
    assert decimator.flush().shape == (0, 2)


def test_after_the_flush_it_is_as_new():
    decimator, samples = Decimator(2, kaiser_taps(2, 48000.0)), noise(500)
    first = [decimator.push(samples), decimator.flush()]
    again = [decimator.push(samples), decimator.flush()]
    assert np.concatenate(first).tobytes() == np.concatenate(again).tobytes()


def test_channels_do_not_mix():
    taps, samples = kaiser_taps(2, 48000.0), noise(700, 2)
    both = one_shot(2, taps, samples)
    for channel in range(2):
        assert both[:, channel].tobytes() == one_shot(2, taps,
                                                      np.ascontiguousarray(
                                                          samples[:, channel])).tobytes()


def test_read_only_samples_are_welcome_and_kept():
    samples = noise(100)
    samples.setflags(write=False)
    before = samples.tobytes()
    one_shot(2, kaiser_taps(2, 48000.0), samples)
    assert samples.tobytes() == before


@pytest.mark.parametrize(("call", "name"), [
    (lambda: kaiser_taps(0, 48000.0), "factor"),
    (lambda: kaiser_taps(-2, 48000.0), "factor"),
    (lambda: kaiser_taps(70000, 48000.0), "factor"),
    (lambda: kaiser_taps(2, 0.0), "rate"),
    (lambda: kaiser_taps(2, math.nan), "rate"),
    (lambda: kaiser_taps(2, math.inf), "rate"),
    (lambda: kaiser_taps(2, 48000.0, attenuation=math.nan), "attenuation"),
    (lambda: pass_band(-1.0), "rate"),
    (lambda: Decimator(0, np.ones(3)), "factor"),
    (lambda: Decimator(2, np.ones(4)), "taps"),
    (lambda: Decimator(2, np.ones(0)), "taps"),
    (lambda: Decimator(2, np.array([1.0, math.nan, 1.0])), "taps"),
    (lambda: Decimator(2, np.ones(3), 0), "channels"),
    (lambda: Decimator(2, np.ones(3), 2).push(np.ones((4, 3))), "samples"),
])
def test_out_of_range(call, name):
    with pytest.raises(ParameterError) as caught:
        call()
    assert caught.value.name == name


@pytest.mark.parametrize(
    "samples", [None, [1.0], np.ones(4, np.float32),
                np.ones(
                    (4, 2)), np.ones(8)[::2]])
def test_another_kind_of_array(samples):
    with pytest.raises((TypeError, ValueError)):
        Decimator(2, np.ones(3)).push(samples)


def test_factor_must_be_whole():
    with pytest.raises(TypeError):
        Decimator(2.5, np.ones(3))
