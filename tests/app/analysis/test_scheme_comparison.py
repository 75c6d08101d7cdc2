"""`pysitar compare`: a sound of each scheme, the table's truth, and what is refused before any
sound."""
import csv
import json
import math
import shlex

import numpy as np
import pytest
import soundfile
from instruments import THREAD, instrument, string

import pysitar
from pysitar.__main__ import main
from pysitar.app.analysis.scheme_comparison import with_scheme
from pysitar.app.cli.compare import EPILOG
from pysitar.models.network.schemes.catalogue import STRING_SCHEMES

WIRE = {"sigma0": 20.0}
PLUCK = {"ramp": 0.004, "release": 0.004}
SCORE = """use "wire.toml" as s scheme=fd-explicit
use bell_bar as b
render rate=24000 tail=0.4s
set s.scheme = three-point
0.1 s.a pluck
"""


@pytest.fixture(autouse=True)
def folder(here):
    (here / "wire.toml").write_text(instrument(string(**WIRE, pluck=PLUCK)))
    (here / "thread.toml").write_text(instrument(string(**WIRE, thread=THREAD, pluck=PLUCK)))
    (here / "a.score").write_text(SCORE)
    return here


def test_a_sound_of_each_scheme_and_a_true_table(folder, capsys):
    assert main(["compare", "a.score", "-o", "out"]) == 0
    output = capsys.readouterr().out.splitlines()
    with open("out/compare.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["scheme"] for row in rows] == list(STRING_SCHEMES)
    assert len(output) == len(STRING_SCHEMES) + 1 and output[1].startswith("two-point")
    first = None
    for row in rows:
        sound, rate = soundfile.read(f"out/{row['file']}", always_2d=True)
        assert row["file"] == f"a-{row['scheme']}.wav"
        assert (folder / "out" / f"{row['file']}.json").is_file()
        assert float(row["rms_db"]) == pytest.approx(20.0 * math.log10(np.sqrt(np.mean(sound**2))),
                                                     abs=0.006)
        assert 0.0 < float(row["residual"]) <= 1e-12
        # ln 1000 / 20 s: a decay of 20/s; the fit runs over partials that all decay alike
        assert float(row["t60_s"]) == pytest.approx(math.log(1000.0) / 20.0, rel=0.03)
        piece = sound[2400:2640]
        first = piece if first is None else first
        assert float(row["difference_10ms"]) == pytest.approx(
            np.linalg.norm(piece - first) / np.linalg.norm(first), rel=0.01, abs=1e-12)
        assert rate == 24000
    assert 0.0 < float(rows[1]["difference_10ms"]) < 0.5


def test_the_sound_is_that_of_the_scheme_alone(folder):
    assert main(["compare", "a.score", "-o", "out", "--schemes", "fd-explicit", "--quiet"]) == 0
    (folder / "b.score").write_text(SCORE.replace("set s.scheme = three-point\n", ""))
    pysitar.render_file(pysitar.load_score("b.score"), "b.wav")
    np.testing.assert_array_equal(soundfile.read("out/a-fd-explicit.wav")[0],
                                  soundfile.read("b.wav")[0])
    score = with_scheme(pysitar.load_score("a.score"), "two-point", frozenset({"s"}))
    assert [use.overrides["scheme"].value.text if "scheme" in use.overrides else None
            for use in score.uses] == ["two-point", None]


@pytest.mark.parametrize(("change", "words", "output"), [
    ("", ["--schemes", "two-point,four-point"], "schemes is four-point; expected one of two-point"),
    ("", ["--schemes", ","], 'schemes is ""; expected one of two-point'),
    ("", ["--schemes", ""], 'schemes is ""; expected one of two-point'),
    ("0 s.b pluck\n", [], "a.score:5:5: s has no string b"),
])
def test_what_is_refused_leaves_nothing(folder, capsys, change, words, output):
    (folder / "a.score").write_text(SCORE.replace("set s.scheme = three-point\n",
                                                  "").replace(" scheme=fd-explicit", "") + change)
    assert main(["compare", "a.score", "-o", "out", *words]) == 2
    assert output in capsys.readouterr().err
    assert not (folder / "out").exists()


PLAIN = SCORE.replace("set s.scheme = three-point\n", "").replace(" scheme=fd-explicit", "")


def table(place="out"):
    with open(f"{place}/compare.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("file", "more", "reason"), [
    ("wire", "0.2 s.a fret C4\n", "a.score:5:9: fret is not played by the {} scheme"),
    ("wire", "0.2 s.a pluck C4\n", "a.score:5:15: pluck takes no pitch by the {} scheme"),
    ("thread", "", "a.score:1:22: the {} scheme has no thread"),
])
def test_a_scheme_that_cannot_play_a_score_is_skipped_and_named(folder, capsys, file, more, reason):
    (folder / "a.score").write_text(PLAIN.replace("wire", file) + more)
    assert main(["compare", "a.score", "-o", "out"]) == 0
    output, rows = capsys.readouterr(), table()
    assert [line.split()[0] for line in output.out.splitlines()] == ["scheme", "two-point"]
    assert [row["scheme"] for row in rows] == list(STRING_SCHEMES)
    assert rows[0]["note"] == "" and float(rows[0]["residual"]) < 1e-12
    skips = [line for line in output.err.splitlines() if line.startswith("pysitar compare: ")]
    for row, line in zip(rows[1:], skips, strict=True):
        assert row["note"].startswith("skipped: "
                                      + reason.format(row["scheme"])) and row["file"] == ""
        assert line == f"pysitar compare: {row['scheme']}: {row['note']}"
    assert sorted(path.name for path in (folder / "out").iterdir()) == [
        "a-two-point.wav", "a-two-point.wav.json", "compare.csv"]
    assert main(["compare", "a.score", "-o", "none", "--schemes", "fd-explicit,three-point"]) == 2
    assert capsys.readouterr().err.startswith(
        reason.format("fd-explicit")) and not (folder / "none").exists()


def test_all_reasons_why_a_scheme_is_skipped_are_named(folder):
    (folder / "a.score").write_text("use guitar as g\nrender tail=0\n0 g.e4 pluck dur=10ms\n")
    assert main(["compare", "a.score", "-o", "out", "--schemes", "two-point,three-point"]) == 0
    assert table()[1]["note"] == (
        "skipped: a.score:1:15: the three-point scheme moves strings in one direction, and e2 has "
        "polarisation = 2; expected two-point, or polarisation = 1. Also: the three-point scheme "
        "has no coupled body; expected two-point, or coupled = false in [body]")


@pytest.mark.parametrize("row", ["0.1 s.a pluck touch=3 lead=2ms", "0.1 s strum touch=3 lead=2ms",
                                 "0.1 s.a pluck",
                                 "section x\n0 s.a pluck touch=3 lead=2ms\nend\nplay x at=0.1"])
def test_a_touch_that_one_scheme_has_not_is_left_out_in_all(folder, capsys, row):
    touched = PLUCK | {"touch": 3.0, "lead": 0.002}
    (folder / "wire.toml").write_text(instrument(string(**WIRE, pluck=touched)))
    (folder / "a.score").write_text(PLAIN.replace("0.1 s.a pluck", row))
    assert main(["compare", "a.score", "-o", "out", "--schemes",
                 "two-point, fd-iterative ,modal-explicit"]) == 0
    assert ("\nwithout touch: fd-iterative, modal-explicit have no touch before a pluck; it is "
            "left out in all schemes\n" in (capsys.readouterr().out))
    for row in table():
        assert row["note"] == "without touch"
        assert float(row["difference_10ms"]) < 0.02          # with the touch in two-point alone 0.8
    with open("out/a-two-point.wav.json", encoding="utf-8") as file:
        values = json.load(file)["events"][0]["parameters"]
    assert (values["touch"], values["lead"]) == (0.0, 0.0)
    assert main(["compare", "a.score", "-o", "out", "--schemes", "two-point,three-point"]) == 0
    assert "without touch" not in capsys.readouterr().out
    assert [row["note"] for row in table()] == ["", ""]
    pysitar.render_file(pysitar.load_score("a.score"), "b.wav")
    np.testing.assert_array_equal(soundfile.read("out/a-two-point.wav")[0],
                                  soundfile.read("b.wav")[0])


def test_the_example_of_the_help_compares_all_schemes(folder, capsys):
    """They agree in the first 10 ms, where contact has not begun."""
    write, *lines = [shlex.split(line) for line in EPILOG.splitlines()[1:]]
    assert write[0] == "printf" and write[2] == ">"
    (folder / write[3]).write_text(write[1].replace("\\n", "\n"))
    for line, schemes in zip(lines, (list(STRING_SCHEMES), ["two-point", "fd-explicit"]),
                             strict=True):
        assert main([*line[1:], "--quiet"]) == 0
        rows = table("compared")
        assert [row["scheme"] for row in rows] == schemes
        first, *others = [float(row["difference_10ms"]) for row in rows]
        # 2e-5; 1.2 with the touch in two schemes alone
        assert first == 0.0 and 0.0 < min(others) <= max(others) < 1e-3
    assert "skipped" not in capsys.readouterr().err


def test_a_coupled_body_leaves_one_scheme_and_none_leaves_all(folder, capsys):
    text = ("use guitar as g\nset g.polarisation = 1\nrender tail=1ms\n"
            "0 g.e2 pluck f=2N dur=0.02\n")
    (folder / "guitar.score").write_text(text)
    assert main(["compare", "guitar.score", "-o", "out", "--quiet"]) == 0
    assert "the fd-explicit scheme has no coupled body; expected two-point, or coupled = false" in (
        capsys.readouterr().err)
    assert [row["scheme"] for row in table() if not row["note"].startswith("skipped")] == [
        "two-point"]
    (folder / "guitar.score").write_text(text.replace("\n", "\nset g.body.coupled = false\n", 1))
    assert main(["compare", "guitar.score", "-o", "out", "--quiet"]) == 0
    # 0.0045 of modal-explicit, whose high partials are sharp; 0.3 with the touch in two alone
    assert 0.0 < max(float(row["difference_10ms"]) for row in table()) < 0.02


def test_objects_alone_are_refused(folder, capsys):
    (folder / "a.score").write_text("use bell_bar as b\n0 b.bar strike\n")
    assert main(["compare", "a.score", "-o", "out"]) == 2
    assert "expected a score that plays an instrument of strings" in capsys.readouterr().err
    (folder / "a.score").write_text('use "wire.toml" as s\nuse bell_bar as b\n0 b.bar strike\n')
    assert main(["compare", "a.score", "-o", "out"]) == 2
    assert "expected a score that plays an instrument of strings" in capsys.readouterr().err
    (folder / "out").write_text("")
    assert main(["compare", "a.score", "-o", "out"]) == 2
    assert "not a folder" in capsys.readouterr().err
