"""`--verify`: a sound with changed samples is found, named and rendered again; the others are
kept."""
import json
import struct
from pathlib import Path

import pytest
from app.batch.folders import remains, rows, stamps
from app.batch.makers import Inline
from app.commands import contents, furnish, one_pluck

from pysitar.__main__ import main
from pysitar.app.analysis.measures import hash_samples, measure_file
from pysitar.app.batch import run as batch_run

BASE = one_pluck(20, "sweep t.a.pluck.position = (0.2 0.3 0.4 0.5)")
WORDS = ["batch", "x.score", "-o", "d", "--jobs", "1"]
VERIFY = [*WORDS, "--verify"]


@pytest.fixture
def here(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(furnish(tmp_path, x=BASE))
    monkeypatch.setattr(batch_run, "Workers", Inline)
    assert main(WORDS) == 0
    capsys.readouterr()
    return tmp_path


def changed(path, at, by):
    """Change bytes of a file, its size and time the same."""
    data = bytearray(Path(path).read_bytes())
    assert data[at:at + len(by)] != by
    data[at:at + len(by)] = by
    Path(path).write_bytes(data)


def report_of(*names, made=None, verified=None):
    made = len(names) if made is None else made
    count = "1 sound" if len(names) == 1 else f"{len(names)} sounds"
    first = [f"pysitar: {count} had changed since rendered: {', '.join(names)}"] if names else []
    return [*first, f"d: 4 of 4 sounds, {made} rendered now, {4 - made} verified; manifest.jsonl "
            f"and manifest.csv list them"]


def test_what_is_as_it_was_made_stays(here, capsys):
    before, files = stamps("d"), contents(here / "d")
    assert main(VERIFY) == 0
    assert capsys.readouterr().err.splitlines() == report_of()
    assert stamps("d") == before and contents(here / "d") == files


def test_one_bit_is_found_and_made_anew(here, capsys):
    good, before = contents(here / "d"), stamps("d")
    path = here / "d/x-00002.wav"
    size = len(good[path.name])
    last = good[path.name][-1]
    for at, by in ((size - 1, bytes([last ^ 1])), (size // 2,
                                                   bytes([good[path.name][size // 2] ^ 128]))):
        changed(path, at, by)
        assert main(WORDS) == 0          # which sees its size alone
        assert "0 rendered now" in capsys.readouterr().err and contents(
            here / "d")[path.name] != good[path.name]
        assert main(VERIFY) == 0
        assert capsys.readouterr().err.splitlines() == report_of("x-00002")
        assert contents(here / "d")[path.name] == good[path.name]
    assert {name for name, stamp in stamps("d").items() if stamp != before[name]} == {path.name}
    assert not remains("d")
    assert [row["samples"] for row in rows("d")] == [
        measure_file(here / f"d/{row['file']}").samples for row in rows("d")]


def test_a_header_that_lies_is_found(here, capsys):
    good = contents(here / "d")
    changed("d/x-00001.wav", 24, struct.pack("<I", 44100))          # the rate
    changed("d/x-00003.wav", 0, b"JUNK")          # no sound at all
    # one channel of twice the frames has the same samples in the same order
    changed("d/x-00004.wav", 22, struct.pack("<H", 1))
    changed("d/x-00004.wav", 32, struct.pack("<H", 3))          # bytes a frame
    assert hash_samples("d/x-00004.wav")[0] == rows("d")[3]["samples"] and hash_samples(
        "d/x-00004.wav")[2] == 1
    assert main(VERIFY) == 0
    assert capsys.readouterr().err.splitlines() == report_of("x-00001", "x-00003", "x-00004")
    assert {name: data for name, data in contents(here / "d").items() if name.endswith(".wav")} == {
        name: data for name, data in good.items() if name.endswith(".wav")}


def test_a_sidecar_that_lies_is_found(here, capsys):
    sidecar = here / "d/x-00003.wav.json"
    document = json.loads(sidecar.read_text())
    document["batch"]["samples"] = "0" * 64
    sidecar.write_text(json.dumps(document))
    other = here / "d/x-00004.wav.json"
    document = json.loads(other.read_text())
    document["options"] = 3
    other.write_text(json.dumps(document))
    assert main(VERIFY) == 0
    # the other sidecar has no rate: not made yet
    assert capsys.readouterr().err.splitlines() == report_of("x-00003", made=2)


def test_one_that_cannot_be_made_anew_is_missing_not_wrong(here, monkeypatch):
    changed("d/x-00002.wav", 3000, b"abc")

    def failing(self, items):
        for _ in items:
            raise OSError(28, "No space left on device")
        yield

    with monkeypatch.context() as context:
        context.setattr(Inline, "outcomes", failing)
        assert main(VERIFY) == 1
    assert not Path("d/x-00002.wav").exists()
    assert main(WORDS) == 0 and rows("d")[1]["samples"] == hash_samples("d/x-00002.wav")[0]


def test_a_part_verifies_its_own(here, capsys):
    changed("d/x-00002.wav", 3000, b"abc")
    changed("d/x-00003.wav", 3000, b"abc")
    assert main([*VERIFY, "--shard", "2/2"]) == 0
    assert "1 sound had changed since rendered: x-00002\n" in capsys.readouterr().err
    assert main(VERIFY) == 0
    assert "1 sound had changed since rendered: x-00003\n" in capsys.readouterr().err


@pytest.mark.parametrize("other", ["--merge", "--dry-run"])
def test_what_makes_no_sound_does_not_verify(here, capsys, other):
    assert main([*VERIFY, other]) == 2
    assert f"--verify and {other} do not go together" in capsys.readouterr().err


def test_flac_is_verified_by_its_samples(here, capsys):
    words = ["batch", "x.score", "-o", "f", "--jobs", "1", "--format", "flac", "--quiet"]
    assert main(words) == 0 and main([*words, "--verify"]) == 0 and not capsys.readouterr().err
    assert [row["samples"] for row in rows("f")] == [row["samples"] for row in rows("d")]
    size = Path("f/x-00001.flac").stat().st_size
    changed("f/x-00001.flac", size - 40, b"abcd")
    assert main([*words, "--verify"]) == 0 and "x-00001" in capsys.readouterr().err
    assert hash_samples("f/x-00001.flac")[0] == rows("d")[0]["samples"]
