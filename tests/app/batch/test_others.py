"""Several scores in one folder: the manifest has the rows of all, each from its own last run."""
import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from app.batch.folders import rows, stamps
from app.batch.makers import Inline
from app.commands import furnish, one_pluck
from instruments import TWO_MODES

from pysitar.__main__ import main
from pysitar.api.request import Request
from pysitar.app.batch import run as batch_run
from pysitar.app.batch.items import BatchOptions, make_plan
from pysitar.app.batch.manifest import FIRST, LAST
from pysitar.app.batch.render_item import write_failure
from pysitar.score.parser import read_score

BASE = one_pluck(20)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(furnish(
        tmp_path, a=BASE + "sweep t.a.pluck.position = (0.2 0.3 0.4)\n", b=BASE + "sweep t.gain = "
        "(1 2)\n", c=BASE.replace("two.toml", "other.toml") + "sweep t.a.pluck.force = (1N 2N)\n"))
    (tmp_path / "other.toml").write_text(TWO_MODES)
    monkeypatch.setattr(batch_run, "Workers", Inline)
    return tmp_path


def batch(*words, code=0):
    assert main(["batch", *words, "-o", "d", "--jobs", "1"]) == code


def names(stem="manifest"):
    return [row["name"] for row in rows("d", stem)]


A, B, C = ([f"{score}-{number:05d}" for number in range(1, count + 1)]
           for score, count in (("a", 3), ("b", 2), ("c", 2)))


def test_the_rows_of_other_scores_stay(here, capsys):
    batch("a.score")
    first = Path("d/manifest.jsonl").read_bytes()
    batch("b.score")
    output = capsys.readouterr().err.splitlines()
    assert output[0].endswith("manifest.jsonl and manifest.csv list them")
    assert (output[1] == "d: 2 of 2 sounds, 2 rendered now; manifest.jsonl and manifest.csv list "
            "them and 3 of other scores")
    assert names() == A + B and Path("d/manifest.jsonl").read_bytes().startswith(first)
    with open("d/manifest.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert list(table[0]) == [*FIRST, "t.a.pluck.position", "t.gain", *LAST]
    assert [(cells["t.a.pluck.position"], cells["t.gain"]) for cells in table] == [
        ("0.2", ""), ("0.3", ""), ("0.4", ""), ("", "1.0"), ("", "2.0")]
    # as one command would have it; and each keeps its place
    whole, made = rows("d"), stamps("d")
    batch("a.score", "b.score")
    assert rows("d") == whole
    batch("a.score")
    batch("b.score", "--merge")
    assert rows("d") == whole and stamps("d") == made
    batch("c.score", "a.score")
    assert names() == C + A + B


def test_those_that_are_gone_or_changed_go(here):
    batch("a.score", "b.score", "c.score")
    Path("d/a-00002.wav").unlink()
    Path("d/b-00001.wav.json").unlink()
    with open("d/b-00002.wav", "ab") as file:
        file.write(b"x")
    batch("c.score")
    assert names() == ["a-00001", "a-00003", *C]
    # what a score asks for no more is not in the manifest, though it is in the folder
    (here / "a.score").write_text(BASE + "sweep t.a.pluck.position = (0.2 0.3)\n")
    batch("a.score")
    assert names() == [*A[:2], *C] and Path("d/a-00003.wav").exists()
    # a sound that another run has rendered again since does not match the row
    (here / "other.toml").write_text(TWO_MODES.replace("gain = 1.0", "gain = 2.0"))
    before = Path("d/manifest.jsonl").read_bytes()
    batch("c.score", "--shard", "1/2")
    assert not Path("d/manifest.jsonl").exists() and not Path("d/manifest.csv").exists()
    Path("d/manifest.jsonl").write_bytes(before)
    batch("a.score", "--merge")
    assert names() == [*A[:2], "c-00002"]


def test_what_failed_stays_as_long_as_it_is_known(here):
    batch("a.score")
    Path("d/a-00002.wav").unlink()
    items = list(make_plan([read_score("a.score")], BatchOptions(request=Request())).items())
    write_failure("d", items[1], "why")
    batch("a.score", "--merge", code=1)
    batch("b.score")
    assert names() == A + B and [row["error"]
                                 for row in rows("d")] == [None, "why", None, None, None]
    # of a later run, in which it was another sound
    write_failure("d", replace(items[1], key="another"), "why")
    batch("b.score")
    assert names() == ["a-00001", "a-00003", *B]


def test_each_part_has_its_own(here):
    for shard in ("1/2", "2/2"):
        batch("a.score", "--shard", shard)
        batch("b.score", "--shard", shard)
    assert names("manifest-1of2") == [A[0], A[2], B[0]] and names("manifest-2of2") == [A[1], B[1]]
    batch("a.score", "--merge")
    batch("b.score", "--merge")
    assert names() == A + B


def test_a_layout_has_them_all(here):
    batch("a.score", "--layout", "audiofolder")
    batch("b.score", "--layout", "audiofolder")
    with open("d/train/metadata.csv", newline="") as file:
        assert [row["file_name"]
                for row in csv.DictReader(file)] == [f"{name}.wav" for name in A + B]


def test_lines_that_are_none_are_left_out(here):
    batch("a.score")
    good = Path("d/manifest.jsonl").read_text()
    old = json.loads(good.splitlines()[0])
    del old["centroid"]          # of a version that had no such column
    bad = ["", "no JSON", json.dumps({**old, "peak": math.nan}), "[" * 100000, "[1]", '{"name": 1}',
           json.dumps({**old, "file": None}), json.dumps({**old, "parameters": 3}),
           json.dumps({"name": "a-00001", "file": "a-00001.wav", "score": "a.score", "key": "x",
                       "parameters": {}})]
    Path("d/manifest.jsonl").write_text("\n".join([*bad, json.dumps(old)]) + "\n")
    batch("b.score")
    assert names() == ["a-00001", *B] and rows("d")[0] == {**old, "centroid": None}
