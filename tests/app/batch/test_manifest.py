"""A manifest read back by csv and json: numbers as numbers, no formula, one row per item."""
import csv
import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest
import soundfile
from app.batch.folders import abandoned
from app.batch.makers import Inline
from app.commands import furnish, one_pluck

from pysitar.__main__ import main
from pysitar.app.analysis.measures import Measures
from pysitar.app.batch import run as batch_run
from pysitar.app.batch.manifest import FIRST, LAST, NOTE, cell
from pysitar.app.batch.render_item import flags_of

PAGE = Path(__file__).resolve().parents[3] / "docs" / "dataset.md"
BASE = one_pluck(50)


@pytest.fixture(autouse=True)
def inline(monkeypatch):
    monkeypatch.setattr(batch_run, "Workers", Inline)


@pytest.mark.parametrize("text",
                         ["=1+1", "+3st", "-x", "@SUM(A1)", "\t=1", "\r=1", "'=1", "'", "''x"])
def test_what_a_spreadsheet_would_compute_is_quoted(text):
    assert cell(text) == "'" + text


def test_one_apostrophe_taken_off_is_the_text_again():
    alphabet = ["'", "=", "-", "a", ",", '"', "\n", "1"]
    texts = [
        "".join(text) for length in range(4) for text in itertools.product(alphabet, repeat=length)]
    assert [cell(text).removeprefix("'") for text in texts] == texts
    assert all(cell(text)[:1] not in ("=", "-") for text in texts)


def test_cells():
    assert [cell(value) for value in (-0.5, 1e-300, 7, None, ["dc", "short"], [], "a=b", True)] == [
        "-0.5", "1e-300", "7", "", "dc short", "", "a=b", "true"]
    assert float(cell(0.1 + 0.2)) == 0.1 + 0.2


def test_both_forms_say_the_same(tmp_path, monkeypatch):
    name = '=a,"b'
    monkeypatch.chdir(furnish(
        tmp_path,**{name: BASE + "sweep t.a.pitch = (8000Hz 9000Hz)\nsweep t.gain = (1 2)\n"}))
    assert main(["batch", f"{name}.score", "-o", "d", "--jobs", "1", "--format", "flac",
                 "--quiet"]) == 0
    with Path("d/manifest.csv").open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    rows = [json.loads(line)
            for line in Path("d/manifest.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["name"] for row in table] == [f"'{name}-0000{number}" for number in (1, 2, 3, 4)]
    assert list(table[0]) == [*FIRST, "t.a.pitch", "t.gain", *LAST]
    for cells, row in zip(table, rows, strict=True):
        assert {path: cells[path] for path in row["parameters"]} == {
            path: cell(value) for path, value in row["parameters"].items()}
        for column in ("peak", "rms", "dc", "residual", "centroid", "seconds_per_second"):
            assert float(cells[column]) == row[column]
        assert [row[name] for name in ("frames", "seconds", "rate", "channels", "clipped",
                                       "error")] == [2400, 0.05, 48000, 2, 0, None]
        assert row["t60"] is None and cells["t60"] == "" and "short" in row["flags"]
        assert soundfile.info(Path("d", row["file"])).frames == 2400


def test_the_page_on_data_sets_says_what_is_so(tmp_path, monkeypatch, capsys):
    page = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    [text] = [block for kind, block in blocks if kind == "score"]
    plain, laid_out = (block for kind, block in blocks if kind == "python" and "soundfile" in block)
    output = [word for line in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
              for word in re.findall(r"`(\w+)`", line)]
    assert sorted(output) == sorted((*FIRST, *LAST))
    assert "n=50" in text and "dur=2s" in text
    monkeypatch.chdir(tmp_path)
    Path("tanpura.score").write_text(text)
    assert main(["check", "tanpura.score"]) == 0
    assert capsys.readouterr().out.startswith("tanpura.score: 200 sounds for pysitar batch")
    Path("tanpura.score").write_text(text.replace("n=50", "n=1").replace("dur=2s", "dur=0.1s"))
    assert main(["batch", "tanpura.score", "-o", "sounds", "--jobs", "1", "--quiet"]) == 0
    names = {}
    exec(plain, names)
    assert len(names["rows"]) == 4 and names["audio"].shape == (
        4800, ) and names["position"] == 0.4 and 0.2 < names["force"] < 0.8
    assert main(["batch", "tanpura.score", "-o", "dataset", "--jobs", "1", "--quiet", "--layout",
                 "audiofolder"]) == 0
    # a name that a spreadsheet would compute is read back as itself
    Path("-x.score").write_text(text.replace("n=50", "n=1").replace("dur=2s", "dur=0.1s"))
    assert main(["batch", "./-x.score", "-o", "sounds", "--jobs", "1", "--quiet"]) == 0
    assert "\r\n'-x-00001,'-x-00001.wav," in Path("sounds/manifest.csv").read_bytes().decode()
    exec(plain, names)
    assert [row["file"]
            for row in names["rows"][4:]] == [f"-x-0000{number}.wav" for number in range(1, 5)]
    audio = names.pop("audio")
    names = {}
    exec(laid_out, names)
    assert np.array_equal(names["audio"], audio) and names["position"] == 0.4


def test_an_audiofolder_has_the_files_and_the_values(tmp_path, monkeypatch, capsys):
    one = BASE + "sweep t.gain = (1 2)\ndraw t.a.pluck.force ~ uniform(0.1N, 2N) n=2\n"
    other = BASE + "sweep t.a.pluck.width = (1mm 2mm)\n"
    monkeypatch.chdir(furnish(tmp_path, **{"=one": one, "other": other}))
    words = ["batch", "=one.score", "other.score", "-o", "d", "--jobs", "1", "--layout",
             "audiofolder", "--quiet"]

    def table(name="metadata"):
        with Path(f"d/train/{name}.csv").open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    for shard in ("1/2", "2/2"):
        assert main([*words, "--shard", shard]) == 0
    assert not Path("d/train/metadata.csv").exists() and len(table("metadata-1of2")) == 3
    assert main([*words, "--merge"]) == 0
    rows = [json.loads(line)
            for line in Path("d/manifest.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 6 and list(
        table()[0]) == ["file_name", "t.gain", "t.a.pluck.force", "t.a.pluck.width", *NOTE]
    for cells, row in zip(table(), rows, strict=True):
        assert f"train/{cells['file_name']}" == row["file"] == f"train/{row['name']}.wav"
        assert soundfile.info(Path("d", row["file"])).frames == 2400 and Path(
            "d/sidecars", f"{row['name']}.wav.json").exists()
        values = row["parameters"] | {name: row[name] for name in NOTE}
        assert {name: cell(values.get(name)) for name in list(cells)[1:]} == {
            name: value for name, value in cells.items() if name != "file_name"}
    # what is not there is no line; a killed process leaves nothing in the inner folder, either
    Path("d", rows[3]["file"]).unlink()
    assert main([*words, "--merge"]) == 1
    assert [cells["file_name"]
            for cells in table()] == [f"{row['name']}.wav" for row in rows if row is not rows[3]]
    for inner in ("train", "sidecars"):
        abandoned(f"d/{inner}", "batch")
    before = {path: path.stat().st_mtime_ns for path in Path("d/train").glob("*.wav")}
    assert main(words) == 0
    assert len(
        table()) == 6 and not [path for path in Path("d").rglob("*") if path.name.startswith(".")]
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in before.items())
    capsys.readouterr()
    assert main(["batch", "=one.score", "-o", "d", "--layout", "rows"]) == 2
    assert "audiofolder" in capsys.readouterr().err


def test_flags():
    def flagged(peak=0.5, dc=0.0, seconds=1.0, clipped=0, residual=1e-14):
        measures = Measures(1000, 1)
        sound = np.full((round(1000 * seconds), 1), dc)
        sound[:1] += peak
        measures.add(sound)
        return flags_of(measures, {"clipped": clipped, "residual": residual})

    assert flagged() == []
    assert flagged(peak=9e-5) == ["silent"] and flagged(peak=1.1e-4) == []
    assert flagged(clipped=1) == ["clipped"] and flagged(
        residual=2e-10) == ["residual"] and flagged(seconds=0.09, peak=0.01) == ["short"]
    assert flagged(dc=-2e-3) == ["dc"]
