"""Strings rendered without a bridge and fitted: B, T60 and pluck place of the string that was
rendered."""
import math

import numpy as np
import pytest

import pysitar
from pysitar import ParameterError, fit_string
from pysitar.fitting.distance import log_spectral_distance
from pysitar.fitting.recording import find_onset
from pysitar.fitting.string_file import linear_density, string_text
from pysitar.fitting.string_fit import fit_losses, fit_place
from pysitar.models.definitions.loader import parse_instrument, preset_text

RATE = 48000


def pluck(preset, name, hz, place, *, noise=1e-5, seconds=3.0):
    """The string of a preset at a pitch, without its bridge, and its sound in noise."""
    spec = parse_instrument(preset_text(preset), name=preset, shown=preset)
    [string] = [part.string(hz) for part in spec.strings if part.name == name]
    simulation = pysitar.StringSimulation(string=string, sample_rate=RATE, max_frequency=15e3)
    simulation.pluck(position=place, force=1.0, ramp=0.008, release=3e-4, width=0.001)
    sound = 0.02 * simulation.run(round(seconds * RATE)).outputs[:, 0]
    return string, sound + noise * np.random.default_rng(1).normal(size=sound.size)


def pitch_and_b(string):
    return (math.sqrt(string.tension / string.linear_density) / (2.0 * string.length),
            math.pi**2 * string.bending_stiffness / (string.tension * string.length**2))


@pytest.mark.parametrize(("preset", "name", "hz", "place"), [
    ("guitar", "e2", 82.41, 0.14), ("guitar", "g3", 196.0, 0.12), ("guitar", "e4", 329.63, 0.13),
    ("sitar", "baj", 185.0, 0.11), ("sitar", "jor", 138.6, 0.11)])
def test_a_string_is_found_again(preset, name, hz, place):
    string, sound = pluck(preset, name, hz, place)
    found = fit_string(sound, float(RATE), length=string.length)
    f0, b = pitch_and_b(string)
    assert abs(1200.0 * math.log2(found.f0 / f0)) < 0.5
    assert found.b == pytest.approx(b, rel=0.05)
    for frequency in (200.0, 1000.0, 4000.0):
        k = frequency / f0
        k /= math.sqrt(0.5 + 0.5 * math.sqrt(1.0 + 4.0 * b * k * k))
        wave = k * math.pi / string.length
        t60 = math.log(1000.0) / string.decay_rate(wave)
        assert found.t60(frequency) == pytest.approx(t60, rel=0.05)
    assert abs(found.position - place) < 0.005
    assert found.release == pytest.approx(3e-4, rel=0.2)


def test_the_file_sounds_like_the_recording_at_its_level(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    string, sound = pluck("guitar", "d3", 146.83, 0.12)
    found = fit_string(sound, float(RATE), length=string.length)
    density = linear_density(found, tension=string.tension, density=None)
    assert density == pytest.approx(string.linear_density, rel=0.001)
    text = string_text(found, density=density, sound=sound, rate=float(RATE))
    (tmp_path / "string.toml").write_text(text)
    score = pysitar.Score.from_events([(0.0, "t.string", "pluck", {})], use={"t": "string.toml"})
    again = pysitar.render(score, rate=RATE, stop=3.0).audio[:, 0] * math.sqrt(2.0)
    parts = [x[find_onset(x, float(RATE)):] for x in (sound, again)]
    size = min(part.size for part in parts)
    first, second = (part[:size] for part in parts)
    assert 10.0 * math.log10(np.mean(second**2) / np.mean(first**2)) == pytest.approx(0.0, abs=0.2)
    assert log_spectral_distance(first, second, float(RATE)) < 1.0


def test_two_decays_show_in_each_partial():
    _, sound = pluck("guitar", "a2", 110.0, 0.10, noise=0.0, seconds=2.0)
    t = np.arange(sound.size) / RATE
    # the second polarisation of each partial, 14 dB fainter, loses 1 1/s less
    double = sound * (1.0 + 0.2 * np.exp(t))
    ratios = [float(np.nanmedian(fit_string(x, float(RATE)).late_over_early))
              for x in (sound, double)]
    assert ratios[0] == pytest.approx(1.0, abs=0.02) and 1.08 < ratios[1] < 3.0


def test_losses_and_places_of_exact_values():
    waves = np.pi * np.arange(1.0, 30.0) / 0.65
    rates = 0.8 + 0.012 * waves + 3e-6 * waves**3
    assert fit_losses(waves, rates, np.full(29, 0.01)) == pytest.approx((0.8, 0.012, 3e-6))
    # no loss is negative: a law that falls is a constant
    sigmas = fit_losses(waves, 2.0 - 0.001 * waves, np.full(29, 0.01))
    assert min(sigmas) == 0.0 and sigmas[0] > 1.0
    # one decay that is ten times too fast hardly counts
    wrong = rates.copy()
    wrong[7] *= 10.0
    assert fit_losses(waves, wrong, np.full(29, 0.01)) == pytest.approx((0.8, 0.012, 3e-6),
                                                                        rel=0.05)
    orders = np.arange(1.0, 25.0)
    for place in (0.07, 0.21, 0.37):
        levels = 20.0 * np.log10(np.abs(np.sin(np.pi * place * orders)) + 1e-3) - 1.5 * orders
        assert fit_place(orders, levels) == pytest.approx(place, abs=0.003)


def test_what_is_no_string_is_refused():
    t = np.arange(RATE) / RATE
    bar = sum(np.exp(-4.0 * t) * np.cos(2.0 * math.pi * 300.0 * ratio * t)
              for ratio in (1.0, 2.756, 5.404, 8.933, 13.34, 18.64))
    with pytest.raises(ParameterError, match="without a series"):
        fit_string(0.1 * bar, float(RATE))
    with pytest.raises(ParameterError, match="length is"):
        fit_string(0.1 * bar, float(RATE), length=0.0)
    with pytest.raises(ParameterError, match="pitch is"):
        fit_string(0.1 * bar, float(RATE), pitch=-1.0)
