"""`pysitar fit`: a file that plays at the level of the recording, its report, picture and residual;
recordings that cannot be fitted are refused with their reason, and nothing is written."""
import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
import soundfile
from app.commands import refused

import pysitar
from pysitar.__main__ import main
from pysitar.fitting.object_report import contradictions

RATE = 48000


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def hit(seconds=1.0, level=0.2, seed=0):
    t = np.arange(round(seconds * RATE)) / RATE
    draw = np.random.default_rng(seed)
    sound = sum(level * a * np.exp(-d * t) * np.cos(2.0 * math.pi * f * t)
                for f, d, a in ((400.0, 5.0, 1.0), (1100.0, 9.0, 0.6), (2950.0, 20.0, 0.4)))
    return sound + 1e-4 * draw.normal(size=t.size)


def fitted(capsys, *words):
    assert main(["fit", *words]) == 0
    return capsys.readouterr()


def test_the_file_plays_at_the_level_of_the_recording(folder, capsys):
    sound = hit()
    soundfile.write("hit.wav", sound, RATE, subtype="FLOAT")
    out, errors = fitted(capsys, "hit.wav", "-o", "thing.toml", "--residual", "rest.wav",
                         "--picture", "fit.png", "--json")
    assert "3 modes" in errors
    [report] = json.loads(out)["strikes"]
    assert [row["frequency"] for row in report["modes"]] == pytest.approx(
        [400.0, 1100.0, 2950.0], rel=1e-4)
    for row, rate in zip(report["modes"], (5.0, 9.0, 20.0), strict=True):
        assert row["t60"] == pytest.approx(math.log(1000.0) / rate, rel=0.01)
        assert row["t60_band"] == pytest.approx(row["t60"], rel=0.05)
        assert 0.0 < row["t60_error"] < 0.01 * row["t60"]
    assert report["residual"] < -30.0 and report["distance"] < 3.0
    rest, rate = soundfile.read("rest.wav")
    assert rate == RATE and rest.size == sound.size
    # what is left from 2 ms on is the noise
    assert np.std(rest[200:]) == pytest.approx(1e-4, rel=0.05)
    assert (folder / "fit.png").read_bytes().startswith(b"\x89PNG")
    score = pysitar.Score.from_events([(0.0, "t.object", "strike", {})], use={"t": "thing.toml"})
    audio = pysitar.render(score, rate=RATE, stop=1.0).audio
    # two channels of constant power hold the power of the one
    power = [float((x[480:40000]**2).sum()) for x in (audio, sound)]
    assert 10.0 * math.log10(power[0] / power[1]) == pytest.approx(0.0, abs=0.5)
    assert main(["check", "hit.score"]) == 2            # no file but those named was written
    assert {path.name for path in folder.iterdir()} == {
        "hit.wav", "thing.toml", "rest.wav", "fit.png"}


def test_several_strikes_are_places(folder, capsys):
    soundfile.write("a.wav", hit(seed=1), RATE, subtype="FLOAT")
    soundfile.write("b.wav", hit(seed=2, level=0.1), RATE, subtype="FLOAT")
    fitted(capsys, "a.wav", "b.wav", "-o", "bar.toml", "--positions", "0.1,0.3", "--quiet")
    text = (folder / "bar.toml").read_text()
    assert "# position 0.1: a.wav" in text and "# position 0.3: b.wav" in text
    score = 'use "bar.toml" as t\n0 t.object strike place=p1\n1 t.object strike place=p2\n'
    (folder / "a.score").write_text(score)
    assert main(["check", "a.score"]) == 0


SINE = 0.3 * np.sin(2.0 * math.pi * 440.0 * np.arange(RATE) / RATE)
UNFIT = {
    "silence": (np.zeros(RATE), RATE, "silent"),
    "clipped": (np.clip(5.0 * SINE, -1.0, 1.0), RATE, "clipped"),
    "dc": (0.4 + 0.1 * SINE, RATE, "remove the DC"),
    "8 khz": (SINE, 8000, "the rate is 8000 Hz"),
    "stereo": (np.stack((SINE, SINE), axis=1), RATE, "--channel"),
    "0.05 s": (SINE[:2400], RATE, "0.05 s long"),
    "61 s": (np.zeros(16000 * 61), 16000, "61 s long"),
    "noise": (0.1 * np.random.default_rng(3).normal(size=RATE), RATE, "no mode over its noise"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_unfit_recordings_are_refused(folder, capsys, name):
    sound, rate, message = UNFIT[name]
    soundfile.write("hit.wav", sound, rate, subtype="FLOAT")
    refused("fit", capsys, folder, 2, message, "hit.wav", "-o", "thing.toml")


@pytest.mark.parametrize(("words", "message"), [
    (["-o", "thing.txt"], "does not end in .toml"), (["-o", "no/thing.toml"], "no"),
    (["-o", "a.toml", "--modes", "0"], "--modes is 0"),
    (["-o", "a.toml", "--settled", "2s"], "--settled is 2"),
    (["-o", "a.toml", "--positions", "0.1,0.2"], "for 1 recording"),
    (["-o", "a.toml", "--residual", "hit.wav"], "never changed"),
    (["-o", "a.toml", "--residual", "rest.flac"], "does not end in .wav"),
    (["-o", "a.toml", "--channel", "2"], "no channel 2"),
    (["-o", "a.toml", "--channel", "left"], "is no channel"),
    (["-o", "a.toml", "--length", "1m"], "--length is of a string"),
    (["-o", "a.toml", "--body", "--length", "1m"], "--length is of a string"),
    (["-o", "a.toml", "--body", "--no-response"], "expected no --no-response with --body"),
    (["hit.wav", "-o", "a.toml"], "hit.wav is given twice; expected each recording once"),
    (["./hit.wav", "-o", "a.toml"], "./hit.wav is given twice (hit.wav is the same file)"),
])
def test_wrong_command_lines_are_refused(folder, capsys, words, message):
    soundfile.write("hit.wav", hit(0.3), RATE, subtype="FLOAT")
    code = 1 if "no/thing.toml" in words else 2
    refused("fit", capsys, folder, code, message, "hit.wav", *words)


def test_a_channel_of_a_stereo_file(folder, capsys):
    soundfile.write("hit.wav", np.stack((hit(0.5), np.zeros(RATE // 2)), axis=1), RATE,
                    subtype="FLOAT")
    for channel in ("1", "mean"):
        fitted(capsys, "hit.wav", "-o", "thing.toml", "--channel", channel, "--quiet")
    refused("fit", capsys, folder, 2, "silent", "hit.wav", "-o", "b.toml", "--channel", "2")


def test_odd_recordings_are_fitted_with_a_warning(folder, capsys):
    two = np.concatenate([hit(0.4), hit(0.6, seed=2)])
    soundfile.write("two.wav", two, RATE, subtype="FLOAT")
    soundfile.write("cut.wav", hit(0.8), RATE, subtype="FLOAT")
    whole = (folder / "cut.wav").read_bytes()
    (folder / "cut.wav").write_bytes(whole[:len(whole) - 4 * 12000])
    # 12000 samples of 4 bytes are gone; the second stroke begins after 0.4 s
    for file, message in (
            ("two.wav", "warning: two.wav: a second stroke begins at 0.400 s; expected one"),
            ("cut.wav", "warning: cut.wav: 12000 of 38400 frames are missing: the file was cut at "
                        "0.55 s")):
        _, errors = fitted(capsys, file, "-o", "thing.toml", "--modes", "3", "--settled", "2ms")
        assert message in errors
    _, errors = fitted(capsys, "two.wav", "-o", "thing.toml", "--modes", "1", "--settled", "2ms")
    assert "there may be more modes than 1: see --modes" in errors
    soundfile.write("back.wav", hit(0.4)[::-1].copy(), RATE, subtype="FLOAT")
    refused("fit", capsys, folder, 2, "back.wav does not die away", "back.wav", "--body", "-o",
            "b.toml")
    refused("fit", capsys, folder, 2, "two.wav has a second stroke at 0.400 s", "two.wav",
            "--body", "-o", "b.toml")


@pytest.mark.parametrize(("positions", "message"), [
    ("0.1,0.1", "0.1 twice"), ("0.1,nan", "has nan; expected a fraction"),
    ("0.1,1.5", "has 1.5; expected a fraction"), ("-2cm,3cm", "has -2cm"),
    ("0.1,0.2,0.3", "3 values for 2 recordings")])
def test_wrong_positions_are_refused(folder, capsys, positions, message):
    for file in ("a.wav", "b.wav"):
        soundfile.write(file, hit(0.3), RATE, subtype="FLOAT")
    refused("fit", capsys, folder, 2, message, "a.wav", "b.wav", "-o", "b.toml",
            f"--positions={positions}")


def test_a_t60_that_is_not_that_of_its_band_is_reported():
    row = {"frequency": 440.0, "t60": 2.0, "t60_error": 0.01, "t60_band": 1.0,
           "t60_band_error": 0.05}
    near = row | {"t60_band": 1.9}              # within a tenth
    loose = row | {"t60_band_error": 0.4}       # within three errors
    texts = contradictions([near, row, loose, row | {"t60_band": None}])
    assert texts == ["440.0 Hz has 2 +- 0.01 s, its band 1 +- 0.05 s"]


def test_one_thread_computes_a_fit():
    # sums of several threads have other bits, and a fit with other bits has other modes
    script = ("import os; from pysitar.app.cli.main import COMMANDS; COMMANDS['fit'].parser(); "
              "print(os.environ['OPENBLAS_NUM_THREADS'])")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          check=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "2"})
    assert done.stdout.strip() == "1"


def plucked():
    string = pysitar.String(length=0.65, tension=70.0, linear_density=4e-4, bending_stiffness=1e-4,
                            sigma0=0.7, sigma1=0.01, sigma3=1e-6)
    simulation = pysitar.StringSimulation(string=string, sample_rate=RATE, max_frequency=10e3)
    simulation.pluck(position=0.12, force=1.0, ramp=0.01, release=3e-4)
    return 0.01 * simulation.run(RATE).outputs[:, 0]


def test_a_string(folder, capsys):
    soundfile.write("pluck.wav", plucked(), RATE, subtype="FLOAT")
    out, errors = fitted(capsys, "pluck.wav", "--string", "-o", "string.toml", "--tension", "70N",
                         "--json")
    found = json.loads(out)
    assert "321.79 Hz" in errors and found["linear_density"] == pytest.approx(4e-4, rel=1e-3)
    assert found["position"] == pytest.approx(0.12, abs=0.005)
    out, _ = fitted(capsys, "pluck.wav", "--string", "-o", "string.toml", "--density", "0.4g",
                    "--length", "65cm", "--pitch", "320Hz")
    assert "plucked at" in out and "120 mm of 0.65 m" in out
    (folder / "a.score").write_text('use "string.toml" as t\n0 t.string pluck\n')
    assert main(["check", "a.score"]) == 0


@pytest.mark.parametrize(("words", "message"), [
    (["--string"], "neither of --tension and --density is named"),
    (["--string", "--tension", "70", "--density", "1g"], "both of --tension and --density"),
    (["--string", "--tension", "70", "--positions", "0.1"], "--positions is of an object"),
    (["--string", "--tension", "70", "--modes", "5"], "expected no --modes with --string"),
    (["--string", "--tension", "70", "--no-response"], "expected no --no-response with --string"),
    (["--string", "--tension", "70lb"], "expected N"), (["--tension", "70"], "expected --string"),
    (["--string", "--tension", "70"], "without a series of partials"),
    (["--string", "--tension", "0"], "expected"),
])
def test_wrong_strings_are_refused(folder, capsys, words, message):
    soundfile.write("hit.wav", hit(0.5), RATE, subtype="FLOAT")
    refused("fit", capsys, folder, 2, message, "hit.wav", "-o", "a.toml", *words)
