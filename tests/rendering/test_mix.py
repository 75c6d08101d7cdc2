"""Gains, panning and the sum of voices."""
import math

import numpy as np
import pytest
from instruments import TWO_MODES

import pysitar
from pysitar.rendering.mix import channel_gains, decibels, level_factor, stem, sum_stems

PANS = [-1.0, -0.5, -0.2, 0.0, 0.3, 0.8, 1.0]


@pytest.mark.parametrize("pan", PANS)
def test_panning_keeps_the_power(pan):
    left, right = channel_gains(gain_db=0.0, pan=pan, channels=2)
    assert left**2 + right**2 == pytest.approx(1.0, abs=4e-16)  # cos^2 + sin^2, each rounded
    # equal to the half-angle forms, which share no step with cos((pan + 1) pi / 4); 2e-8 is the
    # root of a rounding, at pan 1
    assert left == pytest.approx(math.sqrt((1.0 - math.sin(math.pi * pan / 2.0)) / 2.0), abs=2e-8)
    assert right == pytest.approx(math.sqrt((1.0 + math.sin(math.pi * pan / 2.0)) / 2.0), abs=2e-8)


def test_the_ends_and_the_middle():
    left, right = channel_gains(gain_db=0.0, pan=-1.0, channels=2)
    assert left == 1.0 and right == 0.0
    left, right = channel_gains(gain_db=0.0, pan=1.0, channels=2)
    assert abs(left) < 1e-16 and right == 1.0  # cos(pi / 2) of the rounded pi / 2 is 6e-17: -324 dB
    left, right = channel_gains(gain_db=0.0, pan=0.0, channels=2)
    assert left == pytest.approx(right, abs=2e-16) and left == pytest.approx(
        math.sqrt(0.5), abs=2e-16)
    mirrored = channel_gains(gain_db=0.0, pan=-0.37, channels=2)
    assert channel_gains(gain_db=0.0, pan=0.37,
                         channels=2)[::-1] == pytest.approx(mirrored, abs=2e-16)


@pytest.mark.parametrize("pan", PANS)
def test_pan_has_no_effect_in_one_channel(pan):
    assert channel_gains(gain_db=0.0, pan=pan, channels=1) == (1.0,)


@pytest.mark.parametrize("decibels, factor", [(0.0, 1.0), (20.0, 10.0), (-40.0, 0.01),
                                              (10.0 * math.log10(2.0), math.sqrt(2.0)),
                                              (-3.0, 0.7079457843841379)])
def test_gains_are_decibels_of_amplitude(decibels, factor):
    assert channel_gains(gain_db=decibels, pan=0.4,
                         channels=1)[0] == pytest.approx(factor, rel=4e-16)
    left, right = channel_gains(gain_db=decibels, pan=0.4, channels=2)
    assert math.hypot(left, right) == pytest.approx(factor, rel=1e-15)


def mixed(voices, gains, channels):
    return sum_stems([stem(voice, factors) for voice, factors in zip(voices, gains, strict=True)],
                     frames=voices[0].size, channels=channels)


def test_voices_are_summed_in_their_order():
    """((0 + a) + b) + c, to the bit: another order gives other bits."""
    voices = [np.array([1e16]), np.array([1.0]), np.array([-1e16])]
    ones = [(1.0,)] * 3
    assert mixed(voices, ones, 1)[0, 0] == (1e16 + 1.0) - 1e16 == 0.0
    assert mixed([voices[0], voices[2], voices[1]], ones, 1)[0, 0] == 1.0
    rng = np.random.default_rng(3)
    parts, gains = list(
        rng.normal(size=(5, 40))), [tuple(pair) for pair in rng.normal(size=(5, 2)).tolist()]
    total = mixed(parts, gains, 2)
    for frame in range(40):
        for channel in range(2):
            expected = 0.0
            for part, gain in zip(parts, gains, strict=True):
                expected += gain[channel] * float(part[frame])
            assert total[frame, channel] == expected


def test_no_voices_are_silence():
    assert np.array_equal(sum_stems([], frames=3, channels=2), np.zeros((3, 2)))
    assert mixed([np.zeros(0)], [(1.0,)], 1).shape == (0, 1)


@pytest.mark.parametrize("target", [0.0, -1.0, -3.0, -100.0])
def test_a_level_is_reached_and_never_exceeded(target):
    level = 10.0 ** (target / 20.0)
    peaks = [*np.random.default_rng(5).uniform(0.0, 4.0, 500).tolist(), 1e-300, 5e-324, 1.0, 1e300]
    for peak in peaks:
        factor = level_factor(peak, target)
        assert factor * peak <= level
        if peak > 1e-300:  # within two roundings of it; a peak of few bits cannot be brought nearer
            assert factor * peak == pytest.approx(level, rel=5e-16)
            assert decibels(factor) == pytest.approx(target - 20.0 * math.log10(peak),
                                                     abs=1e-12 * abs(math.log10(peak)) + 1e-12)
    assert level_factor(0.0, target) == 1.0


HEAD = """\
use tanpura as t
use "two.toml" as w
render rate=24000 oversample=1 tail=50ms
mix t gain=-6dB pan=-0.4
mix w gain=3dB pan=0.7
"""
ROWS = {"t": "0.004s t.sa1 pluck dur=0.1s\n0.03s t.pa pluck dur=0.1s\n",
        "w": "0.02s w.a pluck dur=0.11s\n"}


def test_voices_alone_add_up_to_the_whole(tmp_path):
    (tmp_path / "two.toml").write_text(TWO_MODES)

    def rendered(*names):
        score = tmp_path / "x.score"
        score.write_text(HEAD + "".join(ROWS[name] for name in names))
        return pysitar.render(pysitar.load_score(score)).audio

    whole, alone = rendered("t", "w"), [rendered("t"), rendered("w")]
    # both end at 130 ms, and 50 ms of tail
    assert [part.shape for part in alone] == [whole.shape] * 2 == [(4320, 2)] * 2
    assert np.array_equal(whole, alone[0] + alone[1])  # two numbers have one sum: not even rounding
    for part, pan in zip(alone, (-0.4, 0.7), strict=True):
        power = (part**2).sum(axis=0)
        # tan of the angle (pan + 1) 45 degrees
        assert math.sqrt(power[1] / power[0]) == pytest.approx(
            math.tan((pan + 1.0) * math.pi / 4.0), rel=1e-12)
