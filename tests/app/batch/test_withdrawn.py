"""A manifest never has rows of missing or changed sounds: after a stopped run, of shards, with a
wrong sidecar."""
import json
import math
import shutil
from pathlib import Path

import pytest
from app.batch.folders import rows
from app.batch.makers import Inline
from app.commands import furnish, one_pluck

from pysitar.__main__ import main
from pysitar.app.analysis.measures import hash_samples
from pysitar.app.batch import run as batch_run
from pysitar.app.workers.pool import Outcome

BASE = one_pluck(150)
SWEEP = "sweep t.a.pluck.position = ({})\n"


class Stopping(Inline):
    """Workers that are ended with the run, by Ctrl-C, once two sounds are made."""

    def outcomes(self, items):
        for count, item in enumerate(items):
            if count == 2:
                raise KeyboardInterrupt
            self.make(self.setup, item)
            yield Outcome(item)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a finished batch of four sounds: to be copied."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch_run, "Workers", Inline)
        patch.chdir(furnish(folder, x=BASE + SWEEP.format("0.2 0.3 0.4 0.5")))
        assert batch("--quiet") == 0
    return folder


@pytest.fixture
def here(made, tmp_path, monkeypatch):
    monkeypatch.chdir(shutil.copytree(made, tmp_path, dirs_exist_ok=True))
    monkeypatch.setattr(batch_run, "Workers", Inline)
    return tmp_path


def batch(*words):
    return main(["batch", "x.score", "-o", "d", "--jobs", "1", *words])


def true_rows(stem="manifest"):
    """The names of the rows that tell a sound, whose samples are those in its file."""
    output = [row for row in rows("d", stem) if row["error"] is None]
    for row in output:
        assert hash_samples(Path("d", row["file"]))[0] == row["samples"]
    return [row["name"] for row in output]


def test_an_ended_run_leaves_no_old_row_over_a_new_sound(here, monkeypatch):
    assert len(true_rows()) == 4
    (here / "x.score").write_text(BASE + SWEEP.format("0.2 0.33 0.44 0.55"))
    with monkeypatch.context() as patch:
        patch.setattr(batch_run, "Workers", Stopping)
        assert batch() == 130
    # the first sound exists before and after; the run marks the others as not made, even those it
    # made
    assert true_rows() == ["x-00001"]
    assert [row["error"] for row in rows("d")][1:] == ["not made yet"] * 3
    assert Path("d/manifest.csv").read_text().count("not made yet") == 3
    assert batch() == 0 and len(true_rows()) == 4


def test_a_run_that_makes_nothing_leaves_it(here):
    before = Path("d/manifest.jsonl").stat().st_mtime_ns
    assert batch("--shard", "1/2") == 0
    assert Path("d/manifest.jsonl").stat().st_mtime_ns == before


def test_a_shard_that_makes_a_sound_takes_the_manifest_of_all_away(here):
    (here / "x.score").write_text(BASE + SWEEP.format("0.22 0.33 0.44 0.55"))
    assert batch("--shard", "1/2") == 0
    assert not Path("d/manifest.jsonl").exists() and not Path("d/manifest.csv").exists()
    assert len(true_rows("manifest-1of2")) == 2
    assert batch("--shard", "2/2") == 0 and batch("--merge") == 0
    assert len(true_rows()) == 4


BROKEN = [
    lambda d: d["batch"].pop("rms"), lambda d: d["batch"].pop("flags"), lambda d: d.pop("frames"),
    lambda d: d.pop("timing"), lambda d: d["batch"].update(rms=math.nan),
    lambda d: d.update(options=5), lambda d: d.update(peak="loud"), lambda d: d.update(seconds=[]),
    lambda d: d["batch"].update(flags=5), lambda d: d["batch"].update(centroid={}),
    lambda d: d.update(frames=-1), lambda d: d.update(tail_cut=1),
    lambda d: d["batch"].update(flags=[1]), lambda d: d.update(clipped=True)]


# each command reads sidecars by the same function: what is missing, and what is no number, of both
# of its tables
@pytest.mark.parametrize(("words", "broken"), [
    *(((), one) for one in BROKEN),
    *((words, BROKEN[at]) for words in (("--verify",), ("--merge",)) for at in (0, 2, 4, 6))])
def test_a_sidecar_that_tells_no_row_is_none(here, words, broken):
    sidecar = Path("d/x-00002.wav.json")
    document = json.loads(sidecar.read_text())
    broken(document)
    sidecar.write_text(json.dumps(document))
    assert batch(*words) == (1 if words == ("--merge",) else 0)
    assert true_rows() == [f"x-0000{n}" for n in range(1, 5) if n != 2 or words != ("--merge",)]


def test_what_is_clipped_or_silent_is_counted_in_the_last_line(here, capsys):
    (here / "y.score").write_text(BASE + "sweep t.a.pluck.force = (1N 1000N 1e-9N)\n")
    assert main(["batch", "y.score", "-o", "e", "--jobs", "1"]) == 0
    assert "3 of 3 sounds, 3 rendered now, 1 clipped, 1 silent; " in capsys.readouterr(
    ).err.splitlines()[-1]
    assert [[flag for flag in row["flags"] if flag in {"clipped", "silent"}]
            for row in rows("e")] == [[], ["clipped"], ["silent"]]


def test_lines_that_are_none_are_reported(here, capsys):
    with open("d/manifest.jsonl", "a") as file:
        file.write('{"name": "u-00001"\n')
    assert batch() == 0
    assert capsys.readouterr().err.startswith(
        "pysitar: removed 1 unreadable line of manifest.jsonl; ")


def test_merge_and_dry_run_do_not_go_together(here, capsys):
    before = Path("d/manifest.jsonl").stat().st_mtime_ns
    assert batch("--merge", "--dry-run") == 2
    assert "--merge and --dry-run do not go together" in capsys.readouterr().err
    assert Path("d/manifest.jsonl").stat().st_mtime_ns == before
