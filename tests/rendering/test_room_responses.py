"""The computed rooms: decay of each band, level, first reflections, and the same bits."""
import hashlib

import numpy as np
import pytest
from scipy.signal import butter, sosfilt

from pysitar.rendering.room_responses import (
    BOXES,
    SOUND_SPEED,
    _decay,
    _low_pass,
    _reflections,
    room_responses,
)

# inside the bands of T60, where the filter of a neighbour is 6 dB down or more
BANDS = ((60, 450), (560, 900), (1150, 1800), (2200, 3200), (3900, 5500), (7500, 16000))


@pytest.mark.parametrize("rate", [8000, 48000, 96000])
@pytest.mark.parametrize("name", BOXES)
def test_each_band_decays_by_its_time(name, rate):
    """The slope from -5 to -30 dB of the backward integral of the energy (Schroeder 1965).

    Noise in a band of B Hz decaying over T has B T independent values per channel, so that its
    slope differs by some 1/sqrt(B T): 3 to 8 %.
    """
    box = BOXES[name]
    for (low, high), t60 in zip(BANDS, box.t60, strict=True):
        if low >= 0.4 * rate:
            continue
        band = butter(4, [low, min(high, 0.45 * rate)], "bandpass", fs=rate, output="sos")
        for response in room_responses(name, rate).T:
            energy = np.cumsum(sosfilt(band, response)[::-1]**2)[::-1]
            levels = 10.0 * np.log10(energy / energy[int(box.delay * rate)])
            [inside] = np.nonzero((levels < -5.0) & (levels > -30.0))
            found = -60.0 / np.polyfit(inside / rate, levels[inside], 1)[0]
            assert found == pytest.approx(t60, rel=0.1), (low, high)


@pytest.mark.parametrize("rate", [8000, 48000, 192000])
@pytest.mark.parametrize("name", BOXES)
def test_the_power_below_2_khz_stays(name, rate):
    """The mean of |H|^2 below 2 kHz is 1, at every rate; the filter that measures it has a slope of
    125 Hz on each side, a sixteenth of the band, in which |H|^2 differs by up to 2 dB: 0.15 dB."""
    for response in room_responses(name, rate).T:
        power = np.abs(np.fft.rfft(response))**2
        below = power[np.fft.rfftfreq(response.size, 1.0 / rate) < 2000.0].mean()
        assert 10.0 * np.log10(below) == pytest.approx(0.0, abs=0.15)


@pytest.mark.parametrize("name", BOXES)
def test_six_reflections_before_the_tail_and_in_it(name):
    rate, box = 48000, BOXES[name]
    for side, ear in enumerate(np.array(box.listener) + np.outer((-0.25, 0.25), (1, 0, 0))):
        values, share = _reflections(box, side, rate, 2 * rate)
        # in the plane of an axis, a surface adds 4 (distance of one)(distance of the other) to the
        # square of the direct path
        direct = np.sqrt(((np.array(box.source) - ear)**2).sum())
        paths = sorted(np.sqrt(direct**2 + 4.0 * abs(wall - a) * abs(wall - b))
                       for a, b, size in zip(box.source, ear, box.size, strict=True)
                       for wall in (0.0, size))
        [places] = np.nonzero(values)
        assert places.size == 6
        np.testing.assert_allclose(places / rate, (np.array(paths) - direct) / SOUND_SPEED,
                                   rtol=0.0, atol=0.51 / rate)
        # as 1/r, from one absorption
        np.testing.assert_allclose(values[places] * paths, values[places[0]] * paths[0],
                                   rtol=1e-12)
        assert 0.0 < values[places[0]] < 1.0 and share > 0.5
    found = room_responses(name, rate)
    first = min(box.delay, (paths[0] - direct) / SOUND_SPEED)
    assert not found[:int(first * rate) - 24].any() and found[:int(first * rate) + 50].any()
    assert found.shape[0] == np.ceil((box.delay + box.t60[0]) * rate)


def test_both_tails_are_independent():
    """Noise that decays over T60 = 1.5 s, its energy over 0.11 s: 1/sqrt(0.11 s * 48 kHz) is 1.4 %;
    three deviations."""
    left, right = room_responses("hall", 48000).T
    assert abs(np.corrcoef(left, right)[0, 1]) < 0.042


def test_the_filter_and_the_decay_are_their_closed_forms():
    impulse = np.zeros(4001)
    impulse[2000] = 1.0
    taps = _low_pass(impulse, 1000.0, 48000, 1000.0)
    np.testing.assert_array_equal(taps, taps[::-1])               # no delay
    gains = np.abs(np.fft.rfft(taps, 48000))                      # one value per Hz
    # the side lobes of a Blackman window are 58 dB down, its integral's 74 dB
    assert abs(gains[:450] - 1.0).max() < 1e-3 and gains[1600:].max() < 1e-3
    assert gains[1000] == pytest.approx(0.5, abs=1e-3)
    np.testing.assert_allclose(_decay(0.5, 8000, 9000),
                               10.0**(-3.0 * np.arange(9000) / 4000.0), rtol=1e-13)


def test_the_bits_are_those_of_every_machine():
    digest = {name: hashlib.sha256(room_responses(name, 48000).tobytes()).hexdigest()[:16]
              for name in BOXES}
    assert digest == {"small": "2fb0a2b69a5ad3f8", "hall": "a721de35421aca9e"}
    with pytest.raises(ValueError, match="read-only"):
        room_responses("small", 48000)[0] = 1.0
