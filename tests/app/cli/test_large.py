"""`check` and `expand` refuse what `render` refuses, and lift the limits as it does."""
import pytest
from app.commands import HEAD, furnish

from pysitar.__main__ import main


@pytest.mark.parametrize(("text", "output", "counted", "rows"), [
    ("render tail=0\n14400s t.a pluck\n", "expected at most 4 hours (14400 s)", "1 event",
     "14400s t.a pluck dur=1s\n"),
    ("render tail=14401\n0 t.a pluck\n", "at most 14400", "1 event", "0s t.a pluck dur=1s\n"),
    ("render tail=0 oversample=64 rate=96000\n0 t.a pluck\n", "at most 3100000 Hz", "1 event",
     "0s t.a pluck dur=1s\n"),
])
def test_limits_are_lifted_on_request(text, output, counted, rows, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    furnish(tmp_path, large=HEAD + text)
    for command in ("check", "expand"):
        assert main([command, "large.score"]) == 2
        captured = capsys.readouterr()
        assert output in captured.out + captured.err
    assert main(["check", "large.score", "--allow-large"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"large.score: {counted}, 1 voice, ")
    assert main(["expand", "--allow-large", "large.score"]) == 0
    assert capsys.readouterr().out.endswith(rows)


def test_the_first_of_a_batch_is_checked_with_its_limits_lifted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    furnish(tmp_path,
            large=HEAD + "render tail=0\nsweep t.a.pluck.force = (1N 2N)\n14400s t.a pluck\n")
    assert main(["check", "large.score"]) == 2
    assert "expected at most 4 hours (14400 s)" in capsys.readouterr().out
    assert main(["check", "large.score", "--allow-large"]) == 0
    assert "2 sounds for pysitar batch" in capsys.readouterr().out
