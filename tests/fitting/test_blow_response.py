"""The impulse response of a blow: of a force that no ball gives, and of presets whose mallets stay
on what they strike."""
import json
import math

import numpy as np
import pytest
import soundfile

import pysitar
from pysitar.__main__ import main
from pysitar.fitting.blow_response import (
    convolve,
    fit_blow_response,
    refit_blow_response,
    solve_toeplitz,
)
from pysitar.fitting.distance import log_spectral_distance
from pysitar.fitting.exponentials import Exponentials

RATE = 16000


def test_a_toeplitz_system_is_solved():
    column = 0.9 ** np.arange(40) * np.cos(0.3 * np.arange(40)) + 0.1 * (np.arange(40) == 0)
    right = np.random.default_rng(1).normal(size=40)
    matrix = column[np.abs(np.subtract.outer(np.arange(40), np.arange(40)))]
    # a residual of 1e-8 of the right side, times a condition below 100
    assert np.linalg.cond(matrix) < 100.0
    assert solve_toeplitz(column, right) == pytest.approx(np.linalg.solve(matrix, right), abs=1e-6)
    assert solve_toeplitz(np.array([2.0]), np.array([3.0])) == pytest.approx([1.5])


def test_the_history_of_a_force_is_found():
    # a mallet that touches three times in 12 ms, on four modes; weights of either sign
    hz, rates = np.array([210.0, 530.0, 870.0, 1910.0]), np.array([9.0, 14.0, 22.0, 40.0])
    weights = np.array([1.0, -0.7, 0.5, 0.3])
    exponents = -rates + 2j * math.pi * hz
    force = np.zeros(289)
    for start, height in ((0, 1.0), (110, 0.6), (220, 0.3)):
        force[start:start + 60] += height * np.sin(math.pi * np.arange(60) / 60.0)**2
    frames = round(0.6 * RATE)
    modes = Exponentials(exponents / RATE, frames).sound(weights.astype(complex))
    sound = np.concatenate([np.zeros(round(0.01 * RATE)), 0.01 * convolve(modes, force)])
    found = fit_blow_response(exponents, np.ones(4, complex), np.abs(weights), sound,
                              rate=float(RATE), onset=0.01, free=0.022)
    # first guesses without signs; a response of the length of the force explains all but the ridge
    assert found.distance < 0.3 and found.values.size < 0.04 * RATE
    played = convolve(Exponentials(exponents / RATE, frames).sound(
        (found.weights).astype(complex)), found.values)
    stroke = sound[round(0.0095 * RATE):][:frames]
    assert log_spectral_distance(stroke, played, RATE) == pytest.approx(found.distance, abs=0.05)
    # modes of half the level: the response makes up for it
    again = refit_blow_response(found, 0.5 * Exponentials(exponents / RATE, frames).sound(
        found.weights.astype(complex)), sound, onset=0.01)
    assert again.distance == pytest.approx(found.distance, abs=0.1)
    assert np.abs(again.values).max() == pytest.approx(2.0 * np.abs(found.values).max(), rel=0.1)


@pytest.mark.parametrize(("preset", "part", "rate", "settled", "before"), [
    ("plastic_box", "box", RATE, "30ms", 4.0), ("tabla_bayan", "closed", 24000, "2ms", 3.0)])
def test_a_long_blow_is_within_1_db(preset, part, rate, settled, before, tmp_path, monkeypatch,
                                    capsys):
    monkeypatch.chdir(tmp_path)
    score = pysitar.Score.from_events([(0.0, f"t.{part}", "strike", {})], use={"t": preset},
                                      render={"channels": 1})
    sound = pysitar.render(score, rate=rate, stop=0.25, fade=0.0).audio[:, 0]
    soundfile.write("hit.wav", sound, rate, subtype="FLOAT")
    assert main(["fit", "hit.wav", "-o", "thing.toml", "--settled", settled, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["distance_without_response"] > before
    assert report["strikes"][0]["played_distance"] < 1.0
    assert report["response"] == "thing_blow.wav"
    # what is written plays so, at the level of the recording
    score = pysitar.Score.from_events([(0.0, "t.object", "strike", {})], use={"t": "thing.toml"},
                                      render={"channels": 1})
    again = pysitar.render(score, rate=rate, stop=0.25, fade=0.0).audio[:, 0]
    level = 10.0 * math.log10(float(again @ again) / float(sound @ sound))
    assert abs(level) < 0.3
    assert level == pytest.approx(report["strikes"][0]["played_level"], abs=0.1)
    if preset != "plastic_box":             # the others overlap
        return
    # the list of partials has the levels that are played, at the onset
    assert main(["partials", "thing.toml", "-o", "thing.csv", "--quiet"]) == 0
    listed = np.array([list(map(float, line.split(","))) for line in
                       (tmp_path / "thing.csv").read_text().splitlines()[1:]])
    strike = report["strikes"][0]
    strongest = max(strike["modes"], key=lambda row: row["amplitude"] * row["t60"])
    back = math.log(1000.0) / strongest["t60"] * (strike["start"] - strike["onset"])
    row = int(np.abs(listed[:, 0] - strongest["frequency"]).argmin())
    # weights are a compromise of all modes: half a decibel
    assert abs(listed[row, 2]) == pytest.approx(strongest["amplitude"] * math.exp(back), rel=0.06)
