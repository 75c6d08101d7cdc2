"""Wrong rows and sidecars are reported and left out; the batch continues."""

import json
import os
import shutil
from pathlib import Path

import pytest
from app.batch.folders import rows
from app.batch.makers import Inline
from app.commands import furnish, one_pluck
from app.gallery.folders import written

from pysitar.__main__ import main
from pysitar.app.batch import keys
from pysitar.app.batch import run as batch_run
from pysitar.app.batch.render_item import sidecar_fault
from pysitar.output.sidecar import sidecar_text

BASE = (one_pluck(20, options=" channels=1") + "sweep t.a.pluck.position = (0.2 0.3)\n")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Two scores' sounds in one folder."""
    folder = furnish(tmp_path_factory.mktemp("whole"), a=BASE, b=BASE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(batch_run, "Workers", Inline)
        assert main(["batch", "a.score", "b.score", "-o", "d", "--jobs", "1", "--quiet"]) == 0
    return folder


@pytest.fixture
def here(tmp_path, monkeypatch, whole):
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(batch_run, "Workers", Inline)
    return tmp_path


def batch(capsys, *words, code=0, score="a.score"):
    assert main(["batch", score, "-o", "d", "--jobs", "1", *words]) == code
    out, lines = capsys.readouterr()
    assert out == "" and "unexpected" not in lines and "Traceback" not in lines
    return lines.splitlines()


def changed(number, **more):
    """Put values into a row of the manifest, as they are."""
    found = rows("d")
    found[number] |= more
    Path("d/manifest.jsonl").write_text("".join(written(row) + "\n" for row in found))


def sidecar(name, part=None, **more):
    path = Path(f"d/{name}.wav.json")
    document = json.loads(path.read_text())
    (document if part is None else document[part]).update(more)
    path.write_text(written(document))


BAD = [
    ({"peak": float("inf")}, "peak is inf; expected a finite number, 0 or more"),
    ({"samples": "\ud800"}, r"samples is '\ud800'; expected 64"),
    ({"key": "x"}, "key is 'x'; expected 64"),
    ({"file": "../b-00001.wav"}, "file is '../b-00001.wav'; expected a path inside"),
    ({"name": "../b-00001"}, "name is '../b-00001'; expected a plain"),
    ({"parameters": {"x": float("inf")}}, "parameters.x is inf"),
    ({"parameters": {"\ud800": 1}}, "parameters has the name"),
    ({"rate": 0}, "rate is 0"),
    ({"seed": "\ud800"}, "seed is"),
]


# the three read a manifest by the same function
@pytest.mark.parametrize(("words", "more", "said"), [
    *(((), *one) for one in BAD),
    *((words, *BAD[at]) for words in (("--merge",), ("--verify",)) for at in (0, 2, -1))])
def test_a_row_that_is_wrong_is_left_out(here, capsys, words, more, said):
    changed(2, **more)  # of the other score
    lines = batch(capsys, *words)
    assert lines[0].startswith("pysitar: removed 1 unreadable line of manifest.jsonl; ")
    assert lines[1].startswith(f"pysitar: d/manifest.jsonl:3: {said}")
    assert lines[1].endswith("; the row is left out")
    assert lines[2].endswith("and 1 of other scores") and [row["name"] for row in rows("d")] == [
        "a-00001",
        "a-00002",
        "b-00002",
    ]
    assert Path("d/manifest.csv").read_text(encoding="utf-8").count("\n") == 4
    assert (len(batch(capsys, *words)) == 1 and len(batch(capsys, "--merge", score="b.score")) == 1
            and len(rows("d")) == 4)


def test_rows_that_are_wrong_are_reported_though_the_manifest_is_written_first(here, capsys):
    """Before the first new sound the manifest is written anew, without the rows that were wrong."""
    changed(3, dc=-float("inf"))
    os.unlink("d/a-00002.wav")
    lines = batch(capsys)
    assert lines[0].startswith("pysitar: removed 1 unreadable line ")
    assert lines[1].startswith("pysitar: d/manifest.jsonl:4: dc is -inf")
    assert "1 rendered now" in lines[2] and len(lines) == 3


def test_only_the_first_faults_are_shown(here, capsys):
    with open("d/manifest.jsonl", "a") as file:
        file.write("[]\n" * 100)
    lines = batch(capsys)
    assert lines[0].startswith("pysitar: removed 100 unreadable lines of ") and len(lines) == 22
    assert lines[20].startswith("pysitar: d/manifest.jsonl:24: it is not a JSON object")


@pytest.mark.parametrize(
    ("part", "more"),
    [
        (None, {"peak": float("inf")}),
        ("batch", {"samples": "\ud800"}),
        ("batch", {"samples": "../../X"}),
        ("options", {"rate": 0}),
        ("batch", {"parameters": {"x": float("nan")}}),
        (None, {"files": {"\ud800": "0" * 64}}),
        ("timing", {"seconds_per_second": 10**400}),
    ],
)
def test_a_sidecar_that_is_wrong_is_made_anew_or_its_row_left_out(here, capsys, part, more):
    for name in ("a-00001", "b-00002"):
        sidecar(name, part, **more)
    lines = batch(capsys, "--merge", code=1)
    assert lines[0].startswith(
        "pysitar: d/manifest.jsonl:4: its sidecar is wrong (d/b-00002.wav.json: ")
    assert (lines[0].endswith("); the row is left out")
            and lines[1] == "pysitar: 1 sound is not made yet: a-00001")
    assert "1 rendered now" in batch(capsys)[-1] and "1 rendered now" in batch(
        capsys, score="b.score")[-1]
    assert [row["error"] for row in rows("d")] == [None] * 4 and not batch(capsys, "--quiet")


STRANGE = {"pipe": os.mkfifo, "device": lambda path: os.symlink("/dev/zero", path)}


@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_regular_file_is_not_waited_for(here, capsys, kind):
    for name in ("b-00001.wav.json", "b-00002.wav", "b-00003.error.json"):
        Path("d", name).unlink(missing_ok=True)
        STRANGE[kind](Path("d", name))
    changed(3, name="b-00003", error="why")
    assert "d/b-00001.wav.json: it is no regular file" in batch(capsys)[0] and len(rows("d")) == 2
    os.unlink("d/a-00001.wav.json")
    # rendered again, and its sidecar cannot be written there
    STRANGE[kind](Path("d/a-00001.wav.json"))
    with pytest.raises(OSError, match="not a regular file"):
        batch_in_process()
    os.unlink("d/manifest.jsonl")
    STRANGE[kind](Path("d/manifest.jsonl"))
    for words in ((), ("--merge",)):
        os.path.lexists("d/a-00001.wav.json") and os.unlink("d/a-00001.wav.json")
        [lines] = batch(capsys, *words, code=1)
        assert lines.startswith("pysitar: d/manifest.jsonl: a ") and "not a regular file" in lines


def batch_in_process():
    """As a worker makes it: `Inline` lets its error through."""
    from pysitar.api.request import Request
    from pysitar.app.batch.items import BatchOptions, make_plan
    from pysitar.score.parser import read_score

    batch_options = BatchOptions(request=Request())
    batch_run.run(make_plan([read_score("a.score")], batch_options), "d", batch_options, jobs=1)


def test_a_sidecar_of_many_events_is_passed_over(here, capsys, monkeypatch):
    """One over 16 MB is read, too: the events, one a line, are left out."""
    from pysitar.app.batch import documents

    path = Path("d/a-00001.wav.json")
    document = json.loads(path.read_text())
    document["events"] *= 3000
    path.write_text(sidecar_text(document))
    monkeypatch.setattr(documents, "LARGEST", 20000)
    assert (path.stat().st_size > 20000 and "0 rendered now" in batch(capsys)[-1]
            and sidecar_fault("d", "a-00001.wav") == "")


def test_names_that_are_no_utf_8_are_escapes_in_the_tables(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(batch_run, "Workers", Inline)
    (tmp_path / "scores").mkdir()
    furnish(tmp_path / "scores", **{"x\udcff": BASE.partition("sweep")[0]})
    assert main(["gallery", "scores", "--quiet", "--jobs", "1"]) == 0
    assert (Path("page/sounds/x\udcff-00001.wav").exists()
            and rows("page/sounds")[0]["file"] == "x\udcff-00001.wav")
    assert r",x\udcff-00001.wav," in Path("page/sounds/manifest.csv").read_text(encoding="utf-8")
    before = Path("page/sounds/x\udcff-00001.wav").stat().st_mtime_ns
    assert (
        main(["gallery", "scores", "--quiet", "--jobs", "1"]) == 0 and not capsys.readouterr().err)
    assert Path("page/sounds/x\udcff-00001.wav").stat().st_mtime_ns == before


def test_a_key_is_the_same_in_every_locale():
    assert (keys._hash_lines(["é.toml", "x\udcff"]) == keys._hash_lines([
        "\udcc3\udca9.toml", "x\udcff"]) != keys._hash_lines(["e.toml", "x\udcff"]))
