"""`pysitar expand`: a flat score on standard output, and what is wrong instead of half of one."""
import pytest

from pysitar.app.cli.main import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_flat_score(folder, capsys):
    (folder / "a.score").write_text("use tanpura as t\ntempo 120\nplay x times=2 every=1\nsection x\n0 t.pa pluck f=0.5N\nend\n")
    assert main(["expand", "a.score"]) == 0
    out = capsys.readouterr().out
    assert out == "# a.score, expanded\nuse tanpura as t\n0s t.pa pluck dur=0.5s f=0.5N\n0.5s t.pa pluck dur=0.5s f=0.5N\n"
    (folder / "b.score").write_text(out)
    assert main(["expand", "b.score"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == out.splitlines()[1:]


@pytest.mark.parametrize(("text", "told"), [
    ("use tanpura as t\n0 t.pb pluck\n", "a.score:2:5: t has no string pb"),
    ("use tanpura as t\n0 t.pa pluck f=2\n0 t.pa oops\n", "a.score:3:8: "),
    ("use tanpura as t\nsweep t.pa.pluck.force = (1 2)\n0 t.pa pluck\n", "a.score:2:7: a sweep"),
])
def test_what_is_wrong_is_told_and_nothing_written(folder, capsys, text, told):
    (folder / "a.score").write_text(text)
    assert main(["expand", "a.score"]) == 2
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.out == ""
