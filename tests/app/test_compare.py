"""`pysitar compare`: a sound of each scheme, the table's truth, and what is refused before any sound."""
import csv
import math

import numpy as np
import pytest
import soundfile

import pysitar
from pysitar.app.cli.main import main
from pysitar.app.compare import SCHEMES, by_scheme

WIRE = """model = "string"
gain = 1.0
[strings.a]
pitch = 220.0
length = 0.65
linear_density = 1e-3
sigma0 = 20.0
{more}
[strings.a.pluck]
position = 0.2
force = 1.0
width = 0.0
ramp = 0.004
release = 0.004
"""
THREAD = "[strings.a.thread]\nposition = 0.008\nheight = 1e-5\nstiffness = 1e5\nresistance = 1.0\n"
SCORE = """use "wire.toml" as s scheme=fd-explicit
use bell_bar as b
render rate=24000 tail=0.4s
set s.scheme = three-point
0.1 s.a pluck
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wire.toml").write_text(WIRE.format(more=""))
    (tmp_path / "thread.toml").write_text(WIRE.format(more=THREAD))
    (tmp_path / "a.score").write_text(SCORE)
    return tmp_path


def test_a_sound_of_each_scheme_and_a_true_table(folder, capsys):
    assert main(["compare", "a.score", "-o", "out"]) == 0
    told = capsys.readouterr().out.splitlines()
    with open("out/compare.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["scheme"] for row in rows] == list(SCHEMES)
    assert len(told) == len(SCHEMES) + 1 and told[1].startswith("two-point")
    first = None
    for row in rows:
        sound, rate = soundfile.read(f"out/{row['file']}", always_2d=True)
        assert row["file"] == f"a-{row['scheme']}.wav"
        assert (folder / "out" / f"{row['file']}.json").is_file()
        assert float(row["rms_db"]) == pytest.approx(20.0 * math.log10(np.sqrt(np.mean(sound**2))), abs=0.006)
        assert 0.0 < float(row["residual"]) <= 1e-12
        # ln 1000 / 20 s: a decay of 20/s; the fit runs over partials that all decay alike
        assert float(row["t60_s"]) == pytest.approx(math.log(1000.0) / 20.0, rel=0.03)
        piece = sound[2400:2640]
        first = piece if first is None else first
        assert float(row["difference_10ms"]) == pytest.approx(np.linalg.norm(piece - first) / np.linalg.norm(first), rel=0.01, abs=1e-12)
        assert rate == 24000
    assert 0.0 < float(rows[1]["difference_10ms"]) < 0.5


def test_the_sound_is_that_of_the_scheme_alone(folder):
    assert main(["compare", "a.score", "-o", "out", "--schemes", "fd-explicit", "--quiet"]) == 0
    (folder / "b.score").write_text(SCORE.replace("set s.scheme = three-point\n", ""))
    pysitar.render_file(pysitar.load_score("b.score"), "b.wav")
    np.testing.assert_array_equal(soundfile.read("out/a-fd-explicit.wav")[0], soundfile.read("b.wav")[0])
    score = by_scheme(pysitar.load_score("a.score"), "two-point", frozenset({"s"}))
    assert [use.overrides["scheme"].value.text if "scheme" in use.overrides else None for use in score.uses] == ["two-point", None]


@pytest.mark.parametrize(("change", "words", "told"), [
    ("", ["--schemes", "two-point,four-point"], "schemes is four-point; known are two-point"),
    ("0 s.a fret ga\n", [], "by the scheme three-point:\na.score:5:7: fret is not played by the three-point scheme"),
    ("0 s.b pluck\n", [], "a.score:5:5: s has no string b"),
])
def test_what_is_refused_leaves_nothing(folder, capsys, change, words, told):
    (folder / "a.score").write_text(SCORE.replace("set s.scheme = three-point\n", "").replace(" scheme=fd-explicit", "") + change)
    assert main(["compare", "a.score", "-o", "out", *words]) == 2
    assert told in capsys.readouterr().err
    assert not (folder / "out").exists()


def test_a_thread_and_objects_alone_are_refused(folder, capsys):
    (folder / "a.score").write_text(SCORE.replace("wire.toml", "thread.toml").replace("set s.scheme = three-point\n", "").replace(
        " scheme=fd-explicit", ""))
    assert main(["compare", "a.score", "-o", "out"]) == 2
    assert "the three-point scheme has no thread" in capsys.readouterr().err
    (folder / "a.score").write_text("use bell_bar as b\n0 b.bar strike\n")
    assert main(["compare", "a.score", "-o", "out"]) == 2
    assert "no instrument of strings" in capsys.readouterr().err
    (folder / "out").write_text("")
    assert main(["compare", "a.score", "-o", "out"]) == 2
    assert "not a folder" in capsys.readouterr().err
