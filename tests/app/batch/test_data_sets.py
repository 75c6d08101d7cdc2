"""Data sets of notes: columns of the first stroke, parts, the layout webdataset, Parquet."""
import io
import json
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest
import soundfile
from app.batch.makers import Inline
from app.commands import furnish, one_pluck, refused
from instruments import struck_object

from pysitar.__main__ import main
from pysitar.app.batch import run as batch_run
from pysitar.app.batch.first_stroke import first_stroke
from pysitar.app.batch.split import PARTS, part_of
from pysitar.rendering.engine import bind_score
from pysitar.score.parser import load_score

SWEEP = "sweep t.a.pluck.force = (0.1N 0.2N 0.4N)"
FORCES = [0.1, 0.2, 0.4]


@pytest.fixture(autouse=True)
def inline(monkeypatch, tmp_path):
    monkeypatch.setattr(batch_run, "Workers", Inline)
    monkeypatch.chdir(furnish(tmp_path, few=one_pluck(5, SWEEP)))


def batch(*words, score="few.score"):
    return main(["batch", score, "-o", "d", "--jobs", "1", "--quiet", *words])


def rows(folder="d"):
    return [json.loads(line) for line in Path(folder, "manifest.jsonl").read_text().splitlines()]


def stroke(text):
    return first_stroke(bind_score(load_score(text=text))[0])


def test_columns_of_the_first_stroke():
    assert batch() == 0
    hz = 8000.0
    assert [(row["velocity"], row["instrument"], row["split"]) for row in rows()] == [
        (force, "two", "train") for force in FORCES]
    assert {row["pitch"] for row in rows()} == {stroke(
        'use "two.toml" as t\n0 t.a pluck\n')["pitch"]}
    # a pitch in Hz, as MIDI counts it
    two = stroke('use "two.toml" as t\n0 t.a damp\n'
                 f'1 t.a pluck {hz:g}Hz f=0.3N\n2 t.a pluck f=1N\n')
    assert two["velocity"] == pytest.approx(0.3)
    assert two["pitch"] == pytest.approx(69.0 + 12.0 * np.log2(hz / 440.0), abs=1e-9)


@pytest.mark.parametrize(("text", "pitch", "velocity"), [
    ("use guitar as g\n0 g.a2 pluck A2\n", 45.0, 1.3),
    ("use guitar as g\n0 g.e2 fret G2\n0 g.e2 pluck\n", 43.0, 1.7),
    ("use marimba as m\n0 m strike C4 v=0.7m/s\n", 60.0, 0.7),
    ("use glass as g\n0 g.glass strike v=0.5m/s\n", None, 0.5),
])
def test_pitch_and_velocity_of_presets(text, pitch, velocity):
    found = stroke(text)
    assert found["pitch"] == (None if pitch is None else pytest.approx(pitch, abs=1e-6))
    assert found["velocity"] == pytest.approx(velocity)
    assert found["instrument"] == text.split()[1]


def test_parts_are_drawn_from_names_alone():
    fractions = (0.8, 0.1, 0.1)
    parts = [part_of("few", number, fractions) for number in range(1, 4001)]
    # a standard deviation is 25 of 3200 and 19 of 400: five of each
    for name, expected, deviation in zip(PARTS, (3200, 400, 400), (25, 19, 19), strict=True):
        assert abs(parts.count(name) - expected) < 5 * deviation
    assert parts[:100] == [part_of("few", number, fractions) for number in range(1, 101)]
    assert parts[:100] != [part_of("other", number, fractions) for number in range(1, 101)]
    assert {part_of("few", number, (0.0, 0.0, 1.0)) for number in range(1, 99)} == {"test"}


def test_a_split_is_in_the_manifest_and_renders_nothing_again():
    assert batch() == 0
    before = Path("d/few-00001.wav").stat().st_mtime_ns
    assert batch("--split", "0/0/5") == 0
    assert {row["split"] for row in rows()} == {"test"}
    assert Path("d/few-00001.wav").stat().st_mtime_ns == before


@pytest.mark.parametrize("text", ["80/20", "a/b/c", "0/0/0", "-1/1/1", "nan/1/1"])
def test_a_wrong_split_is_refused(text, capsys, tmp_path):
    refused("batch", capsys, tmp_path, 2, "expected three weights, of train, validation, test",
            "few.score", "-o", "d", f"--split={text}")


def test_webdataset_has_a_sound_and_a_row_for_each_key():
    assert batch("--layout", "webdataset") == 0
    names = sorted(path.name for path in Path("d/webdataset").iterdir())
    assert names == [f"few-0000{number}.{ending}" for number in (1, 2, 3)
                     for ending in ("json", "wav")]
    assert sorted(path.name for path in Path("d/sidecars").iterdir()) == [
        f"few-0000{number}.wav.json" for number in (1, 2, 3)]
    for row, force in zip(rows(), FORCES, strict=True):
        own = json.loads(Path("d", row["file"]).with_suffix(".json").read_text())
        assert own["t.a.pluck.force"] == own["velocity"] == force
        assert own["samples"] == row["samples"] and own["name"] == row["name"]
    Path("d/webdataset/few-00002.json").unlink()          # as after a kill
    assert batch("--layout", "webdataset") == 0
    assert json.loads(Path("d/webdataset/few-00002.json").read_text())["velocity"] == 0.2


@pytest.mark.filterwarnings("ignore")          # of the package's own: it leaves the tar open
def test_webdataset_reads_a_tar_of_it():
    webdataset = pytest.importorskip("webdataset")
    assert batch("--layout", "webdataset") == 0
    with tarfile.open("shard-000000.tar", "w") as tar:
        for path in sorted(Path("d/webdataset").iterdir()):
            tar.add(path, path.name)
    found = list(webdataset.WebDataset("shard-000000.tar", shardshuffle=False,
                                       empty_check=False).decode())
    assert [one["__key__"] for one in found] == [row["name"] for row in rows()]
    assert [one["json"]["velocity"] for one in found] == FORCES
    audio, rate = soundfile.read(io.BytesIO(found[0]["wav"]))
    assert (audio.shape[0], rate) == (rows()[0]["frames"], rows()[0]["rate"])


def test_webdataset_refuses_a_name_with_a_dot(tmp_path, capsys):
    Path("a.b.score").write_text(one_pluck(5))
    refused("batch", capsys, tmp_path, 2, "a.b has a dot; expected a score with another name",
            "a.b.score", "-o", "d", "--layout", "webdataset")


def test_a_parquet_manifest_has_the_rows_in_their_types():
    parquet = pytest.importorskip("pyarrow.parquet")
    Path("lid.toml").write_text(struck_object())
    Path("many.score").write_text(
        'use "lid.toml" as k\nrender tail=0 oversample=1\nsweep k.top.ball = (glass rubber)\n'
        "sweep k.top.strike.velocity = (1m/s 2m/s)\n0 k.top strike dur=20ms\n")
    assert batch("--parquet", score="many.score") == 0
    table = parquet.read_table("d/manifest.parquet")
    types = {field.name: str(field.type) for field in table.schema}
    assert types["item"] == types["frames"] == "int64"
    assert types["velocity"] == types["pitch"] == types["peak"] == "double"
    assert types["k.top.ball"] == types["error"] == types["split"] == types["samples"] == "string"
    assert types["k.top.strike.velocity"] == "double"
    assert (types["tail_cut"], types["flags"][:4]) == ("bool", "list")
    for own, row in zip(table.to_pylist(), rows(), strict=True):
        assert row["parameters"] == {name: own.pop(name) for name in row.pop("parameters")}
        assert own == row
    assert batch("--split", "0/1/0", score="many.score") == 0
    assert not Path("d/manifest.parquet").exists()      # its splits would be the old ones


def test_without_pyarrow_nothing_is_rendered(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    refused("batch", capsys, tmp_path, 2, "pip install 'pysitar[parquet]' adds it", "few.score",
            "-o", "d", "--parquet")
