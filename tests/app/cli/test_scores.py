"""`pysitar scores`: the list, and a copy that renders."""
import re
from pathlib import Path

import pytest
from app.commands import contents

from pysitar.__main__ import main
from pysitar.app.cli import scores

ROOT = Path(__file__).resolve().parents[3]


def test_the_list_has_every_score_with_a_description(capsys):
    assert main(["scores"]) == 0
    lines = [re.fullmatch(r"(\S+\.score) +(\S.*)", line) for line in
             capsys.readouterr().out.splitlines()]
    known = {path.relative_to(ROOT / "scores").as_posix()
             for path in (ROOT / "scores").rglob("*.score")}
    assert {line[1] for line in lines} == known and len(lines) == len(known)
    assert lines[0][1] == "alap_bhupali.score"      # pieces first, then the folders


@pytest.mark.parametrize(("text", "expected"), [
    ("# A drone. Listen.\nuse x as y\n", "A drone"),
    ("# 3. Time.\n# What to hear.\n", "3. Time"),
    ("# A string, 0.3 m\n# long. More.\n", "A string, 0.3 m long"),
    ("# Without an end\nuse x as y\n", "Without an end"),
    ("use x as y\n", ""),
])
def test_the_description_is_the_first_sentence(text, expected):
    assert scores.title(text) == expected


def test_a_copy_is_whole_and_its_next_command_works(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["scores", "--copy"]) == 0
    output = capsys.readouterr().out
    copied = {path.relative_to(tmp_path / "scores").as_posix(): path.read_bytes()
              for path in (tmp_path / "scores").rglob("*") if path.is_file()}
    assert copied == scores.shipped_scores()
    assert {"instruments/prepared.toml", "parts/tihai.score"} < set(copied)
    assert "hashes.csv" not in copied
    command = re.search(r"Next: pysitar render (\S+)\n", output)[1]
    assert main(["check", command]) == 0
    # one that uses an instrument of its own, by a path between folders, and one that includes
    assert main(["check", "scores/papers/papetti2009_fig8.score", "scores/gat_tintal.score"]) == 0


def test_a_folder_that_is_not_empty_stays(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("mine")
    assert main(["scores", "--copy", "full"]) == 2
    assert "full is not empty; expected a new name, or an empty folder" in capsys.readouterr().err
    assert sorted(contents(tmp_path / "full")) == ["x"]


def test_an_installation_without_scores_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(scores, "FIRST", "tutorial/00_none.score")
    assert main(["scores"]) == 1
    assert "installed without its scores" in capsys.readouterr().err
