"""`pysitar partials`: a list of partials becomes an object with these partials, and back; mistakes
in a list have their places."""
import math

import numpy as np
import pytest
from app.commands import refused

import pysitar
from pysitar.__main__ import main
from pysitar.fitting.modes import fit_modes
from pysitar.fitting.partial_list import read_partials

LIST = "frequency,t60,amplitude\n440,1.5,0.1\n1213.4,0.8,-0.05  # other sign\n2377,0.4,0.02\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_list_sounds_and_comes_back(folder, capsys):
    (folder / "bell.csv").write_text(LIST)
    assert main(["partials", "bell.csv", "-o", "bell.toml"]) == 0
    assert main(["partials", "bell.toml", "-o", "again.csv", "--quiet"]) == 0
    assert capsys.readouterr().err == "bell.toml: 3 partials\n"
    listed, found = (read_partials((folder / name).read_text(), name)
                     for name in ("bell.csv", "again.csv"))
    np.testing.assert_allclose(found.frequencies, listed.frequencies, rtol=1e-6)
    np.testing.assert_allclose(found.t60s, listed.t60s, rtol=1e-5)
    np.testing.assert_allclose(found.amplitudes, listed.amplitudes, rtol=1e-4)
    score = pysitar.Score.from_events([(0.0, "t.object", "strike", {})], use={"t": "bell.toml"})
    # a fade is no sum of modes
    sound = pysitar.render(score, rate=48000, stop=1.5, fade=0.0).audio[:, 0] * math.sqrt(2.0)
    modes = fit_modes(sound, 48000.0)
    assert modes.frequencies == pytest.approx(listed.frequencies, rel=1e-5)
    assert modes.t60s == pytest.approx(listed.t60s, rel=1e-3)
    at_onset = modes.amplitudes * np.exp(modes.decay_rates * (modes.start - modes.onset))
    assert at_onset == pytest.approx(np.abs(listed.amplitudes), rel=0.01)


def test_a_preset_has_a_list(folder, capsys):
    assert main(["partials", "bell_bar", "-o", "bar.csv"]) == 0
    found = read_partials((folder / "bar.csv").read_text(), "bar.csv")
    assert found.frequencies[0] == pytest.approx(1031.7, rel=1e-4)
    assert found.t60s[0] == pytest.approx(4.288, rel=1e-3)


def test_columns_in_another_order(folder):
    text = "# a bell\namplitude, frequency, t60\n0.1, 900, 2\n0.2, 300, 3\n"
    found = read_partials(text, "a.csv")
    assert found.frequencies.tolist() == [300.0, 900.0] and found.t60s.tolist() == [3.0, 2.0]
    assert found.amplitudes.tolist() == [0.2, 0.1]


@pytest.mark.parametrize(("text", "place", "message"), [
    ("440,1.5\n", ":1:1", "has 2 values; expected frequency, t60, amplitude"),
    ("440, 0, 0.1\n", ":1:6", "t60 is 0; expected a number from 0.001 to 1000 s"),
    ("440,1,0\n", ":1:7", "amplitude is 0"), ("a,1,0.1\n", ":1:1", "frequency is a"),
    ("440,nan,0.1\n", ":1:5", "t60 is nan"), ("\n\n440,1,1e9\n", ":3:7", "amplitude is 1e9"),
    ("# nothing\n", "a.csv:", "has no partials"), ("440,1,0.1\n" * 1001, ":1001:1", "over 1000"),
])
def test_mistakes_in_a_list_have_their_places(folder, capsys, text, place, message):
    (folder / "a.csv").write_text(text)
    assert main(["partials", "a.csv", "-o", "a.toml"]) == 2
    errors = capsys.readouterr().err
    assert place in errors and message in errors and not (folder / "a.toml").exists()


@pytest.mark.parametrize(("words", "message"), [
    (["no.csv", "-o", "a.toml"], "no.csv"), (["guitar", "-o", "a.csv"], "has no objects"),
    (["bell", "-o", "a.csv"], "no preset is named bell"),
    (["bell_bar", "-o", "a.toml"], "does not end in .csv"),
    (["bell_bar", "-o", "a.csv", "--object", "barr"], "did you mean bar?"),
    (["bell.csv", "-o", "a.toml", "--object", "bar"], "expected no --object"),
    (["tabla_dayan", "-o", "a.csv", "--object", "x"], "has no object x"),
])
def test_wrong_command_lines_are_refused(folder, capsys, words, message):
    (folder / "bell.csv").write_text(LIST)
    refused("partials", capsys, folder, 2, message, *words)
