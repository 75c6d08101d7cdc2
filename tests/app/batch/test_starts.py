"""Workers killed at their start: the others continue; with none, the next run renders what is
missing."""
import pytest
from app.batch.folders import remains, rows
from app.batch.makers import Inline
from app.commands import furnish, one_pluck

from pysitar.__main__ import main
from pysitar.app.batch import run as batch_run
from pysitar.app.workers import pool

BASE = one_pluck(20, "sweep t.a.pluck.position = (0.2 0.3 0.4 0.5)")
FAILED_STARTS = 2          # of more of them none shows anything else
WORDS = ["batch", "x.score", "-o", "d", "--jobs"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(furnish(tmp_path, x=BASE))
    monkeypatch.setitem(batch_run.run.__kwdefaults__, "function", "app.batch.dying_starts:make")
    monkeypatch.setattr(pool, "MAX_FAILED_STARTS", FAILED_STARTS)
    return tmp_path


def test_the_others_go_on(here, capsys):
    (here / "one-lives").touch()
    assert main([*WORDS, "2"]) == 0
    output = capsys.readouterr().err.splitlines()
    assert output == [
        f"pysitar: {FAILED_STARTS} workers ended before they began, the last one by SIGKILL; "
        f"continuing with 1 worker",
        "d: 4 of 4 sounds, 4 rendered now; manifest.jsonl and manifest.csv list them"
    ]
    assert len(list(here.glob("started-*"))) == 1 + FAILED_STARTS and not remains("d")


def test_with_none_what_is_not_made_is_reported(here, monkeypatch, capsys):
    assert main([*WORDS, "2"]) == 1
    output = capsys.readouterr().err.splitlines()
    assert output[-3:] == [
        f"pysitar: {FAILED_STARTS} workers ended before they began, the last one by SIGKILL; "
        f"the same command continues from here",
        "pysitar: 4 sounds are not made yet: x-00001, x-00002, x-00003, x-00004",
        "d: 0 of 4 sounds, 0 rendered now; manifest.jsonl and manifest.csv list them"
    ]
    assert [row["error"] for row in rows("d")] == ["not made yet"] * 4 and not remains("d")
    monkeypatch.setattr(batch_run, "Workers", Inline)
    monkeypatch.setitem(batch_run.run.__kwdefaults__, "function",
                        "pysitar.app.batch.render_item:make")
    assert main([*WORDS, "2"]) == 0 and [row["error"] for row in rows("d")] == [None] * 4
