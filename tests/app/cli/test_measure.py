"""`pysitar measure`: a table and JSON of one sound; what is no sound is reported."""
import json
import math

import numpy as np
import pytest
import soundfile
from app.commands import refused

from pysitar.__main__ import main

RATE = 48000


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stroke(f0=220.0, b=5e-5, count=12, seconds=2.0):
    t = np.arange(round(seconds * RATE)) / RATE
    return sum(0.2 / k * np.exp(-3.0 * t) * np.sin(2.0 * math.pi * k * f0
                                                   * math.sqrt(1.0 + b * k * k) * t)
               for k in range(1, count + 1))


def measured(capsys, *words):
    assert main(["measure", *words]) == 0
    out, errors = capsys.readouterr()
    assert errors == ""
    return out


def test_json_has_every_measure(folder, capsys):
    x = stroke()
    soundfile.write("a.wav", np.stack((x, x), axis=1), RATE, subtype="DOUBLE")
    found = json.loads(measured(capsys, "a.wav", "--json"))
    assert found["string"]["f0"] == pytest.approx(220.0, rel=1e-4)
    assert found["string"]["b"] == pytest.approx(5e-5, rel=0.02)
    assert found["peak"] == pytest.approx(20.0 * math.log10(np.abs(x).max()))
    assert found["true_peak"] >= found["peak"]
    assert found["greatest_momentary"] >= found["integrated"]
    assert [row["order"] for row in found["partials"]] == list(range(1, 13))
    for row in found["partials"]:
        assert row["t60"] == pytest.approx(math.log(1000.0) / 3.0, rel=0.01)
        assert row["t60_error"] < 0.05
    assert set(found) == {
        "rate", "channels", "seconds", "peak", "true_peak", "mean_of_channels", "integrated",
        "greatest_momentary", "onset", "noise_floor", "centroid", "amplitude_centroid",
        "energy_over", "t60", "late_over_early", "decay_residual", "string", "partials"}


@pytest.mark.parametrize(("right", "level"), [
    (1.0, 0.0), (0.0, -3.010), (-0.9, -25.587), (-1.0, None)])
def test_channels_that_cancel_are_named(right, level, folder, capsys):
    """The mean of (1, r) has the power ((1 + r) / 2)^2, the channels (1 + r^2) / 2."""
    x = stroke(seconds=0.5)
    soundfile.write("a.wav", np.stack((x, right * x), axis=1), RATE, subtype="DOUBLE")
    assert main(["measure", "a.wav", "--json"]) == 0
    out, errors = capsys.readouterr()
    found = json.loads(out)["mean_of_channels"]
    assert found == (level if level is None else pytest.approx(level, abs=0.001))
    assert ("a.wav: the channels cancel each other" in errors) == (level is None or level < -20.0)


def test_frames_that_a_file_lacks_are_named(folder, capsys):
    soundfile.write("a.wav", stroke(), RATE, subtype="PCM_16")
    whole = (folder / "a.wav").read_bytes()
    (folder / "a.wav").write_bytes(whole[:len(whole) // 2])
    assert main(["measure", "a.wav"]) == 0
    assert "of 96000 frames are missing: the file was cut at 0.9998 s" in capsys.readouterr().err


def test_the_table_shows_them(folder, capsys):
    soundfile.write("a.wav", stroke(), RATE, subtype="FLOAT")
    out = measured(capsys, "a.wav")
    assert "1 channel, 48000 Hz" in out and "LUFS" in out and "dBTP" in out
    rows = out[out.index("order"):].splitlines()[1:]
    assert len(rows) == 12 and rows[0].split()[:2] == ["1", "220.01"]


@pytest.mark.parametrize(("sound", "rate"), [
    (np.zeros(8000), 8000), (np.full(8000, 0.1), 8000),
    (np.random.default_rng(1).normal(size=(4000, 2)) * 0.1, 16000), (np.ones(200), 8000)])
def test_silence_dc_noise_and_short_sounds_have_no_partials(folder, capsys, sound, rate):
    soundfile.write("a.wav", sound, rate, subtype="FLOAT")
    assert "no partial is over the noise" in measured(capsys, "a.wav")


def test_what_is_no_sound_is_reported(folder, capsys):
    (folder / "text.wav").write_text("no sound")
    soundfile.write("short.wav", np.ones(20), 8000)
    soundfile.write("slow.wav", np.ones(2000), 4000)
    soundfile.write("nan.wav", np.array([0.0, math.nan] * 2000), 8000, subtype="FLOAT")
    for words, message in ((["text.wav"], "expected WAV or FLAC"), (["no.wav"], "cannot be read"),
                           (["short.wav"], "expected at least 0.02 s"), (["."], "is a folder"),
                           (["slow.wav"], "expected 8000 to 768000 Hz"),
                           (["nan.wav"], "expected finite numbers")):
        refused("measure", capsys, folder, 2, message, *words)
