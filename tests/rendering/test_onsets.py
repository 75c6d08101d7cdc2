"""Oversampling moves neither onsets nor pitches."""
import cmath
import math

import numpy as np
import pytest
from instruments import instrument, string
from score_texts import write_score

import pysitar

RATE = 48000
STRINGS = {110.0: 0.65, 220.0: 0.65, 440.0: 0.4, 880.0: 0.3, 1760.0: 0.2}
WIRE = {"linear_density": 6e-4, "bending_stiffness": 1e-5, "sigma0": 1.0, "sigma1": 0.004,
        "sigma3": 2e-6}
PLUCK = {"position": 0.23, "width": 0.004, "ramp": 0.002, "release": 0.0003}


def rendered(tmp_path, rows, over, *, use='use "plain.toml" as t', cents=0.0, tail="90ms"):
    strings = [string(f"s{round(hz)}", pitch=hz, cents=cents, length=length, **WIRE, pluck=PLUCK)
               for hz, length in STRINGS.items()]
    (tmp_path / "plain.toml").write_text(instrument(*strings))
    result = pysitar.render(write_score(
        tmp_path, f"{use}\nrender rate={RATE} oversample={over} channels=1 fade=0 tail={tail}\n"
                  f"{rows}\n"))
    assert result.report["residual"] < 1e-12 and result.report["failed_solves"] == 0
    return result.audio[:, 0]


# ---- onsets

def lowpassed(sound):
    """Below 8 kHz: a windowed sinc, linear phase, without delay."""
    n = np.arange(-256, 257)
    # -6 dB there; the Hann window's transition, 3.1 / 513 of the rate, ends at 7.8 kHz
    cutoff = 7500.0 / RATE
    return np.convolve(sound, 2.0 * cutoff * np.sinc(2.0 * cutoff * n) * np.hanning(513),
                       mode="same")


def lag(sound, reference, start):
    """At which shift (samples) of a sound its correlation with the first 20 ms of the reference
    after `start`, normalised, is greatest.

    Both are interpolated fine-fold in the frequency domain (they are silent before and cut to 0
    long after), then a parabola is laid through the three highest: for a sound and itself that is 0
    within 1e-3, for one shifted by 1/8 it is 1/8. """
    fine, span = 16, 4096
    a, b = (np.fft.irfft(np.fft.rfft(lowpassed(x)[:span] * fade(span)), fine * span)
            for x in (sound, reference))
    first, size = fine * start, fine * round(0.02 * RATE)
    wanted = b[first:first + size]
    shifts = range(-2 * fine, 2 * fine + 1)
    parts = [a[first + k:first + k + size] for k in shifts]
    correlation = [np.sum(part * wanted) / math.sqrt(np.sum(part**2)) for part in parts]
    peak = int(np.argmax(correlation))
    assert 0 < peak < len(shifts) - 1, "no peak within two samples"
    before, top, after = correlation[peak - 1:peak + 2]
    return (shifts[peak] + 0.5 * (before - after) / (before - 2.0 * top + after)) / fine


def fade(span):
    """1, but for its last tenth, which falls to 0."""
    tail = span // 10
    return np.concatenate(
        [np.ones(span - tail), 0.5 + 0.5 * np.cos(np.pi * np.arange(tail) / tail)])


ONSETS = {
    # no barrier: only the force's error of order 2 is left, measured 3.5e-4 9e-5 2e-5 at oversample
    # 1 2 4
    "plain": ('use "plain.toml" as t', "0.02s t.s220 pluck dur=0"),
    # released within the 20 ms: 0.03 0.09 0.04
    "tanpura": ("use tanpura as t\nset t.*.statics = false", "0.02s t.sa1 pluck ramp=3ms dur=0"),
    # 20 ms of the pull; -0.02 0.06 0.04
    "tanpura, as it is": ("use tanpura as t\nset t.*.statics = false",
                          "0.02s t.sa1 pluck dur=0"),
}


@pytest.mark.parametrize("name", ONSETS)
def test_onsets_do_not_move_with_the_oversample(tmp_path, name):
    use, row = ONSETS[name]
    sounds = {over: rendered(tmp_path, row, over, use=use) for over in (1, 2, 4, 8)}
    at = round(0.02 * RATE)
    assert np.abs(sounds[8][at:at + 960]).max() > 1e-3
    lags = {over: lag(sounds[over], sounds[8], at) for over in (1, 2, 4)}
    assert all(abs(value) < (2e-3 if name == "plain" else 0.1) for value in lags.values()), lags
    # the measure sees a tenth of a sample: the finest render, moved by one of its own steps (1/8),
    # is off by that
    one = rendered(tmp_path, row.replace("0.02s", f"{0.02 + 1.0 / (8 * RATE):.12f}s"), 8, use=use)
    assert lag(one, sounds[8], at) == pytest.approx(0.125, abs=0.03)


# ---- pitch

def measured(sound, hz):
    """The frequency of the partial near hz: the turn of its phase between two Hann windows, each
    `span` long and apart.

    A decaying partial gives both windows the same phase but for omega span; the others leak:
    partial 2 lies k = span hz >= 27 bins off, where a Hann window has fallen to 1 / (pi k (k^2 -
    1)) = 1.6e-5, so the turn is off by < 6e-5 rad, 4e-5 Hz: 6e-4 cents at 110 Hz, less above. """
    span = round(0.25 * RATE)
    start = round(0.02 * RATE)
    n = np.arange(span)
    turns = [np.sum(sound[start + k * span:start + (k + 1) * span] * np.hanning(span + 1)[:-1]
                    * np.exp(-2j * math.pi * hz / RATE * n)) for k in range(2)]
    whole = hz * span / RATE
    return hz + (cmath.phase(turns[1] / turns[0] * cmath.exp(-2j * math.pi * whole)) /
                 (2.0 * math.pi)) / (span / RATE)


def cents(sound, hz):
    return 1200.0 * math.log2(measured(sound, hz) / hz)


@pytest.mark.parametrize("over", [1, 2, 4, 8])
def test_strings_sound_at_the_pitch_of_the_row(tmp_path, over):
    for hz in STRINGS:
        off = cents(rendered(tmp_path, f"0 t.s{hz:.0f} pluck dur=0", over, tail="530ms"), hz)
        # the promise is 0.5; the scheme's poles are exact, so what is left is the measurement's own
        assert abs(off) < 2e-3, (hz, off)


def test_the_measurement_sees_half_a_cent(tmp_path):
    for hz in (110.0, 1760.0):
        assert cents(rendered(tmp_path, f"0 t.s{hz:.0f} pluck dur=0", 1, cents=0.5, tail="530ms"),
                     hz) == pytest.approx(0.5, abs=2e-3)
