"""Objects fitted to renders of presets sound like them, at their level; relative shapes of several
strikes."""
import math
import statistics

import numpy as np
import pytest

import pysitar
from pysitar.fitting.distance import log_spectral_distance
from pysitar.fitting.modes import fit_modes
from pysitar.fitting.object_file import _strike_response, join_strikes, object_text, onset_modes
from pysitar.fitting.recording import find_onset
from pysitar.models.definitions.loader import parse_instrument, preset_text

RATE = 48000


def strike(use, part, **values):
    """The sound of one channel, as loud as the two that share its power."""
    score = pysitar.Score.from_events([(0.0, f"t.{part}", "strike", values)], use={"t": use})
    # a fade is no sum of modes
    return pysitar.render(score, rate=RATE, stop=3.0, fade=0.0).audio[:, 0] * math.sqrt(2.0)


@pytest.mark.parametrize("preset", ["bell_bar", "glass", "wood_bar"])
def test_a_preset_rendered_fitted_and_rendered_is_within_1_db(preset, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [part] = parse_instrument(preset_text(preset), name=preset, shown=preset).parts
    sound = strike(preset, part.name)
    modes = fit_modes(sound, float(RATE))
    (tmp_path / "fitted.toml").write_text(object_text(onset_modes(modes, sound, float(RATE))))
    again = strike("fitted.toml", "object")
    sound, again = (x[find_onset(x, float(RATE)):] for x in (sound, again))
    size = min(sound.size, again.size)
    assert log_spectral_distance(sound[:size], again[:size], float(RATE)) < 1.0
    # the level is the recording's after the blow, whose own spectrum differs
    first = round(0.01 * RATE)
    levels = [10.0 * math.log10(float(x[first:size] @ x[first:size])) for x in (sound, again)]
    assert abs(levels[1] - levels[0]) < 0.5
    # frequencies and decays are those of the preset, as far as its modes are struck
    for hz, alpha in zip(modes.frequencies, modes.decay_rates, strict=True):
        nearest = int(np.argmin(np.abs(np.array(part.frequencies) - hz)))
        assert hz == pytest.approx(part.frequencies[nearest], rel=1e-4)
        assert alpha == pytest.approx(part.decay_rates[nearest], rel=0.02)


def test_the_distance_of_two_levels_is_their_difference():
    draw = np.random.default_rng(0)
    sound = draw.normal(size=RATE) * np.exp(-3.0 * np.arange(RATE) / RATE)
    # 6 dB everywhere but at the floor, under which few frames of this sound lie
    assert log_spectral_distance(sound, 2.0 * sound, RATE) == pytest.approx(6.02, abs=0.05)
    assert log_spectral_distance(sound, sound, RATE) == 0.0
    assert 30.0 < log_spectral_distance(sound, 0.0 * sound, RATE) < 60.0


def test_two_strikes_have_relative_shapes():
    # modes of a bar of two places: amplitudes with signs, in the second strike 0.2 ms later
    hz = np.array([300.0, 820.0, 1610.0])
    shapes = np.array([[1.0, 0.5, -0.4], [0.6, -0.7, 0.0]])
    t = np.arange(RATE) / RATE
    fall = np.exp(-6.0 * t[:, None]) * np.cos(2.0 * math.pi * hz * t[:, None])
    draw = np.random.default_rng(2)
    strikes = []
    for index, row in enumerate(shapes):
        sound = np.roll(fall @ (0.2 * row), 10 * index) + 1e-4 * draw.normal(size=RATE)
        strikes.append(fit_modes(sound, float(RATE)))
    joined = join_strikes(strikes)
    assert joined.frequencies == pytest.approx(hz, rel=1e-4)
    relative = joined.amplitudes / joined.amplitudes[0]
    assert np.abs(relative[1]) == pytest.approx(np.abs(shapes[1] / shapes[0]), abs=0.03)
    signs = np.sign(relative[1][:2])
    # signs up to a common one, which nobody can hear
    assert signs[0] * signs[1] == -1.0
    text = object_text(joined, places=("p1", "p2"), descriptions=("0.1", "0.3"))
    [part] = parse_instrument(text, name="x", shown="x.toml").parts
    assert set(part.places) == {"p1", "p2"}
    assert max(np.abs(part.places["p1"][0]), np.abs(part.places["p2"][0])) == pytest.approx(1.0)
    assert statistics.fmean(part.frequencies) == pytest.approx(hz.mean(), rel=1e-3)


@pytest.mark.parametrize("phase", [0.0, 0.5 * math.pi, math.pi])
def test_a_weak_mode_keeps_its_level_whatever_its_phase(phase):
    """A mode of 1/40 that is out of phase with the blow had its weight fitted away, -33 dB."""
    t = np.arange(48000) / 48000.0
    sound = 0.2 * np.exp(-5.0 * t) * np.sin(2.0 * math.pi * 300.0 * t) + 0.005 * np.exp(
        -20.0 * t) * np.sin(2.0 * math.pi * 4000.0 * t + phase)
    modes = fit_modes(np.concatenate([np.zeros(480), sound]), 48000.0)
    text = object_text(onset_modes(modes, np.concatenate([np.zeros(480), sound]), 48000.0))
    weights = parse_instrument(text, name="t", shown="t").parts[0].weights
    alone = parse_instrument(object_text(onset_modes(modes)), name="t", shown="t").parts[0].weights
    # what each weight is by its level: a tenth of a dB for the delay of the blow
    assert abs(weights[1] / weights[0]) == pytest.approx(abs(alone[1] / alone[0]), rel=0.1)


def test_pairs_of_high_modes_keep_their_amplitudes():
    """The glass has pairs 20 Hz apart up to 15.8 kHz: with the blow 5 us off the real weights of a
    pair took its phase error, and were 1.75 dB off."""
    audio = strike("glass", "glass")
    found = onset_modes(fit_modes(audio, 48000.0), audio, 48000.0)
    off = 20.0 * np.log10(np.abs(found.weights * _strike_response(found, found.ball))
                          / found.amplitudes[0])
    # a time of the blow 0.05 us off is 5 mrad at 15.8 kHz; the two of a pair share it by up to
    # their frequency over their distance: some hundredths of a dB
    assert found.frequencies.size == 14 and np.abs(off).max() < 0.1
