"""`pysitar check`: all that is wrong, with its place; one line on what is right; never a sound."""
import io
import json
import os
import sys

import pytest
from app.commands import HEAD, SHORT, furnish

from pysitar.__main__ import main


@pytest.fixture
def folder(here):
    return furnish(here, good=SHORT)


def checked(capsys, *words):
    code = main(["check", *words])
    out, output = capsys.readouterr()
    assert output == ""
    return code, out


@pytest.mark.parametrize(("text", "line"), [
    (SHORT, "1 event, 1 voice, 0.1 s"),
    (HEAD + "0 t.a pluck\n+ t.a pluck\n", "2 events, 1 voice, 2 s, then until all is silent"),
    (HEAD + "render tail=1.5s\n0 t.a pluck\n", "1 event, 1 voice, 2.5 s"),
    (HEAD + 'use "two.toml" as u\n0 t.* pluck\n0 u.a pluck\n',
     "2 events, 2 voices, 1 s, then until all is silent"),
])
def test_one_line_on_a_score_that_is_right(text, line, folder, capsys):
    (folder / "a.score").write_text(text)
    assert checked(capsys, "a.score") == (0, f"a.score: {line}\n")
    assert sorted(os.listdir(folder)) == ["a.score", "good.score", "two.toml"]


def test_problems_of_text_options_and_instruments_come_together_in_order(folder, capsys):
    (folder / "bad.score").write_text(HEAD + "render oversample=1000\n0 t.b pluck\n1 t.a pluk\n"
                                      "2 t.a pluck x=1.8\nset t.a.cents = 5000\n")
    code, out = checked(capsys, "bad.score")
    assert code == 2
    places = [line.split(": ")[0] for line in out.splitlines() if not line.startswith("    ")]
    assert places == ["bad.score:2:19", "bad.score:3:5", "bad.score:4:7", "bad.score:5:15",
                      "bad.score:6:17"]
    assert "    0 t.b pluck\n        ^\n" in out


def test_the_first_twenty(folder, capsys):
    (folder / "bad.score").write_text(HEAD + "0 t.b pluck\n" * 50)
    code, out = checked(capsys, "bad.score")
    assert code == 2
    assert out.count("bad.score:") == 20
    assert out.splitlines()[-1] == "... and 30 more"


def test_several_scores_are_all_checked(folder, capsys):
    (folder / "bad.score").write_text(HEAD + "0 t.b pluck\n")
    code, out = checked(capsys, "good.score", "bad.score", "missing.score", "good.score")
    assert code == 2
    lines = [line for line in out.splitlines() if not line.startswith("    ")]
    assert [line.split(":")[0]
            for line in lines] == ["good.score", "bad.score", "missing.score", "good.score"]


def test_standard_input(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SHORT.encode())))
    assert checked(capsys, "-") == (0, "-: 1 event, 1 voice, 0.1 s\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(HEAD.encode() + b"0 t.a pluk\n")))
    code, out = checked(capsys, "-")
    assert (code, out.splitlines()[0]) == (2, "-:2:7: pluk is not a verb; did you mean pluck?")


def test_an_instrument_that_cannot_be_built(folder, capsys):
    (folder / "long.toml").write_text((folder / "two.toml").read_text().replace(
        "9000.0", "2.0").replace("length = 0.2", "length = 1000"))
    (folder / "bad.score").write_text('use "long.toml" as t\n0 t.a pluck\n')
    code, out = checked(capsys, "bad.score")
    assert code == 2
    assert out.startswith("bad.score")
    assert "4096 modes" in out


WARNED = (HEAD + "render tail=0 oversample=1\nset t.a.length = 1\nset t.a.pitch = 1kHz\n"
          "set t.a.core_diameter = 0\n")


def test_warnings_stand_before_the_one_line(folder, capsys):
    (folder / "a.score").write_text(WARNED + "0 t.a pluck\n1 t.a pluck +1st\n2 t.a fret 2kHz\n")
    code, out = checked(capsys, "a.score")
    assert code == 0
    # an ideal wire but for its losses: the modes lie at i kHz; under 20 kHz 19 of them, and under
    # 22.56 / 2 kHz 11. Stress of a steel wire: (2 L f)^2 7800 kg/m^3
    assert out == (
        "a.score:8:12: warning: t.a at 2000 Hz would be under 124.8 GPa; steel breaks at about 2.2 "
        "GPa, so the tension is an idealisation\n    2 t.a fret 2kHz\n               ^\n"
        "a.score:8:12: warning: t.a at 2000 Hz keeps 11 of its 19 modes, those up to 11000 Hz at "
        "its open pitch; expected a higher oversample to keep them all\n    2 t.a fret 2kHz\n"
        "               ^\na.score: 3 events, 1 voice, 3 s; 2 warnings\n")


def test_only_the_first_twenty_warnings(folder, capsys):
    uses = "".join(f'use "two.toml" as i{n}\nset i{n}.a.core_diameter = 1mm\n' for n in range(23))
    (folder / "a.score").write_text(uses + "".join(f"0 i{n}.a pluck\n" for n in range(23)))
    code, out = checked(capsys, "a.score")
    assert code == 0
    assert out.count(": warning: ") == 20
    assert out.splitlines()[-2:] == ["... and 3 more", "a.score: 23 events, 23 voices, 1 s, then "
                                     "until all is silent; 23 warnings"]


def test_a_wrong_score_is_not_warned_of(folder, capsys):
    (folder / "bad.score").write_text(WARNED + "0 t.a pluck 2kHz\n1 t.a pluck x=1.8\n")
    code, out = checked(capsys, "bad.score")
    assert code == 2
    assert "warning" not in out and out.startswith("bad.score:7:15: position")


def test_no_score_named(capsys):
    assert main(["check"]) == 2
    assert "SCORE" in capsys.readouterr().err


def test_json_lists_problems_and_scores(folder, capsys):
    (folder / "bad.score").write_text(HEAD + "0 t.a pluck x=1.8\n1 t.zz pluck\n")
    (folder / "warned.score").write_text(WARNED + "0 t.a pluck 2kHz\n")
    code, out = checked(capsys, "good.score", "bad.score", "warned.score", "--json")
    found = json.loads(out)
    assert code == 2 and set(found) == {"problems", "scores"}
    assert [[problem[key] for key in ("file", "line", "col", "severity")]
            for problem in found["problems"]] == [
        ["bad.score", 2, 15, "error"], ["bad.score", 3, 5, "error"],
        *[["warned.score", 6, 13, "warning"]] * 2]
    assert found["problems"][1]["message"].startswith("t has no string zz; expected")
    assert found["scores"][:2] == [
        {"score": "good.score", "events": 1, "voices": 1, "seconds": 0.1, "sounds": 1, "errors": 0,
         "warnings": 0},
        {"score": "bad.score", "errors": 2, "warnings": 0}]
    assert found["scores"][2]["warnings"] == 2


def test_json_lists_more_than_twenty_problems_and_a_missing_file(folder, capsys):
    (folder / "bad.score").write_text(HEAD + "0 t.zz pluck\n" * 30)
    code, out = checked(capsys, "bad.score", "missing.score", "--json")
    problems = json.loads(out)["problems"]
    assert code == 2 and len(problems) == 31
    assert problems[30] | {"message": ""} == {"file": "missing.score", "line": 0, "col": 0,
                                              "severity": "error", "message": ""}
    assert checked(capsys, "good.score", "--json")[0] == 0


@pytest.mark.parametrize("name", ["a\nb.score", "na\udcffme.score"])
def test_json_names_a_score_alike_in_both_lists(folder, capsys, name):
    (folder / name).write_text(HEAD + "0 t.zz pluck\n")
    code, out = checked(capsys, name, "--json")
    found = json.loads(out)
    assert code == 2
    assert found["problems"][0]["file"] == found["scores"][0]["score"] == (
        name.replace("\udcff", "\ufffd"))
