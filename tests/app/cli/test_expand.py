"""`pysitar expand`: a flat score on standard output or in a file, and what is wrong instead of half
of one."""
import os

import pytest
from app.commands import HEAD, SHORT, contents, furnish

from pysitar.__main__ import main


@pytest.fixture(autouse=True)
def folder(here):
    return here


def test_a_flat_score(folder, capsys):
    (folder / "a.score").write_text("use tanpura as t\ntempo 120\nplay x times=2 every=1\n"
                                    "section x\n0 t.pa pluck f=0.5N\nend\n")
    assert main(["expand", "a.score"]) == 0
    out = capsys.readouterr().out
    assert (out == "# a.score, expanded\nuse tanpura as t\n0s t.pa pluck dur=0.5s f=0.5N\n"
            "0.5s t.pa pluck dur=0.5s f=0.5N\n")
    (folder / "b.score").write_text(out)
    assert main(["expand", "b.score"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == out.splitlines()[1:]


@pytest.mark.parametrize(("text", "output"), [
    ("use tanpura as t\n0 t.pb pluck\n", "a.score:2:5: t has no string pb"),
    ("use tanpura as t\n0 t.pa pluck f=2\n0 t.pa oops\n", "a.score:3:8: "),
    ("use tanpura as t\nsweep t.pa.pluck.force = (1 2)\n0 t.pa pluck\n", "a.score:2:7: a sweep"),
])
def test_what_is_wrong_is_reported_and_nothing_written(folder, capsys, text, output):
    (folder / "a.score").write_text(text)
    assert main(["expand", "a.score"]) == 2
    captured = capsys.readouterr()
    assert output in captured.err
    assert captured.out == ""


def test_a_file_appears_whole_or_not_at_all(tmp_path, capsys):
    furnish(tmp_path, a=SHORT, b=HEAD + "0 t.a pluck f=0\n")
    assert main(["expand", "a.score"]) == 0
    flat = capsys.readouterr().out
    for name, code in (("flat.score", 0), ("flat.txt", 2), ("no/flat.score", 1), ("fifo.score", 1)):
        if name == "fifo.score":
            os.mkfifo(name)
        before = contents(tmp_path)
        assert main(["expand", "a.score", "-o", name]) == code
        assert contents(tmp_path) == before | ({name: flat.encode()} if code == 0 else {})
    assert main(["expand", "b.score", "-o", "flat.score"]) == 2  # wrong: what was there stays
    assert (tmp_path / "flat.score").read_text() == flat
    assert main(["expand", "a.score", "-o", "-"]) == 0 and capsys.readouterr().out == flat


def test_paths_in_a_file_are_relative_to_its_folder(tmp_path, capsys):
    (furnish(tmp_path, a='tuning scala "a.scl"\n' + SHORT) / "a.scl").write_text("test\n1\n2/1\n")
    (tmp_path / "flat").mkdir()
    assert main(["expand", "a.score", "-o", "flat/b.score"]) == 0
    flat = (tmp_path / "flat" / "b.score").read_text()
    assert 'use "../two.toml" as t' in flat and 'scala "../a.scl"' in flat
    assert main(["check", "flat/b.score"]) == 0
    capsys.readouterr()
    assert main(["expand", "flat/b.score"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == flat.replace("../", "").splitlines()[1:]


@pytest.mark.parametrize("tuning", ["sa=C#3 just", "sa=C#3 edo 22", "sa=D3 shruti"])
def test_a_tuning_without_a_file_is_written_to_one(tmp_path, capsys, tuning):
    furnish(tmp_path, a=f"tuning {tuning}\n{SHORT}")
    assert main(["expand", "a.score", "-o", "flat.score"]) == 0
    assert main(["expand", "flat.score"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == (tmp_path
                                                        / "flat.score").read_text().splitlines()[1:]
